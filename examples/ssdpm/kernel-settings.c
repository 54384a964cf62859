/* SPDX-License-Identifier: MIT */
#include "kernel-settings.h"

#include "live.h"

#include <inttypes.h>
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

/* A word for a shell. */
static size_t add_word(char *text, size_t size, const char *word)
{
	size_t n;

	if (word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			      "_./+-")] == 0)
		return (size_t)snprintf(text, size, " %s", word);
	n = (size_t)snprintf(text, size, " '");
	for (; *word && n + 6 < size; word++)
		n += (size_t)snprintf(text + n, size - n,
				      *word == '\'' ? "'\\''" : "%c", *word);
	return n + (size_t)snprintf(text + n, size - n, "'");
}

static bool begin_apply(const struct drive *drive, char text[APPLY_BYTES])
{
	size_t n;

	if (!drive->device || !drive->live)
		return false;
	n = (size_t)snprintf(text, APPLY_BYTES, "ssdpm apply");
	if (!drive->live->root)
		return true;
	n += (size_t)snprintf(text + n, APPLY_BYTES - n, " --root");
	add_word(text + n, APPLY_BYTES / 2 - n, drive->live->root);
	return true;
}

bool format_apply(const struct drive *drive,
		  const struct ssdpm_apst_params *params,
		  char text[APPLY_BYTES])
{
	const uint64_t us = params->max_exit_latency_us;
	struct setting settings[MAX_SETTINGS];
	size_t n;

	if (!begin_apply(drive, text))
		return false;
	n = strlen(text);
	get_changes(drive, params, settings);
	for (int i = 0; i < LIMIT; i++)
		if (settings[i].value != settings[i].usual)
			n += (size_t)snprintf(text + n, APPLY_BYTES - n,
					      " --nvme-core %s=%" PRIu64,
					      settings[i].name,
					      settings[i].value);
	if (us == SSDPM_LATENCY_ANY)
		n += (size_t)snprintf(text + n, APPLY_BYTES - n,
				      " --latency any");
	else
		n += (size_t)snprintf(
			text + n, APPLY_BYTES - n, " --latency %" PRIu64 "%s",
			us % 1000 ? us : us / 1000, us % 1000 ? "us" : "ms");
	add_word(text + n, APPLY_BYTES - n,
		 ssdpm_device_get_facts(drive->device)->name);
	return true;
}

bool format_apply_table(const struct drive *drive, const char *file,
			char text[APPLY_BYTES])
{
	size_t n;

	if (!begin_apply(drive, text))
		return false;
	n = strlen(text);
	n += (size_t)snprintf(text + n, APPLY_BYTES - n, " --apst");
	n += add_word(text + n, APPLY_BYTES - 100 - n, file ? file : "FILE");
	add_word(text + n, APPLY_BYTES - n,
		 ssdpm_device_get_facts(drive->device)->name);
	return true;
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

static void write_one(struct json_writer *w, const char *path,
		      const char *value)
{
	ssdpm__json_begin(w, NULL, '{');
	w->one_line = true;
	ssdpm__json_string(w, "path", path);
	ssdpm__json_string(w, "value", value);
	ssdpm__json_end(w, '}');
}

void write_sysfs(struct json_writer *w, const struct drive *drive,
		 const struct ssdpm_apst_params *params)
{
	char apply[APPLY_BYTES], path[96], first[24], second[24];
	struct setting settings[MAX_SETTINGS];

	get_changes(drive, params, settings);
	ssdpm__json_begin(w, "sysfs", '[');
	for (int i = 0; i < LIMIT; i++) {
		if (settings[i].value == settings[i].usual)
			continue;
		snprintf(path, sizeof(path), PARAMETERS "%s", settings[i].name);
		snprintf(first, sizeof(first), "%" PRIu64, settings[i].value);
		write_one(w, path, first);
	}
	limit_values(params->max_exit_latency_us, first, second);
	format_tolerance(drive, path);
	write_one(w, path, first);
	write_one(w, path, second);
	ssdpm__json_end(w, ']');
	ssdpm__json_string(w, "apply",
			   format_apply(drive, params, apply) ? apply : NULL);
}

void print_sysfs(const struct drive *drive,
		 const struct ssdpm_apst_params *params)
{
	char apply[APPLY_BYTES], path[96], first[24], second[24];
	struct setting settings[MAX_SETTINGS];

	if (format_apply(drive, params, apply)) {
		printf("  now, as root; ssdpm verifies it, and ssdpm revert "
		       "undoes it:\n    %s\n",
		       apply);
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
