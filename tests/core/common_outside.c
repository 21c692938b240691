// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "common_outside.h"

u32 outside_random(struct outside *o)
{
	o->state = o->state * 1664525 + 1013904223;
	return o->state >> 3 ^ o->state << 17;
}

u32 outside_edgy(struct outside *o)
{
	static const u32 values[] = {
		0, 1, 2, 3, 4, 8, 15, 16, 17, 31, 32, 64, 200, 240, 255, 256, 257, 512, 4096,
		0xc000, 0x10000, 0x7fffffff, 0x80000000, 0xfffffff0, 0xfffffffc, 0xffffffff,
		TSR_L1_BASE - 4, TSR_L1_BASE - 1, TSR_L1_BASE, TSR_L1_BASE + 16,
		TSR_L1_BASE + 0xfff0, TSR_L1_BASE + 0xfffc, TSR_L1_BASE + 0x10000,
		TSR_L1_BASE + 0xc000, TSR_L1_BASE + 0xd000, SEM(0, VALUE), SEM(1, VALUE),
		SEM(15, VALUE), SEM(16, VALUE), SEM(3, ADD), CB(0, PUSH),
	};

	return outside_random(o) % 8 ? values[outside_random(o) % ARRAY_SIZE(values)] :
				       outside_random(o);
}

static u32 below(struct outside *o, u32 n)
{
	return outside_random(o) % n;
}

/* Mostly below @n. */
static u32 mostly(struct outside *o, u32 n)
{
	return below(o, 8) ? below(o, n) : outside_edgy(o);
}

static u32 target_hi(struct outside *o)
{
	switch (below(o, 4)) {
	case 0:
		return CORE(below(o, 4), below(o, 3));
	case 1:
		return MCAST(below(o, 3), below(o, 3), below(o, 4), below(o, 3));
	case 2:
		return BUFFER(below(o, 3)) | (below(o, 8) ? 0 : outside_random(o) & 0x3fff0000);
	default:
		return outside_edgy(o);
	}
}

void outside_access(struct outside *o, struct rv *k)
{
	switch (below(o, 6)) {
	case 0:
		rv_noc(k, below(o, 8) ? 1 + below(o, 5) : outside_edgy(o), target_hi(o),
		       outside_edgy(o), outside_edgy(o), outside_edgy(o));
		break;
	case 1:
		rv_store(k, TSR_REG_NOC + TSR_NOC_BARRIER, below(o, 8));
		break;
	case 2:
		rv_store(k, TSR_REG_TILE + TSR_TILE_A, outside_edgy(o));
		rv_store(k, TSR_REG_TILE + TSR_TILE_B, outside_edgy(o));
		rv_store(k, TSR_REG_TILE + TSR_TILE_DST, mostly(o, 16));
		rv_store(k, TSR_REG_TILE + TSR_TILE_FORMAT, mostly(o, 5));
		rv_store(k, TSR_REG_TILE + TSR_TILE_OP,
			 below(o, 8) ? 1 + below(o, 14) : outside_edgy(o));
		break;
	case 3:
		rv_store(k, CB(below(o, 4), RESERVE) + below(o, 12) * 4, mostly(o, 4));
		break;
	case 4:
		rv_store(k, SEM(below(o, 17), VALUE) + below(o, 4) * 4,
			 below(o, 4) ? below(o, 4) : outside_edgy(o));
		break;
	default:
		rv_store(k, below(o, 2) ? TSR_REG_BASE + (outside_random(o) & 0x5fffc) :
					  outside_edgy(o), outside_edgy(o));
		break;
	}
}
