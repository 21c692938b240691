// SPDX-License-Identifier: MIT
/*
 * A compiler as a child of a process that is not ours: what it inherits (T25), who waits for it
 * (T35), and which of its failures are remembered (PC-5, T23, T24).
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common_rig.h"
#include "kselftest_harness.h"

#define EMPTY	"void kernel_main(void) { }\n"
#define VERSION	"#!/bin/sh\n[ \"$1\" = --version ] && echo clang 1 && exit 0\n" \
		"case $1 in -print*) echo /usr/bin/ld.lld; exit 0;; esac\n"

FIXTURE(child) {
	struct rig *rig;
	char dir[64];
};

FIXTURE_SETUP(child)
{
	self->rig = rig_new();
	strcpy(self->dir, "/tmp/tsr-test-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chmod(self->dir, 0755));
	ASSERT_EQ(0, rig_add_source(self->rig, "k", TSR_PROCESSOR_DM0, NULL, EMPTY));
}

FIXTURE_TEARDOWN(child)
{
	char command[128];

	self->rig = rig_free(self->rig);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	ASSERT_EQ(0, system(command));
	unsetenv("TESSERA_CC");
}

/* A compiler that does what @text says; %s in it is the test's folder. */
static void set_compiler(const char *dir, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cc", dir);
	file = fopen(path, "w");
	fprintf(file, VERSION "D=%s\n%s", dir, text);
	fclose(file);
	chmod(path, 0755);
	setenv("TESSERA_CC", path, 1);
}

static char *get_file(const char *dir, const char *name)
{
	static char text[4096];
	char path[128];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	return text;
}

/* ---- What passes, and what lasts ---------------------------------------------------------- */

/* Fails in one way at first, and is a compiler from then on. */
static int fails_once(struct rig *rig, const char *dir, const char *how)
{
	char text[512];
	int err;

	snprintf(text, sizeof(text), "[ -e $D/flag ] || { touch $D/flag; %s; }\n"
		 "exec clang \"$@\"\n", how);
	set_compiler(dir, text);
	err = rig_submit(rig);
	return err ? err : -1;
}

#define PASSES(name, how)						\
TEST_F(child, name##_passes)						\
{									\
	ASSERT_EQ(-ENOEXEC, fails_once(self->rig, self->dir, how));	\
	EXPECT_TRUE(rig_only(self->rig, "JIT-2", 1));			\
	/* -ENOEXEC would mean that it is remembered. */		\
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));			\
}

PASSES(a_compiler_that_is_killed, "kill -KILL $$")
PASSES(a_compiler_that_crashes, "kill -SEGV $$")
PASSES(a_cc1_that_is_killed,
       "echo 'clang: error: unable to execute command: Killed'; exit 254")
PASSES(a_crash_that_the_driver_reports,
       "echo 'k:1:1: error: x'; echo 'PLEASE submit a bug report to ...'; exit 70")
PASSES(a_gcc_that_is_killed,
       "echo 'gcc: fatal error: Killed signal terminated program cc1'; exit 1")
PASSES(a_bug_of_gcc, "echo 'k:1:1: internal compiler error: Segmentation fault'; exit 1")
PASSES(a_full_disk,
       "echo 'error: unable to open output file: No space left on device'; exit 1")
PASSES(a_full_disk_while_a_place_is_named,
       "echo 'k:1:1: fatal error: error in backend: IO failure: No space left on device'; exit 1")
PASSES(want_of_memory, "echo 'k:1:1: fatal error: Cannot allocate memory'; exit 1")
PASSES(want_of_descriptors, "echo 'k:1:1: error: cannot open x.h: Too many open files'; exit 1")
PASSES(a_linker_that_is_killed,
       "echo 'clang: error: linker command failed due to signal (use -v)'; exit 1")
PASSES(a_wrapper_whose_child_is_killed, "echo 'k:1:1: error: x'; exit 137")
PASSES(an_error_without_a_reason, "exit 1")

TEST_F(child, an_error_in_the_source_lasts)
{
	struct tsr_cache_stats cache;

	ASSERT_EQ(-ENOEXEC, fails_once(self->rig, self->dir,
				       "echo 'k:1:1: error: no such thing'; exit 1"));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	tsr_cache_stats(self->rig->dev, &cache);
	EXPECT_EQ(1, cache.negative_hits);
}

