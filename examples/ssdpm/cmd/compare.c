/* SPDX-License-Identifier: MIT */
/* ssdpm compare: several policies on the same workloads. */
#include "catalogue/compare-all.h"
#include "input/usual-workload.h"
#include "options/words.h"
#include "options/apst-options.h"
#include "work/comparison.h"
#include "html/html.h"
#include "text/output.h"

#include <string.h>

#define MAX_TRACES 64

struct settings {
	struct trace_options trace;
	struct sim_options sim;
	struct apst_options apst;
	struct page_options page;
	const char *traces[MAX_TRACES];
	size_t n_traces;
	const char *policies[MAX_POLICIES];
	size_t n_policies;
	bool explain;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "trace", 't', "TRACE",
	  "Add a trace or workload. May be repeated. Default: as for tune.",
	  SETS_TEXTS(struct settings, traces, n_traces) },
	{ "policy", 0, "POLICY",
	  "Add a policy: an algorithm, windows:balanced:battery, "
	  "none, a file with a table, or a link policy. May be "
	  "repeated. Savings are against the first. Default: all.",
	  SETS_TEXTS(struct settings, policies, n_policies),
	  .values = POLICY_WORDS },
	{ "csv", 0, NULL, "Print CSV, a line for each policy.", SETS_FORM },
	{ "explain", 'e', NULL,
	  "Print possible savings, and what is assumed and why.",
	  SETS_FLAG(struct settings, explain) },
	ALL_OPTION("Count over the catalogue on how many drives each policy "
		   "saves."),
};

static enum exit_status print_all(const struct common *common,
				  const struct settings *settings,
				  const struct estimates *all)
{
	struct items items = { 0 };

	if (common->form == FORM_OWN)
		print_comparisons_csv(all);
	for (size_t i = 0; i < all->n && !common->form; i++) {
		if (i)
			putchar('\n');
		print_policies(&settings->sim, &all->estimates[i],
			       settings->explain);
		/* The values of a drive are the same with each trace. */
		if (settings->explain && i + all->n_subjects >= all->n)
			explain_values(&all->estimates[i].jobs[0]);
	}
	if (!common->form || common->form == FORM_OWN)
		return STATUS_DONE;
	for (size_t i = 0; i < all->n; i++)
		add_comparison(&items, &all->estimates[i], &settings->sim);
	return print_items(common, &items);
}

/* --all tells of many drives what no form but JSON has room for. */
static enum exit_status check_all(const struct common *common,
				  const struct settings *settings)
{
	const char *other = settings->explain	     ? "explain" :
			    settings->page.path	     ? "html" :
			    common->form == FORM_OWN ? common->form_option :
						       NULL;

	if (other)
		return usage_error(common, "--all conflicts with --%s", other);
	if (settings->n_traces > 1)
		return usage_error(common, "--all takes one --trace");
	if (!strcmp(settings->traces[0], "-"))
		return usage_error(common, "--all conflicts with --trace -");
	return STATUS_DONE;
}

static enum exit_status check(const struct common *common,
			      const struct settings *settings, char **operands,
			      size_t n)
{
	if (is_given(&apst_option_group, settings->apst.given, "algorithm"))
		return usage_error(common, "--algorithm: name it with "
					   "--policy");
	if (check_apst_options(common, &settings->apst))
		return STATUS_USAGE;
	if (common->all && check_all(common, settings))
		return STATUS_USAGE;
	return check_inputs(common, &settings->trace, settings->traces,
			    settings->n_traces, operands, n, &settings->page);
}

/* One that people compare is one that they may set. */
static void warn_of_min_power(const struct common *common)
{
	if (!common->quiet)
		remark("%s has lost data on some drives",
		       ssdpm_lpm_to_string(SSDPM_LPM_MIN_POWER));
}

static void warn_of_policies(const struct common *common,
			     const struct policy *policies, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (policies[i].what.kind == SSDPM_POLICY_LPM &&
		    policies[i].what.lpm == SSDPM_LPM_MIN_POWER) {
			warn_of_min_power(common);
			return;
		}
}

