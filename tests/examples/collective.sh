#!/bin/bash
# SPDX-License-Identifier: MIT
# Ring all-reduce, verified by the example itself: sums, maxima, other sizes.
set -eu
bin=${TSR_BUILD:?}/examples/collective
"$bin"
"$bin" --op max --chunk 4
"$bin" --op min --chunk 64
