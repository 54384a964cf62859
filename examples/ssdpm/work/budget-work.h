/* SPDX-License-Identifier: MIT */
/* What the drives of a budget do in a state: a mix, or a workload. */
#ifndef SSDPM_COMMAND_BUDGET_WORK_H
#define SSDPM_COMMAND_BUDGET_WORK_H

#include "work/budget-choices.h"

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

#endif
