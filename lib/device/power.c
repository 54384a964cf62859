/* SPDX-License-Identifier: MIT */
/*
 * The power of an NVMe drive: Get Features, for those that its Identify
 * reports. NVMe Base 2.1: Identify Controller (NPSS, CTRATT, HCTMA, MNTMT,
 * MXTMT, the power state descriptors), features 02h, 10h and 11h. NVMe 2.3 has
 * features 23h and 25h and their bits of CTRATT, as in types.h of libnvme 3.
 * The scale of 23h is that of a state's idle power.
 */
#include "device/internal.h"

#include "base/text.h"
#include "base/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	FEATURE_STATE = 0x02,
	FEATURE_THERMAL = 0x10,
	FEATURE_NOPP = 0x11,
	FEATURE_LIMIT = 0x23,
	FEATURE_MEASUREMENT = 0x25,
};

/* Identify Controller: bytes, and bits of theirs. */
enum {
	CTRATT = 96,
	CTRATT_NOPP = 1 << 1,
	CTRATT_LIMIT = 1 << 20,
	CTRATT_MEASUREMENT = 1 << 21,
	NPSS = 263,
	HCTMA = 322,
	MNTMT = 324,
	MXTMT = 326,
};

/* The descriptors of the power states. */
enum {
	STATES = 2048,
	STATE_BYTES = 32,
	STATE_FLAGS = 3,
	NON_OPERATIONAL = 1 << 1,
};

/* A feature, and what is known once it was read. */
static const struct feature {
	uint8_t fid;
	uint32_t fact;
} features[] = {
	{ FEATURE_STATE, SSDPM_POWER_FACT_STATE },
	{ FEATURE_THERMAL, SSDPM_POWER_FACT_THERMAL },
	{ FEATURE_NOPP, SSDPM_POWER_FACT_NOPP },
	{ FEATURE_LIMIT, SSDPM_POWER_FACT_LIMIT },
	{ FEATURE_MEASUREMENT, SSDPM_POWER_FACT_MEASUREMENT },
};

enum { N_FEATURES = sizeof(features) / sizeof(features[0]) };

static void take_identify(const uint8_t *identify,
			  struct ssdpm_device_power *power)
{
	const uint64_t ctratt = ssdpm__little_endian(identify + CTRATT, 4);

	power->supported =
		SSDPM_POWER_FACT_STATE | SSDPM_POWER_FACT_WORKLOAD_HINT;
	if (ctratt & CTRATT_NOPP)
		power->supported |= SSDPM_POWER_FACT_NOPP;
	if (ctratt & CTRATT_LIMIT)
		power->supported |= SSDPM_POWER_FACT_LIMIT;
	if (ctratt & CTRATT_MEASUREMENT)
		power->supported |= SSDPM_POWER_FACT_MEASUREMENT;
	if (!(identify[HCTMA] & 1))
		return;
	power->supported |= SSDPM_POWER_FACT_THERMAL;
	power->min_throttle_k =
		(uint32_t)ssdpm__little_endian(identify + MNTMT, 2);
	power->max_throttle_k =
		(uint32_t)ssdpm__little_endian(identify + MXTMT, 2);
}

/* NPSS counts from 0; one of more than 31 is nonsense. */
static bool sleeps_in(const uint8_t *identify, uint32_t state)
{
	const uint8_t *descriptor = identify + STATES + STATE_BYTES * state;

	return identify[NPSS] < SSDPM_MAX_STATES && state <= identify[NPSS] &&
	       descriptor[STATE_FLAGS] & NON_OPERATIONAL;
}

/* No limit is set, or its scale is none: that is not a limit of 0. */
static void take_limit(uint32_t dword, struct ssdpm_device_power *power)
{
	const uint32_t value = dword & 0xffff, scale = dword >> 16 & 3;

	if (!value || (scale != 1 && scale != 2))
		return;
	power->power_limit_uw = (uint64_t)value * (scale == 1 ? 100 : 10000);
	power->known |= SSDPM_POWER_FACT_LIMIT;
}

