/* SPDX-License-Identifier: MIT */
/*
 * What smartctl --json writes. Its power states are in "nvme_power_states" from
 * smartmontools 7.5 on (nvmeprint.cpp), with raw powers and their units.
 */
#include "base/json-text.h"
#include "model/smartctl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STATES "nvme_power_states"
#define NAME_SIZE 80 /* more than any member of a power state takes */

struct smartctl_json {
	const struct json *json;
	const struct json_node *drive;
	struct ssdpm_model_info info;
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	size_t n_states;
	struct ssdpm_error *reterr;
};

/* The member of an object, or NULL: it is null, or the parent is no object. */
static const struct json_node *member(const struct smartctl_json *r,
				      const struct json_node *parent,
				      const char *key)
{
	const struct json_node *node;

	if (!parent || parent->type != JSON_OBJECT)
		return NULL;
	node = ssdpm__json_member(r->json, parent, key);
	return node && node->type != JSON_NULL ? node : NULL;
}

static int fail(const struct smartctl_json *r, const struct json_node *node,
		const char *what, const char *message)
{
	return ssdpm__fail(r->reterr, -EINVAL, node->line, "%s: %s", what,
			   message);
}

bool ssdpm__is_smartctl_json(const struct json *json,
			     const struct json_node *object)
{
	return ssdpm__json_member(json, object, "smartctl") ||
	       ssdpm__json_member(json, object, "json_format_version") ||
	       ssdpm__json_member(json, object, STATES);
}

/* "device": {"protocol": "NVMe"}; parts of the whole tell by what is there. */
static int read_kind(struct smartctl_json *r)
{
	const struct json_node *node =
		member(r, member(r, r->drive, "device"), "protocol");
	char protocol[8] = "";
	uint32_t kind = 0;
	int err = 0;

	if (node)
		err = ssdpm__json_get_string(r->json, node, protocol,
					     sizeof(protocol),
					     "device.protocol", r->reterr);
	if (err && err != -ERANGE)
		return err;
	if (node)
		kind = !strcmp(protocol, "NVMe") ? SSDPM_KIND_NVME :
		       !strcmp(protocol, "ATA")	 ? SSDPM_KIND_SATA :
						   0;
	else if (member(r, r->drive, STATES) ||
		 member(r, r->drive, "nvme_pci_vendor") ||
		 member(r, r->drive, "nvme_version"))
		kind = SSDPM_KIND_NVME;
	else if (member(r, r->drive, "ata_version") ||
		 member(r, r->drive, "sata_version"))
		kind = SSDPM_KIND_SATA;
	if (!kind)
		return fail(r, node ? node : r->drive, "device.protocol",
			    "neither \"NVMe\" nor \"ATA\"");
	ssdpm__smartctl_set_kind(&r->info, kind);
	return 0;
}

static int read_text(struct smartctl_json *r, const char *key, char *text,
		     size_t size, uint32_t bit)
{
	const struct json_node *node = member(r, r->drive, key);
	int err;

	if (!node)
		return 0;
	err = ssdpm__json_get_string(r->json, node, text, size, key, r->reterr);
	if (!err)
		err = ssdpm__check_ascii(text, node->line, key, r->reterr);
	if (!err && text[0])
		r->info.unknown &= ~bit;
	return err;
}

static int read_vendor(struct smartctl_json *r)
{
	const struct json_node *node =
		member(r, member(r, r->drive, "nvme_pci_vendor"), "id");
	uint64_t vendor_id;
	int err;

	if (!node)
		return 0;
	err = ssdpm__json_get_uint(r->json, node, UINT16_MAX,
				   "nvme_pci_vendor.id", &vendor_id, r->reterr);
	if (err)
		return err;
	r->info.vendor_id = (uint16_t)vendor_id;
	r->info.unknown &= ~(uint32_t)SSDPM_INFO_VENDOR_ID;
	return 0;
}

/* "sata_value" of the fastest speed is bits 1 to 7 of word 76 as they stand. */
static int read_speed(struct smartctl_json *r)
{
	const struct json_node *speed = member(r, r->drive, "interface_speed");
	const struct json_node *node =
		member(r, member(r, speed, "max"), "sata_value");
	uint64_t generations;
	int err;

	if (!node)
		return 0;
	err = ssdpm__json_get_uint(r->json, node, UINT8_MAX,
				   "interface_speed.max.sata_value",
				   &generations, r->reterr);
	if (!err)
		ssdpm__smartctl_set_generations(&r->info, generations);
	return err;
}

static int read_rotation(struct smartctl_json *r)
{
	const struct json_node *node = member(r, r->drive, "rotation_rate");
	uint64_t rate;
	int err;

	if (!node)
		return 0;
	err = ssdpm__json_get_uint(r->json, node, UINT16_MAX, "rotation_rate",
				   &rate, r->reterr);
	if (!err)
		ssdpm__smartctl_set_rotation(&r->info, rate);
	return err;
}

