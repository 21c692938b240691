// SPDX-License-Identifier: MIT
/*
 * libFuzzer target for device code (SEC-3): any bytes as the kernels of a grid with bound buffers,
 * circular buffers, semaphores and several cores. Whatever they do,
 *
 * - what is not theirs to write is as before: buffers bound as inputs, and, by ASan, all memory
 *   that is not bound;
 * - the grid comes back within its budget, and stops when it is told to;
 * - what it says of the end is consistent;
 * - a right program works on the same grid right after;
 * - after a scrub the same bytes do the same again, to the last bit: nothing was left behind.
 *
 *   make fuzz T=device SECONDS=600
 *
 * run.sh makes seeds of the kernels of this tree. The mutator writes accesses to registers, which
 * random bits hardly ever are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common_outside.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);
size_t LLVMFuzzerMutate(u8 *bytes, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(u8 *bytes, size_t size, size_t max, unsigned int seed);

#define HEADER		4	/* bytes before the code: see struct plan */
#define SLOT		(8u << 10)
#define CODE_BYTES	(6u << 10)	/* most of one image; the rest is bss and stack */
#define WORDS		8
#define SLICE		2000	/* instructions */
#define SLICES		12
#define IN_SIZE		256
#define OUT_SIZE	512
#define GUARD		0x5a

/** struct plan - what the first bytes say */
struct plan {
	u32 procs;		/* mask */
	bool apart;		/* each processor has its part of the bytes; else all have all */
	bool one_core;
	u32 words, sem;
	const u8 *code;
	u32 size;
};

static struct tsr_grid_config cfg;
static struct tsr_grid *grid;
static u8 *in_mem, *out_mem;	/* by malloc: ASan sees a byte too far */

