/* SPDX-License-Identifier: MIT */
#include "survey/survey.h"

#include "options/units.h"

#include <string.h>
#include <sys/random.h>

#define MAX_WORD 255

static const struct option_spec options[] = {
	{ "resume", 0, "FILE", "survey: go on with one that was interrupted",
	  SETS_OWN },
	{ "drive", 0, "NAME",
	  "survey: a drive or port; again for more (default: those that it is "
	  "for)",
	  SETS_OWN },
	{ "policy", 0, "POLICY",
	  "survey: as in lpm=medium_power, latency=25ms or profile=balanced; "
	  "again for more",
	  SETS_OWN },
	{ "scenario", 0, "idle|sync|async|command:LINE",
	  "survey: what is done meanwhile; again for more", SETS_OWN },
	{ "file", 0, "FILE", "survey: that sync and async read, on the drive",
	  SETS_OWN },
	{ "blocks", 0, "N", "survey: how often all is run (default 5)",
	  SETS_OWN },
	{ "settle", 0, "TIME",
	  "survey: from a policy to its first reading (default 10min)",
	  SETS_OWN },
	{ "duration", 0, "TIME",
	  "survey: how long a policy is measured (default 15min)", SETS_OWN },
	{ "seed", 0, "N", "survey: of the order (default: drawn)", SETS_OWN },
	{ "fio", 0, "DIR", "survey: run fio too, on a file in this directory",
	  SETS_OWN },
	{ "fio-size", 0, "BYTES", "survey: size of that file, as in 1GiB",
	  SETS_OWN },
	{ "sample", 0, "TIME",
	  "survey: for --dry-run, how long the noise is sampled (default: 40 "
	  "readings)",
	  SETS_OWN },
	{ "from", 0, "FILE",
	  "survey: for --dry-run, an earlier survey that says by how much runs "
	  "differ",
	  SETS_OWN },
	{ "dry-run", 'n', NULL,
	  "survey: show what would be run, and what it can tell", SETS_OWN },
	{ "yes", 'y', NULL, "survey: do not ask", SETS_OWN },
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
			"--%s %s: it stands in the file of the "
			"survey, and can have no comma, semicolon, "
			"quote or control character, and 255 characters "
			"at most",
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

static enum exit_status set_time(const struct common *common, const char *name,
				 const char *argument, uint64_t *ret_ns)
{
	if (parse_number(common, name, argument, TIME_NS, ret_ns))
		return STATUS_USAGE;
	return *ret_ns ? STATUS_DONE :
			 usage_error(common, "--%s %s: must be above 0", name,
				     argument);
}

static enum exit_status set_number(struct survey_options *s,
				   const struct common *common,
				   const char *name, const char *argument)
{
	uint64_t n;

	if (!strcmp(name, "settle"))
		return set_time(common, name, argument, &s->params.settle_ns);
	if (!strcmp(name, "duration"))
		return set_time(common, name, argument, &s->params.duration_ns);
	if (!strcmp(name, "sample"))
		return set_time(common, name, argument, &s->sample_ns);
	if (!strcmp(name, "fio-size"))
		return parse_number(common, name, argument, BYTES,
				    &s->fio_bytes);
	if (parse_number(common, name, argument, COUNT, &n))
		return STATUS_USAGE;
	if (!strcmp(name, "seed")) {
		s->has_seed = true;
		s->params.seed = n;
		return STATUS_DONE;
	}
	if (!n || n > SSDPM_SURVEY_MAX_BLOCKS)
		return usage_error(common, "--blocks %s: 1 to %d", argument,
				   SSDPM_SURVEY_MAX_BLOCKS);
	s->params.n_blocks = (uint32_t)n;
	return STATUS_DONE;
}

static enum exit_status set_scenario(struct survey_options *s,
				     const struct common *common,
				     const char *argument)
{
	bool is_command = !strncmp(argument, "command:", 8) && argument[8];

	if (!is_command && strcmp(argument, "idle") &&
	    strcmp(argument, "sync") && strcmp(argument, "async"))
		return usage_error(common,
				   "--scenario %s: it is idle, sync, async or "
				   "command:LINE",
				   argument);
	return add_word(common, "scenario", argument, s->scenarios,
			SSDPM_SURVEY_MAX_SCENARIOS, &s->n_scenarios);
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct survey_options *s = data;
	const char *name = option->name;

	s->given = name;
	if (!strcmp(name, "policy"))
		return add_word(common, name, argument, s->policies,
				SSDPM_SURVEY_MAX_POLICIES, &s->n_policies);
	if (!strcmp(name, "scenario"))
		return set_scenario(s, common, argument);
	if (!strcmp(name, "drive") && s->n_drives == MAX_SURVEY_DRIVES)
		return usage_error(common, "--drive: %d are the most",
				   MAX_SURVEY_DRIVES);
	if (!strcmp(name, "drive"))
		s->drives[s->n_drives++] = (char *)argument;
	else if (!strcmp(name, "resume"))
		s->resume = argument;
	else if (!strcmp(name, "from"))
		s->from = argument;
	else if (!strcmp(name, "file"))
		s->file = argument;
	else if (!strcmp(name, "fio"))
		s->fio = argument;
	else if (!strcmp(name, "dry-run"))
		s->dry_run = true;
	else if (!strcmp(name, "yes"))
		s->yes = true;
	else
		return set_number(s, common, name, argument);
	return STATUS_DONE;
}

const struct option_group survey_option_group = {
	OPTIONS(options),
	.set = set,
};

static void set_defaults(struct survey_options *s)
{
	struct ssdpm_survey_params *p = &s->params;
	uint32_t seed = 1;

	p->size = sizeof(*p);
	if (!p->settle_ns)
		p->settle_ns = 600 * SECOND_NS;
	if (!p->interval_ns)
		p->interval_ns = 3 * SECOND_NS;
	if (!p->duration_ns)
		p->duration_ns = 900 * SECOND_NS;
	if (!p->n_blocks)
		p->n_blocks = 5;
	if (!s->has_seed &&
	    getrandom(&seed, sizeof(seed), 0) == (ssize_t)sizeof(seed))
		seed %= 1000000; /* it is read, and typed */
	if (!s->has_seed)
		p->seed = seed;
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
		return usage_error(common, "--from goes with --dry-run");
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
