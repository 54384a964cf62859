/* SPDX-License-Identifier: MIT */
/*
 * Analyses the runs of a scenario in randomised blocks:
 *
 *     mean of a run = block + policy + noise
 *
 * It fits this by least squares, which is the usual analysis if no run is
 * missing. Blocks are eliminated (Yates 1936; John and Williams, "Cyclic and
 * Computer Generated Designs", 1995, chapter 1). This leaves n_policies
 * equations,
 *
 *     C tau = Q,    C = diag(r) - N K^-1 N',    Q = T - N K^-1 B
 *
 * with runs r of each policy, K of each block, sums T and B of these.
 */
#include "survey/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"

#define MAX_POLICIES SSDPM_SURVEY_MAX_POLICIES
/* For the intervals of means; those of differences use the family's rate. */
#define MEAN_ERROR_RATE 0.05
/* Noise below this share of the values is rounding. */
#define NO_NOISE 1e-13

struct survey_block {
	bool has[MAX_POLICIES];
	uint32_t n; /* runs in it */
	double y[MAX_POLICIES];
	double sum;
};

struct block_fit {
	struct survey_block *blocks; /* blocks with a run come first */
	uint32_t n_blocks;
	uint32_t n_policies;
	uint32_t n_runs;
	uint32_t runs[MAX_POLICIES];
	double tau[MAX_POLICIES];
	double inverse[MAX_POLICIES][MAX_POLICIES]; /* of C, generalised */
	uint32_t df;
	double variance;
	double block_level;    /* mean of the blocks' effects */
	double block_variance; /* their variance, with the noise */
	double block_noise; /* the part of it from noise, in units of the noise
			       variance */
};

static int check_run(const struct ssdpm_survey_run *run, size_t i,
		     const struct ssdpm_survey_analysis_params *params,
		     struct ssdpm_error *reterr)
{
	if (!ssdpm__is_survey_power(run->mean_w))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"run %zu has no mean of 1e-60 to 1e60 W, or 0", i + 1);
	if (run->policy >= params->n_policies ||
	    run->block >= SSDPM_SURVEY_MAX_BLOCKS)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"run %zu is of policy %u in block %u: there are %u policies and at most %d blocks, from 0 on",
			i + 1, run->policy, run->block, params->n_policies,
			SSDPM_SURVEY_MAX_BLOCKS);
	return ssdpm__check_reserved(run->reserved, "ssdpm_survey_run", reterr);
}

static int put_runs(struct block_fit *fit, const struct ssdpm_survey_run *runs,
		    size_t n, const struct ssdpm_survey_analysis_params *params,
		    struct ssdpm_error *reterr)
{
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_survey_run *run = &runs[i];
		int err = check_run(run, i, params, reterr);

		if (err)
			return err;
		if (run->scenario != params->scenario)
			continue;
		struct survey_block *block = &fit->blocks[run->block];

		if (block->has[run->policy])
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"run %zu: policy %u has been run in block %u of scenario %u before",
				i + 1, run->policy, run->block, run->scenario);
		block->has[run->policy] = true;
		block->y[run->policy] = run->mean_w;
		block->sum += run->mean_w;
		block->n++;
		fit->runs[run->policy]++;
		fit->n_runs++;
	}
	return 0;
}

/* Removes blocks without a run. */
static void drop_empty_blocks(struct block_fit *fit)
{
	for (uint32_t i = 0; i < SSDPM_SURVEY_MAX_BLOCKS; i++)
		if (fit->blocks[i].n)
			fit->blocks[fit->n_blocks++] = fit->blocks[i];
}

static int check_policies(const struct block_fit *fit,
			  struct ssdpm_error *reterr)
{
	for (uint32_t j = 0; j < fit->n_policies; j++)
		if (fit->runs[j] < SURVEY_MIN_BLOCKS)
			return ssdpm__fail(
				reterr, -ENODATA, 0,
				"policy %u has runs in %u block%s: %d or more are needed to tell it from noise",
				j, fit->runs[j], fit->runs[j] == 1 ? "" : "s",
				SURVEY_MIN_BLOCKS);
	return 0;
}

/*
 * C plus 1/n_policies in all places; its inverse is a generalised inverse of C.
 */
static void set_equations(const struct block_fit *fit,
			  double c[MAX_POLICIES][MAX_POLICIES],
			  double q[MAX_POLICIES])
{
	for (uint32_t j = 0; j < fit->n_policies; j++) {
		q[j] = 0;
		for (uint32_t k = 0; k < fit->n_policies; k++)
			c[j][k] = (j == k ? fit->runs[j] : 0) +
				  1.0 / fit->n_policies;
	}
	for (uint32_t i = 0; i < fit->n_blocks; i++) {
		const struct survey_block *block = &fit->blocks[i];

		for (uint32_t j = 0; j < fit->n_policies; j++) {
			if (!block->has[j])
				continue;
			q[j] += block->y[j] - block->sum / block->n;
			for (uint32_t k = 0; k < fit->n_policies; k++)
				if (block->has[k])
					c[j][k] -= 1.0 / block->n;
		}
	}
}

