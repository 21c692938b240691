// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "util.h"

#define MAX_OUTPUT	(256u << 10)

extern char **environ;

/* What would change an image, or its messages, without being in its identity (FP-3). */
static bool keep(const char *variable)
{
	static const char *const names[] = {
		"LC_ALL", "CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH",
		"LIBRARY_PATH", "SOURCE_DATE_EPOCH", "CCC_OVERRIDE_OPTIONS", "DEPENDENCIES_OUTPUT",
		"SUNPRO_DEPENDENCIES", "CCC_CC", "CC_PRINT_OPTIONS",
	};
	size_t n = strcspn(variable, "=");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(variable, names[i], n) && !names[i][n])
			return false;
	return true;
}

/* The environment without those, and with LC_ALL=C. */
static char **environment(void)
{
	static char locale[] = "LC_ALL=C";
	size_t n = 0, k = 0;
	char **env;

	while (environ && environ[n])
		n++;
	env = calloc(n + 2, sizeof(*env));
	if (!env)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (keep(environ[i]))
			env[k++] = environ[i];
	env[k] = locale;
	return env;
}

static int start(char *const argv[], int output, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	char **env = environment();
	sigset_t none;
	int err;

	if (!env)
		return -ENOMEM;
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, output, 1);
	posix_spawn_file_actions_adddup2(&files, output, 2);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	err = -posix_spawnp(ret_pid, argv[0], &files, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	free(env);
	return err;
}

/* Everything until all writers are gone, of which too much is thrown away; NULL: no memory. */
static char *drain(int fd)
{
	struct tsr_vec text = { 0 };
	bool short_of_memory = false;
	char block[4096];
	ssize_t n;

	for (;;) {
		char *to;

		n = read(fd, block, sizeof(block));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (text.count + (size_t)n > MAX_OUTPUT)
			continue;
		to = tsr_vec_add(&text, 1, (size_t)n);
		if (to)
			memcpy(to, block, (size_t)n);
		else
			short_of_memory = true;
	}
	if (short_of_memory || !tsr_vec_add(&text, 1, 1)) {
		tsr_vec_free(&text);
		return NULL;
	}
	((char *)text.data)[text.count - 1] = '\0';
	return text.data;
}

static int status_of(pid_t pid)
{
	int status;
	pid_t ret;

	do {
		ret = waitpid(pid, &status, 0);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int tsr_spawn(char *const argv[], char **ret_output, int *ret_status)
{
	char *output;
	int pipes[2], err;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return -errno;
	err = start(argv, pipes[1], &pid);
	close(pipes[1]);
	if (err) {
		close(pipes[0]);
		return err;
	}
	output = drain(pipes[0]);
	close(pipes[0]);
	*ret_status = status_of(pid);
	if (!output)
		return -ENOMEM;
	*ret_output = output;
	return 0;
}
