/* SPDX-License-Identifier: MIT */
/* fio's log of operations per second. The first byte says which are counted. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

/* A few bytes can be days. */
#define MAX_S 5000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_iops_log_params params = { .size = sizeof(params) };
	struct ssdpm_consistency c = { .size = sizeof(c) };
	struct ssdpm_error error = { 0 };
	double *iops = NULL;
	size_t n;

	if (!size)
		return 0;
	params.op = data[0] % 6;
	int err = ssdpm_iops_log_read_data(data + 1, size - 1, &params, &iops,
					   &n, &error);
	if (err) {
		check_error(err, &error);
		return 0;
	}
	check(n > 0, "a log has a second");
	for (size_t i = 0; i < n; i++)
		check(isnan(iops[i]) || iops[i] >= 0,
		      "operations are not below 0");
	if (n > MAX_S)
		n = MAX_S;
	err = ssdpm_consistency_measure(iops, n, NULL, &c, &error);
	if (err)
		check_error(err, &error);
	else
		check(c.floor_iops <= c.p01_iops && c.p01_iops <= c.p1_iops &&
			      c.p1_iops <= c.median_iops &&
			      c.median_iops <= c.max_iops &&
			      c.n + c.n_holes == n,
		      "ranks are in order");
	free(iops);
	return 0;
}
