/* SPDX-License-Identifier: MIT */
/* What hdparm -I prints. */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_data(data, size);
	return 0;
}
