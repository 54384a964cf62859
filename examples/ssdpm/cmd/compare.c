/* SPDX-License-Identifier: MIT */
/* ssdpm compare: several policies on the same workloads. */
#include "options/apst-options.h"
#include "work/comparison.h"
#include "html/html.h"
#include "options/numbers.h"
#include "text/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POLICIES 32
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
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "trace", 't', "FILE",
	  "the I/Os: a trace, - or a workload of ssdpm workload --list; may be "
	  "repeated",
	  SETS_TEXTS(struct settings, traces, n_traces) },
	{ "policy", 'p', "POLICY",
	  "linux, linux-legacy, windows:balanced:battery, lower-envelope, none, "
	  "a file with a table, or a link policy; may be repeated (default: "
	  "all); savings are against the first",
	  SETS_TEXTS(struct settings, policies, n_policies) },
	{ "csv", 0, NULL, "print CSV, a line a policy", SETS_FORM },
};

static size_t merged(const struct estimate *e, size_t row)
{
	size_t n = 0;

	for (size_t i = row + 1; i < e->n_jobs; i++)
		n += e->jobs[i].row.same_as == row;
	return n;
}

static void head_cells(struct table *rows)
{
	static const char *const heads[] = {
		"policy",    "energy",	"power", "saves",
		"low..high", "delayed", "mean",	 "p99",
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table_cell(rows, i, "%s", heads[i]);
	table_end_row(rows);
}

static void add_row(struct table *rows, const struct estimate *e, size_t row)
{
	const struct ssdpm_run *run = e->jobs[row].row.result->nominal;
	const struct ssdpm_saving saving = e->jobs[row].row.saving;

	table_cell(rows, 0, "%s%s", e->jobs[row].policy->name,
		   merged(e, row) ? " *" : "");
	table_cell(rows, 1, "%s", energy_text(run->energy_nj).text);
	table_cell(rows, 2, "%s", power_text((int64_t)run->mean_power_uw).text);
	if (row)
		table_cell(rows, 3, "%s", power_text(saving.nominal_uw).text);
	if (row && saving.low_uw != saving.high_uw)
		table_cell(
			rows, 4, "%s",
			power_range_text(saving.low_uw, saving.high_uw).text);
	table_cell(rows, 5, "%s",
		   share_text(run->n_delayed, all_ios(run)).text);
	table_cell(rows, 6, "%s", time_text(run->delay_mean_ns).text);
	table_cell(rows, 7, "%s", time_text(run->delay_p99_ns).text);
	table_end_row(rows);
}

static void print_merged(const struct estimate *e, size_t row)
{
	const char *before = "";

	if (!merged(e, row))
		return;
	printf("  * %s is also ", e->jobs[row].policy->name);
	for (size_t i = row + 1; i < e->n_jobs; i++) {
		if (e->jobs[i].row.same_as != row)
			continue;
		printf("%s%s", before, e->jobs[i].policy->name);
		before = ", ";
	}
	putchar('\n');
}

static void print_comparison(const struct settings *settings,
			     const struct estimate *e)
{
	const struct ssdpm_result *first = e->jobs[0].row.result;
	uint64_t n = all_ios(first->nominal);
	static struct table rows;

	print_subject(e, &settings->sim);
	printf("  %s %s in %s; savings are against %s", count_text(n).text,
	       n == 1 ? "I/O" : "I/Os",
	       time_text(first->nominal->duration_ns).text,
	       e->jobs[0].policy->name);
	if (first->low->mean_power_uw != first->high->mean_power_uw)
		printf(", which takes %s",
		       power_range_text((int64_t)first->low->mean_power_uw,
					(int64_t)first->high->mean_power_uw)
			       .text);
	putchar('\n');
	rows = (struct table){ .n_columns = 8, .align = "<>>>>>>>" };
	head_cells(&rows);
	for (size_t i = 0; i < e->n_jobs; i++)
		if (!is_merged(e, i))
			add_row(&rows, e, i);
	table_print(&rows);
	for (size_t i = 0; i < e->n_jobs; i++)
		print_merged(e, i);
}

static void csv_row(const struct estimate *e, const struct job *job)
{
	const struct ssdpm_result *r = job->row.result;
	const struct ssdpm_saving *s = &job->row.saving;
	const struct ssdpm_run *run = r->nominal;

	csv_text(e->subject->drive->name, ',');
	csv_text(e->trace, ',');
	csv_text(job->policy->name, ',');
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
	       ",%" PRIu64 ",%" PRIu64 ",",
	       run->duration_ns, r->low->energy_nj, run->energy_nj,
	       r->high->energy_nj, r->low->mean_power_uw, run->mean_power_uw,
	       r->high->mean_power_uw);
	printf("%" PRId64 ",%" PRId64 ",%" PRId64 ",", s->low_uw, s->nominal_uw,
	       s->high_uw);
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
	       ",%" PRIu64 "\n",
	       all_ios(run), run->n_delayed, run->delay_mean_ns,
	       run->delay_p99_ns, run->delay_max_ns, run->n_wakes);
}

