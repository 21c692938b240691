# SPDX-License-Identifier: MIT
# Figures that do not depend on the machine's speed: instructions of the library, by callgrind, and
# of the run pipeline, in a VM that counts them. The first program is linked with the library's
# objects, since what it measures is not exported.

.PHONY: bench

$(O)/tests/bench/warm_path: tests/bench/warm_path.c $(LIB_OBJS) $(CORE_OBJS) $(MK)
	$(MKDIR)
	$(call say,LINK,$@)$(CC) $(BASE_CFLAGS) -Ilib/src $(BASE_LDFLAGS) -o $@ $(filter %.c %.o,$^) \
		$(LIB_LIBS) -lm

$(O)/tests/bench/pipeline: tests/bench/pipeline.c tests/selftests/common_uapi.c \
		tests/selftests/common_prog.c $(MK)
	$(MKDIR)
	$(call say,LINK,$@)$(CC) $(BASE_CFLAGS) -Itests/selftests -o $@ $(filter %.c,$^)

bench: $(O)/tests/bench/warm_path $(O)/tests/bench/pipeline module
	$(Q)TSR_VM_ACCEL=icount tests/vm/run --build $(OBS) --log $(OBS)/vm/bench.log -- \
		$(OBS)/tests/bench/pipeline >$(O)/bench.pipeline
	$(Q)tests/bench/run.py $< $(O)/bench.json $(O)/bench.pipeline
