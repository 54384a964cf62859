/* SPDX-License-Identifier: MIT */
/*
 * The noise of a signal whose steps are about as large as the noise, or larger.
 * Median and MAD are then whole steps, which are too coarse. For normal noise,
 * the shares below two edges between steps tell how many sigmas lie between
 * them.
 */
#include "measure/internal.h"

/* Steps to each side of the level. */
#define REACH 32
#define CELLS (2 * REACH + 1)
/* A larger MAD is accurate enough. */
#define MAX_STEPS 4
#define BISECTIONS 40
/* A longer series is thinned to this many samples, evenly spaced. */
#define MAX_COUNTED (1u << 18)
#define MAX_SIGMAS 8

/* Shares of the samples; before[i]: those below step i. */
struct quantum_steps {
	double before[CELLS + 1];
	double least; /* half a sample; smaller shares equal 0 or 1 */
};

static bool count(const struct ssdpm_samples *samples,
		  const struct ssdpm_baseline *baseline,
		  struct quantum_steps *steps)
{
	uint64_t counts[CELLS] = { 0 }, below = 0, n = 0;
	size_t stride = samples->n / MAX_COUNTED + 1;

	for (size_t i = 0; i < samples->n; i += stride) {
		double at = (ssdpm__sample_w(samples, i) - baseline->level_w) /
				    baseline->quantum_w +
			    REACH + 0.5;

		if (!isfinite(at))
			continue;
		n++;
		if (at < 0)
			below++;
		else if (at < CELLS)
			counts[(size_t)at]++;
	}
	for (size_t i = 0; i <= CELLS; i++) {
		steps->before[i] = (double)below / (double)n;
		below += i < CELLS ? counts[i] : 0;
	}
	steps->least = 0.5 / (double)n;
	return n >= BASELINE_MIN_SAMPLES;
}

/* How many sigmas below (or above) its mean a normal one has this share. */
static double normal_quantile(double share)
{
	double low = -MAX_SIGMAS, high = MAX_SIGMAS;

	for (int i = 0; i < BISECTIONS; i++) {
		double middle = (low + high) / 2;

		if (ssdpm__erfc(-middle / sqrt(2)) / 2 < share)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The noise from the edges next to the quartiles, and outside of them. */
static double noise_of(const struct quantum_steps *steps)
{
	size_t low = 0, high = CELLS;

	while (low < CELLS && steps->before[low + 1] <= 0.25)
		low++;
	while (high > 0 && steps->before[high - 1] >= 0.75)
		high--;
	double from = ssdpm__max(steps->before[low], steps->least);
	double to = ssdpm__min(steps->before[high], 1 - steps->least);

	return (double)(high - low) /
	       (normal_quantile(to) - normal_quantile(from));
}

double ssdpm__quantised_sigma(const struct ssdpm_samples *samples,
			      const struct ssdpm_baseline *baseline)
{
	double quantum_w = baseline->quantum_w;
	double least = quantum_w / sqrt(12);
	double sigma = SIGMAS_PER_MAD * baseline->mad_w;
	struct quantum_steps steps;

	if (quantum_w <= 0 || baseline->mad_w > MAX_STEPS * quantum_w ||
	    !count(samples, baseline, &steps))
		return ssdpm__max(sigma, least);
	sigma = quantum_w * noise_of(&steps);
	/* The noise of the measurement and of the steps. */
	return sqrt(sigma * sigma + least * least);
}