/* Written by -g apm, -g all and -x where the drive has APM. */
static int read_apm(struct smartctl_json *r)
{
	const struct json_node *apm = member(r, r->drive, "ata_apm");
	const struct json_node *enabled = member(r, apm, "enabled");
	const struct json_node *level = member(r, apm, "level");
	uint64_t value = 0;
	bool on;
	int err;

	if (!enabled)
		return 0;
	err = ssdpm__json_expect(enabled, JSON_BOOLEAN, "ata_apm.enabled",
				 r->reterr);
	if (err)
		return err;
	on = ssdpm__json_is_true(r->json, enabled);
	if (on && level)
		err = ssdpm__json_get_uint(r->json, level, UINT8_MAX,
					   "ata_apm.level", &value, r->reterr);
	if (!err)
		ssdpm__smartctl_set_apm(&r->info, true, on, value);
	return err;
}

/* "nvme_power_states[3].max_power.value" */
static const char *name_member(const struct smartctl_json *r, const char *key,
			       char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, STATES "[%zu].%s", r->n_states, key);
	return name;
}

/* 100 or 10000, as "units_per_watt" or as the "scale" 2 or 1. */
static int read_unit(const struct smartctl_json *r,
		     const struct json_node *power, uint64_t *ret_per_watt)
{
	const struct json_node *node = member(r, power, "units_per_watt");
	const struct json_node *scale = member(r, power, "scale");
	uint64_t per_watt = 0, by_scale = 0;
	char name[NAME_SIZE];
	int err = 0;

	if (scale)
		err = ssdpm__json_get_uint(
			r->json, scale, 3,
			name_member(r, "max_power.scale", name), &by_scale,
			r->reterr);
	by_scale = by_scale == 1 ? 10000 : by_scale == 2 ? 100 : 0;
	if (!err && node)
		err = ssdpm__json_get_uint(
			r->json, node, 10000,
			name_member(r, "max_power.units_per_watt", name),
			&per_watt, r->reterr);
	if (err)
		return err;
	if (!node)
		per_watt = by_scale;
	if ((per_watt != 100 && per_watt != 10000) ||
	    (scale && per_watt != by_scale))
		return fail(r, node ? node : power,
			    name_member(r, "max_power.units_per_watt", name),
			    "100 with scale 2, or 10000 with scale 1, is "
			    "needed");
	*ret_per_watt = per_watt;
	return 0;
}

static int read_max_power(const struct smartctl_json *r,
			  const struct json_node *state,
			  struct ssdpm_power_state *ret_state)
{
	const struct json_node *power = member(r, state, "max_power");
	const struct json_node *value = member(r, power, "value");
	uint64_t units = 0, per_watt = 1;
	char name[NAME_SIZE];
	int err;

	if (!power) {
		ret_state->unknown |= SSDPM_FIELD_MAX_POWER;
		return 0;
	}
	if (!value)
		return fail(r, power, name_member(r, "max_power", name),
			    "an object with \"value\" is needed");
	err = ssdpm__json_get_uint(r->json, value, UINT16_MAX,
				   name_member(r, "max_power.value", name),
				   &units, r->reterr);
	if (!err)
		err = read_unit(r, power, &per_watt);
	if (!err)
		ret_state->max_power_uw =
			(uint32_t)(units * (1000000 / per_watt));
	return err;
}

static const char *key_of(uint32_t field)
{
	switch (field) {
	case SSDPM_FIELD_ENTRY_LATENCY:
		return "entry_latency_us";
	case SSDPM_FIELD_EXIT_LATENCY:
		return "exit_latency_us";
	case SSDPM_FIELD_READ_THROUGHPUT_RANK:
		return "relative_read_throughput";
	case SSDPM_FIELD_READ_LATENCY_RANK:
		return "relative_read_latency";
	case SSDPM_FIELD_WRITE_THROUGHPUT_RANK:
		return "relative_write_throughput";
	case SSDPM_FIELD_WRITE_LATENCY_RANK:
		return "relative_write_latency";
	default:
		return NULL;
	}
}

static int read_numbers(const struct smartctl_json *r,
			const struct json_node *state,
			struct ssdpm_power_state *ret_state)
{
	char name[NAME_SIZE];
	uint64_t value;
	int err;

	for (size_t i = 0; i < N_FIELDS; i++) {
		const struct field *field = &ssdpm__fields[i];
		const char *key = key_of(field->bit);
		const struct json_node *node;

		if (!key)
			continue;
		node = member(r, state, key);
		if (!node) {
			ret_state->unknown |= field->bit;
			continue;
		}
		err = ssdpm__json_get_uint(r->json, node, field->max,
					   name_member(r, key, name), &value,
					   r->reterr);
		if (err)
			return err;
		ssdpm__field_set(field, ret_state, value);
	}
	return 0;
}

