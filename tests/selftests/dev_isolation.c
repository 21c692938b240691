// SPDX-License-Identifier: MIT
/*
 * A kernel reaches what is bound to its run, with the access bound, and nothing else (IO-4).
 * A transfer that is refused moves no byte of it.
 */
#include "common_harness.h"

#include <string.h>

#define GUARD		0xc3c3c3c3u
#define WHOLE		16384
#define START		4096		/* the bindings begin here in their buffers */
#define BOUND		1000		/* and are no multiple of anything */

enum { BIND_IN, BIND_OUT, BIND_INOUT };

FIXTURE(iso)
{
	struct dev d;
	struct dev_buf in, out, both;
	uint32_t l1, l1_end;
};

FIXTURE_SETUP(iso)
{
	ASSERT_EQ(0, dev_open(&self->d, NULL));
	ASSERT_EQ(0, dev_buf(&self->d, WHOLE, &self->in));
	ASSERT_EQ(0, dev_buf(&self->d, WHOLE, &self->out));
	ASSERT_EQ(0, dev_buf(&self->d, WHOLE, &self->both));
	self->l1 = self->d.info.limits.cb_base;
	self->l1_end = TSR_L1_BASE + self->d.info.limits.l1_size;
}

FIXTURE_TEARDOWN(iso)
{
	dev_close(&self->d);
}

static void fill_guards(FIXTURE_DATA(iso) *self)
{
	memset(self->in.mem, (int)(GUARD & 0xff), WHOLE);
	memset(self->out.mem, (int)(GUARD & 0xff), WHOLE);
	memset(self->both.mem, (int)(GUARD & 0xff), WHOLE);
}

static bool guards_intact(const FIXTURE_DATA(iso) *self)
{
	const uint32_t *a = self->in.mem, *b = self->out.mem, *c = self->both.mem;

	for (uint32_t i = 0; i < WHOLE / 4; i++)
		if (a[i] != GUARD || b[i] != GUARD || c[i] != GUARD)
			return false;
	return true;
}

static void bind_at(struct dev_job *job, uint32_t access, const struct dev_buf *buf)
{
	dev_job_bind(job, access, buf);
	job->binds[job->n_bindings - 1].offset = START;
	job->binds[job->n_bindings - 1].size = BOUND;
}

/* Steps on DM0 of core 1,1, with three bindings that are pieces of their buffers. */
static void run_steps(struct __test_metadata *_metadata, FIXTURE_DATA(iso) *self,
		      const uint32_t *steps, uint32_t count, struct drm_tessera_status *ret)
{
	struct dev_job *job = dev_job(&self->d);

	dev_job_script(job, TSR_PROC_DM0, 1, 1, steps, count);
	bind_at(job, TESSERA_ACCESS_IN, &self->in);
	bind_at(job, TESSERA_ACCESS_OUT, &self->out);
	bind_at(job, TESSERA_ACCESS_INOUT, &self->both);
	ASSERT_EQ(0, dev_execute(job, ret));
	dev_job_free(job);
}

/** struct transfer - one NoC command, and the fault that must come of it */
struct transfer {
	const char *name;
	uint32_t cause;			/* TSR_FAULT_NONE: it is allowed */
	uint32_t steps[6];
};

static void check_transfer(struct __test_metadata *_metadata, FIXTURE_DATA(iso) *self,
			   const struct transfer *t)
{
	struct drm_tessera_status s;
	uint32_t steps[16] = { STEP_FILL, self->l1, 0x51515151, 512 }, n = 4;

	memcpy(steps + n, t->steps, sizeof(t->steps));
	n += 6;
	fill_guards(self);
	run_steps(_metadata, self, steps, n, &s);
	if (!t->cause) {
		EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code)
			TH_LOG("%s", t->name);
		return;
	}
	EXPECT_EQ(DRM_TESSERA_CODE_FAULT, s.code)
		TH_LOG("%s", t->name);
	EXPECT_EQ(t->cause, s.fault.cause)
		TH_LOG("%s", t->name);
	EXPECT_EQ(dev_symbol(dev_script(&self->d, TSR_PROC_DM0), "at_store"), s.fault.pc);
	/* Not even the part that would have been inside. */
	EXPECT_TRUE(guards_intact(self))
		TH_LOG("%s", t->name);
}

