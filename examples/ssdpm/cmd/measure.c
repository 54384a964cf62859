/* SPDX-License-Identifier: MIT */
/* ssdpm measure: energy, background work and surveys, from samples of power. */
#include "measure/measure.h"
#include "report/report.h"
#include "survey/survey.h"
#include "options/units.h"

#include <string.h>

struct settings {
	struct measure_options samples;
	uint64_t given; /* bits: which of the options below */
	struct survey_report_options report;
	struct page_options page;
};

static struct settings the_settings;
static struct survey_options the_survey;

static const struct option_spec options[] = {
	{ "tolerance", 0, "SHARE",
	  "energy: Set the error of all samples, as in 5%.",
	  SETS_REAL(struct settings, samples.energy.tolerance, SHARE_PPM, 1e6),
	  .min = 1, .max = WHOLE_PPM - 1, .range = "above 0 and below 100%",
	  .modes = ENERGY, .rare = true },
	{ "max-gap", 0, "TIME",
	  "energy: Set the shortest gap. Default: ten usual steps.",
	  SETS_NUMBER(struct settings, samples.energy.max_gap_ns, TIME_NS),
	  .min = 1, .modes = ENERGY, .rare = true },
	{ "idle", 'i', "FROM..TO", "Set the idle time, as in 0s..10s.",
	  SETS_OWN, .modes = BASELINE | BACKGROUND },
	{ "floor", 0, "POWER",
	  "baseline, background: Ignore less than this above idle.",
	  SETS_REAL(struct settings, samples.detect.floor_w, POWER_UW, 1e6),
	  .modes = BASELINE | BACKGROUND, .rare = true },
	{ "completion", 0, "TIME",
	  "background: Set when the last I/O completed, as in 12.5s.",
	  SETS_NUMBER(struct settings, samples.completion_ns, TIME_NS),
	  .max = INT64_MAX, .range = "too late", .modes = BACKGROUND,
	  .rare = true },
	{ "sweep", 0, "FILE",
	  "background: Read classes of experiments from a CSV file.",
	  SETS_TEXT(struct settings, samples.sweep), .modes = BACKGROUND,
	  .rare = true },
};

static enum exit_status set_idle(void *data, struct common *common,
				 const struct option_spec *option,
				 const char *argument)
{
	return take_idle(common, option->name, argument,
			 &((struct settings *)data)->samples.baseline);
}

static void init(void *data)
{
	struct settings *settings = data;
	struct measure_options *samples = &settings->samples;

	samples->energy.size = sizeof(samples->energy);
	samples->baseline.size = sizeof(samples->baseline);
	samples->detect.size = sizeof(samples->detect);
	samples->completion_ns = UINT64_MAX;
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set_idle,
	.init = init,
	KEEPS_GIVEN(struct settings, given),
};

/* One of a survey that runs, or NULL. */
static const char *survey_option(void)
{
	return option_not_for(&survey_option_group, the_survey.given, 0);
}

static enum exit_status check(const struct common *common,
			      const struct settings *s,
			      const struct measure_action *action, size_t n)
{
	const char *other = option_not_for(&own, s->given, action->mode);

	if (the_survey.given)
		return usage_error(common, "%s takes no --%s: survey does",
				   action->name, survey_option());
	if (!other)
		other = report_option(&s->report, &s->page);
	if (other)
		return usage_error(common, "%s takes no --%s", action->name,
				   other);
	if (s->samples.sweep && n)
		return usage_error(common, "--sweep takes no other FILE");
	if (s->samples.meter.name &&
	    (n || s->samples.sweep || s->samples.power.given))
		return usage_error(common, "--meter takes the place of FILE "
					   "and of what says how it is read");
	if (!s->samples.meter.name && option_of_meter(&s->samples.meter))
		return usage_error(common, "--%s requires --meter",
				   option_of_meter(&s->samples.meter));
	if (!s->samples.sweep && !n && !s->samples.meter.name)
		return usage_error(common,
				   "no FILE given; see ssdpm measure --help");
	return STATUS_DONE;
}

static enum exit_status check_survey(const struct common *common,
				     const struct settings *s, bool is_live)
{
	const char *other = option_not_for(&own, s->given, 0);

	if (!other && is_live)
		other = report_option(&s->report, &s->page);
	if (other)
		return usage_error(common, "survey takes no --%s", other);
	if (s->samples.power.given || s->samples.meter.duration_ns)
		return usage_error(common, "survey takes no %s",
				   s->samples.power.given ?
					   "option of a file of samples" :
					   "--for: it is --duration");
	return STATUS_DONE;
}

