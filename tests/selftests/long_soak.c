// SPDX-License-Identifier: MIT
/*
 * Mixed load for TSR_SOAK_S seconds: memory does not grow with the number of runs, and the last
 * runs take no longer than the first ones.
 *
 * Samples after a warm-up are put on a straight line. A slope that is above a byte a run for
 * certain is a leak. With minutes of samples, a slope that could be above a byte is not good
 * enough, either. Times are in getppid() calls made at the same moment, for the machine may have
 * other things to do.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common_check.h"
#include "common_client.h"
#include "common_count.h"
#include "common_fault.h"
#include "common_slope.h"
#include "common_harness.h"

#define LOADS		2
#define SAMPLE_MS	250
#define SAMPLES		16384
#define CALLS		2000
#define WORKER_MS	5000
/* More than the kernel keeps for 128 processors. */
#define PURGE_MAPS	65536
/* Shorter ones cannot tell a byte a run. */
#define LONG_S		300

FIXTURE(soak) {
	struct fault f;
	int *stop;
	struct {
		pid_t pid;
		struct client_log *log;
	} loads[LOADS];
	__u32 started;
	size_t n;
	double runs[SAMPLES], kernel[SAMPLES], machine[SAMPLES], call[SAMPLES], at[SAMPLES];
};

static void *share(size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (map == MAP_FAILED)
		abort();
	return map;
}

FIXTURE_SETUP(soak)
{
	ASSERT_EQ(0, fault_open(&self->f, "no_progress_ms=40 queue_capacity=8"));
	self->stop = share(4096);
	/* All of it is there from the beginning: it is no growth. */
	for (int i = 0; i < LOADS; i++)
		self->loads[i].log = share(sizeof(struct client_log));
}

FIXTURE_TEARDOWN(soak)
{
	fault_close(&self->f);
}

/* A client is replaced when its log is full. */
static void keep_going(struct __test_metadata *_metadata, FIXTURE_DATA(soak) *self, int i)
{
	int status = 0;

	if (self->loads[i].pid && waitpid(self->loads[i].pid, &status, WNOHANG) == 0)
		return;
	ASSERT_EQ(0, status);
	self->loads[i].log->count = 0;
	self->started++;
	self->loads[i].pid = fork();
	if (self->loads[i].pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	_exit(-client_live(self->f.name, self->started, self->started, true, self->loads[i].log,
			   self->stop));
}

/* KB of free pages that processors keep for themselves; the kernel counts them as taken. */
static double read_kept(void)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	double pages, kept = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %lf", &pages) == 1)
			kept += pages;
	if (file)
		fclose(file);
	return kept * (double)sysconf(_SC_PAGESIZE) / 1024;
}

/* KB of each name in meminfo, in the order of @names. Return: how many there are. */
static size_t read_meminfo(const char *const *names, size_t n, double *ret)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128], name[64];
	size_t found = 0;
	double kb;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63[^:]: %lf", name, &kb) != 2)
			continue;
		for (size_t i = 0; i < n; i++) {
			if (strcmp(name, names[i]))
				continue;
			ret[i] = kb;
			found++;
		}
	}
	if (file)
		fclose(file);
	return found;
}

/* What memory is used for: for who wants to know what grew. */
static const char *const uses[] = {
	"MemFree", "Active(file)", "Inactive(file)", "AnonPages", "Shmem", "KernelStack",
	"PageTables", "SReclaimable", "SUnreclaim", "VmallocUsed", "Percpu",
};
#define USES	UAPI_ARRAY_SIZE(uses)

/* In KB; the last one is what processors keep. */
static void read_uses(double ret[USES + 1])
{
	read_meminfo(uses, USES, ret);
	ret[USES] = read_kept();
}

/* Bytes of the kernel's own memory, and of all that is not available any more. */
static int read_memory(double *ret_kernel, double *ret_machine)
{
	enum { TOTAL, AVAILABLE, SLAB, VMALLOC, PERCPU, N };
	static const char *const names[N] = {
		"MemTotal", "MemAvailable", "SUnreclaim", "VmallocUsed", "Percpu",
	};
	double kb[N];

	if (read_meminfo(names, N, kb) != N)
		return -ENODATA;
	*ret_kernel = (kb[SLAB] + kb[VMALLOC] + kb[PERCPU]) * 1024;
	*ret_machine = (kb[TOTAL] - kb[AVAILABLE] - read_kept()) * 1024;
	return 0;
}