/* "Does not fit" is remembered, too. */
TEST_F(child, what_does_not_fit_lasts)
{
	struct tsr_cache_stats cache;

	self->rig->op = tsr_operation_unref(self->rig->op);
	ASSERT_EQ(0, tsr_operation_new(self->rig->dev, "op", self->rig->cores, &self->rig->op));
	ASSERT_EQ(0, rig_add_source(self->rig, "large", TSR_PROCESSOR_DM0, NULL,
				    "char big[1 << 20];\n"
				    "void kernel_main(void) { *(volatile char *)big = 1; }\n"));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	EXPECT_TRUE(rig_only(self->rig, "V22", 1));
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	tsr_cache_stats(self->rig->dev, &cache);
	EXPECT_EQ(1, cache.negative_hits);
	EXPECT_EQ(1, cache.builds);
}

TEST_F(child, a_compiler_that_comes_later_is_found)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/cc", self->dir);
	setenv("TESSERA_CC", path, 1);
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	set_compiler(self->dir, "exec clang \"$@\"\n");
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
}

/* A table that is full when the compiler is asked for its name says nothing of the compiler. */
TEST_F(child, no_descriptor_at_the_first_submit_is_an_error_of_that_submit)
{
	struct rlimit old, none;
	int lowest = dup(0);

	close(lowest);
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	none = old;
	none.rlim_cur = (rlim_t)lowest;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_EQ(-EMFILE, rig_submit(self->rig));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	EXPECT_TRUE(self->rig->dev->toolchain.known);
	EXPECT_TRUE(self->rig->dev->toolchain.clang);
}

TEST_F(child, a_limit_of_descriptors_that_is_nearly_reached_is_not_the_compilers)
{
	struct rlimit old, few;
	int lowest = dup(0);

	close(lowest);
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &old));
	few = old;
	few.rlim_cur = (rlim_t)lowest + 4;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &old));
}

/* ---- What it inherits --------------------------------------------------------------------- */

TEST_F(child, a_host_that_ignores_sigchld)
{
	signal(SIGCHLD, SIG_IGN);
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	signal(SIGCHLD, SIG_DFL);
}

TEST_F(child, a_host_that_ignores_sigchld_sees_how_a_compile_failed)
{
	signal(SIGCHLD, SIG_IGN);
	EXPECT_EQ(-ENOEXEC, fails_once(self->rig, self->dir, "kill -TERM $$"));
	EXPECT_NE(NULL, strstr(rig_finding(self->rig, "JIT-2", 0)->message, "signal 15"));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	signal(SIGCHLD, SIG_DFL);
}

TEST_F(child, a_host_that_wants_no_zombies)
{
	struct sigaction action = { .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT };

	ASSERT_EQ(0, sigaction(SIGCHLD, &action, NULL));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	signal(SIGCHLD, SIG_DFL);
}

static volatile sig_atomic_t reaped, signalled;

static void reap(int sig)
{
	(void)sig;
	signalled++;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		reaped++;
}

/* Nobody gets a child of ours: neither its end nor its status. */
TEST_F(child, a_host_that_reaps_all_children)
{
	struct sigaction action = { .sa_handler = reap };

	ASSERT_EQ(0, sigaction(SIGCHLD, &action, NULL));
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	signal(SIGCHLD, SIG_DFL);
	EXPECT_EQ(0, reaped);
	EXPECT_EQ(0, signalled);
	EXPECT_EQ(-1, waitpid(-1, NULL, __WALL));
	EXPECT_EQ(ECHILD, errno);
}

