#!/bin/bash
# SPDX-License-Identifier: MIT
# Build a fuzz target and let it run: tests/fuzz/run.sh runner [SECONDS [ARG...]]
#
# The corpus is tests/fuzz/corpus/TARGET; what is found on the way stays in O/fuzz/TARGET, and what
# makes the target fail in O/fuzz/artifacts. Exit status 0: nothing was found.
set -eu
cd "$(dirname "$0")/../.."
target=$1
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
out=$(realpath -m "${O:-build}")/fuzz
mkdir -p "$out/$target" "$out/artifacts"

# What a target takes from the native tests.
case $target in
blob) more=(-Itests/core tests/core/common_blob.c) ;;
canonical) more=(-Itests/lib tests/lib/common_rig.c) ;;
*) more=() ;;
esac

packages=$(sed -n 's/^PKGS := //p' mk/user.mk)
# shellcheck disable=SC2046,SC2086 # lists of words
clang -g -O1 -std=gnu11 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=all -fsanitize-ignorelist=tests/fuzz/ignore -ffp-contract=off \
	-DTSR_VERSION="\"$(cat VERSION)\"" -DTSR_DEVICE_DIR="\"$PWD/lib/device\"" \
	-DTSR_DEVICE_DIR_BUILD="\"$PWD/lib/device\"" \
	-Iuapi -Ikernel/core -Ilib/include -Ilib/src $(pkg-config --cflags $packages) \
	"tests/fuzz/$target.c" "${more[@]}" lib/src/*.c kernel/core/*.c \
	$(pkg-config --libs $packages) -lpthread -lm -o "$out/$target-fuzz"
exec "$out/$target-fuzz" -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 \
	-artifact_prefix="$out/artifacts/$target-" "$@" "$out/$target" "tests/fuzz/corpus/$target"
