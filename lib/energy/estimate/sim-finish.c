/* SPDX-License-Identifier: MIT */
/*
 * The end of a simulation: what the idle times of each class come to, what that
 * costs at each corner, and what one policy saves against another.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/internal.h"
#include "estimate/sim.h"

/* In a state all wait for its exit, so that nobody has counted them yet. */
static struct wide add_delays(struct course *course)
{
	struct tally *tally = course->tally;
	const struct wakes *wakes = &course->wakes;
	struct wide sum = tally->late_ns;

	for (uint32_t class = 1; class <= wakes->last; class ++) {
		uint64_t n = tally->gaps[class].n - tally->silent[class].n;
		uint64_t ns = tally->gaps[class].ns - tally->silent[class].ns;

		wide_add(&sum, wide_product(n, wakes->base_ns[class]));
		sum = wide_minus(sum, wide_of(ns & wakes->mask[class]));
		if (class % 2 == 0 && n && wakes->base_ns[class])
			ssdpm__histogram_add(&tally->delays,
					     wakes->base_ns[class], n);
	}
	return sum;
}

static bool fill_delays(struct course *course, struct ssdpm_run *run)
{
	struct histogram *delays = &course->tally->delays;
	struct wide sum = add_delays(course);
	uint64_t n_ios = 0;

	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		n_ios += run->n_ios[op];
	run->n_delayed = delays->n;
	ssdpm__histogram_add(delays, 0, n_ios - delays->n);
	run->delay_sum_ns = sum.low;
	run->delay_p50_ns = ssdpm__histogram_quantile(delays, 1, 2);
	run->delay_p99_ns = ssdpm__histogram_quantile(delays, 99, 100);
	run->delay_p999_ns = ssdpm__histogram_quantile(delays, 999, 1000);
	run->delay_max_ns = ssdpm__histogram_quantile(delays, 1, 1);
	return wide_fits(sum);
}

/* All of a run but its energies. */
static int finish_course(struct ssdpm_sim *sim, struct course *course,
			 uint64_t end_ns, struct ssdpm_error *reterr)
{
	const struct flow *flow = ssdpm__course_flow(sim, course);
	uint64_t until = flow->busy.until_ns;
	struct ssdpm_run *run = &course->run;
	struct state_times times = { 0 };

	run->size = sizeof(*run);
	memcpy(run->n_ios, sim->intake.n_ios, sizeof(sim->intake.n_ios));
	memcpy(run->bytes, sim->intake.bytes, sizeof(sim->intake.bytes));
	memcpy(run->busy_ns_by_op, flow->busy_ns, sizeof(flow->busy_ns));
	for (uint32_t class = 0; class <= course->wakes.last; class ++) {
		struct idle_sum sum = course->tally->gaps[class];

		run->n_gaps += sum.n;
		ssdpm__add_class(&course->chain, class, sum, true, &times, run);
	}
	if (end_ns > until) {
		struct idle_sum rest = { 1, end_ns - until };

		ssdpm__add_class(&course->chain,
				 ssdpm__wake_class(&course->wakes, rest.ns),
				 rest, false, &times, run);
	}
	if (!fill_delays(course, run))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "delays: their sum is beyond 2^64 ns");
	int err = ssdpm__fill_times(&times, run, reterr);
	return err ? err :
		     ssdpm__run_sums(run, &course->chain, sim->start_ns,
				     reterr);
}

static int finish_courses(struct ssdpm_sim *sim, uint64_t end_ns,
			  struct ssdpm_error *reterr)
{
	int err = 0;

	for (uint32_t i = 0; i < sim->n_courses && err == 0; i++) {
		struct course *course = &sim->courses[i];

		if (ssdpm__course_follows(sim, course))
			course->run = sim->courses[course->leader].run;
		else
			err = finish_course(sim, course, end_ns, reterr);
	}
	return err;
}

/* The whole run at a corner. */
static int price(const struct ssdpm_sim *sim, struct corner corner,
		 struct ssdpm_run *ret_run, struct ssdpm_error *reterr)
{
	uint32_t course = ssdpm__find_course(sim, corner, true);
	uint32_t state = sim->params.operational_state;
	struct values values;

	ssdpm__values(sim->parameters, sim->n_parameters, state, &corner,
		      &values);
	values.over_fj = sim->over_fj;
	*ret_run = sim->courses[course].run;
	return ssdpm__run_energy(ret_run, &values, state, NULL, reterr);
}

/*
 * A run is nothing but numbers of 64 bits: the least and most of each. Those of
 * states that the drive does not have are 0.
 */
