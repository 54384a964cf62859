/* SPDX-License-Identifier: MIT */
/*
 * Results as JSON: the objects that ssdpm-json(5) has, as the command and
 * Python print them.
 */
#ifndef SSDPM_JSON_H
#define SSDPM_JSON_H

#include <ssdpm/energy/background.h>
#include <ssdpm/energy/budget.h>
#include <ssdpm/energy/caps.h>
#include <ssdpm/energy/compare.h>
#include <ssdpm/energy/consistency.h>
#include <ssdpm/energy/estimate.h>
#include <ssdpm/energy/likely.h>
#include <ssdpm/energy/measure.h>
#include <ssdpm/energy/power.h>
#include <ssdpm/energy/recommend.h>
#include <ssdpm/energy/survey-result.h>
#include <ssdpm/energy/workload.h>
#include <ssdpm/energy/writes.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct ssdpm_workload_report - a trace in numbers (sized; the caller sets
 *                                size)
 * @size:   sizeof(struct ssdpm_workload_report)
 * @name:   of the trace
 * @counts: of its reader
 * @stats:  from ssdpm_stats_get()
 *
 * All pointers are borrowed for the call.
 */
struct ssdpm_workload_report {
	size_t size;
	const char *name;
	const struct ssdpm_trace_counts *counts;
	const struct ssdpm_trace_stats *stats;
};

/**
 * ssdpm_workload_report_to_json() - "ssdpm.workload/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * The same report gives the same bytes.
 *
 * Return: 0; -EINVAL (a pointer is NULL), -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_workload_report_to_json(
	const struct ssdpm_workload_report *report, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * ssdpm_generator_to_json() - "ssdpm.generator/1"
 * @index: as for ssdpm_generator_get_name()
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -ENOENT (no more), -ENOMEM.
 */
SSDPM_API int ssdpm_generator_to_json(size_t index, char **ret_text,
				      struct ssdpm_error *reterr);

/**
 * struct ssdpm_power_report - what was found in samples of power (sized; the
 *                             caller sets size)
 * @size:     sizeof(struct ssdpm_power_report)
 * @name:     of the file, or of the meter
 * @counts:   of the reader of the file
 * @energy:   from ssdpm_energy_measure()
 * @counter_j: what the counter of the meter says of the same time; NaN: it has
 *            none
 * @baseline: from ssdpm_baseline_find()
 * @sampling: from ssdpm_sampling_check()
 * @activities: from ssdpm_activity_find(); @n_activities of them
 * @tail:     from ssdpm_tail_measure(); NULL: no completion is known
 * @work:     from ssdpm_idle_work_find(); NULL: there are no such samples
 *
 * All pointers are borrowed for the call. A function needs those that its
 * object is made of, and no others.
 */
struct ssdpm_power_report {
	size_t size;
	const char *name;
	const struct ssdpm_power_counts *counts;
	const struct ssdpm_energy *energy;
	double counter_j;
	const struct ssdpm_baseline *baseline;
	const struct ssdpm_sampling *sampling;
	const struct ssdpm_activity *activities;
	size_t n_activities;
	const struct ssdpm_tail *tail;
	const struct ssdpm_idle_work *work;
};

/**
 * ssdpm_power_report_energy_to_json() - "ssdpm.energy/1"
 * @report: with @counts, @energy and @sampling
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * The same report gives the same bytes.
 *
 * Return: 0; -EINVAL (a pointer that is needed is NULL), -E2BIG (the size of
 * @report), -ENOMEM.
 */
