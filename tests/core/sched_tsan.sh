#!/bin/bash
# SPDX-License-Identifier: MIT
# The scheduler's tests again, built with the thread sanitizer: no data race in the grid when
# several workers run it, nor in programs that order their accesses by semaphores.
set -eu
cd "$(dirname "$0")/../.."
out=${TSR_BUILD:-build}/tests/tsan
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tessera-build}
headers=$cache/linux-files-$(dpkg-query -W -f '${Version}' linux-source-6.12)
mkdir -p "$out"
core=()
for f in decode hart regs sem cb noc tile tile_fp sched upset launch grid; do
	core+=("kernel/core/$f.c")
done
${CC:-gcc} -std=gnu11 -O1 -g -fsanitize=thread -ffp-contract=off -D_GNU_SOURCE \
	-Iuapi -Ikernel/core -Itests/core -isystem "$headers" \
	"${core[@]}" tests/core/sched.c tests/core/common_grid.c -o "$out/sched" -lpthread
TSAN_OPTIONS=halt_on_error=1 exec "$out/sched"
