/* SPDX-License-Identifier: MIT */
/*
 * A policy with other times than the nominal ones. Idle times are taken by
 * length, a bucket of 1/128 of it at a time: quick, and as good as the drawn
 * values are.
 */
#include "likely/internal.h"

#include <stdlib.h>

#include "base/internal.h"
#include "common/elementary.h"

static size_t count_buckets(const struct gap_profile *profile)
{
	size_t n = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		n += profile->buckets[i].n > 0;
	return n;
}

int ssdpm__subject_new(const struct gap_profile *profile, double idle_ns,
		       struct subject *ret_subject, struct ssdpm_error *reterr)
{
	size_t n = count_buckets(profile);
	struct subject subject = { .model = profile->model };
	struct likely_gap sum = { .length_ns = INFINITY };

	subject.gaps = malloc((n + 1) * sizeof(*subject.gaps));
	if (!subject.gaps)
		return ssdpm__no_memory(reterr);
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		const struct idle_sum *bucket = &profile->buckets[i];

		if (!bucket->n)
			continue;
		subject.gaps[subject.n_gaps++] = (struct likely_gap){
			(double)bucket->ns / (double)bucket->n,
			sum.shorter,
			sum.shorter_ns,
		};
		sum.shorter += (double)bucket->n;
		sum.shorter_ns += (double)bucket->ns;
	}
	subject.gaps[subject.n_gaps] = sum;
	subject.short_ns = idle_ns - sum.shorter_ns;
	*ret_subject = subject;
	return 0;
}

void ssdpm__subject_free(struct subject *subject)
{
	free(subject->gaps);
}

/* The idle times that reach a length, and how long all are up to it. */
struct reached {
	double n;
	double ns;
};

static struct reached reached(const struct subject *subject, double length_ns)
{
	const struct likely_gap *all = &subject->gaps[subject->n_gaps], *gap;
	size_t from = 0, to = subject->n_gaps;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (subject->gaps[middle].length_ns < length_ns)
			from = middle + 1;
		else
			to = middle;
	}
	gap = &subject->gaps[from];
	if (gap == all)
		return (struct reached){ 0, all->shorter_ns };
	return (struct reached){
		all->shorter - gap->shorter,
		gap->shorter_ns + (all->shorter - gap->shorter) * length_ns,
	};
}

/* All idle times; returns by how much they delay. */
static double add_gaps(struct likely_times *times,
		       const struct subject *subject)
{
	const struct chain *chain = &times->chain;
	const struct reached all = reached(subject, INFINITY);
	struct reached here =
		chain->n ? reached(subject, (double)chain->steps[0].at_ns) :
			   all;
	double delay = 0;

	times->stay_ns[chain->operational_state] += here.ns;
	for (uint32_t i = 0; i < chain->n; i++) {
		const struct chain_step *step = &chain->steps[i];
		const double resident_ns = (double)step->resident_ns;
		const struct reached resident = reached(subject, resident_ns);
		const struct reached next =
			i + 1 < chain->n ?
				reached(subject, (double)step[1].at_ns) :
				all;
		double entries = here.n * (resident_ns - (double)step->at_ns);
		double exits = (here.n - next.n) * (double)step->exit_ns;

		times->moving_ns += entries + exits;
		times->stay_ns[step->state] += next.ns - resident.ns;
		/* An entry goes on when the idle time is over. */
		delay += entries - (resident.ns - here.ns) + exits;
		here = next;
	}
	return delay;
}

/* The policy of its run; an unknown one may be any. */
static struct ssdpm_sim_params params_of(const struct subject *subject,
					 uint32_t draw)
{
	struct ssdpm_sim_params params = subject->params;

	if (ssdpm__is_lpm_unknown(subject->model, params.lpm))
		params.lpm = SSDPM_LPM_MAX_PERFORMANCE +
			     draw % (SSDPM_LPM_MIN_POWER -
				     SSDPM_LPM_MAX_PERFORMANCE + 1);
	return params;
}

int ssdpm__likely_times(const struct subject *subject, uint32_t draw,
			const struct values *values,
			struct likely_times *ret_times,
			struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params params = params_of(subject, draw);
	struct likely_times times = { .own_ns = 0 };
	int err = ssdpm__chain(subject->model, &params, values, &times.chain,
			       reterr);
	double delay;

	if (err)
		return err;
	times.stay_ns[times.chain.operational_state] = subject->short_ns;
	times.own_ns = subject->busy_ns + subject->short_ns +
		       subject->gaps[subject->n_gaps].shorter_ns +
		       subject->rest_ns;
	delay = add_gaps(&times, subject);
	/* In the open loop the arrivals stand. */
	if (params.loop == SSDPM_LOOP_CLOSED)
		times.own_ns += delay;
	*ret_times = times;
	return 0;
}

void ssdpm__likely_rest(const struct subject *subject, double end_ns,
			struct likely_times *times)
{
	const struct chain *chain = &times->chain;
	double left = subject->rest_ns + end_ns - times->own_ns, at = 0;

	for (uint32_t i = 0; i <= chain->n; i++) {
		uint32_t state = i ? chain->steps[i - 1].state :
				     chain->operational_state;
		double next = i < chain->n ? (double)chain->steps[i].at_ns :
					     (double)INFINITY;

		times->stay_ns[state] += ssdpm__min(left, next - at);
		left -= ssdpm__min(left, next - at);
		if (!(left > 0))
			return;
		at = (double)chain->steps[i].resident_ns;
		times->moving_ns += ssdpm__min(left, at - next);
		left -= ssdpm__min(left, at - next);
	}
}
