/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXPERIMENTS 4096
#define N_PLACES SSDPM_EXPERIMENT_PATTERN

struct experiment {
	char *name;
	char *place[N_PLACES]; /* NULL: it is of no suite */
	struct ssdpm_background_run *runs;
	size_t n_runs;
	struct ssdpm_background_class class;
};

struct sweep {
	struct experiment *experiments;
	size_t n;
	bool is_suite;
	struct ssdpm_experiment_matrix *matrix; /* of a suite */
};

enum column {
	EXPERIMENT,
	PLACE, /* the first of those of a suite */
	PARAMETER = PLACE + N_PLACES,
	TAIL,
	EXTRA,
	SIGMA,
	N_COLUMNS,
};

static const char *column_name(int column)
{
	static const char *const names[N_COLUMNS] = {
		[EXPERIMENT] = "experiment", [PARAMETER] = "parameter",
		[TAIL] = "tail_s",	     [EXTRA] = "extra_j",
		[SIGMA] = "sigma_j",
	};

	return column >= PLACE && column < PARAMETER ?
		       ssdpm_experiment_place_to_string(
			       (uint32_t)(column - PLACE) + 1) :
		       names[column];
}

/* Which of its fields each column is; -1: none. */
struct header {
	int at[N_COLUMNS];
	bool known;
};

#define MAX_FIELDS 64
/* Bytes of the name of a micro-benchmark, a drive or a pattern. */
#define MAX_NAME 200

struct experiment_name {
	char text[N_PLACES * (MAX_NAME + 2) + 64];
};

/* Without blanks around it. */
static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		text[--n] = 0;
	return text;
}

static int split(char *line, char *fields[MAX_FIELDS])
{
	int n = 0;

	line[strcspn(line, "\r\n")] = 0;
	if (!strncmp(line, "\xef\xbb\xbf", 3))
		line += 3;
	for (char *next = line; next && n < MAX_FIELDS; n++) {
		char *field = next;

		next = strchr(next, ',');
		if (next)
			*next++ = 0;
		fields[n] = trim(field);
	}
	return n;
}

static bool has_place(const struct header *header)
{
	for (int c = PLACE; c < PARAMETER; c++)
		if (header->at[c] >= 0)
			return true;
	return false;
}

/* Return: what is missing, or NULL. */
static const char *read_header(char **fields, int n, struct header *header)
{
	for (int i = 0; i < N_COLUMNS; i++)
		header->at[i] = -1;
	for (int i = 0; i < n; i++)
		for (int c = 0; c < N_COLUMNS; c++)
			if (!strcmp(fields[i], column_name(c)))
				header->at[c] = i;
	header->known = true;
	for (int c = has_place(header) ? PLACE : PARAMETER; c < N_COLUMNS; c++)
		if (header->at[c] < 0)
			return column_name(c);
	return NULL;
}

static void free_experiment(struct experiment *e)
{
	free(e->name);
	for (int p = 0; p < N_PLACES; p++)
		free(e->place[p]);
	free(e->runs);
}

static struct experiment *find(struct sweep *sweep, const char *name)
{
	for (size_t i = 0; i < sweep->n; i++)
		if (!strcmp(sweep->experiments[i].name, name))
			return &sweep->experiments[i];
	return NULL;
}

/* Where it is in a suite. */
static bool set_place(struct experiment *e, const struct header *header,
		      char **fields)
{
	bool done = true;

	for (int p = 0; p < N_PLACES; p++) {
		e->place[p] = strdup(fields[header->at[PLACE + p]]);
		done = done && e->place[p];
	}
	return done;
}

static struct experiment *find_or_add(struct sweep *sweep, const char *name,
				      const struct header *header,
				      char **fields)
{
	struct experiment *e = find(sweep, name);
	struct experiment new = { 0 };

	if (e || sweep->n == MAX_EXPERIMENTS)
		return e;
	e = reallocarray(sweep->experiments, sweep->n + 1, sizeof(*e));
	if (!e)
		return NULL;
	sweep->experiments = e;
	new.name = strdup(name);
	if (new.name && (!sweep->is_suite || set_place(&new, header, fields))) {
		e[sweep->n] = new;
		return &e[sweep->n++];
	}
	free_experiment(&new);
	return NULL;
}

