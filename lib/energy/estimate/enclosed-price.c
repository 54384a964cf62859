/* SPDX-License-Identifier: MIT */
/* What a run between two ends costs. */
#include "estimate/enclosure.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/internal.h"

/* A run is nothing but numbers of 64 bits. */
void ssdpm__widen_runs(struct ssdpm_run *low, struct ssdpm_run *high,
		       const struct ssdpm_run *run)
{
	enum {
		BEGIN = offsetof(struct ssdpm_run, duration_ns),
		N = (sizeof(*run) - BEGIN) / sizeof(uint64_t),
	};
	uint64_t here[N], least[N], most[N];

	memcpy(here, (const char *)run + BEGIN, sizeof(here));
	memcpy(least, (const char *)low + BEGIN, sizeof(least));
	memcpy(most, (const char *)high + BEGIN, sizeof(most));
	for (size_t i = 0; i < N; i++) {
		least[i] = at_most(least[i], here[i]);
		most[i] = at_least(most[i], here[i]);
	}
	memcpy((char *)low + BEGIN, least, sizeof(least));
	memcpy((char *)high + BEGIN, most, sizeof(most));
}

void ssdpm__base_drive(struct run_base *base, const struct priced_drive *drive)
{
	base->descending = !drive->order.loose_states;
	base->ordered = base->descending;
	for (size_t i = 0; i < drive->n; i++)
		if (drive->parameters[i].kind == SSDPM_PARAMETER_LINK_POWER &&
		    drive->parameters[i].high)
			base->ordered = false;
}

static struct values values_at(const struct priced_drive *drive,
			       enum corner_value cost, enum corner_value active)
{
	struct corner corner = { { 0 } };
	struct values values;

	corner.value[SSDPM_AXIS_IDLE_POWER - 1] = (uint8_t)cost;
	corner.value[SSDPM_AXIS_STATE_POWER - 1] = (uint8_t)cost;
	corner.value[SSDPM_AXIS_TRANSITION_POWER - 1] = (uint8_t)cost;
	corner.value[SSDPM_AXIS_ACTIVE_POWER - 1] = (uint8_t)active;
	ssdpm__values(drive->parameters, drive->n,
		      drive->order.operational_state, &corner, &values);
	return values;
}

/*
 * Busy time that no operation has for sure takes the least, or the most, of
 * those that may have it.
 */
static struct wide over_fj(const struct enclosed *run,
			   const struct values *values, uint64_t busy_ns,
			   bool most)
{
	uint64_t rest = busy_ns;
	uint64_t power = most ? 0 : UINT64_MAX;

	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		rest -= run->base.busy_ns[op].low;
		if (run->base.busy_ns[op].low == run->base.busy_ns[op].high)
			continue;
		power = most ? at_least(power, values->active_power_uw[op]) :
			       at_most(power, values->active_power_uw[op]);
	}
	return wide_plus(run->base.over_fj,
			 rest ? wide_product(rest, power) : wide_of(0));
}

enum overload ssdpm__find_overload(const struct enclosed *run,
				   uint64_t least_ps, uint64_t most_ps)
{
	struct ssdpm_run short_run = run->least, long_run = run->most;

	short_run.busy_ns = run->most.busy_ns;
	short_run.duration_ns =
		at_least(run->duration_ns.low, run->most.busy_ns);
	if (!ssdpm__is_overloaded(&short_run, most_ps))
		return OVERLOAD_NEVER;
	long_run.busy_ns = run->least.busy_ns;
	long_run.duration_ns = run->duration_ns.high;
	return ssdpm__is_overloaded(&long_run, least_ps) ? OVERLOAD_SURELY :
							   OVERLOAD_PERHAPS;
}

/* One end, with the powers of a corner. */
struct priced_end {
	const struct enclosed *run;
	const struct enclosed *own; /* it until its own end; NULL: it is that */
	struct values values;
	uint32_t operational_state;
	bool most;
	bool ordered; /* these powers: nominal ones that are known may not be */
};

/* A drive that has no time to sleep: busy, or at the work behind its writes. */
static int price_awake(const struct priced_end *end, uint64_t busy_ns,
		       bool most, uint64_t *ret_uw, struct ssdpm_error *reterr)
{
	const struct enclosed *run = end->run;
	struct values values = end->values;
	struct ssdpm_run awake = {
		.size = sizeof(awake),
		.duration_ns = busy_ns,
		.busy_ns = busy_ns,
	};
	int err;

	values.over_fj = over_fj(run, &values, busy_ns, most);
	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		awake.n_ios[op] = run->base.n_ios[op];
		awake.bytes[op] = run->base.bytes[op];
		awake.busy_ns_by_op[op] = run->base.busy_ns[op].low;
	}
	err = ssdpm__run_energy(&awake, &values, end->operational_state, NULL,
				reterr);
	*ret_uw = awake.mean_power_uw;
	return err;
}

/* The states together: their times, each alone, may not go together. */
static int price_together(const struct priced_end *end,
			  const struct values *values, struct ssdpm_run *priced,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_run together = *priced;
	int err;

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		together.states[i].time_ns = end->most ?
						     end->run->cost_ns[i].high :
						     end->run->cost_ns[i].low;
	err = ssdpm__run_energy(&together, values, end->operational_state, NULL,
				reterr);
	priced->energy_nj = together.energy_nj;
	priced->mean_power_uw = together.mean_power_uw;
	return err;
}

