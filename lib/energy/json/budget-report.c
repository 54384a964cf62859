/* SPDX-License-Identifier: MIT */
/* Writes drives that share a budget as JSON; budget.keys has the keys. */
#include <ssdpm/energy/json.h>

#include "base/json-text.h"
#include "budget/internal.h"

/* The report, and a copy of the caller's structure in this version's size. */
struct told {
	const struct ssdpm_budget *budget;
	const struct ssdpm_budget_answer *answer;
	const struct ssdpm_budget_work *work;
	struct budget_mix mix;
	const char *const *commands;
	size_t n_commands;
};

/* An item in the state chosen for it. */
struct chosen_state {
	const struct ssdpm_budget_item *item;
	const struct ssdpm_budget_state *state;
};

static const char *product_of(const struct budget_device *device)
{
	const struct ssdpm_model_info *info =
		device->model ? ssdpm_model_get_info(device->model) : NULL;

	return info && !(info->unknown & SSDPM_INFO_PRODUCT) ? info->product :
							       NULL;
}

static const char *firmware_of(const struct budget_device *device)
{
	const struct ssdpm_model_info *info =
		device->model ? ssdpm_model_get_info(device->model) : NULL;

	return info && !(info->unknown & SSDPM_INFO_FIRMWARE) ? info->firmware :
								NULL;
}

static const struct budget_mix *mix_of(const struct budget_device *device)
{
	return device->has_mix ? &device->mix : NULL;
}

static const struct budget_mix *mix_told(const struct told *told)
{
	return told->work->ios ? NULL : &told->mix;
}

/* The known fields that have a word. */
static uint32_t fields_of(const struct ssdpm_budget_state *state)
{
	return state->assumed & (2 * SSDPM_CAP_MAX_POWER - 1);
}

static size_t n_assumed(const struct ssdpm_budget_state *state)
{
	return (size_t)__builtin_popcount(fields_of(state));
}

static const char *assumed_word(const struct ssdpm_budget_state *state,
				size_t i)
{
	uint32_t bits = fields_of(state);

	while (i--)
		bits &= bits - 1;
	return ssdpm_cap_field_to_string(bits & -bits);
}

/* The power that all items count; 0: they differ. */
static uint32_t power_of(const struct ssdpm_budget *budget)
{
	uint32_t power = budget->items[0]->power;

	for (size_t i = 1; i < budget->n_items; i++)
		if (budget->items[i]->power != power)
			return 0;
	return power;
}

static uint64_t left_of(const struct ssdpm_budget *budget)
{
	return budget->budget_uw - budget->base_uw - budget->answer.power_uw;
}

static bool get_chosen(const struct ssdpm_budget *budget, size_t i,
		       struct chosen_state *ret_chosen)
{
	const struct ssdpm_budget_item *item = budget->items[i];

	*ret_chosen =
		(struct chosen_state){ item,
				       &item->states[budget->choices[i]] };
	return true;
}

#include "budget-json.h"

static int take(const struct ssdpm_budget_report *report,
		struct ssdpm_budget_work *work, struct told *ret_told,
		struct ssdpm_error *reterr)
{
	struct ssdpm_budget_report r = { 0 };
	int err = ssdpm__sized_in(&r, sizeof(r), report, "ssdpm_budget_report",
				  reterr);

	if (!err && !r.budget)
		err = ssdpm__missing("budget", reterr);
	if (!err && !r.work)
		err = ssdpm__missing("work", reterr);
	if (!err && r.n_commands && !r.commands)
		err = ssdpm__missing("commands", reterr);
	if (!err)
		err = ssdpm__sized_in(work, sizeof(*work), r.work,
				      "ssdpm_budget_work", reterr);
	if (!err && !work->ios && !(work->streams && work->n_streams))
		err = ssdpm__missing("streams", reterr);
	if (err)
		return err;
	*ret_told = (struct told){ .budget = r.budget,
				   .answer = &r.budget->answer,
				   .work = work,
				   .commands = r.commands,
				   .n_commands = r.n_commands };
	if (!work->ios)
		ret_told->mix = ssdpm__budget_mix(work);
	return 0;
}

int ssdpm_budget_report_to_json(const struct ssdpm_budget_report *report,
				char **ret_text, struct ssdpm_error *reterr)
{
	struct ssdpm_budget_work work = { 0 };
	struct json_writer w = { 0 };
	struct told told;
	int err = take(report, &work, &told, reterr);

	if (err)
		return err;
	ssdpm__json_begin(&w, NULL, '{');
	write_budget(&w, &told);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
