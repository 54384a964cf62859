/* SPDX-License-Identifier: MIT */
/* A trace of blktrace, recognised or not. */
#include "check-trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_trace(data, size, size % 2 ? SSDPM_TRACE_BLKTRACE : 0);
	return 0;
}
