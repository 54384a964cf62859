/* SPDX-License-Identifier: MIT */
/* APST tables as options name them: an algorithm, or a file. */
#ifndef SSDPM_COMMAND_TABLES_H
#define SSDPM_COMMAND_TABLES_H

#include "input/quirks.h"
#include "text/table-words.h"

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

/* The table that it is for a drive. */
int make_table(const struct table_source *source, const struct drive *drive,
	       const struct quirks *quirks, struct ssdpm_apst *ret_table,
	       struct ssdpm_error *reterr);

/* Print what write_apst_to() writes. */
void print_apst(const struct ssdpm_apst *table);

#endif
