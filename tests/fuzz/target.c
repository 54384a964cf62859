/* SPDX-License-Identifier: MIT */
/* FUZZ_TARGET under libFuzzer's name: one object for each program. */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return FUZZ_TARGET(data, size);
}
