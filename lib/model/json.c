/* SPDX-License-Identifier: MIT */
/*
 * Our own JSON, "ssdpm.model/1": one object for each drive; and where the JSON
 * of other programs goes.
 */
#include "base/json-text.h"
#include "model/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA "ssdpm.model/1"

/* The first numbers of a state are always written; others when known. */
#define N_FIXED_FIELDS 9

#define MAX_GENERATION 3

#define WORD_SIZE 64 /* more than any schema, word or field name takes */

struct model_reader {
	const struct json *json;
	struct ssdpm_error *reterr;
	size_t index; /* of the state that is read */
	struct power_ranges ranges;
};

/* By index in struct power_ranges. */
static const char range_keys[2][2][24] = {
	{ "idle_power_low_uw", "idle_power_high_uw" },
	{ "active_power_low_uw", "active_power_high_uw" },
};

static const char shown_key[] = "shown_active_power_uw";
static const char family_key[] = "idle_power_of_family";

static int fail(const struct model_reader *r, const struct json_node *node,
		const char *message, const char *what)
{
	return ssdpm__fail(r->reterr, -EINVAL, node->line, "%s: %s", what,
			   message);
}

static bool is_null(const struct json_node *node)
{
	return !node || node->type == JSON_NULL;
}

/*
 * A string of which only some values are known. One that is longer than all of
 * these becomes "", which is none of them.
 */
static int get_word(const struct model_reader *r, const struct json_node *node,
		    char text[WORD_SIZE], const char *what)
{
	int err = ssdpm__json_get_string(r->json, node, text, WORD_SIZE, what,
					 r->reterr);

	if (err == -ERANGE) {
		text[0] = 0;
		return 0;
	}
	return err;
}

static int read_word(const struct model_reader *r,
		     const struct json_node *object, const char *key,
		     uint32_t (*from_string)(const char *), uint32_t *ret_value)
{
	const struct json_node *node = ssdpm__json_member(r->json, object, key);
	char text[WORD_SIZE];
	int err;

	if (is_null(node))
		return 0;
	err = get_word(r, node, text, key);
	if (err)
		return err;
	*ret_value = from_string(text);
	if (*ret_value)
		return 0;
	return ssdpm__fail(r->reterr, -EINVAL, node->line,
			   "%s: \"%s\" means nothing here", key, text);
}

static int read_text(const struct model_reader *r,
		     const struct json_node *drive, const char *key, char *text,
		     size_t size, uint32_t bit, struct ssdpm_model_info *info)
{
	const struct json_node *node = ssdpm__json_member(r->json, drive, key);
	int err;

	if (is_null(node)) {
		info->unknown |= bit;
		return 0;
	}
	err = ssdpm__json_get_string(r->json, node, text, size, key, r->reterr);
	return err ? err : ssdpm__check_ascii(text, node->line, key, r->reterr);
}

static int read_number(const struct model_reader *r,
		       const struct json_node *drive, const char *key,
		       uint64_t max, uint32_t bit,
		       struct ssdpm_model_info *info, uint64_t *ret_value)
{
	const struct json_node *node = ssdpm__json_member(r->json, drive, key);

	if (is_null(node)) {
		info->unknown |= bit;
		return 0;
	}
	return ssdpm__json_get_uint(r->json, node, max, key, ret_value,
				    r->reterr);
}

/* true, false, or null for unknown. */
static int read_bit(const struct model_reader *r,
		    const struct json_node *object, const char *key,
		    uint32_t bit, uint32_t *bits, uint32_t *unknown)
{
	const struct json_node *node = ssdpm__json_member(r->json, object, key);
	int err;

	if (is_null(node)) {
		*unknown |= bit;
		return 0;
	}
	err = ssdpm__json_expect(node, JSON_BOOLEAN, key, r->reterr);
	if (!err && ssdpm__json_is_true(r->json, node))
		*bits |= bit;
	return err;
}

/* "hipm_supported", "hipm_enabled" */
static const char *feature_key(uint32_t feature, const char *what,
			       char key[WORD_SIZE])
{
	snprintf(key, WORD_SIZE, "%s_%s", ssdpm_sata_feature_to_string(feature),
		 what);
	return key;
}

static int read_features(const struct model_reader *r,
			 const struct json_node *sata,
			 struct ssdpm_model_info *info)
{
	char key[WORD_SIZE];
	int err = 0;

