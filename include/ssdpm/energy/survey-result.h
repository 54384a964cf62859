/* SPDX-License-Identifier: MIT */
/*
 * What a survey found, and what several found together.
 *
 *     file of a survey -> means of its runs -> comparisons, recommendation
 *     several of these -> differences over drives
 *
 * See ssdpm_survey(3).
 */
#ifndef SSDPM_SURVEY_RESULT_H
#define SSDPM_SURVEY_RESULT_H

#include <ssdpm/base.h>
#include <ssdpm/energy/survey-file.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Quantities to compare. Members named _w are in the unit of the quantity. */
enum ssdpm_survey_quantity {
	SSDPM_SURVEY_POWER = 1,	     /* watts */
	SSDPM_SURVEY_LATENCY = 2,    /* microseconds */
	SSDPM_SURVEY_THROUGHPUT = 3, /* bytes per second */
};

/** ssdpm_survey_quantity_to_string() - "power", "latency", "throughput" */
SSDPM_API const char *ssdpm_survey_quantity_to_string(uint32_t quantity);
SSDPM_API uint32_t ssdpm_survey_quantity_from_string(const char *word);

/** Why something is not compared, or not merged. */
enum ssdpm_survey_reason {
	/* Fewer than two policies have runs in three blocks each. */
	SSDPM_SURVEY_REASON_POLICIES = 1,
	/* The runs do not tell how large the noise between them is. */
	SSDPM_SURVEY_REASON_NOISE = 2,
	/* A mean is beyond what ssdpm_survey_analyse() takes. */
	SSDPM_SURVEY_REASON_VALUE = 3,
	/* The readings are those of another survey. */
	SSDPM_SURVEY_REASON_SAME = 4,
	/* The survey has no complete run. */
	SSDPM_SURVEY_REASON_NO_RUN = 5,
	/* Fewer than two drives have it. */
	SSDPM_SURVEY_REASON_DRIVES = 6,
};

/** ssdpm_survey_reason_to_string() - "policies", "noise", "value", "same",
 * "no-run", "drives" */
SSDPM_API const char *ssdpm_survey_reason_to_string(uint32_t reason);
SSDPM_API uint32_t ssdpm_survey_reason_from_string(const char *word);

/**
 * struct ssdpm_survey_result_params - how a survey is read (sized parameters)
 * @size:       sizeof(struct ssdpm_survey_result_params)
 * @name:       of the file, for messages and JSON; copied. NULL: ""
 * @error_rate: of all differences in power together, and of all those in the
 *              other quantities; 0: 0.05
 * @system_power_w: of the whole system; 0: the comment "system_w" of the file,
 *              else the largest mean
 */
struct ssdpm_survey_result_params {
	size_t size;
	const char *name;
	double error_rate;
	double system_power_w;
};

struct ssdpm_survey_result;

/**
 * ssdpm_survey_result_new() - compare the policies of a survey
 * @file:       borrowed until the result is freed
 * @params:     NULL: the defaults
 * @ret_result: free it with ssdpm_survey_result_free()
 *
 * Return: 0; -EINVAL (a rate or a power out of its range), -E2BIG (@params),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_survey_result_new(
	const struct ssdpm_survey_file *file,
	const struct ssdpm_survey_result_params *params,
	struct ssdpm_survey_result **ret_result, struct ssdpm_error *reterr);

/*
 * The getters of a result return what is borrowed from it; more may follow at
 * the end of these structures. Policies, scenarios and tests have the numbers
 * of the file.
 */

/**
 * struct ssdpm_survey_result_info - a survey as a whole (borrowed)
 * @file:       that it is of
 * @name:       of the parameters
 * @error_rate: that it was made with
 * @system_power_w: what shares are of; 0: of the largest mean
 * @n_complete, @n_incomplete, @n_replaced: runs, by enum
 *              ssdpm_survey_run_status
 * @n_rise, @n_fall, @n_unsettled: complete runs with that trend
 * @n_short:    complete runs of which nothing tells whether they had settled
 * @n_empty:    complete runs without a reading: left out
 */
struct ssdpm_survey_result_info {
	const struct ssdpm_survey_file *file;
	const char *name;
	double error_rate;
	double system_power_w;
	uint64_t n_complete;
	uint64_t n_incomplete;
	uint64_t n_replaced;
	uint64_t n_rise;
	uint64_t n_fall;
	uint64_t n_unsettled;
	uint64_t n_short;
	uint64_t n_empty;
};

/** ssdpm_survey_result_get_info() - all of it */
SSDPM_API const struct ssdpm_survey_result_info *ssdpm_survey_result_get_info(
	const struct ssdpm_survey_result *result);

