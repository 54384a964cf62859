/* SPDX-License-Identifier: MIT */
#include "input/kernel-settings.h"

#include "options/advised.h"
#include "input/live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 4 }; /* the last one: for drives that come later */

void get_settings(const struct ssdpm_apst_params *p,
		  struct setting settings[MAX_SETTINGS])
{
	struct ssdpm_apst_params d;
	uint64_t limit = p->max_exit_latency_us;

	ssdpm_apst_params_init(&d, sizeof(d));
	settings[0] =
		(struct setting){ "apst_primary_timeout_ms",
				  p->primary_timeout_ms, d.primary_timeout_ms };
	settings[1] = (struct setting){ "apst_primary_latency_tol_us",
					p->primary_latency_tolerance_us,
					d.primary_latency_tolerance_us };
	settings[2] = (struct setting){ "apst_secondary_timeout_ms",
					p->secondary_timeout_ms,
					d.secondary_timeout_ms };
	settings[3] = (struct setting){ "apst_secondary_latency_tol_us",
					p->secondary_latency_tolerance_us,
					d.secondary_latency_tolerance_us };
	/* The kernel takes its largest signed number for "any". */
	settings[LIMIT] = (struct setting){
		"default_ps_max_latency_us",
		limit == SSDPM_LATENCY_ANY ? INT32_MAX : limit,
		d.max_exit_latency_us,
	};
}

void join_settings(const struct setting settings[MAX_SETTINGS], bool usual,
		   const char *prefix, char *text, size_t size)
{
	size_t n = 0;

	text[0] = 0;
	for (int i = 0; i < MAX_SETTINGS; i++)
		if ((settings[i].value == settings[i].usual) == usual)
			n += (size_t)snprintf(text + n, size - n,
					      "%s%s%s=%" PRIu64, n ? " " : "",
					      prefix, settings[i].name,
					      settings[i].value);
}

#define PARAMETERS "/sys/module/nvme_core/parameters/"

/* As get_settings(); usual: what the machine of the drive has now, if it says.
 */
static void get_changes(const struct drive *drive,
			const struct ssdpm_apst_params *params,
			struct setting settings[MAX_SETTINGS])
{
	const struct ssdpm_machine_facts *facts =
		drive->live ? &drive->live->facts : NULL;

	get_settings(params, settings);
	for (int i = 0; facts && i < LIMIT; i++) {
		const int parameter =
			SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS + i;

		if (facts->nvme_core_known & 1u << parameter)
			settings[i].usual = facts->nvme_core[parameter];
	}
}

/* "nvmeN" is the controller of a drive that is not in this machine. */
static void format_tolerance(const struct drive *drive, char path[96])
{
	const char *name = drive->device ?
				   ssdpm_device_get_facts(drive->device)->name :
				   "nvmeN";

	snprintf(path, 96,
		 "/sys/class/nvme/%s/power/pm_qos_latency_tolerance_us", name);
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
	write_root(file, drive->live->root);
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

char *apply_text(const struct drive *drive,
		 const struct ssdpm_apst_params *params)
{
	const uint64_t us = params->max_exit_latency_us;
	struct setting settings[MAX_SETTINGS];
	size_t size;
	char *text;
	FILE *file = begin_apply(drive, &text, &size);

	if (!file)
		return NULL;
	get_changes(drive, params, settings);
	for (int i = 0; i < LIMIT; i++)
		if (settings[i].value != settings[i].usual)
			fprintf(file, " --nvme-core %s=%" PRIu64,
				settings[i].name, settings[i].value);
	if (us == SSDPM_LATENCY_ANY)
		fputs(" --latency any", file);
	else
		fprintf(file, " --latency %" PRIu64 "%s",
			us % 1000 ? us : us / 1000, us % 1000 ? "us" : "ms");
	return end_apply(drive, file, &text);
}

char *apply_table_text(const struct drive *drive, const char *path)
{
	size_t size;
	char *text;
	FILE *file = begin_apply(drive, &text, &size);

	if (!file)
		return NULL;
	fputs(" --apst", file);
	write_word(file, path ? path : "FILE");
	return end_apply(drive, file, &text);
}

/*
 * The kernel makes the table anew only when the limit changes: two values, of
 * which the second is the one that is wanted.
 */
static void limit_values(uint64_t limit, char first[24], char second[24])
{
	if (limit == SSDPM_LATENCY_ANY) {
		snprintf(first, 24, "%d", INT32_MAX - 1);
		snprintf(second, 24, "any");
		return;
	}
	snprintf(first, 24, "%" PRIu64, limit > 1 ? limit - 1 : limit + 1);
	snprintf(second, 24, "%" PRIu64, limit);
}

void get_sysfs(const struct drive *drive,
	       const struct ssdpm_apst_params *params,
	       struct sysfs_values *ret_values)
{
	struct setting settings[MAX_SETTINGS];
	struct sysfs_value *next = ret_values->values;

	get_changes(drive, params, settings);
	for (int i = 0; i < LIMIT; i++) {
		if (settings[i].value == settings[i].usual)
			continue;
		snprintf(next->path, sizeof(next->path), PARAMETERS "%s",
			 settings[i].name);
		snprintf(next->value, sizeof(next->value), "%" PRIu64,
			 settings[i].value);
		next++;
	}
	limit_values(params->max_exit_latency_us, next[0].value, next[1].value);
	format_tolerance(drive, next[0].path);
	format_tolerance(drive, next[1].path);
	ret_values->n = (size_t)(next + 2 - ret_values->values);
}

void write_sysfs(struct json_writer *w, const struct drive *drive,
		 const struct ssdpm_apst_params *params)
{
	struct sysfs_values sysfs;
	char *apply;

	get_sysfs(drive, params, &sysfs);
	ssdpm__json_begin(w, "sysfs", '[');
	for (size_t i = 0; i < sysfs.n; i++) {
		ssdpm__json_begin(w, NULL, '{');
		w->one_line = true;
		ssdpm__json_string(w, "path", sysfs.values[i].path);
		ssdpm__json_string(w, "value", sysfs.values[i].value);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
	apply = apply_text(drive, params);
	ssdpm__json_string(w, "apply", apply);
	free(apply);
}

void print_sysfs(const struct drive *drive,
		 const struct ssdpm_apst_params *params)
{
	char path[96], first[24], second[24];
	char *apply = apply_text(drive, params);
	struct setting settings[MAX_SETTINGS];

	if (apply) {
		printf("  now, as root; ssdpm verifies it, and can revert it:\n"
		       "    %s\n",
		       apply);
		free(apply);
		return;
	}
	get_settings(params, settings);
	puts("  now, as root, for the drive nvmeN (its limit twice: only a "
	     "change takes effect):");
	for (int i = 0; i < LIMIT; i++)
		if (settings[i].value != settings[i].usual)
			printf("    echo %" PRIu64 " > " PARAMETERS "%s\n",
			       settings[i].value, settings[i].name);
	limit_values(params->max_exit_latency_us, first, second);
	format_tolerance(drive, path);
	printf("    echo %s > %s\n", first, path);
	printf("    echo %s > %s\n", second, path);
}
