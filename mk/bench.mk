# SPDX-License-Identifier: MIT
# Figures that do not depend on a device: instructions of the library, by callgrind. The program is
# linked with the library's objects, since what it measures is not exported.

.PHONY: bench

$(O)/tests/bench/warm_path: tests/bench/warm_path.c $(LIB_OBJS) $(CORE_OBJS) $(MK)
	$(MKDIR)
	$(call say,LINK,$@)$(CC) $(BASE_CFLAGS) -Ilib/src $(BASE_LDFLAGS) -o $@ $(filter %.c %.o,$^) \
		$(LIB_LIBS) -lm

bench: $(O)/tests/bench/warm_path
	$(Q)tests/bench/run.py $< $(O)/bench.json
