/* SPDX-License-Identifier: MIT */
/* NVMe drives that Linux does not see: behind Intel's RST and VMD. */
#include "device/internal.h"

#include <errno.h>
#include <string.h>

enum {
	INTEL = 0x8086,
	/* PCI classes without their last byte. VMD is RAID, as RST may be. */
	CLASS_RAID = 0x0104,
	CLASS_SATA = 0x0106,
	RST_DESKTOP = 0x2822,
	RST_MOBILE = 0x282a,
};

/* What does it hide? enum ssdpm_reach, or 0: nothing. */
static uint32_t find_reach(struct directory *pci,
			   struct ssdpm_device_facts *facts)
{
	uint64_t class, n;

	if (!ssdpm__get_number(pci, "class", 0, 0xffffff, &class))
		return 0;
	class >>= 8;
	if (class != CLASS_RAID && class != CLASS_SATA)
		return 0;
	ssdpm__read_adapter(pci, facts);
	if (ssdpm__get_number(pci, "remapped_nvme", 10, UINT32_MAX, &n)) {
		facts->n_devices = (uint32_t)n;
		return n ? SSDPM_REACH_REMAPPED : 0;
	}
	/* A VMD without a driver: all that is behind it is out of sight. */
	if (class == CLASS_RAID && facts->pci_vendor_id == INTEL &&
	    !facts->driver[0] && facts->pci_device_id != RST_DESKTOP &&
	    facts->pci_device_id != RST_MOBILE)
		return SSDPM_REACH_VMD;
	return 0;
}

int ssdpm__hidden_read_facts(const struct ssdpm_machine *machine,
			     const char *path, struct ssdpm_device_facts *facts)
{
	struct directory pci = { .machine = machine, .path = path };
	const char *address = ssdpm__last_component(path);

	memset(facts, 0, sizeof(*facts));
	if (strlen(path) >= sizeof(facts->path) - 1 ||
	    strlen(address) >= sizeof(facts->name))
		return -ENAMETOOLONG;
	facts->path[0] = '/';
	strcpy(facts->path + 1, path);
	strcpy(facts->name, address);
	strcpy(facts->address, address);
	facts->kind = SSDPM_KIND_NVME;
	facts->reach = find_reach(&pci, facts);
	if (pci.err)
		return pci.err;
	return facts->reach ? 0 : -ENODEV;
}
