/* SPDX-License-Identifier: MIT */
#include "model/smartctl.h"

struct ssdpm_model_info ssdpm__smartctl_info(uint32_t format)
{
	return (struct ssdpm_model_info){
		.size = sizeof(struct ssdpm_model_info),
		.provenance = SSDPM_PROVENANCE_REPORTED,
		.format = format,
		.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT |
			   SSDPM_INFO_FIRMWARE | SSDPM_INFO_APSTA,
	};
}

void ssdpm__smartctl_set_kind(struct ssdpm_model_info *info, uint32_t kind)
{
	const uint32_t features = (1u << N_SATA_FEATURES) - 1;

	info->kind = kind;
	if (kind != SSDPM_KIND_SATA)
		return;
	info->unknown |= SSDPM_INFO_SATA_WORDS_VALID |
			 SSDPM_INFO_SATA_GENERATIONS | SSDPM_INFO_APM_LEVEL;
	info->sata_supported_unknown = features;
	info->sata_enabled_unknown = features;
}

void ssdpm__smartctl_set_generations(struct ssdpm_model_info *info,
				     uint64_t generations)
{
	ssdpm__sata_know_valid(info, true);
	ssdpm__sata_know_generations(info, generations & 14);
}

void ssdpm__smartctl_set_apm(struct ssdpm_model_info *info, bool supported,
			     bool enabled, uint64_t level)
{
	ssdpm__sata_know_supported(info, SSDPM_SATA_APM, supported);
	ssdpm__sata_know_enabled(info, SSDPM_SATA_APM, enabled);
	ssdpm__sata_know_apm_level(info, level);
}
