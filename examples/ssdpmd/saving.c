/* SPDX-License-Identifier: MIT */
/* The likely saving of profile auto on a drive against today's settings. */
#include "service.h"

#include <ssdpm-energy.h>
#include <string.h>

static int append(sd_bus_message *reply, const struct ssdpm_likely *likely)
{
	return sd_bus_message_append(
		reply, "{sv}{sv}{sv}{sv}", "verdict", "s",
		ssdpm_saving_verdict_to_string(likely->verdict), "low_uw", "x",
		likely->low_uw, "median_uw", "x", likely->median_uw, "high_uw",
		"x", likely->high_uw);
}

/* Made once, until something changes. NULL: an error was reported. */
static struct ssdpm_energy_report *report_of(struct service *service)
{
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.flags = SSDPM_SIM_LIKELY,
	};
	struct ssdpm_error error;

	if (!service->savings &&
	    ssdpm_energy_report_new(service->machine, &params,
				    &service->savings, &error))
		say("%s", error.message);
	return service->savings;
}

void forget_savings(struct service *service)
{
	service->savings = ssdpm_energy_report_free(service->savings);
}

/* Appends nothing if nothing would change, or if no saving is known. */
int append_likely_saving(struct service *service, const struct drive *drive,
			 sd_bus_message *reply)
{
	struct ssdpm_energy_report_item item = { .size = sizeof(item) };
	const char *name = ssdpm_device_get_facts(drive->device)->name;
	const struct ssdpm_energy_report *report = report_of(service);

	for (size_t i = 0;
	     report && !ssdpm_energy_report_get_item(report, i, &item); i++)
		if (!strcmp(item.drive->name, name) && item.likely)
			return append(reply, item.likely);
	return 0;
}
