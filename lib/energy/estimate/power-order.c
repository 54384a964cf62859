/* SPDX-License-Identifier: MIT */
/*
 * The powers that a drive can have, each in its interval and all in order. An
 * I/O draws no less than an idle drive. No state draws more than the one before
 * it, as NVMe numbers them. For fixed times, energy is linear in the powers, so
 * its least and its most follow exactly.
 *
 * Idle powers are the first parameters, by state, and active ones the next, by
 * op - 1.
 */
#include "estimate/internal.h"

static uint32_t count_states(const struct ssdpm_parameter *parameters, size_t n)
{
	uint32_t n_states = 0;

	while (n_states < n &&
	       parameters[n_states].kind == SSDPM_PARAMETER_IDLE_POWER)
		n_states++;
	return n_states;
}

static bool is_bound(uint32_t loose, uint32_t i)
{
	return !(loose >> i & 1);
}

/*
 * Only known powers narrow known ones. Assumed powers yield, unless they are
 * taken as certain.
 */
static bool is_known(const struct ssdpm_parameter *parameter)
{
	return parameter->provenance != SSDPM_PROVENANCE_ASSUMED ||
	       parameter->low == parameter->high;
}

/* A drive whose powers are being ordered. */
struct ranks {
	struct ssdpm_parameter *idle;	/* by state */
	struct ssdpm_parameter *active; /* by op - 1 */
	uint32_t n_states;
	struct power_order *order;
};

static void loosen_states(struct ranks *r, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i <= to; i++)
		r->order->loose_states |= 1u << i;
}

/*
 * Finds known powers that contradict the order. A power between the two could
 * be in order with either, so no order is assumed for it.
 */
static void find_contradictions(struct ranks *r)
{
	const uint32_t at = r->order->operational_state;

	for (uint32_t j = 0; j < r->n_states; j++) {
		if (!is_known(&r->idle[j]))
			continue;
		for (uint32_t i = 0; i < j; i++)
			if (is_known(&r->idle[i]) &&
			    r->idle[i].high < r->idle[j].low)
				loosen_states(r, i + 1, j);
		for (uint32_t op = 0; op < SSDPM_N_OPS && j >= at; op++)
			if (is_known(&r->active[op]) &&
			    r->active[op].high < r->idle[j].low) {
				r->order->loose_ops |= 1u << op;
				loosen_states(r, at + 1, j);
			}
	}
}

/* How a walk along the states changes ranges. */
enum walk {
	WALK_KNOWN,   /* the known ones narrow each other */
	WALK_STRETCH, /* the assumed ones leave the known ones room */
	WALK_ALL,     /* all narrow each other */
};

/* The bounds carried from the powers below or above. */
struct carried {
	uint64_t low, high;
};

/* Raises a power to what is below it, or gives what is below it room. */
static void raise(struct ssdpm_parameter *upper, enum walk walk,
		  struct carried *below)
{
	if (walk == WALK_STRETCH && !is_known(upper))
		upper->high = at_least(upper->high, below->high);
	if (walk == WALK_ALL || is_known(upper)) {
		upper->low = at_least(upper->low, below->low);
		below->low = upper->low;
		below->high = at_least(below->high, upper->high);
	}
}

/* Cuts a power to what is above it, or gives what is above it room. */
static void cut(struct ssdpm_parameter *lower, enum walk walk,
		struct carried *above)
{
	if (walk == WALK_STRETCH && !is_known(lower))
		lower->low = at_most(lower->low, above->low);
	if (walk == WALK_ALL || is_known(lower)) {
		lower->high = at_most(lower->high, above->high);
		above->high = lower->high;
		above->low = at_most(above->low, lower->low);
	}
}

/* Walks from the deepest state up. */
static void climb_ranks(struct ranks *r, enum walk walk)
{
	struct carried below = { 0, 0 };

	for (uint32_t i = r->n_states; i-- > 0;) {
		if (i + 1 < r->n_states &&
		    !is_bound(r->order->loose_states, i + 1))
			below = (struct carried){ 0, 0 };
		raise(&r->idle[i], walk, &below);
		for (uint32_t op = 0;
		     op < SSDPM_N_OPS && i == r->order->operational_state;
		     op++) {
			struct carried here = below;

			if (is_bound(r->order->loose_ops, op))
				raise(&r->active[op], walk, &here);
		}
	}
}

