# SPDX-License-Identifier: MIT
# The golden vectors on other machines (FP-4): a 32-bit one, and aarch64 and s390x (big-endian)
# under qemu-user. Only what makes plans and fingerprints is linked, statically, and xxHash's header
# instead of its library. Other libraries and the core are left out: nothing here calls them.

CROSS := i686 aarch64 s390x
CROSS_HEADERS := xxhash.h xf86drm.h libelf.h gelf.h
CROSS_SRCS := $(filter-out lib/src/listener.c lib/src/netlink%,$(LIB_SRCS)) tests/lib/golden.c \
	tests/lib/common_golden.c

.PHONY: check-cross
check-cross: $(CROSS:%=$(O)/cross/golden-%)
	$(Q)for m in $(CROSS); do \
		run=; [ $$m = i686 ] || run=qemu-$$m; \
		$$run $(O)/cross/golden-$$m >$(O)/cross/golden-$$m.out 2>&1 && r=PASS || r=FAIL; \
		echo "$$r  golden vectors on $$m"; \
		[ $$r = PASS ] || { cat $(O)/cross/golden-$$m.out; exit 1; }; \
	done

$(O)/cross/include: $(MK)
	$(Q)mkdir -p $@ && ln -sf $(CROSS_HEADERS:%=/usr/include/%) /usr/include/libdrm $@ && touch $@

$(O)/cross/golden-%: $(CROSS_SRCS) $(wildcard lib/src/*.h tests/lib/*.h) $(O)/cross/include $(MK) \
		| $(KSFT_HDRS)
	$(call say,CROSS,$@)$*-linux-gnu-gcc -O1 -g -std=gnu11 -Wno-psabi -D_GNU_SOURCE \
		$(INCLUDES) -Ilib/src \
		-isystem $(O)/cross/include -isystem $(O)/cross/include/libdrm -isystem $(KSFT) \
		-DXXH_INLINE_ALL -DTSR_SRCDIR='"$(TOP)"' -DTSR_VERSION='"$(VERSION)"' $(DEVICE_DEFS) \
		-ffunction-sections -fdata-sections -Wl,--gc-sections -static \
		-Wl,--unresolved-symbols=ignore-all -o $@ $(CROSS_SRCS) -lpthread
