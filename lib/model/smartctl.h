/* SPDX-License-Identifier: MIT */
/* smartctl: what the readers of its text and of its JSON share. */
#ifndef SSDPM_LIB_MODEL_SMARTCTL_H
#define SSDPM_LIB_MODEL_SMARTCTL_H

#include "model/sata.h"

/* The largest MP in its largest unit: 65535 times 0.01 W. */
#define SMARTCTL_MAX_POWER_UW 655350000

/*
 * The powers that smartctl tells of no NVMe power state. It has columns for
 * active and idle power, but masks their scale, bits 7:6 of a byte, with 3. So
 * the idle power is always "-". The active power is right only if the workload
 * (bits 2:0) happens to equal the scale. Source: smartmontools up to 7.5,
 * nvmeprint.cpp and nvmecmds.h.
 */
#define SMARTCTL_UNKNOWN_FIELDS                              \
	(SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER | \
	 SSDPM_FIELD_ACTIVE_POWER_WORKLOAD |                 \
	 SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME |    \
	 SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME |          \
	 SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME)

/* sata.c. The kind of a drive is known: so is what smartctl cannot tell of it.
 */
void ssdpm__smartctl_set_kind(struct ssdpm_model_info *info, uint32_t kind);

/* Its speeds, bits 1 to 3: only where word 76 has some does smartctl say so. */
void ssdpm__smartctl_set_generations(struct ssdpm_model_info *info,
				     uint64_t generations);

/* Its APM; level 0 and 255 are reserved: whatever they mean is not known. */
void ssdpm__smartctl_set_apm(struct ssdpm_model_info *info, bool supported,
			     bool enabled, uint64_t level);

/* Whether it rotates: 0 is what smartctl has for an SSD. */
void ssdpm__smartctl_set_rotation(struct ssdpm_model_info *info,
				  uint64_t times_a_minute);

#endif
