/* SPDX-License-Identifier: MIT */
/* The values that steps change: read and written, each in one form. */
#include "apply/internal.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char disabled[] = " disabled";

int ssdpm__table_to_value(const struct ssdpm_apst *table,
			  char value[SSDPM__VALUE_BYTES],
			  struct ssdpm_error *reterr)
{
	uint8_t data[SSDPM_APST_BYTES];
	int err = ssdpm_apst_encode(table, data, reterr);

	if (err)
		return err;
	for (size_t i = 0; i < sizeof(data); i++)
		snprintf(value + 2 * i, 3, "%02x", data[i]);
	if (!table->enabled)
		strcat(value, disabled);
	return 0;
}

static int value_to_bytes(const char *value, uint8_t data[SSDPM_APST_BYTES],
			  bool *ret_enabled, struct ssdpm_error *reterr)
{
	const char *rest = value;

	for (size_t i = 0; i < SSDPM_APST_BYTES; i++, rest += 2) {
		int high = ssdpm__hex_digit(rest[0]);
		int low = high < 0 ? -1 : ssdpm__hex_digit(rest[1]);

		if (low < 0)
			return ssdpm__fail(reterr, -EIO, 0,
					   "not 512 hexadecimal digits: %.20s",
					   value);
		data[i] = (uint8_t)(high << 4 | low);
	}
	*ret_enabled = !*rest;
	if (!*rest || !strcmp(rest, disabled))
		return 0;
	return ssdpm__fail(reterr, -EIO, 0,
			   "more than 512 hexadecimal digits: %.20s", value);
}

int ssdpm__value_to_table(const char *value, struct ssdpm_apst *ret_table,
			  struct ssdpm_error *reterr)
{
	uint8_t data[SSDPM_APST_BYTES];
	bool enabled;
	int err = value_to_bytes(value, data, &enabled, reterr);

	if (err)
		return err;
	return ssdpm_apst_decode(data, enabled, ret_table, reterr);
}

/* The name may be another controller's by now: the path is not. */
static int check_name(struct ssdpm_machine *machine, const char *path,
		      struct ssdpm_error *reterr)
{
	char link[SSDPM__TARGET_BYTES], real[SSDPM__PATH_BYTES];
	int err;

	snprintf(link, sizeof(link), "sys/class/nvme/%s",
		 ssdpm__last_component(path));
	err = ssdpm__real_path(machine, link, real, sizeof(real));
	if (!err && !strcmp(real, path))
		return 0;
	if (err == -ENOMEM)
		return ssdpm__fail(reterr, err, 0, "out of memory");
	return ssdpm__fail(reterr, -ENODEV, 0, "/%s is gone", path);
}

static int read_table(struct ssdpm_device *device,
		      char value[SSDPM__VALUE_BYTES],
		      struct ssdpm_error *reterr)
{
	struct ssdpm_apst table;
	int err = ssdpm_device_read_apst(device, &table, reterr);

	return err ? err : ssdpm__table_to_value(&table, value, reterr);
}

/* By a command to the controller at this path. */
static int ask_value(struct ssdpm_machine *machine, uint32_t kind,
		     const char *path, char value[SSDPM__VALUE_BYTES],
		     struct ssdpm_error *reterr)
{
	struct ssdpm_device_facts facts = { .size = sizeof(facts) };
	struct ssdpm_device *device;
	int err;

	err = check_name(machine, path, reterr);
	if (err)
		return err;
	err = ssdpm__nvme_read_facts(machine, ssdpm__last_component(path),
				     &facts);
	if (err)
		return ssdpm__fail(reterr, err, 0, "%s: %s",
				   ssdpm__last_component(path),
				   ssdpm_strerror(err));
	err = ssdpm__device_new(machine, &facts, &device, reterr);
	if (err)
		return err;
	if (kind == SSDPM_STEP_APST)
		err = read_table(device, value, reterr);
	else
		err = ssdpm__read_power_value(device, kind, value, reterr);
	ssdpm_device_unref(device);
	return err;
}

