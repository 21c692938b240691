# SPDX-License-Identifier: MIT
# The fuzzer of the ioctls (tests/fuzz/ioctl): one program for the VM.

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
