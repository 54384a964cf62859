/* SPDX-License-Identifier: MIT */
/* Which drives and which policies a survey compares. */
#ifndef SSDPM_COMMAND_SURVEY_POLICIES_H
#define SSDPM_COMMAND_SURVEY_POLICIES_H

#include "options/plan-options.h"
#include "survey/options.h"

struct survey_policy {
	char *text;  /* "lpm=medium_power" */
	char *words; /* what the options point into */
	struct plan_options options;
	struct profile profile;
};

struct survey_policies {
	struct survey_policy list[SSDPM_SURVEY_MAX_POLICIES];
	size_t n;
};

/*
 * The drives that --drive names, or else those that can be compared; what is
 * left out is said.
 */
enum exit_status select_survey_drives(const struct common *common,
				      const struct survey_options *options,
				      struct drives *ret_drives);

/* Those drives once more, as they are now. */
enum exit_status read_survey_drives(const struct common *common,
				    const struct drives *drives,
				    struct drives *ret_drives);

/* "lpm=medium_power", "latency=any": what is in force on a drive. */
void print_survey_setting(FILE *file, const struct drive *drive);

/*
 * The policies of the options, or of none the usual ones for these drives. Each
 * is planned, so that what is wrong with it is said before anything is set.
 */
enum exit_status make_survey_policies(const struct common *common,
				      const struct survey_options *options,
				      const struct drives *drives,
				      struct survey_policies *ret_policies);
void free_survey_policies(struct survey_policies *policies);

/*
 * What sets a policy on all drives; a drive that it says nothing of keeps what
 * it has. directory: of the record; NULL: nothing will be committed.
 */
enum exit_status plan_survey_policy(const struct common *common,
				    const struct survey_policy *policy,
				    const struct drives *drives,
				    const char *directory,
				    struct ssdpm_plan **ret_plan);

#endif
