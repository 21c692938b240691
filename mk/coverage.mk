# SPDX-License-Identifier: MIT
# Branches of validator, planner, fingerprint, cache and encoder that the native tests reach. The
# objects are built into a directory of their own; tests/coverage.py runs the tests and adds up.

.PHONY: coverage coverage-tests

COVERED := check% plan shape prepare canonical hash memo% stats dispatch program_blob
SLOW_TESTS := build compile device% image_cache% runner_tool dump
COVERED_BY := $(filter-out $(SLOW_TESTS),$(notdir $(filter $(O)/tests/lib/%,$(NATIVE))))

coverage:
	+$(Q)$(MAKE) -f mk/build.mk O=$(O)/coverage SAN_CFLAGS='--coverage -O0 -g' \
		LEAK_EXIT=tests/coverage_exit.c coverage-tests
	$(Q)tests/coverage.py $(O)/coverage $(patsubst lib/src/%.c,%,\
		$(filter $(COVERED:%=lib/src/%.c),$(LIB_SRCS))) -- \
		$(COVERED_BY)

coverage-tests: $(filter $(COVERED_BY:%=$(O)/tests/lib/%),$(NATIVE))