	for (uint32_t i = 0; i < N_SATA_FEATURES && !err; i++) {
		err = read_bit(r, sata, feature_key(1u << i, "supported", key),
			       1u << i, &info->sata_supported,
			       &info->sata_supported_unknown);
		if (!err)
			err = read_bit(r, sata,
				       feature_key(1u << i, "enabled", key),
				       1u << i, &info->sata_enabled,
				       &info->sata_enabled_unknown);
	}
	return err;
}

/* [1, 2, 3], or null for unknown. */
static int read_generations(const struct model_reader *r,
			    const struct json_node *sata,
			    struct ssdpm_model_info *info)
{
	static const char what[] = "generations";
	const struct json_node *list = ssdpm__json_member(r->json, sata, what);
	const struct json_node *node;
	uint64_t number;
	int err;

	if (is_null(list)) {
		info->unknown |= SSDPM_INFO_SATA_GENERATIONS;
		return 0;
	}
	err = ssdpm__json_expect(list, JSON_ARRAY, what, r->reterr);
	node = err ? NULL : ssdpm__json_first(r->json, list);
	for (; node; node = ssdpm__json_next(r->json, list, node)) {
		err = ssdpm__json_get_uint(r->json, node, MAX_GENERATION, what,
					   &number, r->reterr);
		if (err)
			return err;
		if (!number)
			return fail(r, node, "they count from 1", what);
		if (info->sata_generations & 1u << number)
			return fail(r, node, "one is there twice", what);
		info->sata_generations |= (uint8_t)(1u << number);
	}
	return err;
}

static int read_sata(const struct model_reader *r,
		     const struct json_node *drive,
		     struct ssdpm_model_info *info)
{
	static const struct json_node nothing = { .type = JSON_OBJECT };
	const struct json_node *sata =
		ssdpm__json_member(r->json, drive, "sata");
	uint64_t apm_level = 0;
	uint32_t valid = 0, rotational = 0;
	int err;

	if (info->kind != SSDPM_KIND_SATA)
		return is_null(sata) ?
			       0 :
			       fail(r, sata, "this is no SATA drive", "sata");
	if (is_null(sata))
		sata = &nothing;
	err = ssdpm__json_expect(sata, JSON_OBJECT, "sata", r->reterr);
	if (!err)
		err = read_bit(r, sata, "words_valid",
			       SSDPM_INFO_SATA_WORDS_VALID, &valid,
			       &info->unknown);
	if (!err)
		err = read_generations(r, sata, info);
	if (!err)
		err = read_number(r, sata, "apm_level", UINT8_MAX,
				  SSDPM_INFO_APM_LEVEL, info, &apm_level);
	if (!err)
		err = read_bit(r, sata, "rotational", SSDPM_INFO_ROTATIONAL,
			       &rotational, &info->unknown);
	if (!err)
		err = read_features(r, sata, info);
	info->sata_words_valid = valid != 0;
	info->apm_level = (uint8_t)apm_level;
	info->rotational = rotational != 0;
	return err;
}

static int read_info(const struct model_reader *r,
		     const struct json_node *drive,
		     struct ssdpm_model_info *info)
{
	uint64_t vendor_id = 0, apsta = 0;
	int err;

	err = read_word(r, drive, "kind", ssdpm_kind_from_string, &info->kind);
	if (!err && !info->kind)
		err = fail(r, drive, "\"nvme\" or \"sata\" is needed", "kind");
	if (!err)
		err = read_word(r, drive, "provenance",
				ssdpm_provenance_from_string,
				&info->provenance);
	if (!err)
		err = read_word(r, drive, "format", ssdpm_format_from_string,
				&info->format);
	if (!err)
		err = read_number(r, drive, "vendor_id", UINT16_MAX,
				  SSDPM_INFO_VENDOR_ID, info, &vendor_id);
	if (!err)
		err = read_text(r, drive, "product", info->product,
				sizeof(info->product), SSDPM_INFO_PRODUCT,
				info);
	if (!err)
		err = read_text(r, drive, "firmware", info->firmware,
				sizeof(info->firmware), SSDPM_INFO_FIRMWARE,
				info);
	if (!err)
		err = read_number(r, drive, "apsta", UINT8_MAX,
				  SSDPM_INFO_APSTA, info, &apsta);
	if (!err)
		err = read_sata(r, drive, info);
	info->vendor_id = (uint16_t)vendor_id;
	info->apsta = (uint8_t)apsta;
	return err;
}

