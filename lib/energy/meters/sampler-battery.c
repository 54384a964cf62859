/* SPDX-License-Identifier: MIT */
/*
 * Reads batteries. They show the power of the machine only while they
 * discharge. Drivers differ in sign: Documentation/ABI has negative while
 * discharging, ACPI reports no sign. They also differ in values: power, or
 * current and voltage; energy, or charge.
 */
#include "meters/sampler.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UW_PER_W 1e6
#define JOULES_PER_UWH 3.6e-3

enum battery_status {
	DISCHARGES = 1,
	CHARGES,
	RESTS, /* full, or not charging */
	MAYBE, /* unknown */
};

struct battery {
	uint32_t status; /* enum battery_status */
	double power_w;	 /* with the driver's sign */
	bool counts;	 /* in uWh, or by charge in uAh */
	bool by_charge;
	double volts; /* by_charge */
	int64_t count;
};

static int read_beside(const struct ssdpm_machine *machine, const char *path,
		       const char *name, int64_t *ret_value)
{
	char beside[SSDPM__PATH_BYTES];
	int err = ssdpm__beside(beside, path, name);

	return err ? err : ssdpm__read_signed(machine, beside, ret_value);
}

static int read_status(struct ssdpm_machine *machine, const char *path,
		       uint32_t *ret_status)
{
	char beside[SSDPM__PATH_BYTES], text[32];
	int err = ssdpm__beside(beside, path, "status");

	if (!err)
		err = ssdpm_machine_read_attribute(machine, beside, text,
						   sizeof(text), NULL);
	if (err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		return err;
	*ret_status = MAYBE;
	if (err)
		return 0;
	if (!strcmp(text, "Discharging"))
		*ret_status = DISCHARGES;
	else if (!strcmp(text, "Charging"))
		*ret_status = CHARGES;
	else if (!strcmp(text, "Full") || !strcmp(text, "Not charging"))
		*ret_status = RESTS;
	return 0;
}

/* Without power_now, or without a value in it now, use the current. */
static int read_power(struct ssdpm_machine *machine, const char *path,
		      double *ret_power_w)
{
	int64_t uw, ua, uv;
	int err, other;

	err = read_beside(machine, path, "power_now", &uw);
	if (!err) {
		*ret_power_w = (double)uw / UW_PER_W;
		return 0;
	}
	other = read_beside(machine, path, "current_now", &ua);
	if (!other)
		other = read_beside(machine, path, "voltage_now", &uv);
	if (other)
		return err == -ENOENT ? other : err;
	*ret_power_w = (double)ua * 1e-6 * ((double)uv * 1e-6);
	return 0;
}

int ssdpm__battery_left(const struct ssdpm_machine *machine, const char *path,
			struct battery_left *ret_left)
{
	struct battery_left left = { 0 };
	int err = read_beside(machine, path, "energy_now", &left.count);

	if (err) {
		left.by_charge = true;
		err = read_beside(machine, path, "charge_now", &left.count);
		if (!err)
			err = read_beside(machine, path, "voltage_now",
					  &left.uv);
	}
	if (!err && (left.count < 0 || (left.by_charge && left.uv <= 0)))
		err = -EINVAL;
	if (!err)
		*ret_left = left;
	return err;
}

/* A missing counter is no failure, because the power is enough. */
static void read_counter(struct ssdpm_machine *machine, const char *path,
			 struct battery *battery)
{
	struct battery_left left;

	if (ssdpm__battery_left(machine, path, &left))
		return;
	battery->counts = true;
	battery->count = left.count;
	battery->by_charge = left.by_charge;
	battery->volts = (double)left.uv * 1e-6;
}

static double left_of(const struct battery *battery)
{
	if (!battery->counts)
		return NAN;
	return (double)battery->count * JOULES_PER_UWH *
	       (battery->by_charge ? battery->volts : 1);
}

static int read_battery(struct ssdpm_machine *machine, const char *path,
			struct battery *ret_battery)
{
	struct battery battery = { 0 };
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	int err;

	err = read_status(machine, path, &battery.status);
	if (!err && battery.status != CHARGES)
		read_counter(machine, path, &battery);
	if (!err && (battery.status == DISCHARGES || battery.status == MAYBE))
		err = read_power(machine, path, &battery.power_w);
	/*
	 * If the status is unknown, a sign or a missing adapter shows a
	 * discharge.
	 */
	if (!err && battery.status == MAYBE && !(battery.power_w < 0))
		err = ssdpm_machine_read_facts(machine, &facts, NULL);
	if (!err && battery.status == MAYBE)
		battery.status = facts.power_source == SSDPM_SOURCE_AC ?
					 RESTS :
					 DISCHARGES;
	if (!err)
		*ret_battery = battery;
	return err;
}

static int fail_status(const char *name, uint32_t status,
		       struct ssdpm_error *reterr)
{
	return ssdpm__fail(
		reterr, -EBUSY, 0,
		status == CHARGES ?
			"%s charges: what it measures is not the power of the "
			"machine: unplug the charger" :
			"%s does not discharge: the machine runs from its "
			"adapter, or from another battery: unplug the adapter; "
			"the meter \"battery\" is all batteries together",
		name);
}

static int check_power(const char *name, double power_w,
		       struct ssdpm_error *reterr)
{
	if (power_w > 0 && power_w <= SSDPM__MAX_POWER_W)
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0,
			   power_w > 0 ? "%s says more than 100 kW: its driver "
					 "does not know its power" :
					 "%s discharges and says 0 W: its "
					 "driver does not know its power now",
			   name);
}

