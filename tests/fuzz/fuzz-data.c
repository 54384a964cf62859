/* SPDX-License-Identifier: MIT */
/*
 * Drives without parameters of a policy: IDENTIFY DEVICE data as hexadecimal
 * text, blobs of libatasmart, what hdparm -I prints.
 */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_data(data, size);
	return 0;
}
