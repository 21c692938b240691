// SPDX-License-Identifier: MIT
/*
 * Rubbish as programs (SEC-3): random words, random instructions that reach for everything there
 * is, on all processors of all cores. Whatever they do, their own run ends in bounded time, the
 * next one works, and memory that is not theirs to write stays as it was. The log of the kernel is
 * looked at after the test, as after every test.
 */
#include "common_guard.h"
#include "common_harness.h"

#include <stdlib.h>
#include <string.h>

#define SEEDS		250
#define WORDS		256

static uint32_t state;

static uint32_t rnd(void)
{
	return guard_random(&state);
}

/* Addresses that lead somewhere, and their neighbours. */
static uint32_t address(const struct tessera_limits *l)
{
	const uint32_t places[] = {
		TSR_L1_BASE, l->arg_base, l->image_base[0], l->image_base[1], l->image_base[2],
		l->cb_base, TSR_L1_BASE + l->l1_size, TSR_REG_CORE, TSR_REG_SEM, TSR_REG_CB,
		TSR_REG_NOC, TSR_REG_NOC, TSR_REG_NOC, TSR_REG_TILE, TSR_REG_TILE, 0, 0xfffffff0u,
	};

	return places[rnd() % ARRAY_SIZE(places)] + (rnd() % 4 ? rnd() % 16 * 4 : rnd() % 4096);
}

/* Any bits behind a real opcode. */
static uint32_t wild_instruction(void)
{
	static const uint8_t opcodes[] = {
		0x37, 0x17, 0x6f, 0x67, 0x63, 0x03, 0x23, 0x13, 0x33, 0x0f, 0x73,
	};

	return (rnd() & 0xffffff80) | opcodes[rnd() % ARRAY_SIZE(opcodes)];
}

/* Loads and stores go through x5 to x15, which hold addresses; results go to x16 and up. */
static uint32_t tame_instruction(void)
{
	static const uint32_t conditions[] = { 0, 1, 4, 5, 6, 7 };
	uint32_t rd = 16 + rnd() % 16, base = 5 + rnd() % 11, source = rnd() % 32;
	uint32_t offset = rnd() % 16 * 4, condition = conditions[rnd() % 6], f3 = rnd() % 8;
	int32_t way = ((int32_t)(rnd() % 24) - 8) * 4;

	switch (rnd() % 16) {
	case 0:
	case 1:
	case 2:
		return RV_LW(rd, offset, base);
	case 3:
	case 4:
	case 5:
		return RV_SW(source, offset, base);
	case 6:
	case 7:
		return RV_B(condition, source, rd, way);
	case 8:
		return RV_R(1, f3, rd, source, rd);
	case 9:
		return RV_ADDI(base, base, way);
	case 10:
		return rnd() % 8 ? RV_NOP : 0x0000100fu;	/* fence.i */
	default:
		return RV_R(0, f3, rd, source, rd);
	}
}

/* Mostly memory that is there: what reaches out faults at once, and is over. */
static uint32_t tame_address(const struct tessera_limits *l)
{
	if (rnd() % 8 == 0)
		return address(l) & ~3u;
	if (rnd() % 8 == 0)
		return TSR_REG_SEM + rnd() % 8 * TSR_SEM_STRIDE;
	return (rnd() % 4 ? l->cb_base : l->image_base[rnd() % 3]) + 64 + rnd() % 1024 * 4;
}

/* A whole transfer to a buffer, bound or not: words at random hardly ever make one. */
static uint32_t reach(const struct tessera_limits *l, uint32_t *words)
{
	uint32_t binding = rnd() % 4, offset = rnd() % 16384 & ~15u, size = 16u << rnd() % 5;
	const uint32_t code[] = { RV_WRITE_BUFFER(binding, offset, l->cb_base, size) };

	memcpy(words, code, sizeof(code));
	return ARRAY_SIZE(code);
}

/* Returns how many. */
static uint32_t make_words(const struct tessera_limits *l, uint32_t *words)
{
	static const uint32_t end[] = { RV_EXIT(0) };
	static const uint32_t wilds[] = { 0, 0, 10, 200 };
	uint32_t wild = wilds[rnd() % 4], n = 0, count = 64 + rnd() % (WORDS - 64);

	for (uint32_t reg = 5; reg < 16; reg++) {
		uint32_t value = wild < 200 ? tame_address(l) : rnd() % 2 ? rnd() : address(l);
		const uint32_t li[] = { RV_LI(reg, value) };

		memcpy(words + n, li, sizeof(li));
		n += 2;
	}
	if (rnd() % 2)
		n += reach(l, words + n);
	for (; n < count; n++)
		words[n] = rnd() % 200 < wild ? (rnd() % 2 ? wild_instruction() : rnd()) :
						tame_instruction();
	if (rnd() % 4)
		memcpy(words + count - ARRAY_SIZE(end), end, sizeof(end));
	return count;
}

