/* SPDX-License-Identifier: MIT */
/*
 * The survey: which policy is best on this machine.
 *
 *     samples of many policies -> means, differences, which one is best
 *
 * See ssdpm_survey(3).
 */
#ifndef SSDPM_SURVEY_H
#define SSDPM_SURVEY_H

#include <ssdpm/base.h>
#include <ssdpm/energy/power.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of a survey. */
#define SSDPM_SURVEY_MAX_POLICIES 16
#define SSDPM_SURVEY_MAX_SCENARIOS 16
#define SSDPM_SURVEY_MAX_BLOCKS 1000

/**
 * struct ssdpm_survey_params - what a survey runs (sized parameters)
 * @size:        sizeof(struct ssdpm_survey_params)
 * @seed:        of the order: the same seed gives the same order everywhere
 * @settle_ns:   between setting a policy and the first reading; 0: 10 minutes
 * @interval_ns: from one reading to the next; 0: 3 seconds
 * @duration_ns: of the readings of a run; 0: 15 minutes
 * @n_policies:  2 to SSDPM_SURVEY_MAX_POLICIES
 * @n_scenarios: 1 to SSDPM_SURVEY_MAX_SCENARIOS
 * @n_blocks:    how often all of it is run; 0: 5
 * @reserved:    0
 */
struct ssdpm_survey_params {
	size_t size;
	uint64_t seed;
	uint64_t settle_ns;
	uint64_t interval_ns;
	uint64_t duration_ns;
	uint32_t n_policies;
	uint32_t n_scenarios;
	uint32_t n_blocks;
	uint32_t reserved;
};

/**
 * struct ssdpm_survey_step - one run of a schedule (frozen, 40 bytes)
 * @begin_ns:   when its policy is set, from the begin of the survey on
 * @measure_ns: when its first reading is due: @begin_ns and the time to settle
 * @end_ns:     when it ends
 * @policy, @scenario, @block: each from 0 on
 * @n_samples:  readings that it takes
 */
struct ssdpm_survey_step {
	uint64_t begin_ns;
	uint64_t measure_ns;
	uint64_t end_ns;
	uint32_t policy;
	uint32_t scenario;
	uint32_t block;
	uint32_t n_samples;
};

/**
 * ssdpm_survey_schedule() - in which order policies and scenarios are run
 * @ret_steps:    room for @capacity; may be NULL where that is 0
 * @ret_n:        how many there are, which may be more than @capacity: then the
 *                first ones were written
 * @ret_total_ns: how long all of it takes
 *
 * A block has each scenario once, in random order, and in each scenario each
 * policy once, in random order. So policies are compared with runs that are
 * close together, and drift of the machine falls on all policies alike.
 *
 * Return: 0; -EINVAL (no such number of policies, scenarios or blocks; a run of
 * fewer than 2 readings; longer than 2^62 ns), -E2BIG (@params).
 */
SSDPM_API int ssdpm_survey_schedule(const struct ssdpm_survey_params *params,
				    struct ssdpm_survey_step *ret_steps,
				    size_t capacity, size_t *ret_n,
				    uint64_t *ret_total_ns,
				    struct ssdpm_error *reterr);

/** Whether a run had settled: ssdpm_survey_summary.trend. */
enum ssdpm_survey_trend {
	SSDPM_SURVEY_TREND_NONE = 1, /* none that noise would not make */
	/* Slow, after settling: an averaging artefact of the first readings. */
	SSDPM_SURVEY_TREND_RISE = 2,
	SSDPM_SURVEY_TREND_FALL = 3,
	/* Its second half has a trend: settle longer. */
	SSDPM_SURVEY_TREND_UNSETTLED = 4,
};

/** ssdpm_survey_trend_to_string() - "none", "rise", "fall", "unsettled" */
SSDPM_API const char *ssdpm_survey_trend_to_string(uint32_t trend);
SSDPM_API uint32_t ssdpm_survey_trend_from_string(const char *word);

