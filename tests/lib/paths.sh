#!/bin/bash
# SPDX-License-Identifier: MIT
# Paths that make, Kbuild or the shell would take for something else: refused before anything runs,
# and nothing is removed that the build did not make.
set -u
top=${TSR_TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL O
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

# result STATUS NAME: one line of TAP, after what the log says when it failed
result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		sed 's/^/# /' "$tmp/log"
		echo "not ok $n $2"
	fi
}

# refused NAME COMMAND...: fails, says why in one line that names the variable, and touches nothing
refused() {
	local name=$1 before after rc
	shift
	before=$(cd "$tmp/D" && find . -printf '%p %s %T@\n' | sort)
	"$@" >"$tmp/log" 2>&1
	rc=$?
	after=$(cd "$tmp/D" && find . -printf '%p %s %T@\n' | sort)
	[ $rc != 0 ] && [ "$before" = "$after" ] && ! grep -qE '^  (CC|LINK|PROBE|KBUILD|INSTALL)' "$tmp/log"
	result $? "$name"
}

# The files that git knows, or without git all but what is built.
tree() { # DIR
	mkdir -p "$1"
	tar -C "$top" --exclude=./build --exclude=./.git -cf - . | tar -C "$1" -xf -
}

mkdir -p "$tmp/D"
tree "$tmp/D/sp ace/tree"
mkdir -p "$tmp/D/sp" "$tmp/D/a" "$tmp/D/keep me" "$tmp/D/me"
for d in sp a 'keep me' me; do
	echo precious >"$tmp/D/$d/file"
done

echo 'TAP version 13'
echo '1..23'

for target in module user clean install; do
	refused "$target in a checkout whose path has a blank" make -C "$tmp/D/sp ace/tree" $target
done
mv "$tmp/D/sp ace/tree" "$tmp/D/tree"
cd "$tmp/D/tree" || exit 1
refused 'clean of two directories' make clean O='../a ../keep me'
refused 'clean of a directory with a blank' make clean O='../keep me'
refused 'clean of a directory that the build did not make' make clean O=../a
refused 'clean of the checkout' make clean O=.
refused 'clean of a source directory' make clean O=lib
refused 'a build in a source directory' make user O=lib
refused 'a build among the files of others' make user O=../a

# shellcheck disable=SC2016 # such names are wanted
for odd in "a'b" 'a"b' 'a;b' 'a$b' 'a#b' 'a%b' 'a*b'; do

	refused "O=$odd" make user "O=../$odd"
done
refused 'DESTDIR with a blank' make install "DESTDIR=$tmp/D/keep me"
refused 'KDIR with a blank' make module "KDIR=$tmp/D/keep me"

# probe.sh by itself: the directory that it clears is its own.
! "$top/kernel/probe.sh" "$tmp/no" "$tmp/D/a" "$tmp/out" >"$tmp/log" 2>&1 &&
	[ -f "$tmp/D/a/file" ]
result $? 'probe.sh removes no directory of others'

# Files where mirror.sh puts links, and results that tests/run did not write.
mkdir -p "$tmp/D/m/drv" "$tmp/D/o/test-results"
echo precious | tee "$tmp/D/m/drv/bo.c" >"$tmp/D/o/test-results/file"
! kernel/mirror.sh kernel "$tmp/D/m" >"$tmp/log" 2>&1 && [ "$(cat "$tmp/D/m/drv/bo.c")" = precious ]
result $? 'mirror.sh replaces no file of others'
refused 'tests/run removes no results of others' env O="$tmp/D/o" T=none tests/run native
