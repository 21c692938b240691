// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on purpose, one of each kind that the debug kernels are to find. Linked into the module's
 * variants "unit" and "race" only. Writing a name to the module's parameter "plant" commits the
 * fault; tests/planted/planted.sh looks whether it was reported.
 */
#include <linux/completion.h>
#include <linux/dma-fence.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include "device.h"

/* What the compiler cannot know. */
static u32 plant_four = 4;
static u32 plant_sink;

static void plant_leak(void)
{
	struct tsr_bank *bank = kmalloc(sizeof(*bank), GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(bank);
}

static void plant_use_after_free(void)
{
	struct tsr_bank *bank = kzalloc(sizeof(*bank), GFP_KERNEL);

	if (!bank)
		return;
	kfree(bank);
	OPTIMIZER_HIDE_VAR(bank);
	WRITE_ONCE(plant_sink, READ_ONCE(bank->generation));
}

static void plant_double_free(void)
{
	struct tsr_bank *bank = kzalloc(sizeof(*bank), GFP_KERNEL);

	kfree(bank);
	OPTIMIZER_HIDE_VAR(bank);
	kfree(bank);
}

/* A count of the user's that nobody compared with what was allocated. */
static void plant_unchecked_count(void)
{
	u32 *words = kcalloc(plant_four, sizeof(*words), GFP_KERNEL);
	u32 i, count = READ_ONCE(plant_four) + 1;

	if (!words)
		return;
	OPTIMIZER_HIDE_VAR(words);
	for (i = 0; i < count; i++)
		WRITE_ONCE(words[i], i);
	kfree(words);
}

/*
 * The same for an array whose size the compiler knows. What lies behind it is no forbidden memory:
 * KASAN has nothing to say.
 */
static void plant_index(void)
{
	static struct {
		u32 slots[4];
		u32 next;
	} table;

	table.slots[READ_ONCE(plant_four)] = 1;
	WRITE_ONCE(plant_sink, table.next);
}

static void plant_shift(void)
{
	WRITE_ONCE(plant_sink, 1u << (READ_ONCE(plant_four) * 8));
}

static DEFINE_MUTEX(plant_a);
static DEFINE_MUTEX(plant_b);

static void plant_inversion(void)
{
	mutex_lock(&plant_a);
	mutex_lock(&plant_b);
	mutex_unlock(&plant_b);
	mutex_unlock(&plant_a);
	mutex_lock(&plant_b);
	mutex_lock(&plant_a);
	mutex_unlock(&plant_a);
	mutex_unlock(&plant_b);
}

static DEFINE_SPINLOCK(plant_lock);

static void plant_sleep_in_atomic(void)
{
	spin_lock(&plant_lock);
	might_sleep();
	spin_unlock(&plant_lock);
}

/* Memory may wait for reclaim, which may wait for a fence (DESIGN decision 3). */
static void plant_signalling(void)
{
	bool cookie = dma_fence_begin_signalling();
	void *p = kmalloc(16, GFP_KERNEL);

	dma_fence_end_signalling(cookie);
	kfree(p);
}

static void plant_timer_fn(struct timer_list *timer)
{
}

static void plant_active_object(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, plant_timer_fn, 0);
	mod_timer(timer, jiffies + 600 * HZ);
	kfree(timer);
}

static u32 plant_shared;
static struct completion plant_done[2];

static int plant_racer(void *data)
{
	unsigned long end = jiffies + 2 * HZ;

	while (time_before(jiffies, end)) {
		u32 i;

		for (i = 0; i < 10000; i++) {
			plant_shared++;
			barrier();
		}
		cond_resched();
	}
	complete(data);
	return 0;
}

/* Counted by two threads without a lock. */
static void plant_race(void)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		init_completion(&plant_done[i]);
		if (IS_ERR(kthread_run(plant_racer, &plant_done[i], "plant/%u", i)))
			complete(&plant_done[i]);
	}
	for (i = 0; i < 2; i++)
		wait_for_completion(&plant_done[i]);
}

static const struct {
	const char *name;
	void (*fn)(void);
} plants[] = {
	{ "leak", plant_leak },
	{ "use_after_free", plant_use_after_free },
	{ "double_free", plant_double_free },
	{ "unchecked_count", plant_unchecked_count },
	{ "index", plant_index },
	{ "shift", plant_shift },
	{ "inversion", plant_inversion },
	{ "sleep_in_atomic", plant_sleep_in_atomic },
	{ "signalling", plant_signalling },
	{ "active_object", plant_active_object },
	{ "race", plant_race },
};

static int plant_set(const char *text, const struct kernel_param *kp)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(plants); i++) {
		if (sysfs_streq(text, plants[i].name)) {
			plants[i].fn();
			return 0;
		}
	}
	return -EINVAL;
}

static const struct kernel_param_ops plant_ops = { .set = plant_set };
module_param_cb(plant, &plant_ops, NULL, 0200);
MODULE_PARM_DESC(plant, "Commit this fault");
