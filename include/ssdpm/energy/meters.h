/* SPDX-License-Identifier: MIT */
/*
 * Power meters: batteries, RAPL, sensors, drives, commands.
 *
 *     machine -> meters -> a sampler -> readings
 *
 * The stage reads the machine. See ssdpm_meters(3).
 */
#ifndef SSDPM_METERS_H
#define SSDPM_METERS_H

#include <ssdpm/base.h>
#include <ssdpm/device.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ssdpm_meter_kind {
	SSDPM_METER_BATTERY = 1, /* power_supply: power_now, or current */
	SSDPM_METER_RAPL = 2,	 /* powercap: energy_uj */
	SSDPM_METER_HWMON = 3, /* power1_input, power1_average, energy1_input */
	SSDPM_METER_ACPI_POWER = 4, /* acpi_power_meter */
	SSDPM_METER_NVME = 5,	    /* the drive itself: NVMe 2.3 */
	SSDPM_METER_COMMAND = 6,    /* the first number a command prints: W */
};

/**
 * struct ssdpm_meter - something that measures power (frozen, 384 bytes)
 * @kind:     enum ssdpm_meter_kind
 * @readable: 1: this user may read it
 * @name:     "BAT0", "package-0"
 * @path:     the file that holds the number, the node of the drive, or the
 *            command
 */
struct ssdpm_meter {
	uint32_t kind;
	uint32_t readable;
	char name[64];
	char path[312];
};

/**
 * ssdpm_machine_read_meters() - the power meters that there are
 * @ret_meters: an array to be freed with free(); NULL where there is none
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_machine_read_meters(struct ssdpm_machine *machine,
					struct ssdpm_meter **ret_meters,
					size_t *ret_n,
					struct ssdpm_error *reterr);

/**
 * ssdpm_meters_to_json() - "meters" of ssdpm.machine/1
 * @ret_text: an object with this one member, for more_json of struct
 *            ssdpm_object; free it with free()
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_meters_to_json(const struct ssdpm_meter *meters, size_t n,
				   char **ret_text, struct ssdpm_error *reterr);

/**
 * ssdpm_machine_find_meter() - one meter, by what a user calls it
 * @text: its name ("BAT0", "package-0") or path, as of
 *        ssdpm_machine_read_meters(); the folder of its file ("hwmon3",
 *        "intel-rapl:0:1"); either with the file ("amdgpu/power2_input");
 *        "battery": the only one, or the sum of all, of which one discharges at
 *        a time; "machine": the first of these that can be read: a battery that
 *        discharges, psys of RAPL, the power meter of ACPI, each of which sees
 *        the drives of the machine; a file of sysfs that is named as those of
 * meters are; a drive
 *        ("nvme0"), which is asked whether it measures its power; "command:"
 *        and a line for /bin/sh, which is run for each reading
 *
 * Return: 0; -ENOENT (there is none: @reterr names those that there are),
 * -EBUSY ("machine": its battery charges),
 * -EINVAL (several have that name: give the path; no line; a file that is no
 * meter), -ENAMETOOLONG (the line), -EOPNOTSUPP (the drive does not measure; a
 * command in a capture), -EACCES, -ENODEV, -EIO (as of
 * ssdpm_device_read_apst()), -ENOMEM, and others of open(2).
 */
SSDPM_API int ssdpm_machine_find_meter(struct ssdpm_machine *machine,
				       const char *text,
				       struct ssdpm_meter *ret_meter,
				       struct ssdpm_error *reterr);

/** Bits of the flags of struct ssdpm_reading. */
enum ssdpm_reading_flag {
	/* The value of the meter is that of the reading before: it is read more
	 * often than it measures, or the power is constant. */
	SSDPM_READING_SAME = 1 << 0,
	SSDPM_READING_WRAP = 1 << 1, /* its counter began anew at its range */
	/* Its counter fell otherwise, or rose by more than 100 kW, and counts
	 * from 0 again. The power of a meter that only counts is NaN. */
	SSDPM_READING_RESET = 1 << 2,
	SSDPM_READING_CHARGE_COUNTER = 1 << 3, /* energy: charge x voltage */
};

