/* SPDX-License-Identifier: MIT */
/* Finds what measures power on a machine: batteries, RAPL and sensors. */
#include "meters/sampler.h"
#include "base/json-text.h"
#include "base/words.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_meter) == 384, "frozen");

struct meter_search {
	struct ssdpm_machine *machine;
	struct ssdpm_meter *meters;
	size_t n, room;
	int err;
};

/* The names in a folder. */
struct meter_names {
	char **names;
	size_t n;
};

/* A path without its leading slash. */
struct path {
	char text[SSDPM__PATH_BYTES];
};

static struct path join(const char *folder, const char *name, const char *file)
{
	struct path path;

	snprintf(path.text, sizeof(path.text), "%s/%s%s%s", folder, name,
		 file[0] ? "/" : "", file);
	return path;
}

/* A meter without a value now may still be readable. */
static bool is_readable(const struct ssdpm_machine *machine, const char *path)
{
	char text[64];
	int err = ssdpm_machine_read_attribute(machine, path, text,
					       sizeof(text), NULL);

	return err != -EACCES && err != -EPERM;
}

static void add(struct meter_search *search, uint32_t kind, const char *name,
		const char *path)
{
	struct ssdpm_meter *meter;

	if (search->n == search->room) {
		size_t room = search->room ? 2 * search->room : 8;

		meter = realloc(search->meters, room * sizeof(*meter));
		if (!meter) {
			search->err = -ENOMEM;
			return;
		}
		search->meters = meter;
		search->room = room;
	}
	meter = &search->meters[search->n++];
	memset(meter, 0, sizeof(*meter));
	meter->kind = kind;
	meter->readable = is_readable(search->machine, path);
	snprintf(meter->name, sizeof(meter->name), "%s", name);
	snprintf(meter->path, sizeof(meter->path), "/%s", path);
}

static bool text_is(const struct ssdpm_machine *machine, const char *folder,
		    const char *name, const char *expected)
{
	char text[32];

	return !ssdpm_machine_read_attribute(machine,
					     join(folder, name, "").text, text,
					     sizeof(text), NULL) &&
	       !strcmp(text, expected);
}

static bool exists(const struct ssdpm_machine *machine, const char *path)
{
	char text[64];

	return ssdpm_machine_read_attribute(machine, path, text, sizeof(text),
					    NULL) != -ENOENT;
}

/* Reads the file "name", up to the room in text. */
static bool get_name(const struct ssdpm_machine *machine, const char *folder,
		     const char *of, char *text, size_t size)
{
	struct span span;
	char all[256];

	if (ssdpm_machine_read_attribute(machine, join(folder, of, "name").text,
					 all, sizeof(all), NULL))
		return false;
	span = ssdpm__span_trim(ssdpm__span(all, strlen(all)));
	if ((size_t)(span.end - span.at) >= size)
		span.end = span.at + size - 1;
	return ssdpm__span_copy(span, text, size);
}

/* A battery that is present and powers the machine, not a mouse. */
bool ssdpm__is_battery(const struct ssdpm_machine *machine, const char *folder)
{
	return text_is(machine, folder, "type", "Battery") &&
	       !text_is(machine, folder, "scope", "Device") &&
	       !text_is(machine, folder, "present", "0");
}

static void look_at_supply(struct meter_search *search, const char *folder,
			   const char *name)
{
	static const char files[][12] = { "power_now", "current_now" };

	if (!ssdpm__is_battery(search->machine, join(folder, name, "").text))
		return;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct path path = join(folder, name, files[i]);

		if (!exists(search->machine, path.text))
			continue;
		add(search, SSDPM_METER_BATTERY, name, path.text);
		return;
	}
}

/* Names such as "intel-rapl:0" and "intel-rapl:0:1"; AMD's are the same. */
static void look_at_zone(struct meter_search *search, const char *folder,
			 const char *name)
{
	struct path path = join(folder, name, "energy_uj");
	char domain[48];

	if (strncmp(name, "intel-rapl", 10) != 0 ||
	    !exists(search->machine, path.text))
		return;
	if (!get_name(search->machine, folder, name, domain, sizeof(domain)))
		snprintf(domain, sizeof(domain), "%s", name);
	add(search, SSDPM_METER_RAPL, domain, path.text);
}

static bool has_name(const struct meter_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

/* Prefers power1_input, then power1_average, then energy1_input. */
static bool is_power(const struct meter_names *names, const char *file)
{
	static const char forms[][18] = { "power%u_input", "power%u_average",
					  "energy%u_input" };
	unsigned int number;
	char name[32];

	if (sscanf(file, "power%u_", &number) != 1 &&
	    sscanf(file, "energy%u_", &number) != 1)
		return false;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(name, sizeof(name), forms[i], number);
		if (has_name(names, name))
			return !strcmp(file, name);
	}
	return false;
}

