/* SPDX-License-Identifier: MIT */
/*
 * How long a drive takes to wake, from the I/Os that wake it.
 *
 * Such an I/O takes the time that others of its kind take, and the exit
 * latency: one distribution is shifted against the other. At the true shift,
 * ranks no longer differ within each operation and size class (Hodges and
 * Lehmann 1963; van Elteren 1960). The interval holds the shifts at which the
 * test finds no difference. The test assumes no distribution, and a few very
 * long I/Os do not matter.
 */
#include "calibrate/internal.h"

#include <errno.h>
#include <stdlib.h>

/* A class needs as many I/Os of a drive that is awake. */
#define AWAKE_MIN 5

#define Z95 1.959963984540054

struct sample {
	uint32_t class;
	uint32_t asleep;
	uint32_t service_ns;
};

static uint32_t class_of(const struct ssdpm_io *io)
{
	uint32_t size = 0;

	while (io->bytes >> size > 1)
		size++;
	return io->op * 64u + size;
}

static int compare(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->asleep != y->asleep)
		return x->asleep < y->asleep ? -1 : 1;
	return (x->service_ns > y->service_ns) -
	       (x->service_ns < y->service_ns);
}

/* One class: the I/Os awake come first, and both parts are sorted. */
struct stratum {
	const struct sample *samples;
	size_t n_awake;
	size_t n_wakes;
};

/* How many of n are below a time; an equal one counts as half. */
static double count_below(const struct sample *samples, size_t n,
			  double time_ns)
{
	size_t below = 0, above = n;

	while (below < above) {
		size_t middle = below + (above - below) / 2;

		if (samples[middle].service_ns < time_ns)
			below = middle + 1;
		else
			above = middle;
	}
	size_t equal = below;

	while (equal < n && samples[equal].service_ns <= time_ns)
		equal++;
	return 0.5 * (double)(below + equal);
}

/* The difference of the ranks, in standard errors; it falls with the shift. */
static double difference(const struct stratum *strata, size_t n, double shift)
{
	double sum = 0, variance = 0;

	for (size_t k = 0; k < n; k++) {
		const struct stratum *stratum = &strata[k];
		double weight =
			1 / (double)(stratum->n_awake + stratum->n_wakes + 1);
		double pairs =
			(double)stratum->n_awake * (double)stratum->n_wakes;

		for (size_t i = 0; i < stratum->n_wakes; i++) {
			const struct sample *wake =
				&stratum->samples[stratum->n_awake + i];

			sum += weight * count_below(stratum->samples,
						    stratum->n_awake,
						    wake->service_ns - shift);
		}
		sum -= weight * pairs / 2;
		variance += weight * pairs / 12;
	}
	return sum / sqrt(variance);
}

/* The shift at which the difference is this many standard errors. */
static double shift_at(const struct stratum *strata, size_t n, double errors)
{
	double low = -4.4e9, high = 4.4e9;

	while (high - low > 1) {
		double middle = (low + high) / 2;

		if (difference(strata, n, middle) > errors)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

static size_t take(const struct drawn_course *course, uint32_t state,
		   struct sample *samples)
{
	size_t n = 0;

	for (size_t i = 0; i < course->n_arrivals; i++) {
		const struct arrival *arrival = &course->arrivals[i];
		const struct ssdpm_io *io = &course->ios[arrival->io];
		bool wakes = arrival->phase == SSDPM_PHASE_RESIDENT;

		if (wakes ? arrival->state != state :
			    arrival->phase != SSDPM_PHASE_IDLE)
			continue;
		samples[n++] =
			(struct sample){ class_of(io), wakes, io->service_ns };
	}
	qsort(samples, n, sizeof(samples[0]), compare);
	return n;
}

/* The classes that have enough I/Os of both. */
static size_t find_strata(const struct sample *samples, size_t n,
			  struct stratum *strata, size_t *ret_wakes)
{
	size_t n_strata = 0, wakes = 0;

	for (size_t i = 0; i < n;) {
		struct stratum stratum = { .samples = &samples[i] };
		uint32_t class = samples[i].class;

		for (; i < n && samples[i].class == class; i++) {
			stratum.n_awake += !samples[i].asleep;
			stratum.n_wakes += samples[i].asleep;
		}
		if (stratum.n_awake < AWAKE_MIN || !stratum.n_wakes)
			continue;
		strata[n_strata++] = stratum;
		wakes += stratum.n_wakes;
	}
	*ret_wakes = wakes;
	return n_strata;
}

int ssdpm__exit_measure(const struct drawn_course *course, uint32_t state,
			struct wake_latency *ret_latency)
{
	struct sample *samples = calloc(course->n_ios, sizeof(*samples));
	struct stratum *strata = calloc(course->n_ios, sizeof(*strata));
	struct wake_latency latency = { 0 };
	int err = samples && strata ? 0 : -ENOMEM;

	if (err == 0) {
		size_t n = take(course, state, samples);

		n = find_strata(samples, n, strata, &latency.n);
		if (latency.n >= WAKES_MIN) {
			latency.nominal_ns =
				ssdpm__max(0, shift_at(strata, n, 0));
			latency.low_ns =
				ssdpm__max(0, shift_at(strata, n, Z95));
			latency.high_ns =
				ssdpm__max(0, shift_at(strata, n, -Z95));
		}
		*ret_latency = latency;
	}
	free(samples);
	free(strata);
	return err;
}
