/* SPDX-License-Identifier: MIT */
/* ssdpm estimate: what a policy costs on a workload. */
#include "options/apst-options.h"
#include "work/comparison.h"
#include "html/html.h"
#include "options/numbers.h"
#include "text/output.h"
#include "input/power-cap.h"
#include "options/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The policy of the command line, and those beside it on a page. */
#define MAX_POLICIES 32

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
	{ "trace", 't', "FILE",
	  "the I/Os: a trace, - or a workload of ssdpm workload --list",
	  SETS_TEXT(struct settings, trace_name), .once = true },
	{ "interval", 0, "TIME", "give the course in pieces of this length",
	  SETS_NUMBER(struct settings, interval_ns, TIME_NS), .min = 1 },
	{ "power-cap", 0, "CAP[:TIME],...",
	  "what is lost if the drive may draw no more, as in 10W, PS2 (its "
	  "maximum), or none:60s,20W:60s,10W:60s,none",
	  SETS_OWN },
	{ "mix", 0, "OP=SHARE,...",
	  "with --power-cap, in place of a trace: as much as it can of this, as "
	  "in read=70%,write=30%",
	  SETS_OWN },
	{ "csv", 0, NULL,
	  "print CSV: the states; with --interval the course, with --power-cap "
	  "what comes of each cap",
	  SETS_FORM },
	{ "explain", 'e', NULL, "say what is taken for known, and why",
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

/*
 * Where none is given, what the machine of a device does, and else what Linux
 * does: with NVMe drives, and with SATA.
 */
static enum exit_status find_required(const struct common *common,
				      const struct settings *settings,
				      struct policy *policies, size_t *ret_n)
{
	const char *option = settings->named.option;

	*ret_n = 1;
	if (option)
		return parse_policy(common, option, settings->named.name,
				    &settings->apst.params, policies);
	policies[0] = policy_of(&settings->apst.params);
	if (settings->apst.given)
		return STATUS_DONE;
	*ret_n = 3;
	policies[1] = policies[0];
	parse_policy(common, "policy", "today", &settings->apst.params,
		     policies);
	return parse_policy(common, "lpm", "med_power_with_dipm",
			    &settings->apst.params, &policies[2]);
}

static enum exit_status print_all_json(const struct common *common,
				       const struct settings *settings,
				       const struct estimates *all,
				       const struct cap_answer *caps)
{
	struct items items = { 0 };

	for (size_t i = 0; i < all->n; i++)
		add_estimate(&items, &settings->sim, &all->estimates[i],
			     caps ? &caps[i] : NULL);
	return print_items(common, &items);
}

static enum exit_status print_all(const struct common *common,
				  const struct settings *settings,
				  const struct estimates *all,
				  const struct cap_answer *caps)
{
	if (common->form && common->form != FORM_OWN)
		return print_all_json(common, settings, all, caps);
	if (common->form && caps)
		print_power_caps_csv(caps, all->n);
	else if (common->form && settings->interval_ns)
		print_intervals_csv(all);
	else if (common->form)
		print_states_csv(all);
	for (size_t i = 0; i < all->n && !common->form; i++) {
		if (i)
			putchar('\n');
		print_estimate(&settings->sim, &all->estimates[i],
			       caps ? &caps[i] : NULL, settings->explain);
	}
	return STATUS_DONE;
}

static enum exit_status check_mix(const struct common *common,
				  const struct settings *settings)
{
	if (settings->trace_name)
		return usage_error(common,
				   "--mix and --trace exclude each other");
	if (settings->named.option || settings->apst.given)
		return usage_error(common,
				   "--mix: it never idles, so that no policy "
				   "does anything: leave it out");
	if (settings->page.path)
		return usage_error(common,
				   "--mix and --html exclude each other");
	return settings->caps.n ?
		       STATUS_DONE :
		       usage_error(common, "--mix says what is done under "
					   "--power-cap: give that too");
}

static enum exit_status check(const struct common *common,
			      const struct settings *settings, char **operands,
			      size_t n)
{
	if (settings->mix)
		return check_mix(common, settings);
	if (!settings->trace_name)
		return usage_error(common, "no --trace given; see ssdpm "
					   "workload --list for workloads");
	if (common->form == FORM_OWN && settings->caps.n &&
	    settings->interval_ns)
		return usage_error(
			common, "--csv prints what comes of the caps or the "
				"course: leave out --power-cap or --interval");
	if (check_named_policy(common, &settings->named,
			       settings->apst.given) ||
	    check_apst_options(common, &settings->apst) ||
	    check_trace_options(common, &settings->trace, &settings->trace_name,
				1))
		return STATUS_USAGE;
	if (check_stdin(common, operands, n, &settings->trace_name, 1))
		return STATUS_USAGE;
	return check_page(common, &settings->page);
}

static bool has_policy(const struct policy *policies, size_t n,
		       const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(policies[i].name, name))
			return true;
	return false;
}

/* On a page stand the policies that people compare as well. */
static enum exit_status find_policies(const struct common *common,
				      const struct settings *settings,
				      struct policy policies[MAX_POLICIES],
				      struct plan *plan)
{
	size_t *n = &plan->n_policies;
	enum exit_status status;
	const char *name;

