/* SPDX-License-Identifier: MIT */
/*
 * The numbers in the rules of the estimate are those of the corpus. They are
 * computed anew, printed, and compared with ssdpm_parameters_from_model(). For
 * every drive, low <= nominal <= high.
 */
#include "../support/calls.h"
#include "corpus.h"

#include "base/json-text.h"
#include "base/text.h"

#include <ssdpm-energy.h>

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 8192, MAX_REPORTED = 16, DATA_CENTRE_UW = 12000000 };

/* A drive that reports the idle power of PS0, in millionths of its maximum. */
struct reported {
	bool centre;
	uint64_t low, high;
};

static struct reported reported[MAX_REPORTED];
static size_t n_reported;

/* Numbers of one kind. */
struct sample {
	const char *name;
	uint64_t values[MAX_VALUES];
	size_t n;
};

static struct sample maximum = { .name = "maximum of PS0 (uW)" };
static struct sample asleep = { .name = "maximum asleep (uW)" };
static struct sample entry = { .name = "entry, asleep (us)" };
static struct sample leave = { .name = "exit, asleep (us)" };
static struct sample client = { .name = "idle / maximum, client (millionths)" };
static struct sample centre = { .name = "the same, data centre" };
static struct sample sleeper = { .name = "the same, asleep" };

static void add(struct sample *sample, uint64_t value)
{
	if (sample->n == MAX_VALUES)
		die("%s: too many", sample->name);
	sample->values[sample->n++] = value;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* By nearest rank. */
static uint64_t quantile(struct sample *sample, unsigned int percent)
{
	size_t rank = (sample->n * percent + 99) / 100;

	qsort(sample->values, sample->n, sizeof(*sample->values), compare);
	return sample->values[rank ? rank - 1 : 0];
}

static void print(struct sample *sample)
{
	if (!sample->n)
		die("%s: none", sample->name);
	printf("%-36s n %4zu:", sample->name, sample->n);
	for (unsigned int percent = 0; percent <= 100;
	     percent += percent == 0 || percent == 95 ? 5 : 45)
		printf(" %u %% %llu", percent,
		       (unsigned long long)quantile(sample, percent));
	printf("\n");
}

static void expect(const char *what, uint64_t is, uint64_t should)
{
	if (is != should)
		die("%s: the rule has %llu, the corpus %llu", what,
		    (unsigned long long)is, (unsigned long long)should);
}

/*
 * A pair of a maximum and an idle power counts once, because firmware is
 * copied.
 */
static void add_share(struct sample *sample, uint64_t idle, uint64_t max)
{
	uint64_t share = idle * 1000000 / max;

	for (size_t i = 0; i < sample->n; i++)
		if (sample->values[i] == share && sample != &sleeper)
			return;
	add(sample, share);
}

/* The rule's criterion, from the table alone. */
static bool is_centre(const struct ssdpm_power_state *states, size_t n)
{
	bool sleeps = false;

	for (size_t i = 0; i < n; i++)
		sleeps |= states[i].flags & SSDPM_STATE_NON_OPERATIONAL;
	return states[0].max_power_uw > DATA_CENTRE_UW || (n > 1 && !sleeps);
}

/* Adds a range if nvme-cli did not print the fraction; once, as below. */
static void add_drive(const struct ssdpm_model *model)
{
	size_t n;
	const struct ssdpm_power_state *s = ssdpm_model_get_states(model, &n);
	struct reported one = { .centre = is_centre(s, n) };
	uint32_t low = s->idle_power_uw, high = low;

	if (!s->max_power_uw || s->not_reported & SSDPM_FIELD_IDLE_POWER ||
	    (s->unknown & SSDPM_FIELD_IDLE_POWER &&
	     (ssdpm_model_get_power_range(model, 0, SSDPM_FIELD_IDLE_POWER,
					  &low, &high, NULL) ||
	      !low)))
		return;
	one.low = low * 1000000ull / s->max_power_uw;
	one.high = high * 1000000ull / s->max_power_uw;
	for (size_t i = 0; i < n_reported; i++)
		if (reported[i].low == one.low)
			return;
	if (n_reported == MAX_REPORTED)
		die("too many drives report");
	reported[n_reported++] = one;
}

/* Adds drives with a saved output of nvme-cli or of the drive. */
static void add_reported(const struct ssdpm_model *model)
{
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	add_drive(model);
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_power_state *s = &states[i];
		bool sleeps = s->flags & SSDPM_STATE_NON_OPERATIONAL;

		if ((s->unknown | s->not_reported) &
			    (SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_MAX_POWER) ||
		    (i && !sleeps))
			continue;
		add_share(sleeps	       ? &sleeper :
			  is_centre(states, n) ? &centre :
						 &client,
			  s->idle_power_uw, s->max_power_uw);
	}
}

