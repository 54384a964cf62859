/* SPDX-License-Identifier: MIT */
/*
 * A capture that a stranger sends. There is a small machine in a directory; the
 * input changes some of its files before everything is read. Each change is
 *
 *     byte 0        bits 0-2: what (enum what); bit 7: copy the machine, too
 *     byte 1        which path, of those in paths[]
 *     byte 2        how long the text is
 *     byte 3, ...   the text
 */
#include "../support/remove.h"
#include "check.h"
#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PCI "sys/devices/pci0000:00/"
#define NVME PCI "0000:01:00.0/nvme/nvme0/"
#define SUBSYSTEM "sys/devices/virtual/nvme-subsystem/nvme-subsys0"
#define AHCI PCI "0000:00:17.0/"
#define PORT AHCI "ata1/"
#define HOST PORT "host0/scsi_host/host0/"
#define DISK PORT "host0/target0:0:0/0:0:0:0/"
#define ATA PORT "link1/dev1.0/ata_device/dev1.0/"
#define UP3 "../../../"

enum what {
	FILE_OF = 0, /* the text */
	PATCHED = 1, /* from a place in its first two bytes on, the rest */
	LINK_TO = 2, /* the text */
	GONE = 3,
	FOLDER = 4,
	PIPE = 5,
	REPEATED = 6, /* the text, a thousand times */
};

