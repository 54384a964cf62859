/* SPDX-License-Identifier: MIT */
/*
 * Power states that last. A controller forgets its state whenever it starts.
 * Since Linux 5.18 a uevent says so: nvme_start_ctrl() sends
 * NVME_EVENT=connected at boot, after a reset, and after a suspend that shut it
 * down.
 */
#include "apply/persist/persist.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_HINT = 7, MAX_ADDRESS = 16 };

static bool is_text(const char *text, size_t size)
{
	size_t n = strnlen(text, size);

	return n && n < size;
}

/* "0000:01:00.0": it goes into a path, too. */
static bool is_pci(const char *address)
{
	static const char form[] = "xxxx:xx:xx.x";

	if (strlen(address) < sizeof(form) - 1 || strlen(address) > MAX_ADDRESS)
		return false;
	for (size_t i = 0; address[i]; i++)
		if (!strchr("0123456789abcdef:.", address[i]))
			return false;
	return true;
}

static int check_power(const struct ssdpm_persist_power *power,
		       struct ssdpm_error *reterr)
{
	const uint32_t all = SSDPM_PERSIST_POWER_STATE | SSDPM_PERSIST_NOPP;

	if (!power->set || (power->set & ~all))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "powers: set: no bits, or unknown ones");
	if (!is_text(power->address, sizeof(power->address)) ||
	    !is_text(power->product, sizeof(power->product)) ||
	    !is_pci(power->address))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "powers: address and product: those of an "
				   "NVMe drive of this machine, of a PCI "
				   "device");
	if (power->power_state >= SSDPM_MAX_STATES ||
	    power->workload_hint > MAX_HINT || power->nopp > 1)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "powers: PS%u, hint %u, nopp %u: one of "
				   "them cannot be",
				   power->power_state, power->workload_hint,
				   power->nopp);
	return 0;
}

int ssdpm__check_powers(const struct lasting *kept, struct ssdpm_error *reterr)
{
	int err = 0;

	if (!kept->n_powers)
		return 0;
	if (!kept->powers || kept->n_powers > SSDPM_MAX_PERSIST_POWERS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "powers: 1 to %d, and not %zu",
				   SSDPM_MAX_PERSIST_POWERS, kept->n_powers);
	if (kept->kind != SSDPM_PERSIST_UDEV &&
	    kept->kind != SSDPM_PERSIST_SYSTEMD)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s cannot set a power state again after a "
				   "reset: udev and systemd can",
				   ssdpm_persist_kind_to_string(kept->kind));
	for (size_t i = 0; !err && i < kept->n_powers; i++)
		err = check_power(&kept->powers[i], reterr);
	return err;
}

static void put_options(struct text *text,
			const struct ssdpm_persist_power *power)
{
	const char *before = "";

	if (power->set & SSDPM_PERSIST_POWER_STATE) {
		ssdpm__put(text, "--power-state %u --workload-hint %u",
			   power->power_state, power->workload_hint);
		before = " ";
	}
	if (power->set & SSDPM_PERSIST_NOPP)
		ssdpm__put(text, "%s--nopp %s", before,
			   power->nopp ? "on" : "off");
}

/* A pattern of udev: what it could take for more than itself is any letter. */
static void put_pattern(struct text *text, const char *product)
{
	for (const char *c = product; *c; c++)
		ssdpm__put(text, "%c",
			   (*c >= 'a' && *c <= 'z') ||
					   (*c >= 'A' && *c <= 'Z') ||
					   (*c >= '0' && *c <= '9') ||
					   strchr(" ._-+/", *c) ?
				   *c :
				   '?');
}

void ssdpm__put_power_rules(struct text *text, const struct lasting *kept)
{
	if (!kept->n_powers)
		return;
	ssdpm__put(text,
		   "\n# A controller that has started has forgotten its power "
		   "state: Linux 5.18 and\n# later say so at a reset and at a "
		   "resume, too.\n"
		   "ACTION==\"change\", SUBSYSTEM==\"nvme\", "
		   "ENV{NVME_EVENT}==\"connected\", \\\n"
		   "  GOTO=\"ssdpm_power\"\n"
		   "ACTION==\"add\", SUBSYSTEM==\"nvme\", "
		   "ATTR{state}==\"live\", GOTO=\"ssdpm_power\"\n"
		   "ACTION==\"add\", SUBSYSTEM==\"block\", "
		   "KERNEL==\"nvme*\", ENV{DEVTYPE}==\"disk\", \\\n"
		   "  GOTO=\"ssdpm_power\"\n"
		   "GOTO=\"ssdpm_power_end\"\n\n"
		   "LABEL=\"ssdpm_power\"\n");
	for (size_t i = 0; i < kept->n_powers; i++) {
		ssdpm__put(text, "ATTRS{address}==\"%s\", ATTRS{model}==\"",
			   kept->powers[i].address);
		put_pattern(text, kept->powers[i].product);
		ssdpm__put(text, "\", \\\n  ENV{.SSDPM_POWER}=\"");
		put_options(text, &kept->powers[i]);
		ssdpm__put(text, "\"\n");
	}
	ssdpm__put(text,
		   "ENV{.SSDPM_POWER}!=\"?*\", GOTO=\"ssdpm_power_end\"\n"
		   "TEST!=\"%s\", GOTO=\"ssdpm_power_end\"\n"
		   "TEST==\"/run/systemd/system\", \\\n"
		   "  RUN+=\"" SSDPM__SYSTEMD_RUN
		   " %s apply $env{.SSDPM_POWER} --quiet $kernel\"\n"
		   "TEST!=\"/run/systemd/system\", RUN+=\"%s apply "
		   "$env{.SSDPM_POWER} --quiet $kernel\"\n"
		   "LABEL=\"ssdpm_power_end\"\n",
		   kept->command, kept->command, kept->command);
}

/* By the link to its first namespace: a number is another drive's next time. */
void ssdpm__put_power_calls(struct text *text, const struct lasting *kept)
{
	for (size_t i = 0; i < kept->n_powers; i++) {
		ssdpm__put(text, "ExecStart=%s apply ", kept->command);
		put_options(text, &kept->powers[i]);
		ssdpm__put(text, " --quiet /dev/disk/by-path/pci-%s-nvme-1\n",
			   kept->powers[i].address);
	}
}
