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
		printf("  %s %s%s %s\n", count_text(n).text, one,
		       n == 1 ? "" : "s", words);
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

struct part {
	const struct survey_report *report;
	const struct ssdpm_survey_comparison *c;
};

static void mean_row(const void *data, size_t number, struct row *row)
{
	const struct part *part = data;
	const struct ssdpm_survey_comparison *c = part->c;
	static const char *const head[] = { "policy", "runs", "mean",
					    "95 % interval", "share" };
	bool power = c->quantity == SSDPM_SURVEY_POWER;

	if (!number) {
		for (size_t i = 0; i < (power ? 5 : 4); i++)
			row_cell(row, i, "%s", head[i]);
		return;
	}
	const struct ssdpm_survey_mean *m = &c->analysis->means[number - 1];
	row_cell(row, 0, "%s", survey_policy(part->report, m->policy));
	row_cell(row, 1, "%u", m->n_runs);
	row_cell(row, 2, "%s", quantity_text(c->quantity, m->mean_w).text);
	row_cell(row, 3, "%s",
		 quantity_range(c->quantity, m->low_w, m->high_w).text);
	if (power)
		row_cell(row, 4, "%s", percent_text(m->share).text);
}

static void difference_row(const void *data, size_t number, struct row *row)
{
	const struct part *part = data;
	const struct ssdpm_survey_comparison *c = part->c;
	static const char *const head[] = { "difference", "", "interval", "p",
					    "" };

	if (!number) {
		for (size_t i = 0; i < 5; i++)
			row_cell(row, i, "%s", head[i]);
		return;
	}
	const struct ssdpm_survey_difference *d =
		&c->analysis->differences[number - 1];
	row_cell(row, 0, "%s - %s", survey_policy(part->report, d->policy),
		 survey_policy(part->report, d->other_policy));
	row_cell(row, 1, "%s",
		 quantity_text(c->quantity, d->difference_w).text);
	row_cell(row, 2, "%s",
		 quantity_range(c->quantity, d->low_w, d->high_w).text);
	row_cell(row, 3, "%s", survey_p_text(d->p).text);
	row_cell(row, 4, "%s", d->different ? "differ" : "not shown");
}

/* Where differences cannot be told, each run stands for itself. */
static void run_row(const void *data, size_t number, struct row *row)
{
	const struct part *part = data;
	const struct ssdpm_survey_comparison *c = part->c;
	static const char *const head[] = {
		"policy",
		"block",
		"run",
	};

	if (!number) {
		for (size_t i = 0; i < 3; i++)
			row_cell(row, i, "%s", head[i]);
		return;
	}
	const struct ssdpm_survey_run *run = &c->runs[number - 1];
	row_cell(row, 0, "%s", survey_policy(part->report, run->policy));
	row_cell(row, 1, "%u", run->block + 1);
	row_cell(row, 2, "%s", quantity_text(c->quantity, run->mean_w).text);
}

static void print_comparison(const struct survey_report *report,
			     const struct ssdpm_survey_comparison *c)
{
	const struct part part = { report, c };
	size_t n = c->n_policies;

	printf("\n%s%s\n", comparison_title(c).text,
	       c->quantity == SSDPM_SURVEY_POWER || c->fio ?
		       "" :
		       " of the scenario's own I/O");
	if (c->reason) {
		printf("  %s\n", c->reason_text);
		print_rows("<>>", run_row, &part, c->n_runs + 1);
		return;
	}
	print_rows(c->quantity == SSDPM_SURVEY_POWER ? "<>>>>" : "<>>>",
		   mean_row, &part, n + 1);
	print_rows("<>>><", difference_row, &part, n * (n - 1) / 2 + 1);
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
