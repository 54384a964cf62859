/* SPDX-License-Identifier: MIT */
/* The states that the devices of a card share: power and loss of each. */
#include "budget/internal.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "common/elementary.h"

/* Computed powers are rounded up to this unit. */
#define UNIT_UW 10000
#define NS_PER_S 1e9

static_assert(SSDPM_MAX_STATES <= 32, "a bit for each");

/* A device, with copies of the caller's structures in this version's size. */
struct device {
	struct ssdpm_budget_drive drive;
	struct ssdpm_budget_work work;
	struct ssdpm_sim_params params;
	struct ssdpm_model *model; /* with the stated maxima */
	bool is_sata;
	uint64_t sata_uw;  /* the most; 0: unknown */
	uint64_t bytes[2]; /* of a trace: read, written */
};

static const char *name_of(const struct ssdpm_budget_drive *drive)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->model);

	return drive->name			  ? drive->name :
	       info->unknown & SSDPM_INFO_PRODUCT ? "the drive" :
						    info->product;
}

static int fail_of(const struct ssdpm_budget_drive *drive, int err,
		   const char *words, struct ssdpm_error *reterr)
{
	/* A name may be a path, so limit it to leave room for the cause. */
	return ssdpm__fail(reterr, err, 0, "%.150s: %s", name_of(drive), words);
}

static bool has_max_power(const struct ssdpm_power_state *state)
{
	return !((state->unknown | state->not_reported) &
		 SSDPM_FIELD_MAX_POWER) &&
	       state->max_power_uw;
}

/* Sets a maximum that the drive does not report and the caller states. */
static bool state_max_powers(const struct ssdpm_budget_drive *drive,
			     struct ssdpm_power_state *states, size_t n)
{
	bool changed = false;

	for (size_t i = 0; i < n && i < drive->n_max_powers; i++) {
		if (!drive->max_power_uw[i] || has_max_power(&states[i]))
			continue;
		states[i].max_power_uw = drive->max_power_uw[i];
		states[i].unknown &= ~(uint32_t)SSDPM_FIELD_MAX_POWER;
		states[i].not_reported &= ~(uint32_t)SSDPM_FIELD_MAX_POWER;
		changed = true;
	}
	return changed;
}

static int complete_model(const struct ssdpm_budget_drive *drive,
			  struct ssdpm_model **ret_model,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	const struct ssdpm_power_state *from;
	struct ssdpm_error error;
	size_t n;
	int err;

	from = ssdpm_model_get_states(drive->model, &n);
	memcpy(states, from, n * sizeof(*states));
	if (!state_max_powers(drive, states, n)) {
		*ret_model =
			ssdpm_model_ref((struct ssdpm_model *)drive->model);
		return 0;
	}
	err = ssdpm_model_new(ssdpm_model_get_info(drive->model), states, n,
			      ret_model, &error);
	return err == -ENOMEM ? ssdpm__no_memory(reterr) :
	       err	      ? fail_of(drive, err, error.message, reterr) :
				0;
}

/* A value measured or stated for this drive is no assumption. */
static bool is_known(const struct ssdpm_parameter *parameter)
{
	return parameter->provenance == SSDPM_PROVENANCE_MEASURED ||
	       parameter->provenance == SSDPM_PROVENANCE_STATED;
}

/*
 * The highest power of a SATA drive: stated, or else that of its active powers
 * if all are known; 0: unknown.
 */
static uint64_t find_sata_power(const struct device *device)
{
	const struct ssdpm_budget_drive *drive = &device->drive;
	const struct ssdpm_sim_params *params = &device->params;
	uint64_t most = 0;

	if (drive->n_max_powers && drive->max_power_uw[0])
		return drive->max_power_uw[0];
	for (size_t i = 0; i < params->n_parameters; i++) {
		const struct ssdpm_parameter *p = &params->parameters[i];

		if (p->kind != SSDPM_PARAMETER_ACTIVE_POWER)
			continue;
		if (!is_known(p))
			return 0;
		most = p->high > most ? p->high : most;
	}
	return most;
}

