/* SPDX-License-Identifier: MIT */
/*
 * A family: drives of one vendor that have the same table and for which
 * smartctl shows the same active power. smartctl cannot print an idle power;
 * one of these drives was read by a tool that can.
 */
#ifndef SSDPM_LIB_EVIDENCE_FAMILY_H
#define SSDPM_LIB_EVIDENCE_FAMILY_H

#include <ssdpm/model.h>

struct family {
	uint32_t n_drives; /* known by smartctl; 0: the drive has no family */
	uint32_t reported; /* bits: states whose idle power is known */
	uint32_t idle_power_uw[SSDPM_MAX_STATES];
};

/* In the catalogue that is built in. Return: 0, -ENOMEM. */
int ssdpm__find_family(const struct ssdpm_model *model,
		       struct family *ret_family, struct ssdpm_error *reterr);

#endif
