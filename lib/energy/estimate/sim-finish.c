/* SPDX-License-Identifier: MIT */
/*
 * Ends a simulation: the times of each class of idle times, their nominal cost,
 * and what encloses it.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "estimate/sim.h"

/* All idle times in a state wait for its exit; these were not counted yet. */
static struct wide add_delays(struct course *course)
{
	struct tally *tally = &course->tally;
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
	struct histogram *delays = &course->tally.delays;
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

/* The nominal run, idling this long after its last completion. */
static int run_course(const struct ssdpm_sim *sim, uint64_t rest_ns,
		      struct ssdpm_run *ret_run, struct ssdpm_error *reterr)
{
	const struct course *course = &sim->nominal;
	struct state_times times = course->times;
	struct idle_sum rest = { 1, rest_ns };
	struct ssdpm_run run = course->worked;
	int err;

	if (rest_ns)
		ssdpm__add_class(&course->chain,
				 ssdpm__wake_class(&course->wakes, rest_ns),
				 rest, false, &times, &run);
	err = ssdpm__fill_times(&times, &run, reterr);
	if (!err)
		err = ssdpm__run_sums(&run, &course->chain, sim->start_ns,
				      reterr);
	if (!err)
		*ret_run = run;
	return err;
}

int ssdpm__course_until(const struct ssdpm_sim *sim, uint64_t duration_ns,
			struct ssdpm_run *ret_run, struct ssdpm_error *reterr)
{
	uint64_t more_ns = duration_ns - sim->nominal.run.duration_ns;

	/* It fits, because the rest is part of the duration. */
	return run_course(sim, sim->nominal.rest_ns + more_ns, ret_run, reterr);
}

/* Closes the course at its last completion, and makes its run until end_ns. */
static int close_course(struct ssdpm_sim *sim, uint64_t end_ns,
			struct ssdpm_error *reterr)
{
	struct course *course = &sim->nominal;
	const struct flow *flow = &course->flow;
	uint64_t until = flow->busy.until_ns;
	struct ssdpm_run *run = &course->worked;
	int err;

	run->size = sizeof(*run);
	memcpy(run->n_ios, sim->intake.n_ios, sizeof(sim->intake.n_ios));
	memcpy(run->bytes, sim->intake.bytes, sizeof(sim->intake.bytes));
	memcpy(run->busy_ns_by_op, flow->busy_ns, sizeof(flow->busy_ns));
	for (uint32_t class = 0; class <= course->wakes.last; class ++) {
		struct idle_sum sum = course->tally.gaps[class];

		run->n_gaps += sum.n;
		ssdpm__add_class(&course->chain, class, sum, true,
				 &course->times, run);
	}
	course->rest_ns = end_ns > until ? end_ns - until : 0;
	if (!fill_delays(course, run))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "delays: their sum is beyond 2^64 ns");
	err = run_course(sim, course->rest_ns, &course->run, reterr);
	sim->own_duration_ns = course->run.duration_ns;
	return err;
}

static struct priced_drive drive_of(const struct ssdpm_sim *sim)
{
	return (struct priced_drive){ sim->parameters, sim->n_parameters,
				      sim->order };
}

/* The part of a run that no policy changes, as far as it is certain. */
static struct run_base base_of(const struct ssdpm_sim *sim,
			       const struct enclosure *enclosure)
{
	const struct tracker *tracker = &enclosure->tracker;
	const struct flow *flow = &sim->nominal.flow;
	const struct priced_drive drive = drive_of(sim);
	struct run_base base = {
		.start_ns = sim->start_ns,
		.until_ns = { flow->busy.until_ns, flow->busy.until_ns },
		.over_fj = sim->over_fj,
	};

	ssdpm__base_drive(&base, &drive);
	if (enclosure->tracked)
		base.until_ns = (struct extent){ tracker->quick.busy.until_ns,
						 tracker->slow.busy.until_ns };
	for (unsigned op = 0; op < SSDPM_N_OPS; op++) {
		base.n_ios[op] = sim->intake.n_ios[op];
		base.bytes[op] = sim->intake.bytes[op];
		base.busy_ns[op] = enclosure->tracked ?
					   tracker->busy_ns[op] :
					   (struct extent){ flow->busy_ns[op],
							    flow->busy_ns[op] };
	}
	return base;
}

/* Close enclosures before the nominal run, because they take its delays. */
static int close_enclosures(struct ssdpm_sim *sim, uint64_t end_ns,
			    struct ssdpm_error *reterr)
{
	int err = 0;

