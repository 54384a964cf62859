/* SPDX-License-Identifier: MIT */
#include "work/budget-choices.h"

#include "work/budget-work.h"
#include "options/units.h"

#include <stdlib.h>
#include <string.h>

/* Powers that are computed are counted in these, rounded up. */
#define UNIT_UW 10000

const char *budget_power_word(enum budget_power power)
{
	return power == BUDGET_MAX	? "max" :
	       power == BUDGET_EXPECTED ? "expected" :
					  "p99";
}

static bool is_named(const struct budget_item *item, const char *name,
		     size_t length)
{
	for (size_t i = 0; i < item->n_drives; i++)
		if (is_item_name(item, &item->drives[i], name, length))
			return true;
	return false;
}

static enum exit_status find_weight(const struct common *common,
				    const char *text,
				    struct budget_items *items)
{
	const char *equals = strrchr(text, '=');
	bool found = false;
	uint64_t weight;

	if (!equals)
		return usage_error(common,
				   "--weight %s: write a drive and its weight, "
				   "as in nvme0=2x",
				   text);
	if (parse_factor(common, "weight", equals + 1, &weight))
		return STATUS_USAGE;
	for (size_t i = 0; i < items->n; i++)
		if (is_named(&items->items[i], text, (size_t)(equals - text))) {
			items->items[i].weight = weight;
			found = true;
		}
	if (found)
		return STATUS_DONE;
	return usage_error(common, "--weight %s: no drive is named %.*s", text,
			   (int)(equals - text), text);
}

enum exit_status find_weights(const struct common *common,
			      const struct budget_options *options,
			      struct budget_items *items)
{
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < options->n_weights && !status; i++)
		status = find_weight(common, options->weights[i], items);
	return status;
}

static bool is_operational(const struct ssdpm_power_state *state)
{
	return !(state->flags & SSDPM_STATE_NON_OPERATIONAL);
}

static bool has_max_power(const struct ssdpm_power_state *state)
{
	return !((state->unknown | state->not_reported) &
		 SSDPM_FIELD_MAX_POWER) &&
	       state->max_power_uw;
}

/* Of this drive, where it is given; else of all. 0: neither is. */
static uint32_t given_max_power(const struct budget_options *options,
				const struct budget_item *item,
				const struct drive *drive, size_t state)
{
	uint32_t uw[2] = { 0 };

	for (size_t i = 0; i < options->n_max_powers; i++) {
		const struct max_power *m = &options->max_powers[i];

		if (m->state == state &&
		    (!m->drive_length ||
		     is_item_name(item, drive, m->text, m->drive_length)))
			uw[m->drive_length > 0] = m->uw;
	}
	return uw[1] ? uw[1] : uw[0];
}

/* A maximum that the drive does not report, and whoever asks gives. */
static bool state_max_power(const struct budget_options *options,
			    const struct budget_item *item,
			    const struct drive *drive,
			    struct ssdpm_power_state *states, size_t n)
{
	bool changed = false;

	for (size_t i = 0; i < n; i++) {
		uint32_t uw = given_max_power(options, item, drive, i);

		if (!uw || has_max_power(&states[i]))
			continue;
		states[i].max_power_uw = uw;
		states[i].unknown &= ~(uint32_t)SSDPM_FIELD_MAX_POWER;
		states[i].not_reported &= ~(uint32_t)SSDPM_FIELD_MAX_POWER;
		changed = true;
	}
	return changed;
}

static enum exit_status check_max_powers(const struct common *common,
					 const struct budget_options *options,
					 const struct budget_items *items)
{
	for (size_t i = 0; i < options->n_max_powers; i++) {
		const struct max_power *m = &options->max_powers[i];
		bool found = !m->drive_length;

		for (size_t j = 0; j < items->n && !found; j++)
			found = is_named(&items->items[j], m->text,
					 m->drive_length);
		if (!found)
			return usage_error(
				common,
				"--max-power %s: no drive is named %.*s",
				m->text, (int)m->drive_length, m->text);
	}
	return STATUS_DONE;
}

/* The drive that is looked at: with the powers that were given for it. */
static enum exit_status complete_model(const struct budget_options *options,
				       const struct budget_item *item,
				       const struct drive *drive,
				       struct ssdpm_model **ret_model)
{
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	const struct ssdpm_power_state *from;
	struct ssdpm_error error;
	size_t n;

	if (ssdpm_model_get_info(drive->model)->kind != SSDPM_KIND_NVME) {
		complain("%s: a SATA drive has no power states to choose from: "
			 "what it takes belongs to --base-watts",
			 drive->name);
		return STATUS_DEVICE_CANNOT;
	}
	from = ssdpm_model_get_states(drive->model, &n);
	memcpy(states, from, n * sizeof(*states));
	if (!state_max_power(options, item, drive, states, n)) {
		*ret_model = ssdpm_model_ref(drive->model);
		return STATUS_DONE;
	}
	if (!ssdpm_model_new(ssdpm_model_get_info(drive->model), states, n,
			     ret_model, &error))
		return STATUS_DONE;
	complain("%s: %s", drive->name, error.message);
	return STATUS_FAILED;
}

static void add_span(struct ssdpm_span *sum, const struct ssdpm_span *span)
{
	sum->low += span->low;
	sum->nominal += span->nominal;
	sum->high += span->high;
}

/* Rounded up, but to no more than the state allows. */
static uint64_t up_to_unit(double uw, uint64_t max_uw)
{
	uint64_t units = (uint64_t)(uw / UNIT_UW);

	if ((double)units < uw / UNIT_UW)
		units++;
	return units * UNIT_UW < max_uw ? units * UNIT_UW : max_uw;
}

