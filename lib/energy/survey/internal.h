/* SPDX-License-Identifier: MIT */
/*
 * The distributions that the survey needs. All are integrals over s, an
 * estimate with df degrees of freedom of a standard deviation of 1.
 * survey-range.c computes them.
 */
#ifndef SSDPM_LIB_SURVEY_INTERNAL_H
#define SSDPM_LIB_SURVEY_INTERNAL_H

#include <ssdpm/energy/survey.h>
#include <ssdpm/energy/survey-result.h>

#include "measure/internal.h"

#define SURVEY_ERROR_RATE 0.05
#define SURVEY_MIN_BLOCKS 3
#define SURVEY_MAX_MEANS 100

/*
 * Whether products of four powers or standard errors stay within a double: the
 * value is 0, or from 1e-60 to 1e60.
 */
bool ssdpm__is_survey_power(double power_w);

/*
 * The functions of df below take 1 or more.
 * Probability of a studentised range of k means above q.
 */
double ssdpm__range_p(double q, uint32_t k, double df);

/* The q with this probability; p is 1e-9 or more. */
double ssdpm__range_q(double p, uint32_t k, double df);

/* The t exceeded on both sides together with probability p. */
double ssdpm__student_t(double p, double df);

/*
 * The probability that a normal variable of mean shift and variance 1, divided
 * by s, is farther from 0 than limit.
 */
double ssdpm__shifted_t_p(double limit, double shift, double df);

/*
 * The probability that Cramer and von Mises' statistic of a Brownian bridge,
 * divided by s squared, is above this.
 */
double ssdpm__bridge_p(double statistic, double df);

/* The value below which s is with probability p. */
double ssdpm__chi_quantile(double p, double df);

/*
 * The error rate of each of n independent families that gives a joint rate
 * (Sidak), and its inverse.
 */
double ssdpm__rate_of_each(double rate, uint32_t n);
double ssdpm__p_of_all(double p, uint32_t n);

/* Checks parameters and sets their defaults. */
int ssdpm__survey_params(const struct ssdpm_survey_params *params,
			 struct ssdpm_survey_params *known,
			 struct ssdpm_error *reterr);

/* Sets 0 to the default; -EINVAL: not between 0 and 1. */
int ssdpm__error_rate(double *rate, struct ssdpm_error *reterr);

/* What the parts of a survey's result share. */

#define MAX_PAIRS \
	(SSDPM_SURVEY_MAX_POLICIES * (SSDPM_SURVEY_MAX_POLICIES - 1) / 2)

struct run_result {
	struct ssdpm_survey_run_result shown;
	struct ssdpm_survey_summary summary;
};

struct comparison {
	struct ssdpm_survey_comparison shown;
	struct ssdpm_survey_run *runs;
	uint32_t scenario; /* of the file, or the test */
	uint32_t policies[SSDPM_SURVEY_MAX_POLICIES];
	struct ssdpm_survey_analysis analysis;
	struct ssdpm_survey_mean means[SSDPM_SURVEY_MAX_POLICIES];
	struct ssdpm_survey_difference differences[MAX_PAIRS];
	struct ssdpm_error why;
};

struct ssdpm_survey_result {
	struct ssdpm_survey_result_info info;
	char *name;
	struct run_result *runs;
	size_t n_runs;
	struct comparison *comparisons;
	size_t n_comparisons;
	struct ssdpm_survey_recommendation recommendation;
};

/* Last step: the recommendation from the comparisons. */
void ssdpm__survey_recommend(struct ssdpm_survey_result *result);

#endif
