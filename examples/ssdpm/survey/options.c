/* SPDX-License-Identifier: MIT */
#include "survey/survey.h"

#include "options/units.h"

#include <string.h>
#include <sys/random.h>

#define MAX_WORD 255

#define SURVEY struct survey_options

static const struct option_spec options[] = {
	{ "resume", 0, "FILE", "Continue a survey that was interrupted.",
	  SETS_TEXT(SURVEY, resume), .rare = true },
	{ "drive", 0, "NAME",
	  "Add a drive or port. May be repeated. Default: those that "
	  "the policies are for.",
	  SETS_TEXTS(SURVEY, drives, n_drives), .rare = true },
	{ "policy", 0, "POLICY",
	  "Add a policy, as in lpm=medium_power, latency=25ms or "
	  "profile=balanced. May be repeated.",
	  SETS_OWN,
	  .values = "profile=performance|profile=balanced|profile=power-saver|"
		    "lpm=max_performance|lpm=medium_power|"
		    "lpm=med_power_with_dipm|lpm=min_power_with_partial" },
	{ "scenario", 0, "idle|sync|async|command:LINE",
	  "Choose the I/O during the survey. May be repeated.", SETS_OWN,
	  .rare = true },
	{ "file", 0, "FILE",
	  "Let sync and async read FILE, which is on the drive.",
	  SETS_TEXT(SURVEY, file), .rare = true },
	{ "blocks", 0, "N", "Run everything N times. Default: 5.",
	  SETS_SMALL(SURVEY, params.n_blocks, COUNT), .min = 1,
	  .max = SSDPM_SURVEY_MAX_BLOCKS, .range = "1 to 1000", .rare = true },
	{ "settle", 0, "TIME",
	  "Wait from a policy to its first reading. Default: 10min.",
	  SETS_NUMBER(SURVEY, params.settle_ns, TIME_NS), .min = 1,
	  .rare = true },
	{ "duration", 0, "TIME",
	  "Measure each policy for this time. Default: 15min.",
	  SETS_NUMBER(SURVEY, params.duration_ns, TIME_NS), .min = 1,
	  .rare = true },
	{ "seed", 0, "N", "Set the seed of the order. Default: drawn.",
	  SETS_NUMBER(SURVEY, params.seed, COUNT), .rare = true },
	{ "fio", 0, "DIR", "Also run fio, on a file in DIR.",
	  SETS_TEXT(SURVEY, fio), .rare = true },
	{ "fio-size", 0, "BYTES", "Set the size of that file, as in 1GiB.",
	  SETS_NUMBER(SURVEY, fio_bytes, BYTES), .rare = true },
	{ "sample", 0, "TIME",
	  "dry-run: Sample the noise for this time. Default: 40 "
	  "readings.",
	  SETS_NUMBER(SURVEY, sample_ns, TIME_NS), .min = 1, .rare = true },
	{ "from", 0, "FILE",
	  "dry-run: Take the spread between runs from an earlier "
	  "survey.",
	  SETS_TEXT(SURVEY, from), .rare = true },
	{ "dry-run", 'n', NULL, "Show what would run, and what it can resolve.",
	  SETS_FLAG(SURVEY, dry_run) },
	{ "yes", 'y', NULL, "Do not ask.", SETS_FLAG(SURVEY, yes) },
};

static enum exit_status add_word(const struct common *common, const char *name,
				 const char *text, const char **list,
				 size_t capacity, size_t *n)
{
	if (*n == capacity)
		return usage_error(common, "--%s: %zu are the most", name,
				   capacity);
	if (!is_survey_word(text))
		return usage_error(
			common,
			"--%s %s: the file of the survey takes at most 255 "
			"characters, and no comma, semicolon, quote or "
			"control character",
			name, text);
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(list[i], text))
			return usage_error(common, "--%s %s is given twice",
					   name, text);
	list[(*n)++] = text;
	return STATUS_DONE;
}

