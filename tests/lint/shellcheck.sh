#!/bin/bash
# SPDX-License-Identifier: MIT
# Shell scripts: all files that begin like one.
if [ -n "$PLANT" ]; then
	files=("$PLANT")
else
	mapfile -t files < <(git ls-files --cached --others --exclude-standard)
	mapfile -t files < <(grep -lE '^#!/bin/(bash|sh)' "${files[@]}" 2>/dev/null)
	files+=(tests/vm/init)
fi
# tests/vm/init is for busybox.
shellcheck -f gcc --exclude SC2187 "${files[@]}"
