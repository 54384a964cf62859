/* SPDX-License-Identifier: MIT */
/*
 * SATA: disks and ports. The path of a disk names the port (print id P, from 1
 * on) and its host (N, from 0 on), which count apart:
 * ADAPTER/ataP/hostN/targetN:C:I/N:C:I:0/block/sda.
 */
#include "device/internal.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* PxCMD, CAP: AHCI 1.3.1, 3.3.7 and 3.1.1 */
enum {
	CMD_HPCP = 1 << 18,
	CMD_ESP = 1 << 21,
	CAP_SXS = 1 << 5,
};

/* IDENTIFY DEVICE */
enum {
	N_WORDS = 256,
	WORD_FIRMWARE = 23,
	N_WORDS_FIRMWARE = 4,
	WORD_MODEL = 27,
	N_WORDS_MODEL = 20,
	WORD_SATA = 76,
	SATA_HIPM = 1 << 9,
};

/* Where in the tree something stands. */
struct sata_place {
	char adapter[SSDPM__PATH_BYTES];
	char port[SSDPM__PATH_BYTES]; /* ADAPTER/ataP */
	char host[SSDPM__PATH_BYTES]; /* ADAPTER/ataP/hostN/scsi_host/hostN */
	uint32_t ata_port, host_number;
	uint32_t channel, id; /* of the disk */
};

static struct span take_component(struct span *path)
{
	struct span component = *path;
	const char *end = memchr(path->at, '/', (size_t)(path->end - path->at));

	component.end = end ? end : path->end;
	path->at = end ? end + 1 : path->end;
	return component;
}

static bool is_component(struct span component, const char *prefix,
			 uint32_t *ret_number)
{
	char name[64];

	return ssdpm__span_copy(component, name, sizeof(name)) &&
	       ssdpm__is_numbered(name, prefix, ret_number);
}

/* Is it in the tree of libata? */
static bool find_place(const char *path, struct sata_place *place)
{
	struct span rest = ssdpm__span(path, strlen(path));
	struct span component, next;
	char name[64];
	int n;

	memset(place, 0, sizeof(*place));
	for (;;) {
		component = take_component(&rest);
		next = rest;
		if (rest.at == rest.end)
			return false;
		next = take_component(&next);
		if (is_component(component, "ata", &place->ata_port) &&
		    is_component(next, "host", &place->host_number))
			break;
	}
	if (component.at == path ||
	    !ssdpm__span_copy(ssdpm__span(path, component.at - 1 - path),
			      place->adapter, sizeof(place->adapter)) ||
	    !ssdpm__span_copy(ssdpm__span(path, component.end - path),
			      place->port, sizeof(place->port)))
		return false;
	n = snprintf(place->host, sizeof(place->host),
		     "%s/host%u/scsi_host/host%u", place->port,
		     place->host_number, place->host_number);
	take_component(&rest);
	component = take_component(&rest);
	if (ssdpm__span_copy(component, name, sizeof(name)))
		sscanf(name, "target%*u:%u:%u", &place->channel, &place->id);
	return n < (int)sizeof(place->host);
}

bool ssdpm__sata_parse_words(const char *text, uint16_t words[N_WORDS])
{
	for (size_t i = 0; i < N_WORDS; i++) {
		words[i] = 0;
		text += strspn(text, " \t\r\n");
		for (int j = 0; j < 4; j++, text++) {
			const int digit = ssdpm__hex_digit(*text);

			if (digit < 0)
				return false;
			words[i] = (uint16_t)(words[i] << 4 | digit);
		}
	}
	return true;
}

/* Two characters a word, the first one high; blanks around them go. */
static void copy_words(const uint16_t *words, size_t n, char *text)
{
	size_t length = 0;

	for (size_t i = 0; i < 2 * n; i++) {
		const char c = (char)(i % 2 ? words[i / 2] : words[i / 2] >> 8);

		if (c == ' ' && !length)
			continue;
		if (!c)
			break;
		text[length++] = c > ' ' && c <= '~' ? c : c == ' ' ? c : '?';
	}
	while (length && text[length - 1] == ' ')
		length--;
	text[length] = 0;
}

