/* SPDX-License-Identifier: MIT */
/* A drive under a cap: what the files of caps share. */
#ifndef SSDPM_LIB_ESTIMATE_CAP_H
#define SSDPM_LIB_ESTIMATE_CAP_H

#include <stdbool.h>

#include "base/histogram.h"
#include "estimate/internal.h"
#include "estimate/periods.h"

/* What a caller gave, checked, with what write amplification makes of it. */
struct cap {
	struct ssdpm_cap_params params;
	struct ssdpm_cap_stream streams[SSDPM_MAX_CAP_STREAMS];
};

/*
 * with_cap: its cap is checked too. -EINVAL, -ENODATA, -ERANGE, -E2BIG, with
 * words.
 */
int ssdpm__cap_take(const struct ssdpm_cap_params *params, bool with_cap,
		    struct cap *ret_cap, struct ssdpm_error *reterr);

/* May the drive have this cap? -EINVAL, -ERANGE. */
int ssdpm__cap_check(const struct cap *cap, uint64_t cap_uw,
		     struct ssdpm_error *reterr);

/* Under a cap that was checked; the size of the result is not touched. */
void ssdpm__cap_evaluate(const struct cap *cap, uint64_t cap_uw,
			 struct ssdpm_cap_result *result);

/* A trace on its way through a cap, at one corner. */
struct cap_pass {
	uint64_t over_uw[SSDPM_N_OPS]; /* active power over idle */
	uint64_t operation_nj[SSDPM_N_OPS];
	uint64_t byte_pj[SSDPM_N_OPS];
	uint64_t head_uw; /* what the cap leaves over idle; 0: there is none */
	bool capped;
	bool open;    /* the loop */
	bool unknown; /* a record had no service time */

	struct intake intake;
	struct flow flow;  /* without the cap */
	uint64_t shift_ns; /* closed loop: by which all moves */
	uint64_t until_ns; /* open loop: the latest completion */
	ssdpm__fj credit[SSDPM_N_OPS];

	/* What came of it, by op - 1. */
	ssdpm__fj energy_fj[SSDPM_N_OPS]; /* over idle */
	ssdpm__fj busy_ns[SSDPM_N_OPS];
	uint64_t n_taken;
	uint64_t n_slowed;
	ssdpm__fj delay_sum_ns;
	uint64_t delay_max_ns;
	struct histogram *delays; /* or NULL */
};

/*
 * Records in, records out, which may be NULL: each with a known service. Up to
 * BLOCK at a time. -EINVAL (records), -ERANGE (times).
 */
int ssdpm__cap_pass(struct cap_pass *pass, const struct ssdpm_io *ios, size_t n,
		    struct ssdpm_io *ret_ios, struct ssdpm_error *reterr);

#endif
