/* SPDX-License-Identifier: MIT */
#include "options/apst-options.h"

#include "options/units.h"

#include <string.h>

static const struct option_spec options[] = {
	{ "algorithm", 'a', "linux|linux-legacy|windows|lower-envelope",
	  "linux (5.14 and later) is the default" },
	{ "max-exit-latency", 'l', "TIME|any",
	  "latency limit, as in 25ms (default 100ms)" },
	{ "primary-timeout", 0, "TIME",
	  "linux: idle time for fast states "
	  "(default 100ms)" },
	{ "primary-tolerance", 0, "TIME",
	  "linux: entry+exit of a fast state "
	  "at most (default 15ms)" },
	{ "secondary-timeout", 0, "TIME",
	  "linux: idle time for slower states "
	  "(default 2s)" },
	{ "secondary-tolerance", 0, "TIME",
	  "linux: entry+exit of a slower "
	  "state at most (default 100ms)" },
	{ "scheme", 0, "performance|balanced|power-saver|modern-standby",
	  "windows: balanced is the default" },
	{ "power-source", 0, "ac|battery", "windows: ac is the default" },
	{ "quirk", 0, "no-apst|no-deepest-ps|none",
	  "a quirk beside those that Linux has for the drive; none: without "
	  "those; may be repeated" },
	{ "quirks-file", 0, "FILE", "rules for drives, before those of Linux" },
};

/* One of the words of an enum, whose numbers begin at 1. */
enum exit_status parse_word(const struct common *common, const char *option,
			    const char *text,
			    const char *(*to_string)(uint32_t),
			    uint32_t *ret_value)
{
	char words[256] = "";
	size_t length = 0;

	for (uint32_t i = 1; to_string(i); i++) {
		const char *separator = to_string(i + 1) ? ", " : " or ";

		if (!strcmp(text, to_string(i))) {
			*ret_value = i;
			return STATUS_DONE;
		}
		length += (size_t)snprintf(
			words + length, sizeof(words) - length, "%s%s",
			i == 1 ? "" : separator, to_string(i));
	}
	return usage_error(common, "--%s %s: %s", option, text, words);
}

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

static bool is_given(const struct apst_options *settings, const char *option)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(options[i].name, option))
			return settings->given >> i & 1;
	return false;
}

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
		if (!status && is_given(settings, readers[i].option))
			status = check_apst_reader(common, settings,
						   readers[i].option,
						   readers[i].algorithm);
	return status;
}

static enum exit_status set_time(struct ssdpm_apst_params *p,
				 const struct common *common, const char *name,
				 const char *argument)
{
	if (!strcmp(name, "max-exit-latency") && !strcmp(argument, "any")) {
		p->max_exit_latency_us = SSDPM_LATENCY_ANY;
		return STATUS_DONE;
	}
	if (!strcmp(name, "max-exit-latency"))
		return parse_time(common, name, argument,
				  &p->max_exit_latency_us);
	if (!strcmp(name, "primary-timeout"))
		return parse_idle_time(common, name, argument,
				       &p->primary_timeout_ms);
	if (!strcmp(name, "primary-tolerance"))
		return parse_time(common, name, argument,
				  &p->primary_latency_tolerance_us);
	if (!strcmp(name, "secondary-timeout"))
		return parse_idle_time(common, name, argument,
				       &p->secondary_timeout_ms);
	return parse_time(common, name, argument,
			  &p->secondary_latency_tolerance_us);
}

void init_apst_options(struct apst_options *settings)
{
	if (!settings->params.size)
		ssdpm_apst_params_init(&settings->params,
				       sizeof(settings->params));
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct apst_options *settings = data;
	struct ssdpm_apst_params *p = &settings->params;
	const char *name = option->name;

	init_apst_options(settings);
	settings->given |= UINT32_C(1) << (option - options);
	if (!strcmp(name, "algorithm"))
		return parse_word(common, name, argument,
				  ssdpm_apst_algorithm_to_string,
				  &p->algorithm);
	if (!strcmp(name, "scheme"))
		return parse_word(common, name, argument,
				  ssdpm_power_scheme_to_string, &p->scheme);
	if (!strcmp(name, "power-source"))
		return parse_word(common, name, argument,
				  ssdpm_power_source_to_string,
				  &p->power_source);
	if (!strcmp(name, "quirk"))
		return parse_quirk(common, argument, &settings->quirks);
	if (strcmp(name, "quirks-file"))
		return set_time(p, common, name, argument);
	settings->quirks.path = argument;
	return STATUS_DONE;
}

const struct option_group apst_option_group = {
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.set = set,
};
