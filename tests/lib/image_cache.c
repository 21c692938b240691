// SPDX-License-Identifier: MIT
/* Images on disk (JIT-3): found, damaged, evicted, shared, and not there at all. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common_rig.h"
#include "image_store.h"
#include "kselftest_harness.h"

#define EMPTY	"void kernel_main(void) { }\n"

FIXTURE(image_cache) {
	char dir[64], images[96];
};

FIXTURE_SETUP(image_cache)
{
	strcpy(self->dir, "/tmp/tsr-cache-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chmod(self->dir, 0777));
	snprintf(self->images, sizeof(self->images), "%s/tessera/images", self->dir);
	unsetenv("TESSERA_IMAGE_CACHE");
	setenv("XDG_CACHE_HOME", self->dir, 1);
}

FIXTURE_TEARDOWN(image_cache)
{
	char command[256];

	snprintf(command, sizeof(command), "chmod -R u+rwx %s && rm -rf %s", self->dir, self->dir);
	ASSERT_EQ(0, system(command));
}

/* A device that uses the cache, and an operation with one kernel; @text NULL: an empty one. */
static struct rig *open_rig(const char *name, const char *text)
{
	struct rig *rig = rig_new();

	rig->dev->disk = true;
	if (rig_add_source(rig, name, TSR_PROCESSOR_DM0, NULL, text ? text : EMPTY))
		abort();
	return rig;
}

/* Compilers that a new device starts for a kernel: 0 when it is on disk. */
static int compiles_of(const char *text)
{
	struct rig *rig = open_rig("k", text);
	struct tsr_library_stats stats;
	int err = rig_submit(rig);

	tsr_library_stats(rig->dev, &stats);
	rig_free(rig);
	return err == -ENODEV ? (int)stats.compiles : -1;
}

static struct tsr_image_cache_stats stats(void)
{
	struct tsr_image_cache_stats s = { 0 };

	tsr_image_cache_stats(&s);
	return s;
}

/* The only entry's path. */
static void entry_path(const char *images, char *ret)
{
	struct tsr_image_cache_entry *entries;
	size_t n;

	if (tsr_image_cache_entries(&entries, &n) || n != 1)
		abort();
	sprintf(ret, "%s/%s.img", images, entries[0].key);
	free(entries);
}

TEST_F(image_cache, an_image_is_built_once_for_all_devices)
{
	struct tsr_image_cache_entry *entries;
	size_t n;

	EXPECT_EQ(1, compiles_of(NULL));
	/* 1 would mean that the image was not kept, or is not found. */
	EXPECT_EQ(0, compiles_of(NULL));
	EXPECT_EQ(1, compiles_of("void kernel_main(void) { *(volatile int *)64 = 1; }\n"));
	EXPECT_EQ(2, stats().entries);
	EXPECT_EQ(1, stats().hits);
	EXPECT_EQ(2, stats().misses);
	EXPECT_EQ(2, stats().stores);
	EXPECT_EQ(0, stats().failures);
	ASSERT_EQ(0, tsr_image_cache_entries(&entries, &n));
	ASSERT_EQ(2, n);
	EXPECT_STREQ("k", entries[0].kernel);
	EXPECT_EQ(1, entries[0].intact);
	EXPECT_LE(entries[0].used_ns, entries[1].used_ns);
	EXPECT_EQ(stats().bytes, entries[0].size + entries[1].size);
	free(entries);
}

TEST_F(image_cache, the_image_from_disk_is_the_one_that_was_built)
{
	struct rig *first = open_rig("k", NULL), *second = open_rig("k", NULL);

	ASSERT_EQ(0, rig_prepare(first));
	ASSERT_EQ(0, rig_prepare(second));
	ASSERT_EQ(1, stats().hits);
	ASSERT_EQ(first->program->blob_size, second->program->blob_size);
	EXPECT_EQ(0, memcmp(first->program->blob, second->program->blob,
			    first->program->blob_size));
	rig_free(first);
	rig_free(second);
}

