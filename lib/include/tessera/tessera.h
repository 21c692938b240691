/* SPDX-License-Identifier: MIT */
/*
 * libtessera: prepares work for grid accelerators and runs it.
 *
 * What holds for every call:
 *
 * Errors    0 or a negative errno. Outputs (ret_*) are written on success only; diagnostics
 *           (reterr_*) on failure only, and may be NULL when nobody wants them. Reserved fields of
 *           structs that are passed in must be zero (EINVAL).
 * Ownership new/free for values, ref/unref for shared objects, get or a plain name for what is
 *           borrowed. Destructors take NULL and return NULL: x = tsr_x_unref(x).
 * Threads   Devices, buffers, contexts and runs may be used by several threads at once. An
 *           operation is declared by one thread; from its first submit on it is frozen and may be
 *           submitted by several. Values (core sets, diagnostics) belong to one thread at a time.
 * Callbacks No function of the caller runs while the library holds a lock; it may call the library.
 * fork      A child that inherits a device gets -EPERM from every call on it and on what was made
 *           from it, and its destructors only free memory; the parent is not harmed.
 * Environment  TESSERA_CC (the compiler), TESSERA_DEVICE_DIR (device header, linker script and
 *           start-up code), TESSERA_IMAGE_CACHE=off, XDG_CACHE_HOME and HOME (where compiled
 *           kernels are kept), TMPDIR, PATH. The locale does not matter.
 */
#ifndef TESSERA_TESSERA_H
#define TESSERA_TESSERA_H

#include <tessera/batch.h>
#include <tessera/buffer.h>
#include <tessera/cache.h>
#include <tessera/claim.h>
#include <tessera/context.h>
#include <tessera/coreset.h>
#include <tessera/counters.h>
#include <tessera/device.h>
#include <tessera/diagnostic.h>
#include <tessera/event.h>
#include <tessera/host.h>
#include <tessera/image_cache.h>
#include <tessera/kernel.h>
#include <tessera/names.h>
#include <tessera/operation.h>
#include <tessera/progress.h>
#include <tessera/resources.h>
#include <tessera/run.h>
#include <tessera/run_list.h>
#include <tessera/runner.h>
#include <tessera/runner_info.h>
#include <tessera/staged.h>
#include <tessera/status.h>

#endif
