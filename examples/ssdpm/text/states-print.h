/* SPDX-License-Identifier: MIT */
/* The power states of a drive, for people. */
#ifndef SSDPM_COMMAND_STATES_PRINT_H
#define SSDPM_COMMAND_STATES_PRINT_H

#include "input/input.h"

/* The table of its states, with what stands before and after it. */
void print_states(const struct drive *drive);

#endif
