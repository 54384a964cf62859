/* SPDX-License-Identifier: MIT */
/*
 * The JSON of nvme id-ctrl -o json: the raw numbers of Identify Controller,
 * with their scales.
 *
 * The keys are from json_nvme_id_ctrl() of nvme-cli. Version 1.x has "flags"
 * (bit 0 MXPS, bit 1 NOPS). Its "idle_scale" and "active_work_scale" are whole
 * bytes: scale in bits 7:6, workload in 2:0. Since pull request 1561 (2022)
 * "idle_scale" and "active_scale" are the scales themselves, and
 * "active_power_work" is there. Since 1990 (2023) "max_power_scale" and
 * "non-operational_state" stand for "flags". Later come the times of NVMe 2.1.
 */
#include "base/json-text.h"
#include "base/text.h"
#include "model/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MXPS 1
#define NOPS 2

struct nvme_json {
	const struct json *json;
	const struct json_node *object; /* the drive, or the state */
	size_t index;			/* of the state */
	bool in_state;
	struct ssdpm_error *reterr;
};

bool ssdpm__is_nvme_cli_json(const struct json *json,
			     const struct json_node *object)
{
	return ssdpm__json_member(json, object, "psds");
}

/* "psds[3].exit_lat" */
static const char *name_of(const struct nvme_json *r, const char *key,
			   char name[64])
{
	if (!r->in_state)
		return key;
	snprintf(name, 64, "psds[%zu].%s", r->index, key);
	return name;
}

static const struct json_node *member(const struct nvme_json *r,
				      const char *key)
{
	const struct json_node *node =
		ssdpm__json_member(r->json, r->object, key);

	return node && node->type != JSON_NULL ? node : NULL;
}

/* A number in quotes, decimal or hexadecimal. */
static int get_quoted(const struct nvme_json *r, const struct json_node *node,
		      uint64_t max, const char *what, uint64_t *ret_value)
{
	struct span span = ssdpm__span(r->json->text + node->start,
				       node->end - node->start);
	uint64_t value;

	if (!ssdpm__take_uint(&span, max, &value) || span.at != span.end)
		return ssdpm__fail(r->reterr, -EINVAL, node->line,
				   "%s: no whole number from 0 to %" PRIu64,
				   what, max);
	*ret_value = value;
	return 0;
}

/* ret_value stays as it is where there is no such member: 0, not found. */
static int get_uint(const struct nvme_json *r, const char *key, uint64_t max,
		    bool *ret_found, uint64_t *ret_value)
{
	const struct json_node *node = member(r, key);
	char buffer[64];
	const char *what;
	int err;

	*ret_found = false;
	if (!node)
		return 0;
	what = name_of(r, key, buffer);
	if (node->type == JSON_STRING)
		err = get_quoted(r, node, max, what, ret_value);
	else
		err = ssdpm__json_get_uint(r->json, node, max, what, ret_value,
					   r->reterr);
	*ret_found = !err;
	return err;
}

/* Early 1.x print latencies as signed numbers. */
static int get_latency(const struct nvme_json *r, const char *key,
		       bool *ret_found, uint64_t *ret_value)
{
	const struct json_node *node = member(r, key);
	struct json_node magnitude;
	char name[64];
	int err;

	if (!node || node->type != JSON_INTEGER ||
	    r->json->text[node->start] != '-')
		return get_uint(r, key, UINT32_MAX, ret_found, ret_value);
	magnitude = *node;
	magnitude.start++;
	err = ssdpm__json_get_uint(r->json, &magnitude, 1u << 31,
				   name_of(r, key, name), ret_value, r->reterr);
	*ret_value = (uint32_t) - *ret_value;
	*ret_found = !err;
	return err;
}

static int read_latencies(const struct nvme_json *r,
			  struct ssdpm_power_state *state)
{
	static const struct {
		const char *key;
		uint32_t bit;
	} latencies[] = { { "entry_lat", SSDPM_FIELD_ENTRY_LATENCY },
			  { "exit_lat", SSDPM_FIELD_EXIT_LATENCY } };
	uint64_t us = 0;
	bool found;
	int err = 0;

	for (size_t i = 0; i < 2 && !err; i++) {
		err = get_latency(r, latencies[i].key, &found, &us);
		if (!err && found)
			ssdpm__state_set(state, latencies[i].bit, us);
	}
	return err;
}

static int read_ranks(const struct nvme_json *r,
		      struct ssdpm_power_state *state)
{
	static const struct {
		const char *key;
		uint32_t bit;
	} ranks[] = { { "read_tput", SSDPM_FIELD_READ_THROUGHPUT_RANK },
		      { "read_lat", SSDPM_FIELD_READ_LATENCY_RANK },
		      { "write_tput", SSDPM_FIELD_WRITE_THROUGHPUT_RANK },
		      { "write_lat", SSDPM_FIELD_WRITE_LATENCY_RANK } };
	uint64_t rank = 0;
	bool found;
	int err = 0;

