/* SPDX-License-Identifier: MIT */
#include "text/remedy.h"

#include "text/shell.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A sentence for each remedy:
 * - $n is the device;
 * - $t is the target of the first change;
 * - $k is the name of its file;
 * - $v and $w are the values of the first and the second change;
 * - $l is the first value as --latency takes it;
 * - $s is the power state, and $d how long it takes to wake;
 * - $b are all parameters to boot with;
 * - $f is a file to write besides;
 * - $r is the parameter that must go besides.
 */
static const char *const sentences[] = {
	[SSDPM_REMEDY_IDENTIFY] = "run ssdpm show --identify as root",
	[SSDPM_REMEDY_LATENCY_LIMIT] =
		"ssdpm apply --latency $l $n, or echo $v > $t$r",
	[SSDPM_REMEDY_LATENCY_TOLERANCE] =
		"if a wait of $d does no harm: boot with$b (all drives)$f",
	[SSDPM_REMEDY_REBUILD_TABLE] =
		"a parameter has changed since or a program has sent a table; "
		"to have Linux build its own: echo $v > $t, echo $w > $t",
	[SSDPM_REMEDY_LEAVE_STATE_OUT] =
		"if resets go on without PS$s, it is not the cause; to leave "
		"it out: echo $v > $t",
	[SSDPM_REMEDY_LEAVE_QUIRK] =
		"leave it so: nvme_core.force_apst=1 would take it away from "
		"all drives",
	[SSDPM_REMEDY_REMOVE_FORCE_APST] =
		"remove $t from the kernel command line or /etc/modprobe.d",
	[SSDPM_REMEDY_LINK_FILE] =
		"ssdpm apply --link $k=on $n, which reads it again: a write "
		"that does nothing succeeds too",
	[SSDPM_REMEDY_ASPM_POLICY] =
		"ssdpm apply --aspm-policy $v, for all devices",
	[SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE] =
		"ssdpm apply --aspm-policy $v, for all devices, or switch ASPM "
		"on in the firmware setup",
	[SSDPM_REMEDY_BOOT_WITH_ASPM] =
		"if $t=off is on the kernel command line: boot without it; "
		"lspci -vv as root says what the link has on now",
	[SSDPM_REMEDY_ALLOW_D3COLD] =
		"ssdpm apply --d3cold on $n; find out who wrote 0, which is "
		"not what Linux starts with",
	[SSDPM_REMEDY_SIMPLE_SUSPEND] = "if it does not wake: boot with$b",
	[SSDPM_REMEDY_LPM] = "ssdpm lpm --set $v $n, or echo $v > $t",
	[SSDPM_REMEDY_LPM_OFF] = "ssdpm lpm --set $v $n",
	[SSDPM_REMEDY_LPM_FOR_GOOD] =
		"ssdpm lpm --set $v $n; what is there now cannot be restored "
		"without a reboot",
	[SSDPM_REMEDY_LPM_AGAIN] =
		"ssdpm lpm --set $v $n, and look for \"disabling LPM\" in dmesg",
	[SSDPM_REMEDY_LPM_CLEAR] =
		"write $v and then $w to $t, as ssdpm lpm --set does",
	[SSDPM_REMEDY_HOT_PLUG] = "for hot-plug: echo $v > $t, and rescan",
	[SSDPM_REMEDY_MOBILE_LPM] =
		"$t=$v on the kernel command line means med_power_with_dipm in "
		"any case",
	[SSDPM_REMEDY_MOBILE_LPM_CHIPSET] =
		"$t=$v on the kernel command line means med_power_with_dipm in "
		"any case, if the chipset is a mobile one",
	[SSDPM_REMEDY_PORT_MASK] =
		"if nothing is plugged in there at run time: boot with$b (of "
		"several ports, the sum of their masks), or switch hot-plug "
		"off in the firmware setup",
	[SSDPM_REMEDY_FIRMWARE_HOT_PLUG] =
		"switch hot-plug off for this port in the firmware setup",
	[SSDPM_REMEDY_KERNEL_LOG] =
		"dmesg | grep -i lpm says why: a quirk of the drive, of the "
		"adapter or of the firmware",
	[SSDPM_REMEDY_UPDATE_LINUX] =
		"update to Linux 6.19, or a stable release with its fixes for "
		"ATAPI and dummy ports",
	[SSDPM_REMEDY_MAINBOARD_PORT] =
		"connect it to a SATA port of the mainboard to manage its link",
	[SSDPM_REMEDY_FIRMWARE_NO_RAID] =
		"set the storage mode to AHCI instead of RST or RAID in the "
		"firmware setup",
	[SSDPM_REMEDY_FIRMWARE_NO_IDE] =
		"set the storage mode to AHCI instead of IDE in the firmware "
		"setup",
	[SSDPM_REMEDY_LOAD_VMD] =
		"load the module vmd, or switch VMD off in the firmware setup",
	[SSDPM_REMEDY_ADAPTER_TOOL] =
		"set power saving with the tool of the adapter's maker",
};

