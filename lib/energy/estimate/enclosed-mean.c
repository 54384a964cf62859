/* SPDX-License-Identifier: MIT */
/*
 * Means: where neither an energy nor a time is certain, the quotient of their
 * ends is more than any drive takes. Beyond its own end a run only idles on,
 * until the last of those that it is compared with ends. When that is may be
 * quite uncertain, but not what a drive then takes: a mean over both parts is
 * between those of each.
 */
#include "estimate/enclosure.h"

#include "base/internal.h"

/* Energy that is not of a power over a time. */
static bool has_more(const struct enclosed *run, const struct values *values)
{
	bool more = run->base.over_fj.low || run->base.over_fj.high;

	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		more = more ||
		       (run->base.n_ios[op] &&
			values->operation_energy_nj[op]) ||
		       (run->base.bytes[op] && values->byte_energy_pj[op]);
	return more;
}

static bool is_reached(const struct chain *chain, uint32_t operational_state,
		       uint32_t state)
{
	bool reached = state == operational_state;

	for (uint32_t i = 0; i < chain->n; i++)
		reached = reached || chain->steps[i].state == state;
	return reached;
}

/* The least and the most that a run takes in a state of its policy. */
static struct extent tail_power(const struct enclosed *run,
				const struct values *values,
				uint32_t operational_state)
{
	struct extent power = { UINT64_MAX, 0 };

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		uint64_t uw = values->idle_power_uw[i];

		if (!is_reached(&run->of->slow, operational_state, i))
			continue;
		if (i != operational_state)
			uw += values->link_power_uw;
		power.low = at_most(power.low, uw);
		power.high = at_least(power.high, uw);
	}
	if (run->of->slow.n)
		power.low = at_most(power.low, values->transition_power_uw);
	return power;
}

/* No mean is less than the least power, or more than the greatest. */
uint64_t ssdpm__mean_within(const struct enclosed *run,
			    const struct values *values,
			    uint32_t operational_state, bool most, uint64_t uw)
{
	struct extent power = tail_power(run, values, operational_state);

	power.high = at_least(power.high, values->transition_power_uw);
	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		/* One that goes on from before is not counted. */
		if (!run->base.n_ios[op] && !run->base.busy_ns[op].high)
			continue;
		power.low = at_most(power.low, values->active_power_uw[op]);
		power.high = at_least(power.high, values->active_power_uw[op]);
	}
	if (!run->duration_ns.low)
		return uw;
	if (!most)
		return at_least(uw, power.low);
	return has_more(run, values) ? uw : at_most(uw, power.high);
}

/* Each state is entered once more, at most. */
static uint64_t tail_entry_ns(const struct enclosed *run)
{
	const struct chain *slow = &run->of->slow;
	uint64_t ns = 0;

	for (uint32_t i = 0; i < slow->n; i++)
		ns += slow->steps[i].resident_ns - slow->steps[i].at_ns;
	return ns;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t ssdpm__mean_until(const struct enclosed *own,
			   const struct values *values,
			   uint32_t operational_state, bool most,
			   uint64_t own_uw, uint64_t mean_uw)
{
	struct extent tail = tail_power(own, values, operational_state);
	struct wide more;

	/* A mean is rounded. */
	if (!most)
		return at_least(mean_uw, at_most(own_uw - !!own_uw, tail.low));
	if (values->transition_power_uw > tail.high && own->own_ns.low) {
		more = wide_product(values->transition_power_uw - tail.high,
				    tail_entry_ns(own));
		more = ssdpm__wide_divide(more, own->own_ns.low, NULL);
		if (!wide_fits(more))
			return mean_uw;
		own_uw = plus(own_uw, plus(more.low, 1));
	}
	return at_most(mean_uw, at_least(plus(own_uw, 1), tail.high));
}

/* The least or the most that a drive can take in a state. */
static uint64_t power_in(const struct priced_drive *drive, uint32_t state,
			 bool most)
{
	const uint32_t operational_state = drive->order.operational_state;
	uint64_t uw = 0;

	for (size_t i = 0; i < drive->n; i++) {
		const struct ssdpm_parameter *p = &drive->parameters[i];
		uint64_t value = most ? p->high : p->low;

		if (p->kind == SSDPM_PARAMETER_IDLE_POWER && p->index == state)
			uw = plus(uw, value);
		else if (p->kind == SSDPM_PARAMETER_LINK_POWER &&
			 state != operational_state)
			uw = plus(uw, value);
	}
	return uw;
}

static bool has_link(const struct priced_drive *drive)
{
	for (size_t i = 0; i < drive->n; i++)
		if (drive->parameters[i].kind == SSDPM_PARAMETER_LINK_POWER &&
		    drive->parameters[i].high)
			return true;
	return false;
}

/* Does the order of powers say that a takes no more than b? */
static bool is_below(const struct priced_drive *drive, uint32_t a, uint32_t b)
{
	if (a == b)
		return true;
	if (a < b || (b == drive->order.operational_state && has_link(drive)))
		return false;
	for (uint32_t i = b + 1; i <= a; i++)
		if (drive->order.loose_states >> i & 1)
			return false;
	return true;
}

uint64_t ssdpm__tail_more_uw(const struct priced_drive *drive,
			     const struct enclosed *from,
			     const struct enclosed *to)
{
	const uint32_t op = drive->order.operational_state;
	uint64_t most = 0;

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		for (uint32_t j = 0; j < SSDPM_MAX_STATES; j++) {
			uint64_t high, low;

			if (!is_reached(&from->of->slow, op, i) ||
			    !is_reached(&to->of->slow, op, j) ||
			    is_below(drive, i, j))
				continue;
			high = power_in(drive, i, true);
			low = power_in(drive, j, false);
			most = at_least(most, high - at_most(high, low));
		}
	return most;
}

struct wide ssdpm__tail_entry_fj(const struct priced_drive *drive,
				 const struct enclosed *run)
{
	uint64_t uw = 0;

	for (size_t i = 0; i < drive->n; i++) {
		const struct ssdpm_parameter *p = &drive->parameters[i];

		if (p->kind == SSDPM_PARAMETER_TRANSITION_POWER ||
		    p->kind == SSDPM_PARAMETER_IDLE_POWER)
			uw = at_least(uw, p->high);
	}
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		uw = at_least(uw, power_in(drive, i, true));
	return wide_product(uw, tail_entry_ns(run));
}