#define READ	TSR_NOC_CMD_READ
#define WRITE	TSR_NOC_CMD_WRITE
#define L1	(self->l1)

TEST_F(iso, buffers_end_where_the_binding_ends)
{
	const struct transfer cases[] = {
		{ "the last byte", 0, { NOC_BUFFER(BIND_IN, BOUND - 1, L1, 1, READ) } },
		{ "all of it", 0, { NOC_BUFFER(BIND_INOUT, 0, L1, BOUND, READ) } },
		{ "one behind", TSR_FAULT_BUFFER_RANGE,
		  { NOC_BUFFER(BIND_IN, BOUND, L1, 1, READ) } },
		{ "one too long", TSR_FAULT_BUFFER_RANGE,
		  { NOC_BUFFER(BIND_INOUT, 0, L1, BOUND + 1, READ) } },
		{ "over the end", TSR_FAULT_BUFFER_RANGE,
		  { NOC_BUFFER(BIND_INOUT, BOUND - 8, L1, 16, WRITE) } },
		{ "in the buffer, behind the binding", TSR_FAULT_BUFFER_RANGE,
		  { NOC_BUFFER(BIND_INOUT, START, L1, 16, WRITE) } },
		{ "word over the end", TSR_FAULT_BUFFER_RANGE,
		  { NOC_BUFFER(BIND_OUT, BOUND - 2, 7, 4, TSR_NOC_CMD_WRITE_WORD) } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_transfer(_metadata, self, &cases[i]);
}

/* 46 bits of offset and 32 of size: no sum of them comes out small again. */
TEST_F(iso, offsets_do_not_wrap)
{
	static const uint64_t offsets[] = {
		0xfffffff0u, 0xffffffffu, 1ull << 32, (1ull << 32) + 16, (1ull << 32) - 16,
		1ull << 40, (1ull << 45), (1ull << 46) - 1, (1ull << 46) - 16, (1ull << 46) - START,
	};
	static const uint32_t sizes[] = { 1, 16, 32, 4096 };

	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
			const struct transfer w = { "write", TSR_FAULT_BUFFER_RANGE,
				{ NOC_BUFFER(BIND_INOUT, offsets[i], L1, sizes[k], WRITE) } };

			check_transfer(_metadata, self, &w);
		}
	}
}

TEST_F(iso, sizes_do_not_wrap)
{
	static const uint32_t sizes[] = { 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		/* The own L1 is looked at first. */
		const struct transfer cases[] = {
			{ "buffer", TSR_FAULT_NOC_COMMAND,
			  { NOC_BUFFER(BIND_INOUT, 0, L1, sizes[i], WRITE) } },
			{ "core", TSR_FAULT_NOC_COMMAND,
			  { NOC_CORE(0, 0, L1, L1, sizes[i], WRITE) } },
			{ "rectangle", TSR_FAULT_NOC_COMMAND,
			  { NOC_RECT(0, 0, 1, 1, L1, L1, sizes[i], WRITE) } },
		};

		for (size_t k = 0; k < ARRAY_SIZE(cases); k++)
			check_transfer(_metadata, self, &cases[k]);
	}
}