/* Also of what is compared by default, and of that of today. */
static void warn_of_rows(const struct common *common,
			 const struct estimates *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		for (size_t j = 0; j < all->estimates[i].n_jobs; j++)
			n += may_lose_data(&all->estimates[i].jobs[j]);
	if (n)
		warn_of_min_power(common);
}

static enum exit_status find_policies(const struct common *common,
				      const struct settings *settings,
				      struct policy policies[MAX_POLICIES],
				      size_t *ret_n)
{
	enum exit_status status = STATUS_DONE;
	size_t n = 0;

	for (size_t i = 0; i < settings->n_policies && !status; i++)
		status = parse_policy(common, "policy", settings->policies[i],
				      &settings->apst.params, &policies[n++]);
	if (!settings->n_policies)
		status = add_common_policies(common, &settings->apst.params,
					     policies, &n);
	*ret_n = n;
	return status;
}

static enum exit_status compare(const struct common *common,
				const struct settings *settings,
				const struct drives *drives)
{
	struct policy policies[MAX_POLICIES];
	struct plan plan = {
		.common = common,
		.trace_options = &settings->trace,
		.sim_options = &settings->sim,
		.quirk_options = &settings->apst.quirks,
		.policies = policies,
		.n_required = settings->n_policies,
		.timelines = settings->page.path,
	};
	struct estimates all = { 0 };
	enum exit_status status;

	status = find_policies(common, settings, policies, &plan.n_policies);
	if (!status && common->all) {
		status = compare_all(&plan, settings->traces[0]);
		if (!status)
			warn_of_policies(common, policies,
					 settings->n_policies);
		return status;
	}
	if (!status)
		status = run_plan(&plan, drives, settings->traces,
				  settings->n_traces, &all);
	if (!status && settings->page.path)
		status = write_estimates_page(&plan, &settings->page, &all,
					      decide_comparison);
	if (!status)
		status = print_all(common, settings, &all);
	if (!status)
		warn_of_rows(common, &all);
	free_estimates(&all);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	struct settings settings = *(const struct settings *)data;
	const bool is_usual = !settings.n_traces;
	enum exit_status status;
	struct drives drives;

	if (is_usual)
		settings.traces[settings.n_traces++] =
			ssdpm_machine_get_workload(NULL);
	status = check(common, &settings, operands, n_operands);
	if (!status && common->all && is_usual)
		status = take_usual_workload(common, NULL, settings.traces);
	if (status)
		return status;
	if (common->all)
		return compare(common, &settings, NULL);
	status = read_estimated_drives(common, operands, n_operands, &drives);
	if (!status && is_usual)
		status = take_usual_workload(common, &drives, settings.traces);
	if (!status)
		status = compare(common, &settings, &drives);
	free_drives(&drives);
	return status;
}

static const struct group_use groups[] = {
	USE(&apst_option_group, &the_settings.apst),
	RARE_USE(&sim_option_group, &the_settings.sim),
	RARE_USE(&trace_option_group, &the_settings.trace),
	USE(&page_option_group, &the_settings.page),
};

static const struct option_group own = {
	OPTIONS(options),
};

const struct subcommand cmd_compare = {
	.name = "compare",
	.operands = "DRIVE...",
	.takes_drives = true,
	.list = "comparisons",
	.each_alone = true,
	.summary = "Compare power policies on a workload: energy, savings, "
		   "delays.",
	.own = &own,
	GROUPS(groups),
	.examples =
		"  ssdpm compare --trace apst-1 \"WDC PC SN530\"\n"
		"  ssdpm compare -t apst-1 -t apst-2 --csv drive.json\n"
		"  ssdpm compare -t lomax --policy linux --policy none "
		"drive.json\n"
		"  ssdpm compare -t lomax --policy linux --policy linux:limit=25ms "
		"--all\n",
	.run = run,
	.settings = &the_settings,
};