/* The first content: NULL: nothing; "->...": a link. */
static const struct {
	const char *path, *text;
} paths[] = {
	{ "ssdpm-capture", "{}" },
	{ "proc/sys/kernel/osrelease", "6.8.0-45-generic" },
	{ "proc/sys/kernel/version", "#45-Ubuntu SMP" },
	{ "proc/version_signature", "Ubuntu 6.8.0-45.45-generic 6.8.12" },
	{ "sys/power/mem_sleep", "[s2idle] deep" },
	{ "sys/module/pcie_aspm/parameters/policy", "[default] performance" },
	{ "sys/module/nvme_core/parameters/default_ps_max_latency_us",
	  "100000" },
	{ "sys/module/nvme_core/parameters/apst_primary_timeout_ms", "100" },
	{ "sys/module/nvme_core/parameters/apst_secondary_latency_tol_us",
	  "100000" },
	{ "sys/module/nvme_core/parameters/force_apst", "N" },
	{ "sys/module/ahci/parameters/mask_port_ext", "(null)" },
	{ "sys/module/ahci/parameters/mobile_lpm_policy", "-1" },
	{ "sys/class/dmi/id/board_name", "Board" },
	{ "sys/class/dmi/id/bios_date", "03/14/2024" },
	{ "sys/class/power_supply/AC/type", "Mains" },
	{ "sys/class/power_supply/AC/online", "1" },
	{ "sys/class/power_supply/BAT0/type", "Battery" },
	{ "sys/class/power_supply/BAT0/status", "Discharging" },
	{ "sys/class/power_supply/BAT0/power_now", "6200000" },
	{ "sys/class/powercap/intel-rapl:0/name", "package-0" },
	{ "sys/class/powercap/intel-rapl:0/energy_uj", "8247720" },
	{ "sys/class/hwmon/hwmon0/name", "nvme" },
	{ "sys/class/hwmon/hwmon0/power1_input", NULL },
	{ "sys/class/hwmon/hwmon0/device", NULL },
	{ "sys/class/nvme/nvme0", "->" UP3 NVME },
	{ "sys/class/nvme/nvme1", NULL },
	{ NVME "model", "Fixture SSD 256GB" },
	{ NVME "firmware_rev", "FW 1.0" },
	{ NVME "transport", "pcie" },
	{ NVME "address", "0000:01:00.0" },
	{ NVME "state", "live" },
	{ NVME "quirks", "none" },
	{ NVME "diag/reset_count", "0" },
	{ NVME "power/pm_qos_latency_tolerance_us", "100000" },
	{ NVME "device", "->../../../0000:01:00.0" },
	{ PCI "0000:01:00.0/vendor", "0x1234" },
	{ PCI "0000:01:00.0/device", "0x5678" },
	{ PCI "0000:01:00.0/class", "0x010802" },
	{ PCI "0000:01:00.0/power_state", "D0" },
	{ PCI "0000:01:00.0/d3cold_allowed", "1" },
	{ PCI "0000:01:00.0/power/control", "on" },
	{ PCI "0000:01:00.0/driver", "->../../../bus/pci/drivers/nvme" },
	{ PCI "0000:01:00.0/link/l1_aspm", "1" },
	{ PCI "0000:01:00.0/link/l1_2_aspm", "0" },
	{ SUBSYSTEM "/nvme0", "->../../../pci0000:00/0000:01:00.0/nvme/nvme0" },
	{ SUBSYSTEM "/nvme1", NULL },
	{ "sys/class/block/nvme0n1", "->" UP3 SUBSYSTEM "/nvme0n1" },
	{ "sys/bus/pci/devices/0000:01:00.0", "->../../../devices/pci0000:00/"
					      "0000:01:00.0" },
	{ "sys/bus/pci/devices/0000:00:17.0", "->../../../devices/pci0000:00/"
					      "0000:00:17.0" },
	{ "sys/bus/pci/devices/0000:00:0e.0", NULL },
	{ AHCI "vendor", "0x8086" },
	{ AHCI "class", "0x010601" },
	{ AHCI "remapped_nvme", "1" },
	{ AHCI "driver", "->../../../bus/pci/drivers/ahci" },
	{ "sys/block/sda", "->../../" DISK "block/sda" },
	{ "sys/block/sdb", NULL },
	{ "sys/class/block/sda1", NULL },
	{ "sys/class/scsi_host/host0", "->" UP3 HOST },
	{ "sys/class/scsi_host/host1", NULL },
	{ HOST "link_power_management_policy", "max_performance" },
	{ HOST "link_power_management_supported", "1" },
	{ HOST "ahci_port_cmd", "4c017" },
	{ HOST "ahci_host_caps", "c734ff22" },
	{ HOST "ahci_host_cap2", "3c" },
	{ HOST "state", "running" },
	{ PORT "ata_port/ata1/port_no", "1" },
	{ PORT "link1.1", NULL },
	{ ATA "class", "ata" },
	{ ATA "id", NULL }, /* made: see put_first() */
	{ DISK "block/sda/queue/rotational", "0" },
	{ DISK "block/sda/removable", "0" },
	{ DISK "block/sda/device", "->../../../0:0:0:0" },
	{ DISK "vendor", "ATA" },
	{ DISK "model", "Fixture SATA SSD" },
	{ DISK "state", "running" },
	{ "dumps/nvme0.identify", NULL }, /* made */
	{ "dumps/nvme0.apst",
	  "{\"schema\": \"ssdpm.apst/1\", \"sent\": true, \"enabled\": true, "
	  "\"raw\": \"18640000000000001864000000000000\"}" },
	{ "dumps/nvme0.power-state", "3" },
	{ "dumps/sda.identify", NULL },
	{ "dumps/sda.devsleep", NULL },
	{ "etc/tlp.conf", "SATA_LINKPWR_ON_BAT=\"min_power\"" },
	{ "etc/tlp.d/x.conf", NULL },
	{ "etc/tuned/active_profile", "mine" },
	{ "etc/tuned/mine/tuned.conf", "[scsi_host]\nalpm=min_power" },
	{ "etc/udev/rules.d/60.rules",
	  "SUBSYSTEM==\"nvme\", ATTR{power/pm_qos_latency_tolerance_us}=\"0\"" },
	{ "etc/modprobe.d/x.conf", "options nvme_core force_apst=1" },
	{ "dev/disk/by-id/x", "->../../nvme0n1" },
	{ "dev/nvme0n1", NULL },
};
#define N_PATHS (sizeof(paths) / sizeof(paths[0]))

enum { IDENTIFY_BYTES = 4096, WORDS_BYTES = 256 * 5 };

static struct ssdpm_catalogue *catalogue;

static void put_link(const char *path, const char *target)
{
	/* An empty one, or one with a NUL: no system has these. */
	if (*target)
		check(!symlinkat(target, root_fd, path), "a link is made");
}

