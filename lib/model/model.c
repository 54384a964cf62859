/* SPDX-License-Identifier: MIT */
/* The model object: made once, checked once, never changed. */
#include "model/internal.h"
#include "base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SATA_INFO_FIELDS                                             \
	(SSDPM_INFO_SATA_WORDS_VALID | SSDPM_INFO_SATA_GENERATIONS | \
	 SSDPM_INFO_APM_LEVEL | SSDPM_INFO_ROTATIONAL)

struct ssdpm_model {
	unsigned int refs;
	struct ssdpm_model_info info;
	struct power_ranges ranges;
	size_t n_states;
	struct ssdpm_power_state states[];
};

const uint32_t ssdpm__range_fields[2] = { SSDPM_FIELD_IDLE_POWER,
					  SSDPM_FIELD_ACTIVE_POWER };

void ssdpm__model_set_ranges(struct ssdpm_model *model,
			     const struct power_ranges *ranges)
{
	model->ranges = *ranges;
}

int ssdpm__check_ascii(const char *text, uint32_t line, const char *what,
		       struct ssdpm_error *reterr)
{
	for (size_t i = 0; text[i]; i++)
		if (text[i] < ' ' || text[i] > '~')
			return ssdpm__fail(
				reterr, -EINVAL, line,
				"%s: byte 0x%02x at %zu is not printable ASCII",
				what, (unsigned char)text[i], i);
	return 0;
}

static int check_text(const char *text, size_t size, bool unknown,
		      const char *what, struct ssdpm_error *reterr)
{
	if (strnlen(text, size) == size)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "%s: longer than %zu characters", what,
				   size - 1);
	if (unknown && text[0])
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s: unknown, yet it has a value", what);
	return ssdpm__check_ascii(text, 0, what, reterr);
}

/* A mask of features, and the mask of the unknown ones. */
static int check_features(uint32_t features, uint32_t unknown, const char *what,
			  struct ssdpm_error *reterr)
{
	if ((features | unknown) & ~ALL_SATA_FEATURES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s: bits 0x%x mean nothing", what,
				   (features | unknown) & ~ALL_SATA_FEATURES);
	if (features & unknown)
		return ssdpm__fail(
			reterr, -EINVAL, 0, "%s: %s is unknown, yet it is set",
			what,
			ssdpm_sata_feature_to_string(features & unknown &
						     -(features & unknown)));
	return 0;
}

static int check_sata(const struct ssdpm_model_info *info,
		      struct ssdpm_error *reterr)
{
	const uint32_t unknown = info->unknown;
	int err;

	if (info->kind != SSDPM_KIND_SATA) {
		if (info->sata_supported || info->sata_supported_unknown ||
		    info->sata_enabled || info->sata_enabled_unknown ||
		    info->sata_words_valid || info->sata_generations ||
		    info->apm_level || info->rotational ||
		    (unknown & SATA_INFO_FIELDS))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "facts of a SATA drive in an NVMe "
					   "one");
		return 0;
	}
	if (info->sata_words_valid > 1 || info->rotational > 1 ||
	    (info->sata_generations & ~SATA_GENERATIONS))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "sata_words_valid, sata_generations or "
				   "rotational: a bit that means nothing");
	if (((unknown & SSDPM_INFO_SATA_WORDS_VALID) &&
	     info->sata_words_valid) ||
	    ((unknown & SSDPM_INFO_SATA_GENERATIONS) &&
	     info->sata_generations) ||
	    ((unknown & SSDPM_INFO_APM_LEVEL) && info->apm_level) ||
	    ((unknown & SSDPM_INFO_ROTATIONAL) && info->rotational))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "sata_words_valid, sata_generations, "
				   "apm_level or rotational: unknown, yet it "
				   "has a value");
	err = check_features(info->sata_supported, info->sata_supported_unknown,
			     "sata_supported", reterr);
	if (err)
		return err;
	return check_features(info->sata_enabled, info->sata_enabled_unknown,
			      "sata_enabled", reterr);
}

