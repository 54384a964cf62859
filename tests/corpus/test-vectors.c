/* SPDX-License-Identifier: MIT */
/*
 * vectors/apst_linux.jsonl of the corpus: what the Linux kernel's own function
 * programs. Each line goes through the model, the policy and the encoder, and
 * must come out bit by bit.
 */
#include "corpus.h"

#include "base/json-text.h"

#include <ssdpm-energy.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_AT_LEAST = 2000 };

struct vector {
	struct json json;
	unsigned long line;
};

static const struct json_node *member(const struct vector *v,
				      const struct json_node *object,
				      const char *key)
{
	const struct json_node *node =
		ssdpm__json_member(&v->json, object, key);

	if (!node)
		die("line %lu: no %s", v->line, key);
	return node;
}

static uint64_t number(const struct vector *v, const struct json_node *node)
{
	struct ssdpm_error error;
	uint64_t value;

	if (ssdpm__json_get_uint(&v->json, node, UINT64_MAX, "number", &value,
				 &error))
		die("line %lu: %s", v->line, error.message);
	return value;
}

static uint64_t get(const struct vector *v, const char *key)
{
	return number(v, member(v, v->json.nodes, key));
}

/* A text of the vector is ASCII without escapes. */
static void text_of(const struct vector *v, const struct json_node *node,
		    char *text, size_t size)
{
	struct ssdpm_error error;

	if (ssdpm__json_get_string(&v->json, node, text, size, "text", &error))
		die("line %lu: %s", v->line, error.message);
}

static size_t read_states(const struct vector *v,
			  struct ssdpm_power_state states[SSDPM_MAX_STATES])
{
	const struct json_node *list = member(v, v->json.nodes, "states");
	const struct json_node *node = ssdpm__json_first(&v->json, list);
	size_t n = 0;

	memset(states, 0, SSDPM_MAX_STATES * sizeof(*states));
	for (; node; node = ssdpm__json_next(&v->json, list, node), n++) {
		const struct json_node *nops, *entry, *exit;

		if (n == SSDPM_MAX_STATES || node->n_children != 3)
			die("line %lu: states", v->line);
		nops = ssdpm__json_first(&v->json, node);
		entry = ssdpm__json_next(&v->json, node, nops);
		exit = ssdpm__json_next(&v->json, node, entry);
		states[n].flags = (uint32_t)number(v, nops);
		states[n].entry_latency_us = (uint32_t)number(v, entry);
		states[n].exit_latency_us = (uint32_t)number(v, exit);
	}
	return n;
}

static struct ssdpm_model *read_model(const struct vector *v)
{
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT |
			   SSDPM_INFO_FIRMWARE,
		.apsta = (uint8_t)get(v, "apsta"),
	};
	struct ssdpm_model *model;
	struct ssdpm_error error;
	size_t n = read_states(v, states);

	if (ssdpm_model_new(&info, states, n, &model, &error))
		die("line %lu: %s", v->line, error.message);
	return model;
}

static void read_params(const struct vector *v, struct ssdpm_apst_params *p)
{
	const struct json_node *limit;
	char algorithm[32];

	ssdpm_apst_params_init(p, sizeof(*p));
	text_of(v, member(v, v->json.nodes, "algorithm"), algorithm,
		sizeof(algorithm));
	if (!strcmp(algorithm, "linux-legacy"))
		p->algorithm = SSDPM_APST_LINUX_LEGACY;
	else if (strcmp(algorithm, "linux"))
		die("line %lu: algorithm %s", v->line, algorithm);
	if (get(v, "quirk_no_apst"))
		p->quirks |= SSDPM_QUIRK_NO_APST;
	if (get(v, "quirk_no_deepest_ps"))
		p->quirks |= SSDPM_QUIRK_NO_DEEPEST_PS;
	limit = member(v, v->json.nodes, "max_exit_latency_us");
	p->max_exit_latency_us = limit->type == JSON_STRING ?
					 SSDPM_LATENCY_ANY :
					 number(v, limit);
	if (p->algorithm != SSDPM_APST_LINUX)
		return;
	p->primary_timeout_ms = get(v, "primary_timeout_ms");
	p->primary_latency_tolerance_us =
		get(v, "primary_latency_tolerance_us");
	p->secondary_timeout_ms = get(v, "secondary_timeout_ms");
	p->secondary_latency_tolerance_us =
		get(v, "secondary_latency_tolerance_us");
}

