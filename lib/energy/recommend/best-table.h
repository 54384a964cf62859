/* SPDX-License-Identifier: MIT */
/*
 * What the files of the best static table share.
 *
 * A table is a chain of steps. A step at the time T changes the cost of idle
 * times of at least T, and of no others. The change depends on T and the two
 * states, but not on when earlier steps are made. The cost of a table is
 * therefore a sum with one term for each step. So are the delays and the number
 * of I/Os beyond a bound.
 */
#ifndef SSDPM_LIB_RECOMMEND_BEST_TABLE_H
#define SSDPM_LIB_RECOMMEND_BEST_TABLE_H

#include "recommend/gaps.h"

#define NS_PER_MS 1000000u

/* A transition from one state to the next; from awake there is no exit. */
struct table_step {
	uint64_t from_power_uw;
	uint64_t from_exit_ns;
	uint64_t power_uw;
	uint64_t entry_ns;
	uint64_t exit_ns;
	uint64_t transition_uw;
};

/*
 * What a step at a time adds to energy, to delays and to I/Os beyond a bound.
 * Each can be below 0.
 */
struct table_point {
	struct wide cost_fj;
	struct wide delay_ns;
	int64_t beyond;
	uint32_t ms;
};

struct points {
	struct table_point *points;
	size_t n;
	size_t room;
};

/* Times of a step: offset_ns + whole milliseconds, up to a limit. */
struct step_times {
	uint64_t offset_ns;
	uint64_t max_ms;
};

/* The high limb of a number above any cost or delay. */
#define NO_LIMIT_HIGH (UINT64_C(1) << 62)

/* Limits over all I/Os together. */
struct table_limits {
	struct wide delay_ns;
	int64_t beyond;
	uint64_t beyond_ns; /* an I/O with a longer delay is beyond */
};

/* A table of n states, and the time in the state before each. */
struct setting {
	uint32_t n;
	uint32_t states[SSDPM_MAX_STATES];
	uint32_t ms[SSDPM_MAX_STATES];
	struct wide cost_fj; /* without the cost that all tables share */
	struct wide delay_ns;
};

/* The state of a search. */
struct best_search {
	const struct gaps_task *task;
	struct table_limits limits;
	uint32_t states[SSDPM_MAX_STATES]; /* that may be used */
	size_t n_states;
	uint32_t max_states; /* in one table */
	struct setting best;
};

/* The step to a state from another state or from awake. */
struct table_step ssdpm__step(const struct gaps_task *task, uint32_t from,
			      uint32_t to);

/*
 * Whether this step alone can neither lower the cost nor the delay. The state
 * and the transition draw no less than before, and the exit is no shorter.
 */
bool ssdpm__only_costs(const struct table_step *step);

/*
 * Adds to points the times on a lattice that can be the best for a step, in
 * ascending order and without costs. Free points->points with free().
 */
int ssdpm__step_times(const struct ssdpm_gaps *gaps,
		      const struct table_step *step,
		      const struct step_times *lattice, struct points *points,
		      struct ssdpm_error *reterr);

/*
 * Adds the times that are this much earlier than others, up to the longest that
 * an entry can hold; without costs.
 */
int ssdpm__merge_points(struct points *points, const struct points *others,
			uint64_t earlier_ms, struct ssdpm_error *reterr);

/* Fills in what the step adds at offset_ns + ms of each point; ms ascend. */
void ssdpm__step_costs(const struct ssdpm_gaps *gaps,
		       const struct table_step *step,
		       const struct table_limits *limits, uint64_t offset_ns,
		       struct points *points);

/* Whether a is better than b, if both keep the bounds. */
bool ssdpm__is_better(const struct setting *a, const struct setting *b);

/* Finds the best tables with one state, and with two. */
int ssdpm__search_one(struct best_search *search, struct ssdpm_error *reterr);
int ssdpm__search_two(struct best_search *search, struct ssdpm_error *reterr);

/* Improves the best with more states by small changes. */
int ssdpm__search_more(struct best_search *search, struct ssdpm_error *reterr);

/* A lower bound of the cost of any table with these states. */
int ssdpm__cost_bound(const struct best_search *search,
		      struct wide *ret_cost_fj, struct ssdpm_error *reterr);

/* The table of a setting, for all states that lead to its steps. */
struct ssdpm_apst ssdpm__setting_table(const struct setting *setting);

#endif
