#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Mirror the module's sources into a build directory as symbolic links: for sources that are there,
# none for those that are gone. TARGET/.mirror is as new as the last change.
#
# usage: mirror.sh SOURCE TARGET [DIR...]
#
# DIR: more directories of sources, for variants of the module that only tests load.
set -eu
src=$(cd -- "$1" && pwd)
dst=$2
shift 2

link() { # FILE, NAME
	[ "$(readlink "$2" || true)" != "$1" ] || return 0
	if [ -e "$2" ] && [ ! -L "$2" ]; then
		echo "mirror.sh: $2 is no link of ours, so it stays; take it away" >&2
		exit 1
	fi
	ln -sfn -- "$1" "$2"
	touch "$dst/.mirror"
}

for from in "$src/core" "$src/drv" "$src/soft" "$@"; do
	from=$(cd -- "$from" && pwd)
	d=${from##*/}
	mkdir -p -- "$dst/$d"
	for f in "$from"/*.[ch] "$from"/*.inc; do
		[ ! -f "$f" ] || link "$f" "$dst/$d/${f##*/}"
	done
	for f in "$dst/$d"/*.[ch] "$dst/$d"/*.inc; do
		if [ -L "$f" ] && [ ! -e "$f" ]; then
			rm -f "$f" "${f%.c}.o"
			touch "$dst/.mirror"
		fi
	done
done
link "$src/Kbuild" "$dst/Kbuild"
