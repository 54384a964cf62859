/* SPDX-License-Identifier: MIT */
/* ssdpm apst --diff, --infer, --keep, --reach: questions about a table. */
#ifndef SSDPM_COMMAND_APST_QUESTIONS_H
#define SSDPM_COMMAND_APST_QUESTIONS_H

#include "input/input.h"
#include "input/quirks.h"
#include "options/apst-options.h"

/*
 * Which question; option is NULL where there is none. --diff may come twice:
 * both tables are named then.
 */
struct question {
	const char *option;
	const char *argument;
	const char *second;
};

/* Take one of the four options; two different ones are a usage error. */
enum exit_status choose_question(const struct common *common,
				 struct question *question, const char *option,
				 const char *argument);

/* Answer it for all drives; params are what the other options say. */
enum exit_status answer_question(const struct common *common,
				 const struct question *question,
				 const struct ssdpm_apst_params *params,
				 const struct quirks *quirks,
				 const struct drives *drives);

/*
 * What the arguments of the option name; left: only if --diff came twice.
 * params are what the other options say.
 */
enum exit_status read_two_tables(const struct common *common,
				 const struct question *question,
				 const struct ssdpm_apst_params *params,
				 struct table_source *left,
				 struct table_source *source);

/* The options of ssdpm apst. */
struct apst_command {
	struct apst_options apst;
	bool explain;
	const char *raw_path;
	struct question question;
};

/* Print the tables of all drives, or answer the question about them. */
enum exit_status answer_apst(const struct common *common,
			     const struct apst_command *command,
			     const struct drives *drives);
enum exit_status ask_of_apst(const struct common *common,
			     const struct apst_command *command,
			     const struct drives *drives);

/* Does it lead to a state? */
bool is_set(const struct ssdpm_apst_entry *entry);

/* How a table that cannot be made ends the command. */
enum exit_status status_of(int err, uint32_t algorithm);

#endif
