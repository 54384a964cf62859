/* SPDX-License-Identifier: MIT */
/* ssdpm measure: energy, background work and surveys, from samples of power. */
#include "input/measure-input.h"
#include "measure/measure.h"
#include "report/report.h"
#include "survey/survey.h"
#include "options/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 4096

struct settings {
	struct power_options power;
	struct meter_options meter;
	struct ssdpm_energy_params energy;
	struct ssdpm_baseline_params baseline;
	struct ssdpm_detect_params detect;
	const char *sweep;
	uint64_t completion_ns;
	uint64_t given; /* bits: which of the options below */
	struct survey_report_options report;
	struct page_options page;
};

static struct settings the_settings;
static struct survey_options the_survey;

/* What is measured, of samples. */
enum { ENERGY = 1, BASELINE = 2, BACKGROUND = 4 };

static const struct option_spec options[] = {
	{ "tolerance", 't', "SHARE",
	  "energy: error of the instrument that all samples share, as in 5%",
	  SETS_REAL(struct settings, energy.tolerance, SHARE_PPM, 1e6),
	  .min = 1, .max = WHOLE_PPM - 1, .range = "above 0 and below 100%",
	  .modes = ENERGY },
	{ "max-gap", 0, "TIME",
	  "energy: a longer step is a gap (default: ten usual ones)",
	  SETS_NUMBER(struct settings, energy.max_gap_ns, TIME_NS), .min = 1,
	  .modes = ENERGY },
	{ "idle", 'i', "FROM..TO",
	  "baseline, background: when the drive idles, as in 0s..10s", SETS_OWN,
	  .modes = BASELINE | BACKGROUND },
	{ "floor", 0, "POWER",
	  "baseline, background: less than this above idle is no work",
	  SETS_REAL(struct settings, detect.floor_w, POWER_UW, 1e6),
	  .modes = BASELINE | BACKGROUND },
	{ "completion", 0, "TIME",
	  "background: when the last I/O completed, as in 12.5s",
	  SETS_NUMBER(struct settings, completion_ns, TIME_NS),
	  .max = INT64_MAX, .range = "too late", .modes = BACKGROUND },
	{ "sweep", 0, "FILE",
	  "background: the classes of experiments, from a CSV file of runs",
	  SETS_TEXT(struct settings, sweep), .modes = BACKGROUND },
};

/* "0s..10s" */
static enum exit_status set_idle(void *data, struct common *common,
				 const struct option_spec *option,
				 const char *argument)
{
	struct settings *settings = data;
	struct ssdpm_baseline_params *p = &settings->baseline;
	const char *dots = strstr(argument, "..");
	uint64_t begin_ns, end_ns;
	char begin[64];

	(void)option;
	if (!dots || dots - argument >= (ptrdiff_t)sizeof(begin))
		return usage_error(common,
				   "--idle %s: write a time, two dots and a "
				   "time, as in 0s..10s",
				   argument);
	memcpy(begin, argument, (size_t)(dots - argument));
	begin[dots - argument] = 0;
	if (parse_number(common, "idle", begin, TIME_NS, &begin_ns) ||
	    parse_number(common, "idle", dots + 2, TIME_NS, &end_ns))
		return STATUS_USAGE;
	if (begin_ns >= end_ns || end_ns > INT64_MAX)
		return usage_error(common,
				   "--idle %s: it ends before it begins, or "
				   "too late",
				   argument);
	p->begin_ns = (int64_t)begin_ns;
	p->end_ns = (int64_t)end_ns;
	return STATUS_DONE;
}

static void init(void *data)
{
	struct settings *settings = data;

	settings->energy.size = sizeof(settings->energy);
	settings->baseline.size = sizeof(settings->baseline);
	settings->detect.size = sizeof(settings->detect);
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set_idle,
	.init = init,
	KEEPS_GIVEN(struct settings, given),
};

struct answer {
	struct energy_answer energy;
	struct baseline_answer baseline;
};

/* The first samples tell whether they are fast enough. */
static void keep_first(struct power_array *first,
		       const struct power_array *more)
{
	size_t n = SSDPM_SAMPLING_SAMPLES - first->n;

	if (n > more->n)
		n = more->n;
	memcpy(first->time_ns + first->n, more->time_ns, n * sizeof(int64_t));
	memcpy(first->power_w + first->n, more->power_w, n * sizeof(double));
	first->n += n;
}

static enum exit_status feed(struct power_input *input,
			     struct ssdpm_integral *integral,
			     struct power_array *first)
{
	static int64_t time_ns[CHUNK];
	static double power_w[CHUNK];
	struct power_array array = { time_ns, power_w, 0 };
	struct ssdpm_error error;

