/* SPDX-License-Identifier: MIT */
/*
 * The powers that a drive can have: each in its interval, and in an order. An
 * I/O takes no less than an idle drive, and no state takes more than the one
 * before it, as NVMe numbers them. For fixed times energy is linear in the
 * powers, so that its least and its most follow exactly.
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

/* upper takes no less than lower; false: their ranges say otherwise. */
static bool raise(struct ssdpm_parameter *upper,
		  const struct ssdpm_parameter *lower)
{
	if (lower->low > upper->high)
		return false;
	if (lower->low > upper->low)
		upper->low = lower->low;
	return true;
}

static void cut(struct ssdpm_parameter *lower,
		const struct ssdpm_parameter *upper)
{
	if (lower->high > upper->high)
		lower->high = upper->high;
}

static void keep_nominal(struct ssdpm_parameter *parameter)
{
	if (parameter->nominal < parameter->low)
		parameter->nominal = parameter->low;
	if (parameter->nominal > parameter->high)
		parameter->nominal = parameter->high;
}

/* The ends of all intervals that a set of powers in this order can have. */
void ssdpm__order_powers(struct ssdpm_parameter *parameters, size_t n,
			 uint32_t operational_state,
			 struct power_order *ret_order)
{
	const uint32_t n_states = count_states(parameters, n);
	struct ssdpm_parameter *idle = &parameters[operational_state];
	struct ssdpm_parameter *active = &parameters[n_states];
	struct power_order order = { .operational_state = operational_state };

	for (uint32_t i = n_states - 1; i; i--)
		if (!raise(&parameters[i - 1], &parameters[i]))
			order.loose_states |= 1u << i;
	for (uint32_t op = 0; op < SSDPM_N_OPS; op++) {
		if (raise(&active[op], idle))
			cut(idle, &active[op]);
		else
			order.loose_ops |= 1u << op;
	}
	for (uint32_t i = 1; i < n_states; i++)
		if (is_bound(order.loose_states, i))
			cut(&parameters[i], &parameters[i - 1]);
	for (uint32_t i = 0; i < n_states + SSDPM_N_OPS; i++)
		keep_nominal(&parameters[i]);
	*ret_order = order;
}

#define MAX_CANDIDATES (2 * (SSDPM_MAX_STATES + SSDPM_N_OPS))

/*
 * The states from the deepest one up to one of them. Their least sum has each
 * power at an end of an interval, its own or that of another one: at[], in
 * ascending order. least[k] is the least where the upper one of them takes no
 * more than at[k].
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

/* The least that a power adds if it is no less than floor_uw. */
static struct wide least_of(const struct ssdpm_parameter *parameter,
			    struct wide weight, uint64_t floor_uw)
{
	uint64_t low = parameter->low > floor_uw ? parameter->low : floor_uw;

	return wide_times(weight,
			  wide_is_negative(weight) ? parameter->high : low);
}

/* The I/Os of a drive that takes idle_uw without one. */
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

/* One state more. Its candidates are no lower than those of the one below. */
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
