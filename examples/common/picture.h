/* SPDX-License-Identifier: MIT */
/* Pictures of 8 bits a sample: PNM (P5, P6) and PNG. */
#ifndef EXAMPLES_PICTURE_H
#define EXAMPLES_PICTURE_H

#include <stddef.h>
#include <stdint.h>

/** struct picture - rows from the top, pixels interleaved, no padding */
struct picture {
	uint32_t width, height;
	uint32_t channels;	/* 1 grey, 3 red green blue */
	uint8_t *samples;
};

/** picture_new() - a black one. Return: 0, -EINVAL, -ENOMEM. */
int picture_new(struct picture *ret, uint32_t width, uint32_t height, uint32_t channels);

/** picture_read() - by content: P5, P6 with at most 255 levels, PNG. Return: 0, -errno. */
int picture_read(struct picture *ret, const char *path);

/** picture_write() - by name: .png is PNG, all else PNM. Return: 0, -errno. */
int picture_write(const struct picture *p, const char *path);

/** picture_grey() - luminance of a picture in colours, in place */
void picture_grey(struct picture *p);

/** picture_test() - discs, stripes and a ramp, for when there is no picture. Return: 0, -errno. */
int picture_test(struct picture *ret, uint32_t width, uint32_t height);

/** picture_free() - the samples; may be called twice */
void picture_free(struct picture *p);

#endif
