/* SPDX-License-Identifier: MIT */
/*
 * The best static table: what its files share.
 *
 * A table is a chain of steps. The step from one state to the next at the time
 * T of an idle time changes the cost of each idle time that is at least T long,
 * and nothing else. How much depends on T and the two states, but not on when
 * the steps before it are made. So the cost of a table is a sum with one term
 * for each step. The delays are such sums, too, and so is the number of I/Os
 * beyond a bound.
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
 * What a step at a time adds: to energy, to delays, to I/Os beyond a bound.
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
struct lattice {
	uint64_t offset_ns;
	uint64_t max_ms;
};

/* The high limb of more than any cost or delay. */
#define NO_LIMIT_HIGH (UINT64_C(1) << 62)

/* What to keep to; of all I/Os together. */
struct table_limits {
	struct wide delay_ns;
	int64_t beyond;
	uint64_t beyond_ns; /* an I/O with a longer delay is beyond */
};

/* A table: n states, each entered after so long in the one before. */
struct setting {
	uint32_t n;
	uint32_t states[SSDPM_MAX_STATES];
	uint32_t ms[SSDPM_MAX_STATES];
	struct wide cost_fj; /* without what all tables have in common */
	struct wide delay_ns;
};

/* All that a search looks at. */
struct best_search {
	const struct gaps_task *task;
	struct table_limits limits;
	uint32_t states[SSDPM_MAX_STATES]; /* that may be used */
	size_t n_states;
	uint32_t max_states; /* how many of them in one table */
	struct setting best;
};

/* The step to a state from another one, or from awake. */
struct table_step ssdpm__step(const struct gaps_task *task, uint32_t from,
			      uint32_t to);

/*
 * Nothing costs or waits less with this step, unless another one follows: the
 * state draws no less than what was before, nor does the transition, and its
 * exit takes as long.
 */
bool ssdpm__only_costs(const struct table_step *step);

/*
 * The times on a lattice that can be the best for a step, in ascending order:
 * added to points, without their costs. Free points->points with free().
 */
int ssdpm__step_times(const struct ssdpm_gaps *gaps,
		      const struct table_step *step,
		      const struct lattice *lattice, struct points *points,
		      struct ssdpm_error *reterr);

/* Add the times that are so much earlier than others, as far as an entry can
 * hold them; without costs. */
int ssdpm__merge_points(struct points *points, const struct points *others,
			uint64_t earlier_ms, struct ssdpm_error *reterr);

/* Fill in what the step adds at offset_ns + ms of each point; ms ascend. */
void ssdpm__step_costs(const struct ssdpm_gaps *gaps,
		       const struct table_step *step,
		       const struct table_limits *limits, uint64_t offset_ns,
		       struct points *points);

/* Is a the better one of two that keep the bounds? */
bool ssdpm__is_better(const struct setting *a, const struct setting *b);

/* The best with one state, and with two. */
int ssdpm__search_one(struct best_search *search, struct ssdpm_error *reterr);
int ssdpm__search_two(struct best_search *search, struct ssdpm_error *reterr);

/* Make it better with more states, as far as small changes do that. */
int ssdpm__search_more(struct best_search *search, struct ssdpm_error *reterr);

/* No table with these states costs less. */
int ssdpm__cost_bound(const struct best_search *search,
		      struct wide *ret_cost_fj, struct ssdpm_error *reterr);

/* The table of a setting, for all states from which it can be reached. */
struct ssdpm_apst ssdpm__setting_table(const struct setting *setting);

#endif