/* The work behind the writes apart: it takes the place of idle time. */
static int price_times(const struct priced_end *end, struct ssdpm_run *ret_run,
		       struct ssdpm_error *reterr)
{
	const struct enclosed *run = end->run;
	const struct ssdpm_run *times = end->most ? &run->most : &run->least;
	struct values values = end->values;
	struct ssdpm_run priced = *times;
	int err;

	values.over_fj = over_fj(run, &values,
				 end->most ? run->total_busy_ns.high :
					     run->total_busy_ns.low,
				 end->most);
	values.background_ps = 0;
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		priced.busy_ns_by_op[op] = run->base.busy_ns[op].low;
	/* The mean is least where the least energy takes longest. */
	priced.duration_ns =
		end->most ? run->duration_ns.low : run->duration_ns.high;
	if (!priced.duration_ns && run->duration_ns.high)
		priced.duration_ns = 1;
	err = ssdpm__run_energy(&priced, &values, end->operational_state, NULL,
				reterr);
	if (!err && end->ordered)
		err = price_together(end, &values, &priced, reterr);
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		priced.busy_ns_by_op[op] = times->busy_ns_by_op[op];
	priced.duration_ns = times->duration_ns;
	*ret_run = priced;
	return err;
}

/* The mean of one end, with the quotient of the ends made narrower. */
static int price_means(const struct priced_end *end, struct ssdpm_run *ret_run,
		       struct ssdpm_error *reterr)
{
	int err = price_times(end, ret_run, reterr);

	if (!err)
		ret_run->mean_power_uw = ssdpm__mean_within(
			end->run, &end->values, end->operational_state,
			end->most, ret_run->mean_power_uw);
	return err;
}

/* What comes after its own end makes the mean no more uncertain. */
static int narrow_mean(const struct priced_end *end, struct ssdpm_run *priced,
		       struct ssdpm_error *reterr)
{
	struct priced_end own_end = *end;
	struct ssdpm_run own;
	int err;

	own_end.run = end->own;
	err = price_means(&own_end, &own, reterr);
	if (!err)
		priced->mean_power_uw = ssdpm__mean_until(
			end->own, &end->values, end->operational_state,
			end->most, own.mean_power_uw, priced->mean_power_uw);
	return err;
}

/*
 * low and high: widened by it. A drive that perhaps has no time to sleep may
 * be as busy as at either end.
 */
static int add_end(const struct priced_end *end, struct ssdpm_run *low,
		   struct ssdpm_run *high, struct ssdpm_error *reterr)
{
	const uint64_t ps = end->values.background_ps;
	enum overload overload = ssdpm__find_overload(end->run, ps, ps);
	struct ssdpm_run priced;
	int err = price_means(end, &priced, reterr);
	struct wide work = ssdpm__wide_divide(
		wide_product(priced.bytes[SSDPM_OP_WRITE - 1], ps), 1000, NULL);

	if (!err && end->own)
		err = narrow_mean(end, &priced, reterr);
	if (!err && !wide_fits(work))
		err = ssdpm__fail(reterr, -ERANGE, 0,
				  "time: the work behind the writes is beyond "
				  "2^64 ns");
	priced.background_ns = work.low;
	if (!end->run->duration_ns.low && overload != OVERLOAD_SURELY)
		low->mean_power_uw = 0; /* as that of a run of no time is */
	/* A quotient of sums: its extremes are at their ends. */
	for (uint32_t i = 0; i < 4 && !err && overload; i++) {
		uint64_t busy = i & 1 ? end->run->total_busy_ns.high :
					end->run->total_busy_ns.low;
		uint64_t uw;

		err = price_awake(end, busy, i & 2, &uw, reterr);
		if (overload == OVERLOAD_SURELY)
			priced.mean_power_uw = uw;
		low->mean_power_uw = at_most(low->mean_power_uw, uw);
		high->mean_power_uw = at_least(high->mean_power_uw, uw);
	}
	if (!err)
		ssdpm__widen_runs(low, high, &priced);
	return err;
}

static bool is_nominal_ordered(const struct priced_drive *drive)
{
	const struct ssdpm_parameter *p = drive->parameters;
	size_t i = 1;

	while (i < drive->n && p[i].kind == SSDPM_PARAMETER_IDLE_POWER &&
	       p[i].nominal <= p[i - 1].nominal)
		i++;
	return i == drive->n || p[i].kind != SSDPM_PARAMETER_IDLE_POWER;
}

int ssdpm__price_enclosed(const struct enclosed *run,
			  const struct priced_drive *drive, bool nominal_powers,
			  struct ssdpm_run *low, struct ssdpm_run *high,
			  struct ssdpm_error *reterr)
{
	const bool goes_on =
		run->other_ns.high > run->own_ns.low && run->own_ns.low;
	struct enclosed own;
	int err = 0;

	if (goes_on)
		err = ssdpm__enclosed_until(run, (struct extent){ 0, 0 }, &own,
					    reterr);
	/*
	 * The work behind the writes is part of the active power, and more of
	 * it can make the mean power less.
	 */
	for (uint32_t i = 0; i < 4 && !err; i++) {
		enum corner_value cost = i & 1 ? CORNER_HIGH : CORNER_LOW;
		enum corner_value active = i & 2 ? CORNER_HIGH : CORNER_LOW;
		struct priced_end end = {
			.run = run,
			.own = goes_on ? &own : NULL,
			.operational_state = drive->order.operational_state,
			.most = i & 1,
			.ordered = !nominal_powers || is_nominal_ordered(drive),
		};

		if (nominal_powers)
			cost = active = CORNER_NOMINAL;
		end.values = values_at(drive, cost, active);
		err = add_end(&end, low, high, reterr);
	}
	return err;
}
