/* SPDX-License-Identifier: MIT */
/* Quirks from the library's rules, from a file, and from options. */
#ifndef SSDPM_COMMAND_QUIRKS_H
#define SSDPM_COMMAND_QUIRKS_H

#include "input/input.h"

/* The quirks for an APST table. */
#define APST_QUIRKS (SSDPM_QUIRK_NO_APST | SSDPM_QUIRK_NO_DEEPEST_PS)

/* The settings of the options. */
struct quirk_options {
	bool none; /* no rule is looked up */
	uint32_t added;
	const char *path; /* the user's rules, or NULL */
};

/* The user's rules in memory. */
struct quirk_rules {
	char *text;
	size_t size;
};

/* The quirks of one drive. */
struct quirks {
	uint32_t in_force; /* with those added */
	uint32_t added;
	uint32_t unknown;
	struct ssdpm_quirk_match matches[SSDPM_MAX_QUIRK_MATCHES];
	size_t n_matches;
};

/* Parses --quirk TEXT: a name, or none. */
enum exit_status parse_quirk(const struct common *common, const char *text,
			     struct quirk_options *options);

/* Free text with free(). */
enum exit_status read_quirk_rules(const struct quirk_options *options,
				  struct quirk_rules *ret_rules);

enum exit_status find_quirks(const struct quirk_options *options,
			     const struct quirk_rules *rules,
			     const struct drive *drive, struct quirks *ret);

/* Those for an APST table. Windows has none of the quirks of Linux. */
uint32_t apst_quirks(const struct quirks *quirks, uint32_t algorithm);

/* "no-apst, no-deepest-ps" */
void print_quirks(FILE *file, uint32_t quirks);

/*
 * Writes a line to standard error for each rule that gives one of these quirks;
 * with "unknown", for each that may.
 */
void complain_of_quirks(const struct drive *drive, const struct quirks *quirks,
			uint32_t mask, bool unknown);

#endif
