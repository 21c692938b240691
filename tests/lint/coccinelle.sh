#!/bin/bash
# SPDX-License-Identifier: MIT
# The kernel's own semantic patches (scripts/coccinelle), all of them, on the module.
if [ -n "$PLANT" ]; then
	files=("$PLANT")
	scripts=("$COCCI/free/kfree.cocci")
else
	files=(kernel/core/*.c kernel/drv/*.c kernel/soft/*.c)
	# One that is partly in OCaml wants a compiler of it, and its failure would end all.
	mapfile -t scripts < <(find "$COCCI" -name '*.cocci' -exec grep -L ocaml {} + | sort)
fi
printf '%s\n' "${scripts[@]}" |
	xargs -P"$(nproc)" -I{} spatch -D report --no-show-diff --very-quiet --cocci-file {} \
		"${files[@]}" 2>&1 | grep -vE '^(warning|Fatal error|  )|^$' | sort -u