/**
 * struct ssdpm_survey_summary - one run in numbers (sized result)
 * @size:       set by the caller
 * @n:          finite samples
 * @n_not_finite: others, left out
 * @covered_ns: from the first sample to one step after the last
 * @mean_w:     of all finite samples
 * @se_w:       standard error of @mean_w that respects autocorrelation
 * @se_df:      degrees of freedom of @se_w, which is an estimate itself
 * @low_w, @high_w: 95 % interval of @mean_w
 * @sd_w:       standard deviation of the samples
 * @n_effective: independent samples that would give the same @se_w
 * @order:      of the autoregression that @se_w is from
 * @trend:      enum ssdpm_survey_trend
 * @leave_out_ns: the part at the begin that is not settled; 0: none
 * @n_left_out: samples in it
 * @trend_w:    mean of what is after that part, minus mean of that part
 * @settled_mean_w, @settled_se_w: as @mean_w and @se_w, without that part
 */
struct ssdpm_survey_summary {
	size_t size;
	uint64_t n;
	uint64_t n_not_finite;
	uint64_t covered_ns;
	double mean_w;
	double se_w;
	double se_df;
	double low_w;
	double high_w;
	double sd_w;
	double n_effective;
	uint32_t order;
	uint32_t trend;
	uint64_t leave_out_ns;
	uint64_t n_left_out;
	double trend_w;
	double settled_mean_w;
	double settled_se_w;
};

/**
 * ssdpm_survey_summarise() - mean power of one run, and how well it is known
 * @samples: of the run after settling, at even steps
 *
 * Methods and sources are in ssdpm_survey(3).
 *
 * Return: 0; -ENODATA (fewer than 30 finite samples, or none differs from the
 * first: nothing can be told of the noise), -EINVAL, -E2BIG, -ENOMEM.
 */
