/* SPDX-License-Identifier: MIT */
/*
 * What a drive reports, and what is assumed where it reports nothing. The
 * evidence for each rule stands in ssdpm_estimate(3), by the name of the rule.
 */
#include "base/internal.h"
#include "estimate/rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What is looked at again and again. */
struct drive {
	const struct ssdpm_model_info *info;
	const struct ssdpm_power_state *states;
	size_t n_states;
	uint32_t pcie_link;
	const struct ssdpm_parameter *idle; /* of state 0, when it is made */
};

/* A value, and where it is from. */
struct guess {
	uint64_t low, nominal, high;
	const char *rule;
	bool known; /* the model has it */
};

/* Thousandths of a power. */
static uint64_t share(uint64_t power_uw, uint32_t permille)
{
	return power_uw * permille / 1000;
}

static struct guess know(uint64_t value, const char *field)
{
	return (struct guess){ value, value, value, field, true };
}

static bool has(const struct ssdpm_power_state *state, uint32_t field)
{
	return !((state->unknown | state->not_reported) & field);
}

static bool is_sata(const struct drive *drive)
{
	return drive->info->kind == SSDPM_KIND_SATA;
}

static bool is_operational(const struct ssdpm_power_state *state)
{
	return !(state->flags & SSDPM_STATE_NON_OPERATIONAL);
}

/* By enum ssdpm_link_state. */
static const struct guess sata_idle[] = {
	[SSDPM_LINK_ACTIVE] = { 300000, 600000, 1200000, "sata-idle", false },
	[SSDPM_LINK_PARTIAL] = { 100000, 350000, 1000000, "sata-partial",
				 false },
	[SSDPM_LINK_SLUMBER] = { 20000, 60000, 300000, "sata-slumber", false },
	[SSDPM_LINK_DEVSLEEP] = { 1000, 5000, 10000, "sata-devsleep", false },
};

static struct guess idle_power(const struct drive *drive,
			       const struct ssdpm_parameter *parameter)
{
	const struct ssdpm_power_state *state =
		&drive->states[parameter->index];
	uint64_t max = state->max_power_uw;

	if (has(state, SSDPM_FIELD_IDLE_POWER))
		return know(state->idle_power_uw, "IDLP");
	if (state->link_state)
		return sata_idle[state->link_state];
	if (!has(state, SSDPM_FIELD_MAX_POWER))
		return is_operational(state) ?
			       (struct guess){ 200000, 1000000, 6000000,
					       "idle-any", false } :
			       (struct guess){ 1000, 10000, 500000,
					       "asleep-any", false };
	if (is_operational(state))
		return (struct guess){ share(max, 70), share(max, 150),
				       share(max, 400), "idle-of-maximum",
				       false };
	return (struct guess){ share(max, 400), max, max, "asleep-of-maximum",
			       false };
}

static struct guess active_power(const struct drive *drive)
{
	const struct ssdpm_power_state *state = &drive->states[0];
	uint64_t max = state->max_power_uw;

	if (is_sata(drive))
		return (struct guess){ 1000000, 2200000, 4500000, "sata-active",
				       false };
	if (has(state, SSDPM_FIELD_ACTIVE_POWER))
		return (struct guess){ state->active_power_uw / 2,
				       state->active_power_uw,
				       state->active_power_uw,
				       "active-reported", false };
	if (!has(state, SSDPM_FIELD_MAX_POWER))
		return (struct guess){ 1000000, 4000000, 10000000, "active-any",
				       false };
	return (struct guess){ share(max, 300), share(max, 600), max,
			       "active-of-maximum", false };
}

static struct guess transition_power(const struct drive *drive)
{
	const struct ssdpm_parameter *idle = drive->idle;
	uint64_t max = idle->high;

	if (drive->states[0].max_power_uw > max)
		max = drive->states[0].max_power_uw;
	return (struct guess){ idle->low, idle->nominal, max, "transition",
			       false };
}

static struct guess link_power(const struct drive *drive)
{
	static const struct guess links[] = {
		[SSDPM_PCIE_L0] = { 100000, 250000, 500000, "link-l0", false },
		[SSDPM_PCIE_L1] = { 10000, 30000, 100000, "link-l1", false },
		[SSDPM_PCIE_L1_2] = { 0, 0, 0, "link-l1.2", false },
	};

	if (is_sata(drive))
		return know(0, "part of the states");
	return links[drive->pcie_link];
}

static struct guess latency(const struct drive *drive,
			    const struct ssdpm_parameter *parameter)
{
	const struct ssdpm_power_state *state =
		&drive->states[parameter->index];
	bool entry = parameter->kind == SSDPM_PARAMETER_ENTRY_LATENCY;
	uint32_t field =
		entry ? SSDPM_FIELD_ENTRY_LATENCY : SSDPM_FIELD_EXIT_LATENCY;
	uint32_t value =
		entry ? state->entry_latency_us : state->exit_latency_us;

	if (!(state->unknown & field))
		return know(value, entry ? "ENLAT" : "EXLAT");
	if (is_sata(drive))
		return (struct guess){ 0, 10, 10000, "sata-entry", false };
	return (struct guess){ 0, 5000, 100000, "latency-any", false };
}

/* By op - 1. */
static const struct guess nvme_base[SSDPM_N_OPS] = {
	{ 50000, 90000, 200000, "base-latency", false },
	{ 10000, 20000, 100000, "base-latency", false },
	{ 10000, 1000000, 10000000, "base-latency", false },
	{ 10000, 100000, 5000000, "base-latency", false },
};
static const struct guess nvme_bandwidth[SSDPM_N_OPS] = {
	{ 1000000000, 3000000000, 7000000000, "bandwidth", false },
	{ 300000000, 1500000000, 6000000000, "bandwidth", false },
	{ 0, 0, 0, "bandwidth", false },
	{ 0, 0, 0, "bandwidth", false },
};
static const struct guess no_energy = { 0, 0, 0, "in the active power", false };

