// SPDX-License-Identifier: GPL-2.0-only
/* Configuration of a virtual device. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "config.h"

#define TSR_SOFT_BATCH		64
#define TSR_SOFT_SYNCS		32

struct tsr_soft_field_info {
	const char *name;
	u16 offset;
	u8 size;
	u32 least, most, step;
};

#define TSR_SOFT_FIELD(_name, _member, _type, _least, _most, _step)		\
	[TSR_SOFT_##_name] = {							\
		.name = #_name,							\
		.offset = offsetof(struct tsr_soft_config, _member),		\
		.size = sizeof(_type),						\
		.least = _least, .most = _most, .step = _step,			\
	}

#define TSR_SOFT_TIMING(_name, _least)						\
	[TSR_SOFT_timing_##_name] = {						\
		.name = "timing." #_name,					\
		.offset = offsetof(struct tsr_soft_config, grid.timing._name),	\
		.size = sizeof(u32),						\
		.least = _least, .most = U16_MAX, .step = 1,			\
	}

static const struct tsr_soft_field_info tsr_soft_fields[TSR_SOFT_FIELD_COUNT] = {
#include "fields.h"
};

void tsr_soft_config_default(struct tsr_soft_config *cfg, const char *name)
{
	memset(cfg, 0, sizeof(*cfg));
	tsr_grid_config_default(&cfg->grid);
	cfg->workers = num_online_cpus();
	cfg->staged_depth = 2;
	cfg->queue_capacity = 64;
	cfg->no_progress_ms = 5000;
	cfg->claim_hold_ms = 1000;
	cfg->run_limit_ms = 60000;
	cfg->inline_budget = 20000;
	strscpy(cfg->name, name, sizeof(cfg->name));
}

u32 tsr_soft_config_get(const struct tsr_soft_config *cfg, enum tsr_soft_field field)
{
	const struct tsr_soft_field_info *info = &tsr_soft_fields[field];
	const void *member = (const u8 *)cfg + info->offset;

	switch (info->size) {
	case 1:
		return *(const bool *)member;
	case 2:
		return *(const u16 *)member;
	default:
		return *(const u32 *)member;
	}
}

static void tsr_soft_config_put(struct tsr_soft_config *cfg, enum tsr_soft_field field, u32 value)
{
	const struct tsr_soft_field_info *info = &tsr_soft_fields[field];
	void *member = (u8 *)cfg + info->offset;

	switch (info->size) {
	case 1:
		*(bool *)member = value;
		break;
	case 2:
		*(u16 *)member = value;
		break;
	default:
		*(u32 *)member = value;
	}
}

static bool tsr_soft_value_ok(const struct tsr_soft_field_info *info, u32 value)
{
	return value >= info->least && value <= info->most && !(value % info->step);
}

int tsr_soft_config_set(struct tsr_soft_config *cfg, enum tsr_soft_field field, const char *text)
{
	const struct tsr_soft_field_info *info = &tsr_soft_fields[field];
	bool yes;
	u32 value;

	if (info->size == sizeof(bool)) {
		if (kstrtobool(text, &yes))
			return -EINVAL;
		value = yes;
	} else if (kstrtou32(text, 0, &value)) {
		return -EINVAL;
	}
	if (!tsr_soft_value_ok(info, value))
		return -EINVAL;
	tsr_soft_config_put(cfg, field, value);
	return 0;
}

static int tsr_soft_field_find(const char *name)
{
	int i;

	for (i = 0; i < TSR_SOFT_FIELD_COUNT; i++)
		if (!strcmp(tsr_soft_fields[i].name, name))
			return i;
	return -EINVAL;
}

int tsr_soft_config_parse(struct tsr_soft_config *cfg, char *text)
{
	char *word;

	while ((word = strsep(&text, ",")) != NULL) {
		char *name = strsep(&word, "=");
		int field = tsr_soft_field_find(name);

		if (!*name && !word)
			continue;
		if (field < 0 || !word || tsr_soft_config_set(cfg, field, word))
			return -EINVAL;
	}
	return 0;
}

/* "x,y" or "x0,y0-x1,y1"; with a width, so that no number is cut to its type */
static int tsr_soft_rect_parse(const char *word, struct tessera_range *ret)
{
	u32 x0, y0, x1, y1;
	int end = 0;

	if (sscanf(word, "%5u,%5u%n", &x0, &y0, &end) != 2 || !end)
		return -EINVAL;
	x1 = x0;
	y1 = y0;
	word += end;
	if (*word) {
		end = 0;
		if (sscanf(word, "-%5u,%5u%n", &x1, &y1, &end) != 2 || !end || word[end])
			return -EINVAL;
	}
	if (x0 > x1 || y0 > y1 || x1 >= TESSERA_MAX_DIM || y1 >= TESSERA_MAX_DIM)
		return -EINVAL;
	*ret = (struct tessera_range){ .x0 = x0, .y0 = y0, .x1 = x1, .y1 = y1 };
	return 0;
}