/* A client's whole life. */
static int come_and_go(const struct fault *f)
{
	struct uapi_bench b = { .fd = uapi_open(f->name) };
	struct drm_tessera_status s;
	__u32 run, bo;
	int err = b.fd < 0 ? b.fd : uapi_context(b.fd, 0, &b.context);

	if (!err)
		err = uapi_exit_program(b.fd, 0, &b.program);
	if (!err)
		err = uapi_bo(b.fd, 1 << 20, &bo);
	if (!err)
		err = uapi_submit_program(b.fd, b.context, b.program, &run);
	if (!err)
		err = uapi_end(b.fd, run, &s);
	close(b.fd);
	return err ? err : s.code ? -EIO : 0;
}

/*
 * What the kernel has mapped and unmapped stays noted until there are some ten MB of addresses
 * (lazy_max_pages() in mm/vmalloc.c); then it purges these areas, and uses them again. So until the
 * first purge memory grows by an area with each page of a context; from then on it does not.
 */
static long unpurged_areas(void)
{
	FILE *file = fopen("/proc/vmallocinfo", "r");
	char line[256];
	long n = 0;

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		n += strstr(line, "unpurged") != NULL;
	fclose(file);
	return n;
}

static int map_and_unmap(const struct fault *f)
{
	struct drm_tessera_context_page page = { 0 };
	int err = uapi_context(f->fd, 0, &page.handle);

	if (!err)
		err = uapi_ioctl(f->fd, DRM_IOCTL_TESSERA_CONTEXT_PAGE, &page);
	if (!err)
		err = uapi_bo_close(f->fd, page.bo);
	return err ? err : uapi_context_destroy(f->fd, page.handle);
}

static void warm_up(struct __test_metadata *_metadata, const struct fault *f)
{
	long before, now = unpurged_areas(), maps = 0;

	do {
		before = now;
		for (int i = 0; i < 256; i++)
			ASSERT_EQ(0, map_and_unmap(f));
		now = unpurged_areas();
		ASSERT_LE(0, now);
		maps += 256;
	} while (now >= before && maps < PURGE_MAPS);
	/* Otherwise they are not purged at all, or not noted. */
	EXPECT_LT(now, before);
	TH_LOG("%ld unpurged areas, after %ld maps %ld", before, maps, now);
}

/* Of one call that does nothing, in ns: how fast the machine is now. */
static double call_takes(void)
{
	__s64 start = uapi_now();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return (double)(uapi_now() - start) / CALLS;
}

/* What is alive is bounded by what the loads hold, once a worker has had its turn. */
static bool bounded(const struct fault *f, struct drm_tessera_counters *ret)
{
	const struct drm_tessera_counters *base = &f->base;
	__s64 until = uapi_in_ms(WORKER_MS);
	bool good;

	do {
		if (uapi_counters(f->fd, ret))
			return false;
		good = ret->contexts <= base->contexts + LOADS * 8 &&
		       ret->runs <= base->runs + LOADS * 64 &&
		       ret->fences <= base->fences + LOADS * 64 &&
		       ret->buffers <= base->buffers + LOADS * 16 &&
		       ret->programs <= base->programs + LOADS * 8;
	} while (!good && uapi_now() < until);
	return good;
}

static void sample(struct __test_metadata *_metadata, FIXTURE_DATA(soak) *self)
{
	struct drm_tessera_counters c = { 0 };
	size_t i = self->n++;

	ASSERT_EQ(0, come_and_go(&self->f));
	self->call[i] = call_takes();
	self->at[i] = (double)uapi_now();
	/* False: something is kept that nobody holds. */
	EXPECT_TRUE(bounded(&self->f, &c))
		TH_LOG("%llu contexts, %llu runs, %llu fences, %llu buffers, %llu programs",
		       (unsigned long long)c.contexts, (unsigned long long)c.runs,
		       (unsigned long long)c.fences, (unsigned long long)c.buffers,
		       (unsigned long long)c.programs);
	ASSERT_EQ(0, read_memory(&self->kernel[i], &self->machine[i]));
	self->runs[i] = (double)c.runs_accepted;
}