bool is_survey_word(const char *text)
{
	if (!*text || strlen(text) > MAX_WORD)
		return false;
	for (; *text; text++)
		if (strchr(",;\"", *text) || (unsigned char)*text < ' ')
			return false;
	return true;
}

static enum exit_status set_scenario(struct survey_options *s,
				     const struct common *common,
				     const char *argument)
{
	bool is_command = !strncmp(argument, "command:", 8) && argument[8];

	if (!is_command && strcmp(argument, "idle") &&
	    strcmp(argument, "sync") && strcmp(argument, "async"))
		return unknown_value(common, "scenario", argument,
				     "idle|sync|async|command:LINE");
	return add_word(common, "scenario", argument, s->scenarios,
			SSDPM_SURVEY_MAX_SCENARIOS, &s->n_scenarios);
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct survey_options *s = data;
	const char *name = option->name;

	return strcmp(name, "policy") ?
		       set_scenario(s, common, argument) :
		       add_word(common, name, argument, s->policies,
				SSDPM_SURVEY_MAX_POLICIES, &s->n_policies);
}

static void init(void *data)
{
	struct survey_options *s = data;

	s->params = (struct ssdpm_survey_params){
		.size = sizeof(s->params),
		.settle_ns = 600 * SECOND_NS,
		.duration_ns = 900 * SECOND_NS,
		.n_blocks = 5,
	};
}

const struct option_group survey_option_group = {
	OPTIONS(options), .title = "Survey",	      .set = set,
	.init = init,	  KEEPS_GIVEN(SURVEY, given),
};

/* Defaults that depend on other options, and the order, which is drawn. */
static void set_defaults(struct survey_options *s)
{
	struct ssdpm_survey_params *p = &s->params;
	uint32_t seed = 1;

	if (!p->interval_ns)
		p->interval_ns = 3 * SECOND_NS;
	if (!is_given(&survey_option_group, s->given, "seed")) {
		if (getrandom(&seed, sizeof(seed), 0) == (ssize_t)sizeof(seed))
			seed %= 1000000; /* it is read, and typed */
		p->seed = seed;
	}
	if (s->n_scenarios)
		return;
	s->scenarios[s->n_scenarios++] = "idle";
	if (s->file) {
		s->scenarios[s->n_scenarios++] = "sync";
		s->scenarios[s->n_scenarios++] = "async";
	}
}

static bool needs_file(const struct survey_options *s)
{
	for (size_t i = 0; i < s->n_scenarios; i++)
		if (!strcmp(s->scenarios[i], "sync") ||
		    !strcmp(s->scenarios[i], "async"))
			return true;
	return false;
}

enum exit_status check_survey_options(const struct common *common,
				      struct survey_options *s)
{
	if (common->form && s->dry_run)
		return usage_error(common, "--dry-run takes no --%s",
				   common->form_option);
	if (s->resume)
		return s->save || s->n_policies || s->n_drives ||
				       s->n_scenarios || s->dry_run ||
				       s->meter ?
			       usage_error(common,
					   "--resume FILE: the file says all; "
					   "it takes --yes alone") :
			       STATUS_DONE;
	if (s->from && !s->dry_run)
		return usage_error(common, "--from requires --dry-run");
	if (!s->save && !s->dry_run)
		return usage_error(common,
				   "--save FILE says where the readings go; "
				   "--dry-run needs none");
	if (!s->fio != !s->fio_bytes)
		return usage_error(common, "--fio DIR and --fio-size BYTES go "
					   "together");
	set_defaults(s);
	if (needs_file(s) && !s->file)
		return usage_error(common,
				   "the scenarios sync and async need --file "
				   "FILE, on the drive, to read from");
	if (s->file && !needs_file(s))
		return usage_error(common, "--file is for the scenarios sync "
					   "and async");
	if (s->n_policies == 1)
		return usage_error(common,
				   "--policy %s: two are needed to compare",
				   s->policies[0]);
	return STATUS_DONE;
}
