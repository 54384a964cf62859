/* SPDX-License-Identifier: MIT */
/*
 * The power governor of Intel's data-centre drives: what each mode allows. From
 * Intel's article on the power of the DC P3700 and its family; the numbers are
 * the vendor's, not ours.
 */
#include "base/words.h"

#include <ssdpm/energy/caps.h>

static const struct ssdpm_governor_mode pcie[] = {
	{ .mode = 0, .is_limited = 1, .power_uw = 25000000 },
	{ .mode = 1, .is_limited = 1, .power_uw = 20000000 },
	{ .mode = 2, .is_limited = 1, .power_uw = 10000000 },
};

static const struct ssdpm_governor_mode pcie_x8[] = {
	{ .mode = 0, .is_limited = 1, .power_uw = 40000000 },
	{ .mode = 1, .is_limited = 1, .power_uw = 35000000 },
	{ .mode = 2, .is_limited = 1, .power_uw = 25000000 },
};

static const struct ssdpm_governor_mode sata[] = {
	{ .mode = 0 },
	{ .mode = 1, .is_limited = 1, .power_uw = 7000000 },
	{ .mode = 2, .is_limited = 1, .power_uw = 5000000 },
};

const struct ssdpm_governor_mode *ssdpm_governor_get_modes(uint32_t form,
							   size_t *ret_n)
{
	*ret_n = sizeof(pcie) / sizeof(pcie[0]);
	switch (form) {
	case SSDPM_GOVERNOR_PCIE:
		return pcie;
	case SSDPM_GOVERNOR_PCIE_X8:
		return pcie_x8;
	case SSDPM_GOVERNOR_SATA:
		return sata;
	default:
		*ret_n = 0;
		return NULL;
	}
}

static const char governor_form_words[][8] = {
	[SSDPM_GOVERNOR_PCIE] = "pcie",
	[SSDPM_GOVERNOR_PCIE_X8] = "pcie-x8",
	[SSDPM_GOVERNOR_SATA] = "sata",
};
ENUM_WORDS(governor_form)
