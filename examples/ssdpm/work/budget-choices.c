/* SPDX-License-Identifier: MIT */
#include "work/budget.h"

#include "options/units.h"
#include "text/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	if (parse_number(common, "weight", equals + 1, FACTOR_MILLI, &weight))
		return STATUS_USAGE;
	for (size_t i = 0; i < items->n; i++)
		if (is_named(&items->items[i], text, (size_t)(equals - text))) {
			items->items[i].weight = weight;
			found = true;
		}
	if (found)
		return STATUS_DONE;
	return usage_error(common, "--weight %s: unknown drive '%.*s'", text,
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

/* The power given for this drive, or else for all. 0: neither is given. */
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

static bool is_sata(const struct drive *drive)
{
	return ssdpm_model_get_info(drive->model)->kind == SSDPM_KIND_SATA;
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
				common, "--max-power %s: unknown drive '%.*s'",
				m->text, (int)m->drive_length, m->text);
	}
	return STATUS_DONE;
}

/* The settings that all drives share. */
struct look {
	const struct common *common;
	const struct budget_options *options;
	const struct budget_works *works;
	struct measured_files measured;
};

/* A device as the library takes it, and what that points to. */
struct member {
	struct ssdpm_budget_drive told;
	struct ssdpm_sim_params sim;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	uint32_t max_power_uw[SSDPM_MAX_STATES];
};

static void tell(const struct look *look, const struct budget_item *item,
		 const struct drive *drive, struct member *member)
{
	const struct sim_options *sim = &look->options->sim;

	for (size_t i = 0; i < SSDPM_MAX_STATES; i++)
		member->max_power_uw[i] =
			given_max_power(look->options, item, drive, i);
	ssdpm_sim_params_init(&member->sim, sizeof(member->sim));
	member->sim.flags = sim->flags;
	if (sim->loop)
		member->sim.loop = sim->loop;
	member->told = (struct ssdpm_budget_drive){
		.size = sizeof(member->told),
		.name = drive->name,
		.model = drive->model,
		.params = &member->sim,
		.work = &work_of(look->works, drive)->told,
		.max_power_uw = member->max_power_uw,
		.n_max_powers = SSDPM_MAX_STATES,
	};
}

static enum exit_status know(struct look *look, const struct drive *drive,
			     struct member *member)
{
	struct ssdpm_background_work background;
	size_t n;

	ssdpm_model_get_states(drive->model, &n);
	if (!n) /* of a SATA drive nothing is known but what is stated */
		return STATUS_DONE;
	member->sim.parameters = member->parameters;
	return find_parameters(&look->options->sim, look->common,
			       &look->measured, drive, member->parameters,
			       &member->sim.n_parameters, &background);
}

/* Asks for that of a SATA drive, whose name may have blanks. */
static void ask_for_power(const char *message, const char *name)
{
	char *text = NULL, *word = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const bool has_word = asprintf(&word, "%s=PS0=POWER", name) >= 0;

	if (file && has_word)
		write_word(file, word);
	if (file && !fclose(file) && has_word)
		complain("%s: give it with --max-power%s", message, text);
	else
		out_of_memory();
	if (has_word)
		free(word);
	free(text);
}

/* The message of the library, with the options that help. */
static enum exit_status complain_of(
	const struct look *look, const struct budget_item *item,
	const struct ssdpm_budget_drive *const *drives,
	const struct ssdpm_error *error)
{
	uint32_t states, unknown = 0;

	if (error->code == -ERANGE)
		return usage_error(look->common,
				   "--weight: that of %s is too much",
				   item->drives->name);
	if (error->code == -ENODATA)
		ssdpm_budget_drives_get_states(drives, item->n_drives, &states,
					       &unknown, NULL);
	if (unknown && is_sata(item->drives))
		ask_for_power(error->message, item->drives->name);
	else if (unknown)
		complain("%s: give it with --max-power PS%d=POWER",
			 error->message, __builtin_ctz(unknown));
	else
		complain("%s", error->message);
	return error->code == -EOPNOTSUPP ? STATUS_DEVICE_CANNOT :
					    STATUS_FAILED;
}

/* What has no states to choose from has no parameters either. */
static enum exit_status look_at(struct look *look, struct budget_item *item,
				struct member *members,
				const struct ssdpm_budget_drive **drives)
{
	const size_t n = item->n_drives;
	enum exit_status status = STATUS_DONE;
	struct ssdpm_error error;
	uint32_t states, unknown;
	int err;

	for (size_t i = 0; i < n; i++) {
		tell(look, item, &item->drives[i], &members[i]);
		drives[i] = &members[i].told;
	}
	err = ssdpm_budget_drives_get_states(drives, n, &states, &unknown,
					     &error);
	for (size_t i = 0; i < n && !err && !status; i++)
		status = know(look, &item->drives[i], &members[i]);
	if (!err && !status)
		err = ssdpm_budget_item_new(drives, n, look->options->power,
					    item->weight, &item->known, &error);
	if (!err)
		return status;
	status = complain_of(look, item, drives, &error);
	/* The drives may have been meant one by one. */
	if (error.code == -EOPNOTSUPP)
		say_card(look->common, item, false);
	return status;
}

static enum exit_status find_choices_of(struct look *look,
					struct budget_item *item)
{
	struct member *members = calloc(item->n_drives, sizeof(*members));
	const struct ssdpm_budget_drive **drives =
		calloc(item->n_drives, sizeof(*drives));
	enum exit_status status = STATUS_FAILED;

	if (members && drives)
		status = look_at(look, item, members, drives);
	else
		complain("out of memory");
	free(members);
	free(drives);
	return status;
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
	for (size_t i = 0; i < items->n && !status; i++)
		say_card(common, &items->items[i], true);
	free_measured(&look.measured);
	return status;
}