/* "states[3].exit_latency_us" */
static void name_member(const struct model_reader *r, const char *key,
			char *name, size_t size)
{
	snprintf(name, size, "states[%zu].%.40s", r->index, key);
}

static int read_field(const struct model_reader *r,
		      const struct json_node *object, const struct field *field,
		      struct ssdpm_power_state *state)
{
	const struct json_node *node =
		ssdpm__json_member(r->json, object, field->name);
	uint64_t value;
	char name[64];
	int err;

	if (is_null(node)) {
		state->unknown |= field->bit;
		return 0;
	}
	name_member(r, field->name, name, sizeof(name));
	err = ssdpm__json_get_uint(r->json, node, field->max, name, &value,
				   r->reterr);
	if (!err)
		ssdpm__field_set(field, state, value);
	return err;
}

/* One name in not_reported: a field of this state that has no value. */
static int read_not_reported_name(const struct model_reader *r,
				  const struct json_node *node,
				  struct ssdpm_power_state *state)
{
	char text[WORD_SIZE], name[64];
	int err;

	name_member(r, "not_reported", name, sizeof(name));
	err = get_word(r, node, text, name);
	if (err)
		return err;
	for (size_t i = 0; i < N_FIELDS; i++) {
		const struct field *field = &ssdpm__fields[i];

		if (strcmp(text, field->name))
			continue;
		if (ssdpm__field_has_value(field, state))
			return fail(r, node, "names a field that has a value",
				    name);
		state->not_reported |= field->bit;
		return 0;
	}
	return fail(r, node, "names no field of a power state", name);
}

static int read_not_reported(const struct model_reader *r,
			     const struct json_node *object,
			     struct ssdpm_power_state *state)
{
	const struct json_node *list =
		ssdpm__json_member(r->json, object, "not_reported");
	const struct json_node *node;
	char name[64];
	int err;

	if (is_null(list))
		return 0;
	name_member(r, "not_reported", name, sizeof(name));
	err = ssdpm__json_expect(list, JSON_ARRAY, name, r->reterr);
	node = err ? NULL : ssdpm__json_first(r->json, list);
	for (; node && !err; node = ssdpm__json_next(r->json, list, node))
		err = read_not_reported_name(r, node, state);
	return err;
}

/* One end of the range of a power that has no value. */
static int read_end(const struct model_reader *r, const struct json_node *node,
		    const char *key, uint32_t *ret_uw)
{
	uint64_t value;
	char name[64];
	int err;

	name_member(r, key, name, sizeof(name));
	err = ssdpm__json_get_uint(r->json, node, UINT32_MAX, name, &value,
				   r->reterr);
	if (!err)
		*ret_uw = (uint32_t)value;
	return err;
}

static int read_range(struct model_reader *r, const struct json_node *object,
		      const struct ssdpm_power_state *state, size_t power)
{
	const char *const low_key = range_keys[power][0];
	const char *const high_key = range_keys[power][1];
	const struct json_node *low =
		ssdpm__json_member(r->json, object, low_key);
	const struct json_node *high =
		ssdpm__json_member(r->json, object, high_key);
	uint32_t *low_uw = &r->ranges.low_uw[power][r->index];
	uint32_t *high_uw = &r->ranges.high_uw[power][r->index];
	int err;

	if (is_null(low) && is_null(high))
		return 0;
	if (is_null(low) || is_null(high))
		return fail(r, is_null(low) ? high : low,
			    "a range has both ends", low_key);
	if (!(state->unknown & ~state->not_reported &
	      ssdpm__range_fields[power]))
		return fail(r, low, "the power has a value, or is not reported",
			    low_key);
	err = read_end(r, low, low_key, low_uw);
	if (!err)
		err = read_end(r, high, high_key, high_uw);
	if (!err && *low_uw > *high_uw)
		err = fail(r, low, "above the high end", low_key);
	r->ranges.has[power] |= 1u << r->index;
	return err;
}

static int read_shown(struct model_reader *r, const struct json_node *object,
		      struct ssdpm_power_state *state)
{
	const struct json_node *node =
		ssdpm__json_member(r->json, object, shown_key);
	uint64_t value;
	char name[64];
	int err;

	if (is_null(node))
		return 0;
	name_member(r, shown_key, name, sizeof(name));
	err = ssdpm__json_get_uint(r->json, node, UINT32_MAX, name, &value,
				   r->reterr);
	if (err)
		return err;
	state->flags |= SSDPM_STATE_ACTIVE_POWER_SHOWN;
	state->shown_active_power_uw = (uint32_t)value;
	return 0;
}