/* A SATA drive has no states to choose from, so one represents it. */
static int take_sata(struct device *device)
{
	device->is_sata = true;
	device->sata_uw = find_sata_power(device);
	device->model =
		ssdpm_model_ref((struct ssdpm_model *)device->drive.model);
	return 0;
}

static int take_drive(const struct ssdpm_budget_drive *from,
		      struct device *device, struct ssdpm_error *reterr)
{
	struct ssdpm_budget_drive *drive = &device->drive;
	int err = from ? ssdpm__sized_in(drive, sizeof(*drive), from,
					 "ssdpm_budget_drive", reterr) :
			 ssdpm__missing("a drive", reterr);

	if (!err && !drive->model)
		err = ssdpm__missing("model", reterr);
	if (!err && drive->n_max_powers && !drive->max_power_uw)
		err = ssdpm__missing("max_power_uw", reterr);
	if (!err)
		err = ssdpm__sized_in(&device->work, sizeof(device->work),
				      drive->work, "ssdpm_budget_work", reterr);
	if (!err)
		err = ssdpm__check_params(drive->params, &device->params,
					  reterr);
	if (err)
		return err;
	if (ssdpm_model_get_info(drive->model)->kind == SSDPM_KIND_SATA)
		return take_sata(device);
	return complete_model(drive, &device->model, reterr);
}

/* Copies the drives. Free them with free_devices(), even after a failure. */
static int take_drives(const struct ssdpm_budget_drive *const *drives, size_t n,
		       struct device **ret_devices, struct ssdpm_error *reterr)
{
	struct device *devices;
	int err = 0;

	*ret_devices = NULL;
	if (!drives || !n)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a card has one device or more");
	devices = calloc(n, sizeof(*devices));
	if (!devices)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < n && !err; i++)
		err = take_drive(drives[i], &devices[i], reterr);
	*ret_devices = devices;
	return err;
}

static void free_devices(struct device *devices, size_t n)
{
	for (size_t i = 0; devices && i < n; i++)
		ssdpm_model_unref(devices[i].model);
	free(devices);
}

/*
 * Bits 1 << state of the states in which it works, and of those whose maximum
 * is unknown.
 */
static uint32_t states_of(const struct device *device, uint32_t *ret_unknown)
{
	const struct ssdpm_power_state *states;
	uint32_t works = 0;
	size_t n;

	*ret_unknown = device->is_sata && !device->sata_uw;
	if (device->is_sata)
		return 1;
	states = ssdpm_model_get_states(device->model, &n);
	for (size_t i = 0; i < n; i++) {
		if (!(states[i].flags & SSDPM_STATE_NON_OPERATIONAL))
			works |= UINT32_C(1) << i;
		if (!has_max_power(&states[i]))
			*ret_unknown |= UINT32_C(1) << i;
	}
	return works;
}

static int find_states(const struct device *devices, size_t n,
		       uint32_t *ret_states, uint32_t *ret_unknown,
		       struct ssdpm_error *reterr)
{
	uint32_t states = UINT32_MAX, unknown = 0, one;

	for (size_t i = 0; i < n; i++) {
		if (n > 1 && devices[i].is_sata)
			return fail_of(&devices[i].drive, -EOPNOTSUPP,
				       "a SATA drive is no part of a card",
				       reterr);
		states &= states_of(&devices[i], &one);
		unknown |= one;
		if (!states)
			return fail_of(
				&devices[i].drive, -EOPNOTSUPP,
				n > 1 ? "no state in which all of the card works" :
					"no state in which it works",
				reterr);
	}
	*ret_states = states;
	*ret_unknown = states & unknown;
	return 0;
}

