// SPDX-License-Identifier: MIT
/*
 * tessera hart run: one processor of the grid's engine on a bare RV32IM program, with
 * as much of machine mode as test programs expect. See Documentation/device.rst.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hart.h"
#include "hart_elf.h"
#include "tool.h"

#define SLICE		4096	/* cycles between looks at tohost */
#define STATUS_LIMIT	124	/* exit status when --max-insns ran out */
#define STATUS_FAULT	125	/* exit status of an exception without a handler */

enum { CSR_MSTATUS = 0x300, CSR_MISA = 0x301, CSR_MTVEC = 0x305, CSR_MEPC = 0x341, CSR_MCAUSE, CSR_MTVAL,
	CSR_CYCLE = 0xc00, CSR_TIME, CSR_INSTRET, CSR_CYCLEH = 0xc80, CSR_TIMEH, CSR_INSTRETH,
	CSR_MCYCLE = 0xb00, CSR_MINSTRET = 0xb02, CSR_MCYCLEH = 0xb80, CSR_MINSTRETH = 0xb82 };

static const struct tsr_timing timing = {
	.alu = 1, .load = 1, .store = 1, .mul = 1, .div = 1, .noc_bytes = 1,
};

struct options {
	const char *file, *signature;
	uint64_t max_insns;
	bool strict, json;
};

enum outcome { RUNNING, EXITED, TOHOST, LIMIT, FAULT };

struct machine {
	struct tsr_hart hart;
	struct hart_image image;
	struct tsr_text *text;
	uint32_t csr[4096];
	enum outcome outcome;
	uint32_t status;	/* a0 of exit, value of tohost */
	double seconds;
};

static const char * const fault_names[TSR_FAULTS] = {
	[TSR_FAULT_ILLEGAL_INSN] = "illegal instruction",
	[TSR_FAULT_BREAKPOINT] = "breakpoint",
	[TSR_FAULT_ECALL] = "environment call",
	[TSR_FAULT_FETCH] = "instruction fetch",
	[TSR_FAULT_LOAD_MISALIGNED] = "misaligned load",
	[TSR_FAULT_STORE_MISALIGNED] = "misaligned store",
	[TSR_FAULT_LOAD_RANGE] = "load outside of memory",
	[TSR_FAULT_STORE_RANGE] = "store outside of memory",
};

/* mcause and mepc of a fault of the engine */
static uint32_t exception(const struct tsr_hart *h, uint32_t *pc)
{
	*pc = h->fault_pc;
	switch (h->cause) {
	case TSR_FAULT_BREAKPOINT:
		return 3;
	case TSR_FAULT_ECALL:
		return 11;
	case TSR_FAULT_FETCH:
		if (h->address & 3)
			return 0;
		*pc = h->address;
		return 1;
	case TSR_FAULT_LOAD_MISALIGNED:
		return 4;
	case TSR_FAULT_LOAD_RANGE:
		return 5;
	case TSR_FAULT_STORE_MISALIGNED:
		return 6;
	case TSR_FAULT_STORE_RANGE:
		return 7;
	default:
		return 2;
	}
}

static void take_trap(struct machine *m)
{
	struct tsr_hart *h = &m->hart;
	uint32_t pc, cause = exception(h, &pc);

	if (!m->csr[CSR_MTVEC]) {
		m->outcome = FAULT;
		return;
	}
	m->csr[CSR_MCAUSE] = cause;
	m->csr[CSR_MEPC] = pc;
	m->csr[CSR_MTVAL] = cause == 11 || cause == 3 ? 0 : h->address;
	h->pc = m->csr[CSR_MTVEC] & ~3u;
	h->from = h->pc;
	h->cycles++;	/* a handler that faults must not hang the tool */
}

static uint32_t csr_read(const struct machine *m, uint32_t nr)
{
	const struct tsr_hart *h = &m->hart;

	switch (nr) {
	case CSR_CYCLE:
	case CSR_TIME:
	case CSR_MCYCLE:
		return h->cycles;
	case CSR_CYCLEH:
	case CSR_TIMEH:
	case CSR_MCYCLEH:
		return h->cycles >> 32;
	case CSR_INSTRET:
	case CSR_MINSTRET:
		return h->instret;
	case CSR_INSTRETH:
	case CSR_MINSTRETH:
		return h->instret >> 32;
	default:
		return m->csr[nr];
	}
}

