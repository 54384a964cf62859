/* SPDX-License-Identifier: MIT */
/* What puts a drive to sleep: words of the library, or a file with a table. */
#ifndef SSDPM_COMMAND_POLICIES_H
#define SSDPM_COMMAND_POLICIES_H

#include "options/apst-options.h"

/* A command has policies of its options and, beside them, those of a page. */
#define MAX_POLICIES 32

struct policy {
	const char *name;
	struct ssdpm_policy what;
};

/* The policy that --table, --none or --lpm names. Each excludes the others. */
struct named_policy {
	const char *option; /* without its --; NULL: none of them is given */
	const char *name;
};

/* Its settings are a struct named_policy. */
extern const struct option_group named_policy_group;

/* Options of an APST table, if they are given, are for --table alone. */
enum exit_status check_named_policy(const struct common *common,
				    const struct named_policy *named,
				    bool has_apst_options);

/*
 * What ssdpm_policy_parse() takes, or a file, which is read; params are for
 * what the words do not say.
 */
enum exit_status parse_policy(const struct common *common, const char *option,
			      const char *argument,
			      const struct ssdpm_apst_params *params,
			      struct policy *ret_policy);

/*
 * The named policy, or that of APST options which are given. Else what the
 * machine of a device does, and what Linux does: with NVMe drives, and with
 * SATA; *ret_n is 3 then, and else 1.
 */
enum exit_status find_required_policies(const struct common *common,
					const struct named_policy *named,
					const struct ssdpm_apst_params *params,
					bool has_apst_options,
					struct policy *policies, size_t *ret_n);

/* Those that people compare, after the first *n, which none of them repeats. */
enum exit_status add_common_policies(const struct common *common,
				     const struct ssdpm_apst_params *params,
				     struct policy *policies, size_t *n);

/* A policy that is what params say; name: "windows:balanced:ac". */
struct policy policy_of(const struct ssdpm_apst_params *params);

/* A table that was given. */
struct policy policy_of_table(const char *name, const struct ssdpm_apst *table);

/* Is it for this drive? It is complained of if not. */
bool policy_fits(const struct policy *policy, const struct drive *drive,
		 bool complains);

/* Savings are counted from this policy, unless an option sets another. */
struct policy reference_policy(const struct drive *drive,
			       const struct ssdpm_apst_params *params);

/*
 * What the library takes of a drive whose quirks the options say: those that
 * they add, which are meant for Windows too, and all.
 */
struct ssdpm_policy policy_with_quirks(const struct policy *policy,
				       const struct quirks *quirks);
struct ssdpm_device_settings settings_with_quirks(const struct drive *drive,
						  const struct quirks *quirks);

/*
 * What a policy is for one drive, with its quirks. params: what is simulated,
 * or NULL.
 */
int resolve_policy(const struct policy *policy, const struct drive *drive,
		   const struct quirks *quirks,
		   const struct ssdpm_sim_params *params,
		   struct ssdpm_resolved_policy *ret_resolved,
		   struct ssdpm_error *reterr);

#endif