int ssdpm_budget_drives_get_states(
	const struct ssdpm_budget_drive *const *drives, size_t n_drives,
	uint32_t *ret_states, uint32_t *ret_unknown, struct ssdpm_error *reterr)
{
	struct device *devices;
	int err = take_drives(drives, n_drives, &devices, reterr);

	if (!err)
		err = find_states(devices, n_drives, ret_states, ret_unknown,
				  reterr);
	free_devices(devices, n_drives);
	return err;
}

/* Fails for the first state without a maximum, and the first such device. */
static int refuse_unknown(const struct device *devices, uint32_t states,
			  struct ssdpm_error *reterr)
{
	const uint32_t state = (uint32_t)__builtin_ctz(states);
	uint32_t unknown;
	char words[64];

	while (states_of(devices, &unknown), !(unknown & UINT32_C(1) << state))
		devices++;
	snprintf(words, sizeof(words),
		 devices->is_sata ?
			 "no SATA drive reports its maximum power" :
			 "it does not report the maximum power of PS%u",
		 state);
	return fail_of(&devices->drive, -ENODATA, words, reterr);
}

static int take_work(struct device *device, struct ssdpm_error *reterr)
{
	const struct ssdpm_budget_work *work = &device->work;

	if (!device->drive.work)
		return ssdpm__missing("work", reterr);
	if (!work->ios && !work->streams)
		return ssdpm__missing("streams", reterr);
	if (!work->ios &&
	    (!work->n_streams || work->n_streams > SSDPM_MAX_CAP_STREAMS))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a mix has 1 to %d streams",
				   SSDPM_MAX_CAP_STREAMS);
	for (size_t i = 0; work->ios && i < work->n_ios; i++)
		if (work->ios[i].op == SSDPM_OP_READ)
			device->bytes[0] += work->ios[i].bytes;
		else if (work->ios[i].op == SSDPM_OP_WRITE)
			device->bytes[1] += work->ios[i].bytes;
	if (!work->ios || device->bytes[0] + device->bytes[1])
		return 0;
	return ssdpm__fail(
		reterr, -ENODATA, 0,
		"%.150s: nothing is read or written, so that nothing can be lost",
		work->name ? work->name : "the trace");
}

/* The streams of the mix, or of a trace. */
static size_t take_streams(const struct device *device,
			   struct ssdpm_cap_stream *ret_streams)
{
	const struct ssdpm_budget_work *work = &device->work;
	const double all = (double)device->bytes[0] + (double)device->bytes[1];
	size_t n = 0;

	if (!work->ios) {
		memcpy(ret_streams, work->streams,
		       work->n_streams * sizeof(*ret_streams));
		return work->n_streams;
	}
	for (uint32_t i = 0; i < 2; i++)
		if (device->bytes[i])
			ret_streams[n++] = (struct ssdpm_cap_stream){
				.op = i ? SSDPM_OP_WRITE : SSDPM_OP_READ,
				.io_bytes = 1, /* any size: operation energies
						  are not added */
				.share = (double)device->bytes[i] / all,
			};
	return n;
}

/* The drive draws its cap and does nothing. */
static void do_nothing(uint64_t cap_uw, struct ssdpm_cap_result *result)
{
	double uw = (double)cap_uw;

	result->bytes_per_s = (struct ssdpm_span){ 0, 0, 0 };
	result->power_uw = (struct ssdpm_span){ uw, uw, uw };
	result->p99_power_uw = result->power_uw;
	result->limit = SSDPM_CAP_LIMIT_POWER;
}

/* A trace has its own throughput, and the cap takes a share of it. */
static void take_run(const struct device *device,
		     const struct ssdpm_cap_run *run,
		     struct ssdpm_cap_result *result)
{
	double bytes = (double)device->bytes[0] + (double)device->bytes[1];
	double full = bytes * NS_PER_S / (double)run->uncapped_duration_ns;

