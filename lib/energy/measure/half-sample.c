/* SPDX-License-Identifier: MIT */
/*
 * Finds the baseline if the idle times are unknown: the lowest value around
 * which samples crowd.
 *
 * The half-sample mode (Robertson and Cryer 1974; Bickel and Fruehwirth 2006)
 * takes the densest half of the samples, again and again. It finds the crowd,
 * but its exact place only roughly. The median of the crowd's members refines
 * it. The spread comes from the samples below it, where no work is. An idle
 * drive draws less than a working one, so a crowd below the one found is the
 * baseline instead.
 */
#include "measure/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

/* A longer series is thinned to this many samples, evenly spaced. */
#define MAX_SAMPLES (1u << 17)
/*
 * A crowd has at least this share of all samples. Samples more sigmas away are
 * not in it.
 */
#define CROWD_SHARE 0.1
#define CROWD_SIGMAS 3.0
#define REFINEMENTS 20
/* The first reach has this many samples, or this share of all. */
#define FIRST_SAMPLES 30
#define FIRST_SHARE 0.01
#define SHELL_SHARE 0.4
#define SHELL_GROWS 1.1
/* A crowd this far below another one is separate. */
#define LOWER_SIGMAS 4.5

/*
 * Samples above a baseline move it by at most this share, and at most this
 * share of samples lies far below it. Otherwise the drive idles elsewhere.
 */
#define MAX_SHIFT 0.01
#define MAX_LOWER 0.005

/* Where the densest part of sorted values begins. */
static size_t find_densest(const double *values, size_t n, size_t part)
{
	size_t best = 0;

	for (size_t i = 1; i + part <= n; i++)
		if (values[i + part - 1] - values[i] <
		    values[best + part - 1] - values[best])
			best = i;
	return best;
}

/* The half-sample mode of sorted values. */
static double half_sample_mode(const double *values, size_t n)
{
	/*
	 * Half of the samples may be at work, so the densest tenth comes first.
	 */
	size_t part = (size_t)ssdpm__ceil(CROWD_SHARE * (double)n);

	values += find_densest(values, n, part);
	n = part;
	while (n > 2) {
		size_t half = (n + 1) / 2;

		if (n == 3)
			return values[1] - values[0] < values[2] - values[1] ?
				       (values[0] + values[1]) / 2 :
				       (values[1] + values[2]) / 2;
		values += find_densest(values, n, half);
		n = half;
	}
	return (values[0] + values[n - 1]) / 2;
}

