/* SPDX-License-Identifier: MIT */
/* A simulation: made, asked, freed. */
#include "estimate/sim.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"

static_assert((sizeof(struct ssdpm_run) -
	       offsetof(struct ssdpm_run, duration_ns)) %
			      sizeof(uint64_t) ==
		      0,
	      "nothing but numbers of 64 bits");
static_assert(sizeof(struct ssdpm_residency) == 48, "frozen");
static_assert(sizeof(struct ssdpm_interval) == 64, "frozen");

/* Of ssdpm_histogram_bucket(): four for each power of two. */
#define LOG_BITS 2

int ssdpm_sim_params_init(struct ssdpm_sim_params *params, size_t size)
{
	const struct ssdpm_sim_params defaults = {
		.size = sizeof(defaults),
		.loop = SSDPM_LOOP_CLOSED,
		.lpm = SSDPM_LPM_MAX_PERFORMANCE,
		.pcie_link = SSDPM_PCIE_L1_2,
	};

	return ssdpm__sized_init(params, size, &defaults, sizeof(defaults));
}

int ssdpm__check_params(const struct ssdpm_sim_params *given,
			struct ssdpm_sim_params *ret_params,
			struct ssdpm_error *reterr)
{
	int err = ssdpm_sim_params_init(ret_params, sizeof(*ret_params));

	if (err == 0)
		err = ssdpm__sized_in(ret_params, sizeof(*ret_params), given,
				      "ssdpm_sim_params", reterr);
	if (err)
		return err;
	if (ret_params->loop != SSDPM_LOOP_CLOSED &&
	    ret_params->loop != SSDPM_LOOP_OPEN)
		return ssdpm__fail(reterr, -EINVAL, 0, "loop: unknown %u",
				   ret_params->loop);
	if (ret_params->flags & ~(uint32_t)SSDPM_SIM_IDLE_FROM_START)
		return ssdpm__fail(reterr, -EINVAL, 0, "flags: an unknown bit");
	if (ret_params->reserved)
		return ssdpm__fail(reterr, -EINVAL, 0, "reserved: is not 0");
	return 0;
}

int ssdpm__take_parameters(
	const struct ssdpm_model *model, const struct ssdpm_sim_params *params,
	struct ssdpm_parameter ret_parameters[SSDPM_MAX_PARAMETERS],
	size_t *ret_n, struct power_order *ret_order,
	struct ssdpm_error *reterr)
{
	struct power_order order;
	int err;

	if (!params->parameters) {
		err = ssdpm_parameters_from_model(
			model, params->pcie_link, ret_parameters,
			SSDPM_MAX_PARAMETERS, ret_n, reterr);
	} else {
		err = ssdpm__check_parameters(model, params->parameters,
					      params->n_parameters, reterr);
		*ret_n = err ? 0 : params->n_parameters;
		memcpy(ret_parameters, params->parameters,
		       *ret_n * sizeof(*ret_parameters));
	}
	if (!err)
		err = ssdpm__check_operational(model, params->operational_state,
					       reterr);
	if (!err)
		ssdpm__order_powers(ret_parameters, *ret_n,
				    params->operational_state,
				    ret_order ? ret_order : &order);
	return err;
}

/* Same in all axes of time but, where that does not count, the service? */
static bool is_same(const struct corner *a, const struct corner *b,
		    bool service_counts)
{
	struct corner c = *a;

	if (!service_counts)
		c.value[SSDPM_AXIS_SERVICE - 1] =
			b->value[SSDPM_AXIS_SERVICE - 1];
	return memcmp(&c, b, sizeof(c)) == 0;
}

/* Nominal in all other axes. */
static struct corner along(struct corner corner, uint32_t axes)
{
	for (uint32_t axis = 0; axis < N_AXES; axis++)
		if (!(axes >> axis & 1))
			corner.value[axis] = CORNER_NOMINAL;
	return corner;
}

uint32_t ssdpm__find_course(const struct ssdpm_sim *sim, struct corner corner,
			    bool service_counts)
{
	uint32_t i = 0;

	corner = along(corner, time_axes);
	while (i < sim->n_courses &&
	       !is_same(&sim->courses[i].corner, &corner, service_counts))
		i++;
	return i;
}

