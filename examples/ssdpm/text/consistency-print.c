/* SPDX-License-Identifier: MIT */
/* What ssdpm consistency found: a table, JSON, and the page. */
#include "work/consistency.h"

#include "measure/measure.h"
#include "text/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As the review has it: where steady state begins. */
#define LATE_S 1400
/* Points of all logs together on a page. */
#define PAGE_POINTS 100000

static struct number iops_text(double iops)
{
	struct number text = { "-" };

	return isfinite(iops) ? count_text((uint64_t)(iops + 0.5)) : text;
}

static struct number second_text(double second)
{
	struct number text = { "-" };

	if (isfinite(second))
		snprintf(text.text, sizeof(text.text), "%.0f s", second);
	return text;
}

static struct number percent_text(double share)
{
	struct number text = { "-" };

	if (isfinite(share))
		snprintf(text.text, sizeof(text.text), "%.1f %%", 100 * share);
	return text;
}

/* The power of the plateau, and the mean power. */
static struct number course_text(const struct ssdpm_consistency *c)
{
	struct number text = { "-" };

	if (isfinite(c->plateau_power_w))
		snprintf(text.text, sizeof(text.text), "%.12s -> %.12s",
			 watts_text(c->plateau_power_w).text,
			 watts_text(c->mean_power_w).text);
	else if (isfinite(c->mean_power_w))
		text = watts_text(c->mean_power_w);
	return text;
}

static bool is_powered(const struct iops_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->series[i].power_w)
			return true;
	return false;
}

static void add_row(struct table *rows, const struct iops_series *s)
{
	const struct ssdpm_consistency *c = &s->found;

	table_row(rows, s->name, count_text(c->n).text,
		  iops_text(c->floor_iops).text, iops_text(c->p01_iops).text,
		  iops_text(c->p1_iops).text, iops_text(c->mean_iops).text,
		  percent_text(c->variation).text,
		  percent_text(c->floor_share).text,
		  second_text(c->cliff_s).text, second_text(c->steady_s).text);
}

static void print_rows(const struct consistency_options *options,
		       const struct iops_list *list)
{
	const double threshold_iops = options->params.threshold_iops;
	const bool powered = is_powered(list), below = threshold_iops > 0;
	char align[] = "<>>>>>>>>>>>";
	struct table rows;

	align[10 + powered + below] = 0;
	table_begin(&rows, align, "", "seconds", "floor", "p0.1", "p1", "mean",
		    "variation", "floor/mean", "cliff", "steady");
	if (powered)
		table_cell(&rows, "power");
	if (below)
		table_cell(&rows, "below %s", iops_text(threshold_iops).text);
	for (size_t i = 0; i < list->n; i++) {
		const struct ssdpm_consistency *c = &list->series[i].found;

		add_row(&rows, &list->series[i]);
		if (powered)
			table_cell(&rows, "%s", course_text(c).text);
		if (below)
			table_cell(&rows, "%s",
				   share_text(c->n_below, c->n).text);
	}
	table_print(&rows);
}

static void remark_holes(const struct iops_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct iops_series *s = &list->series[i];

		if (s->found.n_holes)
			remark("%s: the log has no line for %s of %s seconds, "
			       "which do not count. No operation ended in "
			       "them, or fio was held up",
			       s->name, count_text(s->found.n_holes).text,
			       count_text(s->found.n_holes + s->found.n).text);
	}
}

/* The worst of a few seconds; NaN: nothing is known of them. */
static double worst_of(const struct iops_series *s, size_t begin, size_t step)
{
	double worst = NAN;

	for (size_t i = begin; i < begin + step && i < s->n; i++)
		if (!(s->iops[i] >= worst))
			worst = isnan(s->iops[i]) ? worst : s->iops[i];
	return worst;
}

static double mean_power(const struct iops_series *s, size_t begin, size_t step)
{
	double sum = 0;
	size_t end = begin + step < s->n ? begin + step : s->n;

	for (size_t i = begin; i < end; i++)
		sum += s->power_w[i];
	return sum / (double)(end - begin);
}

