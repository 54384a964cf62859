/* SPDX-License-Identifier: MIT */
/* The workload and the batteries of a machine, where no option says them. */
#include "input/usual-workload.h"

#include "input/input.h"
#include "input/live.h"

#include <string.h>

struct cell workload_text(const struct ssdpm_machine *machine, const char *name)
{
	static const char reasons[][32] = {
		[SSDPM_WORKLOAD_REASON_FIRMWARE] = "a server by firmware",
		[SSDPM_WORKLOAD_REASON_CHASSIS] = "a server by chassis",
		[SSDPM_WORKLOAD_REASON_DISKS] = "many SATA disks",
		[SSDPM_WORKLOAD_REASON_NO_SERVER] = "no sign of a server",
	};

	if (!machine)
		return cell("%s; --trace takes your own", name);
	return cell("%s (%s); --trace takes your own", name,
		    reasons[ssdpm_machine_get_workload_reason(machine)]);
}

static const struct ssdpm_machine *machine_of(const struct drive *drive)
{
	return drive->live ? drive->live->machine : NULL;
}

enum exit_status take_usual_workload(const struct common *common,
				     const struct drives *drives,
				     const char **ret_name)
{
	const struct ssdpm_machine *machine =
		drives && drives->n ? machine_of(&drives->drives[0]) : NULL;
	const char *name = ssdpm_machine_get_workload(machine);

	for (size_t i = 1; drives && i < drives->n; i++) {
		const char *other = ssdpm_machine_get_workload(
			machine_of(&drives->drives[i]));

		if (strcmp(name, other))
			return usage_error(common,
					   "no --trace given: %s is for %s, "
					   "and %s for %s",
					   name, drives->drives[0].name, other,
					   drives->drives[i].name);
	}
	if (!common->quiet)
		remark("workload: %s", workload_text(machine, name).text);
	*ret_name = name;
	return STATUS_DONE;
}

bool read_batteries(const struct live *live, double *ret_wh, double *ret_w)
{
	struct ssdpm_reading reading = { .size = sizeof(reading) };
	struct ssdpm_sampler *sampler;
	struct ssdpm_meter meter;
	int err;

	if (live->facts.power_source != SSDPM_SOURCE_BATTERY ||
	    ssdpm_machine_find_meter(live->machine, "battery", &meter, NULL) ||
	    ssdpm_sampler_new(live->machine, &meter, &sampler, NULL))
		return false;
	err = ssdpm_sampler_read(sampler, &reading, NULL);
	ssdpm_sampler_free(sampler);
	*ret_wh = reading.left_j / 3600;
	*ret_w = reading.power_w;
	return !err && *ret_wh > 0 && *ret_w > 0;
}
