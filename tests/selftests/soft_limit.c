// SPDX-License-Identifier: MIT
/* A run that makes progress for ever has the device as long as nobody else wants it (SEC-1). */
#include "common_check.h"
#include "common_soft.h"
#include "kselftest_harness.h"

#define NAME		"limit"
#define LIMIT_MS	500u

FIXTURE(limit) {
	struct dev d;
	struct uapi_gate gate;
	uint32_t program, other, run;
};

FIXTURE_SETUP(limit)
{
	ASSERT_EQ(0, soft_open(&self->d, NAME, "run_limit_ms=500"));
	ASSERT_EQ(0, uapi_exit_program(self->d.fd, 0, &self->program));
	ASSERT_EQ(0, uapi_context(self->d.fd, 0, &self->other));
	ASSERT_EQ(0, uapi_gate_new(self->d.fd, &self->gate));
	ASSERT_EQ(0, uapi_gate_submit(self->d.fd, self->d.ctx, &self->gate, &self->run));
	ASSERT_EQ(0, uapi_wait_phase(self->d.fd, self->run, DRM_TESSERA_PHASE_LAUNCHED));
}

FIXTURE_TEARDOWN(limit)
{
	uapi_gate_free(self->d.fd, &self->gate);
	soft_close(&self->d, NAME);
}

TEST_F(limit, ends_when_somebody_else_waits)
{
	struct drm_tessera_status s;
	uint32_t run;

	/* Alone it goes on. */
	uapi_sleep_ms(2 * LIMIT_MS);
	ASSERT_EQ(0, uapi_status(self->d.fd, self->run, &s));
	EXPECT_EQ(DRM_TESSERA_PHASE_LAUNCHED, s.phase);

	ASSERT_EQ(0, uapi_submit_program(self->d.fd, self->other, self->program, &run));
	EXPECT_EQ(0, uapi_wait(self->d.fd, run, uapi_in_ms(2000)));
	ASSERT_EQ(0, uapi_status(self->d.fd, run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	ASSERT_EQ(0, uapi_status(self->d.fd, self->run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_TIME_LIMIT, s.code);
}

TEST_F(limit, own_queue_waits_for_ever)
{
	struct drm_tessera_status s;
	uint32_t next;

	ASSERT_EQ(0, uapi_submit_program(self->d.fd, self->d.ctx, self->program, &next));
	EXPECT_EQ(-ETIME, uapi_wait(self->d.fd, next, uapi_in_ms(3 * LIMIT_MS)));
	*self->gate.word = 1;
	ASSERT_EQ(0, uapi_end(self->d.fd, self->run, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
	ASSERT_EQ(0, uapi_end(self->d.fd, next, &s));
	EXPECT_EQ(DRM_TESSERA_CODE_OK, s.code);
}

TEST_HARNESS_MAIN
