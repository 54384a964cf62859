/* SPDX-License-Identifier: MIT */
/* The parameters of a drive: checked, overridden, and taken at a corner. */
#include "base/internal.h"
#include "estimate/internal.h"
#include "base/words.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_parameter) == 192, "frozen");

/* The most that a kind can have, so that times and energies stay in range. */
static uint64_t limit_of(uint32_t kind)
{
	switch (kind) {
	case SSDPM_PARAMETER_OPERATION_ENERGY: /* nJ: up to 1 kJ */
		return 1000000000000;
	case SSDPM_PARAMETER_BYTE_ENERGY: /* pJ: up to 1 mJ */
		return 1000000000;
	case SSDPM_PARAMETER_BANDWIDTH: /* up to a petabyte per second */
		return 1000000000000000;
	default: /* uW: up to 4 kW; us: over an hour; ns, ps */
		return UINT32_MAX;
	}
}

/* The axis of a parameter, in a drive that works in this state. */
static uint32_t axis_of(const struct ssdpm_parameter *parameter,
			uint32_t operational_state)
{
	switch (parameter->kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		return parameter->index == operational_state ?
			       SSDPM_AXIS_IDLE_POWER :
			       SSDPM_AXIS_STATE_POWER;
	case SSDPM_PARAMETER_LINK_POWER:
		return SSDPM_AXIS_STATE_POWER;
	case SSDPM_PARAMETER_TRANSITION_POWER:
		return SSDPM_AXIS_TRANSITION_POWER;
	case SSDPM_PARAMETER_ENTRY_LATENCY:
	case SSDPM_PARAMETER_EXIT_LATENCY:
		return SSDPM_AXIS_LATENCY;
	case SSDPM_PARAMETER_BASE_LATENCY:
	case SSDPM_PARAMETER_BANDWIDTH:
		return SSDPM_AXIS_SERVICE;
	case SSDPM_PARAMETER_LINK_IDLE_TIME:
		return SSDPM_AXIS_LINK_IDLE_TIME;
	default:
		return SSDPM_AXIS_ACTIVE_POWER;
	}
}

uint32_t ssdpm__open_axes(const struct ssdpm_parameter *parameters, size_t n,
			  uint32_t operational_state)
{
	uint32_t axes = 0;

	for (size_t i = 0; i < n; i++)
		if (parameters[i].low != parameters[i].high)
			axes |= 1u
				<< (axis_of(&parameters[i], operational_state) -
				    1);
	return axes;
}

struct corner ssdpm__corner(uint32_t axes, enum corner_value end)
{
	struct corner corner = { { 0 } };

	for (uint32_t axis = 0; axis < N_AXES; axis++)
		if (axes >> axis & 1)
			corner.value[axis] = (uint8_t)end;
	return corner;
}

static int check_values(const struct ssdpm_parameter *parameter,
			struct ssdpm_error *reterr)
{
	const char *kind = ssdpm_parameter_kind_to_string(parameter->kind);
	uint64_t limit = limit_of(parameter->kind);

	if (parameter->low > parameter->nominal ||
	    parameter->nominal > parameter->high)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s of %u: not low <= nominal <= high", kind,
				   parameter->index);
	if (parameter->kind == SSDPM_PARAMETER_BANDWIDTH && !parameter->low &&
	    parameter->high)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s of %u: 0 is a transfer that takes no "
				   "time: give it for all three, or for none",
				   kind, parameter->index);
	if (parameter->high > limit)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "%s of %u: %llu is above %llu", kind,
				   parameter->index,
				   (unsigned long long)parameter->high,
				   (unsigned long long)limit);
	return 0;
}

static bool is_sound(const struct ssdpm_parameter *parameter)
{
	return parameter->provenance >= SSDPM_PROVENANCE_REPORTED &&
	       parameter->provenance <= SSDPM_PROVENANCE_PUBLISHED &&
	       !parameter->reserved &&
	       memchr(parameter->rule, 0, sizeof(parameter->rule));
}

int ssdpm__check_parameters(const struct ssdpm_model *model,
			    const struct ssdpm_parameter *parameters, size_t n,
			    struct ssdpm_error *reterr)
{
	struct parameter_key keys[SSDPM_MAX_PARAMETERS];
	size_t n_keys = ssdpm__parameter_keys(model, keys);
	int err = 0;