static int compiles_with(const char *flag, const char *definition, uint32_t processor,
			 uint32_t slot)
{
	struct rig *rig = rig_new();
	struct tsr_kernel_info info = {
		.name = "k",
		.kind = TSR_KERNEL_DATA_MOVEMENT,
		.processor = processor,
		.source_text = EMPTY,
		.flags = &flag,
		.flag_count = 1,
		.definitions = &(struct tsr_definition){ "A", definition },
		.definition_count = 1,
	};
	struct tsr_library_stats stats;

	rig->dev->disk = true;
	rig->dev->limits.image_slot -= slot;
	if (tsr_operation_add_kernel(rig->op, &info) || rig_submit(rig) != -ENODEV)
		abort();
	tsr_library_stats(rig->dev, &stats);
	rig_free(rig);
	return (int)stats.compiles;
}

TEST_F(image_cache, everything_that_makes_an_image_is_in_its_key)
{
	EXPECT_EQ(1, compiles_with("-O2", "1", TSR_PROCESSOR_DM0, 0));
	EXPECT_EQ(0, compiles_with("-O2", "1", TSR_PROCESSOR_DM0, 0));
	EXPECT_EQ(1, compiles_with("-O1", "1", TSR_PROCESSOR_DM0, 0));
	EXPECT_EQ(1, compiles_with("-O2", "2", TSR_PROCESSOR_DM0, 0));
	EXPECT_EQ(1, compiles_with("-O2", "1", TSR_PROCESSOR_DM1, 0));
	EXPECT_EQ(1, compiles_with("-O2", "1", TSR_PROCESSOR_DM0, 4096));
}

/* A compiler of the same name that says the same, but is another file, or another version. */
static void write_compiler(const char *path, const char *version)
{
	FILE *file = fopen(path, "w");

	fprintf(file, "#!/bin/sh\n[ \"$1\" = --version ] && echo 'clang %s' && exit\n"
		"exec clang \"$@\"\n", version);
	fclose(file);
	chmod(path, 0755);
}

TEST_F(image_cache, another_compiler_is_another_image)
{
	char a[96], b[96];

	snprintf(a, sizeof(a), "%s/cc-a", self->dir);
	snprintf(b, sizeof(b), "%s/cc-b", self->dir);
	write_compiler(a, "1");
	write_compiler(b, "1");
	setenv("TESSERA_CC", a, 1);
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(0, compiles_of(NULL));
	setenv("TESSERA_CC", b, 1);
	EXPECT_EQ(1, compiles_of(NULL));
	write_compiler(b, "2");
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(0, compiles_of(NULL));
	unsetenv("TESSERA_CC");
}

/* Speaks like GCC, whose driver says where what it starts is. */
static void write_driver(const char *dir)
{
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "%s/driver", dir);
	file = fopen(path, "w");
	fprintf(file, "#!/bin/sh\n[ \"$1\" = --version ] && echo 'gcc (GCC) 12' && exit\n"
		"case $1 in -print-prog-name=*) echo %s/${1#*=}; exit;; esac\n"
		"exec clang --target=riscv32-unknown-elf -fuse-ld=lld \"$@\"\n", dir);
	fclose(file);
	chmod(path, 0755);
	setenv("TESSERA_CC", path, 1);
}

static void write_tool(const char *dir, const char *name, const char *text)
{
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
	chmod(path, 0755);
}

/* An image of before the change would be one that nobody can build any more. */
TEST_F(image_cache, another_assembler_or_linker_of_gcc_is_another_image)
{
	static const char *const tools[] = { "cc1", "as", "ld" };

	write_driver(self->dir);
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		write_tool(self->dir, tools[i], "#!/bin/sh\n");
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(0, compiles_of(NULL));
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		write_tool(self->dir, tools[i], "#!/bin/sh\n# another\n");
		EXPECT_EQ(1, compiles_of(NULL)) {
			TH_LOG("%s", tools[i]);
		}
		EXPECT_EQ(0, compiles_of(NULL));
	}
	unsetenv("TESSERA_CC");
}

