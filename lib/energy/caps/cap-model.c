/* SPDX-License-Identifier: MIT */
/* Finds the numbers of a drive under a cap from its model and parameters. */
#include "caps/cap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "common/elementary.h"
#include "base/internal.h"
#include "estimate/internal.h"
#include "base/words.h"

#include <ssdpm/energy/caps.h>

struct number_source {
	const struct ssdpm_parameter *parameters;
	size_t n;
};

/* Finds a checked parameter, which exists. */
static const struct ssdpm_parameter *find(const struct number_source *source,
					  uint32_t kind, uint32_t index)
{
	size_t i = 0;

	while (source->parameters[i].kind != kind ||
	       source->parameters[i].index != index)
		i++;
	return &source->parameters[i];
}

static struct ssdpm_span span_of(const struct ssdpm_parameter *parameter)
{
	return (struct ssdpm_span){ (double)parameter->low,
				    (double)parameter->nominal,
				    (double)parameter->high };
}

static bool is_assumed(const struct ssdpm_parameter *parameter)
{
	return parameter->provenance == SSDPM_PROVENANCE_ASSUMED &&
	       parameter->high;
}

static void put(struct ssdpm_cap_stream *s, uint32_t field,
		struct ssdpm_span *span, const struct ssdpm_parameter *from)
{
	if (s->known & field)
		return;
	*span = span_of(from);
	s->known |= field;
	if (is_assumed(from))
		s->assumed |= field;
}

/*
 * Active power is relative to the idle power of state 0; moves it to that of
 * this state.
 */
static void move_active(struct ssdpm_cap_stream *s,
			const struct ssdpm_parameter *active,
			const struct ssdpm_parameter *idle_0,
			const struct ssdpm_parameter *idle)
{
	struct ssdpm_span span = span_of(active);
	struct ssdpm_span from = span_of(idle_0), to = span_of(idle);

	if (s->op == SSDPM_OP_WRITE && is_assumed(active))
		span.nominal = span.high;
	s->active_uw.low = to.low + ssdpm__max(span.low - from.low, 0);
	s->active_uw.nominal =
		to.nominal + ssdpm__max(span.nominal - from.nominal, 0);
	s->active_uw.high = to.high + ssdpm__max(span.high - from.high, 0);
	/* Differences of ordered bounds may be out of order. */
	s->active_uw.nominal =
		ssdpm__max(s->active_uw.nominal, s->active_uw.low);
	s->active_uw.high = ssdpm__max(s->active_uw.high, s->active_uw.nominal);
	s->known |= SSDPM_CAP_ACTIVE_POWER;
	if (is_assumed(active))
		s->assumed |= SSDPM_CAP_ACTIVE_POWER;
}

static void fill(struct ssdpm_cap_stream *s, const struct number_source *source,
		 uint32_t state)
{
	uint32_t op = s->op - 1;
	const struct ssdpm_parameter *rate =
		find(source, SSDPM_PARAMETER_BANDWIDTH, op);
	bool energy =
		s->known & (SSDPM_CAP_ACTIVE_POWER |
			    SSDPM_CAP_OPERATION_ENERGY | SSDPM_CAP_BYTE_ENERGY);

	/* 0: transfers take no time. */
	if (rate->low)
		put(s, SSDPM_CAP_NAND, &s->nand_bytes_per_s, rate);
	if (energy)
		return;
	move_active(s, find(source, SSDPM_PARAMETER_ACTIVE_POWER, op),
		    find(source, SSDPM_PARAMETER_IDLE_POWER, 0),
		    find(source, SSDPM_PARAMETER_IDLE_POWER, state));
	if (s->io_bytes)
		put(s, SSDPM_CAP_OPERATION_ENERGY, &s->operation_nj,
		    find(source, SSDPM_PARAMETER_OPERATION_ENERGY, op));
	put(s, SSDPM_CAP_BYTE_ENERGY, &s->byte_pj,
	    find(source, SSDPM_PARAMETER_BYTE_ENERGY, op));
}

static int check_streams(const struct ssdpm_cap_stream *streams, size_t n,
			 struct ssdpm_error *reterr)
{
	if (!n || n > SSDPM_MAX_CAP_STREAMS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a mix has 1 to %d streams",
				   SSDPM_MAX_CAP_STREAMS);
	for (size_t i = 0; i < n; i++)
		if (streams[i].op != SSDPM_OP_READ &&
		    streams[i].op != SSDPM_OP_WRITE)
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "stream %zu: reads or writes",
					   i + 1);
	return 0;
}

static bool has_max(const struct ssdpm_power_state *state)
{
	return !((state->unknown | state->not_reported) &
		 SSDPM_FIELD_MAX_POWER) &&
	       state->max_power_uw;
}

