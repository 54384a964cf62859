/* SPDX-License-Identifier: MIT */
/* The words of the model's enums: in JSON, in Python, in the command. */
#include "model/internal.h"

const char *ssdpm_kind_to_string(uint32_t kind)
{
	switch (kind) {
	case SSDPM_KIND_NVME:
		return "nvme";
	case SSDPM_KIND_SATA:
		return "sata";
	default:
		return NULL;
	}
}

const char *ssdpm_provenance_to_string(uint32_t provenance)
{
	switch (provenance) {
	case SSDPM_PROVENANCE_REPORTED:
		return "reported";
	case SSDPM_PROVENANCE_MEASURED:
		return "measured";
	case SSDPM_PROVENANCE_CATALOGUE:
		return "catalogue";
	case SSDPM_PROVENANCE_ASSUMED:
		return "assumed";
	case SSDPM_PROVENANCE_STATED:
		return "stated";
	default:
		return NULL;
	}
}

const char *ssdpm_format_to_string(uint32_t format)
{
	static const char names[][20] = {
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

	if (!format || format >= sizeof(names) / sizeof(names[0]))
		return NULL;
	return names[format];
}

const char *ssdpm_link_state_to_string(uint32_t link_state)
{
	switch (link_state) {
	case SSDPM_LINK_ACTIVE:
		return "active";
	case SSDPM_LINK_PARTIAL:
		return "partial";
	case SSDPM_LINK_SLUMBER:
		return "slumber";
	case SSDPM_LINK_DEVSLEEP:
		return "devsleep";
	default:
		return NULL;
	}
}

const char *ssdpm_sata_feature_to_string(uint32_t feature)
{
	switch (feature) {
	case SSDPM_SATA_HIPM:
		return "hipm";
	case SSDPM_SATA_DIPM:
		return "dipm";
	case SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER:
		return "device_auto_partial_to_slumber";
	case SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER:
		return "host_auto_partial_to_slumber";
	case SSDPM_SATA_DEVSLEEP:
		return "devsleep";
	case SSDPM_SATA_APM:
		return "apm";
	default:
		return NULL;
	}
}
