/* SPDX-License-Identifier: MIT */
/* NumPy's .npy; and what is none, behind a head that fits it. */
#include "check.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .format = SSDPM_TRACE_NPY };
	uint8_t file[SSDPM_NPY_HEADER_BYTES + 4096];

	if (size < 6 || memcmp(data, "\x93NUMPY", 6) != 0) {
		if (size > 4096)
			size = 4096;
		ssdpm_npy_header(size / sizeof(struct ssdpm_io), file);
		memcpy(file + SSDPM_NPY_HEADER_BYTES, data, size);
		data = file;
		size += SSDPM_NPY_HEADER_BYTES;
	}
	if (size && data[size - 1] & 1)
		params.flags = SSDPM_TRACE_SKIP_BAD;
	check_trace(data, size, &params);
	return 0;
}