	for (size_t i = 0; i < 4 && !err; i++) {
		err = get_uint(r, ranks[i].key, UINT8_MAX, &found, &rank);
		if (!err && found)
			ssdpm__state_set(state, ranks[i].bit, rank & RANK_MAX);
	}
	return err;
}

/* MXPS and NOPS, of one key or of two. */
static int get_flags(const struct nvme_json *r, uint64_t *ret_flags)
{
	uint64_t flags = 0, scale = 0, non_operational = 0;
	bool found, has_scale, has_kind;
	char name[64];
	int err;

	err = get_uint(r, "flags", UINT8_MAX, &found, &flags);
	if (!err)
		err = get_uint(r, "max_power_scale", UINT8_MAX, &has_scale,
			       &scale);
	if (!err)
		err = get_uint(r, "non-operational_state", UINT8_MAX, &has_kind,
			       &non_operational);
	if (err)
		return err;
	if (!found && !(has_scale && has_kind))
		return ssdpm__fail(r->reterr, -EINVAL, r->object->line,
				   "%s: \"flags\" is needed, or "
				   "\"max_power_scale\" and "
				   "\"non-operational_state\"",
				   name_of(r, "flags", name));
	if (has_scale)
		flags = (flags & ~(uint64_t)MXPS) | (scale ? MXPS : 0);
	if (has_kind)
		flags = (flags & ~(uint64_t)NOPS) |
			(non_operational ? NOPS : 0);
	*ret_flags = flags;
	return 0;
}

static int read_max_power(const struct nvme_json *r,
			  struct ssdpm_power_state *state)
{
	uint64_t flags = 0, power = 0;
	bool found;
	int err;

	err = get_flags(r, &flags);
	if (!err)
		err = get_uint(r, "max_power", UINT16_MAX, &found, &power);
	if (err)
		return err;
	if (flags & NOPS)
		state->flags = SSDPM_STATE_NON_OPERATIONAL;
	if (found)
		ssdpm__state_set(state, SSDPM_FIELD_MAX_POWER,
				 power * (flags & MXPS ? 100 : 10000));
	return 0;
}

/* A scale of two bits, or in bits 7:6 of a byte. */
static int read_power(const struct nvme_json *r, const char *key,
		      const char *scale_key, bool is_byte, uint32_t bit,
		      struct ssdpm_power_state *state)
{
	uint64_t power = 0, scale = 0;
	bool found, scale_found;
	uint32_t uw;
	int err;

	err = get_uint(r, key, UINT16_MAX, &found, &power);
	if (!err)
		err = get_uint(r, scale_key, UINT8_MAX, &scale_found, &scale);
	if (err || !found || !scale_found)
		return err;
	if (is_byte || scale > 3)
		scale >>= 6;
	uw = ssdpm__nvme_power_uw((uint32_t)power, (unsigned int)scale);
	if (uw)
		ssdpm__state_set(state, bit, uw);
	else
		state->not_reported |= bit;
	return 0;
}

static int read_powers(const struct nvme_json *r,
		       struct ssdpm_power_state *state)
{
	uint64_t byte = 0, workload = 0;
	bool is_byte, found;
	int err;

	err = get_uint(r, "active_work_scale", UINT8_MAX, &is_byte, &byte);
	if (!err)
		err = get_uint(r, "active_power_work", 7, &found, &workload);
	if (!err)
		err = read_power(r, "idle_power", "idle_scale", is_byte,
				 SSDPM_FIELD_IDLE_POWER, state);
	if (!err)
		err = read_power(r, "active_power",
				 is_byte ? "active_work_scale" : "active_scale",
				 is_byte, SSDPM_FIELD_ACTIVE_POWER, state);
	if (!err && (found || is_byte))
		ssdpm__state_set(state, SSDPM_FIELD_ACTIVE_POWER_WORKLOAD,
				 found ? workload : byte & 7);
	return err;
}

static int read_times(const struct nvme_json *r,
		      struct ssdpm_power_state *state)
{
	static const struct {
		const char *key, *scale_key;
		uint32_t bit;
	} times[] = {
		{ "emerg_power_fail_recover_time",
		  "emerg_power_fail_recover_scale",
		  SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME },
		{ "force_quiesce_vault_time", "force_quiesce_vault_scale",
		  SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME },
		{ "emerg_power_fail_vault_time", "emerg_power_fail_vault_scale",
		  SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME },
	};
	uint64_t time = 0, scale = 0, us;
	bool found, scale_found;
	int err;

	for (size_t i = 0; i < 3; i++) {
		err = get_uint(r, times[i].key, UINT8_MAX, &found, &time);
		if (!err)
			err = get_uint(r, times[i].scale_key, 15, &scale_found,
				       &scale);
		if (err)
			return err;
		us = found && scale_found ?
			     ssdpm__nvme_time_us((uint8_t)time,
						 (unsigned int)scale) :
			     0;
		if (us)
			ssdpm__state_set(state, times[i].bit, us);
	}
	return 0;
}

