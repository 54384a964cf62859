/* SPDX-License-Identifier: MIT */
/*
 * Finds what a schedule can detect, and compares the rows of a published table.
 */
#include "survey/internal.h"

#include <errno.h>

#include "base/internal.h"

#define POWER 0.8
#define HALF_OF_5_PERCENT 0.025

/* The noise of a run of a schedule, and its certainty. */
struct run_noise {
	double sigma_w;
	double df;
};

/* Noise between runs does not shrink with their length. */
static struct run_noise run_noise_of(const struct ssdpm_survey_noise *noise,
				     uint64_t duration_ns)
{
	double within = noise->se_w * noise->se_w;
	double scaled =
		within * ((double)noise->covered_ns / (double)duration_ns);

	if (isnan(noise->run_sigma_w))
		return (struct run_noise){ sqrt(scaled), noise->se_df };
	double besides =
		ssdpm__max(0, noise->run_sigma_w * noise->run_sigma_w - within);
	double all = besides + scaled;

	return (struct run_noise){
		sqrt(all),
		ssdpm__max(1, all * all /
				      (besides * besides / noise->run_sigma_df +
				       scaled * scaled / noise->se_df)),
	};
}

/* Tukey's test of one pair: its critical value and degrees of freedom. */
struct test {
	double limit;
	double df;
	double runs; /* the standard error of a difference, relative to a run's
		      */
};

static struct test test_of(const struct ssdpm_survey_params *params,
			   double error_rate)
{
	double df = (params->n_blocks - 1.0) * (params->n_policies - 1.0);
	double rate = ssdpm__rate_of_each(error_rate, params->n_scenarios);

	return (struct test){
		.limit = ssdpm__range_q(rate, params->n_policies, df) *
			 sqrt(0.5),
		.df = df,
		.runs = sqrt(2.0 / params->n_blocks),
	};
}

static double power_of(const struct test *test, double difference_w,
		       double sigma_w)
{
	return ssdpm__shifted_t_p(test->limit,
				  fabs(difference_w) / (sigma_w * test->runs),
				  test->df);
}

/* The detectable difference in units of sigma. */
static double detectable_of(const struct test *test)
{
	double low = 0, high = 1;

	while (power_of(test, high, 1) < POWER)
		high *= 2;
	for (int i = 0; i < 60; i++) {
		double middle = low + (high - low) / 2;

		if (power_of(test, middle, 1) < POWER)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static bool is_noise(const struct ssdpm_survey_noise *noise)
{
	bool within = noise->se_w > 0 && ssdpm__is_survey_power(noise->se_w) &&
		      noise->se_df >= 1 && isfinite(noise->se_df) &&
		      noise->covered_ns;

	return within &&
	       (isnan(noise->run_sigma_w) ||
		(noise->run_sigma_w > 0 &&
		 ssdpm__is_survey_power(noise->run_sigma_w) &&
		 noise->run_sigma_df >= 1 && isfinite(noise->run_sigma_df)));
}

static int check_asked(const struct ssdpm_survey_params *params,
		       const struct ssdpm_survey_noise *noise,
		       double difference_w, struct ssdpm_error *reterr)
{
	if (!is_noise(noise) || !ssdpm__is_survey_power(difference_w))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"noise is of 1e-60 to 1e60 W, of a time above 0, with 1 degree of freedom or more. A difference is 0 or of 1e-60 to 1e60 W");
	if (params->n_blocks < SURVEY_MIN_BLOCKS)
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"%u block%s no difference from noise: %d or more do",
			params->n_blocks,
			params->n_blocks == 1 ? " tells" : "s tell",
			SURVEY_MIN_BLOCKS);
	return 0;
}

