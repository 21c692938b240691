// SPDX-License-Identifier: MIT
/* tessera dump: a dump made here, decoded by the tool; and files that are none. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm/tessera_accel.h>
#include <drm/tessera_dump.h>

#include "kselftest_harness.h"

/* The records of this file are longer than those the tool knows, as those of a newer driver. */
#define MORE	16

FIXTURE(dump) {
	char path[64];
	struct tessera_dump head;
	struct drm_tessera_status status;
	struct tessera_dump_core cores[2];
	struct {
		struct tessera_dump_memory head;
		uint8_t bytes[2 * TESSERA_DUMP_LINE];
	} pieces[2];
	char text[65536];
};

static void fill_cores(FIXTURE_DATA(dump) *self)
{
	struct tessera_dump_proc *waiting = &self->cores[0].procs[1];

	self->cores[0].x = 3;
	self->cores[0].y = 2;
	waiting->state = TESSERA_DUMP_WAITING;
	waiting->pc = 0x80001234;
	waiting->wait_register = TSR_REG_SEM + 5 * TSR_SEM_STRIDE + TSR_SEM_WAIT_MIN;
	waiting->wait_value = 9;
	waiting->cycles = 1000;
	for (uint32_t i = 0; i < 32; i++)
		waiting->registers[i] = 0xab000000 + i;
	self->cores[0].semaphores[5] = 4;
	self->cores[0].cbs[7] = (struct tessera_dump_cb){ 2048, 4, 0x00000001, 0xfffffffe };
	self->cores[1].x = 4;
	self->cores[1].procs[2].state = TESSERA_DUMP_DONE;
}

static void fill_memory(FIXTURE_DATA(dump) *self)
{
	memset(self->pieces, 0, sizeof(self->pieces));
	for (uint32_t i = 0; i < 2; i++)
		self->pieces[i].head = (struct tessera_dump_memory){
			.x = 3, .y = 2, .address = 0x100000 + i * 0x1000,
			.size = sizeof(self->pieces[i].bytes),
		};
	memcpy(self->pieces[0].bytes + 32, "\x11\x22\x33\x44 text\x1b", 10);
	self->pieces[1].bytes[511] = 0xee;
	self->head.memories = 2;
	self->head.memory_size = sizeof(self->pieces);
	self->head.memory_end = 0x110000;
	self->head.memory_limit = 0x180000;
}

FIXTURE_SETUP(dump)
{
	strcpy(self->path, "/tmp/tsr-dump-XXXXXX");
	close(mkstemp(self->path));
	self->head = (struct tessera_dump){
		.magic = TESSERA_DUMP_MAGIC,
		.version = TESSERA_DUMP_VERSION,
		.header_size = sizeof(self->head) + MORE,
		.status_size = sizeof(self->status) + MORE,
		.core_size = sizeof(self->cores[0]) + MORE,
		.cores = 2,
		.fingerprint = { 0x1122334455667788, 0x99aabbccddeeff00 },
		.device = "soft",
		.program = "matmul",
		.kernel = "reader",
	};
	self->status = (struct drm_tessera_status){
		.version = 1,
		.phase = DRM_TESSERA_PHASE_COMPLETE,
		.run_id = 77,
		.context_id = 6,
		.code = DRM_TESSERA_CODE_NO_PROGRESS,
		.failure_class = DRM_TESSERA_CLASS_LOCAL,
		.stall = { .stall_class = 3, .cores_completed = 1, .cores_total = 2,
			   .waiting = 1, .stuck_x = 3, .stuck_y = 2, .stuck_processor = 1 },
	};
	fill_cores(self);
	fill_memory(self);
}

FIXTURE_TEARDOWN(dump)
{
	unlink(self->path);
}

static void put(FILE *to, const void *record, size_t size)
{
	static const char more[MORE] = "newer";

	fwrite(record, 1, size, to);
	fwrite(more, 1, sizeof(more), to);
}

static void save(FIXTURE_DATA(dump) *self)
{
	FILE *to = fopen(self->path, "wb");

	put(to, &self->head, sizeof(self->head));
	put(to, &self->status, sizeof(self->status));
	for (int i = 0; i < 2; i++)
		put(to, &self->cores[i], sizeof(self->cores[i]));
	if (self->head.version > 1)
		fwrite(self->pieces, 1, sizeof(self->pieces), to);
	fclose(to);
}

