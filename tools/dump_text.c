// SPDX-License-Identifier: MIT
/* Device core dumps for people, and the words that both outputs use. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include <tessera/names.h>

#include "dump.h"

const char *dump_state(uint32_t state)
{
	static const char *const names[] = { "off", "ready", "waiting", "done" };

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}

const char *dump_register(uint32_t number)
{
	static const char *const names[DUMP_REGS] = {
		"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2",
		"a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10",
		"s11", "t3", "t4", "t5", "t6",
	};

	return names[number % DUMP_REGS];
}

static bool in_range(uint32_t address, uint32_t base, uint32_t stride, uint32_t count,
		     uint32_t *ret_id, uint32_t *ret_offset)
{
	uint32_t at = address - base;

	*ret_id = at / stride;
	*ret_offset = at % stride;
	return address >= base && *ret_id < count;
}

const char *dump_wait(const struct tessera_dump_proc *proc, char *text, size_t size)
{
	uint32_t id, offset;

	text[0] = '\0';
	if (!proc->wait_register)
		return text;
	if (in_range(proc->wait_register, TSR_REG_SEM, TSR_SEM_STRIDE, DUMP_SEMS, &id, &offset))
		snprintf(text, size, "semaphore %u %s %u", id,
			 offset == TSR_SEM_WAIT_EQ ? "==" : ">=", proc->wait_value);
	else if (in_range(proc->wait_register, TSR_REG_CB, TSR_CB_STRIDE, DUMP_CBS, &id, &offset))
		snprintf(text, size, "circular buffer %u, %u pages %s", id, proc->wait_value,
			 offset == TSR_CB_RESERVE ? "free" : "readable");
	else
		snprintf(text, size, "register 0x%08x, %u", proc->wait_register, proc->wait_value);
	return text;
}

uint32_t dump_level(const struct tessera_dump_cb *cb)
{
	return cb->pushed - cb->popped;
}

static void print_fault(const struct drm_tessera_fault *f)
{
	printf("fault %s at (%u,%u) %s, pc 0x%08x, address 0x%" PRIx64 "\n  %s\n",
	       tsr_fault_name(f->cause), f->x, f->y, tsr_processor_name(f->processor), f->pc,
	       (uint64_t)f->address, tsr_fault_description(f->cause));
}

static void print_stall(const struct drm_tessera_stall *s)
{
	printf("stall %s: %u of %u cores done; processors: %u running, %u ready, %u waiting; "
	       "dispatch %s\n", tsr_stall_name(s->stall_class), s->cores_completed, s->cores_total,
	       s->running, s->ready, s->waiting, s->dispatch_done ? "done" : "not done");
	printf("  stuck: (%u,%u) %s, pc 0x%08x\n", s->stuck_x, s->stuck_y,
	       tsr_processor_name(s->stuck_processor), s->stuck_pc);
}

static void print_head(const struct dump *d)
{
	const struct drm_tessera_status *s = &d->status;

	printf("device %s, program %s, fingerprint %016" PRIx64 "%016" PRIx64 "\n",
	       d->head.device, d->head.program, (uint64_t)d->head.fingerprint[1],
	       (uint64_t)d->head.fingerprint[0]);
	printf("run %" PRIu64 " of context %" PRIu64 ": %s (class %s), %s\n  %s %s\n",
	       (uint64_t)s->run_id, (uint64_t)s->context_id, tsr_code_name(s->code),
	       tsr_class_name(s->failure_class), tsr_phase_name(s->phase),
	       tsr_code_description(s->code), tsr_code_hint(s->code));
	if (d->head.kernel[0])
		printf("kernel %s\n", d->head.kernel);
	if (s->code == DRM_TESSERA_CODE_FAULT)
		print_fault(&s->fault);
	else if (s->stall.stall_class)
		print_stall(&s->stall);
}

static void print_registers(const struct tessera_dump_proc *proc)
{
	for (uint32_t i = 0; i < DUMP_REGS; i++)
		printf("%s%-4s %08x%s", i % 8 ? "  " : "      ", dump_register(i),
		       proc->registers[i], i % 8 == 7 ? "\n" : "");
}

static void print_proc(uint32_t number, const struct tessera_dump_proc *proc)
{
	char text[64];

	if (proc->state == TESSERA_DUMP_OFF)
		return;
	printf("  %-8s %-8s pc 0x%08x  %" PRIu64 " cycles, %" PRIu64 " instructions",
	       tsr_processor_name(number), dump_state(proc->state), proc->pc,
	       (uint64_t)proc->cycles, (uint64_t)proc->instructions);
	if (*dump_wait(proc, text, sizeof(text)))
		printf("  waits for %s", text);
	putchar('\n');
	print_registers(proc);
}

static void print_core(const struct tessera_dump_core *core)
{
	printf("\ncore (%u,%u)\n", core->x, core->y);
	for (uint32_t p = 0; p < DUMP_PROCS; p++)
		print_proc(p, &core->procs[p]);
	printf("  semaphores");
	for (uint32_t i = 0; i < DUMP_SEMS; i++)
		printf(" %u", core->semaphores[i]);
	putchar('\n');
	for (uint32_t i = 0; i < DUMP_CBS; i++) {
		const struct tessera_dump_cb *cb = &core->cbs[i];

		if (cb->page_count)
			printf("  circular buffer %2u: %u of %u pages of %u bytes, %u pushed, "
			       "%u popped\n", i, dump_level(cb), cb->page_count, cb->page_size,
			       cb->pushed, cb->popped);
	}
}

void dump_print_text(const struct dump *dump)
{
	print_head(dump);
	for (uint32_t i = 0; i < dump->count; i++)
		print_core(&dump->cores[i]);
	dump_print_memory(dump);
}
