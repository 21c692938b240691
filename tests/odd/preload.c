// SPDX-License-Identifier: MIT
/*
 * What a process may have done to itself before it calls the library. TSR_ODD names it:
 *
 *   timer     a signal a millisecond, whose handler does nothing and which restarts calls
 *   sigchld   SIGCHLD is ignored
 *   streams   standard streams are closed
 *   locale    the environment's locale is set
 *   rounding  floating point rounds up, and flushes denormals to zero
 *
 * The harness waits for children and prints: what would disturb that is done in its grandchildren, in
 * which the tests of a fixture are. A file with the name TSR_ODD_MARK says that it was done.
 */
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

#define MXCSR_FTZ	0x8000
#define MXCSR_DAZ	0x0040

static const char *odd;
static const char *mark;
static int depth;		/* forks since the harness */

static void done(void)
{
	int fd = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		abort();
	close(fd);
}

static void nothing(int signal)
{
}

/* Timers are not inherited. */
static void start_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3 };
	struct itimerspec every = { .it_interval.tv_nsec = 1000000, .it_value.tv_nsec = 1000000 };
	struct sigaction action = { .sa_handler = nothing, .sa_flags = SA_RESTART };
	timer_t timer;

	if (sigaction(SIGRTMIN + 3, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &every, NULL))
		abort();
}

static void in_child(void)
{
	/* Not in what a test starts. */
	if (++depth != 2)
		return;
	if (!strcmp(odd, "timer")) {
		start_timer();
	} else if (!strcmp(odd, "sigchld")) {
		signal(SIGCHLD, SIG_IGN);
	} else if (!strcmp(odd, "streams")) {
		close(0);
		close(1);
		close(2);
	} else {
		return;
	}
	done();
}

/* Copied: who clears the environment takes nothing away. */
static const char *take(const char *name)
{
	const char *value = getenv(name);

	value = value ? strdup(value) : NULL;
	unsetenv(name);
	return value;
}

__attribute__((constructor)) static void begin(void)
{
	odd = take("TSR_ODD");
	mark = take("TSR_ODD_MARK");
	/* Programs that are started find themselves in the ordinary world. */
	unsetenv("LD_PRELOAD");
	if (!odd || !mark)
		return;
	if (!strcmp(odd, "locale")) {
		if (!setlocale(LC_ALL, "") || strcmp(localeconv()->decimal_point, ","))
			abort();
		done();
	} else if (!strcmp(odd, "rounding")) {
		fesetround(FE_UPWARD);
		_mm_setcsr(_mm_getcsr() | MXCSR_FTZ | MXCSR_DAZ);
		done();
	}
	pthread_atfork(NULL, NULL, in_child);
}
