#!/bin/sh
# SPDX-License-Identifier: MIT
# Take the headers of the kernel's test harness out of the package linux-source-6.12.
#
# usage: kselftest-headers.sh TARGET
set -eu
target=$1
archive=/usr/src/linux-source-6.12.tar.xz
dir=linux-source-6.12/tools/testing/selftests

[ -r "$archive" ] || {
	echo "$archive is missing: install linux-source-6.12" >&2
	exit 1
}
mkdir -p "$target"
tmp=$(mktemp -d "$target/tmp.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
tar -xJf "$archive" -C "$tmp" "$dir/kselftest.h" "$dir/kselftest_harness.h"
touch "$tmp/$dir"/*.h
mv "$tmp/$dir/kselftest.h" "$tmp/$dir/kselftest_harness.h" "$target/"
