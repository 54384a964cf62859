/* SPDX-License-Identifier: MIT */
/* ssdpm budget: drives, their states, their work, and the answer. */
#ifndef SSDPM_COMMAND_BUDGET_H
#define SSDPM_COMMAND_BUDGET_H

#include "html/html.h"
#include "input/input.h"
#include "input/trace-input.h"
#include "options/sim-options.h"
#include "text/output.h"

struct budget_works;

/*
 * The items of a budget: drives, and cards of several devices, each with its
 * possible states.
 */

/* One drive, or a card of several consecutive devices. */
struct budget_item {
	const struct drive *drives;
	size_t n_drives;
	uint64_t count;			 /* that many alike */
	uint64_t weight;		 /* in thousandths */
	struct ssdpm_budget_item *known; /* power and loss of each state */
};

struct budget_items {
	struct drives drives;
	struct budget_item *items;
	size_t n;
	size_t n_all; /* with their counts */
};

/*
 * Reads the drives of all operands. Free the items with free_budget_items(),
 * even after a failure, which it complains of.
 */
enum exit_status read_budget_items(const struct common *common, char **words,
				   size_t n_words,
				   struct budget_items *ret_items);
/*
 * Remarks that "a + b" is a card, where somebody may mean two drives. With "2x
 * a + b", somebody may mean two a and one b.
 */
void say_card(const struct common *common, const struct budget_item *item,
	      bool is_card);
void free_budget_items(struct budget_items *items);

/* "nvme0 + nvme1" */
struct item_name {
	char text[160];
};

struct item_name item_name(const struct budget_item *item);

/* Whether this names the item, or this drive of it. */
bool is_item_name(const struct budget_item *item, const struct drive *drive,
		  const char *name, size_t length);

/* The possible states of each drive in a budget, and their cost. */

#define MAX_WEIGHTS 256
#define MAX_WORKS 256

/*
 * The work of a drive: --workload or --mix. A text may begin with the drive:
 * "nvme0=lomax", "nvme0=read=70%,write=30%".
 */
struct work_option {
	const char *text;
	bool is_mix;
	size_t drive_length; /* of a mix; 0: all drives */
	uint64_t read_ppm;   /* of all bytes; the rest are writes */
};

/* "PS1=20W" for one drive, or for all */
struct max_power {
	const char *text;
	size_t drive_length;
	uint32_t state, uw;
};

struct budget_options {
	struct sim_options sim;
	struct trace_options trace;
	uint32_t power;	    /* enum ssdpm_budget_power */
	uint64_t budget_uw; /* including the base */
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

/*
 * Sets the weights first, because losses include them. Complains of a failure.
 */
enum exit_status find_weights(const struct common *common,
			      const struct budget_options *options,
			      struct budget_items *items);
enum exit_status find_choices(const struct common *common,
			      const struct budget_options *options,
			      const struct budget_works *works,
			      struct budget_items *items);

/* The work of the drives in a state: a mix, or a workload. */

/* The work of some drives. */
struct budget_work {
	const char *workload; /* NULL: a mix */
	bool given;	      /* not a default */
	uint64_t read_ppm;    /* of the mix: of all bytes */
	struct ssdpm_io *ios; /* all of the workload */
	size_t n;
	size_t capacity;
	struct ssdpm_cap_stream streams[2]; /* the mix */
	struct ssdpm_budget_work told;	    /* the library's form */
};

/* The first is for all drives, the others for one each. */
struct budget_works {
	struct budget_work *works;
	size_t n;
	size_t *of_drive; /* the index of its work */
	const struct drive *drives;
};

/*
 * Returns "-" for "nvme0=-", because standard input is named before drives are
 * read.
 */
const char *workload_file(const char *text);

/*
 * Finds the work of each drive, and reads traces. Free it with free_works(),
 * even after a failure, which it complains of.
 */
enum exit_status find_works(const struct common *common,
			    const struct budget_options *options,
			    const struct budget_items *items,
			    struct budget_works *ret_works);
void free_works(struct budget_works *works);

const struct budget_work *work_of(const struct budget_works *works,
				  const struct drive *drive);

/* The answer to a budget, for people and as JSON. */

/*
 * A budget with its answer; item_of and chosen cover every copy of each item.
 */
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
/* The loss of the choice, or why they do not fit; free() it; NULL: no memory.
 */
char *budget_verdict(const struct budget *budget);

/* Chooses a state for each; always free *ret_solved. */
enum exit_status solve_budget(struct budget *budget,
			      struct ssdpm_budget **ret_solved);
enum exit_status print_budget_answer(const struct common *common,
				     bool with_frontier,
				     const struct budget *budget);

/* "12.34 W" with all digits */
struct item_name exact_watts(uint64_t uw);

#endif
