# SPDX-License-Identifier: MIT
# What is found without running anything (tests/lint/run).
#
#   make lint [T='sparse tidy']     parts: see below; the first ones take seconds
#   make abi                        after a change of the library's interface that is wanted

.PHONY: lint lint-quick abi
LINT_QUICK := spdx shellcheck checkpatch netlink spelling layout abi mutants
LINT_ALL := $(LINT_QUICK) sparse analyzer coccinelle tidy
LINT := $(if $(T),$(filter $(T),$(LINT_ALL)),$(LINT_ALL))
LINT_CFLAGS = $(filter-out -MMD -MP -Werror -W%,$(BASE_CFLAGS)) -Ilib/src -Itools -Iexamples \
	$(DEVICE_DEFS) -DTSR_EXAMPLE_DIR='""'
COCCI := $(CACHE)/coccinelle-$(or $(KSFT_VERSION),none)
LINT_RUN = O=$(OBS) LINUX=$(KSFT) COCCI=$(COCCI) \
	KMAKE='$(filter-out +,$(call KMAKE,$(KOBJ)))' \
	tests/lint/run $(1) -- $(LINT_CFLAGS)

lint: $(CHECKPATCH) $(if $(filter sparse,$(LINT)),module) \
		$(if $(filter abi,$(LINT)),$(O)/libtessera.so) $(if $(filter coccinelle,$(LINT)),$(COCCI))
	$(Q)$(call LINT_RUN,$(LINT))
lint-quick: $(CHECKPATCH) $(O)/libtessera.so
	$(Q)$(call LINT_RUN,$(LINT_QUICK))

$(COCCI):
	$(call say,EXTRACT,from linux-source-6.12)mkdir -p $(@D) && tmp=$$(mktemp -d $@.XXXXXX) && \
		tar -xJf /usr/src/linux-source-6.12.tar.xz -C "$$tmp" --strip-components=3 \
			linux-source-6.12/scripts/coccinelle && mv -T "$$tmp" $@

abi: $(O)/libtessera.so
	$(Q)tests/lint/abi.py $< lib/include >$(O)/libtessera.abi && cp $(O)/libtessera.abi lib/
