/* SPDX-License-Identifier: MIT */
/*
 * The text of a file of ssdpm.conf(5), on a machine with one drive. Each
 * resulting step has a line of it, and a fault has its line.
 */
#include "check.h"
#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NVME "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/"

static struct ssdpm_machine *machine;
static struct ssdpm_device *device;

static void end(void)
{
	ssdpm_device_unref(device);
	ssdpm_machine_unref(machine);
}

static void make_machine(void)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{ NVME "model", "Fixture SSD 256GB" },
		{ NVME "serial", "S1" },
		{ NVME "transport", "pcie" },
		{ NVME "address", "0000:01:00.0" },
		{ NVME "power/pm_qos_latency_tolerance_us", "100000" },
		{ "sys/module/nvme_core/parameters/apst_primary_timeout_ms",
		  "100" },
		{ "sys/class/nvme/x", "" },
		{ "etc/x", "" },
	};
	const struct ssdpm_machine_params params = { .size = sizeof(params),
						     .root = root };

	root_make();
	atexit(end);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		root_make_folders(files[i].path);
		root_put(files[i].path, files[i].text, strlen(files[i].text));
	}
	check(!symlinkat("../../../" NVME, root_fd, "sys/class/nvme/nvme0"),
	      "a link is made");
	check(!ssdpm_machine_new(&params, &machine, NULL) &&
		      !ssdpm_device_read(machine, "nvme0", &device, NULL),
	      "there is a drive");
}

static void check_plan(const struct ssdpm_intent *intent, uint32_t source,
		       const char *desktop)
{
	const struct ssdpm_intent_params params = {
		.size = sizeof(params),
		.power_source = source,
		.desktop_profile = desktop,
	};
	struct ssdpm_step step = { .size = sizeof(step) };
	struct ssdpm_plan *plan = NULL;

	check(!ssdpm_plan_new(machine, NULL, &plan, NULL), "there is a plan");
	check(!ssdpm_plan_add_intent(plan, device, NULL, intent, &params, NULL),
	      "what was read can be planned");
	/* Another step causes a table to be rebuilt. */
	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		check(step.kind == SSDPM_STEP_REBUILD ||
			      !strncmp(step.origin, "/etc/ssdpm.conf, line ",
				       22),
		      "each step has a line");
	check(!ssdpm_plan_count(plan, SSDPM_STEPS_ALL) ||
		      ssdpm_intent_get_flags(intent) & SSDPM_INTENT_SETS,
	      "what sets nothing has no steps");
	ssdpm_plan_free(plan);
}

int fuzz_intent(const uint8_t *data, size_t size)
{
	struct ssdpm_intent *intent = NULL;
	struct ssdpm_error error;
	int err;

	if (root_fd < 0)
		make_machine();
	root_put("etc/ssdpm.conf", data, size);
	err = ssdpm_intent_read(machine, &intent, &error);
	if (err) {
		check_error(err, &error);
		check(err == -E2BIG || error.line, "a fault has its line");
		return 0;
	}
	for (uint32_t source = 1; source <= 2; source++) {
		check_plan(intent, source, NULL);
		check_plan(intent, source, "power-saver");
	}
	ssdpm_intent_free(intent);
	return 0;
}
