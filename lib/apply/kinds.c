/* SPDX-License-Identifier: MIT */
/* The kinds of steps: a row of the table says all that is peculiar to one. */
#include "apply/internal.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PARAMETERS "sys/module/nvme_core/parameters/"

void ssdpm__parameter_path(uint32_t parameter, char path[SSDPM__TARGET_BYTES])
{
	snprintf(path, SSDPM__TARGET_BYTES, PARAMETERS "%s",
		 ssdpm_nvme_core_to_string(parameter));
}

bool ssdpm__tolerance_path(const struct ssdpm_device_facts *facts,
			   char path[SSDPM__TARGET_BYTES])
{
	if (facts->path[0] != '/')
		return false;
	snprintf(path, SSDPM__TARGET_BYTES,
		 "%s/power/pm_qos_latency_tolerance_us", facts->path + 1);
	return true;
}

uint32_t ssdpm__parameter_of(const char *path)
{
	const size_t n = strlen(PARAMETERS);
	uint32_t parameter;

	if (strncmp(path, PARAMETERS, n))
		return 0;
	parameter = ssdpm_nvme_core_from_string(path + n);
	if (parameter < SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS ||
	    parameter > SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US)
		return 0;
	return parameter;
}

uint32_t ssdpm__profile_of_parameter(const char *path)
{
	const uint32_t first = __builtin_ctz(SSDPM_PROFILE_PRIMARY_TIMEOUT);

	/* The settings and the parameters have one order. */
	return first + ssdpm__parameter_of(path) -
	       SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS;
}

static bool is_parameter(const char *path)
{
	return ssdpm__parameter_of(path);
}

static bool is_controller(const char *path)
{
	return !strncmp(path, "sys/devices/", 12) &&
	       !strncmp(strrchr(path, '/'), "/nvme", 5);
}

/* The rest of the path after the name of a device, or "". */
static const char *after_name(const char *path, const char *class,
			      const char *characters)
{
	const char *at = strstr(path, class);

	if (strncmp(path, "sys/devices/", 12) || !at)
		return "";
	at += strlen(class);
	return at + strspn(at, characters);
}

static bool is_link(const char *path)
{
	static const char folder[] = "/device/link/";
	const char *at = after_name(path, "/nvme/nvme", "0123456789");

	return !strncmp(at, folder, sizeof(folder) - 1) &&
	       ssdpm__link_feature(at + sizeof(folder) - 1);
}

static bool is_queue_depth(const char *path)
{
	return !strcmp(
		after_name(path, "/block/sd", "abcdefghijklmnopqrstuvwxyz"),
		"/device/queue_depth");
}

static bool is_d3cold(const char *path)
{
	return !strcmp(after_name(path, "/nvme/nvme", "0123456789"),
		       "/device/d3cold_allowed");
}

static bool is_aspm_policy(const char *path)
{
	return !strcmp(path, SSDPM__ASPM_POLICY);
}

static int put_value_back(const struct site *site, const struct change *change,
			  struct ssdpm_error *reterr)
{
	return ssdpm__write_value(site->machine, change->kind, change->path,
				  &change->before, reterr);
}

/* The value written on the way: one less than that before, or after. */
static bool is_other_tolerance(const struct change *change,
			       const struct value *value)
{
	const uint64_t us = value->is.max_exit_latency_us;

	return value->is_known &&
	       (us == ssdpm__other_value_us(&change->before) ||
		us == ssdpm__other_value_us(&change->after));
}

static int set_rebuild(const struct site *site, struct change *change,
		       struct ssdpm_error *reterr)
{
	return ssdpm__rebuild(site->machine, change->path, &change->after,
			      reterr);
}

/* The kernel's own table, where it does not take this one. */
static int put_table_back(const struct site *site, const struct change *change,
			  struct ssdpm_error *reterr)
{
	const struct step_kind *tolerance = ssdpm__kind(SSDPM_STEP_REBUILD);
	char path[SSDPM__TARGET_BYTES];
	struct value now;
	int err = put_value_back(site, change, reterr);