/* The linker that clang would start need not be the one in PATH. */
TEST_F(image_cache, another_linker_of_clang_is_another_image)
{
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "%s/driver", self->dir);
	file = fopen(path, "w");
	fprintf(file, "#!/bin/sh\n[ \"$1\" = -print-prog-name=ld.lld ] && echo %s/ld && exit\n"
		"exec clang \"$@\"\n", self->dir);
	fclose(file);
	chmod(path, 0755);
	setenv("TESSERA_CC", path, 1);
	write_tool(self->dir, "ld", "#!/bin/sh\n");
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(0, compiles_of(NULL));
	write_tool(self->dir, "ld", "#!/bin/sh\n# another\n");
	EXPECT_EQ(1, compiles_of(NULL));
	unsetenv("TESSERA_CC");
}

TEST_F(image_cache, another_device_header_is_another_image)
{
	char command[512], header[128];
	FILE *file;

	snprintf(command, sizeof(command), "mkdir %s/dev && cp -r %s/lib/device/. %s/dev && "
		 "cp -r %s/uapi/drm %s/dev/", self->dir, TSR_SRCDIR, self->dir, TSR_SRCDIR,
		 self->dir);
	ASSERT_EQ(0, system(command));
	snprintf(header, sizeof(header), "%s/dev", self->dir);
	setenv("TESSERA_DEVICE_DIR", header, 1);
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(0, compiles_of(NULL));
	snprintf(header, sizeof(header), "%s/dev/tessera_core.h", self->dir);
	file = fopen(header, "a");
	ASSERT_NE(NULL, file);
	fputs("/* other */\n", file);
	fclose(file);
	EXPECT_EQ(1, compiles_of(NULL));
	unsetenv("TESSERA_DEVICE_DIR");
}

/* ---- Damage ------------------------------------------------------------------------------- */

TEST_F_TIMEOUT(image_cache, a_flipped_bit_anywhere_is_found, 150)
{
	char path[160];
	struct stat st;
	int fd;

	ASSERT_EQ(1, compiles_of(NULL));
	entry_path(self->images, path);
	ASSERT_EQ(0, stat(path, &st));
	for (off_t at = 0; at < st.st_size; at += at < 160 ? 11 : 51) {
		uint8_t byte;

		fd = open(path, O_RDWR);
		ASSERT_EQ(1, pread(fd, &byte, 1, at));
		byte ^= (uint8_t)(1 << (at % 8));
		ASSERT_EQ(1, pwrite(fd, &byte, 1, at));
		close(fd);
		/* 0 would mean that a damaged image was used. */
		ASSERT_EQ(1, compiles_of(NULL)) {
			TH_LOG("byte %lld", (long long)at);
		}
	}
	EXPECT_EQ(0, compiles_of(NULL));
	EXPECT_LT(10, stats().damaged);
	EXPECT_EQ(1, stats().entries);
}

TEST_F(image_cache, truncated_and_empty_entries_are_built_again)
{
	char path[160];
	struct stat st;

	ASSERT_EQ(1, compiles_of(NULL));
	entry_path(self->images, path);
	ASSERT_EQ(0, stat(path, &st));
	ASSERT_EQ(0, truncate(path, st.st_size - 1));
	EXPECT_EQ(1, compiles_of(NULL));
	ASSERT_EQ(0, truncate(path, 40));
	EXPECT_EQ(1, compiles_of(NULL));
	ASSERT_EQ(0, truncate(path, 0));
	EXPECT_EQ(1, compiles_of(NULL));
	ASSERT_EQ(0, truncate(path, st.st_size + 1));
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(0, compiles_of(NULL));
	EXPECT_EQ(4, stats().damaged);
}

TEST_F(image_cache, what_is_no_file_is_not_opened_for_long)
{
	char path[160];

	ASSERT_EQ(1, compiles_of(NULL));
	entry_path(self->images, path);
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, mkfifo(path, 0600));
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(0, compiles_of(NULL));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, symlink("/etc/passwd", path));
	EXPECT_EQ(1, compiles_of(NULL));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, mkdir(path, 0700));
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(1, stats().failures);
	ASSERT_EQ(0, rmdir(path));
}