	result->bytes_per_s = (struct ssdpm_span){
		full * (1 - run->loss_share.high),
		full * (1 - run->loss_share.nominal),
		full * (1 - run->loss_share.low),
	};
	result->power_uw = run->power_uw;
	result->p99_power_uw = run->p99_power_uw;
	result->limit = run->n_slowed ? SSDPM_CAP_LIMIT_POWER : 0;
}

static int simulate(const struct device *device,
		    const struct ssdpm_sim_params *params, uint64_t cap_uw,
		    struct ssdpm_cap_result *result, struct ssdpm_error *error)
{
	const struct ssdpm_cap_segment segment = { .cap_uw = cap_uw };
	const struct ssdpm_cap_schedule schedule = {
		.size = sizeof(schedule),
		.segments = &segment,
		.n_segments = 1,
		.ios = device->work.ios,
		.n_ios = device->work.n_ios,
	};
	struct ssdpm_cap_run run = { .size = sizeof(run) };
	int err = ssdpm_cap_simulate(device->model, params, &schedule, &run,
				     NULL, error);

	if (!err)
		take_run(device, &run, result);
	return err;
}

static int fail_in(const struct device *device, uint32_t state, int err,
		   const struct ssdpm_error *error, struct ssdpm_error *reterr)
{
	if (err == -ENOMEM)
		return ssdpm__no_memory(reterr);
	return ssdpm__fail(reterr, err, 0, "%.100s: PS%u: %.120s",
			   name_of(&device->drive), state, error->message);
}

/* The drive's result in a state whose maximum power is its cap. */
static int look(const struct device *device, uint32_t state,
		struct ssdpm_cap_result *result, struct ssdpm_error *reterr)
{
	struct ssdpm_cap_stream streams[SSDPM_MAX_CAP_STREAMS];
	struct ssdpm_cap_params params = { .size = sizeof(params) };
	struct ssdpm_sim_params sim = device->params;
	size_t n = take_streams(device, streams);
	struct ssdpm_error error;
	int err;

	sim.operational_state = state;
	*result = (struct ssdpm_cap_result){ .size = sizeof(*result) };
	err = ssdpm_cap_params_from_model(device->model, &sim, streams, n,
					  &params, &error);
	if (!err && device->work.ios)
		err = simulate(device, &sim, params.cap_uw, result, &error);
	else if (!err)
		err = ssdpm_cap_calculate(&params, result, &error);
	/* The cap is below the idle power, or the work piles up. */
	if (err == -ERANGE)
		do_nothing(params.cap_uw, result);
	else if (err)
		return fail_in(device, state, err, &error, reterr);
	result->assumed = params.assumed;
	for (size_t i = 0; i < n; i++)
		result->assumed |= streams[i].assumed;
	return 0;
}

static void add_span(struct ssdpm_span *sum, const struct ssdpm_span *span)
{
	sum->low += span->low;
	sum->nominal += span->nominal;
	sum->high += span->high;
}

/* Rounds up, but not above the state's maximum. */
static uint64_t up_to_unit(double uw, uint64_t max_uw)
{
	uint64_t units = (uint64_t)(uw / UNIT_UW);

	if ((double)units < uw / UNIT_UW)
		units++;
	return units * UNIT_UW < max_uw ? units * UNIT_UW : max_uw;
}

/* Adds a device in a state to its card's result. */
static void add_result(const struct ssdpm_cap_result *result, uint32_t power,
		       uint64_t max_uw, bool first,
		       struct ssdpm_budget_state *state)
{
	const struct ssdpm_span *span = power == SSDPM_BUDGET_POWER_P99 ?
						&result->p99_power_uw :
						&result->power_uw;

	if (first)
		state->limit = result->limit;
	else if (state->limit != result->limit)
		state->limit = 0;
	state->assumed |= result->assumed;
	state->power_uw += power == SSDPM_BUDGET_POWER_MAX ?
				   max_uw :
				   up_to_unit(span->nominal, max_uw);
	add_span(&state->bytes_per_s, &result->bytes_per_s);
	add_span(&state->expected_power_uw, span);
}

