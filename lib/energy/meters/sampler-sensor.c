/* SPDX-License-Identifier: MIT */
/*
 * Sensors of hwmon, in uW and uJ (Documentation/hwmon/sysfs-interface), and the
 * energy counters of powercap, in uJ.
 */
#include "meters/sampler.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PER_MILLION 1e-6

/* "energy3_input" of "power3_average": it counts beside it. */
static int read_energy(const struct ssdpm_machine *machine, const char *path,
		       int64_t *ret_uj)
{
	char energy[SSDPM__PATH_BYTES], name[32];
	unsigned int number;
	int err;

	if (sscanf(ssdpm__last_component(path), "power%u_", &number) != 1)
		return -ENOENT;
	snprintf(name, sizeof(name), "energy%u_input", number);
	err = ssdpm__beside(energy, path, name);
	return err ? err : ssdpm__read_signed(machine, energy, ret_uj);
}

int ssdpm__sensor_look(struct ssdpm_machine *machine, const char *path,
		       struct meter_value *ret_value,
		       struct ssdpm_error *reterr)
{
	struct meter_value value = { .power_w = NAN, .joules = PER_MILLION };
	bool is_energy = !strncmp(ssdpm__last_component(path), "energy", 6);
	int64_t number, uj;
	int err;

	err = ssdpm__read_signed(machine, path, &number);
	if (err)
		return ssdpm__fail_meter(path, err, reterr);
	if (number < 0 ||
	    (!is_energy && (double)number > SSDPM__MAX_POWER_W / PER_MILLION))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "/%s says %" PRId64
				   ": no machine takes such a power",
				   path, number);
	value.counts = is_energy;
	value.count = (uint64_t)number;
	if (!is_energy) {
		value.power_w = (double)number * PER_MILLION;
		value.counts = !read_energy(machine, path, &uj) && uj >= 0;
		value.count = value.counts ? (uint64_t)uj : 0;
	}
	*ret_value = value;
	return 0;
}

/* All 64 bits: AMD's counters have no range below that. */
static int read_count(const struct ssdpm_machine *machine, const char *path,
		      uint64_t *ret_count)
{
	char text[64];
	struct span span;
	int err = ssdpm_machine_read_attribute(machine, path, text,
					       sizeof(text), NULL);

	if (err)
		return err == -E2BIG ? -EINVAL : err;
	span = ssdpm__span(text, strlen(text));
	return ssdpm__take_uint(&span, UINT64_MAX, ret_count) &&
			       span.at == span.end ?
		       0 :
		       -EINVAL;
}

int ssdpm__zone_look(struct ssdpm_machine *machine, const char *path,
		     struct meter_value *ret_value, struct ssdpm_error *reterr)
{
	struct meter_value value = { .power_w = NAN,
				     .joules = PER_MILLION,
				     .counts = true };
	char range[SSDPM__PATH_BYTES];
	int err;

	err = read_count(machine, path, &value.count);
	if (err == -EACCES || err == -EPERM)
		return ssdpm__fail(reterr, -EACCES, 0,
				   "/%s: since Linux 5.10 only root may read "
				   "it: run as root, or let a rule of udev "
				   "change its mode",
				   path);
	if (err)
		return ssdpm__fail_meter(path, err, reterr);
	if (ssdpm__beside(range, path, "max_energy_range_uj") ||
	    read_count(machine, range, &value.range))
		value.range = 0;
	*ret_value = value;
	return 0;
}
