/* SPDX-License-Identifier: MIT */
/* Which policy a survey speaks for, what that saves and costs, how to set it.
 */
#include "report/report.h"
#include "options/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add_line(struct survey_advice *advice, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_line(struct survey_advice *advice, const char *format, ...)
{
	char *line = advice->lines[advice->n_lines];
	va_list args;

	if (advice->n_lines == ADVICE_LINES)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(advice->lines[0]), format, args);
	va_end(args);
	advice->n_lines++;
}

/* The policy that all drives had, "host0 lpm=x"; NULL: there is no one. */
static const char *found_policy(const struct ssdpm_survey_file *file)
{
	const char *found = NULL, *fact;

	for (size_t i = 0;
	     (fact = ssdpm_survey_file_get_fact(file, "found", i)); i++) {
		const char *space = strchr(fact, ' ');
		const char *policy = space ? space + 1 : fact;

		if (found && strcmp(found, policy) != 0)
			return NULL;
		found = policy;
	}
	return found;
}

static uint32_t least_of(const struct survey_comparison *c)
{
	uint32_t least = 0;

	for (uint32_t i = 1; i < c->n_policies; i++)
		if (c->means[i].mean_w < c->means[least].mean_w)
			least = i;
	return least;
}

static uint32_t most_of(const struct survey_comparison *c)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < c->n_policies; i++)
		if (c->means[i].mean_w > c->means[most].mean_w)
			most = i;
	return most;
}

static bool find_policy(const struct survey_result *result,
			const struct survey_comparison *c, const char *name,
			uint32_t *ret_i)
{
	for (uint32_t i = 0; name && i < c->n_policies; i++)
		if (!strcmp(survey_policy(result, c, i), name)) {
			*ret_i = i;
			return true;
		}
	return false;
}

/* What most machines do most of the time: nothing. */
static const struct survey_comparison *main_comparison(
	const struct survey_result *result)
{
	const struct survey_comparison *first = NULL;

	for (size_t i = 0; i < result->n_comparisons; i++) {
		const struct survey_comparison *c = &result->comparisons[i];

		if (c->quantity != QUANTITY_POWER || !c->compared)
			continue;
		if (!strcmp(c->of, "idle"))
			return c;
		if (!first)
			first = c;
	}
	return first;
}

/* "200 mW less (150 mW to 250 mW)", of a minus b */
static struct survey_range change_text(const struct survey_comparison *c,
				       uint32_t a, uint32_t b)
{
	struct survey_range text;
	double sign;
	const struct ssdpm_survey_difference *d =
		find_difference(c, a, b, &sign);
	double change = sign * d->difference_w;
	double low = sign * (sign > 0 ? d->low_w : d->high_w);
	double high = sign * (sign > 0 ? d->high_w : d->low_w);
	bool less = change < 0;

	if (!d->different)
		snprintf(text.text, sizeof(text.text),
			 "no difference is shown (%.80s)",
			 quantity_range(c->quantity, low, high).text);
	else
		snprintf(text.text, sizeof(text.text), "%.31s %s (%.80s)",
			 quantity_text(c->quantity, fabs(change)).text,
			 less ? "less" : "more",
			 quantity_range(c->quantity, less ? -high : low,
					less ? -low : high)
				 .text);
	return text;
}

/* What else the change from one policy to another brings. */
static void say_costs(struct survey_result *result, const char *to,
		      const char *from)
{
	struct survey_advice *advice = &result->advice;

	for (size_t i = 0; i < result->n_comparisons; i++) {
		const struct survey_comparison *c = &result->comparisons[i];
		uint32_t a, b;

		if (c == advice->power)
			continue;
		if (!c->compared || !find_policy(result, c, to, &a) ||
		    !find_policy(result, c, from, &b))
			add_line(advice, "%.150s: cannot be told",
				 comparison_title(c).text);
		else
			add_line(advice, "%.150s: %s", comparison_title(c).text,
				 change_text(c, a, b).text);
	}
}

