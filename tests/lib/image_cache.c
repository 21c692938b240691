// SPDX-License-Identifier: MIT
/* Images on disk (JIT-3): found, damaged, evicted, shared, and not there at all. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common_images.h"
#include "image_store.h"
#include "kselftest_harness.h"

FIXTURE(image_cache) {
	char dir[64], images[96];
};

FIXTURE_SETUP(image_cache)
{
	ASSERT_EQ(0, images_begin(self->dir));
	snprintf(self->images, sizeof(self->images), "%s/tessera/images", self->dir);
}

FIXTURE_TEARDOWN(image_cache)
{
	ASSERT_EQ(0, images_end(self->dir));
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

	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	/* 1 would mean that the image was not kept, or is not found. */
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(1, images_compiles("void kernel_main(void) { *(volatile int *)64 = 1; }\n"));
	EXPECT_EQ(2, images_stats().entries);
	EXPECT_EQ(1, images_stats().hits);
	EXPECT_EQ(2, images_stats().misses);
	EXPECT_EQ(2, images_stats().stores);
	EXPECT_EQ(0, images_stats().failures);
	ASSERT_EQ(0, tsr_image_cache_entries(&entries, &n));
	ASSERT_EQ(2, n);
	EXPECT_STREQ("k", entries[0].kernel);
	EXPECT_EQ(1, entries[0].intact);
	EXPECT_LE(entries[0].used_ns, entries[1].used_ns);
	EXPECT_EQ(images_stats().bytes, entries[0].size + entries[1].size);
	free(entries);
}

TEST_F(image_cache, the_image_from_disk_is_the_one_that_was_built)
{
	struct rig *first = images_rig("k", IMAGES_EMPTY), *second = images_rig("k", IMAGES_EMPTY);

	ASSERT_EQ(0, rig_prepare(first));
	ASSERT_EQ(0, rig_prepare(second));
	ASSERT_EQ(1, images_stats().hits);
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
		.source_text = IMAGES_EMPTY,
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
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	setenv("TESSERA_CC", b, 1);
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	write_compiler(b, "2");
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
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
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		write_tool(self->dir, tools[i], "#!/bin/sh\n# another\n");
		EXPECT_EQ(1, images_compiles(IMAGES_EMPTY)) {
			TH_LOG("%s", tools[i]);
		}
		EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
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
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	write_tool(self->dir, "ld", "#!/bin/sh\n# another\n");
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
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
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	snprintf(header, sizeof(header), "%s/dev/tessera_core.h", self->dir);
	file = fopen(header, "a");
	ASSERT_NE(NULL, file);
	fputs("/* other */\n", file);
	fclose(file);
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	unsetenv("TESSERA_DEVICE_DIR");
}

/* ---- Damage ------------------------------------------------------------------------------- */

TEST_F_TIMEOUT(image_cache, a_flipped_bit_anywhere_is_found, 150)
{
	char path[160];
	struct stat st;
	int fd;

	ASSERT_EQ(1, images_compiles(IMAGES_EMPTY));
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
		ASSERT_EQ(1, images_compiles(IMAGES_EMPTY)) {
			TH_LOG("byte %lld", (long long)at);
		}
	}
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	EXPECT_LT(10, images_stats().damaged);
	EXPECT_EQ(1, images_stats().entries);
}

TEST_F(image_cache, truncated_and_empty_entries_are_built_again)
{
	char path[160];
	struct stat st;

	ASSERT_EQ(1, images_compiles(IMAGES_EMPTY));
	entry_path(self->images, path);
	ASSERT_EQ(0, stat(path, &st));
	ASSERT_EQ(0, truncate(path, st.st_size - 1));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	ASSERT_EQ(0, truncate(path, 40));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	ASSERT_EQ(0, truncate(path, 0));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	ASSERT_EQ(0, truncate(path, st.st_size + 1));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(4, images_stats().damaged);
}

