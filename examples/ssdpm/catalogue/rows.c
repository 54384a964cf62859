/* SPDX-License-Identifier: MIT */
/* All rows of the catalogue, as drives. */
#include "catalogue/all.h"

#include <stdlib.h>
#include <string.h>

static enum exit_status add_row(const struct ssdpm_catalogue *catalogue,
				uint32_t i,
				const struct ssdpm_catalogue_row *row,
				uint32_t kind, struct drives *drives)
{
	struct drive drive = { .seen = row->seen };
	struct ssdpm_error error;

	if (ssdpm_catalogue_get_model(catalogue, i, &drive.model, &error))
		return failure("%s", error.message);
	if (kind && ssdpm_model_get_info(drive.model)->kind != kind) {
		free_drive(&drive);
		return STATUS_DONE;
	}
	drive.name = strdup(row->product);
	if (drive.name)
		return add_drive(drives, &drive);
	free_drive(&drive);
	return out_of_memory();
}

enum exit_status read_catalogue(const struct common *common, uint32_t kind,
				struct drives *ret_drives)
{
	struct ssdpm_catalogue *catalogue;
	enum exit_status status = open_catalogue(common, &catalogue);
	struct ssdpm_catalogue_row row = { .size = sizeof(row) };
	struct drives drives = { 0 };

	*ret_drives = drives;
	if (status)
		return status;
	for (uint32_t i = 0;
	     !status && !ssdpm_catalogue_get_row(catalogue, i, &row); i++)
		status = add_row(catalogue, i, &row, kind, &drives);
	ssdpm_catalogue_free(catalogue);
	if (status)
		free_drives(&drives);
	*ret_drives = drives;
	return status;
}

uint64_t count_seen(const struct drives *drives)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < drives->n; i++)
		seen += drives->drives[i].seen;
	return seen;
}
