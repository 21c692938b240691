#!/bin/bash
# SPDX-License-Identifier: MIT
# Two processes use one device at once: both are right, neither disturbs the other.
set -eu
bin=${TSR_BUILD:?}/examples/matmul
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

for round in 1 2 3; do
	"$bin" 96 96 96 >"$log/a" 2>&1 &
	a=$!
	"$bin" 64 128 160 >"$log/b" 2>&1 &
	b=$!
	status=0
	wait $a || status=$?
	wait $b || status=$?
	if [ $status != 0 ]; then
		echo "round $round: status $status"
		cat "$log/a" "$log/b"
		exit 1
	fi
done
cat "$log/a" "$log/b"
