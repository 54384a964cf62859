/* SPDX-License-Identifier: MIT */
/*
 * The file nvme_power_states.jsonl of the corpus. Every drive in it is printed
 * as smartctl prints it, and read back. So is our own JSON with all its values.
 */
#include "corpus.h"

#include "base/json-text.h"
#include "base/text.h"

#include <ssdpm.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_LEAST = 1000 };

struct row {
	struct json json;
	unsigned long line;
	char product[41], firmware[9];
	char text[8192]; /* as smartctl prints it */
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	size_t n_states;
};

static const struct json_node *member(const struct row *row,
				      const struct json_node *object,
				      const char *key)
{
	const struct json_node *node =
		ssdpm__json_member(&row->json, object, key);

	if (!node)
		die("line %lu: no %s", row->line, key);
	return node;
}

static uint32_t get(const struct row *row, const struct json_node *state,
		    const char *key)
{
	struct ssdpm_error error;
	uint64_t value;

	if (ssdpm__json_get_uint(&row->json, member(row, state, key),
				 UINT32_MAX, key, &value, &error))
		die("line %lu: %s", row->line, error.message);
	return (uint32_t)value;
}

static void get_text(const struct row *row, const char *key, char *text,
		     size_t size)
{
	const struct json_node *node = member(row, row->json.nodes, key);
	struct ssdpm_error error;

	text[0] = 0;
	if (node->type != JSON_NULL &&
	    ssdpm__json_get_string(&row->json, node, text, size, key, &error))
		die("line %lu: %s", row->line, error.message);
}

static void print(struct row *row, const char *text)
{
	if (strlen(row->text) + strlen(text) >= sizeof(row->text))
		die("line %lu: too long", row->line);
	strcat(row->text, text);
}

/* MP is in 0.01 W or, with MXPS 1, in 0.0001 W. */
static void format_power(uint32_t mp, bool fine, char text[32])
{
	if (fine)
		snprintf(text, 32, "%u.%04uW", mp / 10000, mp % 10000);
	else
		snprintf(text, 32, "%u.%02uW", mp / 100, mp % 100);
}

/* Watts with a fraction, or null. */
static void take_power(const struct row *row, const struct json_node *state,
		       const char *key, uint32_t bit,
		       struct ssdpm_power_state *s, uint32_t *power)
{
	const struct json_node *node = member(row, state, key);
	struct span text = ssdpm__span(row->json.text + node->start,
				       node->end - node->start);
	uint64_t uw;

	if (node->type == JSON_NULL) {
		s->unknown |= bit;
		return;
	}
	if (!ssdpm__take_millionths(&text, UINT32_MAX, &uw) ||
	    text.at != text.end)
		die("line %lu: %s", row->line, key);
	*power = (uint32_t)uw;
}

static void take_state(struct row *row, const struct json_node *node)
{
	struct ssdpm_power_state *s = &row->states[row->n_states];
	bool operational = ssdpm__json_is_true(
		&row->json, member(row, node, "operational"));
	uint32_t mp = get(row, node, "mp"), fine = get(row, node, "mxps");
	char power[32], line[256];

	if (get(row, node, "ps") != row->n_states)
		die("line %lu: a gap", row->line);
	s->flags = operational ? 0 : SSDPM_STATE_NON_OPERATIONAL;
	s->max_power_uw = mp * (fine ? 100 : 10000);
	s->entry_latency_us = get(row, node, "entry_us");
	s->exit_latency_us = get(row, node, "exit_us");
	s->read_throughput_rank = (uint8_t)get(row, node, "rrt");
	s->read_latency_rank = (uint8_t)get(row, node, "rrl");
	s->write_throughput_rank = (uint8_t)get(row, node, "rwt");
	s->write_latency_rank = (uint8_t)get(row, node, "rwl");
	take_power(row, node, "active_power_w", SSDPM_FIELD_ACTIVE_POWER, s,
		   &s->active_power_uw);
	take_power(row, node, "idle_power_w", SSDPM_FIELD_IDLE_POWER, s,
		   &s->idle_power_uw);
	format_power(mp, fine, power);
	snprintf(line, sizeof(line),
		 "%2zu %c %9s %8s %8s %3u %2u %2u %2u %8u %7u\n", row->n_states,
		 operational ? '+' : '-', power, "-", "-", s->read_latency_rank,
		 s->read_throughput_rank, s->write_latency_rank,
		 s->write_throughput_rank, s->entry_latency_us,
		 s->exit_latency_us);
	print(row, line);
	row->n_states++;
}

