/* SPDX-License-Identifier: MIT */
/* What the victims of common_victim*.c have in common. */
#ifndef TSR_TESTS_COMMON_VICTIM_INT_H
#define TSR_TESTS_COMMON_VICTIM_INT_H

#include "common_victim.h"

/* struct victim - what each of them has */
struct victim {
	const char *name;
	int ready;
	unsigned int seed;
	int fd;
	__u32 ctx, other, exit, loop;
	struct uapi_gate gate;
};

#define VICTIM_PROTOTYPE(name)	void victim_be_##name(struct victim *v);
VICTIM_POINTS(VICTIM_PROTOTYPE)

_Noreturn void victim_give_up(const char *what, long err);
/* victim_say() - it is where it shall die; @fd: see struct victim_word */
void victim_say(struct victim *v, int fd);
/* victim_stay() - and it does nothing more */
_Noreturn void victim_stay(struct victim *v);
__u32 victim_submit(struct victim *v, __u32 ctx, __u32 program);
/* victim_launch() - a run that executes until its owner is dead */
__u32 victim_launch(struct victim *v, __u32 ctx);

/* victim_must() - what cannot fail while the victim is alive, and its answer */
static inline int victim_must(const char *call, long ret)
{
	if (ret < 0)
		victim_give_up(call, ret);
	return (int)ret;
}

#define MUST(call)	victim_must(#call, call)
#define HERE(v)		victim_say(v, -1)
/* What the victim does until it is killed. */
#define AGAIN(v)	for (HERE(v);;)

#endif