/* Each second, or, on a page, each step: its worst, and its mean power. */
static enum exit_status write_seconds_of(
	struct ssdpm_consistency_report *report, const struct iops_series *s,
	size_t step)
{
	double *iops, *power_w = NULL;

	report->n_seconds = (s->n + step - 1) / step;
	iops = calloc(report->n_seconds + 1, sizeof(*iops));
	if (s->power_w)
		power_w = calloc(report->n_seconds + 1, sizeof(*power_w));
	report->iops = iops;
	report->power_w = power_w;
	if (!iops || (s->power_w && !power_w))
		return out_of_memory();
	for (size_t i = 0; i < report->n_seconds; i++) {
		iops[i] = worst_of(s, i * step, step);
		if (power_w)
			power_w[i] = mean_power(s, i * step, step);
	}
	return STATUS_DONE;
}

static void add_series_item(struct items *items,
			    const struct consistency_options *options,
			    const struct iops_series *s, size_t step)
{
	struct ssdpm_consistency_report report = {
		.size = sizeof(report),
		.name = s->name,
		.spare_ppm = s->spare_ppm,
		.threshold_iops = options->params.threshold_iops,
		.found = &s->found,
	};
	struct ssdpm_error error;
	char *text = NULL;
	int err;

	if (step && write_seconds_of(&report, s, step)) {
		items->failed = true;
	} else {
		err = ssdpm_consistency_report_to_json(&report, &text, &error);
		add_item(items, err, text, &error);
	}
	free((void *)report.iops);
	free((void *)report.power_w);
}

static void add_list(struct items *items,
		     const struct consistency_options *options,
		     const struct iops_list *list, size_t step)
{
	for (size_t i = 0; i < list->n && !items->failed; i++)
		add_series_item(items, options, &list->series[i], step);
}

/* The one with the highest floor; NULL: nothing was measured. */
static const struct iops_series *steadiest(const struct iops_list *list)
{
	const struct iops_series *best = NULL;

	for (size_t i = 0; i < list->n; i++) {
		const struct iops_series *s = &list->series[i];

		if (isfinite(s->found.floor_iops) &&
		    (!best || s->found.floor_iops > best->found.floor_iops))
			best = s;
	}
	return best;
}

static char *verdict_on(const struct iops_list *list,
			const struct iops_series *best)
{
	const char *form =
		list->n > 1 ? "%s has the highest floor: %s operations per "
			      "second, %s of its mean." :
			      "%s does not fall below %s operations per "
			      "second, %s of its mean.";
	char *text;

	if (!best)
		return strdup("No second of a log counts.");
	if (asprintf(&text, form, best->name,
		     iops_text(best->found.floor_iops).text,
		     percent_text(best->found.floor_share).text) < 0)
		return NULL;
	return text;
}

static enum exit_status begin_consistency_page(struct page *page,
					       const struct iops_list *list)
{
	const struct iops_series *best = steadiest(list);
	char *verdict = verdict_on(list, best);
	enum exit_status status =
		verdict ? begin_page(page, "How even writes go", verdict) :
			  out_of_memory();

	free(verdict);
	if (!status && best && list->n > 1)
		fprintf(page->file, ", \"marked\": %zu",
			(size_t)(best - list->series));
	return status;
}

static enum exit_status write_consistency_page(
	const struct common *common, const struct consistency_options *options,
	const struct iops_list *list)
{
	struct items items = { 0 };
	size_t n = 0, step;
	struct page page;

	if (begin_consistency_page(&page, list))
		return STATUS_FAILED;
	for (size_t i = 0; i < list->n; i++)
		n += list->series[i].n;
	step = n / PAGE_POINTS + 1;
	fprintf(page.file, ", \"late_s\": %d, \"step_s\": %zu", LATE_S, step);
	add_list(&items, options, list, step);
	put_items(&page, "consistency", &items);
	return end_page(common, &options->page, &page);
}

enum exit_status print_consistency(const struct common *common,
				   const struct consistency_options *options,
				   const struct iops_list *list)
{
	enum exit_status status = STATUS_DONE;
	struct items items = { 0 };

	if (options->page.path)
		status = write_consistency_page(common, options, list);
	if (status)
		return status;
	if (!common->form) {
		print_rows(options, list);
		if (!common->quiet)
			remark_holes(list);
		return STATUS_DONE;
	}
	add_list(&items, options, list, options->series);
	return print_items(common, &items);
}