SSDPM_API int ssdpm_survey_summarise(const struct ssdpm_samples *samples,
				     struct ssdpm_survey_summary *ret_summary,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_survey_range_p() - how likely a studentised range is this large
 * @q:      the range of @k means, by the standard error of one of them
 * @k:      2 to 100
 * @df:     degrees of freedom of that standard error, 1 or more
 * @ret_p:  the probability of a range above @q, where all means are the same
 *
 * Right to 1e-9 absolutely.
 *
 * Return: 0; -EINVAL.
 */
SSDPM_API int ssdpm_survey_range_p(double q, uint32_t k, double df,
				   double *ret_p, struct ssdpm_error *reterr);

/**
 * ssdpm_survey_range_q() - the studentised range of this probability
 * @p:     that it is above @ret_q: 1e-6 to 0.999999
 * @ret_q: the inverse of ssdpm_survey_range_p()
 *
 * Return: 0; -EINVAL.
 */
SSDPM_API int ssdpm_survey_range_q(double p, uint32_t k, double df,
				   double *ret_q, struct ssdpm_error *reterr);

/**
 * struct ssdpm_survey_run - what a run came to (frozen, 24 bytes)
 * @mean_w:   mean_w or settled_mean_w of its summary
 * @policy, @scenario, @block: from 0 on, as in struct ssdpm_survey_step
 * @reserved: 0
 */
struct ssdpm_survey_run {
	double mean_w;
	uint32_t policy;
	uint32_t scenario;
	uint32_t block;
	uint32_t reserved;
};

/**
 * struct ssdpm_survey_analysis_params - how to compare (sized parameters)
 * @size:           sizeof(struct ssdpm_survey_analysis_params)
 * @error_rate:     of the whole family: all pairs in all scenarios; 0: 0.05
 * @system_power_w: of the whole system, where the samples are of a part of it;
 *                  0: they are of the system
 * @n_policies:     2 to SSDPM_SURVEY_MAX_POLICIES
 * @n_scenarios:    that are analysed, each by a call: they share @error_rate;
 *                  1 or more
 * @scenario:       of which the runs are taken, below @n_scenarios
 * @reserved:       0
 */
struct ssdpm_survey_analysis_params {
	size_t size;
	double error_rate;
	double system_power_w;
	uint32_t n_policies;
	uint32_t n_scenarios;
	uint32_t scenario;
	uint32_t reserved;
};

/**
 * struct ssdpm_survey_analysis - all runs of a scenario together (sized result)
 * @size:      set by the caller
 * @n_runs:    runs of that scenario
 * @n_blocks:  blocks that have one of them or more
 * @n_complete: blocks that have all policies
 * @n_missing: runs that are missing from the others
 * @df:        degrees of freedom of @sigma_w
 * @sigma_w:   standard deviation of a run, without what its block shares
 * @block_sigma_w: standard deviation of blocks; 0: not more than noise makes
 * @critical_q: a studentised range above this is a difference
 * @system_w:  what shares are of: of the parameters, or the largest mean; NaN:
 *             that is not above 0, and shares are NaN too
 * @n_different: differences that were found
 * @reserved:  0
 * @means:     n_policies of them, by number: room that the caller gives, or
 * NULL
 * @differences: likewise n_policies * (n_policies - 1) / 2 of them, 0-1, 0-2,
 *             ..., 1-2, ...
 */
struct ssdpm_survey_analysis {
	size_t size;
	uint64_t n_runs;
	uint32_t n_blocks;
	uint32_t n_complete;
	uint32_t n_missing;
	uint32_t df;
	double sigma_w;
	double block_sigma_w;
	double critical_q;
	double system_w;
	uint32_t n_different;
	uint32_t reserved;
	struct ssdpm_survey_mean *means;
	struct ssdpm_survey_difference *differences;
};

/**
 * struct ssdpm_survey_mean - one policy in a scenario (frozen, 48 bytes)
 * @policy:  from 0 on
 * @n_runs:  runs of it
 * @mean_w:  over all blocks, by least squares where some are missing
 * @low_w, @high_w: 95 % interval, of other blocks too: it is no test of
 *           differences, which are known better
 * @se_w:    standard error of @mean_w
 * @share:   @mean_w by system_w
 */
struct ssdpm_survey_mean {
	uint32_t policy;
	uint32_t n_runs;
	double mean_w;
	double low_w;
	double high_w;
	double se_w;
	double share;
};

/**
 * struct ssdpm_survey_difference - two policies in a scenario (frozen, 64
 * bytes)
 * @policy:       the one
 * @other_policy: the other one, a higher number
 * @difference_w: mean of @policy minus that of @other_policy
 * @se_w:         its standard error
 * @low_w, @high_w: interval: all of the family hold together with a probability
 *                of 1 - error_rate
 * @p:            that chance makes any difference of the family this large
 * @share:        @difference_w by system_w
 * @different:    1: the interval does not have 0 in it
 * @reserved:     0
 */
struct ssdpm_survey_difference {
	uint32_t policy;
	uint32_t other_policy;
	double difference_w;
	double se_w;
	double low_w;
	double high_w;
	double p;
	double share;
	uint32_t different;
	uint32_t reserved;
};

/**
 * ssdpm_survey_analyse() - which policies differ in a scenario, and by how much
 * @runs:         in any order, of any scenarios; blocks may lack some
 * @n:            how many
 * @ret_analysis: the whole; its size, @means and @differences are set by the
 *                caller
 *
 * Return: 0; -ENODATA (a policy with fewer than 3 runs, policies that no block
 * links, nothing left to tell noise by: @reterr says which runs would help),
 * -EINVAL (a number out of its range, a run twice), -E2BIG, -ENOMEM.
 */
SSDPM_API int ssdpm_survey_analyse(
	const struct ssdpm_survey_run *runs, size_t n,
	const struct ssdpm_survey_analysis_params *params,
	struct ssdpm_survey_analysis *ret_analysis, struct ssdpm_error *reterr);

/**
 * struct ssdpm_survey_noise - noise that was sampled (frozen, 40 bytes)
 * @se_w:         of the mean of a run, as of ssdpm_survey_summarise()
 * @se_df:        its degrees of freedom, 1 or more
 * @covered_ns:   length of that run: longer runs have less noise
 * @run_sigma_w:  standard deviation of runs of that length in a block, as
 *                sigma_w of an analysis; NaN: not known
 * @run_sigma_df: its degrees of freedom; not read where that is NaN
 */
struct ssdpm_survey_noise {
	double se_w;
	double se_df;
	uint64_t covered_ns;
	double run_sigma_w;
	double run_sigma_df;
};

/**
 * struct ssdpm_survey_detectable - what a schedule can tell (frozen, 64 bytes)
 * @difference_w: between two policies, found with a probability of 80 %
 * @low_w, @high_w: 95 % interval, as the noise is an estimate
 * @power:        probability that the difference that was asked for is found;
 *                NaN: none was
 * @power_low, @power_high: 95 % interval
 * @sigma_w:      standard deviation of a run that all this is for
 * @between_known: 0: it is the noise within runs alone, run_sigma_w was not
 *                known: read @difference_w as "not less than"
 * @reserved:     0
 */
struct ssdpm_survey_detectable {
	double difference_w;
	double low_w;
	double high_w;
	double power;
	double power_low;
	double power_high;
	double sigma_w;
	uint32_t between_known;
	uint32_t reserved;
};

/**
 * ssdpm_survey_detectable() - the difference that a schedule can find
 * @params:       of the schedule
 * @noise:        as just sampled
 * @error_rate:   of all pairs in all scenarios; 0: 0.05
 * @difference_w: to find the power for; 0: none
 *
 * Return: 0; -ENODATA (fewer than 3 blocks), -EINVAL, -E2BIG.
 */
SSDPM_API int ssdpm_survey_detectable(
	const struct ssdpm_survey_params *params,
	const struct ssdpm_survey_noise *noise, double error_rate,
	double difference_w, struct ssdpm_survey_detectable *ret_detectable,
	struct ssdpm_error *reterr);

/** What can be said of a table that others have published. */
enum ssdpm_survey_verdict {
	SSDPM_SURVEY_DIFFERENT = 1,
	SSDPM_SURVEY_NOT_SHOWN = 2, /* no difference: not that there is none */
	SSDPM_SURVEY_NOT_DECIDABLE = 3,
};

/** ssdpm_survey_verdict_to_string() - "different", "not-shown", "not-decidable"
 */
SSDPM_API const char *ssdpm_survey_verdict_to_string(uint32_t verdict);
SSDPM_API uint32_t ssdpm_survey_verdict_from_string(const char *word);

/** Why it is not: bits of ssdpm_survey_judgement.missing. */
enum ssdpm_survey_missing {
	SSDPM_SURVEY_MISSING_N = 1 << 0,       /* how many runs each is of */
	SSDPM_SURVEY_MISSING_BETWEEN = 1 << 1, /* variance between runs */
	/* One run: its samples say nothing of how the next one would be. */
	SSDPM_SURVEY_MISSING_RUNS = 1 << 2,
};

/** ssdpm_survey_missing_to_string() - of a bit: "n", "between", "runs" */
SSDPM_API const char *ssdpm_survey_missing_to_string(uint32_t missing);
SSDPM_API uint32_t ssdpm_survey_missing_from_string(const char *word);

/**
 * struct ssdpm_survey_stated - a row as published (frozen, 32 bytes)
 * @mean:      in any unit, as are the next two
 * @sd:        standard deviation of single samples (single I/Os): shown, but no
 *             number of them makes up for runs; NaN: not stated
 * @between_sd: standard deviation of the means of runs; NaN: not stated
 * @n_runs:    runs that @mean is of; 0: not stated
 * @reserved:  0
 */
struct ssdpm_survey_stated {
	double mean;
	double sd;
	double between_sd;
	uint32_t n_runs;
	uint32_t reserved;
};

/**
 * struct ssdpm_survey_judgement - of two rows or more (frozen, 24 bytes)
 * @verdict:  enum ssdpm_survey_verdict
 * @missing:  bits of enum ssdpm_survey_missing; 0: nothing
 * @p:        the smallest of all pairs, for the family; NaN: not decidable
 * @row, @other_row: the pair that it is of; 0 and 0: not decidable
 */
struct ssdpm_survey_judgement {
	uint32_t verdict;
	uint32_t missing;
	double p;
	uint32_t row;
	uint32_t other_row;
};

/**
 * ssdpm_survey_judge() - can a published table tell its rows apart?
 * @rows:       2 to 100, from independent runs
 * @error_rate: of all pairs; 0: 0.05
 *
 * By the test of Games and Howell (1976), which asks for no equal variances.
 *
 * Return: 0; -EINVAL (not finite, below 0, no such number of rows).
 */
SSDPM_API int ssdpm_survey_judge(const struct ssdpm_survey_stated *rows,
				 size_t n, double error_rate,
				 struct ssdpm_survey_judgement *ret_judgement,
				 struct ssdpm_error *reterr);

/**
 * struct ssdpm_survey_effect - what one survey found (frozen, 24 bytes)
 * @mean_w: of a policy, or of a difference of two: machines differ by more than
 *          policies do, so merge differences
 * @se_w:   its standard error, above 0
 * @drive:  a number for each drive, or each model of drives
 * @policy: a number for each policy, or each pair
 */
struct ssdpm_survey_effect {
	double mean_w;
	double se_w;
	uint32_t drive;
	uint32_t policy;
};

/**
 * struct ssdpm_survey_merged - many surveys as one (frozen, 88 bytes)
 * @n_results:  results of that policy
 * @n_drives:   drives that they are of
 * @mean_w:     over drives
 * @se_w:       its standard error
 * @low_w, @high_w: interval of the mean of all such drives
 * @drive_low_w, @drive_high_w: interval for the next drive; NaN: fewer
 *              than 3 drives cannot tell
 * @tau_w:      standard deviation between drives
 * @heterogeneity_q: Cochran's Q
 * @inconsistency: I^2: share of what is seen between drives that is not noise
 * @reserved:   0
 */
struct ssdpm_survey_merged {
	uint64_t n_results;
	uint32_t n_drives;
	uint32_t reserved;
	double mean_w;
	double se_w;
	double low_w;
	double high_w;
	double drive_low_w;
	double drive_high_w;
	double tau_w;
	double heterogeneity_q;
	double inconsistency;
};

/**
 * ssdpm_survey_merge_effects() - one policy over all drives
 * @effects: in any order, of any policies
 * @n:       how many
 * @policy:  that is merged
 * @error_rate: of the intervals, 0: 0.05. Give each row of a table of many rows
 *           0.05 by their number (Bonferroni): then all hold together with
 *           95 %. Tukey's does not fit, as the drives of rows differ, and so
 *           does the variance between these
 *
 * Results of one drive are one, weighed by their precision. Drives are a random
 * sample of all (DerSimonian and Laird 1986); the interval is that of Hartung
 * and Knapp (2001), never shorter than without it.
 *
 * Return: 0; -ENODATA (fewer than 2 drives), -EINVAL (not finite; a rate
 * that is none), -ENOMEM.
 */
SSDPM_API int ssdpm_survey_merge_effects(
	const struct ssdpm_survey_effect *effects, size_t n, uint32_t policy,
	double error_rate, struct ssdpm_survey_merged *ret_merged,
	struct ssdpm_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
