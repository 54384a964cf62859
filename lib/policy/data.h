/* SPDX-License-Identifier: MIT */
/* Tables that somebody saved: what the readers share. */
#ifndef SSDPM_LIB_POLICY_DATA_H
#define SSDPM_LIB_POLICY_DATA_H

#include "policy/internal.h"

/* 256 bytes do not say whether APST was on: it was unless they are all 0. */
int ssdpm__apst_from_bytes(const uint8_t data[SSDPM_APST_BYTES],
			   struct ssdpm_apst *ret_table,
			   struct ssdpm_error *reterr);

/* What nvme get-feature -f 0x0c prints, with and without -H. */
int ssdpm__apst_from_text(const char *text, size_t size,
			  struct ssdpm_apst *ret_table,
			  struct ssdpm_error *reterr);

#endif
