// SPDX-License-Identifier: MIT
/*
 * The folder of the image cache.
 *
 *	images/KEY.img		an entry; complete, for it got its name by a rename
 *	images/.tmp-*		one being written, or left by a process that was killed
 *	limit			text: the limit in bytes
 *	lock			locked by who adds or removes entries; has the sum of their sizes
 *
 * Reading takes no lock. The sum counts a file before it is there, so that a process killed in
 * between leaves it too large; it is worked out anew whenever it exceeds the limit.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "image_store.h"
#include "util.h"

#define IMAGES		"images"
#define TEMPORARY	".tmp-"
#define ABANDONED_S	3600		/* a temporary file so old is nobody's any more */

int tsr_store_path(char **ret_path)
{
	const char *off = secure_getenv("TESSERA_IMAGE_CACHE");
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");

	if (off && !strcmp(off, "off"))
		return -ENOENT;
	if (cache && cache[0] == '/')
		*ret_path = tsr_text("%s/tessera", cache);
	else if (home && home[0] == '/')
		*ret_path = tsr_text("%s/.cache/tessera", home);
	else
		return -ENOENT;
	return *ret_path ? 0 : -ENOMEM;
}

/* Whatever the umask of the host is, what is made here is the user's. */
static int make_folder(int dir, const char *path)
{
	if (mkdirat(dir, path, 0700))
		return errno == EEXIST ? 0 : -errno;
	return fchmodat(dir, path, 0700, 0) ? -errno : 0;
}

/* All folders on the way to @path, and itself. What exists, or cannot be made, shows later. */
static void make_folders(char *path)
{
	for (char *p = path + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			make_folder(AT_FDCWD, path);
			*p = '/';
		}
	make_folder(AT_FDCWD, path);
}

/* Files of others are never used: what is in them would be executed. */
static int check_owner(int dir)
{
	struct stat st;

	if (fstat(dir, &st))
		return -errno;
	return st.st_uid == geteuid() && !(st.st_mode & 022) ? 0 : -EPERM;
}

static int read_number(int dir, const char *name, uint64_t *ret)
{
	char text[32] = "";
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && sscanf(text, "%" SCNu64, ret) == 1 ? 0 : -EBADMSG;
}

int tsr_store_open(struct tsr_store *store, bool create)
{
	char *path;
	int err = tsr_store_path(&path);

	store->dir = -1;
	if (err)
		return err;
	if (create)
		make_folders(path);
	store->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = store->dir < 0 ? -errno : check_owner(store->dir);
	free(path);
	if (!err && create)
		err = make_folder(store->dir, IMAGES);
	if (err) {
		tsr_store_close(store);
		return err;
	}
	store->limit = TSR_STORE_LIMIT;
	read_number(store->dir, "limit", &store->limit);
	return 0;
}

void tsr_store_close(struct tsr_store *store)
{
	if (store->dir >= 0)
		close(store->dir);
	store->dir = -1;
}

static void path_of(const char *name, char *ret)
{
	snprintf(ret, 64, IMAGES "/%s", name);
}

static int read_whole(int fd, size_t max, void **ret_data, size_t *ret_size)
{
	struct stat st;
	size_t done = 0;
	char *data;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || (uint64_t)st.st_size > max)
		return -EBADMSG;
	data = malloc((size_t)st.st_size);
	if (!data)
		return -ENOMEM;
	while (done < (size_t)st.st_size) {
		ssize_t n = read(fd, data + done, (size_t)st.st_size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			free(data);
			return -EBADMSG;
		}
		done += (size_t)n;
	}
	*ret_data = data;
	*ret_size = done;
	return 0;
}

int tsr_store_read(const struct tsr_store *store, const char *name, size_t max, void **ret_data,
		   size_t *ret_size)
{
	char path[64];
	int fd, err;

	path_of(name, path);
	fd = openat(store->dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0)
		return errno == ELOOP ? -EBADMSG : -errno;
	err = read_whole(fd, max, ret_data, ret_size);
	close(fd);
	return err;
}

void tsr_store_touch(const struct tsr_store *store, const char *name)
{
	struct timespec now[2];
	char path[64];

	path_of(name, path);
	/* Not UTIME_NOW, which is as coarse as the kernel's ticks. */
	clock_gettime(CLOCK_REALTIME, &now[0]);
	now[1] = now[0];
	utimensat(store->dir, path, now, AT_SYMLINK_NOFOLLOW);
}

void tsr_store_remove(const struct tsr_store *store, const char *name)
{
	char path[64];

	path_of(name, path);
	unlinkat(store->dir, path, 0);
}

/* ---- Lock and sum ------------------------------------------------------------------------- */

/* A descriptor that holds the lock; closing it lets go. */
static int lock_store(const struct tsr_store *store)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int fd = openat(store->dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -errno;
	fchmod(fd, 0600);
	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			int err = -errno;

			close(fd);
			return err;
		}
		if (i == TSR_STORE_LOCK_MS) {
			close(fd);
			return -EBUSY;
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}

/* UINT64_MAX: not known. */
static uint64_t read_sum(int lock)
{
	uint64_t sum;

	return pread(lock, &sum, sizeof(sum), 0) == sizeof(sum) ? le64toh(sum) : UINT64_MAX;
}

