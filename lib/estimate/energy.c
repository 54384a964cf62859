/* SPDX-License-Identifier: MIT */
/*
 * From the times and counts of a run to its sums and energies. Microwatts times
 * nanoseconds are femtojoules: all sums are exact, and rounded once at the end.
 */
#include "estimate/internal.h"

#include <errno.h>

#include "base/internal.h"

#define NS_PER_DAY 86400000000000u

/* sum += a x b; false: it does not fit. */
static bool add_product(ssdpm__fj *sum, ssdpm__fj a, ssdpm__fj b)
{
	ssdpm__fj product;

	return !__builtin_mul_overflow(a, b, &product) &&
	       !__builtin_add_overflow(*sum, product, sum);
}

/* a / b, rounded to the nearest; false: beyond 64 bits. */
static bool divide(ssdpm__fj a, uint64_t b, uint64_t *ret_quotient)
{
	ssdpm__fj quotient = a / b + (a % b >= b - b / 2);

	if (quotient > UINT64_MAX)
		return false;
	*ret_quotient = (uint64_t)quotient;
	return true;
}

/* What a state costs: being in it, and entering and leaving it. */
static bool state_energy(struct ssdpm_residency *state,
			 const struct values *values, ssdpm__fj power_uw,
			 ssdpm__fj *sum, ssdpm__fj *transition)
{
	ssdpm__fj change_ns = (ssdpm__fj)state->entry_ns + state->exit_ns;
	ssdpm__fj here = 0, change = 0;

	/* Most of the 32: at each corner that takes most of the time. */
	if (!change_ns && !state->time_ns) {
		state->energy_nj = 0;
		return true;
	}
	return add_product(&change, change_ns, values->transition_power_uw) &&
	       add_product(&here, state->time_ns, power_uw) &&
	       add_product(&here, change, 1) &&
	       divide(here, FJ_PER_NJ, &state->energy_nj) &&
	       add_product(sum, here, 1) && add_product(transition, change, 1);
}

static bool op_energy(const struct ssdpm_run *run, const struct values *values,
		      unsigned op, ssdpm__fj *sum)
{
	ssdpm__fj each_fj =
		(ssdpm__fj)values->operation_energy_nj[op] * FJ_PER_NJ;
	ssdpm__fj byte_fj = (ssdpm__fj)values->byte_energy_pj[op] * FJ_PER_PJ;

	return add_product(sum, run->busy_ns_by_op[op],
			   values->active_power_uw[op]) &&
	       add_product(sum, run->n_ios[op], each_fj) &&
	       add_product(sum, run->bytes[op], byte_fj);
}

/*
 * The work behind the writes takes the place of idle time. Where it needs more
 * than there is, the drive is busy or at work, and nothing else, until it is
 * done: awake_fj is what that takes, but for idle power.
 */
static bool mean_power(struct ssdpm_run *run, const struct values *values,
		       uint64_t idle_uw, ssdpm__fj total, ssdpm__fj awake_fj)
{
	const ssdpm__fj ps_per_ns = 1000;
	ssdpm__fj ns = run->duration_ns;
	ssdpm__fj work = (ssdpm__fj)run->bytes[SSDPM_OP_WRITE - 1] *
			 values->background_ps / ps_per_ns;

	run->background_ns = (uint64_t)work;
	run->mean_power_uw = 0;
	if (work > UINT64_MAX)
		return false;
	if (work > ns - run->busy_ns) {
		ns = run->busy_ns + work;
		total = awake_fj;
		if (ns > UINT64_MAX || !add_product(&total, work, idle_uw))
			return false;
	}
	return !ns || divide(total, (uint64_t)ns, &run->mean_power_uw);
}

int ssdpm__run_energy(struct ssdpm_run *run, const struct values *values,
		      uint32_t operational_state, ssdpm__fj *ret_fj,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_run sums = *run;
	ssdpm__fj total = 0, transition = 0, awake = values->over_fj;
	bool fits = true;

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		ssdpm__fj power_uw = values->idle_power_uw[i];

		if (i != operational_state)
			power_uw += values->link_power_uw;
		fits = fits && state_energy(&sums.states[i], values, power_uw,
					    &total, &transition);
	}
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		fits = fits && op_energy(&sums, values, op, &awake);
	fits = fits && add_product(&total, awake, 1) &&
	       divide(total, FJ_PER_NJ, &sums.energy_nj) &&
	       divide(transition, FJ_PER_NJ, &sums.transition_nj) &&
	       mean_power(&sums, values,
			  values->idle_power_uw[operational_state], total,
			  awake);
	if (!fits)
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"energy: does not fit 64 bits of nJ, nor its "
			"mean power 64 bits of uW");
	*run = sums;
	if (ret_fj)
		*ret_fj = total;
	return 0;
}

static void sum_states(const struct ssdpm_run *run, ssdpm__fj sums[3],
		       uint64_t *ret_wakes)
{
	*ret_wakes = 0;
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		sums[0] += run->states[i].time_ns;
		sums[1] += run->states[i].entry_ns;
		sums[2] += run->states[i].exit_ns;
		*ret_wakes += run->states[i].n_wakes;
	}
}

int ssdpm__run_sums(struct ssdpm_run *run, const struct chain *chain,
		    uint64_t start_ns, struct ssdpm_error *reterr)
{
	ssdpm__fj idle[3] = { 0 }, busy = 0, ios = 0, duration;

	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		busy += run->busy_ns_by_op[op];
		ios += run->n_ios[op];
	}
	sum_states(run, idle, &run->n_wakes);
	duration = busy + idle[0] + idle[1] + idle[2];
	if (duration > UINT64_MAX - start_ns)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "time: with all delays beyond 2^64 ns");
	run->duration_ns = (uint64_t)duration;
	run->busy_ns = (uint64_t)busy;
	run->idle_ns = (uint64_t)idle[0];
	run->entry_ns = (uint64_t)idle[1];
	run->exit_ns = (uint64_t)idle[2];
	run->n_deepest = 0;
	if (chain->n)
		run->n_deepest =
			run->states[chain->steps[chain->n - 1].state].n_entries;
	run->deepest_per_day = 0;
	run->delay_mean_ns = 0;
	run->delay_mean_delayed_ns = 0;
	/*
	 * No quotient is beyond 64 bits: an entry takes a nanosecond of idle
	 * time at least.
	 */
	if (duration)
		divide((ssdpm__fj)run->n_deepest * NS_PER_DAY, run->duration_ns,
		       &run->deepest_per_day);
	if (ios)
		divide(run->delay_sum_ns, (uint64_t)ios, &run->delay_mean_ns);
	if (run->n_delayed)
		divide(run->delay_sum_ns, run->n_delayed,
		       &run->delay_mean_delayed_ns);
	return 0;
}