static void widen(struct layers *layers, const struct ssdpm_run *run,
		  size_t n_states)
{
	enum {
		BEGIN = offsetof(struct ssdpm_run, duration_ns),
		N = (sizeof(*run) - BEGIN) / sizeof(uint64_t),
	};
	uint64_t here[N], low[N], high[N];
	size_t n = (offsetof(struct ssdpm_run, states) - BEGIN +
		    n_states * sizeof(run->states[0])) /
		   sizeof(uint64_t);

	memcpy(here, (const char *)run + BEGIN, sizeof(here));
	memcpy(low, (const char *)&layers->low + BEGIN, sizeof(low));
	memcpy(high, (const char *)&layers->high + BEGIN, sizeof(high));
	for (size_t i = 0; i < n; i++) {
		low[i] = here[i] < low[i] ? here[i] : low[i];
		high[i] = here[i] > high[i] ? here[i] : high[i];
	}
	memcpy((char *)&layers->low + BEGIN, low, sizeof(low));
	memcpy((char *)&layers->high + BEGIN, high, sizeof(high));
}

static void note_cost(struct ssdpm_sim *sim, const struct ssdpm_run *run)
{
	sim->costs[sim->n_costs++] =
		(struct cost){ run->energy_nj, run->mean_power_uw };
}

static int run_corners(struct ssdpm_sim *sim, struct ssdpm_error *reterr)
{
	struct layers *layers = &sim->layers;
	uint32_t n = (uint32_t)__builtin_popcount(sim->axes);
	int err = price(sim, (struct corner){ 0 }, &layers->nominal, reterr);

	if (err)
		return err;
	layers->low = layers->high = layers->nominal;
	note_cost(sim, &layers->nominal);
	for (uint32_t bits = 0; n && bits < 1u << n; bits++) {
		struct ssdpm_run run;

		err = price(sim, ssdpm__corner(sim->axes, bits), &run, reterr);
		if (err)
			return err;
		widen(layers, &run, sim->n_states);
		note_cost(sim, &run);
	}
	sim->result.n_corners = sim->n_costs;
	return 0;
}

/* Each axis alone: what it moves, and which one moves most. */
static int run_axes(struct ssdpm_sim *sim, struct layers *layers,
		    struct ssdpm_error *reterr)
{
	uint64_t widest = 0;

	for (uint32_t i = 0; i < N_AXES; i++) {
		uint64_t low = layers->nominal.energy_nj, high = low;

		for (uint32_t bit = 0; bit < 2 && sim->axes >> i & 1; bit++) {
			struct ssdpm_run run;
			int err = price(sim, ssdpm__corner(1u << i, bit), &run,
					reterr);

			if (err)
				return err;
			/* Times need not move the energy one way. */
			widen(layers, &run, sim->n_states);
			low = run.energy_nj < low ? run.energy_nj : low;
			high = run.energy_nj > high ? run.energy_nj : high;
		}
		layers->axis_low_nj[i] = low;
		layers->axis_high_nj[i] = high;
		if (high - low > widest) {
			widest = high - low;
			sim->result.widest_axis = i + 1;
		}
	}
	return 0;
}

static bool is_power(uint32_t kind)
{
	return kind == SSDPM_PARAMETER_IDLE_POWER ||
	       kind == SSDPM_PARAMETER_ACTIVE_POWER ||
	       kind == SSDPM_PARAMETER_TRANSITION_POWER ||
	       kind == SSDPM_PARAMETER_LINK_POWER ||
	       kind == SSDPM_PARAMETER_OPERATION_ENERGY ||
	       kind == SSDPM_PARAMETER_BYTE_ENERGY;
}

/* What the nominal run would cost if all powers but the assumed were 0. */
static int find_assumed(struct ssdpm_sim *sim, struct ssdpm_error *reterr)
{
	struct ssdpm_parameter assumed[SSDPM_MAX_PARAMETERS];
	uint32_t state = sim->params.operational_state;
	struct ssdpm_run run = sim->layers.nominal;
	struct corner nominal = { 0 };
	struct values values;

	memcpy(assumed, sim->parameters, sizeof(assumed));
	for (size_t i = 0; i < sim->n_parameters; i++)
		if (is_power(assumed[i].kind) &&
		    assumed[i].provenance != SSDPM_PROVENANCE_ASSUMED)
			assumed[i].nominal = 0;
	ssdpm__values(assumed, sim->n_parameters, state, &nominal, &values);
	int err = ssdpm__run_energy(&run, &values, state, NULL, reterr);
	sim->result.assumed_nj = run.energy_nj;
	return err;
}

static int finish(struct ssdpm_sim *sim, uint64_t end_ns,
		  struct ssdpm_error *reterr)
{
	struct layers *layers = &sim->layers;
	int err = 0;

