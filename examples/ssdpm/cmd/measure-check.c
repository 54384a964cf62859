/* SPDX-License-Identifier: MIT */
/* ssdpm measure check: predict the mean power of a run, then measure it. */
#include "measure/measure.h"
#include "options/apst-options.h"
#include "options/units.h"

#include <string.h>

static struct check_options the_settings;

enum { PREDICT = 1, MEASURE = 2 };

static const struct option_spec options[] = {
	{ "trace", 't', "TRACE", "Predict the I/Os of this trace or workload.",
	  SETS_TEXT(struct check_options, trace_name), .once = true,
	  .modes = PREDICT | MEASURE },
	{ "predict-only", 0, NULL,
	  "Write the prediction and measure later: ssdpm measure "
	  "check FILE.",
	  SETS_FLAG(struct check_options, predict_only), .modes = PREDICT },
	{ "output", 'o', "FILE",
	  "Keep prediction and measurement in FILE. Default: the "
	  "file of the prediction, if given.",
	  SETS_TEXT(struct check_options, output), .once = true,
	  .modes = PREDICT | MEASURE },
	{ "samples", 's', "FILE", "Read the samples of power of the run.",
	  SETS_TEXT(struct check_options, samples), .once = true,
	  .modes = MEASURE },
	{ "window", 0, "FROM..TO",
	  "Count only the samples of the run, as in 2s..102s.", SETS_OWN,
	  .modes = MEASURE },
	{ "tolerance", 0, "SHARE",
	  "Set the error that all samples share, as in 5%.",
	  SETS_REAL(struct check_options, energy.tolerance, SHARE_PPM, 1e6),
	  .min = 1, .max = WHOLE_PPM - 1, .range = "above 0 and below 100%",
	  .modes = MEASURE },
	{ "subtract", 0, "POWER",
	  "Subtract what the instrument measures beside the drive, "
	  "as in 2.1W.",
	  SETS_REAL(struct check_options, subtracted_w, POWER_UW, 1e6),
	  .modes = MEASURE },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct check_options *settings = data;

	if (settings->to_ns != INT64_MAX)
		return usage_error(common, "--%s is given twice", option->name);
	return parse_span(common, option->name, argument, &settings->from_ns,
			  &settings->to_ns);
}

static void init(void *data)
{
	struct check_options *settings = data;

	settings->energy.size = sizeof(settings->energy);
	settings->to_ns = INT64_MAX;
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
	.init = init,
	KEEPS_GIVEN(struct check_options, given),
};

/* An option that says what is measured, or how, or NULL. */
static const char *option_of_measuring(const struct check_options *s)
{
	const char *option = option_not_for(&own, s->given, PREDICT);

	if (!option && s->meter.name)
		option = "meter";
	if (!option)
		option = option_of_meter(&s->meter);
	return option ? option :
			option_not_for(&power_option_group, s->power.given, 0);
}

/* Is standard input named at most once? */
static enum exit_status check_stdin(const struct common *common,
				    const struct check_options *s,
				    const char *operand)
{
	const char *const names[] = { s->trace_name, s->samples, operand };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		n += names[i] && !strcmp(names[i], "-");
	return n > 1 ? usage_error(common, "standard input is named twice") :
		       STATUS_DONE;
}

static enum exit_status check_source(const struct common *common,
				     const struct check_options *s)
{
	const bool measures = s->samples || s->meter.name;
	const char *of_meter = option_of_meter(&s->meter);

	if (s->predict_only && option_of_measuring(s))
		return usage_error(common, "--predict-only conflicts with --%s",
				   option_of_measuring(s));
	if (s->samples && s->meter.name)
		return usage_error(common, "--samples conflicts with --meter");
	if (!s->meter.name && of_meter)
		return usage_error(common, "--%s requires --meter", of_meter);
	if (s->predict_only || measures)
		return STATUS_DONE;
	return usage_error(common, "give --samples, --meter or --predict-only; "
				   "see ssdpm measure check --help");
}

