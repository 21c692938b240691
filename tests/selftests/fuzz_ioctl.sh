#!/bin/bash
# SPDX-License-Identifier: MIT
# The fuzzer of the ioctls, for so many calls; a kernel with coverage guides it. TAP.
#
# TSR_FUZZ_CALLS, TSR_FUZZ_THREADS and TSR_SEED choose others than usual.
set -u
exec "${TSR_BUILD:?}/tests/fuzz/ioctl" --calls "${TSR_FUZZ_CALLS:-50000}" \
	--threads "${TSR_FUZZ_THREADS:-1}" --seed "${TSR_SEED:-1}"
