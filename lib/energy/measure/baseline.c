/* SPDX-License-Identifier: MIT */
/* The power of an idle drive: median and MAD, or the mode. */
#include "measure/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"
#include "base/words.h"

/* The first sample from "from" on that is, or is not, in the window. */
static size_t find(const struct ssdpm_samples *samples, size_t from,
		   bool inside, const struct ssdpm_baseline_params *window)
{
	size_t i = from;

	while (i < samples->n &&
	       (samples->time_ns[i] >= window->begin_ns &&
		samples->time_ns[i] < window->end_ns) != inside)
		i++;
	return i;
}

/* The first sample not before a time, at a steady rate. */
static size_t index_of(const struct ssdpm_samples *samples, int64_t time_ns)
{
	double steps = ((double)time_ns - (double)samples->start_ns) /
		       samples->interval_ns;

	if (steps <= 0)
		return 0;
	if (steps >= (double)samples->n)
		return samples->n;
	size_t i = (size_t)steps;

	/* Rounding is off by less than a step. */
	i -= i > 0;
	while (i < samples->n && ssdpm__sample_ns(samples, i) < time_ns)
		i++;
	return i;
}

/* The first stretch of samples in the window; all without a window. */
static struct ssdpm_samples cut_window(
	const struct ssdpm_samples *samples,
	const struct ssdpm_baseline_params *window)
{
	size_t begin, end;

	if (window->end_ns <= window->begin_ns)
		return *samples;
	if (samples->time_ns) {
		begin = find(samples, 0, true, window);
		end = find(samples, begin, false, window);
	} else {
		begin = index_of(samples, window->begin_ns);
		end = index_of(samples, window->end_ns);
	}
	return ssdpm__samples_cut(samples, begin, end);
}

/* If this many samples have few distinct values, they are quantised. */
#define QUANTUM_SAMPLES 4096
#define QUANTUM_REPEATS 4

static double find_quantum(const struct ssdpm_samples *samples)
{
	double values[QUANTUM_SAMPLES], quantum = INFINITY;
	size_t stride = samples->n / QUANTUM_SAMPLES + 1, n = 0, distinct = 1;

	for (size_t i = 0; i < samples->n; i += stride) {
		values[n] = ssdpm__sample_w(samples, i);
		n += isfinite(values[n]) != 0;
	}
	qsort(values, n, sizeof(values[0]), ssdpm__compare_doubles);
	for (size_t i = 1; i < n; i++) {
		double step = values[i] - values[i - 1];

		distinct += step > 0;
		if (step > 0 && step < quantum)
			quantum = step;
	}
	if (!isfinite(quantum) || distinct * QUANTUM_REPEATS > n ||
	    (distinct == 2 && !ssdpm__are_steps(values[0], quantum)))
		return 0;
	return quantum;
}

static int find_in_window(const struct ssdpm_samples *samples,
			  struct ssdpm_baseline *baseline,
			  struct ssdpm_error *reterr)
{
	struct selection selection = { .samples = samples };
	int err = ssdpm__median(&selection, &baseline->level_w, &baseline->n,
				reterr);
	if (err)
		return err;
	if (baseline->n < BASELINE_MIN_SAMPLES)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "a baseline needs %d finite samples or more",
				   BASELINE_MIN_SAMPLES);
	selection.distances = true;
	selection.from_w = baseline->level_w;
	uint64_t n;
	err = ssdpm__median(&selection, &baseline->mad_w, &n, reterr);
	if (err == 0)
		baseline->sigma_w = ssdpm__quantised_sigma(samples, baseline);
	return err;
}

static uint32_t method_of(const struct ssdpm_baseline_params *params)
{
	if (params->method)
		return params->method;
	return params->end_ns > params->begin_ns ? SSDPM_BASELINE_WINDOW :
						   SSDPM_BASELINE_HALF_SAMPLE;
}

int ssdpm_baseline_find(const struct ssdpm_samples *samples,
			const struct ssdpm_baseline_params *params,
			struct ssdpm_baseline *ret_baseline,
			struct ssdpm_error *reterr)
{
	struct ssdpm_baseline_params known = { .size = sizeof(known) };
	struct ssdpm_baseline baseline = { 0 };
	int err = ssdpm__samples_check(samples, reterr);

	if (err == 0)
		err = ssdpm__sized_in(&known, sizeof(known), params,
				      "ssdpm_baseline_params", reterr);
	if (err == 0)
		err = ssdpm__check_reserved(known.reserved,
					    "ssdpm_baseline_params", reterr);
	if (err)
		return err;
	if (known.method > SSDPM_BASELINE_HALF_SAMPLE)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%u is no method for a baseline",
				   known.method);
	struct ssdpm_samples window = cut_window(samples, &known);

	if (!window.n)
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"no sample is in the window of the baseline");
	baseline.quantum_w = find_quantum(&window);
	baseline.method = method_of(&known);
	if (baseline.method == SSDPM_BASELINE_WINDOW)
		err = find_in_window(&window, &baseline, reterr);
	else
		err = ssdpm__half_sample_find(&window, baseline.quantum_w,
					      &baseline, reterr);
	if (err)
		return err;
	*ret_baseline = baseline;
	return 0;
}

static const char baseline_method_words[][12] = {
	[SSDPM_BASELINE_WINDOW] = "window",
	[SSDPM_BASELINE_HALF_SAMPLE] = "half-sample",
};
ENUM_WORDS(baseline_method)
