/* SPDX-License-Identifier: MIT */
/*
 * What to do about the drives of a machine, and what that saves.
 *
 *     recommendation + machine -> what to write
 *     profile + machine + workload -> what it saves and delays, drive by drive
 *     patience + machine + workload -> the setting of each drive, likewise
 *     trial of that setting -> whether to set it
 *
 * This stage reads the machine. See ssdpm_report(3).
 */
#ifndef SSDPM_REPORT_H
#define SSDPM_REPORT_H

#include <ssdpm/apply.h>
#include <ssdpm/device.h>
#include <ssdpm/energy/compare.h>
#include <ssdpm/energy/recommend.h>
#include <ssdpm/energy/trial.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ssdpm_device_check_estimable() - does this machine know what a drive draws?
 * @model: of the drive; NULL: a disk that Linux takes for a hard disk is one
 *
 * Return: 0; -EOPNOTSUPP, and @reterr says why: a hard disk, a drive over a
 * network, a controller that is not live.
 */
SSDPM_API int ssdpm_device_check_estimable(const struct ssdpm_device *device,
					   const struct ssdpm_model *model,
					   struct ssdpm_error *reterr);

/**
 * ssdpm_bounds_set_device() - what the machine of a device lets it have
 * @bounds:     for ssdpm_recommend(). The kernel, the quirks,
 *              SSDPM_BOUNDS_IN_FORCE and SSDPM_BOUNDS_NO_RAW_TABLE become those
 *              of an NVMe drive; a SATA drive is only checked
 * @device:     of @machine
 * @model:      of ssdpm_device_read_model(); NULL: it is unknown
 * @ret_kernel: @bounds points to it; its size member is set by the caller
 *
 * The table of the parameters of ssdpm_recommend() is then that of
 * ssdpm_device_get_settings(). Where it is another one, clear
 * SSDPM_BOUNDS_IN_FORCE. A drive without a latency limit does not get it.
 *
 * Return: 0; as ssdpm_device_check_estimable(), ssdpm_device_get_apst_params(),
 * ssdpm_machine_read_facts() and ssdpm_plan_add_lpm(); -EOPNOTSUPP too if a
 * plan leaves the port alone, with its reason, or if it has other disks. A
 * failure leaves @bounds as they were.
 */
SSDPM_API int ssdpm_bounds_set_device(struct ssdpm_bounds *bounds,
				      struct ssdpm_machine *machine,
				      struct ssdpm_device *device,
				      struct ssdpm_model *model,
				      struct ssdpm_apst_params *ret_kernel,
				      struct ssdpm_error *reterr);

/**
 * ssdpm_recommendation_get_changes() - what to write for a recommendation
 * @device: as for ssdpm_device_get_apst_changes(), likewise the others
 *
 * A raw table has none: ssdpm_plan_add_apst() sets it. A link policy is a file
 * of the port of @device, or of "hostN".
 *
 * Return: 0; as ssdpm_device_get_apst_changes(); -EOPNOTSUPP (a drive over a
 * network, a controller that is not live; a kernel that refuses a raw table).
 * -EOPNOTSUPP too, if the port has other disks or takes no policy.
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
 * @today:      of ssdpm_device_get_settings(), or NULL. Its table is the one
 *              before, and the one after a plan that builds no other; NULL: the
 *              plan predicts both.
 * @ret_before: its size member is set by the caller; likewise of @ret_after:
 *              an NVMe drive has tables, a SATA drive has link policies
 *
 * Return: 0; -ENOENT (the plan says nothing of it: the tables cannot be
 * predicted, or the port is left alone), -EOPNOTSUPP (@today has no table: none
 * was read, or the drive cannot follow it), -EINVAL, -E2BIG (sizes).
 */
SSDPM_API int ssdpm_plan_get_policies(const struct ssdpm_plan *plan,
				      const struct ssdpm_device *device,
				      const struct ssdpm_device_settings *today,
				      struct ssdpm_policy *ret_before,
				      struct ssdpm_policy *ret_after,
				      struct ssdpm_error *reterr);

