#!/bin/bash
# SPDX-License-Identifier: MIT
# What the library shows to the outside: its symbols, and its headers.
set -u
shopt -s lastpipe	# check counts in this shell
top=${TSR_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${TSR_BUILD:-$top/build}
cd "$top" || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

# check NAME: passes when standard input is empty, else shows it.
check() {
	local text
	text=$(cat)
	n=$((n + 1))
	if [ -z "$text" ]; then
		echo "ok $n $1"
	else
		printf '%s\n' "$text" | sed 's/^/# /'
		echo "not ok $n $1"
	fi
}

headers=(lib/include/tessera/*.h)
echo "TAP version 13"
echo "1..8"

nm -D --defined-only "$build/libtessera.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	sort -u >"$tmp/exported"
grep -oE '^[[:space:]]+tsr_[a-z0-9_]+;' lib/libtessera.map | tr -d ' \t;' | sort >"$tmp/map"
# Declarations are flattened: one a line, up to its parenthesis.
sed -e 's,/\*.*\*/,,' "${headers[@]}" | sed -e '/\/\*/,/\*\//d' | tr '\n' ' ' | tr ';' '\n' |
	grep -v typedef | grep -oE '\btsr_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$tmp/declared"

diff "$tmp/map" "$tmp/exported" | grep '^[<>]' | check "the map is what is exported"
diff "$tmp/map" "$tmp/declared" | grep '^[<>]' | check "the map is what the headers declare"
sort "$tmp/map" | uniq -d | check "no symbol is in the map twice"

for h in "${headers[@]}"; do
	echo "#include <tessera/$(basename "$h")>" >"$tmp/t.c"
	gcc -std=c99 -pedantic -Wall -Wextra -Werror -Ilib/include -fsyntax-only "$tmp/t.c" 2>&1
done | check "each header is C99 on its own"
for h in "${headers[@]}"; do
	echo "#include <tessera/$(basename "$h")>" >"$tmp/t.cc"
	c++ -std=c++11 -pedantic -Wall -Wextra -Werror -Ilib/include -fsyntax-only "$tmp/t.cc" 2>&1
done | check "each header is C++11 on its own"
grep -nE '#include <(drm|linux|asm|xf86)' "${headers[@]}" | check "no header of kernel or libdrm"
wc -l "${headers[@]}" | awk '$1 >= 300 && $2 != "total"' | check "no header has 300 lines"
{
	readelf -d "$build/libtessera.so" | grep -q 'SONAME.*libtessera\.so\.[0-9]*\]' ||
		echo "no soname"
} | check "the library has a soname"
