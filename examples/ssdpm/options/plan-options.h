/* SPDX-License-Identifier: MIT */
/* What shall be in force: the options of plan, apply and check. */
#ifndef SSDPM_COMMAND_PLAN_OPTIONS_H
#define SSDPM_COMMAND_PLAN_OPTIONS_H

#include "input/live.h"
#include "options/apst-options.h"

struct plan_options {
	const char *profile; /* "auto", a name, or NULL */
	const char *profiles_path;
	uint32_t power_source; /* 0: that of the machine */
	uint64_t max_exit_latency_us;
	uint32_t nvme_core_given; /* bits */
	uint64_t nvme_core[SSDPM_MAX_NVME_CORE];
	const char *table_name; /* NULL: it has none */
	struct table_source table;
	uint32_t lpms[SSDPM_MAX_LPMS];
	size_t n_lpms;
	uint32_t power_state, workload_hint;
	uint32_t nopp;		  /* 0: as it is */
	const char *power_states; /* "nvme0=1,nvme1=2"; NULL: one for all */
	bool config;		  /* what the files of ssdpm.conf(5) say */
	bool strict;		  /* all of it, or nothing */
	bool applied; /* nothing is given: what was applied since the boot */
	const char *directory; /* of the record; NULL: the usual one */
	uint64_t given;	       /* bits: which options of the group */
};

enum { NOPP_ON = 1, NOPP_OFF };

/* Its settings are a struct plan_options. */
extern const struct option_group plan_option_group;

/* Whether an option of the group was given. */
bool plan_has(const struct plan_options *options, const char *option);

/* As if --latency had been given. */
void set_latency(struct plan_options *options, uint64_t us);

/*
 * At least one of them is given, but for check; the file of --apst is read.
 */
enum exit_status check_plan_options(const struct common *common,
				    struct plan_options *options);

/*
 * The power state that the options have for a device; false: none. They were
 * checked.
 */
bool find_power_state(const struct plan_options *options, const char *device,
		      uint32_t *ret_state);

/* Is each device that --power-state names one of these? */
enum exit_status check_power_states(const struct common *common,
				    const struct plan_options *options,
				    const struct drives *drives);

/* "med_power_with_dipm,medium_power": exact names, the first that is taken. */
enum exit_status parse_lpms(const struct common *common, const char *option,
			    const char *text, uint32_t lpms[SSDPM_MAX_LPMS],
			    size_t *ret_n);

/* A profile, looked up. */
struct profile {
	struct ssdpm_profile_settings now, ac, battery;
	bool is_auto;
	bool source_assumed; /* no supply says whether it is on AC */
};

/*
 * What --profile says on a power source; 0: on that of the machine. Its name is
 * one of --profiles, or else of the files of ssdpm.conf(5), or built in.
 * Without that option ret->now.n_lpms and .set are 0.
 */
enum exit_status find_profile(const struct common *common,
			      const struct plan_options *options,
			      const struct live *live, uint32_t source,
			      struct profile *ret);

/* Without settings: is anything asked for, which then is what is checked? */
enum exit_status find_intent(const struct drives *drives,
			     struct plan_options *options);

/*
 * Steps for all drives; ssdpm_plan_free() it. A remark tells what a drive that
 * was not named cannot do, and it is left out.
 */
enum exit_status make_plan(const struct common *common,
			   const struct plan_options *options,
			   const struct profile *profile,
			   const struct drives *drives,
			   struct ssdpm_plan **ret_plan);

/* The same, into a plan without steps, as one that is locked. */
enum exit_status fill_plan(const struct common *common,
			   const struct plan_options *options,
			   const struct profile *profile,
			   const struct drives *drives,
			   struct ssdpm_plan *plan);

/* What its steps find: for one that was not made by the two above. */
enum exit_status read_plan(struct ssdpm_plan *plan);

/*
 * Of the machine of drives, which is never empty of machines. options: where
 * its record is, and whether it is strict; NULL: as usual.
 */
enum exit_status new_plan(const struct common *common,
			  const struct drives *drives,
			  const struct plan_options *options,
			  struct ssdpm_plan **ret_plan);

/* One port: naming it is enough to change an external one. */
enum exit_status add_lpm(const struct common *common, struct ssdpm_plan *plan,
			 const struct drive *drive, const uint32_t *lpms,
			 size_t n);

#endif
