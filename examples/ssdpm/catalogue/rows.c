/* SPDX-License-Identifier: MIT */
/* All rows of the catalogue, as drives. */
#include "catalogue/all.h"

#include <stdlib.h>
#include <string.h>

static enum exit_status add_row(const struct ssdpm_catalogue *catalogue,
				uint32_t row, uint32_t kind,
				struct drives *drives)
{
	struct drive drive = {
		.seen = ssdpm_catalogue_get_seen(catalogue, row),
	};
	struct ssdpm_error error;

	if (ssdpm_catalogue_get_model(catalogue, row, &drive.model, &error))
		return failure("%s", error.message);
	if (kind && ssdpm_model_get_info(drive.model)->kind != kind) {
		free_drive(&drive);
		return STATUS_DONE;
	}
	drive.name = strdup(ssdpm_catalogue_get_product(catalogue, row));
	if (drive.name)
		return add_drive(drives, &drive);
	free_drive(&drive);
	return out_of_memory();
}

enum exit_status read_catalogue(const struct common *common, uint32_t kind,
				struct drives *ret_drives)
{
	struct ssdpm_catalogue *catalogue = open_catalogue(common);
	enum exit_status status = STATUS_DONE;
	struct drives drives = { 0 };
	uint32_t n;

	*ret_drives = drives;
	if (!catalogue)
		return STATUS_FAILED;
	n = ssdpm_catalogue_get_n_rows(catalogue);
	for (uint32_t i = 0; i < n && !status; i++)
		status = add_row(catalogue, i, kind, &drives);
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
