#!/bin/bash
# SPDX-License-Identifier: MIT
# The kernel's style. Not for us: MAINTAINERS and the like; port.h, which stands in for the kernel
# in user space; BIT() in uapi headers, which do not have it; tsr_trace.h, as macros of tracepoints
# have their own layout.
check() {
	printf '%s\n' "${@:2}" |
		xargs -n 8 -P "$(nproc)" perl "$LINUX/checkpatch.pl" --no-tree --strict --terse \
			--no-summary --show-types --max-line-length=100 \
			--ignore "FILE_PATH_CHANGES,SPDX_LICENSE_TAG,CONST_STRUCT$1" -f 2>/dev/null
}
if [ -n "$PLANT" ]; then
	check '' "$PLANT"
	exit
fi
mapfile -t files < <(git ls-files --cached --others --exclude-standard)
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep -E '^kernel/.*\.[ch]$' | grep -vE '/(port|tsr_trace)\.h')
mapfile -t uapi < <(printf '%s\n' "${files[@]}" | grep -E '^uapi/.*\.h$')
check '' "${sources[@]}"
check ,BIT_MACRO "${uapi[@]}"
