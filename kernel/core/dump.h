/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The state of a core after a stop, for a device core dump (FL-10). */
#ifndef TSR_DUMP_H
#define TSR_DUMP_H

#include "grid.h"
#include <drm/tessera_dump.h>

/**
 * tsr_grid_dump() - state of a core of the last launch
 * @grid: nothing runs
 * @x: column
 * @y: row
 * @ret: written on success only
 *
 * Return: 0, or -ENOENT when the core took no part.
 */
int tsr_grid_dump(const struct tsr_grid *grid, u16 x, u16 y, struct tessera_dump_core *ret);

#endif
