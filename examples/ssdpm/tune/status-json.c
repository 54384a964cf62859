/* SPDX-License-Identifier: MIT */
/* What ssdpm status answers for programs: each drive in short. */
#include "programs.h"
#include "text/device.h"

#include <stdlib.h>

static enum exit_status add_status(const struct common *common,
				   const struct drive *drive,
				   const struct outlooks *outlooks,
				   size_t n_pending, struct items *items)
{
	struct ssdpm_object object = {
		.kind = SSDPM_OBJECT_STATUS,
		.n_pending = (uint32_t)n_pending,
	};
	struct insight insight = { 0 };
	enum exit_status status = look_into(common, drive, &insight);
	char *best = NULL, *text = NULL;
	struct ssdpm_error error;
	int err = outlook_json(outlooks, drive->name, &best, &error);

	object.more_json = best;
	if (!err)
		err = drive_json(object, drive, &insight, &text, &error);
	add_item(items, err, text, &error);
	free(best);
	free_insight(&insight);
	return status;
}

/* A fault in a file hides no drive. */
static enum exit_status add_drives(const struct common *common,
				   const struct drives *drives,
				   const struct live *live, struct items *items)
{
	enum exit_status status = STATUS_DONE, one;
	struct outlooks outlooks = { 0 };
	struct ssdpm_error error;
	size_t n_pending;

	if (read_outlooks(live, &outlooks, &error))
		return complain_of_device(common->root, &error);
	if (count_pending(live, &n_pending, &error)) {
		status = complain_of_device(NULL, &error);
		n_pending = UINT32_MAX;
	}
	for (size_t i = 0; i < drives->n; i++) {
		one = add_status(common, &drives->drives[i], &outlooks,
				 n_pending, items);
		status = status ? status : one;
	}
	if (!drives->n && !outlooks.n && !common->quiet)
		complain_of_no_drive(common);
	one = complain_of_unread(common, live, &outlooks, drives);
	free_outlooks(&outlooks);
	return status ? status : one;
}

enum exit_status print_status_items(const struct common *common)
{
	struct items items = { 0 };
	enum exit_status status, printed;
	struct drives drives;

	status = read_devices(common, NULL, 0, &drives);
	if (!status) {
		look_at_journals(common, &drives);
		status = add_drives(common, &drives, drives.lives[0], &items);
		printed = print_items(common, &items);
		status = status ? status : printed;
	}
	free_drives(&drives);
	return status;
}