/* Walks back down. */
static void descend_ranks(struct ranks *r, enum walk walk)
{
	struct carried above = { UINT64_MAX, UINT64_MAX };

	for (uint32_t i = 0; i < r->n_states; i++) {
		if (!is_bound(r->order->loose_states, i))
			above = (struct carried){ UINT64_MAX, UINT64_MAX };
		for (uint32_t op = 0;
		     op < SSDPM_N_OPS && i == r->order->operational_state;
		     op++) {
			const struct ssdpm_parameter *io = &r->active[op];

			if (!is_bound(r->order->loose_ops, op) ||
			    (walk != WALK_ALL && !is_known(io)))
				continue;
			above.low = at_most(above.low, io->low);
			above.high = at_most(above.high, io->high);
		}
		cut(&r->idle[i], walk, &above);
	}
}

/* Loosens I/Os below a state at or under the operational one. */
static void loosen_ops(struct ranks *r, uint32_t state)
{
	const uint32_t at = r->order->operational_state;

	for (uint32_t op = 0; op < SSDPM_N_OPS; op++) {
		if (!is_bound(r->order->loose_ops, op) ||
		    r->active[op].high >= r->idle[state].low)
			continue;
		r->order->loose_ops |= 1u << op;
		loosen_states(r, at + 1, state);
		/* This state no longer binds the other I/Os. */
		if (state > at)
			return;
	}
}

/*
 * Loosens assumed ranges that contradict the order. Each state is compared with
 * the nearest one above first, as far up as the order binds.
 */
static void loosen_assumed(struct ranks *r)
{
	const uint32_t at = r->order->operational_state;

	for (uint32_t i = 0; i < r->n_states; i++)
		for (uint32_t j = i + 1; j--;) {
			bool bound = j && is_bound(r->order->loose_states, j);

			if (bound && r->idle[j - 1].high < r->idle[i].low) {
				loosen_states(r, j, i);
				break;
			}
			if (j == at)
				loosen_ops(r, i);
			if (!bound || !is_bound(r->order->loose_states, i))
				break;
		}
}

static void keep_nominal(struct ssdpm_parameter *parameter)
{
	parameter->nominal = at_least(parameter->nominal, parameter->low);
	parameter->nominal = at_most(parameter->nominal, parameter->high);
}

/* An assumed state draws no less than known ones below it. */
static void raise_nominals(struct ranks *r)
{
	uint64_t below = 0;

	for (uint32_t i = r->n_states; i-- > 0;) {
		struct ssdpm_parameter *p = &r->idle[i];

		if (i + 1 < r->n_states &&
		    !is_bound(r->order->loose_states, i + 1))
			below = 0;
		if (is_known(p))
			below = at_least(below, p->nominal);
		else
			p->nominal = at_least(p->nominal, below);
	}
}

/* No state draws more than those before it, or than known I/Os. */
static void cut_nominals(struct ranks *r)
{
	uint64_t above = UINT64_MAX;

	for (uint32_t i = 0; i < r->n_states; i++) {
		if (!is_bound(r->order->loose_states, i))
			above = UINT64_MAX;
		for (uint32_t op = 0; op < SSDPM_N_OPS; op++)
			if (i == r->order->operational_state &&
			    is_bound(r->order->loose_ops, op) &&
			    is_known(&r->active[op]))
				above = at_most(above, r->active[op].nominal);
		if (!is_known(&r->idle[i]))
			r->idle[i].nominal = at_most(r->idle[i].nominal, above);
		above = at_most(above, r->idle[i].nominal);
	}
}

/*
 * Makes a possible nominal drive as far as its values are assumed; known values
 * stay.
 */
static void order_nominals(struct ranks *r)
{
	const struct ssdpm_parameter *working =
		&r->idle[r->order->operational_state];

	for (uint32_t i = 0; i < r->n_states; i++)
		keep_nominal(&r->idle[i]);
	for (uint32_t op = 0; op < SSDPM_N_OPS; op++)
		keep_nominal(&r->active[op]);
	raise_nominals(r);
	cut_nominals(r);
	for (uint32_t op = 0; op < SSDPM_N_OPS; op++)
		if (is_bound(r->order->loose_ops, op) &&
		    !is_known(&r->active[op]))
			r->active[op].nominal = at_least(r->active[op].nominal,
							 working->nominal);
	/* If known powers are out of order, assumed ones stay in range. */
	for (uint32_t i = 0; i < r->n_states; i++)
		keep_nominal(&r->idle[i]);
}

