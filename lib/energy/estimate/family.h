/* SPDX-License-Identifier: MIT */
/*
 * Drives of one vendor with the same table and the same active power in the
 * words of smartctl, which cannot print an idle power: what one of them says of
 * it to a better tool.
 */
#ifndef SSDPM_LIB_ESTIMATE_FAMILY_H
#define SSDPM_LIB_ESTIMATE_FAMILY_H

#include <ssdpm/model.h>

struct family {
	uint32_t n_drives; /* that are such; 0: it has no family */
	uint32_t reported; /* bits: states whose idle power one of them says */
	uint32_t idle_power_uw[SSDPM_MAX_STATES];
};

/* In the catalogue that is built in. Return: 0, -ENOMEM. */
int ssdpm__find_family(const struct ssdpm_model *model,
		       struct family *ret_family, struct ssdpm_error *reterr);

#endif