/**
 * struct ssdpm_survey_run_result - one run (borrowed)
 * @readings:   of the file
 * @summary:    of its power; NULL: ssdpm_survey_summarise() can tell nothing
 * @mean_w:     that is compared: settled_mean_w of a run that rises or falls;
 *              NaN: no reading
 * @latency_us: mean of the readings; NaN: none
 */
struct ssdpm_survey_run_result {
	const struct ssdpm_survey_readings *readings;
	const struct ssdpm_survey_summary *summary;
	double mean_w;
	double latency_us;
};

/**
 * ssdpm_survey_result_get_run() - run by run, in the order of the file
 * @index: from 0 on
 *
 * Return: borrowed; NULL: there are no more.
 */
SSDPM_API const struct ssdpm_survey_run_result *ssdpm_survey_result_get_run(
	const struct ssdpm_survey_result *result, size_t index);

/**
 * struct ssdpm_survey_comparison - all policies in a scenario (borrowed)
 * @of:          name of the scenario, or of the test of fio
 * @quantity:    enum ssdpm_survey_quantity
 * @fio:         1: @of is a test of fio
 * @reason:      enum ssdpm_survey_reason; 0: it is compared
 * @n_policies:  policies with runs in 3 blocks or more
 * @n_few:       policies with fewer runs: left out
 * @reserved:    0
 * @reason_text: @reason in words; NULL: it is compared
 * @runs:        that were compared, or would have been; @n_runs of them
 * @analysis:    of it, with n_policies means and all their differences; NULL:
 *               it is not compared
 */
struct ssdpm_survey_comparison {
	const char *of;
	uint32_t quantity;
	uint32_t fio;
	uint32_t reason;
	uint32_t n_policies;
	uint32_t n_few;
	uint32_t reserved;
	const char *reason_text;
	const struct ssdpm_survey_run *runs;
	size_t n_runs;
	const struct ssdpm_survey_analysis *analysis;
};

/**
 * ssdpm_survey_result_get_comparison() - one after the other
 * @index: from 0 on: powers, latencies of the scenarios' own I/O, latencies and
 *         throughputs of fio
 *
 * Return: borrowed; NULL: there are no more.
 */
SSDPM_API const struct ssdpm_survey_comparison *
ssdpm_survey_result_get_comparison(const struct ssdpm_survey_result *result,
				   size_t index);

/**
 * ssdpm_survey_comparison_get_difference() - one policy minus another one
 * @ret_difference: with these two, in this order
 *
 * Return: 0; -ENOENT (it has not both of them, or is not compared).
 */
SSDPM_API int ssdpm_survey_comparison_get_difference(
	const struct ssdpm_survey_comparison *comparison, uint32_t policy,
	uint32_t other_policy, struct ssdpm_survey_difference *ret_difference);

/** What a survey speaks for. */
enum ssdpm_survey_advice {
	SSDPM_SURVEY_ADVICE_UNDECIDED = 1, /* no power can be compared */
	SSDPM_SURVEY_ADVICE_NOT_SHOWN = 2, /* no policy is shown to draw less */
	SSDPM_SURVEY_ADVICE_KEEP = 3, /* none draws less than what was found */
	SSDPM_SURVEY_ADVICE_CHANGE = 4, /* another policy draws less */
};

/** ssdpm_survey_advice_to_string() - "undecided", "not-shown", "keep", "change"
 */
SSDPM_API const char *ssdpm_survey_advice_to_string(uint32_t advice);
SSDPM_API uint32_t ssdpm_survey_advice_from_string(const char *word);

/** No policy: it has no number. */
#define SSDPM_SURVEY_NO_POLICY UINT32_MAX

/**
 * struct ssdpm_survey_recommendation - which policy to set (borrowed)
 * @comparison: of power that it is from: "idle", or else the first one that is
 *              compared; NULL: there is none
 * @kind:       enum ssdpm_survey_advice
 * @policy:     to set, or to keep; SSDPM_SURVEY_NO_POLICY: none
 * @from:       what it is compared with: the policy that all drives had, or
 *              else the one that draws the most; SSDPM_SURVEY_NO_POLICY: none
 * @was_found:  1: all drives had @from before the survey
 * @detectable_w: the difference that a survey like this finds in 80 of 100
 *              cases, as of ssdpm_survey_detectable(); NaN: not known
 * @risks_data: 1: @policy is "lpm=min_power", which has lost data on some
 *              drives (SSDPM_DIAGNOSIS_LPM_MIN_POWER)
 * @reserved:   0
 *
 * More may follow at its end.
 */