/* False: no such instruction, or a store to a read-only register. */
static bool do_csr(struct machine *m, uint32_t word)
{
	struct tsr_hart *h = &m->hart;
	uint32_t nr = word >> 20, f3 = (word >> 12) & 7, rd = (word >> 7) & 31;
	uint32_t rs1 = (word >> 15) & 31, value = f3 & 4 ? rs1 : h->x[rs1];
	bool write = (f3 & 3) == 1 || rs1;
	uint32_t old = csr_read(m, nr);

	if (!(f3 & 3) || (write && nr >> 10 == 3))
		return false;
	if (write && nr != CSR_MISA)
		m->csr[nr] = (f3 & 3) == 1 ? value : (f3 & 3) == 2 ? old | value : old & ~value;
	h->x[rd ? rd : TSR_REG_SINK] = old;
	tsr_hart_retire(h, 1);
	return true;
}

static void do_system(struct machine *m)
{
	struct tsr_hart *h = &m->hart;
	uint32_t word = h->address;

	switch (word) {
	case 0x00000073:	/* ecall */
		if (h->x[17] == 93) {
			m->outcome = EXITED;
			m->status = h->x[10];
			return;
		}
		tsr_hart_fault(h, TSR_FAULT_ECALL, 0);
		break;
	case 0x00100073:	/* ebreak */
		tsr_hart_fault(h, TSR_FAULT_BREAKPOINT, h->pc);
		break;
	case 0x30200073:	/* mret */
		tsr_hart_retire(h, 1);
		h->pc = h->from = m->csr[CSR_MEPC] & ~3u;
		return;
	case 0x10500073:	/* wfi */
		tsr_hart_retire(h, 1);
		return;
	default:
		if (do_csr(m, word))
			return;
		tsr_hart_fault(h, TSR_FAULT_ILLEGAL_INSN, word);
	}
	take_trap(m);
}

static void look_at_tohost(struct machine *m)
{
	const struct hart_image *image = &m->image;
	uint32_t value;

	if (!image->tohost || image->tohost < image->base ||
	    image->tohost - image->base > image->size - 4)
		return;
	value = tsr_get32(image->mem + (image->tohost - image->base));
	if (value) {
		m->outcome = TOHOST;
		m->status = value;
	}
}