SSDPM_API int ssdpm_power_report_energy_to_json(
	const struct ssdpm_power_report *report, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * ssdpm_power_report_baseline_to_json() - "ssdpm.baseline/1"
 * @report: with @baseline, @sampling and @activities
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: as ssdpm_power_report_energy_to_json().
 */
SSDPM_API int ssdpm_power_report_baseline_to_json(
	const struct ssdpm_power_report *report, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * ssdpm_power_report_background_to_json() - "ssdpm.background/1"
 * @report: with @baseline and @sampling, and @tail and @work where there are
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: as ssdpm_power_report_energy_to_json().
 */
SSDPM_API int ssdpm_power_report_background_to_json(
	const struct ssdpm_power_report *report, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * ssdpm_experiment_to_json() - "ssdpm.background-class/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -EINVAL (the name or the class is missing, or it is no class),
 * -E2BIG (@experiment), -ENOMEM.
 */
SSDPM_API int ssdpm_experiment_to_json(
	const struct ssdpm_experiment *experiment, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * ssdpm_experiment_matrix_to_json() - "ssdpm.background-matrix/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -ENOMEM.
 */
SSDPM_API int ssdpm_experiment_matrix_to_json(
	const struct ssdpm_experiment_matrix *matrix, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_consistency_report - how even writes went (sized; the caller
 * sets size)
 * @size:      sizeof(struct ssdpm_consistency_report)
 * @name:      of the log
 * @spare_ppm: of the drive that was simulated; 0: it is a log
 * @threshold_iops: that @found was made with; 0: none
 * @found:     from ssdpm_consistency_measure()
 * @iops:      of each of @n_seconds seconds, to be written too; NULL: they are
 * not
 * @power_w:   likewise; NULL: not known
 *
 * All pointers are borrowed for the call.
 */
struct ssdpm_consistency_report {
	size_t size;
	const char *name;
	uint64_t spare_ppm;
	double threshold_iops;
	const struct ssdpm_consistency *found;
	const double *iops;
	const double *power_w;
	size_t n_seconds;
};

/**
 * ssdpm_consistency_report_to_json() - "ssdpm.consistency/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -EINVAL (@found is NULL, or @name of a log), -E2BIG (a size),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_consistency_report_to_json(
	const struct ssdpm_consistency_report *report, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_estimate_report - what a policy costs on a workload (sized; the
 * caller sets size)
 * @size:       sizeof(struct ssdpm_estimate_report)
 * @drive:      its name; NULL: it has none, as likewise the next two texts
 * @model:      of the drive
 * @trace:      name of the workload
 * @counts:     of the reader of the trace; NULL: no reader read it
 * @policy:     name of the policy
 * @resolved:   what the policy is for this drive
 * @sim:        the simulation, finished
 * @spare_ppm:  spare factor, in millionths; 0: none was given
 * @background: from ssdpm_parameters_set_spare(); NULL: no work is known
 * @cap_run:    from ssdpm_cap_simulate(), of the same workload; NULL: no cap
 * @cap_points: likewise, @n_cap_points of them
 *
 * All pointers are borrowed for the call. The loop, the link, the operational
 * state, the intervals and the parameters are those of @sim.
 */
struct ssdpm_estimate_report {
	size_t size;
	const char *drive;
	const struct ssdpm_model *model;
	const char *trace;
	const struct ssdpm_trace_counts *counts;
	const char *policy;
	const struct ssdpm_resolved_policy *resolved;
	const struct ssdpm_sim *sim;
	uint64_t spare_ppm;
	const struct ssdpm_background_work *background;
	const struct ssdpm_cap_run *cap_run;
	const struct ssdpm_cap_point *cap_points;
	size_t n_cap_points;
};

/**
 * ssdpm_estimate_report_to_json() - "ssdpm.estimate/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -EINVAL (@model, @resolved or @sim is NULL, @sim is not finished),
 * -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_estimate_report_to_json(
	const struct ssdpm_estimate_report *report, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_cap_report - a drive under power caps that does as much as it
 * can (sized; the caller sets size)
 * @size:      sizeof(struct ssdpm_cap_report)
 * @drive:     its name; NULL: it has none
 * @model:     of the drive
 * @streams:   what it does; their op, share and io_bytes are read
 * @n_streams: 1 or more
 * @points:    from ssdpm_cap_timeline(); @n_points of them
 *
 * All pointers are borrowed for the call.
 */
struct ssdpm_cap_report {
	size_t size;
	const char *drive;
	const struct ssdpm_model *model;
	const struct ssdpm_cap_stream *streams;
	size_t n_streams;
	const struct ssdpm_cap_point *points;
	size_t n_points;
};

/**
 * ssdpm_cap_report_to_json() - "ssdpm.cap/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -EINVAL (@model, @streams or @points is NULL), -E2BIG (a size),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_cap_report_to_json(const struct ssdpm_cap_report *report,
				       char **ret_text,
				       struct ssdpm_error *reterr);

/**
 * struct ssdpm_budget_report - drives that share a power budget (sized; the
 * caller sets size)
 * @size:     sizeof(struct ssdpm_budget_report)
 * @budget:   from ssdpm_budget_solve()
 * @work:     of the drives that have none of their own
 * @commands: that set the states; @n_commands of them
 *
 * All pointers are borrowed for the call.
 */
struct ssdpm_budget_report {
	size_t size;
	const struct ssdpm_budget *budget;
	const struct ssdpm_budget_work *work;
	const char *const *commands;
	size_t n_commands;
};

/**
 * ssdpm_budget_report_to_json() - "ssdpm.budget/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -EINVAL (@budget, @work or its streams, or @commands is NULL),
 * -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_budget_report_to_json(
	const struct ssdpm_budget_report *report, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_comparison_report - policies on a workload (sized; the caller
 * sets size)
 * @size:       sizeof(struct ssdpm_comparison_report)
 * @drive:      its name; NULL: it has none, as likewise @trace
 * @model:      of the drive
 * @trace:      name of the workload
 * @counts:     of the reader of the trace; NULL: no reader read it
 * @comparison: finished
 * @spare_ppm:  spare factor, in millionths; 0: none was given
 *
 * All pointers are borrowed for the call.
 */
struct ssdpm_comparison_report {
	size_t size;
	const char *drive;
	const struct ssdpm_model *model;
	const char *trace;
	const struct ssdpm_trace_counts *counts;
	const struct ssdpm_comparison *comparison;
	uint64_t spare_ppm;
};

/**
 * ssdpm_comparison_report_to_json() - "ssdpm.comparison/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Rows whose policies are the same for the drive are written once, with all
 * their names.
 *
 * Return: 0; -EINVAL (@model or @comparison is NULL, @comparison is not
 * finished), -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_comparison_report_to_json(
	const struct ssdpm_comparison_report *report, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_recommendation_words - how to tell people of a recommendation
 * (frozen)
 * @text:     a sentence; NULL, here and below: there is none
 * @apply:    a call of ssdpm-apply(1)
 * @changes:  from ssdpm_recommendation_get_changes(); @n_changes of them
 *
 * @apply and @changes are written only if the advice is SSDPM_ADVICE_SET.
 */
struct ssdpm_recommendation_words {
	const char *text;
	const char *apply;
	const struct ssdpm_change *changes;
	size_t n_changes;
};

/**
 * struct ssdpm_recommendation_report - what to set for a workload (sized; the
 * caller sets size)
 * @size:       sizeof(struct ssdpm_recommendation_report)
 * @drive:      its name; NULL: it has none, as likewise @trace and @from
 * @model:      of the drive
 * @trace:      name of the workload
 * @counts:     of the reader of the trace; NULL: no reader read it
 * @params:     what was simulated, as for ssdpm_recommend(), or NULL
 * @spare_ppm:  spare factor, in millionths; 0: none was given
 * @bounds:     what it may cost
 * @from:       name of the policy that savings are against
 * @recommendations: from ssdpm_recommend()
 * @words:      of each of these in turn; @n_words of them, which may be fewer
 * @battery_mwh, @system_uw: as for ssdpm_saving_get_battery_s(), for what a
 *              saving means; 0: it is not written
 * @hours_per_day: as for ssdpm_saving_get_year_wh(), likewise
 * @by_default: 1: @bounds are from ssdpm_gaps_get_default_bounds()
 *
 * All pointers are borrowed for the call.
 */
struct ssdpm_recommendation_report {
	size_t size;
	const char *drive;
	const struct ssdpm_model *model;
	const char *trace;
	const struct ssdpm_trace_counts *counts;
	const struct ssdpm_sim_params *params;
	uint64_t spare_ppm;
	const struct ssdpm_bounds *bounds;
	const char *from;
	const struct ssdpm_recommendations *recommendations;
	const struct ssdpm_recommendation_words *words;
	size_t n_words;
	uint64_t battery_mwh;
	uint64_t system_uw;
	uint32_t hours_per_day;
	uint32_t by_default;
};

/**
 * ssdpm_recommendation_report_to_json() - "ssdpm.recommendation/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -EINVAL (@model, @bounds or @recommendations is NULL; @params,
 * @battery_mwh, @system_uw), -E2BIG (a size), -ENOMEM; as
 * ssdpm_parameters_from_model().
 */
SSDPM_API int ssdpm_recommendation_report_to_json(
	const struct ssdpm_recommendation_report *report, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_prediction_report - a run whose power is predicted (sized; the
 *                                  caller sets size)
 * @size:       sizeof(struct ssdpm_prediction_report)
 * @model:      the drive
 * @sim:        finished
 * @prediction: from ssdpm_sim_get_prediction()
 * @ios:        the trace, @n_ios records: of it a digest and sums are written
 * @policy:     what is in force, in words; NULL, here and below: not said
 * @predicted_at: when, as in "2026-11-26T18:00:00Z"
 *
 * All pointers are borrowed for the call.
 */
struct ssdpm_prediction_report {
	size_t size;
	const struct ssdpm_model *model;
	const struct ssdpm_sim *sim;
	const struct ssdpm_prediction *prediction;
	const struct ssdpm_io *ios;
	size_t n_ios;
	const char *policy;
	const char *predicted_at;
};

/**
 * ssdpm_prediction_report_to_json() - "ssdpm.prediction/1", not yet measured
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * It has no serial number, and no name of a file.
 *
 * Return: 0; -EINVAL (a pointer is NULL, @sim is not finished), -E2BIG (a
 * size), -ENOMEM.
 */
SSDPM_API int ssdpm_prediction_report_to_json(
	const struct ssdpm_prediction_report *report, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * ssdpm_prediction_from_json() - what was predicted, before it is measured
 * @text:  need not end in a zero byte
 * @size:  of @text
 * @ret_prediction: its size member is set by the caller
 *
 * Return: 0; -EEXIST (it has a measurement already), -EINVAL (no JSON, another
 * schema, a value that cannot be), -ERANGE (a value that is too large), -E2BIG
 * (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_prediction_from_json(
	const char *text, size_t size, struct ssdpm_prediction *ret_prediction,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_prediction_measured - what was measured (sized; the caller sets
 *                                    size)
 * @size:        sizeof(struct ssdpm_prediction_measured)
 * @energy:      as for ssdpm_prediction_judge()
 * @subtracted_w: likewise
 * @measured_at: when, in words; NULL: not said
 */
struct ssdpm_prediction_measured {
	size_t size;
	const struct ssdpm_energy *energy;
	double subtracted_w;
	const char *measured_at;
};

/**
 * ssdpm_prediction_add_measured() - a prediction with its measurement
 * @text: as for ssdpm_prediction_from_json()
 * @size: of @text
 * @ret_text: @text, whose member "measured" has the measurement and its
 *        verdict; no other byte differs. free() it
 *
 * Return: 0; as ssdpm_prediction_from_json(), ssdpm_prediction_judge(); -EINVAL
 * (@energy is NULL).
 */
SSDPM_API int ssdpm_prediction_add_measured(
	const char *text, size_t size,
	const struct ssdpm_prediction_measured *measured, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * ssdpm_prediction_check_from_json() - a prediction that was measured
 * @text:  of ssdpm_prediction_add_measured(); need not end in a zero byte
 * @size:  of @text
 * @ret_check: its size member is set by the caller; as @text says
 * @ret_text: the text before the measurement, to be read by
 *        ssdpm_prediction_from_json(); free() it. NULL: not wanted
 *
 * Return: 0; -ENODATA (it has no measurement), or as
 * ssdpm_prediction_from_json(), but for -EEXIST.
 */
SSDPM_API int ssdpm_prediction_check_from_json(
	const char *text, size_t size, struct ssdpm_prediction_check *ret_check,
	char **ret_text, struct ssdpm_error *reterr);

/**
 * struct ssdpm_survey_words - how to tell people what a survey speaks for
 * (frozen)
 * @lines:     sentences; @n_lines of them
 * @warning:   a danger of the policy; NULL, here and below: there is none
 * @setting:   the command that sets it
 * @udev_rule: what makes it last
 */
struct ssdpm_survey_words {
	const char *const *lines;
	size_t n_lines;
	const char *warning;
	const char *setting;
	const char *udev_rule;
};

/**
 * ssdpm_survey_result_to_json() - "ssdpm.survey/1"
 * @words:    NULL: none
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -EINVAL (lines of @words are NULL), -ENOMEM.
 */
SSDPM_API int ssdpm_survey_result_to_json(
	const struct ssdpm_survey_result *result,
	const struct ssdpm_survey_words *words, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * ssdpm_survey_merge_to_json() - "ssdpm.survey-merge/1"
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -ENOMEM.
 */
SSDPM_API int ssdpm_survey_merge_to_json(const struct ssdpm_survey_merge *merge,
					 char **ret_text,
					 struct ssdpm_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
