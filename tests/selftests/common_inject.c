// SPDX-License-Identifier: MIT
#include "common_inject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#define MINE		"/proc/thread-self/fail-nth"
#define KMEMLEAK	"/sys/kernel/debug/kmemleak"
#define WORKERS		64

static struct {
	int mine;			/* descriptor of MINE; 0: not open */
	int log;			/* of the kernel, read up to here */
	int complaints;
	char workers[WORKERS][32];	/* fail-nth of each */
	unsigned int n_workers;
	unsigned int nth, left;
	bool in_worker;
} inject;

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

const char *inject_missing(void)
{
	static const char *const need[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	char path[64];

	if (access(MINE, W_OK))
		return "no " MINE ": needs the debug kernel";
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s", need[i]);
		if (access(path, X_OK))
			return "no failslab, fail_page_alloc or fail_usercopy: needs the debug kernel";
	}
	return NULL;
}

/* Where a function of the kernel begins, and what comes after it. */
static int text_of(const char *function, unsigned long *ret_start, unsigned long *ret_end)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long address;
	char line[512], name[256];
	int pass;

	*ret_start = 0;
	*ret_end = ~0ul;
	for (pass = 0; file && pass < 2; pass++) {
		rewind(file);
		while (fgets(line, sizeof(line), file)) {
			if (sscanf(line, "%lx %*c %255s", &address, name) != 2)
				continue;
			if (!pass && !strcmp(name, function))
				*ret_start = address;
			else if (pass && address > *ret_start && address < *ret_end)
				*ret_end = address;
		}
	}
	if (file)
		fclose(file);
	return *ret_start ? 0 : -ENOENT;
}

void inject_spare(const char *function)
{
	/*
	 * drm_minor_alloc() of 6.12 gives an error pointer back like a device when there is no memory
	 * for a minor's device in sysfs: the kernel's fault, and its end.
	 */
	static const char usual[] = "drm_sysfs_minor_alloc";
	static const char *const kinds[] = { "failslab", "fail_page_alloc" };
	unsigned long range[2];
	char path[96], text[32];

	if (!function)
		function = usual;
	if (text_of(function, &range[0], &range[1])) {
		fprintf(stderr, "# no function %s\n", function);
		return;
	}
	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/reject-%s", kinds[i / 2],
			 i % 2 ? "end" : "start");
		snprintf(text, sizeof(text), "0x%lx", range[i % 2]);
		if (put(path, text))
			fprintf(stderr, "# cannot set %s\n", path);
	}
}

void inject_prepare(void)
{
	static const struct {
		const char *path, *value;
	} settings[] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/verbose", "2" },
		{ "failslab/verbose_ratelimit_interval_ms", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "2" },
		{ "fail_page_alloc/verbose_ratelimit_interval_ms", "0" },
		{ "fail_usercopy/verbose", "2" },
		{ "fail_usercopy/verbose_ratelimit_interval_ms", "0" },
	};
	char path[96];

	if (inject_missing())
		return;
	for (unsigned int i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s", settings[i].path);
		if (put(path, settings[i].value))
			fprintf(stderr, "# cannot set %s\n", path);
	}
	inject_spare(NULL);
	/* Traces go to the log only: a serial console would take most of the time. */
	klogctl(8, NULL, 4);
	put(KMEMLEAK, "clear");
}

void inject_restore(void)
{
	if (!inject_missing())
		klogctl(7, NULL, 0);
}

/* --- the kernel's log -------------------------------------------------------------------------- */

