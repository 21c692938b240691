#!/bin/bash
# SPDX-License-Identifier: MIT
# Cut the files of Documentation/tutorial.rst out into a folder: tests/tutorial-blocks.sh DIR
#
# A comment ".. file: NAME" or ".. output: NAME" says where the next block goes; blocks of one file
# are put together in their order. A block that is neither is an error, but for the first "::".
# Outputs become NAME.expected.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$1"
awk '
	function flush_blank() { while (blank > 0) { print "" >> name; blank-- } }
	/^\.\. file: / { next_name = $3; next }
	/^\.\. output: / { next_name = $3 ".expected"; next }
	/^\.\. code-block:: c$/ || /^::$/ {
		if (next_name == "" && $0 != "::") { print FILENAME ": " FNR ": a block without a file"; exit 1 }
		name = next_name; next_name = ""; blank = 0; started = 0; inside = name != ""; next
	}
	inside && /^    / {
		flush_blank(); started = 1
		sub(/^    /, ""); print >> name; next
	}
	inside && /^$/ { if (started) blank++; next }
	inside { inside = 0 }
' "$top/Documentation/tutorial.rst"
