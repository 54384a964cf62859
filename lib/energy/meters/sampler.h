/* SPDX-License-Identifier: MIT */
/* What the kinds of power meters share. */
#ifndef SSDPM_LIB_METERS_SAMPLER_H
#define SSDPM_LIB_METERS_SAMPLER_H

#include <ssdpm/energy/meters.h>

#include <stdbool.h>

#include "base/internal.h"
#include "base/text.h"

/* A path below the root of a machine, and its zero byte. */
#define SSDPM__PATH_BYTES 320

/* No machine that this is for takes more: a number above it is none. */
#define SSDPM__MAX_POWER_W 1e5

#define SSDPM__SUPPLIES "sys/class/power_supply"

/*
 * The values of a meter at one moment:
 * - power_w: NaN if it only counts;
 * - counts: it has a counter, one of which is so many joules;
 * - sinks: the counter falls as energy is used;
 * - range: the counter begins anew after this; 0: not known;
 * - n_sources: how many sources it is the sum of;
 * - left_j: what a battery holds; NaN: not known.
 */
struct meter_value {
	double power_w;
	double joules;
	double left_j;
	uint64_t count;
	uint64_t range;
	uint32_t flags; /* enum ssdpm_reading_flag */
	uint32_t n_sources;
	bool counts;
	bool sinks;
};

/*
 * What a battery holds: a count of microwatt-hours, or by_charge, one of
 * microampere-hours at this voltage.
 */
struct battery_left {
	int64_t count;
	int64_t uv;
	bool by_charge;
};

/*
 * sampler-battery.c: path is a file in the folder of the battery. -ENOENT and
 * so on: its driver does not say.
 */
int ssdpm__battery_left(const struct ssdpm_machine *machine, const char *path,
			struct battery_left *ret_left);

/* sampler-battery.c: one, or with path SSDPM__SUPPLIES the sum of all. */
int ssdpm__battery_look(struct ssdpm_machine *machine, const char *path,
			struct meter_value *ret_value,
			struct ssdpm_error *reterr);

/* sampler-sensor.c: hwmon, and powercap. */
int ssdpm__sensor_look(struct ssdpm_machine *machine, const char *path,
		       struct meter_value *ret_value,
		       struct ssdpm_error *reterr);
int ssdpm__zone_look(struct ssdpm_machine *machine, const char *path,
		     struct meter_value *ret_value, struct ssdpm_error *reterr);

/*
 * sampler-nvme.c: by a command to the drive of this name. Its decoder: 0,
 * -EOPNOTSUPP: the drive does not measure, -EINVAL: in no scale that is known.
 */
int ssdpm__nvme_look(const struct ssdpm_machine *machine, const char *name,
		     struct meter_value *ret_value, struct ssdpm_error *reterr);
int ssdpm__nvme_decode_power(const uint8_t health[SSDPM_NVME_HEALTH_BYTES],
			     struct meter_value *ret_value);

/* sampler-command.c: line is run by /bin/sh. */
int ssdpm__command_look(const char *line, struct meter_value *ret_value,
			struct ssdpm_error *reterr);

/* The power in what a command printed. false: none, and why. */
bool ssdpm__power_read(const char *text, double *ret_power_w,
		       const char **ret_why);

/*
 * meters.c: does the folder of a power supply belong to a battery of the
 * machine? And which kind of meter has a file of this name; 0: none.
 */
bool ssdpm__is_battery(const struct ssdpm_machine *machine, const char *folder);
uint32_t ssdpm__meter_kind_of(const char *path);

/* A number of sysfs, which may be below 0. -EINVAL: it is none. */
int ssdpm__read_signed(const struct ssdpm_machine *machine, const char *path,
		       int64_t *ret_value);

/* path/../name, without a file. */
int ssdpm__beside(char ret_path[SSDPM__PATH_BYTES], const char *path,
		  const char *name);

/* The file of a meter cannot be read: err is what a read returned. */
int ssdpm__fail_meter(const char *path, int err, struct ssdpm_error *reterr);

#endif