/* Content that only a program can write. */
static size_t make(const char *path, char bytes[IDENTIFY_BYTES])
{
	size_t n = 0;

	memset(bytes, 0, IDENTIFY_BYTES);
	if (strstr(path, "ata_device")) {
		for (int i = 0; i < 256; i++, n += 5)
			memcpy(bytes + n, i == 76 ? "030e " : "4020 ", 5);
		return n;
	}
	if (strstr(path, "sda.identify")) {
		bytes[2 * 76] = 0x0e;
		bytes[2 * 76 + 1] = 0x03;
		memset(bytes + 2 * 23, 'x', 48);
		return 512;
	}
	if (strstr(path, "sda.devsleep"))
		return 512;
	if (!strstr(path, "nvme0.identify"))
		return 0;
	memset(bytes + 4, 'S', 20);
	memset(bytes + 24, 'M', 48);
	bytes[263] = 2; /* NPSS */
	bytes[265] = 1; /* APSTA */
	for (int i = 0; i < 3; i++) {
		bytes[2048 + 32 * i] = (char)(100 - i);
		bytes[2048 + 32 * i + 3] = i == 2 ? 2 : 0;
		bytes[2048 + 32 * i + 9] = (char)(i * 10);
	}
	return IDENTIFY_BYTES;
}

/* Writes a path's first content. Return: how many bytes it has. */
static size_t put_first(size_t i, char bytes[IDENTIFY_BYTES])
{
	const char *text = paths[i].text;
	size_t n = make(paths[i].path, bytes);

	if (text && !strncmp(text, "->", 2)) {
		put_link(paths[i].path, text + 2);
		return 0;
	}
	if (text) {
		n = strlen(text);
		memcpy(bytes, text, n);
		bytes[n] = '\n';
		n++;
	}
	if (n)
		root_put(paths[i].path, bytes, n);
	return n;
}

static void make_machine(void)
{
	char bytes[IDENTIFY_BYTES];

	root_make();
	for (size_t i = 0; i < N_PATHS; i++) {
		root_make_folders(paths[i].path);
		put_first(i, bytes);
	}
	mkdirat(root_fd, SUBSYSTEM "/nvme0n1", 0755);
	check(!ssdpm_catalogue_new(NULL, 0, &catalogue, NULL),
	      "there is a catalogue");
}

static void take_away(const char *path)
{
	if (unlinkat(root_fd, path, 0) && errno == EISDIR)
		unlinkat(root_fd, path, AT_REMOVEDIR);
}

static void change(enum what what, size_t i, const char *text, size_t n)
{
	char bytes[IDENTIFY_BYTES], name[257];
	size_t at = 0, n_first;
	int fd;

	take_away(paths[i].path);
	switch (what) {
	case FILE_OF:
		root_put(paths[i].path, text, n);
		break;
	case PATCHED:
		n_first = put_first(i, bytes);
		if (n >= 2)
			at = (uint8_t)text[0] | (uint8_t)text[1] << 8;
		/* A link has no bytes to patch. */
		if (n < 2 || !n_first || at + n - 2 > n_first)
			break;
		memcpy(bytes + at, text + 2, n - 2);
		root_put(paths[i].path, bytes, n_first);
		break;
	case LINK_TO:
		memcpy(name, text, n);
		name[n] = 0;
		put_link(paths[i].path, name);
		break;
	case FOLDER:
		mkdirat(root_fd, paths[i].path, 0755);
		break;
	case PIPE:
		mkfifoat(root_fd, paths[i].path, 0644);
		break;
	case REPEATED:
		fd = openat(root_fd, paths[i].path, O_WRONLY | O_CREAT, 0644);
		for (int j = 0; fd >= 0 && j < 1000; j++)
			check(write(fd, text, n) == (ssize_t)n, "it is longer");
		close(fd);
		break;
	case GONE:
		break;
	}
}

/* The text ends within size bytes, and is safe for a terminal. */
static void check_text(const char *text, size_t size)
{
	size_t n = strnlen(text, size);

	check(n < size, "a text ends");
	for (size_t i = 0; i < n; i++)
		check(text[i] >= ' ' && text[i] <= '~', "a text is plain");
}
#define CHECK_TEXT(text) check_text(text, sizeof(text))

static void check_result(int r, const struct ssdpm_error *error)
{
	if (r)
		check_error(r, error);
}

