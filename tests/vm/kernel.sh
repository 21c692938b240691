#!/bin/bash
# SPDX-License-Identifier: MIT
# Build a kernel for the test VM out of the package linux-source-6.12, unless it is there, and say
# where it is: a Kbuild output directory, with the image in arch/x86/boot/bzImage, that modules are
# built against.
#
# usage: tests/vm/kernel.sh [--where] debug|race
#
#   debug    KASAN, UBSAN, lockdep, kmemleak, DEBUG_OBJECTS, KUnit, fault injection, KCOV, GCOV
#   race     KCSAN
#   --where  only say where it is, or would be
#
# What the kernels have is in tests/vm/{guest,debug,race}.config, on top of allnoconfig. Nobody has
# to call this: "make module-debug" (module-kcov, module-gcov, module-race) builds kernel and module, and
#
#   tests/vm/run --variant debug -- build/tests/selftests/ioctl_bo
#
# boots them. A kernel is kept outside the checkout, in ${XDG_CACHE_HOME:-~/.cache}/tessera-build,
# under a name made from its source's version, its configuration and the compiler: all checkouts
# share it. From cold it takes about 20 minutes of processor time; who comes second waits.
# TSR_KERNEL_KEEP=1 keeps the object files, so that a changed configuration is built quickly.
set -euo pipefail

where=''
if [ "${1:-}" = --where ]; then
	where=1
	shift
fi
name=${1:-}
here=$(cd "$(dirname "$0")" && pwd)
[ "$name" = debug ] || [ "$name" = race ] || {
	sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
	exit 2
}

archive=/usr/src/linux-source-6.12.tar.xz
version=$(dpkg-query -W -f '${Version}' linux-source-6.12 2>/dev/null || true)
if [ -z "$version" ] || [ ! -r "$archive" ]; then
	echo "kernel.sh: $archive is missing: install linux-source-6.12" >&2
	exit 1
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tessera-build
source=$cache/linux-$version
wanted=("$here/guest.config" "$here/$name.config")
key=$({ echo "recipe 1 $version"; gcc --version | head -n 1; cat "${wanted[@]}" "$here/guest.Kconfig"; } |
	sha256sum | cut -c1-12)
kernel=$cache/kernel-$name-$key
work=$cache/kernel-$name.work
log=$cache/kernel-$name.log

# Nothing of our own make may reach the kernel's.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES O V W M KDIR CC

die() {
	echo "kernel.sh: $*, see $log" >&2
	tail -n 15 "$log" >&2
	exit 1
}

kmake() {
	make -C "$source" O="$work" "$@" >>"$log" 2>&1
}

# The documentation and most of what is for other machines would only take space.
unpack() {
	local tmp
	[ ! -d "$source" ] || return 0
	tmp=$(mktemp -d "$cache/unpack.XXXXXX")
	tar -xJf "$archive" -C "$tmp" --strip-components=1 --exclude='*.rst' --exclude='*.dts*' \
		--exclude='*/sound/*.c' --exclude='*/drivers/gpu/drm/amd/*.[ch]' || {
		rm -rf "$tmp"
		die 'cannot unpack the source'
	}
	cat "$here/guest.Kconfig" >>"$tmp/drivers/accel/Kconfig"
	chmod 755 "$tmp"
	mv "$tmp" "$source"
}

# An option that the kernel dropped, for one it depends on, is an error and no surprise later.
configure() {
	local line bad=0
	mkdir -p "$work"
	cat "${wanted[@]}" >"$work/wanted"
	kmake -s KCONFIG_ALLCONFIG="$work/wanted" allnoconfig || die 'cannot configure'
	while read -r line; do
		grep -qxF "$line" "$work/.config" && continue
		echo "kernel.sh: not in the configuration: $line" >&2
		bad=1
	done < <(grep '^CONFIG_' "$work/wanted")
	[ $bad = 0 ] || exit 1
}

# What modules need of it, and the image: object files are twenty times as large.
install() {
	local tmp=$kernel.new
	rm -rf "$tmp"
	mkdir -p "$tmp"
	tar -C "$work" --exclude='*.o' --exclude='*.a' --exclude='*.cmd' --exclude='./vmlinux*' \
		--exclude='*/compressed/vmlinux*' --exclude='*.order' -cf - . | tar -C "$tmp" -xf -
	find "$cache" -maxdepth 1 -name "kernel-$name-*" ! -name "${kernel##*/}*" -mtime +7 \
		-exec rm -rf {} +
	mv "$tmp" "$kernel"
	[ "${TSR_KERNEL_KEEP:-}" = 1 ] || rm -rf "$work"
}

if [ -n "$where" ]; then
	echo "$kernel"
	exit
fi
mkdir -p "$cache"
exec 9>"$cache/kernel.lock"
[ -d "$kernel" ] || flock 9
if [ ! -d "$kernel" ]; then
	: >"$log"
	echo "  KERNEL  $kernel (20 minutes of processor time, log: $log)" >&2
	unpack
	configure
	kmake -j"$(nproc)" bzImage modules || die 'cannot build'
	install
fi
echo "$kernel"
