#!/bin/sh
# SPDX-License-Identifier: MIT
# A build directory is one that this script made, or found empty: it holds the file .tessera-build.
# Nothing else is built into, and nothing else is removed.
#
# usage: dist/build-dir.sh make|remove DIR
set -eu

if [ $# != 2 ] || [ -z "$2" ]; then
	echo 'usage: dist/build-dir.sh make|remove DIR' >&2
	exit 2
fi
mark=$2/.tessera-build

die() {
	echo "make: $*" >&2
	exit 1
}

case $1 in
make)
	[ ! -e "$mark" ] || exit 0
	# The default one, which git ignores, may be older than the mark.
	if [ "$2" != build ] && [ -e "$2" ] && { [ ! -d "$2" ] || [ -n "$(ls -A -- "$2")" ]; }; then
		die "$2 is not empty, and no build directory (there is no $mark): build elsewhere (O=)"
	fi
	mkdir -p -- "$2"
	echo 'Made by make of Tessera; "make clean" removes all of this directory.' >"$mark"
	;;
remove)
	[ -e "$2" ] || exit 0
	[ -f "$mark" ] || die "$2 is no build directory (there is no $mark): it stays"
	rm -rf -- "$2"
	;;
*) die "what is $1?" ;;
esac
