#!/bin/bash
# SPDX-License-Identifier: MIT
# Inside the VM: commit faults (tests/planted/plant.c), and look whether the kernel says so, in words
# that tests/complaints knows. A harness that finds nothing proves nothing. Lockdep is silent after
# its first report, and after the first of KASAN: those faults come last, "signalling" in a VM of
# its own.
#
# usage: planted.sh FAULT...
set -u
plant=/sys/module/tessera/parameters/plant

declare -A words=(
	[leak]='objects of the module leaked'
	[index]='UBSAN: array-index-out-of-bounds in .*planted/plant.c'
	[shift]='UBSAN: shift-out-of-bounds in .*planted/plant.c'
	[active_object]='WARNING: .*debugobjects'
	[sleep_in_atomic]='BUG: sleeping function called .* planted/plant.c'
	[inversion]='possible circular locking'
	[signalling]='possible circular locking'
	[unchecked_count]='KASAN: slab-out-of-bounds in plant_unchecked_count'
	[use_after_free]='KASAN: slab-use-after-free in plant_use_after_free'
	[double_free]='KASAN: double-free'
	[race]='KCSAN: data-race in plant_racer'
)

# What the kernel says of a fault: of a leak only when it is asked.
commit() {
	local mark="planted $1 $$"
	echo "$mark" >/dev/kmsg
	echo "$1" >$plant || return
	if [ "$1" = leak ]; then
		"${TSR_TOP:?}/tests/vm/kmemleak"
	else
		dmesg | awk -v mark="$mark" 'on { print } index($0, mark) { on = 1 }'
	fi
}

echo 'TAP version 13'
echo "1..$#"
n=0
for fault; do
	n=$((n + 1))
	commit "$fault" >/tmp/planted.log
	if { [ "$fault" = leak ] && cat /tmp/planted.log ||
		grep -aE -f "${TSR_TOP:?}/tests/complaints" /tmp/planted.log; } |
		grep -E "${words[$fault]}"; then
		echo "ok $n $fault"
	else
		head -n 40 /tmp/planted.log | sed 's/^/# /'
		echo "not ok $n $fault"
	fi
done
