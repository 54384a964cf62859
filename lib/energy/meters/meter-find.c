/* SPDX-License-Identifier: MIT */
/* One meter, by what a user calls it. */
#include "meters/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char command_prefix[] = "command:";

struct found {
	struct ssdpm_meter *all; /* of the machine */
	size_t n_all;
	size_t n; /* that have the name */
	size_t last;
	size_t n_mmio; /* of these */
	char paths[200];
};

/*
 * Newer processors have the counter of the package twice, as intel-rapl:0 by
 * MSR and as intel-rapl-mmio:0: under its name the first is meant.
 */
static bool is_mmio(const struct ssdpm_meter *meter)
{
	return meter->kind == SSDPM_METER_RAPL &&
	       strstr(meter->path, "/intel-rapl-mmio");
}

static int find_command(const struct ssdpm_machine *machine, const char *line,
			struct ssdpm_meter *meter, struct ssdpm_error *reterr)
{
	if (ssdpm_machine_get_capture(machine))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "command:%.64s: no command is run for a "
				   "capture",
				   line);
	if (!line[strspn(line, " \t\n")])
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"\"command:\" needs a line for the shell, as "
			"in \"command:cat /run/watts\"");
	if (strlen(line) >= sizeof(meter->path))
		return ssdpm__fail(reterr, -ENAMETOOLONG, 0,
				   "\"command:\" takes a line of at most %zu "
				   "bytes: put it into a script",
				   sizeof(meter->path) - 1);
	meter->kind = SSDPM_METER_COMMAND;
	meter->readable = 1;
	strcpy(meter->name, "command");
	strcpy(meter->path, line);
	return 0;
}

/* "BAT0", "hwmon3", "intel-rapl:0:1": the folder that holds the file. */
static bool has_folder(const char *path, const char *text)
{
	const char *file = ssdpm__last_component(path);
	const size_t n = strlen(text);

	return (size_t)(file - path) > n + 1 && file[-1] == '/' &&
	       file[-2 - (ptrdiff_t)n] == '/' &&
	       !strncmp(file - 1 - n, text, n);
}

/* A name, a folder, or either with the file: "amdgpu/power2_input". */
static bool is_called(const struct ssdpm_meter *meter, const char *text)
{
	const char *file = ssdpm__last_component(meter->path);
	const char *slash = strrchr(text, '/');
	char name[64];

	if (!strcmp(meter->path, text) || !strcmp(meter->name, text))
		return true;
	if (!slash)
		return has_folder(meter->path, text);
	if (strcmp(slash + 1, file) || slash - text >= (ptrdiff_t)sizeof(name))
		return false;
	memcpy(name, text, (size_t)(slash - text));
	name[slash - text] = 0;
	return !strcmp(meter->name, name) || has_folder(meter->path, name);
}

static void note_called(struct found *found, const char *text)
{
	size_t at = 0;

	for (size_t i = 0; i < found->n_all; i++) {
		if (!is_called(&found->all[i], text))
			continue;
		if (at < sizeof(found->paths))
			at += (size_t)snprintf(found->paths + at,
					       sizeof(found->paths) - at,
					       "%s%s", found->n ? ", " : "",
					       found->all[i].path);
		found->n++;
		if (found->n == 1 || !is_mmio(&found->all[i]))
			found->last = i;
		found->n_mmio += is_mmio(&found->all[i]);
	}
}

/* All batteries together, where there are several. */
static bool find_batteries(const struct found *found, const char *text,
			   struct ssdpm_meter *meter)
{
	uint32_t readable = 1;
	size_t n = 0;

	if (strcmp(text, "battery"))
		return false;
	for (size_t i = 0; i < found->n_all; i++) {
		if (found->all[i].kind != SSDPM_METER_BATTERY)
			continue;
		readable &= found->all[i].readable;
		*meter = found->all[i];
		n++;
	}
	if (n < 2)
		return n;
	memset(meter, 0, sizeof(*meter));
	meter->kind = SSDPM_METER_BATTERY;
	meter->readable = readable;
	strcpy(meter->name, "battery");
	strcpy(meter->path, "/" SSDPM__SUPPLIES);
	return true;
}

static int try_meter(struct ssdpm_machine *machine,
		     const struct ssdpm_meter *meter,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_sampler *sampler;
	int err = ssdpm_sampler_new(machine, meter, &sampler, reterr);

	if (!err)
		ssdpm_sampler_free(sampler);
	return err;
}

/* The other zones of RAPL are parts of a processor, or memory. */
static bool sees_machine(const struct ssdpm_meter *meter, uint32_t kind)
{
	return meter->kind == kind &&
	       (kind != SSDPM_METER_RAPL || !strcmp(meter->name, "psys"));
}

/* The first that can be read: a battery charges while an adapter is plugged. */
static int find_machine(struct ssdpm_machine *machine,
			const struct found *found, struct ssdpm_meter *meter,
			struct ssdpm_error *reterr)
{
	static const uint32_t kinds[] = { SSDPM_METER_RAPL,
					  SSDPM_METER_ACPI_POWER };
	struct ssdpm_error first = { 0 };

