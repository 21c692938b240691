#!/bin/bash
# SPDX-License-Identifier: MIT
# dump, reset and inject of the tool, against a device. As root.
set -u
top=${TSR_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
tool=${TSR_BUILD:-$top/build}/tessera
config=/sys/kernel/config/tessera
tmp=$(mktemp -d)
name=tools$$
trap 'rmdir $config/$name 2>/dev/null; rm -rf "$tmp"' EXIT
n=0

# ok NAME STATUS: a test point; what $tmp/out has is shown when it failed.
ok() {
	n=$((n + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n $1"
	else
		sed 's/^/# /' "$tmp/out"
		echo "not ok $n $1"
	fi
}

# says TEXT...: all of them are in $tmp/out
says() {
	local text
	for text in "$@"; do
		grep -qF -- "$text" "$tmp/out" || { echo "# no '$text'" && return 1; }
	done
}

echo "TAP version 13"
echo "1..15"

for data in /sys/class/devcoredump/devcd*/data; do
	[ ! -e "$data" ] || echo 0 >"$data"
done
"$tool" dump --latest >"$tmp/out" 2>&1
[ $? = 1 ] && says "there is no dump"
ok "no dump yet" $?

cat >"$tmp/bad.c" <<'END'
#include <tessera.h>
void kernel_main(void)
{
	*(volatile uint32_t *)0x10 = 1;
}
END
"$tool" run --cores 1,2 "$tmp/bad.c" >"$tmp/out" 2>&1
[ $? = 1 ] && says fault
ok "a run that faults" $?
# Executed and faulting, some of them would exit with 1.
wrong=0
for cores in 1,2x 1,2- 1,2-3 1,2-3,3x 4294967297,2 -1,0 64,0 1 ''; do
	"$tool" run --cores "$cores" "$tmp/bad.c" >"$tmp/out" 2>&1
	[ $? = 2 ] || { echo "# '$cores' is taken" && wrong=1; }
done
ok "cores that are none" $wrong
for _ in $(seq 50); do
	"$tool" dump --latest >"$tmp/out" 2>&1 && break
	sleep 0.1
done
says "class local" "core (1,2)" "store-range" "dm0" "zero 00000000" "semaphores" \
	"memory of core (1,2)"
ok "its dump for people" $?
"$tool" dump --latest --remove >/dev/full 2>"$tmp/out"
[ $? = 1 ] && says "output is lost" && "$tool" dump --latest >"$tmp/out" 2>&1
ok "a dump whose text is lost is not removed" $?
"$tool" dump --latest --json --remove >"$tmp/out" 2>&1 &&
	says '"cause": "store-range"' '"x": 1' '"y": 2' '"registers"' '"address": 16' \
		'"pieces"' '"bytes"'
ok "its dump for programs" $?
"$tool" dump --latest >"$tmp/out" 2>&1
[ $? = 1 ]
ok "it was removed" $?

"$tool" reset --json >"$tmp/out" 2>&1 && says '"generation"' '"path"'
ok "reset as JSON" $?
"$tool" reset --device /dev/null >"$tmp/out" 2>&1
[ $? = 1 ] && "$tool" reset >>"$tmp/out" 2>&1 && says "reset, generation"
ok "reset of what is no device, and of one" $?

"$tool" inject --device "$name" >"$tmp/out" 2>&1
[ $? = 1 ] && says "no virtual device"
ok "inject without a device" $?
mkdir "$config/$name" && echo 1 >"$config/$name/enable" 2>"$tmp/out"
"$tool" inject --device "$name" 'stage fail' 'record drop run=5' >"$tmp/out" 2>&1 &&
	grep -q 'stage fail' "$config/$name/fault_plan"
ok "inject a plan" $?
node=/dev/accel/$(cat "$config/$name/node")
echo '#include <tessera.h>
void kernel_main(void) {}' >"$tmp/good.c"
"$tool" run --device "$node" "$tmp/good.c" >"$tmp/out" 2>&1
[ $? = 1 ] && says stage
ok "the run fails as planned" $?
"$tool" inject --device "$name" --json >"$tmp/out" 2>&1 &&
	says '"rule": "stage fail"' '"hits": 1' '"rule": "record drop run=5"' '"hits": 0'
ok "which rules fired" $?
"$tool" inject --device "$name" 'no such rule' >"$tmp/out" 2>&1
[ $? = 1 ] && says "no fault plan" && "$tool" inject --device "$name" --clear &&
	"$tool" inject --device "$name" >"$tmp/out" && says "no faults"
ok "a wrong plan changes nothing, --clear all" $?

# Those that need no device are in lib/output.sh.
wrong=0
lost() {
	"$tool" "$@" >"$tmp/out" 2>&1 || { echo "# fails: $*" && wrong=1; }
	"$tool" "$@" >/dev/full 2>"$tmp/out" && { echo "# succeeds on a full disk: $*" && wrong=1; }
	says "output is lost" || { echo "# $*" && wrong=1; }
	"$tool" "$@" >&- 2>"$tmp/out" && { echo "# succeeds with a closed output: $*" && wrong=1; }
	says "output is lost" || { echo "# $*" && wrong=1; }
}
for json in '' --json; do
	# shellcheck disable=SC2086 # nothing, or one word
	{
		lost device show $json
		lost device list $json
		lost device stats $json
		lost context list $json
		lost reset $json
		lost inject --device "$name" $json
	}
done
lost run list --json
lost run --profile "$tmp/good.c"
ok "output that is lost" $wrong
echo 0 >"$config/$name/enable"