static void check_order(const struct ssdpm_model *model)
{
	struct ssdpm_parameter p[SSDPM_MAX_PARAMETERS];
	struct ssdpm_error error;
	size_t n;

	for (uint32_t link = SSDPM_PCIE_L0; link <= SSDPM_PCIE_L1_2; link++) {
		if (make_parameters_of(model, link, p, &n, &error))
			die("%s: %s", ssdpm_model_get_info(model)->product,
			    error.message);
		for (size_t i = 0; i < n; i++)
			if (p[i].low > p[i].nominal ||
			    p[i].nominal > p[i].high || !p[i].rule[0])
				die("%s: %s of %u is not in order",
				    ssdpm_model_get_info(model)->product,
				    ssdpm_parameter_kind_to_string(p[i].kind),
				    p[i].index);
	}
}

static uint64_t number(const struct json *json, const struct json_node *state,
		       const char *key, bool watts)
{
	const struct json_node *node = ssdpm__json_member(json, state, key);
	struct span text;
	uint64_t value;

	if (!node)
		die("no %s", key);
	if (node->type == JSON_NULL)
		return 0;
	text = ssdpm__span(json->text + node->start, node->end - node->start);
	if (!ssdpm__take_millionths(&text, UINT32_MAX * 1000000ull, &value))
		die("%s is no number", key);
	return watts ? value : value / 1000000;
}

static struct ssdpm_power_state read_state(const struct json *json,
					   const struct json_node *node)
{
	struct ssdpm_power_state s = { .unknown = SSDPM_FIELD_ACTIVE_POWER };
	const struct json_node *operational =
		ssdpm__json_member(json, node, "operational");

	if (!operational)
		die("no operational");
	if (!ssdpm__json_is_true(json, operational))
		s.flags = SSDPM_STATE_NON_OPERATIONAL;
	s.max_power_uw = (uint32_t)number(json, node, "max_power_w", true);
	s.entry_latency_us = (uint32_t)number(json, node, "entry_us", false);
	s.exit_latency_us = (uint32_t)number(json, node, "exit_us", false);
	s.idle_power_uw = (uint32_t)number(json, node, "idle_power_w", true);
	return s;
}

static void count_state(const struct ssdpm_power_state *s, size_t index)
{
	if (!index && s->max_power_uw)
		add(&maximum, s->max_power_uw);
	if (!(s->flags & SSDPM_STATE_NON_OPERATIONAL))
		return;
	if (s->max_power_uw)
		add(&asleep, s->max_power_uw);
	if (s->entry_latency_us)
		add(&entry, s->entry_latency_us);
	if (s->exit_latency_us)
		add(&leave, s->exit_latency_us);
}

static void read_row(const struct json *json)
{
	const struct json_node *list =
		ssdpm__json_member(json, json->nodes, "states");
	const struct json_node *format =
		ssdpm__json_member(json, json->nodes, "format");
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_APSTA |
			   SSDPM_INFO_PRODUCT | SSDPM_INFO_FIRMWARE,
	};
	struct ssdpm_model *model;
	struct ssdpm_error error;
	char name[64];
	bool trusted;
	size_t n = 0;

	if (!list || !format ||
	    ssdpm__json_get_string(json, format, name, sizeof(name), "format",
				   &error))
		die("no states or no format");
	/* smartctl reads the scale of idle power from the wrong bits. */
	trusted = !strncmp(name, "id-ctrl", 7);
	for (const struct json_node *node = ssdpm__json_first(json, list);
	     node && n < SSDPM_MAX_STATES;
	     node = ssdpm__json_next(json, list, node), n++) {
		states[n] = read_state(json, node);
		count_state(&states[n], n);
		if (!trusted || !states[n].idle_power_uw) {
			states[n].idle_power_uw = 0;
			states[n].unknown |= SSDPM_FIELD_IDLE_POWER;
		}
	}
	if (ssdpm_model_new(&info, states, n, &model, &error))
		die("%s", error.message);
	check_order(model);
	add_reported(model);
	ssdpm_model_unref(model);
}