int tsr_soft_harvest_parse(struct tsr_soft_config *cfg, char *text)
{
	u64 harvested[TESSERA_MAX_DIM] = { };
	struct tessera_range r;
	char *word;
	u32 y;

	while ((word = strsep(&text, " \t\n")) != NULL) {
		if (!*word)
			continue;
		if (tsr_soft_rect_parse(word, &r))
			return -EINVAL;
		for (y = r.y0; y <= r.y1; y++)
			harvested[y] |= GENMASK_ULL(r.x1, r.x0);
	}
	memcpy(cfg->harvested, harvested, sizeof(harvested));
	return 0;
}

int tsr_soft_harvest_print(const struct tsr_soft_config *cfg, char *page)
{
	u32 x, y, last;
	int len = 0;

	for (y = 0; y < TESSERA_MAX_DIM; y++) {
		for (x = 0; x < TESSERA_MAX_DIM; x = last + 1) {
			last = x;
			if (!(cfg->harvested[y] >> x & 1))
				continue;
			while (last + 1 < TESSERA_MAX_DIM && cfg->harvested[y] >> (last + 1) & 1)
				last++;
			if (len)
				len += sysfs_emit_at(page, len, " ");
			len += sysfs_emit_at(page, len, "%u,%u", x, y);
			if (last != x)
				len += sysfs_emit_at(page, len, "-%u,%u", last, y);
		}
	}
	len += sysfs_emit_at(page, len, "\n");
	return len;
}

/* The engine numbers cores by the grid's width. False: a core outside the grid. */
static bool tsr_soft_harvest_fill(const struct tsr_soft_config *cfg, struct tsr_grid_config *grid)
{
	u32 x, y, bit;

	memset(grid->harvested, 0, sizeof(grid->harvested));
	for (y = 0; y < TESSERA_MAX_DIM; y++) {
		for (x = 0; x < TESSERA_MAX_DIM; x++) {
			if (!(cfg->harvested[y] >> x & 1))
				continue;
			if (x >= grid->width || y >= grid->height)
				return false;
			bit = y * grid->width + x;
			grid->harvested[bit / 64] |= BIT_ULL(bit % 64);
		}
	}
	return true;
}

static const char *tsr_soft_bad_field(const struct tsr_soft_config *cfg)
{
	int i;

	for (i = 0; i < TSR_SOFT_FIELD_COUNT; i++)
		if (!tsr_soft_value_ok(&tsr_soft_fields[i], tsr_soft_config_get(cfg, i)))
			return tsr_soft_fields[i].name;
	if (cfg->grid.width * cfg->grid.height > TESSERA_MAX_CORES)
		return "height";
	return NULL;
}

int tsr_soft_config_grid(const struct tsr_soft_config *cfg, struct tsr_grid_config *ret,
			 const char **reterr_field)
{
	struct tsr_grid_config grid = cfg->grid;
	const char *bad = tsr_soft_bad_field(cfg);

	if (!bad && !tsr_soft_harvest_fill(cfg, &grid))
		bad = "harvested";
	if (!bad && !tsr_grid_config_check(&grid, &bad)) {
		*ret = grid;
		return 0;
	}
	*reterr_field = bad;
	return -EINVAL;
}

void tsr_soft_config_hw(const struct tsr_soft_config *cfg, const struct tsr_grid_config *grid,
			struct tsr_hw_config *ret)
{
	memset(ret, 0, sizeof(*ret));
	tsr_grid_limits(grid, &ret->limits);
	ret->limits.queue_capacity = cfg->queue_capacity;
	ret->limits.staged_depth = cfg->staged_depth;
	ret->limits.parallelism = 1;
	ret->limits.batch = TSR_SOFT_BATCH;
	ret->limits.syncs = TSR_SOFT_SYNCS;
	ret->limits.no_progress_ms = cfg->no_progress_ms;
	ret->limits.claim_hold_ms = cfg->claim_hold_ms;
	ret->limits.run_limit_ms = cfg->run_limit_ms;
	ret->caps = DRM_TESSERA_CAP_PROFILE | DRM_TESSERA_CAP_PRINT;
	if (grid->deterministic)
		ret->caps |= DRM_TESSERA_CAP_DETERMINISTIC;
	ret->seed = grid->seed;
	ret->isa = "rv32im";
	ret->name = cfg->name;
}
