// SPDX-License-Identifier: GPL-2.0-only
/* Programs. */
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "file.h"
#include "program.h"
#include "stats.h"

static void tsr_program_free(struct tsr_program *prog)
{
	struct tsr_device *tdev = prog->tdev;
	u32 i;

	for (i = 0; prog->images && i < prog->view.n_images; i++)
		if (prog->images[i])
			tsr_image_put(tdev, prog->images[i]);
	kvfree(prog->images);
	kvfree(prog->cookies);
	kvfree(prog->blob);
	kfree(prog);
	drm_dev_put(&tdev->drm);
}

static void tsr_program_release(struct kref *ref)
{
	struct tsr_program *prog = container_of(ref, struct tsr_program, ref);

	tsr_count_device(prog->tdev, programs, -1);
	tsr_program_free(prog);
}

void tsr_program_put(struct tsr_program *prog)
{
	kref_put(&prog->ref, tsr_program_release);
}

struct tsr_program *tsr_program_get(struct drm_file *file, u32 handle)
{
	struct tsr_table *table = &to_tsr_file(file)->programs;
	struct tsr_program *prog;

	xa_lock(&table->xa);
	prog = tsr_table_find(table, handle);
	if (prog)
		kref_get(&prog->ref);
	xa_unlock(&table->xa);
	return prog;
}

static int tsr_program_read(struct tsr_program *prog, u64 user, u32 size)
{
	struct tsr_device *tdev = prog->tdev;
	struct tsr_blob_error error = {};
	int ret;

	prog->blob = kvmalloc(size, TSR_GFP_USER);
	if (!prog->blob)
		return -ENOMEM;
	if (copy_from_user(prog->blob, u64_to_user_ptr(user), size))
		return -EFAULT;

	ret = tsr_blob_verify(prog->blob, size, &tdev->config.limits, &prog->view, &error);
	if (ret)
		drm_dbg(&tdev->drm, "program refused: %s (section %u, record %u)\n",
			error.what ?: "?", error.section, error.index);
	return ret;
}

static int tsr_program_load(struct tsr_program *prog, kuid_t uid)
{
	const struct tsr_blob *view = &prog->view;
	u32 i;

	prog->images = kvcalloc(view->n_images, sizeof(*prog->images), TSR_GFP_USER);
	prog->cookies = kvcalloc(view->n_images, sizeof(*prog->cookies), TSR_GFP_USER);
	if (!prog->images || !prog->cookies)
		return -ENOMEM;

	for (i = 0; i < view->n_images; i++) {
		const struct tessera_image *desc = &view->images[i];
		struct tsr_image *image;

		image = tsr_image_get(prog->tdev, uid, desc, view->data + desc->data_offset);
		if (IS_ERR(image))
			return PTR_ERR(image);
		prog->images[i] = image;
		prog->cookies[i] = tsr_image_cookie(image);
	}
	return 0;
}

/* A launch writes each image into each core of its descriptor. */
#define TSR_INLINE_LOAD		SZ_2M

static bool tsr_program_is_heavy(const struct tsr_blob *view)
{
	u64 bytes = 0;
	u32 d, r;

	for (d = 0; d < view->n_descriptors; d++) {
		const struct tessera_descriptor *desc = &view->descriptors[d];

		for (r = 0; r < desc->range_count; r++) {
			const struct tessera_range *range = &view->ranges[desc->range_first + r];

			bytes += (u64)view->images[desc->image].mem_size *
				 (range->x1 - range->x0 + 1) * (range->y1 - range->y0 + 1);
		}
	}
	return bytes > TSR_INLINE_LOAD;
}

static struct tsr_program *tsr_program_new(struct tsr_device *tdev, kuid_t uid, u64 user, u32 size)
{
	struct tsr_program *prog = kzalloc(sizeof(*prog), TSR_GFP_USER);
	int ret;

	if (!prog)
		return ERR_PTR(-ENOMEM);
	kref_init(&prog->ref);
	prog->tdev = tdev;
	drm_dev_get(&tdev->drm);

	ret = tsr_program_read(prog, user, size);
	if (!ret)
		ret = tsr_program_load(prog, uid);
	/* Also if all its images were there: the answer does not depend on that (PC-8). */
	if (!ret && drm_dev_is_unplugged(&tdev->drm))
		ret = -ENODEV;
	if (ret) {
		tsr_program_free(prog);
		return ERR_PTR(ret);
	}
	prog->heavy = tsr_program_is_heavy(&prog->view);
	prog->dispatch_size = sizeof(struct tessera_dispatch_header) +
			      prog->view.n_bindings * sizeof(struct tessera_bind) +
			      prog->view.words * sizeof(u32);
	return prog;
}

int tsr_ioctl_program_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tsr_device *tdev = to_tsr_device(drm);
	struct drm_tessera_program_create *args = data;
	struct tsr_file *tfile = to_tsr_file(file);
	struct tsr_program *prog;
	unsigned long flags;
	u32 handle;
	int ret;

	if (args->flags || args->pad || args->size < sizeof(struct tessera_program_header))
		return -EINVAL;
	if (args->size > tdev->config.limits.program_size)
		return -E2BIG;

	prog = tsr_program_new(tdev, tfile->uid, args->blob, args->size);
	if (IS_ERR(prog))
		return PTR_ERR(prog);

	spin_lock_irqsave(&tdev->lock, flags);
	tdev->counters.programs++;
	tdev->counters.program_creates++;
	spin_unlock_irqrestore(&tdev->lock, flags);

	/* Without memory it writes a number, too: no output of a failed call. */
	ret = xa_alloc(&tfile->programs.xa, &handle, prog, xa_limit_31b, TSR_GFP_USER);
	if (ret)
		tsr_program_put(prog);
	else
		args->handle = handle;
	return ret;
}

int tsr_ioctl_program_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_program_destroy *args = data;
	struct tsr_program *prog;

	if (args->pad)
		return -EINVAL;
	prog = tsr_table_remove(&to_tsr_file(file)->programs, args->handle);
	if (!prog)
		return -ENOENT;
	tsr_program_put(prog);
	return 0;
}
