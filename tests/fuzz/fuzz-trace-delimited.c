/* SPDX-License-Identifier: MIT */
/*
 * Delimited text. Where there is a zero byte, a column map stands before it,
 * or, if that is one byte, the number of a format.
 */
#include "check.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t length = zero ? (size_t)(zero - data) : 0, skip = 0;
	struct ssdpm_trace_params params = { .size = sizeof(params) };

	if (length == 1)
		params.format = data[0] % 16;
	else if (zero)
		params.columns = (const char *)data;
	if (zero)
		skip = length + 1;
	/* The last byte, which means least, decides about the rest. */
	if (size && data[size - 1] & 1)
		params.flags = SSDPM_TRACE_SKIP_BAD;
	if (size && data[size - 1] & 4)
		params.device = "0";
	check_trace(data + skip, size - skip, &params);
	return 0;
}
