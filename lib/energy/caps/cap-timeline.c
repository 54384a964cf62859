/* SPDX-License-Identifier: MIT */
/* Caps that change on the fly. */
#include "caps/cap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "common/elementary.h"
#include "base/internal.h"

/* Where a walk over the segments is. */
struct timeline_walk {
	const struct ssdpm_cap_segment *segments;
	size_t at;
	uint64_t left_ns; /* of this segment */
	uint64_t wait_ns; /* of that, until the drive has changed to it */
	uint64_t now_ns;
	uint64_t end_ns;
	struct ssdpm_cap_result result; /* of this segment */
	const struct cap *cap;
};

static int check(const struct cap *cap,
		 const struct ssdpm_cap_segment *segments, size_t n,
		 uint64_t *ret_end_ns, struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	uint64_t end = 0;

	if (!n)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a timeline has 1 segment or more");
	for (size_t i = 0; i < n; i++) {
		int err = ssdpm__cap_check(cap, segments[i].cap_uw, &error);

		if (err)
			return ssdpm__fail(reterr, err, 0, "segment %zu: %s",
					   i + 1, error.message);
		err = ssdpm__cap_check_segment(&segments[i], i + 1, &end,
					       reterr);
		if (err)
			return err;
	}
	*ret_end_ns = end;
	return 0;
}

static void enter(struct timeline_walk *walk, size_t segment)
{
	walk->at = segment;
	walk->left_ns = walk->segments[segment].duration_ns;
	walk->wait_ns = walk->segments[segment].transition_ns;
	ssdpm__cap_evaluate(walk->cap, walk->segments[segment].cap_uw,
			    &walk->result);
}

static void add_span(struct ssdpm_span *sum, const struct ssdpm_span *span,
		     double weight)
{
	sum->low += weight * span->low;
	sum->nominal += weight * span->nominal;
	sum->high += weight * span->high;
}

/* While the drive changes to a cap. */
static void add_idle(const struct timeline_walk *walk, uint64_t cap_uw,
		     double weight, struct ssdpm_span *sum)
{
	struct ssdpm_span idle = walk->cap->params.idle_uw;

	idle.nominal = ssdpm__min(idle.nominal, (double)cap_uw);
	idle.high = ssdpm__min(idle.high, (double)cap_uw);
	add_span(sum, &idle, weight);
}

/* Time by what limited it. */
struct segment_limits {
	uint64_t ns[SSDPM_CAP_LIMIT_POWER + 1];
	uint32_t most;
};

static void add_limit(struct segment_limits *limits, uint32_t limit,
		      uint64_t ns)
{
	limits->ns[limit] += ns;
	if (!limits->most || limits->ns[limit] > limits->ns[limits->most])
		limits->most = limit;
}

/* The next ns of the timeline, segment by segment. */
static struct ssdpm_cap_point take(struct timeline_walk *walk, uint64_t ns)
{
	struct ssdpm_cap_point point = { .start_ns = walk->now_ns,
					 .duration_ns = ns,
					 .cap_uw = SSDPM_CAP_NONE };
	struct segment_limits limits = { 0 };

	while (ns) {
		uint64_t left = walk->wait_ns ? walk->wait_ns : walk->left_ns;
		uint64_t here = ns < left ? ns : left;
		uint64_t cap_uw = walk->segments[walk->at].cap_uw;
		double weight = (double)here / (double)point.duration_ns;

		if (walk->wait_ns) {
			add_idle(walk, cap_uw, weight, &point.power_uw);
			add_limit(&limits, SSDPM_CAP_LIMIT_POWER, here);
			walk->wait_ns -= here;
		} else {
			add_span(&point.bytes_per_s, &walk->result.bytes_per_s,
				 weight);
			add_span(&point.power_uw, &walk->result.power_uw,
				 weight);
			add_limit(&limits, walk->result.limit, here);
		}
		if (cap_uw < point.cap_uw)
			point.cap_uw = cap_uw;
		ns -= here;
		walk->now_ns += here;
		walk->left_ns -= here;
		if (!walk->left_ns && walk->now_ns < walk->end_ns)
			enter(walk, walk->at + 1);
	}
	point.limit = limits.most;
	return point;
}

int ssdpm_cap_timeline(const struct ssdpm_cap_params *params,
		       const struct ssdpm_cap_schedule *schedule,
		       struct ssdpm_cap_point *ret_points, size_t capacity,
		       size_t *ret_n, struct ssdpm_error *reterr)
{
	struct ssdpm_cap_schedule known = { .size = sizeof(known) };
	struct timeline_walk walk = { 0 };
	uint64_t n, interval_ns;
	struct cap cap;
	int err = ssdpm__cap_take(params, false, &cap, reterr);

	if (!err)
		err = ssdpm__sized_in(&known, sizeof(known), schedule,
				      "ssdpm_cap_schedule", reterr);
	if (!err)
		err = check(&cap, known.segments, known.n_segments,
			    &walk.end_ns, reterr);
	if (err)
		return err;
	walk.segments = known.segments;
	interval_ns = known.interval_ns;
	n = known.n_segments;
	if (interval_ns)
		n = (walk.end_ns - 1) / interval_ns + 1;
	if (n > SSDPM_MAX_CAP_POINTS)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "a timeline of %" PRIu64
				   " points: at most %d; take longer intervals",
				   n, SSDPM_MAX_CAP_POINTS);
	walk.cap = &cap;
	enter(&walk, 0);
	for (uint64_t i = 0; i < n && i < capacity; i++) {
		uint64_t ns = interval_ns ? interval_ns : walk.left_ns;

		if (ns > walk.end_ns - walk.now_ns)
			ns = walk.end_ns - walk.now_ns;
		ret_points[i] = take(&walk, ns);
	}
	*ret_n = (size_t)n;
	return 0;
}
