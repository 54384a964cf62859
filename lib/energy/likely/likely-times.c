/* SPDX-License-Identifier: MIT */
/*
 * A policy with other times than the nominal ones. Idle times are taken by
 * length, a bucket of 1/128 of it at a time: quick, and as good as the drawn
 * values are.
 */
#include "likely/likely.h"

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
	struct subject subject = {
		.model = profile->model,
		.shorter_ns = idle_ns,
	};

	subject.gaps = malloc((n ? n : 1) * sizeof(*subject.gaps));
	if (!subject.gaps)
		return ssdpm__no_memory(reterr);
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		const struct idle_sum *bucket = &profile->buckets[i];

		if (!bucket->n)
			continue;
		subject.gaps[subject.n_gaps++] = (struct likely_gap){
			(double)bucket->n,
			(double)bucket->ns,
		};
		subject.shorter_ns -= (double)bucket->ns;
	}
	*ret_subject = subject;
	return 0;
}

void ssdpm__subject_free(struct subject *subject)
{
	free(subject->gaps);
}

/* One length; returns by how much they delay. */
static double add_gaps(struct likely_times *times, double n, double ns)
{
	const struct chain *chain = &times->chain;
	const double length = ns / n;

	if (!chain->n || length < (double)chain->steps[0].at_ns) {
		times->stay_ns[chain->operational_state] += ns;
		return 0;
	}
	times->stay_ns[chain->operational_state] +=
		n * (double)chain->steps[0].at_ns;
	for (uint32_t i = 0;; i++) {
		const struct chain_step *step = &chain->steps[i];
		double resident = (double)step->resident_ns;
		double left = length - resident;

		times->moving_ns += n * (resident - (double)step->at_ns);
		if (i + 1 < chain->n && length >= (double)step[1].at_ns) {
			times->stay_ns[step->state] +=
				n * ((double)step[1].at_ns - resident);
			continue;
		}
		times->stay_ns[step->state] += n * ssdpm__max(left, 0);
		times->moving_ns += n * (double)step->exit_ns;
		return n * (ssdpm__max(-left, 0) + (double)step->exit_ns);
	}
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
	double delay = 0;

	if (err)
		return err;
	times.stay_ns[times.chain.operational_state] = subject->shorter_ns;
	times.own_ns =
		subject->busy_ns + subject->shorter_ns + subject->rest_ns;
	for (size_t i = 0; i < subject->n_gaps; i++) {
		times.own_ns += subject->gaps[i].ns;
		delay += add_gaps(&times, subject->gaps[i].n,
				  subject->gaps[i].ns);
	}
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