static void read_row(struct row *row)
{
	const struct json_node *list = member(row, row->json.nodes, "states");
	const struct json_node *node = ssdpm__json_first(&row->json, list);
	char head[512];

	get_text(row, "model", row->product, sizeof(row->product));
	get_text(row, "firmware", row->firmware, sizeof(row->firmware));
	row->n_states = 0;
	row->text[0] = 0;
	memset(row->states, 0, sizeof(row->states));
	snprintf(head, sizeof(head),
		 "=== START OF INFORMATION SECTION ===\n"
		 "Model Number:                       %s\n"
		 "Firmware Version:                   %s\n\n"
		 "Supported Power States\n"
		 "St Op     Max   Active     Idle   RL RT WL WT  Ent_Lat  "
		 "Ex_Lat\n",
		 row->product, row->firmware);
	print(row, head);
	for (; node; node = ssdpm__json_next(&row->json, list, node))
		take_state(row, node);
}

static void check_state(const struct row *row, size_t i,
			const struct ssdpm_power_state *got)
{
	const struct ssdpm_power_state *want = &row->states[i];

	if (got->flags != want->flags ||
	    got->max_power_uw != want->max_power_uw ||
	    got->entry_latency_us != want->entry_latency_us ||
	    got->exit_latency_us != want->exit_latency_us ||
	    got->read_throughput_rank != want->read_throughput_rank ||
	    got->read_latency_rank != want->read_latency_rank ||
	    got->write_throughput_rank != want->write_throughput_rank ||
	    got->write_latency_rank != want->write_latency_rank)
		die("line %lu: state %zu is another", row->line, i);
	if (!(got->unknown & SSDPM_FIELD_IDLE_POWER) ||
	    !(got->unknown & SSDPM_FIELD_ACTIVE_POWER))
		die("line %lu: state %zu has idle or active power", row->line,
		    i);
}

static void check_row_round_trip(const struct row *row,
				 const struct ssdpm_model *model)
{
	char where[32];

	snprintf(where, sizeof(where), "line %lu", row->line);
	check_round_trip(model, where);
}

/* The same drive with its active and idle power, where the row has them. */
static void check_whole(const struct row *row)
{
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_APSTA,
	};
	struct ssdpm_error error;
	struct ssdpm_model *model;

	strcpy(info.product, row->product);
	strcpy(info.firmware, row->firmware);
	if (ssdpm_model_new(&info, row->states, row->n_states, &model, &error))
		die("line %lu: %s", row->line, error.message);
	check_row_round_trip(row, model);
	ssdpm_model_unref(model);
}

static void check_row(struct row *row)
{
	const struct ssdpm_power_state *states;
	const struct ssdpm_model_info *info;
	struct ssdpm_model **models;
	struct ssdpm_error error;
	size_t n;

	read_row(row);
	if (ssdpm_model_list_from_data(row->text, strlen(row->text), &models,
				       &n, &error))
		die("line %lu, text line %u: %s", row->line, error.line,
		    error.message);
	info = ssdpm_model_get_info(models[0]);
	if (info->format != SSDPM_FORMAT_SMARTCTL_TEXT ||
	    strcmp(info->product, row->product) ||
	    strcmp(info->firmware, row->firmware))
		die("line %lu: \"%s\", \"%s\"", row->line, info->product,
		    info->firmware);
	states = ssdpm_model_get_states(models[0], &n);
	if (n != row->n_states)
		die("line %lu: %zu states", row->line, n);
	for (size_t i = 0; i < n; i++)
		check_state(row, i, &states[i]);
	check_row_round_trip(row, models[0]);
	check_whole(row);
	ssdpm_model_list_free(models, 1);
}

int main(int argc, char **argv)
{
	static struct row row;
	struct ssdpm_error error;
	char path[4096], *line = NULL;
	size_t size = 0;
	ssize_t length;
	FILE *file;

	snprintf(path, sizeof(path), "%s/data/nvme_power_states.jsonl",
		 corpus_directory(argc, argv));
	file = fopen(path, "r");
	if (!file)
		die("%s: %s", path, strerror(errno));
	while ((length = getline(&line, &size, file)) > 0) {
		row.line++;
		if (ssdpm__json_parse(line, (size_t)length, &row.json, &error))
			die("line %lu: %s", row.line, error.message);
		check_row(&row);
		ssdpm__json_free(&row.json);
	}
	free(line);
	fclose(file);
	if (row.line < ROWS_AT_LEAST)
		die("%s: only %lu rows", path, row.line);
	printf("%lu drives are read back\n", row.line);
	return 0;
}
