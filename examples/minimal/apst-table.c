/* SPDX-License-Identifier: MIT */
/*
 * The APST table that Linux would make for a drive: from which state, after how
 * much idle time, to which one.
 *
 * The argument is a file with one drive: what "nvme id-ctrl --raw-binary"
 * writes, or ssdpm's JSON.
 */
#include <ssdpm.h>

#include <stdio.h>

#define MAX_EXIT_LATENCY_US 100000
#define MAX_FILE_BYTES (1 << 20)

static void print_table(const struct ssdpm_apst *table)
{
	for (unsigned int i = 0; i < SSDPM_MAX_STATES; i++)
		if (table->entries[i].idle_ms)
			printf("PS%u -> PS%u after %u ms idle\n", i,
			       table->entries[i].target,
			       table->entries[i].idle_ms);
}

int main(int argc, char **argv)
{
	static char data[MAX_FILE_BYTES];
	struct ssdpm_apst_params params;
	struct ssdpm_model **models;
	struct ssdpm_apst table;
	struct ssdpm_error error;
	size_t size, n;
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	int err;

	if (!file) {
		fprintf(stderr,
			"usage: apst-table FILE, one that can be read\n");
		return 2;
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);

	ssdpm_apst_params_init(&params, sizeof(params));
	params.max_exit_latency_us = MAX_EXIT_LATENCY_US;

	err = ssdpm_model_list_from_data(data, size, &models, &n, &error);
	if (!err) {
		printf("%s\n", ssdpm_model_get_info(models[0])->product);
		/* What Linux does not do on such a drive. */
		err = ssdpm_quirks_find(models[0], NULL, &params.quirks, NULL,
					&error);
		if (!err)
			err = ssdpm_apst_generate(models[0], &params, &table,
						  &error);
		if (!err)
			print_table(&table);
		ssdpm_model_list_free(models, n);
	}
	if (err)
		fprintf(stderr, "%s: %s\n", argv[1], error.message);
	return err ? 1 : 0;
}
