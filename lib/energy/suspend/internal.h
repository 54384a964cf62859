/* SPDX-License-Identifier: MIT */
/* What the files of suspend share. */
#ifndef SSDPM_LIB_SUSPEND_INTERNAL_H
#define SSDPM_LIB_SUSPEND_INTERNAL_H

#include <ssdpm/energy/suspend.h>

#include "base/text.h"

#define MAX_COUNTERS 512

/* A source that is no file. */
#define SSDPM__KERNEL_LOG "kernel log"

struct counter {
	uint32_t counter; /* enum ssdpm_sleep_counter */
	uint64_t value;
	char name[32];
	char source[88];
};

struct ssdpm_suspend_reading {
	char boot[40];	/* the identifier of the boot, or "" */
	uint64_t at_us; /* CLOCK_BOOTTIME; 0: unknown */
	size_t n;
	struct counter counters[MAX_COUNTERS];
};

/*
 * One more, or another value of the same one. -E2BIG: there is no room. A name
 * or a source that is too long is cut.
 */
int ssdpm__reading_add(struct ssdpm_suspend_reading *reading, uint32_t counter,
		       struct span name, const char *source, uint64_t value);

/* Add the answers of drivers in the log since boot. -ENOMEM. */
int ssdpm__reading_add_boot_log(struct ssdpm_suspend_reading *reading,
				const struct ssdpm_machine *machine);

/* The identifier of the boot, cut likewise. */
void ssdpm__reading_set_boot(struct ssdpm_suspend_reading *reading,
			     struct span boot);

/* The same counter of a reading, which may be NULL; NULL: it has none. */
/* The machine was started anew between the readings. */
bool ssdpm__is_of_two_boots(const struct ssdpm_suspend_params *params);
const struct counter *ssdpm__reading_find(
	const struct ssdpm_suspend_reading *reading,
	const struct counter *like);

/* The parameters of a caller, complete, with facts that are complete too. */
struct suspend_input {
	struct ssdpm_suspend_params params;
	struct ssdpm_machine_facts facts;
};

int ssdpm__suspend_params(struct suspend_input *ret_input,
			  const struct ssdpm_suspend_params *params,
			  struct ssdpm_error *reterr);

/* A drive that a public case has a remedy for; NULL: none. */
const struct ssdpm_suspend_drive *ssdpm__suspend_culprit(
	const struct ssdpm_suspend_params *params);

#endif