/* A SATA drive is not slowed, and only its highest power is known. */
static int add_sata(const struct device *device, struct ssdpm_budget_item *item,
		    struct ssdpm_error *reterr)
{
	item->states->power_uw = device->sata_uw;
	item->states->expected_power_uw =
		(struct ssdpm_span){ 0, NAN, (double)device->sata_uw };
	item->states->bytes_per_s = (struct ssdpm_span){ NAN, NAN, NAN };
	return device->sata_uw <= SSDPM_BUDGET_MAX ?
		       0 :
		       fail_of(&device->drive, -ERANGE,
			       "it takes more than 2^40 microwatts", reterr);
}

/* How the drive ranks its throughput in a state, 0 the best; -1: unknown. */
static int rank_in(const struct ssdpm_power_state *state, bool write)
{
	const uint32_t field = write ? SSDPM_FIELD_WRITE_THROUGHPUT_RANK :
				       SSDPM_FIELD_READ_THROUGHPUT_RANK;

	if ((state->unknown | state->not_reported) & field)
		return -1;
	return write ? state->write_throughput_rank :
		       state->read_throughput_rank;
}

/* By how many ranks it works slower in state a than in b; 0: it does not. */
static uint32_t ranks_below(const struct ssdpm_power_state *a,
			    const struct ssdpm_power_state *b,
			    const struct ssdpm_cap_stream *streams, size_t n)
{
	int most = 0;

	for (size_t i = 0; i < n; i++) {
		const bool write = streams[i].op == SSDPM_OP_WRITE;
		const int best = rank_in(b, write);
		const int below = rank_in(a, write) - best;

		if (streams[i].share > 0 && best >= 0 && below > most)
			most = below;
	}
	return (uint32_t)most;
}

/* Finds states that lose nothing by the numbers, but something by the ranks. */
static void compare_ranks(const struct device *device, const double *rates,
			  struct ssdpm_budget_item *item)
{
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(device->model, NULL);
	struct ssdpm_cap_stream streams[SSDPM_MAX_CAP_STREAMS];
	const size_t n = take_streams(device, streams);

	for (size_t i = 0; i < item->n_states; i++) {
		struct ssdpm_budget_state *s = &item->states[i];

		for (size_t j = 0; j < item->n_states; j++) {
			uint32_t below = ranks_below(
				&states[s->state],
				&states[item->states[j].state], streams, n);

			if (rates[i] >= rates[j] && below > s->outranked)
				s->outranked = below;
		}
	}
}

static int add_device(const struct device *device, bool first,
		      struct ssdpm_budget_item *item,
		      struct ssdpm_error *reterr)
{
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(device->model, NULL);
	struct ssdpm_cap_result result;
	double rates[SSDPM_MAX_STATES];
	int err = 0;

	if (device->is_sata)
		return add_sata(device, item, reterr);
	for (size_t i = 0; i < item->n_states && !err; i++) {
		struct ssdpm_budget_state *state = &item->states[i];

		err = look(device, state->state, &result, reterr);
		if (err)
			break;
		rates[i] = result.bytes_per_s.nominal;
		add_result(&result, item->power,
			   states[state->state].max_power_uw, first, state);
		if (state->power_uw > SSDPM_BUDGET_MAX)
			err = fail_of(
				&device->drive, -ERANGE,
				"with it the card takes more than 2^40 microwatts",
				reterr);
	}
	if (!err)
		compare_ranks(device, rates, item);
	return err;
}

/* Losses are relative to the best of the states. */
static int find_losses(const struct device *device,
		       struct ssdpm_budget_item *item,
		       struct ssdpm_error *reterr)
{
	double most = 0;

