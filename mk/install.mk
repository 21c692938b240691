# SPDX-License-Identifier: MIT
# make install, make uninstall [DESTDIR=] [MODULE=0] and any of PREFIX, BINDIR, LIBDIR, INCLUDEDIR,
# DATADIR, UDEVDIR, MODDIR.
#
# The library and the tool are built once more, for where they will be: what is installed knows no
# path of the build tree. They find each other, and the device files, relative to where they are.

.PHONY: install uninstall install-user install-module
INSTALL ?= install
MODULE ?= 1
MODDIR ?= /lib/modules/$(KVER)/updates
D := $(DESTDIR)
PCDIR := $(LIBDIR)/pkgconfig

LIB_HDRS := $(wildcard lib/include/tessera/*.h)
DRM_HDRS := $(wildcard uapi/drm/*.h)
NETLINK_HDRS := $(wildcard uapi/linux/*.h)
DEVICE_FILES := $(wildcard lib/device/*)
# What a device kernel includes besides: the directory is complete in itself.
DEVICE_DRM := uapi/drm/tessera_grid.h

install:
	$(Q)+$(MAKE) -f mk/build.mk O=$(O)/installed TSR_INSTALLED=1 install-user
ifneq ($(MODULE),0)
	$(Q)+$(MAKE) -f mk/build.mk install-module
endif

# What lies below PREFIX is described relative to the file that says so; but for /usr, which the
# compiler knows by that name only.
below = $(if $(filter $(PREFIX)/%,$(1)),$${prefix}$(patsubst $(PREFIX)%,%,$(1)),$(1))
PC_PREFIX := $(if $(and $(filter $(PREFIX)/%,$(PCDIR)),$(filter-out /usr,$(PREFIX))),$${pcfiledir}/$(call relative,$(PCDIR),$(PREFIX)),$(PREFIX))

install-user: $(O)/libtessera.so $(O)/tessera
	$(call say,INSTALL,$(D)$(PREFIX))set -e; \
	$(INSTALL) -d $(D)$(BINDIR) $(D)$(PCDIR) $(D)$(INCLUDEDIR)/tessera $(D)$(INCLUDEDIR)/drm \
		$(D)$(INCLUDEDIR)/linux $(D)$(DEVICEDIR)/drm $(D)$(UDEVDIR); \
	$(INSTALL) -m 755 $(O)/tessera $(D)$(BINDIR)/; \
	$(INSTALL) -m 755 $(O)/$(LIBFILE) $(D)$(LIBDIR)/; \
	ln -sf $(LIBFILE) $(D)$(LIBDIR)/libtessera.so.$(SOMAJOR); \
	ln -sf libtessera.so.$(SOMAJOR) $(D)$(LIBDIR)/libtessera.so; \
	$(INSTALL) -m 644 $(LIB_HDRS) $(D)$(INCLUDEDIR)/tessera/; \
	$(INSTALL) -m 644 $(DRM_HDRS) $(D)$(INCLUDEDIR)/drm/; \
	$(INSTALL) -m 644 $(NETLINK_HDRS) $(D)$(INCLUDEDIR)/linux/; \
	$(INSTALL) -m 644 $(DEVICE_FILES) $(D)$(DEVICEDIR)/; \
	$(INSTALL) -m 644 $(DEVICE_DRM) $(D)$(DEVICEDIR)/drm/; \
	sed -e 's,@prefix@,$(PC_PREFIX),g' -e 's,@libdir@,$(call below,$(LIBDIR)),g' \
		-e 's,@includedir@,$(call below,$(INCLUDEDIR)),g' \
		-e 's,@devicedir@,$(call below,$(DEVICEDIR)),g' -e 's,@version@,$(VERSION),g' \
		lib/tessera.pc.in >$(D)$(PCDIR)/tessera.pc; \
	chmod 644 $(D)$(PCDIR)/tessera.pc; \
	$(INSTALL) -m 644 dist/60-tessera.rules $(D)$(UDEVDIR)/

install-module: $(O)/tessera.ko
	$(call say,INSTALL,$(D)$(MODDIR)/tessera.ko)set -e; \
	$(INSTALL) -d $(D)$(MODDIR); \
	$(INSTALL) -m 644 $(O)/tessera.ko $(D)$(MODDIR)/; \
	$(if $(D),true,depmod $(KVER))

# Files by name; of directories those that nobody else put anything into.
INSTALLED = $(BINDIR)/tessera $(LIBDIR)/$(LIBFILE) $(LIBDIR)/libtessera.so.$(SOMAJOR) \
	$(LIBDIR)/libtessera.so $(PCDIR)/tessera.pc $(UDEVDIR)/60-tessera.rules \
	$(LIB_HDRS:lib/include/%=$(INCLUDEDIR)/%) $(DRM_HDRS:uapi/%=$(INCLUDEDIR)/%) \
	$(NETLINK_HDRS:uapi/%=$(INCLUDEDIR)/%) $(DEVICE_FILES:lib/device/%=$(DEVICEDIR)/%) \
	$(DEVICE_DRM:uapi/%=$(DEVICEDIR)/%) $(if $(filter-out 0,$(MODULE)),$(MODDIR)/tessera.ko)
OWN_DIRS = $(DEVICEDIR)/drm $(DEVICEDIR) $(DATADIR)/tessera $(INCLUDEDIR)/tessera

uninstall:
	$(call say,REMOVE,$(D)$(PREFIX))rm -f $(addprefix $(D),$(INSTALLED)); \
	for d in $(addprefix $(D),$(OWN_DIRS)); do \
		[ ! -d $$d ] || rmdir --ignore-fail-on-non-empty $$d || exit; \
	done