/* A device of a port: its class decides what it is. */
static void read_ata_device(struct directory *device, bool is_ours,
			    struct ssdpm_device_facts *facts)
{
	char path[SSDPM__PATH_BYTES], text[SSDPM__TEXT_BYTES], class[16];
	uint16_t words[N_WORDS] = { 0 };
	int err;

	if (!ssdpm__get_text(device, "class", class, sizeof(class)))
		return;
	if (!strcmp(class, "pmp"))
		facts->flags |= SSDPM_DEVICE_SHARED_PORT;
	if (strcmp(class, "ata") && strcmp(class, "atapi") &&
	    strcmp(class, "zac"))
		return;
	facts->n_devices++;
	if (!strcmp(class, "atapi"))
		facts->flags |= SSDPM_DEVICE_OPTICAL;
	err = ssdpm__join(path, device->path, "id");
	if (!err)
		err = ssdpm__read_text(device->machine, path, text,
				       sizeof(text));
	ssdpm__note_failure(device, err);
	if (err || !ssdpm__sata_parse_words(text, words)) {
		facts->devices_without_hipm++;
		return;
	}
	if (words[WORD_SATA] == 0xffff || !(words[WORD_SATA] & SATA_HIPM))
		facts->devices_without_hipm++;
	if (!is_ours)
		return;
	copy_words(words + WORD_MODEL, N_WORDS_MODEL, facts->product);
	copy_words(words + WORD_FIRMWARE, N_WORDS_FIRMWARE, facts->firmware);
}

/* The device of libata that the disk is. */
static void name_device(const struct sata_place *place, bool behind_multiplier,
			char name[32])
{
	if (behind_multiplier)
		snprintf(name, 32, "dev%u.%u.0", place->ata_port,
			 place->channel);
	else
		snprintf(name, 32, "dev%u.%u", place->ata_port, place->id);
}

/* A link: that of the host, linkP, or one of a port multiplier, linkP.C. */
static void read_ata_link(const struct sata_place *place, const char *link,
			  struct directory *at,
			  struct ssdpm_device_facts *facts)
{
	char path[SSDPM__PATH_BYTES], device[2 * SSDPM__PATH_BYTES], ours[32];
	const bool behind_multiplier = strchr(link, '.') != NULL;
	struct names names;
	int err;

	if (behind_multiplier)
		facts->flags |= SSDPM_DEVICE_SHARED_PORT;
	err = ssdpm__join(path, place->port, link);
	if (!err)
		err = ssdpm__list_names(at->machine, path, &names);
	if (err) {
		ssdpm__note_failure(at, err);
		return;
	}
	name_device(place, behind_multiplier, ours);
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.names[i];

		if (strncmp(name, "dev", 3))
			continue;
		err = snprintf(device, sizeof(device), "%s/%s/ata_device/%s",
			       path, name, name);
		if (err >= SSDPM__PATH_BYTES)
			continue;
		at->path = device;
		read_ata_device(at, !strcmp(name, ours), facts);
	}
	ssdpm__free_names(&names);
}

static int read_ata_devices(const struct sata_place *place,
			    const struct ssdpm_machine *machine,
			    struct ssdpm_device_facts *facts)
{
	struct directory at = { .machine = machine };
	struct names names;
	int err;

	err = ssdpm__list_names(machine, place->port, &names);
	if (err)
		return err;
	for (size_t i = 0; i < names.n; i++)
		if (!strncmp(names.names[i], "link", 4))
			read_ata_link(place, names.names[i], &at, facts);
	ssdpm__free_names(&names);
	return at.err;
}

static void read_register(struct directory *host, const char *name,
			  uint32_t fact, uint32_t *value,
			  struct ssdpm_device_facts *facts)
{
	uint64_t bits;

	if (!ssdpm__get_number(host, name, 16, UINT32_MAX, &bits))
		return;
	*value = (uint32_t)bits;
	facts->known |= fact;
}

