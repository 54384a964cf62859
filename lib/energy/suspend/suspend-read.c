/* SPDX-License-Identifier: MIT */
/* The counters of sleep, from sysfs and debugfs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "meters/sampler.h"
#include "base/internal.h"
#include "suspend/internal.h"

#define MAX_FILE 8192

#define STATS "/sys/power/suspend_stats/"
#define CPUIDLE "/sys/devices/system/cpu/cpuidle/"
#define PMC "/sys/kernel/debug/pmc_core/"
#define AMD "/sys/kernel/debug/amd_pmc/"

struct reader {
	const struct ssdpm_machine *machine;
	struct ssdpm_suspend_reading *reading;
	char text[MAX_FILE];
};

static bool read_file(struct reader *reader, const char *path)
{
	return !ssdpm_machine_read_attribute(reader->machine, path + 1,
					     reader->text, sizeof(reader->text),
					     NULL);
}

/* A number and nothing else. */
static bool read_number(struct reader *reader, const char *path,
			uint64_t *ret_value)
{
	struct span span;

	if (!read_file(reader, path))
		return false;
	span = ssdpm__span(reader->text, strlen(reader->text));
	return ssdpm__take_uint(&span, UINT64_MAX, ret_value) &&
	       span.at == span.end;
}

static void add(struct reader *reader, uint32_t counter, const char *name,
		const char *source, uint64_t value)
{
	/* A machine with more than there is room for shows the first ones. */
	(void)ssdpm__reading_add(reader->reading, counter,
				 ssdpm__span(name, strlen(name)), source,
				 value);
}

/* Files with one number each. */
static void read_numbers(struct reader *reader)
{
	static const struct {
		uint32_t counter;
		char path[72];
	} files[] = {
		{ SSDPM_SLEEP_COUNTER_SUCCESS, STATS "success" },
		{ SSDPM_SLEEP_COUNTER_FAIL, STATS "fail" },
		{ SSDPM_SLEEP_COUNTER_SYSTEM,
		  CPUIDLE "low_power_idle_system_residency_us" },
		{ SSDPM_SLEEP_COUNTER_PACKAGE,
		  CPUIDLE "low_power_idle_cpu_residency_us" },
		{ SSDPM_SLEEP_COUNTER_SLP_S0, PMC "slp_s0_residency_usec" },
		{ SSDPM_SLEEP_COUNTER_WAKE_IRQ, "/sys/power/pm_wakeup_irq" },
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (read_number(reader, files[i].path, &value))
			add(reader, files[i].counter, "", files[i].path, value);
}

/*
 * Drivers call pm_report_hw_sleep_time() after a suspend. Those that do have
 * set the maximum when they began: pmc_core_probe() of Intel, amd_pmc_probe().
 * With a maximum of 0, no driver reports. Without the flag "low power S0" of
 * ACPI the files are hidden: suspend_attr_is_visible().
 */
static void read_hardware(struct reader *reader)
{
	uint64_t value;

	if (read_number(reader, STATS "max_hw_sleep", &value) && !value)
		return;
	if (read_number(reader, STATS "total_hw_sleep", &value))
		add(reader, SSDPM_SLEEP_COUNTER_HARDWARE, "",
		    STATS "total_hw_sleep", value);
	if (read_number(reader, STATS "last_hw_sleep", &value))
		add(reader, SSDPM_SLEEP_COUNTER_LAST, "", STATS "last_hw_sleep",
		    value);
}

/*
 * "S0i2.0     0": pmc_core_substate_res_show() in Linux. Where it has several
 * controllers, "pmc0  Substate  Residency" begins those of the main one.
 */
static void read_substates(struct reader *reader)
{
	static const char path[] = PMC "substate_residencies";
	struct lines lines = { 0 };
	struct span line, name, rest;
	bool is_main = true;
	uint64_t value;

	if (!read_file(reader, path))
		return;
	lines.rest = ssdpm__span(reader->text, strlen(reader->text));
	while (ssdpm__next_line(&lines, &line)) {
		if (!ssdpm__take_word(&line, &name))
			continue;
		line = ssdpm__span_trim(line);
		rest = name;
		if (ssdpm__take(&rest, "pmc"))
			is_main = ssdpm__span_is(rest, "0");
		else if (is_main && ssdpm__take(&rest, "S0i") &&
			 ssdpm__take_uint(&line, UINT64_MAX, &value))
			(void)ssdpm__reading_add(reader->reading,
						 SSDPM_SLEEP_COUNTER_SUBSTATE,
						 name, path, value);
	}
}

/* "Residency Time: 4296355", of the last sleep: s0ix_stats_show() in Linux. */
static void read_amd(struct reader *reader)
{
	static const char path[] = AMD "s0ix_stats";
	struct lines lines = { 0 };
	struct span line;
	uint64_t value;

	if (!read_file(reader, path))
		return;
	lines.rest = ssdpm__span(reader->text, strlen(reader->text));
	while (ssdpm__next_line(&lines, &line))
		if (ssdpm__take(&line, "Residency Time: ") &&
		    ssdpm__take_uint(&line, UINT64_MAX, &value))
			add(reader, SSDPM_SLEEP_COUNTER_LAST, "S0ix", path,
			    value);
}

/*
 * "Time (in us) in S0i3: 10790466", of the last sleep: smu_fw_info_show() in
 * Linux. Without "Last S0i3 Status: Success" the driver counts it as 0, too.
 * Older ones do not say the status. A time may then be of an earlier sleep, so
 * it is unknown.
 */
static void read_smu(struct reader *reader)
{
	static const char path[] = AMD "smu_fw_info";
	struct lines lines = { 0 };
	struct span line;
	bool is_known = false, has_failed = false;
	uint64_t value;

	if (!read_file(reader, path))
		return;
	lines.rest = ssdpm__span(reader->text, strlen(reader->text));
	while (ssdpm__next_line(&lines, &line))
		if (ssdpm__take(&line, "Last S0i3 Status: ")) {
			is_known = true;
			has_failed = !ssdpm__span_is(line, "Success");
		} else if (ssdpm__take(&line, "Time (in us) in S0i3: ") &&
			   ssdpm__take_uint(&line, UINT64_MAX, &value) &&
			   (is_known || !value))
			add(reader, SSDPM_SLEEP_COUNTER_LAST, "S0i3", path,
			    has_failed ? 0 : value);
}

static void read_failed_device(struct reader *reader)
{
	static const char path[] = STATS "last_failed_dev";
	struct lines lines = { 0 };
	struct span line;

	if (!read_file(reader, path))
		return;
	lines.rest = ssdpm__span(reader->text, strlen(reader->text));
	if (ssdpm__next_line(&lines, &line) && line.at != line.end)
		(void)ssdpm__reading_add(reader->reading,
					 SSDPM_SLEEP_COUNTER_FAILED_DEVICE,
					 line, path, 0);
}

static void read_battery(struct reader *reader, const char *name)
{
	char path[88];
	struct battery_left left;
	uint64_t uwh;

	snprintf(path, sizeof(path), "/" SSDPM__SUPPLIES "/%s/energy_now",
		 name);
	if (ssdpm__battery_left(reader->machine, path + 1, &left))
		return;
	uwh = (uint64_t)left.count;
	if (left.by_charge) {
		if (left.count > UINT32_MAX || left.uv > UINT32_MAX)
			return;
		snprintf(path, sizeof(path),
			 "/" SSDPM__SUPPLIES "/%s/charge_now", name);
		uwh = uwh * (uint64_t)left.uv / 1000000;
	}
	add(reader, SSDPM_SLEEP_COUNTER_BATTERY, name, path, uwh);
}

static void read_wake_source(struct reader *reader, const char *folder)
{
	char path[88], name[32];
	uint64_t value;

	snprintf(path, sizeof(path), "/sys/class/wakeup/%s/name", folder);
	if (!read_file(reader, path))
		return;
	snprintf(name, sizeof(name), "%.31s", reader->text);
	snprintf(path, sizeof(path), "/sys/class/wakeup/%s/wakeup_count",
		 folder);
	if (read_number(reader, path, &value))
		add(reader, SSDPM_SLEEP_COUNTER_WAKE_SOURCE, name, path, value);
}

/* -ENOMEM; a folder that is not there has no names. */
static int for_each_name(struct reader *reader, const char *folder,
			 void (*fn)(struct reader *reader, const char *name))
{
	char **names = NULL;
	size_t n = 0;

	if (ssdpm_machine_read_directory(reader->machine, folder, &names, &n,
					 NULL) == -ENOMEM)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) < sizeof(((struct counter *)0)->name))
			fn(reader, names[i]);
	free(names);
	return 0;
}

