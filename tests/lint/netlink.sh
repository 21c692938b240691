#!/bin/bash
# SPDX-License-Identifier: MIT
# Generated headers and tables are what the YAML makes.
if [ -z "$PLANT" ]; then
	kernel/ynl.sh "$(dirname "$LINUX")" --check
	exit
fi
# A copy of what is generated from, with one name changed.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/Documentation/netlink" "$tmp/kernel/drv" "$tmp/uapi/linux"
cp -r Documentation/netlink/specs "$tmp/Documentation/netlink/"
cp kernel/ynl.sh "$tmp/kernel/"
cp kernel/drv/netlink_gen.[ch] "$tmp/kernel/drv/"
cp uapi/linux/tessera_netlink.h "$tmp/uapi/linux/"
sed -i -f "$PLANT" "$tmp/Documentation/netlink/specs/tessera.yaml"
"$tmp/kernel/ynl.sh" "$(dirname "$LINUX")" --check
