#!/bin/bash
# SPDX-License-Identifier: MIT
# The interface of the library is the one that lib/libtessera.abi shows (make abi).
base=lib/libtessera.abi
if [ -n "$PLANT" ]; then
	# What the list would be, if the last release had been as the plant says.
	tmp=$(mktemp)
	trap 'rm -f "$tmp"' EXIT
	sed -f "$PLANT" "$base" >"$tmp"
	base=$tmp
fi
tests/lint/abi.py "$O/libtessera.so" lib/include | diff "$base" - | grep '^[<>]'