static void read_rows(const char *directory)
{
	char path[4096], *line = NULL;
	struct ssdpm_error error;
	unsigned long rows = 0;
	struct json json;
	size_t size = 0;
	ssize_t length;
	FILE *file;

	snprintf(path, sizeof(path), "%s/data/nvme_power_states.jsonl",
		 directory);
	file = fopen(path, "r");
	if (!file)
		die("%s: %s", path, strerror(errno));
	while ((length = getline(&line, &size, file)) > 0) {
		rows++;
		if (ssdpm__json_parse(line, (size_t)length, &json, &error))
			die("line %lu: %s", rows, error.message);
		read_row(&json);
		ssdpm__json_free(&json);
	}
	free(line);
	fclose(file);
	if (rows < 1000)
		die("%s: only %lu rows", path, rows);
}

/* Raw dumps without a row in the other file. */
static void read_dumps(const char *directory, const char *folder,
		       const char *names)
{
	static uint8_t data[1 << 20];
	struct ssdpm_error error;
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/data/%s/*", directory, folder);
	if (glob(pattern, 0, NULL, &found))
		die("%s: nothing", pattern);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		size_t size = read_file(found.gl_pathv[i], data, sizeof(data));
		struct ssdpm_model **models;
		size_t n, n_states;

		if (ssdpm_model_list_from_data(data, size, &models, &n, &error))
			continue; /* a table, or cut off */
		ssdpm_model_get_states(models[0], &n_states);
		if (n_states)
			check_order(models[0]);
		if (n_states && strstr(found.gl_pathv[i], names) &&
		    !strstr(found.gl_pathv[i], "smartctl"))
			add_reported(models[0]);
		ssdpm_model_list_free(models, n);
	}
	globfree(&found);
}

/* The rule's values for a drive that reports no more than this. */
static struct ssdpm_parameter rule(uint32_t max_uw, uint32_t asleep_uw,
				   uint32_t unknown, uint32_t kind,
				   uint32_t index)
{
	struct ssdpm_power_state states[2] = {
		{ .max_power_uw = max_uw,
		  .unknown =
			  SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ACTIVE_POWER },
		{ .max_power_uw = asleep_uw,
		  .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .unknown = SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ACTIVE_POWER |
			     unknown },
	};
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_APSTA |
			   SSDPM_INFO_PRODUCT | SSDPM_INFO_FIRMWARE,
	};
	struct ssdpm_parameter p[SSDPM_MAX_PARAMETERS];
	struct ssdpm_model *model;
	struct ssdpm_error error;
	const struct ssdpm_parameter *found;
	size_t n;

	if (ssdpm_model_new(&info, states, 2, &model, &error) ||
	    make_parameters_of(model, SSDPM_PCIE_L1_2, p, &n, &error))
		die("%s", error.message);
	ssdpm_model_unref(model);
	found = find_parameter(p, n, kind, index);
	if (!found)
		die("no %s of %u", ssdpm_parameter_kind_to_string(kind), index);
	return *found;
}

/* The geometric mean in whole thousandths; a paper has one more drive. */
static uint64_t mean_of_centre(void)
{
	double product = 5e6 / 20;
	size_t n = 1;

	for (size_t i = 0; i < n_reported; i++) {
		if (!reported[i].centre)
			continue;
		product *= (double)(reported[i].low + reported[i].high) / 2;
		n++;
	}
	return (uint64_t)(pow(product, 1.0 / (double)n) / 1000 + 0.5) * 1000;
}

/*
 * Checks the rule of a class without one of its drives: half of the least, and
 * the high value, which no reporting drive determines.
 */
static void check_without(size_t left_out, const struct ssdpm_parameter *rule,
			  uint64_t unit, uint64_t sheet)
{
	const struct reported *out = &reported[left_out];
	uint64_t least = sheet;

	for (size_t i = 0; i < n_reported; i++)
		if (i != left_out && reported[i].centre == out->centre &&
		    reported[i].low < least)
			least = reported[i].low;
	printf("idle, left out: %llu to %llu, in %llu to %llu\n",
	       (unsigned long long)out->low, (unsigned long long)out->high,
	       (unsigned long long)least / 2,
	       (unsigned long long)(rule->high / unit));
	if (out->low < least / 2 || out->high > rule->high / unit)
		die("a drive lies beyond the rule that is made without it");
}

