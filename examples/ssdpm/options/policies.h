/* SPDX-License-Identifier: MIT */
/* What puts a drive to sleep: a table, a link policy, or nothing. */
#ifndef SSDPM_COMMAND_POLICIES_H
#define SSDPM_COMMAND_POLICIES_H

#include "input/table-source.h"

enum policy_kind {
	POLICY_TABLE = 1, /* NVMe: made or read */
	POLICY_LPM,	  /* SATA */
	POLICY_NONE,	  /* never sleep */
	POLICY_TODAY,	  /* what the machine of a device does now */
};

struct policy {
	enum policy_kind kind;
	const char *name;
	struct table_source source;
	uint32_t lpm;
};

/*
 * "none", "today", a word of enum ssdpm_lpm, or what parse_table_source()
 * takes; params are for what the words do not say. A file is read.
 */
enum exit_status parse_policy(const struct common *common, const char *option,
			      const char *argument,
			      const struct ssdpm_apst_params *params,
			      struct policy *ret_policy);

/* enum ssdpm_lpm of a word, or 0. */
uint32_t find_lpm(const char *word);

/* A policy that is what params say; name: "windows:balanced:ac". */
struct policy policy_of(const struct ssdpm_apst_params *params);

/*
 * The policies that people compare, for NVMe and for SATA: today, which only
 * devices have, and then of each what Linux does; by index, NULL: no more. The
 * link policies are only for SATA, the tables only for NVMe.
 */
const char *common_policy(size_t index);

/* Is it for this drive? A complaint says why not. */
bool policy_fits(const struct policy *policy, const struct drive *drive);
void complain_of_policy(const struct policy *policy, const struct drive *drive);

/*
 * What savings are counted from unless the options say: today, if the machine
 * of the drive says what that is, and else what Linux does by default.
 */
struct policy reference_policy(const struct drive *drive,
			       const struct ssdpm_apst_params *params);

/* What a policy is for one drive. */
struct resolved {
	struct ssdpm_apst table; /* with no entries: it never sleeps */
	uint32_t lpm;
};

/* parameters: for lower-envelope, which needs to know powers. */
int resolve_policy(const struct policy *policy, const struct drive *drive,
		   const struct quirks *quirks,
		   const struct ssdpm_parameter *parameters, size_t n,
		   uint32_t operational_state, struct resolved *ret_resolved,
		   struct ssdpm_error *reterr);

/* Do both do the same? */
bool same_policy(const struct resolved *a, const struct resolved *b);

/* Print "PS0-PS2 to PS3 after 100 ms, PS3 to PS4 after 2 s", or "never". */
void print_resolved(const struct resolved *resolved);
void write_resolved_to(FILE *file, const struct resolved *resolved);

#endif
