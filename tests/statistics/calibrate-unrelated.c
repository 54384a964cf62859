/* SPDX-License-Identifier: MIT */
/*
 * How often a calibration refuses power of another run than the I/Os, and how
 * often power of the same run. The same counts must find each planted fault.
 */
#include "calibrate-truth.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "binomial.h"

/* The origin of the power. */
enum origin {
	SAME_RUN,
	OTHER_RUN,
	OTHER_DRIVE,
	BLOCKS, /* of the same run, in another order */
	SHUFFLED,
	REVERSED,
	LATER, /* the same run, a tenth of it or more away */
	WAVE,
	WALK,
	NOISE,
	N_ORIGINS,
};

static const char *const names[N_ORIGINS] = {
	[SAME_RUN] = "the same run",
	[OTHER_RUN] = "another run of the drive",
	[OTHER_DRIVE] = "a run of another drive",
	[BLOCKS] = "blocks of the run in another order",
	[SHUFFLED] = "samples of the run in another order",
	[REVERSED] = "the run backwards",
	[LATER] = "another time of the run",
	[WAVE] = "a wave",
	[WALK] = "a random walk",
	[NOISE] = "noise",
};

static size_t below(uint64_t *seed, size_t n)
{
	return (size_t)((double)n * truth_uniform(seed));
}

/* Shuffles blocks of this many samples. */
static void shuffle(struct truth_run *run, size_t block, uint64_t *seed)
{
	size_t n = run->n / block;
	double *from = malloc(run->n * sizeof(*from));
	size_t *order = calloc(n, sizeof(*order));

	memcpy(from, run->power_w, run->n * sizeof(*from));
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i-- > 1;) {
		size_t j = below(seed, i + 1), k = order[i];

		order[i] = order[j];
		order[j] = k;
	}
	for (size_t i = 0; i < n; i++)
		memcpy(&run->power_w[i * block], &from[order[i] * block],
		       block * sizeof(*from));
	free(order);
	free(from);
}

static void turn(struct truth_run *run, size_t by)
{
	double *from = malloc(run->n * sizeof(*from));

	memcpy(from, run->power_w, run->n * sizeof(*from));
	for (size_t i = 0; i < run->n; i++)
		run->power_w[i] = from[(i + by) % run->n];
	free(from);
}

static void reverse(struct truth_run *run)
{
	for (size_t i = 0; i < run->n / 2; i++) {
		double value = run->power_w[i];

		run->power_w[i] = run->power_w[run->n - 1 - i];
		run->power_w[run->n - 1 - i] = value;
	}
}

/*
 * Takes a part of a longer run, because all runs begin with I/Os and end idle.
 */
static void take_other(struct truth_run *run, const struct truth *truth,
		       double step_s, uint64_t *seed)
{
	struct truth_run other = truth_run(
		truth, 2 * run->n + (size_t)(8 / step_s), step_s, seed);

	memcpy(run->power_w, other.power_w + below(seed, run->n),
	       run->n * sizeof(double));
	truth_run_free(&other);
}

static void make_signal(struct truth_run *run, enum origin origin,
			const struct truth *truth, uint64_t *seed)
{
	double period = (double)run->n / (2 + 60 * truth_uniform(seed));
	double noise = 0, walk = 0;

	for (size_t i = 0; i < run->n; i++) {
		noise = truth->phi * noise + truth_normal(seed);
		walk += 0.05 * truth_normal(seed);
		run->power_w[i] = 2 + truth->sigma_w * noise;
		if (origin == WAVE)
			run->power_w[i] +=
				sin(6.283185307179586 * (double)i / period);
		if (origin == WALK)
			run->power_w[i] += walk;
	}
}

static void replace(struct truth_run *run, enum origin origin,
		    const struct truth *truth, double step_s, uint64_t *seed)
{
	struct truth other =
		truth->lpm ? truth_random_sata(seed) : truth_random(seed);

	if (origin == OTHER_RUN)
		take_other(run, truth, step_s, seed);
	else if (origin == OTHER_DRIVE)
		take_other(run, &other, step_s, seed);
	else if (origin == BLOCKS)
		shuffle(run, run->n / (10 + below(seed, 90)), seed);
	else if (origin == SHUFFLED)
		shuffle(run, 1, seed);
	else if (origin == REVERSED)
		reverse(run);
	else if (origin == LATER)
		turn(run, run->n / 10 + below(seed, run->n * 8 / 10));
	else if (origin >= WAVE)
		make_signal(run, origin, truth, seed);
}

