/* SPDX-License-Identifier: MIT */
/* Profiles that somebody wrote: every one that has a name can be had. */
#include "check.h"

#include <errno.h>
#include <string.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
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
