/* SPDX-License-Identifier: MIT */
/*
 * Results as JSON: the objects that ssdpm-json(5) has, as the command and
 * Python print them.
 */
#ifndef SSDPM_JSON_H
#define SSDPM_JSON_H

#include <ssdpm/energy/consistency.h>
#include <ssdpm/energy/measure.h>
#include <ssdpm/energy/power.h>

#ifdef __cplusplus
extern "C" {
#endif

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
 * struct ssdpm_consistency_report - how even writes went (sized; the caller
 * sets size)
 * @size:      sizeof(struct ssdpm_consistency_report)
 * @name:      of the log
 * @spare_ppm: of the drive that was simulated; 0: it is a log
 * @threshold_iops: that @found was made with; 0: none
 * @found:     from ssdpm_consistency_measure()
 * @plateau_power_w, @mean_power_w: of the plateau, and of the seconds that
 * count; NaN: not known
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
	double plateau_power_w;
	double mean_power_w;
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

#ifdef __cplusplus
}
#endif

#endif
