/* SPDX-License-Identifier: MIT */
/* An APST table that was named: by a file, or by what makes it. */
#ifndef SSDPM_COMMAND_TABLE_SOURCE_H
#define SSDPM_COMMAND_TABLE_SOURCE_H

#include "input/input.h"
#include "input/quirks.h"

struct table_source {
	const char *name;
	bool is_algorithm;
	struct ssdpm_apst_params params; /* of the algorithm */
	struct ssdpm_apst table;	 /* that was read */
};

/*
 * "linux", "windows:balanced:battery"; anything else is a file. What the words
 * do not say stays in params.
 */
enum exit_status parse_table_source(const struct common *common,
				    const char *option, const char *argument,
				    struct table_source *source);

/* Read the file, if it is one. */
enum exit_status read_table_source(struct table_source *source);

/* The table for a drive, under its quirks. */
int make_table(const struct table_source *source, const struct drive *drive,
	       const struct quirks *quirks, struct ssdpm_apst *ret_table,
	       struct ssdpm_error *reterr);

#endif