TEST_F(image_cache, a_lock_that_another_process_keeps_costs_only_the_storing)
{
	char path[160];
	int lock, entry;

	ASSERT_EQ(1, compiles_of(NULL));
	entry_path(self->images, path);
	entry = open(path, O_RDONLY);
	ASSERT_EQ(0, flock(entry, LOCK_EX));
	snprintf(path, sizeof(path), "%s/tessera/lock", self->dir);
	lock = open(path, O_RDWR);
	ASSERT_EQ(0, flock(lock, LOCK_EX));
	EXPECT_EQ(0, compiles_of(NULL));
	EXPECT_EQ(1, compiles_of(EMPTY "int a;\n"));
	EXPECT_EQ(1, stats().failures);
	EXPECT_EQ(-EBUSY, tsr_image_cache_clear());
	close(lock);
	close(entry);
	EXPECT_EQ(1, compiles_of(EMPTY "int a;\n"));
	EXPECT_EQ(0, compiles_of(EMPTY "int a;\n"));
}

/* ---- Limits ------------------------------------------------------------------------------- */

static const char *numbered(int i)
{
	static char text[64];

	snprintf(text, sizeof(text), EMPTY "/* %d */\n", i);
	return text;
}

TEST_F(image_cache, the_least_recently_used_goes_first)
{
	uint64_t size;

	ASSERT_EQ(1, compiles_of(numbered(0)));
	size = stats().bytes;
	ASSERT_EQ(1, compiles_of(numbered(1)));
	ASSERT_EQ(1, compiles_of(numbered(2)));
	ASSERT_EQ(0, compiles_of(numbered(0)));
	/* By use: 1, 2, 0. Room for two, with a sixteenth to spare. */
	ASSERT_EQ(0, tsr_image_cache_set_limit(2 * size + size / 2));
	EXPECT_EQ(2, stats().entries);
	EXPECT_EQ(1, stats().evictions);
	EXPECT_EQ(0, compiles_of(numbered(2)));
	EXPECT_EQ(0, compiles_of(numbered(0)));
	ASSERT_EQ(1, compiles_of(numbered(1)));
	/* That one pushed out 2. */
	EXPECT_EQ(2, stats().entries);
	EXPECT_EQ(0, compiles_of(numbered(0)));
	EXPECT_EQ(0, compiles_of(numbered(1)));
	EXPECT_EQ(1, compiles_of(numbered(2)));
	EXPECT_GE(stats().limit, stats().bytes);
}