static int check_info(const struct ssdpm_model_info *info,
		      struct ssdpm_error *reterr)
{
	static const uint8_t zeros[sizeof(info->reserved1)];
	int err;

	if (!ssdpm_kind_to_string(info->kind))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "kind %u: neither nvme (1) nor sata (2)",
				   info->kind);
	if (info->provenance && !ssdpm_provenance_to_string(info->provenance))
		return ssdpm__fail(reterr, -EINVAL, 0, "provenance %u: unknown",
				   info->provenance);
	if (info->unknown & ~ALL_INFO_FIELDS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "unknown: bits 0x%x mean nothing",
				   info->unknown & ~ALL_INFO_FIELDS);
	if (info->format && !ssdpm_format_to_string(info->format))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "format %u: not one that is known",
				   info->format);
	if (memcmp(info->reserved, zeros, sizeof(info->reserved)) ||
	    memcmp(info->reserved1, zeros, sizeof(info->reserved1)))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a reserved byte is set");
	if ((info->unknown & SSDPM_INFO_VENDOR_ID) && info->vendor_id)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "vendor_id: unknown, yet it has a value");
	if ((info->unknown & SSDPM_INFO_APSTA) && info->apsta)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "apsta: unknown, yet it has a value");
	err = check_sata(info, reterr);
	if (err)
		return err;
	err = check_text(info->product, sizeof(info->product),
			 info->unknown & SSDPM_INFO_PRODUCT, "product", reterr);
	if (err)
		return err;
	return check_text(info->firmware, sizeof(info->firmware),
			  info->unknown & SSDPM_INFO_FIRMWARE, "firmware",
			  reterr);
}

static int check_field(const struct ssdpm_power_state *state, size_t index,
		       const struct field *field, struct ssdpm_error *reterr)
{
	uint64_t value = ssdpm__field_get(field, state);

	if (value > field->max)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "states[%zu].%s: %llu is more than %llu",
				   index, field->name,
				   (unsigned long long)value,
				   (unsigned long long)field->max);
	if (value && (state->unknown & field->bit))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"states[%zu].%s: unknown, yet it has a value", index,
			field->name);
	if ((state->not_reported & field->bit) &&
	    ssdpm__field_has_value(field, state))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"states[%zu].%s: in not_reported, yet it has a value",
			index, field->name);
	return 0;
}

static int check_state(const struct ssdpm_power_state *state, size_t index,
		       uint32_t kind, struct ssdpm_error *reterr)
{
	static const uint8_t zeros[sizeof(state->reserved1)];
	int err;

	if ((state->flags & ~ALL_STATE_FLAGS) ||
	    (state->shown_active_power_uw &&
	     !(state->flags & SSDPM_STATE_ACTIVE_POWER_SHOWN)) ||
	    (state->unknown & SSDPM_FIELD_IDLE_POWER &&
	     state->flags & SSDPM_STATE_IDLE_POWER_OF_FAMILY) ||
	    ((state->unknown | state->not_reported) & ~ALL_FIELDS) ||
	    memcmp(state->reserved0, zeros, sizeof(state->reserved0)) ||
	    memcmp(state->reserved1, zeros, sizeof(state->reserved1)))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "states[%zu]: a bit or a reserved byte is "
				   "set that means nothing",
				   index);
	if (state->link_state &&
	    (kind != SSDPM_KIND_SATA ||
	     !ssdpm_link_state_to_string(state->link_state)))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "states[%zu].link_state: %u is none of this "
				   "kind of drive",
				   index, state->link_state);
	for (size_t i = 0; i < N_FIELDS; i++) {
		err = check_field(state, index, &ssdpm__fields[i], reterr);
		if (err)
			return err;
	}
	return 0;
}

static int check(const struct ssdpm_model_info *info,
		 const struct ssdpm_power_state *states, size_t n_states,
		 struct ssdpm_error *reterr)
{
	int err = check_info(info, reterr);

