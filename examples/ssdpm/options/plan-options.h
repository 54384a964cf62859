/* SPDX-License-Identifier: MIT */
/* The settings to reach: the options of plan, apply and check. */
#ifndef SSDPM_COMMAND_PLAN_OPTIONS_H
#define SSDPM_COMMAND_PLAN_OPTIONS_H

#include "input/live.h"
#include "options/apst-options.h"

/* Features of a link, as bits of enum ssdpm_pcie_feature; the rest is kept. */
struct link_options {
	uint32_t on, off;
	uint32_t if_there; /* only where the link has them */
};

struct plan_options {
	const char *profile; /* "auto", a name, or NULL */
	const char *profiles_path;
	uint32_t power_source; /* 0: the machine's */
	uint64_t max_exit_latency_us;
	uint32_t nvme_core_given; /* bits */
	uint64_t nvme_core[SSDPM_MAX_NVME_CORE];
	const char *table_name; /* NULL: no name */
	struct table_source table;
	uint32_t lpms[SSDPM_MAX_LPMS];
	size_t n_lpms;
	uint32_t power_state, workload_hint;
	uint32_t nopp; /* 0: unchanged */
	struct link_options link;
	uint32_t queue_depth;	  /* 0: unchanged */
	uint32_t d3cold;	  /* 0: unchanged */
	uint32_t aspm_policy;	  /* enum ssdpm_aspm_policy; 0: unchanged */
	const char *power_states; /* "nvme0=1,nvme1=2"; NULL: one for all */
	bool config;		  /* use the files of ssdpm.conf(5) */
	bool strict;		  /* all or nothing */
	bool applied; /* no option: check what was applied since the boot */
	const char *directory; /* of the record; NULL: the usual one */
	uint64_t given;	       /* bits: options of the group */
};

enum { SWITCH_ON = 1, SWITCH_OFF };

/* Its settings are a struct plan_options. */
extern const struct option_group plan_option_group;

/* Whether an option of the group was given. */
bool plan_has(const struct plan_options *options, const char *option);

#define UNTIL_BOOT "--link, --d3cold, --aspm-policy and --queue-depth"

/* Whether it has a setting that no file and no --persist can make last. */
bool is_until_boot(const struct plan_options *options);

/* Sets --latency. */
void set_latency(struct plan_options *options, uint64_t us);

/* Checks that one is given, except for check, and reads the file of --apst. */
enum exit_status check_plan_options(const struct common *common,
				    struct plan_options *options);

/* The power state for a device; false: none. The options were checked. */
bool find_power_state(const struct plan_options *options, const char *device,
		      uint32_t *ret_state);

/* Checks that each device of --power-state is one of these. */
enum exit_status check_power_states(const struct common *common,
				    const struct plan_options *options,
				    const struct drives *drives);

/*
 * Parses "med_power_with_dipm,medium_power": exact names; the first that works
 * is used.
 */
enum exit_status parse_lpms(const struct common *common, const char *option,
			    const char *text, uint32_t lpms[SSDPM_MAX_LPMS],
			    size_t *ret_n);

/* Adds the features of --link, "l1_2_aspm=off,aspm=on". */
enum exit_status parse_link(const struct common *common, const char *text,
			    struct link_options *link);

/* Whether --link names the feature of this file of Linux. */
bool asks_for_feature(const struct link_options *link, const char *target);

/* -EINVAL: the link lacks a feature. */
int add_link_steps(struct ssdpm_plan *plan, struct ssdpm_device *device,
		   const struct link_options *link, struct ssdpm_error *error);

/* A profile and its source. */
struct profile {
	struct ssdpm_profile_settings now, ac, battery;
	bool is_auto;
	bool source_assumed; /* no supply shows whether it is on AC */
};

/*
 * Finds the settings of --profile on a power source; 0: the machine's. The name
 * is from --profiles, or else from ssdpm.conf(5) or built in. Without the
 * option, ret->now.n_lpms and .set are 0.
 */
enum exit_status find_profile(const struct common *common,
			      const struct plan_options *options,
			      const struct live *live, uint32_t source,
			      struct profile *ret);

/*
 * Without settings, finds out whether files or an earlier apply ask for any, to
 * check these.
 */
enum exit_status find_intent(const struct drives *drives,
			     struct plan_options *options);

/*
 * Makes steps for all drives; ssdpm_plan_free() the plan. If a drive that was
 * not named cannot follow, a remark says so, and the plan leaves it out.
 */
enum exit_status make_plan(const struct common *common,
			   const struct plan_options *options,
			   const struct profile *profile,
			   const struct drives *drives,
			   struct ssdpm_plan **ret_plan);

/* Which kinds of drives it sets: bits 1 << SSDPM_KIND_NVME and so on. */
uint32_t kinds_of(const struct plan_options *options);

/* The same for a plan without steps, such as a locked one. */
enum exit_status fill_plan(const struct common *common,
			   const struct plan_options *options,
			   const struct profile *profile,
			   const struct drives *drives,
			   struct ssdpm_plan *plan);

/* Reads what the steps find, for a plan that the two above did not make. */
enum exit_status read_plan(struct ssdpm_plan *plan);
/* After it: named drives are refused whose steps of these kinds, bits, are left
 * alone. */
enum exit_status refuse_left_alone(const struct common *common,
				   const struct drives *drives,
				   const struct ssdpm_plan *plan,
				   uint32_t kinds);

/*
 * Makes an empty plan for the machine of drives, which is not empty. Options
 * give its record's directory and strictness; NULL: the defaults.
 */
enum exit_status new_plan(const struct common *common,
			  const struct drives *drives,
			  const struct plan_options *options,
			  struct ssdpm_plan **ret_plan);

/* Adds a port; naming it is enough to change an external one. */
enum exit_status add_lpm(const struct common *common, struct ssdpm_plan *plan,
			 const struct drive *drive, const uint32_t *lpms,
			 size_t n);

#endif