/* A file of a survey, or one that is made. */
static enum exit_status survey(const struct common *common,
			       const struct settings *s, char **operands,
			       size_t n)
{
	const bool is_live = the_survey.given || s->samples.meter.name ||
			     option_of_meter(&s->samples.meter);
	enum exit_status status;

	if (check_survey(common, s, is_live))
		return STATUS_USAGE;
	if (is_live && n)
		return usage_error(common, "a survey that runs takes no FILE "
					   "but that of --save or --resume");
	if (!is_live && n != 1)
		return usage_error(common, "survey takes one FILE, to report "
					   "on it, or --save FILE");
	if (!is_live)
		return report_survey(common, &s->report, &s->page, operands[0]);
	the_survey.meter = s->samples.meter.name;
	the_survey.save = s->samples.meter.save;
	the_survey.params.interval_ns = s->samples.meter.interval_ns;
	status = run_survey(common, &the_survey);
	if (status || the_survey.dry_run)
		return status;
	return report_survey(common, &s->report, &s->page,
			     the_survey.resume ? the_survey.resume :
						 the_survey.save);
}

static enum exit_status merge(const struct common *common,
			      const struct settings *s, char **operands,
			      size_t n)
{
	const char *other = option_not_for(&own, s->given, 0);

	if (!other)
		other = s->page.path || s->page.chart_js ? "html" :
							   survey_option();
	if (other)
		return usage_error(common, "merge takes no --%s", other);
	if (s->samples.power.given || s->samples.meter.name ||
	    option_of_meter(&s->samples.meter))
		return usage_error(common, "merge takes no option of samples "
					   "or of a meter");
	if (!n)
		return usage_error(common, "merge takes FILEs");
	return merge_surveys(common, &s->report, operands, n);
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	const struct settings *settings = data;

	if (!n)
		return usage_error(common, "no ACTION given; see ssdpm measure "
					   "--help");
	if (!strcmp(operands[0], "survey"))
		return survey(common, settings, operands + 1, n - 1);
	if (!strcmp(operands[0], "merge"))
		return merge(common, settings, operands + 1, n - 1);
	const struct measure_action *action = find_measure_action(operands[0]);
	if (!action)
		return unknown_action(&cmd_measure, operands[0]);
	if (check(common, settings, action, n - 1))
		return STATUS_USAGE;
	if (settings->samples.sweep)
		return classify_sweep(common, settings->samples.sweep);
	if (settings->samples.meter.name)
		return measure_meter(common, &settings->samples, action);
	return measure_files(common, &settings->samples, action, operands + 1,
			     n - 1);
}

static const struct group_use groups[] = {
	USE(&meter_option_group, &the_settings.samples.meter),
	USE(&power_option_group, &the_settings.samples.power),
	RARE_USE(&survey_option_group, &the_survey),
	RARE_USE(&survey_report_group, &the_settings.report),
	{ .group = &page_option_group,
	  .settings = &the_settings.page,
	  .of = "survey" },
};

/* What takes other things than files of samples. */
static const struct subcommand *const words[] = {
	&cmd_calibrate,
	&cmd_measure_check,
	&cmd_measure_state,
	NULL,
};

static const char what_words_do[] =
	"  energy                  Sum the energy.\n"
	"  baseline                Find the power of an idle drive.\n"
	"  background              Find work that the drive does by itself.\n"
	"  survey                  Find the policy that draws least.\n"
	"  merge                   Join the surveys of several machines.\n"
	"  calibrate               Find the powers and latencies of a drive.\n"
	"  check                   Compare a prediction with samples.\n"
	"  state                   Find the power state that an idle power fits.\n";

const struct subcommand cmd_measure = {
	.name = "measure",
	.operands = "ACTION FILE...",
	.words = "energy|baseline|background|survey|merge",
	.operands_optional = true, /* run() names what is missing */
	.list = "results",
	.summary = "Turn samples of power into energy, baseline and background "
		   "work.",
	.own = &own,
	GROUPS(groups),
	.what_words_do = what_words_do,
	.examples = "  ssdpm measure energy power.csv\n"
		    "  ssdpm measure energy --meter BAT0 --for 10min "
		    "--save kept.csv\n"
		    "  ssdpm measure survey --save survey.csv\n",
	.run = run,
	.settings = &the_settings,
	.actions = words,
};
