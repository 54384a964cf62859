/* SPDX-License-Identifier: MIT */
/*
 * What to do about the drives of a machine, and what that saves.
 *
 *     recommendation + machine -> what to write
 *     profile + machine + workload -> what it saves and delays, drive by drive
 *
 * This stage reads the machine. See ssdpm_report(3).
 */
#ifndef SSDPM_REPORT_H
#define SSDPM_REPORT_H

#include <ssdpm/apply.h>
#include <ssdpm/device.h>
#include <ssdpm/energy/compare.h>
#include <ssdpm/energy/recommend.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ssdpm_recommendation_get_changes() - what to write for a recommendation
 * @device: as for ssdpm_device_get_apst_changes(), likewise the others
 *
 * A raw table has none: ssdpm_plan_add_apst() sets it.
 *
 * Return: 0; as ssdpm_device_get_apst_changes().
 */
SSDPM_API int ssdpm_recommendation_get_changes(
	const struct ssdpm_recommendation *found,
	const struct ssdpm_device *device,
	const struct ssdpm_machine_facts *facts,
	struct ssdpm_change **ret_changes, size_t *ret_n,
	struct ssdpm_error *reterr);

/**
 * ssdpm_plan_get_policies() - what a drive does before and after a plan
 * @device:     of the plan
 * @ret_before: its size member is set by the caller; likewise of @ret_after:
 *              an NVMe drive has tables, a SATA drive has link policies
 *
 * Return: 0; -ENOENT (the plan says nothing of it: the tables cannot be
 * predicted, or the port is left alone), -EINVAL, -E2BIG (sizes).
 */
SSDPM_API int ssdpm_plan_get_policies(const struct ssdpm_plan *plan,
				      const struct ssdpm_device *device,
				      struct ssdpm_policy *ret_before,
				      struct ssdpm_policy *ret_after,
				      struct ssdpm_error *reterr);

/**
 * struct ssdpm_energy_report_params - what the drives are asked (sized
 *                                     parameters)
 * @size:     sizeof(struct ssdpm_energy_report_params)
 * @settings: the profile, as for ssdpm_report_new()
 * @workload: what the drives do, as in struct ssdpm_generator_params; NULL:
 *            "lomax"
 * @ios:      a trace in its place, @n_ios records; NULL: none
 * @end_ns:   as for ssdpm_sim_finish()
 * @flags:    SSDPM_SIM_LIKELY: say what is likely of each saving, too
 * @reserved: 0
 */
struct ssdpm_energy_report_params {
	size_t size;
	const struct ssdpm_profile_settings *settings;
	const char *workload;
	const struct ssdpm_io *ios;
	size_t n_ios;
	uint64_t end_ns;
	uint32_t flags;
	uint32_t reserved;
};

struct ssdpm_energy_report;

/**
 * ssdpm_energy_report_new() - what a profile would save on each drive of a
 *                             machine, and what it would add to delays
 * @params:     or NULL for the defaults
 * @ret_report: free it with ssdpm_energy_report_free()
 *
 * Each drive is simulated twice on the same workload: as its machine has it
 * today, and under the profile. Sends no command, writes nothing and needs no
 * root. A drive of which no saving is known has an error of its own.
 *
 * Return: 0; as ssdpm_report_new(), ssdpm_trace_generate(),
 * ssdpm_comparison_feed(); -EINVAL, -E2BIG (@params), -ENODATA (@ios has no
 * record).
 */
SSDPM_API int ssdpm_energy_report_new(
	struct ssdpm_machine *machine,
	const struct ssdpm_energy_report_params *params,
	struct ssdpm_energy_report **ret_report, struct ssdpm_error *reterr);

/** ssdpm_energy_report_free() - forget a report, or NULL. Return: NULL. */
SSDPM_API struct ssdpm_energy_report *ssdpm_energy_report_free(
	struct ssdpm_energy_report *report);

/**
 * struct ssdpm_energy_report_item - a drive of a report (sized; the caller sets
 *                                   size)
 * @size:    sizeof(struct ssdpm_energy_report_item)
 * @error:   0; -ENOENT, -ENODATA and so on: no saving is known, and what
 *           follows @message is 0
 * @reserved: 0
 * @drive:   its policy, verdict and changes: an item of ssdpm_report_new()
 * @message: why no saving is known; "": it is
 * @before:  the run of today
 * @after:   that under the profile; the same where nothing changes
 * @saving:  of the profile against today
 * @added_mean_ns: added latency of an I/O, on average: after minus before
 * @added_p99_ns:  likewise at the 99th percentile
 * @likely:  what is likely of @saving; NULL: nothing changes, or nobody asked
 *
 * All is borrowed from the report.
 */
struct ssdpm_energy_report_item {
	size_t size;
	int32_t error;
	uint32_t reserved;
	const struct ssdpm_report_item *drive;
	const char *message;
	const struct ssdpm_run *before;
	const struct ssdpm_run *after;
	struct ssdpm_saving saving;
	int64_t added_mean_ns;
	int64_t added_p99_ns;
	const struct ssdpm_likely *likely;
};

/**
 * ssdpm_energy_report_get_item() - from 0 on
 *
 * Return: as ssdpm_report_get_item().
 */
SSDPM_API int ssdpm_energy_report_get_item(
	const struct ssdpm_energy_report *report, size_t index,
	struct ssdpm_energy_report_item *ret_item);

#ifdef __cplusplus
}
#endif

#endif
