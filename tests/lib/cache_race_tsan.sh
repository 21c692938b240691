#!/bin/bash
# SPDX-License-Identifier: MIT
# The cache's race of matching against evicting, a million rounds under the thread sanitizer (PC-6).
set -eu
cd "$(dirname "$0")/../.."
out=${TSR_BUILD:-build}/tests/tsan
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tessera-build}
headers=$cache/linux-files-$(dpkg-query -W -f '${Version}' linux-source-6.12)
mkdir -p "$out"
# shellcheck disable=SC2046 # flags are words
${CC:-gcc} -std=gnu11 -O1 -g -fsanitize=thread -D_GNU_SOURCE -Iuapi -Ikernel/core -Ilib/include \
	-Ilib/src -isystem "$headers" lib/src/{memo,memo_table,nest,hash,coreset,diag,rules,util}.c \
	tests/lib/{cache_race,common_value}.c -o "$out/cache_race" $(pkg-config --libs libxxhash) -lpthread
TSR_ROUNDS=1000000 TSAN_OPTIONS=halt_on_error=1 exec "$out/cache_race"
