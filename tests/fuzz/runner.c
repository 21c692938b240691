// SPDX-License-Identifier: MIT
/*
 * libFuzzer target for the loader of runner files (RN-3): size and checksum are put right, so that
 * what is behind them is reached. What is accepted has to be accepted again.
 *
 *   make fuzz T=runner SECONDS=600
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct tsr_runner *runner = NULL, *again = NULL;
	struct tsr_diag *diag = NULL;
	uint8_t *file = malloc(size ? size : 1);
	int err;

	memcpy(file, bytes, size);
	if (size >= TSR_SAVED_HEADER)
		tsr_saved_seal(file, size);
	err = tsr_runner_load_memory(NULL, file, size, &runner, &diag);
	if (err && err != -EINVAL)
		abort();
	/* A refusal says why. */
	if (err && !tsr_diag_count(diag))
		abort();
	if (!err && tsr_runner_load_memory(NULL, file, size, &again, NULL))
		abort();
	tsr_diag_free(diag);
	tsr_runner_unref(again);
	tsr_runner_unref(runner);
	free(file);
	return 0;
}