static void check_facts(const struct ssdpm_device_facts *facts)
{
	CHECK_TEXT(facts->name);
	CHECK_TEXT(facts->product);
	CHECK_TEXT(facts->firmware);
	CHECK_TEXT(facts->state);
	CHECK_TEXT(facts->address);
	CHECK_TEXT(facts->driver);
	CHECK_TEXT(facts->path);
	CHECK_TEXT(facts->transport);
	CHECK_TEXT(facts->runtime_pm);
	CHECK_TEXT(facts->pci_power_state);
	check(!strncmp(facts->path, "/sys/", 5), "a device is in sysfs");
	check(ssdpm_reach_to_string(facts->reach) != NULL,
	      "a reach has a word");
}

static void diagnose(const struct ssdpm_device *device,
		     const struct ssdpm_machine_facts *facts,
		     const struct ssdpm_model *model,
		     const struct ssdpm_apst *table)
{
	const struct ssdpm_diagnosis_params params = {
		.size = sizeof(params),
		.facts = facts,
		.model = model,
		.table = table,
	};
	struct ssdpm_diagnosis *diagnoses = NULL;
	size_t n = 0;

	check(!ssdpm_device_diagnose(device, &params, &diagnoses, &n, NULL) &&
		      n,
	      "there is a verdict");
	for (size_t i = 0; i < n; i++) {
		CHECK_TEXT(diagnoses[i].message);
		check(!diagnoses[i].remedy ||
			      ssdpm_remedy_to_string(diagnoses[i].remedy),
		      "a remedy has a word");
		for (uint32_t j = 0; j < diagnoses[i].n_changes; j++) {
			CHECK_TEXT(diagnoses[i].changes[j].target);
			CHECK_TEXT(diagnoses[i].changes[j].value);
		}
		check(diagnoses[i].message[0] &&
			      ssdpm_diagnosis_code_to_string(diagnoses[i].code),
		      "a diagnosis has words");
	}
	free(diagnoses);
}

static void read_device(struct ssdpm_device *device,
			const struct ssdpm_machine_facts *facts)
{
	struct ssdpm_apst_params params;
	struct ssdpm_devsleep devsleep;
	struct ssdpm_model *model = NULL;
	struct ssdpm_device_power power = { .size = sizeof(power) };
	struct ssdpm_apst table;
	struct ssdpm_error error;
	uint32_t number, from_kernel;
	int err, has_table;

	check_facts(ssdpm_device_get_facts(device));
	err = ssdpm_device_read_model(device, SSDPM_READ_COMMANDS, catalogue,
				      &model, &error);
	check_result(err, &error);
	has_table = ssdpm_device_read_apst(device, &table, &error);
	check_result(has_table, &error);
	err = ssdpm_device_read_power(device, &power, &error);
	check_result(err, &error);
	err = ssdpm_device_read_devsleep(device, &devsleep, &error);
	check_result(err, &error);
	err = ssdpm_device_get_quirks(device, facts, model, &number,
				      &from_kernel, &error);
	check_result(err, &error);
	err = ssdpm_device_get_apst_params(device, facts, model, &params,
					   &error);
	check_result(err, &error);
	diagnose(device, facts, NULL, NULL);
	diagnose(device, facts, model, has_table ? NULL : &table);
	ssdpm_model_unref(model);
}

/* Two readings of a meter, whose numbers are powers and energies. */
static void sample(struct ssdpm_machine *machine,
		   const struct ssdpm_meter *meter)
{
	struct ssdpm_sampler *sampler = NULL;
	struct ssdpm_error error;
	int err = ssdpm_sampler_new(machine, meter, &sampler, &error);

	check_result(err, &error);
	if (err)
		return;
	for (int i = 0; i < 2; i++) {
		struct ssdpm_reading now = { .size = sizeof(now) };

		err = ssdpm_sampler_read(sampler, &now, &error);
		check_result(err, &error);
		check(err || isnan(now.power_w) ||
			      (now.power_w >= 0 && now.power_w <= 1e5),
		      "a power is one that a machine may take");
		check(err || isnan(now.energy_j) || now.energy_j >= 0,
		      "energy is used, and not gained");
	}
	ssdpm_sampler_free(sampler);
}

