/* SPDX-License-Identifier: MIT */
/* A buffer: device memory that kernels reach when it is bound to their run. Any thread. */
#ifndef TESSERA_BUFFER_H
#define TESSERA_BUFFER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_device;

/*
 * struct tsr_buffer - device memory
 */
struct tsr_buffer;

/**
 * tsr_buffer_new() - allocate device memory, which reads as zero (IO-3)
 * @dev: where
 * @size: bytes, at least 1; rounded up to whole pages
 * @ret_buffer: release with tsr_buffer_unref()
 *
 * Return: 0, -EINVAL, -ENOMEM, -EPERM after fork, -ENODEV.
 */
int tsr_buffer_new(struct tsr_device *dev, uint64_t size, struct tsr_buffer **ret_buffer);

/**
 * tsr_buffer_import() - use memory of another device through its dma-buf
 * @dev: where
 * @fd: of the dma-buf; stays with the caller
 * @ret_buffer: release with tsr_buffer_unref()
 *
 * A dma-buf that is already a buffer of @dev gives that buffer, once more referenced.
 *
 * Return: 0, -EBADF, -EINVAL, -ENOMEM, -EPERM after fork.
 */
int tsr_buffer_import(struct tsr_device *dev, int fd, struct tsr_buffer **ret_buffer);

/**
 * tsr_buffer_export() - a dma-buf of the buffer; the caller closes @ret_fd.
 * @buffer: the buffer
 * @ret_fd: the descriptor
 *
 * Return: 0, -errno.
 */
int tsr_buffer_export(struct tsr_buffer *buffer, int *ret_fd);

/**
 * tsr_buffer_ref() - one more reference
 * @buffer: the buffer
 *
 * Return: @buffer.
 */
struct tsr_buffer *tsr_buffer_ref(struct tsr_buffer *buffer);

/**
 * tsr_buffer_unref() - drop a reference; takes NULL
 * @buffer: the buffer
 *
 * The last one unmaps the buffer and gives the memory back as soon as no run in flight is bound
 * to it (IO-6).
 *
 * Return: NULL.
 */
struct tsr_buffer *tsr_buffer_unref(struct tsr_buffer *buffer);

/**
 * tsr_buffer_size() - in bytes, whole pages
 * @buffer: the buffer
 *
 * Return: bytes.
 */
uint64_t tsr_buffer_size(const struct tsr_buffer *buffer);

/**
 * tsr_buffer_device() - whose memory it is
 * @buffer: the buffer
 *
 * Return: the device, borrowed.
 */
struct tsr_device *tsr_buffer_device(const struct tsr_buffer *buffer);

/**
 * tsr_buffer_map() - the buffer in the caller's address space
 * @buffer: the buffer
 * @ret_mem: the memory, valid until the last tsr_buffer_unref()
 *
 * Mapped once, by the first call. The content keeps its ordinary meaning: what a run in flight
 * reads or writes is not copied (LT-1), so wait for it before looking.
 *
 * Return: 0, -errno.
 */
int tsr_buffer_map(struct tsr_buffer *buffer, void **ret_mem);

#ifdef __cplusplus
}
#endif

#endif
