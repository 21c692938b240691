#!/bin/bash
# SPDX-License-Identifier: MIT
# Style: shellcheck, checkpatch --strict, an SPDX line in every file.
#
# usage: lint.sh LINUX-FILES
set -uo pipefail
cd "$(dirname "$0")/.." || exit
linux=$1
failed=0

step() { # NAME, findings on standard input
	local text
	text=$(cat)
	if [ -z "$text" ]; then
		echo "PASS  $1"
	else
		echo "FAIL  $1"
		printf '%s\n' "$text" | sed 's/^/      /'
		failed=$((failed + 1))
	fi
}

mapfile -t files < <(git ls-files --cached --others --exclude-standard)
mapfile -t scripts < <(grep -lE '^#!/bin/(bash|sh)' "${files[@]}" 2>/dev/null)
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep -E '^kernel/.*\.[ch]$' | grep -vE '/(port|tsr_trace)\.h')
mapfile -t uapi < <(printf '%s\n' "${files[@]}" | grep -E '^uapi/.*\.h$')

shellcheck -f gcc "${scripts[@]}" tests/vm/init 2>&1 | grep -v SC2187 | step shellcheck
for f in "${files[@]}"; do
	case $f in LICENSES/* | VERSION | tests/fuzz/corpus/*) continue ;; esac
	[ ! -f "$f" ] || head -n 5 "$f" | grep -q SPDX-License-Identifier || echo "$f"
done | step SPDX
# Not for us: MAINTAINERS and the like; port.h, which stands in for the kernel in user space; BIT()
# in uapi headers, which do not have it; tsr_trace.h, as macros of tracepoints have their own layout.
checkpatch() {
	perl "$linux/checkpatch.pl" --no-tree --strict --terse --no-summary --show-types \
		--max-line-length=100 --ignore "FILE_PATH_CHANGES,SPDX_LICENSE_TAG,CONST_STRUCT$1" \
		-f "${@:2}" 2>/dev/null
}
{
	checkpatch '' "${sources[@]}"
	checkpatch ,BIT_MACRO "${uapi[@]}"
} | step checkpatch
kernel/ynl.sh "$(dirname "$linux")" --check 2>&1 | step netlink
exit $failed
