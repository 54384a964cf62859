/* SPDX-License-Identifier: MIT */
/* gzip and zstd, which come out as five columns of numbers if all is well. */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = SSDPM_TRACE_MQSIM,
					     .flags = SSDPM_TRACE_SKIP_BAD };

	check_trace(data, size, &params);
	return 0;
}
