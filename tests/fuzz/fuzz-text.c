/* SPDX-License-Identifier: MIT */
/*
 * What nvme id-ctrl or smartctl prints, as people paste it. What follows the
 * first zero byte, which no text contains, are parameters of the policy.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

static char *json_of(const struct ssdpm_model *model)
{
	char *text = NULL;

	check(!ssdpm_model_to_json(model, &text, NULL),
	      "a model can be written");
	return text;
}

/* The same text with other ends of lines is the same drive. */
static void check_crlf(const uint8_t *data, size_t size,
		       const struct ssdpm_model *model)
{
	char *other = malloc(2 * size), *text, *text_again;
	struct ssdpm_model **models = NULL;
	size_t length = 0, n = 0;

	check(other, "there is memory");
	for (size_t i = 0; i < size; i++) {
		if (data[i] == '\n')
			other[length++] = '\r';
		other[length++] = (char)data[i];
	}
	check(!ssdpm_model_list_from_data(other, length, &models, &n, NULL),
	      "CRLF does no harm");
	check(n == 1, "CRLF makes no second drive");
	text = json_of(model);
	text_again = json_of(models[0]);
	check(!strcmp(text, text_again), "CRLF changes nothing");
	ssdpm_model_list_free(models, n);
	free(text);
	free(text_again);
	free(other);
}

/* A model of smartctl's text tells what that can tell, and nothing else. */
static void check_told(const struct ssdpm_model *model)
{
	const uint32_t never =
		SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER;
	const struct ssdpm_power_state *states;
	size_t n;

	check(ssdpm_model_get_info(model)->unknown & SSDPM_INFO_APSTA,
	      "smartctl has no APSTA");
	states = ssdpm_model_get_states(model, &n);
	for (size_t i = 0; i < n; i++) {
		check((states[i].unknown & never) == never,
		      "active and idle power are not taken");
		check(states[i].max_power_uw <= 655350000,
		      "a maximum power is one that NVMe can tell");
	}
}

static uint32_t format_of(const struct ssdpm_model *model)
{
	return ssdpm_model_get_info(model)->format;
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
	if (format_of(models[0]) == SSDPM_FORMAT_NVME_CLI_TEXT)
		check_crlf(data, length, models[0]);
	for (size_t i = 0; i < n; i++)
		if (format_of(models[i]) == SSDPM_FORMAT_SMARTCTL_TEXT)
			check_told(models[i]);
	check_models(models, n, data + length, size - length);
	ssdpm_model_list_free(models, n);
	return 0;
}