	if (err != -EACCES && err != -EPERM && err != -EOPNOTSUPP)
		return err;
	ssdpm__log(site->machine, SSDPM_LOG_WARNING,
		   "/%s: Linux takes no table: it builds its own",
		   change->path);
	snprintf(path, sizeof(path), "%s/power/pm_qos_latency_tolerance_us",
		 change->path);
	err = ssdpm__read_value(site->machine, tolerance, path, &now, reterr);
	if (err)
		return err;
	return ssdpm__rebuild(site->machine, path, &now, reterr);
}

static const struct step_kind step_kinds[] = {
	{
		.number = SSDPM_STEP_LATENCY_TOLERANCE,
		.word = "latency-tolerance",
		.role = ROLE_TOLERANCE,
		.flags = SSDPM_STEP_UNTIL_REBOOT,
		.rank = 1,
		.undo_rank = 2,
		.depth = 2,
		.file = "/pm_qos_latency_tolerance_us",
		.form = &ssdpm__tolerance_form,
		.is_between = is_other_tolerance,
	},
	{
		.number = SSDPM_STEP_NVME_CORE,
		.word = "nvme-core",
		.role = ROLE_PARAMETER,
		.flags = SSDPM_STEP_UNTIL_REBOOT | SSDPM_STEP_ALL_DRIVES,
		.rank = 0,
		.undo_rank = 1,
		.depth = -1,
		.is_target = is_parameter,
		.form = &ssdpm__parameter_form,
	},
	{
		.number = SSDPM_STEP_REBUILD,
		.word = "rebuild",
		.role = ROLE_TOLERANCE,
		.is_passing = true,
		.flags = SSDPM_STEP_UNTIL_REBOOT,
		.rank = 2,
		.undo_rank = 2,
		.depth = 2,
		.file = "/pm_qos_latency_tolerance_us",
		.form = &ssdpm__tolerance_form,
		.set = set_rebuild,
		.is_between = is_other_tolerance,
	},
	{
		.number = SSDPM_STEP_APST,
		.word = "apst",
		.target = "Set Features 0Ch",
		.role = ROLE_TABLE,
		.flags = SSDPM_STEP_UNTIL_RESET,
		.rank = 3,
		.undo_rank = 3,
		.is_target = is_controller,
		.form = &ssdpm__table_form,
		.command = &ssdpm__table_command,
		.put_back = put_table_back,
	},
	{
		.number = SSDPM_STEP_LPM,
		.word = "lpm",
		.has_tries = true,
		.flags = SSDPM_STEP_UNTIL_REBOOT,
		.rank = 4,
		.depth = 1,
		.file = "/link_power_management_policy",
		.form = &ssdpm__lpm_form,
		.set = ssdpm__set_port,
		.put_back = ssdpm__put_port_back,
		.is_between = ssdpm__is_port_between,
	},
	{
		.number = SSDPM_STEP_POWER_STATE,
		.word = "power-state",
		.target = "Set Features 02h",
		.flags = SSDPM_STEP_UNTIL_RESET,
		.rank = 4,
		.is_target = is_controller,
		.form = &ssdpm__power_state_form,
		.command = &ssdpm__power_state_command,
	},
	{
		.number = SSDPM_STEP_NOPP,
		.word = "nopp",
		.target = "Set Features 11h",
		.flags = SSDPM_STEP_UNTIL_RESET,
		.rank = 4,
		.is_target = is_controller,
		.form = &ssdpm__nopp_form,
		.command = &ssdpm__nopp_command,
	},
	{
		.number = SSDPM_STEP_PCIE_LINK,
		.word = "pcie-link",
		.flags = SSDPM_STEP_UNTIL_REBOOT,
		.rank = 4,
		.depth = 3,
		.is_target = is_link,
		.form = &ssdpm__link_form,
	},
	{
		.number = SSDPM_STEP_QUEUE_DEPTH,
		.word = "queue-depth",
		.flags = SSDPM_STEP_UNTIL_REBOOT,
		.rank = 4,
		.depth = 2,
		.serial = "device/wwid",
		.is_target = is_queue_depth,
		.form = &ssdpm__queue_depth_form,
	},
	{
		.number = SSDPM_STEP_D3COLD,
		.word = "d3cold",
		.flags = SSDPM_STEP_UNTIL_REBOOT,
		.rank = 4,
		.depth = 2,
		.is_target = is_d3cold,
		.form = &ssdpm__d3cold_form,
	},
	{
		.number = SSDPM_STEP_ASPM_POLICY,
		.word = "aspm-policy",
		.flags = SSDPM_STEP_UNTIL_REBOOT | SSDPM_STEP_ALL_DRIVES,
		/* After the parameters, and before what a link may do. */
		.rank = 1,
		.depth = -1,
		.is_target = is_aspm_policy,
		.form = &ssdpm__aspm_policy_form,
	},
};

