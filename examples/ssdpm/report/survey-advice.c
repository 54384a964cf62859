/* SPDX-License-Identifier: MIT */
/* What a survey speaks for in words: what that saves and costs, how to set it.
 */
#include "report/report.h"
#include "options/units.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Its subject, and the words. */
struct advisor {
	const struct survey_report *report;
	const struct ssdpm_survey_recommendation *of;
	struct survey_advice *words;
};

static void add_line(struct survey_advice *advice, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_line(struct survey_advice *advice, const char *format, ...)
{
	size_t n = advice->n_lines;
	va_list args;

	if (n == ADVICE_LINES)
		return;
	va_start(args, format);
	vsnprintf(advice->lines[n], sizeof(advice->lines[n]), format, args);
	va_end(args);
	advice->line_at[n] = advice->lines[n];
	advice->n_lines++;
}

static const struct ssdpm_survey_comparison *comparison_of(
	const struct advisor *a, size_t i)
{
	return ssdpm_survey_result_get_comparison(a->report->result, i);
}

/* "200 mW less (150 mW to 250 mW)" */
static struct survey_range change_text(uint32_t quantity,
				       const struct ssdpm_survey_difference *d)
{
	struct survey_range text;
	bool less = d->difference_w < 0;

	if (!d->different)
		snprintf(text.text, sizeof(text.text),
			 "no difference is shown (%.80s)",
			 quantity_range(quantity, d->low_w, d->high_w).text);
	else
		snprintf(text.text, sizeof(text.text), "%.31s %s (%.80s)",
			 quantity_text(quantity, fabs(d->difference_w)).text,
			 less ? "less" : "more",
			 quantity_range(quantity, less ? -d->high_w : d->low_w,
					less ? -d->low_w : d->high_w)
				 .text);
	return text;
}

/* What else the change from one policy to another brings. */
static void say_costs(const struct advisor *a)
{
	const struct ssdpm_survey_comparison *c;
	struct ssdpm_survey_difference d;

	for (size_t i = 0; (c = comparison_of(a, i)); i++) {
		if (c == a->of->comparison)
			continue;
		if (ssdpm_survey_comparison_get_difference(c, a->of->policy,
							   a->of->from, &d))
			add_line(a->words, "%.150s: cannot be told",
				 comparison_title(c).text);
		else
			add_line(a->words, "%.150s: %s",
				 comparison_title(c).text,
				 change_text(c->quantity, &d).text);
	}
}

/* An equal that answers sooner may be the better choice. */
static void say_sooner(const struct advisor *a, uint32_t equal, uint32_t best)
{
	const struct ssdpm_survey_comparison *c;
	struct ssdpm_survey_difference d;

	for (size_t i = 0; (c = comparison_of(a, i)); i++)
		if (c->quantity == SSDPM_SURVEY_LATENCY &&
		    !ssdpm_survey_comparison_get_difference(c, equal, best,
							    &d) &&
		    d.different && d.difference_w < 0)
			add_line(a->words,
				 "but %.60s answers sooner: %.100s, %s",
				 survey_policy(a->report, equal),
				 comparison_title(c).text,
				 change_text(c->quantity, &d).text);
}

/* May policy i of the comparison be as good as the best? */
static bool is_equal(const struct advisor *a, uint32_t i, uint32_t best)
{
	const struct ssdpm_survey_comparison *c = a->of->comparison;
	struct ssdpm_survey_difference d;

	return !ssdpm_survey_comparison_get_difference(
		       c, best, c->analysis->means[i].policy, &d) &&
	       !d.different;
}

static void say_equals(const struct advisor *a, uint32_t best)
{
	const struct ssdpm_survey_comparison *c = a->of->comparison;
	const struct ssdpm_survey_mean *means = c->analysis->means;
	char names[224] = "";
	size_t at = 0;

	for (uint32_t i = 0; i < c->n_policies && at < sizeof(names); i++)
		if (is_equal(a, i, best))
			at += (size_t)snprintf(
				names + at, sizeof(names) - at, "%s%s",
				at ? ", " : "",
				survey_policy(a->report, means[i].policy));
	if (!at)
		return;
	add_line(a->words, "not shown to differ from it: %s", names);
	for (uint32_t i = 0; i < c->n_policies; i++)
		if (is_equal(a, i, best))
			say_sooner(a, means[i].policy, best);
}

static const char min_power_warning[] =
	"min_power lost data on some drives: it is in no profile; "
	"med_power_with_dipm saves most of the same, see ssdpm-lpm(1)";

/* Words that a shell and udev take as they are. */
static bool is_plain(const char *word)
{
	return word[0] && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
					     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					     "0123456789_.-")];
}

/* "25ms": what parse_number() takes without a word. */
static bool is_time(const char *text)
{
	size_t n = strspn(text, "0123456789");
	const char *unit = text + n;

	return !strcmp(text, "any") ||
	       (n && n < 10 &&
		(!strcmp(unit, "us") || !strcmp(unit, "ms") ||
		 !strcmp(unit, "s")));
}

