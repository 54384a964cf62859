/* SPDX-License-Identifier: MIT */
/* Makes, queries and frees a simulation. */
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

/* ssdpm_histogram_bucket() has four buckets for each power of two. */
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
	if (ret_params->flags &
	    ~(uint32_t)(SSDPM_SIM_IDLE_FROM_START | SSDPM_SIM_LIKELY))
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

static int make_nominal(struct ssdpm_sim *sim, const struct ssdpm_model *model,
			struct ssdpm_error *reterr)
{
	struct course *nominal = &sim->nominal;
	int err = ssdpm__timeline_init(&sim->timeline, model, &sim->params,
				       sim->parameters, sim->n_parameters,
				       reterr);

	nominal->chain = sim->timeline.chain;
	nominal->wakes = sim->timeline.wakes;
	nominal->flow.service = sim->timeline.flow.service;
	return err;
}

/* Adds an enclosure for each policy that the drive may have. */
static int add_policies(struct ssdpm_sim *sim, const struct ssdpm_model *model,
			uint32_t axes, struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params params = sim->params;
	bool unknown = ssdpm__is_lpm_unknown(model, params.lpm) &&
		       axes >> (SSDPM_AXIS_LINK_IDLE_TIME - 1) & 1;
	uint32_t last = unknown ? SSDPM_LPM_MIN_POWER : params.lpm;
	int err = 0;

	if (unknown)
		params.lpm = SSDPM_LPM_MAX_PERFORMANCE;
	for (; params.lpm <= last && !err; params.lpm++) {
		struct enclosure *made = &sim->enclosures[sim->n_enclosures];

		err = ssdpm__enclosure_new(model, &params, sim->parameters,
					   sim->n_parameters, axes, made,
					   reterr);
		if (err)
			break;
		made->other_policy =
			unknown && params.lpm != SSDPM_LPM_MAX_PERFORMANCE;
		sim->n_enclosures++;
	}
	return err;
}

/* All policies twice, and each axis alone. */
#define MAX_ENCLOSURES (2 * SSDPM_LPM_MIN_POWER + 3)

static int add_enclosures(struct ssdpm_sim *sim,
			  const struct ssdpm_model *model,
			  struct ssdpm_error *reterr)
{
	uint32_t open = sim->axes & time_axes;
	int err;

	sim->enclosures = calloc(MAX_ENCLOSURES, sizeof(*sim->enclosures));
	if (!sim->enclosures)
		return ssdpm__no_memory(reterr);
	err = add_policies(sim, model, open, reterr);
	sim->n_policies = sim->n_enclosures;
	for (uint32_t axis = 0; axis < N_AXES && !err; axis++)
		if (open >> axis & 1 && open != 1u << axis)
			err = add_policies(sim, model, 1u << axis, reterr);
	return err;
}

/* Keeps the table and the idle times that may reach a state. */
static int keep_policy(struct ssdpm_sim *sim, const struct ssdpm_model *model,
		       struct ssdpm_error *reterr)
{
	sim->profile = calloc(1, sizeof(*sim->profile));
	if (!sim->profile)
		return ssdpm__no_memory(reterr);
	sim->profile->model = ssdpm_model_ref((struct ssdpm_model *)model);
	sim->profile->has_table = sim->params.apst;
	if (sim->params.apst)
		sim->profile->table = *sim->params.apst;
	sim->profile->from_ns = UINT64_MAX;
	for (uint32_t i = 0; i < sim->n_policies; i++) {
		const struct chain *quick = &sim->enclosures[i].quick;

		if (quick->n)
			sim->profile->from_ns = at_most(sim->profile->from_ns,
							quick->steps[0].at_ns);
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
	err = make_nominal(sim, model, reterr);
	if (!err)
		err = add_enclosures(sim, model, reterr);
	if (!err && sim->params.flags & SSDPM_SIM_LIKELY)
		err = keep_policy(sim, model, reterr);
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
		ssdpm__histogram_coarse(&sim->nominal.tally.delays, LOG_BITS,
					ret_counts, capacity);
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
	for (uint32_t i = 0; i < sim->n_enclosures; i++)
		ssdpm__enclosure_free(&sim->enclosures[i]);
	free(sim->enclosures);
	free(sim->enclosed);
	if (sim->profile)
		ssdpm_model_unref(sim->profile->model);
	free(sim->profile);
	if (sim->end &&
	    !__atomic_sub_fetch(&sim->end->refs, 1, __ATOMIC_ACQ_REL))
		free(sim->end);
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
	[FLAG(SSDPM_SIM_LIKELY)] = "likely",
};
FLAG_WORDS(sim_flag)
