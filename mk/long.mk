# SPDX-License-Identifier: MIT
# What takes too long for every check: fuzz targets, and selftests that race, many times over.
#
#   make fuzz [T=name] [SECONDS=60]
#   make check-long [FUZZ_SECONDS=600] [LOOPS=20]

.PHONY: fuzz check-long long-tests

FUZZ := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
SECONDS ?= 60
FUZZ_SECONDS ?= 600
LOOPS ?= 20
LONG_TESTS := dev_kill fault_run fault_chaos pipe_reset soft_suspend dev_stress

LONG = tests/long $(1) $(FUZZ_SECONDS) $(LOOPS) '$(FUZZ)' '$(LONG_TESTS)'

fuzz:
	$(Q)O=$(OBS) tests/long $(SECONDS) 0 '$(filter $(or $(T),%),$(FUZZ))' ''

# How long it takes comes before anything is built.
check-long:
	$(Q)$(call LONG,--say)
	+$(Q)$(MAKE) -f mk/build.mk long-tests
	$(Q)O=$(OBS) $(call LONG)

long-tests: $(LONG_TESTS:%=$(O)/tests/selftests/%) all
