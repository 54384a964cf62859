/* SPDX-License-Identifier: MIT */
#include "options/patience.h"

#include "text/output.h"

static const struct option_spec options[] = {
	{ "patient", 0, NULL,
	  "Let I/Os wait for 5 % of the time, one in 100 for 100 ms.",
	  SETS_FLAG(struct patience_options, patient) },
	{ "instant", 0, NULL,
	  "Let I/Os wait for 0.1 % of the time, one in 100 for 5 ms, even if "
	  "that costs power.",
	  SETS_FLAG(struct patience_options, instant) },
};

const struct option_group patience_option_group = {
	OPTIONS(options),
	.title = "Delays",
};

enum exit_status check_patience(const struct common *common,
				const struct patience_options *settings)
{
	if (settings->patient && settings->instant)
		return usage_error(common,
				   "--patient conflicts with --instant");
	return STATUS_DONE;
}

uint32_t patience_of(const struct patience_options *settings)
{
	return settings->patient ? SSDPM_PATIENCE_PATIENT :
	       settings->instant ? SSDPM_PATIENCE_INSTANT :
				   SSDPM_PATIENCE_NORMAL;
}

const char *patience_option(const struct patience_options *settings)
{
	return settings->patient ? " --patient" :
	       settings->instant ? " --instant" :
				   "";
}

const char *limits_text(const struct patience_options *settings)
{
	return settings->patient ?
		       "5 % and 100 ms, or, if more, what Linux does by default" :
	       settings->instant ?
		       "0.1 % and 5 ms" :
		       "1 % and 25 ms, or, if more, what Linux does by default";
}