static void read_lpm(struct directory *host, struct ssdpm_device_facts *facts)
{
	static const char file[] = "link_power_management_policy";
	char text[sizeof(facts->lpm_word)] = "";
	uint64_t supported;

	if (ssdpm__get_text(host, file, text, sizeof(text)))
		facts->lpm = ssdpm_lpm_from_string(text);
	else if (!ssdpm__has(host, file))
		facts->reach = SSDPM_REACH_NO_LPM;
	if (facts->lpm)
		facts->known |= SSDPM_FACT_LPM;
	else
		snprintf(facts->lpm_word, sizeof(facts->lpm_word), "%s", text);
	if (!ssdpm__get_number(host, "link_power_management_supported", 10, 1,
			       &supported))
		return;
	facts->lpm_supported = (uint32_t)supported;
	facts->known |= SSDPM_FACT_LPM_SUPPORTED;
}

/*
 * Linux wakes an adapter that it has suspended to read PxCMD, and a reset of
 * its ports with it, which may wake their disks.
 */
static void read_host(struct directory *host, bool is_suspended,
		      struct ssdpm_device_facts *facts)
{
	read_lpm(host, facts);
	if (is_suspended)
		return;
	read_register(host, "ahci_port_cmd", SSDPM_FACT_AHCI_PORT_CMD,
		      &facts->ahci_port_cmd, facts);
	if (!(facts->known & SSDPM_FACT_AHCI_PORT_CMD))
		return;
	read_register(host, "ahci_host_caps", SSDPM_FACT_AHCI_HOST_CAPS,
		      &facts->ahci_host_caps, facts);
	read_register(host, "ahci_host_cap2", SSDPM_FACT_AHCI_HOST_CAP2,
		      &facts->ahci_host_cap2, facts);
	if (facts->ahci_port_cmd & CMD_HPCP)
		facts->flags |= SSDPM_DEVICE_HOT_PLUG;
	if ((facts->ahci_port_cmd & CMD_ESP) &&
	    (facts->ahci_host_caps & CAP_SXS))
		facts->flags |= SSDPM_DEVICE_EXTERNAL;
}

static void read_disk(struct directory *disk, struct ssdpm_device_facts *facts)
{
	uint64_t yes;

	ssdpm__get_text(disk, "device/state", facts->state,
			sizeof(facts->state));
	if (ssdpm__get_number(disk, "queue/rotational", 10, 1, &yes) && yes)
		facts->flags |= SSDPM_DEVICE_ROTATIONAL;
	if (ssdpm__get_number(disk, "removable", 10, 1, &yes) && yes)
		facts->flags |= SSDPM_DEVICE_REMOVABLE;
	/* IDENTIFY has all of the name, INQUIRY 16 characters. */
	if (!facts->product[0])
		ssdpm__get_text(disk, "device/model", facts->product,
				sizeof(facts->product));
	if (!facts->firmware[0])
		ssdpm__get_text(disk, "device/rev", facts->firmware,
				sizeof(facts->firmware));
}

/* The masks of ahci count from 0, this file from 1. */
static void read_port_number(const struct sata_place *place,
			     struct directory *port,
			     struct ssdpm_device_facts *facts)
{
	enum { MAX_PORTS = 32 };
	char file[64];
	uint64_t number;

	snprintf(file, sizeof(file), "ata_port/ata%u/port_no", place->ata_port);
	if (!ssdpm__get_number(port, file, 10, MAX_PORTS, &number) || !number)
		return;
	facts->port = (uint32_t)number - 1;
	facts->known |= SSDPM_FACT_PORT;
}

static int read_port(const struct sata_place *place,
		     const struct ssdpm_machine *machine, bool is_disk,
		     struct ssdpm_device_facts *facts)
{
	struct directory at = { .machine = machine };
	const char *address = ssdpm__last_component(place->adapter);
	bool is_suspended;
	int err;

	facts->kind = SSDPM_KIND_SATA;
	facts->reach = SSDPM_REACH_YES;
	facts->host = place->host_number;
	facts->ata_port = place->ata_port;
	ssdpm__span_copy(ssdpm__span(address, strlen(address)), facts->address,
			 sizeof(facts->address));
	err = read_ata_devices(place, machine, facts);
	if (err)
		return err;
	if (is_disk && !facts->n_devices)
		facts->n_devices = 1;
	at.path = place->port;
	read_port_number(place, &at, facts);
	at.path = place->adapter;
	is_suspended = ssdpm__is_suspended(&at, "power/runtime_status");
	at.path = place->host;
	read_host(&at, is_suspended, facts);
	if (!is_disk) {
		ssdpm__get_text(&at, "state", facts->state,
				sizeof(facts->state));
		if (!facts->n_devices)
			facts->flags |= SSDPM_DEVICE_EMPTY;
	}
	at.path = place->adapter;
	ssdpm__read_adapter(&at, facts);
	return at.err;
}

