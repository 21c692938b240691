#!/bin/bash
# SPDX-License-Identifier: MIT
# The module's parameters: with or without a default device, and how that one is.
set -u
module=${TSR_MODULE:?}
echo 'TAP version 13'
echo '1..5'
n=0

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
	fi
}

devices() {
	find /sys/class/accel -name 'accel[0-9]*' | wc -l
}

load() {
	insmod "$module" "$@" 2>/dev/null
}

rmmod tessera || exit 1

load default_device=n && [ "$(devices)" = 0 ] && rmmod tessera
result $? no_default_device

load default_config=width=8,height=2,timing.alu=5,workers=1,deterministic=y &&
	[ "$(devices)" = 1 ] && [ "$(cat /sys/module/tessera/parameters/default_device)" = Y ] &&
	rmmod tessera
result $? default_device_is_as_told

bad=0
for config in width=0 width=65 width=4x width width= =4 weight=4 timing.alu=0 timing=1 alu=1 \
	width=4,,height=0 width=4,height width=64,height=64 image_slot=1048576 words=-1; do
	if load "default_config=$config"; then
		echo "# $config was taken"
		bad=1
		rmmod tessera
	fi
	[ "$(devices)" = 0 ] && [ ! -e /sys/kernel/config/tessera ] || bad=1
done
result $bad bad_configuration_keeps_the_module_out

load default_config= && [ "$(devices)" = 1 ] &&
	for device in /sys/bus/platform/drivers/tessera-soft/tessera-soft*; do
		echo "${device##*/}" >/sys/bus/platform/drivers/tessera-soft/unbind &&
			[ "$(devices)" = 0 ] &&
			echo "${device##*/}" >/sys/bus/platform/drivers/tessera-soft/bind &&
			[ "$(devices)" = 1 ] || break
	done && rmmod tessera
result $? default_device_unbinds_and_binds

load && [ "$(devices)" = 1 ] && udevadm settle -t 10
result $? loads_again