/** Why ssdpm_machine_get_workload() takes a workload; the first that holds. */
enum ssdpm_workload_reason {
	/* The firmware calls it a server: preferred power management profile,
	 * ACPI 6.5, table 5.9; sys/firmware/acpi/pm_profile. */
	SSDPM_WORKLOAD_REASON_FIRMWARE = 1,
	/* It has the chassis of a server: SMBIOS 3.7, 7.4.1;
	 * sys/class/dmi/id/chassis_type. */
	SSDPM_WORKLOAD_REASON_CHASSIS = 2,
	/* It has four or more SATA disks, as a NAS. */
	SSDPM_WORKLOAD_REASON_DISKS = 3,
	/* None of these. */
	SSDPM_WORKLOAD_REASON_NO_SERVER = 4,
};

/**
 * ssdpm_machine_get_workload_reason() - what kind of machine this is
 * @machine: NULL: a drive is in none, which is no sign of a server
 *
 * It reads files below sys/. A file that cannot be read is no sign of a server.
 *
 * Return: enum ssdpm_workload_reason.
 */
SSDPM_API uint32_t
ssdpm_machine_get_workload_reason(const struct ssdpm_machine *machine);

/**
 * ssdpm_machine_get_workload() - what the drives of such a machine do all day
 * @machine: likewise
 *
 * "desktop-session" for SSDPM_WORKLOAD_REASON_NO_SERVER, and "server-files" for
 * all other reasons.
 *
 * Return: a name for struct ssdpm_generator_params, a static string.
 */
SSDPM_API const char *ssdpm_machine_get_workload(
	const struct ssdpm_machine *machine);

/** ssdpm_workload_reason_to_string() - "firmware", "chassis", ..., or NULL */
SSDPM_API const char *ssdpm_workload_reason_to_string(uint32_t reason);
SSDPM_API uint32_t ssdpm_workload_reason_from_string(const char *word);

/** Bits of ssdpm_energy_report_params.flags, beside SSDPM_SIM_LIKELY. */
enum ssdpm_energy_report_flag {
	/* With a patience: a drive whose verdict is SSDPM_DIAGNOSIS_SAVES keeps
	 * its setting, unless that is min_power, and is not simulated. A drive
	 * of which no setting changes anything is not simulated, either. */
	SSDPM_ENERGY_REPORT_AWAKE = 1 << 8,
	/* With a patience: also find what an NVMe drive would save with the
	 * parameters of nvme_core, or with a raw table. Also compare each drive
	 * with one that never sleeps. */
	SSDPM_ENERGY_REPORT_FURTHER = 1 << 9,
};

/**
 * struct ssdpm_energy_report_params - what the drives are asked (sized
 *                                     parameters)
 * @size:     sizeof(struct ssdpm_energy_report_params)
 * @settings: the profile, as for ssdpm_report_new()
 * @workload: what the drives do, as in struct ssdpm_generator_params; NULL:
 *            that of ssdpm_machine_get_workload()
 * @ios:      a trace in its place, @n_ios records; NULL: none
 * @end_ns:   as for ssdpm_sim_finish()
 * @flags:    SSDPM_SIM_LIKELY: say what is likely of each saving, too; bits of
 *            enum ssdpm_energy_report_flag
 * @patience: enum ssdpm_patience: find a setting for each drive, which takes
 *            SSDPM_SIM_LIKELY and no @settings; 0: take the profile
 * @hours_per_day: 1 to 24, as for ssdpm_saving_get_year_wh(), for what
 *            ssdpm_energy_report_item_to_json() writes; 0: no year is written
 * @reserved: 0
 * @price_per_kwh: what a kilowatt-hour of that year costs, in any currency; 0:
 *            no price is written
 */
