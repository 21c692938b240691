#!/bin/sh
# SPDX-License-Identifier: MIT
# Make the netlink headers and tables out of Documentation/netlink/specs/tessera.yaml, by the
# kernel's own generator (tools/net/ynl in the package linux-source-6.12).
#
# usage: ynl.sh CACHE [--check]     --check: only say which of them are not up to date
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cache=$1
check=${2:-}
archive=/usr/src/linux-source-6.12.tar.xz
spec=Documentation/netlink/specs/tessera.yaml
linux=$cache/ynl-$(dpkg-query -W -f '${Version}' linux-source-6.12)

if [ ! -d "$linux" ]; then
	mkdir -p "$cache"
	tmp=$(mktemp -d "$cache/ynl.XXXXXX")
	tar -xJf "$archive" -C "$tmp" --strip-components=1 --wildcards \
		'linux-source-6.12/tools/net/ynl/*' 'linux-source-6.12/Documentation/netlink/*.yaml'
	mv -T "$tmp" "$linux" || rm -rf "$tmp"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# It finds the schema beside the specification, and wants a tree that looks like the kernel's.
mkdir -p "$work/$(dirname "$spec")"
cp "$linux"/Documentation/netlink/*.yaml "$work/Documentation/netlink/"
: >"$work/MAINTAINERS"
# It insists on the kernel's licence for a specification; the results get ours again.
sed '1s/.*/# SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)/' \
	"$top/$spec" >"$work/$spec"

make_one() { # TARGET, LICENCE, ARGUMENTS
	target=$1
	licence=$2
	shift 2
	out=$work/$(basename "$target")
	timeout 60 python3 "$linux/tools/net/ynl/ynl-gen-c.py" --spec "$work/$spec" -o "$out" "$@"
	sed -i -e "1s|SPDX-License-Identifier: .*[^/ *]|SPDX-License-Identifier: $licence|" \
		-e 's|<uapi/linux/tessera_netlink.h>|<linux/tessera_netlink.h>|' "$out"
	cmp -s "$out" "$top/$target" && return
	if [ -n "$check" ]; then
		echo "$target is not what $spec makes: run make netlink"
	else
		mkdir -p "$(dirname "$top/$target")"
		cp "$out" "$top/$target"
		echo "  YNL     $target"
	fi
}

make_one uapi/linux/tessera_netlink.h '(GPL-2.0-only WITH Linux-syscall-note) OR MIT' \
	--mode uapi --header
make_one kernel/drv/netlink_gen.h GPL-2.0-only --mode kernel --header
make_one kernel/drv/netlink_gen.c GPL-2.0-only --mode kernel --source
