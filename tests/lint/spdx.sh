#!/bin/bash
# SPDX-License-Identifier: MIT
# Every file says its licence in its first lines. Not: the licences, VERSION, inputs of fuzz targets.
if [ -n "$PLANT" ]; then
	files=("$PLANT")
else
	mapfile -t files < <(git ls-files --cached --others --exclude-standard)
fi
for f in "${files[@]}"; do
	case $f in LICENSES/* | VERSION | tests/fuzz/corpus/*) continue ;; esac
	[ "$f" != tests/lint/plant/spdx.c ] || [ -n "$PLANT" ] || continue
	[ ! -s "$f" ] || printf '%s\0' "$f"
done | xargs -0 awk '
	FNR == 1 && name != "" { print name ": no SPDX line" }
	FNR == 1 { name = FILENAME }
	/SPDX-License-Identifier/ { name = ""; nextfile }
	FNR == 5 { nextfile }
	END { if (name != "") print name ": no SPDX line" }'
