/* SPDX-License-Identifier: MIT */
/* Profiles: stub. */
#include <ssdpm/policy.h>

#include <errno.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

uint32_t ssdpm_lpm_from_string(const char *text)
{
	return 0;
}

int ssdpm_profile_find(const char *text, size_t bytes, const char *name,
		       uint32_t power_source,
		       struct ssdpm_profile_settings *ret_settings,
		       struct ssdpm_error *reterr)
{
	return -ENOSYS;
}

int ssdpm_profile_get_name(const char *text, size_t bytes, size_t index,
			   char ret_name[32], struct ssdpm_error *reterr)
{
	return -ERANGE;
}
