# SPDX-License-Identifier: MIT
# The kernel module. The build directory mirrors kernel/ by symbolic links, so that Kbuild leaves
# its files there and the sources stay clean.

KVER ?= $(shell ls -d /usr/src/linux-headers-6.12.*+deb12-amd64 2>/dev/null | \
	sed 's,.*/linux-headers-,,' | sort -V | tail -n 1)
KDIR ?= /usr/src/linux-headers-$(KVER)
KOBJ := $(OBS)/kernel

KSRCS := $(filter-out %_user.c,$(CORE_SRCS)) $(DRIVER_SRCS)
KHDRS := $(wildcard kernel/core/*.h kernel/core/*.inc kernel/drv/*.h kernel/soft/*.h uapi/*/*.h)
# O is also Kbuild's name for something else.
KMAKE = $(MAKE) -C $(KDIR) M=$(1) O= TSR_UAPI=$(TOP)/uapi TSR_VERSION=$(VERSION) TSR_WERROR=$(WERROR) \
	$(if $(filter 1,$(V)),V=1,-s) W=$(KW) $(KVARIANT)
KW ?= 1

.PHONY: module
ifneq ($(DRIVER_SRCS),)
module: $(O)/tessera.ko
endif

$(O)/kernel/.mirror: FORCE
	@kernel/mirror.sh kernel $(KOBJ) $(KEXTRA)

$(O)/kernel/tsr_compat.h: kernel/probe.sh $(KDIR)/.config
	$(MKDIR)
	$(call say,PROBE,$(KVER))kernel/probe.sh $(KDIR) $(KOBJ)/probe $@

$(O)/tessera.ko: $(KSRCS) $(KHDRS) $(wildcard $(KEXTRA:%=%/*.c)) kernel/Kbuild $(MK) $(O)/kernel/.mirror $(O)/kernel/tsr_compat.h
	+$(call say,KBUILD,$(KVER))$(call KMAKE,$(KOBJ)) modules
	$(Q)cp $(KOBJ)/tessera.ko $@
