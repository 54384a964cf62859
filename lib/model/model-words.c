/* SPDX-License-Identifier: MIT */
/* The words of the model's enums: in JSON, in Python, in the command. */
#include "model/internal.h"
#include "base/words.h"

static const char kind_words[][5] = {
	[SSDPM_KIND_NVME] = "nvme",
	[SSDPM_KIND_SATA] = "sata",
};
ENUM_WORDS(kind)

static const char provenance_words[][10] = {
	[SSDPM_PROVENANCE_REPORTED] = "reported",
	[SSDPM_PROVENANCE_MEASURED] = "measured",
	[SSDPM_PROVENANCE_CATALOGUE] = "catalogue",
	[SSDPM_PROVENANCE_ASSUMED] = "assumed",
	[SSDPM_PROVENANCE_STATED] = "stated",
};
ENUM_WORDS(provenance)

static const char format_words[][17] = {
	[SSDPM_FORMAT_NVME_IDENTIFY] = "nvme-identify",
	[SSDPM_FORMAT_NVME_CLI_TEXT] = "nvme-cli-text",
	[SSDPM_FORMAT_NVME_CLI_JSON] = "nvme-cli-json",
	[SSDPM_FORMAT_SMARTCTL_TEXT] = "smartctl-text",
	[SSDPM_FORMAT_SMARTCTL_JSON] = "smartctl-json",
	[SSDPM_FORMAT_ATA_IDENTIFY] = "ata-identify",
	[SSDPM_FORMAT_ATA_IDENTIFY_HEX] = "ata-identify-hex",
	[SSDPM_FORMAT_HDPARM_TEXT] = "hdparm-text",
	[SSDPM_FORMAT_ATASMART_BLOB] = "atasmart-blob",
};
ENUM_WORDS(format)

static const char link_state_words[][9] = {
	[SSDPM_LINK_ACTIVE] = "active",
	[SSDPM_LINK_PARTIAL] = "partial",
	[SSDPM_LINK_SLUMBER] = "slumber",
	[SSDPM_LINK_DEVSLEEP] = "devsleep",
};
ENUM_WORDS(link_state)

static const char sata_feature_words[][31] = {
	[FLAG(SSDPM_SATA_HIPM)] = "hipm",
	[FLAG(SSDPM_SATA_DIPM)] = "dipm",
	[FLAG(SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER)] =
		"device_auto_partial_to_slumber",
	[FLAG(SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER)] =
		"host_auto_partial_to_slumber",
	[FLAG(SSDPM_SATA_DEVSLEEP)] = "devsleep",
	[FLAG(SSDPM_SATA_APM)] = "apm",
};
FLAG_WORDS(sata_feature)
