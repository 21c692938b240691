// SPDX-License-Identifier: MIT
#include "convolve.h"

#include <string.h>

static const struct convolution filters[] = {
	{ "edges", { -1, -1, -1, -1, 8, -1, -1, -1, -1 }, 0, 0 },
	{ "sobel-x", { -1, 0, 1, -2, 0, 2, -1, 0, 1 }, 1, 0 },
	{ "sobel-y", { -1, -2, -1, 0, 0, 0, 1, 2, 1 }, 1, 0 },
	{ "laplace", { 0, -1, 0, -1, 4, -1, 0, -1, 0 }, 0, 0 },
	{ "blur", { 1, 2, 1, 2, 4, 2, 1, 2, 1 }, 4, 0 },
	{ "sharpen", { 0, -1, 0, -1, 5, -1, 0, -1, 0 }, 0, 0 },
	{ "copy", { 0, 0, 0, 0, 1, 0, 0, 0, 0 }, 0, 0 },
};

const struct convolution *convolution_find(const char *name)
{
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (strcmp(filters[i].name, name) == 0)
			return &filters[i];
	return NULL;
}

const char *convolution_names(void)
{
	return "edges, sobel-x, sobel-y, laplace, blur, sharpen, copy";
}

/* A sample; outside of the picture the outermost one is repeated. */
static int32_t sample(const struct picture *p, int32_t x, int32_t y, uint32_t channel)
{
	int32_t w = (int32_t)p->width, h = (int32_t)p->height;

	x = x < 0 ? 0 : x >= w ? w - 1 : x;
	y = y < 0 ? 0 : y >= h ? h - 1 : y;
	return p->samples[((size_t)y * p->width + (size_t)x) * p->channels + channel];
}

static uint8_t convolve_sample(const struct picture *p, const struct convolution *c, uint32_t x,
			       uint32_t y, uint32_t channel)
{
	int32_t sum = 0;

	for (int32_t i = 0; i < 9; i++)
		sum += c->coefficients[i] * sample(p, (int32_t)x + i % 3 - 1,
						   (int32_t)y + i / 3 - 1, channel);
	sum = (int32_t)((uint32_t)(sum < 0 ? -sum : sum) >> c->shift) + c->bias;
	return (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

int convolve(struct picture *ret, const struct picture *in, const struct convolution *c)
{
	int err = picture_new(ret, in->width, in->height, in->channels);
	uint8_t *out = err ? NULL : ret->samples;

	for (uint32_t y = 0; out && y < in->height; y++)
		for (uint32_t x = 0; x < in->width; x++)
			for (uint32_t i = 0; i < in->channels; i++)
				*out++ = convolve_sample(in, c, x, y, i);
	return err;
}