bool ssdpm__courses_match(const struct ssdpm_sim *a, uint32_t course_a,
			  const struct ssdpm_sim *b, uint32_t course_b)
{
	struct corner corner_a = a->courses[course_a].corner;
	struct corner corner_b = b->courses[course_b].corner;

	corner_a = along(corner_a, a->axes & b->axes);
	corner_b = along(corner_b, a->axes & b->axes);
	return is_same(&corner_a, &corner_b, true);
}

static void add_course(struct ssdpm_sim *sim, struct corner corner)
{
	struct course *course = &sim->courses[sim->n_courses];

	if (ssdpm__find_course(sim, corner, true) < sim->n_courses)
		return;
	course->corner = corner;
	course->leader = ssdpm__find_course(sim, corner, false);
	if (sim->params.loop == SSDPM_LOOP_CLOSED)
		course->flow = corner.value[SSDPM_AXIS_SERVICE - 1];
	else
		course->flow = sim->n_courses;
	if (sim->n_flows <= course->flow)
		sim->n_flows = course->flow + 1;
	sim->n_courses++;
}

struct corner ssdpm__corner(uint32_t axes, uint32_t bits)
{
	struct corner corner = { 0 };

	for (uint32_t axis = 0; axis < N_AXES; axis++)
		if (axes >> axis & 1) {
			corner.value[axis] =
				bits & 1 ? CORNER_HIGH : CORNER_LOW;
			bits >>= 1;
		}
	return corner;
}

/* Nominal; each combination of the axes that are open; each alone. */
static bool add_courses(struct ssdpm_sim *sim)
{
	uint32_t open = sim->axes & time_axes;
	uint32_t n = (uint32_t)__builtin_popcount(open);

	sim->courses = calloc(COURSES_OF(n), sizeof(*sim->courses));
	if (!sim->courses)
		return false;
	add_course(sim, (struct corner){ 0 });
	for (uint32_t bits = 0; n && bits < 1u << n; bits++)
		add_course(sim, ssdpm__corner(open, bits));
	for (uint32_t axis = 0; axis < N_AXES; axis++)
		for (uint32_t bit = 0; bit < 2 && open >> axis & 1; bit++)
			add_course(sim, ssdpm__corner(1u << axis, bit));
	return true;
}

struct tally *ssdpm__tally_new(void)
{
	struct tally *tally = malloc(sizeof(*tally));

	/* Its last member, the histogram, clears the rest where it is used. */
	if (tally)
		memset(tally, 0, offsetof(struct tally, delays.buckets));
	return tally;
}

static int make_course(struct ssdpm_sim *sim, const struct ssdpm_model *model,
		       struct course *course, struct ssdpm_error *reterr)
{
	struct values values;
	int err;

	ssdpm__values(sim->parameters, sim->n_parameters,
		      sim->params.operational_state, &course->corner, &values);
	err = ssdpm__chain(model, &sim->params, &values, &course->chain,
			   reterr);
	if (err)
		return err;
	if (!ssdpm__course_follows(sim, course)) {
		course->tally = ssdpm__tally_new();
		if (!course->tally)
			return ssdpm__no_memory(reterr);
	}
	ssdpm__wakes(&course->chain, &course->wakes);
	sim->flows[course->flow].service = values.service;
	if (course == sim->courses) {
		sim->timeline.values = values;
		sim->timeline.chain = course->chain;
		sim->timeline.wakes = course->wakes;
		sim->timeline.flow.service = values.service;
		sim->timeline.interval_ns = sim->params.interval_ns;
		sim->timeline.open = sim->params.loop == SSDPM_LOOP_OPEN;
	}
	return 0;
}

static int make(struct ssdpm_sim *sim, const struct ssdpm_model *model,
		struct ssdpm_error *reterr)
{
	int err =
		ssdpm__take_parameters(model, &sim->params, sim->parameters,
				       &sim->n_parameters, &sim->order, reterr);

