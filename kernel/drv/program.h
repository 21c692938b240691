/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs: verified structure, immutable, shared by runs; and their images. */
#ifndef TSR_PROGRAM_H
#define TSR_PROGRAM_H

#include <linux/kref.h>
#include "device.h"

struct tsr_image;

/*
 * struct tsr_program - what PROGRAM_CREATE made; immutable (DESIGN decision 6)
 * @ref: handle and runs
 * @tdev: holds a reference to the device
 * @blob: private copy; @view points into it
 * @view: verified tables
 * @dispatch_size: exact size of a dispatch blob for this program
 * @heavy: a launch loads more than a submitter should wait for
 * @images: referenced; @cookies are what the backend calls them
 */
struct tsr_program {
	struct kref ref;
	struct tsr_device *tdev;
	void *blob;
	struct tsr_blob view;
	u32 dispatch_size;
	bool heavy;
	struct tsr_image **images;
	void **cookies;
};

struct tsr_program *tsr_program_get(struct drm_file *file, u32 handle);
void tsr_program_put(struct tsr_program *prog);

int tsr_ioctl_program_create(struct drm_device *drm, void *data, struct drm_file *file);
int tsr_ioctl_program_destroy(struct drm_device *drm, void *data, struct drm_file *file);

/* image.c */

/*
 * tsr_image_get() - the resident image with this content, made resident if there is none
 *
 * Equal images of one user are one (PC-8); those of different users are not, so
 * that nobody can tell what others loaded. Compared byte by byte.
 *
 * Return: image with a reference for the caller, or ERR_PTR.
 */
struct tsr_image *tsr_image_get(struct tsr_device *tdev, kuid_t uid,
				const struct tessera_image *desc, const void *data);
void tsr_image_put(struct tsr_device *tdev, struct tsr_image *image);
/* tsr_images_reap() - free what could not be unloaded and a reset (or, @all, the stop) let go */
void tsr_images_reap(struct tsr_device *tdev, bool all);
/* tsr_images_abandon() - the reset failed, too. Holds tdev->lock. */
void tsr_images_abandon(struct tsr_device *tdev);
void *tsr_image_cookie(const struct tsr_image *image);

#endif
