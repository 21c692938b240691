#!/bin/bash
# SPDX-License-Identifier: MIT
# gcc -fanalyzer: paths through a function on which memory is lost, or something is used that is
# not there. Not on the module: with the kernel's headers one file takes minutes.
export LC_ALL=C
if [ -n "$PLANT" ]; then
	files=("$PLANT")
else
	files=(lib/src/*.c kernel/core/*.c tools/*.c)
fi
printf '%s\n' "${files[@]}" |
	xargs -P"$(nproc)" -I{} gcc "$@" -O2 -fanalyzer -fdiagnostics-plain-output \
		-c -o /dev/null {} 2>&1 | grep -E '\[-Wanalyzer|error:' | sort -u
