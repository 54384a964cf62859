/* SPDX-License-Identifier: MIT */
/* Idle powers that were measured on a drive, or that a data sheet has. */
#ifndef SSDPM_LIB_EVIDENCE_PUBLISHED_H
#define SSDPM_LIB_EVIDENCE_PUBLISHED_H

#include <ssdpm/model.h>

struct published {
	const char *product;
	const char *condition, *by;
	uint32_t power_uw;
	uint8_t link_state; /* SSDPM_LINK_; 0: state 0 of an NVMe drive */
	bool measured;	    /* else of a data sheet */
	bool whole;	    /* product is all of the name, not its beginning */
};

/* Of a state of this model. NULL: nothing was published. */
const struct published *ssdpm__find_published(const struct ssdpm_model *model,
					      uint32_t state);

#endif