/* An equal that answers sooner may be the better choice. */
static void say_sooner(struct survey_result *result, const char *equal,
		       const char *best)
{
	for (size_t i = 0; i < result->n_comparisons; i++) {
		const struct survey_comparison *c = &result->comparisons[i];
		const struct ssdpm_survey_difference *d;
		uint32_t a, b;
		double sign;

		if (c->quantity != QUANTITY_LATENCY || !c->compared ||
		    !find_policy(result, c, equal, &a) ||
		    !find_policy(result, c, best, &b))
			continue;
		d = find_difference(c, a, b, &sign);
		if (d->different && sign * d->difference_w < 0)
			add_line(&result->advice,
				 "but %.60s answers sooner: %.100s, %s", equal,
				 comparison_title(c).text,
				 change_text(c, a, b).text);
	}
}

/* Those that may be as good as the best. */
static void say_equals(struct survey_result *result, uint32_t best)
{
	const struct survey_comparison *c = result->advice.power;
	char names[224] = "";
	size_t at = 0;

	for (uint32_t i = 0; i < c->n_policies; i++) {
		double sign;

		if (i == best || find_difference(c, best, i, &sign)->different)
			continue;
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
				       at ? ", " : "",
				       survey_policy(result, c, i));
		if (at >= sizeof(names))
			break;
	}
	if (!at)
		return;
	add_line(&result->advice, "not shown to differ from it: %s", names);
	for (uint32_t i = 0; i < c->n_policies; i++) {
		double sign;

		if (i != best && !find_difference(c, best, i, &sign)->different)
			say_sooner(result, survey_policy(result, c, i),
				   survey_policy(result, c, best));
	}
}

/* What a survey like this one would have found. */
static void say_detectable(struct survey_result *result)
{
	const struct survey_comparison *c = result->advice.power;
	const struct ssdpm_survey_params *file =
		ssdpm_survey_file_get_params(result->file);
	struct ssdpm_survey_params params = *file;
	struct ssdpm_survey_noise noise = {
		/* Runs of the same length: it does not matter here. */
		.se_w = c->analysis.sigma_w / 1000,
		.se_df = 1,
		.covered_ns = 1,
		.run_sigma_w = c->analysis.sigma_w,
		.run_sigma_df = c->analysis.df,
	};
	struct ssdpm_survey_detectable found;
	uint32_t n = 0;

	for (size_t i = 0; i < result->n_comparisons; i++)
		n += result->comparisons[i].quantity == QUANTITY_POWER &&
		     result->comparisons[i].n_policies > 1;
	params.n_policies = c->n_policies;
	params.n_scenarios = n;
	params.n_blocks = c->analysis.n_blocks;
	/* The noise is of runs of this length, whatever it is. */
	params.settle_ns = params.interval_ns = 1;
	params.duration_ns = 2;
	noise.covered_ns = 2;
	if (!ssdpm_survey_detectable(&params, &noise, result->error_rate, 0,
				     &found, NULL))
		add_line(
			&result->advice,
			"a survey like this one finds a difference of %s in "
			"80 of 100 cases, a smaller one less often",
			quantity_text(QUANTITY_POWER, found.difference_w).text);
}

static const char min_power_warning[] =
	"min_power lost data on some drives: it is in no profile; "
	"med_power_with_dipm saves most of the same, see ssdpm-lpm(1)";

static const char *warning_of(const char *policy)
{
	return strcmp(policy, "lpm=min_power") == 0 ? min_power_warning : NULL;
}

/* Words that a shell and udev take as they are. */
static bool is_plain(const char *word)
{
	return word[0] && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
					     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					     "0123456789_.-")];
}

/* "25ms": what parse_time() takes without a word. */
static bool is_time(const char *text)
{
	size_t n = strspn(text, "0123456789");
	const char *unit = text + n;

	return !strcmp(text, "any") ||
	       (n && n < 10 &&
		(!strcmp(unit, "us") || !strcmp(unit, "ms") ||
		 !strcmp(unit, "s")));
}

