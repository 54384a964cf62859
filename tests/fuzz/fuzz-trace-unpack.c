/* SPDX-License-Identifier: MIT */
/* gzip and zstd, which come out as five columns of numbers if all is well. */
#include "check.h"

#include <dlfcn.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = SSDPM_TRACE_MQSIM,
					     .flags = SSDPM_TRACE_SKIP_BAD };

	static bool loaded;

	/* Once and for all: each trace loads them, and lets go of them. */
	if (!loaded) {
		dlopen("libz.so.1", RTLD_NOW);
		dlopen("libzstd.so.1", RTLD_NOW);
		loaded = true;
	}
	check_trace(data, size, &params);
	return 0;
}