/* For a prediction that is made here. */
static enum exit_status check_prediction(const struct common *common,
					 const struct check_options *s)
{
	if (s->predict_only && !s->output && !common->form)
		return usage_error(common,
				   "--predict-only requires --output or "
				   "--json");
	if (check_named_policy(common, &s->named, s->apst.given) ||
	    check_apst_options(common, &s->apst) ||
	    check_trace_options(common, &s->trace, &s->trace_name, 1))
		return STATUS_USAGE;
	return check_sim_options(common, &s->sim);
}

/* No option changes a prediction that was written before. */
static enum exit_status check_file(const struct common *common,
				   const struct check_options *s)
{
	if (s->predict_only)
		return usage_error(common, "--predict-only requires --trace");
	if (s->named.option)
		return usage_error(common, "--%s requires --trace",
				   s->named.option);
	if (s->apst.given || s->sim.given || s->trace.given)
		return usage_error(common, "an option of the drive, of its "
					   "policy or of the trace requires "
					   "--trace");
	return STATUS_DONE;
}

static enum exit_status check(const struct common *common,
			      const struct check_options *s, char **operands,
			      size_t n)
{
	if (n != 1)
		return usage_error(common,
				   "give one DRIVE with --trace, or one FILE "
				   "of a prediction; see ssdpm measure check "
				   "--help");
	if (s->output && !strcmp(s->output, "-"))
		return usage_error(common, "--output -: --json prints it");
	if (check_source(common, s) || check_stdin(common, s, operands[0]))
		return STATUS_USAGE;
	if (!s->trace_name && !strcmp(operands[0], "-") && !s->output &&
	    !common->form)
		return usage_error(common, "- requires --output or --json");
	return s->trace_name ? check_prediction(common, s) :
			       check_file(common, s);
}

static enum exit_status predict(const struct common *common,
				const struct check_options *settings,
				char **operands)
{
	struct drives drives = { 0 };
	enum exit_status status;

	if (is_prediction(operands[0]))
		return usage_error(common,
				   "%s is a prediction: --trace is for a DRIVE",
				   operands[0]);
	status = read_drives(common, operands, 1, &drives);
	if (!status && drives.n != 1) {
		complain("%s: %zu drives; a prediction is of one", operands[0],
			 drives.n);
		status = STATUS_USAGE;
	}
	if (!status)
		status = check_drive(common, settings, &drives);
	free_drives(&drives);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	const struct check_options *settings = data;
	enum exit_status status = check(common, settings, operands, n);

	if (status)
		return status;
	return settings->trace_name ?
		       predict(common, settings, operands) :
		       check_written(common, settings, operands[0]);
}

static const struct group_use groups[] = {
	RARE_USE(&named_policy_group, &the_settings.named),
	RARE_USE(&apst_option_group, &the_settings.apst),
	RARE_USE(&sim_option_group, &the_settings.sim),
	USE(&meter_option_group, &the_settings.meter),
	RARE_USE(&power_option_group, &the_settings.power),
	RARE_USE(&prefixed_trace_option_group, &the_settings.trace),
};

const struct subcommand cmd_measure_check = {
	.name = "measure check",
	.operands = "DRIVE|FILE",
	.operands_optional = true, /* run() names what is missing */
	.takes_drives = true,
	.list = "predictions",
	.summary = "Predict the mean power of a run, measure it and compare.",
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm measure check -t run-plan.csv -s run-power.csv "
		    "--window 2.3s..98s \\\n"
		    "    intel-760p.json\n"
		    "  ssdpm measure check -t run-plan.csv --predict-only -o "
		    "check.json \\\n"
		    "    intel-760p.json\n"
		    "  ssdpm measure check -s run-power.csv --window "
		    "2.3s..98s check.json\n",
	.run = run,
	.settings = &the_settings,
};
