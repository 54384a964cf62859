/* SPDX-License-Identifier: MIT */
/* Link power management of SATA: the names that Linux has. */
#include "base/words.h"

#include <ssdpm/policy.h>

static const char lpm_words[][23] = {
	[SSDPM_LPM_KEEP_FIRMWARE_SETTINGS] = "keep_firmware_settings",
	[SSDPM_LPM_MAX_PERFORMANCE] = "max_performance",
	[SSDPM_LPM_MEDIUM_POWER] = "medium_power",
	[SSDPM_LPM_MED_POWER_WITH_DIPM] = "med_power_with_dipm",
	[SSDPM_LPM_MIN_POWER_WITH_PARTIAL] = "min_power_with_partial",
	[SSDPM_LPM_MIN_POWER] = "min_power",
};
ENUM_WORDS(lpm)

static const char pcie_link_words[][5] = {
	[SSDPM_PCIE_L0] = "l0",
	[SSDPM_PCIE_L1] = "l1",
	[SSDPM_PCIE_L1_2] = "l1.2",
};
ENUM_WORDS(pcie_link)
