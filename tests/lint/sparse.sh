#!/bin/bash
# SPDX-License-Identifier: MIT
# The kernel's own checker: address spaces, endianness, lock balance. It knows no __has_include(),
# and the kernel's uses of it are all true here.
check() {
	# shellcheck disable=SC2086 # a command
	$KMAKE C=2 CHECK=sparse 'CF=-D__has_include\(x\)=1' -s -k "$1"
}
if [ -z "$PLANT" ]; then
	check modules
else
	cp "$PLANT" "$O/kernel/planted.c"
	check planted.o
	rm -f "$O"/kernel/planted.* "$O"/kernel/.planted.*
fi 2>&1 | grep -E '^[^ ]*:[0-9]+:[0-9]+: (warning|error):' | sed "s,^$O/kernel/,kernel/,"