static void read_facts(struct ssdpm_machine *machine,
		       struct ssdpm_machine_facts *facts)
{
	struct ssdpm_owner *owners = NULL;
	struct ssdpm_meter *meters = NULL, all;
	struct ssdpm_error error;
	size_t n;
	int err;

	facts->size = sizeof(*facts);
	check(!ssdpm_machine_read_facts(machine, facts, NULL),
	      "what cannot be read is unknown");
	CHECK_TEXT(facts->linux_release);
	CHECK_TEXT(facts->board_name);
	CHECK_TEXT(facts->mask_port_ext);
	check(!ssdpm_machine_read_owners(machine, &owners, &n, NULL),
	      "owners are read");
	for (size_t i = 0; i < n; i++) {
		CHECK_TEXT(owners[i].path);
		CHECK_TEXT(owners[i].setting);
	}
	free(owners);
	check(!ssdpm_machine_read_meters(machine, &meters, &n, NULL),
	      "meters are read");
	for (size_t i = 0; i < n; i++) {
		CHECK_TEXT(meters[i].path);
		CHECK_TEXT(meters[i].name);
		sample(machine, &meters[i]);
	}
	free(meters);
	err = ssdpm_machine_find_meter(machine, "battery", &all, &error);
	check_result(err, &error);
	if (!err)
		sample(machine, &all);
}

static void find(struct ssdpm_machine *machine, size_t which)
{
	static const char *const names[] = { "nvme0",	    "nvme0n1",
					     "sda1",	    "host0",
					     "ng0n1",	    "/dev/disk/by-id/x",
					     "0000:00:17.0" };
	struct ssdpm_device *device = NULL;
	struct ssdpm_error error;
	int err;

	which %= sizeof(names) / sizeof(names[0]);
	err = ssdpm_device_read(machine, names[which], &device, &error);
	check_result(err, &error);
	if (device)
		check_facts(ssdpm_device_get_facts(device));
	ssdpm_device_unref(device);
}

static void copy(struct ssdpm_machine *machine)
{
	char directory[sizeof(root) + 8];
	struct ssdpm_error error;
	int err;

	snprintf(directory, sizeof(directory), "%s-copy", root);
	err = ssdpm_machine_capture(machine, directory, 0, &error);
	check_result(err, &error);
	check(!err == !access(directory, F_OK), "a capture is whole, or not");
	if (!err)
		remove_tree(directory);
}

static void read_machine(size_t which, bool copies)
{
	const struct ssdpm_machine_params params = { .size = sizeof(params),
						     .root = root };
	struct ssdpm_machine *machine = NULL;
	struct ssdpm_machine_facts facts;
	struct ssdpm_device **devices;
	struct ssdpm_error error;
	size_t n = 0;
	int err;

	check(!ssdpm_machine_new(&params, &machine, NULL), "a root is opened");
	read_facts(machine, &facts);
	err = ssdpm_device_list_read(machine, &devices, &n, &error);
	check_result(err, &error);
	for (size_t i = 0; !err && i < n; i++)
		read_device(devices[i], &facts);
	if (!err)
		ssdpm_device_list_free(devices, n);
	find(machine, which);
	if (copies)
		copy(machine);
	ssdpm_machine_unref(machine);
}

/* Reverts the changes, so that the next input finds the first content. */
static void mend(const bool changed[N_PATHS])
{
	char bytes[IDENTIFY_BYTES];

	for (size_t i = 0; i < N_PATHS; i++) {
		if (!changed[i])
			continue;
		take_away(paths[i].path);
		put_first(i, bytes);
	}
}

int fuzz_capture(const uint8_t *data, size_t size)
{
	bool changed[N_PATHS] = { false };
	bool copies = false;
	size_t at = 0;

	if (root_fd < 0)
		make_machine();
	while (size - at >= 3) {
		size_t i = data[at + 1] % N_PATHS, n = data[at + 2];

		if (n > size - at - 3)
			n = size - at - 3;
		copies |= data[at] & 0x80;
		change(data[at] & 7, i, (const char *)data + at + 3, n);
		changed[i] = true;
		at += 3 + n;
	}
	read_machine(size, copies);
	mend(changed);
	return 0;
}
