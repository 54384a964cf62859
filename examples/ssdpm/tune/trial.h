/* SPDX-License-Identifier: MIT */
/*
 * ssdpm tune --measure: what the prediction leaves open is tried here.
 *
 *     drives not decided, meter -> how often it measures -> question
 *     each drive: blocks of two settings, readings -> trial -> result
 *     result -> the report, which advises -> the screen of ssdpm tune
 *
 * Settings are plans like others, in the record of surveys, so that a guard, or
 * the next command, goes back to the setting of today.
 */
#ifndef SSDPM_COMMAND_TRIAL_H
#define SSDPM_COMMAND_TRIAL_H

#include "survey/survey.h"
#include "tune/tune.h"

/* What all trials of a call share. */
struct trial_setup {
	const struct common *common;
	struct live *live;
	struct ssdpm_meter meter;
	struct ssdpm_sampler *sampler;
	struct survey_state state;
	int64_t interval_ns; /* between readings */
	uint64_t update_ns;
};

/* A drive that is tried, and with what. */
struct tried {
	struct ssdpm_energy_report_item item;
	struct cell setting;
};

/* tune-meter.c: the meter of this name, or the one that sees the drives. */
enum exit_status find_trial_meter(const struct live *live, const char *name,
				  struct ssdpm_meter *ret_meter);

/* Read the meter until it is known how often it has a new value. */
enum exit_status find_update(struct trial_setup *setup);

/*
 * tune-trial.c: until it is decided, or ends early, which is complained of but
 * for a signal. The setting of today is in force then, and *ret has what is
 * known; it is untouched with STATUS_USAGE.
 */
enum exit_status run_trial(const struct trial_setup *setup,
			   const struct tried *tried,
			   const struct ssdpm_trial_params *params,
			   struct ssdpm_trial_result *ret);

#endif
