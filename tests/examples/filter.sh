#!/bin/bash
# SPDX-License-Identifier: MIT
# The demo's photograph, grey and in colour: verified by the example itself, written as PNM and PNG.
set -eu
bin=${TSR_BUILD:?}/examples/filter
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$bin" "$TSR_BUILD/demo/picture.ppm" "$out/grey.pnm" "$out/grey.png"
"$bin" --colour "$TSR_BUILD/demo/picture.ppm" "$out/colour.ppm" "$out/colour.png"

# A picture of the same size, of the right kind, and not all of one value.
[ "$(head -c 2 "$out/grey.pnm")" = P5 ] && [ "$(head -c 2 "$out/colour.ppm")" = P6 ]
[ "$(stat -c %s "$out/colour.ppm")" = "$(stat -c %s "$TSR_BUILD/demo/picture.ppm")" ]
for png in "$out"/*.png; do
	[ "$(head -c 8 "$png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
done
[ "$(tail -c 100000 "$out/grey.pnm" | od -An -v -tu1 -w1 | sort -u | wc -l)" -gt 16 ]
