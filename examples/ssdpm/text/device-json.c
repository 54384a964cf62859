/* SPDX-License-Identifier: MIT */
#include "text/device.h"

#include "text/remedy.h"
#include "programs.h"

#include <stdlib.h>

char *object_json(const struct ssdpm_object *object)
{
	char *text;

	return ssdpm_object_to_json(object, &text, NULL) ? NULL : text;
}

char *drive_json(uint32_t kind, const struct drive *drive,
		 const struct insight *insight, struct ssdpm_object object)
{
	const size_t n = insight->n_diagnoses;
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	struct remedy_text *remedies = calloc(n + 1, sizeof(*remedies));
	const char **advice = calloc(n + 1, sizeof(*advice));
	char *text = NULL;

	for (size_t i = 0; remedies && advice && i < n; i++) {
		remedies[i] = remedy_text(facts, &insight->diagnoses[i]);
		advice[i] = remedies[i].text;
	}
	object.size = sizeof(object);
	object.kind = kind;
	object.name = drive->name;
	object.device = drive->device;
	object.machine = &drive->live->facts;
	object.model = drive->model;
	if (drive->live->journal.state)
		object.journal = &drive->live->journal;
	object.diagnoses = insight->diagnoses;
	object.n_diagnoses = n;
	object.advice = advice;
	if (remedies && advice)
		text = object_json(&object);
	free(remedies);
	free(advice);
	return text;
}

char *whole_drive_json(const struct drive *drive, const struct insight *insight,
		       const char *model_json, const char *machine_json)
{
	const uint32_t known = insight->known;
	const struct ssdpm_object object = {
		.power = known & INSIGHT_POWER_STATE ? &insight->power : NULL,
		.devsleep =
			known & INSIGHT_DEVSLEEP ? &insight->devsleep : NULL,
		.table = known & INSIGHT_TABLE ? &insight->table : NULL,
		.other = known & INSIGHT_PREDICTED ? &insight->predicted : NULL,
		.model_json = model_json,
		.machine_json = machine_json,
	};

	return drive_json(SSDPM_OBJECT_DEVICE, drive, insight, object);
}

static void write_meters(struct json_writer *w,
			 const struct ssdpm_meter *meters, size_t n)
{
	ssdpm__json_begin(w, "meters", '[');
	for (size_t i = 0; i < n; i++) {
		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_string(w, "kind", meter_kind_word(meters[i].kind));
		ssdpm__json_string(w, "name", meters[i].name);
		ssdpm__json_string(w, "path", meters[i].path);
		ssdpm__json_bool(w, "readable", meters[i].readable);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

/* What measures is no matter of libssdpm. */
static char *add_meters(char *machine, const struct surroundings *around)
{
	struct json_writer w = { 0 };
	char *text = NULL;

	if (!machine || !has_energy)
		return machine;
	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_members(&w, machine);
	write_meters(&w, around->meters, around->n_meters);
	ssdpm__json_end(&w, '}');
	ssdpm__json_finish(&w, &text, NULL);
	free(machine);
	return text;
}

enum exit_status machine_json(const struct live *live, char **ret_text)
{
	struct ssdpm_object object = { .size = sizeof(object),
				       .kind = SSDPM_OBJECT_MACHINE,
				       .machine = &live->facts };
	struct surroundings around;
	enum exit_status status = read_surroundings(live, &around);

	if (status)
		return status;
	object.owners = around.owners;
	object.n_owners = around.n_owners;
	*ret_text = add_meters(object_json(&object), &around);
	free_surroundings(&around);
	if (*ret_text)
		return STATUS_DONE;
	complain("out of memory");
	return STATUS_FAILED;
}
