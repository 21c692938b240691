#!/bin/sh
# SPDX-License-Identifier: MIT
# Install the Debian packages of some groups of packages.txt that are missing.
#
# usage: dist/deps.sh [-n] GROUP...     -n: only say what is missing
set -eu

list=$(dirname "$0")/packages.txt
dry=
if [ "${1:-}" = -n ]; then
	dry=1
	shift
fi
[ $# -gt 0 ] || set -- build vm demo check

want=$(awk -v groups="$*" '
	BEGIN { n = split(groups, g, " "); for (i = 1; i <= n; i++) take[g[i]] = 1 }
	!/^#/ && NF == 2 && ($1 in take) { print $2 }' "$list")

if ! command -v dpkg-query >/dev/null; then
	echo "deps: this is not a Debian system; install the equivalents of $list" >&2
	exit 1
fi

# shellcheck disable=SC2086 # package names are words
have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $want 2>/dev/null |
	sed -n 's/^installed //p') || true
missing=
for p in $want; do
	printf '%s\n' "$have" | grep -qxF "$p" || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

if [ -n "$dry" ] || [ "$(id -u)" != 0 ]; then
	echo "deps: missing packages:$missing" >&2
	echo "deps: as root: apt-get update && apt-get install --no-install-recommends$missing" >&2
	exit 1
fi

echo "  APT    $missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# An update that fails for one archive of several does not matter if the packages can be had.
apt-get update -qq >"$log" 2>&1 || true
# shellcheck disable=SC2086
if ! apt-get install -y -qq --no-install-recommends $missing >>"$log" 2>&1 </dev/null; then
	cat "$log" >&2
	echo "deps: apt-get failed" >&2
	exit 1
fi
