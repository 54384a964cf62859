/* SPDX-License-Identifier: MIT */
/* A prediction of power that is checked by a measurement. */
#ifndef SSDPM_COMMAND_CHECK_H
#define SSDPM_COMMAND_CHECK_H

#include "measure/measure.h"

/* A prediction as a text, and what of it is shown. */
struct check {
	const struct common *common;
	const struct check_options *settings;
	char *text; /* it gets the measurement */
	struct ssdpm_prediction prediction;
	struct ssdpm_energy energy;
	struct ssdpm_prediction_check found;
	const char *path; /* where it is kept; NULL: nowhere */
	const char *name; /* what is predicted, for people */
	bool is_measured;
};

/* UTC, to the second; NULL: not known. */
const char *now_text(char text[32]);

/* Read the samples or the meter, and put what they say into the text. */
enum exit_status measure_power(struct check *check);

#endif
