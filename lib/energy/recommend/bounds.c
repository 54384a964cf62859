/* SPDX-License-Identifier: MIT */
#include "recommend/bounds.h"

#include "base/internal.h"
#include "base/wide.h"
#include "base/words.h"

static const struct {
	uint32_t share; /* delays last for one in so many parts of the time */
	uint32_t p99_us;
	uint32_t exit_us;
} limits[] = {
	[SSDPM_PATIENCE_NORMAL] = { 100, 25000, 100000 },
	[SSDPM_PATIENCE_PATIENT] = { 20, 100000, 1000000 },
	[SSDPM_PATIENCE_INSTANT] = { 1000, 5000, 10000 },
};

static uint64_t count_ios(const struct ssdpm_run *run)
{
	uint64_t n_ios = 0;

	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		n_ios += run->n_ios[op];
	return n_ios;
}

struct ssdpm_bounds ssdpm__default_bounds(uint32_t patience,
					  const struct ssdpm_run *run)
{
	const bool may_exceed = patience != SSDPM_PATIENCE_INSTANT;
	uint64_t sum_ns = run->duration_ns / limits[patience].share;
	const uint64_t n_ios = count_ios(run);
	struct ssdpm_bounds bounds = {
		.size = sizeof(bounds),
		.max_delay_mean_ns = UINT64_MAX,
		.max_delay_p99_ns = limits[patience].p99_us * UINT64_C(1000),
		.max_exit_latency_us = limits[patience].exit_us,
		.flags = may_exceed ? 0 : SSDPM_BOUNDS_MAY_COST,
	};

	if (may_exceed && sum_ns < run->delay_sum_ns)
		sum_ns = run->delay_sum_ns;
	if (n_ios)
		bounds.max_delay_mean_ns =
			sum_ns / n_ios + (sum_ns % n_ios != 0);
	if (may_exceed && bounds.max_delay_p99_ns < run->delay_p99_ns)
		bounds.max_delay_p99_ns = run->delay_p99_ns;
	return bounds;
}

uint64_t ssdpm__longest_exit_us(const struct chain *chain)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < chain->n; i++)
		ns = at_least(ns, chain->steps[i].exit_ns);
	return ns / 1000;
}

bool ssdpm__keeps_delays(const struct ssdpm_bounds *bounds,
			 const struct ssdpm_run *run)
{
	return run->delay_p99_ns <= bounds->max_delay_p99_ns &&
	       (bounds->max_delay_mean_ns == UINT64_MAX ||
		!wide_is_less(
			wide_product(bounds->max_delay_mean_ns, count_ios(run)),
			wide_of(run->delay_sum_ns)));
}

static const char patience_words[][8] = {
	[SSDPM_PATIENCE_NORMAL] = "normal",
	[SSDPM_PATIENCE_PATIENT] = "patient",
	[SSDPM_PATIENCE_INSTANT] = "instant",
};
ENUM_WORDS(patience)
