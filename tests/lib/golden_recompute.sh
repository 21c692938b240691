#!/bin/sh
# SPDX-License-Identifier: MIT
# The golden vectors once more, by an implementation that shares no code with the library (FP-4).
exec /usr/bin/python3 -B "${TSR_TOP:-$(dirname "$0")/../..}/tests/golden/recompute.py"
