/* SPDX-License-Identifier: MIT */
/* --all: one question about all drives of the catalogue, and what they answer.
 */
#ifndef SSDPM_COMMAND_ALL_H
#define SSDPM_COMMAND_ALL_H

#include "input/input.h"
#include "text/apst-questions.h"
#include "text/output.h"

/* The option, which is the same in all commands that have it. */
#define ALL_OPTION(text)                               \
	{                                              \
		"all", 0, NULL, text, SETS_COMMON(all) \
	}

/*
 * The rows of the catalogue as drives, with those of the user; kind: enum
 * ssdpm_kind, or 0: all. Free it with free_drives().
 */
enum exit_status read_catalogue(const struct common *common, uint32_t kind,
				struct drives *ret_drives);

/* How often these drives were seen. */
uint64_t count_seen(const struct drives *drives);

/* What one drive answers; one may have several answers. */
struct vote {
	uint32_t answer; /* a number of the question */
	const struct drive *drive;
	uint64_t ms[2]; /* an idle time before and after; 0: none */
};

#define MAX_TOLD 3

/* Those who gave one answer. */
struct tally {
	uint32_t answer;
	size_t n;
	uint64_t seen;
	struct product {
		const char *name;
		uint64_t seen;
	} told[MAX_TOLD]; /* the most seen ones */
	size_t n_told;
	uint64_t ms[2]; /* medians, each drive as often as it was seen */
};

/* Sort the votes, and count them; the answers by how often they were seen. */
size_t count_votes(struct vote *votes, size_t n, struct tally *tallies,
		   size_t max);

/* "label: NAME 31, NAME 30", in the width of a terminal. */
void print_told(const char *label, const struct tally *tally);

/* apst --all, and with --diff: what the table of each drive is. */
enum exit_status answer_apst_of_all(const struct common *common,
				    const struct apst_command *command);

#endif
