/* SPDX-License-Identifier: MIT */
/* Surveys of several drives and people as one: what holds for all of them. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct merged {
	struct survey_report *surveys;
	size_t n_surveys;
	struct ssdpm_survey_merge *merge;
	const struct ssdpm_survey_merge_info *info;
	size_t n_rows;
};

static const char *const head[] = { "what",	    "policies",
				    "drives",	    "difference",
				    "interval",	    "the next drive",
				    "heterogeneity" };
#define N_HEAD (sizeof(head) / sizeof(head[0]))

static void make_row(const void *data, size_t number, struct row *row)
{
	const struct merged *m = data;

	if (!number) {
		for (size_t i = 0; i < N_HEAD; i++)
			row_cell(row, i, "%s", head[i]);
		return;
	}
	const struct ssdpm_survey_merge_row *of =
		ssdpm_survey_merge_get_row(m->merge, number - 1);
	const struct ssdpm_survey_merged *g = of->merged;
	uint32_t q = of->quantity;

	row_cell(row, 0, "%s", survey_title(q, of->fio, of->of).text);
	row_cell(row, 1, "%s - %s", of->policy, of->from);
	if (!g) {
		row_cell(row, 6, "%s", of->reason_text);
		return;
	}
	row_cell(row, 2, "%u", g->n_drives);
	row_cell(row, 3, "%s", quantity_text(q, g->mean_w).text);
	row_cell(row, 4, "%s", quantity_range(q, g->low_w, g->high_w).text);
	row_cell(row, 5, "%s",
		 isnan(g->drive_low_w) ?
			 "takes 3 drives" :
			 quantity_range(q, g->drive_low_w, g->drive_high_w)
				 .text);
	row_cell(row, 6, "tau %s, I2 %.0f %%", quantity_text(q, g->tau_w).text,
		 100 * g->inconsistency);
}

/* What the intervals are of. */
static void put_family(FILE *file, const struct merged *m)
{
	if (!m->info->n_merged)
		return;
	if (m->info->n_merged == 1)
		fprintf(file, "interval: of %.4g %%\n",
			100 * (1 - m->info->error_rate));
	else
		fprintf(file,
			"intervals: each of %.4g %%, so that the %" PRIu64
			" of a column hold together with %.4g %% "
			"(Bonferroni)\n",
			100 * (1 - m->info->row_error_rate), m->info->n_merged,
			100 * (1 - m->info->error_rate));
}

static void print_merged(const struct merged *m)
{
	const struct ssdpm_survey_merge_part *part;
	const uint64_t n = m->info->n_surveys, drives = m->info->n_drives;

	printf("%" PRIu64 " %s of %" PRIu64 " %s\n", n,
	       n == 1 ? "survey" : "surveys", drives,
	       drives == 1 ? "drive" : "drives");
	for (size_t i = 0; (part = ssdpm_survey_merge_get_part(m->merge, i));
	     i++)
		if (part->reason)
			printf("  left out %s: %s\n", part->name,
			       part->reason_text);
		else
			printf("  %s: %s\n", part->name, part->drive);
	if (m->n_rows)
		print_rows("<<>>>><", make_row, m, m->n_rows + 1);
	put_family(stdout, m);
}

static void put_cell(FILE *file, const char *text)
{
	fputs("| ", file);
	put_text(file, text);
	putc(' ', file);
}

static void put_parts(FILE *file, const struct merged *m)
{
	const struct ssdpm_survey_merge_part *part;

	for (size_t i = 0; (part = ssdpm_survey_merge_get_part(m->merge, i));
	     i++) {
		put_cell(file, part->drive);
		put_cell(file, part->reason ? part->reason_text : "used");
		fputs("|\n", file);
		if (!i)
			fputs("|---|---|\n", file);
	}
}

static enum exit_status write_merged_markdown(const struct merged *m,
					      const char *path)
{
	FILE *file = open_markdown(path);

	if (!file)
		return STATUS_FAILED;
	fputs("## Surveys of power policies, merged\n\n", file);
	put_parts(file, m);
	putc('\n', file);
	for (size_t i = 0; m->n_rows && i <= m->n_rows; i++) {
		struct row row = { 0 };

		make_row(m, i, &row);
		for (size_t k = 0; k < N_HEAD; k++)
			put_cell(file, row.cells[k]);
		fputs("|\n", file);
		if (!i)
			fputs("|---|---|---:|---:|---:|---:|---|\n", file);
	}
	if (m->info->n_merged)
		putc('\n', file);
	put_family(file, m);
	return close_markdown(file, path);
}

static enum exit_status print_result(const struct common *common,
				     const struct survey_report_options *s,
				     const struct merged *m)
{
	struct ssdpm_error error;
	char *json = NULL;
	int err;

	if (s->markdown && write_merged_markdown(m, s->markdown))
		return STATUS_FAILED;
	if (s->markdown && !strcmp(s->markdown, "-"))
		return STATUS_DONE;
	if (!common->form) {
		print_merged(m);
		return STATUS_DONE;
	}
	err = ssdpm_survey_merge_to_json(m->merge, &json, &error);
	return print_item(common, err, json, &error);
}

static enum exit_status load_all(struct merged *m,
				 const struct survey_report_options *settings,
				 char **names, size_t n)
{
	m->surveys = calloc(n, sizeof(*m->surveys));
	if (!m->surveys)
		return out_of_memory();
	for (size_t i = 0; i < n; i++) {
		m->n_surveys++;
		if (load_survey(names[i], settings, &m->surveys[i]))
			return STATUS_FAILED;
	}
	return STATUS_DONE;
}

static enum exit_status merge(struct merged *m, double error_rate)
{
	const struct ssdpm_survey_result **results =
		calloc(m->n_surveys, sizeof(*results));
	struct ssdpm_error error = { .message = "out of memory" };
	int err = -1;

	for (size_t i = 0; results && i < m->n_surveys; i++)
		results[i] = m->surveys[i].result;
	if (results)
		err = ssdpm_survey_merge_new(results, m->n_surveys, error_rate,
					     &m->merge, &error);
	free(results);
	if (err) {
		complain("%s", error.message);
		return STATUS_FAILED;
	}
	m->info = ssdpm_survey_merge_get_info(m->merge);
	while (ssdpm_survey_merge_get_row(m->merge, m->n_rows))
		m->n_rows++;
	return STATUS_DONE;
}

enum exit_status merge_surveys(const struct common *common,
			       const struct survey_report_options *settings,
			       char **names, size_t n)
{
	enum exit_status status = check_markdown(common, settings);
	struct merged m = { 0 };

	if (status)
		return status;
	if (settings->system_power_w > 0)
		return usage_error(common, "merge takes no --system-power");
	status = load_all(&m, settings, names, n);
	if (!status)
		status = merge(&m, settings->error_rate);
	if (!status)
		status = print_result(common, settings, &m);
	ssdpm_survey_merge_free(m.merge);
	for (size_t i = 0; i < m.n_surveys; i++)
		free_survey(&m.surveys[i]);
	free(m.surveys);
	return status;
}