	status = find_required(common, settings, policies, n);
	plan->n_required = *n;
	plan->by_kind = *n > 1;
	plan->only_first = !settings->page.path;
	for (size_t i = 0; !status && settings->page.path &&
			   (name = ssdpm_policy_get_common(0, i));
	     i++)
		if (!has_policy(policies, plan->n_required, name))
			status = parse_policy(common, "policy", name,
					      &settings->apst.params,
					      &policies[(*n)++]);
	return status;
}

/* *ret_caps: one for each of n, all empty; free_caps(). */
static enum exit_status make_caps(size_t n, struct cap_answer **ret_caps)
{
	*ret_caps = calloc(n ? n : 1, sizeof(**ret_caps));
	if (*ret_caps)
		return STATUS_DONE;
	return out_of_memory();
}

static void free_caps(struct cap_answer *caps, size_t n)
{
	for (size_t i = 0; caps && i < n; i++)
		free(caps[i].points);
	free(caps);
}

/* *ret_caps stays NULL where no cap is asked for. */
static enum exit_status run_caps(const struct plan *plan,
				 const struct settings *settings,
				 const struct estimates *all,
				 struct cap_answer **ret_caps)
{
	enum exit_status status;

	if (!settings->caps.n)
		return STATUS_DONE;
	status = make_caps(all->n, ret_caps);
	for (size_t i = 0; i < all->n && !status; i++)
		status = run_power_caps(plan, &all->estimates[i],
					&settings->caps, &(*ret_caps)[i]);
	return status;
}

static enum exit_status print_mixes(const struct common *common,
				    const struct settings *settings,
				    const struct cap_answer *caps, size_t n)
{
	struct items items = { 0 };

	if (!common->form) {
		for (size_t i = 0; i < n; i++) {
			if (i)
				putchar('\n');
			print_power_caps(&caps[i], &settings->sim);
		}
		return STATUS_DONE;
	}
	if (common->form == FORM_OWN) {
		print_power_caps_csv(caps, n);
		return STATUS_DONE;
	}
	for (size_t i = 0; i < n; i++)
		add_mix(&items, &caps[i]);
	return print_items(common, &items);
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
		status = make_caps(drives->n, &caps);
	for (size_t i = 0; i < drives->n && !status; i++)
		status = run_mix_caps(&plan, &subjects[i], settings->read_ppm,
				      &settings->caps, settings->interval_ns,
				      &caps[i]);
	if (!status)
		status = print_mixes(common, settings, caps, drives->n);
	free_caps(caps, drives->n);
	free(subjects);
	return status;
}

static enum exit_status estimate(const struct common *common,
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
		.interval_ns = settings->interval_ns,
		.timelines = settings->page.path,
	};
	struct estimates all = { 0 };
	struct records records = { 0 };
	struct cap_answer *caps = NULL;
	enum exit_status status;

	if (settings->caps.n)
		plan.records = &records;
	status = find_policies(common, settings, policies, &plan);
	if (!status)
		status =
			run_plan(&plan, drives, &settings->trace_name, 1, &all);
	if (!status && settings->page.path)
		status = write_estimates_page(&settings->page, &settings->sim,
					      &all);
	if (!status)
		status = run_caps(&plan, settings, &all, &caps);
	if (!status)
		status = print_all(common, settings, &all, caps);
	free_caps(caps, all.n);
	free_estimates(&all);
	free(records.ios);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	struct settings settings = *(const struct settings *)data;
	enum exit_status status;
	struct drives drives;

	status = check(common, &settings, operands, n_operands);
	if (status)
		return status;
	status = read_drives(common, operands, n_operands, &drives);
	if (!status && settings.mix)
		status = estimate_mix(common, &settings, &drives);
	else if (!status)
		status = estimate(common, &settings, &drives);
	free_drives(&drives);
	return status;
}

static const struct group_use groups[] = {
	{ &named_policy_group, &the_settings.named },
	{ &apst_option_group, &the_settings.apst },
	{ &sim_option_group, &the_settings.sim },
	{ &trace_option_group, &the_settings.trace },
	{ &page_option_group, &the_settings.page },
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
	.summary = "Say what a power policy costs on a workload: energy, "
		   "wakes, delays.",
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm estimate --trace apst-1 \"WDC PC SN530\"\n"
		    "  ssdpm estimate -t apst-1 -a linux-legacy drive.json\n"
		    "  ssdpm estimate -t apst-1 --none --idle-power 0.5W "
		    "drive.json\n"
		    "  ssdpm estimate -t apst-1 --explain drive.json\n"
		    "  ssdpm estimate -t apst-1 --power-cap 1W drive.json\n"
		    "  ssdpm estimate --mix write=100% --power-cap "
		    "none:60s,2W:60s,1W:60s,none:60s drive.json\n"
		    "  ssdpm estimate -t apst-2 --spare 7% drive.json\n"
		    "  ssdpm estimate -t lomax --value nominal_energy_nj "
		    "drive.json\n",
	.run = run,
	.settings = &the_settings,
};
