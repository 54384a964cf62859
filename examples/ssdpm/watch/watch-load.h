/* SPDX-License-Identifier: MIT */
/* When the trace costs too much, and what is counted in its place. */
#ifndef SSDPM_COMMAND_WATCH_LOAD_H
#define SSDPM_COMMAND_WATCH_LOAD_H

#include "watch/watch.h"

#define MAX_WATCHED 256
#define GAP_LINE 128

struct drive_ios {
	uint64_t begun;
	uint64_t in_flight;
};

struct load {
	double budget_lines; /* below 0: more were read than may be */
	int64_t paid_ns;
	uint64_t n_lines;
	bool stays_on;	  /* the kernel does not count I/Os */
	int64_t from_ns;  /* of the gap that is not told yet */
	int64_t quiet_ns; /* since then the drives do little */
	int64_t looked_ns;
	struct drive_ios told[MAX_WATCHED], seen[MAX_WATCHED];
};

void begin_load(struct load *load, int64_t now_ns);

/* Was more text read than may be? */
bool is_too_much(struct load *load, const struct watch *watch, int64_t now_ns);

/* Before the trace is turned off, and after it. */
void begin_gap(struct load *load, const struct watch *watch);
void begin_gap_time(struct load *load, int64_t now_ns);

/* A look at the drives, after a while. May the trace go on? */
void wait_for_quiet(struct load *load, const struct watch *watch);
bool is_quiet(const struct load *load);

/*
 * What ssdpm_observation_feed() and a recording take: a line, or nothing if the
 * drive did nothing. After all drives, from_ns is to be set.
 */
size_t tell_gap(struct load *load, const struct watch *watch, size_t drive,
		int64_t until_ns, char line[GAP_LINE]);

#endif
