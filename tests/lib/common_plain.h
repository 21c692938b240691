/* SPDX-License-Identifier: MIT */
/*
 * The kernels of the examples without a factory: a wrapper works their words out from what the
 * library appends, so that the host engine takes them.
 */
#ifndef TSR_TESTS_COMMON_PLAIN_H
#define TSR_TESTS_COMMON_PLAIN_H

#include <tessera/tessera.h>

/**
 * plain_add_kernel() - declare the kernel of an example
 * @op: the operation, on all cores of its grid
 * @path: of the kernel, relative to the source tree
 * @processor: where
 * @handle: or NULL
 * @words: C: the value of word i, given i, rank, cores
 * @common: C: the value of common word i
 */
int plain_add_kernel(struct tsr_operation *op, const char *path, uint32_t processor,
		     struct tsr_kernel *handle, const char *words, const char *common);

/** plain_ring() - the collective: all-reduce (sum) of @cores vectors of @cores chunks of @bytes */
int plain_ring(struct tsr_device *dev, uint32_t bytes, struct tsr_operation **ret_op);

/** plain_matmul() - C (m x n tiles, fp32) = A (m x k, bf16) * B (k x n, bf16) */
int plain_matmul(struct tsr_device *dev, uint32_t m, uint32_t n, uint32_t k,
		struct tsr_operation **ret_op);

/** plain_filter() - 3 x 3 blur of a grey picture with one row a core and @pitch pixels a row */
int plain_filter(struct tsr_device *dev, uint32_t pitch, struct tsr_operation **ret_op);

#endif