/**
 * struct ssdpm_reading - what a meter says (sized result)
 * @size:     set by the caller
 * @time_ns:  when it was read: CLOCK_BOOTTIME
 * @power_w:  now, or of a meter that only counts: mean since the reading
 *            before; NaN: not known (the first reading of a counter, a reset)
 * @energy_j: counted since the first reading, or since the last reset; NaN: it
 *            has no counter
 * @flags:    bits of enum ssdpm_reading_flag
 * @reserved: 0
 * @left_j:   what the battery still holds; of the meter "battery", all of them;
 *            NaN: it is none, or its driver does not say
 * @update_ns: mean time from one new value of the meter to the next, of all
 *            readings of this sampler: update_ns of struct ssdpm_trial_params.
 *            If fewer than a quarter repeat the one before, that is chance, and
 *            each reading is new. 0: unknown: there are fewer than 10 readings,
 *            or all are the same
 */
struct ssdpm_reading {
	size_t size;
	int64_t time_ns;
	double power_w;
	double energy_j;
	uint32_t flags;
	uint32_t reserved;
	double left_j;
	uint64_t update_ns;
};

struct ssdpm_sampler;

/**
 * ssdpm_sampler_new() - read a meter again and again
 * @ret_sampler: free it with ssdpm_sampler_free()
 *
 * The meter is read once, to see whether it can be; a command is not run.
 *
 * A battery gives the power of the machine while it discharges, and only then.
 * One whose status is unknown does so where its current is below 0, or no
 * adapter is on line. RAPL's counters wrap after some minutes at high power
 * (max_energy_range_uj): that is seen, unless they are read less often.
 *
 * Return: 0; -EBUSY (a battery that charges, or is full: its power is not the
 * machine's), -ENODEV (it is gone, or has no value now), -EACCES, -EINVAL,
 * -EOPNOTSUPP, -ENOMEM, and others of open(2) and read(2).
 */
SSDPM_API int ssdpm_sampler_new(struct ssdpm_machine *machine,
				const struct ssdpm_meter *meter,
				struct ssdpm_sampler **ret_sampler,
				struct ssdpm_error *reterr);

/**
 * ssdpm_sampler_read() - one reading
 * @ret_reading: its size member is set by the caller
 *
 * It does not wait for the time of a reading: the caller decides when. A drive
 * may wake to answer. A command is waited for until it has ended and closed its
 * output. After 30 seconds it is killed with its process group. The first
 * number that it prints is taken, in W, or in the unit after it: W, mW, uW, kW.
 *
 * Not thread-safe for one sampler; several may be read at once.
 *
 * Return: 0; -EBUSY (it charges now), -ENODEV (it is gone, or has no value now;
 * a command that fails), -ETIMEDOUT (a command), -EINVAL (no number, or one
 * that no power can be; @reterr shows it; a size that was not set), -E2BIG,
 * -EIO and others of read(2). The next call may succeed.
 */
SSDPM_API int ssdpm_sampler_read(struct ssdpm_sampler *sampler,
				 struct ssdpm_reading *ret_reading,
				 struct ssdpm_error *reterr);

/** ssdpm_sampler_free() - @sampler may be NULL. Return: NULL. */
SSDPM_API struct ssdpm_sampler *ssdpm_sampler_free(
	struct ssdpm_sampler *sampler);

/** ssdpm_meter_kind_to_string() - "battery" and so on, or NULL */
SSDPM_API const char *ssdpm_meter_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_meter_kind_from_string(const char *word);

/** ssdpm_reading_flag_to_string() - "same", "wrap" and so on, or NULL */
SSDPM_API const char *ssdpm_reading_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_reading_flag_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
