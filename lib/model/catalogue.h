/* SPDX-License-Identifier: MIT */
/*
 * The catalogue as an object: it joins what is built in with the drives of a
 * caller.
 */
#ifndef SSDPM_LIB_MODEL_CATALOGUE_H
#define SSDPM_LIB_MODEL_CATALOGUE_H

#include "catalogue-data.h"
#include "model/internal.h"

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
struct drive_row {
	const char *key;
	const char *product;
	const char *firmware;
	uint32_t seen;
	uint32_t table;
	const struct user_drive *drive; /* NULL: built in */
};

/*
 * Replace each capacity in a key by a mark; false: it has none. A key has no
 * such mark itself, or is not harmed by it: both sides are so written.
 */
#define CAPACITY_MARK '#'
bool ssdpm__drop_capacities(const char *key, char ret_rest[PRODUCT_SIZE]);

struct drive_row ssdpm__catalogue_row(const struct ssdpm_catalogue *catalogue,
				      uint32_t index);

/* Small letters instead of ASCII capitals. false: longer than size - 1. */
bool ssdpm__fold(const char *text, char *ret_key, size_t size);

/* strcmp() to which ASCII capitals and small letters are the same. */
int ssdpm__compare_folded(const char *a, const char *b);

#endif
