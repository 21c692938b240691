#!/bin/bash
# SPDX-License-Identifier: MIT
# The module was loaded by tests/vm/guest: there is a device, with the mode that our udev rule gives
# it, and the log since boot has no complaint.
set -eu
[ -c /dev/accel/accel0 ] || {
	echo 'no /dev/accel/accel0'
	exit 1
}
mode=$(stat -c '%G %a' /dev/accel/accel0)
[ "$mode" = 'render 660' ] || {
	echo "/dev/accel/accel0 is $mode"
	exit 1
}
if dmesg | grep -aE -f "${TSR_TOP:?}/tests/complaints"; then
	echo 'the kernel complained before the first test'
	exit 1
fi
