/* SPDX-License-Identifier: MIT */
/* Idle powers that a drive does not report itself. */
#ifndef SSDPM_LIB_EVIDENCE_EVIDENCE_H
#define SSDPM_LIB_EVIDENCE_EVIDENCE_H

#include <ssdpm/model.h>

/*
 * A family: drives of one vendor that have the same table and the same active
 * power in smartctl. smartctl cannot print an idle power. A tool that can has
 * read one of these drives.
 */
struct family {
	uint32_t n_drives; /* known by smartctl; 0: the drive has no family */
	uint32_t reported; /* bits: states whose idle power is known */
	uint32_t idle_power_uw[SSDPM_MAX_STATES];
};

/* In the catalogue that is built in. Return: 0, -ENOMEM. */
int ssdpm__find_family(const struct ssdpm_model *model,
		       struct family *ret_family, struct ssdpm_error *reterr);

/* Measured on a drive, or of a data sheet. */
struct published {
	const char *product;
	const char *condition, *by;
	uint32_t power_uw;
	uint8_t link_state; /* SSDPM_LINK_; 0: state 0 of an NVMe drive */
	bool measured;	    /* else of a data sheet */
	bool whole;	    /* product is all of the name, not its beginning */
};

/* What was published of a state of this model; NULL: nothing was. */
const struct published *ssdpm__find_published(const struct ssdpm_model *model,
					      uint32_t state);

#endif
