/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a processor that faults had asked for (FL-12). */
#ifndef TSR_ASKED_H
#define TSR_ASKED_H

#include "port.h"

/**
 * struct tsr_asked - valid are the fields whose bits are in @known
 * @known: TSR_KNOWN_*
 * @object: index of the tensor or circular buffer
 * @amount: bytes, or pages, that were asked for
 * @size: bytes of the tensor, or pages of the circular buffer
 */
struct tsr_asked {
	u8 known;
	u32 object;
	u32 amount;
	u64 size;
};

#endif
