/* SPDX-License-Identifier: MIT */
/* A histogram of times from nothing to 2^64-1 ns, fine enough for quantiles. */
#ifndef SSDPM_LIB_COMMON_HISTOGRAM_H
#define SSDPM_LIB_COMMON_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Each power of two has 2^7 buckets; values below 2^8 have one each. */
#define HISTOGRAM_BITS 7
#define HISTOGRAM_BUCKETS ((64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)

struct histogram_bucket {
	uint64_t count;
	uint64_t max; /* the largest value that fell into it */
};

/*
 * Empty where n and rows are 0, whatever is behind them: of the 116 KiB only
 * what is used is touched. A row has the buckets of a power of two.
 */
struct histogram {
	uint64_t n;
	uint64_t rows; /* bits: which are in use */
	struct histogram_bucket buckets[HISTOGRAM_BUCKETS];
};

/*
 * The bucket of a value where each power of two has 2^bits buckets. Buckets of
 * fewer bits are made of whole ones of more bits.
 */
static inline uint32_t ssdpm__log_bucket(uint64_t value, uint32_t bits)
{
	if (value >> bits == 0)
		return (uint32_t)value;
	uint32_t shift = 63 - (uint32_t)__builtin_clzll(value) - bits;
	return (shift << bits) + (uint32_t)(value >> shift);
}

/* The least value of such a bucket; it must be one that a value can have. */
uint64_t ssdpm__log_bucket_start(uint32_t bucket, uint32_t bits);

/* A row comes into use: its buckets are empty. */
void ssdpm__histogram_open(struct histogram *histogram, uint32_t row);

static inline void ssdpm__histogram_add(struct histogram *histogram,
					uint64_t value, uint64_t count)
{
	uint32_t i = ssdpm__log_bucket(value, HISTOGRAM_BITS);
	struct histogram_bucket *bucket = &histogram->buckets[i];

	if (!(histogram->rows >> (i >> HISTOGRAM_BITS) & 1))
		ssdpm__histogram_open(histogram, i >> HISTOGRAM_BITS);
	histogram->n += count;
	bucket->count += count;
	if (bucket->max < value)
		bucket->max = value;
}

/*
 * The quantile numerator / denominator (at most 1) by nearest rank, which is
 * ceil(n x numerator / denominator), at least 1. It is the largest value that
 * was seen in the bucket of the value with that rank. So it is exact if the
 * bucket held one value only. It is never below the true one, and less than
 * 1/128 of it above. 0 if nothing was added.
 */
uint64_t ssdpm__histogram_quantile(const struct histogram *histogram,
				   uint32_t numerator, uint32_t denominator);

/* to becomes like from. */
void ssdpm__histogram_copy(struct histogram *to, const struct histogram *from);

/* The counts in buckets of fewer bits: ret_counts[ssdpm__log_bucket()]. */
void ssdpm__histogram_coarse(const struct histogram *histogram, uint32_t bits,
			     uint64_t *ret_counts, size_t n);

#endif
