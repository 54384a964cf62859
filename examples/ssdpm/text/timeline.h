/* SPDX-License-Identifier: MIT */
/* What a drive does when, in constant memory however long that takes. */
#ifndef SSDPM_COMMAND_TIMELINE_H
#define SSDPM_COMMAND_TIMELINE_H

#include "command.h"

#define TIMELINE_BINS 400

/* busy, idle, on the way; from TIMELINE_ASLEEP on the states slept in. */
enum {
	TIMELINE_BUSY = 0,
	TIMELINE_IDLE = 1,
	TIMELINE_TRANSITION = 2,
	TIMELINE_ASLEEP = 3,
	TIMELINE_CLASSES = TIMELINE_ASLEEP + SSDPM_MAX_STATES,
};

/* Bins of equal length; when they do not suffice, two become one. */
struct timeline {
	bool begun;
	uint32_t now;	  /* which class, */
	uint64_t last_ns; /* since when, from the first I/O */
	uint64_t start_ns;
	uint64_t bin_ns;
	uint64_t ns[TIMELINE_BINS][TIMELINE_CLASSES];
};

/* A ssdpm_change_fn, its userdata being a struct timeline. */
void timeline_change(void *userdata, uint64_t time_ns, uint32_t phase,
		     uint32_t state);

/* As JSON, for a page; null for NULL. */
void write_timeline(FILE *file, const struct timeline *timeline);

#endif
