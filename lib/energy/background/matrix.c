/* SPDX-License-Identifier: MIT */
/*
 * The classes of a whole suite, laid out as the study of uFLIP published them.
 * A line is a micro-benchmark, a column is a drive, and a cell has the
 * patterns.
 */
#include "background/matrix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"

#define MAX_PATTERNS 8

int ssdpm__experiment_take(struct ssdpm_experiment *ret_known,
			   const struct ssdpm_experiment *experiment,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_experiment known = { 0 };
	int err = ssdpm__sized_in(&known, sizeof(known), experiment,
				  "ssdpm_experiment", reterr);

	if (err)
		return err;
	if (!known.experiment || !known.found)
		return ssdpm__missing(known.experiment ? "found" : "experiment",
				      reterr);
	if (!ssdpm_background_to_string(known.found->background))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "background %u is no class",
				   known.found->background);
	*ret_known = known;
	return 0;
}

static const char *name_of(const struct ssdpm_experiment *e, size_t place)
{
	const char *const names[N_PLACES] = { e->micro_benchmark, e->drive,
					      e->pattern };

	return names[place];
}

/* The study's word. */
static const char *class_word(uint32_t background)
{
	switch (background) {
	case SSDPM_BACKGROUND_NONE:
		return "none";
	case SSDPM_BACKGROUND_NOT_SIGNIFICANT:
		return "NS";
	case SSDPM_BACKGROUND_SMALL:
		return "S";
	case SSDPM_BACKGROUND_EXTENDED:
		return "Ex";
	default:
		return "GWP";
	}
}

/* Patterns of uFLIP in its order, then others. */
static int rank_of(const char *name, size_t place)
{
	static const char *const known[] = { "SR", "SW", "RR", "RW" };
	int rank = 0;

	while (place + 1 == SSDPM_EXPERIMENT_PATTERN && rank < 4 &&
	       strcmp(known[rank], name))
		rank++;
	return rank;
}

int ssdpm_experiment_matrix_new(struct ssdpm_experiment_matrix **ret_matrix,
				struct ssdpm_error *reterr)
{
	struct ssdpm_experiment_matrix *matrix = calloc(1, sizeof(*matrix));

	if (!matrix)
		return ssdpm__no_memory(reterr);
	*ret_matrix = matrix;
	return 0;
}

struct ssdpm_experiment_matrix *ssdpm_experiment_matrix_free(
	struct ssdpm_experiment_matrix *matrix)
{
	if (!matrix)
		return NULL;
	for (size_t i = 0; i < N_PLACES; i++)
		free(matrix->of[i].names);
	free(matrix->experiments);
	free(matrix);
	return NULL;
}

static bool has_name(const struct place_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

/* Adds a name; there is room. */
static void add_name(struct place_names *names, const char *name, size_t place)
{
	size_t at = names->n++;

	while (at &&
	       rank_of(name, place) < rank_of(names->names[at - 1], place)) {
		names->names[at] = names->names[at - 1];
		at--;
	}
	names->names[at] = name;
}

/* Makes room for one more of each; existing values stay. */
static bool grow(struct ssdpm_experiment_matrix *matrix)
{
	struct ssdpm_experiment *grown = reallocarray(
		matrix->experiments, matrix->n + 1, sizeof(*grown));

	if (!grown)
		return false;
	matrix->experiments = grown;
	for (size_t i = 0; i < N_PLACES; i++) {
		struct place_names *names = &matrix->of[i];
		const char **more =
			reallocarray(names->names, names->n + 1, sizeof(*more));

		if (!more)
			return false;
		names->names = more;
	}
	return true;
}

static int check_place(const struct ssdpm_experiment_matrix *matrix,
		       const struct ssdpm_experiment *e,
		       struct ssdpm_error *reterr)
{
	const struct place_names *patterns =
		&matrix->of[SSDPM_EXPERIMENT_PATTERN - 1];

	for (size_t i = 0; i < N_PLACES; i++)
		if (!name_of(e, i))
			return ssdpm__missing(ssdpm_experiment_place_to_string(
						      (uint32_t)i + 1),
					      reterr);
	if (patterns->n < MAX_PATTERNS || has_name(patterns, e->pattern))
		return 0;
	return ssdpm__fail(reterr, -ERANGE, 0,
			   "a matrix has up to %d patterns: %s is one more",
			   MAX_PATTERNS, e->pattern);
}

int ssdpm_experiment_matrix_add(struct ssdpm_experiment_matrix *matrix,
				const struct ssdpm_experiment *experiment,
				struct ssdpm_error *reterr)
{
	struct ssdpm_experiment e;
	int err = ssdpm__experiment_take(&e, experiment, reterr);

	if (!err)
		err = check_place(matrix, &e, reterr);
	if (err)
		return err;
	if (!grow(matrix))
		return ssdpm__no_memory(reterr);
	matrix->experiments[matrix->n++] = e;
	for (size_t i = 0; i < N_PLACES; i++)
		if (!has_name(&matrix->of[i], name_of(&e, i)))
			add_name(&matrix->of[i], name_of(&e, i), i);
	return 0;
}

const char *ssdpm_experiment_matrix_get_name(
	const struct ssdpm_experiment_matrix *matrix, uint32_t place,
	size_t index)
{
	if (!place || place > N_PLACES || index >= matrix->of[place - 1].n)
		return NULL;
	return matrix->of[place - 1].names[index];
}

const struct ssdpm_experiment *ssdpm__matrix_find(
	const struct ssdpm_experiment_matrix *matrix, const size_t at[N_PLACES])
{
	for (size_t i = 0; i < matrix->n; i++) {
		const struct ssdpm_experiment *e = &matrix->experiments[i];
		size_t p = 0;

		while (p < N_PLACES &&
		       !strcmp(name_of(e, p), matrix->of[p].names[at[p]]))
			p++;
		if (p == N_PLACES)
			return e;
	}
	return NULL;
}

int ssdpm_experiment_matrix_get_text(
	const struct ssdpm_experiment_matrix *matrix, size_t micro_benchmark,
	size_t drive, char ret_text[SSDPM_EXPERIMENT_TEXT],
	struct ssdpm_error *reterr)
{
	size_t n = matrix->of[SSDPM_EXPERIMENT_PATTERN - 1].n, end = 0;
	const char *words[MAX_PATTERNS];
	bool same = true;

	if (micro_benchmark >= matrix->of[0].n || drive >= matrix->of[1].n)
		return ssdpm__fail(reterr, -EINVAL, 0, "unknown cell");
	for (size_t i = 0; i < n; i++) {
		const size_t at[N_PLACES] = { micro_benchmark, drive, i };
		const struct ssdpm_experiment *e =
			ssdpm__matrix_find(matrix, at);

		words[i] = e ? class_word(e->found->background) : "-";
		same = same && !strcmp(words[i], words[0]);
	}
	for (size_t i = 0; i < (same ? 1 : n); i++)
		end += (size_t)snprintf(ret_text + end,
					SSDPM_EXPERIMENT_TEXT - end, "%s%s",
					i ? " / " : "", words[i]);
	return 0;
}

static const char experiment_place_words[][16] = {
	[SSDPM_EXPERIMENT_MICRO_BENCHMARK] = "micro_benchmark",
	[SSDPM_EXPERIMENT_DRIVE] = "drive",
	[SSDPM_EXPERIMENT_PATTERN] = "pattern",
};
ENUM_WORDS(experiment_place)
