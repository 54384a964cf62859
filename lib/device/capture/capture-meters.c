/* SPDX-License-Identifier: MIT */
/*
 * What measures power, for a capture: the files of batteries, RAPL and sensors
 * from which libssdpm-energy reads a power.
 */
#include "device/capture/capture.h"

#include <errno.h>
#include <string.h>

/* A folder of sysfs with a folder for each thing, and the files to read there.
 */
static const struct class
{
	char path[24];
	char files[9][20]; /* whole names, or how they begin */
} classes[] = {
	{ "sys/class/power_supply",
	  { "type", "scope", "present", "status", "power_now", "current_now",
	    "voltage_now", "energy_now", "charge_now" } },
	{ "sys/class/powercap",
	  { "name", "energy_uj", "max_energy_range_uj" } },
	{ "sys/class/hwmon", { "name", "power", "energy" } },
};
#define N_CLASSES (sizeof(classes) / sizeof(classes[0]))

static bool is_wanted(const struct class *class, const char *name)
{
	for (size_t i = 0; i < 9 && class->files[i][0]; i++) {
		const char *file = class->files[i];
		const size_t n = strlen(file);

		/* "power" and a number, as in "power1_input". */
		if (!strncmp(name, file, n) &&
		    (!name[n] || (name[n] >= '1' && name[n] <= '9')))
			return true;
	}
	return false;
}

static int read_folder(const struct ssdpm_machine *machine,
		       const struct class *class, const char *folder)
{
	char path[SSDPM__PATH_BYTES], text[64];
	struct names names;
	int err = ssdpm__list_names(machine, folder, &names);

	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < names.n && err != -ENOMEM; i++)
		if (is_wanted(class, names.names[i]) &&
		    !ssdpm__join(path, folder, names.names[i]))
			err = ssdpm__read_text(machine, path, text,
					       sizeof(text));
	ssdpm__free_names(&names);
	return err == -ENOMEM ? err : 0;
}

/* Drivers of acpi_power_meter before hwmon had names: numbers in device/. */
static int read_thing(const struct ssdpm_machine *machine,
		      const struct class *class, const char *name)
{
	char folder[SSDPM__PATH_BYTES], path[SSDPM__PATH_BYTES];
	char real[SSDPM__PATH_BYTES];
	int err;

	if (ssdpm__join(folder, class->path, name))
		return 0;
	err = read_folder(machine, class, folder);
	if (err || strcmp(class->path, "sys/class/hwmon") ||
	    ssdpm__join(path, folder, "name") || ssdpm__exists(machine, path) ||
	    ssdpm__join(path, folder, "device") ||
	    ssdpm__real_path(machine, path, real, sizeof(real)))
		return err;
	return read_folder(machine, class, path);
}

static int read_class(const struct ssdpm_machine *machine,
		      const struct class *class)
{
	struct names names;
	int err = ssdpm__list_names(machine, class->path, &names);

	if (err)
		return err;
	for (size_t i = 0; !err && i < names.n; i++)
		err = read_thing(machine, class, names.names[i]);
	ssdpm__free_names(&names);
	return err;
}

int ssdpm__read_meters(const struct ssdpm_machine *machine,
		       struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; err != -ENOMEM && i < N_CLASSES; i++)
		err = read_class(machine, &classes[i]);
	return err == -ENOMEM ? ssdpm__no_memory(reterr) : 0;
}
