/* SPDX-License-Identifier: MIT */
/* The report of a survey for people. */
#include "report/report.h"

#include <math.h>
#include <string.h>

static struct number percent_text(double share)
{
	struct number text = { "-" };

	if (isfinite(share))
		snprintf(text.text, sizeof(text.text), "%.3g %%", share * 100);
	return text;
}

static void print_facts(const struct survey_report *report)
{
	static const char *const keys[] = { "drive", "machine", "meter",
					    "found" };
	const struct ssdpm_survey_params *p =
		ssdpm_survey_file_get_params(report->file);
	const char *value;

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		for (size_t i = 0; (value = ssdpm_survey_file_get_fact(
					    report->file, keys[k], i));
		     i++)
			printf("  %s: %s\n", keys[k], value);
	if (p->settle_ns && p->interval_ns && p->duration_ns)
		printf("  each run: %s to settle, then a reading each %s for "
		       "%s\n",
		       time_text(p->settle_ns).text,
		       time_text(p->interval_ns).text,
		       time_text(p->duration_ns).text);
}

/* "  2 runs that were interrupted are left out" */
static void print_left_out(uint64_t n, const char *one, const char *words)
{
	if (n)
		printf("  %s %s\n", counted(n, one).text, words);
}

static void print_runs(const struct survey_report *report)
{
	const struct ssdpm_survey_counts *counts =
		ssdpm_survey_file_get_counts(report->file);
	const struct ssdpm_survey_result_info *info = report->info;

	printf("%s: %s complete runs of %u policies, %s rows\n", report->name,
	       count_text(info->n_complete).text,
	       ssdpm_survey_file_get_params(report->file)->n_policies,
	       count_text(counts->n_rows).text);
	print_facts(report);
	print_left_out(info->n_incomplete, "incomplete run", "left out");
	print_left_out(info->n_replaced, "run",
		       "left out, since a later one is of the same");
	print_left_out(counts->n_cut, "row", "cut off, and left out");
	print_left_out(info->n_empty, "run", "without a reading, left out");
	print_left_out(info->n_short, "run",
		       "too short, or all the same: whether it had settled "
		       "cannot be told");
	print_left_out(info->n_rise, "run",
		       "rose slowly after settling (an averaging artefact): "
		       "the mean is of the rest");
	print_left_out(info->n_fall, "run",
		       "fell slowly after settling (an averaging artefact): "
		       "the mean is of the rest");
	print_left_out(info->n_unsettled, "run",
		       "not settled at the end: settle longer");
}

static void print_means(const struct survey_report *report,
			const struct ssdpm_survey_comparison *c)
{
	const bool power = c->quantity == SSDPM_SURVEY_POWER;
	struct table rows;

	table_begin(&rows, power ? "<>>>>" : "<>>>", "policy", "runs", "mean",
		    "95 % interval");
	if (power)
		table_cell(&rows, "share");
	for (uint32_t i = 0; i < c->n_policies; i++) {
		const struct ssdpm_survey_mean *m = &c->analysis->means[i];

		table_row(
			&rows, survey_policy(report, m->policy),
			cell("%u", m->n_runs).text,
			quantity_text(c->quantity, m->mean_w).text,
			quantity_range(c->quantity, m->low_w, m->high_w).text);
		if (power)
			table_cell(&rows, "%s", percent_text(m->share).text);
	}
	table_print(&rows);
}

static void print_differences(const struct survey_report *report,
			      const struct ssdpm_survey_comparison *c)
{
	const size_t n = c->n_policies;
	struct table rows;

	table_begin(&rows, "<>>><", "difference", "", "interval", "p", "");
	for (size_t i = 0; i < n * (n - 1) / 2; i++) {
		const struct ssdpm_survey_difference *d =
			&c->analysis->differences[i];

		table_row(&rows,
			  cell("%s - %s", survey_policy(report, d->policy),
			       survey_policy(report, d->other_policy))
				  .text,
			  quantity_text(c->quantity, d->difference_w).text,
			  quantity_range(c->quantity, d->low_w, d->high_w).text,
			  survey_p_text(d->p).text,
			  d->different ? "differ" : "not shown");
	}
	table_print(&rows);
}

/* Where differences cannot be told, each run stands for itself. */
static void print_each_run(const struct survey_report *report,
			   const struct ssdpm_survey_comparison *c)
{
	struct table rows;

	table_begin(&rows, "<>>", "policy", "block", "run");
	for (size_t i = 0; i < c->n_runs; i++)
		table_row(&rows, survey_policy(report, c->runs[i].policy),
			  cell("%u", c->runs[i].block + 1).text,
			  quantity_text(c->quantity, c->runs[i].mean_w).text);
	table_print(&rows);
}

static void print_comparison(const struct survey_report *report,
			     const struct ssdpm_survey_comparison *c)
{
	printf("\n%s%s\n", comparison_title(c).text,
	       c->quantity == SSDPM_SURVEY_POWER || c->fio ?
		       "" :
		       " of the scenario's own I/O");
	if (c->reason) {
		printf("  %s\n", c->reason_text);
		print_each_run(report, c);
		return;
	}
	print_means(report, c);
	print_differences(report, c);
	if (c->n_few)
		printf("  %u of the policies: fewer than 3 runs, left out\n",
		       c->n_few);
	if (c->analysis->n_missing)
		printf("  runs that are missing: %u\n", c->analysis->n_missing);
}

static void print_indented(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		printf("    %.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static void print_advice_of(const struct survey_advice *advice)
{
	puts("\nrecommendation");
	for (size_t i = 0; i < advice->n_lines; i++)
		printf("  %s\n", advice->lines[i]);
	if (advice->warning)
		printf("  warning: %s\n", advice->warning);
	if (advice->setting[0])
		printf("  set it: %s\n", advice->setting);
	if (advice->rule[0]) {
		puts("  to keep it, a rule of udev:");
		print_indented(advice->rule);
	}
}

void print_survey(const struct survey_report *report,
		  const struct survey_advice *advice)
{
	const struct ssdpm_survey_comparison *c;

	print_runs(report);
	for (size_t i = 0;
	     (c = ssdpm_survey_result_get_comparison(report->result, i)); i++)
		print_comparison(report, c);
	if (ssdpm_survey_result_get_recommendation(report->result)->comparison)
		printf("\nall intervals of differences in power hold together "
		       "in %.4g of 100 surveys, and so do those of what they "
		       "cost\n",
		       100 * (1 - report->info->error_rate));
	print_advice_of(advice);
}