static void take_feature(uint32_t fact, uint32_t dword,
			 struct ssdpm_device_power *power)
{
	switch (fact) {
	case SSDPM_POWER_FACT_STATE:
		power->power_state = dword % SSDPM_MAX_STATES;
		power->workload_hint = dword >> 5 & 7;
		power->known |= SSDPM_POWER_FACT_WORKLOAD_HINT;
		break;
	case SSDPM_POWER_FACT_THERMAL:
		power->light_throttle_k = dword >> 16;
		power->heavy_throttle_k = dword & 0xffff;
		break;
	case SSDPM_POWER_FACT_NOPP:
		power->nopp = dword & 1;
		break;
	case SSDPM_POWER_FACT_LIMIT:
		take_limit(dword, power);
		return;
	case SSDPM_POWER_FACT_MEASUREMENT:
		power->power_measurement = (dword & 0xf) == 1;
		break;
	}
	power->known |= fact;
}

/* Nothing is lost by this one: what the drive does not say is not known. */
static bool is_refusal(int err)
{
	return err == -EIO || err == -EOPNOTSUPP;
}

static int ask(const struct ssdpm_device *device,
	       struct ssdpm_device_power *power, struct ssdpm_error *reterr)
{
	for (size_t i = 0; i < N_FEATURES; i++) {
		struct ssdpm_error error;
		uint32_t dword = 0;
		int err;

		if (!(power->supported & features[i].fact))
			continue;
		err = ssdpm__read_feature(device, features[i].fid, NULL, 0,
					  &dword, &error);
		if (!err) {
			take_feature(features[i].fact, dword, power);
		} else if (!i || !is_refusal(err)) {
			if (reterr)
				*reterr = error;
			return err;
		}
	}
	return 0;
}

/* "light_throttle_k 343": a member and its value, as in a dump. */
static const struct member {
	char name[20];
	uint32_t fact, max;
	size_t offset; /* of a uint32_t; 0: the limit, which is longer */
} members[] = {
	{ "power_state", SSDPM_POWER_FACT_STATE, SSDPM_MAX_STATES - 1,
	  offsetof(struct ssdpm_device_power, power_state) },
	{ "workload_hint", SSDPM_POWER_FACT_WORKLOAD_HINT, 7,
	  offsetof(struct ssdpm_device_power, workload_hint) },
	{ "light_throttle_k", SSDPM_POWER_FACT_THERMAL, UINT16_MAX,
	  offsetof(struct ssdpm_device_power, light_throttle_k) },
	{ "heavy_throttle_k", SSDPM_POWER_FACT_THERMAL, UINT16_MAX,
	  offsetof(struct ssdpm_device_power, heavy_throttle_k) },
	{ "nopp", SSDPM_POWER_FACT_NOPP, 1,
	  offsetof(struct ssdpm_device_power, nopp) },
	{ "power_measurement", SSDPM_POWER_FACT_MEASUREMENT, 1,
	  offsetof(struct ssdpm_device_power, power_measurement) },
	{ "power_limit_uw", SSDPM_POWER_FACT_LIMIT, UINT32_MAX, 0 },
};

enum { N_MEMBERS = sizeof(members) / sizeof(members[0]) };

static bool set_member(struct ssdpm_device_power *power,
		       const struct member *member, uint64_t value)
{
	const uint32_t short_value = (uint32_t)value;

	if (value > member->max)
		return false;
	if (member->offset)
		memcpy((char *)power + member->offset, &short_value,
		       sizeof(short_value));
	else
		power->power_limit_uw = value;
	power->known |= member->fact;
	return true;
}

static uint64_t get_member(const struct ssdpm_device_power *power,
			   const struct member *member)
{
	uint32_t value;

	if (!member->offset)
		return power->power_limit_uw;
	memcpy(&value, (const char *)power + member->offset, sizeof(value));
	return value;
}

size_t ssdpm__format_power(const struct ssdpm_device_power *power,
			   char text[SSDPM__POWER_DUMP_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < N_MEMBERS; i++)
		if (power->known & members[i].fact)
			n += (size_t)snprintf(
				text + n, SSDPM__POWER_DUMP_BYTES - n,
				"%s %" PRIu64 "\n", members[i].name,
				get_member(power, &members[i]));
	return n;
}

