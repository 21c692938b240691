// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The state of cores after a stop, for a device core dump (FL-10). */
#include "dump.h"
#include "grid_int.h"

static u32 dump_wait_register(const struct tsr_wait *wait)
{
	u32 sem = TSR_REG_SEM + wait->id * TSR_SEM_STRIDE;
	u32 cb = TSR_REG_CB + wait->id * TSR_CB_STRIDE;

	switch (wait->kind) {
	case TSR_WAIT_SEM_EQ:
		return sem + TSR_SEM_WAIT_EQ;
	case TSR_WAIT_SEM_MIN:
		return sem + TSR_SEM_WAIT_MIN;
	case TSR_WAIT_CB_FREE:
		return cb + TSR_CB_RESERVE;
	default:
		return cb + TSR_CB_WAIT;
	}
}

static void dump_proc(const struct tsr_proc *p, struct tessera_dump_proc *to)
{
	static const u8 states[] = {
		[TSR_PROC_OFF] = TESSERA_DUMP_OFF,
		[TSR_PROC_READY] = TESSERA_DUMP_READY,
		[TSR_PROC_WAIT] = TESSERA_DUMP_WAITING,
		[TSR_PROC_DONE] = TESSERA_DUMP_DONE,
	};

	to->state = states[p->state];
	if (p->state == TSR_PROC_OFF)
		return;
	to->pc = p->hart.pc;
	to->cycles = p->hart.cycles;
	to->instructions = p->hart.instret;
	if (p->state == TSR_PROC_WAIT) {
		to->wait_register = dump_wait_register(&p->wait);
		to->wait_value = p->wait.value;
	}
	memcpy(to->registers, p->hart.x, sizeof(to->registers));
}

int tsr_grid_dump(const struct tsr_grid *grid, u16 x, u16 y, struct tessera_dump_core *ret)
{
	const struct tsr_core *c = tsr_core_at(grid, x, y);
	u32 i;

	if (!c || c->launch != grid->launches)
		return -ENOENT;
	memset(ret, 0, sizeof(*ret));
	ret->x = x;
	ret->y = y;
	for (i = 0; i < TSR_PROCS_PER_CORE; i++)
		dump_proc(&c->procs[i], &ret->procs[i]);
	for (i = 0; i < TSR_SEMAPHORES; i++)
		ret->semaphores[i] = c->sems[i].value;
	for (i = 0; i < TSR_CIRCULAR_BUFFERS; i++) {
		if (!c->cbs[i].page_count)
			continue;
		ret->cbs[i].page_size = c->cbs[i].page_size;
		ret->cbs[i].page_count = c->cbs[i].page_count;
		ret->cbs[i].pushed = c->cbs[i].pushed;
		ret->cbs[i].popped = c->cbs[i].popped;
	}
	return 0;
}
