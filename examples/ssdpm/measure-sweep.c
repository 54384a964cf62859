/* SPDX-License-Identifier: MIT */
#include "measure-sweep.h"

#include "measure-print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXPERIMENTS 4096

struct experiment {
	char *name;
	struct ssdpm_background_run *runs;
	size_t n_runs;
	struct ssdpm_background_class class;
};

struct sweep {
	struct experiment *experiments;
	size_t n;
};

enum column {
	EXPERIMENT,
	PARAMETER,
	TAIL,
	EXTRA,
	SIGMA,
	N_COLUMNS,
};

static const char *const names[N_COLUMNS] = { "experiment", "parameter",
					      "tail_s", "extra_j", "sigma_j" };

/* Which of its fields each column is; -1: none. */
struct header {
	int at[N_COLUMNS];
	bool known;
};

#define MAX_FIELDS 64

static int split(char *line, char *fields[MAX_FIELDS])
{
	int n = 0;

	line[strcspn(line, "\r\n")] = 0;
	if (!strncmp(line, "\xef\xbb\xbf", 3))
		line += 3;
	for (char *next = line; next && n < MAX_FIELDS; n++) {
		fields[n] = next + strspn(next, " \t");
		next = strchr(next, ',');
		if (next)
			*next++ = 0;
		fields[n][strcspn(fields[n], " \t")] = 0;
	}
	return n;
}

/* Return: what is missing, or NULL. */
static const char *read_header(char **fields, int n, struct header *header)
{
	for (int i = 0; i < N_COLUMNS; i++)
		header->at[i] = -1;
	for (int i = 0; i < n; i++)
		for (int c = 0; c < N_COLUMNS; c++)
			if (!strcmp(fields[i], names[c]))
				header->at[c] = i;
	header->known = true;
	for (int c = PARAMETER; c < N_COLUMNS; c++)
		if (header->at[c] < 0)
			return names[c];
	return NULL;
}

static struct experiment *find(struct sweep *sweep, const char *name)
{
	for (size_t i = 0; i < sweep->n; i++)
		if (!strcmp(sweep->experiments[i].name, name))
			return &sweep->experiments[i];
	if (sweep->n == MAX_EXPERIMENTS)
		return NULL;
	struct experiment *more =
		reallocarray(sweep->experiments, sweep->n + 1, sizeof(*more));
	if (!more)
		return NULL;
	sweep->experiments = more;
	more[sweep->n] = (struct experiment){ .name = strdup(name) };
	return more[sweep->n].name ? &more[sweep->n++] : NULL;
}

static bool add(struct sweep *sweep, const char *name,
		const double values[N_COLUMNS])
{
	struct experiment *e = find(sweep, name);
	struct ssdpm_background_run *runs;

	if (!e)
		return false;
	runs = reallocarray(e->runs, e->n_runs + 1, sizeof(*runs));
	if (!runs)
		return false;
	e->runs = runs;
	runs[e->n_runs++] = (struct ssdpm_background_run){
		.parameter = values[PARAMETER],
		.tail_ns = (uint64_t)(values[TAIL] * 1e9 + 0.5),
		.extra_j = values[EXTRA],
		.sigma_j = values[SIGMA],
	};
	return true;
}

static bool read_value(const char *text, double *ret_value)
{
	char *end;

	*ret_value = strtod(text, &end);
	return *text && !*end && isfinite(*ret_value);
}

static enum exit_status read_row(const char *path, unsigned long line,
				 const struct header *header, char **fields,
				 int n, struct sweep *sweep)
{
	double values[N_COLUMNS] = { 0 };
	const char *name = "all";

	for (int c = PARAMETER; c < N_COLUMNS; c++) {
		int at = header->at[c];

		if (at < n && read_value(fields[at], &values[c]))
			continue;
		complain("%s:%lu: %s: \"%s\" is no number", path, line,
			 names[c], at < n ? fields[at] : "");
		return STATUS_FAILED;
	}
	if (values[TAIL] < 0 || values[TAIL] > 1e9) {
		complain("%s:%lu: tail_s: a tail is 0 to 1e9 seconds long",
			 path, line);
		return STATUS_FAILED;
	}
	if (header->at[EXPERIMENT] >= 0 && header->at[EXPERIMENT] < n)
		name = fields[header->at[EXPERIMENT]];
	if (add(sweep, name, values))
		return STATUS_DONE;
	complain("%s: more experiments or runs than fit", path);
	return STATUS_FAILED;
}

static enum exit_status read_lines(const char *path, FILE *file,
				   struct sweep *sweep)
{
	struct header header = { .known = false };
	enum exit_status status = STATUS_DONE;
	char *line = NULL, *fields[MAX_FIELDS];
	unsigned long number = 0;
	size_t room = 0;

