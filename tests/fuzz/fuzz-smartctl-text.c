/* SPDX-License-Identifier: MIT */
/*
 * What smartctl prints, as people paste it. What follows the first zero byte,
 * which no text contains, are parameters of the policy.
 */
#include "check.h"

#include <string.h>

/* A model of smartctl's text tells what that can tell, and nothing else. */
static void check_told(const struct ssdpm_model *model)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	const uint32_t never =
		SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER;
	const struct ssdpm_power_state *states;
	size_t n;

	if (info->format != SSDPM_FORMAT_SMARTCTL_TEXT)
		return;
	check(info->unknown & SSDPM_INFO_APSTA, "smartctl has no APSTA");
	states = ssdpm_model_get_states(model, &n);
	for (size_t i = 0; i < n; i++) {
		check((states[i].unknown & never) == never,
		      "active and idle power are not taken");
		check(states[i].max_power_uw <= 655350000,
		      "a maximum power is one that NVMe can tell");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t length = zero ? (size_t)(zero - data) : size;
	struct ssdpm_model **models = NULL;
	struct ssdpm_error error;
	size_t n = 0;
	int err;

	err = ssdpm_model_list_from_data(data, length, &models, &n, &error);
	if (err) {
		check_error(err, &error);
		check(!models && !n, "failure returns nothing");
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		check_told(models[i]);
	check_models(models, n, data + length, size - length);
	ssdpm_model_list_free(models, n);
	return 0;
}
