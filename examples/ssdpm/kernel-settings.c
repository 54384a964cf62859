/* SPDX-License-Identifier: MIT */
#include "kernel-settings.h"

#include <inttypes.h>

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
#define TOLERANCE "/sys/class/nvme/nvmeN/power/pm_qos_latency_tolerance_us"

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

void write_sysfs(struct json_writer *w, const struct ssdpm_apst_params *params)
{
	struct setting settings[MAX_SETTINGS];
	char path[96], first[24], second[24];

	get_settings(params, settings);
	ssdpm__json_begin(w, "sysfs", '[');
	for (int i = 0; i < LIMIT; i++) {
		if (settings[i].value == settings[i].usual)
			continue;
		snprintf(path, sizeof(path), PARAMETERS "%s", settings[i].name);
		snprintf(first, sizeof(first), "%" PRIu64, settings[i].value);
		write_one(w, path, first);
	}
	limit_values(params->max_exit_latency_us, first, second);
	write_one(w, TOLERANCE, first);
	write_one(w, TOLERANCE, second);
	ssdpm__json_end(w, ']');
}

void print_sysfs(const struct ssdpm_apst_params *params)
{
	struct setting settings[MAX_SETTINGS];
	char first[24], second[24];

	get_settings(params, settings);
	puts("  now, as root, for the drive nvmeN (its limit twice: only a "
	     "change takes effect):");
	for (int i = 0; i < LIMIT; i++)
		if (settings[i].value != settings[i].usual)
			printf("    echo %" PRIu64 " > " PARAMETERS "%s\n",
			       settings[i].value, settings[i].name);
	limit_values(params->max_exit_latency_us, first, second);
	printf("    echo %s > " TOLERANCE "\n", first);
	printf("    echo %s > " TOLERANCE "\n", second);
}
