#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Mirror the module's sources into a build directory as symbolic links.
#
# usage: mirror.sh SOURCE TARGET
set -eu
src=$(cd "$1" && pwd)
dst=$2

for d in core drv soft; do
	mkdir -p "$dst/$d"
	for f in "$src/$d"/*.[ch]; do
		[ -f "$f" ] || continue
		link=$dst/$d/${f##*/}
		[ "$(readlink "$link" || true)" = "$f" ] || ln -sfn "$f" "$link"
	done
	for f in "$dst/$d"/*.[ch]; do
		[ ! -L "$f" ] || [ -e "$f" ] || rm -f "$f" "${f%.c}.o"
	done
done
ln -sfn "$src/Kbuild" "$dst/Kbuild"
