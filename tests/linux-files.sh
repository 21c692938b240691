#!/bin/sh
# SPDX-License-Identifier: MIT
# Take what we use of the kernel's tree, and do not have in ours, out of the package
# linux-source-6.12: the test harness and checkpatch.
#
# usage: linux-files.sh TARGET
set -eu
target=$1
archive=/usr/src/linux-source-6.12.tar.xz
top=linux-source-6.12
set -- "$top/tools/testing/selftests/kselftest.h" "$top/tools/testing/selftests/kselftest_harness.h" \
	"$top/scripts/checkpatch.pl" "$top/scripts/spelling.txt" "$top/scripts/const_structs.checkpatch"

[ -r "$archive" ] || {
	echo "$archive is missing: install linux-source-6.12" >&2
	exit 1
}
mkdir -p "$target"
tmp=$(mktemp -d "$target/tmp.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
tar -xJf "$archive" -C "$tmp" "$@"
for file; do
	touch "$tmp/$file"
	mv "$tmp/$file" "$target/"
done
