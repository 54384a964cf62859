/* SPDX-License-Identifier: MIT */
/*
 * The catalogue: its records as lib/data/make-catalogue.py writes them, and the
 * object that joins them with the drives of a caller.
 */
#ifndef SSDPM_LIB_MODEL_CATALOGUE_H
#define SSDPM_LIB_MODEL_CATALOGUE_H

#include "model/internal.h"

/* What a state has; the members are those of struct ssdpm_power_state. */
struct catalogue_state {
	uint32_t max_power_uw;
	uint32_t active_power_uw;
	uint32_t idle_power_uw;
	uint32_t entry_latency_us;
	uint32_t exit_latency_us;
	uint16_t unknown;
	uint16_t not_reported;
	uint8_t ranks[4]; /* RRT, RRL, RWT, RWL */
	uint8_t active_power_workload;
	uint8_t flags;
};

/* The members of struct ssdpm_model_info that only a SATA drive has. */
struct catalogue_sata {
	uint8_t unknown;
	uint8_t words_valid;
	uint8_t generations;
	uint8_t apm_level;
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

/*
 * Tables of a caller's drives that may differ from each other and from the
 * built-in ones: a lookup counts tables on its stack.
 */
#define CATALOGUE_MAX_USER_TABLES 1024

#define PRODUCT_SIZE sizeof(((struct ssdpm_model_info *)0)->product)

/* A drive of the caller. */
struct user_drive {
	struct ssdpm_model *model;
	char key[PRODUCT_SIZE];
	uint32_t index; /* in the caller's text */
	uint32_t table;
};

/*
 * order is NULL where there are only the built-in rows. Otherwise it has for
 * each row its number among the built-in ones, or the number of a drive of the
 * caller behind these.
 */
struct ssdpm_catalogue {
	unsigned int refs;
	uint32_t n_rows;
	uint32_t n_tables;
	uint32_t *order;
	struct user_drive *drives;
	size_t n_drives;
};

/* A row, wherever it comes from. Texts are "" where they are not known. */
struct row {
	const char *key;
	const char *product;
	const char *firmware;
	uint32_t seen;
	uint32_t table;
	const struct user_drive *drive; /* NULL: built in */
};

struct row ssdpm__catalogue_row(const struct ssdpm_catalogue *catalogue,
				uint32_t index);

/* Small letters instead of ASCII capitals. false: longer than size - 1. */
bool ssdpm__fold(const char *text, char *ret_key, size_t size);

/* strcmp() to which ASCII capitals and small letters are the same. */
int ssdpm__compare_folded(const char *a, const char *b);

#endif
