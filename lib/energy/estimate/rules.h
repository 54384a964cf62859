/* SPDX-License-Identifier: MIT */
/* Which parameters a drive has, and the rules for what it does not report. */
#ifndef SSDPM_LIB_ESTIMATE_RULES_H
#define SSDPM_LIB_ESTIMATE_RULES_H

#include <ssdpm/energy/estimate.h>

struct parameter_key {
	uint32_t kind, index;
};

/* All that a drive has, sorted by kind and index; how many. */
size_t ssdpm__parameter_keys(
	const struct ssdpm_model *model,
	struct parameter_key ret_keys[SSDPM_MAX_PARAMETERS]);

#endif
