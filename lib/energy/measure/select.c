/* SPDX-License-Identifier: MIT */
/*
 * Finds the median of very many values in two or three passes with little
 * memory. The passes count values below, at and above two bounds, and keep
 * those between. The bounds come from a sample, so the median nearly always
 * lies between them, with few others. Otherwise the counts tell its side, and
 * the next pass looks there. Many equal values harm other methods but not this
 * one, because it counts a bound instead of keeping it.
 */
#include "measure/internal.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "measure/lanes.h"

#define SAMPLE_VALUES 262144u
/*
 * The rank of the median in the sample has an error of half its root, one
 * sigma.
 */
#define SAMPLE_SIGMAS 4
#define KEPT_VALUES (1u << 20)

struct window {
	double low;
	double high;
};

/* How many values are below low, up to low, below high, up to high. */
struct counts {
	uint64_t below_low;
	uint64_t to_low;
	uint64_t below_high;
	uint64_t to_high;
	uint64_t finite;
};

struct kept_values {
	double *values;
	uint64_t n; /* how many belong here, even if not all fit */
};

static double value_of(double power_w, const struct selection *of)
{
	return of->distances ? fabs(power_w - of->from_w) : power_w;
}

/* Orders all possible powers as integers, so that ranges can be halved. */
static int64_t key_of_double(double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits < 0 ? INT64_MIN - bits : bits;
}

