#!/bin/bash
# SPDX-License-Identifier: MIT
# Matrix products, verified by the example itself: whole tiles, ragged edges, fewer tiles than cores.
set -eu
bin=${TSR_BUILD:?}/examples/matmul
"$bin"
"$bin" 33 65 97
"$bin" 1 1 1
"$bin" 160 32 96
