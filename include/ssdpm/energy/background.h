/* SPDX-License-Identifier: MIT */
/*
 * Background work: what a drive goes on with after an experiment.
 *
 *     runs of an experiment -> its class
 *     the experiments of a suite -> a matrix of classes
 *
 * See ssdpm_measure(3).
 */
#ifndef SSDPM_BACKGROUND_H
#define SSDPM_BACKGROUND_H

#include <ssdpm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a drive does after the runs of an experiment (uFLIP, 2010). */
enum ssdpm_background {
	SSDPM_BACKGROUND_NONE = 1,	      /* nothing that can be told */
	SSDPM_BACKGROUND_NOT_SIGNIFICANT = 2, /* something, here and there */
	SSDPM_BACKGROUND_SMALL = 3,	      /* less than a second */
	SSDPM_BACKGROUND_EXTENDED = 4, /* seconds, whatever the parameter */
	SSDPM_BACKGROUND_GROWS = 5,    /* with the parameter */
};

/** ssdpm_background_to_string() - "none", "grows" and so on, or NULL */
SSDPM_API const char *ssdpm_background_to_string(uint32_t background);
SSDPM_API uint32_t ssdpm_background_from_string(const char *word);

/**
 * struct ssdpm_background_run - one run of an experiment (frozen, 40 bytes)
 * @parameter: what is varied: a size, a pause, a number
 * @tail_ns:   of ssdpm_tail_measure(), as are the next two
 * @extra_j:
 * @sigma_j:
 * @reserved:  0
 */
struct ssdpm_background_run {
	double parameter;
	uint64_t tail_ns;
	double extra_j;
	double sigma_j;
	uint64_t reserved;
};

/**
 * struct ssdpm_background_class - the class of an experiment (frozen, 48 bytes)
 * @background: enum ssdpm_background
 * @n_tails:    runs with a tail
 * @tail_ns:    median length over all runs
 * @extra_j:    median energy over all runs
 * @trend:      Kendall's tau-b of parameter and energy: -1 to 1
 * @trend_p:    how likely a trend as strong is by chance
 */
struct ssdpm_background_class {
	uint32_t background;
	uint32_t reserved;
	uint64_t n_tails;
	uint64_t tail_ns;
	double extra_j;
	double trend;
	double trend_p;
};

/**
 * ssdpm_background_classify() - the class of an experiment
 * @runs: in any order, repeated values of the parameter welcome
 * @n:    how many
 *
 * The rules are in ssdpm_measure(3).
 *
 * Return: 0; -ENODATA (fewer than 4 runs, or fewer than 3 values of the
 * parameter), -EINVAL (a value that is not finite, or more than 20000 runs),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_background_classify(
	const struct ssdpm_background_run *runs, size_t n,
	struct ssdpm_background_class *ret_class, struct ssdpm_error *reterr);

/** Where an experiment is in a suite, as in that of uFLIP. */
enum ssdpm_experiment_place {
	SSDPM_EXPERIMENT_MICRO_BENCHMARK = 1,
	SSDPM_EXPERIMENT_DRIVE = 2,
	SSDPM_EXPERIMENT_PATTERN = 3,
};

/** ssdpm_experiment_place_to_string() - "drive" and so on, or NULL */
SSDPM_API const char *ssdpm_experiment_place_to_string(uint32_t place);
SSDPM_API uint32_t ssdpm_experiment_place_from_string(const char *word);

/**
 * struct ssdpm_experiment - an experiment and its class (sized; the caller sets
 *                           size)
 * @size:            sizeof(struct ssdpm_experiment)
 * @experiment:      its name
 * @micro_benchmark: in a suite; NULL: it is of none, as for the next two
 * @drive:           likewise
 * @pattern:         likewise
 * @n_runs:          that @found is of
 * @found:           from ssdpm_background_classify()
 */
struct ssdpm_experiment {
	size_t size;
	const char *experiment;
	const char *micro_benchmark;
	const char *drive;
	const char *pattern;
	size_t n_runs;
	const struct ssdpm_background_class *found;
};

/** The classes of a suite: a row for each micro-benchmark, a column a drive. */
struct ssdpm_experiment_matrix;

/**
 * ssdpm_experiment_matrix_new() - the matrix of a suite, empty
 * @ret_matrix: free it with ssdpm_experiment_matrix_free()
 *
 * Return: 0; -ENOMEM.
 */
SSDPM_API int ssdpm_experiment_matrix_new(
	struct ssdpm_experiment_matrix **ret_matrix,
	struct ssdpm_error *reterr);

/**
 * ssdpm_experiment_matrix_add() - the next experiment
 * @experiment: of a suite; what it points to is borrowed until the matrix is
 *              freed
 *
 * If two have the same names, the first counts.
 *
 * Return: 0; -EINVAL (a name or the class is missing, or it is no class),
 * -ERANGE (more than 8 patterns), -E2BIG (@experiment), -ENOMEM.
 */
SSDPM_API int ssdpm_experiment_matrix_add(
	struct ssdpm_experiment_matrix *matrix,
	const struct ssdpm_experiment *experiment, struct ssdpm_error *reterr);

/**
 * ssdpm_experiment_matrix_get_name() - rows, columns, and patterns of a cell
 * @place: enum ssdpm_experiment_place
 * @index: from 0 on, in the order of the experiments; patterns of uFLIP come
 *         first, as SR, SW, RR, RW
 *
 * Return: borrowed, as it was added; NULL: no more.
 */
SSDPM_API const char *ssdpm_experiment_matrix_get_name(
	const struct ssdpm_experiment_matrix *matrix, uint32_t place,
	size_t index);

/** Room for the text of a cell, with its NUL. */
#define SSDPM_EXPERIMENT_TEXT 64

/**
 * ssdpm_experiment_matrix_get_text() - a cell, as the study of uFLIP writes it
 * @micro_benchmark: index of the row
 * @drive:    index of the column
 * @ret_text: "NS / S", one word for each pattern; or one word for all. "none",
 *            "NS" (not significant), "S" (small), "Ex" (extended), "GWP" (grows
 *            with the parameter), "-" (was not run)
 *
 * Return: 0; -EINVAL (no such cell).
 */
SSDPM_API int ssdpm_experiment_matrix_get_text(
	const struct ssdpm_experiment_matrix *matrix, size_t micro_benchmark,
	size_t drive, char ret_text[SSDPM_EXPERIMENT_TEXT],
	struct ssdpm_error *reterr);

/**
 * ssdpm_experiment_matrix_free() - @matrix may be NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_experiment_matrix *ssdpm_experiment_matrix_free(
	struct ssdpm_experiment_matrix *matrix);

#ifdef __cplusplus
}
#endif

#endif
