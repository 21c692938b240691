// SPDX-License-Identifier: MIT
/*
 * 3 x 3 convolution on the band of this core, row by row:
 *
 *	out = clamp((|sum of coefficient * pixel| >> SHIFT) + BIAS, 0, 255)
 *
 * Left and right of the picture, the outermost pixel is repeated. Colours are
 * interleaved, so the neighbour of a sample is CHANNELS bytes away.
 */
#include <tessera.h>

#include "filter.h"

struct filter {
	uint32_t width, channels, pitch, shift;
	int32_t bias;
	int32_t c[9];
};

typedef volatile uint8_t *row_t;

static void filter_init(struct filter *f)
{
	f->width = get_common_arg_val(WIDTH);
	f->channels = get_common_arg_val(CHANNELS);
	f->pitch = get_page_size(CB_BAND);
	f->shift = get_common_arg_val(SHIFT);
	f->bias = (int32_t)get_common_arg_val(BIAS);
	for (uint32_t i = 0; i < 9; i++)
		f->c[i] = (int32_t)get_common_arg_val(COEFFICIENTS + i);
}

static inline uint8_t finish(const struct filter *f, int32_t sum)
{
	int32_t v = (int32_t)((uint32_t)(sum < 0 ? -sum : sum) >> f->shift) + f->bias;

	return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/*
 * One channel of one row. Each pixel is loaded once: a column of three takes part
 * in the sums of the pixel to its left, its own, and the pixel to its right.
 */
static void filter_row(const struct filter *f, row_t a, row_t b, row_t d, row_t out)
{
	const int32_t *c = f->c;
	uint32_t step = f->channels;
	int32_t p = *a, q = *b, r = *d;
	int32_t here = (c[0] + c[1]) * p + (c[3] + c[4]) * q + (c[6] + c[7]) * r;
	int32_t next = c[0] * p + c[3] * q + c[6] * r;

	for (uint32_t i = 1; i < f->width; i++) {
		a += step;
		b += step;
		d += step;
		p = *a;
		q = *b;
		r = *d;
		*out = finish(f, here + c[2] * p + c[5] * q + c[8] * r);
		out += step;
		here = next + c[1] * p + c[4] * q + c[7] * r;
		next = c[0] * p + c[3] * q + c[6] * r;
	}
	*out = finish(f, here + c[2] * p + c[5] * q + c[8] * r);
}

void kernel_main(void)
{
	uint32_t rows = get_arg_val(COMPUTE_ROWS);
	struct filter f;
	uint32_t band;

	filter_init(&f);
	if (!rows)
		return;

	cb_wait_front(CB_BAND, rows + 2);
	band = get_read_ptr(CB_BAND);
	for (uint32_t y = 0; y < rows; y++, band += f.pitch) {
		uint32_t out;

		cb_reserve_back(CB_OUT, 1);
		out = get_write_ptr(CB_OUT);
		for (uint32_t i = 0; i < f.channels; i++)
			filter_row(&f, (row_t)(band + i), (row_t)(band + f.pitch + i),
				   (row_t)(band + 2 * f.pitch + i), (row_t)(out + i));
		cb_push_back(CB_OUT, 1);
		kernel_heartbeat();
	}
	cb_pop_front(CB_BAND, rows + 2);
}
