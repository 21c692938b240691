// SPDX-License-Identifier: MIT
/*
 * An image in a file of the image cache. Little endian:
 *
 *	8 bytes "TSRIMAGE", u32 format = 1, u32 zero
 *	16 bytes: XXH3-128 of everything behind it
 *	u32 processor, data_size, mem_size, text_size, entry
 *	u32 size, bytes		key
 *	u32 size, bytes		name of the kernel
 *	data_size bytes
 */
#include <errno.h>
#include <stdlib.h>

#include "image_store.h"
#include "reader.h"

#define MAGIC		"TSRIMAGE"
#define FORMAT		1
#define HEADER		(8 + 4 + 4 + sizeof(struct tsr_digest))

/*
 * What tells the image from others: the compiler as a file and by what it says, and the key of
 * the images in memory, which has the source with its flags and included files, the definitions,
 * the set-up, the ISA and the slot (FP-3).
 */
bool tsr_entry_key(const struct tsr_image_job *job, struct tsr_writer *w)
{
	const struct tsr_toolchain *tc = &job->dev->toolchain;

	if (!job->key.known || !tc->known)
		return false;
	tsr_write32(w, FORMAT);
	tsr_write_raw(w, tc->tools, sizeof(tc->tools));
	tsr_write_bytes(w, job->key.bytes, job->key.size);
	return !w->err;
}

void tsr_entry_write(struct tsr_writer *w, const struct tsr_writer *key, const char *kernel,
		     const struct tsr_image *image)
{
	struct tsr_digest sum;
	uint8_t *file;

	tsr_write_raw(w, MAGIC, 8);
	tsr_write32(w, FORMAT);
	tsr_write32(w, 0);
	tsr_write64(w, 0);
	tsr_write64(w, 0);
	tsr_write32(w, image->processor);
	tsr_write32(w, image->data_size);
	tsr_write32(w, image->mem_size);
	tsr_write32(w, image->text_size);
	tsr_write32(w, image->entry);
	tsr_write_bytes(w, key->bytes.data, key->bytes.count);
	tsr_write_string(w, kernel);
	tsr_write_raw(w, image->data, image->data_size);
	if (w->err)
		return;
	file = w->bytes.data;
	sum = tsr_hash(file + HEADER, w->bytes.count - HEADER);
	memcpy(file + HEADER - sizeof(sum), sum.bytes, sizeof(sum));
}

/* What holds for every image, and for those of a device (see struct tessera_image). */
bool tsr_image_ok(const struct tsr_image *image, const struct tessera_limits *limits)
{
	uint32_t base;

	if (image->processor >= TSR_PROCESSORS || !image->data_size ||
	    image->data_size > image->mem_size || !image->text_size || image->text_size % 4 ||
	    image->text_size > image->data_size || image->entry % 4)
		return false;
	if (!limits)
		return true;
	base = limits->image_base[image->processor];
	return image->mem_size <= limits->image_slot && image->entry >= base &&
	       image->entry - base < image->text_size;
}

static bool sum_ok(const uint8_t *file, size_t size)
{
	static const uint8_t start[16] = MAGIC "\1";
	struct tsr_digest sum;

	if (size < HEADER || memcmp(file, start, sizeof(start)))
		return false;
	sum = tsr_hash(file + HEADER, size - HEADER);
	return !memcmp(file + HEADER - sizeof(sum), sum.bytes, sizeof(sum));
}

static bool key_ok(struct tsr_reader *r, const struct tsr_writer *key)
{
	uint32_t size;
	const uint8_t *bytes = tsr_read_bytes(r, &size);

	return bytes && (!key || (size == key->bytes.count &&
				  !memcmp(bytes, key->bytes.data, size)));
}

int tsr_entry_read(const void *file, size_t size, const struct tsr_writer *key,
		   const struct tessera_limits *limits, struct tsr_image **ret_image,
		   char *ret_kernel)
{
	struct tsr_reader r = { .p = file, .left = size };
	struct tsr_image fixed = { 0 }, *image;
	const uint8_t *name;
	uint32_t n;

	if (!sum_ok(file, size))
		return -EBADMSG;
	tsr_read_raw(&r, HEADER);
	fixed.processor = tsr_read32(&r);
	fixed.data_size = tsr_read32(&r);
	fixed.mem_size = tsr_read32(&r);
	fixed.text_size = tsr_read32(&r);
	fixed.entry = tsr_read32(&r);
	if (!key_ok(&r, key))
		return -EBADMSG;
	name = tsr_read_bytes(&r, &n);
	if (!name || n > 63 || r.left != fixed.data_size || !tsr_image_ok(&fixed, limits))
		return -EBADMSG;
	image = malloc(sizeof(*image) + fixed.data_size);
	if (!image)
		return -ENOMEM;
	*image = fixed;
	tsr_ref_init(&image->ref);
	memcpy(image->data, r.p, fixed.data_size);
	if (ret_kernel) {
		memcpy(ret_kernel, name, n);
		ret_kernel[n] = '\0';
	}
	*ret_image = image;
	return 0;
}
