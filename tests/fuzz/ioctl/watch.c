// SPDX-License-Identifier: MIT
#include "watch.h"
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ops.h"

#define INTERRUPT_MS	100	/* longest that a call may wait undisturbed */
#define HANG_MS		20000	/* signals for so long, and it has not come back */
#define PATTERNS	64

static struct {
	struct worker *workers;
	uint32_t count, hangs;
	pthread_t thread;
	volatile bool stop;
} watch;

static void on_signal(int sig)
{
}

static void look_at(struct worker *w)
{
	int64_t since = __atomic_load_n(&w->since, __ATOMIC_ACQUIRE);
	int64_t ms = since ? (uapi_now() - since) / 1000000 : 0;

	if (ms > INTERRUPT_MS)
		pthread_kill(w->self, SIGUSR1);
	if (ms > HANG_MS) {
		fprintf(stderr, "# thread %u: %s has not returned for %d s\n", w->thread,
			ops[w->op].name, HANG_MS / 1000);
		watch.hangs++;
		/* Show where, then give up: nothing else can be waited for. */
		if (system("echo w >/proc/sysrq-trigger"))
			fprintf(stderr, "# no sysrq\n");
		_exit(3);
	}
}

static void *watch_loop(void *arg)
{
	while (!watch.stop) {
		for (uint32_t i = 0; i < watch.count; i++)
			look_at(&watch.workers[i]);
		uapi_sleep_ms(INTERRUPT_MS / 4);
	}
	return NULL;
}

int watch_start(struct worker *workers, uint32_t count)
{
	struct sigaction action = { .sa_handler = on_signal };	/* not SA_RESTART */

	sigaction(SIGUSR1, &action, NULL);
	watch.workers = workers;
	watch.count = count;
	watch.stop = false;
	return -pthread_create(&watch.thread, NULL, watch_loop, NULL);
}

uint32_t watch_stop(void)
{
	watch.stop = true;
	pthread_join(watch.thread, NULL);
	return watch.hangs;
}

/* --- The kernel log --------------------------------------------------------------------------- */

static regex_t patterns[PATTERNS];
static uint32_t n_patterns;
static int kmsg = -1;

static int read_patterns(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256];

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f) && n_patterns < PATTERNS) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && !regcomp(&patterns[n_patterns], line, REG_EXTENDED | REG_NOSUB))
			n_patterns++;
	}
	fclose(f);
	return n_patterns ? 0 : -EINVAL;
}

int klog_open(void)
{
	const char *top = getenv("TSR_TOP");
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/complaints", top ? top : TSR_SRCDIR);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		return -errno;
	return read_patterns(path);
}

static bool matches(const char *line)
{
	for (uint32_t i = 0; i < n_patterns; i++)
		if (!regexec(&patterns[i], line, 0, NULL, 0))
			return true;
	return false;
}

uint32_t klog_complaints(void)
{
	uint32_t n = 0;
	char line[2048];
	ssize_t size;

	while ((size = read(kmsg, line, sizeof(line) - 1)) > 0 || (size < 0 && errno == EPIPE)) {
		if (size < 0)
			continue;
		line[size] = '\0';
		if (!matches(line))
			continue;
		fprintf(stderr, "# kernel: %s", strchr(line, ';') ? strchr(line, ';') + 1 : line);
		n++;
	}
	return n;
}
