/* SPDX-License-Identifier: MIT */
/*
 * The device-side API: what a kernel that runs on a processor of the grid
 * includes. Freestanding C for rv32im; every function is inline and turns into a
 * handful of register accesses. The names are those that authors of kernels know
 * from tt-metal; Documentation/kernels.rst has the reference and the differences.
 *
 *	#include <tessera.h>
 *
 *	void kernel_main(void)
 *	{
 *		uint32_t l1 = get_write_ptr(0);
 *
 *		noc_async_read(get_noc_addr_from_binding(0, 0), l1, get_arg_val(0));
 *		noc_async_read_barrier();
 *		...
 *	}
 *
 * A processor ends when kernel_main() returns (success) or calls kernel_exit().
 */
#ifndef TESSERA_DEVICE_H
#define TESSERA_DEVICE_H

#include "tessera_core.h"
#include "tessera_cb.h"
#include "tessera_noc.h"
#include "tessera_tile.h"
#include "tessera_dprint.h"
#include "tessera_print.h"

#endif
