# SPDX-License-Identifier: MIT
# The module in variants, for kernels that the project builds (tests/vm/kernel.sh). What belongs to
# variant V is in $(O)/V; "tests/vm/run --variant V" boots its kernel with its module.
#
#   debug   the debug kernel
#   kcov    the same kernel; the module tells KCOV where it has been
#   gcov    the same kernel; the module counts its lines and branches
#   unit    the same kernel; with KUnit suites (tests/kunit) and faults on purpose (tests/planted)
#   race    the kernel for data races; with faults on purpose

VARIANTS := debug kcov gcov unit race
KERNEL_debug := debug
KERNEL_kcov := debug
KERNEL_gcov := debug
KERNEL_unit := debug
KERNEL_race := race
VARIANT_kcov := TSR_KCOV=1
VARIANT_gcov := TSR_GCOV=1
EXTRA_unit := tests/kunit tests/planted
EXTRA_race := tests/planted

.PHONY: $(VARIANTS:%=module-%)

# Frames of instrumented functions may be larger than W=1 likes: warnings are no errors here.
$(VARIANTS:%=module-%): module-%:
	+$(Q)k=$$(tests/vm/kernel.sh $(KERNEL_$*)) && mkdir -p $(OBS)/$* && echo $$k >$(OBS)/$*/kernel-dir && \
		$(MAKE) -f mk/build.mk O=$(OBS)/$* KDIR=$$k KVER=$* WERROR=0 \
		KVARIANT='$(VARIANT_$*)' KEXTRA='$(EXTRA_$*)' module

# make check-debug [QUICK=1]: KUnit, planted faults, and the selftests on the debug kernel. QUICK
# leaves out programs that take minutes of an emulated processor at this speed.
QUICK_TESTS := ioctl_.* fuzz_ioctl pipe_poison netlink_bad netlink_unload soft_configfs fault_reset \
	fault_unload

.PHONY: check-debug
check-debug: tests-vm module-debug module-unit
	$(Q)ONLY='$(if $(QUICK),$(QUICK_TESTS))' $(RUN) unit debug

# make check-race: what has several threads or processes, on the kernel that looks for data races.
RACE_TESTS := dev_kill dev_stress dev_two_processes fault_chaos fault_run fault_vanish fuzz_ioctl \
	history_run ioctl_cancel ioctl_claim ioctl_foreign ioctl_queue ioctl_sync ioctl_sync_error \
	ioctl_wait lib_claim lib_reset lib_staged long_.* netlink_event netlink_load netlink_run \
	pipe_claim pipe_reset soft_device soft_suspend uapi_debugfs uapi_unplug uapi_usage

.PHONY: check-race
check-race: tests-vm module-race
	$(Q)ONLY='$(RACE_TESTS)' $(RUN) race