static int write_sum(int lock, uint64_t sum)
{
	sum = htole64(sum);
	return pwrite(lock, &sum, sizeof(sum), 0) == sizeof(sum) ? 0 : -EIO;
}

/* ---- List and evict ----------------------------------------------------------------------- */

static int by_use(const void *a, const void *b)
{
	const struct tsr_store_file *fa = a, *fb = b;

	if (fa->used_ns != fb->used_ns)
		return fa->used_ns < fb->used_ns ? -1 : 1;
	return strcmp(fa->name, fb->name);
}

static bool is_entry(const char *name)
{
	return strlen(name) == 36 && !strcmp(name + 32, ".img");
}

static int add_file(int dir, const char *name, struct tsr_vec *files)
{
	struct tsr_store_file *file;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;	/* it has gone */
	if (!strncmp(name, TEMPORARY, strlen(TEMPORARY)) &&
	    st.st_mtime + ABANDONED_S < time(NULL))
		unlinkat(dir, name, 0);
	if (!is_entry(name))
		return 0;
	file = tsr_vec_add(files, sizeof(*file), 1);
	if (!file)
		return -ENOMEM;
	strcpy(file->name, name);
	file->size = (uint64_t)st.st_size;
	file->used_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	return 0;
}

int tsr_store_list(const struct tsr_store *store, struct tsr_vec *ret_files)
{
	int fd = openat(store->dir, IMAGES, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err == -ENOENT ? 0 : err;
	}
	while (!err && (entry = readdir(dir)))
		err = add_file(fd, entry->d_name, ret_files);
	closedir(dir);
	if (!err && ret_files->count)
		qsort(ret_files->data, ret_files->count, sizeof(struct tsr_store_file), by_use);
	return err;
}

/* With the lock. */
static int shrink_locked(const struct tsr_store *store, int lock, uint64_t bytes,
			 uint64_t *ret_evicted)
{
	struct tsr_vec files = { 0 };
	const struct tsr_store_file *file;
	uint64_t sum = 0;
	int err = tsr_store_list(store, &files);

	file = files.data;
	for (size_t i = 0; i < files.count; i++)
		sum += file[i].size;
	for (size_t i = 0; !err && i < files.count && sum > bytes; i++) {
		char path[64];

		path_of(file[i].name, path);
		if (unlinkat(store->dir, path, 0) && errno != ENOENT) {
			err = -errno;
			break;
		}
		sum -= file[i].size;
		++*ret_evicted;
	}
	tsr_vec_free(&files);
	return err ? err : write_sum(lock, sum);
}

int tsr_store_shrink(const struct tsr_store *store, uint64_t bytes, uint64_t *ret_evicted)
{
	int lock = lock_store(store), err;

	if (lock < 0)
		return lock;
	err = shrink_locked(store, lock, bytes, ret_evicted);
	close(lock);
	return err;
}

/* ---- Write -------------------------------------------------------------------------------- */

static int write_temporary(const struct tsr_store *store, const char *folder, const void *data,
			   size_t size, char *ret_path)
{
	uint64_t number;
	int fd, err;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EIO;
	snprintf(ret_path, 64, "%s" TEMPORARY "%016" PRIx64, folder, number);
	fd = openat(store->dir, ret_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	fchmod(fd, 0600);
	err = tsr_write_all(fd, data, size);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlinkat(store->dir, ret_path, 0);
	return err;
}

/* With the lock. Room and the sum first: see above. */
static int make_room(const struct tsr_store *store, int lock, size_t size, uint64_t *ret_evicted)
{
	uint64_t sum = read_sum(lock);
	int err = 0;

	if (sum > store->limit - size) {
		err = shrink_locked(store, lock, store->limit - store->limit / 16 - size,
				    ret_evicted);
		sum = read_sum(lock);
	}
	return err ? err : write_sum(lock, sum + size);
}

static int publish(const struct tsr_store *store, int lock, const char *from, const char *name,
		   size_t size, uint64_t *ret_evicted)
{
	char path[64];
	int err = make_room(store, lock, size, ret_evicted);

	if (err)
		return err;
	path_of(name, path);
	if (renameat(store->dir, from, store->dir, path))
		return -errno;
	tsr_store_touch(store, name);
	return 0;
}

int tsr_store_write(const struct tsr_store *store, const char *name, const void *data, size_t size,
		    uint64_t *ret_evicted)
{
	char temporary[64];
	int lock, err;

	if (size > store->limit - store->limit / 16)
		return -EFBIG;
	err = write_temporary(store, IMAGES "/", data, size, temporary);
	if (err)
		return err;
	lock = lock_store(store);
	err = lock < 0 ? lock : publish(store, lock, temporary, name, size, ret_evicted);
	if (lock >= 0)
		close(lock);
	if (err)
		unlinkat(store->dir, temporary, 0);
	return err;
}

int tsr_store_set_limit(struct tsr_store *store, uint64_t bytes)
{
	char temporary[64], text[32];
	int n = snprintf(text, sizeof(text), "%" PRIu64 "\n", bytes);
	int err = write_temporary(store, "", text, (size_t)n, temporary);

	if (err)
		return err;
	if (renameat(store->dir, temporary, store->dir, "limit")) {
		err = -errno;
		unlinkat(store->dir, temporary, 0);
		return err;
	}
	store->limit = bytes;
	return 0;
}
