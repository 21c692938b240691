// SPDX-License-Identifier: MIT
/* Buffers. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "buffer_int.h"

static void link_buffer(struct tsr_buffer *buffer)
{
	struct tsr_device *dev = buffer->dev;

	buffer->next = dev->buffers;
	if (buffer->next)
		buffer->next->prev = buffer;
	dev->buffers = buffer;
}

static void unlink_buffer(struct tsr_buffer *buffer)
{
	if (buffer->prev)
		buffer->prev->next = buffer->next;
	else
		buffer->dev->buffers = buffer->next;
	if (buffer->next)
		buffer->next->prev = buffer->prev;
}

/* Takes over the handle and the descriptor, also when it fails. dev->buffers_lock is held. */
static struct tsr_buffer *wrap(struct tsr_device *dev, uint32_t handle, uint64_t size, int fd)
{
	struct tsr_buffer *buffer = calloc(1, sizeof(*buffer));

	if (!buffer) {
		if (dev->fd >= 0)
			drmCloseBufferHandle(dev->fd, handle);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	tsr_ref_init(&buffer->ref);
	buffer->handle = handle;
	buffer->dev = tsr_device_ref(dev);
	buffer->size = size;
	buffer->import_fd = fd;
	pthread_mutex_init(&buffer->map_lock, NULL);
	link_buffer(buffer);
	return buffer;
}

static int wrap_locked(struct tsr_device *dev, uint32_t handle, uint64_t size,
		       struct tsr_buffer **ret_buffer)
{
	struct tsr_buffer *buffer;

	pthread_mutex_lock(&dev->buffers_lock);
	buffer = wrap(dev, handle, size, -1);
	pthread_mutex_unlock(&dev->buffers_lock);
	if (!buffer)
		return -ENOMEM;
	*ret_buffer = buffer;
	return 0;
}

TSR_API int tsr_buffer_new(struct tsr_device *dev, uint64_t size, struct tsr_buffer **ret_buffer)
{
	struct drm_tessera_bo_create create = { .size = size };
	int err = tsr_device_check(dev);

	if (!err)
		err = tsr_ioctl(dev, DRM_IOCTL_TESSERA_BO_CREATE, &create);
	return err ? err : wrap_locked(dev, create.handle, create.size, ret_buffer);
}

int tsr_buffer_new_offline(struct tsr_device *dev, uint64_t size, uint32_t handle,
			   struct tsr_buffer **ret_buffer)
{
	return wrap_locked(dev, handle, size, ret_buffer);
}

static struct tsr_buffer *find_handle(struct tsr_device *dev, uint32_t handle)
{
	struct tsr_buffer *buffer = dev->buffers;

