/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PATTERNS 8
#define DRIVES_IN_LINE (TABLE_COLUMNS - 1)

const char *const place_names[N_PLACES] = { "micro_benchmark", "drive",
					    "pattern" };

/* Different names of a place, in their order; borrowed. */
struct names {
	const char **names;
	size_t n;
};

struct matrix {
	const struct sweep *sweep;
	struct names of[N_PLACES];
	size_t first_drive; /* of those in a line */
	size_t n_drives;
};

/* "GWP", as the study writes it. */
static const char *class_word(uint32_t background)
{
	static const char *const words[] = {
		[SSDPM_BACKGROUND_NONE] = "none",
		[SSDPM_BACKGROUND_NOT_SIGNIFICANT] = "NS",
		[SSDPM_BACKGROUND_SMALL] = "S",
		[SSDPM_BACKGROUND_EXTENDED] = "Ex",
		[SSDPM_BACKGROUND_GROWS] = "GWP",
	};

	return words[background];
}

static bool has_name(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

static bool find_names(const struct sweep *sweep, enum place place,
		       struct names *names)
{
	names->names = calloc(sweep->n, sizeof(*names->names));
	if (!names->names)
		return false;
	for (size_t i = 0; i < sweep->n; i++) {
		const char *name = sweep->experiments[i].place[place];

		if (!has_name(names, name))
			names->names[names->n++] = name;
	}
	return true;
}

/* Those of uFLIP as it lists them, whatever the file begins with; then others.
 */
static int pattern_rank(const char *pattern)
{
	static const char *const known[] = { "SR", "SW", "RR", "RW" };
	int rank = 0;

	while (rank < 4 && strcmp(known[rank], pattern))
		rank++;
	return rank;
}

static void sort_patterns(struct names *names)
{
	for (size_t i = 1; i < names->n; i++)
		for (size_t k = i;
		     k && pattern_rank(names->names[k]) <
				  pattern_rank(names->names[k - 1]);
		     k--) {
			const char *moved = names->names[k];

			names->names[k] = names->names[k - 1];
			names->names[k - 1] = moved;
		}
}

static void free_matrix(struct matrix *matrix)
{
	for (int p = 0; p < N_PLACES; p++)
		free(matrix->of[p].names);
}

static enum exit_status make_matrix(const struct sweep *sweep,
				    struct matrix *matrix)
{
	*matrix = (struct matrix){ .sweep = sweep };
	for (int p = 0; p < N_PLACES; p++)
		if (!find_names(sweep, (enum place)p, &matrix->of[p])) {
			complain("out of memory");
			return STATUS_FAILED;
		}
	if (matrix->of[PATTERN].n > MAX_PATTERNS) {
		complain("there are %zu patterns; a matrix has up to %d",
			 matrix->of[PATTERN].n, MAX_PATTERNS);
		return STATUS_FAILED;
	}
	sort_patterns(&matrix->of[PATTERN]);
	return STATUS_DONE;
}

enum exit_status check_matrix(const struct sweep *sweep)
{
	struct matrix matrix;
	enum exit_status status = make_matrix(sweep, &matrix);

	free_matrix(&matrix);
	return status;
}

static const struct experiment *find(const struct matrix *matrix,
				     const size_t at[N_PLACES])
{
	for (size_t i = 0; i < matrix->sweep->n; i++) {
		const struct experiment *e = &matrix->sweep->experiments[i];
		int p = 0;

		while (p < N_PLACES &&
		       !strcmp(e->place[p], matrix->of[p].names[at[p]]))
			p++;
		if (p == N_PLACES)
			return e;
	}
	return NULL;
}

struct cell {
	char text[64];
};

/* "NS / S"; one word where all patterns are the same; "-": nothing was run. */
static struct cell cell_text(const struct matrix *matrix, size_t row,
			     size_t drive)
{
	const char *words[MAX_PATTERNS];
	size_t n = matrix->of[PATTERN].n;
	struct cell cell = { "" };
	bool same = true;

	for (size_t i = 0; i < n; i++) {
		const size_t at[N_PLACES] = { row, drive, i };
		const struct experiment *e = find(matrix, at);

		words[i] = e ? class_word(e->class.background) : "-";
		same = same && !strcmp(words[i], words[0]);
	}
	for (size_t i = 0, end = 0; i < (same ? 1 : n); i++)
		end += (size_t)snprintf(cell.text + end,
					sizeof(cell.text) - end, "%s%s",
					i ? " / " : "", words[i]);
	return cell;
}

/* "SW / RW" */
static void patterns_text(const struct matrix *matrix, char *text, size_t size)
{
	size_t end = 0;

	text[0] = 0;
	for (size_t i = 0; i < matrix->of[PATTERN].n && end < size; i++)
		end += (size_t)snprintf(text + end, size - end, "%s%s",
					i ? " / " : "",
					matrix->of[PATTERN].names[i]);
}

static void make_row(const void *data, size_t number, struct row *row)
{
	const struct matrix *matrix = data;
	char patterns[128];

	patterns_text(matrix, patterns, sizeof(patterns));
	if (number)
		row_cell(row, 0, "%s",
			 matrix->of[MICRO_BENCHMARK].names[number - 1]);
	for (size_t i = 0; i < matrix->n_drives; i++) {
		size_t drive = matrix->first_drive + i;

		if (number)
			row_cell(row, i + 1, "%s",
				 cell_text(matrix, number - 1, drive).text);
		else
			row_cell(row, i + 1, "%s %s",
				 matrix->of[DRIVE].names[drive], patterns);
	}
}

enum exit_status print_matrix(const struct sweep *sweep)
{
	char align[TABLE_COLUMNS + 1];
	struct matrix matrix;
	enum exit_status status = make_matrix(sweep, &matrix);

	for (size_t i = 0; !status && i < matrix.of[DRIVE].n;
	     i += DRIVES_IN_LINE) {
		size_t left = matrix.of[DRIVE].n - i;

		matrix.first_drive = i;
		matrix.n_drives = left < DRIVES_IN_LINE ? left : DRIVES_IN_LINE;
		memset(align, '<', sizeof(align));
		align[matrix.n_drives + 1] = 0;
		putchar('\n');
		print_rows(align, make_row, &matrix,
			   matrix.of[MICRO_BENCHMARK].n + 1);
	}
	if (!status)
		printf("  GWP: grows with the parameter; Ex: extended, seconds; "
		       "S: small, below a second;\n"
		       "  NS: not significant; one word: all patterns; -: not run\n");
	free_matrix(&matrix);
	return status;
}

static void write_names(struct json_writer *w, const char *key,
			const struct names *names)
{
	ssdpm__json_begin(w, key, '[');
	for (size_t i = 0; i < names->n; i++)
		ssdpm__json_string(w, NULL, names->names[i]);
	ssdpm__json_end(w, ']');
}

static void write_cell(struct json_writer *w, const struct matrix *matrix,
		       size_t row, size_t drive)
{
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "micro_benchmark",
			   matrix->of[MICRO_BENCHMARK].names[row]);
	ssdpm__json_string(w, "drive", matrix->of[DRIVE].names[drive]);
	ssdpm__json_string(w, "text", cell_text(matrix, row, drive).text);
	ssdpm__json_begin(w, "classes", '[');
	for (size_t i = 0; i < matrix->of[PATTERN].n; i++) {
		const size_t at[N_PLACES] = { row, drive, i };
		const struct experiment *e = find(matrix, at);

		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_string(w, "pattern", matrix->of[PATTERN].names[i]);
		ssdpm__json_string(
			w, "background",
			e ? ssdpm_background_to_string(e->class.background) :
			    NULL);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
	ssdpm__json_end(w, '}');
}

enum exit_status write_matrix(struct json_writer *w, const struct sweep *sweep)
{
	struct matrix matrix;
	enum exit_status status = make_matrix(sweep, &matrix);

	if (!status) {
		write_names(w, "micro_benchmarks", &matrix.of[MICRO_BENCHMARK]);
		write_names(w, "drives", &matrix.of[DRIVE]);
		write_names(w, "patterns", &matrix.of[PATTERN]);
		ssdpm__json_begin(w, "cells", '[');
		for (size_t i = 0; i < matrix.of[MICRO_BENCHMARK].n; i++)
			for (size_t k = 0; k < matrix.of[DRIVE].n; k++)
				write_cell(w, &matrix, i, k);
		ssdpm__json_end(w, ']');
	}
	free_matrix(&matrix);
	return status;
}
