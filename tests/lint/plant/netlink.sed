# SPDX-License-Identifier: MIT
# finds: tessera_netlink.h
s/name: minor$/name: minority/
