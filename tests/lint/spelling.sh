#!/bin/bash
# SPDX-License-Identifier: MIT
# Words that are misspelt in a known way.
if [ -n "$PLANT" ]; then
	files=("$PLANT")
else
	mapfile -t files < <(git ls-files --cached --others --exclude-standard |
		grep -vE '^(LICENSES|tests/fuzz/corpus|tests/lint/plant|tests/golden/vectors)')
fi
codespell --quiet-level 2 "${files[@]}"
