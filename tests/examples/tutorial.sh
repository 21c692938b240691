#!/bin/bash
# SPDX-License-Identifier: MIT
# The last program of the tutorial on the device, and the ones before on the host engine.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"${TSR_TOP:?}/tests/tutorial-blocks.sh" "$tmp"
cd "$tmp"
for p in reduce collective; do
	gcc -std=c11 -Wall -Wextra -Werror -I"$TSR_TOP/lib/include" -o $p $p.c \
		-L"${TSR_BUILD:?}" -ltessera -Wl,-rpath,"$TSR_BUILD"
	"./$p" >out
	cat out
	cmp $p.expected out
done
