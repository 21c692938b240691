# SPDX-License-Identifier: MIT
# Names and flags shared by all rules.

MAKEFLAGS += --no-print-directory

TOP := $(CURDIR)
OBS := $(abspath $(O))
VERSION := $(shell cat VERSION)
SOMAJOR := $(firstword $(subst ., ,$(VERSION)))

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin AR),default)
AR := gcc-ar
endif
PKG_CONFIG ?= pkg-config
WERROR ?= 1
CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tessera-build

ifeq ($(V),1)
Q :=
say :=
else
Q := @
say = @printf '  %-7s %s\n' $(1) '$(2)';
endif
MKDIR = @mkdir -p $(@D)

# Where things are installed, and where the library then finds its device files: relative to
# itself, so that an installed tree can be moved as a whole.
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
UDEVDIR ?= $(if $(filter /usr,$(PREFIX)),/usr/lib/udev/rules.d,/etc/udev/rules.d)
DEVICEDIR := $(DATADIR)/tessera/device
relative = $(shell realpath -ms --relative-to=$(1) $(2))

# The sources that are there. Files of kernel/core named *_user.c are not for the module.
CORE_SRCS := $(wildcard kernel/core/*.c)
DRIVER_SRCS := $(wildcard kernel/drv/*.c kernel/soft/*.c)
LIB_SRCS := $(wildcard lib/src/*.c)
TOOL_SRCS := $(wildcard tools/*.c)
EXAMPLES := $(notdir $(patsubst %/,%,$(dir $(foreach d,$(wildcard examples/*/),\
		$(wildcard $(d)$(notdir $(patsubst %/,%,$(d))).c)))))
MK := Makefile VERSION $(wildcard mk/*.mk)
