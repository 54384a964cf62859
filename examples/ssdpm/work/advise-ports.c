/* SPDX-License-Identifier: MIT */
/* Finds drives that ssdpm apply would not set, or that cannot be read. */
#include "work/advise.h"

#include "input/live.h"

#include <errno.h>
#include <stdint.h>

static int check_drive(const struct drive *drive, struct ssdpm_error *reterr)
{
	struct ssdpm_bounds bounds = { .size = sizeof(bounds) };
	struct ssdpm_apst_params kernel = { .size = sizeof(kernel) };

	if (!drive->device || !drive->live)
		return 0;
	return ssdpm_bounds_set_device(&bounds, drive->live->machine,
				       drive->device, drive->model, &kernel,
				       reterr);
}

/* One that cannot be read is a failure, also if nobody named it. */
static enum exit_status complain_of_drive(const struct common *common,
					  const struct drive *drive,
					  const struct ssdpm_error *error)
{
	enum exit_status status = STATUS_DEVICE_CANNOT;

	complain_about(drive->name, error->message);
	if (error->code == -EOPNOTSUPP)
		return drive->named ? status : STATUS_DONE;
	status = status_of_error(error->code);
	keep_failed_drive(common, drive->name, SIZE_MAX, status);
	return status;
}

enum exit_status leave_out_ports(const struct common *common,
				 struct drives *drives)
{
	enum exit_status status = STATUS_DONE, one;
	struct ssdpm_error error;
	bool said = false;
	size_t n = 0;

	for (size_t i = 0; i < drives->n; i++) {
		struct drive *drive = &drives->drives[i];

		if (!check_drive(drive, &error)) {
			drives->drives[n++] = *drive;
			continue;
		}
		if (drive->named || !common->quiet ||
		    error.code != -EOPNOTSUPP) {
			one = complain_of_drive(common, drive, &error);
			status = status ? status : one;
			said = true;
		}
		free_drive(drive);
	}
	drives->n = n;
	if (!n && !said)
		complain("there is no drive that could be set");
	if (n || (status && !failed_drive_status()))
		return status;
	return status_without_drives();
}
