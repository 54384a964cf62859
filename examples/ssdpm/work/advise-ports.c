/* SPDX-License-Identifier: MIT */
/* Finds drives that ssdpm apply would not set. */
#include "work/advise.h"

#include "input/live.h"

#include <stdlib.h>

/* The plan shows what would stop ssdpm apply. */
static bool has_obstacle(const struct drive *drive, struct ssdpm_plan *plan,
			 char why[256])
{
	const uint32_t lpms[] = { SSDPM_LPM_MED_POWER_WITH_DIPM,
				  SSDPM_LPM_MEDIUM_POWER };
	const struct ssdpm_lpm_params params = {
		.size = sizeof(params),
		.lpms = lpms,
		.n_lpms = sizeof(lpms) / sizeof(lpms[0]),
	};
	struct ssdpm_step step = { .size = sizeof(step) };
	struct ssdpm_error error;

	if (ssdpm_plan_add_lpm(plan, drive->device, drive->model, &params,
			       &error)) {
		snprintf(why, 256, "%s", error.message);
		return true;
	}
	if (ssdpm_plan_get_step(plan, 0, &step) ||
	    step.state != SSDPM_STEP_LEFT_ALONE)
		return has_no_changes(drive, SSDPM_ROUTE_LINK_POLICY, why);
	snprintf(why, 256, "%s", step.why);
	return true;
}

static bool cannot_be_set(const struct drive *drive, char why[256])
{
	struct ssdpm_plan *plan;
	bool result;

	if (!drive->device || !drive->live ||
	    ssdpm_model_get_info(drive->model)->kind != SSDPM_KIND_SATA ||
	    ssdpm_plan_new(drive->live->machine, NULL, &plan, NULL))
		return false;
	result = has_obstacle(drive, plan, why);
	ssdpm_plan_free(plan);
	return result;
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
