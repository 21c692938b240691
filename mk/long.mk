# SPDX-License-Identifier: MIT
# What takes too long for every check: fuzz targets, selftests that race many times over, and
# selftests with the quantities of tests/long.list.
#
#   make fuzz [T=name] [SECONDS=60]
#   make check-long [FUZZ_SECONDS=600] [FUZZ_CALLS=1000000] [LOOPS=20]
#   make check-quantities [T=name]

.PHONY: fuzz check-long check-quantities long-tests quantity-tests

FUZZ := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)) ioctl
SECONDS ?= 60
FUZZ_SECONDS ?= 600
FUZZ_CALLS ?= 1000000
LOOPS ?= 20
LONG_TESTS := dev_kill fault_run fault_chaos pipe_reset soft_suspend dev_stress
QUANTITIES := $(shell sed -n 's/^\([a-z][a-z_0-9]*\).*/\1/p' tests/long.list)
QUANTITY_TESTS := $(filter $(or $(T),%),$(QUANTITIES))

LONG = tests/long $(1) $(FUZZ_SECONDS) $(LOOPS) '$(FUZZ)' '$(LONG_TESTS)' '$(QUANTITIES)'

fuzz: $(if $(filter $(or $(T),%),ioctl),fuzz-ioctl)
	$(Q)O=$(OBS) tests/long $(SECONDS) 0 '$(filter $(or $(T),%),$(FUZZ))' '' ''

# How long it takes comes before anything is built.
check-long:
	$(Q)$(call LONG,--say)
	+$(Q)$(MAKE) -f mk/build.mk long-tests
	$(Q)O=$(OBS) IOCTL_SECONDS=7200 TSR_FUZZ_CALLS=$(FUZZ_CALLS) $(call LONG)

check-quantities:
	$(Q)tests/long --say 0 0 '' '' '$(QUANTITY_TESTS)'
	+$(Q)$(MAKE) -f mk/build.mk quantity-tests
	$(Q)O=$(OBS) tests/long 0 0 '' '' '$(QUANTITY_TESTS)'

long-tests: $(LONG_TESTS:%=$(O)/tests/selftests/%) quantity-tests fuzz-ioctl
quantity-tests: $(QUANTITY_TESTS:%=$(O)/tests/selftests/%) all
