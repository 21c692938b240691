/* SPDX-License-Identifier: MIT */
/* The inside of the host engine: a program on a grid, and what is left of it. */
#ifndef TSR_HOST_INT_H
#define TSR_HOST_INT_H

#include <tessera/host.h>
#include <tessera/run.h>
#include <tessera/status.h>

#include "blob.h"
#include "device_int.h"
#include "grid.h"

/** struct tsr_host_run - see <tessera/host.h> */
struct tsr_host_run {
	struct tsr_status status;
	struct tsr_vec processors;	/* struct tsr_processor_stats */
	struct tsr_vec text;		/* char, ends with NUL once it is over */
};

/** struct tsr_host_job - a verified program and what it is started with */
struct tsr_host_job {
	const struct tsr_blob *prog;
	const uint32_t *words;
	const struct tsr_bound *bound;
	uint32_t seed;
	uint32_t no_progress_ms;
};

/** tsr_host_config() - the grid that has these limits. 0, -EOPNOTSUPP. */
int tsr_host_config(const struct tessera_limits *limits, uint32_t seed,
		    struct tsr_grid_config *ret);

/** tsr_host_launch() - execute to the end. 0 with @run filled in, -ENOMEM. */
int tsr_host_launch(const struct tsr_grid_config *cfg, const struct tsr_host_job *job,
		    struct tsr_host_run *run);

#endif
