/* SPDX-License-Identifier: MIT */
/* Samples of power of a meter of this machine, in the place of a file. */
#ifndef SSDPM_COMMAND_MEASURE_METER_H
#define SSDPM_COMMAND_MEASURE_METER_H

#include "command.h"

extern const struct option_group meter_option_group;

struct meter_options {
	const char *name;     /* NULL: no meter is read */
	const char *save;     /* where the samples go; NULL: nowhere */
	const char *last;     /* an option that needs a meter */
	uint64_t duration_ns; /* 0: until somebody ends it */
	uint64_t interval_ns; /* 0: a second */
};

/* What was recorded: a file like any other, at its beginning. */
struct recording {
	int fd;
	uint64_t n;
	bool has_counter;
	double counter_j; /* of all of it */
};

/*
 * Read the meter for as long as is wanted, or until SIGINT or SIGTERM. What
 * fails is complained of: with *ret_recording filled where something was
 * recorded before that (n is not 0).
 */
enum exit_status record_meter(const struct common *common,
			      const struct meter_options *options,
			      struct recording *ret_recording);

#endif
