#!/bin/bash
# SPDX-License-Identifier: MIT
# After all tests nobody holds the module: it can be unloaded, leaves nothing, and loads again.
set -eu
module=${TSR_MODULE:?}
for i in 1 2; do
	rmmod tessera
	if ls /dev/accel/accel* 2>/dev/null; then
		echo 'a node is left'
		exit 1
	fi
	insmod "$module"
	[ -c /dev/accel/accel0 ] || {
		echo "no device after loading it again ($i)"
		exit 1
	}
done
rmmod tessera
