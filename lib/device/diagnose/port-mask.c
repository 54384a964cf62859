/* SPDX-License-Identifier: MIT */
/*
 * The parameter mask_port_ext of ahci, Linux 6.17 and later. It is a mask for
 * all adapters, "0x4", or one for each, "0000:00:17.0=0x4,0000:01:00.0=0x1".
 * The last one for an adapter counts. Bit n: port n counts as internal.
 */
#include "device/diagnose/diagnose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the next entry of a list. */
static size_t entry_length(const char *entry)
{
	return strcspn(entry, ",");
}

/* The mask of an entry "address=mask", or NULL: it is for another adapter. */
static const char *mask_of(const char *entry, const char *address)
{
	size_t n = strlen(address);

	if (strncmp(entry, address, n) != 0 || entry[n] != '=')
		return NULL;
	return entry + n + 1;
}

/* The last entry for this adapter, or NULL. */
static const char *find_entry(const char *list, const char *address)
{
	const char *found = NULL;

	while (*list) {
		if (mask_of(list, address))
			found = list;
		list += entry_length(list);
		list += *list == ',';
	}
	return found;
}

bool ssdpm__port_mask(const char *now, const char *address, uint32_t port,
		      char *ret_mask, size_t size)
{
	unsigned long bit = 1ul << (port & 31), mask;
	const char *entry;

	if (!now[0] || strcmp(now, "(null)") == 0) {
		snprintf(ret_mask, size, "%s=%#lx", address, bit);
		return true;
	}
	if (!strchr(now, '=')) {
		mask = strtoul(now, NULL, 0);
		snprintf(ret_mask, size, "%#lx", mask | bit);
		return !(mask & bit);
	}
	entry = find_entry(now, address);
	if (!entry) {
		snprintf(ret_mask, size, "%s,%s=%#lx", now, address, bit);
		return true;
	}
	mask = strtoul(mask_of(entry, address), NULL, 0);
	snprintf(ret_mask, size, "%.*s%s=%#lx%s", (int)(entry - now), now,
		 address, mask | bit, entry + entry_length(entry));
	return !(mask & bit);
}
