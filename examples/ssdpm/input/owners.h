/* SPDX-License-Identifier: MIT */
/* Other programs that set the same, and may undo what is set. */
#ifndef SSDPM_COMMAND_OWNERS_H
#define SSDPM_COMMAND_OWNERS_H

#include "input/live.h"

/*
 * Those that may undo steps of the plan, but for the one of this name, or with
 * NULL all; free the array.
 */
enum exit_status find_owners(const struct live *live,
			     const struct ssdpm_plan *plan, const char *but,
			     struct ssdpm_owner **ret_owners, size_t *ret_n);

/*
 * Where it does, whether it asks for a value that the plan replaces, and what
 * there is to do about it.
 */
void say_owner(const struct ssdpm_owner *owner, const struct ssdpm_plan *plan);

#endif
