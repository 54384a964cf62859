/* SPDX-License-Identifier: MIT */
/* A drive under a cap: what the files of caps share. */
#ifndef SSDPM_LIB_ESTIMATE_CAP_H
#define SSDPM_LIB_ESTIMATE_CAP_H

#include <ssdpm/estimate.h>

/* What a caller gave, checked, with what write amplification makes of it. */
struct cap {
	struct ssdpm_cap_params params;
	struct ssdpm_cap_stream streams[SSDPM_MAX_CAP_STREAMS];
};

/* -EINVAL, -ENODATA, -ERANGE, -E2BIG, with words. */
int ssdpm__cap_take(const struct ssdpm_cap_params *params, struct cap *ret_cap,
		    struct ssdpm_error *reterr);

/* May the drive have this cap? -EINVAL, -ERANGE. */
int ssdpm__cap_check(const struct cap *cap, uint64_t cap_uw,
		     struct ssdpm_error *reterr);

/* Under a cap that was checked; the size of the result is not touched. */
void ssdpm__cap_evaluate(const struct cap *cap, uint64_t cap_uw,
			 struct ssdpm_cap_result *result);

#endif