/* A line for each policy: a reader of CSV wants no footnotes. */
static void print_csv(const struct estimates *all)
{
	csv_line(19, "drive", "trace", "policy", "duration_ns", "low_energy_nj",
		 "energy_nj", "high_energy_nj", "low_mean_power_uw",
		 "mean_power_uw", "high_mean_power_uw", "saving_low_uw",
		 "saving_nominal_uw", "saving_high_uw", "n_ios", "n_delayed",
		 "delay_mean_ns", "delay_p99_ns", "delay_max_ns", "n_wakes");
	for (size_t i = 0; i < all->n; i++) {
		const struct estimate *e = &all->estimates[i];

		for (size_t j = 0; j < e->n_jobs; j++)
			csv_row(e, &e->jobs[j]);
	}
}

static enum exit_status print_all(const struct common *common,
				  const struct settings *settings,
				  const struct estimates *all)
{
	struct items items = { 0 };

	if (common->form == FORM_OWN)
		print_csv(all);
	for (size_t i = 0; i < all->n && !common->form; i++) {
		if (i)
			putchar('\n');
		print_comparison(settings, &all->estimates[i]);
	}
	if (!common->form || common->form == FORM_OWN)
		return STATUS_DONE;
	for (size_t i = 0; i < all->n; i++)
		add_comparison(&items, &all->estimates[i], &settings->sim);
	return print_items(common, &items);
}

static enum exit_status check(const struct common *common,
			      const struct settings *settings, char **operands,
			      size_t n)
{
	if (!settings->n_traces)
		return usage_error(common, "no --trace given; see ssdpm "
					   "workload --list for workloads");
	if (is_given(&apst_option_group, settings->apst.given, "algorithm"))
		return usage_error(common, "--algorithm: name it with "
					   "--policy");
	if (check_apst_options(common, &settings->apst) ||
	    check_trace_options(common, &settings->trace, settings->traces,
				settings->n_traces))
		return STATUS_USAGE;
	if (check_stdin(common, operands, n, settings->traces,
			settings->n_traces))
		return STATUS_USAGE;
	return check_page(common, &settings->page);
}

static enum exit_status find_policies(const struct common *common,
				      const struct settings *settings,
				      struct policy policies[MAX_POLICIES],
				      size_t *ret_n)
{
	enum exit_status status = STATUS_DONE;
	size_t n = 0;
	const char *name;

	for (size_t i = 0; i < settings->n_policies && !status; i++)
		status = parse_policy(common, "policy", settings->policies[i],
				      &settings->apst.params, &policies[n++]);
	for (size_t i = 0; !settings->n_policies && !status &&
			   (name = ssdpm_policy_get_common(0, i));
	     i++)
		status = parse_policy(common, "policy", name,
				      &settings->apst.params, &policies[n++]);
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
	if (!status)
		status = run_plan(&plan, drives, settings->traces,
				  settings->n_traces, &all);
	if (!status && settings->page.path)
		status = write_estimates_page(&settings->page, &settings->sim,
					      &all);
	if (!status)
		status = print_all(common, settings, &all);
	free_estimates(&all);
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
	if (!status)
		status = compare(common, &settings, &drives);
	free_drives(&drives);
	return status;
}

static const struct group_use groups[] = {
	{ &apst_option_group, &the_settings.apst },
	{ &sim_option_group, &the_settings.sim },
	{ &trace_option_group, &the_settings.trace },
	{ &page_option_group, &the_settings.page },
};

static const struct option_group own = {
	OPTIONS(options),
};

const struct subcommand cmd_compare = {
	.name = "compare",
	.operands = "DRIVE...",
	.takes_drives = true,
	.list = "comparisons",
	.summary = "Compare power policies on a workload: energy, savings, "
		   "delays.",
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm compare --trace apst-1 \"WDC PC SN530\"\n"
		    "  ssdpm compare -t apst-1 -t apst-2 --csv drive.json\n"
		    "  ssdpm compare -t lomax --policy linux --policy none "
		    "drive.json\n",
	.run = run,
	.settings = &the_settings,
};
