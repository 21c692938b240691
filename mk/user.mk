# SPDX-License-Identifier: MIT
# User space: libtessera, the tool, the examples, and the pure core as a static library.

PKGS := libdrm libxxhash libpng jansson libelf libnl-genl-3.0
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS))
LIB_LIBS := $(shell $(PKG_CONFIG) --libs libdrm libxxhash libelf libnl-genl-3.0) -lpthread -lm
TOOL_LIBS := $(shell $(PKG_CONFIG) --libs jansson libdrm libelf) -lpthread -lm
EXAMPLE_LIBS := $(shell $(PKG_CONFIG) --libs libpng) -lpthread -lm

WARN := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wvla $(if $(filter 1,$(WERROR)),-Werror)
INCLUDES := -Iuapi -Ikernel/core -Ilib/include
CFLAGS ?= -O2 -g
BASE_CFLAGS = $(CPPFLAGS) $(CFLAGS) $(PREFIX_MAP) -std=gnu11 $(WARN) -D_GNU_SOURCE $(INCLUDES) $(PKG_CFLAGS) \
	-DTSR_VERSION='"$(VERSION)"' -MMD -MP
LDFLAGS ?=
BASE_LDFLAGS = $(LDFLAGS) -Wl,--as-needed -Wl,-z,relro,-z,now

# Where the library finds the device header, linker script and start-up code. An uninstalled
# build uses the source tree; an installed one (TSR_INSTALLED=1) only what was installed.
ifeq ($(TSR_INSTALLED),1)
DEVICE_DEFS := -DTSR_DEVICE_BESIDE='"$(call relative,$(LIBDIR),$(DEVICEDIR))"' \
	-DTSR_DEVICE_DIR='"$(DEVICEDIR)"'
PREFIX_MAP := -ffile-prefix-map=$(TOP)=.
# The tool finds its library beside itself, unless the loader looks there anyway.
RPATH = $(if $(filter /usr/lib /usr/lib/%,$(LIBDIR)),,\
	-Wl,-rpath,'$$ORIGIN/$(call relative,$(BINDIR),$(LIBDIR))')
else
DEVICE_DEFS := -DTSR_DEVICE_DIR='"$(TOP)/lib/device"'
PREFIX_MAP :=
RPATH = -Wl,-rpath,'$$ORIGIN/$(1)'
endif

# What is compiled anew when it changes, besides what dependency files name.
define TSR_FLAGS
CC $(CC) AR $(AR) CPPFLAGS $(CPPFLAGS) CFLAGS $(CFLAGS) LDFLAGS $(LDFLAGS) PKG $(PKG_CFLAGS) WERROR $(WERROR)
endef
# The directory has to be there when the recipe is expanded.
$(O)/.flags: $(shell mkdir -p $(O)) FORCE
	$(file >$@.new,$(TSR_FLAGS))
	@cmp -s $@.new $@ && rm -f $@.new || mv -f $@.new $@
MK += $(O)/.flags

# And where it will be: few objects know.
define TSR_PLACES
$(DEVICE_DEFS) $(PREFIX_MAP) $(call RPATH,x)
endef
$(O)/.places: $(O)/.flags FORCE
	$(file >$@.new,$(TSR_PLACES))
	@cmp -s $@.new $@ && rm -f $@.new || mv -f $@.new $@
$(O)/obj/lib/src/toolchain.o $(O)/san/lib/src/toolchain.o $(O)/tessera: $(O)/.places

CORE_OBJS := $(CORE_SRCS:%.c=$(O)/obj/%.o)
LIB_OBJS := $(LIB_SRCS:%.c=$(O)/obj/%.o)
TOOL_OBJS := $(TOOL_SRCS:%.c=$(O)/obj/%.o)

# Flags by directory and by file; the sanitized objects take the same.
flags_kernel/core = -fPIC -fvisibility=hidden -ffp-contract=off
flags_kernel/core/hart.c = -fno-gcse -fno-crossjumping
flags_lib/src = -fPIC -fvisibility=hidden -Ilib/src
flags_lib/src/toolchain.c = $(DEVICE_DEFS)
flags_tools = -Itools
dir_flags = $(flags_$(patsubst %/,%,$(dir $(1))))
file_flags = $(dir_flags) $(flags_$(1))

$(O)/obj/%.o: %.c $(MK)
	$(MKDIR)
	$(call say,CC,$<)$(CC) $(BASE_CFLAGS) $(call file_flags,$<) -c -o $@ $<

LIBFILE := libtessera.so.$(VERSION)
USER :=

ifneq ($(CORE_SRCS),)
USER += $(O)/libtessera-core.a
endif
ifneq ($(LIB_SRCS),)
USER += $(O)/libtessera.so
endif
ifneq ($(TOOL_SRCS),)
USER += $(O)/tessera
endif
USER += $(EXAMPLES:%=$(O)/examples/%)

.PHONY: user
user: $(USER)

$(O)/libtessera-core.a: $(CORE_OBJS)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(O)/$(LIBFILE): $(LIB_OBJS) $(CORE_OBJS) lib/libtessera.map
	$(call say,LINK,$@)$(CC) -shared $(CFLAGS) $(BASE_LDFLAGS) -Wl,-z,defs \
		-Wl,-soname,libtessera.so.$(SOMAJOR) -Wl,--version-script=lib/libtessera.map \
		-o $@ $(LIB_OBJS) $(CORE_OBJS) $(LIB_LIBS)

$(O)/libtessera.so: $(O)/$(LIBFILE)
	@ln -sf $(LIBFILE) $(O)/libtessera.so.$(SOMAJOR)
	@ln -sf libtessera.so.$(SOMAJOR) $@

$(O)/tessera: $(TOOL_OBJS) $(if $(LIB_SRCS),$(O)/libtessera.so) $(O)/libtessera-core.a
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(BASE_LDFLAGS) $(call RPATH,) -o $@ $(TOOL_OBJS) \
		$(if $(LIB_SRCS),-L$(O) -ltessera) $(O)/libtessera-core.a $(TOOL_LIBS)

# Examples use the public headers only. examples/NAME/*.c is the host program.
define example
$(O)/obj/examples/$(1)/%.o: examples/$(1)/%.c $$(MK)
	$$(MKDIR)
	$$(call say,CC,$$<)$$(CC) $$(BASE_CFLAGS) -Iexamples \
		-DTSR_EXAMPLE_DIR='"$$(TOP)/examples/$(1)"' -c -o $$@ $$<
$(O)/examples/$(1): $(patsubst %.c,$(O)/obj/%.o,$(wildcard examples/$(1)/*.c examples/common/*.c)) \
		$(O)/libtessera.so
	$$(MKDIR)
	$$(call say,LINK,$$@)$$(CC) $$(CFLAGS) $$(BASE_LDFLAGS) $$(call RPATH,..) -o $$@ \
		$$(filter %.o,$$^) -L$(O) -ltessera $$(EXAMPLE_LIBS)
endef
$(foreach e,$(EXAMPLES),$(eval $(call example,$(e))))
flags_examples/common = -Iexamples

DEPFILES = $(shell find $(O)/obj $(O)/san $(O)/fuzz/obj $(O)/tests -name '*.d' 2>/dev/null)
