/* SPDX-License-Identifier: MIT */
/* --patient and --instant: how long I/Os may wait for a drive that sleeps. */
#ifndef SSDPM_COMMAND_PATIENCE_H
#define SSDPM_COMMAND_PATIENCE_H

#include "command.h"

struct patience_options {
	bool patient, instant;
};

/* Its settings are a struct patience_options. */
extern const struct option_group patience_option_group;

enum exit_status check_patience(const struct common *common,
				const struct patience_options *options);

/* enum ssdpm_patience */
uint32_t patience_of(const struct patience_options *options);

/* " --patient", " --instant" or "" */
const char *patience_option(const struct patience_options *options);

/* "1 % and 25 ms, or, if more, what Linux does by default" */
const char *limits_text(const struct patience_options *options);

#endif