	while (!status && getline(&line, &room, file) >= 0) {
		int n = split(line, fields);

		number++;
		if (n == 1 && !*fields[0])
			continue;
		if (header.known) {
			status = read_row(path, number, &header, fields, n,
					  sweep);
			continue;
		}
		const char *missing = read_header(fields, n, &header);
		if (missing) {
			complain("%s:%lu: no column %s; the first line names "
				 "parameter,tail_s,extra_j,sigma_j, and may "
				 "name experiment",
				 path, number, missing);
			status = STATUS_FAILED;
		}
	}
	if (!status && ferror(file)) {
		complain("%s: %s", path, strerror(errno));
		status = STATUS_FAILED;
	} else if (!status && !sweep->n) {
		complain("%s: there are no runs", path);
		status = STATUS_FAILED;
	}
	free(line);
	return status;
}

static enum exit_status read_sweep(const char *path, struct sweep *sweep)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	enum exit_status status;

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	status = read_lines(path, file, sweep);
	if (file != stdin)
		fclose(file);
	return status;
}

static enum exit_status classify(const char *path, struct experiment *e)
{
	struct ssdpm_error error;

	if (!ssdpm_background_classify(e->runs, e->n_runs, &e->class, &error))
		return STATUS_DONE;
	complain("%s: %s: %s", path, e->name, error.message);
	return STATUS_FAILED;
}

static const char *class_name(uint32_t background)
{
	static const char *const words[] = {
		[SSDPM_BACKGROUND_NONE] = "none",
		[SSDPM_BACKGROUND_NOT_SIGNIFICANT] = "not significant",
		[SSDPM_BACKGROUND_SMALL] = "small",
		[SSDPM_BACKGROUND_EXTENDED] = "extended",
		[SSDPM_BACKGROUND_GROWS] = "grows with the parameter",
	};

	return words[background];
}

static void make_row(const void *data, size_t number, struct row *row)
{
	static const char *const head[] = { "experiment", "background work",
					    "runs",	  "with a tail",
					    "tail",	  "energy" };
	const struct sweep *sweep = data;

	for (size_t i = 0; !number && i < 6; i++)
		row_cell(row, i, "%s", head[i]);
	if (!number)
		return;
	const struct experiment *e = &sweep->experiments[number - 1];
	row_cell(row, 0, "%s", e->name);
	row_cell(row, 1, "%s", class_name(e->class.background));
	row_cell(row, 2, "%zu", e->n_runs);
	row_cell(row, 3, "%s", count_text(e->class.n_tails).text);
	row_cell(row, 4, "%s", time_text(e->class.tail_ns).text);
	row_cell(row, 5, "%s", joules_text(e->class.extra_j).text);
}

static void write_experiment(struct json_writer *w, const struct experiment *e)
{
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "schema", "ssdpm.background-class/1");
	ssdpm__json_string(w, "experiment", e->name);
	ssdpm__json_string(w, "background", class_name(e->class.background));
	ssdpm__json_uint(w, "n_runs", e->n_runs);
	ssdpm__json_uint(w, "n_tails", e->class.n_tails);
	ssdpm__json_uint(w, "tail_ns", e->class.tail_ns);
	json_scaled(w, "extra_nj", e->class.extra_j, 1e9);
	json_scaled(w, "trend_ppm", e->class.trend, 1e6);
	json_scaled(w, "trend_p_ppm", e->class.trend_p, 1e6);
	ssdpm__json_end(w, '}');
}

static enum exit_status print_sweep(const struct common *common,
				    const struct sweep *sweep)
{
	struct json_writer w = { 0 };

	if (!common->form) {
		print_rows("<<>>>>", make_row, sweep, sweep->n + 1);
		return STATUS_DONE;
	}
	ssdpm__json_begin(&w, NULL, '[');
	for (size_t i = 0; i < sweep->n; i++)
		write_experiment(&w, &sweep->experiments[i]);
	ssdpm__json_end(&w, ']');
	return print_written(common, &w);
}

enum exit_status classify_sweep(const struct common *common, const char *path)
{
	struct sweep sweep = { 0 };
	enum exit_status status = read_sweep(path, &sweep);

	for (size_t i = 0; i < sweep.n && !status; i++)
		status = classify(path, &sweep.experiments[i]);
	if (!status)
		status = print_sweep(common, &sweep);
	for (size_t i = 0; i < sweep.n; i++) {
		free(sweep.experiments[i].name);
		free(sweep.experiments[i].runs);
	}
	free(sweep.experiments);
	return status;
}
