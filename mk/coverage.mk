# SPDX-License-Identifier: MIT
# Branches of validator, planner, fingerprint, cache and encoder that the native tests reach. The
# objects are built into a directory of their own; tests/coverage.py runs the tests and adds up.

.PHONY: coverage coverage-tests

COVERED := check% plan shape prepare canonical hash memo% stats dispatch program_blob
SLOW_TESTS := build compile device% image_cache% runner_tool dump
COVERED_BY := $(filter-out $(SLOW_TESTS),$(notdir $(filter $(O)/tests/lib/%,$(NATIVE))))

COUNTED = $(MAKE) -f mk/build.mk O=$(O)/coverage SAN_CFLAGS='--coverage -O0 -g' \
	LEAK_EXIT=tests/coverage_exit.c

coverage:
	+$(Q)$(COUNTED) coverage-tests
	$(Q)tests/coverage.py $(O)/coverage $(patsubst lib/src/%.c,%,\
		$(filter $(COVERED:%=lib/src/%.c),$(LIB_SRCS))) -- \
		$(COVERED_BY)

coverage-tests: $(filter $(COVERED_BY:%=$(O)/tests/lib/%),$(NATIVE))

# Lines and branches of the module that tests reach: of the driver and the virtual device in VMs with
# its variant "gcov", of the core natively. How often something is reached does not matter; tests that
# only repeat what others do are left out. What is neither reached nor explained in
# tests/coverage-module.exclude is in $(O)/coverage-module.
.PHONY: coverage-module coverage-core
MODULE_TESTS := ioctl_.* uapi_.* pipe_.* soft_.* fault_.* netlink_.* nth_.* dev_faults dev_hang dev_kill \
	dev_isolation dev_print dev_profile dev_rmmod dev_grids dev_library dev_two_processes dev_stress \
	dev_determinism fuzz_ioctl

coverage-core: user $(filter $(O)/tests/core/% $(O)/tests/lib/host,$(NATIVE))
	$(Q)find $(O)/san/kernel/core -name '*.gcda' -delete
	$(Q)O=$(OBS) T='@(core/*|lib/host)' tests/run native

coverage-module: tests-vm module-gcov
	+$(Q)rc=0; $(COUNTED) coverage-core || rc=1; ONLY='$(MODULE_TESTS)' $(RUN) gcov || rc=1; \
	tests/coverage_module.py $(OBS)/gcov/kernel $(OBS)/test-results \
		$(OBS)/coverage/san/kernel/core $(OBS)/coverage-module || rc=1; \
	exit $$rc