/*
 * A contradicted fit has no powers. Nor has one whose zero walks so far that no
 * power is certain.
 */
static bool tells_power(const struct ssdpm_calibration *calibration)
{
	for (size_t i = 0; i < calibration->n_measured; i++) {
		const struct ssdpm_measured *one = &calibration->measured[i];

		if (one->status == SSDPM_MEASURED_KNOWN &&
		    one->kind != SSDPM_PARAMETER_EXIT_LATENCY)
			return true;
	}
	return false;
}

/*
 * Whether the power is refused for this reason, or at least no power is known.
 */
static bool is_refused(enum origin origin, unsigned int i, bool aligned)
{
	static struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
	struct truth truth =
		i % 3 == 2 ? truth_random_sata(&seed) : truth_random(&seed);
	size_t rows = 1000 + below(&seed, 1000);
	double step_s = 0.02 + 0.08 * truth_uniform(&seed);

	truth.offset_ns = 0;
	struct truth_run run = truth_run(&truth, rows, step_s, &seed);
	struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.max_offset_ns = aligned ? 0 : 1000000000,
	};
	struct ssdpm_calibration calibration;
	struct ssdpm_error error;

	replace(&run, origin, &truth, step_s, &seed);
	int err =
		truth_calibrate(&run, &params, measured, &calibration, &error);

	truth_run_free(&run);
	if (err && err != -EDOM)
		printf("case %u: %s\n", i, error.message);
	return err == -EDOM || (!err && !tells_power(&calibration));
}

/* Faults that a library could have. */
enum bias {
	GULLIBLE, /* takes one of five that it should refuse */
	JEALOUS,  /* refuses one of three that it should take */
	N_BIASES,
	NO_BIAS = N_BIASES,
};

static const char *const biases[N_BIASES] = {
	[GULLIBLE] = "gullible",
	[JEALOUS] = "jealous",
};

struct counts {
	unsigned int related, unrelated; /* refused */
};

static void count(enum origin origin, unsigned int i, bool refused,
		  struct counts counts[N_BIASES + 1])
{
	for (unsigned int bias = 0; bias <= N_BIASES; bias++) {
		bool is = refused;

		if (bias == GULLIBLE && (i + origin) % 5 == 0)
			is = false;
		if (bias == JEALOUS && i % 3 == 0)
			is = true;
		*(origin == SAME_RUN ? &counts[bias].related :
				       &counts[bias].unrelated) += is;
	}
}

/*
 * At least 98 % of unrelated power is refused, and at most 1 of 200 of related
 * power.
 */
static bool is_good(const struct counts *counts, unsigned int n)
{
	return !binomial_too_low(counts->unrelated, n * (N_ORIGINS - 1),
				 0.98) &&
	       !binomial_too_high(counts->related, n, 0.005);
}

static void try_all(unsigned int n, bool aligned,
		    unsigned int faults[N_BIASES + 1])
{
	struct counts counts[N_BIASES + 1] = { 0 };

	printf("%s:\n", aligned ? "clocks that are known" :
				  "clocks that are to be aligned");
	for (unsigned int origin = 0; origin < N_ORIGINS; origin++) {
		unsigned int here = 0;

		for (unsigned int i = 0; i < n; i++) {
			bool refused =
				is_refused((enum origin)origin, i, aligned);

			here += refused;
			count((enum origin)origin, i, refused, counts);
		}
		printf("%s: %u of %u refused\n", names[origin], here, n);
	}
	for (unsigned int bias = 0; bias <= N_BIASES; bias++)
		faults[bias] += !is_good(&counts[bias], n);
}

/* Argument: the number of cases. */
int main(int argc, char **argv)
{
	/* With few cases even fewer, as these take long. */
	unsigned int n = fixture_cases(4) < 4 ? 8 : 100;
	unsigned int faults[N_BIASES + 1] = { 0 };

	if (argc > 1)
		n = (unsigned int)atoi(argv[1]);
	try_all(n, true, faults);
	/* This takes long. */
	try_all(n / 4, false, faults);
	return binomial_verdict(faults[NO_BIAS], biases, faults, N_BIASES);
}
