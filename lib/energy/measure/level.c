/* SPDX-License-Identifier: MIT */
/*
 * Median and MAD of a signal too long to keep: a histogram whose buckets are
 * 1/32768 of a power of two wide. Rows of buckets come into being where values
 * are; the powers of a drive need few.
 */
#include "measure/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* A bucket has the sign, the exponent and the first 15 bits of a double. */
#define DROPPED_BITS 37
#define ROW_BITS 12
#define ROW_BUCKETS (1u << ROW_BITS)
#define ROWS (1u << (64 - DROPPED_BITS - ROW_BITS))
/* The result is that good, in MADs, or there is none. */
#define MAX_ERROR 0.25
/* Quantised: so many samples for each value. */
#define QUANTUM_REPEATS 4

struct ssdpm_level {
	uint64_t n;
	uint64_t *rows[ROWS];
};

/* In the order of values, from 0 on. */
static uint32_t bucket_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
	return (uint32_t)(bits >> DROPPED_BITS);
}

/* The value at which a bucket begins, in the order of values. */
static double start_of(uint32_t bucket)
{
	uint64_t bits = (uint64_t)bucket << DROPPED_BITS;
	double value;

	bits = bits >> 63 ? bits & ~(UINT64_C(1) << 63) : ~bits;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double width_of(uint32_t bucket)
{
	return start_of(bucket + 1) - start_of(bucket);
}

static double middle_of(uint32_t bucket)
{
	return start_of(bucket) / 2 + start_of(bucket + 1) / 2;
}

int ssdpm_level_new(struct ssdpm_level **ret_level, struct ssdpm_error *reterr)
{
	struct ssdpm_level *level = calloc(1, sizeof(*level));

	if (!level)
		return ssdpm__no_memory(reterr);
	*ret_level = level;
	return 0;
}

struct ssdpm_level *ssdpm_level_free(struct ssdpm_level *level)
{
	if (!level)
		return NULL;
	for (uint32_t i = 0; i < ROWS; i++)
		free(level->rows[i]);
	free(level);
	return NULL;
}

int ssdpm_level_feed(struct ssdpm_level *level,
		     const struct ssdpm_samples *samples,
		     struct ssdpm_error *reterr)
{
	int err = ssdpm__samples_check(samples, reterr);

	if (err)
		return err;
	for (size_t i = 0; i < samples->n; i++) {
		double power_w = ssdpm__sample_w(samples, i);

		if (!isfinite(power_w))
			continue;
		uint32_t bucket = bucket_of(power_w);
		uint64_t **row = &level->rows[bucket >> ROW_BITS];

		if (!*row)
			*row = calloc(ROW_BUCKETS, sizeof(**row));
		if (!*row)
			return ssdpm__no_memory(reterr);
		(*row)[bucket % ROW_BUCKETS]++;
		level->n++;
	}
	return 0;
}

static uint64_t count_in(const struct ssdpm_level *level, uint32_t bucket)
{
	const uint64_t *row = level->rows[bucket >> ROW_BITS];

	return row ? row[bucket % ROW_BUCKETS] : 0;
}

/* The next bucket with values after (or, down, before) one; UINT32_MAX: none.
 */
static uint32_t next_used(const struct ssdpm_level *level, uint32_t bucket,
			  int step)
{
	for (;;) {
		uint32_t row = bucket >> ROW_BITS;

		bucket += (uint32_t)step;
		if (bucket >> ROW_BITS >= ROWS)
			return UINT32_MAX;
		if (!level->rows[bucket >> ROW_BITS]) {
			/* Over the whole row, to its last bucket on the way. */
			row = bucket >> ROW_BITS;
			bucket = step > 0 ?
					 row << ROW_BITS | (ROW_BUCKETS - 1) :
					 row << ROW_BITS;
			continue;
		}
		if (count_in(level, bucket))
			return bucket;
	}
}

/* The least step between two values, if many are equal; otherwise 0. */
static double find_quantum(const struct ssdpm_level *level)
{
	uint64_t distinct = 0;
	double before = 0, quantum = INFINITY;

	/* Bucket 0 is of NaN: none of them is here. */
	for (uint32_t i = next_used(level, 0, 1); i != UINT32_MAX;
	     i = next_used(level, i, 1)) {
		if (distinct++ && middle_of(i) - before < quantum)
			quantum = middle_of(i) - before;
		before = middle_of(i);
	}
	if (distinct < 2 || distinct * QUANTUM_REPEATS > level->n ||
	    (distinct == 2 && !ssdpm__are_steps(before - quantum, quantum)))
		return 0;
	return quantum;
}

static uint32_t find_rank(const struct ssdpm_level *level, uint64_t rank)
{
	uint32_t i = 0;

	for (uint64_t seen = 0; seen <= rank; seen += count_in(level, i))
		i = next_used(level, i, 1);
	return i;
}

/* The rank among distances from a value: always to the side that is nearer. */
static uint32_t find_distance(const struct ssdpm_level *level, double from,
			      uint64_t rank)
{
	uint32_t up = next_used(level, bucket_of(from) - 1, 1), at = up;
	uint32_t down = next_used(level, bucket_of(from), -1);

	for (uint64_t seen = 0; seen <= rank; seen += count_in(level, at)) {
		bool goes_up =
			down == UINT32_MAX ||
			(up != UINT32_MAX &&
			 fabs(middle_of(up) - from) <= from - middle_of(down));
		at = goes_up ? up : down;
		if (goes_up)
			up = next_used(level, up, 1);
		else
			down = next_used(level, down, -1);
	}
	return at;
}

/* Both in the middle, and what they may be off. */
static void find_middle(const struct ssdpm_level *level,
			struct ssdpm_baseline *baseline)
{
	uint64_t ranks[2] = { (level->n - 1) / 2, level->n / 2 };
	double width = 0;

	for (int i = 0; i < 2; i++) {
		uint32_t bucket = find_rank(level, ranks[i]);

		baseline->level_w += middle_of(bucket) / 2;
		width = ssdpm__max(width, width_of(bucket));
	}
	baseline->error_w = width / 2;
	for (int i = 0; i < 2; i++) {
		uint32_t bucket =
			find_distance(level, baseline->level_w, ranks[i]);

		baseline->mad_w +=
			fabs(middle_of(bucket) - baseline->level_w) / 2;
		width = ssdpm__max(width, width_of(bucket));
	}
	/* That of the level, and that of the distance. */
	baseline->error_w += width / 2;
}

int ssdpm_level_get(const struct ssdpm_level *level,
		    struct ssdpm_baseline *ret_baseline,
		    struct ssdpm_error *reterr)
{
	struct ssdpm_baseline baseline = {
		.n = level->n,
		.method = SSDPM_BASELINE_WINDOW,
	};

	if (level->n < BASELINE_MIN_SAMPLES)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "a baseline needs %d finite samples or more",
				   BASELINE_MIN_SAMPLES);
	baseline.quantum_w = find_quantum(level);
	find_middle(level, &baseline);
	baseline.sigma_w = ssdpm__max(SIGMAS_PER_MAD * baseline.mad_w,
				      baseline.quantum_w / sqrt(12));
	if (baseline.error_w >
	    MAX_ERROR * ssdpm__max(baseline.mad_w, baseline.quantum_w))
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"the signal is too quiet for one pass: keep its samples, or read it twice");
	*ret_baseline = baseline;
	return 0;
}
