/* SPDX-License-Identifier: MIT */
/* The catalogue's records as lib/data/make-catalogue.py writes them. */
#ifndef SSDPM_LIB_MODEL_CATALOGUE_RECORD_H
#define SSDPM_LIB_MODEL_CATALOGUE_RECORD_H

#include <stdint.h>

/* Beside enum ssdpm_state_flag. */
enum catalogue_state_flag {
	CATALOGUE_SHOWN_COARSELY = 1 << 7, /* in units of 10 mW */
};

/* A state, with the members of struct ssdpm_power_state. */
struct catalogue_state {
	uint32_t max_power_uw;
	uint32_t active_power_uw;
	uint32_t idle_power_uw;
	uint32_t entry_latency_us;
	uint32_t exit_latency_us;
	uint16_t unknown;
	uint16_t not_reported;
	uint16_t shown_active; /* units of 100 uW, or of 10 mW */
	uint8_t ranks[4];      /* RRT, RRL, RWT, RWL */
	uint8_t active_power_workload;
	uint8_t flags;
};

/* The members of struct ssdpm_model_info that only a SATA drive has. */
struct catalogue_sata {
	uint8_t unknown;
	uint8_t words_valid;
	uint8_t generations;
	uint8_t apm_level;
	uint8_t rotational;
	uint8_t supported;
	uint8_t supported_unknown;
	uint8_t enabled;
	uint8_t enabled_unknown;
};

/* What drives have in common: their power states, their SATA facts. */
struct catalogue_table {
	uint16_t first_state;
	uint8_t n_states;
	uint8_t kind;
	struct catalogue_sata sata;
};

enum catalogue_row_flag {
	CATALOGUE_VENDOR_UNKNOWN = 1 << 0,
};

/* A product with a firmware; key is the product in small letters. */
struct catalogue_row {
	uint32_t key;
	uint32_t product;
	uint32_t firmware;
	uint32_t seen;
	uint16_t table;
	uint16_t vendor_id;
	uint8_t flags;
};

#endif
