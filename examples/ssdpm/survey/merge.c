/* SPDX-License-Identifier: MIT */
/* Surveys of several drives and people as one: what holds for all of them. */
#include "report/report.h"

#include "measure/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 256

struct merge_file {
	struct survey_result result;
	char drive[NAME_BYTES]; /* its product */
	uint32_t number;	/* of the drive */
	char why[384];		/* it is left out; "": it is not */
};

/* A policy in a scenario, against another one. */
struct merge_row {
	const struct survey_comparison *like; /* quantity and scenario */
	const char *policy;
	const char *from;
	struct ssdpm_survey_merged merged;
	char why[224]; /* it could not be merged */
};

struct merger {
	struct merge_file *files;
	size_t n_files;
	struct merge_row *rows;
	size_t n_rows, room;
	size_t n_merged;   /* rows that have intervals, */
	double error_rate; /* which all hold together but for this */
	struct ssdpm_survey_result *results; /* room for a file each */
};

/* "Fixture SSD 256GB" of "Fixture SSD 256GB, FW 1.0"; else the file. */
static void name_drive(struct merge_file *file)
{
	const char *fact =
		ssdpm_survey_file_get_fact(file->result.file, "drive", 0);
	const char *comma = fact ? strrchr(fact, ',') : NULL;
	int length = comma ? (int)(comma - fact) : NAME_BYTES - 1;

	if (fact && length)
		snprintf(file->drive, sizeof(file->drive), "%.*s", length,
			 fact);
	else
		snprintf(file->drive, sizeof(file->drive), "%s",
			 file->result.name);
}

static bool is_same_survey(const struct survey_result *a,
			   const struct survey_result *b)
{
	if (a->n_runs != b->n_runs || !a->n_runs)
		return false;
	for (size_t i = 0; i < a->n_runs; i++) {
		const struct ssdpm_survey_readings *x = a->runs[i].readings;
		const struct ssdpm_survey_readings *y = b->runs[i].readings;

		if (x->n != y->n ||
		    memcmp(x->power_w, y->power_w, x->n * sizeof(double)))
			return false;
	}
	return true;
}

/* Is there anything in it that can be merged? */
static void look_at(struct merger *m, size_t i)
{
	struct merge_file *file = &m->files[i];
	const struct survey_result *r = &file->result;

	file->number = (uint32_t)i;
	for (size_t k = i; k-- > 0;) {
		if (!strcmp(m->files[k].drive, file->drive))
			file->number = m->files[k].number;
		if (is_same_survey(&m->files[k].result, r))
			snprintf(file->why, sizeof(file->why),
				 "it is the same survey as %.300s",
				 m->files[k].result.name);
	}
	if (file->why[0])
		return;
	for (size_t c = 0; c < r->n_comparisons; c++)
		if (r->comparisons[c].compared)
			return;
	snprintf(file->why, sizeof(file->why), "%s",
		 r->n_comparisons ? r->comparisons[0].why :
				    "it has no complete run");
}

static const struct survey_comparison *find_like(
	const struct merge_file *file, const struct survey_comparison *like)
{
	for (size_t i = 0; !file->why[0] && i < file->result.n_comparisons;
	     i++) {
		const struct survey_comparison *c =
			&file->result.comparisons[i];

		if (c->compared && c->quantity == like->quantity &&
		    c->fio == like->fio && !strcmp(c->of, like->of))
			return c;
	}
	return NULL;
}

static bool has_policy(const struct merge_file *file,
		       const struct survey_comparison *c, const char *name,
		       uint32_t *ret_i)
{
	for (uint32_t i = 0; i < c->n_policies; i++)
		if (!strcmp(survey_policy(&file->result, c, i), name)) {
			*ret_i = i;
			return true;
		}
	return false;
}

static size_t count_files(const struct merger *m,
			  const struct survey_comparison *like,
			  const char *policy)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_files; i++) {
		const struct survey_comparison *c =
			find_like(&m->files[i], like);
		uint32_t k;

		n += c && has_policy(&m->files[i], c, policy, &k);
	}
	return n;
}

