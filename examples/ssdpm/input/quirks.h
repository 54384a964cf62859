/* SPDX-License-Identifier: MIT */
/* Quirks: found in the library's rules and in a file, added by option. */
#ifndef SSDPM_COMMAND_QUIRKS_H
#define SSDPM_COMMAND_QUIRKS_H

#include "input/input.h"

/* Those that concern an APST table. */
#define APST_QUIRKS (SSDPM_QUIRK_NO_APST | SSDPM_QUIRK_NO_DEEPEST_PS)

/* The settings of the options. */
struct quirk_options {
	bool none; /* nothing is looked up */
	uint32_t added;
	const char *path; /* rules of the user, or NULL */
};

/* The rules of the user, read. */
struct quirk_rules {
	char *text;
	size_t size;
};

/* What came out for one drive. */
struct quirks {
	uint32_t in_force; /* added ones too */
	uint32_t added;
	uint32_t unknown;
	struct ssdpm_quirk_match matches[SSDPM_MAX_QUIRK_MATCHES];
	size_t n_matches;
};

/* --quirk TEXT: a name, or none. */
enum exit_status parse_quirk(const struct common *common, const char *text,
			     struct quirk_options *options);

/* Free text with free(). */
enum exit_status read_quirk_rules(const struct quirk_options *options,
				  struct quirk_rules *ret_rules);

enum exit_status find_quirks(const struct quirk_options *options,
			     const struct quirk_rules *rules,
			     const struct drive *drive, struct quirks *ret);

/*
 * Those of them that concern an APST table. What Linux has for a drive is
 * nothing that Windows does.
 */
uint32_t apst_quirks(const struct quirks *quirks, uint32_t algorithm);

/* "no-apst, no-deepest-ps" */
void print_quirks(FILE *file, uint32_t quirks);

/*
 * A line on standard error for each rule that gives one of these quirks: in
 * force, or with unknown perhaps.
 */
void complain_of_quirks(const struct drive *drive, const struct quirks *quirks,
			uint32_t mask, bool unknown);

#endif