/* Time of a run between two samples, in calls that do nothing, made at the same time. */
static double cost_of_runs(FIXTURE_DATA(soak) *self, size_t from, size_t to)
{
	double call = slope_median(self->call + from, to - from);

	return (self->at[to] - self->at[from]) / (self->runs[to] - self->runs[from]) / call;
}

static void expect_flat(struct __test_metadata *_metadata, const char *what, const double *runs,
			const double *bytes, size_t n, bool is_long, bool sure)
{
	struct slope s = slope_of(runs, bytes, n);

	TH_LOG("%s: %.3f bytes a run, between %.3f and %.3f; from %.1f to %.1f MB", what, s.slope,
	       s.low, s.high, bytes[0] / 1e6, bytes[n - 1] / 1e6);
	if (!is_long) {
		/*
		 * Caches of the kernel fill for a while: it frees vmap areas late, by thousands, and
		 * keeps what processes that come and go leave. A run that stays is 500 bytes.
		 */
		EXPECT_GT(250, s.low);
		return;
	}
	/* Above 1: it grows with every run. */
	EXPECT_GT(1, s.low);
	if (sure) {
		EXPECT_GT(1, s.high);
	}
}

TEST_F_TIMEOUT(soak, nothing_grows, LONG_TIMEOUT)
{
	unsigned long seconds = long_count("TSR_SOAK_S", 15);
	double before[USES + 1] = { 0 }, after[USES + 1] = { 0 };
	size_t from, n, tenth;
	double first, last;
	int status;
	__s64 until;

	if (seconds >= LONG_S)
		warm_up(_metadata, &self->f);
	until = uapi_in_ms(1000 * (unsigned int)seconds);
	while (uapi_now() < until && self->n < SAMPLES && __test_passed(_metadata)) {
		for (int i = 0; i < LOADS; i++)
			keep_going(_metadata, self, i);
		sample(_metadata, self);
		if (uapi_now() < until - (__s64)seconds * 800000000)
			read_uses(before);
		uapi_sleep_ms(SAMPLE_MS);
	}
	read_uses(after);
	__atomic_store_n(self->stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < LOADS; i++) {
		ASSERT_EQ(self->loads[i].pid, waitpid(self->loads[i].pid, &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(0, dev_settled(self->f.fd, &self->f.base, 10000));

	from = self->n / 5;
	n = self->n - from;
	tenth = n / 10 ? n / 10 : 1;
	/* Fewer: this shows nothing. */
	ASSERT_LT(8, n);
	TH_LOG("%zu samples, %.0f runs, %u clients", self->n,
	       self->runs[self->n - 1] - self->runs[0], self->started);
	expect_flat(_metadata, "kernel", self->runs + from, self->kernel + from, n,
		    seconds >= LONG_S, true);
	expect_flat(_metadata, "machine", self->runs + from, self->machine + from, n,
		    seconds >= LONG_S, false);
	for (size_t i = 0; i <= USES; i++)
		TH_LOG("%s: %+.0f KB to %.0f", i < USES ? uses[i] : "kept free",
		       after[i] - before[i], after[i]);
	first = cost_of_runs(self, from, from + tenth);
	last = cost_of_runs(self, self->n - 1 - tenth, self->n - 1);
	TH_LOG("a run takes %.0f calls of getppid() in the first tenth, %.0f in the last: %+.1f %%",
	       first, last, 100 * (last / first - 1));
	/* Something gets longer with every run: a list, a table. */
	if (seconds >= LONG_S) {
		EXPECT_GT(1.5, last / first);
	}
}

/* The straight line itself: what grows by a known amount is found to, noise is not growth. */
TEST(slope_is_found)
{
	double x[400], y[400];
	unsigned int seed = 1;
	struct slope s;

	for (int grows = 0; grows < 2; grows++) {
		for (int i = 0; i < 400; i++) {
			x[i] = 50 * i;
			y[i] = 1e6 + (rand_r(&seed) % 20000) + (grows ? 8 * x[i] : 0);
		}
		s = slope_of(x, y, 400);
		EXPECT_LT(grows ? 7 : -1, s.low);
		EXPECT_GT(grows ? 9 : 1, s.high);
		EXPECT_LT(s.low, s.high);
	}
	s = slope_of(x, y, 3);
	EXPECT_TRUE(isinf(s.low) && isinf(s.high));
}

TEST_HARNESS_MAIN
