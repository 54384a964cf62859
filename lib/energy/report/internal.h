/* SPDX-License-Identifier: MIT */
/* The report on the drives of a machine: what its files share. */
#ifndef SSDPM_LIB_REPORT_INTERNAL_H
#define SSDPM_LIB_REPORT_INTERNAL_H

#include <stdbool.h>

#include <ssdpm/energy/report.h>

/* Each limit that makes another table. */
#define MAX_CANDIDATES SSDPM_APST_MAX_STEPS

/* What tells a drive from another one of its kind; "": unknown. */
struct identity {
	char text[128];
};

struct energy_item {
	struct ssdpm_report_item drive;
	struct ssdpm_model *model;
	struct ssdpm_device_settings settings;
	/* An earlier one that is alike, and has the comparison; or NULL. */
	const struct energy_item *like;
	struct ssdpm_comparison *comparison; /* NULL: there is an error */
	size_t chosen;			     /* the row of what is reported */
	struct ssdpm_error error;
	/* With a patience. Row i + 1 is candidate i. */
	struct ssdpm_profile_settings *candidates;
	size_t n_candidates;
	/* What Linux makes of the settings of today. A capture may have kept
	 * another one. */
	struct ssdpm_apst made;
	/* The limit of today; another one may make the same table. */
	struct ssdpm_profile_settings limit_today;
	struct ssdpm_bounds bounds;
	uint32_t advice;
	struct identity identity;
	struct ssdpm_trial_result *trial; /* NULL: there was none */
	/* SSDPM_ENERGY_REPORT_FURTHER, of an NVMe drive. */
	struct ssdpm_gaps *gaps;
	struct ssdpm_recommendations *recommendations;
	const struct ssdpm_recommendation *further;
	/* A link that could sleep deeper; link.finding NULL: none. */
	struct ssdpm_diagnosis finding;
	struct ssdpm_likely link_likely;
	struct ssdpm_link_saving link;
};

struct ssdpm_energy_report {
	struct ssdpm_machine *machine;
	struct ssdpm_report *report;
	struct energy_item *items;
	size_t n;
	uint32_t hours_per_day;
	double price_per_kwh;
};

/* What all drives have in common. */
struct report_task {
	struct ssdpm_energy_report_params params;
	struct ssdpm_machine_facts facts;
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_plan *plan;
};

/* Names of rows. */
#define ROW_LINUX "linux"
#define ROW_AWAKE "none"

/* -ENOENT: there is no row of that name. */
int ssdpm__get_row(const struct energy_item *item, const char *name,
		   struct ssdpm_compared_policy *ret_row);

/* Whether both do the same today, and have the same to choose from. */
bool ssdpm__is_alike(const struct report_task *task,
		     const struct energy_item *a, const struct energy_item *b);

/*
 * As ssdpm_plan_get_policies() with the settings of today, but after is always
 * what Linux would make.
 */
int ssdpm__get_policies(const struct report_task *task,
			struct energy_item *item,
			struct ssdpm_policy *ret_before,
			struct ssdpm_policy *ret_after,
			struct ssdpm_error *reterr);

/* Begin the comparison of a drive, with the setting of today as row 0. */
int ssdpm__begin_comparison(const struct report_task *task,
			    struct energy_item *item,
			    const struct ssdpm_policy *today,
			    struct ssdpm_error *reterr);

/* A row for each setting that the drive can have. */
int ssdpm__add_candidates(const struct report_task *task,
			  struct energy_item *item, struct ssdpm_error *reterr);

/* With its serial number, as files have it: again.c */
struct identity ssdpm__read_identity(struct ssdpm_machine *machine,
				     const struct ssdpm_device *device);

/*
 * A drive over a network draws its power at another machine, and one that is
 * not live does not work: -EOPNOTSUPP.
 */
int ssdpm__check_place(const struct ssdpm_device_facts *facts,
		       struct ssdpm_error *reterr);

/* A link policy is for all disks of a port, and is chosen for one: -EOPNOTSUPP.
 */
int ssdpm__check_port(const struct ssdpm_device_facts *facts,
		      struct ssdpm_error *reterr);
/* Likewise, and the port may take no other policy. */
int ssdpm__check_link(const struct ssdpm_device *device,
		      struct ssdpm_error *reterr);

/* Why the plan leaves a drive alone; NULL: it does not. */
const char *ssdpm__find_obstacle(const struct ssdpm_plan *plan,
				 const char *device);

/* As ssdpm_bounds_set_device(), of an NVMe drive. */
int ssdpm__bounds_set_drive(struct ssdpm_bounds *bounds,
			    const struct ssdpm_machine_facts *facts,
			    const struct ssdpm_device *device,
			    const struct ssdpm_model *model,
			    struct ssdpm_apst_params *ret_kernel,
			    struct ssdpm_error *reterr);

/* What the settings that are not chosen from would save: further.c */
int ssdpm__begin_further(const struct report_task *task,
			 struct energy_item *item, struct ssdpm_error *reterr);
int ssdpm__find_further(const struct report_task *task,
			struct energy_item *item, struct ssdpm_error *reterr);
/* NULL: it gains nothing beyond what is to be set, maybe by a trial. */
const struct ssdpm_recommendation *ssdpm__get_further(
	const struct energy_item *item, int64_t *ret_gain_uw);

/* What keeps the link of an NVMe drive from a deeper state: link.c */
int ssdpm__look_at_link(const struct report_task *task,
			struct energy_item *item, struct ssdpm_error *reterr);
/* The saving of that state, with what is chosen. */
int ssdpm__find_link_saving(struct energy_item *item,
			    struct ssdpm_error *reterr);

/* A trial may know no saving, or bound it by infinity. No drive has more. */
static inline bool ssdpm__is_power(double w)
{
	return w > -1e6 && w < 1e6;
}

/* A copy in this version's size. -EINVAL: it cannot be one. */
int ssdpm__take_trial(const struct ssdpm_trial_result *trial,
		      struct ssdpm_trial_result *ret_trial,
		      struct ssdpm_error *reterr);
/* Whether a setting is left as it is for want of evidence. */
bool ssdpm__takes_trial(const struct energy_item *item);
/* 0: no trial of it is needed. likely: of the setting, or NULL. */
uint64_t ssdpm__find_trial_likely_uw(const struct energy_item *item,
				     const struct ssdpm_likely *likely);
/* False, and nothing is written: its saving or an end of it is unknown. */
bool ssdpm__get_trial_saving(const struct ssdpm_trial_result *trial,
			     struct ssdpm_saving *saving);

/* Once the workload is over: which of them, and whether to set it. */
void ssdpm__choose(const struct report_task *task, struct energy_item *item);

#endif
