/* SPDX-License-Identifier: MIT */
/* The values that steps change, and the one text that each has. */
#include "apply/internal.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MAX_HINT = 7 };

static const char disabled[] = " disabled";

static void format_tolerance(const struct ssdpm_step_value *is,
			     char text[SSDPM__VALUE_BYTES])
{
	if (is->max_exit_latency_us == SSDPM_LATENCY_ANY)
		strcpy(text, "any");
	else
		snprintf(text, SSDPM__VALUE_BYTES, "%" PRIu64,
			 is->max_exit_latency_us);
}

static bool parse_number(const char *text, uint64_t max, uint64_t *ret_number)
{
	struct span span = ssdpm__span(text, strlen(text));

	return *text && !text[strspn(text, "0123456789")] &&
	       ssdpm__take_uint(&span, max, ret_number);
}

/* No limit has two words; "auto" is never written. */
static bool parse_tolerance(const char *text, struct ssdpm_step_value *ret_is)
{
	ret_is->max_exit_latency_us = SSDPM_LATENCY_ANY;
	return !strcmp(text, "any") || !strcmp(text, "auto") ||
	       parse_number(text, INT32_MAX, &ret_is->max_exit_latency_us);
}

const struct value_form ssdpm__tolerance_form = {
	.parse = parse_tolerance,
	.format = format_tolerance,
};

static void format_parameter(const struct ssdpm_step_value *is,
			     char text[SSDPM__VALUE_BYTES])
{
	snprintf(text, SSDPM__VALUE_BYTES, "%" PRIu64, is->nvme_core);
}

static bool parse_parameter(const char *text, struct ssdpm_step_value *ret_is)
{
	return parse_number(text, UINT64_MAX, &ret_is->nvme_core);
}

const struct value_form ssdpm__parameter_form = {
	.parse = parse_parameter,
	.format = format_parameter,
};

static bool is_same_entry(const struct ssdpm_apst_entry *a,
			  const struct ssdpm_apst_entry *b)
{
	return a->idle_ms == b->idle_ms && a->target == b->target;
}

/* Neighbours that do the same are one range: "PS0-PS2 to PS3 after 100 ms". */
static void format_table(const struct ssdpm_step_value *is,
			 char text[SSDPM__VALUE_BYTES])
{
	const struct ssdpm_apst_entry *entries = is->table.entries;
	char *at = text;

	for (uint32_t i = 0, last; i < SSDPM_MAX_STATES; i = last + 1) {
		last = i;
		if (!entries[i].idle_ms)
			continue;
		while (last + 1 < SSDPM_MAX_STATES &&
		       is_same_entry(&entries[i], &entries[last + 1]))
			last++;
		at += sprintf(at, "%sPS%u", at == text ? "" : ", ", i);
		if (last > i)
			at += sprintf(at, "-PS%u", last);
		at += sprintf(
			at, " to PS%u after %s", entries[i].target,
			ssdpm_us_to_text((uint64_t)entries[i].idle_ms * 1000)
				.text);
	}
	strcpy(at, at == text ? "never sleeps" : "");
	if (!is->table.enabled)
		strcat(text, disabled);
}

/* A table in a plan was found sound: it fits into its bytes. */
static void record_table(const struct ssdpm_step_value *is,
			 char text[SSDPM__VALUE_BYTES])
{
	uint8_t data[SSDPM_APST_BYTES] = { 0 };

	ssdpm_apst_encode(&is->table, data, NULL);
	for (size_t i = 0; i < sizeof(data); i++)
		snprintf(text + 2 * i, 3, "%02x", data[i]);
	if (!is->table.enabled)
		strcat(text, disabled);
}

static bool parse_table(const char *text, struct ssdpm_step_value *ret_is)
{
	uint8_t data[SSDPM_APST_BYTES];

	for (size_t i = 0; i < SSDPM_APST_BYTES; i++, text += 2) {
		int high = ssdpm__hex_digit(text[0]);
		int low = high < 0 ? -1 : ssdpm__hex_digit(text[1]);

		if (low < 0)
			return false;
		data[i] = (uint8_t)(high << 4 | low);
	}
	if (*text && strcmp(text, disabled))
		return false;
	if (ssdpm_apst_from_data(data, sizeof(data), &ret_is->table, NULL))
		return false;
	ret_is->table.enabled = !*text;
	return true;
}

const struct value_form ssdpm__table_form = {
	.parse = parse_table,
	.format = format_table,
	.record = record_table,
};

static void format_lpm(const struct ssdpm_step_value *is,
		       char text[SSDPM__VALUE_BYTES])
{
	strcpy(text, ssdpm_lpm_to_string(is->lpm));
}

static bool parse_lpm(const char *text, struct ssdpm_step_value *ret_is)
{
	ret_is->lpm = ssdpm_lpm_from_string(text);
	return ret_is->lpm;
}

const struct value_form ssdpm__lpm_form = {
	.parse = parse_lpm,
	.format = format_lpm,
};

static void format_power_state(const struct ssdpm_step_value *is,
			       char text[SSDPM__VALUE_BYTES])
{
	int n = snprintf(text, SSDPM__VALUE_BYTES, "PS%u", is->power_state);

	/* One that is kept is not known yet. */
	if (is->workload_hint && is->workload_hint <= MAX_HINT)
		snprintf(text + n, (size_t)(SSDPM__VALUE_BYTES - n), " hint %u",
			 is->workload_hint);
}

