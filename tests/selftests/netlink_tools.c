// SPDX-License-Identifier: MIT
/* The tool's tables and JSON (OB-4): complete, the ioctls' numbers, and null for the unmeasured. */
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_check.h"
#include "common_event.h"
#include "common_rv32.h"
#include "common_soft.h"
#include "kselftest_harness.h"

#define NAME	"netlink-tools"

FIXTURE(tools) {
	int fd;
	uint32_t minor;
	__u32 context;
	char out[262144];
	json_t *json;
};

FIXTURE_SETUP(tools)
{
	ASSERT_EQ(0, soft_create(NAME, ""));
	self->fd = uapi_open(NAME);
	ASSERT_LE(0, self->fd);
	self->minor = event_minor(self->fd);
	ASSERT_EQ(0, uapi_context(self->fd, 5, &self->context));
	self->json = NULL;
}

FIXTURE_TEARDOWN(tools)
{
	json_decref(self->json);
	close(self->fd);
	soft_remove(NAME);
}

/* Run `tessera ...`; its standard output is self->out. Return: its exit status. */
static int tool(FIXTURE_DATA(tools) *self, const char *arguments)
{
	const char *build = getenv("TSR_BUILD");
	char command[1024];
	size_t n;
	FILE *f;
	int status;

	snprintf(command, sizeof(command), "%s/tessera %s 2>/dev/null",
		 build ? build : TSR_BUILDDIR, arguments);
	f = popen(command, "r");
	if (!f)
		return -1;
	n = fread(self->out, 1, sizeof(self->out) - 1, f);
	self->out[n] = '\0';
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static json_t *parse(FIXTURE_DATA(tools) *self, const char *arguments)
{
	json_error_t error;

	if (tool(self, arguments))
		return NULL;
	json_decref(self->json);
	self->json = json_loads(self->out, 0, &error);
	if (!self->json)
		fprintf(stderr, "# line %d: %s\n", error.line, error.text);
	return self->json;
}

/* The element of an array with that number. */
static json_t *element(json_t *array, const char *key, json_int_t value)
{
	json_t *e;
	size_t i;

	json_array_foreach(array, i, e)
		if (json_integer_value(json_object_get(e, key)) == value)
			return e;
	return NULL;
}

static int wrong_counters(json_t *counters, const struct drm_tessera_counters *want,
			  uint64_t unknown)
{
	int wrong = json_object_size(counters) != UAPI_COUNTERS;

	for (unsigned int i = 0; i < UAPI_COUNTERS; i++) {
		json_t *c = json_object_get(counters, uapi_counter_name(i));

		if (unknown >> i & 1)
			wrong += !json_is_null(c);
		else
			wrong += !json_is_integer(c) ||
				 (__u64)json_integer_value(c) != ((const __u64 *)want)[i];
	}
	return wrong;
}

static void one_run(FIXTURE_DATA(tools) *self, __u32 status)
{
	__u32 program, run;

	uapi_exit_program(self->fd, status, &program);
	uapi_submit_program(self->fd, self->context, program, &run);
	uapi_wait(self->fd, run, uapi_soon());
	uapi_close_run(self->fd, run);
	uapi_program_destroy(self->fd, program);
	uapi_settle(self->fd);
	uapi_sleep_ms(100);
}

TEST_F(tools, device_list_json)
{
	struct drm_tessera_counters counters;
	json_t *d;

	one_run(self, 0);
	ASSERT_EQ(0, uapi_counters(self->fd, &counters));
	d = element(parse(self, "device list --json"), "minor", self->minor);
	ASSERT_NE(NULL, d);
	EXPECT_STREQ(NAME, json_string_value(json_object_get(d, "name")));
	EXPECT_STREQ("good", json_string_value(json_object_get(d, "health")));
	EXPECT_EQ(0, wrong_counters(json_object_get(d, "counters"), &counters, 0));
}

TEST_F(tools, device_stats_json)
{
	struct drm_tessera_counters counters;
	char arguments[64];
	json_t *d;

	one_run(self, 0);
	ASSERT_EQ(0, uapi_counters(self->fd, &counters));
	snprintf(arguments, sizeof(arguments), "device stats --json accel%u", self->minor);
	ASSERT_NE(NULL, parse(self, arguments));
	EXPECT_EQ(1, json_array_size(self->json));
	d = json_array_get(self->json, 0);
	EXPECT_EQ(0, wrong_counters(json_object_get(d, "counters"), &counters, 0));
}

TEST_F(tools, device_show_json)
{
	struct drm_tessera_counters counters;
	char arguments[64];

	one_run(self, 0);
	ASSERT_EQ(0, uapi_counters(self->fd, &counters));
	snprintf(arguments, sizeof(arguments), "device show --json /dev/accel/accel%u",
		 self->minor);
	ASSERT_NE(NULL, parse(self, arguments));
	EXPECT_STREQ(NAME, json_string_value(json_object_get(self->json, "name")));
	EXPECT_EQ(0, wrong_counters(json_object_get(self->json, "counters"), &counters, 0));
}

TEST_F(tools, context_list_json)
{
	/* Of the device only: null, for nobody measured them. */
	uint64_t unknown = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 |
			   1 << 24 | 1 << 25 | 1ull << 33 | 1ull << 34;
	struct drm_tessera_counters counters;
	char arguments[64];
	json_t *c;

	one_run(self, 0);
	ASSERT_EQ(0, uapi_context_counters(self->fd, self->context, &counters));
	snprintf(arguments, sizeof(arguments), "context list --json /dev/accel/accel%u",
		 self->minor);
	c = element(parse(self, arguments), "pid", getpid());
	ASSERT_NE(NULL, c);
	EXPECT_EQ(5, json_integer_value(json_object_get(c, "queue_capacity")));
	EXPECT_EQ(0, wrong_counters(json_object_get(c, "counters"), &counters, unknown));
}

static unsigned int lines(const char *text)
{
	unsigned int n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

/* A run that executes, and one behind it. */
static void two_runs(FIXTURE_DATA(tools) *self, struct uapi_gate *gate, __u32 runs[2])
{
	__u32 program;

	uapi_gate_new(self->fd, gate);
	uapi_exit_program(self->fd, 0, &program);
	uapi_gate_submit(self->fd, self->context, gate, &runs[0]);
	uapi_submit_program(self->fd, self->context, program, &runs[1]);
	uapi_wait_phase(self->fd, runs[0], DRM_TESSERA_PHASE_LAUNCHED);
	uapi_wait_phase(self->fd, runs[1], DRM_TESSERA_PHASE_STAGED);
}

TEST_F(tools, run_list)
{
	struct drm_tessera_status s[2];
	struct uapi_gate gate;
	char text[128];
	__u32 runs[2];
	json_t *r;

	two_runs(self, &gate, runs);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, uapi_status(self->fd, runs[i], &s[i]));
	snprintf(text, sizeof(text), "run list --json %u --context %llu", self->minor,
		 s[0].context_id);
	r = element(parse(self, text), "id", (json_int_t)s[0].run_id);
	ASSERT_NE(NULL, r);
	EXPECT_EQ(2, json_array_size(self->json));
	EXPECT_STREQ("launched", json_string_value(json_object_get(r, "phase")));
	EXPECT_STREQ("cores", json_string_value(json_object_get(r, "waits")));
	EXPECT_STREQ("test", json_string_value(json_object_get(r, "program")));
	EXPECT_EQ(s[0].launched_ns,
		  (__u64)json_integer_value(json_object_get(r, "launched_ns")));
	EXPECT_TRUE(json_is_null(json_object_get(r, "completed_ns")));
	r = element(self->json, "id", (json_int_t)s[1].run_id);
	EXPECT_STREQ("launch", json_string_value(json_object_get(r, "waits")));
	/* Not measured is never zero. */
	EXPECT_TRUE(json_is_null(json_object_get(r, "launched_ns")));
	EXPECT_EQ(32, json_string_length(json_object_get(r, "fingerprint")));

	ASSERT_EQ(0, tool(self, "run list"));
	EXPECT_EQ(&self->out[0], strstr(self->out, "DEVICE "));
	snprintf(text, sizeof(text), " %llu ", s[1].run_id);
	EXPECT_NE(NULL, strstr(self->out, text));
	EXPECT_NE(NULL, strstr(self->out, " staged "));
	*gate.word = 1;
	uapi_settle(self->fd);
	snprintf(text, sizeof(text), "run list %u", self->minor);
	ASSERT_EQ(0, tool(self, text));
	/* More than the heading: runs that have ended. */
	EXPECT_EQ(1, lines(self->out));
	uapi_gate_free(self->fd, &gate);
}

/* Names are the submitter's, who may be another user: no terminal must obey them. */
TEST_F(tools, names_are_made_printable)
{
	struct drm_tessera_device_info info;
	static const __u32 code[] = { RV_J(0) };
	struct uapi_prog p;
	char text[64];
	__u32 program, run;

	ASSERT_EQ(0, uapi_info(self->fd, &info));
	uapi_prog_init_core(&p, &info.limits);
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	memcpy(p.strings, "a\033\x9b\377", 4);
	ASSERT_EQ(0, uapi_prog_create(self->fd, &p, &program));
	ASSERT_EQ(0, uapi_submit_program(self->fd, self->context, program, &run));
	snprintf(text, sizeof(text), "run list --json %u", self->minor);
	ASSERT_NE(NULL, parse(self, text));
	ASSERT_EQ(1, json_array_size(self->json));
	EXPECT_STREQ("a???", json_string_value(json_object_get(json_array_get(self->json, 0),
								"program")));
}

TEST_F(tools, tables)
{
	char text[64];

	ASSERT_EQ(0, tool(self, "device list"));
	EXPECT_EQ(&self->out[0], strstr(self->out, "NODE "));
	EXPECT_NE(NULL, strstr(self->out, " " NAME " "));
	EXPECT_LE(3, lines(self->out));
	snprintf(text, sizeof(text), "device list %u", self->minor);
	ASSERT_EQ(0, tool(self, text));
	EXPECT_EQ(2, lines(self->out));

	ASSERT_EQ(0, tool(self, "device stats"));
	EXPECT_EQ(&self->out[0], strstr(self->out, "COUNTER "));
	EXPECT_EQ(1 + UAPI_COUNTERS, lines(self->out));
	for (unsigned int i = 0; i < UAPI_COUNTERS; i++)
		EXPECT_NE(NULL, strstr(self->out, uapi_counter_name(i)));

	ASSERT_EQ(0, tool(self, "context list"));
	EXPECT_EQ(&self->out[0], strstr(self->out, "DEVICE "));
	snprintf(text, sizeof(text), " %u ", getpid());
	EXPECT_NE(NULL, strstr(self->out, text));
}

TEST_F(tools, bad_calls)
{
	EXPECT_EQ(2, tool(self, "device list nonsense"));
	EXPECT_EQ(2, tool(self, "device list 1 2"));
	EXPECT_EQ(2, tool(self, "device stats --nonsense"));
	EXPECT_EQ(2, tool(self, "context list -1"));
	EXPECT_EQ(2, tool(self, "context list --context 1 0"));
	EXPECT_EQ(2, tool(self, "run list --context 1"));
	EXPECT_EQ(2, tool(self, "run list --context 0 0"));
	EXPECT_EQ(2, tool(self, "run list --context x 0"));
	EXPECT_EQ(1, tool(self, "run list 4711"));
	EXPECT_EQ(0, tool(self, "run list --help"));
	EXPECT_EQ(2, tool(self, "events"));
	EXPECT_EQ(2, tool(self, "events --follow --count=x"));
	EXPECT_EQ(1, tool(self, "device list 4711"));
	EXPECT_EQ(1, tool(self, "context list 4711"));
	EXPECT_EQ(0, tool(self, "events --help"));
	EXPECT_EQ(0, tool(self, "device list --help"));
}

static void *fail_a_run(void *arg)
{
	/* The tool is started meanwhile, and may take its time. */
	for (int i = 0; i < 8; i++) {
		uapi_sleep_ms(1000);
		one_run(arg, 3);
	}
	return NULL;
}

TEST_F(tools, events_follow)
{
	pthread_t thread;
	json_t *e;

	ASSERT_EQ(0, pthread_create(&thread, NULL, fail_a_run, self));
	e = parse(self, "events --follow --json --count=1 --timeout=20000");
	ASSERT_NE(NULL, e);
	EXPECT_EQ(1, lines(self->out));
	EXPECT_STREQ("run-failed", json_string_value(json_object_get(e, "event")));
	EXPECT_EQ(self->minor, json_integer_value(json_object_get(e, "minor")));
	EXPECT_STREQ("fault", json_string_value(json_object_get(e, "code")));
	EXPECT_STREQ("local", json_string_value(json_object_get(e, "class")));
	EXPECT_TRUE(json_is_integer(json_object_get(e, "run")));
	EXPECT_EQ(NULL, json_object_get(e, "name"));

	EXPECT_EQ(0, tool(self, "events --follow --count=1 --timeout=20000"));
	EXPECT_EQ(1, lines(self->out));
	EXPECT_NE(NULL, strstr(self->out, " run-failed context "));
	EXPECT_EQ(0, tool(self, "events -f -t 1 -n 0"));
	EXPECT_EQ(0, self->out[0]);
	pthread_join(thread, NULL);
}

TEST_HARNESS_MAIN
