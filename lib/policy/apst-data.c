/* SPDX-License-Identifier: MIT */
/* APST tables out of whatever somebody saved, recognised by content. */
#include "base/json-text.h"
#include "base/text.h"
#include "policy/internal.h"

#include <errno.h>
#include <string.h>

/* Far more than ssdpm.apst/1 has, so that it can grow: 32 KiB. */
enum { MAX_NODES = 1024 };

int ssdpm__apst_from_bytes(const uint8_t data[SSDPM_APST_BYTES],
			   struct ssdpm_apst *ret_table,
			   struct ssdpm_error *reterr)
{
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		const uint8_t *at = data + (size_t)i * 8;

		if ((at[0] & 7) || at[4] || at[5] || at[6] || at[7])
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "entry %u: a reserved bit is set",
					   i);
	}
	memset(ret_table, 0, sizeof(*ret_table));
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		const uint8_t *at = data + (size_t)i * 8;

		ret_table->entries[i].target = at[0] >> 3;
		ret_table->entries[i].idle_ms =
			at[1] | (uint32_t)at[2] << 8 | (uint32_t)at[3] << 16;
	}
	ret_table->sent = 1;
	for (size_t i = 0; i < SSDPM_APST_BYTES; i++)
		ret_table->enabled |= data[i] != 0;
	return 0;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Nothing but hexadecimal digits and white space. */
static bool is_hex(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!is_space(text[i]) && ssdpm__hex_digit(text[i]) < 0)
			return false;
	return true;
}

/* what stands before the words of a failure: "", or "raw: ". */
static int from_hex(const char *text, size_t size, const char *what,
		    uint32_t line, uint8_t ret_data[SSDPM_APST_BYTES],
		    struct ssdpm_error *reterr)
{
	uint8_t data[SSDPM_APST_BYTES] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		int digit = ssdpm__hex_digit(text[i]);

		if (is_space(text[i]))
			continue;
		if (digit < 0)
			return ssdpm__fail(reterr, -EINVAL, line,
					   "%snot a hexadecimal digit", what);
		if (n < 2 * sizeof(data))
			data[n / 2] |= (uint8_t)(n & 1 ? digit : digit << 4);
		n++;
	}
	if (n != 2 * sizeof(data))
		return ssdpm__fail(reterr, -EINVAL, line,
				   "%s%zu hexadecimal digits; an APST table "
				   "has 512",
				   what, n);
	memcpy(ret_data, data, sizeof(data));
	return 0;
}

/* The object itself, or the only one in an array; NULL: it is none of ours. */
static const struct json_node *find_object(const struct json *json,
					   struct ssdpm_error *reterr)
{
	const struct json_node *root = ssdpm__json_subject(json);
	const struct json_node *schema = NULL;
	char name[32];

	if (root->type == JSON_ARRAY && root->n_children != 1) {
		ssdpm__fail(reterr, -EINVAL, root->line,
			    "%u tables; one is needed", root->n_children);
		return NULL;
	}
	if (root->type == JSON_ARRAY)
		root = ssdpm__json_first(json, root);
	if (root->type == JSON_OBJECT)
		schema = ssdpm__json_member(json, root, "schema");
	if (schema &&
	    !ssdpm__json_get_string(json, schema, name, sizeof(name), "schema",
				    NULL) &&
	    !strcmp(name, "ssdpm.apst/1"))
		return root;
	ssdpm__fail(reterr, -EINVAL, schema ? schema->line : root->line,
		    "no object with \"schema\": \"ssdpm.apst/1\"");
	return NULL;
}

static int get_number(const struct json *json, const struct json_node *object,
		      const char *key, uint32_t max, uint32_t *ret_value,
		      struct ssdpm_error *reterr)
{
	const struct json_node *node = ssdpm__json_member(json, object, key);
	uint64_t value;
	int err;

	if (!node)
		return ssdpm__fail(reterr, -EINVAL, object->line,
				   "entries: %s is missing", key);
	err = ssdpm__json_get_uint(json, node, max, key, &value, reterr);
	if (!err)
		*ret_value = (uint32_t)value;
	return err;
}

static int read_entries(const struct json *json, const struct json_node *list,
			struct ssdpm_apst_entry entries[SSDPM_MAX_STATES],
			struct ssdpm_error *reterr)
{
	const struct json_node *node;
	uint32_t seen = 0, state;
	int err;

	err = ssdpm__json_expect(list, JSON_ARRAY, "entries", reterr);
	if (err)
		return err;
	for (node = ssdpm__json_first(json, list); node;
	     node = ssdpm__json_next(json, list, node)) {
		struct ssdpm_apst_entry entry;

		err = ssdpm__json_expect(node, JSON_OBJECT, "entries", reterr);
		if (!err)
			err = get_number(json, node, "state",
					 SSDPM_MAX_STATES - 1, &state, reterr);
		if (!err)
			err = get_number(json, node, "target",
					 SSDPM_MAX_STATES - 1, &entry.target,
					 reterr);
		if (!err)
			err = get_number(json, node, "idle_ms",
					 SSDPM_APST_MAX_IDLE_MS, &entry.idle_ms,
					 reterr);
		if (err)
			return err;
		if (seen & 1u << state)
			return ssdpm__fail(reterr, -EINVAL, node->line,
					   "entries: state %u comes twice",
					   state);
		seen |= 1u << state;
		entries[state] = entry;
	}
	return 0;
}