	if (n != n_keys)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "parameters: %zu, but this drive has %zu", n,
				   n_keys);
	for (size_t i = 0; i < n && !err; i++) {
		if (parameters[i].kind != keys[i].kind ||
		    parameters[i].index != keys[i].index)
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"parameters: number %zu is not %s of %u", i,
				ssdpm_parameter_kind_to_string(keys[i].kind),
				keys[i].index);
		if (!is_sound(&parameters[i]))
			return ssdpm__fail(
				reterr, -EINVAL, 0,
				"parameters: number %zu has an unknown "
				"provenance, a reserved member, or a rule "
				"without a NUL",
				i);
		err = check_values(&parameters[i], reterr);
	}
	return err;
}

int ssdpm_parameters_set(struct ssdpm_parameter *parameters, size_t n,
			 const struct ssdpm_parameter *value,
			 struct ssdpm_error *reterr)
{
	const char *name = ssdpm_parameter_kind_to_string(value->kind);
	struct ssdpm_parameter new = {
		.kind = value->kind,
		.index = value->index,
		.provenance = SSDPM_PROVENANCE_STATED,
		.low = value->low,
		.nominal = value->nominal,
		.high = value->high,
		.rule = "stated",
	};
	size_t i = 0;
	int err;

	while (i < n && (parameters[i].kind != value->kind ||
			 parameters[i].index != value->index))
		i++;
	if (!name || i == n)
		return ssdpm__fail(
			reterr, -ENOENT, 0, "the drive has no %s of %u",
			name ? name : "such parameter", value->index);
	err = check_values(&new, reterr);
	if (!err)
		parameters[i] = new;
	return err;
}

void ssdpm_parameters_get_service(const struct ssdpm_parameter *parameters,
				  size_t n, struct ssdpm_service *ret_service)
{
	*ret_service = (struct ssdpm_service){ 0 };
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_parameter *p = &parameters[i];

		if (p->kind == SSDPM_PARAMETER_BASE_LATENCY)
			ret_service->base_ns[p->index] = p->nominal;
		else if (p->kind == SSDPM_PARAMETER_BANDWIDTH)
			ret_service->bytes_per_second[p->index] = p->nominal;
	}
}

/* At the low corner of service the drive is quick, so its bandwidth is high. */
static uint64_t value_at(const struct ssdpm_parameter *parameter, uint8_t value)
{
	bool inverse = parameter->kind == SSDPM_PARAMETER_BANDWIDTH;

	if (value == CORNER_NOMINAL)
		return parameter->nominal;
	return (value == CORNER_LOW) != inverse ? parameter->low :
						  parameter->high;
}

static void put_value(struct values *values, uint32_t kind, uint32_t index,
		      uint64_t value)
{
	switch (kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		values->idle_power_uw[index] = value;
		break;
	case SSDPM_PARAMETER_ACTIVE_POWER:
		values->active_power_uw[index] = value;
		break;
	case SSDPM_PARAMETER_TRANSITION_POWER:
		values->transition_power_uw = value;
		break;
	case SSDPM_PARAMETER_LINK_POWER:
		values->link_power_uw = value;
		break;
	case SSDPM_PARAMETER_ENTRY_LATENCY:
		values->entry_ns[index] = 1000 * value;
		break;
	case SSDPM_PARAMETER_EXIT_LATENCY:
		values->exit_ns[index] = 1000 * value;
		break;
	case SSDPM_PARAMETER_BASE_LATENCY:
		values->service.base_ns[index] = value;
		break;
	case SSDPM_PARAMETER_BANDWIDTH:
		values->service.bytes_per_second[index] = value;
		break;
	case SSDPM_PARAMETER_OPERATION_ENERGY:
		values->operation_energy_nj[index] = value;
		break;
	case SSDPM_PARAMETER_BYTE_ENERGY:
		values->byte_energy_pj[index] = value;
		break;
	case SSDPM_PARAMETER_LINK_IDLE_TIME:
		values->link_idle_ns[index] = 1000 * value;
		break;
	case SSDPM_PARAMETER_BACKGROUND_TIME:
		values->background_ps = value;
		break;
	}
}

void ssdpm__values(const struct ssdpm_parameter *parameters, size_t n,
		   uint32_t operational_state, const struct corner *corner,
		   struct values *ret_values)
{
	*ret_values = (struct values){ 0 };
	for (size_t i = 0; i < n; i++) {
		uint32_t axis = axis_of(&parameters[i], operational_state);

		put_value(ret_values, parameters[i].kind, parameters[i].index,
			  value_at(&parameters[i], corner->value[axis - 1]));
	}
}

