/* SPDX-License-Identifier: MIT */
/*
 * Limits that Linux keeps until the boot. After errors libata lowers the speed
 * of a link and the transfer mode, and does without NCQ: ata_eh_speed_down() in
 * drivers/ata/libata-eh.c. A later trial may be good though its settings fail.
 * ata_eh_set_lpm() there gives up LPM, and pcie_failed_link_retrain() in
 * drivers/pci/quirks.c slows a PCIe link down.
 */
#include "bisect/bisect-log.h"

#include <stdlib.h>
#include <string.h>

static bool read_file_of(const struct search *search, const char *path,
			 char *ret, size_t size)
{
	return !ssdpm_machine_read_attribute(search->live->machine, path, ret,
					     size, NULL);
}

static bool has_past_fault(const struct search *search, size_t drive,
			   uint32_t fault)
{
	struct fault_sign sign;
	uint32_t faults;

	find_past_faults(search, drive, 0, &faults, &sign);
	return faults & 1U << fault;
}

static bool read_file_of_pcie(const struct search *search,
			      const struct ssdpm_device_facts *facts,
			      const char *name, char *text, size_t size)
{
	return read_file_of(search,
			    cell("%s/device/%s", facts->path + 1, name).text,
			    text, size);
}

/* "8.0 GT/s PCIe x4" */
static struct cell speed_of_pcie(const struct search *search,
				 const struct ssdpm_device_facts *facts)
{
	char speed[32], width[16];

	if (!read_file_of_pcie(search, facts, "current_link_speed", speed,
			       sizeof(speed)) ||
	    !read_file_of_pcie(search, facts, "current_link_width", width,
			       sizeof(width)))
		return cell("%s", "");
	return cell("%s x%s", speed, width);
}

static struct cell speed_of_port(const struct search *search, uint32_t port)
{
	char speed[32];

	if (!port ||
	    !read_file_of(search,
			  cell("sys/class/ata_link/link%u/sata_spd", port).text,
			  speed, sizeof(speed)))
		return cell("%s", "");
	return cell("%s", speed);
}

struct cell find_speed(const struct search *search, size_t drive)
{
	struct ssdpm_device *device =
		read_searched(search, &search->drives[drive]);
	struct cell speed = cell("%s", "");

	if (device) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(device);

		speed = facts->kind == SSDPM_KIND_NVME ?
				speed_of_pcie(search, facts) :
				speed_of_port(search, facts->ata_port);
	}
	ssdpm_device_unref(device);
	return speed;
}

/* "": it is as it was after the boot, or unknown. */
static struct cell limit_of_pcie(const struct search *search, size_t drive,
				 const struct ssdpm_device_facts *facts)
{
	static const char slow[] = "2.5 GT/s PCIe";
	char now[32], most[32];

	if (facts->kind != SSDPM_KIND_NVME ||
	    !read_file_of_pcie(search, facts, "current_link_speed", now,
			       sizeof(now)) ||
	    !read_file_of_pcie(search, facts, "max_link_speed", most,
			       sizeof(most)) ||
	    strcmp(now, slow) != 0 || !strcmp(most, slow) ||
	    !has_past_fault(search, drive, SSDPM_FAULT_SLOWED))
		return cell("%s", "");
	return cell("the link to %s", now);
}

/* Likewise, of a SATA drive. */
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

static bool searches(const struct search *search, const char *drive,
		     uint32_t setting)
{
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++)
		if (setting_of(search, i) == setting &&
		    (!drive || !strcmp(drive_of(search, i)->name, drive)))
			return true;
	return false;
}

bool is_lpm_lost(const struct search *search, size_t drive)
{
	return searches(search, search->drives[drive].name, SSDPM_BISECT_LPM) &&
	       has_past_fault(search, drive, SSDPM_FAULT_LPM_OFF);
}

struct cell find_limit(const struct search *search, size_t drive)
{
	const char *name = search->drives[drive].name;
	struct ssdpm_device *device =
		read_searched(search, &search->drives[drive]);
	struct cell limit = cell("%s", "");

	if (is_lpm_lost(search, drive))
		limit = cell("%s: %s", name,
			     lost_setting_text(SSDPM_FAULT_LPM_OFF));
	if (device && !limit.text[0]) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(device);

		limit = facts->ata_port ?
				limit_of_port(search, facts->ata_port) :
				limit_of_pcie(search, drive, facts);
		if (limit.text[0])
			limit = cell("%s: after errors Linux has limited "
				     "%.100s, until the next boot",
				     name, limit.text);
	}
	ssdpm_device_unref(device);
	return limit;
}

bool searches_queue(const struct search *search)
{
	return searches(search, NULL, SSDPM_BISECT_QUEUE_DEPTH);
}