static uint32_t find_reach(const char *path)
{
	struct span rest = ssdpm__span(path, strlen(path));
	uint32_t number;

	while (rest.at < rest.end) {
		const struct span component = take_component(&rest);

		if (is_component(component, "usb", &number))
			return SSDPM_REACH_USB;
		if (ssdpm__span_contains(component, "end_device-"))
			return SSDPM_REACH_SAS;
	}
	return SSDPM_REACH_RAID;
}

/* A disk that libata does not know. */
static int read_distant_disk(const struct ssdpm_machine *machine,
			     struct ssdpm_device_facts *facts)
{
	struct directory disk = { .machine = machine, .path = facts->path + 1 };
	char vendor[16];

	facts->reach = find_reach(disk.path);
	/* Other SAS adapters have no transport class: the disk has the word. */
	if (facts->reach == SSDPM_REACH_RAID &&
	    ssdpm__has(&disk, "device/sas_address"))
		facts->reach = SSDPM_REACH_SAS;
	/* A translator for an ATA disk reports itself (SAT-5, 10.1.2). */
	if (ssdpm__get_text(&disk, "device/vendor", vendor, sizeof(vendor)) &&
	    !strcmp(vendor, "ATA"))
		facts->kind = SSDPM_KIND_SATA;
	read_disk(&disk, facts);
	return disk.err;
}

static int read_all_facts(const struct ssdpm_machine *machine, bool is_disk,
			  struct ssdpm_device_facts *facts)
{
	struct directory disk = { .machine = machine, .path = facts->path + 1 };
	struct sata_place place;
	int err;

	if (!find_place(disk.path, &place))
		return is_disk ? read_distant_disk(machine, facts) : -ENODEV;
	err = read_port(&place, machine, is_disk, facts);
	if (err || !is_disk)
		return err;
	read_disk(&disk, facts);
	return disk.err;
}

int ssdpm__sata_read_facts(const struct ssdpm_machine *machine,
			   const char *name, struct ssdpm_device_facts *facts)
{
	uint32_t number;
	const bool is_disk = !ssdpm__is_numbered(name, "host", &number);
	int err;

	err = ssdpm__find_path(machine,
			       is_disk ? "sys/block" : "sys/class/scsi_host",
			       name, facts);
	if (!err)
		err = read_all_facts(machine, is_disk, facts);
	if (err)
		return err;
	return ssdpm__find(machine, facts->path + 1);
}

bool ssdpm__sata_find_host(const struct ssdpm_device_facts *facts,
			   char ret_path[SSDPM__PATH_BYTES])
{
	struct sata_place place;

	if (facts->path[0] != '/' || !find_place(facts->path + 1, &place))
		return false;
	snprintf(ret_path, SSDPM__PATH_BYTES, "%s", place.host);
	return true;
}

int ssdpm__sata_read_id(const struct ssdpm_machine *machine,
			const struct ssdpm_device_facts *facts,
			char text[SSDPM__TEXT_BYTES])
{
	const bool behind_multiplier = facts->flags & SSDPM_DEVICE_SHARED_PORT;
	char path[2 * SSDPM__PATH_BYTES], name[32], link[32];
	struct sata_place place;

	if (!find_place(facts->path + 1, &place))
		return -ENOENT;
	name_device(&place, behind_multiplier, name);
	if (behind_multiplier)
		snprintf(link, sizeof(link), "link%u.%u", place.ata_port,
			 place.channel);
	else
		snprintf(link, sizeof(link), "link%u", place.ata_port);
	if (snprintf(path, sizeof(path), "%s/%s/%s/ata_device/%s/id",
		     place.port, link, name, name) >= SSDPM__PATH_BYTES)
		return -ENAMETOOLONG;
	return ssdpm__read_text(machine, path, text, SSDPM__TEXT_BYTES);
}