enum { N_KINDS = sizeof(step_kinds) / sizeof(step_kinds[0]) };

int ssdpm__set(const struct site *site, struct change *change,
	       struct ssdpm_error *reterr)
{
	if (change->kind->set)
		return change->kind->set(site, change, reterr);
	return ssdpm__write_value(site->machine, change->kind, change->path,
				  &change->after, reterr);
}

int ssdpm__put_back(const struct site *site, const struct change *change,
		    struct ssdpm_error *reterr)
{
	return change->kind->put_back ?
		       change->kind->put_back(site, change, reterr) :
		       put_value_back(site, change, reterr);
}

const struct step_kind *ssdpm__kind(uint32_t number)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (step_kinds[i].number == number)
			return &step_kinds[i];
	return NULL;
}

uint32_t ssdpm_step_kind_from_string(const char *word)
{
	for (size_t i = 0; word && i < N_KINDS; i++)
		if (!strcmp(step_kinds[i].word, word))
			return step_kinds[i].number;
	return 0;
}

bool ssdpm__is_tolerance_of(const struct change *change, const char *controller)
{
	size_t n = strlen(controller);

	return change->kind->role == ROLE_TOLERANCE &&
	       !strncmp(change->path, controller, n) &&
	       !strncmp(change->path + n, "/power/", 7);
}

/* The directory of the device that has the value; false: there is none. */
static bool device_path(const struct change *change,
			char path[SSDPM__TARGET_BYTES])
{
	snprintf(path, SSDPM__TARGET_BYTES, "%s", change->path);
	return change->kind->depth >= 0 &&
	       ssdpm__path_up(path, change->kind->depth);
}

void ssdpm__change_device(const struct change *change, char name[32])
{
	char path[SSDPM__TARGET_BYTES];

	snprintf(name, 32, "%.31s",
		 device_path(change, path) ? ssdpm__last_component(path) :
					     "all");
}

int ssdpm__read_serial(const struct ssdpm_machine *machine,
		       const struct change *change, uint64_t *ret_serial,
		       struct ssdpm_error *reterr)
{
	char path[SSDPM__TARGET_BYTES], file[SSDPM__PATH_BYTES];
	char serial[SSDPM__TEXT_BYTES];
	int err;

	*ret_serial = 0;
	if (change->kind->has_tries || !device_path(change, path) ||
	    ssdpm__join(file, path,
			change->kind->serial ? change->kind->serial : "serial"))
		return 0;
	err = ssdpm__read_text(machine, file, serial, sizeof(serial));
	if (err == -ENOMEM)
		return ssdpm__no_memory(reterr);
	if (!err && serial[0])
		*ret_serial = ssdpm__checksum(serial, strlen(serial));
	return 0;
}

bool ssdpm__is_another(const struct change *change, uint64_t serial)
{
	return change->serial && serial && change->serial != serial;
}

/* The device that has the file stays when the one in the path goes. */
const char *ssdpm__value_removal(const struct ssdpm_machine *machine,
				 const struct change *change)
{
	char path[SSDPM__TARGET_BYTES];
	int depth = change->kind->depth;

	if (ssdpm__value_file(change->path, path) != path)
		strcpy(path, change->path);
	else
		depth--;
	return depth >= 0 && ssdpm__path_up(path, depth) ?
		       ssdpm__removal(machine, path) :
		       NULL;
}

const char *ssdpm_step_kind_to_string(uint32_t kind)
{
	const struct step_kind *row = ssdpm__kind(kind);

	return row ? row->word : NULL;
}
