// SPDX-License-Identifier: MIT
/* Program and dispatch blobs of hand-made images. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "common_uapi.h"

static const struct {
	__u32 record;
	size_t table;
} sections[TESSERA_SECTIONS] = {
	[TESSERA_SECTION_RANGES] = { sizeof(struct tessera_range),
				     offsetof(struct uapi_prog, ranges) },
	[TESSERA_SECTION_IMAGES] = { sizeof(struct tessera_image),
				     offsetof(struct uapi_prog, images) },
	[TESSERA_SECTION_DESCRIPTORS] = { sizeof(struct tessera_descriptor),
					  offsetof(struct uapi_prog, descriptors) },
	[TESSERA_SECTION_ARGS] = { sizeof(struct tessera_arg), offsetof(struct uapi_prog, args) },
	[TESSERA_SECTION_SEMAPHORES] = { sizeof(struct tessera_semaphore),
					 offsetof(struct uapi_prog, semaphores) },
	[TESSERA_SECTION_CBS] = { sizeof(struct tessera_cb), offsetof(struct uapi_prog, cbs) },
	[TESSERA_SECTION_BINDINGS] = { sizeof(struct tessera_binding),
				       offsetof(struct uapi_prog, bindings) },
	[TESSERA_SECTION_STRINGS] = { 1, offsetof(struct uapi_prog, strings) },
	[TESSERA_SECTION_DATA] = { 1, offsetof(struct uapi_prog, data) },
};

#define COUNT(p, section)	((p)->header.sections[TESSERA_SECTION_##section].count)

void uapi_prog_init(struct uapi_prog *p, const struct tessera_limits *limits, __u16 x0, __u16 y0,
		    __u16 x1, __u16 y1)
{
	static const char strings[] = "test\0kernel";

	memset(p, 0, sizeof(*p));
	p->limits = *limits;
	p->header.magic = TESSERA_PROGRAM_MAGIC;
	p->header.version = TESSERA_BLOB_VERSION;
	p->header.range_count = 1;
	memcpy(p->strings, strings, sizeof(strings));
	COUNT(p, STRINGS) = sizeof(strings);
	uapi_add_range(p, x0, y0, x1, y1);
}

void uapi_prog_init_core(struct uapi_prog *p, const struct tessera_limits *limits)
{
	__u32 bit = 0;

	while (limits->harvested[bit / 64] >> bit % 64 & 1)
		bit++;
	uapi_prog_init(p, limits, bit % limits->grid_width, bit / limits->grid_width,
		       bit % limits->grid_width, bit / limits->grid_width);
}

__u32 uapi_add_range(struct uapi_prog *p, __u16 x0, __u16 y0, __u16 x1, __u16 y1)
{
	__u32 i = COUNT(p, RANGES)++;

	p->ranges[i] = (struct tessera_range){ x0, y0, x1, y1 };
	return i;
}

__u32 uapi_add_image(struct uapi_prog *p, __u32 processor, const __u32 *code, __u32 words)
{
	__u32 i = COUNT(p, IMAGES)++, at = (COUNT(p, DATA) + 7) / 8 * 8;

	p->images[i] = (struct tessera_image){
		.data_offset = at, .data_size = words * 4, .mem_size = words * 4,
		.text_size = words * 4, .entry = p->limits.image_base[processor],
		.processor = processor,
	};
	memcpy(p->data + at, code, words * 4);
	COUNT(p, DATA) = at + words * 4;
	return i;
}

__u32 uapi_add_descriptor(struct uapi_prog *p, __u32 image, __u32 range, __u32 common_words)
{
	__u32 i = COUNT(p, DESCRIPTORS)++;

	p->descriptors[i] = (struct tessera_descriptor){
		.image = image, .name = 5, .range_first = range, .range_count = 1,
		.arg_first = COUNT(p, ARGS), .common_words = common_words,
	};
	return i;
}

__u32 uapi_add_args(struct uapi_prog *p, __u16 x, __u16 y, __u32 words)
{
	__u32 i = COUNT(p, ARGS)++;

	p->args[i] = (struct tessera_arg){ x, y, words };
	p->descriptors[COUNT(p, DESCRIPTORS) - 1].arg_count++;
	return i;
}

__u32 uapi_add_semaphore(struct uapi_prog *p, __u32 id, __u32 initial, __u32 range)
{
	__u32 i = COUNT(p, SEMAPHORES)++;

	p->semaphores[i] = (struct tessera_semaphore){
		.id = id, .initial = initial, .range_first = range, .range_count = 1,
	};
	return i;
}

__u32 uapi_add_cb(struct uapi_prog *p, __u32 id, __u32 page_size, __u32 pages, __u32 address,
		  __u32 range)
{
	__u32 i = COUNT(p, CBS)++;

	p->cbs[i] = (struct tessera_cb){
		.id = id, .page_size = page_size, .page_count = pages, .address = address,
		.range_first = range, .range_count = 1,
	};
	return i;
}

__u32 uapi_add_binding(struct uapi_prog *p, __u64 min_size, __u32 access)
{
	__u32 i = COUNT(p, BINDINGS)++;

	p->bindings[i] = (struct tessera_binding){ .min_size = min_size, .access = access };
	return i;
}

__u32 uapi_add_kernel(struct uapi_prog *p, __u32 processor, const __u32 *code, __u32 words)
{
	return uapi_add_descriptor(p, uapi_add_image(p, processor, code, words), 0, 0);
}

void *uapi_prog_blob(const struct uapi_prog *p, __u32 *ret_size)
{
	struct tessera_program_header header = p->header;
	__u32 end = sizeof(header);
	__u8 *blob;

	for (__u32 i = 0; i < TESSERA_SECTIONS; i++) {
		header.sections[i].offset = (end + 7) / 8 * 8;
		end = header.sections[i].offset + header.sections[i].count * sections[i].record;
	}
	header.size = end;
	blob = calloc(1, end);
	if (!blob)
		return NULL;
	memcpy(blob, &header, sizeof(header));
	for (__u32 i = 0; i < TESSERA_SECTIONS; i++)
		memcpy(blob + header.sections[i].offset, (const __u8 *)p + sections[i].table,
		       header.sections[i].count * sections[i].record);
	*ret_size = end;
	return blob;
}

int uapi_prog_create(int fd, const struct uapi_prog *p, __u32 *ret_handle)
{
	__u32 size;
	void *blob = uapi_prog_blob(p, &size);
	int ret = blob ? uapi_program(fd, blob, size, ret_handle) : -ENOMEM;

	free(blob);
	return ret;
}

void *uapi_dispatch(const struct tessera_bind *binds, __u32 n_binds, const __u32 *words,
		    __u32 n_words, __u32 *ret_size)
{
	struct tessera_dispatch_header *header;
	__u32 size = sizeof(*header) + n_binds * sizeof(*binds) + n_words * 4;

	header = calloc(1, size);
	if (!header)
		return NULL;
	*header = uapi_dispatch_none;
	header->size = size;
	header->bindings = n_binds;
	header->words = n_words;
	if (n_binds)
		memcpy(header + 1, binds, n_binds * sizeof(*binds));
	if (n_words)
		memcpy((__u8 *)(header + 1) + n_binds * sizeof(*binds), words, n_words * 4);
	*ret_size = size;
	return header;
}

/* --- programs that most tests need ------------------------------------------------ */

