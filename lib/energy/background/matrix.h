/* SPDX-License-Identifier: MIT */
/* The classes of the experiments of a suite, as a matrix. */
#ifndef SSDPM_LIB_BACKGROUND_MATRIX_H
#define SSDPM_LIB_BACKGROUND_MATRIX_H

#include <ssdpm/energy/background.h>

#define N_PLACES SSDPM_EXPERIMENT_PATTERN

/* Different names of a place, in their order; borrowed. */
struct place_names {
	const char **names;
	size_t n;
};

struct ssdpm_experiment_matrix {
	struct ssdpm_experiment *experiments;
	size_t n;
	struct place_names of[N_PLACES]; /* by enum, minus 1 */
};

/* The experiment with these names, by their indexes, or NULL. */
const struct ssdpm_experiment *ssdpm__matrix_find(
	const struct ssdpm_experiment_matrix *matrix,
	const size_t at[N_PLACES]);

/* An experiment as it is kept: its own copy of what may be shorter. */
int ssdpm__experiment_take(struct ssdpm_experiment *ret_known,
			   const struct ssdpm_experiment *experiment,
			   struct ssdpm_error *reterr);

#endif
