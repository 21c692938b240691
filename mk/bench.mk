# SPDX-License-Identifier: MIT
# The benchmark: tests/bench/run.py and what it starts. The warm path is linked with the library's
# objects, since what it measures is not exported.

.PHONY: bench bench-programs

BENCH_GUEST := pipeline peers scaling memory
BENCH_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tests/bench/common_*.c) \
	tests/selftests/common_uapi.c tests/selftests/common_prog.c)
BENCH_CFLAGS = $(BASE_CFLAGS) -Itests/selftests -Itests/bench
bench_libs_peers := -luring

$(O)/tests/bench/warm_path: tests/bench/warm_path.c $(LIB_OBJS) $(CORE_OBJS) $(MK)
	$(MKDIR)
	$(call say,LINK,$@)$(CC) $(BASE_CFLAGS) -Ilib/src $(BASE_LDFLAGS) -o $@ $(filter %.c %.o,$^) \
		$(LIB_LIBS) -lm

$(BENCH_OBJS): $(O)/%.o: %.c $(MK)
	$(MKDIR)
	$(call say,CC,$<)$(CC) $(BENCH_CFLAGS) -c -o $@ $<

$(BENCH_GUEST:%=$(O)/tests/bench/%): $(O)/tests/bench/%: tests/bench/%.c $(BENCH_OBJS) $(MK)
	$(MKDIR)
	$(call say,LINK,$@)$(CC) $(BENCH_CFLAGS) -o $@ $(filter %.c %.o,$^) $(bench_libs_$*)

# By the clock: the library, PoCL and StarPU in one process.
WALL_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tests/bench/wall*.c))
WALL_PKGS := starpu-1.3 OpenCL

$(WALL_OBJS): $(O)/%.o: %.c $(MK)
	$(MKDIR)
	$(call say,CC,$<)$(CC) $(BENCH_CFLAGS) \
		$$($(PKG_CONFIG) --cflags starpu-1.3 | sed 's/-I/-isystem /g') -c -o $@ $<

$(O)/tests/bench/wall: $(WALL_OBJS) $(O)/libtessera.so
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(BASE_LDFLAGS) $(call RPATH,../..) -o $@ $(WALL_OBJS) \
		-L$(O) -ltessera $$($(PKG_CONFIG) --libs $(WALL_PKGS)) $(LIB_LIBS)

# For the engine and for qemu-riscv32.
BENCH_RISCV := $(patsubst %.c,$(O)/%,$(wildcard tests/bench/riscv/*.c))

$(BENCH_RISCV): $(O)/%: %.c tests/bench/riscv/start.h $(MK)
	$(MKDIR)
	$(call say,CLANG,$<)clang --target=riscv32-unknown-elf -march=rv32im -mabi=ilp32 \
		-mcmodel=medany -ffreestanding -fno-builtin -nostdlib -static -O2 $(WARN) \
		-Wno-missing-prototypes -fuse-ld=lld -Wl,-Ttext=0x10000 -o $@ $<

# The module without diagnostics (kernel/drv/run.h): profiling off may cost no more than that.
.PHONY: bench-no-diag
bench-no-diag:
	+$(Q)mkdir -p $(OBS)/no-diag && $(MAKE) -f mk/build.mk O=$(OBS)/no-diag \
		KVARIANT=TSR_NO_DIAG=1 module

bench-programs: bench-no-diag $(O)/tests/bench/warm_path $(BENCH_GUEST:%=$(O)/tests/bench/%) \
	$(O)/tests/bench/wall $(BENCH_RISCV) all

# Tables and plots of Documentation/benchmarks.rst, from what was measured last.
.PHONY: bench-docs
bench-docs:
	$(Q)python3 -B tests/bench/report.py $(O)/bench.json Documentation/bench

bench: bench-programs
	$(Q)python3 -B tests/bench/run.py --build $(OBS) --parts '$(T)'
