/* SPDX-License-Identifier: MIT */
/* The quirks that Linux has for a SATA disk already: these are no remedies. */
#include "bisect/internal.h"

#include <errno.h>
#include <string.h>

#include <ssdpm/device.h>
#include <ssdpm/model.h>
#include <ssdpm/policy.h>

/* A disk, for the rules: they ask for its names alone. 0: none is known. */
static int new_disk(const struct ssdpm_device_facts *device,
		    struct ssdpm_model **ret_model, struct ssdpm_error *reterr)
{
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_SATA,
		.provenance = SSDPM_PROVENANCE_REPORTED,
	};
	int err;

	if (!device->product[0] ||
	    strlen(device->product) >= sizeof(info.product) ||
	    strlen(device->firmware) >= sizeof(info.firmware))
		return 0;
	ssdpm__bisect_put_word(info.product, device->product);
	ssdpm__bisect_put_word(info.firmware, device->firmware);
	err = ssdpm_model_new(&info, NULL, 0, ret_model, reterr);
	return err == -ENOMEM ? err : 0;
}

static uint32_t quirks_of_disk(const struct ssdpm_model *model,
			       const struct ssdpm_device_facts *device,
			       const struct ssdpm_machine_facts *machine)
{
	const struct ssdpm_host host = {
		.size = sizeof(host),
		.linux_release = machine->linux_release,
		.adapter_vendor_id = device->pci_vendor_id,
	};
	uint32_t quirks = 0;

	if (ssdpm_quirks_find(model, &host, &quirks, NULL, NULL))
		return 0;
	return quirks;
}

/*
 * The list of this Linux has the disk: __ata_dev_quirks in
 * drivers/ata/libata-core.c. Its rows with NO_LPM_ON_ATI have NO_NCQ_ON_ATI,
 * too. Those with NONCQ are older than any Linux that the rules know, so such a
 * disk has no queue that could fail.
 */
int ssdpm__bisect_read_disk_quirks(const struct ssdpm_device_facts *device,
				   const struct ssdpm_machine_facts *machine,
				   struct bisect_drive *drive,
				   struct ssdpm_error *reterr)
{
	const bool is_ati = device->pci_vendor_id == 0x1002;
	struct ssdpm_model *model = NULL;
	uint32_t quirks = 0;
	int err = machine->linux_release[0] ? new_disk(device, &model, reterr) :
					      0;

	if (err)
		return err;
	if (model)
		quirks = quirks_of_disk(model, device, machine);
	ssdpm_model_unref(model);
	drive->has_noncq =
		is_ati && quirks & (SSDPM_QUIRK_NO_LPM_ON_ATI |
				    SSDPM_QUIRK_NO_LPM_ON_ATI_AND_AMD);
	drive->has_nolpm = quirks & SSDPM_QUIRK_NO_LPM ||
			   (device->known & SSDPM_FACT_LPM_SUPPORTED &&
			    !device->lpm_supported);
	return 0;
}