/*
 * Inverts in place by Gauss and Jordan. C is positive semidefinite. Its
 * smallest pivot is 0 if policies form groups that share no block.
 */
static bool invert(double a[MAX_POLICIES][MAX_POLICIES], uint32_t n)
{
	for (uint32_t p = 0; p < n; p++) {
		double pivot = a[p][p];

		if (!(pivot > 1e-9))
			return false;
		a[p][p] = 1;
		for (uint32_t k = 0; k < n; k++)
			a[p][k] /= pivot;
		for (uint32_t j = 0; j < n; j++) {
			double factor = a[j][p];

			if (j == p)
				continue;
			a[j][p] = 0;
			for (uint32_t k = 0; k < n; k++)
				a[j][k] -= factor * a[p][k];
		}
	}
	return true;
}

static double block_effect(const struct block_fit *fit,
			   const struct survey_block *block)
{
	double taus = 0;

	for (uint32_t j = 0; j < fit->n_policies; j++)
		taus += block->has[j] ? fit->tau[j] : 0;
	return (block->sum - taus) / block->n;
}

/* The variance of a contrast of policies, in units of the noise. */
static double contrast_variance(const struct block_fit *fit,
				const double *weights)
{
	double sum = 0;

	for (uint32_t j = 0; j < fit->n_policies; j++)
		for (uint32_t k = 0; k < fit->n_policies; k++)
			sum += weights[j] * fit->inverse[j][k] * weights[k];
	return sum;
}

/* The weight of each policy in the mean of all blocks' effects. */
static void mean_block_weights(const struct block_fit *fit, double *weights)
{
	for (uint32_t j = 0; j < fit->n_policies; j++) {
		weights[j] = 0;
		for (uint32_t i = 0; i < fit->n_blocks; i++)
			if (fit->blocks[i].has[j])
				weights[j] += 1.0 / fit->blocks[i].n;
		weights[j] /= fit->n_blocks;
	}
}

/*
 * The part of the variance between blocks that noise adds. The effect of a
 * block has the mean noise of its runs. It also has the noise of the policies
 * in it, which it shares with the mean of all blocks' effects.
 */
static double noise_of_blocks(const struct block_fit *fit)
{
	double shared[MAX_POLICIES], weights[MAX_POLICIES];
	double sum = 0, means = 0;

	mean_block_weights(fit, shared);
	for (uint32_t i = 0; i < fit->n_blocks; i++) {
		const struct survey_block *block = &fit->blocks[i];

		for (uint32_t j = 0; j < fit->n_policies; j++)
			weights[j] = (block->has[j] ? 1.0 / block->n : 0) -
				     shared[j];
		sum += contrast_variance(fit, weights);
		means += 1.0 / block->n;
	}
	/* 1/n for each, less their mean's variance: a share of 1 - 1/blocks. */
	return sum / (fit->n_blocks - 1) + means / fit->n_blocks;
}

static void set_variances(struct block_fit *fit)
{
	struct compensated residuals = { 0 }, spread = { 0 }, level = { 0 };

	for (uint32_t i = 0; i < fit->n_blocks; i++) {
		const struct survey_block *block = &fit->blocks[i];
		double effect = block_effect(fit, block);

		ssdpm__add(&level, effect);
		for (uint32_t j = 0; j < fit->n_policies; j++) {
			double rest = block->y[j] - effect - fit->tau[j];

			if (block->has[j])
				ssdpm__add(&residuals, rest * rest);
		}
	}
	fit->block_level = (level.sum + level.lost) / fit->n_blocks;
	for (uint32_t i = 0; i < fit->n_blocks; i++) {
		double from =
			block_effect(fit, &fit->blocks[i]) - fit->block_level;

		ssdpm__add(&spread, from * from);
	}
	fit->variance = (residuals.sum + residuals.lost) / fit->df;
	fit->block_variance = (spread.sum + spread.lost) / (fit->n_blocks - 1);
	fit->block_noise = noise_of_blocks(fit);
}