	while (buffer && buffer->handle != handle)
		buffer = buffer->next;
	return buffer;
}

/* The lock is held from the kernel's answer on: the handle cannot be closed in between. */
static int import_locked(struct tsr_device *dev, int fd, struct tsr_buffer **ret_buffer)
{
	struct tsr_buffer *buffer;
	uint32_t handle;
	off_t size;
	int copy;

	if (drmPrimeFDToHandle(dev->fd, fd, &handle))
		return -errno;
	buffer = find_handle(dev, handle);
	if (buffer) {
		*ret_buffer = tsr_buffer_ref(buffer);
		return 0;
	}
	size = lseek(fd, 0, SEEK_END);
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (size <= 0 || copy < 0) {
		int err = copy < 0 ? -errno : -EINVAL;

		if (copy >= 0)
			close(copy);
		drmCloseBufferHandle(dev->fd, handle);
		return err;
	}
	buffer = wrap(dev, handle, (uint64_t)size, copy);
	if (!buffer)
		return -ENOMEM;
	*ret_buffer = buffer;
	return 0;
}

TSR_API int tsr_buffer_import(struct tsr_device *dev, int fd, struct tsr_buffer **ret_buffer)
{
	int err = tsr_device_check(dev);

	if (err)
		return err;
	pthread_mutex_lock(&dev->buffers_lock);
	err = import_locked(dev, fd, ret_buffer);
	pthread_mutex_unlock(&dev->buffers_lock);
	return err;
}

TSR_API int tsr_buffer_export(struct tsr_buffer *buffer, int *ret_fd)
{
	int fd, err = tsr_device_check(buffer->dev);

	if (err)
		return err;
	if (drmPrimeHandleToFD(buffer->dev->fd, buffer->handle, DRM_CLOEXEC | DRM_RDWR, &fd))
		return -errno;
	*ret_fd = fd;
	return 0;
}

TSR_API struct tsr_buffer *tsr_buffer_ref(struct tsr_buffer *buffer)
{
	tsr_ref_get(&buffer->ref);
	return buffer;
}

static void buffer_destroy(struct tsr_buffer *buffer, bool child)
{
	struct tsr_device *dev = buffer->dev;
	void *mem = atomic_load(&buffer->mem);

	if (mem)
		munmap(mem, buffer->size);
	if (buffer->import_fd >= 0)
		close(buffer->import_fd);
	/* In a child the handle belongs to the parent, whose file this is. */
	if (!child && dev->fd >= 0)
		drmCloseBufferHandle(dev->fd, buffer->handle);
	pthread_mutex_destroy(&buffer->map_lock);
	free(buffer);
}

/* In a child the lock may be held for ever, by a thread that was not copied. */
static void unref_in_child(struct tsr_buffer *buffer)
{
	struct tsr_device *dev = buffer->dev;

	if (tsr_ref_put(&buffer->ref)) {
		buffer_destroy(buffer, true);
		tsr_device_unref(dev);
	}
}

TSR_API struct tsr_buffer *tsr_buffer_unref(struct tsr_buffer *buffer)
{
	struct tsr_device *dev;
	bool last;

	if (!buffer)
		return NULL;
	dev = buffer->dev;
	if (tsr_device_check(dev)) {
		unref_in_child(buffer);
		return NULL;
	}
	pthread_mutex_lock(&dev->buffers_lock);
	last = tsr_ref_put(&buffer->ref);
	if (last) {
		unlink_buffer(buffer);
		buffer_destroy(buffer, false);
	}
	pthread_mutex_unlock(&dev->buffers_lock);
	if (last)
		tsr_device_unref(dev);
	return NULL;
}

TSR_API uint64_t tsr_buffer_size(const struct tsr_buffer *buffer)
{
	return buffer->size;
}

TSR_API struct tsr_device *tsr_buffer_device(const struct tsr_buffer *buffer)
{
	return buffer->dev;
}

static int map_buffer(struct tsr_buffer *buffer, void **ret_mem)
{
	struct drm_tessera_bo_mmap_offset offset = { .handle = buffer->handle };
	int fd = buffer->import_fd, err;
	void *mem;

	if (fd < 0) {
		err = tsr_ioctl(buffer->dev, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &offset);
		if (err)
			return err;
		fd = buffer->dev->fd;
	}
	mem = mmap(NULL, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   (off_t)offset.offset);
	if (mem == MAP_FAILED)
		return -errno;
	*ret_mem = mem;
	return 0;
}

TSR_API int tsr_buffer_map(struct tsr_buffer *buffer, void **ret_mem)
{
	void *mem = atomic_load(&buffer->mem);
	int err = tsr_device_check(buffer->dev);

	if (err)
		return err;
	if (!mem) {
		pthread_mutex_lock(&buffer->map_lock);
		mem = atomic_load(&buffer->mem);
		if (!mem) {
			err = map_buffer(buffer, &mem);
			if (!err)
				atomic_store(&buffer->mem, mem);
		}
		pthread_mutex_unlock(&buffer->map_lock);
	}
	if (err)
		return err;
	*ret_mem = mem;
	return 0;
}