	for (;;) {
		enum exit_status status =
			read_power(input, time_ns, power_w, CHUNK, &array.n);
		if (status || !array.n)
			return status;
		keep_first(first, &array);
		struct ssdpm_samples samples = samples_of(&array);
		if (ssdpm_integral_feed(integral, &samples, &error)) {
			complain_of_power(input->name, &error);
			return STATUS_FAILED;
		}
	}
}

static int check_first(const struct power_array *first,
		       struct ssdpm_sampling *sampling,
		       struct ssdpm_error *error)
{
	struct ssdpm_samples samples = samples_of(first);
	int err;

	sampling->size = sizeof(*sampling);
	err = ssdpm_sampling_check(&samples, NULL, sampling, error);
	/* All that is a number comes later. */
	return err == -ENODATA ? 0 : err;
}

/* A file of any length: it is not kept. */
static enum exit_status measure_energy(const struct settings *settings,
				       struct power_input *input,
				       struct answer *answer)
{
	struct energy_answer *a = &answer->energy;
	struct power_array first = {
		calloc(SSDPM_SAMPLING_SAMPLES, sizeof(*first.time_ns)),
		calloc(SSDPM_SAMPLING_SAMPLES, sizeof(*first.power_w)), 0
	};
	struct ssdpm_integral *integral = NULL;
	enum exit_status status = STATUS_FAILED;
	struct ssdpm_error error;

	a->name = input->name;
	a->has_tolerance = settings->energy.tolerance > 0;
	a->energy.size = sizeof(a->energy);
	if (!first.time_ns || !first.power_w)
		complain("out of memory");
	else if (ssdpm_integral_new(&settings->energy, &integral, &error))
		complain_of_power(input->name, &error);
	else
		status = feed(input, integral, &first);
	if (!status && (ssdpm_integral_get(integral, &a->energy, &error) ||
			check_first(&first, &a->sampling, &error))) {
		complain_of_power(input->name, &error);
		status = STATUS_FAILED;
	}
	a->counts = *ssdpm_power_get_counts(input->power);
	ssdpm_integral_free(integral);
	free_power_array(&first);
	return status;
}

static int find_runs(const struct settings *settings,
		     const struct ssdpm_samples *samples,
		     struct baseline_answer *a, struct ssdpm_error *error)
{
	size_t n = 0;
	int err = ssdpm_activity_find(samples, &a->baseline, &settings->detect,
				      NULL, &n, error);

	if (err || !n)
		return err;
	a->activities = calloc(n, sizeof(*a->activities));
	if (!a->activities) {
		snprintf(error->message, sizeof(error->message),
			 "out of memory");
		error->line = 0;
		return -ENOMEM;
	}
	a->n_activities = n;
	return ssdpm_activity_find(samples, &a->baseline, &settings->detect,
				   a->activities, &n, error);
}

/* What comes after the tail is idle, or all is, if nobody names a completion.
 */
static struct ssdpm_samples idle_part(const struct ssdpm_samples *samples,
				      const struct baseline_answer *a)
{
	struct ssdpm_samples part = *samples;
	const double *power_w = samples->power_w;

	while (a->has_tail && part.n && part.time_ns[0] < a->tail.end_ns) {
		part.time_ns++;
		power_w++;
		part.n--;
	}
	part.power_w = power_w;
	return part;
}

static int find_background(const struct settings *settings,
			   const struct ssdpm_samples *samples,
			   struct baseline_answer *a, struct ssdpm_error *error)
{
	int err = 0;

	if (is_given(&own, settings->given, "completion")) {
		err = ssdpm_tail_measure(
			samples, &a->baseline, &settings->detect,
			(int64_t)settings->completion_ns, &a->tail, error);
		a->has_tail = !err;
	}
	struct ssdpm_samples idle = idle_part(samples, a);
	if (err || !idle.n)
		return err;
	err = ssdpm_idle_work_find(&idle, &a->baseline, &settings->detect,
				   &a->work, error);
	a->has_work = !err;
	/* The tail may be all that is there. */
	return a->has_tail && err == -ENODATA ? 0 : err;
}

typedef int (*find_fn)(const struct settings *settings,
		       const struct ssdpm_samples *samples,
		       struct baseline_answer *a, struct ssdpm_error *error);

static int check_sampling(const struct settings *settings,
			  const struct ssdpm_samples *samples,
			  struct baseline_answer *a, struct ssdpm_error *error)
{
	struct ssdpm_sampling_params params = {
		.size = sizeof(params),
		.baseline = &a->baseline,
		.detect = &settings->detect,
	};

	a->sampling.size = sizeof(a->sampling);
	return ssdpm_sampling_check(samples, &params, &a->sampling, error);
}

static enum exit_status measure_above(const struct settings *settings,
				      struct power_input *input,
				      struct answer *answer, find_fn find)
{
	struct baseline_answer *a = &answer->baseline;
	struct power_array array;
	struct ssdpm_error error;

