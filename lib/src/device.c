// SPDX-License-Identifier: MIT
/* Opening and closing devices. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "call.h"
#include "device_int.h"
#include "image.h"
#include "program.h"
#include "resources_int.h"
#include "run_int.h"

#define DRIVER		"tessera"
#define ACCEL_CLASS	"/sys/class/accel"
#define MAX_NODES	256

/* A word that the kernel zeroes in children. Without MADV_WIPEONFORK only the driver checks. */
static const uint32_t *alive_new(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t *word = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);

	if (word == MAP_FAILED)
		return NULL;
	madvise(word, size, MADV_WIPEONFORK);
	*word = 1;
	return word;
}

static void alive_free(const uint32_t *word)
{
	if (word)
		munmap((void *)word, (size_t)sysconf(_SC_PAGESIZE));
}

static void device_destroy(struct tsr_device *dev)
{
	/* Without the page there was no fork, either: it is made first. */
	bool child = dev->alive && tsr_device_check(dev);

	(child ? tsr_memo_free_in_child : tsr_memo_free)(dev->programs);
	(child ? tsr_memo_free_in_child : tsr_memo_free)(dev->images);
	tsr_pool_fini(&dev->calls, tsr_call_destroy);
	tsr_pool_fini(&dev->resources, tsr_resources_destroy);
	tsr_pool_fini(&dev->runs, tsr_run_destroy);
	tsr_toolchain_fini(&dev->toolchain);
	pthread_mutex_destroy(&dev->buffers_lock);
	pthread_mutex_destroy(&dev->reaper_lock);
	pthread_mutex_destroy(&dev->progress_lock);
	if (dev->fd >= 0)
		close(dev->fd);
	alive_free(dev->alive);
	free(dev->path);
	free(dev);
}

/* Compilers at once; who waits for one holds a place in the queue of programs already. */
static void limit_images(struct tsr_memo *images)
{
	struct tsr_cache_limits limits;

	tsr_memo_limits(images, &limits);
	limits.entries = 1024;
	limits.queued = UINT32_MAX;
	tsr_memo_set_limits(images, &limits);
}

static struct tsr_device *device_new(int fd, const char *path)
{
	struct tsr_device *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return NULL;
	tsr_ref_init(&dev->ref);
	dev->fd = -1;
	pthread_mutex_init(&dev->buffers_lock, NULL);
	pthread_mutex_init(&dev->reaper_lock, NULL);
	pthread_mutex_init(&dev->progress_lock, NULL);
	tsr_pool_init(&dev->resources);
	tsr_pool_init(&dev->calls);
	tsr_pool_init(&dev->runs);
	tsr_toolchain_init(&dev->toolchain);
	dev->alive = alive_new();
	dev->path = strdup(path);
	dev->programs = tsr_memo_new(&tsr_program_memo);
	dev->images = tsr_memo_new(&tsr_image_memo);
	if (!dev->alive || !dev->path || !dev->programs || !dev->images) {
		device_destroy(dev);
		return NULL;
	}
	limit_images(dev->images);
	dev->fd = fd;
	return dev;
}

int tsr_device_new_offline(const struct tessera_limits *limits, struct tsr_device **ret_dev)
{
	struct tsr_device *dev = device_new(-1, "");

	if (!dev)
		return -ENOMEM;
	dev->limits = *limits;
	strcpy(dev->name, "offline");
	strcpy(dev->isa, "rv32im");
	*ret_dev = dev;
	return 0;
}

static int query_device(const struct tsr_device *dev, struct drm_tessera_device_info *ret_info)
{
	struct drm_tessera_query query = {
		.what = DRM_TESSERA_QUERY_DEVICE,
		.size = sizeof(*ret_info),
		.data = (uintptr_t)ret_info,
	};

	return tsr_ioctl(dev, DRM_IOCTL_TESSERA_QUERY, &query);
}

