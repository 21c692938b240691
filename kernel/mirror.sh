#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Mirror the module's sources into a build directory as symbolic links: for sources that are there,
# none for those that are gone. TARGET/.mirror is as new as the last change.
#
# usage: mirror.sh SOURCE TARGET
set -eu
src=$(cd "$1" && pwd)
dst=$2

link() { # FILE, NAME
	[ "$(readlink "$2" || true)" != "$1" ] || return 0
	ln -sfn "$1" "$2"
	touch "$dst/.mirror"
}

for d in core drv soft; do
	mkdir -p "$dst/$d"
	for f in "$src/$d"/*.[ch] "$src/$d"/*.inc; do
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
