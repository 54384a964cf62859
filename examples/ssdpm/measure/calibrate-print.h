/* SPDX-License-Identifier: MIT */
/* What a calibration found, for people. */
#ifndef SSDPM_COMMAND_CALIBRATE_PRINT_H
#define SSDPM_COMMAND_CALIBRATE_PRINT_H

#include "work/simulate.h"

struct calibrate_answer {
	const struct subject *subject; /* what was known before */
	struct ssdpm_overlay overlay;
	struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	struct ssdpm_calibration calibration;
	bool offset_given, policy_given;
};

void print_calibration(const struct calibrate_answer *answer);

#endif