	sim->result = (struct ssdpm_result){
		.size = sizeof(sim->result),
		.nominal = &layers->nominal,
		.low = &layers->low,
		.high = &layers->high,
		.axes = sim->axes,
		.n_axes = N_AXES,
		.axis_low_nj = layers->axis_low_nj,
		.axis_high_nj = layers->axis_high_nj,
	};
	if (ssdpm__timeline_wanted(&sim->timeline))
		err = ssdpm__timeline_finish(&sim->timeline, end_ns, reterr);
	if (err == 0)
		err = finish_courses(sim, end_ns, reterr);
	if (err == 0)
		err = run_corners(sim, reterr);
	if (err == 0)
		err = run_axes(sim, layers, reterr);
	return err ? err : find_assumed(sim, reterr);
}

int ssdpm_sim_finish(struct ssdpm_sim *sim, uint64_t end_ns,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };

	if (sim->failed.code) {
		if (reterr)
			*reterr = sim->failed;
		return sim->failed.code;
	}
	if (sim->finished)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the simulation is finished");
	if (sim->intake.n_records == 0)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "the workload has no record");
	int err = finish(sim, end_ns, &error);
	if (err) {
		sim->failed = error;
		if (reterr)
			*reterr = error;
		return err;
	}
	sim->finished = true;
	return 0;
}

/* Were both taken at the same corners? */
static bool are_alike(const struct ssdpm_sim *a, const struct ssdpm_sim *b)
{
	if (a->params.operational_state != b->params.operational_state ||
	    a->n_parameters != b->n_parameters)
		return false;
	for (size_t i = 0; i < a->n_parameters; i++)
		if (memcmp(&a->parameters[i], &b->parameters[i],
			   offsetof(struct ssdpm_parameter, rule)))
			return false;
	return true;
}

/* a - b, as far as 64 bits go. */
static bool subtract(uint64_t a, uint64_t b, int64_t *ret_difference)
{
	return !__builtin_sub_overflow(a, b, ret_difference);
}

int ssdpm__add_saving(struct ssdpm_saving *saving, const struct cost *from,
		      const struct cost *to, bool nominal,
		      struct ssdpm_error *reterr)
{
	int64_t nj, uw;

	if (!subtract(from->energy_nj, to->energy_nj, &nj) ||
	    !subtract(from->mean_power_uw, to->mean_power_uw, &uw))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "saving: the energies differ by more than "
				   "2^63 nJ (9.2 GJ): are the times of the "
				   "workload, and the watts, in their units?");
	if (nominal)
		*saving = (struct ssdpm_saving){ nj, nj, nj, uw, uw, uw };
	saving->low_nj = nj < saving->low_nj ? nj : saving->low_nj;
	saving->high_nj = nj > saving->high_nj ? nj : saving->high_nj;
	saving->low_uw = uw < saving->low_uw ? uw : saving->low_uw;
	saving->high_uw = uw > saving->high_uw ? uw : saving->high_uw;
	return 0;
}

/*
 * The cost of a corner of more axes. Those of which this simulation knows all
 * do not move it: without these their bits are those of its own corner.
 */
static const struct cost *cost_of(const struct ssdpm_sim *sim, uint32_t axes,
				  uint32_t bits)
{
	uint32_t own = 0, n = 0;

	for (uint32_t axis = 0; axis < N_AXES; axis++) {
		if (!(axes >> axis & 1))
			continue;
		if (sim->axes >> axis & 1)
			own |= (bits & 1) << n++;
		bits >>= 1;
	}
	return n ? &sim->costs[1 + own] : &sim->costs[0];
}

int ssdpm_sim_get_saving(const struct ssdpm_sim *from,
			 const struct ssdpm_sim *to,
			 struct ssdpm_saving *ret_saving,
			 struct ssdpm_error *reterr)
{
	/* They differ where the policy of one is not known. */
	const uint32_t axes = from->axes | to->axes;
	const uint32_t n = (uint32_t)__builtin_popcount(axes);
	struct ssdpm_saving saving = { 0 };
	int err;

	if (!from->finished || !to->finished)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a simulation is not finished");
	if (!are_alike(from, to))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the simulations differ in their parameters "
				   "or operational state: compare policies of "
				   "one drive");
	err = ssdpm__add_saving(&saving, &from->costs[0], &to->costs[0], true,
				reterr);
	for (uint32_t bits = 0; axes && bits < 1u << n && !err; bits++)
		err = ssdpm__add_saving(&saving, cost_of(from, axes, bits),
					cost_of(to, axes, bits), false, reterr);
	if (err)
		return err;
	*ret_saving = saving;
	return 0;
}