TEST_F(image_cache, a_limit_holds_at_once_and_for_everybody)
{
	int status;
	pid_t pid;

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(1, compiles_of(numbered(i)));
	EXPECT_EQ(TSR_STORE_LIMIT, stats().limit);
	pid = fork();
	if (!pid)
		_exit(tsr_image_cache_set_limit(0) ? 1 : 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_EQ(0, stats().entries);
	EXPECT_EQ(0, stats().limit);
	EXPECT_EQ(1, compiles_of(numbered(0)));
	/* Off: neither looked for nor kept. 0 would mean that it was. */
	EXPECT_EQ(1, compiles_of(numbered(0)));
	EXPECT_EQ(3, stats().misses);
	ASSERT_EQ(0, tsr_image_cache_set_limit(64));
	EXPECT_EQ(1, compiles_of(numbered(0)));
	EXPECT_EQ(1, stats().failures);
	EXPECT_EQ(0, stats().entries);
	ASSERT_EQ(0, tsr_image_cache_set_limit(1 << 20));
	EXPECT_EQ(1, compiles_of(numbered(0)));
	EXPECT_EQ(0, compiles_of(numbered(0)));
}

TEST_F(image_cache, clear_removes_all_and_keeps_the_limit)
{
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(1, compiles_of(numbered(i)));
	ASSERT_EQ(0, tsr_image_cache_set_limit(1 << 20));
	ASSERT_EQ(0, tsr_image_cache_clear());
	EXPECT_EQ(0, stats().entries);
	EXPECT_EQ(0, stats().bytes);
	EXPECT_EQ(1 << 20, stats().limit);
	EXPECT_EQ(1, stats().clears);
	EXPECT_EQ(1, compiles_of(numbered(0)));
}

TEST_F(image_cache, a_wrong_sum_corrects_itself)
{
	uint64_t wrong = UINT64_MAX - 1;
	char path[160];
	int lock;

	ASSERT_EQ(1, compiles_of(numbered(0)));
	snprintf(path, sizeof(path), "%s/tessera/lock", self->dir);
	lock = open(path, O_RDWR);
	ASSERT_EQ(8, pwrite(lock, &wrong, 8, 0));
	EXPECT_EQ(1, compiles_of(numbered(1)));
	ASSERT_EQ(8, pread(lock, &wrong, 8, 0));
	EXPECT_EQ(stats().bytes, le64toh(wrong));
	ASSERT_EQ(0, ftruncate(lock, 3));
	EXPECT_EQ(1, compiles_of(numbered(2)));
	ASSERT_EQ(8, pread(lock, &wrong, 8, 0));
	EXPECT_EQ(stats().bytes, le64toh(wrong));
	EXPECT_EQ(3, stats().entries);
	close(lock);
}

/* ---- No cache ----------------------------------------------------------------------------- */

TEST_F(image_cache, without_a_home_there_is_none)
{
	struct tsr_image_cache_stats s;

	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	EXPECT_EQ(-ENOENT, tsr_image_cache_dir(NULL, 0));
	EXPECT_EQ(-ENOENT, tsr_image_cache_stats(&s));
	EXPECT_EQ(-ENOENT, tsr_image_cache_clear());
	EXPECT_EQ(-ENOENT, tsr_image_cache_set_limit(1));
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(1, compiles_of(NULL));
	setenv("XDG_CACHE_HOME", "relative", 1);
	EXPECT_EQ(-ENOENT, tsr_image_cache_dir(NULL, 0));
	setenv("XDG_CACHE_HOME", self->dir, 1);
	setenv("TESSERA_IMAGE_CACHE", "off", 1);
	EXPECT_EQ(-ENOENT, tsr_image_cache_dir(NULL, 0));
	EXPECT_EQ(1, compiles_of(NULL));
	unsetenv("TESSERA_IMAGE_CACHE");
	setenv("HOME", self->dir, 1);
	unsetenv("XDG_CACHE_HOME");
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(0, compiles_of(NULL));
}

TEST_F(image_cache, a_folder_that_cannot_be_is_no_error)
{
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(1, compiles_of(NULL));
}

/* As a user that may read the folder, and no more. */
static int as_nobody(int (*test)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(9);
		_exit(test());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int fills_own(void)
{
	return compiles_of(NULL) == 1 ? 0 : 1;
}

static int reads_and_cannot_write(void)
{
	struct tsr_image_cache_stats s;

	if (compiles_of(NULL) != 0)
		return 1;
	if (compiles_of(EMPTY "int b;\n") != 1)
		return 2;
	if (tsr_image_cache_stats(&s) || s.entries != 1 || s.failures != 1)
		return 3;
	return tsr_image_cache_clear() == -EACCES ? 0 : 4;
}

TEST_F(image_cache, a_read_only_folder_is_read)
{
	char path[96];

	ASSERT_EQ(0, as_nobody(fills_own));
	snprintf(path, sizeof(path), "%s/tessera/lock", self->dir);
	ASSERT_EQ(0, chmod(path, 0400));
	ASSERT_EQ(0, chmod(self->images, 0500));
	snprintf(path, sizeof(path), "%s/tessera", self->dir);
	ASSERT_EQ(0, chmod(path, 0500));
	EXPECT_EQ(0, as_nobody(reads_and_cannot_write));
}

TEST_F(image_cache, a_folder_that_others_may_write_is_not_used)
{
	struct tsr_image_cache_stats s;
	char path[96];

	ASSERT_EQ(1, compiles_of(NULL));
	snprintf(path, sizeof(path), "%s/tessera", self->dir);
	ASSERT_EQ(0, chmod(path, 0777));
	EXPECT_EQ(1, compiles_of(NULL));
	EXPECT_EQ(-EPERM, tsr_image_cache_stats(&s));
	ASSERT_EQ(0, chmod(path, 0700));
	EXPECT_EQ(0, compiles_of(NULL));
	if (!geteuid()) {
		ASSERT_EQ(0, chown(path, 65534, 65534));
		EXPECT_EQ(-EPERM, tsr_image_cache_clear());
		EXPECT_EQ(1, compiles_of(NULL));
	}
}

TEST_HARNESS_MAIN
