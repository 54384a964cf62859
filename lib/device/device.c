/* SPDX-License-Identifier: MIT */
/* The device object, and what all kinds have in common. */
#include "device/internal.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int ssdpm__device_new(struct ssdpm_machine *machine,
		      const struct ssdpm_device_facts *facts,
		      struct ssdpm_device **ret_device,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_device *device = malloc(sizeof(*device));

	if (!device)
		return ssdpm__no_memory(reterr);
	device->references = 1;
	device->machine = ssdpm_machine_ref(machine);
	device->err = 0;
	device->facts = *facts;
	device->facts.size = sizeof(*facts);
	*ret_device = device;
	return 0;
}

struct ssdpm_device *ssdpm_device_ref(struct ssdpm_device *device)
{
	if (device)
		__atomic_add_fetch(&device->references, 1, __ATOMIC_RELAXED);
	return device;
}

struct ssdpm_device *ssdpm_device_unref(struct ssdpm_device *device)
{
	if (device &&
	    !__atomic_sub_fetch(&device->references, 1, __ATOMIC_ACQ_REL)) {
		ssdpm_machine_unref(device->machine);
		free(device);
	}
	return NULL;
}

const struct ssdpm_device_facts *ssdpm_device_get_facts(
	const struct ssdpm_device *device)
{
	return &device->facts;
}

int ssdpm__find_path(const struct ssdpm_machine *machine, const char *class,
		     const char *name, struct ssdpm_device_facts *facts)
{
	char path[SSDPM__PATH_BYTES];
	int err;

	memset(facts, 0, sizeof(*facts));
	if (strlen(name) >= sizeof(facts->name))
		return -ENAMETOOLONG;
	strcpy(facts->name, name);
	err = ssdpm__join(path, class, name);
	if (!err)
		err = ssdpm__real_path(machine, path, facts->path + 1,
				       sizeof(facts->path) - 1);
	if (err)
		return err;
	facts->path[0] = '/';
	return strcmp(ssdpm__last_component(facts->path), name) ? -ENODEV : 0;
}

bool ssdpm__is_numbered(const char *name, const char *prefix,
			uint32_t *ret_number)
{
	const size_t length = strlen(prefix);
	struct span span;
	uint64_t number;

	if (strncmp(name, prefix, length) || name[length] < '0' ||
	    name[length] > '9' || name[length + 1] == 'x')
		return false;
	span = ssdpm__span(name + length, strlen(name + length));
	if (!ssdpm__take_uint(&span, UINT32_MAX, &number) ||
	    span.at != span.end)
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

/* The files of the directory link/, in the order of enum ssdpm_pcie_feature. */
static const char link_files[][20] = {
	"link/clkpm",	   "link/l0s_aspm",  "link/l1_aspm",
	"link/l1_1_aspm",  "link/l1_2_aspm", "link/l1_1_pcipm",
	"link/l1_2_pcipm",
};

enum { N_LINK_FILES = sizeof(link_files) / sizeof(link_files[0]) };

const char *ssdpm__link_file(uint32_t feature)
{
	const uint32_t i = (uint32_t)__builtin_ctz(feature | 1u << 31);

	return i < N_LINK_FILES ? link_files[i] : NULL;
}

uint32_t ssdpm__link_feature(const char *name)
{
	for (size_t i = 0; i < N_LINK_FILES; i++)
		if (!strcmp(link_files[i] + strlen("link/"), name))
			return 1u << i;
	return 0;
}

/* Those that are there, and hold 1. */
static void read_link_features(struct directory *adapter,
			       struct ssdpm_device_facts *facts)
{
	uint64_t enabled;

	if (!ssdpm__has(adapter, "link"))
		return;
	facts->known |= SSDPM_FACT_PCIE;
	for (size_t i = 0; i < N_LINK_FILES; i++) {
		if (!ssdpm__get_number(adapter, link_files[i], 10, 1, &enabled))
			continue;
		facts->pcie_capable |= 1u << i;
		if (enabled)
			facts->pcie_enabled |= 1u << i;
	}
}

bool ssdpm__is_suspended(struct directory *directory, const char *name)
{
	char status[16];

	return ssdpm__get_text(directory, name, status, sizeof(status)) &&
	       !strncmp(status, "suspend", strlen("suspend"));
}

static void read_power(struct directory *adapter,
		       struct ssdpm_device_facts *facts)
{
	uint64_t allowed;

	ssdpm__get_text(adapter, "power_state", facts->pci_power_state,
			sizeof(facts->pci_power_state));
	if (!strcmp(facts->pci_power_state, "unknown"))
		facts->pci_power_state[0] = 0;
	if (ssdpm__get_text(adapter, "power/control", facts->runtime_pm,
			    sizeof(facts->runtime_pm)))
		facts->known |= SSDPM_FACT_RUNTIME_PM;
	if (!ssdpm__get_number(adapter, "d3cold_allowed", 10, 1, &allowed))
		return;
	facts->known |= SSDPM_FACT_D3COLD;
	if (allowed)
		facts->flags |= SSDPM_DEVICE_D3COLD_ALLOWED;
}

void ssdpm__read_adapter(struct directory *adapter,
			 struct ssdpm_device_facts *facts)
{
	uint64_t id;

	ssdpm__get_link(adapter, "driver", facts->driver,
			sizeof(facts->driver));
	/* A device that is not on a PCI bus has none of the rest. */
	if (!ssdpm__get_number(adapter, "vendor", 0, UINT16_MAX, &id))
		return;
	facts->pci_vendor_id = (uint16_t)id;
	if (ssdpm__get_number(adapter, "device", 0, UINT16_MAX, &id))
		facts->pci_device_id = (uint16_t)id;
	read_power(adapter, facts);
	read_link_features(adapter, facts);
}