/* Linux suspends CLOCK_MONOTONIC, not CLOCK_BOOTTIME. */
static void read_clocks(struct reader *reader)
{
	struct timespec boot, awake;
	int64_t us;

	if (ssdpm_machine_get_capture(reader->machine) ||
	    clock_gettime(CLOCK_MONOTONIC, &awake) ||
	    clock_gettime(CLOCK_BOOTTIME, &boot))
		return;
	reader->reading->at_us =
		(uint64_t)boot.tv_sec * 1000000 + (uint64_t)boot.tv_nsec / 1000;
	us = (int64_t)(boot.tv_sec - awake.tv_sec) * 1000000 +
	     (boot.tv_nsec - awake.tv_nsec) / 1000;
	add(reader, SSDPM_SLEEP_COUNTER_ASLEEP, "", "clocks",
	    us > 0 ? (uint64_t)us : 0);
}

int ssdpm_machine_read_suspend(const struct ssdpm_machine *machine,
			       struct ssdpm_suspend_reading **ret_reading,
			       struct ssdpm_error *reterr)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int err = reader ? 0 : -ENOMEM;

	if (!err) {
		reader->machine = machine;
		reader->reading = calloc(1, sizeof(*reader->reading));
		err = reader->reading ? 0 : -ENOMEM;
	}
	if (!err) {
		if (read_file(reader, "/proc/sys/kernel/random/boot_id"))
			ssdpm__reading_set_boot(
				reader->reading,
				ssdpm__span(reader->text,
					    strlen(reader->text)));
		read_numbers(reader);
		read_hardware(reader);
		read_substates(reader);
		read_amd(reader);
		read_smu(reader);
		read_failed_device(reader);
		read_clocks(reader);
		err = for_each_name(reader, SSDPM__SUPPLIES, read_battery);
	}
	if (!err)
		err = for_each_name(reader, "sys/class/wakeup",
				    read_wake_source);
	if (!err)
		err = ssdpm__reading_add_boot_log(reader->reading, machine);
	if (!err)
		*ret_reading = reader->reading;
	else if (reader)
		free(reader->reading);
	free(reader);
	return err ? ssdpm__no_memory(reterr) : 0;
}
