/* SPDX-License-Identifier: MIT */
/* ssdpm estimate: what a policy costs on a workload. */
#include "input/usual-workload.h"
#include "options/apst-options.h"
#include "work/comparison.h"
#include "html/html.h"
#include "input/power-cap.h"
#include "options/units.h"

#include <stdlib.h>
#include <string.h>

struct settings {
	struct trace_options trace;
	struct sim_options sim;
	struct apst_options apst;
	struct page_options page;
	const char *trace_name;
	struct named_policy named;
	uint64_t interval_ns;
	struct power_caps caps;
	const char *mix;
	uint64_t read_ppm; /* of it */
	bool explain;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "trace", 't', "TRACE",
	  "Read this trace or workload. Default: as for tune.",
	  SETS_TEXT(struct settings, trace_name), .once = true },
	{ "interval", 0, "TIME", "Print a time series in steps of this length.",
	  SETS_NUMBER(struct settings, interval_ns, TIME_NS), .min = 1 },
	{ "power-cap", 0, "CAP[:TIME],...",
	  "Predict the loss under power caps, as in 10W, PS2 or "
	  "none:60s,20W:60s,none.",
	  SETS_OWN },
	{ "mix", 0, "OP=SHARE,...",
	  "power-cap: Do as much as the drive can of this mix, as in "
	  "read=70%,write=30%. Replaces the trace.",
	  SETS_OWN },
	{ "csv", 0, NULL, "Print CSV: states, time series or caps.",
	  SETS_FORM },
	{ "explain", 'e', NULL, "Print what is assumed and why.",
	  SETS_FLAG(struct settings, explain) },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;

	if (!strcmp(option->name, "power-cap"))
		return parse_power_caps(common, argument, &settings->caps);
	settings->mix = argument;
	return parse_mix(common, argument, &settings->read_ppm);
}

static enum exit_status check_mix(const struct common *common,
				  const struct settings *settings)
{
	if (settings->trace_name)
		return usage_error(common, "--mix conflicts with --trace");
	if (settings->named.option || settings->apst.given)
		return usage_error(common,
				   "--mix: it never idles, so that no policy "
				   "does anything: leave it out");
	if (!settings->caps.n)
		return usage_error(common, "--mix says what is done under "
					   "--power-cap: give that too");
	return check_page(common, &settings->page);
}

static enum exit_status check(const struct common *common,
			      const struct settings *settings, char **operands,
			      size_t n)
{
	if (settings->mix)
		return check_mix(common, settings);
	if (common->form == FORM_OWN && settings->caps.n &&
	    settings->interval_ns)
		return usage_error(common, "--power-cap conflicts with "
					   "--interval in --csv");
	if (check_named_policy(common, &settings->named,
			       settings->apst.given) ||
	    check_apst_options(common, &settings->apst))
		return STATUS_USAGE;
	return check_inputs(common, &settings->trace, &settings->trace_name, 1,
			    operands, n, &settings->page);
}

/* On a page stand the policies that people compare as well. */
static enum exit_status find_policies(const struct common *common,
				      const struct settings *settings,
				      struct policy policies[MAX_POLICIES],
				      struct plan *plan)
{
	size_t *n = &plan->n_policies;
	enum exit_status status = find_required_policies(
		common, &settings->named, &settings->apst.params,
		settings->apst.given, policies, n);

	plan->n_required = *n;
	plan->by_kind = *n > 1;
	plan->only_first = true;
	plan->and_all = settings->page.path;
	if (!status && settings->page.path)
		status = add_common_policies(common, &settings->apst.params,
					     policies, n);
	return status;
}

/* In place of a trace. */
static enum exit_status estimate_mix(const struct common *common,
				     const struct settings *settings,
				     const struct drives *drives)
{
	const struct plan plan = {
		.common = common,
		.no_tables = true,
		.sim_options = &settings->sim,
		.quirk_options = &settings->apst.quirks,
	};
	struct subject *subjects = NULL;
	struct cap_answer *caps = NULL;
	enum exit_status status = find_subjects(&plan, drives, &subjects);
	if (!status)
		status = run_mixes(&plan, subjects, drives->n,
				   settings->read_ppm, &settings->caps,
				   settings->interval_ns, &caps);
	if (!status && settings->page.path)
		status = write_caps_page(&plan, &settings->page, NULL, caps,
					 drives->n);
	if (!status)
		status = print_mixes(common, &settings->sim, caps, drives->n);
	free_caps(caps, drives->n);
	free(subjects);
	return status;
}

static enum exit_status estimate(const struct common *common,
				 const struct settings *settings,
				 const struct drives *drives)
{
	struct policy policies[MAX_POLICIES];
	struct records records = { 0 };
	struct plan plan = {
		.common = common,
		.trace_options = &settings->trace,
		.sim_options = &settings->sim,
		.quirk_options = &settings->apst.quirks,
		.policies = policies,
		.interval_ns = settings->interval_ns,
		.timelines = settings->page.path,
		.records = settings->caps.n ? &records : NULL,
	};
	const struct estimate_form form = {
		.sim = &settings->sim,
		.intervals = settings->interval_ns,
		.explain = settings->explain,
	};
	struct estimates all = { 0 }, compared;
	struct cap_answer *caps = NULL;
	enum exit_status status =
		find_policies(common, settings, policies, &plan);

	if (!status)
		status =
			run_plan(&plan, drives, &settings->trace_name, 1, &all);
	compared = compared_of(&all);
	if (!status)
		status = run_caps(&plan, &settings->caps, &all, &caps);
	if (!status && settings->page.path)
		status = write_caps_page(&plan, &settings->page, &compared,
					 caps, all.n);
	if (!status)
		status = print_estimates(common, &form, &all, caps);
	free_caps(caps, all.n);
	free_estimates(&all);
	free(records.ios);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	struct settings settings = *(const struct settings *)data;
	const bool is_usual = !settings.trace_name && !settings.mix;
	enum exit_status status;
	struct drives drives;

	if (is_usual)
		settings.trace_name = ssdpm_machine_get_workload(NULL);
	status = check(common, &settings, operands, n_operands);
	if (status)
		return status;
	status = read_estimated_drives(common, operands, n_operands, &drives);
	if (!status && is_usual)
		status = take_usual_workload(common, &drives,
					     &settings.trace_name);
	if (!status && settings.mix)
		status = estimate_mix(common, &settings, &drives);
	else if (!status)
		status = estimate(common, &settings, &drives);
	free_drives(&drives);
	return status;
}

static const struct group_use groups[] = {
	USE(&named_policy_group, &the_settings.named),
	USE(&apst_option_group, &the_settings.apst),
	RARE_USE(&sim_option_group, &the_settings.sim),
	RARE_USE(&trace_option_group, &the_settings.trace),
	USE(&page_option_group, &the_settings.page),
};

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
};

const struct subcommand cmd_estimate = {
	.name = "estimate",
	.operands = "DRIVE...",
	.takes_drives = true,
	.list = "runs",
	.each_alone = true,
	.summary =
		"Predict what a power policy costs: energy, wake-ups, delays.",
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm estimate --trace apst-1 \"WDC PC SN530\"\n"
		    "  ssdpm estimate -t apst-1 -a linux-legacy drive.json\n"
		    "  ssdpm estimate -t apst-1 --none drive.json\n"
		    "  ssdpm estimate -t apst-1 --power-cap 1W drive.json\n",
	.run = run,
	.settings = &the_settings,
};
