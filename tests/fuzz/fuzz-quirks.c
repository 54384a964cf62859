/* SPDX-License-Identifier: MIT */
/*
 * Rules about drives that somebody wrote. Three drives are held against them:
 * an NVMe one, a SATA one, and one of which nothing is known.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

static struct ssdpm_model *make(uint32_t kind, uint32_t unknown)
{
	const struct ssdpm_power_state state = { .max_power_uw = 1 };
	struct ssdpm_model_info info = { .size = sizeof(info),
					 .kind = kind,
					 .unknown = unknown };
	struct ssdpm_model *model = NULL;

	if (!(unknown & SSDPM_INFO_PRODUCT)) {
		strcpy(info.product, "Fixture SSD 256GB");
		strcpy(info.firmware, "FW 1.0");
	}
	if (!(unknown & SSDPM_INFO_VENDOR_ID))
		info.vendor_id = 0x1234;
	if (kind == SSDPM_KIND_SATA)
		info.sata_generations = 2;
	check(!ssdpm_model_new(&info, &state, 1, &model, NULL),
	      "a drive is made");
	return model;
}

static void run(uint32_t kind, uint32_t unknown, const struct ssdpm_host *host)
{
	struct ssdpm_model *model = make(kind, unknown);

	check_quirks(model, host);
	ssdpm_model_unref(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_host host = { .size = sizeof(host),
				   .linux_release = "6.6",
				   .board_name = "Board",
				   .bios_date = "04/06/2018" };

	host.rules = (const char *)data;
	host.rules_bytes = size;
	run(SSDPM_KIND_NVME, 0, &host);
	run(SSDPM_KIND_SATA, 0, &host);
	run(SSDPM_KIND_NVME,
	    SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT | SSDPM_INFO_FIRMWARE,
	    &host);
	return 0;
}
