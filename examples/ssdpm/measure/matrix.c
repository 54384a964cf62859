/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include <string.h>

#define DRIVES_IN_LINE (TABLE_COLUMNS - 1)

struct matrix {
	const struct ssdpm_experiment_matrix *all;
	size_t first_drive; /* of those in a line */
	size_t n_drives;
};

static size_t count_names(const struct ssdpm_experiment_matrix *matrix,
			  uint32_t place)
{
	size_t n = 0;

	while (ssdpm_experiment_matrix_get_name(matrix, place, n))
		n++;
	return n;
}

/* "SW / RW" */
static void patterns_text(const struct ssdpm_experiment_matrix *matrix,
			  char *text, size_t size)
{
	const char *name;
	size_t end = 0;

	text[0] = 0;
	for (size_t i = 0;
	     end < size && (name = ssdpm_experiment_matrix_get_name(
				    matrix, SSDPM_EXPERIMENT_PATTERN, i));
	     i++)
		end += (size_t)snprintf(text + end, size - end, "%s%s",
					i ? " / " : "", name);
}

static void make_head(const struct matrix *matrix, struct row *row)
{
	char patterns[128];

	patterns_text(matrix->all, patterns, sizeof(patterns));
	for (size_t i = 0; i < matrix->n_drives; i++)
		row_cell(row, i + 1, "%s %s",
			 ssdpm_experiment_matrix_get_name(
				 matrix->all, SSDPM_EXPERIMENT_DRIVE,
				 matrix->first_drive + i),
			 patterns);
}

static void make_row(const void *data, size_t number, struct row *row)
{
	const struct matrix *matrix = data;
	char text[SSDPM_EXPERIMENT_TEXT];

	if (!number) {
		make_head(matrix, row);
		return;
	}
	row_cell(row, 0, "%s",
		 ssdpm_experiment_matrix_get_name(
			 matrix->all, SSDPM_EXPERIMENT_MICRO_BENCHMARK,
			 number - 1));
	for (size_t i = 0; i < matrix->n_drives; i++)
		if (!ssdpm_experiment_matrix_get_text(matrix->all, number - 1,
						      matrix->first_drive + i,
						      text, NULL))
			row_cell(row, i + 1, "%s", text);
}

void print_matrix(const struct ssdpm_experiment_matrix *all)
{
	size_t n = count_names(all, SSDPM_EXPERIMENT_DRIVE);
	struct matrix matrix = { .all = all };
	char align[TABLE_COLUMNS + 1];

	for (size_t i = 0; i < n; i += DRIVES_IN_LINE) {
		size_t left = n - i;

		matrix.first_drive = i;
		matrix.n_drives = left < DRIVES_IN_LINE ? left : DRIVES_IN_LINE;
		memset(align, '<', sizeof(align));
		align[matrix.n_drives + 1] = 0;
		putchar('\n');
		print_rows(align, make_row, &matrix,
			   count_names(all, SSDPM_EXPERIMENT_MICRO_BENCHMARK) +
				   1);
	}
	printf("  GWP: grows with the parameter; Ex: extended, seconds; "
	       "S: small, below a second;\n"
	       "  NS: not significant; one word: all patterns; -: not run\n");
}
