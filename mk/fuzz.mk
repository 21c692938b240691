# SPDX-License-Identifier: MIT
# Fuzz targets: those for libFuzzer, and the fuzzer of the ioctls, which is one program for the VM.
# tests/fuzz/run.sh lets them run.

FUZZ_NATIVE := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
FUZZ := $(FUZZ_NATIVE) ioctl

FUZZ_CFLAGS = $(filter-out $(WARN),$(BASE_CFLAGS)) -Ilib/src -Itests/core -Itests/lib -g -O1 \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all

# What a target takes besides the core. Those of the core need no library.
fuzz_blob = tests/core/common_blob.c
fuzz_canonical = tests/lib/common_rig.c $(LIB_SRCS)
fuzz_device = tests/core/common_grid.c tests/core/common_outside.c
fuzz_runner = $(LIB_SRCS)

# Those flags of single files that there are (file_flags) are GCC's own.
$(O)/fuzz/obj/%.o: %.c $(MK)
	$(MKDIR)
	$(call say,CC,$< (fuzz))clang $(FUZZ_CFLAGS) $(call dir_flags,$<) \
		-c -o $@ $<

define fuzz_target
$(O)/tests/fuzz/$(1): $(patsubst %.c,$(O)/fuzz/obj/%.o,tests/fuzz/$(1).c $(fuzz_$(1)) $(CORE_SRCS))
	$$(MKDIR)
	$$(call say,LINK,$$@)clang $$(FUZZ_CFLAGS) -o $$@ $$^ $$(LIB_LIBS) $$(TOOL_LIBS)
endef
$(foreach t,$(FUZZ_NATIVE),$(eval $(call fuzz_target,$(t))))

.PHONY: fuzz-native
fuzz-native: $(FUZZ_NATIVE:%=$(O)/tests/fuzz/%)

IOCTL_FUZZ_OBJS := $(patsubst tests/%.c,$(O)/tests/obj/%.o,$(wildcard tests/fuzz/ioctl/*.c)) \
	$(addprefix $(O)/tests/obj/selftests/,common_uapi.o common_prog.o common_node.o)

$(O)/tests/obj/fuzz/ioctl/%.o: tests/fuzz/ioctl/%.c $(MK)
	$(MKDIR)
	$(call say,CC,$<)$(CC) $(BASE_CFLAGS) $(TEST_WARN) -Itests/selftests -I$(<D) \
		-DTSR_SRCDIR='"$(TOP)"' -c -o $@ $<

$(O)/tests/fuzz/ioctl: $(IOCTL_FUZZ_OBJS)
	$(MKDIR)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(BASE_LDFLAGS) -o $@ $^ $(LIB_LIBS)

# With KCOV, where the long check asks for it: tests/fuzz/run.sh says which kernel.
.PHONY: fuzz-ioctl
fuzz-ioctl: $(O)/tests/fuzz/ioctl all $(TSR_FUZZ_VARIANT:%=module-%)
tests-vm: $(O)/tests/fuzz/ioctl
