#!/bin/sh
# SPDX-License-Identifier: MIT
# Copy the demo's picture out of the package libsixel-examples. Systems that leave documentation
# out of packages do not have the file: there it is taken from the package itself.
#
# usage: picture.sh TARGET.ppm
set -eu
file=usr/share/doc/libsixel-examples/examples/images/snake.ppm

if [ -r "/$file" ]; then
	cp "/$file" "$1"
	exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
(cd "$tmp" && apt-get download -qq libsixel-examples 2>/dev/null && dpkg-deb -x ./*.deb .) || {
	echo "picture: cannot get the package libsixel-examples" >&2
	exit 1
}
cp "$tmp/$file" "$1"