static int solve(struct block_fit *fit, struct ssdpm_error *reterr)
{
	double q[MAX_POLICIES];
	uint32_t parameters = fit->n_blocks + fit->n_policies - 1;

	set_equations(fit, fit->inverse, q);
	if (!invert(fit->inverse, fit->n_policies))
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"the policies fall into groups that share no block: run all of them in a few blocks");
	for (uint32_t j = 0; j < fit->n_policies; j++) {
		fit->tau[j] = 0;
		for (uint32_t k = 0; k < fit->n_policies; k++)
			fit->tau[j] += fit->inverse[j][k] * q[k];
	}
	if (fit->n_runs < parameters + 2)
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"%u runs in %u block%s leave too few to tell noise by: run more blocks",
			fit->n_runs, fit->n_blocks,
			fit->n_blocks == 1 ? "" : "s");
	fit->df = fit->n_runs - parameters;
	set_variances(fit);
	if (!(sqrt(fit->variance) > NO_NOISE * fabs(fit->block_level)))
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"the runs have no noise at all: readings cannot be that good, look at their source");
	return 0;
}

/*
 * Sets the variance of a policy's mean, for other blocks too. One part has the
 * degrees of freedom of blocks, another those of the noise (Satterthwaite
 * 1946).
 */
static void set_mean(const struct block_fit *fit, uint32_t policy,
		     struct ssdpm_survey_mean *mean)
{
	double weights[MAX_POLICIES], own = 0;

	mean_block_weights(fit, weights);
	for (uint32_t j = 0; j < fit->n_policies; j++)
		weights[j] = (j == policy) - weights[j];
	for (uint32_t i = 0; i < fit->n_blocks; i++)
		own += 1.0 / fit->blocks[i].n;
	double b = fit->n_blocks;
	double of_blocks = fit->block_variance / b;
	double of_noise =
		fit->variance *
		ssdpm__max(0, own / (b * b) + contrast_variance(fit, weights) -
				      fit->block_noise / b);
	double variance = of_blocks + of_noise;
	double df = variance * variance /
		    (of_blocks * of_blocks / (b - 1) +
		     of_noise * of_noise / fit->df);
	double half = ssdpm__student_t(MEAN_ERROR_RATE, df) * sqrt(variance);

	mean->policy = policy;
	mean->n_runs = fit->runs[policy];
	mean->mean_w = fit->block_level + fit->tau[policy];
	mean->se_w = sqrt(variance);
	mean->low_w = mean->mean_w - half;
	mean->high_w = mean->mean_w + half;
}

/*
 * The method of Tukey and Kramer: exact if no run is missing, else
 * conservative.
 */
static struct ssdpm_survey_difference compare(
	const struct block_fit *fit,
	const struct ssdpm_survey_analysis *analysis, uint32_t policy,
	uint32_t other, uint32_t n_scenarios)
{
	double weights[MAX_POLICIES] = { 0 };
	struct ssdpm_survey_difference difference = {
		.policy = policy,
		.other_policy = other,
		.difference_w = fit->tau[policy] - fit->tau[other],
	};

	weights[policy] = 1;
	weights[other] = -1;
	difference.se_w = sqrt(fit->variance * contrast_variance(fit, weights));
	double unit = difference.se_w * sqrt(0.5);
	double half = analysis->critical_q * unit;

	difference.low_w = difference.difference_w - half;
	difference.high_w = difference.difference_w + half;
	difference.p = ssdpm__p_of_all(
		ssdpm__range_p(fabs(difference.difference_w) / unit,
			       fit->n_policies, fit->df),
		n_scenarios);
	difference.share = difference.difference_w / analysis->system_w;
	difference.different = difference.low_w > 0 || difference.high_w < 0;
	return difference;
}

static void describe(const struct block_fit *fit,
		     const struct ssdpm_survey_analysis_params *params,
		     struct ssdpm_survey_analysis *analysis)
{
	double blocks = fit->block_variance - fit->block_noise * fit->variance;
	double most = -INFINITY;

	for (uint32_t j = 0; j < fit->n_policies; j++)
		most = ssdpm__max(most, fit->block_level + fit->tau[j]);
	for (uint32_t i = 0; i < fit->n_blocks; i++)
		analysis->n_complete += fit->blocks[i].n == fit->n_policies;
	analysis->n_runs = fit->n_runs;
	analysis->n_blocks = fit->n_blocks;
	analysis->n_missing = fit->n_blocks * fit->n_policies - fit->n_runs;
	analysis->df = fit->df;
	analysis->sigma_w = sqrt(fit->variance);
	analysis->block_sigma_w = sqrt(ssdpm__max(0, blocks));
	analysis->system_w = params->system_power_w > 0 ?
				     params->system_power_w :
				     (most > 0 ? most : NAN);
	analysis->critical_q = ssdpm__range_q(
		ssdpm__rate_of_each(params->error_rate, params->n_scenarios),
		fit->n_policies, fit->df);
}

