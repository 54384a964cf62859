/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_COMMAND_COMPARE_ALL_H
#define SSDPM_COMMAND_COMPARE_ALL_H

#include "catalogue/all.h"
#include "work/simulate.h"

/* compare --all: the policies of a plan on all drives of the catalogue. */
enum exit_status compare_all(const struct plan *plan, const char *trace);

#endif
