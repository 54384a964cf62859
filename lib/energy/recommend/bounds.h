/* SPDX-License-Identifier: MIT */
/* How long I/Os may wait, and whether a run keeps to it. */
#ifndef SSDPM_LIB_RECOMMEND_BOUNDS_H
#define SSDPM_LIB_RECOMMEND_BOUNDS_H

#include <ssdpm/energy/recommend.h>

#include "estimate/internal.h"

/*
 * The bounds of a patience on the workload of a run. The run is that of the
 * default of Linux, which is within them except for SSDPM_PATIENCE_INSTANT.
 */
struct ssdpm_bounds ssdpm__default_bounds(uint32_t patience,
					  const struct ssdpm_run *run);

/* The longest exit of the states that a policy enters; 0: none. */
uint64_t ssdpm__longest_exit_us(const struct chain *chain);

/* Checks the mean and the 99th percentile of the delays. */
bool ssdpm__keeps_delays(const struct ssdpm_bounds *bounds,
			 const struct ssdpm_run *run);

#endif
