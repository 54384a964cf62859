/* SPDX-License-Identifier: MIT */
/* The model stage: what its files share. */
#ifndef SSDPM_LIB_MODEL_INTERNAL_H
#define SSDPM_LIB_MODEL_INTERNAL_H

#include "base/internal.h"

#include <ssdpm/model.h>

#define RANK_MAX 31 /* ranks have five bits */

/*
 * The numeric members of struct ssdpm_power_state: one table for names, ranges,
 * reading and writing.
 */
struct field {
	const char *name;
	uint32_t bit;
	uint16_t offset;
	uint16_t width; /* bytes */
	uint64_t max;
};

#define N_FIELDS 13

extern const struct field ssdpm__fields[N_FIELDS];

/* Fields for which the value 0 is NVMe's "not reported", and stands. */
#define FIELDS_ZERO_STANDS                                   \
	(SSDPM_FIELD_MAX_POWER | SSDPM_FIELD_ENTRY_LATENCY | \
	 SSDPM_FIELD_EXIT_LATENCY)

uint64_t ssdpm__field_get(const struct field *field,
			  const struct ssdpm_power_state *state);
void ssdpm__field_set(const struct field *field,
		      struct ssdpm_power_state *state, uint64_t value);

/* An array of models that grows; free it with ssdpm_model_list_free(). */
struct model_list {
	struct ssdpm_model **models;
	size_t n;
};

/*
 * Make room for n models, as yet NULL, in one allocation.
 */
int ssdpm__model_list_new(size_t n, struct model_list *ret_list,
			  struct ssdpm_error *reterr);

/* Read all drives of a JSON text. */
int ssdpm__model_list_from_json(const char *text, size_t size,
				struct model_list *ret_list,
				struct ssdpm_error *reterr);

#endif