static void run(struct machine *m, uint64_t max_insns)
{
	struct tsr_hart *h = &m->hart;
	struct timespec from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	while (m->outcome == RUNNING) {
		h->limit = h->cycles + SLICE;
		switch (tsr_hart_run(h)) {
		case TSR_EXIT_SYSTEM:
			do_system(m);
			break;
		case TSR_EXIT_FAULT:
			take_trap(m);
			break;
		default:
			break;
		}
		if (m->outcome == RUNNING)
			look_at_tohost(m);
		if (m->outcome == RUNNING && h->instret >= max_insns)
			m->outcome = LIMIT;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	m->seconds = (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) * 1e-9;
}

static int exit_status(const struct machine *m)
{
	switch (m->outcome) {
	case EXITED:
		return m->status & 0xff;
	case TOHOST:
		return m->status == 1 ? 0 : (m->status >> 1 & 0xff) ? (int)(m->status >> 1 & 0xff) : 1;
	case LIMIT:
		return STATUS_LIMIT;
	default:
		return STATUS_FAULT;
	}
}

static void print_end(const struct machine *m)
{
	const struct tsr_hart *h = &m->hart;

	switch (m->outcome) {
	case EXITED:
		printf("exit %" PRIu32 "\n", m->status);
		break;
	case TOHOST:
		if (m->status == 1)
			printf("tohost: pass\n");
		else
			printf("tohost: test %" PRIu32 " failed\n", m->status >> 1);
		break;
	case LIMIT:
		printf("stopped by --max-insns at pc 0x%08" PRIx32 "\n", h->pc);
		break;
	default:
		printf("fault: %s, pc 0x%08" PRIx32 ", address 0x%08" PRIx64 "\n",
		       fault_names[h->cause], h->fault_pc, (uint64_t)h->address);
	}
}

static void report(const struct machine *m, const struct options *opt)
{
	static const char * const names[] = { "running", "exit", "tohost", "limit", "fault" };
	const struct tsr_hart *h = &m->hart;
	double rate = m->seconds > 0 ? h->instret / m->seconds * 1e-6 : 0;

	if (opt->json) {
		printf("{\"end\":\"%s\",\"status\":%d,\"instructions\":%" PRIu64
		       ",\"seconds\":%.6f,\"million_per_second\":%.1f,\"pc\":%" PRIu32
		       ",\"cause\":%" PRIu32 "}\n",
		       names[m->outcome], exit_status(m), (uint64_t)h->instret, m->seconds, rate,
		       h->pc, h->cause);
		return;
	}
	print_end(m);
	printf("%" PRIu64 " instructions in %.3f s, %.1f million instr/s\n",
	       (uint64_t)h->instret, m->seconds, rate);
}

static int dump_signature(const struct machine *m, const char *path)
{
	const struct hart_image *image = &m->image;
	uint32_t at = image->begin_signature;
	int status;
	FILE *f;

	if (image->end_signature < at || at < image->base ||
	    image->end_signature - image->base > image->size)
		return tool_error("the program has no signature");
	f = fopen(path, "w");
	if (!f)
		return tool_error("%s: %m", path);
	for (; at + 4 <= image->end_signature; at += 4)
		fprintf(f, "%08" PRIx32 "\n", tsr_get32(image->mem + (at - image->base)));
	status = ferror(f) ? -1 : 0;
	if (fclose(f) || status)
		return tool_error("%s: the signature is not whole: %m", path);
	return 0;
}

static int start(struct machine *m, const struct options *opt)
{
	struct hart_image *image = &m->image;
	struct tsr_hart *h = &m->hart;
	int status = hart_image_load(opt->file, image);

	if (status)
		return status;
	m->text = tsr_text_decode(&timing, image->base, image->text,
				  image->mem + (image->text - image->base), image->text_size);
	if (!m->text) {
		hart_image_free(image);
		return tool_error("out of memory");
	}
	h->mem = image->mem;
	h->mem_base = image->base;
	h->mem_size = image->size;
	h->pc = h->from = image->entry;
	h->x[2] = (image->base + image->size) & ~15u;	/* sp */
	h->text = m->text;
	h->timing = &timing;
	h->misaligned = !opt->strict;
	return 0;
}

static int hart_run(const struct options *opt)
{
	struct machine *m = calloc(1, sizeof(*m));
	int status;

	if (!m)
		return tool_error("out of memory");
	status = start(m, opt);
	if (!status) {
		run(m, opt->max_insns);
		report(m, opt);
		status = exit_status(m);
		if (opt->signature && dump_signature(m, opt->signature))
			status = 2;
		tsr_text_free(m->text);
		hart_image_free(&m->image);
	}
	free(m);
	return status;
}

static void usage(FILE *to)
{
	fputs("usage: tessera hart run FILE.elf [--max-insns=N] [--strict-align]\n"
	      "                   [--signature=FILE] [--json]\n"
	      "\n"
	      "Runs a bare RV32IM program. It ends by ecall with a7 = 93 and the status in a0,\n"
	      "or by a store to the symbol 'tohost': 1 is success, else bits 31:1 are the number\n"
	      "of the failed test. The exit status is that status, 124 when N instructions did\n"
	      "not suffice, 125 after an exception while mtvec is 0.\n"
	      "\n"
	      "  --max-insns=N     stop after about N instructions\n"
	      "  --strict-align    misaligned loads and stores are exceptions\n"
	      "  --signature=FILE  write the words between begin_signature and end_signature\n"
	      "  --json            report as one JSON object\n", to);
}

int tool_hart(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "max-insns", required_argument, NULL, 'm' },
		{ "strict-align", no_argument, NULL, 'a' },
		{ "signature", required_argument, NULL, 's' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options opt = { .max_insns = UINT64_MAX };
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case 'm':
			errno = 0;
			opt.max_insns = strtoull(optarg, &end, 0);
			if (errno || *end || *optarg < '0' || *optarg > '9')
				return tool_error("--max-insns=%s: allowed are 0 to %" PRIu64,
						  optarg, UINT64_MAX);
			break;
		case 'a':
			opt.strict = true;
			break;
		case 's':
			opt.signature = optarg;
			break;
		case 'j':
			opt.json = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			return 2;
		}
	}
	if (argc - optind != 2 || strcmp(argv[optind], "run")) {
		usage(stderr);
		return 2;
	}
	opt.file = argv[optind + 1];
	return hart_run(&opt);
}
