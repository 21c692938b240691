#!/bin/bash
# SPDX-License-Identifier: MIT
# Structs of the uapi: without holes and without padding at their end, the same for 64 and 32 bits.
# Their offsets are pinned by tests/core/uapi_layout.c; here are all structs, also new ones.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
headers=(uapi/drm/*.h uapi/linux/*.h)
[ -z "$PLANT" ] || headers=("$PLANT")
{
	echo '#include <linux/types.h>'
	printf '#include "%s"\n' "${headers[@]}"
	sed -n 's/^struct \([a-z0-9_]*\) {.*/struct \1 v_\1;/p' "${headers[@]}"
} >"$tmp/all.c"
[ -n "$PLANT" ] || grep -q '^struct' "$tmp/all.c" || echo "no struct was looked at"
for bits in 64 32; do
	gcc -m$bits -g -std=gnu11 -I. -Iuapi -isystem /usr/include/x86_64-linux-gnu \
		-isystem /usr/include/libdrm -c -o "$tmp/$bits.o" "$tmp/all.c" || exit
	sed -n 's/^struct \([a-z0-9_]*\) v_.*/\1/p' "$tmp/all.c" | sort |
		while read -r name; do pahole -C "$name" "$tmp/$bits.o"; done >"$tmp/$bits"
	grep -E '^struct|XXX|padding:|holes:' "$tmp/$bits" | grep -B1 -vE '^struct' |
		sed "s/^/$bits bits: /"
done
diff "$tmp/64" "$tmp/32" | grep '^[<>]' | sed 's/^/differs: /'