/* The member of a state that a parameter sets, or NULL. */
static uint32_t *member_of(struct ssdpm_power_state *state, uint32_t kind,
			   uint32_t *ret_field)
{
	switch (kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		*ret_field = SSDPM_FIELD_IDLE_POWER;
		return &state->idle_power_uw;
	case SSDPM_PARAMETER_ENTRY_LATENCY:
		*ret_field = SSDPM_FIELD_ENTRY_LATENCY;
		return &state->entry_latency_us;
	case SSDPM_PARAMETER_EXIT_LATENCY:
		*ret_field = SSDPM_FIELD_EXIT_LATENCY;
		return &state->exit_latency_us;
	default:
		return NULL;
	}
}

static int put_nominal(struct ssdpm_power_state *state,
		       const struct ssdpm_parameter *parameter,
		       uint64_t link_uw, struct ssdpm_error *reterr)
{
	uint64_t value = parameter->nominal;
	uint32_t field, *member = member_of(state, parameter->kind, &field);

	if (field == SSDPM_FIELD_IDLE_POWER &&
	    (state->flags & SSDPM_STATE_NON_OPERATIONAL))
		value += link_uw;
	if (value > UINT32_MAX)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "PS%u: its idle power is beyond a model",
				   parameter->index);
	*member = (uint32_t)value;
	state->unknown &= ~field;
	state->not_reported &= ~field;
	return 0;
}

int ssdpm_parameters_to_model(const struct ssdpm_model *model,
			      const struct ssdpm_parameter *parameters,
			      size_t n, struct ssdpm_model **ret_model,
			      struct ssdpm_error *reterr)
{
	struct ssdpm_model_info info = *ssdpm_model_get_info(model);
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	const struct ssdpm_power_state *from;
	uint64_t link_uw = 0;
	uint32_t field;
	size_t n_states;
	int err;

	if (info.kind != SSDPM_KIND_NVME)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0, "not an NVMe drive");
	err = ssdpm__check_parameters(model, parameters, n, reterr);
	if (err)
		return err;
	from = ssdpm_model_get_states(model, &n_states);
	memcpy(states, from, n_states * sizeof(states[0]));
	for (size_t i = 0; i < n; i++)
		if (parameters[i].kind == SSDPM_PARAMETER_LINK_POWER)
			link_uw = parameters[i].nominal;
	for (size_t i = 0; i < n && !err; i++)
		if (member_of(states, parameters[i].kind, &field))
			err = put_nominal(&states[parameters[i].index],
					  &parameters[i], link_uw, reterr);
	if (err)
		return err;
	info.provenance = SSDPM_PROVENANCE_ASSUMED;
	return ssdpm_model_new(&info, states, n_states, ret_model, reterr);
}

static const char parameter_kind_words[][27] = {
	[SSDPM_PARAMETER_IDLE_POWER] = "idle_power_uw",
	[SSDPM_PARAMETER_ACTIVE_POWER] = "active_power_uw",
	[SSDPM_PARAMETER_TRANSITION_POWER] = "transition_power_uw",
	[SSDPM_PARAMETER_LINK_POWER] = "link_power_uw",
	[SSDPM_PARAMETER_ENTRY_LATENCY] = "entry_latency_us",
	[SSDPM_PARAMETER_EXIT_LATENCY] = "exit_latency_us",
	[SSDPM_PARAMETER_BASE_LATENCY] = "base_latency_ns",
	[SSDPM_PARAMETER_BANDWIDTH] = "bandwidth_bytes_per_second",
	[SSDPM_PARAMETER_OPERATION_ENERGY] = "operation_energy_nj",
	[SSDPM_PARAMETER_BYTE_ENERGY] = "byte_energy_pj",
	[SSDPM_PARAMETER_LINK_IDLE_TIME] = "link_idle_time_us",
	[SSDPM_PARAMETER_BACKGROUND_TIME] = "background_time_ps",
};
ENUM_WORDS(parameter_kind)

static const char axis_words[][17] = {
	[SSDPM_AXIS_IDLE_POWER] = "idle-power",
	[SSDPM_AXIS_STATE_POWER] = "state-power",
	[SSDPM_AXIS_ACTIVE_POWER] = "active-power",
	[SSDPM_AXIS_TRANSITION_POWER] = "transition-power",
	[SSDPM_AXIS_LATENCY] = "latency",
	[SSDPM_AXIS_SERVICE] = "service",
	[SSDPM_AXIS_LINK_IDLE_TIME] = "link-idle-time",
};
ENUM_WORDS(axis)
