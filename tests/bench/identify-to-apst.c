/* SPDX-License-Identifier: MIT */
/* From Identify data to its APST table: what a program links for it. */
#include <ssdpm.h>

#include <stdio.h>

int main(void)
{
	static unsigned char data[4096];
	struct ssdpm_apst_params params;
	struct ssdpm_model *model;
	struct ssdpm_apst table;
	struct ssdpm_error error;
	int err;

	if (fread(data, 1, sizeof(data), stdin) != sizeof(data) ||
	    ssdpm_model_from_nvme_identify(data, sizeof(data), &model, &error))
		return 1;
	ssdpm_apst_params_init(&params, sizeof(params));
	err = ssdpm_apst_generate(model, &params, &table, &error);
	for (unsigned int i = 0; !err && i < SSDPM_MAX_STATES; i++)
		if (table.entries[i].idle_ms)
			printf("PS%u -> PS%u after %u ms idle\n", i,
			       table.entries[i].target,
			       table.entries[i].idle_ms);
	ssdpm_model_unref(model);
	return err ? 1 : 0;
}
