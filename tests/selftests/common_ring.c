// SPDX-License-Identifier: MIT
#include "common_ring.h"

#include <stdlib.h>
#include <string.h>

#define SEMAPHORE	3

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state ^ *state >> 13;
}

/* Own words as ring.c wants them, row by row: rank, and the core of the next rank. */
static void own_words(struct ring *ring)
{
	const struct tessera_limits *l = &ring->job->d->info.limits;
	struct tessera_arg core[TESSERA_MAX_CORES];
	uint32_t n = 0;

	for (uint32_t bit = 0; bit < (uint32_t)l->grid_width * l->grid_height; bit++)
		if (!(l->harvested[bit / 64] >> bit % 64 & 1))
			core[n++] = (struct tessera_arg){ .x = bit % l->grid_width,
							  .y = bit / l->grid_width };
	for (uint32_t i = 0; i < n; i++) {
		const struct tessera_arg *next = &core[(i + 1) % n];

		dev_job_own(ring->job, core[i].x, core[i].y, STEPS(SEMAPHORE, i, next->x, next->y));
	}
}

int ring_new(struct dev *d, uint32_t chunk, struct ring *ret)
{
	uint32_t ranks = d->info.limits.cores, bytes = ranks * chunk * 4;
	int err;

	memset(ret, 0, sizeof(*ret));
	ret->ranks = ranks;
	ret->chunk = chunk;
	err = dev_compile(d, "examples/collective/kernels/ring.c", "REDUCE_OP=REDUCE_SUM",
			  TSR_PROC_DM0, &ret->image);
	if (!err)
		err = dev_buf(d, (uint64_t)ranks * bytes, &ret->in);
	if (!err)
		err = dev_buf(d, (uint64_t)ranks * bytes, &ret->out);
	if (err)
		return err;
	ret->job = dev_job(d);
	dev_job_kernel(ret->job, &ret->image, NULL, STEPS(ranks, chunk * 4));
	own_words(ret);
	dev_job_semaphore(ret->job, SEMAPHORE, 0);
	dev_job_cb(ret->job, 0, bytes, 1, TSR_FORMAT_RAW);
	dev_job_cb(ret->job, 1, bytes, 1, TSR_FORMAT_RAW);
	dev_job_bind(ret->job, TESSERA_ACCESS_IN, &ret->in);
	dev_job_bind(ret->job, TESSERA_ACCESS_OUT, &ret->out);
	return 0;
}

void ring_free(struct ring *ring)
{
	struct dev *d = ring->job->d;

	dev_job_free(ring->job);
	dev_buf_free(d, &ring->in);
	dev_buf_free(d, &ring->out);
	dev_image_free(&ring->image);
}

void ring_fill(struct ring *ring, uint32_t seed)
{
	uint32_t *in = ring->in.mem;

	for (uint32_t i = 0; i < ring->ranks * ring->ranks * ring->chunk; i++)
		in[i] = next_random(&seed);
	memset(ring->out.mem, 0xa5, ring->out.size);
}

uint32_t ring_wrong(const struct ring *ring)
{
	const uint32_t *in = ring->in.mem, *out = ring->out.mem;
	uint32_t words = ring->ranks * ring->chunk, wrong = 0;

	for (uint32_t i = 0; i < words; i++) {
		uint32_t sum = 0;

		for (uint32_t rank = 0; rank < ring->ranks; rank++)
			sum += in[rank * words + i];
		for (uint32_t rank = 0; rank < ring->ranks; rank++)
			wrong += out[rank * words + i] != sum;
	}
	return wrong;
}
