# SPDX-License-Identifier: MIT
# Tests. Native ones (tests/core, tests/lib) are built with ASan and UBSan against the core and
# the library built the same way; those in tests/selftests run in the VM against libtessera.so.

.PHONY: check check-installed check-native check-vm check-headers tests-native tests-vm

SAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SAN_CFLAGS = $(SAN) -O1 -g
TEST_WARN := -Wno-unused-parameter -Wno-missing-field-initializers -Wno-missing-prototypes

# kselftest.h, kselftest_harness.h and checkpatch, from the kernel's source package.
KSFT_VERSION := $(shell dpkg-query -W -f '$${Version}' linux-source-6.12 2>/dev/null)
KSFT := $(CACHE)/linux-files-$(or $(KSFT_VERSION),none)
KSFT_HDRS := $(KSFT)/kselftest.h $(KSFT)/kselftest_harness.h
CHECKPATCH := $(KSFT)/checkpatch.pl

$(KSFT_HDRS) $(CHECKPATCH) &:
	$(call say,EXTRACT,from linux-source-6.12)tests/linux-files.sh $(KSFT)

CORE_SAN := $(CORE_SRCS:%.c=$(O)/san/%.o)
LIB_SAN := $(LIB_SRCS:%.c=$(O)/san/%.o)

$(O)/san/%.o: %.c $(MK)
	$(MKDIR)
	$(call say,CC,$< (san))$(CC) $(BASE_CFLAGS) $(call file_flags,$<) $(SAN_CFLAGS) -c -o $@ $<

$(O)/san/libcore.a: $(CORE_SAN)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(O)/san/liball.a: $(LIB_SAN) $(CORE_SAN)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# A file is a program, but for common_*.c: those are linked to every program of their directory.
test_srcs = $(filter-out tests/$(1)/common_%,$(wildcard tests/$(1)/*.c))
test_common = $(wildcard tests/$(1)/common_*.c)
NATIVE := $(foreach d,core lib,$(patsubst tests/%.c,$(O)/tests/%,$(call test_srcs,$(d))))
SELFTESTS := $(patsubst tests/%.c,$(O)/tests/%,$(call test_srcs,selftests))

TEST_CFLAGS = $(BASE_CFLAGS) $(TEST_WARN) -Ilib/src -I$(<D) -isystem $(KSFT) \
	-DTSR_SRCDIR='"$(TOP)"' -DTSR_BUILDDIR='"$(OBS)"'

$(O)/tests/obj/core/%.o: tests/core/%.c $(MK) | $(KSFT_HDRS)
	$(MKDIR)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) $(SAN_CFLAGS) -c -o $@ $<
$(O)/tests/obj/lib/%.o: tests/lib/%.c $(MK) | $(KSFT_HDRS)
	$(MKDIR)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) $(SAN_CFLAGS) $(DEVICE_DEFS) -c -o $@ $<
$(O)/tests/obj/selftests/%.o: tests/selftests/%.c $(MK) | $(KSFT_HDRS)
	$(MKDIR)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -Itests/lib -include tests/selftests/common_slow.h -c -o $@ $<
LEAK_EXIT ?= tests/leak_exit.c

$(O)/tests/obj/leak_exit.o: $(LEAK_EXIT) $(MK)
	$(MKDIR)
	$(call say,CC,$<)$(CC) $(BASE_CFLAGS) $(SAN_CFLAGS) -c -o $@ $<

# The harness ends a test by _exit(): leaks are looked for there.
common_objs = $(patsubst tests/%.c,$(O)/tests/obj/%.o,$(call test_common,$(1)))
SAN_LINK = $(CC) $(SAN_CFLAGS) $(BASE_LDFLAGS) -Wl,--wrap=_exit -o $@ $(filter %.o,$^) \
	$(filter %.a,$^) $(LIB_LIBS) -ldl -lm

# What the library allocates with, for tests that let it fail (tests/lib/common_alloc.h).
ALLOC_WRAP := malloc calloc realloc strdup vasprintf fopen fdopen open_memstream opendir scandir \
	nl_socket_alloc nlmsg_alloc nl_cb_alloc
comma := ,

$(O)/tests/core/%: $(O)/tests/obj/core/%.o $(call common_objs,core) $(O)/tests/obj/leak_exit.o \
		$(O)/san/libcore.a
	$(MKDIR)
	$(call say,LINK,$@)$(SAN_LINK)
$(O)/tests/lib/%: $(O)/tests/obj/lib/%.o $(call common_objs,lib) $(O)/tests/obj/leak_exit.o \
		$(O)/san/liball.a
	$(MKDIR)
	$(call say,LINK,$@)$(SAN_LINK) $(ALLOC_WRAP:%=-Wl$(comma)--wrap=%)
$(O)/tests/selftests/%: $(O)/tests/obj/selftests/%.o $(call common_objs,selftests) \
		$(O)/libtessera.so $(O)/libtessera-core.a
	$(MKDIR)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(BASE_LDFLAGS) -Wl,-rpath,'$$ORIGIN/../..' -o $@ \
		$(filter %.o,$^) -L$(O) -ltessera $(O)/libtessera-core.a $(LIB_LIBS) \
		$(TOOL_LIBS) -lm

# Those that let the library's allocations fail on a device: with the library built in, and ASan.
$(O)/tests/selftests/oom_%: $(O)/tests/obj/selftests/oom_%.o $(call common_objs,selftests) \
		$(O)/tests/obj/lib/common_alloc.o $(O)/tests/obj/leak_exit.o $(O)/san/liball.a
	$(MKDIR)
	$(call say,LINK,$@)$(SAN_LINK) $(TOOL_LIBS) $(ALLOC_WRAP:%=-Wl$(comma)--wrap=%)

.PRECIOUS: $(O)/tests/obj/core/%.o $(O)/tests/obj/lib/%.o $(O)/tests/obj/selftests/%.o

tests-native: $(NATIVE) user
tests-vm: $(SELFTESTS) all $(DEMO_PICTURE)

RUN = O=$(OBS) T='$(T)' V=$(V) tests/run
check: tests-native tests-vm $(O)/tests/odd-preload.so
	$(Q)$(RUN) native vm odd
check-native: tests-native
	$(Q)$(RUN) native
check-installed: tests-native
	$(Q)O=$(OBS) T='lib/installed*' V=$(V) tests/run native
check-vm: tests-vm
	$(Q)$(RUN) vm

check-headers: $(O)/kernel/.mirror
	$(Q)O=$(OBS) CACHE=$(CACHE) WERROR=$(WERROR) tests/check-headers.sh

# Small wrong changes, each of which a test must notice (tests/mutants/README).
JOBS ?= 2
.PHONY: mutants
mutants: | $(KSFT_HDRS)
	$(Q)O=$(OBS) tests/mutants/run --jobs $(JOBS) $(if $(RULE),--rule $(RULE)) \
		$(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(if $(T),'$(T)')

# Tests in other environments than the developers' (tests/odd/list).
.PHONY: check-odd
$(O)/tests/odd-preload.so: tests/odd/preload.c $(MK)
	$(MKDIR)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(WARN) $(TEST_WARN) -D_GNU_SOURCE -shared -fPIC -o $@ $< -lm
check-odd: tests-native $(if $(QUICK),,tests-vm) $(O)/tests/odd-preload.so
	$(Q)O=$(OBS) T='$(T)' V=$(V) QUICK=$(QUICK) tests/odd/run