static int64_t key_of_float(float value)
{
	int32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

static double double_of_key(int64_t key)
{
	int64_t bits = key < 0 ? INT64_MIN - key : key;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double power_of_key(const struct selection *of, int64_t key)
{
	if (of->samples->type == SSDPM_SAMPLE_FLOAT64)
		return double_of_key(key);
	int32_t bits = (int32_t)(key < 0 ? INT32_MIN - key : key);
	float value;
	memcpy(&value, &bits, sizeof(value));
	return (double)value;
}

static int64_t key_of_power(const struct selection *of, double power_w)
{
	if (of->samples->type == SSDPM_SAMPLE_FLOAT64)
		return key_of_double(power_w);
	return key_of_float((float)power_w);
}

static int64_t middle_key(int64_t low, int64_t high)
{
	return (low & high) + ((low ^ high) >> 1);
}

static double max_power(const struct selection *of)
{
	return of->samples->type == SSDPM_SAMPLE_FLOAT64 ? DBL_MAX :
							   (double)FLT_MAX;
}

/* Whether a power is below the limit, or at it unless "strictly". */
static bool is_within(const struct selection *of, int64_t key, double limit,
		      bool strictly)
{
	double value = value_of(power_of_key(of, key), of);

	return strictly ? value < limit : value <= limit;
}

/*
 * The last power from near to far that is within the limit. Values grow on the
 * way, however distances are rounded; near is within the limit.
 */
static double last_within(const struct selection *of, int64_t near, int64_t far,
			  double limit, bool strictly)
{
	if (is_within(of, far, limit, strictly))
		return power_of_key(of, far);
	while (near + 1 != far && near - 1 != far) {
		int64_t middle = middle_key(near, far);

		if (is_within(of, middle, limit, strictly))
			near = middle;
		else
			far = middle;
	}
	return power_of_key(of, near);
}

/* The powers whose values are within the limit. */
static struct lane_range range_within(const struct selection *of, double limit,
				      bool strictly)
{
	double max = max_power(of);
	struct lane_range range = { max, -max };
	int64_t least = key_of_power(of, -max), most = key_of_power(of, max);

	if (!of->distances) {
		if (is_within(of, least, limit, strictly))
			range = (struct lane_range){
				-max,
				last_within(of, least, most, limit, strictly)
			};
		return range;
	}
	/* The powers next to from_w, or from_w itself. */
	int64_t down = key_of_power(of, of->from_w), up = down;
	if (power_of_key(of, down) > of->from_w)
		down--;
	if (power_of_key(of, up) < of->from_w)
		up++;
	if (is_within(of, up, limit, strictly)) {
		range.from = power_of_key(of, up);
		range.to = last_within(of, up, most, limit, strictly);
	}
	if (is_within(of, down, limit, strictly)) {
		range.from = last_within(of, down, least, limit, strictly);
		range.to = ssdpm__max(range.to, power_of_key(of, down));
	}
	return range;
}

static void scan(const struct selection *of, const struct window *window,
		 struct counts *counts, struct kept_values *kept)
{
	const struct ssdpm_samples *samples = of->samples;
	struct block_ranges ranges = {
		.ranges = { range_within(of, window->low, true),
			    range_within(of, window->low, false),
			    range_within(of, window->high, true),
			    range_within(of, window->high, false),
			    { -max_power(of), max_power(of) } },
	};

	kept->n = 0;
	for (size_t at = 0; at < samples->n; at += BLOCK_SAMPLES) {
		size_t n = samples->n - at;
		double *to = kept->values +
			     (kept->n < KEPT_VALUES ? kept->n : KEPT_VALUES);

		n = n < BLOCK_SAMPLES ? n : BLOCK_SAMPLES;
		if (samples->type == SSDPM_SAMPLE_FLOAT32)
			kept->n += ssdpm__block_ranges_floats(
				(const float *)samples->power_w + at, n,
				&ranges, to);
		else
			kept->n += ssdpm__block_ranges_doubles(
				(const double *)samples->power_w + at, n,
				&ranges, to);
	}
	if (of->distances)
		for (size_t i = 0; i < kept->n && i < KEPT_VALUES; i++)
			kept->values[i] = value_of(kept->values[i], of);
	*counts = (struct counts){
		.below_low = ranges.counts[0],
		.to_low = ranges.counts[1],
		.below_high = ranges.counts[2],
		.to_high = ranges.counts[3],
		.finite = ranges.counts[4],
	};
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * The value at index k if all were sorted (Hoare's algorithm). It reorders the
 * values; none is NaN.
 */
static double nth(double *values, size_t n, size_t k)
{
	double *begin = values, *last = values + n - 1;
	uint64_t random = 88172645463325252u;

	while (begin < last) {
		size_t length = (size_t)(last - begin) + 1;
		double pivot = begin[next_random(&random) % length];
		double *low = begin, *high = last;

		while (low <= high) {
			while (*low < pivot)
				low++;
			while (*high > pivot)
				high--;
			if (low > high)
				break;
			double value = *low;
			*low++ = *high;
			*high-- = value;
		}
		if (values + k <= high)
			last = high;
		else if (values + k >= low)
			begin = low;
		else
			break; /* all between both equal the pivot */
	}
	return values[k];
}

/* The search for one rank, and the range known so far. */
struct rank_search {
	const struct selection *of;
	struct window known; /* strictly between these */
	uint64_t below;	     /* values up to known.low */
	uint64_t between;
	struct kept_values kept; /* room for KEPT_VALUES + BLOCK_SAMPLES */
	uint64_t random;	 /* so that each sample has other places */
};

/* Samples the values in between, at places without a period. */
static size_t take_sample(struct rank_search *search)
{
	const struct ssdpm_samples *samples = search->of->samples;
	const struct window *known = &search->known;
	size_t taken = 0;

	for (size_t i = 0; i < SAMPLE_VALUES; i++) {
		size_t at = (size_t)(next_random(&search->random) % samples->n);
		double value =
			value_of(ssdpm__sample_w(samples, at), search->of);

		search->kept.values[taken] = value;
		/* This skips NaN. */
		taken += (value > known->low) & (value < known->high);
	}
	return taken;
}

static struct window halves(const struct window *known)
{
	int64_t low = key_of_double(known->low);
	int64_t high = key_of_double(known->high);
	double middle = double_of_key(middle_key(low, high));

	return (struct window){ middle, middle };
}

/* Chooses where to look for the rank next. */
static struct window choose(struct rank_search *search, uint64_t rank)
{
	struct window window = search->known;

	if (search->between <= KEPT_VALUES)
		return window;
	size_t taken = take_sample(search);

	/* It is where the sample has no value. */
	if (!taken)
		return halves(&search->known);
	double middle = (double)(rank - search->below) /
			(double)search->between * (double)taken;
	double spread = SAMPLE_SIGMAS * sqrt((double)taken) / 2;

	if (middle - spread >= 0)
		window.low = nth(search->kept.values, taken,
				 (size_t)(middle - spread));
	if (middle + spread < (double)taken)
		window.high = nth(search->kept.values, taken,
				  (size_t)(middle + spread));
	if (window.low == search->known.low &&
	    window.high == search->known.high)
		return halves(&search->known);
	return window;
}

/* Whether a scan has found the value of a rank; else narrows the range. */
static bool resolve(struct rank_search *search, const struct window *window,
		    const struct counts *counts, uint64_t rank,
		    double *ret_value)
{
	if (rank < counts->below_low) {
		search->known.high = window->low;
		search->between = counts->below_low - search->below;
		return false;
	}
	if (rank >= counts->to_high) {
		search->between -= counts->to_high - search->below;
		search->known.low = window->high;
		search->below = counts->to_high;
		return false;
	}
	if (rank < counts->to_low)
		*ret_value = window->low;
	else if (rank >= counts->below_high)
		*ret_value = window->high;
	else if (search->kept.n <= KEPT_VALUES)
		*ret_value = nth(search->kept.values, (size_t)search->kept.n,
				 (size_t)(rank - counts->to_low));
	else {
		search->known = *window;
		search->below = counts->to_low;
		search->between = counts->below_high - counts->to_low;
		return false;
	}
	return true;
}

/* Finds the two middle values, which are the same for an odd number. */
static int search_middle(struct rank_search *search, double ret_values[2],
			 uint64_t *ret_n)
{
	uint64_t n = search->of->samples->n; /* an upper limit until the scan */
	struct counts counts;
	struct rank_search start = *search;
	int found = 0;

	while (found < 2) {
		uint64_t rank = found ? n / 2 : (n - 1) / 2;
		struct window window = choose(search, rank);

		scan(search->of, &window, &counts, &search->kept);
		if (!counts.finite)
			return -ENODATA;
		if (n != counts.finite) {
			n = counts.finite;
			search->between = n;
			rank = (n - 1) / 2;
		}
		if (!resolve(search, &window, &counts, rank,
			     &ret_values[found]))
			continue;
		struct rank_search again = start;

		again.between = n;
		again.kept = search->kept;
		again.random = search->random;
		*search = again;
		if (found++ == 0 &&
		    resolve(search, &window, &counts, n / 2, &ret_values[1]))
			found++;
	}
	*ret_n = n;
	return 0;
}

int ssdpm__median(const struct selection *selection, double *ret_median,
		  uint64_t *ret_n, struct ssdpm_error *reterr)
{
	size_t n = selection->samples->n;
	struct rank_search search = {
		.of = selection,
		.known = { -INFINITY, INFINITY },
		.between = n,
		.random = 0x9e3779b97f4a7c15u,
	};
	double middle[2];

	if (!n)
		return ssdpm__fail(reterr, -ENODATA, 0, "there are no samples");
	search.kept.values = malloc(sizeof(double) *
				    ((n < KEPT_VALUES ? n : KEPT_VALUES) +
				     (n < KEPT_VALUES ? 0 : BLOCK_SAMPLES)));
	if (!search.kept.values)
		return ssdpm__no_memory(reterr);
	int err = search_middle(&search, middle, ret_n);

	free(search.kept.values);
	if (err)
		return ssdpm__fail(reterr, err, 0, "no sample is finite");
	/* Halved before the sum, which might overflow. */
	*ret_median = middle[0] == middle[1] ? middle[0] :
					       middle[0] / 2 + middle[1] / 2;
	return 0;
}
