/* SPDX-License-Identifier: MIT */
/* Samples a meter again and again. */
#include "meters/sampler.h"

#include "power/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/words.h"

/* The two clocks differ by more only after a suspend. */
#define NS_OF_SUSPEND 1000000

struct ssdpm_sampler {
	struct ssdpm_machine *machine;
	struct ssdpm_meter meter;
	struct meter_value last;
	int64_t time_ns;
	int64_t suspended_ns; /* until then, since the machine started */
	double energy_j;
	/* Readings, and those that repeat the one before. */
	uint64_t n, n_same;
	int64_t first_ns;
	bool started;
	bool lost; /* the counter was missing at one reading */
};

int ssdpm__read_signed(const struct ssdpm_machine *machine, const char *path,
		       int64_t *ret_value)
{
	struct decimal decimal;
	char text[64];
	int err;

	err = ssdpm_machine_read_attribute(machine, path, text, sizeof(text),
					   NULL);
	if (err)
		return err == -E2BIG ? -EINVAL : err;
	if (!ssdpm__decimal_read(ssdpm__span(text, strlen(text)), false,
				 &decimal) ||
	    !ssdpm__decimal_int64(&decimal, 0, ret_value))
		return -EINVAL;
	return 0;
}

int ssdpm__beside(char ret_path[SSDPM__PATH_BYTES], const char *path,
		  const char *name)
{
	const char *last = ssdpm__last_component(path);
	const int n = (int)(last - path);

	if (snprintf(ret_path, SSDPM__PATH_BYTES, "%.*s%s", n, path, name) >=
	    SSDPM__PATH_BYTES)
		return -ENAMETOOLONG;
	return 0;
}

int ssdpm__fail_meter(const char *path, int err, struct ssdpm_error *reterr)
{
	switch (err) {
	case -ENOENT:
		return ssdpm__fail(reterr, -ENODEV, 0, "/%s is gone", path);
	case -ENODEV:
	case -ENXIO:
	case -ENODATA:
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "/%s: its driver has no value now", path);
	case -EACCES:
	case -EPERM:
		return ssdpm__fail(reterr, -EACCES, 0,
				   "/%s: root is needed to read it", path);
	case -EINVAL:
	case -EISDIR:
		return ssdpm__fail(reterr, -EINVAL, 0, "/%s holds no number",
				   path);
	case -ENOMEM:
		return ssdpm__fail(reterr, err, 0, "out of memory");
	default:
		return ssdpm__fail(reterr, err, 0, "/%s: %s", path,
				   ssdpm_strerror(err));
	}
}

static int look(const struct ssdpm_sampler *sampler,
		struct meter_value *ret_value, struct ssdpm_error *reterr)
{
	const char *path = sampler->meter.path;

	switch (sampler->meter.kind) {
	case SSDPM_METER_BATTERY:
		return ssdpm__battery_look(sampler->machine, path + 1,
					   ret_value, reterr);
	case SSDPM_METER_RAPL:
		return ssdpm__zone_look(sampler->machine, path + 1, ret_value,
					reterr);
	case SSDPM_METER_HWMON:
	case SSDPM_METER_ACPI_POWER:
		return ssdpm__sensor_look(sampler->machine, path + 1, ret_value,
					  reterr);
	case SSDPM_METER_NVME:
		return ssdpm__nvme_look(sampler->machine, sampler->meter.name,
					ret_value, reterr);
	case SSDPM_METER_COMMAND:
		return ssdpm__command_look(path, ret_value, reterr);
	default:
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: meters of kind %" PRIu32
				   " cannot be read",
				   sampler->meter.name, sampler->meter.kind);
	}
}

static int check_meter(const struct ssdpm_meter *meter,
		       struct ssdpm_error *reterr)
{
	if (!memchr(meter->name, 0, sizeof(meter->name)) ||
	    !memchr(meter->path, 0, sizeof(meter->path)))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_meter: a text without a NUL");
	if (meter->kind != SSDPM_METER_COMMAND &&
	    (meter->path[0] != '/' || !strchr(meter->path + 1, '/')))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "\"%s\" is no path of a meter", meter->path);
	return 0;
}

int ssdpm_sampler_new(struct ssdpm_machine *machine,
		      const struct ssdpm_meter *meter,
		      struct ssdpm_sampler **ret_sampler,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_sampler *sampler;
	struct meter_value value;
	int err;

	err = check_meter(meter, reterr);
	if (err)
		return err;
	if (meter->kind == SSDPM_METER_COMMAND &&
	    ssdpm_machine_get_capture(machine))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "no command is run for a capture");
	sampler = calloc(1, sizeof(*sampler));
	if (!sampler)
		return ssdpm__no_memory(reterr);
	sampler->machine = ssdpm_machine_ref(machine);
	sampler->meter = *meter;
	/* A command may act, so it runs for readings only. */
	if (meter->kind != SSDPM_METER_COMMAND)
		err = look(sampler, &value, reterr);
	if (err)
		ssdpm_sampler_free(sampler);
	else
		*ret_sampler = sampler;
	return err;
}