static bool parse_power_state(const char *text, struct ssdpm_step_value *ret_is)
{
	struct span span = ssdpm__span(text, strlen(text));
	uint64_t state, hint = 0;

	if (!ssdpm__take(&span, "PS") ||
	    !ssdpm__take_uint(&span, SSDPM_MAX_STATES - 1, &state))
		return false;
	if (span.at != span.end &&
	    (!ssdpm__take(&span, "hint") ||
	     !ssdpm__take_uint(&span, MAX_HINT, &hint) || span.at != span.end))
		return false;
	ret_is->power_state = (uint32_t)state;
	ret_is->workload_hint = (uint32_t)hint;
	return true;
}

const struct value_form ssdpm__power_state_form = {
	.parse = parse_power_state,
	.format = format_power_state,
};

static void format_nopp(const struct ssdpm_step_value *is,
			char text[SSDPM__VALUE_BYTES])
{
	strcpy(text, is->nopp ? "on" : "off");
}

static bool parse_nopp(const char *text, struct ssdpm_step_value *ret_is)
{
	ret_is->nopp = !strcmp(text, "on");
	return ret_is->nopp || !strcmp(text, "off");
}

const struct value_form ssdpm__nopp_form = {
	.parse = parse_nopp,
	.format = format_nopp,
};

/* A file of 1 or 0. */
static void format_link(const struct ssdpm_step_value *is,
			char text[SSDPM__VALUE_BYTES])
{
	strcpy(text, is->pcie_link ? "1" : "0");
}

static bool parse_link(const char *text, struct ssdpm_step_value *ret_is)
{
	ret_is->pcie_link = *text == '1';
	return (*text == '0' || *text == '1') && !text[1];
}

const struct value_form ssdpm__link_form = {
	.parse = parse_link,
	.format = format_link,
};

static void format_d3cold(const struct ssdpm_step_value *is,
			  char text[SSDPM__VALUE_BYTES])
{
	strcpy(text, is->d3cold ? "1" : "0");
}

static bool parse_d3cold(const char *text, struct ssdpm_step_value *ret_is)
{
	ret_is->d3cold = *text == '1';
	return (*text == '0' || *text == '1') && !text[1];
}

const struct value_form ssdpm__d3cold_form = {
	.parse = parse_d3cold,
	.format = format_d3cold,
};

static void format_aspm_policy(const struct ssdpm_step_value *is,
			       char text[SSDPM__VALUE_BYTES])
{
	strcpy(text, ssdpm_aspm_policy_to_string(is->aspm_policy));
}

static bool parse_aspm_policy(const char *text, struct ssdpm_step_value *ret_is)
{
	ret_is->aspm_policy = ssdpm_aspm_policy_from_string(text);
	return ret_is->aspm_policy;
}

/* "[default] performance powersave powersupersave" */
static void show_aspm_policy(const struct ssdpm_step_value *is,
			     char text[SSDPM__VALUE_BYTES])
{
	const char *word;

	for (uint32_t i = 1; (word = ssdpm_aspm_policy_to_string(i)); i++)
		text += sprintf(text, i == is->aspm_policy ? "%s[%s]" : "%s%s",
				i > 1 ? " " : "", word);
}

const struct value_form ssdpm__aspm_policy_form = {
	.parse = parse_aspm_policy,
	.format = format_aspm_policy,
	.show = show_aspm_policy,
};

static void format_queue_depth(const struct ssdpm_step_value *is,
			       char text[SSDPM__VALUE_BYTES])
{
	snprintf(text, SSDPM__VALUE_BYTES, "%u", is->queue_depth);
}

static bool parse_queue_depth(const char *text, struct ssdpm_step_value *ret_is)
{
	uint64_t number = 0;
	bool ok = parse_number(text, SSDPM__MAX_QUEUE_DEPTH, &number);

	ret_is->queue_depth = (uint32_t)number;
	return ok && number;
}

const struct value_form ssdpm__queue_depth_form = {
	.parse = parse_queue_depth,
	.format = format_queue_depth,
};

void ssdpm__value_set(const struct step_kind *kind,
		      const struct ssdpm_step_value *is,
		      struct value *ret_value)
{
	ret_value->is_known = true;
	ret_value->is = *is;
	ret_value->is.size = sizeof(*is);
	kind->form->format(is, ret_value->text);
}

const char *ssdpm__value_record(const struct step_kind *kind,
				const struct value *value,
				char text[SSDPM__VALUE_BYTES])
{
	if (!value->is_known || !kind->form->record)
		return value->text;
	kind->form->record(&value->is, text);
	return text;
}

bool ssdpm__value_parse(const struct step_kind *kind, const char *text,
			struct value *ret_value)
{
	struct ssdpm_step_value is = { 0 };

	if (kind->form->parse(text, &is)) {
		ssdpm__value_set(kind, &is, ret_value);
		return true;
	}
	memset(ret_value, 0, sizeof(*ret_value));
	snprintf(ret_value->text, sizeof(ret_value->text), "%s", text);
	return false;
}

static bool is_same_table(const struct ssdpm_apst *a,
			  const struct ssdpm_apst *b)
{
	return !a->enabled == !b->enabled && !ssdpm_apst_diff(a, b);
}

/* Members that are not of the kind are 0 in both; numbers have no holes. */
bool ssdpm__value_is(const struct value *a, const struct value *b)
{
	if (!a->is_known || !b->is_known)
		return a->is_known == b->is_known && !strcmp(a->text, b->text);
	return !memcmp(&a->is, &b->is,
		       offsetof(struct ssdpm_step_value, table)) &&
	       a->is.d3cold == b->is.d3cold &&
	       a->is.aspm_policy == b->is.aspm_policy &&
	       is_same_table(&a->is.table, &b->is.table);
}
