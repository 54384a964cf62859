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
	info->sata_generations = generations & 14;
	info->sata_words_valid = 1;
	info->unknown &= ~(uint32_t)(SSDPM_INFO_SATA_WORDS_VALID |
				     SSDPM_INFO_SATA_GENERATIONS);
}

void ssdpm__smartctl_set_apm(struct ssdpm_model_info *info, bool supported,
			     bool enabled, uint64_t level)
{
	info->sata_supported_unknown &= ~(uint32_t)SSDPM_SATA_APM;
	info->sata_enabled_unknown &= ~(uint32_t)SSDPM_SATA_APM;
	if (supported)
		info->sata_supported |= SSDPM_SATA_APM;
	if (enabled)
		info->sata_enabled |= SSDPM_SATA_APM;
	if (level < 1 || level > 254)
		return;
	info->apm_level = (uint8_t)level;
	info->unknown &= ~(uint32_t)SSDPM_INFO_APM_LEVEL;
}
