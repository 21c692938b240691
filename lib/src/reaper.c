// SPDX-License-Identifier: MIT
/*
 * The observer of last resort: runs that nobody looks at any more still hold owners, which have
 * to be released when they retire. A thread waits for them; it is there only while there are any.
 */
#include <errno.h>
#include <signal.h>

#include "run_int.h"

static struct tsr_run *next_orphan(struct tsr_device *dev)
{
	struct tsr_run *run;

	pthread_mutex_lock(&dev->reaper_lock);
	run = dev->orphans;
	if (run)
		dev->orphans = run->orphan;
	else
		dev->reaping = false;
	pthread_mutex_unlock(&dev->reaper_lock);
	return run;
}

/* Holds a reference to the device, which goes last. */
static void *reap(void *arg)
{
	struct tsr_device *dev = arg;
	struct tsr_run *run;

	while ((run = next_orphan(dev))) {
		tsr_run_await(run, -1);
		tsr_run_put(run);
	}
	tsr_device_unref(dev);
	return NULL;
}

static int start(struct tsr_device *dev)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Signals of the process are none of its business. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, &attr, reap, tsr_device_ref(dev));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (err)
		tsr_device_unref(dev);
	return err;
}

void tsr_reaper_adopt(struct tsr_run *run)
{
	struct tsr_device *dev = run->context->dev;
	struct tsr_run **end;
	bool begin;

	pthread_mutex_lock(&dev->reaper_lock);
	for (end = &dev->orphans; *end; end = &(*end)->orphan)
		;
	run->orphan = NULL;
	*end = run;
	begin = !dev->reaping;
	dev->reaping = true;
	pthread_mutex_unlock(&dev->reaper_lock);
	/* Without a thread the caller has to wait: owners must be released some time. */
	if (begin && start(dev))
		reap(tsr_device_ref(dev));
}
