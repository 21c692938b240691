# SPDX-License-Identifier: MIT
# Which paths are refused, before anything runs. Make cuts words at blanks, Kbuild cannot be told
# of a path with one, and recipes hand paths to the shell: what any of them takes for something else
# than a part of a name is no part of a path here.

HASH := \#
COMMA := ,
ODD := ' " \ ` $$ % : ; & | < > * ? [ ] { } ! = ^ $(HASH) ( ) $(COMMA)

# What is wrong with the value of variable $(1), or nothing. The value is not expanded.
odd_in = $(strip $(foreach c,$(ODD),$(findstring $(c),$(value $(1))))\
	$(if $(filter-out 1,$(words x$(value $(1))x)),blank)\
	$(if $(filter -% ~%,$(value $(1))),beginning))
refuse = $(if $(call odd_in,$(1)),$(error $(1) is "$(value $(1))": such a path does not work here \
	(blanks, or one of $(ODD), or - or ~ at its beginning). Use another one))

PLACES := CURDIR O DESTDIR PREFIX BINDIR LIBDIR INCLUDEDIR DATADIR UDEVDIR MODDIR KDIR KVER CACHE
# Those that were set: the defaults of the others are made of these.
$(foreach p,$(PLACES),$(if $(filter-out undefined default,$(origin $(p))),$(call refuse,$(p))))
ifeq ($(origin CACHE),undefined)
TSR_CACHE_HOME := $(value XDG_CACHE_HOME)$(if $(value XDG_CACHE_HOME),,$(value HOME))
$(call refuse,TSR_CACHE_HOME)
endif
