/* SPDX-License-Identifier: MIT */
/*
 * The APST tables of the corpus that real drives had, in the forms in which
 * people saved them: what made each one is found. The drives are given as
 * numbers, with what else says so.
 */
#include "../support/calls.h"
#include "corpus.h"

#include <ssdpm-energy.h>

#include <stdio.h>
#include <string.h>

enum { MAX_BYTES = 65536, MAX_CANDIDATES = 16, ASLEEP = 3 };

/* Entry and exit of the states from 3 on; those before are operational. */
struct known {
	const char *file;
	uint32_t latencies[3][2];
	size_t n;
	uint32_t algorithm;
	uint64_t low, high; /* the limits that make this table */
};

static const struct known all[] = {
	/* smartctl-c_KXG6AZNV512G_5108AGLA.txt; 130 ms are too slow */
	{ "nvme-get-feature-0x0c-H_KXG6AZNV512G_5108AGLA.txt",
	  { { 1500, 1500 }, { 6000, 14000 }, { 50000, 80000 } },
	  3,
	  SSDPM_APST_LINUX,
	  14000,
	  SSDPM_LATENCY_ANY },
	/* nvme_power_states.jsonl, firmware 12237; the post names Linux 6.3.9
	 */
	{ "nvme-get-feature-0x0c-H_Lexar_NM790_4TB_linux6.3.9.txt",
	  { { 5000, 10000 }, { 8000, 41000 } },
	  2,
	  SSDPM_APST_LINUX,
	  41000,
	  SSDPM_LATENCY_ANY },
	/* nvme-id-ctrl_THNSN5512GPU7_57MS4109_ps-part.txt */
	{ "nvme-get-feature-0x0c-H_THNSN5512GPU7_57MS4109.txt",
	  { { 1000, 1000 }, { 5000, 20000 }, { 100000, 60000 } },
	  3,
	  SSDPM_APST_LINUX_LEGACY,
	  60000,
	  SSDPM_LATENCY_ANY },
	/* nvme-id-ctrl-raw_WDC_WDS250G2B0C_211070WD.bin */
	{ "nvme-get-feature-0x0c-raw_WDC_WDS250G2B0C_211070WD.bin",
	  { { 3900, 11000 }, { 5000, 39000 } },
	  2,
	  SSDPM_APST_LINUX,
	  39000,
	  SSDPM_LATENCY_ANY },
};

static struct ssdpm_model *make_drive(const struct known *known)
{
	struct ssdpm_power_state states[ASLEEP + 3] = { 0 };
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT |
			   SSDPM_INFO_FIRMWARE,
		.apsta = 1,
	};
	struct ssdpm_model *model;
	struct ssdpm_error error;

	for (size_t i = 0; i < known->n; i++) {
		states[ASLEEP + i].flags = SSDPM_STATE_NON_OPERATIONAL;
		states[ASLEEP + i].entry_latency_us = known->latencies[i][0];
		states[ASLEEP + i].exit_latency_us = known->latencies[i][1];
	}
	if (ssdpm_model_new(&info, states, ASLEEP + known->n, &model, &error))
		die("%s: %s", known->file, error.message);
	return model;
}

static void read_table(const char *directory, const char *file,
		       struct ssdpm_apst *ret_table)
{
	static uint8_t data[MAX_BYTES];
	struct ssdpm_error error;
	char path[4096];
	size_t size;

	snprintf(path, sizeof(path), "%s/data/raw/%s", directory, file);
	size = read_file(path, data, sizeof(data));
	if (ssdpm_apst_from_data(data, size, ret_table, &error))
		die("%s:%u: %s", file, error.line, error.message);
	if (!ret_table->sent || !ret_table->enabled)
		die("%s: APST was on", file);
}

static void check_origin(const struct known *known,
			 const struct ssdpm_model *model,
			 const struct ssdpm_apst *table)
{
	struct ssdpm_apst_params found[MAX_CANDIDATES], wanted;
	struct ssdpm_error error;
	uint64_t low, high;
	size_t n;

	if (ssdpm_apst_validate(model, table, &error) ||
	    infer_apst(model, table, found, MAX_CANDIDATES, &n, &error))
		die("%s: %s", known->file, error.message);
	ssdpm_apst_params_init(&wanted, sizeof(wanted));
	wanted.algorithm = known->algorithm;
	if (!n || memcmp(&found[0], &wanted, sizeof(wanted)))
		die("%s: not the defaults of %s", known->file,
		    ssdpm_apst_algorithm_to_string(known->algorithm));
	if (ssdpm_apst_limit_range(model, found, &low, &high, &error))
		die("%s: %s", known->file, error.message);
	if (low != known->low || high != known->high)
		die("%s: another range of limits", known->file);
}

/* Today's kernel can build all of them. */
static void check_way(const struct known *known,
		      const struct ssdpm_model *model,
		      const struct ssdpm_apst *table)
{
	struct ssdpm_apst_params params;
	struct ssdpm_error error;
	struct ssdpm_apst made;

	if (reach_apst(model, table, 0, &params, &made, &error))
		die("%s: %s", known->file, error.message);
	if (memcmp(&made, table, sizeof(made)))
		die("%s: not reached", known->file);
}

int main(int argc, char **argv)
{
	const char *directory = corpus_directory(argc, argv);
	size_t n = sizeof(all) / sizeof(all[0]);

	for (size_t i = 0; i < n; i++) {
		struct ssdpm_model *model = make_drive(&all[i]);
		struct ssdpm_apst table;

		read_table(directory, all[i].file, &table);
		check_origin(&all[i], model, &table);
		check_way(&all[i], model, &table);
		ssdpm_model_unref(model);
	}
	printf("what made %zu tables of real drives is found\n", n);
	return 0;
}