static int read_state(struct model_reader *r, const struct json_node *object,
		      struct ssdpm_power_state *state)
{
	const struct json_node *operational;
	uint32_t link_state = 0, unused = 0;
	char name[64];
	int err;

	snprintf(name, sizeof(name), "states[%zu]", r->index);
	err = ssdpm__json_expect(object, JSON_OBJECT, name, r->reterr);
	if (err)
		return err;
	operational = ssdpm__json_member(r->json, object, "operational");
	name_member(r, "operational", name, sizeof(name));
	if (!operational)
		return fail(r, object, "true or false is needed", name);
	err = ssdpm__json_expect(operational, JSON_BOOLEAN, name, r->reterr);
	if (err)
		return err;
	if (!ssdpm__json_is_true(r->json, operational))
		state->flags = SSDPM_STATE_NON_OPERATIONAL;
	err = read_word(r, object, "link_state", ssdpm_link_state_from_string,
			&link_state);
	if (err)
		return err;
	state->link_state = (uint8_t)link_state;
	for (size_t i = 0; i < N_FIELDS; i++) {
		err = read_field(r, object, &ssdpm__fields[i], state);
		if (err)
			return err;
	}
	err = read_bit(r, object, family_key, SSDPM_STATE_IDLE_POWER_OF_FAMILY,
		       &state->flags, &unused);
	if (!err)
		err = read_shown(r, object, state);
	if (!err)
		err = read_not_reported(r, object, state);
	for (size_t i = 0; i < 2 && !err; i++)
		err = read_range(r, object, state, i);
	return err;
}

static int read_states(struct model_reader *r, const struct json_node *drive,
		       struct ssdpm_power_state states[SSDPM_MAX_STATES],
		       size_t *ret_n)
{
	const struct json_node *list =
		ssdpm__json_member(r->json, drive, "states");
	const struct json_node *node;
	int err;

	if (!list)
		return fail(r, drive, "an array is needed", "states");
	err = ssdpm__json_expect(list, JSON_ARRAY, "states", r->reterr);
	if (err)
		return err;
	if (list->n_children > SSDPM_MAX_STATES)
		return ssdpm__fail(r->reterr, -EINVAL, list->line,
				   "states: %u power states; NVMe has at "
				   "most %d",
				   list->n_children, SSDPM_MAX_STATES);
	memset(states, 0, list->n_children * sizeof(*states));
	memset(&r->ranges, 0, sizeof(r->ranges));
	r->index = 0;
	node = ssdpm__json_first(r->json, list);
	for (; node; node = ssdpm__json_next(r->json, list, node)) {
		err = read_state(r, node, &states[r->index]);
		if (err)
			return err;
		r->index++;
	}
	*ret_n = list->n_children;
	return 0;
}

/*
 * The JSON of other programs, in the order of the attempts. is() sees objects
 * without "schema", and looks for keys that no other one has.
 */
struct foreign {
	bool (*is)(const struct json *json, const struct json_node *object);
	int (*read)(const struct json *json, const struct json_node *object,
		    struct ssdpm_model **ret_model, struct ssdpm_error *reterr);
};

static const struct foreign foreign_readers[] = {
	{ ssdpm__is_nvme_cli_json, ssdpm__model_from_nvme_cli_json },
	{ ssdpm__is_smartctl_json, ssdpm__model_from_smartctl_json },
};

static const struct foreign *find_foreign(const struct model_reader *r,
					  const struct json_node *drive)
{
	const size_t n = sizeof(foreign_readers) / sizeof(foreign_readers[0]);

	for (size_t i = 0; i < n; i++)
		if (foreign_readers[i].is(r->json, drive))
			return &foreign_readers[i];
	return NULL;
}

static int read_foreign(const struct model_reader *r,
			const struct json_node *drive,
			struct ssdpm_model **ret_model)
{
	const struct foreign *foreign = find_foreign(r, drive);
	int err;

	if (!foreign)
		return fail(r, drive,
			    "\"" SCHEMA
			    "\" is needed; without it, only JSON of "
			    "nvme id-ctrl and of smartctl is read",
			    "schema");
	err = foreign->read(r->json, drive, ret_model, r->reterr);
	if (err == -EINVAL && r->reterr && !r->reterr->line)
		r->reterr->line = drive->line;
	return err;
}