/* What apply would write to make the settings last. */
static void set_rule(struct survey_advice *advice,
		     const struct ssdpm_profile_settings *settings)
{
	const struct ssdpm_persist_params params = {
		.size = sizeof(params),
		.kind = SSDPM_PERSIST_UDEV,
		.command = SSDPM_PATH,
		.settings = settings,
	};
	struct ssdpm_persist_file file = { .size = sizeof(file) };
	struct ssdpm_persist *persist;

	if (ssdpm_persist_new(&params, &persist, NULL))
		return;
	if (!ssdpm_persist_get_file(persist, 0, &file) &&
	    strlen(file.contents) < sizeof(advice->rule))
		strcpy(advice->rule, file.contents);
	ssdpm_persist_free(persist);
}

static void set_latency_rule(struct survey_advice *advice, const char *latency)
{
	const struct common quiet = { .subcommand = "measure" };
	struct ssdpm_profile_settings settings = {
		.size = sizeof(settings),
		.power_source = SSDPM_SOURCE_AC,
		.set = SSDPM_PROFILE_MAX_EXIT_LATENCY,
		.max_exit_latency_us = SSDPM_LATENCY_ANY,
	};

	if (!is_time(latency) ||
	    (strcmp(latency, "any") != 0 &&
	     parse_number(&quiet, "policy", latency, TIME_US,
			  &settings.max_exit_latency_us)))
		return;
	set_rule(advice, &settings);
}

static void set_lpm_rule(struct survey_advice *advice, uint32_t lpm)
{
	const struct ssdpm_profile_settings settings = {
		.size = sizeof(settings),
		.power_source = SSDPM_SOURCE_AC,
		.set = SSDPM_PROFILE_LPM,
		.n_lpms = 1,
		.lpms = { lpm },
	};

	set_rule(advice, &settings);
}

static void set_setting(struct survey_advice *advice, const char *policy)
{
	const char *value = strchr(policy, '=');

	if (!value || !is_plain(value + 1))
		return;
	value++;
	if (!strncmp(policy, "lpm=", 4) && ssdpm_lpm_from_string(value)) {
		snprintf(advice->setting, sizeof(advice->setting),
			 "ssdpm apply --lpm %.60s", value);
		set_lpm_rule(advice, ssdpm_lpm_from_string(value));
	} else if (!strncmp(policy, "latency=", 8)) {
		snprintf(advice->setting, sizeof(advice->setting),
			 "ssdpm apply --latency %.60s", value);
		set_latency_rule(advice, value);
	} else if (!strncmp(policy, "profile=", 8)) {
		snprintf(advice->setting, sizeof(advice->setting),
			 "ssdpm apply --profile %.60s --persist udev", value);
	}
}

static void say_share(const struct advisor *a,
		      const struct ssdpm_survey_difference *saving)
{
	double share = fabs(saving->share);

	if (isfinite(share) && a->report->info->system_power_w > 0)
		add_line(a->words, "that is %.3g %% of the system's %s",
			 share * 100,
			 quantity_text(SSDPM_SURVEY_POWER,
				       a->report->info->system_power_w)
				 .text);
}

static void say_change(const struct advisor *a)
{
	const struct ssdpm_survey_comparison *c = a->of->comparison;
	const char *policy = survey_policy(a->report, a->of->policy);
	struct ssdpm_survey_difference saving;

	ssdpm_survey_comparison_get_difference(c, a->of->policy, a->of->from,
					       &saving);
	add_line(a->words, "%s draws the least in %s: %s than %s", policy,
		 c->of, change_text(c->quantity, &saving).text,
		 survey_policy(a->report, a->of->from));
	say_share(a, &saving);
	say_equals(a, a->of->policy);
	say_costs(a);
	set_setting(a->words, policy);
}

static void say_not_shown(const struct advisor *a)
{
	add_line(a->words,
		 "no policy is shown to draw less than %s in %s, which "
		 "is not to say that they are the same",
		 survey_policy(a->report, a->of->from), a->of->comparison->of);
	if (isfinite(a->of->detectable_w))
		add_line(a->words,
			 "a survey like this one finds a difference of %s in "
			 "80 of 100 cases, a smaller one less often",
			 quantity_text(SSDPM_SURVEY_POWER, a->of->detectable_w)
				 .text);
}

void advise(const struct survey_report *report,
	    struct survey_advice *ret_advice)
{
	const struct advisor a = {
		report,
		ssdpm_survey_result_get_recommendation(report->result),
		ret_advice,
	};

	*ret_advice = (struct survey_advice){ .n_lines = 0 };
	switch (a.of->kind) {
	case SSDPM_SURVEY_ADVICE_CHANGE:
		say_change(&a);
		break;
	case SSDPM_SURVEY_ADVICE_KEEP:
		add_line(ret_advice,
			 "keep %s: no policy is shown to draw less in %s",
			 survey_policy(report, a.of->from),
			 a.of->comparison->of);
		say_equals(&a, a.of->from);
		break;
	case SSDPM_SURVEY_ADVICE_NOT_SHOWN:
		say_not_shown(&a);
		break;
	default:
		add_line(ret_advice,
			 "no policy is recommended: which one draws "
			 "less cannot be told from this file");
	}
	if (a.of->risks_data)
		ret_advice->warning = min_power_warning;
}
