/* SPDX-License-Identifier: MIT */
/* ssdpm budget: drives, their states, what they do, and the answer. */
#ifndef SSDPM_COMMAND_BUDGET_H
#define SSDPM_COMMAND_BUDGET_H

#include "html/html.h"
#include "input/input.h"
#include "input/trace-input.h"
#include "options/sim-options.h"
#include "text/output.h"

struct budget_works;

/*
 * What shares a budget: drives, and cards of several devices, each with the
 * states that it can be in.
 */

/* One drive, or a card of several devices that follow each other. */
struct budget_item {
	const struct drive *drives;
	size_t n_drives;
	uint64_t count;			 /* that many alike */
	uint64_t weight;		 /* in thousandths */
	struct ssdpm_budget_item *known; /* what each state takes and loses */
};

struct budget_items {
	struct drives drives;
	struct budget_item *items;
	size_t n;
	size_t n_all; /* with their counts */
};

/*
 * Words: a drive; "+" between the devices of a card; "4x" before what is there
 * four times. Free the items with free_budget_items(), also after a failure,
 * which is complained of.
 */
enum exit_status read_budget_items(const struct common *common, char **words,
				   size_t n_words,
				   struct budget_items *ret_items);
void free_budget_items(struct budget_items *items);

/* "nvme0 + nvme1" */
struct item_name {
	char text[160];
};

struct item_name item_name(const struct budget_item *item);

/* Is this the name of the item, or of this drive of it? */
bool is_item_name(const struct budget_item *item, const struct drive *drive,
		  const char *name, size_t length);

/* The states that each drive of a budget can be in, and what they cost. */

#define MAX_WEIGHTS 256
#define MAX_WORKS 256

/*
 * What a drive does: --workload or --mix. Which one, the begin of the text
 * says: "nvme0=lomax", "nvme0=read=70%,write=30%".
 */
struct work_option {
	const char *text;
	bool is_mix;
	size_t drive_length; /* of a mix; 0: all drives */
	uint64_t read_ppm;   /* of all bytes; the others are written */
};

/* "PS1=20W" of a drive, or of all */
struct max_power {
	const char *text;
	size_t drive_length;
	uint32_t state, uw;
};

struct budget_options {
	struct sim_options sim;
	struct trace_options trace;
	uint32_t power;	    /* enum ssdpm_budget_power */
	uint64_t budget_uw; /* with the base */
	uint64_t base_uw;
	struct work_option works[MAX_WORKS];
	size_t n_works;
	uint64_t io_bytes;
	const char *weights[MAX_WEIGHTS]; /* "nvme0=2x" */
	size_t n_weights;
	struct max_power max_powers[MAX_WEIGHTS];
	size_t n_max_powers;
	struct page_options page;
};

/* Weights first: a loss has them. Complained of. */
enum exit_status find_weights(const struct common *common,
			      const struct budget_options *options,
			      struct budget_items *items);
enum exit_status find_choices(const struct common *common,
			      const struct budget_options *options,
			      const struct budget_works *works,
			      struct budget_items *items);

/* What the drives of a budget do in a state: a mix, or a workload. */

/* What some drives do. */
struct budget_work {
	const char *workload; /* NULL: a mix */
	bool given;	      /* not just by default */
	uint64_t read_ppm;    /* of the mix: of all bytes */
	struct ssdpm_io *ios; /* all of the workload */
	size_t n;
	size_t capacity;
	struct ssdpm_cap_stream streams[2]; /* the mix */
	struct ssdpm_budget_work told;	    /* the same, for the library */
};

/* What all do, the first; then what one does. */
struct budget_works {
	struct budget_work *works;
	size_t n;
	size_t *of_drive; /* the number of its work */
	const struct drive *drives;
};

/* "-" of "nvme0=-": standard input is named before drives are read. */
const char *workload_file(const char *text);

/*
 * What each drive does; traces are read. Free it with free_works(), also after
 * a failure, which is complained of.
 */
enum exit_status find_works(const struct common *common,
			    const struct budget_options *options,
			    const struct budget_items *items,
			    struct budget_works *ret_works);
void free_works(struct budget_works *works);

const struct budget_work *work_of(const struct budget_works *works,
				  const struct drive *drive);

/* The answer to a budget, for people and as JSON. */

/* A budget with its answer; item_of and chosen: of all, counts and all. */
struct budget {
	const struct budget_options *options;
	const struct budget_items *items;
	const struct budget_works *works;
	const struct budget_item **item_of;
	const struct ssdpm_budget *solved;
	const struct ssdpm_budget_answer *answer;
	const uint32_t *chosen;
};

void print_budget(const struct budget *budget, bool with_frontier);
void add_budget(struct items *items, const struct budget *budget);
/* What the choice loses, or why nothing fits; free() it; NULL: no memory. */
char *budget_verdict(const struct budget *budget);

/* Choose a state for each; *ret_solved is to be freed in any case. */
enum exit_status solve_budget(struct budget *budget,
			      struct ssdpm_budget **ret_solved);
enum exit_status print_budget_answer(const struct common *common,
				     bool with_frontier,
				     const struct budget *budget);

/* "12.34 W", all digits that there are */
struct item_name exact_watts(uint64_t uw);

#endif