	sim->enclosed = calloc(sim->n_enclosures, sizeof(*sim->enclosed));
	if (!sim->enclosed)
		return ssdpm__no_memory(reterr);
	for (uint32_t i = 0; i < sim->n_enclosures && !err; i++) {
		struct enclosure *enclosure = &sim->enclosures[i];
		struct run_base base = base_of(sim, enclosure);

		if (ssdpm__enclosure_follows(sim, enclosure))
			ssdpm__enclosure_follow(enclosure, sim);
		err = ssdpm__enclosed_run(enclosure, &base, end_ns,
					  &sim->enclosed[i], reterr);
	}
	return err;
}

/*
 * When a simulation ends by itself: with all policies together, or with one
 * axis alone. Without such an axis, it ends nominally.
 */
static struct extent own_end(const struct ssdpm_sim *sim, uint32_t axes,
			     bool all)
{
	uint32_t from = all ? 0 : sim->n_policies;
	uint32_t to = all ? sim->n_policies : sim->n_enclosures;
	struct extent end = { UINT64_MAX, 0 };

	for (uint32_t i = from; i < to; i++) {
		const struct enclosed *run = &sim->enclosed[i];

		if (!all && sim->enclosures[i].axes != axes)
			continue;
		end.low = at_most(end.low, run->own_ns.low);
		end.high = at_least(end.high, run->own_ns.high);
	}
	if (end.high >= end.low)
		return end;
	return (struct extent){ sim->own_duration_ns, sim->own_duration_ns };
}

static struct extent others_end(struct ssdpm_sim *const *sims, size_t n,
				size_t me, uint32_t axes, bool all)
{
	struct extent end = { 0, 0 };

	for (size_t i = 0; i < n; i++)
		if (i != me)
			end = longer_of(end, own_end(sims[i], axes, all));
	return end;
}

/* All simulations idle until the last one ends. */
static int idle_on(struct ssdpm_sim *const *sims, size_t n, size_t me,
		   struct ssdpm_error *reterr)
{
	struct ssdpm_sim *sim = sims[me];
	uint64_t own_ns = sim->own_duration_ns, end_ns = own_ns;
	int err;

	for (size_t i = 0; i < n; i++)
		end_ns = at_least(end_ns, sims[i]->own_duration_ns);
	err = ssdpm__course_until(sim, end_ns, &sim->nominal.run, reterr);
	sim->nominal.rest_ns += end_ns - own_ns;
	for (uint32_t i = 0; i < sim->n_enclosures && !err; i++) {
		struct extent others =
			others_end(sims, n, me, sim->enclosures[i].axes,
				   i < sim->n_policies);

		err = ssdpm__enclosed_until(&sim->enclosed[i], others,
					    &sim->enclosed[i], reterr);
	}
	return err;
}

/* The energy of the nominal run at a corner of the powers. */
static int price(const struct ssdpm_sim *sim, struct corner corner,
		 struct ssdpm_run *ret_run, struct ssdpm_error *reterr)
{
	uint32_t state = sim->params.operational_state;
	struct values values;

	ssdpm__values(sim->parameters, sim->n_parameters, state, &corner,
		      &values);
	values.over_fj = sim->over_fj;
	*ret_run = sim->nominal.run;
	return ssdpm__run_energy(ret_run, &values, state, NULL, reterr);
}

/* Percentiles are exact to 1/128, so the nominal ones count, too. */
static int find_ends(struct ssdpm_sim *sim, struct ssdpm_error *reterr)
{
	const struct priced_drive drive = drive_of(sim);
	struct layers *layers = &sim->layers;
	int err =
		price(sim, (struct corner){ { 0 } }, &layers->nominal, reterr);

	layers->low = layers->high = layers->nominal;
	for (uint32_t i = 0; i < sim->n_policies && !err; i++)
		err = ssdpm__price_enclosed(&sim->enclosed[i], &drive, false,
					    &layers->low, &layers->high,
					    reterr);
	return err;
}

/* One axis of time, with nominal powers. */
static int find_time_axis(struct ssdpm_sim *sim, uint32_t axis,
			  struct ssdpm_error *reterr)
{
	const struct priced_drive drive = drive_of(sim);
	struct layers *layers = &sim->layers;
	struct ssdpm_run low = layers->nominal, high = low;
	int err = 0;

	for (uint32_t i = 0; i < sim->n_enclosures && !err; i++)
		if (sim->enclosures[i].axes == 1u << axis)
			err = ssdpm__price_enclosed(&sim->enclosed[i], &drive,
						    true, &low, &high, reterr);
	layers->axis_low_nj[axis] = low.energy_nj;
	layers->axis_high_nj[axis] = high.energy_nj;
	return err;
}

/* One axis of power, at its two ends. */
static int find_power_axis(struct ssdpm_sim *sim, uint32_t axis,
			   struct ssdpm_error *reterr)
{
	struct layers *layers = &sim->layers;
	struct ssdpm_run low, high;
	int err;

