# SPDX-License-Identifier: MIT
# What the top Makefile calls once the packages are there.

include mk/paths.mk
include mk/config.mk
include mk/user.mk
include mk/kernel.mk
include mk/demo.mk
include mk/test.mk
include mk/lint.mk
include mk/cross.mk
include mk/bench.mk
include mk/coverage.mk
include mk/fuzz.mk
include mk/long.mk
include mk/debug.mk
include mk/install.mk
include mk/docs.mk
include mk/netlink.mk

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all FORCE

all: module user

-include $(DEPFILES)