struct ssdpm_energy_report_params {
	size_t size;
	const struct ssdpm_profile_settings *settings;
	const char *workload;
	const struct ssdpm_io *ios;
	size_t n_ios;
	uint64_t end_ns;
	uint32_t flags;
	uint32_t patience;
	uint32_t hours_per_day;
	uint32_t reserved;
	double price_per_kwh;
};

struct ssdpm_energy_report;

/**
 * ssdpm_energy_report_new() - what a profile, or the best setting, would save
 *                             on each drive of a machine, and add to delays
 * @params:     or NULL for the defaults
 * @ret_report: free it with ssdpm_energy_report_free()
 *
 * Each drive is simulated on the same workload as its machine has it today.
 * Then it is simulated under the profile, or under each setting that it can
 * have: a latency limit (NVMe), med_power_with_dipm or medium_power (SATA).
 * With SSDPM_PATIENCE_INSTANT, a setting that never sleeps is tried too, if
 * that of today is beyond the bounds. Settings that have lost data are not
 * tried. How one is found is in ssdpm_report(3). This sends no command, writes
 * nothing and needs no root. The item of a drive whose saving is unknown has an
 * error.
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
 * struct ssdpm_trial_result - what a trial of the best setting found (sized
 *                             parameters and result)
 * @size:     sizeof(struct ssdpm_trial_result)
 * @n_pairs:  as in struct ssdpm_trial_state, likewise @saving_w, @low_w,
 *            @high_w, @resolvable_w and @decision
 * @duration_ns: how long the trial took
 * @decision: SSDPM_TRIAL_NOT_YET: the trial was interrupted
 * @power_source: enum ssdpm_power_source, meanwhile; 0: no supply says
 * @meter:    its name, as in struct ssdpm_meter
 */
struct ssdpm_trial_result {
	size_t size;
	uint64_t n_pairs;
	uint64_t duration_ns;
	double saving_w;
	double low_w;
	double high_w;
	double resolvable_w;
	uint32_t decision;
	uint32_t power_source;
	char meter[64];
};

/**
 * struct ssdpm_link_saving - what a deeper PCIe link would save (borrowed)
 * @pcie_link_today: enum ssdpm_pcie_link, while the drive sleeps
 * @pcie_link: likewise, the deepest that the remedy of @finding leads to
 * @finding: what keeps the link from it: its remedy and changes.
 *           ssdpm_plan_add_value() has the step: SSDPM_STEP_PCIE_LINK for
 *           SSDPM_REMEDY_LINK_FILE, else SSDPM_STEP_ASPM_POLICY, which is for
 *           all devices
 * @likely:  what is likely of it, with the settings that are advised. It leaves
 *           out how long the link takes to wake, which is not known
 *
 * More may follow at its end.
 */
struct ssdpm_link_saving {
	uint32_t pcie_link_today;
	uint32_t pcie_link;
	const struct ssdpm_diagnosis *finding;
	const struct ssdpm_likely *likely;
};

