/* SPDX-License-Identifier: MIT */
/* A drive under a cap: what the files of caps share. */
#ifndef SSDPM_LIB_CAPS_CAP_H
#define SSDPM_LIB_CAPS_CAP_H

#include <ssdpm/energy/caps.h>

#include <stdbool.h>

#include "common/elementary.h"
#include "common/histogram.h"
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

/*
 * Has it a cap and a duration? Adds that to *end_ns; NULL: it lasts on.
 * -EINVAL, -ERANGE.
 */
int ssdpm__cap_check_segment(const struct ssdpm_cap_segment *segment,
			     size_t number, uint64_t *end_ns,
			     struct ssdpm_error *reterr);

/* Under a cap that was checked; the size of the result is not touched. */
void ssdpm__cap_evaluate(const struct cap *cap, uint64_t cap_uw,
			 struct ssdpm_cap_result *result);

static inline void ssdpm__widen(struct ssdpm_span *span, double low,
				double high)
{
	span->low = ssdpm__min(span->low, low);
	span->high = ssdpm__max(span->high, high);
}

static inline struct ssdpm_span ssdpm__exactly(double value)
{
	return (struct ssdpm_span){ value, value, value };
}

/* A trace on its way through caps, at one corner. */
struct cap_pass {
	uint64_t over_uw[SSDPM_N_OPS]; /* active power over idle */
	uint64_t operation_nj[SSDPM_N_OPS];
	uint64_t byte_pj[SSDPM_N_OPS];
	uint64_t idle_uw;
	bool open;    /* the loop */
	bool unknown; /* a record had no service time */

	/* The one that holds; none: there is no cap. */
	const struct ssdpm_cap_segment *segments;
	size_t n_segments;
	size_t at;
	/* Since the first record: */
	uint64_t end_ns;   /* of it; the last one does not end */
	uint64_t ready_ns; /* when the change to it is done */

	struct intake intake;
	uint64_t start_ns; /* of the first record */
	struct flow flow;  /* without the cap */
	uint64_t shift_ns; /* closed loop: by which all moves */
	uint64_t late_ns;  /* and the wakes before, which others count */
	uint64_t until_ns; /* open loop: the latest completion */
	struct wide credit;

	uint64_t n_slowed;
	struct wide delay_sum_ns;
	uint64_t delay_max_ns;
	struct histogram *delays; /* or NULL */
};

/* What comes of a record. */
struct cap_taken {
	struct ssdpm_io io;  /* with a known service */
	uint64_t need_ns;    /* by which it makes the busy period longer */
	struct wide over_fj; /* its energy over idle */
	bool slowed;
};

/* The next record. -EINVAL (records), -ERANGE (times). */
int ssdpm__cap_pass(struct cap_pass *pass, const struct ssdpm_io *io,
		    struct cap_taken *ret_taken, struct ssdpm_error *reterr);

#endif
