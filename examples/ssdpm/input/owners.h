/* SPDX-License-Identifier: MIT */
/* Other programs that set the same, and may undo what is set. */
#ifndef SSDPM_COMMAND_OWNERS_H
#define SSDPM_COMMAND_OWNERS_H

#include "input/live.h"

/* Whether it sets policies of SATA links. */
bool sets_links(const struct ssdpm_owner *owner);

/*
 * A line for each that may undo steps of the plan, with what to do; but for the
 * one of this name, or with NULL for all.
 */
enum exit_status say_owners(const struct live *live,
			    const struct ssdpm_plan *plan, const char *but);

#endif