	if (!(sim->axes >> axis & 1))
		return 0;
	err = price(sim, ssdpm__corner(1u << axis, CORNER_LOW), &low, reterr);
	if (!err)
		err = price(sim, ssdpm__corner(1u << axis, CORNER_HIGH), &high,
			    reterr);
	if (err)
		return err;
	layers->axis_low_nj[axis] =
		at_most(layers->nominal.energy_nj, low.energy_nj);
	layers->axis_high_nj[axis] =
		at_least(layers->nominal.energy_nj, high.energy_nj);
	return 0;
}

/* Moves each axis alone, and finds the one that moves most. */
static int find_axes(struct ssdpm_sim *sim, struct ssdpm_error *reterr)
{
	struct layers *layers = &sim->layers;
	uint64_t widest = 0;

	for (uint32_t i = 0; i < N_AXES; i++) {
		uint64_t *low = &layers->axis_low_nj[i];
		uint64_t *high = &layers->axis_high_nj[i];
		int err;

		*low = *high = layers->nominal.energy_nj;
		err = time_axes >> i & 1 ? find_time_axis(sim, i, reterr) :
					   find_power_axis(sim, i, reterr);
		if (err)
			return err;
		if (*high - *low > widest) {
			widest = *high - *low;
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

/* The nominal energy if only the assumed powers were not 0. */
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

/* Finishes after the end of all courses is known. */
static int finish(struct ssdpm_sim *sim, struct ssdpm_error *reterr)
{
	struct layers *layers = &sim->layers;
	uint64_t until = sim->timeline.flow.busy.until_ns;
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
		.own_duration_ns = sim->own_duration_ns,
		.loose_states = sim->order.loose_states,
		.loose_ops = sim->order.loose_ops,
	};
	if (ssdpm__timeline_wanted(&sim->timeline))
		err = ssdpm__timeline_finish(
			&sim->timeline, until + sim->nominal.rest_ns, reterr);
	if (err == 0)
		err = find_ends(sim, reterr);
	if (err == 0)
		err = find_axes(sim, reterr);
	return err ? err : find_assumed(sim, reterr);
}

static int check_unfinished(const struct ssdpm_sim *sim,
			    struct ssdpm_error *reterr)
{
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
	return 0;
}

/*
 * Checks that each simulation is given once, and that all took the same
 * records.
 */
static int check_together(struct ssdpm_sim *const *sims, size_t n,
			  struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		err = check_unfinished(sims[i], reterr);
		if (!err && (sims[i]->is_closing ||
			     !ssdpm__have_same_records(sims[0], sims[i])))
			err = ssdpm__fail(
				reterr, -EINVAL, 0,
				"simulations that end together had "
				"the same records, and are each given "
				"once");
		sims[i]->is_closing = true;
	}
	for (size_t i = 0; i < n; i++)
		sims[i]->is_closing = false;
	return err;
}

/* They end together; a common id tells them from others. */
static int share_end(struct ssdpm_sim *const *sims, size_t n,
		     struct ssdpm_error *reterr)
{
	struct common_end *end = malloc(sizeof(*end));

	if (!end)
		return ssdpm__no_memory(reterr);
	end->refs = (unsigned int)n;
	for (size_t i = 0; i < n; i++)
		sims[i]->end = end;
	return 0;
}

static int finish_all(struct ssdpm_sim *const *sims, size_t n, uint64_t end_ns,
		      struct ssdpm_error *reterr)
{
	int err = share_end(sims, n, reterr);

	for (size_t i = 0; i < n && !err; i++) {
		err = close_enclosures(sims[i], end_ns, reterr);
		if (!err)
			err = close_course(sims[i], end_ns, reterr);
	}
	for (size_t i = 0; i < n && !err; i++)
		err = idle_on(sims, n, i, reterr);
	for (size_t i = 0; i < n && !err; i++)
		err = finish(sims[i], reterr);
	return err;
}

int ssdpm_sim_finish_together(struct ssdpm_sim *const *sims, size_t n_sims,
			      uint64_t end_ns, struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	int err = check_together(sims, n_sims, reterr);

	if (err)
		return err;
	err = finish_all(sims, n_sims, end_ns, &error);
	for (size_t i = 0; i < n_sims; i++) {
		sims[i]->failed = error;
		sims[i]->finished = !err;
	}
	return ssdpm__pass_on(err, &error, reterr);
}

int ssdpm_sim_finish(struct ssdpm_sim *sim, uint64_t end_ns,
		     struct ssdpm_error *reterr)
{
	return ssdpm_sim_finish_together(&sim, 1, end_ns, reterr);
}
