/* SPDX-License-Identifier: MIT */
/* Texts about policies from people: tables, profiles, rules. */
#include "../support/calls.h"
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Saved APST tables. The last bytes make a drive, for which infer, reach and
 * keep are called with the table.
 */

enum { MAX_CANDIDATES = 8, MAX_DRIVE = 6 };

static bool same(const struct ssdpm_apst *a, const struct ssdpm_apst *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* A state for each byte: operational or not, entry, exit. */
static struct ssdpm_model *make_apst_drive(const uint8_t *data, size_t size)
{
	static const uint32_t us[] = { 0,     1,     5000,  10000,
				       15000, 40000, 90000, UINT32_MAX };
	struct ssdpm_power_state states[MAX_DRIVE] = { 0 };
	size_t n = size < MAX_DRIVE ? size : MAX_DRIVE;

	for (size_t i = 0; i < n; i++) {
		states[i].flags = data[i] & 1;
		states[i].entry_latency_us = us[data[i] >> 1 & 7];
		states[i].exit_latency_us = us[data[i] >> 4 & 7];
	}
	return make_nameless_drive(states, n);
}

static void ask(const struct ssdpm_model *model, const struct ssdpm_apst *table)
{
	struct ssdpm_apst_params p[MAX_CANDIDATES];
	struct ssdpm_apst made, again;
	struct ssdpm_error error;
	uint64_t limit, low, high;
	size_t n = 0;
	int err;

	check(!infer_apst(model, table, p, MAX_CANDIDATES, &n, NULL),
	      "a table can be inferred");
	for (size_t i = 0; i < n && i < MAX_CANDIDATES; i++) {
		check(!ssdpm_apst_generate(model, &p[i], &made, NULL) &&
			      same(&made, table),
		      "a candidate makes the table");
		check(!ssdpm_apst_limit_range(model, &p[i], &low, &high,
					      NULL) &&
			      low <= p[i].max_exit_latency_us &&
			      p[i].max_exit_latency_us <= high,
		      "the limit is in its range");
	}
	check(!reach_apst(model, table, 0, p, &made, NULL),
	      "a table has a closest one");
	check(!ssdpm_apst_generate(model, p, &again, NULL) &&
		      same(&made, &again),
	      "the parameters make what was said");
	err = ssdpm_apst_keep(model, p, table->entries[0].target, &limit,
			      &error);
	if (err)
		check_error(err, &error);
}

int fuzz_apst_data(const uint8_t *data, size_t size)
{
	struct ssdpm_apst table, again;
	uint8_t bytes[SSDPM_APST_BYTES];
	struct ssdpm_model *model;
	struct ssdpm_error error;
	int err;

	err = ssdpm_apst_from_data(data, size, &table, &error);
	if (err) {
		check_error(err, &error);
		return 0;
	}
	check(table.sent <= 1 && table.enabled <= 1, "truth values");
	check(!ssdpm_apst_encode(&table, bytes, NULL),
	      "what was read can be encoded");
	check(!ssdpm_apst_from_data(bytes, sizeof(bytes), &again, NULL) &&
		      !ssdpm_apst_diff(&table, &again),
	      "the bytes are read again");
	model = make_apst_drive(
		data + (size > MAX_DRIVE ? size - MAX_DRIVE : 0),
		size < MAX_DRIVE ? size : MAX_DRIVE);
	ask(model, &table);
	ssdpm_model_unref(model);
	return 0;
}

/* Profiles of a user: each one with a name can be found. */

static void check_settings(const struct ssdpm_profile_settings *settings)
{
	check(settings->n_lpms <= SSDPM_MAX_LPMS, "the policies fit");
	check(!!settings->n_lpms == !!(settings->set & SSDPM_PROFILE_LPM),
	      "policies are there where the bit says so");
	for (uint32_t i = 0; i < settings->n_lpms; i++)
		check(settings->lpms[i] >= SSDPM_LPM_MAX_PERFORMANCE &&
			      ssdpm_lpm_to_string(settings->lpms[i]),
		      "a policy can be set");
	check(settings->primary_timeout_ms <= SSDPM_APST_MAX_IDLE_MS &&
		      settings->secondary_timeout_ms <= SSDPM_APST_MAX_IDLE_MS,
	      "a timeout fits");
	check(settings->max_exit_latency_us == SSDPM_LATENCY_ANY ||
		      settings->max_exit_latency_us < INT32_MAX,
	      "the kernel takes the latency");
	check(strlen(settings->reason) > 0, "there is a reason");
}

int fuzz_profiles(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct ssdpm_profile_settings settings;
	struct ssdpm_error error;
	char name[32];
	int err;

	for (size_t i = 0;; i++) {
		err = ssdpm_profile_get_name(text, size, i, name, &error);
		if (err) {
			check(err == -ERANGE ? i >= 3 : !i && error.line,
			      "there are names, or a fault with its line");
			break;
		}
		for (uint32_t source = 1; source <= 2; source++) {
			settings.size = sizeof(settings);
			err = ssdpm_profile_find(text, size, name, source,
						 &settings, &error);
			check(!err, "what has a name is found");
			check(!strcmp(settings.name, name), "it is that");
			check_settings(&settings);
		}
	}
	return 0;
}

/*
 * Rules of a user about drives. Three drives are compared with them: NVMe,
 * SATA, and one with nothing known.
 */

static struct ssdpm_model *make_quirky_drive(uint32_t kind, uint32_t unknown)
{
	const struct ssdpm_power_state state = { .max_power_uw = 1 };
	struct ssdpm_model_info info = { .size = sizeof(info),
					 .kind = kind,
					 .unknown = unknown };
	struct ssdpm_model *model = NULL;

	if (!(unknown & SSDPM_INFO_PRODUCT)) {
		strcpy(info.product, "Fixture SSD 256GB");
		strcpy(info.firmware, "FW 1.0");
	}
	if (!(unknown & SSDPM_INFO_VENDOR_ID))
		info.vendor_id = 0x1234;
	if (kind == SSDPM_KIND_SATA)
		info.sata_generations = 2;
	check(!ssdpm_model_new(&info, &state, 1, &model, NULL),
	      "a drive is made");
	return model;
}

static void run_quirks(uint32_t kind, uint32_t unknown,
		       const struct ssdpm_host *host)
{
	struct ssdpm_model *model = make_quirky_drive(kind, unknown);

	check_quirks(model, host);
	ssdpm_model_unref(model);
}

int fuzz_quirks(const uint8_t *data, size_t size)
{
	struct ssdpm_host host = { .size = sizeof(host),
				   .linux_release = "6.6",
				   .board_name = "Board",
				   .bios_date = "04/06/2018" };

	host.rules = (const char *)data;
	host.rules_bytes = size;
	run_quirks(SSDPM_KIND_NVME, 0, &host);
	run_quirks(SSDPM_KIND_SATA, 0, &host);
	run_quirks(SSDPM_KIND_NVME,
		   SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT |
			   SSDPM_INFO_FIRMWARE,
		   &host);
	return 0;
}