static int load_info(struct tsr_device *dev)
{
	struct drm_tessera_device_info info = { 0 };
	int err = query_device(dev, &info);

	if (err)
		return err;
	/* What tables here are sized by; a driver that says more is not one that we know. */
	if (!info.limits.grid_width || info.limits.grid_width > TESSERA_MAX_DIM ||
	    !info.limits.grid_height || info.limits.grid_height > TESSERA_MAX_DIM ||
	    info.limits.grid_width * info.limits.grid_height > TESSERA_MAX_CORES)
		return -EPROTO;
	dev->limits = info.limits;
	dev->seed = info.seed;
	memcpy(dev->name, info.name, sizeof(info.name));
	memcpy(dev->isa, info.isa, sizeof(info.isa));
	return 0;
}

/* 0; -ENODEV: another driver's, or no DRM node at all. */
static int check_driver(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	int err = version || errno != ENOMEM ? -ENODEV : -ENOMEM;

	if (version && version->name_len == (int)strlen(DRIVER) &&
	    !memcmp(version->name, DRIVER, strlen(DRIVER)))
		err = 0;
	drmFreeVersion(version);
	return err;
}

static int open_node(const char *path, struct tsr_device **ret_dev)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), err;
	struct tsr_device *dev;

	if (fd < 0)
		return -errno;
	err = check_driver(fd);
	if (err) {
		close(fd);
		return err;
	}
	dev = device_new(fd, path);
	if (!dev) {
		close(fd);
		return -ENOMEM;
	}
	err = load_info(dev);
	if (err) {
		device_destroy(dev);
		return err;
	}
	dev->disk = true;
	*ret_dev = dev;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The numbers of all accel nodes, ascending. Their number, or -ENOMEM. */
static int list_nodes(int *numbers, int max)
{
	DIR *dir = opendir(ACCEL_CLASS);
	struct dirent *entry;
	int n = 0;

	if (!dir)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (n < max && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "accel%d", &numbers[n]) == 1)
			n++;
	closedir(dir);
	qsort(numbers, (size_t)n, sizeof(numbers[0]), compare_numbers);
	return n;
}

/* Nodes of other drivers are not even opened, which could wake their hardware. */
static bool other_driver(int number)
{
	char link[96], target[256], *name;
	ssize_t n;

	snprintf(link, sizeof(link), ACCEL_CLASS "/accel%d/device/driver", number);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	name = strrchr(target, '/');
	return strncmp(name ? name + 1 : target, DRIVER, strlen(DRIVER)) != 0;
}

static int open_first(struct tsr_device **ret_dev)
{
	int numbers[MAX_NODES], n = list_nodes(numbers, MAX_NODES);
	int err = n < 0 ? n : -ENODEV;

	for (int i = 0; i < n; i++) {
		char path[64];
		int ret;

		if (other_driver(numbers[i]))
			continue;
		snprintf(path, sizeof(path), "/dev/accel/accel%d", numbers[i]);
		ret = open_node(path, ret_dev);
		if (!ret)
			return 0;
		if (ret != -ENODEV && err == -ENODEV)
			err = ret;
	}
	return err;
}

TSR_API int tsr_device_open(const char *path, struct tsr_device **ret_dev)
{
	return path ? open_node(path, ret_dev) : open_first(ret_dev);
}

TSR_API struct tsr_device *tsr_device_ref(struct tsr_device *dev)
{
	tsr_ref_get(&dev->ref);
	return dev;
}

TSR_API struct tsr_device *tsr_device_unref(struct tsr_device *dev)
{
	if (dev && tsr_ref_put(&dev->ref))
		device_destroy(dev);
	return NULL;
}

TSR_API int tsr_device_reset(struct tsr_device *dev, uint64_t *ret_generation)
{
	struct drm_tessera_device_reset reset = { 0 };
	int err = tsr_device_check(dev);

	if (!err)
		err = tsr_ioctl(dev, DRM_IOCTL_TESSERA_DEVICE_RESET, &reset);
	if (!err && ret_generation)
		*ret_generation = reset.generation;
	return err;
}

TSR_API int tsr_device_state(struct tsr_device *dev, struct tsr_device_state *ret_state)
{
	struct drm_tessera_device_info info = { 0 };
	int err = tsr_device_check(dev);

	if (!err)
		err = query_device(dev, &info);
	if (err)
		return err;
	*ret_state = (struct tsr_device_state){
		.caps = info.caps,
		.reset_generation = info.reset_generation,
		.health = info.health,
		.seed = info.seed,
	};
	return 0;
}
