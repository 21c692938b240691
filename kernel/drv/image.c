// SPDX-License-Identifier: GPL-2.0-only
/* Resident images, shared by content (PC-8). */
#include <linux/refcount.h>
#include <linux/slab.h>
#include "pipeline.h"
#include "program.h"
#include "stats.h"

/* struct tsr_image - code and data of one processor as the device holds them */
struct tsr_image {
	struct hlist_node node;		/* in tdev->images */
	unsigned int refs;		/* under tdev->image_lock */
	kuid_t uid;
	struct tessera_image desc;	/* data_offset is 0 */
	void *data;			/* desc.data_size bytes, to compare with */
	void *cookie;			/* the backend's */

	struct list_head stuck_link;	/* in tdev->stuck_images; under tdev->lock, as the next */
	u64 generation;			/* in which it could not be unloaded */
	bool abandoned;			/* nor could the device be reset */
};

static u64 tsr_image_hash(struct tsr_device *tdev, kuid_t uid, const struct tessera_image *desc,
			  const void *data)
{
	u64 fixed = siphash_4u32(desc->mem_size, desc->text_size, desc->entry,
				 desc->processor, &tdev->image_key);

	return siphash(data, desc->data_size, &tdev->image_key) ^ fixed ^ __kuid_val(uid);
}

static bool tsr_image_equal(const struct tsr_image *image, kuid_t uid,
			    const struct tessera_image *desc, const void *data)
{
	return uid_eq(image->uid, uid) && image->desc.data_size == desc->data_size &&
	       image->desc.mem_size == desc->mem_size &&
	       image->desc.text_size == desc->text_size && image->desc.entry == desc->entry &&
	       image->desc.processor == desc->processor &&
	       !memcmp(image->data, data, desc->data_size);
}

/* Not into a device that was stopped while the caller read user memory: unplug waits for this. */
static int tsr_image_load(struct tsr_device *tdev, struct tsr_image *image)
{
	int ret, enter;

	if (!drm_dev_enter(&tdev->drm, &enter))
		return -ENODEV;
	ret = tdev->ops->image_load(tdev->hw, &image->desc, image->data, &image->cookie);
	drm_dev_exit(enter);
	return ret;
}

static struct tsr_image *tsr_image_new(struct tsr_device *tdev, kuid_t uid,
				       const struct tessera_image *desc, const void *data)
{
	struct tsr_image *image = kzalloc(sizeof(*image), TSR_GFP_USER);
	int ret = -ENOMEM;

	if (!image)
		return ERR_PTR(ret);
	image->refs = 1;
	image->uid = uid;
	image->desc = *desc;
	image->desc.data_offset = 0;
	image->data = kvmalloc(desc->data_size, TSR_GFP_USER);
	if (!image->data)
		goto err_free;
	memcpy(image->data, data, desc->data_size);

	ret = tsr_image_load(tdev, image);
	if (ret)
		goto err_free;
	return image;

err_free:
	kvfree(image->data);
	kfree(image);
	return ERR_PTR(ret);
}

struct tsr_image *tsr_image_get(struct tsr_device *tdev, kuid_t uid,
				const struct tessera_image *desc, const void *data)
{
	u64 hash = tsr_image_hash(tdev, uid, desc, data);
	struct tsr_image *image;

	guard(mutex)(&tdev->image_lock);
	hash_for_each_possible(tdev->images, image, node, hash) {
		if (tsr_image_equal(image, uid, desc, data)) {
			if (image->refs == UINT_MAX)
				return ERR_PTR(-EBUSY);
			image->refs++;
			return image;
		}
	}

	image = tsr_image_new(tdev, uid, desc, data);
	if (!IS_ERR(image)) {
		hash_add(tdev->images, &image->node, hash);
		tsr_count_device(tdev, images, 1);
		tsr_count_device(tdev, image_loads, 1);
	}
	return image;
}

static void tsr_image_free(struct tsr_device *tdev, struct tsr_image *image)
{
	tdev->ops->image_free(tdev->hw, image->cookie);
	kvfree(image->data);
	kfree(image);
}

/* Kept for a reset, or the stop, to prove that the device has let go of it. */
static void tsr_image_keep(struct tsr_device *tdev, struct tsr_image *image, bool reset)
{
	unsigned long flags;

	spin_lock_irqsave(&tdev->lock, flags);
	image->generation = tdev->reset_generation;
	list_add_tail(&image->stuck_link, &tdev->stuck_images);
	/* At the next run boundary: the run that executes may be somebody else's. */
	tdev->reset_pending |= reset;
	spin_unlock_irqrestore(&tdev->lock, flags);
	if (READ_ONCE(tdev->stopped))
		tsr_images_reap(tdev, true);
	else if (reset)
		tsr_pump(tdev, 0);
}

/*
 * Let the device forget an image, once (FL-7). If that fails the device may still
 * use it: it is kept, and never unloaded again. A device that is being unplugged is
 * not asked any more; its stop is the proof.
 */
static void tsr_image_unload(struct tsr_device *tdev, struct tsr_image *image)
{
	int ret, enter;

	if (!drm_dev_enter(&tdev->drm, &enter)) {
		tsr_image_keep(tdev, image, false);
		return;
	}
	ret = tdev->ops->image_unload(tdev->hw, image->cookie);
	drm_dev_exit(enter);
	tsr_count_device(tdev, image_unloads, 1);
	if (ret)
		tsr_image_keep(tdev, image, true);
	else
		tsr_image_free(tdev, image);
}

void tsr_image_put(struct tsr_device *tdev, struct tsr_image *image)
{
	scoped_guard(mutex, &tdev->image_lock) {
		if (--image->refs)
			return;
		hash_del(&image->node);
	}
	tsr_count_device(tdev, images, -1);
	tsr_image_unload(tdev, image);
}

void tsr_images_reap(struct tsr_device *tdev, bool all)
{
	struct tsr_image *image, *next;
	unsigned long flags;
	LIST_HEAD(proven);

	spin_lock_irqsave(&tdev->lock, flags);
	list_for_each_entry_safe(image, next, &tdev->stuck_images, stuck_link)
		if (all || image->generation != tdev->reset_generation)
			list_move_tail(&image->stuck_link, &proven);
	spin_unlock_irqrestore(&tdev->lock, flags);

	list_for_each_entry_safe(image, next, &proven, stuck_link)
		tsr_image_free(tdev, image);
}

void tsr_images_abandon(struct tsr_device *tdev)
{
	struct tsr_image *image;

	list_for_each_entry(image, &tdev->stuck_images, stuck_link) {
		if (image->abandoned)
			continue;
		image->abandoned = true;
		tsr_count(tdev, NULL, images_abandoned, 1);
	}
}

void *tsr_image_cookie(const struct tsr_image *image)
{
	return image->cookie;
}