int ssdpm_survey_detectable(const struct ssdpm_survey_params *params,
			    const struct ssdpm_survey_noise *noise,
			    double error_rate, double difference_w,
			    struct ssdpm_survey_detectable *ret_detectable,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_survey_params known = { .size = sizeof(known) };
	int err = ssdpm__survey_params(params, &known, reterr);

	if (!err)
		err = ssdpm__error_rate(&error_rate, reterr);
	if (!err)
		err = check_asked(&known, noise, difference_w, reterr);
	if (err)
		return err;
	struct test test = test_of(&known, error_rate);
	struct run_noise run = run_noise_of(noise, known.duration_ns);
	double least = run.sigma_w /
		       ssdpm__chi_quantile(1 - HALF_OF_5_PERCENT, run.df);
	double most =
		run.sigma_w / ssdpm__chi_quantile(HALF_OF_5_PERCENT, run.df);
	double sigmas = detectable_of(&test);
	struct ssdpm_survey_detectable result = {
		.difference_w = sigmas * run.sigma_w,
		.low_w = sigmas * least,
		.high_w = sigmas * most,
		.power = NAN,
		.power_low = NAN,
		.power_high = NAN,
		.sigma_w = run.sigma_w,
		.between_known = !isnan(noise->run_sigma_w),
	};

	if (difference_w != 0) {
		result.power = power_of(&test, difference_w, run.sigma_w);
		result.power_low = power_of(&test, difference_w, most);
		result.power_high = power_of(&test, difference_w, least);
	}
	*ret_detectable = result;
	return 0;
}

static uint32_t missing_of(const struct ssdpm_survey_stated *row)
{
	uint32_t missing = 0;

	if (!row->n_runs)
		missing |= SSDPM_SURVEY_MISSING_N;
	if (isnan(row->between_sd))
		missing |= SSDPM_SURVEY_MISSING_BETWEEN;
	if (row->n_runs == 1)
		missing |= SSDPM_SURVEY_MISSING_RUNS;
	return missing;
}

/* Whether it is a standard deviation or not stated. */
static bool is_sd(double sd)
{
	return isnan(sd) || (sd >= 0 && ssdpm__is_survey_power(sd));
}

static int check_row(const struct ssdpm_survey_stated *row, size_t i,
		     struct ssdpm_error *reterr)
{
	if (!ssdpm__is_survey_power(row->mean) || !is_sd(row->sd) ||
	    !is_sd(row->between_sd))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"row %zu: a mean is 0 or of 1e-60 to 1e60, a standard deviation too, or NaN where it is not stated",
			i + 1);
	if (row->between_sd == 0)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"row %zu: no runs are all the same: state the variance between them unrounded, or as unknown",
			i + 1);
	return ssdpm__check_reserved(row->reserved, "ssdpm_survey_stated",
				     reterr);
}

/* Games and Howell 1976, with the degrees of freedom of Welch 1947. */
static double compare_rows(const struct ssdpm_survey_stated *a,
			   const struct ssdpm_survey_stated *b, uint32_t n)
{
	double x = a->between_sd * a->between_sd / a->n_runs;
	double y = b->between_sd * b->between_sd / b->n_runs;
	double df = (x + y) * (x + y) /
		    (x * x / (a->n_runs - 1.0) + y * y / (b->n_runs - 1.0));

	return ssdpm__range_p(fabs(a->mean - b->mean) / sqrt((x + y) / 2), n,
			      df);
}

static void compare_all(const struct ssdpm_survey_stated *rows, size_t n,
			struct ssdpm_survey_judgement *judgement)
{
	judgement->p = INFINITY;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = i + 1; k < n; k++) {
			double p =
				compare_rows(&rows[i], &rows[k], (uint32_t)n);

			if (p >= judgement->p)
				continue;
			judgement->p = p;
			judgement->row = i;
			judgement->other_row = k;
		}
	}
}

int ssdpm_survey_judge(const struct ssdpm_survey_stated *rows, size_t n,
		       double error_rate,
		       struct ssdpm_survey_judgement *ret_judgement,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_survey_judgement judgement = {
		.verdict = SSDPM_SURVEY_NOT_DECIDABLE,
		.p = NAN,
	};
	int err = ssdpm__error_rate(&error_rate, reterr);

	if (err)
		return err;
	if (n < 2 || n > SURVEY_MAX_MEANS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "2 to %d rows can be compared, not %zu",
				   SURVEY_MAX_MEANS, n);
	for (size_t i = 0; i < n; i++) {
		err = check_row(&rows[i], i, reterr);
		if (err)
			return err;
		judgement.missing |= missing_of(&rows[i]);
	}
	if (!judgement.missing) {
		compare_all(rows, n, &judgement);
		judgement.verdict = judgement.p < error_rate ?
					    SSDPM_SURVEY_DIFFERENT :
					    SSDPM_SURVEY_NOT_SHOWN;
	}
	*ret_judgement = judgement;
	return 0;
}
