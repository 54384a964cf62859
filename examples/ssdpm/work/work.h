/* SPDX-License-Identifier: MIT */
/*
 * A plan on its way: made, shown, carried out, proven. plan, apply, check,
 * lpm --set and revert each do a part of it.
 */
#ifndef SSDPM_COMMAND_WORK_H
#define SSDPM_COMMAND_WORK_H

#include "options/plan-options.h"

#include "base/json.h"

struct work {
	const struct common *common;
	const struct drives *drives;
	const struct plan_options *options; /* NULL: lpm --set, revert */
	struct profile profile;
	struct ssdpm_plan *plan;
	/* NULL: nothing shall last. Of revert, what is there: one a kind. */
	struct ssdpm_persist *persist[SSDPM_PERSIST_TUNED];
	bool removes_files, files_done;
	bool in_force;		      /* all of it, as far as is known */
	struct ssdpm_journal journal; /* what was found; state 0: nothing */
	bool may_retry;		      /* where somebody was quicker */
	bool is_stale;		      /* that was so: nothing was done */
	bool has_failed;	      /* the commit; what was done is undone */
	bool differences_only;	      /* print what is not in force */
	bool failures_only;	      /* print what could not be done */
	struct before_after *estimates; /* of plan --trace; NULL: not wanted */
	size_t n_estimates;
};

void free_work(struct work *work);

/* The files of --persist KIND, for the profile and the power states. */
enum exit_status make_persist(struct work *work, uint32_t kind);

/*
 * Take the lock of the plan, which has no steps yet, and undo what a killed
 * commit left. Who may not goes on without it: the commit refuses, where it
 * would write anything.
 */
enum exit_status lock_plan(struct work *work);

/* Without a lock: where a journal stands nothing is in force. */
enum exit_status look_at_journal(struct work *work);

/*
 * Do it, prove it, and let go of the lock: what failed is complained of.
 * Nothing is written to a device, and no command sent, where all is so already.
 */
enum exit_status carry_out(struct work *work);

/* Read back the tables too; a difference is complained of. */
enum exit_status prove_tables(struct work *work);

/* How it is printed: for people, or as the form says. */
enum exit_status print_work(const struct work *work);

/* Several of them: one after another, or in an array. */
enum exit_status print_works(const struct work *const *works, size_t n);

/* plan-print.c */
void print_steps(const struct work *work);

/* Does anything in the plan say otherwise than it should be? */
bool all_in_force(const struct ssdpm_plan *plan);

#endif