#define must(what)									\
	do {										\
		if (!(what)) {								\
			fprintf(stderr, "device: not so: %s\n", #what);			\
			abort();							\
		}									\
	} while (0)

/* --- The program ------------------------------------------------------------------------------ */

static void read_plan(const u8 *bytes, size_t size, struct plan *ret)
{
	ret->procs = bytes[0] & 7 ? bytes[0] & 7 : 7;
	ret->apart = bytes[0] & 8;
	ret->one_core = bytes[0] & 16;
	ret->words = bytes[1] % (WORDS + 1);
	ret->sem = bytes[2];
	ret->code = bytes + HEADER;
	ret->size = (size - HEADER) & ~3u;
}

static void add_image(struct prog *p, u32 proc, const u8 *code, u32 size, bool one_core)
{
	u32 index = p->blob.n_images++, at = p->blob.data_size;
	u32 base = p->limits.image_base[proc];

	memcpy((u8 *)p->data + at, code, size);
	p->images[index] = (struct tessera_image){
		.data_offset = at, .data_size = size, .mem_size = size + 64, .text_size = size,
		.entry = base, .processor = proc,
	};
	p->texts[index] = tsr_text_new(&cfg.timing, base, (u8 *)p->data + at, size);
	p->blob.data_size += size;
	p->ranges[p->blob.n_ranges] = one_core ? (struct tessera_range){ 0, 0, 0, 0 } :
						 (struct tessera_range){ 0, 0, 2, 1 };
	p->descriptors[p->blob.n_descriptors++] = (struct tessera_descriptor){
		.image = index, .range_first = p->blob.n_ranges++, .range_count = 1,
		.arg_first = p->blob.n_args,
	};
}

/* Words of all cores, on which code may compute addresses. */
static void add_words(struct prog *p, const struct plan *plan)
{
	static const u32 values[WORDS] = {
		0, 1, TSR_L1_BASE, TSR_REG_SEM, TSR_REG_NOC, 64, 0x1000, TSR_REG_CB,
	};

	if (plan->words)
		prog_common(p, values, plan->words);
}

static void build(struct prog *p, const struct plan *plan)
{
	u32 parts = plan->apart ? TSR_PROCS_PER_CORE : 1, part = plan->size / 4 / parts * 4, proc;

	prog_init(p, &cfg);
	if (part > CODE_BYTES)
		part = CODE_BYTES;
	for (proc = 0; proc < TSR_PROCS_PER_CORE; proc++) {
		if (!(plan->procs >> proc & 1))
			continue;
		add_image(p, proc, plan->code + (plan->apart ? proc * part : 0), part,
			  plan->one_core);
		add_words(p, plan);
	}
	prog_sem(p, 0, plan->sem, 0, 0, 2, 1);
	prog_sem(p, 1, 1, 0, 0, 1, 1);
	prog_cb(p, 0, 64, 2, 0, TSR_FORMAT_RAW);
	prog_cb(p, 1, 2048, 2, 1024, TSR_FORMAT_BF16);
	prog_cb(p, 2, 4096, 1, 8192, TSR_FORMAT_INT32);
	prog_bind(p, in_mem, IN_SIZE, TESSERA_ACCESS_IN);
	prog_bind(p, out_mem, OUT_SIZE, TESSERA_ACCESS_INOUT);
	memset(in_mem, GUARD, IN_SIZE);
	memset(out_mem, GUARD, OUT_SIZE);
}

/* --- What came of it -------------------------------------------------------------------------- */

struct outcome {
	enum tsr_grid_state state;
	struct tsr_fault fault;
	u64 digest, instructions;
	u32 took_part;		/* processors */
};

static u64 mix(u64 digest, const void *from, size_t size)
{
	const u8 *p = from;
	size_t i;
	u64 v;

	for (i = 0; i + 8 <= size; i += 8) {
		memcpy(&v, p + i, 8);
		digest = (digest ^ v) * 0x9e3779b97f4a7c15ull;
		digest ^= digest >> 29;
	}
	return digest;
}

static void measure(struct outcome *ret)
{
	struct tsr_proc_stats s;
	u32 x, y, p;

	ret->digest = mix(0, out_mem, OUT_SIZE);
	ret->instructions = ret->took_part = 0;
	for (y = 0; y < cfg.height; y++) {
		for (x = 0; x < cfg.width; x++) {
			const u8 *l1 = tsr_grid_l1(grid, x, y);

			if (l1)
				ret->digest = mix(ret->digest, l1, cfg.l1_size);
			for (p = 0; p < TSR_PROCS_PER_CORE; p++) {
				if (tsr_grid_stats(grid, x, y, p, &s))
					continue;
				ret->digest = mix(ret->digest, &s, sizeof(s));
				ret->instructions += s.instructions;
				ret->took_part++;
			}
		}
	}
}

static void check_end(const struct outcome *o)
{
	struct tsr_stall_info stall;

	must(o->state == TSR_GRID_DONE || o->state == TSR_GRID_FAULT ||
	     o->state == TSR_GRID_STOPPED);
	if (o->state == TSR_GRID_FAULT) {
		must(o->fault.cause != TSR_FAULT_NONE);
		must(o->fault.x < cfg.width && o->fault.y < cfg.height);
		must(o->fault.proc < TSR_PROCS_PER_CORE);
	}
	tsr_grid_stall(grid, &stall);
	must(stall.running + stall.ready + stall.waiting <= o->took_part);
	must(stall.done <= stall.cores);
	if (o->state == TSR_GRID_DONE)
		must(stall.done == stall.cores && !stall.running && !stall.waiting);
	/* A slice ends about when it should: not later than each core's own time allows. */
	must(o->instructions <= (u64)SLICES * (SLICE + 5 * 3 * (u64)cfg.quantum));
	for (u32 i = 0; i < IN_SIZE; i++)
		must(in_mem[i] == GUARD);
}

static void execute(struct prog *p, struct outcome *ret)
{
	u32 slices = 0;

	prog_launch(p, grid);
	do {
		ret->state = tsr_grid_run(grid, SLICE);
	} while (ret->state == TSR_GRID_MORE && ++slices < SLICES);
	if (ret->state == TSR_GRID_MORE || ret->state == TSR_GRID_WAIT) {
		tsr_grid_stop(grid);
		ret->state = tsr_grid_run(grid, SLICE);
	}
	memset(&ret->fault, 0, sizeof(ret->fault));
	tsr_grid_fault(grid, &ret->fault);
	measure(ret);
	check_end(ret);
}

/* All cores add up a word of the input and bring it home. */
static void innocent(void)
{
	static struct prog p;
	struct rv k = { .n = 0 };
	u32 out = 0;

	prog_init(&p, &cfg);
	rv_noc(&k, TSR_NOC_CMD_READ, BUFFER(0), 0, p.limits.cb_base, 16);
	rv_store(&k, TSR_REG_NOC + TSR_NOC_BARRIER, TSR_NOC_CLASS_READ);
	rv_load(&k, A0, p.limits.cb_base);
	rv_put(&k, ADDI(A0, A0, 1));
	rv_li(&k, A1, p.limits.cb_base);
	rv_put(&k, SW(A0, A1, 0));
	rv_noc(&k, TSR_NOC_CMD_WRITE, BUFFER(1), 0, p.limits.cb_base, 16);
	rv_store(&k, TSR_REG_NOC + TSR_NOC_BARRIER, TSR_NOC_CLASS_WRITE);
	for (u32 proc = 0; proc < TSR_PROCS_PER_CORE; proc++)
		prog_kernel(&p, &k, proc, 0, 0, 2, 1);
	prog_bind(&p, in_mem, IN_SIZE, TESSERA_ACCESS_IN);
	prog_bind(&p, out_mem, OUT_SIZE, TESSERA_ACCESS_OUT);
	prog_launch(&p, grid);
	must(grid_finish(grid, SLICE) == TSR_GRID_DONE);
	memcpy(&out, out_mem, sizeof(out));
	must(out == GUARD * 0x01010101u + 1);
	prog_fini(&p);
}

static void set_up(void)
{
	tsr_grid_config_default(&cfg);
	cfg.width = 3;
	cfg.height = 2;
	cfg.l1_size = 64 << 10;
	cfg.image_slot = SLOT;
	cfg.words = 16;
	cfg.harvested[0] = 1 << 4;
	cfg.deterministic = true;
	grid = tsr_grid_new(&cfg, NULL);
	in_mem = malloc(IN_SIZE);
	out_mem = malloc(OUT_SIZE);
	must(grid && in_mem && out_mem);
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
	static struct prog p;
	struct outcome first, again;
	struct plan plan;

	if (!grid)
		set_up();
	if (size < HEADER + 3 * 4)
		return 0;
	read_plan(bytes, size, &plan);
	build(&p, &plan);
	tsr_grid_scrub(grid);
	execute(&p, &first);
	innocent();
	tsr_grid_scrub(grid);
	memset(out_mem, GUARD, OUT_SIZE);
	execute(&p, &again);
	must(first.state == again.state && first.digest == again.digest);
	must(!memcmp(&first.fault, &again.fault, sizeof(first.fault)));
	prog_fini(&p);
	return 0;
}

/* --- Mutation --------------------------------------------------------------------------------- */

static struct outside dice;

static u32 rnd(void)
{
	return outside_random(&dice);
}

/* Into the bytes, over what is there or between it. */
static size_t put_idiom(u8 *bytes, size_t size, size_t max)
{
	struct rv k = { .n = 0 };
	size_t at, n;
	bool between = rnd() % 2;

	outside_access(&dice, &k);
	n = k.n * 4;
	at = HEADER + rnd() % ((size - HEADER) / 4 + 1) * 4;
	if (at + n > max || size + n > max)
		return size;
	if (between)
		memmove(bytes + at + n, bytes + at, size - at);
	memcpy(bytes + at, k.code, n);
	return between ? size + n : size > at + n ? size : at + n;
}

static size_t put_instruction(u8 *bytes, size_t size)
{
	static const u8 opcodes[] = {
		0x37, 0x17, 0x6f, 0x67, 0x63, 0x03, 0x23, 0x13, 0x33, 0x0f, 0x73,
	};
	u32 word = (rnd() & ~0x7fu) | opcodes[rnd() % ARRAY_SIZE(opcodes)];

	memcpy(bytes + HEADER + rnd() % ((size - HEADER) / 4) * 4, &word, 4);
	return size;
}

size_t LLVMFuzzerCustomMutator(u8 *bytes, size_t size, size_t max, unsigned int seed)
{
	u32 i;

	dice.state = seed;
	if (size < HEADER + 4)
		return LLVMFuzzerMutate(bytes, size, max);
	switch (rnd() % 3) {
	case 0:
		return LLVMFuzzerMutate(bytes, size, max);
	case 1:
		return put_instruction(bytes, size);
	default:
		for (i = rnd() % 4 + 1; i; i--)
			size = put_idiom(bytes, size, max);
		return size;
	}
}