	if (load_power(input, &array))
		return STATUS_FAILED;
	struct ssdpm_samples samples = samples_of(&array);
	a->name = input->name;
	int err = ssdpm_baseline_find(&samples, &settings->baseline,
				      &a->baseline, &error);
	if (!err)
		err = check_sampling(settings, &samples, a, &error);
	if (!err)
		err = find(settings, &samples, a, &error);
	if (err)
		complain("%s: %s%s", input->name, error.message,
			 err == -EDOM ? " (--idle)" : "");
	free_power_array(&array);
	return err ? STATUS_FAILED : STATUS_DONE;
}

static enum exit_status measure_baseline(const struct settings *settings,
					 struct power_input *input,
					 struct answer *answer)
{
	return measure_above(settings, input, answer, find_runs);
}

static enum exit_status measure_background(const struct settings *settings,
					   struct power_input *input,
					   struct answer *answer)
{
	return measure_above(settings, input, answer, find_background);
}

static void print_energy_answer(const struct answer *a)
{
	print_energy(&a->energy);
}

static void print_baseline_answer(const struct answer *a)
{
	print_baseline(&a->baseline);
}

static void print_background_answer(const struct answer *a)
{
	print_background(&a->baseline);
}

static void add_energy_answer(struct items *items, const struct answer *a)
{
	add_energy(items, &a->energy);
}

static void add_baseline_answer(struct items *items, const struct answer *a)
{
	add_baseline(items, &a->baseline);
}

static void add_background_answer(struct items *items, const struct answer *a)
{
	add_background(items, &a->baseline);
}

static const struct action {
	const char *name;
	uint32_t mode;
	enum exit_status (*measure)(const struct settings *settings,
				    struct power_input *input,
				    struct answer *answer);
	void (*print)(const struct answer *answer);
	void (*add)(struct items *items, const struct answer *answer);
} actions[] = {
	{ "energy", ENERGY, measure_energy, print_energy_answer,
	  add_energy_answer },
	{ "baseline", BASELINE, measure_baseline, print_baseline_answer,
	  add_baseline_answer },
	{ "background", BACKGROUND, measure_background, print_background_answer,
	  add_background_answer },
};

static enum exit_status print_answers(const struct common *common,
				      const struct action *action,
				      const struct answer *answers, size_t n)
{
	struct items items = { 0 };

	for (size_t i = 0; i < n && !common->form; i++)
		action->print(&answers[i]);
	if (!common->form)
		return STATUS_DONE;
	for (size_t i = 0; i < n; i++)
		action->add(&items, &answers[i]);
	return print_items(common, &items);
}

static enum exit_status measure_all(const struct common *common,
				    const struct settings *settings,
				    const struct action *action, char **names,
				    size_t n)
{
	struct answer *answers = calloc(n, sizeof(*answers));
	enum exit_status status = STATUS_DONE;

	if (!answers)
		return out_of_memory();
	for (size_t i = 0; i < n && !status; i++) {
		struct power_input input;

		status = open_power(&settings->power, names[i], &input);
		if (status)
			break;
		status = action->measure(settings, &input, &answers[i]);
		close_power(&input);
	}
	if (!status)
		status = print_answers(common, action, answers, n);
	for (size_t i = 0; i < n; i++)
		free(answers[i].baseline.activities);
	free(answers);
	return status;
}

/* What was recorded counts, whatever ended it. */
static enum exit_status measure_meter(const struct common *common,
				      const struct settings *settings,
				      const struct action *action)
{
	enum exit_status status, recorded;
	struct recording recording;
	struct power_input input;
	struct answer answer = { 0 };

	recorded = record_meter(common, &settings->meter, &recording);
	if (!recording.n)
		return recorded;
	status = open_power_fd(&settings->power, settings->meter.name,
			       recording.fd, &input);
	if (status)
		return status;
	answer.energy.has_counter = recording.has_counter;
	answer.energy.counter_j = recording.counter_j;
	status = action->measure(settings, &input, &answer);
	close_power(&input);
	if (!status)
		status = print_answers(common, action, &answer, 1);
	free(answer.baseline.activities);
	return status ? status : recorded;
}

static const struct action *find_action(const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}

/* What is of a report, and not of a survey that runs. */
static const char *report_option(const struct settings *s)
{
	const char *given =
		option_not_for(&survey_report_group, s->report.given, 0);

	return given		? given :
	       s->page.path	? "html" :
	       s->page.chart_js ? "chart-js" :
				  NULL;
}

/* One of a survey that runs, or NULL. */
static const char *survey_option(void)
{
	return option_not_for(&survey_option_group, the_survey.given, 0);
}

