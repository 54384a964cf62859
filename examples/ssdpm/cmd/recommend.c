/* SPDX-License-Identifier: MIT */
/* ssdpm recommend: the best setting that each route reaches. */
#include "input/usual-workload.h"
#include "options/words.h"
#include "options/apst-options.h"
#include "text/apst-questions.h"
#include "work/comparison.h"
#include "html/html.h"
#include "text/output.h"
#include "work/advise.h"
#include "options/units.h"

#include <errno.h>
#include <string.h>

static struct recommend_options the_settings;

static const struct option_spec options[] = {
	{ "trace", 't', "TRACE",
	  "Read this trace or workload. Default: as for tune.",
	  SETS_TEXT(struct recommend_options, trace_name), .once = true },
	{ "max-added-mean", 0, "TIME|any",
	  "Limit the mean added delay, as in 1ms.",
	  SETS_NUMBER(struct recommend_options, bounds.max_delay_mean_ns,
		      TIME_NS) },
	{ "max-added-p99", 0, "TIME|any",
	  "Limit the added delay of 99 in 100 I/Os, as in 20ms.",
	  SETS_NUMBER(struct recommend_options, bounds.max_delay_p99_ns,
		      TIME_NS) },
	{ "max-exit-latency", 0, "TIME|any",
	  "Limit the time to leave a state, as in 25ms.",
	  SETS_NUMBER(struct recommend_options, bounds.max_exit_latency_us,
		      TIME_US) },
	{ "may-cost", 0, NULL,
	  "Propose less delay even at more power, if the settings of "
	  "today exceed the limits.",
	  SETS_BIT(struct recommend_options, bounds.flags,
		   SSDPM_BOUNDS_MAY_COST),
	  .rare = true },
	{ "max-states", 0, "N", "Limit the states of a raw table. Default: 2.",
	  SETS_SMALL(struct recommend_options, bounds.max_states, COUNT),
	  .min = 1, .max = SSDPM_MAX_STATES - 1, .range = "from 1 to 31",
	  .rare = true },
	{ "from", 0, "POLICY",
	  "Compare with this policy: an algorithm, none, or a file "
	  "with a table. Default: today, else linux.",
	  SETS_TEXT(struct recommend_options, from_name),
	  .values = POLICY_WORDS },
	{ "quirk", 0, "no-apst|no-deepest-ps|none",
	  "Add a quirk, as for ssdpm apst. May be repeated.", SETS_OWN,
	  .rare = true },
	{ "quirks-file", 0, "FILE",
	  "Read rules for drives from FILE, before those of Linux.",
	  SETS_TEXT(struct recommend_options, quirks.path), .rare = true },
	{ "battery", 0, "[ENERGY]",
	  "Print how much longer a battery lasts, as in 50Wh. Default: "
	  "what is left in that of the machine.",
	  SETS_NUMBER(struct recommend_options, use.battery_mwh, ENERGY_MWH),
	  .min = 1, .range = "above 0" },
	{ "system-power", 0, "POWER",
	  "Set what the whole system draws today, as in 5W. Default: what "
	  "its battery says.",
	  SETS_NUMBER(struct recommend_options, use.system_uw, POWER_UW),
	  .rare = true },
	{ "hours-per-day", 0, "N",
	  "Print the saving in a year with N hours of this workload "
	  "a day.",
	  SETS_SMALL(struct recommend_options, use.hours_per_day, COUNT),
	  .min = 1, .max = 24, .range = "from 1 to 24", .rare = true },
	{ "explain", 'e', NULL,
	  "Print possible savings, and what is assumed and why.",
	  SETS_FLAG(struct recommend_options, explain) },
	{ "raw", 0, "FILE",
	  "Also write the 256 bytes of the raw table to FILE.",
	  SETS_TEXT(struct recommend_options, raw_path), .rare = true },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct recommend_options *settings = data;

	(void)option;
	return parse_quirk(common, argument, &settings->quirks);
}

static void init(void *data)
{
	struct recommend_options *settings = data;

	settings->bounds.size = sizeof(settings->bounds);
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
	.init = init,
	KEEPS_GIVEN(struct recommend_options, given),
};

/* The bounds that are given: each replaces one of the defaults. */
static uint32_t own_bounds(const struct recommend_options *settings)
{
	return (is_given(&own, settings->given, "max-added-mean") ?
			SSDPM_BOUNDS_OWN_MEAN :
			0) |
	       (is_given(&own, settings->given, "max-added-p99") ?
			SSDPM_BOUNDS_OWN_P99 :
			0) |
	       (is_given(&own, settings->given, "max-exit-latency") ?
			SSDPM_BOUNDS_OWN_EXIT :
			0);
}

