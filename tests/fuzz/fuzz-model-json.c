/* SPDX-License-Identifier: MIT */
/*
 * "ssdpm.model/1". What follows the first zero byte, which no JSON contains,
 * are parameters of the policy.
 */
#include "check.h"

#include <string.h>

/* One drive, or a list of which the first is one. */
static void run_one(const char *text, size_t size, size_t n_in_list)
{
	struct ssdpm_model *model = NULL;
	struct ssdpm_error error;
	int err;

	err = ssdpm_model_from_json(text, size, &model, &error);
	check(!err == (n_in_list == 1), "one drive is a list of one");
	if (err) {
		check_error(err, &error);
		check(!model, "failure returns nothing");
	}
	ssdpm_model_unref(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t length = zero ? (size_t)(zero - data) : size;
	struct ssdpm_model **models = NULL;
	struct ssdpm_error error;
	size_t n = 0;
	int err;

	if (!ssdpm_model_list_from_data(data, size, &models, &n, NULL))
		ssdpm_model_list_free(models, n);
	n = 0;
	models = NULL;
	err = ssdpm_model_list_from_data(data, length, &models, &n, &error);
	if (err) {
		check_error(err, &error);
		check(!models && !n, "failure returns nothing");
	}
	/* Without a zero, 4096 bytes may be an Identify structure. */
	if (length != SSDPM_NVME_IDENTIFY_BYTES)
		run_one((const char *)data, length, n);
	if (zero)
		length++; /* what follows the zero are parameters */
	if (!err)
		check_models(models, n, data + length, size - length);
	ssdpm_model_list_free(models, n);
	return 0;
}
