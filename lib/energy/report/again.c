/* SPDX-License-Identifier: MIT */
/* Reads a drive again, and tells whether it is still the same one. */
#include "report/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/internal.h"

/* The first three lines of a SATA drive's file have the serial number. */
enum { ID_TEXT = 3 * 40 };

struct identity ssdpm__read_identity(struct ssdpm_machine *machine,
				     const struct ssdpm_device *device)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct identity identity = { "" };
	char path[300], text[2048];

	if (facts->kind == SSDPM_KIND_NVME && facts->path[0] == '/')
		snprintf(path, sizeof(path), "%.270s/serial", facts->path + 1);
	else
		snprintf(path, sizeof(path), "sys/class/ata_device/dev%u.0/id",
			 facts->ata_port);
	if (!ssdpm_machine_read_attribute(machine, path, text, sizeof(text),
					  NULL))
		snprintf(identity.text, sizeof(identity.text), "%.*s", ID_TEXT,
			 text);
	return identity;
}

static bool is_same(const struct ssdpm_energy_report *report,
		    const struct energy_item *item,
		    const struct ssdpm_device *device)
{
	const struct ssdpm_device_facts *then =
		ssdpm_device_get_facts(item->drive.device);
	const struct ssdpm_device_facts *now = ssdpm_device_get_facts(device);

	return !strcmp(now->product, then->product) &&
	       !strcmp(now->path, then->path) &&
	       !strcmp(ssdpm__read_identity(report->machine, device).text,
		       item->identity.text);
}

int ssdpm_energy_report_read_device(const struct ssdpm_energy_report *report,
				    size_t index,
				    struct ssdpm_device **ret_device,
				    struct ssdpm_error *reterr)
{
	const struct energy_item *item;
	struct ssdpm_device *device;
	int err;

	if (index >= report->n)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "the report has no item %zu", index);
	item = &report->items[index];
	err = ssdpm_device_read(report->machine, item->drive.name, &device,
				reterr);
	if (err)
		return err;
	if (item->drive.device && !is_same(report, item, device)) {
		ssdpm_device_unref(device);
		return ssdpm__fail(reterr, -ESTALE, 0,
				   "%s: it is another drive now",
				   item->drive.name);
	}
	*ret_device = device;
	return 0;
}