/* The non-zero entries of the vector, as the bytes that Linux sends. */
static void read_bytes(const struct vector *v, const struct json_node *expect,
		       uint8_t data[SSDPM_APST_BYTES])
{
	const struct json_node *entries = member(v, expect, "entries");
	const struct json_node *node = ssdpm__json_first(&v->json, entries);

	memset(data, 0, SSDPM_APST_BYTES);
	for (; node; node = ssdpm__json_next(&v->json, entries, node)) {
		unsigned long state =
			strtoul(v->json.text + node->key_start, NULL, 10);
		uint64_t value;
		char hex[32];

		if (state >= SSDPM_MAX_STATES)
			die("line %lu: entry %lu", v->line, state);
		text_of(v, node, hex, sizeof(hex));
		value = strtoull(hex, NULL, 16);
		for (int i = 0; i < 8; i++)
			data[state * 8 + (unsigned long)i] =
				(uint8_t)(value >> 8 * i);
	}
}

/* With the kernel's answers, the digits that .ci/cross compares. */
static void print_table(const struct ssdpm_apst *table,
			const uint8_t data[SSDPM_APST_BYTES])
{
	printf("%u %u ", table->sent, table->enabled);
	for (size_t i = 0; i < SSDPM_APST_BYTES; i++)
		printf("%02x", data[i]);
	printf("\n");
}

static void check(const struct vector *v, bool print)
{
	const struct json_node *expect = member(v, v->json.nodes, "expect");
	uint8_t expected[SSDPM_APST_BYTES], data[SSDPM_APST_BYTES];
	struct ssdpm_model *model = read_model(v);
	struct ssdpm_apst_params params;
	struct ssdpm_apst table;
	struct ssdpm_error error;
	bool sent;

	read_params(v, &params);
	read_bytes(v, expect, expected);
	sent = ssdpm__json_is_true(&v->json, member(v, expect, "sent"));
	if (ssdpm_apst_generate(model, &params, &table, &error) ||
	    ssdpm_apst_encode(&table, data, &error))
		die("line %lu: %s", v->line, error.message);
	if (table.sent != sent)
		die("line %lu: sent is %u", v->line, table.sent);
	if (table.enabled != number(v, member(v, expect, "apste")))
		die("line %lu: enabled is %u", v->line, table.enabled);
	if (memcmp(expected, data, sizeof(data)))
		die("line %lu: other entries than Linux's", v->line);
	if (print)
		print_table(&table, data);
	ssdpm_model_unref(model);
}

int main(int argc, char **argv)
{
	struct vector v = { .line = 0 };
	char path[4096], *text = NULL;
	struct ssdpm_error error;
	size_t capacity = 0;
	ssize_t length;
	FILE *file;

	snprintf(path, sizeof(path), "%s/vectors/apst_linux.jsonl",
		 corpus_directory(argc, argv));
	file = fopen(path, "r");
	if (!file)
		die("%s: %s", path, strerror(errno));
	while ((length = getline(&text, &capacity, file)) > 0) {
		v.line++;
		if (ssdpm__json_parse(text, (size_t)length, &v.json, &error))
			die("line %lu: %s", v.line, error.message);
		check(&v, argc > 2);
		ssdpm__json_free(&v.json);
	}
	free(text);
	fclose(file);
	if (v.line < LINES_AT_LEAST)
		die("%lu vectors; there should be %d at least", v.line,
		    LINES_AT_LEAST);
	printf("%lu of %lu vectors agree bit by bit with Linux\n", v.line,
	       v.line);
	return 0;
}
