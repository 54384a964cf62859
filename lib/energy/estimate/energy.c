/* SPDX-License-Identifier: MIT */
/*
 * Computes sums and energies from the times and counts of a run. Microwatts
 * times nanoseconds are femtojoules. All sums are exact, and are rounded once
 * at the end.
 */
#include "estimate/internal.h"

#include <errno.h>

#include "base/internal.h"

#define PS_PER_NS 1000u

bool ssdpm__divide(struct wide a, uint64_t b, uint64_t *ret_quotient)
{
	uint64_t rest;
	struct wide quotient = ssdpm__wide_divide(a, b, &rest);

	wide_add(&quotient, wide_of(rest >= b - b / 2));
	if (!wide_fits(quotient))
		return false;
	*ret_quotient = quotient.low;
	return true;
}

/* The energy of a state: staying in it, entering and leaving it. */
static bool state_energy(struct ssdpm_residency *state,
			 const struct values *values, struct wide power_uw,
			 struct wide *sum, struct wide *transition)
{
	struct wide change_ns =
		wide_plus(wide_of(state->entry_ns), wide_of(state->exit_ns));
	struct wide here = { 0 }, change = { 0 };

	/*
	 * Most of the 32 states have no time; pricing them at each corner would
	 * take most of the run time.
	 */
	if (!state->entry_ns && !state->exit_ns && !state->time_ns) {
		state->energy_nj = 0;
		return true;
	}
	return wide_add_product(&change, change_ns,
				values->transition_power_uw) &&
	       wide_add_product(&here, power_uw, state->time_ns) &&
	       wide_add_product(&here, change, 1) &&
	       ssdpm__divide(here, FJ_PER_NJ, &state->energy_nj) &&
	       wide_add_product(sum, here, 1) &&
	       wide_add_product(transition, change, 1);
}

static bool op_energy(const struct ssdpm_run *run, const struct values *values,
		      unsigned op, struct wide *sum)
{
	struct wide each_fj =
		wide_product(values->operation_energy_nj[op], FJ_PER_NJ);
	struct wide byte_fj =
		wide_product(values->byte_energy_pj[op], FJ_PER_PJ);

	return wide_add_product(sum, wide_of(run->busy_ns_by_op[op]),
				values->active_power_uw[op]) &&
	       wide_add_product(sum, each_fj, run->n_ios[op]) &&
	       wide_add_product(sum, byte_fj, run->bytes[op]);
}

/* How many ns the drive works after its writes. */
static struct wide work_behind(const struct ssdpm_run *run,
			       uint64_t background_ps)
{
	struct wide work_ps =
		wide_product(run->bytes[SSDPM_OP_WRITE - 1], background_ps);

	return ssdpm__wide_divide(work_ps, PS_PER_NS, NULL);
}

bool ssdpm__is_overloaded(const struct ssdpm_run *run, uint64_t background_ps)
{
	struct wide idle = wide_of(run->duration_ns - run->busy_ns);

	return wide_is_less(idle, work_behind(run, background_ps));
}

/*
 * The work behind the writes replaces idle time. If it needs more than there
 * is, the drive is busy or at work until it is done. The energy of that time is
 * awake_fj, without idle power.
 */
static bool mean_power(struct ssdpm_run *run, const struct values *values,
		       uint64_t idle_uw, struct wide total,
		       struct wide awake_fj)
{
	struct wide work = work_behind(run, values->background_ps);
	uint64_t ns = run->duration_ns;

	run->background_ns = work.low;
	run->mean_power_uw = 0;
	if (!wide_fits(work))
		return false;
	if (ssdpm__is_overloaded(run, values->background_ps)) {
		total = awake_fj;
		if (__builtin_add_overflow(run->busy_ns, work.low, &ns) ||
		    !wide_add_product(&total, work, idle_uw))
			return false;
	}
	return !ns || ssdpm__divide(total, ns, &run->mean_power_uw);
}

int ssdpm__run_energy(struct ssdpm_run *run, const struct values *values,
		      uint32_t operational_state, struct wide *ret_fj,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_run sums = *run;
	struct wide total = { 0 }, transition = { 0 }, awake = values->over_fj;
	bool fits = true;

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		struct wide power_uw = wide_of(values->idle_power_uw[i]);

		if (i != operational_state)
			wide_add(&power_uw, wide_of(values->link_power_uw));
		fits = fits && state_energy(&sums.states[i], values, power_uw,
					    &total, &transition);
	}
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		fits = fits && op_energy(&sums, values, op, &awake);
	fits = fits && wide_add_product(&total, awake, 1) &&
	       ssdpm__divide(total, FJ_PER_NJ, &sums.energy_nj) &&
	       ssdpm__divide(transition, FJ_PER_NJ, &sums.transition_nj) &&
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

static void sum_states(const struct ssdpm_run *run, struct wide sums[3],
		       uint64_t *ret_wakes)
{
	*ret_wakes = 0;
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		wide_add(&sums[0], wide_of(run->states[i].time_ns));
		wide_add(&sums[1], wide_of(run->states[i].entry_ns));
		wide_add(&sums[2], wide_of(run->states[i].exit_ns));
		*ret_wakes += run->states[i].n_wakes;
	}
}

int ssdpm__run_sums(struct ssdpm_run *run, const struct chain *chain,
		    uint64_t start_ns, struct ssdpm_error *reterr)
{
	struct wide idle[3] = { 0 }, busy = { 0 }, duration;
	uint64_t ios = 0;

	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		wide_add(&busy, wide_of(run->busy_ns_by_op[op]));
		ios += run->n_ios[op];
	}
	sum_states(run, idle, &run->n_wakes);
	duration = busy;
	for (unsigned i = 0; i < 3; i++)
		wide_add(&duration, idle[i]);
	if (!wide_fits(wide_plus(duration, wide_of(start_ns))))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "time: with all delays beyond 2^64 ns");
	run->duration_ns = duration.low;
	run->busy_ns = busy.low;
	run->idle_ns = idle[0].low;
	run->entry_ns = idle[1].low;
	run->exit_ns = idle[2].low;
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
	if (run->duration_ns)
		ssdpm__divide(wide_product(run->n_deepest, NS_PER_DAY),
			      run->duration_ns, &run->deepest_per_day);
	if (ios)
		ssdpm__divide(wide_of(run->delay_sum_ns), ios,
			      &run->delay_mean_ns);
	if (run->n_delayed)
		ssdpm__divide(wide_of(run->delay_sum_ns), run->n_delayed,
			      &run->delay_mean_delayed_ns);
	return 0;
}
