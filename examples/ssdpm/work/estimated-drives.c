/* SPDX-License-Identifier: MIT */
/* Leaves out drives that the library does not estimate. */
#include "work/simulate.h"

#include "input/live.h"
#include "text/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Asks the library about a drive that is no device. */
static int check_model(const struct ssdpm_model *model,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n;

	return ssdpm_parameters_from_model(model, 0, parameters,
					   SSDPM_MAX_PARAMETERS, &n, reterr);
}

bool is_estimated(const struct drive *drive, char why[256])
{
	struct ssdpm_error error;
	int err = drive->device ? ssdpm_device_check_estimable(
					  drive->device, drive->model, &error) :
				  check_model(drive->model, &error);

	if (err == -EOPNOTSUPP)
		snprintf(why, 256, "%s", error.message);
	return err != -EOPNOTSUPP;
}

static bool has_estimated(const struct drives *drives)
{
	char why[256];

	for (size_t i = 0; i < drives->n; i++)
		if (is_estimated(&drives->drives[i], why))
			return true;
	return false;
}

enum exit_status status_without_drives(void)
{
	const enum exit_status failed = failed_drive_status();

	return failed ? failed : STATUS_DEVICE_CANNOT;
}

/*
 * Those of a machine are left out, and those that are named are failures. If no
 * other is there, all are.
 */
static enum exit_status leave_out(const struct common *common, size_t n_named,
				  struct drives *drives)
{
	enum exit_status status = STATUS_DONE;
	const bool fails = n_named || !has_estimated(drives);
	char why[256];
	size_t n = 0;

	for (size_t i = 0; i < drives->n; i++) {
		struct drive *drive = &drives->drives[i];

		if (is_estimated(drive, why)) {
			drives->drives[n++] = *drive;
			continue;
		}
		if (fails)
			complain("%s: %s", drive->name, why);
		else if (!common->quiet)
			remark("%s: %s", drive->name, why);
		if (n_named && !keep_failed_drive(common, drive->name, n_named,
						  STATUS_DEVICE_CANNOT))
			status = STATUS_DEVICE_CANNOT;
		free_drive(drive);
	}
	drives->n = n;
	return status || n ? status : status_without_drives();
}

enum exit_status read_estimated_drives(const struct common *common,
				       char **operands, size_t n,
				       struct drives *ret_drives)
{
	enum exit_status status = read_drives(common, operands, n, ret_drives);
	struct common unlisted = *common;

	/* They give the exit status, and only drives with an answer are
	 * listed. */
	unlisted.form = FORM_HUMAN;
	if (!status)
		complain_of_all_unread(&unlisted, ret_drives, n);
	if (!status && ret_drives->n)
		status = leave_out(common, n, ret_drives);
	return status;
}
