/* SPDX-License-Identifier: MIT */
#include "options/advised.h"

#include "input/live.h"

#include <stdlib.h>
#include <string.h>

#define MODULE "nvme_core."

struct changes find_changes(const struct drive *drive,
			    const struct ssdpm_apst_params *params)
{
	struct changes changes = { 0 };

	if (ssdpm_device_get_apst_changes(
		    drive->device, drive->live ? &drive->live->facts : NULL,
		    params, &changes.all, &changes.n, NULL))
		complain("out of memory");
	return changes;
}

const char *parameter_of(const struct ssdpm_change *change)
{
	return change->target[0] == '/' ? NULL :
					  change->target + strlen(MODULE);
}

void join_changes(const struct changes *changes, const char *prefix, char *text,
		  size_t size)
{
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; i < changes->n; i++) {
		const struct ssdpm_change *change = &changes->all[i];
		const char *name = parameter_of(change);

		if (name)
			n += (size_t)snprintf(text + n, size - n, "%s%s%s=%s",
					      n ? " " : "", prefix, name,
					      change->value);
	}
}

/* NULL: the drive is no device, or out of memory. */
static FILE *begin_apply(const struct drive *drive, char **ret_text,
			 size_t *ret_size)
{
	FILE *file = NULL;

	if (drive->device && drive->live)
		file = open_memstream(ret_text, ret_size);
	if (!file)
		return NULL;
	fputs("ssdpm apply", file);
	return file;
}

static char *end_apply(const struct drive *drive, FILE *file, char **text)
{
	write_word(file, ssdpm_device_get_facts(drive->device)->name);
	if (!fclose(file))
		return *text;
	free(*text);
	return NULL;
}

/* "any", "25ms", "2500us" */
static void write_latency(FILE *file, const char *us)
{
	const unsigned long long number = strtoull(us, NULL, 10);

	if (!strcmp(us, "any"))
		fputs(" --latency any", file);
	else if (number % 1000)
		fprintf(file, " --latency %lluus", number);
	else
		fprintf(file, " --latency %llums", number / 1000);
}

/* The files of parameters come first, the last file is the tolerance. */
char *apply_text(const struct drive *drive, const struct changes *changes)
{
	const char *us = NULL;
	size_t size;
	char *text;
	FILE *file = begin_apply(drive, &text, &size);

	if (!file)
		return NULL;
	write_root(file, drive->live->root);
	for (size_t i = 0; i < changes->n; i++) {
		const struct ssdpm_change *change = &changes->all[i];
		const char *name = strrchr(change->target, '/');

		if (name && !strncmp(change->target, "/sys/module/", 12))
			fprintf(file, " --nvme-core %s=%s", name + 1,
				change->value);
		else if (name && !strcmp(name, "/link_power_management_policy"))
			fprintf(file, " --lpm %s", change->value);
		else if (name)
			us = change->value;
	}
	if (us)
		write_latency(file, us);
	return end_apply(drive, file, &text);
}

static char *table_text(const struct drive *drive, const char *root,
			const char *path)
{
	size_t size;
	char *text;
	FILE *file = begin_apply(drive, &text, &size);

	if (!file)
		return NULL;
	write_root(file, root);
	fputs(" --apst", file);
	write_word(file, path ? path : "FILE");
	return end_apply(drive, file, &text);
}

char *apply_table_text(const struct drive *drive, const char *path)
{
	return table_text(drive, drive->live ? drive->live->root : NULL, path);
}

char *apply_table_there_text(const struct drive *drive, const char *path)
{
	return table_text(drive, NULL, path);
}

void print_sysfs(const struct drive *drive, const struct changes *changes)
{
	const bool is_link =
		ssdpm_model_get_info(drive->model)->kind == SSDPM_KIND_SATA;
	char *apply = apply_text(drive, changes);

	if (apply) {
		printf("  now, as root; ssdpm verifies it, and can revert it:\n"
		       "    %s\n",
		       apply);
		free(apply);
		return;
	}
	puts(is_link ? "  now, as root, for the port hostN of the drive:" :
		       "  now, as root, for the drive nvmeN (its limit twice: "
		       "only a change takes effect):");
	for (size_t i = 0; i < changes->n; i++)
		if (!parameter_of(&changes->all[i]))
			printf("    echo %s > %s\n", changes->all[i].value,
			       changes->all[i].target);
}
