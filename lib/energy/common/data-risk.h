/* SPDX-License-Identifier: MIT */
#ifndef SSDPM_LIB_DATA_RISK_H
#define SSDPM_LIB_DATA_RISK_H

#include <ssdpm/policy.h>

#include <stdbool.h>

/*
 * Whether a link policy has lost data on some drives, so that any other one is
 * better: SSDPM_DIAGNOSIS_LPM_MIN_POWER. lpm: 0: unknown.
 */
static inline bool ssdpm__risks_data(uint32_t lpm)
{
	return lpm == SSDPM_LPM_MIN_POWER;
}

#endif
