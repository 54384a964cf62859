/* SPDX-License-Identifier: MIT */
/* Drives that are there and cannot be read: the same words in each command. */
#include "input/live.h"

#include <ctype.h>
#include <string.h>

static const struct ssdpm_profile_settings nothing = {
	.size = sizeof(struct ssdpm_profile_settings),
};

/* The drives that a list of devices leaves out. */
struct unread {
	struct ssdpm_device **devices;
	size_t n;
	struct ssdpm_report *report;
};

const char *cause_without_name(const char *name, const char *cause)
{
	const size_t n = strlen(name);

	return strncmp(cause, name, n) || strncmp(cause + n, ": ", 2) ?
		       cause :
		       cause + n + 2;
}

bool begins_as_unread(const char *cause)
{
	return !strncmp(cause, "cannot read", strlen("cannot read"));
}

enum exit_status say_unread(const struct live *live, const char *name, int code,
			    const char *cause)
{
	const enum exit_status status = status_of_error(code);

	cause = cause_without_name(name, cause);
	complain("%s: %s%s; %s", name,
		 begins_as_unread(cause) ? "" : "it cannot be read: ", cause,
		 status == STATUS_NO_PRIVILEGES ? "root may read it" :
		 live->root			? "a new capture may have it" :
						  "dmesg may say why");
	return status;
}

static void free_unread(struct unread *unread)
{
	ssdpm_report_free(unread->report);
	ssdpm_device_list_free(unread->devices, unread->n);
}

/* Without a list there is no drive, and who wanted it has complained. */
static struct unread read_unread(const struct live *live)
{
	struct unread unread = { 0 };

	if (ssdpm_device_list_read(live->machine, &unread.devices, &unread.n,
				   NULL) ||
	    ssdpm_report_new(live->machine, &nothing, &unread.report, NULL)) {
		free_unread(&unread);
		return (struct unread){ 0 };
	}
	return unread;
}

static bool is_listed(const struct unread *unread, const char *name)
{
	for (size_t i = 0; i < unread->n; i++)
		if (!strcmp(ssdpm_device_get_facts(unread->devices[i])->name,
			    name))
			return true;
	return false;
}

/* The next of them from *at on; false: there is none. */
static bool next_unread(const struct unread *unread, size_t *at,
			struct ssdpm_report_item *ret_item)
{
	ret_item->size = sizeof(*ret_item);
	while (unread->report &&
	       !ssdpm_report_get_item(unread->report, (*at)++, ret_item))
		if (ret_item->error && !is_listed(unread, ret_item->name))
			return true;
	return false;
}

static bool is_nvme(const char *name)
{
	return !strncmp(name, "nvme", 4);
}

/* "nvme9", "/dev/nvme9n1", "sda1" */
static bool names_part_of(const char *operand, const char *name)
{
	const size_t n = strlen(name);
	const char *rest;

	if (!strncmp(operand, "/dev/", 5))
		operand += 5;
	if (strncmp(operand, name, n))
		return false;
	rest = operand + n;
	return !*rest || (is_nvme(name) ? *rest == 'n' :
					  isdigit((unsigned char)*rest) != 0);
}

enum exit_status complain_if_unread(const struct live *live,
				    const char *operand)
{
	struct unread unread = read_unread(live);
	enum exit_status status = STATUS_DONE;
	struct ssdpm_report_item item;
	bool found = false;
	size_t at = 0;

	while (!found && next_unread(&unread, &at, &item))
		found = names_part_of(operand, item.name);
	if (found)
		status = say_unread(live, item.name, item.error, item.message);
	free_unread(&unread);
	return status;
}

enum exit_status complain_of_unread_drives(const struct common *common,
					   const struct live *live,
					   uint32_t kinds)
{
	struct unread unread = read_unread(live);
	enum exit_status status = STATUS_DONE, one;
	struct ssdpm_report_item item;
	size_t at = 0;

	while (next_unread(&unread, &at, &item)) {
		const uint32_t kind =
			is_nvme(item.name) ? SSDPM_KIND_NVME : SSDPM_KIND_SATA;

		if (!(kinds >> kind & 1))
			continue;
		one = say_unread(live, item.name, item.error, item.message);
		keep_failed_drive(common, item.name, SIZE_MAX, one);
		status = status ? status : one;
	}
	free_unread(&unread);
	return status;
}

/* A machine that was opened for drives that were named. */
static bool is_for_names(const struct common *common, const struct live *live,
			 size_t n_operands)
{
	if (!n_operands || !live->root || !common->root)
		return n_operands && live->root == common->root;
	return !strcmp(live->root, common->root);
}

enum exit_status complain_of_all_unread(const struct common *common,
					const struct drives *drives,
					size_t n_operands)
{
	enum exit_status status = STATUS_DONE, one;

	for (size_t i = 0; i < drives->n_lives; i++) {
		if (is_for_names(common, drives->lives[i], n_operands))
			continue;
		one = complain_of_unread_drives(common, drives->lives[i],
						UINT32_MAX);
		status = status ? status : one;
	}
	return status;
}
