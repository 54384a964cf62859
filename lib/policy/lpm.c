/* SPDX-License-Identifier: MIT */
/* Link power management of SATA: the names that Linux has. */
#include <ssdpm/policy.h>

const char *ssdpm_lpm_to_string(uint32_t lpm)
{
	switch (lpm) {
	case SSDPM_LPM_KEEP_FIRMWARE_SETTINGS:
		return "keep_firmware_settings";
	case SSDPM_LPM_MAX_PERFORMANCE:
		return "max_performance";
	case SSDPM_LPM_MEDIUM_POWER:
		return "medium_power";
	case SSDPM_LPM_MED_POWER_WITH_DIPM:
		return "med_power_with_dipm";
	case SSDPM_LPM_MIN_POWER_WITH_PARTIAL:
		return "min_power_with_partial";
	case SSDPM_LPM_MIN_POWER:
		return "min_power";
	default:
		return NULL;
	}
}

const char *ssdpm_pcie_link_to_string(uint32_t link)
{
	switch (link) {
	case SSDPM_PCIE_L0:
		return "l0";
	case SSDPM_PCIE_L1:
		return "l1";
	case SSDPM_PCIE_L1_2:
		return "l1.2";
	default:
		return NULL;
	}
}
