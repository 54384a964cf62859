/* SPDX-License-Identifier: MIT */
/*
 * APST tables that somebody saved. What was read is then asked about, for a
 * drive that the last bytes make: infer, reach, keep.
 */
#include "../support/calls.h"
#include "check.h"

#include <string.h>

enum { MAX_CANDIDATES = 8, MAX_DRIVE = 6 };

static bool same(const struct ssdpm_apst *a, const struct ssdpm_apst *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* A state for each byte: operational or not, entry, exit. */
static struct ssdpm_model *make_drive(const uint8_t *data, size_t size)
{
	static const uint32_t us[] = { 0,     1,     5000,  10000,
				       15000, 40000, 90000, UINT32_MAX };
	struct ssdpm_power_state states[MAX_DRIVE] = { 0 };
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT |
			   SSDPM_INFO_FIRMWARE,
		.apsta = 1,
	};
	struct ssdpm_model *model = NULL;
	size_t n = size < MAX_DRIVE ? size : MAX_DRIVE;

	for (size_t i = 0; i < n; i++) {
		states[i].flags = data[i] & 1;
		states[i].entry_latency_us = us[data[i] >> 1 & 7];
		states[i].exit_latency_us = us[data[i] >> 4 & 7];
	}
	check(!ssdpm_model_new(&info, states, n, &model, NULL),
	      "a drive can be made");
	return model;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
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
	model = make_drive(data + (size > MAX_DRIVE ? size - MAX_DRIVE : 0),
			   size < MAX_DRIVE ? size : MAX_DRIVE);
	ask(model, &table);
	ssdpm_model_unref(model);
	return 0;
}