FIXTURE(rubbish)
{
	struct dev d;
	struct dev_buf in, both, other;
};

FIXTURE_SETUP(rubbish)
{
	ASSERT_EQ(0, soft_open(&self->d, "rubbish", "no_progress_ms=30"));
	ASSERT_EQ(0, guard_buf(&self->d, 16384, &self->in));
	ASSERT_EQ(0, dev_buf(&self->d, 16384, &self->both));
	ASSERT_EQ(0, guard_buf(&self->d, 16384, &self->other));
}

FIXTURE_TEARDOWN(rubbish)
{
	soft_close(&self->d, "rubbish");
}

static void run_rubbish(struct __test_metadata *_metadata, FIXTURE_DATA(rubbish) *self,
			uint32_t *ret_code)
{
	struct dev_image image[TSR_PROCS_PER_CORE];
	struct dev_job *job = dev_job(&self->d);
	struct drm_tessera_status s;
	uint32_t words[WORDS], count, run, only = rnd() % 5;
	const struct tessera_range core = { 1, 2, 1, 2 };

	/* On one processor alone it may get far; among many one fault ends them all. */
	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++) {
		count = make_words(&self->d.info.limits, words);
		ASSERT_EQ(0, dev_words_image(&self->d, p, words, count, &image[p]));
		if (only >= TSR_PROCS_PER_CORE || only == p)
			dev_job_kernel(job, &image[p], only == p ? &core : NULL, words, 8);
	}
	dev_job_semaphore(job, 1, rnd());
	dev_job_cb(job, 0, 2048, 2, TSR_FORMAT_BF16);
	dev_job_cb(job, 1, 4096, 2, TSR_FORMAT_FP32);
	dev_job_bind(job, TESSERA_ACCESS_IN, &self->in);
	dev_job_bind(job, TESSERA_ACCESS_INOUT, &self->both);
	ASSERT_EQ(0, dev_submit(job, NULL, &run));
	if (uapi_wait(self->d.fd, run, uapi_in_ms(2000)) == -ETIME) {
		/* It may really make progress for ever, by heartbeats: then it can be stopped. */
		EXPECT_EQ(0, uapi_cancel(self->d.fd, run));
	}
	ASSERT_EQ(0, dev_finish(&self->d, run, &s));
	EXPECT_EQ(DRM_TESSERA_PHASE_RETIRED, s.phase);
	*ret_code = s.code;
	dev_job_free(job);
	for (uint32_t p = 0; p < TSR_PROCS_PER_CORE; p++)
		dev_image_free(&image[p]);
}

TEST_F_TIMEOUT(rubbish, only_its_own_run_suffers, 120)
{
	uint32_t codes[32] = { 0 }, code;
	struct drm_tessera_counters c;

	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		state = seed * 2654435761u;
		run_rubbish(_metadata, self, &code);
		ASSERT_GT(ARRAY_SIZE(codes), code);
		codes[code]++;
		if (seed % 20 == 0) {
			ASSERT_EQ(0, dev_good_run(&self->d))
				TH_LOG("after seed %u", seed);
		}
		ASSERT_TRUE(guard_intact(&self->in))
			TH_LOG("seed %u wrote to an input", seed);
		ASSERT_TRUE(guard_intact(&self->other))
			TH_LOG("seed %u wrote to a buffer that was not bound", seed);
	}
	TH_LOG("%u faults, %u without progress, %u stopped, %u succeeded",
	       codes[DRM_TESSERA_CODE_FAULT], codes[DRM_TESSERA_CODE_NO_PROGRESS],
	       codes[DRM_TESSERA_CODE_STOPPED], codes[DRM_TESSERA_CODE_OK]);
	/* Each end was met: else the rubbish is not what it is meant to be. */
	EXPECT_LT(0, codes[DRM_TESSERA_CODE_FAULT]);
	EXPECT_LT(0, codes[DRM_TESSERA_CODE_NO_PROGRESS]);
	EXPECT_LT(0, codes[DRM_TESSERA_CODE_OK]);
	ASSERT_EQ(0, uapi_counters(self->d.fd, &c));
	/* No program may cost the device its health. */
	EXPECT_EQ(0, c.resets);
	EXPECT_EQ(0, c.runs_failed_device);
	EXPECT_EQ(0, c.runs_quarantined);
}

DEV_HARNESS_MAIN
