/* SPDX-License-Identifier: MIT */
/*
 * What a survey must put back, whatever becomes of it. It has a record of its
 * own, beside that of ssdpm apply: back is to what was in force when it began.
 * A guard, another process, puts it back where the survey is killed; where both
 * are, the next survey or ssdpm revert does.
 */
#ifndef SSDPM_COMMAND_SURVEY_STATE_H
#define SSDPM_COMMAND_SURVEY_STATE_H

#include "input/live.h"

#include <sys/types.h>

struct survey_state {
	struct ssdpm_machine *machine; /* borrowed */
	char *directory;
	int lock_fd;  /* -1: none; held while a survey runs */
	int guard_fd; /* -1: there is no guard */
	pid_t guard;
};

/*
 * Take the lock, and put back what a survey left that was killed with its
 * guard.
 */
enum exit_status open_survey_state(const struct common *common,
				   const struct live *live,
				   struct survey_state *ret_state);

/* Put back what was in force; what cannot be is complained of. */
enum exit_status put_back(const struct survey_state *state);

/*
 * A process that puts it back when this one is gone, says so at the end of
 * file, and holds nothing else open.
 */
enum exit_status start_guard(struct survey_state *state, const char *file);

/* A group of processes that it is to end then; 0: none. */
void tell_guard(const struct survey_state *state, pid_t group);

/* Put back, send the guard home, let the lock go. Once is enough. */
enum exit_status close_survey_state(struct survey_state *state);

/*
 * For ssdpm revert: what a killed survey left. A survey that runs is a failure:
 * it has to be ended.
 */
enum exit_status put_back_after_survey(const struct common *common,
				       const struct live *live, bool dry_run);

#endif
