/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configuration of a virtual device: plain data with its own check, used by the
 * module's parameter, by configfs and by tests (DESIGN decision 9).
 */
#ifndef TSR_SOFT_CONFIG_H
#define TSR_SOFT_CONFIG_H

#include "hw.h"

struct tsr_faults;

#define TSR_SOFT_MAX_BANKS	8

#define TSR_SOFT_FIELD(_name, ...)	TSR_SOFT_##_name
#define TSR_SOFT_TIMING(_name, ...)	TSR_SOFT_timing_##_name

/** enum tsr_soft_field - the numbers that can be set */
enum tsr_soft_field {
#include "fields.h"
	TSR_SOFT_FIELD_COUNT
};

#undef TSR_SOFT_FIELD
#undef TSR_SOFT_TIMING

/** struct tsr_soft_config - a virtual device */
struct tsr_soft_config {
	/** @grid: what the engine is told; its harvested cores come from @harvested. */
	struct tsr_grid_config grid;
	/** @harvested: bit x of word y; independent of the grid's width. */
	u64 harvested[TESSERA_MAX_DIM];
	/** @workers: threads that execute, at most one per CPU; one if deterministic. */
	u32 workers;
	/** @staged_depth: banks. */
	u32 staged_depth;
	/** @queue_capacity: accepted runs of one context. */
	u32 queue_capacity;
	/** @no_progress_ms: limit without progress. */
	u32 no_progress_ms;
	/** @claim_hold_ms: a held claim may be revoked after so long. */
	u32 claim_hold_ms;
	/** @run_limit_ms: most time of a run while others wait; 0: no limit. */
	u32 run_limit_ms;
	/** @inline_budget: instructions that a launch executes itself; 0: none. */
	u32 inline_budget;
	/** @faults: the fault plan, which the device shares; NULL: it has its own, empty. */
	struct tsr_faults *faults;
	/** @name: of the device. */
	char name[32];
};

/** tsr_soft_config_default() - every default, and a name (cut at 31 bytes) */
void tsr_soft_config_default(struct tsr_soft_config *cfg, const char *name);

/**
 * tsr_soft_config_set() - set one number
 * @cfg: changed on success only
 * @field: which
 * @text: a number in C notation, or for deterministic also y or n
 *
 * Return: 0, -EINVAL not a number or outside the field's range.
 */
int tsr_soft_config_set(struct tsr_soft_config *cfg, enum tsr_soft_field field, const char *text);

/** tsr_soft_config_get() - the value of one number */
u32 tsr_soft_config_get(const struct tsr_soft_config *cfg, enum tsr_soft_field field);

/**
 * tsr_soft_config_parse() - set numbers from "name=value,name=value"
 * @cfg: changed as far as the text is right
 * @text: written to; timing fields are named "timing.NAME"
 *
 * Return: 0, -EINVAL unknown name or bad value.
 */
int tsr_soft_config_parse(struct tsr_soft_config *cfg, char *text);

/**
 * tsr_soft_harvest_parse() - set the harvested cores
 * @cfg: changed on success only
 * @text: written to; "x,y" cores and "x0,y0-x1,y1" rectangles, separated by white space
 *
 * Return: 0, -EINVAL malformed, reversed, or outside the largest grid.
 */
int tsr_soft_harvest_parse(struct tsr_soft_config *cfg, char *text);

/** tsr_soft_harvest_print() - the harvested cores in the same notation; bytes written */
int tsr_soft_harvest_print(const struct tsr_soft_config *cfg, char *page);

/**
 * tsr_soft_config_grid() - the engine's configuration, checked as a whole
 * @cfg: configuration
 * @ret: filled on success only
 * @reterr_field: name of the bad field, on failure only
 *
 * Return: 0, -EINVAL.
 */
int tsr_soft_config_grid(const struct tsr_soft_config *cfg, struct tsr_grid_config *ret,
			 const char **reterr_field);

/** tsr_soft_config_hw() - what the driver is told of the device; @cfg is valid and outlives @ret */
void tsr_soft_config_hw(const struct tsr_soft_config *cfg, const struct tsr_grid_config *grid,
			struct tsr_hw_config *ret);

#endif
