/* SPDX-License-Identifier: MIT */
/*
 * gzip, zstd and xz, which come out as five columns of numbers if all is well.
 * What does not is no reason to go on: a few bytes may unpack to very many.
 */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = SSDPM_TRACE_MQSIM };

	check_trace(data, size, &params);
	return 0;
}