void ssdpm__order_powers(struct ssdpm_parameter *parameters, size_t n,
			 uint32_t operational_state,
			 struct power_order *ret_order)
{
	struct power_order order = { .operational_state = operational_state };
	struct ranks r = {
		.idle = parameters,
		.n_states = count_states(parameters, n),
		.order = &order,
	};

	r.active = parameters + r.n_states;
	find_contradictions(&r);
	for (enum walk walk = WALK_KNOWN; walk <= WALK_ALL; walk++) {
		if (walk == WALK_ALL)
			loosen_assumed(&r);
		climb_ranks(&r, walk);
		descend_ranks(&r, walk);
	}
	order_nominals(&r);
	*ret_order = order;
}

#define MAX_CANDIDATES (2 * (SSDPM_MAX_STATES + SSDPM_N_OPS))

/*
 * The states from the deepest one up to one of them. In their least sum, each
 * power is at the end of some interval. The array at[] has these ends, in
 * ascending order. If the topmost of the states draws no more than at[k], the
 * least sum is least[k].
 */
struct ladder {
	const struct ssdpm_parameter *parameters;
	const struct power_order *order;
	const struct wide *weights;
	uint32_t n_states;
	uint32_t n;
	uint64_t at[MAX_CANDIDATES];
	struct wide least[MAX_CANDIDATES];
};

static void add_candidate(struct ladder *ladder, uint64_t power_uw)
{
	uint32_t i = ladder->n;

	while (i && ladder->at[i - 1] > power_uw)
		i--;
	if (i && ladder->at[i - 1] == power_uw)
		return;
	for (uint32_t j = ladder->n++; j > i; j--)
		ladder->at[j] = ladder->at[j - 1];
	ladder->at[i] = power_uw;
}

/* The least that a power of at least floor_uw adds. */
static struct wide least_of(const struct ssdpm_parameter *parameter,
			    struct wide weight, uint64_t floor_uw)
{
	uint64_t low = parameter->low > floor_uw ? parameter->low : floor_uw;

	return wide_times(weight,
			  wide_is_negative(weight) ? parameter->high : low);
}

/* The least that the I/Os add if the idle drive draws idle_uw. */
static struct wide least_active(const struct ladder *ladder, uint64_t idle_uw)
{
	struct wide sum = { 0 };

	for (uint32_t op = 0; op < SSDPM_N_OPS; op++) {
		uint32_t i = ladder->n_states + op;
		bool bound = is_bound(ladder->order->loose_ops, op);

		wide_add(&sum,
			 least_of(&ladder->parameters[i], ladder->weights[i],
				  bound ? idle_uw : 0));
	}
	return sum;
}

/* Adds one state. Its candidates are no lower than those of the state below. */
static void climb(struct ladder *ladder, uint32_t state)
{
	const struct ssdpm_parameter *own = &ladder->parameters[state];
	const struct wide below = ladder->least[ladder->n - 1];
	bool bound = state + 1 < ladder->n_states &&
		     is_bound(ladder->order->loose_states, state + 1);
	const struct wide *last = NULL;

	for (uint32_t k = 0; k < ladder->n && ladder->at[k] <= own->high; k++) {
		struct wide here =
			wide_times(ladder->weights[state], ladder->at[k]);

		if (ladder->at[k] < own->low)
			continue;
		wide_add(&here, bound ? ladder->least[k] : below);
		if (state == ladder->order->operational_state)
			wide_add(&here, least_active(ladder, ladder->at[k]));
		ladder->least[k] = last ? wide_least(*last, here) : here;
		last = &ladder->least[k];
	}
	for (uint32_t k = 0; k < ladder->n; k++)
		if (ladder->at[k] > own->high)
			ladder->least[k] = *last;
}

struct wide ssdpm__least_sum(const struct ssdpm_parameter *parameters, size_t n,
			     const struct power_order *order,
			     const struct wide *weights)
{
	struct ladder ladder = {
		.parameters = parameters,
		.order = order,
		.weights = weights,
		.n_states = count_states(parameters, n),
	};
	uint32_t n_ordered = ladder.n_states + SSDPM_N_OPS;
	struct wide sum;

	for (uint32_t i = 0; i < n_ordered; i++) {
		add_candidate(&ladder, parameters[i].low);
		add_candidate(&ladder, parameters[i].high);
	}
	for (uint32_t state = ladder.n_states; state--;)
		climb(&ladder, state);
	sum = ladder.least[ladder.n - 1];
	for (size_t i = n_ordered; i < n; i++)
		wide_add(&sum, least_of(&parameters[i], weights[i], 0));
	return sum;
}
