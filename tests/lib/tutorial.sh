#!/bin/bash
# SPDX-License-Identifier: MIT
# Every block of the tutorial is compiled, and what needs no device is run; its output is compared
# with the one that the tutorial shows.
set -u
top=${TSR_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${TSR_BUILD:-$top/build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

# result STATUS NAME [FILE]: one line of TAP, after what FILE says when it failed
result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		[ $# -lt 3 ] || sed 's/^/# /' "$3"
		echo "not ok $n $2"
	fi
}

programs=(hello double pass reduce collective)
echo "TAP version 13"
echo "1..$((2 * ${#programs[@]}))"

"$top/tests/tutorial-blocks.sh" "$tmp" || echo "# the blocks cannot be cut out"
cd "$tmp" || exit 1
# All blocks are used: nothing is left that no program is made of.
{
	ls ./*.c ./*.h
} | sed 's,^\./,,' | grep -vxE 'grid.h|ring.h|(hello|double|pass|reduce|collective)(_kernel)?\.c' >left
[ ! -s left ]
result $? "every block belongs to a program" left
for p in "${programs[@]}"; do
	gcc -std=c11 -Wall -Wextra -Werror -I"$top/lib/include" -o "$p" "$p.c" -L"$build" -ltessera \
		-Wl,-rpath,"$build" >log 2>&1
	result $? "$p.c compiles" log
done
for p in hello double pass reduce; do
	"./$p" >out 2>log && cmp "$p.expected" out >>log 2>&1
	rc=$?
	cat out >>log
	result $rc "$p prints what the tutorial says" log
done