TEST_F(image_cache, what_is_no_file_is_not_opened_for_long)
{
	char path[160];

	ASSERT_EQ(1, images_compiles(IMAGES_EMPTY));
	entry_path(self->images, path);
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, mkfifo(path, 0600));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, symlink("/etc/passwd", path));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, mkdir(path, 0700));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(1, images_stats().failures);
	ASSERT_EQ(0, rmdir(path));
}

TEST_F(image_cache, a_lock_that_another_process_keeps_costs_only_the_storing)
{
	char path[160];
	int lock, entry;

	ASSERT_EQ(1, images_compiles(IMAGES_EMPTY));
	entry_path(self->images, path);
	entry = open(path, O_RDONLY);
	ASSERT_EQ(0, flock(entry, LOCK_EX));
	snprintf(path, sizeof(path), "%s/tessera/lock", self->dir);
	lock = open(path, O_RDWR);
	ASSERT_EQ(0, flock(lock, LOCK_EX));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY "int a;\n"));
	EXPECT_EQ(1, images_stats().failures);
	EXPECT_EQ(-EBUSY, tsr_image_cache_clear());
	close(lock);
	close(entry);
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY "int a;\n"));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY "int a;\n"));
}

/* ---- Limits ------------------------------------------------------------------------------- */

static const char *numbered(int i)
{
	static char text[64];

	snprintf(text, sizeof(text), IMAGES_EMPTY "/* %d */\n", i);
	return text;
}

TEST_F(image_cache, the_least_recently_used_goes_first)
{
	uint64_t size;

	ASSERT_EQ(1, images_compiles(numbered(0)));
	size = images_stats().bytes;
	ASSERT_EQ(1, images_compiles(numbered(1)));
	ASSERT_EQ(1, images_compiles(numbered(2)));
	ASSERT_EQ(0, images_compiles(numbered(0)));
	/* By use: 1, 2, 0. Room for two, with a sixteenth to spare. */
	ASSERT_EQ(0, tsr_image_cache_set_limit(2 * size + size / 2));
	EXPECT_EQ(2, images_stats().entries);
	EXPECT_EQ(1, images_stats().evictions);
	EXPECT_EQ(0, images_compiles(numbered(2)));
	EXPECT_EQ(0, images_compiles(numbered(0)));
	ASSERT_EQ(1, images_compiles(numbered(1)));
	/* That one pushed out 2. */
	EXPECT_EQ(2, images_stats().entries);
	EXPECT_EQ(0, images_compiles(numbered(0)));
	EXPECT_EQ(0, images_compiles(numbered(1)));
	EXPECT_EQ(1, images_compiles(numbered(2)));
	EXPECT_GE(images_stats().limit, images_stats().bytes);
}