static int one_core(int fd, struct uapi_prog *p)
{
	struct drm_tessera_device_info info;
	int ret = uapi_info(fd, &info);

	if (!ret)
		uapi_prog_init_core(p, &info.limits);
	return ret;
}

static int exit_prog(int fd, __u32 status, struct uapi_prog *p)
{
	const __u32 code[] = { RV_EXIT(status) };
	int ret = one_core(fd, p);

	if (!ret)
		uapi_add_kernel(p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	return ret;
}

void *uapi_exit_blob(int fd, __u32 status, __u32 *ret_size)
{
	struct uapi_prog p;

	return exit_prog(fd, status, &p) ? NULL : uapi_prog_blob(&p, ret_size);
}

int uapi_exit_program(int fd, __u32 status, __u32 *ret_handle)
{
	struct uapi_prog p;
	int ret = exit_prog(fd, status, &p);

	return ret ? ret : uapi_prog_create(fd, &p, ret_handle);
}

int uapi_loop_program(int fd, __u32 *ret_handle)
{
	static const __u32 code[] = { RV_J(0) };
	struct uapi_prog p;
	int ret = one_core(fd, &p);

	if (ret)
		return ret;
	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	return uapi_prog_create(fd, &p, ret_handle);
}

#define GATE_SIZE	4096

static int gate_program(int fd, __u32 *ret_handle)
{
	struct uapi_prog p;
	int ret = one_core(fd, &p);

	if (ret)
		return ret;

	__u32 l1 = p.limits.cb_base;
	const __u32 code[] = {
		RV_READ_BUFFER(0, 0, l1, 16),
		RV_LI(RV_T0, l1),
		RV_LW(RV_T1, 0, RV_T0),
		/* Back to the first instruction while the gate is closed. */
		RV_BEQ(RV_T1, RV_ZERO, -(6 * 5 + 2 + 1) * 4),
		RV_EXIT(0),
	};

	uapi_add_kernel(&p, TSR_PROC_DM0, code, UAPI_ARRAY_SIZE(code));
	uapi_add_binding(&p, GATE_SIZE, TESSERA_ACCESS_IN);
	return uapi_prog_create(fd, &p, ret_handle);
}

int uapi_gate_new(int fd, struct uapi_gate *ret)
{
	struct uapi_gate gate = { 0 };
	void *map;
	int err = gate_program(fd, &gate.program);

	if (!err)
		err = uapi_bo_map(fd, GATE_SIZE, &gate.bo, &map);
	if (err)
		return err;

	struct tessera_bind bind = {
		.size = GATE_SIZE, .handle = gate.bo, .access = TESSERA_ACCESS_IN,
	};

	gate.word = map;
	gate.dispatch = uapi_dispatch(&bind, 1, NULL, 0, &gate.dispatch_size);
	*ret = gate;
	return gate.dispatch ? 0 : -ENOMEM;
}

void uapi_gate_free(int fd, struct uapi_gate *gate)
{
	if (!gate->dispatch)
		return;
	*gate->word = 1;
	munmap((void *)gate->word, GATE_SIZE);
	uapi_bo_close(fd, gate->bo);
	uapi_program_destroy(fd, gate->program);
	free(gate->dispatch);
	gate->dispatch = NULL;
}

int uapi_gate_submit(int fd, __u32 context, struct uapi_gate *gate, __u32 *ret_run)
{
	struct drm_tessera_run run;
	int ret;

	uapi_run_init(&run, gate->program);
	uapi_run_set_dispatch(&run, gate->dispatch, gate->dispatch_size);
	ret = uapi_submit(fd, context, &run);
	if (!ret)
		*ret_run = run.handle;
	return ret;
}