static bool add_run(struct experiment *e, const double values[N_COLUMNS])
{
	struct ssdpm_background_run *runs =
		reallocarray(e->runs, e->n_runs + 1, sizeof(*runs));

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

static enum exit_status read_values(const char *path, unsigned long line,
				    const struct header *header, char **fields,
				    int n, double values[N_COLUMNS])
{
	for (int c = PARAMETER; c < N_COLUMNS; c++) {
		int at = header->at[c];

		if (at < n && read_value(fields[at], &values[c]))
			continue;
		return failure("%s:%lu: %s: \"%s\" is no number", path, line,
			       column_name(c), at < n ? fields[at] : "");
	}
	if (values[TAIL] >= 0 && values[TAIL] <= 1e9)
		return STATUS_DONE;
	return failure("%s:%lu: tail_s: a tail is 0 to 1e9 seconds long", path,
		       line);
}

/* "granularity, Memoright, SW" */
static enum exit_status make_name(const char *path, unsigned long line,
				  const struct header *header, char **fields,
				  int n, struct experiment_name *name)
{
	size_t end = 0;

	for (int c = PLACE; c < PARAMETER; c++) {
		int at = header->at[c];

		if (at >= n || !*fields[at] || strlen(fields[at]) > MAX_NAME)
			return failure(
				"%s:%lu: %s: a name of 1 to %d bytes is needed",
				path, line, column_name(c), MAX_NAME);
		end += (size_t)snprintf(name->text + end,
					sizeof(name->text) - end, "%s%s",
					c > PLACE ? ", " : "", fields[at]);
	}
	return STATUS_DONE;
}

static enum exit_status read_row(const char *path, unsigned long line,
				 const struct header *header, char **fields,
				 int n, struct sweep *sweep)
{
	int at = header->at[EXPERIMENT];
	const char *name = at >= 0 && at < n ? fields[at] : "all";
	double values[N_COLUMNS] = { 0 };
	struct experiment_name made;
	struct experiment *e;

	if (read_values(path, line, header, fields, n, values))
		return STATUS_FAILED;
	if (sweep->is_suite) {
		if (make_name(path, line, header, fields, n, &made))
			return STATUS_FAILED;
		name = made.text;
	}
	e = find_or_add(sweep, name, header, fields);
	if (e && add_run(e, values))
		return STATUS_DONE;
	return failure("%s: more experiments or runs than fit", path);
}

/* The names of all columns. */
static enum exit_status take_header(const char *path, unsigned long line,
				    char **fields, int n, struct header *header,
				    struct sweep *sweep)
{
	const char *missing = read_header(fields, n, header);

	sweep->is_suite = has_place(header);
	if (missing)
		return failure("%s:%lu: no column %s; the first line names "
			       "parameter,tail_s,extra_j,sigma_j, and may name "
			       "experiment, or micro_benchmark,drive,pattern",
			       path, line, missing);
	if (!sweep->is_suite || header->at[EXPERIMENT] < 0)
		return STATUS_DONE;
	return failure(
		"%s:%lu: an experiment is named by the column experiment or by "
		"micro_benchmark,drive,pattern, not by both",
		path, line);
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
		status = take_header(path, number, fields, n, &header, sweep);
	}
	if (!status && ferror(file)) {
		cannot("read", path, errno);
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

	if (!file)
		return cannot("read", path, errno);
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
	return failure("%s: %s: %s", path, e->name, error.message);
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

static void print_table(const struct sweep *sweep)
{
	struct table rows;

	table_begin(&rows, "<<>>>>", "experiment", "background work", "runs",
		    "with a tail", "tail", "energy");
	for (size_t i = 0; i < sweep->n; i++) {
		const struct experiment *e = &sweep->experiments[i];

		table_row(&rows, e->name, class_name(e->class.background),
			  cell("%zu", e->n_runs).text,
			  count_text(e->class.n_tails).text,
			  time_text(e->class.tail_ns).text,
			  joules_text(e->class.extra_j).text);
	}
	table_print(&rows);
}

static struct ssdpm_experiment report_of(const struct experiment *e)
{
	return (struct ssdpm_experiment){
		.size = sizeof(struct ssdpm_experiment),
		.experiment = e->name,
		.micro_benchmark = e->place[0],
		.drive = e->place[1],
		.pattern = e->place[2],
		.n_runs = e->n_runs,
		.found = &e->class,
	};
}

static enum exit_status make_matrix(struct sweep *sweep)
{
	struct ssdpm_error error;
	int err = ssdpm_experiment_matrix_new(&sweep->matrix, &error);

	for (size_t i = 0; i < sweep->n && !err; i++) {
		const struct ssdpm_experiment report =
			report_of(&sweep->experiments[i]);

		err = ssdpm_experiment_matrix_add(sweep->matrix, &report,
						  &error);
	}
	if (!err)
		return STATUS_DONE;
	return failure("%s", error.message);
}

static void add_sweep(struct items *items, const struct sweep *sweep)
{
	struct ssdpm_error error;
	char *text = NULL;
	int err;

	if (sweep->is_suite) {
		err = ssdpm_experiment_matrix_to_json(sweep->matrix, &text,
						      &error);
		add_item(items, err, text, &error);
		return;
	}
	for (size_t i = 0; i < sweep->n; i++) {
		const struct ssdpm_experiment report =
			report_of(&sweep->experiments[i]);

		err = ssdpm_experiment_to_json(&report, &text, &error);
		add_item(items, err, text, &error);
	}
}

static enum exit_status print_sweep(const struct common *common,
				    const struct sweep *sweep)
{
	struct items items = { 0 };

	if (common->form) {
		add_sweep(&items, sweep);
		return print_items(common, &items);
	}
	print_table(sweep);
	if (sweep->is_suite)
		print_matrix(sweep->matrix);
	return STATUS_DONE;
}

enum exit_status classify_sweep(const struct common *common, const char *path)
{
	struct sweep sweep = { 0 };
	enum exit_status status = read_sweep(path, &sweep);

	for (size_t i = 0; i < sweep.n && !status; i++)
		status = classify(path, &sweep.experiments[i]);
	if (!status && sweep.is_suite)
		status = make_matrix(&sweep);
	if (!status)
		status = print_sweep(common, &sweep);
	ssdpm_experiment_matrix_free(sweep.matrix);
	for (size_t i = 0; i < sweep.n; i++)
		free_experiment(&sweep.experiments[i]);
	free(sweep.experiments);
	return status;
}