	if (err)
		return err;
	ssdpm_model_get_states(model, &sim->n_states);
	sim->axes = ssdpm__open_axes(sim->parameters, sim->n_parameters,
				     sim->params.operational_state);
	if (ssdpm__is_lpm_unknown(model, sim->params.lpm))
		sim->axes |= 1u << (SSDPM_AXIS_LINK_IDLE_TIME - 1);
	if (!add_courses(sim))
		return ssdpm__no_memory(reterr);
	for (uint32_t i = 0; i < sim->n_courses && err == 0; i++)
		err = make_course(sim, model, &sim->courses[i], reterr);
	/* The caller's: they were copied. */
	sim->params.parameters = NULL;
	sim->params.apst = NULL;
	return err;
}

int ssdpm_sim_new(const struct ssdpm_model *model,
		  const struct ssdpm_sim_params *params,
		  struct ssdpm_sim **ret_sim, struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params checked;
	struct ssdpm_sim *sim;
	int err = ssdpm__check_params(params, &checked, reterr);

	if (err)
		return err;
	sim = calloc(1, sizeof(*sim));
	if (!sim)
		return ssdpm__no_memory(reterr);
	sim->params = checked;
	err = make(sim, model, reterr);
	if (err) {
		ssdpm_sim_free(sim);
		return err;
	}
	*ret_sim = sim;
	return 0;
}

void ssdpm_sim_set_change_fn(struct ssdpm_sim *sim, ssdpm_change_fn fn,
			     void *userdata)
{
	sim->timeline.fn = fn;
	sim->timeline.userdata = userdata;
}

const struct ssdpm_interval *ssdpm_sim_get_intervals(
	const struct ssdpm_sim *sim, size_t *ret_n)
{
	*ret_n = sim->finished ? sim->timeline.n_intervals : 0;
	return *ret_n ? sim->timeline.intervals : NULL;
}

const struct ssdpm_result *ssdpm_sim_get_result(const struct ssdpm_sim *sim)
{
	return sim->finished ? &sim->result : NULL;
}

void ssdpm_sim_get_delays(const struct ssdpm_sim *sim, uint64_t *ret_counts,
			  size_t capacity)
{
	memset(ret_counts, 0, capacity * sizeof(*ret_counts));
	if (sim->finished)
		ssdpm__histogram_coarse(&sim->courses[0].tally->delays,
					LOG_BITS, ret_counts, capacity);
}

const struct ssdpm_parameter *ssdpm_sim_get_parameters(
	const struct ssdpm_sim *sim, size_t *ret_n)
{
	*ret_n = sim->n_parameters;
	return sim->parameters;
}

struct ssdpm_sim *ssdpm_sim_free(struct ssdpm_sim *sim)
{
	if (!sim)
		return NULL;
	ssdpm__timeline_free(&sim->timeline);
	for (uint32_t i = 0; i < sim->n_courses; i++)
		free(sim->courses[i].tally);
	free(sim->courses);
	free(sim);
	return NULL;
}

int ssdpm_estimate(const struct ssdpm_model *model,
		   const struct ssdpm_sim_params *params,
		   const struct ssdpm_io *ios, size_t n,
		   struct ssdpm_sim **ret_sim, struct ssdpm_error *reterr)
{
	struct ssdpm_sim *sim;
	int err = ssdpm_sim_new(model, params, &sim, reterr);

	if (err)
		return err;
	err = ssdpm_sim_feed(sim, ios, n, reterr);
	if (!err)
		err = ssdpm_sim_finish(sim, 0, reterr);
	if (err)
		ssdpm_sim_free(sim);
	else
		*ret_sim = sim;
	return err;
}

static const char loop_words[][7] = {
	[SSDPM_LOOP_CLOSED] = "closed",
	[SSDPM_LOOP_OPEN] = "open",
};
ENUM_WORDS(loop)

static const char phase_words[][9] = {
	[SSDPM_PHASE_BUSY] = "busy",   [SSDPM_PHASE_IDLE] = "idle",
	[SSDPM_PHASE_ENTRY] = "entry", [SSDPM_PHASE_RESIDENT] = "resident",
	[SSDPM_PHASE_EXIT] = "exit",   [SSDPM_PHASE_END] = "end",
};
ENUM_WORDS(phase)

static const char sim_flag_words[][16] = {
	[FLAG(SSDPM_SIM_IDLE_FROM_START)] = "idle-from-start",
};
FLAG_WORDS(sim_flag)