static void add(struct remedy_text *to, const char *text)
{
	const size_t length = strlen(to->text);

	snprintf(to->text + length, sizeof(to->text) - length, "%s", text);
}

static void add_number(struct remedy_text *to, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	add(to, text);
}

/* "100ms", "any" */
static void add_limit(struct remedy_text *to, const char *value)
{
	const unsigned long long us = strtoull(value, NULL, 10);
	const bool whole = us % 1000 == 0;

	if (strcmp(value, "any") != 0) {
		add_number(to, whole ? us / 1000 : us);
		add(to, whole ? "ms" : "us");
	} else {
		add(to, value);
	}
}

/* Adds the changes that write files, or those that boot with parameters. */
static void add_changes(struct remedy_text *to, const struct ssdpm_diagnosis *d,
			bool files)
{
	for (uint32_t i = 0; i < d->n_changes; i++) {
		const struct ssdpm_change *s = &d->changes[i];

		if ((s->target[0] == '/') != files)
			continue;
		add(to, files ? ", and echo " : " ");
		add(to, files ? s->value : s->target);
		add(to, files ? " > " : "=");
		add(to, files ? s->target : s->value);
	}
}

/* The limit that was found is what the parameter says. */
static void add_removal(struct remedy_text *to,
			const struct ssdpm_device_facts *facts,
			const struct ssdpm_diagnosis *d)
{
	if (d->n_changes < 2)
		return;
	add(to, ", and remove ");
	add(to, d->changes[1].target);
	add(to, "=");
	add_number(to, facts->latency_tolerance_us);
	add(to, " from the kernel command line or /etc/modprobe.d");
}

static void add_part(struct remedy_text *to, char part,
		     const struct ssdpm_device_facts *facts,
		     const struct ssdpm_diagnosis *d)
{
	switch (part) {
	case 'n':
		add(to, facts->name);
		break;
	case 't':
		add(to, d->changes[0].target);
		break;
	case 'k':
		add(to, strrchr(d->changes[0].target, '/') + 1);
		break;
	case 'v':
		add(to, d->changes[0].value);
		break;
	case 'w':
		add(to, d->changes[1].value);
		break;
	case 'l':
		add_limit(to, d->changes[0].value);
		break;
	case 's':
		add_number(to, d->state);
		break;
	case 'd':
		add(to, ssdpm_us_to_text(d->wait_us).text);
		break;
	case 'r':
		add_removal(to, facts, d);
		break;
	default:
		add_changes(to, d, part == 'f');
	}
}

struct remedy_text remedy_text(const struct ssdpm_device_facts *facts,
			       const struct ssdpm_diagnosis *diagnosis)
{
	struct remedy_text result = { "" };
	const char *at;

	if (!diagnosis->remedy ||
	    diagnosis->remedy >= sizeof(sentences) / sizeof(sentences[0]))
		return result;
	for (at = sentences[diagnosis->remedy]; *at; at++) {
		const char one[2] = { *at, 0 };

		if (*at == '$')
			add_part(&result, *++at, facts, diagnosis);
		else
			add(&result, one);
	}
	return result;
}

char *remedy_advice(const char *root, const struct ssdpm_device_facts *facts,
		    const struct ssdpm_diagnosis *diagnosis)
{
	const struct remedy_text words = remedy_text(facts, diagnosis);

	if (root && diagnosis->remedy == SSDPM_REMEDY_IDENTIFY)
		return strdup("make the capture anew on that machine: sudo "
			      "ssdpm capture --identify DIR");
	return advised_text(root, words.text);
}
