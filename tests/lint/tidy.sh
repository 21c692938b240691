#!/bin/bash
# SPDX-License-Identifier: MIT
# clang-tidy; .clang-tidy says which checks, and why not the others.
if [ -n "$PLANT" ]; then
	files=("$PLANT")
else
	files=(lib/src/*.c kernel/core/*.c tools/*.c examples/*/*.c)
fi
printf '%s\n' "${files[@]}" |
	xargs -P"$(nproc)" -I{} clang-tidy --quiet --warnings-as-errors= {} -- "$@" 2>/dev/null |
	grep -E '(warning|error):' | sed "s,^$PWD/,," | sort -u
