// SPDX-License-Identifier: MIT
/* Names of numbers, and the texts made from them (FL-2, OB-4). */
#include <drm/tessera_accel.h>
#include <drm/tessera_grid.h>

#include "common_rig.h"
#include "kselftest_harness.h"
#include "status_int.h"

TEST(every_code_has_a_name_a_description_and_its_class)
{
	for (uint32_t code = 0; code <= DRM_TESSERA_CODE_TIME_LIMIT; code++) {
		EXPECT_NE(0, strncmp("unknown", tsr_code_name(code), 7));
		EXPECT_NE('\0', tsr_code_description(code)[0]);
		EXPECT_NE(NULL, tsr_code_hint(code));
		for (uint32_t other = 0; other < code; other++)
			EXPECT_NE(0, strcmp(tsr_code_name(code), tsr_code_name(other)) ? 1 : 0);
	}
	EXPECT_EQ(TSR_CLASS_NONE, tsr_code_class(DRM_TESSERA_CODE_OK));
	EXPECT_EQ(TSR_CLASS_LOCAL, tsr_code_class(DRM_TESSERA_CODE_FAULT));
	EXPECT_EQ(TSR_CLASS_DEVICE, tsr_code_class(DRM_TESSERA_CODE_NO_RECORD));
}

TEST(unknown_numbers_are_called_so)
{
	EXPECT_STREQ("unknown code 99", tsr_code_name(99));
	EXPECT_STREQ("unknown code 99", tsr_code_description(99));
	EXPECT_EQ(TSR_CLASS_DEVICE, tsr_code_class(99));
	EXPECT_STREQ("unknown fault 19", tsr_fault_name(TSR_FAULTS));
	EXPECT_STREQ("unknown fault 19", tsr_fault_description(TSR_FAULTS));
	EXPECT_STREQ("unknown stall class 6", tsr_stall_name(6));
	EXPECT_STREQ("unknown phase 0", tsr_phase_name(0));
	EXPECT_STREQ("unknown wait 9", tsr_waits_name(9));
	EXPECT_STREQ("unknown class 4", tsr_class_name(4));
	EXPECT_STREQ("unknown processor 3", tsr_processor_name(3));
	EXPECT_STREQ("unknown element 5", tsr_element_name(5));
	EXPECT_STREQ("unknown health 4294967295", tsr_health_name(UINT32_MAX));
}

TEST(every_fault_phase_and_stall_has_a_name)
{
	for (uint32_t i = 0; i < TSR_FAULTS; i++) {
		ASSERT_NE(NULL, tsr_fault_name(i));
		ASSERT_NE(NULL, tsr_fault_description(i));
	}
	for (uint32_t i = 1; i <= 7; i++)
		EXPECT_NE(0, strncmp("unknown", tsr_phase_name(i), 7));
	for (uint32_t i = 0; i <= TSR_WAITS_PROOF; i++)
		EXPECT_NE(0, strncmp("unknown", tsr_waits_name(i), 7));
	EXPECT_STREQ("deadlock", tsr_stall_name(TSR_STALL_DEADLOCK));
	EXPECT_STREQ("fp32", tsr_element_name(TSR_FORMAT_FP32));
	EXPECT_STREQ("compute", tsr_processor_name(TSR_PROC_COMPUTE));
}

/* As many as the header promises may stand in one line. */
TEST(unknown_names_do_not_overwrite_each_other)
{
	const char *name[TSR_NAMES_KEPT];
	char text[32];

	for (uint32_t i = 0; i < TSR_NAMES_KEPT; i++)
		name[i] = i % 2 ? tsr_phase_name(100 + i) : tsr_code_name(100 + i);
	for (uint32_t i = 0; i < TSR_NAMES_KEPT; i++) {
		snprintf(text, sizeof(text), "unknown %s %u", i % 2 ? "phase" : "code", 100 + i);
		EXPECT_STREQ(text, name[i]);
	}
}