/* The kind from the file name alone, for a file that a user chose. */
uint32_t ssdpm__meter_kind_of(const char *path)
{
	const char *name = ssdpm__last_component(path);
	struct meter_names names = { .names = (char *[]){ (char *)name },
				     .n = 1 };

	if (!strcmp(name, "power_now") || !strcmp(name, "current_now"))
		return SSDPM_METER_BATTERY;
	if (!strcmp(name, "energy_uj"))
		return SSDPM_METER_RAPL;
	return is_power(&names, name) ? SSDPM_METER_HWMON : 0;
}

/* false: nothing to list. */
static bool list(struct meter_search *search, const char *folder,
		 struct meter_names *ret_names)
{
	int err = ssdpm_machine_read_directory(search->machine, folder,
					       &ret_names->names, &ret_names->n,
					       NULL);

	if (err == -ENOMEM)
		search->err = err;
	return !err;
}

/* Finds all meters in one directory. */
static void look_into(struct meter_search *search, const char *folder,
		      uint32_t kind, const char *name)
{
	struct meter_names names;

	if (!list(search, folder, &names))
		return;
	for (size_t i = 0; i < names.n && !search->err; i++)
		if (is_power(&names, names.names[i]))
			add(search, kind, name,
			    join(folder, names.names[i], "").text);
	free(names.names);
}

/*
 * Sensors have their name and their numbers in one folder; so has
 * acpi_power_meter of newer kernels. Older ones have no name, and numbers in
 * device/, which is called ACPI000D:00.
 */
static void look_at_sensor(struct meter_search *search, const char *folder,
			   const char *name)
{
	struct path device = join(folder, name, "device");
	struct path sensor = join(folder, name, "");
	char text[64], real[SSDPM__PATH_BYTES];

	if (get_name(search->machine, folder, name, text, sizeof(text))) {
		look_into(search, sensor.text,
			  strcmp(text, "power_meter") ? SSDPM_METER_HWMON :
							SSDPM_METER_ACPI_POWER,
			  text);
		return;
	}
	if (ssdpm_machine_read_link(search->machine, device.text, real,
				    sizeof(real), NULL))
		return;
	look_into(search, device.text, SSDPM_METER_ACPI_POWER,
		  ssdpm__last_component(real));
}

static void look_at_class(struct meter_search *search, const char *folder,
			  void (*look)(struct meter_search *search,
				       const char *folder, const char *name))
{
	struct meter_names names;

	if (!list(search, folder, &names))
		return;
	for (size_t i = 0; i < names.n && !search->err; i++)
		look(search, folder, names.names[i]);
	free(names.names);
}

int ssdpm_machine_read_meters(struct ssdpm_machine *machine,
			      struct ssdpm_meter **ret_meters, size_t *ret_n,
			      struct ssdpm_error *reterr)
{
	struct meter_search search = { .machine = machine };

	look_at_class(&search, "sys/class/power_supply", look_at_supply);
	look_at_class(&search, "sys/class/powercap", look_at_zone);
	look_at_class(&search, "sys/class/hwmon", look_at_sensor);
	if (search.err) {
		free(search.meters);
		return ssdpm__fail(reterr, search.err, 0, "out of memory");
	}
	*ret_meters = search.meters;
	*ret_n = search.n;
	return 0;
}

static const char meter_kind_words[][11] = {
	[SSDPM_METER_BATTERY] = "battery",
	[SSDPM_METER_RAPL] = "rapl",
	[SSDPM_METER_HWMON] = "hwmon",
	[SSDPM_METER_ACPI_POWER] = "acpi-power",
	[SSDPM_METER_NVME] = "nvme",
	[SSDPM_METER_COMMAND] = "command",
};
ENUM_WORDS(meter_kind)

int ssdpm_meters_to_json(const struct ssdpm_meter *meters, size_t n,
			 char **ret_text, struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };

	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_begin(&w, "meters", '[');
	for (size_t i = 0; i < n; i++) {
		ssdpm__json_begin(&w, NULL, '{');
		ssdpm__json_string(&w, "kind",
				   ssdpm_meter_kind_to_string(meters[i].kind));
		ssdpm__json_string(&w, "name", meters[i].name);
		ssdpm__json_string(&w, "path", meters[i].path);
		ssdpm__json_bool(&w, "readable", meters[i].readable);
		ssdpm__json_end(&w, '}');
	}
	ssdpm__json_end(&w, ']');
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
