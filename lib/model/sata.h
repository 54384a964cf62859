/* SPDX-License-Identifier: MIT */
/* SATA: what the readers of its formats share. */
#ifndef SSDPM_LIB_MODEL_SATA_H
#define SSDPM_LIB_MODEL_SATA_H

#include "model/internal.h"

/* IDENTIFY DEVICE data (ACS-4). */
#define ATA_WORDS 256
#define ATA_IDENTIFY_BYTES 512

/*
 * A drive of which nothing is known yet, and what becomes known
 * of it.
 */
struct ssdpm_model_info ssdpm__sata_unknown(uint32_t format);
void ssdpm__sata_know_supported(struct ssdpm_model_info *info, uint32_t feature,
				bool supported);
void ssdpm__sata_know_enabled(struct ssdpm_model_info *info, uint32_t feature,
			      bool enabled);
void ssdpm__sata_know_valid(struct ssdpm_model_info *info, bool valid);
void ssdpm__sata_know_generations(struct ssdpm_model_info *info,
				  uint8_t generations);
void ssdpm__sata_know_apm_level(struct ssdpm_model_info *info, uint64_t level);
void ssdpm__sata_know_rotational(struct ssdpm_model_info *info, bool rotates);

/*
 * The states that the link is known to support, with the exit latencies of
 * Serial ATA. devsleep_exit_us is the drive's DETO; 0: it has none.
 */
size_t ssdpm__sata_states(const struct ssdpm_model_info *info,
			  uint32_t devsleep_exit_us,
			  struct ssdpm_power_state ret_states[N_LINK_STATES]);

int ssdpm__sata_model_new(const struct ssdpm_model_info *info,
			  uint32_t devsleep_exit_us,
			  struct ssdpm_model **ret_model,
			  struct ssdpm_error *reterr);
int ssdpm__sata_model_from_words(const uint16_t words[ATA_WORDS],
				 uint32_t format,
				 struct ssdpm_model **ret_model,
				 struct ssdpm_error *reterr);
int ssdpm__sata_model_from_bytes(const uint8_t bytes[ATA_IDENTIFY_BYTES],
				 uint32_t format,
				 struct ssdpm_model **ret_model,
				 struct ssdpm_error *reterr);

#endif