	if (device->is_sata) /* no choice, no loss */
		return 0;
	for (size_t i = 0; i < item->n_states; i++)
		most = ssdpm__max(item->states[i].bytes_per_s.nominal, most);
	for (size_t i = 0; i < item->n_states; i++) {
		struct ssdpm_budget_state *state = &item->states[i];
		double lost =
			ssdpm__floor(most - state->bytes_per_s.nominal + 0.5);
		double loss = (lost + state->outranked) *
				      (double)item->weight_thousandths / 1000 +
			      0.5;

		if (loss > (double)SSDPM_BUDGET_MAX)
			return fail_of(&device->drive, -ERANGE,
				       "its weight is too much", reterr);
		state->lost_bytes_per_s = lost;
		state->loss = (uint64_t)loss;
	}
	return 0;
}

struct budget_mix ssdpm__budget_mix(const struct ssdpm_budget_work *work)
{
	struct budget_mix mix = { 0 };
	double share[2] = { 0, 0 };

	for (size_t i = 0; i < work->n_streams; i++)
		share[work->streams[i].op == SSDPM_OP_WRITE] +=
			work->streams[i].share;
	mix.read_ppm = (uint32_t)(share[0] * 1e6 + 0.5);
	mix.write_ppm = (uint32_t)(share[1] * 1e6 + 0.5);
	mix.io_bytes = work->streams->io_bytes;
	return mix;
}

/* Copies what an item reports of a device. */
static int describe(const struct device *from, struct budget_device *to)
{
	const char *workload = from->work.ios ? from->work.name : NULL;

	to->model = ssdpm_model_ref((struct ssdpm_model *)from->drive.model);
	to->has_mix = !from->work.ios;
	if (to->has_mix)
		to->mix = ssdpm__budget_mix(&from->work);
	if (from->drive.name)
		to->name = strdup(from->drive.name);
	if (workload)
		to->workload = strdup(workload);
	return (from->drive.name && !to->name) || (workload && !to->workload) ?
		       -ENOMEM :
		       0;
}

static int fill(struct ssdpm_budget_item *item, const struct device *devices,
		uint32_t states, struct ssdpm_error *reterr)
{
	int err = 0;

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (states & UINT32_C(1) << i)
			item->states[item->n_states++].state = i;
	for (size_t i = 0; i < item->n_devices && !err; i++) {
		err = add_device(&devices[i], !i, item, reterr);
		if (!err && describe(&devices[i], &item->devices[i]))
			err = ssdpm__no_memory(reterr);
	}
	return err ? err : find_losses(devices, item, reterr);
}

static int make(struct device *devices, size_t n,
		struct ssdpm_budget_item *item, struct ssdpm_error *reterr)
{
	uint32_t states = 0, unknown = 0;
	int err = find_states(devices, n, &states, &unknown, reterr);

	if (!err && unknown)
		err = refuse_unknown(devices, unknown, reterr);
	for (size_t i = 0; i < n && !err; i++)
		err = take_work(&devices[i], reterr);
	return err ? err : fill(item, devices, states, reterr);
}

int ssdpm_budget_item_new(const struct ssdpm_budget_drive *const *drives,
			  size_t n_drives, uint32_t power,
			  uint64_t weight_thousandths,
			  struct ssdpm_budget_item **ret_item,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_budget_item *item = NULL;
	struct device *devices = NULL;
	int err = 0;

	if (!ssdpm_budget_power_to_string(power))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%u is nothing that a state is counted with",
				   power);
	err = take_drives(drives, n_drives, &devices, reterr);
	if (!err) {
		item = ssdpm__budget_item_alloc(n_drives, SSDPM_MAX_STATES);
		if (!item)
			err = ssdpm__no_memory(reterr);
	}
	if (!err) {
		item->power = power;
		item->weight_thousandths = weight_thousandths;
		err = make(devices, n_drives, item, reterr);
	}
	free_devices(devices, n_drives);
	if (err)
		ssdpm_budget_item_unref(item);
	else
		*ret_item = item;
	return err;
}
