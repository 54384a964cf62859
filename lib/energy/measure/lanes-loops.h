/* SPDX-License-Identifier: MIT */
/* The loops of block.c for samples of one type: REAL. No include guard. */
typedef REAL VECTOR __attribute__((vector_size(VECTOR_BYTES)));
typedef INTEGER MASK __attribute__((vector_size(VECTOR_BYTES)));

#define LANES (VECTOR_BYTES / sizeof(REAL))
#define VECTORS (GROUP / LANES)

static inline uint64_t NAME(total)(MASK counts)
{
	uint64_t total = 0;

	for (size_t lane = 0; lane < LANES; lane++)
		total += (uint64_t)-counts[lane];
	return total;
}

static inline bool NAME(any)(MASK mask)
{
	uint64_t words[VECTOR_BYTES / sizeof(uint64_t)];

	memcpy(words, &mask, sizeof(words));
	return words[0] | words[1];
}

double NAME(sum)(const REAL *power_w, size_t n)
{
	double sums[8] = { 0 };
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		for (size_t lane = 0; lane < 8; lane++)
			sums[lane] += (double)power_w[i + lane];
	}
	for (; i < n; i++)
		sums[0] += (double)power_w[i];
	double even = (sums[0] + sums[2]) + (sums[4] + sums[6]);
	double odd = (sums[1] + sums[3]) + (sums[5] + sums[7]);
	return even + odd;
}

/* n is a multiple of the lanes, and fits into INTEGER. */
static inline struct block_extremes NAME(vector_extremes)(const REAL *power_w,
							  size_t n, REAL min,
							  REAL next, REAL max)
{
	MASK at_max = { 0 }, at_next = { 0 }, above_next = { 0 }, less = { 0 };

	for (size_t i = 0; i < n; i += LANES) {
		VECTOR values;

		memcpy(&values, power_w + i, sizeof(values));
		at_max += values == max;
		at_next += values == next;
		above_next += values > next;
		less |= values < min;
	}
	uint64_t n_at_max = NAME(total)(at_max);

	/* Samples above the next value that are not the largest are new. */
	return (struct block_extremes){
		.n_at_max = n_at_max,
		.n_at_next = NAME(total)(at_next),
		.new = NAME(any)(less) || NAME(total)(above_next) != n_at_max,
	};
}

struct block_extremes NAME(extremes)(const REAL *power_w, size_t n, double min,
				     double next, double max)
{
	size_t whole = n - n % LANES;
	struct block_extremes found = NAME(vector_extremes)(
		power_w, whole, (REAL)min, (REAL)next, (REAL)max);

	for (size_t i = whole; i < n; i++) {
		double value = (double)power_w[i];

		found.n_at_max += value == max;
		found.n_at_next += value == next;
		found.new |= value < min || (value > next && value != max);
	}
	return found;
}

struct block_steps NAME(steps)(const REAL *power_w, const int64_t *time_ns,
			       size_t n, uint64_t max_gap_ns)
{
	struct block_steps steps = { .min_step_ns = UINT64_MAX };
	uint64_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		const int64_t *at = time_ns + i;
		const REAL *power = power_w + i;
		uint64_t step = (uint64_t)at[0] - (uint64_t)at[-1];

		/*
		 * A step of 0 becomes the largest number, a backward one
		 * exceeds 2^63.
		 */
		bad |= step - 1 >= max_gap_ns;
		steps.min_step_ns =
			step < steps.min_step_ns ? step : steps.min_step_ns;
		steps.max_step_ns =
			step > steps.max_step_ns ? step : steps.max_step_ns;
		steps.sum += ((double)power[0] + (double)power[-1]) *
			     (double)(int64_t)step;
	}
	steps.bad = bad;
	return steps;
}

/* Keeps a few samples one by one. */
static size_t NAME(keep)(const REAL *power_w, size_t n,
			 const struct block_ranges *ranges, double *kept)
{
	const struct lane_range *inner = &ranges->ranges[1];
	const struct lane_range *outer = &ranges->ranges[2];
	size_t n_kept = 0;

	for (size_t i = 0; i < n; i++) {
		double value = (double)power_w[i];

		kept[n_kept] = value;
		n_kept += (value >= outer->from) & (value <= outer->to) &
			  !((value >= inner->from) & (value <= inner->to));
	}
	return n_kept;
}

/* Groups whose counts fit into INTEGER. */
static size_t NAME(groups)(const REAL *power_w, size_t n_groups,
			   struct block_ranges *ranges, double *kept)
{
	VECTOR from[N_RANGES], to[N_RANGES];
	MASK counts[N_RANGES] = { { 0 } };
	size_t n_kept = 0;

	for (int k = 0; k < N_RANGES; k++) {
		from[k] = (VECTOR){ 0 } + (REAL)ranges->ranges[k].from;
		to[k] = (VECTOR){ 0 } + (REAL)ranges->ranges[k].to;
	}
	for (size_t group = 0; group < n_groups; group++) {
		const REAL *at = power_w + group * GROUP;
		MASK between = { 0 };

#pragma GCC unroll 1 /* four times the code is not faster */
		for (size_t i = 0; i < VECTORS; i++) {
			MASK in[N_RANGES];
			VECTOR values;

			memcpy(&values, at + i * LANES, sizeof(values));
			/* A true lane is -1. */
			for (int k = 0; k < N_RANGES; k++) {
				in[k] = (values >= from[k]) & (values <= to[k]);
				counts[k] += in[k];
			}
			between |= in[2] & ~in[1];
		}
		if (NAME(any)(between))
			n_kept += NAME(keep)(at, GROUP, ranges, kept + n_kept);
	}
	for (int k = 0; k < N_RANGES; k++)
		ranges->counts[k] += NAME(total)(counts[k]);
	return n_kept;
}

size_t NAME(ranges)(const REAL *power_w, size_t n, struct block_ranges *ranges,
		    double *kept)
{
	size_t n_groups = n / GROUP;
	size_t n_kept = NAME(groups)(power_w, n_groups, ranges, kept);

	for (size_t i = n_groups * GROUP; i < n; i++) {
		double value = (double)power_w[i];

		for (int k = 0; k < N_RANGES; k++)
			ranges->counts[k] += value >= ranges->ranges[k].from &&
					     value <= ranges->ranges[k].to;
		n_kept += NAME(keep)(power_w + i, 1, ranges, kept + n_kept);
	}
	return n_kept;
}

#undef LANES
#undef VECTORS