	if (err)
		return err;
	if (n_states > SSDPM_MAX_STATES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%zu power states; there can be %d",
				   n_states, SSDPM_MAX_STATES);
	if (n_states == 0 && info->kind == SSDPM_KIND_NVME)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "no power state; an NVMe drive has at "
				   "least one");
	for (size_t i = 0; i < n_states; i++) {
		err = check_state(&states[i], i, info->kind, reterr);
		if (err)
			return err;
	}
	return 0;
}

/* A power or latency of 0 is what NVMe calls not reported. */
static uint32_t zeros_that_stand(const struct ssdpm_power_state *state)
{
	uint32_t zeros = 0;

	if (!state->max_power_uw)
		zeros |= SSDPM_FIELD_MAX_POWER;
	if (!state->entry_latency_us)
		zeros |= SSDPM_FIELD_ENTRY_LATENCY;
	if (!state->exit_latency_us)
		zeros |= SSDPM_FIELD_EXIT_LATENCY;
	return zeros & ~state->unknown;
}

int ssdpm_model_new(const struct ssdpm_model_info *info,
		    const struct ssdpm_power_state *states, size_t n_states,
		    struct ssdpm_model **ret_model, struct ssdpm_error *reterr)
{
	struct ssdpm_model_info known = { 0 };
	struct ssdpm_model *model;
	int err;

	err = ssdpm__sized_in(&known, sizeof(known), info, "ssdpm_model_info",
			      reterr);
	if (err)
		return err;
	err = check(&known, states, n_states, reterr);
	if (err)
		return err;

	model = malloc(sizeof(*model) + n_states * sizeof(*states));
	if (!model)
		return ssdpm__no_memory(reterr);
	model->refs = 1;
	model->info = known;
	model->ranges = (struct power_ranges){ .has = { 0 } };
	model->n_states = n_states;
	for (size_t i = 0; i < n_states; i++) {
		model->states[i] = states[i];
		model->states[i].not_reported |= zeros_that_stand(&states[i]);
	}
	*ret_model = model;
	return 0;
}

struct ssdpm_model *ssdpm_model_ref(struct ssdpm_model *model)
{
	if (model)
		__atomic_add_fetch(&model->refs, 1, __ATOMIC_RELAXED);
	return model;
}

struct ssdpm_model *ssdpm_model_unref(struct ssdpm_model *model)
{
	if (model && !__atomic_sub_fetch(&model->refs, 1, __ATOMIC_ACQ_REL))
		free(model);
	return NULL;
}

const struct ssdpm_model_info *ssdpm_model_get_info(
	const struct ssdpm_model *model)
{
	return &model->info;
}

const struct ssdpm_power_state *ssdpm_model_get_states(
	const struct ssdpm_model *model, size_t *ret_n)
{
	if (ret_n)
		*ret_n = model->n_states;
	return model->states;
}

/*
 * The most that a state can draw. It is its own maximum, or that of the nearest
 * shallower state that reports one, if the maximums fall up to there. Source:
 * NVMe Base: a state has at most the maximum of the state before it.
 */
static uint32_t limit_uw(const struct ssdpm_model *model, uint32_t state)
{
	uint32_t limit = model->states[state].max_power_uw, below = 0;

	if (limit)
		return limit;
	while (state-- > 0) {
		uint32_t max_uw = model->states[state].max_power_uw;

		if (!max_uw)
			continue;
		if (max_uw < below)
			return UINT32_MAX;
		below = max_uw;
		limit = limit ? limit : max_uw;
	}
	return limit ? limit : UINT32_MAX;
}

static bool find_range(const struct ssdpm_model *model, uint32_t state,
		       uint32_t field, uint32_t *ret_low_uw,
		       uint32_t *ret_high_uw)
{
	const struct power_ranges *ranges = &model->ranges;
	const size_t i = field == ssdpm__range_fields[1];
	const uint32_t limit = limit_uw(model, state);

	if (field == SSDPM_FIELD_MAX_POWER || !(ranges->has[i] & 1u << state))
		return false;
	*ret_low_uw = ranges->low_uw[i][state];
	*ret_high_uw = ranges->high_uw[i][state];
	if (limit >= *ret_low_uw && limit < *ret_high_uw)
		*ret_high_uw = limit;
	return true;
}