static enum exit_status check(const struct common *common,
			      const struct settings *s,
			      const struct action *action, size_t n)
{
	const char *other = option_not_for(&own, s->given, action->mode);

	if (the_survey.given)
		return usage_error(common, "%s takes no --%s: survey does",
				   action->name, survey_option());
	if (!other)
		other = report_option(s);
	if (other)
		return usage_error(common, "%s takes no --%s", action->name,
				   other);
	if (s->sweep && n)
		return usage_error(common, "--sweep takes no other FILE");
	if (s->meter.name && (n || s->sweep || s->power.given))
		return usage_error(common, "--meter takes the place of FILE "
					   "and of what says how it is read");
	if (!s->meter.name && option_of_meter(&s->meter))
		return usage_error(common, "--%s needs --meter",
				   option_of_meter(&s->meter));
	if (!s->sweep && !n && !s->meter.name)
		return usage_error(common,
				   "no FILE given; see ssdpm measure --help");
	return STATUS_DONE;
}

static enum exit_status check_survey(const struct common *common,
				     const struct settings *s, bool is_live)
{
	const char *other = option_not_for(&own, s->given, 0);

	if (!other && is_live)
		other = report_option(s);
	if (other)
		return usage_error(common, "survey takes no --%s", other);
	if (s->power.given || s->meter.duration_ns)
		return usage_error(common, "survey takes no %s",
				   s->power.given ? "option of a file of "
						    "samples" :
						    "--for: it is --duration");
	return STATUS_DONE;
}

/* A file of a survey, or one that is made. */
static enum exit_status survey(const struct common *common,
			       const struct settings *s, char **operands,
			       size_t n)
{
	const bool is_live =
		the_survey.given || s->meter.name || option_of_meter(&s->meter);

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
	the_survey.meter = s->meter.name;
	the_survey.save = s->meter.save;
	the_survey.params.interval_ns = s->meter.interval_ns;
	enum exit_status status = run_survey(common, &the_survey);

	if (status || the_survey.dry_run)
		return status;
	return report_survey(common, &s->report, &s->page,
			     the_survey.resume ? the_survey.resume :
						 the_survey.save);
}

/* Files of surveys of several drives. */
static enum exit_status merge(const struct common *common,
			      const struct settings *s, char **operands,
			      size_t n)
{
	const char *other = option_not_for(&own, s->given, 0);

	if (!other && (s->page.path || s->page.chart_js))
		other = "html";
	if (!other)
		other = survey_option();
	if (other)
		return usage_error(common, "merge takes no --%s", other);
	if (s->power.given || s->meter.name || option_of_meter(&s->meter))
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
		return usage_error(
			common,
			"say what to measure: energy, baseline, "
			"background, survey or merge; see ssdpm measure "
			"--help");
	if (!strcmp(operands[0], "survey"))
		return survey(common, settings, operands + 1, n - 1);
	if (!strcmp(operands[0], "merge"))
		return merge(common, settings, operands + 1, n - 1);
	const struct action *action = find_action(operands[0]);
	if (!action)
		return usage_error(common,
				   "%s: it is energy, baseline, background, "
				   "survey or merge",
				   operands[0]);
	enum exit_status status = check(common, settings, action, n - 1);
	if (status)
		return status;
	if (settings->sweep)
		return classify_sweep(common, settings->sweep);
	if (settings->meter.name)
		return measure_meter(common, settings, action);
	return measure_all(common, settings, action, operands + 1, n - 1);
}

static const struct group_use groups[] = {
	{ &meter_option_group, &the_settings.meter },
	{ &power_option_group, &the_settings.power },
	{ &survey_option_group, &the_survey },
	{ &survey_report_group, &the_settings.report },
	{ &page_option_group, &the_settings.page },
};

/* What takes other things than files of samples. */
static const struct subcommand *const words[] = {
	&cmd_calibrate,
	NULL,
};

const struct subcommand cmd_measure = {
	.name = "measure",
	.operands = "energy|baseline|background|survey|merge FILE...",
	.operands_optional = true, /* what is missing is said in words */
	.list = "results",
	.summary = "Turn samples of power into energy, background work and a "
		   "better model.",
	.own = &own,
	GROUPS(groups),
	.examples =
		"  ssdpm measure energy power.csv\n"
		"  ssdpm measure energy --tolerance 5% power.csv\n"
		"  ssdpm measure baseline --idle 0s..10s power.csv\n"
		"  ssdpm measure background --idle 0s..10s --completion 40s "
		"power.csv\n"
		"  ssdpm measure energy --meter BAT0 --for 10min --interval 5s "
		"--save kept.csv\n"
		"  ssdpm measure survey --dry-run\n"
		"  ssdpm measure survey --save survey.csv\n"
		"  ssdpm measure survey --html survey.html survey.csv\n"
		"  ssdpm measure merge mine.csv yours.csv\n",
	.run = run,
	.settings = &the_settings,
	.actions = words,
};