static struct guess link_idle_time(const struct drive *drive,
				   const struct ssdpm_parameter *parameter)
{
	if (drive->states[parameter->index].link_state == SSDPM_LINK_DEVSLEEP)
		return (struct guess){ 1000000, 1000000, 1000000,
				       "sata-devsleep-idle", false };
	return (struct guess){ 0, 0, 1000000, "sata-dipm", false };
}

static struct guess guess_of(const struct drive *drive,
			     const struct ssdpm_parameter *parameter)
{
	switch (parameter->kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		return idle_power(drive, parameter);
	case SSDPM_PARAMETER_ACTIVE_POWER:
		return active_power(drive);
	case SSDPM_PARAMETER_TRANSITION_POWER:
		return transition_power(drive);
	case SSDPM_PARAMETER_LINK_POWER:
		return link_power(drive);
	case SSDPM_PARAMETER_ENTRY_LATENCY:
	case SSDPM_PARAMETER_EXIT_LATENCY:
		return latency(drive, parameter);
	case SSDPM_PARAMETER_BASE_LATENCY:
		return nvme_base[parameter->index];
	case SSDPM_PARAMETER_BANDWIDTH:
		return nvme_bandwidth[parameter->index];
	case SSDPM_PARAMETER_LINK_IDLE_TIME:
		return link_idle_time(drive, parameter);
	default:
		return no_energy;
	}
}

static uint32_t provenance_of(const struct drive *drive, bool known)
{
	if (!known)
		return SSDPM_PROVENANCE_ASSUMED;
	return drive->info->provenance ? drive->info->provenance :
					 SSDPM_PROVENANCE_STATED;
}

static void fill(const struct drive *drive, struct ssdpm_parameter *parameter)
{
	struct guess guess = guess_of(drive, parameter);

	parameter->provenance = provenance_of(drive, guess.known);
	parameter->low = guess.low;
	parameter->nominal = guess.nominal;
	parameter->high = guess.high;
	snprintf(parameter->rule, sizeof(parameter->rule), "%s", guess.rule);
}

/* For how many of what a kind is a parameter. */
enum each {
	EACH_STATE,
	EACH_SLEEPING_STATE,
	EACH_OP,
	ONCE,
};

static enum each each_of(uint32_t kind)
{
	switch (kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		return EACH_STATE;
	case SSDPM_PARAMETER_ENTRY_LATENCY:
	case SSDPM_PARAMETER_EXIT_LATENCY:
	case SSDPM_PARAMETER_LINK_IDLE_TIME:
		return EACH_SLEEPING_STATE;
	case SSDPM_PARAMETER_TRANSITION_POWER:
	case SSDPM_PARAMETER_LINK_POWER:
		return ONCE;
	default:
		return EACH_OP;
	}
}

static struct drive look_at(const struct ssdpm_model *model)
{
	struct drive drive = { .info = ssdpm_model_get_info(model) };

	drive.states = ssdpm_model_get_states(model, &drive.n_states);
	return drive;
}

static size_t keys_of_kind(const struct drive *drive, uint32_t kind,
			   struct parameter_key *keys)
{
	enum each each = each_of(kind);
	size_t n = 0, last = each == EACH_OP ? SSDPM_N_OPS :
			     each == ONCE    ? 1 :
					       drive->n_states;

	for (uint32_t i = 0; i < last; i++)
		if (each != EACH_SLEEPING_STATE ||
		    !is_operational(&drive->states[i]))
			keys[n++] = (struct parameter_key){ kind, i };
	return n;
}

size_t ssdpm__parameter_keys(
	const struct ssdpm_model *model,
	struct parameter_key ret_keys[SSDPM_MAX_PARAMETERS])
{
	struct drive drive = look_at(model);
	uint32_t last = is_sata(&drive) ? SSDPM_PARAMETER_LINK_IDLE_TIME :
					  SSDPM_PARAMETER_BYTE_ENERGY;
	size_t n = 0;

	for (uint32_t kind = 1; kind <= last; kind++)
		n += keys_of_kind(&drive, kind, ret_keys + n);
	return n;
}

int ssdpm_parameters_from_model(
	const struct ssdpm_model *model, uint32_t pcie_link,
	struct ssdpm_parameter ret_parameters[SSDPM_MAX_PARAMETERS],
	size_t *ret_n, struct ssdpm_error *reterr)
{
	struct parameter_key keys[SSDPM_MAX_PARAMETERS];
	struct drive drive = look_at(model);
	size_t n = ssdpm__parameter_keys(model, keys);

	if (pcie_link < SSDPM_PCIE_L0 || pcie_link > SSDPM_PCIE_L1_2)
		return ssdpm__fail(reterr, -EINVAL, 0, "pcie_link: unknown %u",
				   pcie_link);
	if (!drive.n_states)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "nothing is known of the states of this "
				   "drive: is it in IDENTIFY DEVICE data?");
	drive.pcie_link = pcie_link;
	drive.idle = ret_parameters;
	for (size_t i = 0; i < n; i++) {
		ret_parameters[i] = (struct ssdpm_parameter){
			.kind = keys[i].kind,
			.index = keys[i].index,
		};
		fill(&drive, &ret_parameters[i]);
	}
	*ret_n = n;
	return 0;
}
