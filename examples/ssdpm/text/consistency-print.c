/* SPDX-License-Identifier: MIT */
/* What ssdpm consistency found: a table, JSON, and the page. */
#include "work/consistency.h"

#include "measure/measure.h"
#include "text/output.h"

#include <math.h>
#include <stdlib.h>

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

struct rows {
	const struct iops_list *list;
	const struct consistency_options *options;
	bool powered;
	bool below;
};

static void make_head(const struct rows *rows, struct row *row)
{
	static const char *const heads[] = { "",	  "seconds",	"floor",
					     "p0.1",	  "p1",		"mean",
					     "variation", "floor/mean", "cliff",
					     "steady" };

	size_t n = sizeof(heads) / sizeof(heads[0]);

	for (size_t i = 0; i < n; i++)
		row_cell(row, i, "%s", heads[i]);
	if (rows->powered)
		row_cell(row, n++, "power");
	if (rows->below)
		row_cell(row, n, "below %s",
			 iops_text(rows->options->params.threshold_iops).text);
}

/* Of the plateau, and the mean. */
static struct number course_text(const struct iops_series *s)
{
	struct number text = { "-" };

	if (isfinite(s->plateau_w))
		snprintf(text.text, sizeof(text.text), "%.12s -> %.12s",
			 watts_text(s->plateau_w).text,
			 watts_text(s->mean_w).text);
	else if (isfinite(s->mean_w))
		text = watts_text(s->mean_w);
	return text;
}

static void make_row(const void *data, size_t number, struct row *row)
{
	const struct rows *rows = data;

	if (!number) {
		make_head(rows, row);
		return;
	}
	const struct iops_series *s = &rows->list->series[number - 1];
	const struct ssdpm_consistency *c = &s->found;

	row_cell(row, 0, "%s", s->name);
	row_cell(row, 1, "%s", count_text(c->n).text);
	row_cell(row, 2, "%s", iops_text(c->floor_iops).text);
	row_cell(row, 3, "%s", iops_text(c->p01_iops).text);
	row_cell(row, 4, "%s", iops_text(c->p1_iops).text);
	row_cell(row, 5, "%s", iops_text(c->mean_iops).text);
	row_cell(row, 6, "%s", percent_text(c->variation).text);
	row_cell(row, 7, "%s", percent_text(c->floor_share).text);
	row_cell(row, 8, "%s", second_text(c->cliff_s).text);
	row_cell(row, 9, "%s", second_text(c->steady_s).text);
	size_t n = 10;

	if (rows->powered)
		row_cell(row, n++, "%s", course_text(s).text);
	if (rows->below)
		row_cell(row, n, "%s", share_text(c->n_below, c->n).text);
}

static void print_table(const struct common *common, const struct rows *rows)
{
	char align[] = "<>>>>>>>>>>>";

	align[10 + rows->powered + rows->below] = 0;
	print_rows(align, make_row, rows, rows->list->n + 1);
	for (size_t i = 0; i < rows->list->n && !common->quiet; i++) {
		const struct iops_series *s = &rows->list->series[i];

		if (s->found.n_holes)
			remark("%s: the log has no line for %s of %s seconds, "
			       "which do not count: in such a second no "
			       "operation ended, or fio was held up",
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
		.plateau_power_w = s->plateau_w,
		.mean_power_w = s->mean_w,
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

static enum exit_status write_consistency_page(
	const struct consistency_options *options, const struct iops_list *list)
{
	struct items items = { 0 };
	size_t n = 0, step;
	struct page page;

	if (begin_page(&page, "How even writes go"))
		return STATUS_FAILED;
	for (size_t i = 0; i < list->n; i++)
		n += list->series[i].n;
	step = n / PAGE_POINTS + 1;
	fprintf(page.file, ", \"late_s\": %d, \"step_s\": %zu", LATE_S, step);
	add_list(&items, options, list, step);
	put_items(&page, "consistency", &items);
	return end_page(&options->page, &page);
}

enum exit_status print_consistency(const struct common *common,
				   const struct consistency_options *options,
				   const struct iops_list *list)
{
	struct rows rows = { list, options, false,
			     options->params.threshold_iops > 0 };
	enum exit_status status = STATUS_DONE;
	struct items items = { 0 };

	for (size_t i = 0; i < list->n; i++)
		rows.powered |= list->series[i].power_w != NULL;
	if (options->page.path)
		status = write_consistency_page(options, list);
	if (status)
		return status;
	if (!common->form) {
		print_table(common, &rows);
		return STATUS_DONE;
	}
	add_list(&items, options, list, options->series);
	return print_items(common, &items);
}