static void be_an_odd_host(void)
{
	sigset_t all;

	for (int sig = 1; sig < 32; sig++)
		if (sig != SIGCHLD)
			signal(sig, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	umask(0777);
	for (int i = 0; i < 5; i++)
		dup(1);		/* without close-on-exec */
	setenv("CPATH", "/nonexistent", 1);
	setenv("GCC_EXEC_PREFIX", "/nonexistent", 1);
	setenv("CCC_OVERRIDE_OPTIONS", "+-O0", 1);
	setenv("SOME_VARIABLE", "1", 1);
}

TEST_F(child, nothing_of_an_odd_host_is_inherited)
{
	unsigned long long blocked, ignored;
	char *text;
	int group;

	set_compiler(self->dir, "(\n"
		     "grep -E '^Sig(Ign|Blk)' /proc/self/status >$D/signals\n"
		     "umask >$D/umask\nls /proc/self/fd >$D/fds\nenv >$D/env\n"
		     "cut -d' ' -f5 /proc/self/stat >$D/group\n"
		     "ulimit -c >$D/core\n)\nexec clang \"$@\"\n");
	be_an_odd_host();
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	umask(022);
	text = get_file(self->dir, "signals");
	ASSERT_NE(NULL, text);
	ASSERT_EQ(2, sscanf(text, "SigBlk: %llx SigIgn: %llx", &blocked, &ignored));
	EXPECT_EQ(0, blocked);
	/* The C library keeps two above 31 for itself. */
	EXPECT_EQ(0, ignored & 0x7fffffff);
	EXPECT_STREQ("0077\n", get_file(self->dir, "umask"));
	EXPECT_STREQ("0\n", get_file(self->dir, "core"));
	/* Three, and the one that ls reads with. */
	EXPECT_STREQ("0\n1\n2\n3\n", get_file(self->dir, "fds"));
	text = get_file(self->dir, "env");
	EXPECT_NE(NULL, strstr(text, "LC_ALL=C\n"));
	EXPECT_EQ(NULL, strstr(text, "CPATH"));
	EXPECT_EQ(NULL, strstr(text, "GCC_EXEC_PREFIX"));
	EXPECT_EQ(NULL, strstr(text, "CCC_OVERRIDE_OPTIONS"));
	EXPECT_EQ(NULL, strstr(text, "SOME_VARIABLE"));
	ASSERT_EQ(1, sscanf(get_file(self->dir, "group"), "%d", &group));
	EXPECT_NE(getpgrp(), group);
}

static int submits_as_nobody(void (*prepare)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct rig *own = rig_new();

		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(9);
		prepare();
		_exit(rig_add_source(own, "k", TSR_PROCESSOR_DM0, NULL, EMPTY) ?
		      8 : rig_submit(own) != -ENODEV);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* Root may read what nobody may, so this is shown as another user. */
static void forbid_all(void)
{
	umask(0777);
}

TEST_F(child, a_host_whose_files_nobody_may_read)
{
	EXPECT_EQ(0, submits_as_nobody(forbid_all));
}

static void close_all(void)
{
	for (int i = 0; i < 3; i++)
		close(i);
}

TEST_F(child, a_host_without_standard_streams)
{
	EXPECT_EQ(0, submits_as_nobody(close_all));
}

static void limit_files(void)
{
	struct rlimit none = { 0, RLIM_INFINITY };

	setrlimit(RLIMIT_FSIZE, &none);
	signal(SIGXFSZ, SIG_IGN);
}

/* Its own source cannot be written: an error of the call, and no death by a signal. */
TEST_F(child, a_host_that_may_write_no_file)
{
	EXPECT_EQ(1, submits_as_nobody(limit_files));
}

/* ---- Who waits for whom ------------------------------------------------------------------- */

TEST_F(child, a_submit_does_not_wait_for_what_the_compiler_leaves_running)
{
	char path[128];
	int pid;

	snprintf(path, sizeof(path), "%s/hold", self->dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	set_compiler(self->dir, "(while [ -e $D/hold ]; do sleep 0.05; done) &\n"
		     "echo $! >$D/pid\nexec clang \"$@\"\n");
	EXPECT_EQ(-ENODEV, rig_submit(self->rig));
	ASSERT_EQ(1, sscanf(get_file(self->dir, "pid"), "%d", &pid));
	/* It is there yet, with our output open. */
	EXPECT_EQ(0, kill(pid, 0));
	unlink(path);
}

/* A signal to the host's process group is not the compiler's. */
TEST_F(child, an_interrupt_of_the_hosts_group_does_not_reach_the_compiler)
{
	signal(SIGINT, SIG_IGN);
	setpgid(0, 0);
	set_compiler(self->dir, "kill -INT 0 2>/dev/null; :\nexec clang \"$@\"\n");
	/* The compiler ends its own group. */
	EXPECT_EQ(-ENOEXEC, rig_submit(self->rig));
	EXPECT_NE(NULL, strstr(rig_finding(self->rig, "JIT-2", 0)->message, "signal 2"));
	signal(SIGINT, SIG_DFL);
}

TEST_HARNESS_MAIN
