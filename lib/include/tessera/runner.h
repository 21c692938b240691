/* SPDX-License-Identifier: MIT */
/*
 * Runners (RN): the structure of an operation in a file, to be run by another process without its
 * sources and without a compiler. Documentation/runner.rst has the format.
 *
 * A file has images, cores, logical kernels, circular buffers, semaphores, the number of tensors,
 * and a fingerprint; never words, never owners. It may come from anybody: whatever is in it is
 * checked, and what is not what tsr_runner_save() writes is refused.
 */
#ifndef TESSERA_RUNNER_H
#define TESSERA_RUNNER_H

#include <stddef.h>
#include <stdint.h>
#include <tessera/operation.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsr_context;
struct tsr_diag;
struct tsr_run;
struct tsr_runner_info;
struct tsr_submit_options;

/* A loaded file. Any thread. */
struct tsr_runner;

/**
 * tsr_runner_save() - plan an operation once, build it, and write its structure to a file
 * @op: what; frozen by this
 * @tensors: as for an execution: they are checked, and shown to the factory
 * @tensor_count: number of @tensors
 * @path: of the file; replaced as a whole, or not at all
 * @reterr_diag: why it failed; free with tsr_diag_free(); may be NULL
 *
 * A factory is called once. Its definitions are those that the images are built with; nothing runs,
 * so its owners are released and its words are forgotten.
 *
 * Return: 0; -EINVAL with findings; the factory's own error; -ENOEXEC a kernel does not build;
 * -E2BIG; -ENOMEM; -EPERM after fork; an errno of writing the file.
 */
int tsr_runner_save(struct tsr_operation *op, const struct tsr_tensor *tensors,
		    size_t tensor_count, const char *path, struct tsr_diag **reterr_diag);

/**
 * tsr_runner_load() - read a file, and check all of it
 * @dev: that will run it; NULL: only look at it, tsr_runner_submit() is then -ENODEV
 * @path: of the file
 * @ret_runner: release with tsr_runner_unref()
 * @reterr_diag: all findings; free with tsr_diag_free(); may be NULL
 *
 * Return: 0; -EINVAL with findings: RN-3 not such a file, or damaged; RN-1 made for another ISA or
 * L1 layout; any rule of operations, for the device or for the limits that it was saved with;
 * -EFBIG; -ENOMEM; -EPERM after fork; an errno of reading the file.
 */
int tsr_runner_load(struct tsr_device *dev, const char *path, struct tsr_runner **ret_runner,
		    struct tsr_diag **reterr_diag);

/**
 * tsr_runner_load_memory() - the same from memory, which is copied
 * @dev: or NULL, as above
 * @data: content of a file
 * @size: its bytes
 * @ret_runner: release with tsr_runner_unref()
 * @reterr_diag: all findings; may be NULL
 *
 * Return: as tsr_runner_load().
 */
int tsr_runner_load_memory(struct tsr_device *dev, const void *data, size_t size,
			   struct tsr_runner **ret_runner, struct tsr_diag **reterr_diag);

/**
 * tsr_runner_ref() - one more reference
 * @runner: the runner
 *
 * Return: @runner.
 */
struct tsr_runner *tsr_runner_ref(struct tsr_runner *runner);

/**
 * tsr_runner_unref() - drop a reference; runs in flight keep what they need
 * @runner: the runner, or NULL
 *
 * Return: NULL.
 */
struct tsr_runner *tsr_runner_unref(struct tsr_runner *runner);

/**
 * tsr_runner_submit() - execute it, as tsr_submit() executes an operation
 * @runner: what
 * @context: in which queue
 * @tensors: one for each tensor
 * @tensor_count: number of @tensors
 * @options: or NULL for the defaults
 * @factory: needed by every call for an operation that had one, and only for such; see below
 * @factory_ctx: handed to it
 * @ret_run: release with tsr_run_unref()
 * @reterr_diag: why it failed; may be NULL
 *
 * The resources go through the same checks, plan and encoding. Words, semaphores and the cores that
 * have words may be others than when it was saved; definitions may not, for there is no source:
 * other ones are finding RN-1.
 *
 * Return: as tsr_submit(); -EINVAL finding RN-2: no factory where one is needed, or one where none
 * was; -ENODEV loaded without a device.
 */
int tsr_runner_submit(struct tsr_runner *runner, struct tsr_context *context,
		      const struct tsr_tensor *tensors, size_t tensor_count,
		      const struct tsr_submit_options *options, tsr_factory_fn factory,
		      void *factory_ctx, struct tsr_run **ret_run, struct tsr_diag **reterr_diag);

/**
 * tsr_runner_kernel() - handle of an explicit kernel, for selectors of a factory; borrowed
 * @runner: the runner
 * @name: of the kernel
 *
 * Return: NULL when there is no such kernel, or it is a canonical one.
 */
struct tsr_kernel *tsr_runner_kernel(const struct tsr_runner *runner, const char *name);

/**
 * tsr_runner_info() - what is in it
 * @runner: the runner
 *
 * Return: all of it; borrowed, see <tessera/runner_info.h>.
 */
const struct tsr_runner_info *tsr_runner_info(const struct tsr_runner *runner);

#ifdef __cplusplus
}
#endif

#endif