static int read_raw(const struct json *json, const struct json_node *node,
		    struct ssdpm_apst *table, struct ssdpm_error *reterr)
{
	char text[2 * SSDPM_APST_BYTES + 1];
	uint8_t data[SSDPM_APST_BYTES];
	int err;

	err = ssdpm__json_get_string(json, node, text, sizeof(text), "raw",
				     reterr);
	if (!err)
		err = from_hex(text, strlen(text), "raw: ", node->line, data,
			       reterr);
	if (!err)
		err = ssdpm__apst_from_bytes(data, table, reterr);
	return err;
}

/* A truth value; where there is none *value stays. */
static int read_bool(const struct json *json, const struct json_node *object,
		     const char *key, uint32_t *value,
		     struct ssdpm_error *reterr)
{
	const struct json_node *node = ssdpm__json_member(json, object, key);
	int err;

	if (!node || node->type == JSON_NULL)
		return 0;
	err = ssdpm__json_expect(node, JSON_BOOLEAN, key, reterr);
	if (!err)
		*value = ssdpm__json_is_true(json, node);
	return err;
}

/* "raw" and "entries" say the same; a text made by hand may have either. */
static int read_table(const struct json *json, const struct json_node *object,
		      struct ssdpm_apst *table, struct ssdpm_error *reterr)
{
	const struct json_node *raw = ssdpm__json_member(json, object, "raw");
	const struct json_node *list =
		ssdpm__json_member(json, object, "entries");
	struct ssdpm_apst listed = { .sent = 1 };
	int err = 0;

	if (!raw && !list)
		return ssdpm__fail(reterr, -EINVAL, object->line,
				   "neither \"raw\" nor \"entries\"");
	if (list)
		err = read_entries(json, list, listed.entries, reterr);
	if (!err && raw)
		err = read_raw(json, raw, table, reterr);
	if (err)
		return err;
	if (raw && list &&
	    memcmp(table->entries, listed.entries, sizeof(listed.entries)))
		return ssdpm__fail(reterr, -EINVAL, list->line,
				   "\"entries\" and \"raw\" are two different "
				   "tables");
	if (!raw) {
		static const struct ssdpm_apst empty;

		*table = listed;
		table->enabled = memcmp(listed.entries, empty.entries,
					sizeof(empty.entries)) != 0;
	}
	err = read_bool(json, object, "sent", &table->sent, reterr);
	if (!err)
		err = read_bool(json, object, "enabled", &table->enabled,
				reterr);
	return err;
}

static int from_json(const char *text, size_t size,
		     struct ssdpm_apst *ret_table, struct ssdpm_error *reterr)
{
	struct json_node nodes[MAX_NODES];
	const struct json_node *object;
	struct ssdpm_apst table = { 0 };
	struct json json;
	int err;

	err = ssdpm__json_parse_into(text, size, nodes, MAX_NODES, &json,
				     reterr);
	if (err)
		return err;
	object = find_object(&json, reterr);
	if (!object)
		return -EINVAL;
	err = read_table(&json, object, &table, reterr);
	if (!err)
		*ret_table = table;
	return err;
}

/* The first character that is not white space, or 0. */
static char first_char(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!is_space(text[i]))
			return text[i];
	return 0;
}

int ssdpm_apst_from_data(const void *data, size_t size,
			 struct ssdpm_apst *ret_table,
			 struct ssdpm_error *reterr)
{
	uint8_t bytes[SSDPM_APST_BYTES];
	const char *text = data;
	char first;
	int err;

	if (size == 0)
		return ssdpm__fail(reterr, -EINVAL, 0, "no data");
	/* Reserved bits make sure that the bytes contain zeros, and no text. */
	if (memchr(data, 0, size)) {
		if (size == SSDPM_APST_BYTES)
			return ssdpm__apst_from_bytes(data, ret_table, reterr);
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%zu bytes, not text; an APST table has %u",
				   size, SSDPM_APST_BYTES);
	}
	ssdpm__json_skip_mark(&text, &size);
	first = first_char(text, size);
	if (first == '{' || first == '[')
		return from_json(text, size, ret_table, reterr);
	if (!is_hex(text, size))
		return ssdpm__apst_from_text(text, size, ret_table, reterr);
	err = from_hex(text, size, "", 0, bytes, reterr);
	return err ? err : ssdpm__apst_from_bytes(bytes, ret_table, reterr);
}
