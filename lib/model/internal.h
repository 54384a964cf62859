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
	char name[40];
	uint32_t bit;
	uint16_t offset;
	uint16_t width; /* bytes */
	uint64_t max;
};

#define N_FIELDS 13

/* How many words the model's enums have. */
#define N_FORMATS 9
#define N_LINK_STATES 4
#define N_SATA_FEATURES 6

/* Masks of all that has a meaning. */
#define ALL_FIELDS ((1u << N_FIELDS) - 1)
#define ALL_STATE_FLAGS                              \
	((uint32_t)(SSDPM_STATE_NON_OPERATIONAL |    \
		    SSDPM_STATE_ACTIVE_POWER_SHOWN | \
		    SSDPM_STATE_IDLE_POWER_OF_FAMILY))
#define ALL_INFO_FIELDS ((1u << 8) - 1)
#define ALL_SATA_FEATURES ((1u << N_SATA_FEATURES) - 1)
#define SATA_GENERATIONS 14 /* bits 1 to 3 */

extern const struct field ssdpm__fields[N_FIELDS];

/* Fields whose value 0 is both NVMe's "not reported" and the number 0. */
#define FIELDS_ZERO_STANDS                                   \
	(SSDPM_FIELD_MAX_POWER | SSDPM_FIELD_ENTRY_LATENCY | \
	 SSDPM_FIELD_EXIT_LATENCY)

uint64_t ssdpm__field_get(const struct field *field,
			  const struct ssdpm_power_state *state);
void ssdpm__field_set(const struct field *field,
		      struct ssdpm_power_state *state, uint64_t value);

/* Give the field of this bit a value: it is no longer unknown. */
void ssdpm__state_set(struct ssdpm_power_state *state, uint32_t bit,
		      uint64_t value);

/* Is there a value that contradicts not_reported? */
bool ssdpm__field_has_value(const struct field *field,
			    const struct ssdpm_power_state *state);

/* -EINVAL unless text is printable ASCII. line 0: none. */
int ssdpm__check_ascii(const char *text, uint32_t line, const char *what,
		       struct ssdpm_error *reterr);

/*
 * Scales of NVMe. For IDLP and ACTP, 0 means that the scale reports nothing;
 * for times of power loss, that it is reserved.
 */
uint32_t ssdpm__nvme_power_uw(uint32_t value, unsigned int scale);
uint64_t ssdpm__nvme_time_us(uint8_t value, unsigned int scale);

/* A drive of which a program's words say nothing yet, not even its kind. */
struct ssdpm_model_info ssdpm__reported_info(uint32_t format);

/*
 * The readers: is it this format, by what no other one has; and the one drive
 * in it.
 */
bool ssdpm__is_nvme_cli_text(const char *text, size_t size);
int ssdpm__model_from_nvme_cli_text(const char *text, size_t size,
				    struct ssdpm_model **ret_model,
				    struct ssdpm_error *reterr);

struct json;
struct json_node;

bool ssdpm__is_nvme_cli_json(const struct json *json,
			     const struct json_node *object);
int ssdpm__model_from_nvme_cli_json(const struct json *json,
				    const struct json_node *object,
				    struct ssdpm_model **ret_model,
				    struct ssdpm_error *reterr);

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

/* Read the drives of a JSON text. */
int ssdpm__model_list_from_json(const char *text, size_t size,
				struct model_list *ret_list,
				struct ssdpm_error *reterr);

/*
 * The foreign formats: is_ looks for what no other format has. A text ends at
 * its size, not in a zero byte.
 */
struct json;
struct json_node;

bool ssdpm__is_smartctl_text(const char *text, size_t size);
int ssdpm__model_from_smartctl_text(const char *text, size_t size,
				    struct ssdpm_model **ret_model,
				    struct ssdpm_error *reterr);

bool ssdpm__is_smartctl_json(const struct json *json,
			     const struct json_node *object);
int ssdpm__model_from_smartctl_json(const struct json *json,
				    const struct json_node *object,
				    struct ssdpm_model **ret_model,
				    struct ssdpm_error *reterr);

bool ssdpm__is_ata_identify(const char *text, size_t size);
int ssdpm__model_from_ata_identify(const char *text, size_t size,
				   struct ssdpm_model **ret_model,
				   struct ssdpm_error *reterr);
bool ssdpm__is_ata_identify_hex(const char *text, size_t size);
int ssdpm__model_from_ata_identify_hex(const char *text, size_t size,
				       struct ssdpm_model **ret_model,
				       struct ssdpm_error *reterr);
bool ssdpm__is_hdparm_text(const char *text, size_t size);
int ssdpm__model_from_hdparm_text(const char *text, size_t size,
				  struct ssdpm_model **ret_model,
				  struct ssdpm_error *reterr);
bool ssdpm__is_atasmart_blob(const char *text, size_t size);
int ssdpm__model_from_atasmart_blob(const char *text, size_t size,
				    struct ssdpm_model **ret_model,
				    struct ssdpm_error *reterr);

/*
 * Idle and active powers that are unknown but for a range, as the source gives
 * it: ssdpm_model_get_power_range() applies the limits.
 */
struct power_ranges {
	uint32_t has[2]; /* bit n: idle, active power of PSn */
	uint32_t low_uw[2][SSDPM_MAX_STATES];
	uint32_t high_uw[2][SSDPM_MAX_STATES];
};

/* By index in struct power_ranges. */
extern const uint32_t ssdpm__range_fields[2];

void ssdpm__model_set_ranges(struct ssdpm_model *model,
			     const struct power_ranges *ranges);

#endif