/* How many sorted values are below a limit. */
static size_t count_below(const double *values, size_t n, double limit)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (values[middle] < limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double median_sorted(const double *values, size_t n)
{
	return values[(n - 1) / 2] / 2 + values[n / 2] / 2;
}

/* Sorted samples and the crowd among them. */
struct crowd {
	const double *values;
	size_t n;
	double quantum;
	double level;
	double sigma;
	size_t begin;
	size_t end; /* of its members */
};

/* Finds the members of the crowd from its level and sigma. */
static void gather(struct crowd *crowd)
{
	double reach = CROWD_SIGMAS * crowd->sigma;

	crowd->begin =
		count_below(crowd->values, crowd->n, crowd->level - reach);
	crowd->end = count_below(crowd->values, crowd->n,
				 ssdpm__next_up(crowd->level + reach));
}

/*
 * A first spread, from the samples below the mode. A normal distribution has
 * 0.4 times as many from one to two sigmas below it as within one.
 */
static double first_sigma(const struct crowd *crowd, double least)
{
	size_t top = count_below(crowd->values, crowd->n,
				 ssdpm__next_up(crowd->level));
	size_t most = (size_t)ssdpm__max(FIRST_SAMPLES,
					 FIRST_SHARE * (double)crowd->n);
	size_t n = top < most ? top : most;
	double reach = ssdpm__max(crowd->level - crowd->values[top - n], least);

	while (reach > 0) {
		size_t one =
			count_below(crowd->values, top, crowd->level - reach);
		size_t two = count_below(crowd->values, top,
					 crowd->level - 2 * reach);

		if ((double)(one - two) <= SHELL_SHARE * (double)(top - one))
			return reach;
		reach *= SHELL_GROWS;
	}
	return least;
}

/* Fits a crowd; the mode is one of the n_low lowest. */
static void fit(struct crowd *crowd, size_t n_low)
{
	double least = crowd->quantum / sqrt(12);

	crowd->level = half_sample_mode(crowd->values, n_low);
	crowd->sigma = first_sigma(crowd, least);
	for (int i = 0; i < REFINEMENTS; i++) {
		double before = crowd->level;

		gather(crowd);
		if (crowd->begin == crowd->end)
			return;
		crowd->level = median_sorted(crowd->values + crowd->begin,
					     crowd->end - crowd->begin);
		/* The spread below the level, where no work is. */
		size_t below = count_below(crowd->values, crowd->n,
					   ssdpm__next_up(crowd->level));
		double near = crowd->level -
			      median_sorted(crowd->values + crowd->begin,
					    below - crowd->begin);

		crowd->sigma = ssdpm__max(SIGMAS_PER_MAD * near, least);
		if (crowd->level == before)
			return;
	}
}

/*
 * Whether it is a crowd, not a drifting level or restless signals. Nine of ten
 * samples below the level are within 2.44 times the distance of five of ten, if
 * normal. If evenly spread, the factor is 1.8. A few steps of an instrument
 * cannot show this.
 */
static bool is_crowd(const struct crowd *crowd, size_t n_all)
{
	size_t below = count_below(crowd->values, crowd->n,
				   ssdpm__next_up(crowd->level)) -
		       crowd->begin;
	const double *values = crowd->values + crowd->begin;

	if ((double)(crowd->end - crowd->begin) < CROWD_SHARE * (double)n_all)
		return false;
	if (below < 100 || crowd->sigma < 2 * crowd->quantum)
		return true;
	return crowd->level - values[below / 10] >=
	       2 * (crowd->level - values[below / 2]);
}

/*
 * How far tails of work above a baseline move the median of its crowd. Only
 * noise lies from two to four sigmas below. The excess at this distance above
 * is work, and work is as dense nearer to the level. Within three sigmas, it is
 * half as much again, and moves the median by half of this. A normal
 * distribution has 0.4 of its members for each sigma there. A few steps of an
 * instrument cannot show this.
 */
static double shift_of(const struct crowd *crowd)
{
	double near = 2 * crowd->sigma, far = 4 * crowd->sigma;
	size_t all = crowd->end - crowd->begin;

	if (crowd->sigma < crowd->quantum || !all)
		return 0;
	size_t above =
		count_below(crowd->values, crowd->n, crowd->level + far) -
		count_below(crowd->values, crowd->n, crowd->level + near);
	size_t below =
		count_below(crowd->values, crowd->n, crowd->level - near) -
		count_below(crowd->values, crowd->n, crowd->level - far);

	if (above <= below)
		return 0;
	return 1.5 / 2 / 0.4 * crowd->sigma * (double)(above - below) /
	       (double)all;
}

/* Whether little lies below it, and nothing above moves it much. */
static bool is_lowest(const struct crowd *crowd, double shift)
{
	size_t lower = count_below(crowd->values, crowd->n,
				   crowd->level - LOWER_SIGMAS * crowd->sigma);

	return (double)lower <= MAX_LOWER * (double)crowd->n &&
	       shift <= MAX_SHIFT * fabs(crowd->level);
}

static struct crowd find_lowest(const double *values, size_t n, double quantum)
{
	struct crowd lowest = { .values = values, .n = n, .quantum = quantum };
	size_t n_low = n;

	for (;;) {
		struct crowd crowd = lowest;

		fit(&crowd, n_low);
		/* The crowd may have grown into the one above it. */
		if (n_low < n && !(crowd.level < lowest.level))
			return lowest;
		lowest = crowd;
		n_low = count_below(values, n,
				    crowd.level - LOWER_SIGMAS * crowd.sigma);
		if ((double)n_low < CROWD_SHARE * (double)n)
			return lowest;
	}
}

/*
 * Spreads sorted values on the steps of an instrument evenly over their step.
 * Otherwise the densest ones would always be those of one step.
 */
static void spread(double *values, size_t n, double quantum)
{
	for (size_t i = 0, next; i < n; i = next) {
		double value = values[i];

		for (next = i + 1;
		     next < n && values[next] - value < quantum / 2;)
			next++;
		for (size_t k = i; k < next; k++)
			values[k] =
				value + quantum * (((double)(k - i) + 0.5) /
							   (double)(next - i) -
						   0.5);
	}
}

/* Return: how many finite values were copied and sorted. */
static size_t take_values(const struct ssdpm_samples *samples, double *values,
			  size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < room; i++) {
		size_t at =
			(size_t)((double)i / (double)room * (double)samples->n);

		values[n] = ssdpm__sample_w(samples, at);
		n += isfinite(values[n]) != 0;
	}
	qsort(values, n, sizeof(values[0]), ssdpm__compare_doubles);
	return n;
}

