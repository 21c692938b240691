#!/bin/bash
# SPDX-License-Identifier: MIT
# Output that is lost is a failure: each subcommand of the tool that needs no device, with a full
# and with a closed standard output. Those with a device are in selftests/lib_tools.sh.
set -u
top=${TSR_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${TSR_BUILD:-$top/build}
tool=$build/tessera
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_CACHE_HOME=$tmp
unset TESSERA_IMAGE_CACHE
n=0

# lost COMMAND...: it succeeds, and fails with one line when nobody gets what it says
lost() {
	local bad=
	"$@" >"$tmp/out" 2>&1 || bad="fails by itself"
	[ -s "$tmp/out" ] || bad="says nothing"
	"$@" >/dev/full 2>"$tmp/err" && bad="succeeds on a full disk"
	[ "$(grep -c 'lost' "$tmp/err")" = 1 ] || bad="does not say once that output is lost"
	"$@" >&- 2>"$tmp/err" && bad="succeeds with a closed output"
	[ "$(grep -c 'lost' "$tmp/err")" = 1 ] || bad="does not say once that output is lost (closed)"
	n=$((n + 1))
	if [ -z "$bad" ]; then
		echo "ok $n ${*#"$build"/}"
	else
		sed 's/^/# /' "$tmp/out" "$tmp/err"
		echo "not ok $n ${*#"$build"/}: $bad"
	fi
}

cat >"$tmp/start.c" <<'END'
__attribute__((naked)) void _start(void)
{
	__asm__("li a0, 1; la t0, tohost; sw a0, 0(t0); 1: j 1b");
}
unsigned int tohost __attribute__((section(".data"))) = 0;
END
clang --target=riscv32-unknown-elf -march=rv32im -mabi=ilp32 -nostdlib -static -fuse-ld=lld \
	-Wl,-Ttext=0x10000 -o "$tmp/hart.elf" "$tmp/start.c" 2>"$tmp/out" || sed 's/^/# /' "$tmp/out"

# Each noun of the table: one that is new is here at once.
mapfile -t nouns < <("$tool" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')

echo "TAP version 13"
echo "1..$((${#nouns[@]} + 19))"
lost "$tool" --help
lost "$tool" --version
for noun in "${nouns[@]}"; do
	lost "$tool" "$noun" --help
done
lost "$tool" cache stat
lost "$tool" cache stat --json
lost "$tool" cache show --json
lost "$tool" cache clear
lost "$tool" cache clear --json
lost "$tool" hart run "$tmp/hart.elf"

# With nothing to say a closed output is no loss, and no file that is opened becomes the output.
"$tool" cache limit 1M >&- 2>"$tmp/err"
rc=$?
n=$((n + 1))
if [ $rc = 0 ] && [ ! -s "$tmp/err" ] && [ "$("$tool" cache stat | grep -c 'limit 1048576')" = 1 ]; then
	echo "ok $n nothing said, nothing lost"
else
	sed 's/^/# /' "$tmp/err"
	echo "not ok $n nothing said, nothing lost"
fi

# Values that are wrong name their option and what is allowed. No device is asked.
wrong() { # TEXT ARGUMENT...
	local text=$1 rc
	shift
	"$tool" "$@" x.c >"$tmp/out" 2>&1
	rc=$?
	n=$((n + 1))
	if [ $rc = 2 ] && grep -qF -- "$text" "$tmp/out"; then
		echo "ok $n $*"
	else
		sed 's/^/# /' "$tmp/out"
		echo "not ok $n $*: status $rc, '$text' expected"
	fi
}
wrong "--timeout '9223372036855': allowed are 0 to 9223372036854 ms" run --timeout 9223372036855
wrong "--timeout '-1'" run -t -1
wrong "--cores '64,0': allowed are X,Y" run --cores 64,0
wrong "--processor 'dm2': allowed are dm0, dm1 and compute" run -p dm2
wrong "--word '1x'" run --word 1x
wrong "--buffer '0'" run --buffer 0
wrong "--max-insns=99999999999999999999: allowed" hart run --max-insns=99999999999999999999

for example in matmul filter collective; do
	n=$((n + 1))
	if "$build/examples/$example" --help >/dev/full 2>"$tmp/err"; then
		echo "not ok $n help of $example on a full disk"
	else
		echo "ok $n help of $example on a full disk"
	fi
done
