/* SPDX-License-Identifier: MIT */
/* IDENTIFY DEVICE data as text: what is pasted from sysfs or hdparm --Istdout.
 */
#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_data(data, size);
	return 0;
}