/* Add a drive in a state to what its card has there. */
static void add_result(const struct budget_options *options,
		       const struct ssdpm_cap_result *result, uint64_t max_uw,
		       struct budget_choice *choice, bool first)
{
	const struct ssdpm_span *span = options->power == BUDGET_P99 ?
						&result->p99_power_uw :
						&result->power_uw;
	uint64_t uw = up_to_unit(span->nominal, max_uw);

	if (first)
		choice->limit = result->limit;
	else if (choice->limit != result->limit)
		choice->limit = 0;
	choice->assumed |= result->assumed;
	choice->power_uw += options->power == BUDGET_MAX ? max_uw : uw;
	add_span(&choice->bytes_per_s, &result->bytes_per_s);
	if (options->power != BUDGET_MAX) {
		add_span(&choice->expected_uw, span);
		return;
	}
	add_span(&choice->expected_uw, &result->power_uw);
}

/* A member of a card in each state that all members have. */
static enum exit_status add_drive_states(const struct budget_options *options,
					 const struct budget_work *work,
					 struct budget_drive *drive,
					 struct budget_item *item)
{
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(drive->model, NULL);
	enum exit_status status = STATUS_DONE;
	struct ssdpm_cap_result result;

	for (size_t i = 0; i < item->n_choices && !status; i++) {
		struct budget_choice *choice = &item->choices[i];

		drive->state = choice->state;
		status = find_cap_result(options, work, drive, &result);
		if (!status)
			add_result(options, &result,
				   states[choice->state].max_power_uw, choice,
				   drive->drive == item->drives);
	}
	return status;
}

static enum exit_status refuse_unknown(const struct drive *drive, size_t state)
{
	complain("%s: it does not report the maximum power of PS%zu: give it "
		 "with --max-power PS%zu=POWER",
		 drive->name, state, state);
	return STATUS_FAILED;
}

/* The states in which all drives of a card work. */
static enum exit_status find_states(struct budget_item *item,
				    const struct drive *drive,
				    const struct ssdpm_model *model)
{
	const struct ssdpm_power_state *states;
	size_t n, kept = 0;

	states = ssdpm_model_get_states(model, &n);
	if (drive == item->drives)
		for (size_t i = 0; i < n; i++)
			item->choices[item->n_choices++].state = (uint32_t)i;
	for (size_t i = 0; i < item->n_choices; i++) {
		uint32_t state = item->choices[i].state;

		if (state >= n || !is_operational(&states[state]))
			continue;
		if (!has_max_power(&states[state]))
			return refuse_unknown(drive, state);
		item->choices[kept++] = item->choices[i];
	}
	item->n_choices = kept;
	if (kept)
		return STATUS_DONE;
	complain("%s: no state in which %s works", drive->name,
		 item->n_drives > 1 ? "all of the card" : "it");
	return STATUS_DEVICE_CANNOT;
}

double best_rate(const struct budget_item *item)
{
	double most = 0;

	for (size_t i = 0; i < item->n_choices; i++)
		if (item->choices[i].bytes_per_s.nominal > most)
			most = item->choices[i].bytes_per_s.nominal;
	return most;
}

/* Losses are against the best of the states. */
static enum exit_status find_losses(const struct common *common,
				    struct budget_item *item)
{
	double most = best_rate(item);

	for (size_t i = 0; i < item->n_choices; i++) {
		struct budget_choice *choice = &item->choices[i];
		uint64_t lost =
			(uint64_t)(most - choice->bytes_per_s.nominal + 0.5);
		double loss = (double)lost * (double)item->weight / 1000 + 0.5;

		if (loss > (double)SSDPM_BUDGET_MAX)
			return usage_error(common,
					   "--weight: that of %s is too much",
					   item->drives->name);
		choice->lost = lost;
		choice->loss = (uint64_t)loss;
	}
	return STATUS_DONE;
}

/* What all drives are looked at with. */
struct look {
	const struct common *common;
	const struct budget_options *options;
	const struct budget_works *works;
	struct measured_files measured;
};

static enum exit_status add_member(struct look *look, struct budget_item *item,
				   const struct drive *drive)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_background_work background;
	struct budget_drive one = { .drive = drive, .parameters = parameters };
	struct ssdpm_model *model = NULL;
	enum exit_status status;

	status = complete_model(look->options, item, drive, &model);
	if (!status)
		status = find_states(item, drive, model);
	if (!status)
		status = find_parameters(&look->options->sim, look->common,
					 &look->measured, drive, parameters,
					 &one.n_parameters, &background);
	one.model = model;
	if (!status)
		status = add_drive_states(
			look->options, work_of(look->works, drive), &one, item);
	ssdpm_model_unref(model);
	return status;
}

static enum exit_status find_choices_of(struct look *look,
					struct budget_item *item)
{
	enum exit_status status = STATUS_DONE;

	item->choices = calloc(SSDPM_MAX_STATES, sizeof(*item->choices));
	if (!item->choices) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < item->n_drives && !status; i++)
		status = add_member(look, item, &item->drives[i]);
	return status ? status : find_losses(look->common, item);
}

enum exit_status find_choices(const struct common *common,
			      const struct budget_options *options,
			      const struct budget_works *works,
			      struct budget_items *items)
{
	struct look look = { .common = common,
			     .options = options,
			     .works = works };
	enum exit_status status;

	status = check_overrides(common, &options->sim, &items->drives);
	if (!status)
		status = check_max_powers(common, options, items);
	if (!status)
		status = read_measured(&options->sim.measured, &look.measured);
	for (size_t i = 0; i < items->n && !status; i++)
		status = find_choices_of(&look, &items->items[i]);
	if (!status)
		status = check_measured(&look.measured);
	free_measured(&look.measured);
	return status;
}