TEST_F(image_cache, a_limit_holds_at_once_and_for_everybody)
{
	int status;
	pid_t pid;

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(1, images_compiles(numbered(i)));
	EXPECT_EQ(TSR_STORE_LIMIT, images_stats().limit);
	pid = fork();
	if (!pid)
		_exit(tsr_image_cache_set_limit(0) ? 1 : 0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_EQ(0, images_stats().entries);
	EXPECT_EQ(0, images_stats().limit);
	EXPECT_EQ(1, images_compiles(numbered(0)));
	/* Off: neither looked for nor kept. 0 would mean that it was. */
	EXPECT_EQ(1, images_compiles(numbered(0)));
	EXPECT_EQ(3, images_stats().misses);
	ASSERT_EQ(0, tsr_image_cache_set_limit(64));
	EXPECT_EQ(1, images_compiles(numbered(0)));
	EXPECT_EQ(1, images_stats().failures);
	EXPECT_EQ(0, images_stats().entries);
	ASSERT_EQ(0, tsr_image_cache_set_limit(1 << 20));
	EXPECT_EQ(1, images_compiles(numbered(0)));
	EXPECT_EQ(0, images_compiles(numbered(0)));
}

TEST_F(image_cache, clear_removes_all_and_keeps_the_limit)
{
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(1, images_compiles(numbered(i)));
	ASSERT_EQ(0, tsr_image_cache_set_limit(1 << 20));
	ASSERT_EQ(0, tsr_image_cache_clear());
	EXPECT_EQ(0, images_stats().entries);
	EXPECT_EQ(0, images_stats().bytes);
	EXPECT_EQ(1 << 20, images_stats().limit);
	EXPECT_EQ(1, images_stats().clears);
	EXPECT_EQ(1, images_compiles(numbered(0)));
}

TEST_F(image_cache, a_wrong_sum_corrects_itself)
{
	uint64_t wrong = UINT64_MAX - 1;
	char path[160];
	int lock;

	ASSERT_EQ(1, images_compiles(numbered(0)));
	snprintf(path, sizeof(path), "%s/tessera/lock", self->dir);
	lock = open(path, O_RDWR);
	ASSERT_EQ(8, pwrite(lock, &wrong, 8, 0));
	EXPECT_EQ(1, images_compiles(numbered(1)));
	ASSERT_EQ(8, pread(lock, &wrong, 8, 0));
	EXPECT_EQ(images_stats().bytes, le64toh(wrong));
	ASSERT_EQ(0, ftruncate(lock, 3));
	EXPECT_EQ(1, images_compiles(numbered(2)));
	ASSERT_EQ(8, pread(lock, &wrong, 8, 0));
	EXPECT_EQ(images_stats().bytes, le64toh(wrong));
	EXPECT_EQ(3, images_stats().entries);
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
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	setenv("XDG_CACHE_HOME", "relative", 1);
	EXPECT_EQ(-ENOENT, tsr_image_cache_dir(NULL, 0));
	setenv("XDG_CACHE_HOME", self->dir, 1);
	setenv("TESSERA_IMAGE_CACHE", "off", 1);
	EXPECT_EQ(-ENOENT, tsr_image_cache_dir(NULL, 0));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	unsetenv("TESSERA_IMAGE_CACHE");
	setenv("HOME", self->dir, 1);
	unsetenv("XDG_CACHE_HOME");
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
}

TEST_F(image_cache, a_folder_that_cannot_be_is_no_error)
{
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
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
	return images_compiles(IMAGES_EMPTY) == 1 ? 0 : 1;
}

static int fills_own_with_a_hard_umask(void)
{
	umask(0777);
	return images_compiles(IMAGES_EMPTY) == 1 && !images_compiles(IMAGES_EMPTY) ? 0 : 1;
}

static int reads_and_cannot_write(void)
{
	struct tsr_image_cache_stats s;

	if (images_compiles(IMAGES_EMPTY) != 0)
		return 1;
	if (images_compiles(IMAGES_EMPTY "int b;\n") != 1)
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

TEST_F(image_cache, a_umask_that_forbids_all_is_not_the_caches)
{
	EXPECT_EQ(0, as_nobody(fills_own_with_a_hard_umask));
}

TEST_F(image_cache, a_folder_that_others_may_write_is_not_used)
{
	struct tsr_image_cache_stats s;
	char path[96];

	ASSERT_EQ(1, images_compiles(IMAGES_EMPTY));
	snprintf(path, sizeof(path), "%s/tessera", self->dir);
	ASSERT_EQ(0, chmod(path, 0777));
	EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	EXPECT_EQ(-EPERM, tsr_image_cache_stats(&s));
	ASSERT_EQ(0, chmod(path, 0700));
	EXPECT_EQ(0, images_compiles(IMAGES_EMPTY));
	if (!geteuid()) {
		ASSERT_EQ(0, chown(path, 65534, 65534));
		EXPECT_EQ(-EPERM, tsr_image_cache_clear());
		EXPECT_EQ(1, images_compiles(IMAGES_EMPTY));
	}
}

TEST_HARNESS_MAIN
