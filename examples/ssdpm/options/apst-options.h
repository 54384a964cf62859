/* SPDX-License-Identifier: MIT */
/* The options that say which APST table is made. */
#ifndef SSDPM_COMMAND_APST_OPTIONS_H
#define SSDPM_COMMAND_APST_OPTIONS_H

#include "input/quirks.h"

struct apst_options {
	struct ssdpm_apst_params params;
	uint64_t given; /* bits: which options of the group */
	struct quirk_options quirks;
};

/* Its settings are a struct apst_options. */
extern const struct option_group apst_option_group;

/* Does the algorithm read what was given? */
enum exit_status check_apst_options(const struct common *common,
				    const struct apst_options *options);
/* The same for one option that was given: only one algorithm reads it. */
enum exit_status check_apst_reader(const struct common *common,
				   const struct apst_options *options,
				   const char *option, uint32_t reader);

#endif