static struct ssdpm_samples members_of(const struct crowd *crowd)
{
	return (struct ssdpm_samples){
		.power_w = crowd->values + crowd->begin,
		.n = crowd->end - crowd->begin,
		.interval_ns = 1,
		.type = SSDPM_SAMPLE_FLOAT64,
	};
}

static int median_distance(const struct crowd *crowd, double *ret_mad)
{
	struct ssdpm_samples members = members_of(crowd);
	struct selection selection = { &members, true, crowd->level };
	uint64_t finite;

	return ssdpm__median(&selection, ret_mad, &finite, NULL);
}

/*
 * The sigma of a quantised signal, from the counts on its steps. power_w is on
 * a step, and the members are spread over the steps.
 */
static double sigma_of(const struct crowd *crowd, double power_w,
		       const struct ssdpm_baseline *baseline)
{
	struct ssdpm_samples members = members_of(crowd);
	struct ssdpm_baseline on_step = *baseline;
	double steps = (crowd->level - power_w) / crowd->quantum;

	if (!(crowd->quantum > 0))
		return crowd->sigma;
	on_step.level_w = power_w + crowd->quantum * ssdpm__floor(steps + 0.5);
	return ssdpm__min(crowd->sigma,
			  ssdpm__quantised_sigma(&members, &on_step));
}

int ssdpm__half_sample_find(const struct ssdpm_samples *samples,
			    double quantum_w, struct ssdpm_baseline *baseline,
			    struct ssdpm_error *reterr)
{
	size_t room = samples->n < MAX_SAMPLES ? samples->n : MAX_SAMPLES;
	double *values = malloc(sizeof(values[0]) * (room + 1));
	int err = 0;

	if (!values)
		return ssdpm__no_memory(reterr);
	size_t n = take_values(samples, values, room);
	struct crowd crowd = { 0 };
	double on_step_w = values[0];

	if (n < BASELINE_MIN_SAMPLES) {
		err = ssdpm__fail(reterr, -ENODATA, 0,
				  "a baseline needs %d finite samples or more",
				  BASELINE_MIN_SAMPLES);
		goto out;
	}
	if (quantum_w > 0)
		spread(values, n, quantum_w);
	crowd = find_lowest(values, n, quantum_w);
	if (!is_crowd(&crowd, n)) {
		err = ssdpm__fail(
			reterr, -EDOM, 0,
			"no level stands out as that of an idle drive: say when it idles");
		goto out;
	}
	double shift = shift_of(&crowd);

	if (!is_lowest(&crowd, shift)) {
		err = ssdpm__fail(
			reterr, -EDOM, 0,
			"the level may not be that of an idle drive: samples are below it, or work is close above it. Say when the drive idles");
		goto out;
	}
	crowd.level -= shift;
	baseline->level_w = crowd.level;
	baseline->n = n;
	err = median_distance(&crowd, &baseline->mad_w);
	/* The standard error of a median. */
	baseline->error_w =
		1.2533 * crowd.sigma / sqrt((double)(crowd.end - crowd.begin));
	baseline->sigma_w = sigma_of(&crowd, on_step_w, baseline);
	if (err)
		err = ssdpm__fail(reterr, err, 0, "out of memory");
out:
	free(values);
	return err;
}