static struct ssdpm_cap_params params_of(const struct ssdpm_power_state *states,
					 const struct number_source *source,
					 uint32_t state)
{
	const struct ssdpm_parameter *idle =
		find(source, SSDPM_PARAMETER_IDLE_POWER, state);
	struct ssdpm_cap_params params = {
		.cap_uw = SSDPM_CAP_NONE,
		.known = SSDPM_CAP_IDLE_POWER,
		.idle_uw = span_of(idle),
	};

	if (is_assumed(idle))
		params.assumed |= SSDPM_CAP_IDLE_POWER;
	if (has_max(&states[state]))
		params.cap_uw = states[state].max_power_uw;
	if (has_max(&states[0])) {
		double uw = states[0].max_power_uw;

		params.known |= SSDPM_CAP_MAX_POWER;
		params.max_uw = (struct ssdpm_span){ uw, uw, uw };
	}
	return params;
}

int ssdpm_cap_params_from_model(const struct ssdpm_model *model,
				const struct ssdpm_sim_params *sim,
				struct ssdpm_cap_stream *streams,
				size_t n_streams,
				struct ssdpm_cap_params *ret_params,
				struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct number_source source = { .parameters = parameters };
	const struct ssdpm_power_state *states;
	size_t n_states;
	struct ssdpm_cap_params params;
	struct ssdpm_sim_params known;
	uint32_t state;
	int err = ssdpm__sized_check(ret_params, sizeof(params),
				     "ssdpm_cap_params", reterr);

	if (!err)
		err = ssdpm__check_params(sim, &known, reterr);
	if (!err)
		err = ssdpm__take_parameters(model, &known, parameters,
					     &source.n, NULL, reterr);
	if (!err)
		err = check_streams(streams, n_streams, reterr);
	if (err)
		return err;
	state = known.operational_state;
	states = ssdpm_model_get_states(model, &n_states);
	if (state >= n_states ||
	    states[state].flags & SSDPM_STATE_NON_OPERATIONAL)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "state %u: the drive does not work in it",
				   state);
	params = params_of(states, &source, state);
	params.streams = streams;
	params.n_streams = n_streams;
	for (size_t i = 0; i < n_streams; i++)
		fill(&streams[i], &source, state);
	ssdpm__sized_out(ret_params, &params, sizeof(params));
	return 0;
}

/*
 * The power governor of Intel's data-centre drives: what each mode allows. From
 * Intel's article on the power of the DC P3700 and its family; the numbers are
 * the vendor's, not ours.
 */

static const struct ssdpm_governor_mode pcie[] = {
	{ .mode = 0, .is_limited = 1, .power_uw = 25000000 },
	{ .mode = 1, .is_limited = 1, .power_uw = 20000000 },
	{ .mode = 2, .is_limited = 1, .power_uw = 10000000 },
};

static const struct ssdpm_governor_mode pcie_x8[] = {
	{ .mode = 0, .is_limited = 1, .power_uw = 40000000 },
	{ .mode = 1, .is_limited = 1, .power_uw = 35000000 },
	{ .mode = 2, .is_limited = 1, .power_uw = 25000000 },
};

static const struct ssdpm_governor_mode sata[] = {
	{ .mode = 0 },
	{ .mode = 1, .is_limited = 1, .power_uw = 7000000 },
	{ .mode = 2, .is_limited = 1, .power_uw = 5000000 },
};

const struct ssdpm_governor_mode *ssdpm_governor_get_modes(uint32_t form,
							   size_t *ret_n)
{
	*ret_n = sizeof(pcie) / sizeof(pcie[0]);
	switch (form) {
	case SSDPM_GOVERNOR_PCIE:
		return pcie;
	case SSDPM_GOVERNOR_PCIE_X8:
		return pcie_x8;
	case SSDPM_GOVERNOR_SATA:
		return sata;
	default:
		*ret_n = 0;
		return NULL;
	}
}

static const char governor_form_words[][8] = {
	[SSDPM_GOVERNOR_PCIE] = "pcie",
	[SSDPM_GOVERNOR_PCIE_X8] = "pcie-x8",
	[SSDPM_GOVERNOR_SATA] = "sata",
};
ENUM_WORDS(governor_form)

static const struct ssdpm_power_state *working_state(
	const struct ssdpm_model *model, uint32_t number)
{
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	return number < n && !(states[number].flags &
			       SSDPM_STATE_NON_OPERATIONAL) ?
		       &states[number] :
		       NULL;
}

int ssdpm_cap_segment_set_state(struct ssdpm_cap_segment *segment,
				const struct ssdpm_model *model,
				uint32_t before, uint32_t number,
				struct ssdpm_error *reterr)
{
	const struct ssdpm_power_state *state = working_state(model, number);
	const struct ssdpm_power_state *old =
		before == UINT32_MAX ? NULL : working_state(model, before);

	if (!state || (before != UINT32_MAX && !old))
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "the drive has no PS%" PRIu32
				   " in which it works",
				   state ? before : number);
	if (!state->max_power_uw)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "the drive does not report the maximum "
				   "power of PS%" PRIu32,
				   number);
	segment->cap_uw = state->max_power_uw;
	segment->transition_ns =
		old && old != state ? 1000 * ((uint64_t)old->exit_latency_us +
					      state->entry_latency_us) :
				      0;
	return 0;
}
