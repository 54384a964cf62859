/* SPDX-License-Identifier: MIT */
/* The options that say which APST table is made, and those that name one. */
#ifndef SSDPM_COMMAND_APST_OPTIONS_H
#define SSDPM_COMMAND_APST_OPTIONS_H

#include "input/quirks.h"
#include "text/table-words.h"

struct apst_options {
	struct ssdpm_apst_params params;
	uint64_t given; /* bits: which options of the group */
	struct quirk_options quirks;
};

/* Its settings are a struct apst_options. */
extern const struct option_group apst_option_group;

/* Does the algorithm read what was given? */
enum exit_status check_apst_options(const struct common *common,
				    const struct apst_options *options);
/* The same for one option that was given: only one algorithm reads it. */
enum exit_status check_apst_reader(const struct common *common,
				   const struct apst_options *options,
				   const char *option, uint32_t reader);

/* A table as options name it: an algorithm, or a file. */
struct table_source {
	const char *name;
	bool is_made;			 /* by an algorithm, as params say */
	struct ssdpm_apst_params params; /* but for the quirks of a drive */
	struct ssdpm_apst table;	 /* out of a file */
};

/*
 * "linux", "windows:balanced:battery", or a file, which is read; params are for
 * what the word does not say.
 */
enum exit_status parse_table(const struct common *common, const char *option,
			     const char *argument,
			     const struct ssdpm_apst_params *params,
			     struct table_source *ret_source);

/* Whether parse_table() would say more than that the word is unknown. */
bool may_be_table(const char *argument);

/* The table that it is for a drive. */
int make_table(const struct table_source *source, const struct drive *drive,
	       const struct quirks *quirks, struct ssdpm_apst *ret_table,
	       struct ssdpm_error *reterr);

/* Print what write_apst_to() writes. */
void print_apst(const struct ssdpm_apst *table);

#endif