TEST_F(iso, access_is_as_bound)
{
	const struct transfer cases[] = {
		{ "read of OUT", TSR_FAULT_BUFFER_READ, { NOC_BUFFER(BIND_OUT, 0, L1, 16, READ) } },
		{ "write to IN", TSR_FAULT_BUFFER_WRITE,
		  { NOC_BUFFER(BIND_IN, 0, L1, 16, WRITE) } },
		{ "word to IN", TSR_FAULT_BUFFER_WRITE,
		  { NOC_BUFFER(BIND_IN, 0, 1, 4, TSR_NOC_CMD_WRITE_WORD) } },
		{ "read of IN", 0, { NOC_BUFFER(BIND_IN, 0, L1, 16, READ) } },
		{ "write to OUT", 0, { NOC_BUFFER(BIND_OUT, 0, L1, 16, WRITE) } },
		{ "read of INOUT", 0, { NOC_BUFFER(BIND_INOUT, 0, L1, 16, READ) } },
		{ "write to INOUT", 0, { NOC_BUFFER(BIND_INOUT, 0, L1, 16, WRITE) } },
		{ "not bound", TSR_FAULT_BUFFER_UNBOUND, { NOC_BUFFER(3, 0, L1, 16, READ) } },
		{ "largest index", TSR_FAULT_BUFFER_UNBOUND,
		  { NOC_BUFFER(0xffff, 0, L1, 16, WRITE) } },
		{ "increment in a buffer", TSR_FAULT_NOC_COMMAND,
		  { NOC_BUFFER(BIND_INOUT, 0, 1, 4, TSR_NOC_CMD_SEM_INC) } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_transfer(_metadata, self, &cases[i]);
}

TEST_F(iso, other_cores_end_where_their_l1_ends)
{
	uint32_t end = self->l1_end, w = self->d.info.limits.grid_width;
	uint32_t h = self->d.info.limits.grid_height;
	const struct transfer cases[] = {
		{ "the last bytes", 0, { NOC_CORE(0, 0, end - 16, L1, 16, WRITE) } },
		{ "over the end", TSR_FAULT_NOC_TARGET,
		  { NOC_CORE(0, 0, end - 8, L1, 16, WRITE) } },
		{ "read over the end", TSR_FAULT_NOC_TARGET,
		  { NOC_CORE(0, 0, end - 8, L1, 16, READ) } },
		{ "below", TSR_FAULT_NOC_TARGET,
		  { NOC_CORE(0, 0, TSR_L1_BASE - 8, L1, 16, WRITE) } },
		{ "address 0", TSR_FAULT_NOC_TARGET, { NOC_CORE(0, 0, 0, L1, 16, READ) } },
		{ "up to 2^32", TSR_FAULT_NOC_TARGET,
		  { NOC_CORE(0, 0, 0xfffffff8u, L1, 16, READ) } },
		{ "its registers", TSR_FAULT_NOC_TARGET,
		  { NOC_CORE(0, 0, TSR_REG_CORE, L1, 4, READ) } },
		{ "its NoC interface", TSR_FAULT_NOC_TARGET,
		  { NOC_CORE(0, 0, TSR_REG_NOC + TSR_NOC_COMMAND, 1, 4, TSR_NOC_CMD_WRITE_WORD) } },
		{ "two semaphores at once", TSR_FAULT_NOC_TARGET,
		  { NOC_CORE(0, 0, SEM_REG(0, TSR_SEM_VALUE), L1, 32, WRITE) } },
		{ "a semaphore's ADD", TSR_FAULT_NOC_TARGET,
		  { NOC_CORE(0, 0, SEM_REG(0, TSR_SEM_ADD), 1, 4, TSR_NOC_CMD_WRITE_WORD) } },
		{ "semaphore 16", TSR_FAULT_SEMAPHORE,
		  { NOC_CORE(0, 0, SEM_REG(16, TSR_SEM_VALUE), 1, 4, TSR_NOC_CMD_SEM_INC) } },
		{ "increment in L1", TSR_FAULT_NOC_TARGET,
		  { NOC_CORE(0, 0, L1, 1, 4, TSR_NOC_CMD_SEM_INC) } },
		{ "column too many", TSR_FAULT_NOC_TARGET, { NOC_CORE(w, 0, L1, L1, 16, WRITE) } },
		{ "row too many", TSR_FAULT_NOC_TARGET, { NOC_CORE(0, h, L1, L1, 16, WRITE) } },
		{ "core 255,255", TSR_FAULT_NOC_TARGET, { NOC_CORE(255, 255, L1, L1, 16, WRITE) } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_transfer(_metadata, self, &cases[i]);
}

TEST_F(iso, multicast_stays_inside_the_grid)
{
	uint32_t w = self->d.info.limits.grid_width, h = self->d.info.limits.grid_height;
	const struct transfer cases[] = {
		{ "the whole grid", 0, { NOC_RECT(0, 0, w - 1, h - 1, L1, L1, 16, WRITE) } },
		{ "over the east edge", TSR_FAULT_NOC_TARGET,
		  { NOC_RECT(0, 0, w, h - 1, L1, L1, 16, WRITE) } },
		{ "over the south edge", TSR_FAULT_NOC_TARGET,
		  { NOC_RECT(0, 0, w - 1, h, L1, L1, 16, WRITE) } },
		{ "the largest rectangle", TSR_FAULT_NOC_TARGET,
		  { NOC_RECT(0, 0, 127, 127, L1, L1, 16, WRITE) } },
		{ "reversed columns", TSR_FAULT_NOC_TARGET,
		  { NOC_RECT(1, 0, 0, 1, L1, L1, 16, WRITE) } },
		{ "reversed rows", TSR_FAULT_NOC_TARGET,
		  { NOC_RECT(0, 1, 1, 0, L1, L1, 16, WRITE) } },
		{ "outside as a whole", TSR_FAULT_NOC_TARGET,
		  { NOC_RECT(w, h, w, h, L1, L1, 16, WRITE) } },
		{ "over the end of L1", TSR_FAULT_NOC_TARGET,
		  { NOC_RECT(0, 0, 1, 1, self->l1_end - 8, L1, 16, WRITE) } },
		{ "read", TSR_FAULT_NOC_COMMAND, { NOC_RECT(0, 0, 1, 1, L1, L1, 16, READ) } },
		{ "loopback to a core", TSR_FAULT_NOC_COMMAND,
		  { NOC_CORE(0, 0, L1, L1, 16, TSR_NOC_CMD_WRITE_LOOPBACK) } },
		{ "no kind of target", TSR_FAULT_NOC_COMMAND,
		  { STEP_NOC, TSR_NOC_TARGET_KIND, L1, L1, 16, WRITE } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_transfer(_metadata, self, &cases[i]);
}

/* ---- What multicast writes ------------------------------------------------------------------- */

#define MARK	0x77000000u

/*
 * Core 1,1 sends a word to a rectangle, twice: with and without itself. Then every core says what
 * it has: DM1, waiting for a semaphore that is sent in the same way.
 */
static struct dev_job *multicast_job(struct dev *d, const struct dev_buf *out, uint32_t command,
				     uint32_t bystander_x)
{
	const struct tessera_limits *l = &d->info.limits;
	struct dev_job *job = dev_job(d);
	uint32_t at = l->cb_base, east = l->grid_width - 1, south = l->grid_height - 1;

	dev_job_script(job, TSR_PROC_DM0, 1, 1,
		       STEPS(STEP_STORE, at + 64, MARK,
			     NOC_RECT(0, 0, bystander_x - 1, south, at, at + 64, 4, command),
			     STEP_STORE, TSR_REG_NOC + TSR_NOC_BARRIER, TSR_NOC_CLASS_WRITE,
			     NOC_RECT(0, 0, east, south, SEM_REG(2, TSR_SEM_VALUE), 1, 4,
				      TSR_NOC_CMD_SEM_INC),
			     STEP_STORE, SEM_REG(2, TSR_SEM_ADD), 1));
	dev_job_kernel(job, dev_script(d, TSR_PROC_DM1), NULL, NULL, 0);
	for (uint16_t y = 0; y < l->grid_height; y++) {
		for (uint16_t x = 0; x < l->grid_width; x++) {
			uint32_t core = y * l->grid_width + x;

			if (l->harvested[0] >> core & 1)
				continue;
			dev_job_own(job, x, y, STEPS(WAIT_SEM(2, 1),
				    NOC_BUFFER(0, core * 16, at, 16, TSR_NOC_CMD_WRITE)));
		}
	}
	dev_job_semaphore(job, 2, 0);
	dev_job_bind(job, TESSERA_ACCESS_OUT, out);
	return job;
}

static void check_multicast(struct __test_metadata *_metadata, struct dev *d, uint32_t command)
{
	const struct tessera_limits *l = &d->info.limits;
	uint32_t bystander_x = l->grid_width - 1;
	struct drm_tessera_status s;
	struct dev_job *job;
	struct dev_buf out;
	uint32_t *w;

	ASSERT_EQ(0, dev_buf(d, 4096, &out));
	job = multicast_job(d, &out, command, bystander_x);
	/* A fault first, so that L1 is scrubbed. */
	ASSERT_EQ(0, dev_steps(d, TSR_PROC_DM0, 0, 0, STEPS(STEP_ILLEGAL), &s));
	memset(out.mem, 0xff, 4096);
	w = out.mem;
	ASSERT_EQ(0, dev_execute(job, &s));
	ASSERT_EQ(DRM_TESSERA_CODE_OK, s.code)
		dev_status_print(&s);
	for (uint32_t core = 0; core < (uint32_t)l->grid_width * l->grid_height; core++) {
		uint32_t x = core % l->grid_width, expected = MARK;

		if (l->harvested[0] >> core & 1)
			expected = 0xffffffff;
		else if (x >= bystander_x)
			expected = 0;
		else if (core == l->grid_width + 1u)
			expected = command == TSR_NOC_CMD_WRITE_LOOPBACK ? MARK : 0;
		EXPECT_EQ(expected, w[core * 4])
			TH_LOG("core %u,%u", x, core / l->grid_width);
	}
	dev_job_free(job);
	dev_buf_free(d, &out);
}

TEST_F(iso, multicast_reaches_the_rectangle_and_no_other_core)
{
	check_multicast(_metadata, &self->d, TSR_NOC_CMD_WRITE);
	check_multicast(_metadata, &self->d, TSR_NOC_CMD_WRITE_LOOPBACK);
}

TEST(harvested_cores_are_skipped_and_cannot_be_addressed)
{
	struct drm_tessera_status s;
	struct dev d;
	uint32_t l1;

	ASSERT_EQ(0, soft_open(&d, "holes", "width=4 height=3 harvested=2,0;0,2"));
	l1 = d.info.limits.cb_base;
	check_multicast(_metadata, &d, TSR_NOC_CMD_WRITE);
	check_multicast(_metadata, &d, TSR_NOC_CMD_WRITE_LOOPBACK);
	ASSERT_EQ(0, dev_steps(&d, TSR_PROC_DM0, 1, 1,
			       STEPS(NOC_CORE(2, 0, l1, l1, 16, TSR_NOC_CMD_WRITE)), &s));
	EXPECT_EQ(DRM_TESSERA_CODE_FAULT, s.code);
	EXPECT_EQ(TSR_FAULT_NOC_TARGET, s.fault.cause);
	ASSERT_EQ(0, dev_steps(&d, TSR_PROC_DM0, 1, 1,
			       STEPS(NOC_CORE(0, 2, l1, l1, 16, TSR_NOC_CMD_READ)), &s));
	EXPECT_EQ(TSR_FAULT_NOC_TARGET, s.fault.cause);
	soft_close(&d, "holes");
}

/* New memory reads as zero, also where another buffer was a moment ago (IO-3). */
TEST_F(iso, new_buffers_read_as_zero)
{
	for (int i = 0; i < 20; i++) {
		struct dev_buf buf;
		uint32_t dirty = 0, *w;

		ASSERT_EQ(0, dev_buf(&self->d, 1 << 20, &buf));
		w = buf.mem;
		for (uint32_t k = 0; k < (1 << 18); k++)
			dirty += w[k] != 0;
		EXPECT_EQ(0, dirty);
		memset(buf.mem, 0xee, 1 << 20);
		dev_buf_free(&self->d, &buf);
	}
}

DEV_HARNESS_MAIN
