// SPDX-License-Identifier: MIT
/* The status record: from the kernel's layout to the public one, and to text. */
#include <inttypes.h>

#include <drm/tessera_grid.h>
#include <tessera/names.h>

#include "grid.h"
#include "status_int.h"
#include "util.h"

static void fault_from_uapi(const struct drm_tessera_status *from, struct tsr_run_fault *to)
{
	to->cause = from->fault.cause;
	to->x = from->fault.x;
	to->y = from->fault.y;
	to->processor = from->fault.processor;
	to->pc = from->fault.pc;
	to->address = from->fault.address;
	to->kernel = from->fault.kernel;
}

static void stall_from_uapi(const struct drm_tessera_status *from, struct tsr_run_stall *to)
{
	to->stall_class = from->stall.stall_class;
	to->cores_completed = from->stall.cores_completed;
	to->cores_total = from->stall.cores_total;
	to->running = from->stall.running;
	to->ready = from->stall.ready;
	to->waiting = from->stall.waiting;
	to->dispatch_done = from->stall.dispatch_done;
	to->stuck_processor = from->stall.stuck_processor;
	to->stuck_x = from->stall.stuck_x;
	to->stuck_y = from->stall.stuck_y;
	to->stuck_pc = from->stall.stuck_pc;
	to->stuck_address = from->stall.stuck_address;
	to->stuck_kernel = from->stall.stuck_kernel;
}

void tsr_status_from_uapi(const struct drm_tessera_status *from, struct tsr_status *ret)
{
	*ret = (struct tsr_status){
		.run_id = from->run_id,
		.context_id = from->context_id,
		.epoch = from->epoch,
		.reset_generation = from->reset_generation,
		.user_data = from->user_data,
		.phase = from->phase,
		.code = from->code,
		.failure_class = from->failure_class,
		.poison_code = from->poison_code,
		.poison_run = from->poison_run,
		.verdict_source = from->verdict_source,
		.flags = from->flags,
		.queued_ns = from->queued_ns,
		.staged_ns = from->staged_ns,
		.launched_ns = from->launched_ns,
		.completed_ns = from->completed_ns,
		.retired_ns = from->retired_ns,
	};
	if (from->code == DRM_TESSERA_CODE_FAULT)
		fault_from_uapi(from, &ret->fault);
	else if (from->stall.stall_class)
		stall_from_uapi(from, &ret->stall);
}

static void print_kernel(uint32_t kernel, FILE *out)
{
	if (kernel != TSR_NO_KERNEL)
		fprintf(out, ", descriptor %" PRIu32, kernel);
}

/* A number of the block of registers that begins at @base, or false. */
static bool in_block(uint32_t address, uint32_t base, uint32_t stride, uint32_t count,
		     uint32_t *ret_id)
{
	*ret_id = (address - base) / stride;
	return address >= base && *ret_id < count;
}

/* What a processor waits for by the register that it stored to (FL-12). */
static void print_wait(uint32_t address, FILE *out)
{
	uint32_t id;

	if (in_block(address, TSR_REG_SEM, TSR_SEM_STRIDE, TSR_SEMAPHORES, &id))
		fprintf(out, ", waiting for semaphore %" PRIu32, id);
	else if (in_block(address, TSR_REG_CB, TSR_CB_STRIDE, TSR_CIRCULAR_BUFFERS, &id))
		fprintf(out, ", waiting for pages of circular buffer %" PRIu32 " to be %s", id,
			address % TSR_CB_STRIDE == TSR_CB_RESERVE ? "free" : "readable");
	else
		fprintf(out, ", waiting at register 0x%08" PRIx32, address);
}

static void print_fault(const struct tsr_run_fault *f, FILE *out)
{
	fprintf(out, "  fault: %s at core (%u,%u) %s, pc 0x%08" PRIx32 ", address 0x%" PRIx64,
		tsr_fault_name(f->cause), f->x, f->y, tsr_processor_name(f->processor), f->pc,
		f->address);
	print_kernel(f->kernel, out);
	fprintf(out, "\n    %s\n", tsr_fault_description(f->cause));
}

static void print_stall(const struct tsr_run_stall *s, FILE *out)
{
	fprintf(out, "  stall: %s, %" PRIu32 " of %" PRIu32 " cores done, processors: %" PRIu32
		" running, %" PRIu32 " ready, %" PRIu32 " waiting, dispatch %s\n",
		tsr_stall_name(s->stall_class), s->cores_completed, s->cores_total, s->running,
		s->ready, s->waiting, s->dispatch_done ? "done" : "not done");
	fprintf(out, "    stuck: core (%u,%u) %s, pc 0x%08" PRIx32, s->stuck_x, s->stuck_y,
		tsr_processor_name(s->stuck_processor), s->stuck_pc);
	if (s->stuck_address)
		print_wait(s->stuck_address, out);
	print_kernel(s->stuck_kernel, out);
	fputc('\n', out);
}

/* A time since it was queued, or a dash: what was not measured is never zero (OB-4). */
static void print_time(const char *name, uint64_t ns, uint64_t queued, FILE *out)
{
	if (ns && queued && ns >= queued)
		fprintf(out, " %s +%" PRIu64 " us", name, (ns - queued) / 1000);
	else
		fprintf(out, " %s -", name);
}

TSR_API void tsr_status_print(const struct tsr_status *status, FILE *out)
{
	fprintf(out, "run %" PRIu64 " context %" PRIu64 ": %s, %s", status->run_id,
		status->context_id, tsr_phase_name(status->phase), tsr_code_name(status->code));
	if (status->failure_class)
		fprintf(out, " (class %s)", tsr_class_name(status->failure_class));
	fputc('\n', out);
	if (status->code)
		fprintf(out, "  %s %s\n", tsr_code_description(status->code),
			tsr_code_hint(status->code));
	if (status->poison_run)
		fprintf(out, "  poisoned by run %" PRIu64 ": %s\n", status->poison_run,
			tsr_code_name(status->poison_code));
	if (status->fault.cause)
		print_fault(&status->fault, out);
	if (status->stall.stall_class)
		print_stall(&status->stall, out);
	if (status->flags & TSR_STATUS_OUTPUTS_UNDEFINED)
		fputs("  outputs are undefined\n", out);
	if (status->flags & TSR_STATUS_DIAG_INCOMPLETE)
		fputs("  diagnostics are incomplete\n", out);
	fputs("  times:", out);
	print_time("staged", status->staged_ns, status->queued_ns, out);
	print_time("launched", status->launched_ns, status->queued_ns, out);
	print_time("completed", status->completed_ns, status->queued_ns, out);
	print_time("retired", status->retired_ns, status->queued_ns, out);
	fputc('\n', out);
}
