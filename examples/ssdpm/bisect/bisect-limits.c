/* SPDX-License-Identifier: MIT */
/*
 * Limits that Linux keeps until the boot. After errors libata lowers the speed
 * of a link and the transfer mode, and does without NCQ: ata_eh_speed_down() in
 * drivers/ata/libata-eh.c. A later trial may be good though its settings fail.
 */
#include "bisect/bisect.h"

#include <stdlib.h>
#include <string.h>

static bool read_file_of(const struct search *search, const char *path,
			 char *ret, size_t size)
{
	return !ssdpm_machine_read_attribute(search->live->machine, path, ret,
					     size, NULL);
}

/* "": it is as it was after the boot, or unknown. */
static struct cell limit_of_port(const struct search *search, uint32_t port)
{
	char now[32], most[32], count[16];
	char path[96];

	snprintf(path, sizeof(path), "sys/class/ata_link/link%u/", port);
	if (read_file_of(search, cell("%ssata_spd_limit", path).text, now,
			 sizeof(now)) &&
	    read_file_of(search, cell("%shw_sata_spd_limit", path).text, most,
			 sizeof(most)) &&
	    strcmp(now, most) != 0)
		return cell("the link to %s", now);
	snprintf(path, sizeof(path), "sys/class/ata_device/dev%u.0/spdn_cnt",
		 port);
	if (read_file_of(search, path, count, sizeof(count)) &&
	    strtoul(count, NULL, 10))
		return cell("%s", "the transfer mode");
	return cell("%s", "");
}

struct cell find_limit(const struct search *search, size_t drive)
{
	struct ssdpm_device *device =
		read_searched(search, &search->drives[drive]);
	const uint32_t port =
		device ? ssdpm_device_get_facts(device)->ata_port : 0;
	const struct cell limit =
		port ? limit_of_port(search, port) : cell("%s", "");

	ssdpm_device_unref(device);
	if (!limit.text[0])
		return limit;
	return cell("%s: after errors Linux has limited %.100s, until the next "
		    "boot",
		    search->drives[drive].name, limit.text);
}

bool searches_queue(const struct search *search)
{
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++)
		if (setting_of(search, i) == SSDPM_BISECT_QUEUE_DEPTH)
			return true;
	return false;
}