struct ssdpm_sampler *ssdpm_sampler_free(struct ssdpm_sampler *sampler)
{
	if (sampler)
		ssdpm_machine_unref(sampler->machine);
	free(sampler);
	return NULL;
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/*
 * The count since the last reading; false: the counter restarted. Counters of
 * processors restart at 0 after a suspend, which looks like a wrap.
 */
static bool count(const struct meter_value *last, const struct meter_value *now,
		  bool suspended, double *ret_counted, uint32_t *flags)
{
	const uint64_t from = now->sinks ? now->count : last->count;
	const uint64_t to = now->sinks ? last->count : now->count;

	if (now->n_sources != last->n_sources)
		return false;
	if (to >= from) {
		*ret_counted = (double)(to - from);
		return true;
	}
	if (!now->range || from > now->range || to > now->range || suspended)
		return false;
	*flags |= SSDPM_READING_WRAP;
	*ret_counted = (double)(now->range - from + to);
	return true;
}

/* The energy of this step; false: the counter restarted. */
static bool find_step(const struct meter_value *last,
		      const struct meter_value *now, bool suspended,
		      double seconds, double *ret_energy_j, uint32_t *flags)
{
	uint32_t wrap = 0;
	double counted;

	if (!count(last, now, suspended, &counted, &wrap))
		return false;
	counted *= (last->joules + now->joules) / 2;
	if (counted > SSDPM__MAX_POWER_W * seconds)
		return false;
	*ret_energy_j = counted;
	*flags |= wrap;
	return true;
}

/* Adds a step, and the mean power of a meter that only counts. */
static void add_step(struct ssdpm_sampler *sampler,
		     const struct meter_value *value, bool suspended,
		     struct ssdpm_reading *reading)
{
	double seconds = (double)(reading->time_ns - sampler->time_ns) / 1e9;
	double energy_j;

	if (!sampler->last.counts)
		return;
	if (!find_step(&sampler->last, value, suspended, seconds, &energy_j,
		       &reading->flags)) {
		reading->flags |= SSDPM_READING_RESET;
		sampler->energy_j = 0;
		return;
	}
	sampler->energy_j += energy_j;
	if (isnan(value->power_w) && seconds > 0)
		reading->power_w = energy_j / seconds;
}

static bool is_same(const struct meter_value *last,
		    const struct meter_value *now)
{
	if (isnan(now->power_w))
		return last->counts && now->counts && now->count == last->count;
	return !(now->power_w < last->power_w) &&
	       !(now->power_w > last->power_w) && !isnan(last->power_w);
}

/* Fewer tell nothing about how often a meter measures. */
enum { LEAST_READINGS = 10 };

/* After this reading. */
static uint64_t find_update(struct ssdpm_sampler *sampler,
			    const struct ssdpm_reading *reading)
{
	const uint64_t n = ++sampler->n;
	uint64_t n_new;

	sampler->n_same += (reading->flags & SSDPM_READING_SAME) != 0;
	if (n == 1)
		sampler->first_ns = reading->time_ns;
	n_new = n - sampler->n_same;
	if (n < LEAST_READINGS || n_new < 2)
		return 0;
	/* A few repeats are chance. */
	if (sampler->n_same * 4 < n)
		n_new = n;
	return (uint64_t)(reading->time_ns - sampler->first_ns) / (n_new - 1);
}

int ssdpm_sampler_read(struct ssdpm_sampler *sampler,
		       struct ssdpm_reading *ret_reading,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_reading reading = { 0 };
	struct meter_value value = { 0 };
	int64_t suspended_ns;
	int err;

	err = ssdpm__sized_check(ret_reading, sizeof(reading), "ssdpm_reading",
				 reterr);
	if (!err)
		err = look(sampler, &value, reterr);
	if (err)
		return err;
	reading.time_ns = read_clock(CLOCK_BOOTTIME);
	suspended_ns = reading.time_ns - read_clock(CLOCK_MONOTONIC);
	reading.power_w = value.power_w;
	reading.flags = value.flags;
	if (!value.counts)
		sampler->lost = true;
	if (sampler->started && is_same(&sampler->last, &value))
		reading.flags |= SSDPM_READING_SAME;
	if (sampler->started && value.counts)
		add_step(sampler, &value,
			 suspended_ns - sampler->suspended_ns > NS_OF_SUSPEND,
			 &reading);
	reading.energy_j = sampler->lost ? NAN : sampler->energy_j;
	reading.left_j =
		sampler->meter.kind == SSDPM_METER_BATTERY ? value.left_j : NAN;
	reading.update_ns = find_update(sampler, &reading);
	sampler->started = true;
	sampler->last = value;
	sampler->time_ns = reading.time_ns;
	sampler->suspended_ns = suspended_ns;
	ssdpm__sized_out(ret_reading, &reading, sizeof(reading));
	return 0;
}

static const char reading_flag_words[][15] = {
	[FLAG(SSDPM_READING_SAME)] = "same",
	[FLAG(SSDPM_READING_WRAP)] = "wrap",
	[FLAG(SSDPM_READING_RESET)] = "reset",
	[FLAG(SSDPM_READING_CHARGE_COUNTER)] = "charge-counter",
};
FLAG_WORDS(reading_flag)
