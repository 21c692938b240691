// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "common_grid.h"

struct tsr_grid *grid_new_plain(struct tsr_grid_config *ret_cfg)
{
	tsr_grid_config_default(ret_cfg);
	ret_cfg->deterministic = true;
	ret_cfg->harvested[0] = 1ull << 15;
	return tsr_grid_new(ret_cfg, NULL);
}

void prog_init(struct prog *p, const struct tsr_grid_config *cfg)
{
	memset(p, 0, sizeof(*p));
	p->cfg = *cfg;
	tsr_grid_limits(cfg, &p->limits);
	p->blob.header = &p->header;
	p->blob.ranges = p->ranges;
	p->blob.images = p->images;
	p->blob.descriptors = p->descriptors;
	p->blob.args = p->args;
	p->blob.semaphores = p->sems;
	p->blob.cbs = p->cbs;
	p->blob.bindings = p->bindings;
	p->blob.strings = "";
	p->blob.data = (const u8 *)p->data;
	p->launch.prog = &p->blob;
	p->launch.texts = p->texts;
	p->launch.words = p->words;
	p->launch.bound = p->bound;
	p->launch.run_id = 0x123456789abcdefull;
}

void prog_fini(struct prog *p)
{
	u32 i;

	for (i = 0; i < p->blob.n_images; i++)
		p->texts[i] = tsr_text_free(p->texts[i]);
}

static u32 add_range(struct prog *p, u32 x0, u32 y0, u32 x1, u32 y1)
{
	p->ranges[p->blob.n_ranges] = (struct tessera_range){ x0, y0, x1, y1 };
	return p->blob.n_ranges++;
}

void prog_kernel(struct prog *p, const struct rv *code, u32 proc, u32 x0, u32 y0, u32 x1, u32 y1)
{
	struct rv full = *code;
	u32 index = p->blob.n_images++;
	struct tessera_image *image = &p->images[index];
	struct tessera_descriptor *d = &p->descriptors[p->blob.n_descriptors++];

	rv_exit(&full, 0);
	memcpy((u8 *)p->data + p->blob.data_size, full.code, full.n * 4);
	image->data_offset = p->blob.data_size;
	image->data_size = full.n * 4;
	image->text_size = full.n * 4;
	image->mem_size = full.n * 4 + 64;
	image->processor = proc;
	image->entry = p->limits.image_base[proc];
	p->blob.data_size += full.n * 4;
	p->texts[index] = tsr_text_new(&p->cfg.timing, image->entry, full.code, full.n * 4);
	d->image = index;
	d->range_first = add_range(p, x0, y0, x1, y1);
	d->range_count = 1;
	d->arg_first = p->blob.n_args;
}

void prog_common(struct prog *p, const u32 *words, u32 count)
{
	memcpy(p->words + p->blob.words, words, count * 4);
	p->blob.words += count;
	p->descriptors[p->blob.n_descriptors - 1].common_words = count;
}

void prog_args(struct prog *p, u32 x, u32 y, const u32 *words, u32 count)
{
	p->args[p->blob.n_args++] = (struct tessera_arg){ .x = x, .y = y, .words = count };
	p->descriptors[p->blob.n_descriptors - 1].arg_count++;
	memcpy(p->words + p->blob.words, words, count * 4);
	p->blob.words += count;
}

void prog_sem(struct prog *p, u32 id, u32 initial, u32 x0, u32 y0, u32 x1, u32 y1)
{
	p->sems[p->blob.n_semaphores++] = (struct tessera_semaphore){
		.id = id, .initial = initial, .range_first = add_range(p, x0, y0, x1, y1),
		.range_count = 1,
	};
}

void prog_cb(struct prog *p, u32 id, u32 page_size, u32 pages, u32 offset, u32 format)
{
	p->cbs[p->blob.n_cbs++] = (struct tessera_cb){
		.id = id, .page_size = page_size, .page_count = pages,
		.address = p->limits.cb_base + offset, .format = format, .range_count = 1,
		.range_first = add_range(p, 0, 0, p->cfg.width - 1, p->cfg.height - 1),
	};
}

void prog_bind(struct prog *p, void *mem, u64 size, u32 access)
{
	u32 i = p->blob.n_bindings++;

	p->bindings[i] = (struct tessera_binding){ .min_size = size, .access = access };
	p->bound[i] = (struct tsr_bound){ .mem = mem, .size = size, .access = access };
}

void prog_launch(struct prog *p, struct tsr_grid *grid)
{
	tsr_grid_launch(grid, &p->launch);
}

enum tsr_grid_state grid_finish(struct tsr_grid *grid, u64 budget)
{
	enum tsr_grid_state state;

	do {
		state = tsr_grid_run(grid, budget);
	} while (state == TSR_GRID_MORE);
	return state;
}
