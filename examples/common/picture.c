// SPDX-License-Identifier: MIT
#include <common/picture.h>

#include <ctype.h>
#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE	16384

int picture_new(struct picture *ret, uint32_t width, uint32_t height, uint32_t channels)
{
	uint8_t *samples;

	if (!width || !height || width > MAX_SIDE || height > MAX_SIDE)
		return -EINVAL;
	samples = calloc((size_t)width * height, channels);
	if (!samples)
		return -ENOMEM;
	*ret = (struct picture){ width, height, channels, samples };
	return 0;
}

void picture_free(struct picture *p)
{
	free(p->samples);
	p->samples = NULL;
}

static size_t sample_count(const struct picture *p)
{
	return (size_t)p->width * p->height * p->channels;
}

/* ---- PNM ---------------------------------------------------------------------------------- */

/* The next number of a header, after blanks and comments; 0 when there is none. */
static uint32_t pnm_number(FILE *f)
{
	uint32_t v = 0;
	int c;

	do {
		c = getc(f);
		if (c == '#')
			while (c != '\n' && c != EOF)
				c = getc(f);
	} while (c != EOF && isspace(c));
	for (; c != EOF && isdigit(c) && v <= MAX_SIDE; c = getc(f))
		v = 10 * v + (uint32_t)(c - '0');
	return c != EOF && isspace(c) ? v : 0;	/* exactly one blank ends the header */
}

static int pnm_read(struct picture *ret, FILE *f, uint32_t channels)
{
	uint32_t width = pnm_number(f), height = pnm_number(f), levels = pnm_number(f);
	struct picture p;
	int err;

	if (levels < 1 || levels > 255)
		return -EINVAL;
	err = picture_new(&p, width, height, channels);
	if (err)
		return err;
	if (fread(p.samples, 1, sample_count(&p), f) != sample_count(&p)) {
		picture_free(&p);
		return -EINVAL;
	}
	for (size_t i = 0; levels != 255 && i < sample_count(&p); i++) {
		uint32_t v = p.samples[i] * 255u / levels;

		p.samples[i] = v > 255 ? 255 : (uint8_t)v;
	}
	*ret = p;
	return 0;
}

static int pnm_write(const struct picture *p, const char *path)
{
	FILE *f = fopen(path, "wb");
	int err = 0;

	if (!f)
		return -errno;
	fprintf(f, "P%c\n%u %u\n255\n", p->channels == 1 ? '5' : '6', p->width, p->height);
	if (fwrite(p->samples, 1, sample_count(p), f) != sample_count(p))
		err = -EIO;
	if (fclose(f) && !err)
		err = -errno;
	return err;
}

/* ---- PNG ---------------------------------------------------------------------------------- */

static int png_read(struct picture *ret, FILE *f)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	struct picture p;
	int err;

	if (!png_image_begin_read_from_stdio(&image, f))
		return -EINVAL;
	image.format = image.format & PNG_FORMAT_FLAG_COLOR ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
	err = picture_new(&p, image.width, image.height, PNG_IMAGE_PIXEL_CHANNELS(image.format));
	if (err) {
		png_image_free(&image);
		return err;
	}
	if (!png_image_finish_read(&image, &(png_color){ 255, 255, 255 }, p.samples, 0, NULL)) {
		picture_free(&p);
		return -EINVAL;
	}
	*ret = p;
	return 0;
}

static int png_write(const struct picture *p, const char *path)
{
	png_image image = {
		.version = PNG_IMAGE_VERSION,
		.width = p->width,
		.height = p->height,
		.format = p->channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB,
	};

	errno = 0;
	if (!png_image_write_to_file(&image, path, 0, p->samples, 0, NULL))
		return errno ? -errno : -EIO;
	return 0;
}

/* ---- Either ------------------------------------------------------------------------------- */

int picture_read(struct picture *ret, const char *path)
{
	char magic[2];
	FILE *f;
	int err;

	f = fopen(path, "rb");
	if (!f)
		return -errno;
	if (fread(magic, 1, 2, f) != 2)
		err = -EINVAL;
	else if (magic[0] == 'P' && (magic[1] == '5' || magic[1] == '6'))
		err = pnm_read(ret, f, magic[1] == '5' ? 1 : 3);
	else if (fseek(f, 0, SEEK_SET))
		err = -errno;
	else
		err = png_read(ret, f);
	fclose(f);
	return err;
}

int picture_write(const struct picture *p, const char *path)
{
	size_t len = strlen(path);

	if (len > 4 && strcmp(path + len - 4, ".png") == 0)
		return png_write(p, path);
	return pnm_write(p, path);
}

void picture_grey(struct picture *p)
{
	const uint8_t *from = p->samples;
	size_t pixels = (size_t)p->width * p->height;

	if (p->channels == 1)
		return;
	for (size_t i = 0; i < pixels; i++, from += 3)
		p->samples[i] = (uint8_t)((77 * from[0] + 150 * from[1] + 29 * from[2]) >> 8);
	p->channels = 1;
}

static uint8_t test_pixel(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
	int32_t dx = (int32_t)(x % 80) - 40, dy = (int32_t)(y % 80) - 40;

	if (dx * dx + dy * dy < 900)
		return (uint8_t)(200 - 100 * ((x / 80 + y / 80) % 2));
	if (y > height / 2 && (x + y) / 12 % 2)
		return 40;
	return (uint8_t)(x * 255 / width);
}

int picture_test(struct picture *ret, uint32_t width, uint32_t height)
{
	int err = picture_new(ret, width, height, 1);

	for (uint32_t y = 0; !err && y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			ret->samples[(size_t)y * width + x] = test_pixel(x, y, width, height);
	return err;
}
