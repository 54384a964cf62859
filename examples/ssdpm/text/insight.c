/* SPDX-License-Identifier: MIT */
#include "input/live.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Whether the failure only means that the drive or capture lacks this. A disk
 * in standby, which the library reports and does not ask, is no fault either.
 */
static bool is_absence(int err)
{
	return err == -EOPNOTSUPP || err == -ENOENT || err == -EBUSY;
}

/* Takes the result of one command. After a fault, the rest continues. */
static enum exit_status take(const struct drive *drive, int err,
			     const struct ssdpm_error *error, uint32_t known,
			     struct insight *insight)
{
	if (!err) {
		insight->known |= known;
		return STATUS_DONE;
	}
	return is_absence(err) ? STATUS_DONE :
				 complain_of_device(drive->name, error);
}

static enum exit_status ask_nvme(const struct drive *drive,
				 struct insight *insight)
{
	enum exit_status status, second;
	struct ssdpm_error error;
	int err;

	err = ssdpm_device_read_apst(drive->device, &insight->table, &error);
	status = take(drive, err, &error, INSIGHT_TABLE, insight);
	insight->power.size = sizeof(insight->power);
	err = ssdpm_device_read_power(drive->device, &insight->power, &error);
	second = take(drive, err, &error, INSIGHT_POWER_STATE, insight);
	return status ? status : second;
}

static enum exit_status ask_sata(const struct drive *drive,
				 struct insight *insight)
{
	struct ssdpm_error error;
	int err;

	err = ssdpm_device_read_devsleep(drive->device, &insight->devsleep,
					 &error);
	return take(drive, err, &error, INSIGHT_DEVSLEEP, insight);
}

/* Reads the dumps of a capture; asks a live drive if requested. */
static enum exit_status ask(const struct common *common,
			    const struct drive *drive, struct insight *insight)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);

	if ((!common->identify && !drive->live->facts.capture) ||
	    facts->reach != SSDPM_REACH_YES ||
	    (facts->flags & (SSDPM_DEVICE_EMPTY | SSDPM_DEVICE_OPTICAL)))
		return STATUS_DONE;
	return facts->kind == SSDPM_KIND_NVME ? ask_nvme(drive, insight) :
	       facts->kind == SSDPM_KIND_SATA ? ask_sata(drive, insight) :
						STATUS_DONE;
}

enum exit_status complain_of_dumps(const struct common *common,
				   const struct drive *drive)
{
	struct insight insight = { 0 };

	return drive->live->facts.capture ? ask(common, drive, &insight) :
					    STATUS_DONE;
}

static int find_out(const struct drive *drive, struct insight *insight,
		    struct ssdpm_error *reterr)
{
	const struct ssdpm_machine_facts *machine = &drive->live->facts;
	uint32_t kind = ssdpm_device_get_facts(drive->device)->kind;
	struct ssdpm_apst_params params = { .size = sizeof(params) };
	struct ssdpm_diagnosis_params known;
	int err = 0;

	if (drive->model) {
		err = ssdpm_device_get_quirks(
			drive->device, machine, drive->model, &insight->quirks,
			&insight->quirks_from_kernel, reterr);
		insight->known |= err ? 0 : INSIGHT_QUIRKS;
	}
	if (!err && drive->model && kind == SSDPM_KIND_NVME) {
		err = ssdpm_device_get_apst_params(
			drive->device, machine, drive->model, &params, reterr);
		if (!err)
			err = ssdpm_apst_generate(drive->model, &params,
						  &insight->predicted, reterr);
		insight->known |= err ? 0 : INSIGHT_PREDICTED;
		if (err != -ENOMEM)
			err = 0;
	}
	if (err)
		return err;
	known = (struct ssdpm_diagnosis_params){
		.size = sizeof(known),
		.facts = machine,
		.model = drive->model,
		.table =
			insight->known & INSIGHT_TABLE ? &insight->table : NULL,
	};
	return ssdpm_device_diagnose(drive->device, &known, &insight->diagnoses,
				     &insight->n_diagnoses, reterr);
}

enum exit_status look_into(const struct common *common,
			   const struct drive *drive, struct insight *ret)
{
	enum exit_status status;
	struct ssdpm_error error;

	*ret = (struct insight){ 0 };
	status = ask(common, drive, ret);
	if (find_out(drive, ret, &error))
		return complain_of_device(drive->name, &error);
	return status;
}

const struct ssdpm_diagnosis *main_reason(const struct insight *insight)
{
	for (size_t i = 0; i < insight->n_diagnoses; i++)
		if (insight->diagnoses[i].is_main)
			return &insight->diagnoses[i];
	return NULL;
}

void free_insight(struct insight *insight)
{
	free(insight->diagnoses);
	*insight = (struct insight){ 0 };
}
