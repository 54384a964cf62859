/* SPDX-License-Identifier: MIT */
/* What puts a drive to sleep: words of the library, or a file with a table. */
#ifndef SSDPM_COMMAND_POLICIES_H
#define SSDPM_COMMAND_POLICIES_H

#include "options/apst-options.h"

/* The most policies of a command's options and of a page together. */
#define MAX_POLICIES 32

struct policy {
	const char *name;
	struct ssdpm_policy what;
};

/* The policy that --table, --none or --lpm names. They conflict. */
struct named_policy {
	const char *option; /* without its --; NULL: none given */
	const char *name;
};

/* Its settings are a struct named_policy. */
extern const struct option_group named_policy_group;

/* Checks that options of an APST table, if given, are with --table only. */
enum exit_status check_named_policy(const struct common *common,
				    const struct named_policy *named,
				    bool has_apst_options);

/*
 * Parses a word for ssdpm_policy_parse(), or reads a file. The params fill in
 * what the words leave out.
 */
enum exit_status parse_policy(const struct common *common, const char *option,
			      const char *argument,
			      const struct ssdpm_apst_params *params,
			      struct policy *ret_policy);

/*
 * The named policy, or that of the APST options given. Otherwise the policy of
 * a device's machine, and of Linux for NVMe and for SATA drives. *ret_n is then
 * 3, and otherwise 1.
 */
enum exit_status find_required_policies(const struct common *common,
					const struct named_policy *named,
					const struct ssdpm_apst_params *params,
					bool has_apst_options,
					struct policy *policies, size_t *ret_n);

/* Adds the usual policies after the first *n, without repeating these. */
enum exit_status add_common_policies(const struct common *common,
				     const struct ssdpm_apst_params *params,
				     struct policy *policies, size_t *n);

/* The policy of params; name: "windows:balanced:ac". */
struct policy policy_of(const struct ssdpm_apst_params *params);

/* The policy of a table. */
struct policy policy_of_table(const char *name, const struct ssdpm_apst *table);

/* Whether a policy fits this drive; complains if not. */
bool policy_fits(const struct policy *policy, const struct drive *drive,
		 bool complains);

/* Savings are relative to this policy, unless an option sets another. */
struct policy reference_policy(const struct drive *drive,
			       const struct ssdpm_apst_params *params);

/*
 * The library's forms of a drive's quirks. The policy has those that options
 * add, which apply to Windows too; the settings have all.
 */
struct ssdpm_policy policy_with_quirks(const struct policy *policy,
				       const struct quirks *quirks);
struct ssdpm_device_settings settings_with_quirks(const struct drive *drive,
						  const struct quirks *quirks);

/*
 * The policy of one drive with its quirks. params: those of the simulation, or
 * NULL.
 */
int resolve_policy(const struct policy *policy, const struct drive *drive,
		   const struct quirks *quirks,
		   const struct ssdpm_sim_params *params,
		   struct ssdpm_resolved_policy *ret_resolved,
		   struct ssdpm_error *reterr);

#endif
