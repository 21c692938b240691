#!/bin/bash
# SPDX-License-Identifier: MIT
# Compile the module against every linux-headers-6.12.* package that apt offers. The packages are
# downloaded and unpacked into the cache, not installed.
#
# usage: O=DIR CACHE=DIR check-headers.sh
set -uo pipefail
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
top=$(cd "$(dirname "$0")/.." && pwd)
O=${O:-$top/build}
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tessera-build}/headers
work=$O/check-headers
mkdir -p "$cache" "$work"
failed=0 passed=0

# The package's Makefiles name each other by absolute paths; in the unpacked copy these point
# into the copy.
unpack() { # RELEASE
	local rel=$1 base=${1%-amd64} dir=$cache/$1 tmp p
	[ -e "$dir/.done" ] && return
	tmp=$(mktemp -d "$cache/tmp.XXXXXX")
	(
		cd "$tmp" || exit
		for p in "linux-headers-$rel" "linux-headers-$base-common" "linux-kbuild-$base"; do
			apt-get download -qq "$p" 2>>"$work/$rel.log" || exit
		done
		for p in ./*.deb; do
			dpkg-deb -x "$p" root || exit
			rm "$p"
		done
		echo "include $dir/usr/src/linux-headers-$base-common/Makefile" \
			>"root/usr/src/linux-headers-$rel/Makefile"
		find root/usr/src -maxdepth 2 \( -name .kernelvariables -o -name Makefile \) -print0 |
			xargs -0 sed -i "s,\([ =]\)/usr/src/linux-headers,\1$dir/usr/src/linux-headers,g"
		# Debian 12 has /lib -> /usr/lib; the links in the package are relative to /usr/src.
		if [ -d root/usr/lib ] && [ ! -e root/lib ]; then
			ln -s usr/lib root/lib
		fi
		touch root/.done
	) || {
		rm -rf "$tmp"
		return 1
	}
	# Without .done it is what an earlier call of this script left half done.
	rm -rf "$dir"
	mv "$tmp/root" "$dir"
	rm -rf "$tmp"
}

check() { # RELEASE
	local rel=$1 dir=$work/$1 kdir=$cache/$1/usr/src/linux-headers-$1
	mkdir -p "$dir"
	unpack "$rel" || { echo 'not to be had'; return 1; }
	"$top/kernel/mirror.sh" "$top/kernel" "$dir" || return
	"$top/kernel/probe.sh" "$kdir" "$dir/probe" "$dir/tsr_compat.h" >>"$work/$rel.log" 2>&1 ||
		{ echo 'probes failed'; return 1; }
	make -s -j"$(nproc)" -C "$kdir" M="$dir" TSR_UAPI="$top/uapi" TSR_WERROR="${WERROR:-1}" \
		TSR_VERSION="$(cat "$top/VERSION")" W=1 CONFIG_DEBUG_INFO_BTF_MODULES= modules \
		>>"$work/$rel.log" 2>&1 || { echo 'does not compile'; return 1; }
	modinfo -F vermagic "$dir/tessera.ko" 2>/dev/null
}

releases=$(apt-cache search --names-only '^linux-headers-6\.12\.[0-9.]+\+deb12-amd64$' |
	sed 's/^linux-headers-\([^ ]*\).*/\1/' | sort -V)
[ -n "$releases" ] || {
	echo 'check-headers: apt offers no linux-headers-6.12.* package (apt-get update?)' >&2
	exit 1
}
printf '%-28s %-6s %s\n' kernel result detail
for rel in $releases; do
	: >"$work/$rel.log"
	if text=$(check "$rel"); then
		printf '%-28s %-6s %s\n' "$rel" ok "$text"
		passed=$((passed + 1))
	else
		printf '%-28s %-6s %s, see %s\n' "$rel" FAIL "$text" "$work/$rel.log"
		grep -m 5 'error: ' "$work/$rel.log" | sed 's/^/    /'
		failed=$((failed + 1))
	fi
done
echo
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
