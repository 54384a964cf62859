/* SPDX-License-Identifier: MIT */
/*
 * Classifies idle times under a chain; no other place does. With n steps there
 * are 2 n + 1 classes. Class 0 is awake, 2 k + 1 the entry into the state of
 * step k, 2 k + 2 the state itself. After an idle time g, the I/O has this
 * delay:
 *
 *     awake       0
 *     entry       resident_ns - g + exit_ns: the rest of it, and the exit
 *     in a state  exit_ns
 *
 * The times and delays of all idle times of a class then follow from their
 * number and their sum.
 */
#ifndef SSDPM_LIB_ESTIMATE_WAKES_H
#define SSDPM_LIB_ESTIMATE_WAKES_H

#include "estimate/internal.h"

#define MAX_CLASSES (2 * SSDPM_MAX_STATES + 1)

/* A chain in the form for classifying: class c begins at from[c - 1]. */
struct wakes {
	uint32_t n_compared; /* of from[]: four at a time */
	uint32_t last;	     /* the last class */
	uint64_t from[MAX_CLASSES - 1];
	/* The delay is base_ns - (idle time & mask). */
	uint64_t base_ns[MAX_CLASSES];
	uint64_t mask[MAX_CLASSES];
};

void ssdpm__wakes(const struct chain *chain, struct wakes *ret_wakes);

/* No branch, because the length of an idle time is unpredictable. */
static inline uint32_t ssdpm__wake_class(const struct wakes *wakes,
					 uint64_t idle_ns)
{
	const uint64_t *from = wakes->from;
	uint32_t class = 0;

	for (uint32_t i = 0; i < wakes->n_compared; i += 4)
		class += (uint32_t)(idle_ns >= from[i]) +
			 (uint32_t)(idle_ns >= from[i + 1]) +
			 (uint32_t)(idle_ns >= from[i + 2]) +
			 (uint32_t)(idle_ns >= from[i + 3]);
	/* An idle time of 2^64-1 equals the filler of the last four. */
	return class < wakes->last ? class : wakes->last;
}

static inline uint64_t ssdpm__wake_delay(const struct wakes *wakes,
					 uint32_t class, uint64_t idle_ns)
{
	return wakes->base_ns[class] - (idle_ns & wakes->mask[class]);
}

/*
 * When the drive is awake again for an I/O at start_ns that ends the idle time
 * since until_ns: start_ns and the delay. If it is less than start_ns, it was
 * beyond 2^64. The open loop needs it before it can take the next record. So
 * the differences come first, and only their sum waits for the comparisons.
 */
static inline uint64_t ssdpm__wake_ready(const struct wakes *wakes,
					 uint64_t until_ns, uint64_t start_ns)
{
	uint64_t idle_ns = start_ns - until_ns, ready_ns = start_ns;
	uint64_t state_ns = start_ns;

	for (uint32_t i = 0; i < wakes->last; i += 2) {
		uint64_t entry_ns = until_ns + wakes->base_ns[i + 1];

		ready_ns += (entry_ns - state_ns) &
			    -(uint64_t)(idle_ns >= wakes->from[i]);
		state_ns = start_ns + wakes->base_ns[i + 2];
		ready_ns += (state_ns - entry_ns) &
			    -(uint64_t)(idle_ns >= wakes->from[i + 1]);
	}
	return ready_ns;
}

/* A stretch of time in a state. */
struct idle_part {
	uint32_t phase; /* enum ssdpm_phase */
	uint32_t state;
	struct wide ns;
};

/* Awake, entry and stay for each step, exit. */
#define MAX_PARTS (2 * SSDPM_MAX_STATES + 2)

/*
 * Splits n idle times of one class, idle_ns together, into consecutive parts.
 * At their end, the drive wakes or the run ends; an entry then stops with the
 * idle time. Return: how many parts.
 */
uint32_t ssdpm__idle_parts(const struct chain *chain, uint32_t class,
			   uint64_t n, uint64_t idle_ns, bool wakes,
			   struct idle_part ret_parts[MAX_PARTS]);

/* The idle times of a class: their number and sum. */
struct idle_sum {
	uint64_t n;
	uint64_t ns;
};

/* Times by state; their sums may be long. */
struct state_times {
	struct wide idle[SSDPM_MAX_STATES];
	struct wide entry[SSDPM_MAX_STATES];
	struct wide exit[SSDPM_MAX_STATES];
};

/* Adds the times of a class's idle times, and the counts of a run. */
void ssdpm__add_class(const struct chain *chain, uint32_t class,
		      struct idle_sum sum, bool wakes,
		      struct state_times *times, struct ssdpm_run *run);

/* -ERANGE: one is beyond 2^64 ns. */
int ssdpm__fill_times(const struct state_times *times, struct ssdpm_run *run,
		      struct ssdpm_error *reterr);

#endif