static int analyse(struct block_fit *fit, const struct ssdpm_survey_run *runs,
		   size_t n, const struct ssdpm_survey_analysis_params *params,
		   struct ssdpm_error *reterr)
{
	int err = put_runs(fit, runs, n, params, reterr);

	if (err)
		return err;
	drop_empty_blocks(fit);
	err = check_policies(fit, reterr);
	return err ? err : solve(fit, reterr);
}

static void give(const struct block_fit *fit,
		 const struct ssdpm_survey_analysis_params *params,
		 struct ssdpm_survey_analysis *ret_analysis,
		 struct ssdpm_survey_analysis analysis)
{
	struct ssdpm_survey_difference *to = analysis.differences;
	struct ssdpm_survey_mean *means = analysis.means;

	describe(fit, params, &analysis);
	for (uint32_t j = 0; means && j < fit->n_policies; j++) {
		set_mean(fit, j, &means[j]);
		means[j].share = means[j].mean_w / analysis.system_w;
	}
	for (uint32_t j = 0; j < fit->n_policies; j++) {
		for (uint32_t k = j + 1; k < fit->n_policies; k++) {
			struct ssdpm_survey_difference difference = compare(
				fit, &analysis, j, k, params->n_scenarios);

			analysis.n_different += difference.different;
			if (to)
				*to++ = difference;
		}
	}
	ssdpm__sized_out(ret_analysis, &analysis, sizeof(analysis));
}

static int read_params(const struct ssdpm_survey_analysis_params *params,
		       struct ssdpm_survey_analysis_params *known,
		       struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_in(known, sizeof(*known), params,
				  "ssdpm_survey_analysis_params", reterr);

	if (!err)
		err = ssdpm__check_reserved(known->reserved,
					    "ssdpm_survey_analysis_params",
					    reterr);
	if (err)
		return err;
	if (known->n_policies < 2 ||
	    known->n_policies > SSDPM_SURVEY_MAX_POLICIES ||
	    known->scenario >= known->n_scenarios ||
	    known->n_scenarios > SSDPM_SURVEY_MAX_SCENARIOS ||
	    !(known->system_power_w >= 0) || !isfinite(known->system_power_w))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"an analysis has 2 to %d policies and 1 to %d scenarios. The power of the system is 0 W or more",
			SSDPM_SURVEY_MAX_POLICIES, SSDPM_SURVEY_MAX_SCENARIOS);
	return ssdpm__error_rate(&known->error_rate, reterr);
}

int ssdpm_survey_analyse(const struct ssdpm_survey_run *runs, size_t n,
			 const struct ssdpm_survey_analysis_params *params,
			 struct ssdpm_survey_analysis *ret_analysis,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_survey_analysis_params known = { .size = sizeof(known) };
	struct ssdpm_survey_analysis room = { .size = sizeof(room) };
	int err = ssdpm__sized_in(&room, sizeof(room), ret_analysis,
				  "ssdpm_survey_analysis", reterr);

	if (!err)
		err = read_params(params, &known, reterr);
	if (err)
		return err;
	struct block_fit fit = { .n_policies = known.n_policies };

	fit.blocks = calloc(SSDPM_SURVEY_MAX_BLOCKS, sizeof(*fit.blocks));
	if (!fit.blocks)
		return ssdpm__no_memory(reterr);
	err = analyse(&fit, runs, n, &known, reterr);
	if (!err)
		give(&fit, &known, ret_analysis,
		     (struct ssdpm_survey_analysis){
			     .means = room.means,
			     .differences = room.differences,
		     });
	free(fit.blocks);
	return err;
}

static const char survey_trend_words[][10] = {
	[SSDPM_SURVEY_TREND_NONE] = "none",
	[SSDPM_SURVEY_TREND_RISE] = "rise",
	[SSDPM_SURVEY_TREND_FALL] = "fall",
	[SSDPM_SURVEY_TREND_UNSETTLED] = "unsettled",
};
ENUM_WORDS(survey_trend)

static const char survey_verdict_words[][14] = {
	[SSDPM_SURVEY_DIFFERENT] = "different",
	[SSDPM_SURVEY_NOT_SHOWN] = "not-shown",
	[SSDPM_SURVEY_NOT_DECIDABLE] = "not-decidable",
};
ENUM_WORDS(survey_verdict)

static const char survey_missing_words[][8] = {
	[FLAG(SSDPM_SURVEY_MISSING_N)] = "n",
	[FLAG(SSDPM_SURVEY_MISSING_BETWEEN)] = "between",
	[FLAG(SSDPM_SURVEY_MISSING_RUNS)] = "runs",
};
FLAG_WORDS(survey_missing)
