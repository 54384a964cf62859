/* SPDX-License-Identifier: MIT */
/* Drives that the priors may have meant. */
#ifndef SSDPM_TESTS_DRAWN_H
#define SSDPM_TESTS_DRAWN_H

#include <string.h>

#include "likely/internal.h"

/*
 * The parameters of the drive, what is unknown of it drawn: so many standard
 * deviations from its middle, by the number of the unknown.
 */
static inline void draw_parameters(const struct unknowns *unknowns,
				   const double deviations[],
				   struct ssdpm_parameter *parameters)
{
	const struct priced_drive *drive = unknowns->drive;

	memcpy(parameters, drive->parameters, drive->n * sizeof(*parameters));
	for (size_t i = 0; i < drive->n; i++) {
		struct ssdpm_parameter *p = &parameters[i];
		uint32_t number = unknowns->of[i];

		if (number != UINT32_MAX)
			p->nominal = (uint64_t)ssdpm__drawn_value(
				p, unknowns->at[number].log_sd,
				deviations[number]);
	}
}

#endif