static int read_state(const struct nvme_json *r,
		      struct ssdpm_power_state *state)
{
	int err;

	*state = (struct ssdpm_power_state){ .unknown = ALL_FIELDS };
	err = ssdpm__json_expect(r->object, JSON_OBJECT, "psds[]", r->reterr);
	if (!err)
		err = read_max_power(r, state);
	if (!err)
		err = read_latencies(r, state);
	if (!err)
		err = read_ranks(r, state);
	if (!err)
		err = read_powers(r, state);
	return err ? err : read_times(r, state);
}

static int check_n_states(const struct nvme_json *r,
			  const struct json_node *psds)
{
	uint64_t npss = 0;
	bool found;
	int err = get_uint(r, "npss", UINT8_MAX, &found, &npss);

	if (err)
		return err;
	if (psds->n_children > SSDPM_MAX_STATES)
		return ssdpm__fail(r->reterr, -EINVAL, psds->line,
				   "psds: %u power states; NVMe has at most %d",
				   psds->n_children, SSDPM_MAX_STATES);
	if (found && npss >= psds->n_children)
		return ssdpm__fail(r->reterr, -EINVAL, psds->line,
				   "psds: %u power states, yet npss says that "
				   "PS%u is the last",
				   psds->n_children, (unsigned int)npss);
	return 0;
}

static int read_states(const struct nvme_json *drive,
		       struct ssdpm_power_state states[SSDPM_MAX_STATES],
		       size_t *ret_n)
{
	const struct json_node *psds =
		ssdpm__json_member(drive->json, drive->object, "psds");
	struct nvme_json r = *drive;
	int err;

	err = ssdpm__json_expect(psds, JSON_ARRAY, "psds", r.reterr);
	if (!err)
		err = check_n_states(drive, psds);
	if (err)
		return err;
	r.in_state = true;
	r.object = ssdpm__json_first(r.json, psds);
	for (; r.object && !err; r.index++) {
		err = read_state(&r, &states[r.index]);
		r.object = ssdpm__json_next(r.json, psds, r.object);
	}
	*ret_n = r.index;
	return err;
}

/* Trailing blanks go; what no drive could say is unknown. */
static int read_text(const struct nvme_json *r, const char *key, uint32_t bit,
		     struct ssdpm_model_info *info, char *ret_text, size_t size)
{
	const struct json_node *node = member(r, key);
	struct span span;
	char text[256];
	int err;

	if (!node)
		return 0;
	err = ssdpm__json_expect(node, JSON_STRING, key, r->reterr);
	if (err)
		return err;
	/* Too long, or a zero byte in it. */
	if (ssdpm__json_get_string(r->json, node, text, sizeof(text), key,
				   NULL))
		return 0;
	span = ssdpm__span(text, strlen(text));
	while (span.end > span.at && span.end[-1] == ' ')
		span.end--;
	if (ssdpm__span_copy(span, ret_text, size))
		info->unknown &= ~bit;
	return 0;
}

static int read_info(const struct nvme_json *r, struct ssdpm_model_info *info)
{
	uint64_t vendor_id = 0, apsta = 0;
	bool found;
	int err;

	err = get_uint(r, "vid", UINT16_MAX, &found, &vendor_id);
	if (!err && found)
		info->unknown &= ~(uint32_t)SSDPM_INFO_VENDOR_ID;
	if (!err)
		err = get_uint(r, "apsta", UINT8_MAX, &found, &apsta);
	if (!err && found)
		info->unknown &= ~(uint32_t)SSDPM_INFO_APSTA;
	info->vendor_id = (uint16_t)vendor_id;
	info->apsta = (uint8_t)apsta;
	if (!err)
		err = read_text(r, "mn", SSDPM_INFO_PRODUCT, info,
				info->product, sizeof(info->product));
	if (!err)
		err = read_text(r, "fr", SSDPM_INFO_FIRMWARE, info,
				info->firmware, sizeof(info->firmware));
	return err;
}

int ssdpm__model_from_nvme_cli_json(const struct json *json,
				    const struct json_node *object,
				    struct ssdpm_model **ret_model,
				    struct ssdpm_error *reterr)
{
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	struct ssdpm_model_info info =
		ssdpm__reported_info(SSDPM_FORMAT_NVME_CLI_JSON);
	struct nvme_json r = { .json = json,
			       .object = object,
			       .reterr = reterr };
	size_t n_states = 0;
	int err;

	info.kind = SSDPM_KIND_NVME;
	err = read_info(&r, &info);
	if (!err)
		err = read_states(&r, states, &n_states);
	if (err)
		return err;
	return ssdpm_model_new(&info, states, n_states, ret_model, reterr);
}
