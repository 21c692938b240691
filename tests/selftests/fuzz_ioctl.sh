#!/bin/bash
# SPDX-License-Identifier: MIT
# The fuzzer of the ioctls, for so many calls: half as many where no checker of the kernel looks
# (TSR_SLOW says that one does), fewer by two threads where data races are looked for. TAP.
#
# TSR_FUZZ_CALLS, TSR_FUZZ_THREADS and TSR_SEED choose others than usual.
set -u
calls=50000 threads=1
[ "${TSR_SLOW:-1}" = 1 ] || calls=100000
case $(uname -r) in
*-race) calls=30000 threads=2 ;;
esac
exec "${TSR_BUILD:?}/tests/fuzz/ioctl" --calls "${TSR_FUZZ_CALLS:-$calls}" \
	--threads "${TSR_FUZZ_THREADS:-$threads}" --seed "${TSR_SEED:-1}" \
	--corpus "${TSR_TOP:?}/tests/fuzz/corpus/ioctl"
