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
};

/* Without a merged difference there is only the reason why. */
static void add_row(struct table *rows, const struct ssdpm_survey_merge_row *of)
{
	const struct ssdpm_survey_merged *g = of->merged;
	const struct cell policies = cell("%s - %s", of->policy, of->from);
	uint32_t q = of->quantity;

	if (!g) {
		table_row(rows, survey_title(q, of->fio, of->of).text,
			  policies.text, "", "", "", "", of->reason_text);
		return;
	}
	table_row(
		rows, survey_title(q, of->fio, of->of).text, policies.text,
		cell("%u", g->n_drives).text, quantity_text(q, g->mean_w).text,
		quantity_range(q, g->low_w, g->high_w).text,
		isnan(g->drive_low_w) ?
			"takes 3 drives" :
			quantity_range(q, g->drive_low_w, g->drive_high_w).text,
		cell("tau %s, I2 %.0f %%", quantity_text(q, g->tau_w).text,
		     100 * g->inconsistency)
			.text);
}

static void make_rows(const struct merged *m, struct table *rows)
{
	const struct ssdpm_survey_merge_row *of;

	table_begin(rows, "<<>>>><", "what", "policies", "drives", "difference",
		    "interval", "the next drive", "heterogeneity");
	for (size_t i = 0; (of = ssdpm_survey_merge_get_row(m->merge, i)); i++)
		add_row(rows, of);
}

/* The family of the intervals. */
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
	struct table rows;

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
	make_rows(m, &rows);
	table_print(&rows);
	put_family(stdout, m);
}

static void put_cell(FILE *file, const char *text)
{
	fputs("| ", file);
	put_text(file, text);
	putc(' ', file);
}

/* false: memory was used up. */
static bool put_rows(FILE *file, const struct merged *m)
{
	struct table rows;
	bool is_whole;
	size_t n;

	make_rows(m, &rows);
	is_whole = !rows.failed;
	n = strlen(rows.align);
	for (size_t i = 0; rows.n_cells > n && i < rows.n_cells; i++) {
		put_cell(file, rows.cells[i]);
		if (i % n == n - 1)
			fputs("|\n", file);
		if (i == n - 1)
			fputs("|---|---|---:|---:|---:|---:|---|\n", file);
	}
	table_free(&rows);
	return is_whole;
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
	struct markdown markdown;
	bool is_whole;

	if (begin_markdown(&markdown))
		return STATUS_FAILED;
	fputs("## Surveys of power policies, merged\n\n", markdown.file);
	put_parts(markdown.file, m);
	putc('\n', markdown.file);
	is_whole = put_rows(markdown.file, m);
	if (m->info->n_merged)
		putc('\n', markdown.file);
	put_family(markdown.file, m);
	if (is_whole)
		return end_markdown(&markdown, path);
	fclose(markdown.file);
	free(markdown.text);
	return out_of_memory();
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
	if (err)
		return failure("%s", error.message);
	m->info = ssdpm_survey_merge_get_info(m->merge);
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