static void print(const struct tsr_status *status, char *buf, size_t size)
{
	FILE *out = fmemopen(buf, size, "w");

	tsr_status_print(status, out);
	fclose(out);
}

TEST(a_fault_is_printed_with_all_it_says)
{
	struct drm_tessera_status from = {
		.version = 1, .phase = DRM_TESSERA_PHASE_RETIRED, .run_id = 12, .context_id = 3,
		.code = DRM_TESSERA_CODE_FAULT, .failure_class = 1, .verdict_source = 1,
		.flags = DRM_TESSERA_STATUS_OUTPUTS_UNDEFINED,
		.queued_ns = 1000000, .launched_ns = 1005000,
		.fault = { TSR_FAULT_LOAD_RANGE, 2, 1, TSR_PROC_DM1, 0x109010, 0xdead, 4 },
		.stall = { .stall_class = 3 },
	};
	struct tsr_status status;
	char text[2048];

	tsr_status_from_uapi(&from, &status);
	EXPECT_EQ(0, status.stall.stall_class);		/* not of this code */
	print(&status, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "run 12 context 3: retired, fault (class local)"));
	EXPECT_NE(NULL, strstr(text, "load-range at core (2,1) dm1, pc 0x00109010, address 0xdead, "
			       "descriptor 4"));
	EXPECT_NE(NULL, strstr(text, "outputs are undefined"));
	EXPECT_NE(NULL, strstr(text, "launched +5 us"));
	EXPECT_NE(NULL, strstr(text, "completed -"));	/* not measured is not 0 */
}

TEST(a_stall_is_printed_with_all_it_says)
{
	struct drm_tessera_status from = {
		.version = 1, .phase = DRM_TESSERA_PHASE_RETIRED, .run_id = 12, .context_id = 3,
		.code = DRM_TESSERA_CODE_NO_PROGRESS, .failure_class = 1,
		.poison_run = 7, .poison_code = 99,
		.stall = { TSR_STALL_DEADLOCK, 3, 6, 0, 0, 2, 1, TSR_PROC_DM0, 1, 1,
			   0x108000, 0xf0010004, UINT32_MAX },
	};
	struct tsr_status status;
	char text[2048];

	tsr_status_from_uapi(&from, &status);
	print(&status, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "stall: deadlock, 3 of 6 cores done"));
	EXPECT_NE(NULL, strstr(text, "core (1,1) dm0, pc 0x00108000, waiting for semaphore 0\n"));
	EXPECT_NE(NULL, strstr(text, "poisoned by run 7: unknown code 99"));
}

/* FL-12: a wait is told by the semaphore or circular buffer, not by a register. */
TEST(a_wait_is_told_by_what_is_waited_for)
{
	static const struct {
		uint32_t address;
		const char *text;
	} waits[] = {
		{ TSR_REG_SEM + 3 * TSR_SEM_STRIDE + TSR_SEM_WAIT_MIN, "semaphore 3\n" },
		{ TSR_REG_SEM + 15 * TSR_SEM_STRIDE + TSR_SEM_WAIT_EQ, "semaphore 15\n" },
		{ TSR_REG_CB + 2 * TSR_CB_STRIDE + TSR_CB_WAIT,
		  "pages of circular buffer 2 to be readable\n" },
		{ TSR_REG_CB + 31 * TSR_CB_STRIDE + TSR_CB_RESERVE,
		  "pages of circular buffer 31 to be free\n" },
	};

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		struct tsr_status status = {
			.code = DRM_TESSERA_CODE_NO_PROGRESS,
			.stall = { .stall_class = TSR_STALL_DEADLOCK,
				   .stuck_address = waits[i].address,
				   .stuck_kernel = TSR_NO_KERNEL },
		};
		char text[2048];

		print(&status, text, sizeof(text));
		EXPECT_NE(NULL, strstr(text, waits[i].text));
		EXPECT_EQ(NULL, strstr(text, "register"));
	}
}

TEST_HARNESS_MAIN