/**
 * struct ssdpm_energy_report_item - a drive of a report (sized; the caller sets
 *                                   size)
 * @size:    sizeof(struct ssdpm_energy_report_item)
 * @error:   0; -EOPNOTSUPP with a patience (the drive is left as it is, because
 *           of @message); -EALREADY (SSDPM_ENERGY_REPORT_AWAKE: it sleeps);
 * -ENOENT, -ENODATA and so on: no saving is known. What follows @message is 0
 * @reserved: 0
 * @drive:   its policy, verdict and changes: an item of ssdpm_report_new()
 * @message: why no saving is known; "": it is
 * @before:  the run of today
 * @after:   that under the profile; the same where nothing changes
 * @saving:  of the profile against today
 * @added_mean_ns: added latency of an I/O, on average: after minus before
 * @added_p99_ns:  likewise at the 99th percentile
 * @likely:  what is likely of @saving; NULL: nothing changes, or nobody asked
 * @advice:  enum ssdpm_advice: whether to set @settings; 0: with a profile, or
 *           with an @error. SSDPM_ADVICE_KEEP also if the saving is not decided
 * @takes_trial: 1: ssdpm_energy_report_set_trial() takes what a trial of
 *           @settings finds; 0: no setting is left as it is for want of
 * evidence
 * @model:   of the drive, for ssdpm_plan_add_profile() with @settings; NULL:
 *           with an @error
 * @settings: the best setting within the bounds, which @after and so on are of;
 *           NULL: with a profile, or if nothing but the setting of today is
 * @bounds:  what the setting may cost on this workload; NULL: with a profile
 * @trial:   what a trial of @settings found, as ssdpm_energy_report_set_trial()
 *           got it; NULL: there was none
 * @further: SSDPM_ENERGY_REPORT_FURTHER: another route that saves or probably
 *           saves, more than @settings do if they are to be set, within the
 *           same @bounds; of SSDPM_ROUTE_NVME_CORE, which changes all NVMe
 *           drives, or else of SSDPM_ROUTE_RAW_TABLE, which newer kernels
 *           refuse; NULL: none is known
 * @awake:   SSDPM_ENERGY_REPORT_FURTHER: what is likely of never sleeping
 *           against today; its loss is what sleep saves today; NULL: nobody
 *           asked, or the drive does not sleep today
 * @link:    with a patience: an NVMe drive whose PCIe link is off, or not as
 *           deep as it could be, although the kernel manages it; NULL: none
 * @further_gain_uw: the median of the likely saving of @further, less what
 *           @settings save if they are to be set: that of @trial, or else the
 *           median of @likely; 0 without @further
 * @trial_likely_uw: the saving that a trial of @settings may expect, likely_uw
 *           of struct ssdpm_trial_params: the high end of @likely; 0: nobody
 *           needs a trial, because the setting is decided, costs in any case,
 * or costs as measured
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
	uint32_t advice;
	uint32_t takes_trial;
	struct ssdpm_model *model;
	const struct ssdpm_profile_settings *settings;
	const struct ssdpm_bounds *bounds;
	const struct ssdpm_trial_result *trial;
	const struct ssdpm_recommendation *further;
	const struct ssdpm_likely *awake;
	const struct ssdpm_link_saving *link;
	int64_t further_gain_uw;
	uint64_t trial_likely_uw;
};

/**
 * ssdpm_energy_report_set_trial() - what a trial of the best setting found
 * @index: of the item, from 0 on, whose takes_trial is 1
 * @trial: of the setting of today against these
 *
 * If it saves, the advice is SSDPM_ADVICE_SET from now on; otherwise it is
 * SSDPM_ADVICE_KEEP. A second trial replaces the first.
 *
 * Return: 0; -ERANGE (there is no such item), -EINVAL (no setting is to be
 * decided, or @trial: its size, an unknown decision or power source, a meter
 * without a NUL, an impossible saving_w), -E2BIG (@trial), -ENOMEM.
 */
SSDPM_API int ssdpm_energy_report_set_trial(
	struct ssdpm_energy_report *report, size_t index,
	const struct ssdpm_trial_result *trial, struct ssdpm_error *reterr);

/**
 * ssdpm_energy_report_get_item() - from 0 on
 *
 * Return: as ssdpm_report_get_item().
 */
SSDPM_API int ssdpm_energy_report_get_item(
	const struct ssdpm_energy_report *report, size_t index,
	struct ssdpm_energy_report_item *ret_item);

/**
 * ssdpm_energy_report_read_device() - a drive as it is now, to set it
 * @index:      of the item, from 0 on
 * @ret_device: of the machine of the report; free it with ssdpm_device_unref()
 *
 * It reads the drive again, as ssdpm_device_read(), and no command is sent.
 *
 * Return: 0; as ssdpm_device_read(); -ERANGE (there is no such item), -ESTALE
 * (it is another drive now: product, place or serial number differ).
 */
