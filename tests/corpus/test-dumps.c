/* SPDX-License-Identifier: MIT */
/*
 * Real drives of the corpus. Raw Identify Controller structures must make
 * plausible models that survive JSON. The APST table that Linux left in a drive
 * must be the one that this library makes for it.
 */
#include "corpus.h"

#include <ssdpm.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDENTIFY "nvme-id-ctrl-raw_"
#define FEATURE "nvme-get-feature-0x0c-raw_"

static struct ssdpm_model *read_drive(const char *path)
{
	uint8_t data[SSDPM_NVME_IDENTIFY_BYTES + 1];
	size_t n, size = read_file(path, data, sizeof(data));
	struct ssdpm_model **models, *model;
	struct ssdpm_error error;

	if (ssdpm_model_list_from_data(data, size, &models, &n, &error))
		die("%s: %s", path, error.message);
	if (n != 1)
		die("%s: %zu drives", path, n);
	model = ssdpm_model_ref(models[0]);
	ssdpm_model_list_free(models, n);
	return model;
}

/*
 * Checks facts of every client drive of these years. It supports APST, sleeps
 * in its deepest state and draws less power there. It works in state 0 with 0.1
 * to 30 W.
 */
static void check_plausible(const struct ssdpm_model *model, const char *path)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	const struct ssdpm_power_state *first, *last;
	size_t n;

	first = ssdpm_model_get_states(model, &n);
	last = &first[n - 1];
	if (strlen(info->product) < 5 || strlen(info->firmware) < 4 ||
	    !info->vendor_id || info->apsta != 1 || info->unknown)
		die("%s: the drive as a whole is not plausible", path);
	if (n < 3 || n > 8 || first->flags ||
	    last->flags != SSDPM_STATE_NON_OPERATIONAL)
		die("%s: the states are not plausible", path);
	if (first->max_power_uw < 100000 || first->max_power_uw > 30000000)
		die("%s: PS0 takes %u uW", path, first->max_power_uw);
	for (size_t i = 1; i < n; i++)
		if (first[i].max_power_uw > first[i - 1].max_power_uw)
			die("%s: PS%zu takes more than the one before", path,
			    i);
	if (!last->exit_latency_us || last->exit_latency_us > 1000000)
		die("%s: the exit takes %u us", path, last->exit_latency_us);
}

/*
 * The table in WDS250G2B0C (firmware 211070WD) is the one of Linux 5.14 and
 * later with all parameters at their defaults, NULL here.
 */
static void check_feature(const char *path)
{
	const char *name = strstr(path, FEATURE);
	struct ssdpm_apst in_drive, made;
	uint8_t data[SSDPM_APST_BYTES + 1];
	struct ssdpm_error error;
	struct ssdpm_model *model;
	char drive[4096];

	if (read_file(path, data, sizeof(data)) != SSDPM_APST_BYTES)
		die("%s: not 256 bytes", path);
	snprintf(drive, sizeof(drive), "%.*s" IDENTIFY "%s", (int)(name - path),
		 path, name + strlen(FEATURE));
	model = read_drive(drive);
	if (ssdpm_apst_from_data(data, SSDPM_APST_BYTES, &in_drive, &error) ||
	    ssdpm_apst_validate(model, &in_drive, &error) ||
	    ssdpm_apst_generate(model, NULL, &made, &error))
		die("%s: %s", path, error.message);
	if (memcmp(&in_drive, &made, sizeof(made)))
		die("%s: not what Linux's defaults give", path);
	ssdpm_model_unref(model);
}

static void find(const char *directory, const char *prefix, size_t at_least,
		 glob_t *ret)
{
	char pattern[4096];

	snprintf(pattern, sizeof(pattern), "%s/data/raw/%s*.bin", directory,
		 prefix);
	if (glob(pattern, 0, NULL, ret) || ret->gl_pathc < at_least)
		die("%s: %zu files at least should be there", pattern,
		    at_least);
}

int main(int argc, char **argv)
{
	const char *directory = corpus_directory(argc, argv);
	glob_t drives, features;

	find(directory, IDENTIFY, 2, &drives);
	for (size_t i = 0; i < drives.gl_pathc; i++) {
		struct ssdpm_model *model = read_drive(drives.gl_pathv[i]);

		check_plausible(model, drives.gl_pathv[i]);
		check_round_trip(model, drives.gl_pathv[i]);
		ssdpm_model_unref(model);
	}
	find(directory, FEATURE, 1, &features);
	for (size_t i = 0; i < features.gl_pathc; i++)
		check_feature(features.gl_pathv[i]);
	printf("%zu drives are plausible, %zu tables are Linux's defaults\n",
	       drives.gl_pathc, features.gl_pathc);
	globfree(&drives);
	globfree(&features);
	return 0;
}