static enum exit_status check(const struct common *common,
			      const struct recommend_options *settings,
			      char **operands, size_t n)
{
	if (settings->sim.loop == SSDPM_LOOP_OPEN)
		return usage_error(common,
				   "a recommendation needs the closed loop, "
				   "not --loop open");
	if (settings->page.path && !strcmp(settings->trace_name, "-"))
		return usage_error(common,
				   "--html reads the trace twice: give a file");
	return check_inputs(common, &settings->trace, &settings->trace_name, 1,
			    operands, n, &settings->page);
}

/* The options that no battery replaces, because none drives the machine. */
static enum exit_status require_use(const struct common *common, bool battery,
				    const struct use *use)
{
	if (battery && !use->battery_mwh)
		return usage_error(
			common,
			"--battery requires an ENERGY, as in 50Wh%s, "
			"where the machine does not run on a battery",
			use->system_uw ? "" : ", and --system-power");
	return usage_error(common,
			   "--%s requires --%s where the machine does not run "
			   "on a battery",
			   battery ? "battery" : "system-power",
			   battery ? "system-power" : "battery");
}

/* The battery of the machine says what no option says. */
static enum exit_status complete_use(const struct common *common, bool battery,
				     const struct drives *drives,
				     struct use *use)
{
	double wh, w;

	if ((!battery && !use->system_uw) ||
	    (use->battery_mwh && use->system_uw) || !drives->n)
		return STATUS_DONE;
	if (!drives->drives[0].live ||
	    !read_batteries(drives->drives[0].live, &wh, &w))
		return require_use(common, battery, use);
	if (!use->battery_mwh)
		use->battery_mwh = (uint64_t)(wh * 1e3);
	if (!use->system_uw)
		use->system_uw = (uint64_t)(w * 1e6);
	return STATUS_DONE;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	struct recommend_options settings =
		*(const struct recommend_options *)data;
	struct ssdpm_apst_params params;
	struct plan plan = {
		.common = common,
		.trace_options = &settings.trace,
		.sim_options = &settings.sim,
		.quirk_options = &settings.quirks,
		.n_required = 1,
	};
	enum exit_status status, left_out = STATUS_DONE;
	struct drives drives;

	settings.is_bounded = own_bounds(&settings) != 0;
	settings.bounds.flags |= own_bounds(&settings);
	if (!settings.trace_name)
		settings.trace_name = ssdpm_machine_get_workload(NULL);
	status = check_patience(common, &settings.patience);
	if (!status)
		status = check(common, &settings, operands, n_operands);
	ssdpm_apst_params_init(&params, sizeof(params));
	if (!status && settings.from_name)
		status = parse_policy(common, "from", settings.from_name,
				      &params, &settings.from);
	if (status)
		return status;
	status = read_estimated_drives(common, operands, n_operands, &drives);
	if (!status && !is_given(&own, settings.given, "trace"))
		status = take_usual_workload(common, &drives,
					     &settings.trace_name);
	if (!status)
		status = check_raw(common, settings.raw_path, n_operands,
				   &drives);
	if (!status)
		status = complete_use(common,
				      is_given(&own, settings.given, "battery"),
				      &drives, &settings.use);
	if (!status)
		left_out = leave_out_ports(common, &drives);
	if (!status && drives.n)
		status = recommend(&plan, &settings, &drives);
	free_drives(&drives);
	return status ? status : left_out;
}

static const struct group_use groups[] = {
	USE(&patience_option_group, &the_settings.patience),
	RARE_USE(&sim_option_group, &the_settings.sim),
	RARE_USE(&trace_option_group, &the_settings.trace),
	USE(&page_option_group, &the_settings.page),
};

const struct subcommand cmd_recommend = {
	.name = "recommend",
	.operands = "DRIVE...",
	.takes_drives = true,
	.list = "recommendations",
	.each_alone = true,
	.summary = "Find the setting that saves most within limits on delays.",
	.own = &own,
	GROUPS(groups),
	.examples =
		"  ssdpm recommend --trace lomax drive.json\n"
		"  ssdpm recommend -t lomax --max-added-mean 1ms drive.json\n"
		"  ssdpm recommend -t lomax --max-added-p99 20ms drive.json\n"
		"  ssdpm recommend -t lomax --patient drive.json\n",
	.run = run,
	.settings = &the_settings,
};