struct ssdpm_survey_recommendation {
	const struct ssdpm_survey_comparison *comparison;
	uint32_t kind;
	uint32_t policy;
	uint32_t from;
	uint32_t was_found;
	double detectable_w;
	uint32_t risks_data;
	uint32_t reserved;
};

/** ssdpm_survey_result_get_recommendation() - there is always one */
SSDPM_API const struct ssdpm_survey_recommendation *
ssdpm_survey_result_get_recommendation(
	const struct ssdpm_survey_result *result);

/**
 * ssdpm_survey_result_free() - @result may be NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_survey_result *ssdpm_survey_result_free(
	struct ssdpm_survey_result *result);

struct ssdpm_survey_merge;

/**
 * ssdpm_survey_merge_new() - several surveys as one
 * @results:    @n of them, borrowed until the merge is freed
 * @error_rate: of the intervals of all rows together: each has its part of it
 *              (Bonferroni); 0: 0.05
 * @ret_merge:  free it with ssdpm_survey_merge_free()
 *
 * A row is a policy against another one, in a scenario or test that at least
 * one survey has compared. The other one is the policy that most of the surveys
 * have. Two surveys are of one drive if their first comments "drive" are the
 * same up to the last comma. A survey without that comment is of one more
 * drive, known by its name. A survey that is given twice counts once.
 *
 * Return: 0; -EINVAL (a rate that is none), -ENOMEM.
 */
SSDPM_API int ssdpm_survey_merge_new(
	const struct ssdpm_survey_result *const *results, size_t n,
	double error_rate, struct ssdpm_survey_merge **ret_merge,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_survey_merge_info - a merge as a whole (borrowed)
 * @n_surveys:  that are used
 * @n_drives:   that these are of
 * @n_merged:   rows that have intervals
 * @error_rate: of the intervals of all rows together
 * @row_error_rate: of those of each
 */
struct ssdpm_survey_merge_info {
	uint64_t n_surveys;
	uint64_t n_drives;
	uint64_t n_merged;
	double error_rate;
	double row_error_rate;
};

/** ssdpm_survey_merge_get_info() - all of it */
SSDPM_API const struct ssdpm_survey_merge_info *ssdpm_survey_merge_get_info(
	const struct ssdpm_survey_merge *merge);

/**
 * struct ssdpm_survey_merge_part - one of the surveys (borrowed)
 * @result:      as it was given
 * @name:        of the result
 * @drive:       what its drive is known by
 * @reason:      enum ssdpm_survey_reason: it is left out; 0: it is used
 * @number:      of the drive: the index of the first survey of it
 * @reason_text: @reason in words; NULL: it is used
 */
struct ssdpm_survey_merge_part {
	const struct ssdpm_survey_result *result;
	const char *name;
	const char *drive;
	uint32_t reason;
	uint32_t number;
	const char *reason_text;
};

/**
 * ssdpm_survey_merge_get_part() - survey by survey
 * @index: from 0 on, in the order of the results
 *
 * Return: borrowed; NULL: there are no more.
 */
SSDPM_API const struct ssdpm_survey_merge_part *ssdpm_survey_merge_get_part(
	const struct ssdpm_survey_merge *merge, size_t index);

/**
 * struct ssdpm_survey_merge_row - a policy against another one (borrowed)
 * @of:          as in struct ssdpm_survey_comparison, and the next two
 * @quantity:    enum ssdpm_survey_quantity
 * @fio:         1: @of is a test of fio
 * @policy:      name
 * @from:        name of the policy that is subtracted
 * @reason:      enum ssdpm_survey_reason; 0: it is merged
 * @reserved:    0
 * @reason_text: @reason in words; NULL: it is merged
 * @merged:      over drives; NULL: it is not merged
 */
struct ssdpm_survey_merge_row {
	const char *of;
	uint32_t quantity;
	uint32_t fio;
	const char *policy;
	const char *from;
	uint32_t reason;
	uint32_t reserved;
	const char *reason_text;
	const struct ssdpm_survey_merged *merged;
};

/**
 * ssdpm_survey_merge_get_row() - row by row
 * @index: from 0 on: powers, latencies, throughputs
 *
 * Return: borrowed; NULL: there are no more.
 */
SSDPM_API const struct ssdpm_survey_merge_row *ssdpm_survey_merge_get_row(
	const struct ssdpm_survey_merge *merge, size_t index);

/**
 * ssdpm_survey_merge_free() - @merge may be NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_survey_merge *ssdpm_survey_merge_free(
	struct ssdpm_survey_merge *merge);

#ifdef __cplusplus
}
#endif

#endif
