/* SPDX-License-Identifier: MIT */
/* Finds drives that ssdpm apply would not set. */
#include "work/advise.h"

#include "input/live.h"

#include <stdlib.h>

static bool cannot_be_set(const struct drive *drive, char why[256])
{
	struct ssdpm_bounds bounds = { .size = sizeof(bounds) };
	struct ssdpm_apst_params kernel = { .size = sizeof(kernel) };
	struct ssdpm_error error;

	if (!drive->device || !drive->live ||
	    ssdpm_model_get_info(drive->model)->kind != SSDPM_KIND_SATA ||
	    !ssdpm_bounds_set_device(&bounds, drive->live->machine,
				     drive->device, drive->model, &kernel,
				     &error))
		return false;
	snprintf(why, 256, "%s", error.message);
	return true;
}

enum exit_status leave_out_ports(const struct common *common,
				 struct drives *drives)
{
	enum exit_status status = STATUS_DONE;
	bool said = false;
	char why[256];
	size_t n = 0;

	for (size_t i = 0; i < drives->n; i++) {
		struct drive *drive = &drives->drives[i];

		if (!cannot_be_set(drive, why)) {
			drives->drives[n++] = *drive;
			continue;
		}
		if (drive->named)
			status = STATUS_DEVICE_CANNOT;
		if (drive->named || !common->quiet) {
			complain_about(drive->name, why);
			said = true;
		}
		free_drive(drive);
	}
	drives->n = n;
	if (!n && !said)
		complain("there is no drive that could be set");
	return n ? status : status_without_drives();
}
