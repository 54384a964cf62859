/* SPDX-License-Identifier: MIT */
/* Quantiles and coarser buckets of a histogram of times. */
#include "common/histogram.h"

#include <string.h>

#define ROW (1u << HISTOGRAM_BITS)

void ssdpm__histogram_open(struct histogram *histogram, uint32_t row)
{
	memset(&histogram->buckets[row * ROW], 0,
	       ROW * sizeof(histogram->buckets[0]));
	histogram->rows |= UINT64_C(1) << row;
}

/* The first bucket of a row in use, from this one on. */
static uint32_t find_used(const struct histogram *histogram, uint32_t bucket)
{
	uint64_t left = 0;

	if (bucket < HISTOGRAM_BUCKETS)
		left = histogram->rows >> bucket / ROW;
	if (!left)
		return HISTOGRAM_BUCKETS;
	if (left & 1)
		return bucket;
	return (bucket / ROW + (uint32_t)__builtin_ctzll(left)) * ROW;
}

void ssdpm__histogram_copy(struct histogram *to, const struct histogram *from)
{
	to->n = from->n;
	to->rows = from->rows;
	for (uint32_t i = find_used(from, 0); i < HISTOGRAM_BUCKETS;
	     i = find_used(from, i + ROW))
		memcpy(&to->buckets[i], &from->buckets[i],
		       ROW * sizeof(to->buckets[0]));
}

uint64_t ssdpm__log_bucket_start(uint32_t bucket, uint32_t bits)
{
	if (bucket >> bits == 0)
		return bucket;
	uint32_t shift = (bucket >> bits) - 1;
	return (uint64_t)(bucket - (shift << bits)) << shift;
}

uint64_t ssdpm__histogram_quantile(const struct histogram *histogram,
				   uint32_t numerator, uint32_t denominator)
{
	/* In two parts, for n x numerator may have more than 64 bits. */
	uint64_t whole = histogram->n / denominator;
	uint64_t rest = histogram->n % denominator;
	uint64_t rank = whole * numerator +
			(rest * numerator + denominator - 1) / denominator;
	uint64_t value = 0;

	if (rank == 0)
		rank = 1;
	for (uint32_t i = find_used(histogram, 0); i < HISTOGRAM_BUCKETS;
	     i = find_used(histogram, i + 1)) {
		if (histogram->buckets[i].count == 0)
			continue;
		value = histogram->buckets[i].max;
		if (histogram->buckets[i].count >= rank)
			break;
		rank -= histogram->buckets[i].count;
	}
	return value;
}

void ssdpm__histogram_coarse(const struct histogram *histogram, uint32_t bits,
			     uint64_t *ret_counts, size_t n)
{
	memset(ret_counts, 0, n * sizeof(*ret_counts));
	for (uint32_t i = find_used(histogram, 0); i < HISTOGRAM_BUCKETS;
	     i = find_used(histogram, i + 1)) {
		uint64_t start = ssdpm__log_bucket_start(i, HISTOGRAM_BITS);
		uint32_t bucket = ssdpm__log_bucket(start, bits);

		if (bucket < n)
			ret_counts[bucket] += histogram->buckets[i].count;
	}
}