	if (find_batteries(found, "battery", meter) &&
	    !try_meter(machine, meter, &first))
		return 0;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (size_t i = 0; i < found->n_all; i++) {
			if (!sees_machine(&found->all[i], kinds[k]))
				continue;
			*meter = found->all[i];
			if (!try_meter(machine, meter,
				       first.code ? NULL : &first))
				return 0;
		}
	if (first.code)
		return ssdpm__pass_on(first.code, &first, reterr);
	return ssdpm__fail(reterr, -ENOENT, 0,
			   "no meter sees this machine as a whole: a battery, "
			   "psys of RAPL, the power meter of ACPI");
}

/* A file of sysfs that is no meter of the list, but says what one would. */
static int find_file(const struct ssdpm_machine *machine, const char *text,
		     struct ssdpm_meter *meter, struct ssdpm_error *reterr)
{
	const uint32_t kind = ssdpm__meter_kind_of(text);
	char value[64];
	int err;

	if (!kind || strlen(text) >= sizeof(meter->path))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%.100s is no file of a meter: power_now, "
				   "current_now, energy_uj, power1_input, "
				   "power1_average or energy1_input",
				   text);
	err = ssdpm_machine_read_attribute(machine, text + 1, value,
					   sizeof(value), NULL);
	/* A failure of this process, or no file: it says nothing of a meter. */
	if (err == -ENOENT || err == -ENOTDIR || err == -ELOOP ||
	    err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		return ssdpm__fail(reterr, err, 0, "%.100s: %s", text,
				   ssdpm_strerror(err));
	meter->kind = kind;
	meter->readable = err != -EACCES && err != -EPERM;
	snprintf(meter->name, sizeof(meter->name), "%s",
		 ssdpm__last_component(text));
	strcpy(meter->path, text);
	return 0;
}

/* Does this drive measure its power? It is asked. */
static int find_drive(const struct ssdpm_machine *machine,
		      const struct ssdpm_device *device,
		      struct ssdpm_meter *meter, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct meter_value value;
	int err;

	if (facts->kind != SSDPM_KIND_NVME)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s does not measure its power: only NVMe "
				   "2.3 has that",
				   facts->name);
	err = ssdpm__nvme_look(machine, facts->name, &value, reterr);
	if (err)
		return err;
	meter->kind = SSDPM_METER_NVME;
	meter->readable = 1;
	snprintf(meter->name, sizeof(meter->name), "%s", facts->name);
	snprintf(meter->path, sizeof(meter->path), "/dev/%s", facts->name);
	return 0;
}

static int say_absent(const struct found *found, const char *text,
		      struct ssdpm_error *reterr)
{
	char names[128] = "";
	size_t at = 0;

	for (size_t i = 0; i < found->n_all && at < sizeof(names); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
				       i ? ", " : "", found->all[i].name);
	if (!found->n_all)
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "%.64s: this machine has no power meter; "
				   "\"command:LINE\" takes the number that a "
				   "command prints",
				   text);
	return ssdpm__fail(reterr, -ENOENT, 0,
			   "unknown power meter '%.64s'; expected %s%s", text,
			   names, at < sizeof(names) ? "" : " ...");
}

static int find_called(struct ssdpm_machine *machine, const struct found *found,
		       const char *text, struct ssdpm_meter *meter,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_device *device;
	int err;

	if (found->n == 1 || found->n - found->n_mmio == 1) {
		*meter = found->all[found->last];
		return 0;
	}
	if (found->n)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%.32s is the name of several meters: give "
				   "the path of one: %s",
				   text, found->paths);
	if (find_batteries(found, text, meter))
		return 0;
	if (!strcmp(text, "machine"))
		return find_machine(machine, found, meter, reterr);
	if (!strncmp(text, "/sys/", 5))
		return find_file(machine, text, meter, reterr);
	err = ssdpm_device_read(machine, text, &device, reterr);
	if (err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		return err;
	if (err)
		return say_absent(found, text, reterr);
	err = find_drive(machine, device, meter, reterr);
	ssdpm_device_unref(device);
	return err;
}

int ssdpm_machine_find_meter(struct ssdpm_machine *machine, const char *text,
			     struct ssdpm_meter *ret_meter,
			     struct ssdpm_error *reterr)
{
	const size_t n = sizeof(command_prefix) - 1;
	struct ssdpm_meter meter = { 0 };
	struct found found = { 0 };
	int err;

	if (!strncmp(text, command_prefix, n)) {
		err = find_command(machine, text + n, &meter, reterr);
	} else {
		err = ssdpm_machine_read_meters(machine, &found.all,
						&found.n_all, reterr);
		if (err)
			return err;
		note_called(&found, text);
		err = find_called(machine, &found, text, &meter, reterr);
		free(found.all);
	}
	if (!err)
		*ret_meter = meter;
	return err;
}
