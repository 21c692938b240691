# SPDX-License-Identifier: MIT
# Headers and tables made from Documentation/netlink/specs/tessera.yaml. They are in the tree: the
# header is an interface whose changes must be seen in review, and a build needs no Python.

.PHONY: netlink
netlink:
	$(Q)kernel/ynl.sh $(CACHE)
