# SPDX-License-Identifier: MIT
# What takes too long for every check: fuzz targets, selftests that race many times over, and
# selftests with the quantities of tests/long.list.
#
#   make fuzz [T=name] [SECONDS=60]
#   make check-long [FUZZ_SECONDS=120] [FUZZ_CALLS=1000000] [LOOPS=5] [JOBS=2] [MUTANTS=20]
#   make check-quantities [T=name] [JOBS=2]

.PHONY: fuzz check-long check-quantities long-tests quantity-tests

SECONDS ?= 60
FUZZ_SECONDS ?= 120
FUZZ_CALLS ?= 1000000
LOOPS ?= 5
MUTANTS ?= 20
export JOBS
LONG_TESTS := dev_kill fault_run fault_chaos pipe_reset soft_suspend dev_stress
QUANTITIES := $(shell sed -n 's/^\([a-z][a-z_0-9]*\).*/\1/p' tests/long.list)
QUANTITY_TESTS := $(filter $(or $(T),%),$(QUANTITIES))

# The ioctls by one thread with KASAN, guided by coverage, and by two where data races are looked for.
LONG_FUZZ = ioctl:kcov:1:$(FUZZ_CALLS) ioctl:race:2:$(FUZZ_CALLS) $(FUZZ_NATIVE)
LONG = tests/long $(1) $(FUZZ_SECONDS) $(LOOPS) '$(LONG_FUZZ)' '$(LONG_TESTS)' '$(QUANTITIES)'

fuzz: $(patsubst %,$(O)/tests/fuzz/%,$(filter $(or $(T),%),$(FUZZ_NATIVE))) \
		$(if $(filter $(or $(T),%),ioctl),fuzz-ioctl)
	$(Q)O=$(OBS) tests/long $(SECONDS) 0 '$(filter $(or $(T),%),$(FUZZ))' '' ''

# How long it takes comes before anything is built.
check-long:
	$(Q)$(call LONG,--say)
	+$(Q)$(MAKE) -f mk/build.mk long-tests
	$(Q)O=$(OBS) $(call LONG)
	$(Q)O=$(OBS) tests/mutants/run --jobs $(or $(JOBS),2) --sample $(MUTANTS)

check-quantities:
	$(Q)tests/long --say 0 0 '' '' '$(QUANTITY_TESTS)'
	+$(Q)$(MAKE) -f mk/build.mk quantity-tests
	$(Q)O=$(OBS) tests/long 0 0 '' '' '$(QUANTITY_TESTS)'

long-tests: $(LONG_TESTS:%=$(O)/tests/selftests/%) quantity-tests fuzz-native fuzz-ioctl module-kcov module-race
quantity-tests: $(QUANTITY_TESTS:%=$(O)/tests/selftests/%) all
