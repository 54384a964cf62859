/* SPDX-License-Identifier: MIT */
/* A trace of one format, FORMAT: what is bad fails, and is counted. */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = FORMAT };

	check_trace(data, size, &params);
	params.flags = SSDPM_TRACE_SKIP_BAD;
	check_trace(data, size, &params);
	return 0;
}