SSDPM_API int ssdpm_energy_report_read_device(
	const struct ssdpm_energy_report *report, size_t index,
	struct ssdpm_device **ret_device, struct ssdpm_error *reterr);

/**
 * struct ssdpm_total - what several drives save together (sized; the caller
 *                      sets size, and the rest to 0)
 * @size:    sizeof(struct ssdpm_total)
 * @n:       savings that have been added
 * @n_sure:  of these: how many save, cost or are too small, and not only
 *           probably
 * @n_decided: how many save or cost, at least probably
 * @n_undecided: how many are SSDPM_SAVING_NOT_DECIDED
 * @saving:  the sums of medians, and of the ends that nine of ten cases are
 *           between. Drives that differ in what is unknown of them are between
 *           these ends more often than that
 * @verdict: enum ssdpm_saving_verdict: of one saving its own; of several, what
 *           both ends agree on, which is SSDPM_SAVING_SAVES or _COSTS only if
 *           all are sure; 0: none has been added
 * @has_range: 1: the ends are known; 0: a trial has not found them, and they
 *           mean nothing
 * @n_unread: of ssdpm_total_add_asleep(): drives that could not be read
 * @n_unestimated: likewise: drives that may sleep, and are not estimated: those
 *           to be left alone, over a network or with a motor, and those that
 *           SSDPM_ENERGY_REPORT_AWAKE leaves out
 */
struct ssdpm_total {
	size_t size;
	size_t n;
	size_t n_sure;
	size_t n_decided;
	size_t n_undecided;
	struct ssdpm_saving saving;
	uint32_t verdict;
	uint32_t has_range;
	size_t n_unread;
	size_t n_unestimated;
};

/**
 * ssdpm_total_add_likely() - add what is likely of a drive
 *
 * Return: 0; -EINVAL (a verdict that is unknown), -EOVERFLOW; -E2BIG (sizes).
 * @total is as it was if it fails.
 */
SSDPM_API int ssdpm_total_add_likely(struct ssdpm_total *total,
				     const struct ssdpm_likely *likely,
				     struct ssdpm_error *reterr);

/**
 * ssdpm_total_add_item() - add what a report advises to set on a drive
 * @item: its advice, trial and likely are read; its size member is set
 *
 * SSDPM_ADVICE_SET adds its trial or, without one, what is likely. Another
 * advice adds nothing.
 *
 * Return: as ssdpm_total_add_likely() and ssdpm_energy_report_set_trial();
 * -EINVAL (the saving of the trial is unknown).
 */
SSDPM_API int ssdpm_total_add_item(struct ssdpm_total *total,
				   const struct ssdpm_energy_report_item *item,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_total_add_asleep() - add what the sleep of a drive saves today
 * @item: of SSDPM_ENERGY_REPORT_FURTHER; its drive, error and awake are read
 *
 * Sleep saves what never sleeping costs, at least probably. A drive of which
 * that is not decided counts as undecided, and is not in the sums. A drive
 * without @awake adds nothing, but may count as unread or unestimated.
 *
 * Return: as ssdpm_total_add_likely(); -EINVAL (no drive).
 */
SSDPM_API int ssdpm_total_add_asleep(
	struct ssdpm_total *total, const struct ssdpm_energy_report_item *item,
	struct ssdpm_error *reterr);

/**
 * ssdpm_energy_report_item_to_json() - "ssdpm.advice/1"
 * @index:    of the item, from 0 on
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * The same item gives the same bytes.
 *
 * Return: 0; -ERANGE (there is no such item), -ENOMEM.
 */
SSDPM_API int ssdpm_energy_report_item_to_json(
	const struct ssdpm_energy_report *report, size_t index, char **ret_text,
	struct ssdpm_error *reterr);

/** ssdpm_energy_report_flag_to_string() - "awake", "further", or NULL */
SSDPM_API const char *ssdpm_energy_report_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_energy_report_flag_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
