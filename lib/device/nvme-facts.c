/* SPDX-License-Identifier: MIT */
/* NVMe controllers: /sys/class/nvme/nvmeN. */
#include "device/internal.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

/* The names that Linux 7.2 and later give quirks that we have too. */
static uint32_t quirk_of(struct span name)
{
	static const struct {
		uint32_t quirk;
		char name[28];
	} quirks[] = {
		{ SSDPM_QUIRK_NO_APST, "no_apst" },
		{ SSDPM_QUIRK_NO_DEEPEST_PS, "no_deepest_ps" },
		{ SSDPM_QUIRK_SIMPLE_SUSPEND, "simple_suspend" },
		{ SSDPM_QUIRK_FORCE_NO_SIMPLE_SUSPEND,
		  "force_no_simple_suspend" },
	};

	for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++)
		if (ssdpm__span_is(name, quirks[i].name))
			return quirks[i].quirk;
	return 0;
}

static void read_quirks(struct directory *controller,
			struct ssdpm_device_facts *facts)
{
	char path[SSDPM__PATH_BYTES], text[SSDPM__TEXT_BYTES];
	struct lines lines = { 0 };
	struct span line;
	int err;

	err = ssdpm__join(path, controller->path, "quirks");
	if (!err)
		err = ssdpm__read_text(controller->machine, path, text,
				       sizeof(text));
	if (err) {
		ssdpm__note_failure(controller, err);
		return;
	}
	facts->known |= SSDPM_FACT_QUIRKS;
	lines.rest = ssdpm__span(text, strlen(text));
	while (ssdpm__next_line(&lines, &line))
		facts->kernel_quirks |= quirk_of(line);
}

/* "any" is no limit, and so is "auto": the kernel's default is a number. */
static void read_latency_tolerance(struct directory *controller,
				   struct ssdpm_device_facts *facts)
{
	char text[32];
	struct span span;
	uint64_t us;

	if (!ssdpm__has(controller, "power/pm_qos_latency_tolerance_us"))
		return;
	facts->flags |= SSDPM_DEVICE_LIMIT_UNREAD;
	if (!ssdpm__get_text(controller, "power/pm_qos_latency_tolerance_us",
			     text, sizeof(text)))
		return;
	span = ssdpm__span(text, strlen(text));
	if (!strcmp(text, "any") || !strcmp(text, "auto"))
		us = SSDPM_LATENCY_ANY;
	else if (!ssdpm__take_uint(&span, INT32_MAX, &us) ||
		 span.at != span.end)
		return;
	facts->latency_tolerance_us = us == INT32_MAX ? SSDPM_LATENCY_ANY : us;
	facts->known |= SSDPM_FACT_LATENCY_TOLERANCE;
	facts->flags &= ~(uint32_t)SSDPM_DEVICE_LIMIT_UNREAD;
}

/* A kernel without the file has its place among the devices all the same. */
static bool is_fabrics(const struct ssdpm_device_facts *facts)
{
	const char *transport = facts->transport;
	static const char transports[][8] = { "tcp", "rdma", "fc", "loop" };

	for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++)
		if (!strcmp(transport, transports[i]))
			return true;
	return !transport[0] && strstr(facts->path, "/virtual/nvme-fabrics/");
}

/* 0; -ENODEV: no file says that it is a controller. */
static int read_controller(struct directory *controller,
			   struct ssdpm_device_facts *facts)
{
	uint64_t count;

	ssdpm__get_text(controller, "model", facts->product,
			sizeof(facts->product));
	ssdpm__get_text(controller, "firmware_rev", facts->firmware,
			sizeof(facts->firmware));
	ssdpm__get_text(controller, "transport", facts->transport,
			sizeof(facts->transport));
	ssdpm__get_text(controller, "address", facts->address,
			sizeof(facts->address));
	ssdpm__get_text(controller, "state", facts->state,
			sizeof(facts->state));
	if (ssdpm__get_number(controller, "diag/reset_count", 10, UINT32_MAX,
			      &count)) {
		facts->reset_count = (uint32_t)count;
		facts->known |= SSDPM_FACT_RESET_COUNT;
	}
	read_quirks(controller, facts);
	read_latency_tolerance(controller, facts);
	return facts->product[0] || facts->state[0] || facts->transport[0] ?
		       0 :
		       -ENODEV;
}

int ssdpm__nvme_read_facts(const struct ssdpm_machine *machine,
			   const char *name, struct ssdpm_device_facts *facts)
{
	struct directory controller = { .machine = machine };
	char adapter[SSDPM__PATH_BYTES];
	int err;

	err = ssdpm__find_path(machine, "sys/class/nvme", name, facts);
	if (!err)
		err = ssdpm__join(adapter, facts->path + 1, "device");
	if (err)
		return err;
	facts->kind = SSDPM_KIND_NVME;
	facts->reach = SSDPM_REACH_YES;
	controller.path = facts->path + 1;
	err = read_controller(&controller, facts);
	if (is_fabrics(facts)) {
		facts->flags |= SSDPM_DEVICE_FABRICS;
	} else if (!err) {
		controller.path = adapter;
		ssdpm__read_adapter(&controller, facts);
		/* Only a device of a PCI bus has these numbers. */
		if (!facts->transport[0] && facts->pci_vendor_id)
			strcpy(facts->transport, "pcie");
	}
	if (controller.err)
		return controller.err;
	if (err)
		return err;
	return ssdpm__find(machine, facts->path + 1);
}
