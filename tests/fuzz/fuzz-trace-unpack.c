/* SPDX-License-Identifier: MIT */
/*
 * gzip and zstd, which come out as five columns of numbers if all is well. What
 * does not is no reason to go on: a few bytes may unpack to very many.
 */
#include "check.h"

#include <dlfcn.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = SSDPM_TRACE_MQSIM };

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