static bool is_complaint(const char *text)
{
	static const char *const words[] = {
		"WARNING: ", "BUG: ", "KASAN: ", "UBSAN: ", "Oops", "refcount_t: ",
		"general protection", "possible circular locking", "possible recursive locking",
		"inconsistent lock state", "bad unlock balance", "list_add corruption",
		"list_del corruption", "sleeping function called", "suspicious RCU",
		"ODEBUG: ", "Bad page state", "objects remaining", "still has objects",
	};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* What every trace of a failure begins with: it tells nothing. */
static bool is_plumbing(const char *name)
{
	static const char *const prefixes[] = {
		"dump_stack", "should_fail", "should_failslab", "kmem_cache_alloc", "__kmalloc",
		"kmalloc", "__kmem_cache", "__alloc_pages", "alloc_pages", "__alloc_frozen",
		"_copy_", "copy_", "__vmalloc", "vmalloc", "__kvmalloc", "kvmalloc", "memdup",
		"kmemdup", "kstrdup", "__fail", "fail_dump", "slab_", "krealloc", "__krealloc",
		"kvasprintf", "kasprintf", "alloc_slab", "allocate_slab", "___slab", "__slab",
		"__should_failslab", "new_slab", "folio_alloc", "__folio_alloc", "get_free_pages",
	};

	for (unsigned int i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* A line of a trace: " name+0x12/0x34 [module]". @copy_out: the copy was outwards, so far. */
static void read_frame(struct inject_failure *f, const char *line, bool *copy_out)
{
	char name[64];
	bool module = strstr(line, "[tessera]");

	if (sscanf(line, " %63[^+]+0x", name) != 1 || name[0] == '?' || strchr(name, ' '))
		return;
	if (!strncmp(name, "_copy_to_user", 13))
		*copy_out = true;
	if (!strcmp(name, "drm_ioctl") && *copy_out && !f->ours)
		f->answer = true;
	if (module && !f->ours) {
		f->ours = true;
		snprintf(f->where, sizeof(f->where), "%s", name);
	}
	if (!module && !f->ours && !is_plumbing(name) && strlen(f->where) + strlen(name) + 2 < 80) {
		if (f->where[0])
			strcat(f->where, " < ");
		strcat(f->where, name);
	}
}

/* All that is new; the first failure among it goes to @f. */
static void read_log(struct inject_failure *f)
{
	bool mine = false, seen = false, copy_out = false;
	char record[8192], *text, *name;
	ssize_t n;

	while ((n = read(inject.log, record, sizeof(record) - 1)) > 0 || errno == EPIPE) {
		if (n <= 0)
			continue;
		record[n] = '\0';
		text = strchr(record, ';');
		if (!text)
			continue;
		*strchrnul(++text, '\n') = '\0';
		if (is_complaint(text)) {
			fprintf(stderr, "# kernel: %s\n", text);
			inject.complaints++;
		}
		name = strstr(text, "FAULT_INJECTION: ") ? strstr(text, "name ") : NULL;
		if (f && !seen && name && sscanf(name, "name %31[^,],", f->kind) == 1) {
			seen = mine = true;
			f->copy = !strcmp(f->kind, "fail_usercopy");
			f->where[0] = '\0';
		} else if (mine && strstr(text, "</TASK>")) {
			mine = false;
		} else if (mine) {
			read_frame(f, text, &copy_out);
		}
	}
}

/* --- failures ---------------------------------------------------------------------------------- */

static void find_workers(void)
{
	struct dirent *entry;
	char path[320], name[32];
	DIR *proc = opendir("/proc");

	inject.n_workers = 0;
	while (proc && (entry = readdir(proc)) && inject.n_workers < WORKERS) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = atoi(entry->d_name) ? fopen(path, "r") : NULL;
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && !strncmp(name, "kworker/u", 9))
			snprintf(inject.workers[inject.n_workers++], 32, "/proc/%d/fail-nth",
				 atoi(entry->d_name));
		fclose(file);
	}
	if (proc)
		closedir(proc);
}

void inject_open(void)
{
	if (inject.log || inject_missing())
		return;
	inject.mine = open(MINE, O_RDWR | O_CLOEXEC);
	inject.log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	lseek(inject.log, 0, SEEK_END);
}

void inject_begin(unsigned int nth, bool in_worker)
{
	char text[16];

	inject_open();
	inject.nth = inject.log ? nth : 0;
	inject.in_worker = in_worker;
	if (!inject.nth)
		return;
	snprintf(text, sizeof(text), "%u", nth);
	if (in_worker) {
		find_workers();
		for (unsigned int i = 0; i < inject.n_workers; i++)
			put(inject.workers[i], text);
	} else if (pwrite(inject.mine, text, strlen(text), 0) < 0) {
		perror(MINE);
	}
}

/* What is left of the number: 0 when the failure was made. */
static bool used_up(const char *path)
{
	char text[16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool up = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && atoi(text) == 0;

	if (fd >= 0)
		close(fd);
	return up;
}

bool inject_end(struct inject_failure *ret)
{
	char text[16] = "";
	bool failed = false;
	ssize_t n;

	if (!inject.nth)
		return false;
	if (inject.in_worker) {
		for (unsigned int i = 0; i < inject.n_workers; i++) {
			failed |= used_up(inject.workers[i]);
			put(inject.workers[i], "0");
		}
	} else {
		/* Reading it is a copy, and may itself be the one that fails. */
		n = pread(inject.mine, text, sizeof(text) - 1, 0);
		inject.left = n > 0 ? (unsigned int)atoi(text) : 1;
		failed = !inject.left;
		if (pwrite(inject.mine, "0", 1, 0) < 0 && pwrite(inject.mine, "0", 1, 0) < 0)
			perror(MINE);
	}
	if (failed)
		read_log(ret);
	return failed;
}

unsigned int inject_left(void)
{
	return inject.left;
}

int inject_complaints(void)
{
	int n;

	if (!inject.log)
		return 0;
	read_log(NULL);
	n = inject.complaints;
	inject.complaints = 0;
	return n;
}

/* --- leaks ------------------------------------------------------------------------------------- */

/* Told so on its command line: where only coverage is asked for (tests/run, gcov). */
static bool kmemleak_is_off(void)
{
	char line[1024] = "";
	FILE *file = fopen("/proc/cmdline", "r");

	if (file && !fgets(line, sizeof(line), file))
		line[0] = '\0';
	if (file)
		fclose(file);
	return strstr(line, "kmemleak=off");
}

int inject_leaks(void)
{
	char line[256], object[4096] = "";
	int leaks = 0;
	FILE *file;

	if (kmemleak_is_off())
		return 0;
	/* Objects younger than five seconds are none; what only moved is seen twice. */
	sleep(6);
	if (put(KMEMLEAK, "scan") || put(KMEMLEAK, "scan"))
		return -1;
	file = fopen(KMEMLEAK, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "unreferenced", 12)) {
			object[0] = '\0';
		}
		if (strlen(object) + strlen(line) + 4 < sizeof(object)) {
			strcat(object, "# ");
			strcat(object, line);
		}
		if (strstr(line, "[tessera]") && object[0] != '!') {
			leaks++;
			fputs(object, stderr);
			object[0] = '!';
			object[1] = '\0';
		}
	}
	if (file)
		fclose(file);
	return leaks;
}