static int write_table(struct ssdpm_machine *machine, const char *path,
		       const char *value, struct ssdpm_error *reterr)
{
	uint8_t data[SSDPM_APST_BYTES];
	bool enabled;
	int err;

	if (machine->capture)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: a capture takes no commands",
				   ssdpm__last_component(path));
	err = value_to_bytes(value, data, &enabled, reterr);
	if (!err)
		err = check_name(machine, path, reterr);
	if (err)
		return err;
	return ssdpm__nvme_set_apst(machine, ssdpm__last_component(path), data,
				    enabled, reterr);
}

static int write_power(struct ssdpm_machine *machine, uint32_t kind,
		       const char *path, const char *value,
		       struct ssdpm_error *reterr)
{
	int err = check_name(machine, path, reterr);

	if (err)
		return err;
	return ssdpm__write_power_value(
		machine, kind, ssdpm__last_component(path), value, reterr);
}

int ssdpm__read_value(struct ssdpm_machine *machine, uint32_t kind,
		      const char *path, char value[SSDPM__VALUE_BYTES],
		      struct ssdpm_error *reterr)
{
	int err;

	if (ssdpm__takes_command(kind))
		return ask_value(machine, kind, path, value, reterr);
	err = ssdpm__read_text(machine, path, value, SSDPM__VALUE_BYTES);
	if (err == -ENOENT || err == -ENOTDIR || err == -ENXIO)
		err = -ENODEV;
	if (err)
		return ssdpm__fail(reterr, err, 0, "cannot read /%s: %s", path,
				   ssdpm_strerror(err));
	/* No limit, both; the first is never written. */
	if (!strcmp(value, "auto") && (kind == SSDPM_STEP_LATENCY_TOLERANCE ||
				       kind == SSDPM_STEP_REBUILD))
		strcpy(value, "any");
	return 0;
}

int ssdpm__write_value(struct ssdpm_machine *machine, uint32_t kind,
		       const char *path, const char *value,
		       struct ssdpm_error *reterr)
{
	const char *advice = "";
	int err;

	if (kind == SSDPM_STEP_APST)
		return write_table(machine, path, value, reterr);
	if (ssdpm__takes_command(kind))
		return write_power(machine, kind, path, value, reterr);
	err = ssdpm__write_text(machine, path, value);
	if (!err)
		return 0;
	if (err == -ENOENT || err == -ENOTDIR || err == -ENXIO)
		err = -ENODEV;
	if (err == -EACCES || err == -EPERM)
		advice = SSDPM__ONLY_ROOT;
	return ssdpm__fail(reterr, err, 0, "cannot write %s to /%s: %s%s",
			   value, path, ssdpm_strerror(err), advice);
}

/* The directory of the device: so many components above the file. */
static int n_above(uint32_t kind)
{
	switch (kind) {
	case SSDPM_STEP_LATENCY_TOLERANCE:
	case SSDPM_STEP_REBUILD:
		return 2;
	case SSDPM_STEP_LPM:
		return 1;
	default:
		return 0;
	}
}

const char *ssdpm__value_removal(const struct ssdpm_machine *machine,
				 const struct change *change)
{
	char path[SSDPM__TARGET_BYTES];
	char *slash = path;

	if (change->kind == SSDPM_STEP_NVME_CORE)
		return NULL;
	snprintf(path, sizeof(path), "%s", change->path);
	for (int i = n_above(change->kind); i && slash; i--) {
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
	}
	return slash ? ssdpm__removal(machine, path) : NULL;
}

/* One less never allows a state that the value forbids. */
void ssdpm__other_tolerance(const char *value, char other[24])
{
	struct span span = ssdpm__span(value, strlen(value));
	uint64_t us;

	if (!ssdpm__take_uint(&span, INT32_MAX - 1, &us))
		us = INT32_MAX; /* "any" */
	else if (!us)
		us = 2;
	snprintf(other, 24, "%" PRIu64, us - 1);
}

int ssdpm__rebuild(struct ssdpm_machine *machine, const char *path,
		   const char *value, struct ssdpm_error *reterr)
{
	char other[24];
	int err;

	ssdpm__other_tolerance(value, other);
	err = ssdpm__write_value(machine, SSDPM_STEP_LATENCY_TOLERANCE, path,
				 other, reterr);
	if (err)
		return err;
	return ssdpm__write_value(machine, SSDPM_STEP_LATENCY_TOLERANCE, path,
				  value, reterr);
}