static int check_schema(const struct model_reader *r,
			const struct json_node *schema)
{
	char text[WORD_SIZE];
	int err = get_word(r, schema, text, "schema");

	if (!err && strcmp(text, SCHEMA))
		err = fail(r, schema, "only \"" SCHEMA "\" is read here",
			   "schema");
	return err;
}

static int read_ours(struct model_reader *r, const struct json_node *drive,
		     struct ssdpm_model **ret_model)
{
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	struct ssdpm_model_info info = { .size = sizeof(info) };
	size_t n_states = 0;
	int err;

	err = read_info(r, drive, &info);
	if (!err)
		err = read_states(r, drive, states, &n_states);
	if (err)
		return err;
	err = ssdpm_model_new(&info, states, n_states, ret_model, r->reterr);
	if (err == -EINVAL && r->reterr)
		r->reterr->line = drive->line;
	if (!err)
		ssdpm__model_set_ranges(*ret_model, &r->ranges);
	return err;
}

static int read_drive(struct model_reader *r, const struct json_node *drive,
		      struct ssdpm_model **ret_model)
{
	const struct json_node *schema;
	int err;

	err = ssdpm__json_expect(drive, JSON_OBJECT, "drive", r->reterr);
	if (err)
		return err;
	schema = ssdpm__json_member(r->json, drive, "schema");
	if (!schema)
		return read_foreign(r, drive, ret_model);
	err = check_schema(r, schema);
	return err ? err : read_ours(r, drive, ret_model);
}

static int read_drives(struct model_reader *r, struct model_list *ret_list)
{
	const struct json_node *root = ssdpm__json_subject(r->json);
	const struct json_node *node = root;
	struct model_list list;
	int err;

	if (root->type == JSON_ARRAY && !root->n_children)
		return fail(r, root, "the array is empty", "drives");
	err = ssdpm__model_list_new(
		root->type == JSON_ARRAY ? root->n_children : 1, &list,
		r->reterr);
	if (err)
		return err;
	if (root->type == JSON_ARRAY)
		node = ssdpm__json_first(r->json, root);
	for (size_t i = 0; i < list.n && !err; i++) {
		err = read_drive(r, node, &list.models[i]);
		node = ssdpm__json_next(r->json, root, node);
	}
	if (err) {
		ssdpm_model_list_free(list.models, list.n);
		return err;
	}
	*ret_list = list;
	return 0;
}

int ssdpm__model_list_from_json(const char *text, size_t size,
				struct model_list *ret_list,
				struct ssdpm_error *reterr)
{
	struct json json;
	struct model_reader reader = { .json = &json, .reterr = reterr };
	int err;

	err = ssdpm__json_parse(text, size, &json, reterr);
	if (err)
		return err;
	err = read_drives(&reader, ret_list);
	ssdpm__json_free(&json);
	return err;
}

static void write_number(struct json_writer *w, const char *key, uint64_t value,
			 bool unknown)
{
	if (unknown)
		ssdpm__json_null(w, key);
	else
		ssdpm__json_uint(w, key, value);
}

/* The ends of a power whose value is unknown. */
static void write_ranges(struct json_writer *w, const struct ssdpm_model *model,
			 uint32_t state, uint32_t unknown)
{
	uint32_t low, high;

	for (size_t i = 0; i < 2; i++) {
		const uint32_t field = ssdpm__range_fields[i];

		if (!(unknown & field) ||
		    ssdpm_model_get_power_range(model, state, field, &low,
						&high, NULL))
			continue;
		ssdpm__json_uint(w, range_keys[i][0], low);
		ssdpm__json_uint(w, range_keys[i][1], high);
	}
}

