# SPDX-License-Identifier: MIT
#
# The only entry: make [deps|all|demo|check|...] [O=dir] [V=1]. "make help" lists the targets.
# The rules that build things are in mk/*.mk; they are read by a second make, after the packages
# they ask for are there.

include mk/paths.mk

MAKEFLAGS += --no-print-directory --no-builtin-rules
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif

export O ?= build
export V ?= 0
export PREFIX ?= /usr/local
export DESTDIR ?=
export LC_ALL = C.UTF-8

Q := $(if $(filter 1,$(V)),,@)
SUBMAKE = $(Q)+$(MAKE) -f mk/build.mk

# One thing after the other here; the second make works in parallel.
.NOTPARALLEL:
.DEFAULT_GOAL := all
.PHONY: all module user demo check check-native check-vm check-odd check-headers check-cross check-long \
	check-quantities check-debug check-race module-debug module-kcov module-gcov module-unit \
	module-race fuzz mutants coverage coverage-module bench bench-docs lint lint-quick abi docs netlink \
	install uninstall check-installed deps build-dir clean help FORCE

all module user: deps-build
	$(SUBMAKE) $@

# Never installs packages: it may run where they come from elsewhere.
install uninstall: build-dir
	$(SUBMAKE) $@

demo check-headers: deps-demo
	$(SUBMAKE) $@

check check-native check-vm check-odd check-installed check-long check-quantities fuzz mutants: deps-check
	$(SUBMAKE) $@

check-long: deps-debug
fuzz: $(if $(TSR_FUZZ_VARIANT),deps-debug)

check-debug check-race coverage-module module-debug module-kcov module-gcov module-unit \
module-race: deps-debug
	$(SUBMAKE) $@

check-cross: deps-cross
	$(SUBMAKE) $@

coverage: deps-check
	$(SUBMAKE) $@

bench bench-docs: deps-bench
	$(SUBMAKE) $@

lint lint-quick abi: deps-lint
	$(SUBMAKE) $@

docs: deps-docs
	$(SUBMAKE) docs

netlink: deps-netlink
	$(SUBMAKE) netlink

# Groups of dist/packages.txt by what is to be done.
deps deps-check: GROUPS := build vm demo check
deps-build: GROUPS := build
deps-demo: GROUPS := build vm demo
deps-lint: GROUPS := build check lint
deps-docs: GROUPS := build docs
deps-cross: GROUPS := build check cross
deps-bench: GROUPS := build vm bench
deps-debug: GROUPS := build vm demo check debug
deps-netlink: GROUPS := netlink
deps deps-build deps-demo deps-check deps-lint deps-docs deps-netlink deps-cross deps-bench \
		deps-debug: build-dir FORCE
	$(Q)dist/deps.sh $(GROUPS)

build-dir: FORCE
	$(Q)dist/build-dir.sh make $(O)

# Any single file of the build, e.g. make build/tessera.ko
$(O)/%: FORCE | deps-build
	$(SUBMAKE) $@

clean:
	$(Q)dist/build-dir.sh remove $(O)

help:
	@echo 'make [all]          kernel module, library, tool and examples, under $(O)/'
	@echo 'make demo           the three examples on the virtual device, in a VM'
	@echo 'make check          every test; the last line counts them'
	@echo 'make check-native   only the tests that run on this host (ASan, UBSan)'
	@echo 'make check-vm       only the tests that run in the VM'
	@echo 'make check-installed  an installed copy, below /usr and elsewhere, moved and removed; part of check'
	@echo 'make check-odd      tests in other environments: signals, limits, memory, locales [QUICK=1, T=name]'
	@echo 'make check-cross    golden vectors as a 32-bit program, and on aarch64 and s390x'
	@echo 'make fuzz           each fuzz target for a while [T=name, SECONDS=60]'
	@echo 'make check-long     each for 2 minutes, a million ioctls with KASAN and KCSAN, racy selftests many'
	@echo '                    times, and check-quantities; hours [FUZZ_SECONDS=, FUZZ_CALLS=, LOOPS=, JOBS=]'
	@echo 'make check-quantities  a hundred kills at each point, 10 minutes of soak, and so on [T=, JOBS=]'
	@echo 'make mutants        small wrong changes; each must be noticed [T=, RULE=, SAMPLE=n, SEED=, JOBS=]'
	@echo 'make coverage       branches that the native tests reach, by file'
	@echo 'make coverage-module  lines and branches of the module that tests in VMs reach'
	@echo 'make bench          figures, as a table and in $(O)/bench.json'
	@echo 'make check-debug    KUnit, planted faults, and the VM tests with KASAN, lockdep, ... [QUICK=1]'
	@echo 'make check-race     threads and processes on the kernel that looks for data races (KCSAN)'
	@echo 'make module-V       the module for kernel V: debug, kcov, gcov, unit, race (tests/vm/kernel.sh)'
	@echo 'make check-headers  compile the module against every 6.12 header package of apt'
	@echo 'make lint           what can be found without running anything [T=part; lint-quick: in seconds]'
	@echo 'make abi            write down the library interface, after a change that is wanted'
	@echo 'make install        library, tool, headers, module, udev rule [DESTDIR=, PREFIX=, ...: mk/install.mk]'
	@echo 'make uninstall      what make install with the same variables has put there'
	@echo 'make docs           the manual as HTML, under \$(O)/docs'
	@echo 'make netlink        headers and tables of netlink, from Documentation/netlink/specs'
	@echo 'make deps           install the Debian packages that are missing (dist/packages.txt)'
	@echo 'make clean          remove $(O)/'
	@echo
	@echo 'O=dir builds elsewhere, V=1 shows commands, WERROR=0 lets warnings pass,'
	@echo 'KVER=release or KDIR=dir picks the kernel, T=pattern picks tests.'
