/* SPDX-License-Identifier: MIT */
#include "options/apst-options.h"

#include "options/units.h"

/* Where an option sets a member of the parameters of a table. */
#define TIME(member, unit) SETS_NUMBER(struct apst_options, params.member, unit)
#define WORD(member, words) SETS_WORD(struct apst_options, params.member, words)

static const struct option_spec options[] = {
	{ "algorithm", 'a', "linux|linux-legacy|windows|lower-envelope",
	  "Choose the algorithm. Default: linux (5.14 on).",
	  WORD(algorithm, ssdpm_apst_algorithm_to_string) },
	{ "max-exit-latency", 0, "TIME|any",
	  "Set the latency limit, as in 25ms. Default: 100ms.",
	  TIME(max_exit_latency_us, TIME_US) },
	{ "primary-timeout", 0, "TIME",
	  "linux: Set the idle time for fast states. Default: 100ms.",
	  TIME(primary_timeout_ms, TIME_MS), .rare = true },
	{ "primary-tolerance", 0, "TIME",
	  "linux: Limit entry plus exit of a fast state. Default: "
	  "15ms.",
	  TIME(primary_latency_tolerance_us, TIME_US), .rare = true },
	{ "secondary-timeout", 0, "TIME",
	  "linux: Set the idle time for slower states. Default: 2s.",
	  TIME(secondary_timeout_ms, TIME_MS), .rare = true },
	{ "secondary-tolerance", 0, "TIME",
	  "linux: Limit entry plus exit of a slower state. Default: "
	  "100ms.",
	  TIME(secondary_latency_tolerance_us, TIME_US), .rare = true },
	{ "scheme", 0, "performance|balanced|power-saver|modern-standby",
	  "windows: Choose the power scheme. Default: balanced.",
	  WORD(scheme, ssdpm_power_scheme_to_string), .rare = true },
	{ "power-source", 0, "ac|battery",
	  "windows: Choose the power source. Default: ac.",
	  WORD(power_source, ssdpm_power_source_to_string), .rare = true },
	{ "quirk", 0, "no-apst|no-deepest-ps|none",
	  "Add a quirk to those that Linux has for the drive; none "
	  "drops those. May be repeated.",
	  SETS_OWN, .rare = true },
	{ "quirks-file", 0, "FILE",
	  "Read rules for drives from FILE, before those of Linux.",
	  SETS_TEXT(struct apst_options, quirks.path), .rare = true },
};

/* Options that only one algorithm reads; linux-legacy has always let them by.
 */
static const struct {
	const char *option;
	uint32_t algorithm;
} readers[] = {
	{ "primary-timeout", SSDPM_APST_LINUX },
	{ "primary-tolerance", SSDPM_APST_LINUX },
	{ "secondary-timeout", SSDPM_APST_LINUX },
	{ "secondary-tolerance", SSDPM_APST_LINUX },
	{ "scheme", SSDPM_APST_WINDOWS },
	{ "power-source", SSDPM_APST_WINDOWS },
};

enum exit_status check_apst_reader(const struct common *common,
				   const struct apst_options *settings,
				   const char *option, uint32_t reader)
{
	uint32_t algorithm = settings->params.algorithm;

	if (algorithm == reader || (algorithm == SSDPM_APST_LINUX_LEGACY &&
				    reader == SSDPM_APST_LINUX))
		return STATUS_DONE;
	return usage_error(common, "--%s is for --algorithm %s, not %s", option,
			   ssdpm_apst_algorithm_to_string(reader),
			   ssdpm_apst_algorithm_to_string(algorithm));
}

enum exit_status check_apst_options(const struct common *common,
				    const struct apst_options *settings)
{
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (!status && is_given(&apst_option_group, settings->given,
					readers[i].option))
			status = check_apst_reader(common, settings,
						   readers[i].option,
						   readers[i].algorithm);
	return status;
}

static void init(void *data)
{
	struct apst_options *settings = data;

	ssdpm_apst_params_init(&settings->params, sizeof(settings->params));
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct apst_options *settings = data;

	(void)option;
	return parse_quirk(common, argument, &settings->quirks);
}

const struct option_group apst_option_group = {
	OPTIONS(options),
	.title = "APST table",
	.set = set,
	.init = init,
	KEEPS_GIVEN(struct apst_options, given),
};