static void write_state(struct json_writer *w, const struct ssdpm_model *model,
			uint32_t index)
{
	const struct ssdpm_power_state *state =
		&ssdpm_model_get_states(model, NULL)[index];

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_bool(w, "operational",
			 !(state->flags & SSDPM_STATE_NON_OPERATIONAL));
	if (state->link_state)
		ssdpm__json_string(
			w, "link_state",
			ssdpm_link_state_to_string(state->link_state));
	for (size_t i = 0; i < N_FIELDS; i++) {
		const struct field *field = &ssdpm__fields[i];
		bool unknown = state->unknown & field->bit;

		if (!unknown || i < N_FIXED_FIELDS)
			write_number(w, field->name,
				     ssdpm__field_get(field, state), unknown);
	}
	if (state->flags & SSDPM_STATE_ACTIVE_POWER_SHOWN)
		ssdpm__json_uint(w, shown_key, state->shown_active_power_uw);
	if (state->flags & SSDPM_STATE_IDLE_POWER_OF_FAMILY)
		ssdpm__json_bool(w, family_key, true);
	write_ranges(w, model, index, state->unknown);
	ssdpm__json_begin(w, "not_reported", '[');
	w->one_line = true;
	for (size_t i = 0; i < N_FIELDS; i++)
		if (state->not_reported & ssdpm__fields[i].bit)
			ssdpm__json_string(w, NULL, ssdpm__fields[i].name);
	ssdpm__json_end(w, ']');
	ssdpm__json_end(w, '}');
}

static void write_features(struct json_writer *w, const char *what,
			   uint32_t features, uint32_t unknown)
{
	char key[WORD_SIZE];

	for (uint32_t i = 0; i < N_SATA_FEATURES; i++) {
		uint32_t bit = 1u << i;

		feature_key(bit, what, key);
		if (unknown & bit)
			ssdpm__json_null(w, key);
		else
			ssdpm__json_bool(w, key, features & bit);
	}
}

static void write_generations(struct json_writer *w,
			      const struct ssdpm_model_info *info)
{
	if (info->unknown & SSDPM_INFO_SATA_GENERATIONS) {
		ssdpm__json_null(w, "generations");
		return;
	}
	ssdpm__json_begin(w, "generations", '[');
	w->one_line = true;
	for (uint32_t i = 1; i <= MAX_GENERATION; i++)
		if (info->sata_generations & 1u << i)
			ssdpm__json_uint(w, NULL, i);
	ssdpm__json_end(w, ']');
}

static void write_known_bool(struct json_writer *w, const char *key, bool value,
			     bool is_unknown)
{
	if (is_unknown)
		ssdpm__json_null(w, key);
	else
		ssdpm__json_bool(w, key, value);
}

static void write_sata(struct json_writer *w,
		       const struct ssdpm_model_info *info)
{
	ssdpm__json_begin(w, "sata", '{');
	write_known_bool(w, "words_valid", info->sata_words_valid,
			 info->unknown & SSDPM_INFO_SATA_WORDS_VALID);
	write_generations(w, info);
	write_number(w, "apm_level", info->apm_level,
		     info->unknown & SSDPM_INFO_APM_LEVEL);
	write_known_bool(w, "rotational", info->rotational,
			 info->unknown & SSDPM_INFO_ROTATIONAL);
	write_features(w, "supported", info->sata_supported,
		       info->sata_supported_unknown);
	write_features(w, "enabled", info->sata_enabled,
		       info->sata_enabled_unknown);
	ssdpm__json_end(w, '}');
}

static void write_drive(struct json_writer *w, const struct ssdpm_model *model)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	size_t n_states;

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "schema", SCHEMA);
	ssdpm__json_string(w, "kind", ssdpm_kind_to_string(info->kind));
	write_number(w, "vendor_id", info->vendor_id,
		     info->unknown & SSDPM_INFO_VENDOR_ID);
	ssdpm__json_string(w, "product",
			   info->unknown & SSDPM_INFO_PRODUCT ? NULL :
								info->product);
	ssdpm__json_string(
		w, "firmware",
		info->unknown & SSDPM_INFO_FIRMWARE ? NULL : info->firmware);
	write_number(w, "apsta", info->apsta, info->unknown & SSDPM_INFO_APSTA);
	ssdpm__json_string(w, "provenance",
			   ssdpm_provenance_to_string(info->provenance));
	ssdpm__json_string(w, "format", ssdpm_format_to_string(info->format));
	if (info->kind == SSDPM_KIND_SATA)
		write_sata(w, info);
	ssdpm__json_begin(w, "states", '[');
	ssdpm_model_get_states(model, &n_states);
	for (uint32_t i = 0; i < n_states; i++)
		write_state(w, model, i);
	ssdpm__json_end(w, ']');
	ssdpm__json_end(w, '}');
}

int ssdpm_model_to_json(const struct ssdpm_model *model, char **ret_text,
			struct ssdpm_error *reterr)
{
	struct json_writer writer = { 0 };

	write_drive(&writer, model);
	return ssdpm__json_finish(&writer, ret_text, reterr);
}