static int look_at_one(struct ssdpm_machine *machine, const char *path,
		       struct meter_value *value, struct ssdpm_error *reterr)
{
	char folder[SSDPM__PATH_BYTES];
	struct battery battery;
	const char *name;
	int err;

	strcpy(folder, path);
	*strrchr(folder, '/') = 0;
	name = ssdpm__last_component(folder);
	err = read_battery(machine, path, &battery);
	if (err)
		return ssdpm__fail_meter(path, err, reterr);
	if (battery.status != DISCHARGES)
		return fail_status(name, battery.status, reterr);
	value->power_w = fabs(battery.power_w);
	value->n_sources = 1;
	value->counts = battery.counts;
	value->left_j = left_of(&battery);
	value->sinks = true;
	value->count = (uint64_t)battery.count;
	value->joules = JOULES_PER_UWH;
	if (battery.by_charge) {
		value->joules *= battery.volts;
		value->flags = SSDPM_READING_CHARGE_COUNTER;
	}
	return check_power(name, value->power_w, reterr);
}

/*
 * One of several discharges at a time; the others rest. Their energy is summed
 * if all count it. A charging battery, or one of unknown power, is a failure.
 */
static int add_battery(struct ssdpm_machine *machine, const char *folder,
		       struct meter_value *sum, bool *discharges,
		       struct ssdpm_error *reterr)
{
	char path[SSDPM__PATH_BYTES];
	struct battery battery;
	int err;

	snprintf(path, sizeof(path), "%s/power_now", folder);
	err = read_battery(machine, path, &battery);
	if (err)
		return ssdpm__fail_meter(path, err, reterr);
	if (battery.status == CHARGES)
		return fail_status(ssdpm__last_component(folder), CHARGES,
				   reterr);
	sum->counts = (!sum->n_sources || sum->counts) && battery.counts &&
		      !battery.by_charge;
	sum->count += (uint64_t)battery.count;
	sum->left_j += left_of(&battery);
	sum->n_sources++;
	if (battery.status != DISCHARGES)
		return 0;
	*discharges = true;
	sum->power_w += fabs(battery.power_w);
	return 0;
}

static int look_at_all(struct ssdpm_machine *machine, struct meter_value *sum,
		       struct ssdpm_error *reterr)
{
	char folder[SSDPM__PATH_BYTES - sizeof("/power_now")];
	bool discharges = false;
	char **names;
	size_t n;
	int err;

	err = ssdpm_machine_read_directory(machine, SSDPM__SUPPLIES, &names, &n,
					   NULL);
	if (err)
		return ssdpm__fail_meter(SSDPM__SUPPLIES, err, reterr);
	sum->sinks = true;
	sum->joules = JOULES_PER_UWH;
	for (size_t i = 0; i < n && !err; i++) {
		snprintf(folder, sizeof(folder), SSDPM__SUPPLIES "/%s",
			 names[i]);
		if (ssdpm__is_battery(machine, folder))
			err = add_battery(machine, folder, sum, &discharges,
					  reterr);
	}
	free(names);
	if (err)
		return err;
	if (!sum->n_sources)
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "/" SSDPM__SUPPLIES
				   ": no battery says its power");
	if (!discharges)
		return ssdpm__fail(reterr, -EBUSY, 0,
				   "no battery discharges: the machine runs "
				   "from its adapter: unplug it");
	return check_power("battery", sum->power_w, reterr);
}

int ssdpm__battery_look(struct ssdpm_machine *machine, const char *path,
			struct meter_value *ret_value,
			struct ssdpm_error *reterr)
{
	struct meter_value value = { 0 };
	int err;

	err = strcmp(path, SSDPM__SUPPLIES) ?
		      look_at_one(machine, path, &value, reterr) :
		      look_at_all(machine, &value, reterr);
	if (!err)
		*ret_value = value;
	return err;
}
