// SPDX-License-Identifier: MIT
/* StarPU: an empty codelet with one piece of data. Its workers poll, so they pause between turns. */
#include <starpu.h>
#include <stdint.h>
#include <stdio.h>

#include "wall.h"

static starpu_data_handle_t handle;
static char data[4096];

static void nothing(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}

static struct starpu_codelet codelet = {
	.cpu_funcs = { nothing },
	.cpu_funcs_name = { "nothing" },
	.nbuffers = 1,
	.modes = { STARPU_RW },
};

static void set_up(void)
{
	wall_must(starpu_init(NULL), "StarPU (package libstarpu-dev)");
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)data, sizeof(data), 1);
	starpu_pause();
}

static void submit_one(void)
{
	wall_must(starpu_task_insert(&codelet, STARPU_RW, handle, 0), "StarPU task");
}

static void finish(void)
{
	wall_must(starpu_task_wait_for_all(), "StarPU wait");
}

static void round_trip(void)
{
	submit_one();
	finish();
}

static void submit(void)
{
	for (int i = 0; i < WALL_BATCH; i++)
		submit_one();
}

const struct wall_side wall_starpu = {
	.name = "starpu",
	.set_up = set_up,
	.wake = starpu_resume,
	.rest = starpu_pause,
	.round_trip = round_trip,
	.submit = submit,
	.finish = finish,
};
