/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include <string.h>

#define DRIVES_IN_LINE (TABLE_COLUMNS - 1)

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

/* The drives from first on, as many as are in a line. */
static void print_part(const struct ssdpm_experiment_matrix *all, size_t first,
		       size_t n)
{
	char align[TABLE_COLUMNS + 1] = { 0 };
	char text[SSDPM_EXPERIMENT_TEXT];
	struct table rows;
	const char *name;

	memset(align, '<', n + 1);
	patterns_text(all, text, sizeof(text));
	table_begin(&rows, align, "");
	for (size_t i = first; i < first + n; i++)
		table_cell(&rows, "%s %s",
			   ssdpm_experiment_matrix_get_name(
				   all, SSDPM_EXPERIMENT_DRIVE, i),
			   text);
	for (size_t i = 0; (name = ssdpm_experiment_matrix_get_name(
				    all, SSDPM_EXPERIMENT_MICRO_BENCHMARK, i));
	     i++) {
		table_row(&rows, name);
		for (size_t k = first; k < first + n; k++)
			table_cell(&rows, "%s",
				   ssdpm_experiment_matrix_get_text(
					   all, i, k, text, NULL) ?
					   "" :
					   text);
	}
	table_print(&rows);
}

void print_matrix(const struct ssdpm_experiment_matrix *all)
{
	size_t n = count_names(all, SSDPM_EXPERIMENT_DRIVE);

	for (size_t i = 0; i < n; i += DRIVES_IN_LINE) {
		size_t left = n - i;

		putchar('\n');
		print_part(all, i,
			   left < DRIVES_IN_LINE ? left : DRIVES_IN_LINE);
	}
	printf("  GWP: grows with the parameter; Ex: extended, seconds; "
	       "S: small, below a second;\n"
	       "  NS: not significant; one word: all patterns; -: not run\n");
}