/* The differences of one pair in all files. */
static size_t collect(const struct merger *m, const struct merge_row *row)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_files; i++) {
		const struct merge_file *file = &m->files[i];
		const struct survey_comparison *c = find_like(file, row->like);
		uint32_t a, b;
		double sign;

		if (!c || !has_policy(file, c, row->policy, &a) ||
		    !has_policy(file, c, row->from, &b))
			continue;
		const struct ssdpm_survey_difference *d =
			find_difference(c, a, b, &sign);
		m->results[n++] = (struct ssdpm_survey_result){
			.mean_w = sign * d->difference_w,
			.se_w = d->se_w,
			.drive = file->number,
		};
	}
	return n;
}

static enum exit_status add_row(struct merger *m,
				const struct survey_comparison *like,
				const char *policy, const char *from)
{
	if (m->n_rows == m->room) {
		size_t room = m->room ? 2 * m->room : 32;
		struct merge_row *rows =
			reallocarray(m->rows, room, sizeof(*rows));

		if (!rows) {
			complain("out of memory");
			return STATUS_FAILED;
		}
		m->rows = rows;
		m->room = room;
	}
	struct merge_row *row = &m->rows[m->n_rows++];

	*row = (struct merge_row){ .like = like,
				   .policy = policy,
				   .from = from };
	size_t n = collect(m, row);
	if (ssdpm_survey_merge(m->results, n, 0, 0, &row->merged, NULL))
		snprintf(row->why, sizeof(row->why),
			 "of one drive: two or more are needed");
	else
		m->n_merged++;
	return STATUS_DONE;
}

static double row_error_rate(const struct merger *m)
{
	return m->error_rate / (double)(m->n_merged ? m->n_merged : 1);
}

/* When all rows are known: each has its part of the error. */
static void set_intervals(struct merger *m)
{
	for (size_t i = 0; i < m->n_rows; i++) {
		struct merge_row *row = &m->rows[i];

		if (!row->why[0])
			ssdpm_survey_merge(m->results, collect(m, row), 0,
					   row_error_rate(m), &row->merged,
					   NULL);
	}
}

/* The first of those that most files have. */
static const char *choose_from(const struct merger *m,
			       const struct survey_comparison *like)
{
	const char *from = NULL;
	size_t most = 0;

	for (size_t i = 0; i < m->n_files; i++) {
		const struct survey_comparison *c =
			find_like(&m->files[i], like);

		for (uint32_t k = 0; c && k < c->n_policies; k++) {
			const char *name =
				survey_policy(&m->files[i].result, c, k);
			size_t n = count_files(m, like, name);

			if (n > most) {
				most = n;
				from = name;
			}
		}
	}
	return from;
}

static bool has_row(const struct merger *m,
		    const struct survey_comparison *like, const char *policy)
{
	for (size_t i = 0; i < m->n_rows; i++) {
		const struct merge_row *row = &m->rows[i];

		if (row->like->quantity == like->quantity &&
		    row->like->fio == like->fio &&
		    !strcmp(row->like->of, like->of) &&
		    (!policy || !strcmp(row->policy, policy)))
			return true;
	}
	return false;
}

/* All pairs of a scenario. */
static enum exit_status merge_like(struct merger *m,
				   const struct survey_comparison *like)
{
	const char *from = choose_from(m, like);
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < m->n_files; i++) {
		const struct survey_comparison *c =
			find_like(&m->files[i], like);

		for (uint32_t k = 0; c && !status && k < c->n_policies; k++) {
			const char *name =
				survey_policy(&m->files[i].result, c, k);

			if (strcmp(name, from) && !has_row(m, like, name))
				status = add_row(m, like, name, from);
		}
	}
	return status;
}

static enum exit_status merge_all(struct merger *m)
{
	enum exit_status status = STATUS_DONE;

	for (uint32_t q = 0; q < N_QUANTITIES; q++)
		for (size_t i = 0; i < m->n_files; i++) {
			const struct survey_result *r = &m->files[i].result;

			for (size_t c = 0; !status && c < r->n_comparisons;
			     c++) {
				const struct survey_comparison *like =
					&r->comparisons[c];

				if (like->quantity == q &&
				    find_like(&m->files[i], like) &&
				    !has_row(m, like, NULL))
					status = merge_like(m, like);
			}
		}
	return status;
}

