/* SPDX-License-Identifier: MIT */
#include "text/device.h"

#include "programs.h"
#include "text/remedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct ssdpm_error *reterr)
{
	*reterr = (struct ssdpm_error){ .code = -ENOMEM,
					.message = "out of memory" };
	return -ENOMEM;
}

static char **free_advice(char **advice, size_t n)
{
	for (size_t i = 0; advice && i < n; i++)
		free(advice[i]);
	free(advice);
	return NULL;
}

/* The same as for people: each call has the root of a capture. */
static char **find_advice(const struct drive *drive,
			  const struct insight *insight)
{
	const size_t n = insight->n_diagnoses;
	char **advice = calloc(n + 1, sizeof(*advice));

	for (size_t i = 0; advice && i < n; i++) {
		advice[i] = remedy_advice(drive->live->root,
					  ssdpm_device_get_facts(drive->device),
					  &insight->diagnoses[i]);
		if (!advice[i])
			advice = free_advice(advice, n);
	}
	return advice;
}

/* In short: the main reason may have no remedy, and a problem below it has. */
static void move_to_main(const struct insight *insight, char **advice)
{
	const struct ssdpm_diagnosis *all = insight->diagnoses,
				     *reason = main_reason(insight);
	size_t i = 0;
	char *text;

	if (!reason || reason->remedy)
		return;
	while (i < insight->n_diagnoses &&
	       (all[i].severity != SSDPM_SEVERITY_PROBLEM || !all[i].remedy))
		i++;
	if (i == insight->n_diagnoses)
		return;
	text = advice[i];
	advice[i] = advice[reason - all];
	advice[reason - all] = text;
}

int drive_json(struct ssdpm_object object, const struct drive *drive,
	       const struct insight *insight, char **ret_text,
	       struct ssdpm_error *reterr)
{
	const size_t n = insight->n_diagnoses;
	char **advice = find_advice(drive, insight);
	int err;

	if (!advice)
		return no_memory(reterr);
	if (object.kind == SSDPM_OBJECT_STATUS)
		move_to_main(insight, advice);
	object.size = sizeof(object);
	object.name = drive->name;
	object.device = drive->device;
	object.machine = &drive->live->facts;
	object.model = drive->model;
	if (drive->live->journal.state)
		object.journal = &drive->live->journal;
	object.diagnoses = insight->diagnoses;
	object.n_diagnoses = n;
	object.advice = (const char *const *)advice;
	err = ssdpm_object_to_json(&object, ret_text, reterr);
	free_advice(advice, n);
	return err;
}

/* Meters are no matter of libssdpm. */
static int machine_json(const struct live *live, char **ret_text,
			struct ssdpm_error *reterr)
{
	struct ssdpm_object object = { .size = sizeof(object),
				       .kind = SSDPM_OBJECT_MACHINE,
				       .machine = &live->facts };
	struct surroundings around;
	char *meters = NULL;
	int err = read_surroundings(live, &around, reterr);

	if (err)
		return err;
	object.owners = around.owners;
	object.n_owners = around.n_owners;
	err = meters_json(around.meters, around.n_meters, &meters, reterr);
	object.more_json = meters;
	if (!err)
		err = ssdpm_object_to_json(&object, ret_text, reterr);
	free(meters);
	free_surroundings(&around);
	return err;
}

int whole_drive_json(const struct drive *drive, const struct insight *insight,
		     const char *model_json, char **ret_text,
		     struct ssdpm_error *reterr)
{
	const uint32_t known = insight->known;
	struct ssdpm_object object = {
		.kind = SSDPM_OBJECT_DEVICE,
		.power = known & INSIGHT_POWER_STATE ? &insight->power : NULL,
		.devsleep =
			known & INSIGHT_DEVSLEEP ? &insight->devsleep : NULL,
		.table = known & INSIGHT_TABLE ? &insight->table : NULL,
		.other = known & INSIGHT_PREDICTED ? &insight->predicted : NULL,
		.model_json = model_json,
	};
	char *machine;
	int err = machine_json(drive->live, &machine, reterr);

	if (err)
		return err;
	object.machine_json = machine;
	err = drive_json(object, drive, insight, ret_text, reterr);
	free(machine);
	return err;
}

/* Others of the catalogue of this name: add_item() for each. */
static void add_alternatives(struct items *items, const struct drive *drive)
{
	for (size_t i = 0; i < drive->n_alternatives; i++) {
		const struct ssdpm_object object = {
			.size = sizeof(object),
			.kind = SSDPM_OBJECT_MODEL,
			.model = drive->alternatives[i].model,
			.seen = drive->alternatives[i].seen,
		};

		add_object(items, &object);
	}
}

/* A model, and what is known beside it. */
static int model_json(bool lint, const struct shown *shown, char **ret_text,
		      struct ssdpm_error *reterr)
{
	static const char *const none[] = { NULL };
	const struct drive *drive = shown->drive;
	struct ssdpm_object object = {
		.size = sizeof(object),
		.kind = SSDPM_OBJECT_MODEL,
		.quirks = shown->quirks.in_force,
		.model = drive->model,
		.seen = drive->seen,
	};
	struct items alternatives = { 0 };
	char *findings = NULL;
	int err = 0;

	add_alternatives(&alternatives, drive);
	object.n_items = alternatives.n;
	if (drive->seen)
		object.items = alternatives.n ?
				       (const char *const *)alternatives.texts :
				       none;
	if (lint)
		err = findings_json(drive->model, &findings, reterr);
	object.more_json = findings;
	if (!err)
		err = ssdpm_object_to_json(&object, ret_text, reterr);
	free(findings);
	free_items(&alternatives);
	return err;
}

void add_shown(struct items *items, bool lint, const struct shown *shown)
{
	const struct drive *drive = shown->drive;
	char *model = NULL, *text = NULL;
	struct ssdpm_error error;
	int err = 0;

	if (drive->model)
		err = model_json(lint, shown, &model, &error);
	if (err || !drive->device) {
		add_item(items, err, model, &error);
		return;
	}
	/* A device has its model inside it, and its machine. */
	err = whole_drive_json(drive, &shown->insight, model, &text, &error);
	add_item(items, err, text, &error);
	free(model);
}

/* On one line: no text of JSON has a line feed. */
static void print_on_one_line(const char *json)
{
	for (size_t n; *json; json += n) {
		n = strcspn(json, "\n");
		printf("%.*s%s", (int)n, json, json[n - 1] == ',' ? " " : "");
		n += strspn(json + n, "\n ");
	}
	putchar('\n');
}

/* A model has no serial number, and of the machine nothing. */
static enum exit_status share_one(const struct drive *drive)
{
	struct ssdpm_error error;
	char *text;

	if (!drive->model)
		return complain_of_device(drive->name, &drive->problem);
	if (ssdpm_model_get_info(drive->model)->provenance !=
	    SSDPM_PROVENANCE_REPORTED)
		return failure(
			"%s: the catalogue has it; --share takes what a drive "
			"itself says%s",
			drive->name,
			drive->device ? ": add --identify, as root" : "");
	if (ssdpm_model_to_json(drive->model, &text, &error))
		return failure("%s: %s", drive->name, error.message);
	print_on_one_line(text);
	free(text);
	return STATUS_DONE;
}

enum exit_status share_drives(const struct drives *drives)
{
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < drives->n; i++) {
		enum exit_status one = share_one(&drives->drives[i]);

		status = status ? status : one;
	}
	return status;
}
