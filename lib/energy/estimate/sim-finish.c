/* SPDX-License-Identifier: MIT */
/*
 * The end of a simulation: what the idle times of each class come to, and what
 * that costs with all powers low, and with all high.
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

/* The run of a course that idles for so long after its last completion. */
static int run_course(const struct ssdpm_sim *sim, const struct course *course,
		      uint64_t rest_ns, struct ssdpm_run *ret_run,
		      struct ssdpm_error *reterr)
{
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

int ssdpm__course_until(const struct ssdpm_sim *sim,
			const struct course *course, uint64_t duration_ns,
			struct ssdpm_run *ret_run, struct ssdpm_error *reterr)
{
	uint64_t more_ns = duration_ns - course->run.duration_ns;

	/* It fits: the rest is part of the duration. */
	return run_course(sim, course, course->rest_ns + more_ns, ret_run,
			  reterr);
}

/* What came of it up to the last completion, and its run until end_ns. */
static int close_course(struct ssdpm_sim *sim, struct course *course,
			uint64_t end_ns, struct ssdpm_error *reterr)
{
	const struct flow *flow = ssdpm__course_flow(sim, course);
	uint64_t until = flow->busy.until_ns;
	struct ssdpm_run *run = &course->worked;

	run->size = sizeof(*run);
	memcpy(run->n_ios, sim->intake.n_ios, sizeof(sim->intake.n_ios));
	memcpy(run->bytes, sim->intake.bytes, sizeof(sim->intake.bytes));
	memcpy(run->busy_ns_by_op, flow->busy_ns, sizeof(flow->busy_ns));
	for (uint32_t class = 0; class <= course->wakes.last; class ++) {
		struct idle_sum sum = course->tally->gaps[class];

		run->n_gaps += sum.n;
		ssdpm__add_class(&course->chain, class, sum, true,
				 &course->times, run);
	}
	course->rest_ns = end_ns > until ? end_ns - until : 0;
	if (!fill_delays(course, run))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "delays: their sum is beyond 2^64 ns");
	return run_course(sim, course, course->rest_ns, &course->run, reterr);
}

static int close_courses(struct ssdpm_sim *sim, uint64_t end_ns,
			 struct ssdpm_error *reterr)
{
	int err = 0;

	for (uint32_t i = 0; i < sim->n_courses && err == 0; i++) {
		struct course *course = &sim->courses[i];
		const struct course *leader = &sim->courses[course->leader];

		if (!ssdpm__course_follows(sim, course)) {
			err = close_course(sim, course, end_ns, reterr);
			continue;
		}
		course->times = leader->times;
		course->worked = leader->worked;
		course->rest_ns = leader->rest_ns;
		course->run = leader->run;
	}
	sim->own_duration_ns = sim->courses[0].run.duration_ns;
	return err;
}

/* The latest ends of simulations with the same courses, by course. */
struct ends {
	const struct ssdpm_sim *like;
	uint64_t ns[MAX_COURSES];
};

/* As many as there are sets of axes of time. */
#define MAX_ENDS (1 << N_TIME_AXES)

static uint32_t find_ends(struct ssdpm_sim *const *sims, size_t n,
			  struct ends ret_ends[MAX_ENDS])
{
	uint32_t n_ends = 0;

	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_sim *sim = sims[i];
		uint32_t k = 0;

		while (k < n_ends &&
		       (ret_ends[k].like->axes ^ sim->axes) & time_axes)
			k++;
		if (k == n_ends)
			ret_ends[n_ends++] = (struct ends){ .like = sim };
		for (uint32_t j = 0; j < sim->n_courses; j++) {
			uint64_t ns = sim->courses[j].run.duration_ns;

			if (ns > ret_ends[k].ns[j])
				ret_ends[k].ns[j] = ns;
		}
	}
	return n_ends;
}

/* The latest end of all simulations at the corner of a course. */
static uint64_t last_end(const struct ends *ends, uint32_t n_ends,
			 const struct ssdpm_sim *sim, uint32_t course)
{
	uint64_t end = 0;

	for (uint32_t k = 0; k < n_ends; k++)
		for (uint32_t j = 0; j < ends[k].like->n_courses; j++)
			/* What is nominal ends with what is nominal. */
			if (ends[k].ns[j] > end && !course == !j &&
			    ssdpm__courses_match(sim, course, ends[k].like, j))
				end = ends[k].ns[j];
	return end;
}

/* All go on idling until the last one ends. */
static int idle_on(struct ssdpm_sim *const *sims, size_t n,
		   struct ssdpm_error *reterr)
{
	struct ends ends[MAX_ENDS];
	uint32_t n_ends = find_ends(sims, n, ends);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		for (uint32_t j = 0; j < sims[i]->n_courses && !err; j++) {
			struct course *course = &sims[i]->courses[j];
			uint64_t own = course->run.duration_ns;
			uint64_t end = last_end(ends, n_ends, sims[i], j);

			err = ssdpm__course_until(sims[i], course, end,
						  &course->run, reterr);
			course->rest_ns += end - own;
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

static const uint32_t power_axes = 1u << (SSDPM_AXIS_IDLE_POWER - 1) |
				   1u << (SSDPM_AXIS_STATE_POWER - 1) |
				   1u << (SSDPM_AXIS_ACTIVE_POWER - 1) |
				   1u << (SSDPM_AXIS_TRANSITION_POWER - 1);

/*
 * With all powers low and all high: their intervals were cut to what an order
 * leaves, so that all of them can be low, and high, together. The work behind
 * the writes is part of the active power, and more of it can make the mean
 * power less.
 */
static int widen_course(struct ssdpm_sim *sim, const struct course *course,
			struct ssdpm_error *reterr)
{
	const uint32_t active = SSDPM_AXIS_ACTIVE_POWER - 1;
	int err = 0;

	for (uint32_t i = 0; i < 4 && !err; i++) {
		struct corner corner = course->corner;
		struct ssdpm_run run;

		for (uint32_t axis = 0; axis < N_AXES; axis++)
			if (power_axes >> axis & 1)
				corner.value[axis] =
					i & 1 ? CORNER_HIGH : CORNER_LOW;
		corner.value[active] = i & 2 ? CORNER_HIGH : CORNER_LOW;
		err = price(sim, corner, &run, reterr);
		if (!err)
			widen(&sim->layers, &run, sim->n_states);
	}
	return err;
}

static int run_corners(struct ssdpm_sim *sim, struct ssdpm_error *reterr)
{
	struct layers *layers = &sim->layers;
	int err = price(sim, (struct corner){ 0 }, &layers->nominal, reterr);

	layers->low = layers->high = layers->nominal;
	for (uint32_t i = 0; i < sim->n_courses && !err; i++)
		err = widen_course(sim, &sim->courses[i], reterr);
	return err;
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

/* Once the end of all courses is known. */
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
		err = ssdpm__timeline_finish(&sim->timeline,
					     until + sim->courses[0].rest_ns,
					     reterr);
	if (err == 0)
		err = run_corners(sim, reterr);
	if (err == 0)
		err = run_axes(sim, layers, reterr);
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

/* Each once, and all of the same records. */
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

static int finish_all(struct ssdpm_sim *const *sims, size_t n, uint64_t end_ns,
		      struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = close_courses(sims[i], end_ns, reterr);
	if (!err)
		err = idle_on(sims, n, reterr);
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
