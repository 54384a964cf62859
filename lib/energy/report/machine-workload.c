/* SPDX-License-Identifier: MIT */
/* The workload of a machine, by the kind of machine. */
#include <stdio.h>
#include <string.h>

#include <ssdpm/energy/report.h>

#include "base/words.h"

/* A desktop has fewer; this is a choice. */
#define MANY_DISKS 4

enum { PATH_BYTES = 512 };

static const char workload_reason_words[][12] = {
	[SSDPM_WORKLOAD_REASON_FIRMWARE] = "firmware",
	[SSDPM_WORKLOAD_REASON_CHASSIS] = "chassis",
	[SSDPM_WORKLOAD_REASON_DISKS] = "disks",
	[SSDPM_WORKLOAD_REASON_NO_SERVER] = "no-server",
};
ENUM_WORDS(workload_reason)

static bool file_has(const struct ssdpm_machine *machine, const char *path,
		     const char (*words)[4], size_t n)
{
	char text[8];

	if (ssdpm_machine_read_attribute(machine, path, text, sizeof(text),
					 NULL))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

/* Servers of enterprises and of small offices, and fast ones: ACPI 6.5, 5.9 */
static bool is_server_by_firmware(const struct ssdpm_machine *machine)
{
	static const char profiles[][4] = { "4", "5", "7" };

	return file_has(machine, "sys/firmware/acpi/pm_profile", profiles,
			sizeof(profiles) / sizeof(profiles[0]));
}

/*
 * Main server, rack mount, several systems, blade and its enclosure: SMBIOS
 * 3.7, 7.4.1
 */
static bool is_server_by_chassis(const struct ssdpm_machine *machine)
{
	static const char types[][4] = { "17", "23", "25", "28", "29" };

	return file_has(machine, "sys/class/dmi/id/chassis_type", types,
			sizeof(types) / sizeof(types[0]));
}

/* Its place among the devices, if there is such a disk. */
static bool find_disk(const struct ssdpm_machine *machine, const char *name,
		      char real[PATH_BYTES])
{
	char path[80];

	snprintf(path, sizeof(path), "sys/block/%s", name);
	return !ssdpm_machine_read_link(machine, path, real, PATH_BYTES, NULL);
}

/*
 * Disks on ports of libata: a NAS of somebody's own, which may have NVMe drives
 * as its cache. Names are tried: to list the disks takes memory, and this call
 * cannot fail.
 */
static bool has_many_sata_disks(const struct ssdpm_machine *machine)
{
	char name[24], real[PATH_BYTES];
	size_t n_sata = 0;

	for (char letter = 'a'; letter <= 'z'; letter++) {
		snprintf(name, sizeof(name), "sd%c", letter);
		if (find_disk(machine, name, real) && strstr(real, "/ata"))
			n_sata++;
	}
	return n_sata >= MANY_DISKS;
}

uint32_t ssdpm_machine_get_workload_reason(const struct ssdpm_machine *machine)
{
	if (!machine)
		return SSDPM_WORKLOAD_REASON_NO_SERVER;
	if (is_server_by_firmware(machine))
		return SSDPM_WORKLOAD_REASON_FIRMWARE;
	if (is_server_by_chassis(machine))
		return SSDPM_WORKLOAD_REASON_CHASSIS;
	if (has_many_sata_disks(machine))
		return SSDPM_WORKLOAD_REASON_DISKS;
	return SSDPM_WORKLOAD_REASON_NO_SERVER;
}

const char *ssdpm_machine_get_workload(const struct ssdpm_machine *machine)
{
	return ssdpm_machine_get_workload_reason(machine) ==
			       SSDPM_WORKLOAD_REASON_NO_SERVER ?
		       "desktop-session" :
		       "server-files";
}
