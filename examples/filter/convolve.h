/* SPDX-License-Identifier: MIT */
/* The filters, and the same convolution on the host that kernels/compute.c does on the device. */
#ifndef FILTER_CONVOLVE_H
#define FILTER_CONVOLVE_H

#include <stdint.h>

#include <common/picture.h>

/** struct convolution - 3 x 3 coefficients; out = clamp((|sum| >> shift) + bias) */
struct convolution {
	const char *name;
	int32_t coefficients[9];
	uint32_t shift;
	int32_t bias;
};

/** convolution_find() - by name; NULL for no such filter */
const struct convolution *convolution_find(const char *name);

/** convolution_names() - all of them, with commas */
const char *convolution_names(void);

/** convolve() - on the host. Return: 0, -ENOMEM. */
int convolve(struct picture *ret, const struct picture *in, const struct convolution *c);

#endif
