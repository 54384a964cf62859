/* SPDX-License-Identifier: MIT */
/* Runs and surveys that are made up: their mean, noise and differences are
 * known. */
#ifndef SSDPM_TESTS_SURVEY_TRUTH_H
#define SSDPM_TESTS_SURVEY_TRUTH_H

#include "fixture.h"

#define SECOND UINT64_C(1000000000)
#define MAX_SAMPLES 1200
#define MEAN_W 10.0

#define POLICIES 4
#define BLOCKS 5
#define RUNS (POLICIES * BLOCKS)
#define PAIRS (POLICIES * (POLICIES - 1) / 2)

/* Four policies in one scenario. */
extern const struct ssdpm_survey_analysis_params usual;

struct outcome {
	struct ssdpm_survey_analysis all;
	struct ssdpm_survey_mean means[POLICIES];
	struct ssdpm_survey_difference differences[PAIRS];
};

void assert_near(double is, double must_be, double tolerance);

/* Noise of this deviation whose neighbours are correlated by phi. */
void make_noise(uint64_t *seed, double phi, double sd_w, double *power_w,
		size_t n);

/* The readings of a source that is updated once for this many readings. */
void hold(double *power_w, size_t n, size_t repeats, size_t begin);

/* Runs of all policies in all blocks; policy 1 draws this much more. */
void make_runs(uint64_t *seed, size_t repeats, double sd_w, double more_w,
	       struct ssdpm_survey_run *runs);

struct ssdpm_samples every_three_seconds(const double *power_w, size_t n);
struct ssdpm_survey_summary summary_of(const double *power_w, size_t n);

int analyse(const struct ssdpm_survey_run *runs, size_t n,
	    struct outcome *outcome, struct ssdpm_error *error);

/* The noise of a run of 300 samples whose neighbours are correlated by 0.9. */
struct ssdpm_survey_noise exact_noise(double sd_w);

struct ssdpm_survey_detectable detectable(
	const struct ssdpm_survey_noise *noise, double difference_w);

#endif
