# SPDX-License-Identifier: MIT
# The benchmark: tests/bench/run.py and what it starts. The warm path is linked with the library's
# objects, since what it measures is not exported.

.PHONY: bench bench-programs

BENCH_GUEST := pipeline peers
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

bench-programs: $(O)/tests/bench/warm_path $(BENCH_GUEST:%=$(O)/tests/bench/%) module

bench: bench-programs
	$(Q)python3 -B tests/bench/run.py --build $(OBS) --parts '$(T)'
