/* SPDX-License-Identifier: MIT */
/*
 * A plan on its way: made, shown, carried out, proven. plan, apply, check,
 * lpm --set and revert each do a part of it.
 */
#ifndef SSDPM_COMMAND_WORK_H
#define SSDPM_COMMAND_WORK_H

#include "options/plan-options.h"

struct work {
	const struct common *common;
	const struct drives *drives;
	const struct plan_options *options; /* NULL: lpm --set, revert */
	struct profile profile;
	struct ssdpm_plan *plan;
	/* NULL: nothing shall last. For revert: those of each kind. */
	struct ssdpm_persist *persist[SSDPM_PERSIST_TUNED];
	bool removes_files, files_done;
	bool reverts; /* it goes back to before the first change */
	struct ssdpm_owner *owners; /* who may undo it */
	size_t n_owners;
	bool owners_known;		/* they were looked for */
	bool in_force;			/* all of it, as far as is known */
	struct ssdpm_journal journal;	/* what was found; state 0: nothing */
	bool is_kept;			/* it lasts beyond the next boot */
	bool keeps_parameters;		/* so do those of nvme_core */
	bool differences_only;		/* print what is not in force */
	bool failures_only;		/* print what could not be done */
	struct before_after *estimates; /* of plan --trace; NULL: not wanted */
	size_t n_estimates;
	enum exit_status unread; /* of a drive that --trace asked for */
};

void free_work(struct work *work);

/* The device of this name; NULL: a step names a port, or it was not read. */
const struct ssdpm_device_facts *find_facts(const struct drives *drives,
					    const char *name);

/* The files of --persist KIND, for the profile and the power states. */
enum exit_status make_persist(struct work *work, uint32_t kind);

/* Without a lock: where a journal stands nothing is in force. */
enum exit_status look_at_journal(struct work *work);

/* Read what is there, and add the steps: under the lock, perhaps again. */
typedef enum exit_status (*fill_fn)(struct work *work, void *data);

/*
 * Fill the plan, do it and prove it: what failed is complained of. The plan is
 * gone if it could not be filled. Nothing is written to a device, and no
 * command sent, where all is so already.
 */
enum exit_status carry_out(struct work *work, fill_fn fill, void *data);

/* Read back the tables too; a difference is complained of. */
enum exit_status prove_tables(struct work *work);

/* How it is printed: for people, or as the form says. */
enum exit_status print_work(const struct work *work);

/* Several of them: one after another, or in an array. */
enum exit_status print_works(const struct work *const *works, size_t n);

/*
 * ways.c: for people, the call of apply that sets the first of such plans, if
 * any changes something. It has the options and operands of this call.
 */
void print_way_on(const struct work *const *works, size_t n_works,
		  char **operands, size_t n);
/* The call that goes back; kept: what is kept, too. */
void write_way_back(FILE *file, const struct live *live, bool kept);

/* plan-print.c */
void print_steps(const struct work *work);

/* Does anything in the plan say otherwise than it should be? */
bool all_in_force(const struct ssdpm_plan *plan);

#endif
