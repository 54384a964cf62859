/* SPDX-License-Identifier: MIT */
/* How long I/Os may wait, and whether a run keeps to it. */
#ifndef SSDPM_LIB_RECOMMEND_BOUNDS_H
#define SSDPM_LIB_RECOMMEND_BOUNDS_H

#include <ssdpm/energy/recommend.h>

#include "estimate/internal.h"

/*
 * The bounds of a patience on the workload of a run, which is of what Linux
 * does by default: that is within them, but for SSDPM_PATIENCE_INSTANT.
 */
struct ssdpm_bounds ssdpm__default_bounds(uint32_t patience,
					  const struct ssdpm_run *run);

/* The longest time to leave a state. */
bool ssdpm__keeps_exits(const struct ssdpm_bounds *bounds,
			const struct chain *chain);

/* The mean and the 99th percentile of the delays. */
bool ssdpm__keeps_delays(const struct ssdpm_bounds *bounds,
			 const struct ssdpm_run *run);

#endif
