/* SPDX-License-Identifier: MIT */
/* Blobs of libatasmart. */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_data(data, size);
	return 0;
}