/* It leaves out what a later version may add. */
static bool take_line(struct span line, struct ssdpm_device_power *power)
{
	struct span name;
	uint64_t value;

	if (!ssdpm__take_word(&line, &name) ||
	    !ssdpm__take_uint(&line, UINT32_MAX, &value) || line.at != line.end)
		return false;
	for (size_t i = 0; i < N_MEMBERS; i++)
		if (ssdpm__span_is(name, members[i].name))
			return set_member(power, &members[i], value);
	return true;
}

static int read_dump(const struct ssdpm_device *device,
		     struct ssdpm_device_power *power,
		     struct ssdpm_error *reterr)
{
	char text[SSDPM__TEXT_BYTES];
	struct lines lines = { 0 };
	struct span line;
	int err;

	err = ssdpm__read_dump(device, "power", text, sizeof(text), NULL,
			       reterr);
	if (err)
		return err;
	lines.rest = ssdpm__span(text, strlen(text));
	while (ssdpm__next_line(&lines, &line))
		if (!take_line(line, power))
			return ssdpm__fail(reterr, -EINVAL, lines.line,
					   "dumps/%s.power of the capture, "
					   "line %u: a name and a number, as "
					   "in power_state 1",
					   device->facts.name, lines.line);
	if (power->known & SSDPM_POWER_FACT_STATE)
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "dumps/%s.power of the capture has no power_state",
			   device->facts.name);
}

static int read_state_dump(const struct ssdpm_device *device,
			   uint32_t *ret_state, struct ssdpm_error *reterr)
{
	char path[SSDPM__PATH_BYTES], text[32];
	uint64_t state = 0;
	int err = ssdpm__read_dump(device, "power-state", text, sizeof(text),
				   NULL, reterr);

	if (err)
		return err;
	snprintf(path, sizeof(path), "dumps/%s.power-state",
		 device->facts.name);
	err = ssdpm__read_number(device->machine, path, 10, &state);
	if (err || state >= SSDPM_MAX_STATES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s of the capture is no power state", path);
	*ret_state = (uint32_t)state;
	return 0;
}

/* A capture of an older ssdpm has the state alone. */
static int read_dumps(struct ssdpm_device *device,
		      struct ssdpm_device_power *power,
		      struct ssdpm_error *reterr)
{
	int err = read_dump(device, power, reterr);

	if (err != -ENOENT)
		return err;
	err = read_state_dump(device, &power->power_state, reterr);
	if (!err)
		power->known |= SSDPM_POWER_FACT_STATE;
	return err;
}

static int read_power(struct ssdpm_device *device,
		      struct ssdpm_device_power *power,
		      struct ssdpm_error *reterr)
{
	uint8_t identify[SSDPM_NVME_IDENTIFY_BYTES + 1] = { 0 };
	const bool capture = device->machine->capture;
	int err = ssdpm__read_identify(device, identify, reterr);
	const bool identified = !err;

	/* Without it, what is in a capture is all that is known. */
	if (err && !(capture && err == -ENOENT))
		return err;
	if (identified)
		take_identify(identify, power);
	err = capture ? read_dumps(device, power, reterr) :
			ask(device, power, reterr);
	if (!err && identified && sleeps_in(identify, power->power_state))
		power->flags |= SSDPM_POWER_FLAG_ASLEEP;
	return err;
}

int ssdpm_device_read_power(struct ssdpm_device *device,
			    struct ssdpm_device_power *ret_power,
			    struct ssdpm_error *reterr)
{
	struct ssdpm_device_power power = { 0 };
	struct ssdpm_error error = { 0 };
	int err;

	err = ssdpm__sized_check(ret_power, sizeof(power), "ssdpm_device_power",
				 reterr);
	if (err)
		return err;
	if (device->facts.kind != SSDPM_KIND_NVME)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s is no NVMe drive", device->facts.name);
	err = ssdpm__check_drive(device, reterr);
	if (!err)
		err = ssdpm__pass_on(read_power(device, &power, &error), &error,
				     reterr);
	if (err)
		return err;
	ssdpm__sized_out(ret_power, &power, sizeof(power));
	return 0;
}
