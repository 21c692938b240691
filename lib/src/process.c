// SPDX-License-Identifier: MIT
/*
 * A program is started by a keeper: a child that shares this process's memory, as vfork() makes
 * it, but lives as long as the program. It is the keeper that has the descriptors, signals, limits
 * and folder that the program inherits, and it is the keeper that waits. So nothing of the host
 * process is changed; a host that ignores SIGCHLD, or that waits for any child, takes nothing
 * away: the keeper's end is told by no signal, and wait() without __WALL does not see it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "util.h"

#define MAX_OUTPUT	(256u << 10)
#define MAX_FILE	(256ull << 20)	/* that a compiler may write: one that runs wild ends */
#define MAX_FILES	1024		/* that it may have open, where the host may have fewer */
#define STACK		(256u << 10)

/* The keeper shares memory with its creator: no checks that keep books on stacks and threads. */
#define KEEPER		__attribute__((no_sanitize("address", "thread", "undefined")))

extern char **environ;

/** struct start - shared with the keeper */
struct start {
	const struct tsr_process *process;
	char **env;
	int output;		/* the file that collects it */
	pid_t creator;
	int err;		/* errno; -1 until the keeper has said something */
	int status;		/* of waitpid() */
};

/*
 * All that the program may see of the environment. Whatever else is there could change an image
 * without being in its identity (FP-3), or its messages.
 */
static bool keep(const char *variable)
{
	static const char *const names[] = { "PATH", "LD_LIBRARY_PATH", "HOME", "USER", "LOGNAME" };
	size_t n = strcspn(variable, "=");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(variable, names[i], n) && !names[i][n])
			return true;
	return false;
}

static char **environment(char *tmp)
{
	static char locale[] = "LC_ALL=C";
	size_t n = 0, k = 0;
	char **env;

	while (environ && environ[n])
		n++;
	env = calloc(n + 3, sizeof(*env));
	if (!env)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (keep(environ[i]))
			env[k++] = environ[i];
	env[k++] = locale;
	env[k] = tmp;
	return env;
}

/* ---- In the keeper ------------------------------------------------------------------------ */

KEEPER static void set_limit(int which, rlim_t want, bool at_least)
{
	struct rlimit limit;

	if (getrlimit(which, &limit) || (at_least && limit.rlim_cur >= want))
		return;
	limit.rlim_cur = want < limit.rlim_max ? want : limit.rlim_max;
	setrlimit(which, &limit);
}

/* Descriptors 0, 1, 2, and no other; the limits, the mask and the folder of a program. */
KEEPER static int settle(const struct start *s)
{
	int in, out;

	set_limit(RLIMIT_FSIZE, MAX_FILE, false);
	set_limit(RLIMIT_CORE, 0, false);
	set_limit(RLIMIT_NOFILE, MAX_FILES, true);
	umask(077);
	/* Where a folder has gone, names that are relative to it are found nowhere. */
	if (s->process->dir && chdir(s->process->dir) && chdir("/"))
		return errno;
	/* Not one of the first three, which the host may have closed. */
	out = fcntl(s->output, F_DUPFD, 3);
	in = open("/dev/null", O_RDONLY);
	if (in < 0)
		in = out;
	if (out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		return errno;
	close_range(3, ~0u, 0);
	return 0;
}

KEEPER static int start_program(const struct start *s, pid_t *ret_pid)
{
	posix_spawnattr_t attr;
	sigset_t set;
	int err;

	posix_spawnattr_init(&attr);
	sigfillset(&set);
	posix_spawnattr_setsigdefault(&attr, &set);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attr, &set);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	err = posix_spawnp(ret_pid, s->process->argv[0], NULL, &attr, s->process->argv, s->env);
	posix_spawnattr_destroy(&attr);
	return err;
}

/* Until it has ended. With the host the program goes, too. */
KEEPER static void wait_for_program(struct start *s, pid_t pid)
{
	sigset_t set;
	pid_t ret;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	while (!(ret = waitpid(pid, &s->status, WNOHANG)))
		if (sigwaitinfo(&set, NULL) == SIGTERM)
			kill(0, SIGKILL);
	s->err = ret == pid ? 0 : ECHILD;
}

/* Nothing that the host does at an exit. */
KEEPER static void leave(void)
{
	for (;;)
		syscall(SYS_exit_group, 0);
}

/* All signals are blocked, so that no handler of the host runs here. */
KEEPER static int keeper(void *arg)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	struct start *s = arg;
	pid_t pid;
	int err;

	sigaction(SIGCHLD, &plain, NULL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != s->creator)
		leave();
	err = settle(s);
	if (!err)
		err = start_program(s, &pid);
	if (err)
		s->err = err;
	else
		wait_for_program(s, pid);
	leave();
	return 0;
}

/* ---- In the host -------------------------------------------------------------------------- */

/* A thread: it is suspended until the keeper has ended, and signals are handled by others. */
static void *create_keeper(void *arg)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	struct start *s = arg;
	pid_t pid;

	if (stack == MAP_FAILED) {
		s->err = errno;
		return NULL;
	}
	s->creator = getpid();
	pid = clone(keeper, stack + STACK, CLONE_VM | CLONE_VFORK, s);
	if (pid < 0)
		s->err = errno;
	else
		while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	munmap(stack, STACK);
	return NULL;
}

static void keep_until_end(struct start *s)
{
	sigset_t all, old;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&thread, NULL, create_keeper, s)) {
		create_keeper(s);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		return;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_join(thread, NULL);
}

/* What the program wrote so far; what it left running may write on. NULL: no memory. */
static char *read_output(int fd)
{
	char *text = malloc(MAX_OUTPUT + 1), *fit;
	size_t n = 0;
	ssize_t got;

	if (!text)
		return NULL;
	while (n < MAX_OUTPUT && (got = pread(fd, text + n, MAX_OUTPUT - n, (off_t)n)) != 0) {
		if (got < 0 && errno != EINTR)
			break;
		if (got > 0)
			n += (size_t)got;
	}
	text[n] = '\0';
	fit = realloc(text, n + 1);
	return fit ? fit : text;
}

static int run(struct start *s, struct tsr_ending *ret_ending)
{
	s->err = -1;
	keep_until_end(s);
	if (s->err)
		return s->err < 0 ? -ECHILD : -s->err;
	ret_ending->output = read_output(s->output);
	if (!ret_ending->output)
		return -ENOMEM;
	ret_ending->status = WIFSIGNALED(s->status) ? -WTERMSIG(s->status) :
						      WEXITSTATUS(s->status);
	return 0;
}

int tsr_spawn(const struct tsr_process *process, struct tsr_ending *ret_ending)
{
	char *tmp = process->tmp ? tsr_text("TMPDIR=%s", process->tmp) : NULL;
	struct start s = { .process = process, .env = environment(tmp) };
	int err = -ENOMEM;

	if (s.env && (tmp || !process->tmp)) {
		s.output = memfd_create("tessera-output", MFD_CLOEXEC);
		err = s.output < 0 ? -errno : run(&s, ret_ending);
		if (s.output >= 0)
			close(s.output);
	}
	free(s.env);
	free(tmp);
	return err;
}

int tsr_spawn_cannot(int err)
{
	return err == -ENOENT || err == -EACCES || err == -ENOEXEC || err == -ENOTDIR ||
	       err == -ELOOP || err == -ENAMETOOLONG || err == -EISDIR;
}
