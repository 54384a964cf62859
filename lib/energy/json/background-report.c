/* SPDX-License-Identifier: MIT */
/*
 * Background work by experiments, as JSON: background.keys has what is
 * written.
 */
#include <ssdpm/energy/json.h>

#include "base/json-text.h"
#include "background/matrix.h"

struct cell {
	const struct ssdpm_experiment_matrix *matrix;
	size_t at[2];
	const char *micro_benchmark;
	const char *drive;
	char text[SSDPM_EXPERIMENT_TEXT];
};

struct cell_class {
	const char *pattern;
	uint32_t background; /* 0: it was not run */
};

static size_t n_names(const struct ssdpm_experiment_matrix *matrix,
		      uint32_t place)
{
	return matrix->of[place - 1].n;
}

static size_t n_cells(const struct ssdpm_experiment_matrix *matrix)
{
	return n_names(matrix, SSDPM_EXPERIMENT_MICRO_BENCHMARK) *
	       n_names(matrix, SSDPM_EXPERIMENT_DRIVE);
}

static bool get_class(const struct cell *cell, size_t i,
		      struct cell_class *ret_class)
{
	const size_t at[N_PLACES] = { cell->at[0], cell->at[1], i };
	const struct ssdpm_experiment *e = ssdpm__matrix_find(cell->matrix, at);

	*ret_class = (struct cell_class){
		ssdpm_experiment_matrix_get_name(cell->matrix,
						 SSDPM_EXPERIMENT_PATTERN, i),
		e ? e->found->background : 0,
	};
	return true;
}

static bool get_cell(const struct ssdpm_experiment_matrix *matrix, size_t i,
		     struct cell *ret_cell)
{
	size_t drives = n_names(matrix, SSDPM_EXPERIMENT_DRIVE);
	struct cell cell = { .matrix = matrix,
			     .at = { i / drives, i % drives } };

	cell.micro_benchmark = ssdpm_experiment_matrix_get_name(
		matrix, SSDPM_EXPERIMENT_MICRO_BENCHMARK, cell.at[0]);
	cell.drive = ssdpm_experiment_matrix_get_name(
		matrix, SSDPM_EXPERIMENT_DRIVE, cell.at[1]);
	ssdpm_experiment_matrix_get_text(matrix, cell.at[0], cell.at[1],
					 cell.text, NULL);
	*ret_cell = cell;
	return true;
}

#include "background-json.h"

int ssdpm_experiment_to_json(const struct ssdpm_experiment *experiment,
			     char **ret_text, struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };
	struct ssdpm_experiment e;
	int err = ssdpm__experiment_take(&e, experiment, reterr);

	if (err)
		return err;
	ssdpm__json_begin(&w, NULL, '{');
	write_experiment(&w, &e);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}

int ssdpm_experiment_matrix_to_json(
	const struct ssdpm_experiment_matrix *matrix, char **ret_text,
	struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };

	ssdpm__json_begin(&w, NULL, '{');
	write_matrix(&w, matrix);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
