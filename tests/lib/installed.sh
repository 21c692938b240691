#!/bin/bash
# SPDX-License-Identifier: MIT
# Installed copies: below /usr (laid over this machine's in a mount namespace of its own), with a
# prefix of their own, moved, read-only, and removed again. The tutorial and the examples are built
# against each with pkg-config, and what needs no device is run on the host engine.
set -u
top=${TSR_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${TSR_BUILD:-$top/build}
# What tests share with the library's caches would hide a compiler that does not work.
export TESSERA_IMAGE_CACHE=off
unset TESSERA_DEVICE_DIR MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL O PKG_CONFIG_PATH LD_LIBRARY_PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

# result STATUS NAME [LOG]: one line of TAP, after what the log says when it failed
result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		[ $# -lt 3 ] || sed 's/^/# /' "$3" | tail -n 30
		echo "not ok $n $2"
	fi
}

installed() { # TARGET VARIABLE=VALUE...
	make -C "$top" "$1" O="$build" MODULE=0 "${@:2}" >"$tmp/log" 2>&1
}

# use: builds and runs as an application's author does. Standard input: none. In $tmp/use.
cat >"$tmp/use" <<'EOS'
set -eu
rm -rf "$work"
mkdir "$work"
"$top/tests/tutorial-blocks.sh" "$work"
cd "$work"
flags=$(pkg-config --cflags --libs tessera)
for p in hello double pass reduce; do
	# shellcheck disable=SC2086 # flags are words
	cc -std=c11 -Wall -Wextra -Werror -o $p $p.c $flags
	"./$p" >out
	cmp "$p.expected" out
done
# shellcheck disable=SC2086
cc -std=c11 -Wall -Wextra -Werror -o collective collective.c $flags
for e in collective matmul filter; do
	# shellcheck disable=SC2046,SC2086
	cc -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -I"$top/examples" -DTSR_EXAMPLE_DIR="\"$top/examples/$e\"" \
		-o "example-$e" "$top/examples/$e"/*.c "$top"/examples/common/*.c $flags \
		$(pkg-config --cflags --libs libpng) -lm
done
# shellcheck disable=SC2086
echo '#include <tessera/tessera.h>' | cc -x c -std=c99 -Wall -Werror -fsyntax-only $flags -
if command -v g++ >/dev/null; then
	# shellcheck disable=SC2086
	echo '#include <tessera/tessera.h>' | g++ -x c++ -std=c++17 -Wall -Werror -fsyntax-only $flags -
fi
tessera --help >/dev/null
EOS

# used NAME [unshare...]
used() {
	local name=$1
	shift
	top=$top work=$tmp/work "$@" bash "$tmp/use" >"$tmp/log" 2>&1
	result $? "$name" "$tmp/log"
}

echo 'TAP version 13'
echo '1..11'

installed install PREFIX=/usr DESTDIR="$tmp/usr"
result $? 'make install PREFIX=/usr' "$tmp/log"
# The library of this machine's /usr is not used: it has none, or its own lies below.
cat >"$tmp/over" <<'EOS'
mount -t overlay overlay -o "lowerdir=$over/usr:/usr" /usr && exec "$@"
EOS
if [ "$(id -u)" = 0 ] && over=$tmp/usr unshare -m bash "$tmp/over" true 2>/dev/null; then
	over=$tmp/usr used 'a copy in /usr compiles and runs kernels' unshare -m bash "$tmp/over"
else
	n=$((n + 1))
	echo "ok $n # SKIP laying a copy over /usr needs root and overlayfs"
fi

installed install PREFIX="$tmp/own" LIBDIR="$tmp/own/lib/multi/arch" DATADIR="$tmp/own/lib/data" \
	UDEVDIR="$tmp/own/rules"
result $? 'make install with a prefix of its own, as it is built already' "$tmp/log"
export PATH=$tmp/own/bin:$PATH PKG_CONFIG_PATH=$tmp/own/lib/multi/arch/pkgconfig
export LD_LIBRARY_PATH=$tmp/own/lib/multi/arch
used 'a copy with a prefix of its own'
grep -rlF "$top" "$tmp/own" >"$tmp/log"
[ ! -s "$tmp/log" ]
result $? 'no file of it names the source tree' "$tmp/log"

mv "$tmp/own" "$tmp/moved"
export PATH=$tmp/moved/bin:$PATH PKG_CONFIG_PATH=$tmp/moved/lib/multi/arch/pkgconfig
export LD_LIBRARY_PATH=$tmp/moved/lib/multi/arch
used 'the copy, moved'
env -u LD_LIBRARY_PATH "$tmp/moved/bin/tessera" --help >"$tmp/log" 2>&1
result $? 'its tool finds its library' "$tmp/log"
cat >"$tmp/ro" <<'EOS'
mount --bind "$over" "$over" && mount -o remount,ro,bind "$over" && exec "$@"
EOS
if [ "$(id -u)" = 0 ] && over=$tmp/moved unshare -m bash "$tmp/ro" true 2>/dev/null; then
	over=$tmp/moved used 'the copy, read-only' unshare -m bash "$tmp/ro"
else
	chmod -R a-w "$tmp/moved"
	used 'the copy, read-only'
	chmod -R u+w "$tmp/moved"
fi

mv "$tmp/moved" "$tmp/own"
installed uninstall PREFIX="$tmp/own" LIBDIR="$tmp/own/lib/multi/arch" DATADIR="$tmp/own/lib/data" \
	UDEVDIR="$tmp/own/rules"
find "$tmp/own" ! -type d >>"$tmp/log"
! grep -q "$tmp/own/" "$tmp/log"
result $? 'make uninstall leaves no file' "$tmp/log"

# Flags: what changes is compiled again, what does not is not.
flagged() {
	make -C "$top" -f mk/build.mk "$tmp/flags/libtessera.so" O="$tmp/flags" WERROR=0 "$@" >"$tmp/log" 2>&1
	grep -c '^  CC' "$tmp/log"
}
hard=(CPPFLAGS='-D_FORTIFY_SOURCE=2 -DTSR_TEST_PACKAGER' CFLAGS='-O2 -g -fstack-protector-strong' \
	LDFLAGS='-Wl,-z,now')
[ "$(flagged "${hard[@]}")" -gt 50 ] && [ "$(flagged "${hard[@]}")" = 0 ]
result $? 'equal flags compile nothing again' "$tmp/log"
hard[0]='CPPFLAGS=-D_FORTIFY_SOURCE=2'
[ "$(flagged "${hard[@]}")" -gt 50 ]
result $? 'other flags compile everything again' "$tmp/log"