int ssdpm_model_get_power_range(const struct ssdpm_model *model, uint32_t state,
				uint32_t field, uint32_t *ret_low_uw,
				uint32_t *ret_high_uw,
				struct ssdpm_error *reterr)
{
	const uint32_t powers = SSDPM_FIELD_MAX_POWER |
				SSDPM_FIELD_ACTIVE_POWER |
				SSDPM_FIELD_IDLE_POWER;
	const struct ssdpm_power_state *from;
	const struct field *power = ssdpm__fields;

	while (power < ssdpm__fields + N_FIELDS && power->bit != field)
		power++;
	if (power == ssdpm__fields + N_FIELDS || !(field & powers))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "field: %u is no power of a state", field);
	if (state >= model->n_states)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "state: PS%u is not one of %zu", state,
				   model->n_states);
	if (find_range(model, state, field, ret_low_uw, ret_high_uw))
		return 0;
	from = &model->states[state];
	if ((from->unknown | from->not_reported) & field)
		return ssdpm__fail(reterr, -ENODATA, 0, "PS%u: %s is not known",
				   state, power->name);
	*ret_low_uw = (uint32_t)ssdpm__field_get(power, from);
	*ret_high_uw = *ret_low_uw;
	return 0;
}

struct ssdpm_model_info ssdpm__reported_info(uint32_t format)
{
	return (struct ssdpm_model_info){
		.size = sizeof(struct ssdpm_model_info),
		.provenance = SSDPM_PROVENANCE_REPORTED,
		.format = format,
		.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT |
			   SSDPM_INFO_FIRMWARE | SSDPM_INFO_APSTA,
	};
}

static const char kind_words[][5] = {
	[SSDPM_KIND_NVME] = "nvme",
	[SSDPM_KIND_SATA] = "sata",
};
ENUM_WORDS(kind)

/* formats.c would bring all readers into a program that needs none. */
static const char format_words[][17] = {
	[SSDPM_FORMAT_NVME_IDENTIFY] = "nvme-identify",
	[SSDPM_FORMAT_NVME_CLI_TEXT] = "nvme-cli-text",
	[SSDPM_FORMAT_NVME_CLI_JSON] = "nvme-cli-json",
	[SSDPM_FORMAT_SMARTCTL_TEXT] = "smartctl-text",
	[SSDPM_FORMAT_SMARTCTL_JSON] = "smartctl-json",
	[SSDPM_FORMAT_ATA_IDENTIFY] = "ata-identify",
	[SSDPM_FORMAT_ATA_IDENTIFY_HEX] = "ata-identify-hex",
	[SSDPM_FORMAT_HDPARM_TEXT] = "hdparm-text",
	[SSDPM_FORMAT_ATASMART_BLOB] = "atasmart-blob",
};
ENUM_WORDS(format)

static const char provenance_words[][10] = {
	[SSDPM_PROVENANCE_REPORTED] = "reported",
	[SSDPM_PROVENANCE_MEASURED] = "measured",
	[SSDPM_PROVENANCE_CATALOGUE] = "catalogue",
	[SSDPM_PROVENANCE_ASSUMED] = "assumed",
	[SSDPM_PROVENANCE_STATED] = "stated",
	[SSDPM_PROVENANCE_FAMILY] = "family",
	[SSDPM_PROVENANCE_PUBLISHED] = "published",
};
ENUM_WORDS(provenance)

static const char link_state_words[][9] = {
	[SSDPM_LINK_ACTIVE] = "active",
	[SSDPM_LINK_PARTIAL] = "partial",
	[SSDPM_LINK_SLUMBER] = "slumber",
	[SSDPM_LINK_DEVSLEEP] = "devsleep",
};
ENUM_WORDS(link_state)
