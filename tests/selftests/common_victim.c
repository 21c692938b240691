// SPDX-License-Identifier: MIT
#include "common_victim_int.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define VICTIM_ENTRY(name)	[VICTIM_##name] = victim_be_##name,
static void (*const victims[VICTIM_COUNT])(struct victim *v) = { VICTIM_POINTS(VICTIM_ENTRY) };

_Noreturn void victim_give_up(const char *what, long err)
{
	fprintf(stderr, "# victim: %s: %s\n", what, strerror((int)-err));
	_exit(1);
}

void victim_say(struct victim *v, int fd)
{
	struct victim_word word = { .fd = fd };

	if (write(v->ready, &word, sizeof(word)) != sizeof(word))
		victim_give_up("write", -errno);
}

_Noreturn void victim_stay(struct victim *v)
{
	HERE(v);
	for (;;)
		pause();
}

__u32 victim_submit(struct victim *v, __u32 ctx, __u32 program)
{
	__u32 run = 0;

	MUST(uapi_submit_program(v->fd, ctx, program, &run));
	return run;
}

__u32 victim_launch(struct victim *v, __u32 ctx)
{
	__u32 run = victim_submit(v, ctx, v->loop);

	MUST(uapi_wait_phase(v->fd, run, DRM_TESSERA_PHASE_LAUNCHED));
	return run;
}

void victim_device(pid_t pid, char *ret, size_t size)
{
	snprintf(ret, size, "victim%d", (int)pid);
}

_Noreturn void victim_live(enum victim_point point, const char *name, int ready,
			   unsigned int seed)
{
	struct victim v = { .name = name, .ready = ready, .seed = seed };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	v.fd = MUST(uapi_open(name));
	MUST(uapi_context(v.fd, 0, &v.ctx));
	MUST(uapi_context(v.fd, 0, &v.other));
	MUST(uapi_exit_program(v.fd, 0, &v.exit));
	MUST(uapi_loop_program(v.fd, &v.loop));
	MUST(uapi_gate_new(v.fd, &v.gate));
	victims[point](&v);
	/* Whoever comes back was not held up by what should have held it up. */
	fprintf(stderr, "# victim %d came back\n", point);
	_exit(2);
}