static void check_shares(void)
{
	const uint32_t idle = SSDPM_PARAMETER_IDLE_POWER;
	/* A watt has a million microwatts, and a share as many parts. */
	struct ssdpm_parameter c = rule(1000000, 1000000, 0, idle, 0);
	struct ssdpm_parameter d = rule(20000000, 1000000, 0, idle, 0);
	struct ssdpm_parameter s = rule(1000000, 1000000, 0, idle, 1);

	expect("idle-client, nominal", c.nominal, quantile(&client, 50));
	expect("idle-data-centre, nominal", d.nominal / 20, mean_of_centre());
	if (c.low > quantile(&client, 0) || c.high < quantile(&client, 100) ||
	    d.low / 20 > quantile(&centre, 0) ||
	    d.high / 20 < quantile(&centre, 100))
		die("a drive reports an idle power beyond the rules");
	for (size_t i = 0; i < n_reported; i++)
		if (reported[i].centre)
			check_without(i, &d, 20, 4000000 / 25);
		else
			check_without(i, &c, 1, 1000000);
	if (n_reported != 6)
		die("%zu drives report their idle power, and not 6",
		    n_reported);
	expect("asleep-of-maximum, nominal", s.nominal, quantile(&sleeper, 50));
	expect("asleep-of-maximum, high", s.high, quantile(&sleeper, 100));
}

static void check_quantiles(void)
{
	const uint32_t none =
		SSDPM_FIELD_ENTRY_LATENCY | SSDPM_FIELD_EXIT_LATENCY;
	struct ssdpm_parameter p;

	p = rule(0, 0, 0, SSDPM_PARAMETER_IDLE_POWER, 0);
	expect("idle-any, low", p.low, quantile(&maximum, 5) * 60 / 1000);
	expect("idle-any, nominal", p.nominal,
	       quantile(&maximum, 50) * 126 / 1000);
	expect("idle-any, high", p.high, quantile(&maximum, 95) * 410 / 1000);
	p = rule(0, 0, 0, SSDPM_PARAMETER_IDLE_POWER, 1);
	expect("asleep-any, low", p.low, quantile(&asleep, 5));
	expect("asleep-any, nominal", p.nominal, quantile(&asleep, 50));
	expect("asleep-any, high", p.high, quantile(&asleep, 95));
	p = rule(0, 0, 0, SSDPM_PARAMETER_ACTIVE_POWER, SSDPM_OP_WRITE - 1);
	expect("active-any, high", p.high, quantile(&maximum, 50));
	p = rule(0, 0, 0, SSDPM_PARAMETER_TRANSITION_POWER, 0);
	expect("transition, high", p.high, quantile(&maximum, 95));
	p = rule(0, 0, none, SSDPM_PARAMETER_ENTRY_LATENCY, 1);
	expect("entry-any, low", p.low, quantile(&entry, 5));
	expect("entry-any, nominal", p.nominal, quantile(&entry, 50));
	expect("entry-any, high", p.high, quantile(&entry, 95));
	p = rule(0, 0, none, SSDPM_PARAMETER_EXIT_LATENCY, 1);
	expect("exit-any, low", p.low, quantile(&leave, 5));
	expect("exit-any, nominal", p.nominal, quantile(&leave, 50));
	expect("exit-any, high", p.high, quantile(&leave, 95));
	p = rule(0, 0, 0, SSDPM_PARAMETER_EXIT_LATENCY, 1);
	expect("latency-zero, high", p.high, quantile(&leave, 95));
}

int main(int argc, char **argv)
{
	struct sample *all[] = { &maximum, &asleep, &entry,  &leave,
				 &client,  &centre, &sleeper };
	const char *directory = corpus_directory(argc, argv);

	read_rows(directory);
	read_dumps(directory, "raw", "id-ctrl");
	read_dumps(directory, "raw_trusted", "");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		print(all[i]);
	check_shares();
	check_quantiles();
	return 0;
}