static size_t count_used(const struct merger *m, size_t *ret_n_drives)
{
	size_t n = 0, drives = 0;

	for (size_t i = 0; i < m->n_files; i++) {
		bool is_first = true;

		if (m->files[i].why[0])
			continue;
		n++;
		for (size_t k = 0; k < i; k++)
			if (!m->files[k].why[0] &&
			    m->files[k].number == m->files[i].number)
				is_first = false;
		drives += is_first;
	}
	*ret_n_drives = drives;
	return n;
}

static const char *const head[] = { "what",	    "policies",
				    "drives",	    "difference",
				    "interval",	    "the next drive",
				    "heterogeneity" };
#define N_HEAD (sizeof(head) / sizeof(head[0]))

static void make_row(const void *data, size_t number, struct row *row)
{
	const struct merger *m = data;

	if (!number) {
		for (size_t i = 0; i < N_HEAD; i++)
			row_cell(row, i, "%s", head[i]);
		return;
	}
	const struct merge_row *of = &m->rows[number - 1];
	const struct ssdpm_survey_merged *g = &of->merged;
	enum survey_quantity q = of->like->quantity;

	row_cell(row, 0, "%s", comparison_title(of->like).text);
	row_cell(row, 1, "%s - %s", of->policy, of->from);
	if (of->why[0]) {
		row_cell(row, 6, "%s", of->why);
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
static void put_family(FILE *file, const struct merger *m)
{
	if (m->n_merged == 1)
		fprintf(file, "interval: of %.4g %%\n",
			100 * (1 - m->error_rate));
	else
		fprintf(file,
			"intervals: each of %.4g %%, so that the %zu of a "
			"column hold together with %.4g %% (Bonferroni)\n",
			100 * (1 - row_error_rate(m)), m->n_merged,
			100 * (1 - m->error_rate));
}

static void print_merger(const struct merger *m)
{
	size_t n_drives, n = count_used(m, &n_drives);

	printf("%zu %s of %zu %s\n", n, n == 1 ? "survey" : "surveys", n_drives,
	       n_drives == 1 ? "drive" : "drives");
	for (size_t i = 0; i < m->n_files; i++)
		if (m->files[i].why[0])
			printf("  left out %s: %s\n", m->files[i].result.name,
			       m->files[i].why);
		else
			printf("  %s: %s\n", m->files[i].result.name,
			       m->files[i].drive);
	if (m->n_rows)
		print_rows("<<>>>><", make_row, m, m->n_rows + 1);
	if (m->n_merged)
		put_family(stdout, m);
}

/* What comes from a file ends no cell. */
static void put_cell(FILE *file, const char *text)
{
	fputs("| ", file);
	for (; *text; text++) {
		if (strchr("|\\`*_<>[]#", *text))
			putc('\\', file);
		putc(*text, file);
	}
	putc(' ', file);
}

static void put_markdown(FILE *file, const struct merger *m)
{
	fputs("## Surveys of power policies, merged\n\n", file);
	for (size_t i = 0; i < m->n_files; i++) {
		put_cell(file, m->files[i].drive);
		put_cell(file, m->files[i].why[0] ? m->files[i].why : "used");
		fputs("|\n", file);
		if (!i)
			fputs("|---|---|\n", file);
	}
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
	if (m->n_merged) {
		putc('\n', file);
		put_family(file, m);
	}
}

static enum exit_status write_merger_markdown(const struct merger *m,
					      const char *path)
{
	FILE *file = open_markdown(path);

	if (!file)
		return STATUS_FAILED;
	put_markdown(file, m);
	return close_markdown(file, path);
}

static void write_files(struct json_writer *w, const struct merger *m)
{
	ssdpm__json_begin(w, "files", '[');
	for (size_t i = 0; i < m->n_files; i++) {
		const struct merge_file *file = &m->files[i];

		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_string(w, "file", file->result.name);
		ssdpm__json_string(w, "drive", file->drive);
		ssdpm__json_string(w, "left_out",
				   file->why[0] ? file->why : NULL);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

static void write_row(struct json_writer *w, const struct merge_row *row)
{
	const struct ssdpm_survey_merged *g = &row->merged;
	const struct survey_comparison *c = row->like;
	bool is_merged = !row->why[0];
	const struct {
		const char *name;
		double value;
	} values[] = {
		{ "mean", g->mean_w },
		{ "se", g->se_w },
		{ "low", g->low_w },
		{ "high", g->high_w },
		{ "drive_low", g->drive_low_w },
		{ "drive_high", g->drive_high_w },
		{ "tau", g->tau_w },
	};

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "of", c->of);
	ssdpm__json_bool(w, "fio", c->fio);
	ssdpm__json_string(w, "policy", row->policy);
	ssdpm__json_string(w, "from", row->from);
	ssdpm__json_string(w, "reason", is_merged ? NULL : row->why);
	ssdpm__json_uint(w, "n_results", g->n_results);
	ssdpm__json_uint(w, "n_drives", g->n_drives);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		write_quantity(w, c->quantity, values[i].name,
			       is_merged ? values[i].value : NAN);
	ssdpm__json_scaled(w, "heterogeneity_q_milli",
			   is_merged ? g->heterogeneity_q : NAN, 1e3);
	ssdpm__json_scaled(w, "inconsistency_ppm",
			   is_merged ? g->inconsistency : NAN, 1e6);
	ssdpm__json_end(w, '}');
}

static void write_merger(struct json_writer *w, const struct merger *m)
{
	static const char *const names[N_QUANTITIES] = { "power", "latency",
							 "throughput" };

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "schema", "ssdpm.survey-merge/1");
	write_files(w, m);
	ssdpm__json_scaled(w, "error_rate_ppm",
			   m->n_merged ? m->error_rate : NAN, 1e6);
	ssdpm__json_scaled(w, "row_error_rate_ppm",
			   m->n_merged ? row_error_rate(m) : NAN, 1e6);
	for (uint32_t q = 0; q < N_QUANTITIES; q++) {
		ssdpm__json_begin(w, names[q], '[');
		for (size_t i = 0; i < m->n_rows; i++)
			if (m->rows[i].like->quantity == q)
				write_row(w, &m->rows[i]);
		ssdpm__json_end(w, ']');
	}
	ssdpm__json_end(w, '}');
}

static enum exit_status print_result(const struct common *common,
				     const struct survey_report_options *s,
				     const struct merger *m)
{
	struct json_writer w = { 0 };

	if (s->markdown && write_merger_markdown(m, s->markdown))
		return STATUS_FAILED;
	if (s->markdown && !strcmp(s->markdown, "-"))
		return STATUS_DONE;
	if (!common->form) {
		print_merger(m);
		return STATUS_DONE;
	}
	begin_list(&w, common);
	write_merger(&w, m);
	return print_written(common, &w);
}

static enum exit_status load_all(struct merger *m,
				 const struct survey_report_options *settings,
				 char **names, size_t n)
{
	m->files = calloc(n, sizeof(*m->files));
	m->results = calloc(n, sizeof(*m->results));
	if (!m->files || !m->results) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < n; i++) {
		m->n_files++;
		if (load_survey(names[i], settings, &m->files[i].result))
			return STATUS_FAILED;
		name_drive(&m->files[i]);
		look_at(m, i);
	}
	return STATUS_DONE;
}

enum exit_status merge_surveys(const struct common *common,
			       const struct survey_report_options *settings,
			       char **names, size_t n)
{
	struct merger merger = {
		.error_rate =
			settings->error_rate > 0 ? settings->error_rate : 0.05,
	};
	enum exit_status status = check_markdown(common, settings);

	if (status)
		return status;
	if (settings->system_power_w > 0)
		return usage_error(common, "merge takes no --system-power");
	status = load_all(&merger, settings, names, n);
	if (!status)
		status = merge_all(&merger);
	set_intervals(&merger);
	if (!status)
		status = print_result(common, settings, &merger);
	for (size_t i = 0; i < merger.n_files; i++)
		free_survey(&merger.files[i].result);
	free(merger.files);
	free(merger.results);
	free(merger.rows);
	return status;
}