/* Its exit status; what it printed is in self->text. */
static int decode(FIXTURE_DATA(dump) *self, const char *options)
{
	const char *build = getenv("TSR_BUILD");
	char command[512];
	size_t n = 0, got;
	int status;
	FILE *from;

	snprintf(command, sizeof(command), "%s/tessera dump %s %s 2>&1",
		 build ? build : TSR_BUILDDIR, options, self->path);
	from = popen(command, "r");
	while ((got = fread(self->text + n, 1, sizeof(self->text) - 1 - n, from)) > 0)
		n += got;
	self->text[n] = '\0';
	status = pclose(from);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define EXPECT_SAYS(what) do {							\
	EXPECT_NE(NULL, strstr(self->text, what))				\
		TH_LOG("no '%s' in:\n%s", what, self->text);			\
} while (0)

TEST_F(dump, people_read_names)
{
	save(self);
	ASSERT_EQ(0, decode(self, ""));
	EXPECT_SAYS("device soft, program matmul, fingerprint 99aabbccddeeff001122334455667788");
	EXPECT_SAYS("run 77 of context 6: no-progress (class local), complete");
	EXPECT_SAYS("kernel reader");
	EXPECT_SAYS("stall deadlock: 1 of 2 cores done");
	EXPECT_SAYS("core (3,2)");
	EXPECT_SAYS("dm1      waiting  pc 0x80001234  1000 cycles");
	EXPECT_SAYS("waits for semaphore 5 >= 9");
	EXPECT_SAYS("zero ab000000");
	EXPECT_SAYS("a0   ab00000a");
	EXPECT_SAYS("t6   ab00001f");
	EXPECT_SAYS("semaphores 0 0 0 0 0 4 0");
	/* Counts of pages run round. */
	EXPECT_SAYS("circular buffer  7: 3 of 4 pages of 2048 bytes");
	EXPECT_SAYS("core (4,0)");
	EXPECT_SAYS("compute  done");
	EXPECT_EQ(NULL, strstr(self->text, "newer"));
}

TEST_F(dump, memory_as_words)
{
	save(self);
	ASSERT_EQ(0, decode(self, ""));
	EXPECT_SAYS("memory of core (3,2)");
	EXPECT_SAYS("00100020  44332211 78657420 00001b74 ");
	EXPECT_SAYS("  .\"3D text.");
	EXPECT_SAYS("001011e0 ");
	EXPECT_SAYS(" ee000000  ");
	/* Rows of zeroes, and the byte that a terminal would obey. */
	EXPECT_EQ(NULL, strstr(self->text, "00100000 "));
	EXPECT_EQ(NULL, strchr(self->text, 0x1b));
	EXPECT_SAYS("00110000 .. 0017ffff are not in the dump");
	self->head.memory_end = self->head.memory_limit;
	save(self);
	ASSERT_EQ(0, decode(self, ""));
	EXPECT_EQ(NULL, strstr(self->text, "not in the dump"));
	ASSERT_EQ(0, decode(self, "--json"));
	EXPECT_SAYS("\"limit\": 1572864");
	EXPECT_SAYS("\"address\": 1048576");
	EXPECT_SAYS("00112233442074657874");
}

/* What a driver of version 1 left. */
TEST_F(dump, without_memory)
{
	self->head.version = 1;
	self->head.header_size = offsetof(struct tessera_dump, memories);
	for (int i = 0; i < 2; i++) {
		FILE *to = fopen(self->path, "wb");

		fwrite(&self->head, 1, self->head.header_size, to);
		put(to, &self->status, sizeof(self->status));
		put(to, &self->cores[0], sizeof(self->cores[0]));
		put(to, &self->cores[1], sizeof(self->cores[1]));
		fclose(to);
		ASSERT_EQ(0, decode(self, i ? "--json" : ""));
		EXPECT_SAYS(i ? "\"run\": 77" : "run 77 of context 6");
		EXPECT_EQ(NULL, strstr(self->text, "memory"));
	}
}

TEST_F(dump, memory_that_does_not_add_up)
{
	const struct tessera_dump good = self->head;

	for (int i = 0; i < 8; i++) {
		self->head = good;
		fill_memory(self);
		if (i == 0)
			self->head.memories = 1;
		if (i == 1)
			self->head.memories = 3;
		if (i == 2)
			self->head.memory_size += TESSERA_DUMP_LINE;
		if (i == 3)
			self->head.memory_size -= TESSERA_DUMP_LINE;
		if (i == 4)
			self->pieces[1].head.size += TESSERA_DUMP_LINE;
		if (i == 5)
			self->pieces[0].head.size = 0;
		if (i == 6)
			self->pieces[0].head.size--;
		if (i == 7)
			self->head.memory_size = UINT32_MAX;
		save(self);
		EXPECT_EQ(1, decode(self, ""))
			TH_LOG("case %d", i);
		EXPECT_SAYS("not a dump");
	}
	self->head = good;
	fill_memory(self);
	self->head.memories = UINT32_MAX;
	save(self);
	EXPECT_EQ(1, decode(self, "--json"));
}

TEST_F(dump, programs_read_json)
{
	save(self);
	ASSERT_EQ(0, decode(self, "--json"));
	EXPECT_SAYS("\"code\": \"no-progress\"");
	EXPECT_SAYS("\"class\": \"deadlock\"");
	EXPECT_SAYS("\"waits_for\": \"semaphore 5 >= 9\"");
	EXPECT_SAYS("\"a0\": 2868903946");
	EXPECT_SAYS("\"level\": 3");
	EXPECT_SAYS("\"run\": 77");
	EXPECT_EQ('{', self->text[0]);
}

TEST_F(dump, what_is_waited_for)
{
	static const struct {
		uint32_t reg;
		const char *text;
	} cases[] = {
		{ TSR_REG_SEM + TSR_SEM_WAIT_EQ, "waits for semaphore 0 == 9" },
		{ TSR_REG_CB + 31 * TSR_CB_STRIDE + TSR_CB_RESERVE,
		  "waits for circular buffer 31, 9 pages free" },
		{ TSR_REG_CB + TSR_CB_WAIT, "waits for circular buffer 0, 9 pages readable" },
		{ 0x10, "waits for register 0x00000010, 9" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		self->cores[0].procs[1].wait_register = cases[i].reg;
		save(self);
		ASSERT_EQ(0, decode(self, ""));
		EXPECT_SAYS(cases[i].text);
	}
}

TEST_F(dump, fault_and_unknown_numbers)
{
	self->status.code = DRM_TESSERA_CODE_FAULT;
	self->status.fault = (struct drm_tessera_fault){ .cause = TSR_FAULT_BUFFER_UNBOUND, .x = 3,
							 .y = 2, .pc = 0x1000, .address = 0x55 };
	save(self);
	ASSERT_EQ(0, decode(self, ""));
	EXPECT_SAYS("fault buffer-unbound at (3,2) dm0, pc 0x00001000, address 0x55");
	self->status.code = 999;
	self->cores[0].procs[1].state = 999;
	save(self);
	ASSERT_EQ(0, decode(self, ""));
	EXPECT_SAYS("unknown code 999");
	EXPECT_SAYS("dm1      unknown");
}

TEST_F(dump, files_that_are_no_dump)
{
	const struct tessera_dump good = self->head;

	for (int i = 0; i < 6; i++) {
		self->head = good;
		if (i == 0)
			self->head.magic++;
		if (i == 1)
			self->head.version++;
		if (i == 2)
			self->head.cores = 3;
		if (i == 3)
			self->head.core_size = UINT32_MAX;
		if (i == 4)
			self->head.header_size = 8;
		if (i == 5)
			self->head.cores = UINT32_MAX;
		save(self);
		EXPECT_EQ(1, decode(self, ""));
		EXPECT_SAYS("not a dump");
	}
	self->head = good;
	save(self);
	for (size_t size = 0; size < sizeof(good) + 64; size += 40) {
		ASSERT_EQ(0, truncate(self->path, (off_t)size));
		EXPECT_EQ(1, decode(self, "--json"));
		save(self);
	}
	unlink(self->path);
	EXPECT_EQ(1, decode(self, ""));
	EXPECT_SAYS("No such file");
}

TEST_F(dump, calls_that_make_no_sense)
{
	EXPECT_EQ(2, decode(self, "--latest"));
	EXPECT_EQ(2, decode(self, "--remove"));
	EXPECT_EQ(2, decode(self, "--nonsense"));
	EXPECT_EQ(2, decode(self, self->path));
}

TEST_HARNESS_MAIN
