# SPDX-License-Identifier: MIT
# make install [DESTDIR=] [PREFIX=/usr/local] [MODULE=0]
#
# The library and the tool are built once more, for where they will be: what is installed knows
# no path of the build tree.

.PHONY: install install-user install-module
INSTALL ?= install
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
UDEVDIR ?= $(if $(filter /usr,$(PREFIX)),/usr/lib/udev/rules.d,/etc/udev/rules.d)
MODULE ?= 1
MODDIR ?= /lib/modules/$(KVER)/updates
D := $(DESTDIR)

install:
	$(Q)+$(MAKE) -f mk/build.mk O=$(O)/installed TSR_INSTALLED=1 install-user
ifneq ($(MODULE),0)
	$(Q)+$(MAKE) -f mk/build.mk install-module
endif

install-user: $(O)/libtessera.so $(O)/tessera
	$(call say,INSTALL,$(D)$(PREFIX))set -e; \
	$(INSTALL) -d $(D)$(PREFIX)/bin $(D)$(LIBDIR)/pkgconfig $(D)$(INCLUDEDIR)/tessera \
		$(D)$(INCLUDEDIR)/drm $(D)$(INCLUDEDIR)/linux $(D)$(DATADIR)/tessera/device $(D)$(UDEVDIR); \
	$(INSTALL) -m 755 $(O)/tessera $(D)$(PREFIX)/bin/; \
	$(INSTALL) -m 755 $(O)/$(LIBFILE) $(D)$(LIBDIR)/; \
	ln -sf $(LIBFILE) $(D)$(LIBDIR)/libtessera.so.$(SOMAJOR); \
	ln -sf libtessera.so.$(SOMAJOR) $(D)$(LIBDIR)/libtessera.so; \
	$(INSTALL) -m 644 lib/include/tessera/*.h $(D)$(INCLUDEDIR)/tessera/; \
	$(INSTALL) -m 644 uapi/drm/*.h $(D)$(INCLUDEDIR)/drm/; \
	$(INSTALL) -m 644 uapi/linux/*.h $(D)$(INCLUDEDIR)/linux/; \
	cp -R lib/device/. $(D)$(DATADIR)/tessera/device/; \
	sed -e 's,@prefix@,$(PREFIX),g' -e 's,@libdir@,$(LIBDIR),g' \
		-e 's,@includedir@,$(INCLUDEDIR),g' -e 's,@version@,$(VERSION),g' \
		lib/tessera.pc.in >$(D)$(LIBDIR)/pkgconfig/tessera.pc; \
	$(INSTALL) -m 644 dist/60-tessera.rules $(D)$(UDEVDIR)/

install-module: $(O)/tessera.ko
	$(call say,INSTALL,$(D)$(MODDIR)/tessera.ko)set -e; \
	$(INSTALL) -d $(D)$(MODDIR); \
	$(INSTALL) -m 644 $(O)/tessera.ko $(D)$(MODDIR)/; \
	$(if $(D),true,depmod $(KVER))