static int read_state(const struct smartctl_json *r,
		      const struct json_node *state,
		      struct ssdpm_power_state *ret_state)
{
	const struct json_node *idle =
		member(r, state, "non_operational_state");
	char name[NAME_SIZE];
	int err;

	*ret_state = (struct ssdpm_power_state){
		.unknown = SMARTCTL_UNKNOWN_FIELDS,
	};
	if (!idle)
		return fail(r, state,
			    name_member(r, "non_operational_state", name),
			    "true or false is needed");
	err = ssdpm__json_expect(idle, JSON_BOOLEAN,
				 name_member(r, "non_operational_state", name),
				 r->reterr);
	if (err)
		return err;
	if (ssdpm__json_is_true(r->json, idle))
		ret_state->flags = SSDPM_STATE_NON_OPERATIONAL;
	err = read_max_power(r, state, ret_state);
	return err ? err : read_numbers(r, state, ret_state);
}

/* "smartctl": {"version": [7, 5]}; 0.0: not told. */
static void get_version(const struct smartctl_json *r, uint64_t version[2])
{
	const struct json_node *list =
		member(r, member(r, r->drive, "smartctl"), "version");
	const struct json_node *node = NULL;

	version[0] = 0;
	version[1] = 0;
	if (list && list->type == JSON_ARRAY)
		node = ssdpm__json_first(r->json, list);
	for (int i = 0; i < 2 && node; i++) {
		if (ssdpm__json_get_uint(r->json, node, 9999, "version",
					 &version[i], NULL))
			return;
		node = ssdpm__json_next(r->json, list, node);
	}
}

static int fail_without_states(const struct smartctl_json *r)
{
	uint64_t version[2];

	get_version(r, version);
	if (!version[0] ||
	    version[0] * 10000 + version[1] >= UINT64_C(7) * 10000 + 5)
		return fail(r, r->drive, STATES,
			    "missing: smartctl 7.5 and later write it with "
			    "-c, -a and -x");
	return ssdpm__fail(
		r->reterr, -EINVAL, r->drive->line,
		STATES ": missing: smartctl %llu.%llu cannot write it, 7.5 "
		       "can: give the text of smartctl -c instead",
		(unsigned long long)version[0], (unsigned long long)version[1]);
}

static int read_states(struct smartctl_json *r)
{
	const struct json_node *list = member(r, r->drive, STATES);
	const struct json_node *node;
	int err;

	if (!list)
		return fail_without_states(r);
	err = ssdpm__json_expect(list, JSON_ARRAY, STATES, r->reterr);
	if (err)
		return err;
	if (!list->n_children || list->n_children > SSDPM_MAX_STATES)
		return ssdpm__fail(r->reterr, -EINVAL, list->line,
				   STATES ": %u power states; NVMe has 1 to %d",
				   list->n_children, SSDPM_MAX_STATES);
	node = ssdpm__json_first(r->json, list);
	for (; node; node = ssdpm__json_next(r->json, list, node)) {
		err = read_state(r, node, &r->states[r->n_states]);
		if (err)
			return err;
		r->n_states++;
	}
	return 0;
}

static int read_info(struct smartctl_json *r)
{
	int err = read_kind(r);

	if (!err)
		err = read_text(r, "model_name", r->info.product,
				sizeof(r->info.product), SSDPM_INFO_PRODUCT);
	if (!err)
		err = read_text(r, "firmware_version", r->info.firmware,
				sizeof(r->info.firmware), SSDPM_INFO_FIRMWARE);
	if (!err && r->info.kind == SSDPM_KIND_NVME)
		return read_vendor(r);
	if (!err)
		err = read_speed(r);
	if (!err)
		err = read_rotation(r);
	return err ? err : read_apm(r);
}

int ssdpm__model_from_smartctl_json(const struct json *json,
				    const struct json_node *object,
				    struct ssdpm_model **ret_model,
				    struct ssdpm_error *reterr)
{
	struct smartctl_json r = {
		.json = json,
		.drive = object,
		.info = ssdpm__reported_info(SSDPM_FORMAT_SMARTCTL_JSON),
		.reterr = reterr,
	};
	int err = read_info(&r);

	if (!err && r.info.kind == SSDPM_KIND_SATA)
		return ssdpm__sata_model_new(&r.info, 0, ret_model, reterr);
	if (!err)
		err = read_states(&r);
	if (err)
		return err;
	return ssdpm_model_new(&r.info, r.states, r.n_states, ret_model,
			       reterr);
}
