/* SPDX-License-Identifier: MIT */
/*
 * The lower envelope of the options in an idle time. The cost and the delay of
 * each option are two straight lines each, which meet where its entry ends. The
 * lines of all options meet or cross at some lengths. Between two such lengths,
 * one option is the best. The lengths do not depend on the trace.
 */
#include "recommend/gaps.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

/* at + slope x idle time. */
struct option_line {
	struct wide at;
	struct wide slope;
};

/* Entry and exit together. */
static struct wide change_time(const struct option *option)
{
	return wide_plus(wide_of(option->entry_ns), wide_of(option->exit_ns));
}

struct wide ssdpm__option_cost(const struct option *option,
			       uint64_t transition_uw, uint64_t idle_ns,
			       bool at_end)
{
	struct wide change_ns = change_time(option);
	struct wide cost = { 0 };

	if (at_end)
		change_ns =
			wide_of(idle_ns < option->entry_ns ? idle_ns :
							     option->entry_ns);
	if (idle_ns > option->entry_ns)
		cost = wide_product(option->power_uw,
				    idle_ns - option->entry_ns);
	return wide_plus(cost, wide_times(change_ns, transition_uw));
}

static uint64_t option_delay(const struct option *option, uint64_t idle_ns)
{
	uint64_t rest_ns = 0;

	if (idle_ns < option->entry_ns)
		rest_ns = option->entry_ns - idle_ns;
	return rest_ns + option->exit_ns;
}

/* Cost and delay of idle times near this length. */
static void find_lines(const struct option *option, uint64_t transition_uw,
		       uint64_t idle_ns, struct option_line lines[2])
{
	struct wide change_ns = change_time(option);

	lines[0] = (struct option_line){ wide_times(change_ns, transition_uw),
					 { 0 } };
	lines[1] = (struct option_line){ wide_of(option->exit_ns), { 0 } };
	if (idle_ns < option->entry_ns) {
		lines[1] =
			(struct option_line){ change_ns, wide_of_signed(-1) };
		return;
	}
	lines[0].at = wide_minus(
		lines[0].at, wide_product(option->entry_ns, option->power_uw));
	lines[0].slope = wide_of(option->power_uw);
}

/*
 * Adds the last length up to a crossing, and the next. A length at which both
 * are equal is then alone.
 */
static size_t add_crossing(struct option_line a, struct option_line b,
			   uint64_t *lengths)
{
	struct wide slope = wide_minus(a.slope, b.slope);
	struct wide at = wide_minus(b.at, a.at);
	struct wide length;

	if (wide_is_negative(slope)) {
		slope = wide_negated(slope);
		at = wide_negated(at);
	}
	/* The slope is a difference of powers, or 1. */
	if (!slope.low || wide_is_negative(at))
		return 0;
	length = ssdpm__wide_divide(at, slope.low, NULL);
	if (!wide_fits(length) || length.low == UINT64_MAX)
		return 0;
	lengths[0] = length.low;
	lengths[1] = lengths[0] + 1;
	return 2;
}

/* Two options have three pairs of pieces, each of cost and of delay. */
static size_t add_crossings(const struct option *a, const struct option *b,
			    uint64_t transition_uw, uint64_t *lengths)
{
	const uint64_t pieces[] = { 0, a->entry_ns, b->entry_ns };
	size_t n = 0;

	for (unsigned i = 0; i < 3; i++) {
		struct option_line as[2], bs[2];

		find_lines(a, transition_uw, pieces[i], as);
		find_lines(b, transition_uw, pieces[i], bs);
		n += add_crossing(as[0], bs[0], lengths + n);
		n += add_crossing(as[1], bs[1], lengths + n);
	}
	return n;
}

#define MAX_CROSSINGS 12

/* The lengths at which the best option may change, in order. */
static uint64_t *find_lengths(const struct option *options, size_t n,
			      uint64_t transition_uw, size_t *ret_n)
{
	size_t room = n * n * MAX_CROSSINGS / 2 + n + 1, count = 0;
	/* Twice the room, to sort them. */
	uint64_t *lengths = malloc(2 * room * sizeof(*lengths));

	if (!lengths)
		return NULL;
	lengths[count++] = 0;
	for (size_t i = 0; i < n; i++) {
		lengths[count++] = options[i].entry_ns;
		for (size_t j = 0; j < i; j++)
			count += add_crossings(&options[i], &options[j],
					       transition_uw, lengths + count);
	}
	ssdpm__sort_times(lengths, lengths + room, count);
	*ret_n = count;
	return lengths;
}

static uint32_t find_best(const struct option *options, size_t n,
			  uint64_t transition_uw, uint64_t idle_ns)
{
	uint32_t best = 0;
	struct wide best_cost =
		ssdpm__option_cost(&options[0], transition_uw, idle_ns, false);

	for (uint32_t i = 1; i < n; i++) {
		struct wide cost = ssdpm__option_cost(
			&options[i], transition_uw, idle_ns, false);

		if (wide_is_less(best_cost, cost) ||
		    (wide_is_equal(cost, best_cost) &&
		     option_delay(&options[i], idle_ns) >=
			     option_delay(&options[best], idle_ns)))
			continue;
		best = i;
		best_cost = cost;
	}
	return best;
}

int ssdpm__cheapest(const struct option *options, size_t n,
		    uint64_t transition_uw, struct gap_choice **ret_choices,
		    size_t *ret_n, struct ssdpm_error *reterr)
{
	size_t n_lengths = 0, count = 0;
	uint64_t *lengths = find_lengths(options, n, transition_uw, &n_lengths);
	struct gap_choice *choices = malloc((n_lengths + 1) * sizeof(*choices));

	if (!lengths || !choices) {
		free(lengths);
		free(choices);
		return ssdpm__fail(reterr, -ENOMEM, 0,
				   "gaps: no memory for the lower envelope");
	}
	for (size_t i = 0; i < n_lengths; i++) {
		uint32_t best =
			find_best(options, n, transition_uw, lengths[i]);

		if (!count || choices[count - 1].option != best)
			choices[count++] =
				(struct gap_choice){ lengths[i], best };
	}
	free(lengths);
	*ret_choices = choices;
	*ret_n = count;
	return 0;
}
