// SPDX-License-Identifier: MIT
#include <pthread.h>

#include "nest.h"
#include "util.h"

static _Thread_local const struct tsr_nest *current;

/* Waits of builds, of all caches of the process; inside the lock of any memo. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tsr_nest_wait *waits;

const struct tsr_nest *tsr_nest_current(void)
{
	return current;
}

void tsr_nest_set(const struct tsr_nest *nest)
{
	current = nest;
}

static bool is_inside(const struct tsr_nest *nest, const struct tsr_memo_entry *entry)
{
	while (nest && nest->entry != entry)
		nest = nest->outer;
	return nest;
}

/*
 * Does @entry, in the end, wait for a build of @nest? There is no cycle among the waits that have
 * begun, so this ends.
 */
static bool waits_for(const struct tsr_memo_entry *entry, const struct tsr_nest *nest)
{
	if (is_inside(nest, entry))
		return true;
	for (const struct tsr_nest_wait *w = waits; w; w = w->next)
		if (is_inside(w->inside, entry) && waits_for(w->target, nest))
			return true;
	return false;
}

bool tsr_nest_wait_begin(struct tsr_nest_wait *wait, const struct tsr_memo_entry *target)
{
	bool fine;

	*wait = (struct tsr_nest_wait){ .inside = current, .target = target };
	/* Nobody waits for a thread that builds nothing. */
	if (!current)
		return true;
	pthread_mutex_lock(&lock);
	fine = !waits_for(target, current);
	if (fine) {
		wait->next = waits;
		waits = wait;
	}
	pthread_mutex_unlock(&lock);
	return fine;
}

void tsr_nest_wait_end(struct tsr_nest_wait *wait)
{
	struct tsr_nest_wait **p = &waits;

	if (!wait->inside)
		return;
	pthread_mutex_lock(&lock);
	while (*p != wait)
		p = &(*p)->next;
	*p = wait->next;
	pthread_mutex_unlock(&lock);
}