static void set_latency_rule(struct survey_advice *advice, const char *latency)
{
	const struct common quiet = { .subcommand = "measure" };
	struct ssdpm_profile_settings settings = {
		.size = sizeof(settings),
		.power_source = SSDPM_SOURCE_AC,
		.set = SSDPM_PROFILE_MAX_EXIT_LATENCY,
		.max_exit_latency_us = SSDPM_LATENCY_ANY,
		.name = "survey",
	};
	const struct ssdpm_persist_params params = {
		.size = sizeof(params),
		.kind = SSDPM_PERSIST_UDEV,
		.ac = &settings,
	};
	struct ssdpm_persist_file file = { .size = sizeof(file) };
	struct ssdpm_persist *persist;

	if (!is_time(latency) || (strcmp(latency, "any") != 0 &&
				  parse_time(&quiet, "policy", latency,
					     &settings.max_exit_latency_us)))
		return;
	snprintf(settings.reason, sizeof(settings.reason),
		 "found by a survey of this machine");
	if (ssdpm_persist_new(&params, &persist, NULL))
		return;
	if (!ssdpm_persist_get_file(persist, 0, &file) &&
	    strlen(file.contents) < sizeof(advice->rule))
		strcpy(advice->rule, file.contents);
	ssdpm_persist_free(persist);
}

static void set_setting(struct survey_advice *advice)
{
	const char *policy = advice->policy;
	const char *value = strchr(policy, '=');

	if (!value || !is_plain(value + 1))
		return;
	value++;
	if (!strncmp(policy, "lpm=", 4) && ssdpm_lpm_from_string(value)) {
		snprintf(advice->setting, sizeof(advice->setting),
			 "ssdpm apply --lpm %.60s", value);
		snprintf(
			advice->rule, sizeof(advice->rule),
			"ACTION==\"add|change\", SUBSYSTEM==\"scsi_host\", \\\n"
			"  TEST==\"link_power_management_policy\", \\\n"
			"  ATTR{link_power_management_policy}=\"%.60s\"\n",
			value);
	} else if (!strncmp(policy, "latency=", 8)) {
		snprintf(advice->setting, sizeof(advice->setting),
			 "ssdpm apply --latency %.60s", value);
		set_latency_rule(advice, value);
	} else if (!strncmp(policy, "profile=", 8)) {
		snprintf(advice->setting, sizeof(advice->setting),
			 "ssdpm apply --profile %.60s --persist udev", value);
	}
}

static void say_share(struct survey_result *result)
{
	struct survey_advice *advice = &result->advice;
	double share = fabs(advice->saving->share);

	if (isfinite(share) && result->system_w > 0)
		add_line(advice, "that is %.3g %% of the system's %s",
			 share * 100,
			 quantity_text(QUANTITY_POWER, result->system_w).text);
}

static void decide(struct survey_result *result, uint32_t best, uint32_t from)
{
	struct survey_advice *advice = &result->advice;
	const struct survey_comparison *c = advice->power;
	const char *to_name = survey_policy(result, c, best);
	const char *from_name = survey_policy(result, c, from);
	double sign;

	advice->from = from_name;
	advice->saving =
		best == from ? NULL : find_difference(c, best, from, &sign);
	if (advice->saving && advice->saving->different) {
		advice->kind = ADVICE_CHANGE;
		advice->policy = to_name;
		add_line(advice, "%s draws the least in %s: %s than %s",
			 to_name, c->of, change_text(c, best, from).text,
			 from_name);
		say_share(result);
		say_equals(result, best);
		say_costs(result, to_name, from_name);
		set_setting(advice);
	} else if (advice->is_found && c->analysis.n_different) {
		advice->kind = ADVICE_KEEP;
		advice->policy = from_name;
		add_line(advice,
			 "keep %s: no policy is shown to draw less in %s",
			 from_name, c->of);
		say_equals(result, from);
	} else {
		advice->kind = ADVICE_NOT_SHOWN;
		add_line(advice,
			 "no policy is shown to draw less than %s in %s, which "
			 "is not to say that they are the same",
			 from_name, c->of);
		say_detectable(result);
	}
	if (advice->policy)
		advice->warning = warning_of(advice->policy);
}

void advise(struct survey_result *result)
{
	struct survey_advice *advice = &result->advice;
	const struct survey_comparison *c = main_comparison(result);
	uint32_t from;

	advice->kind = ADVICE_UNDECIDED;
	advice->power = c;
	if (!c) {
		add_line(advice, "no policy is recommended: which one draws "
				 "less cannot be told from this file");
		return;
	}
	advice->is_found =
		find_policy(result, c, found_policy(result->file), &from);
	decide(result, least_of(c), advice->is_found ? from : most_of(c));
}
