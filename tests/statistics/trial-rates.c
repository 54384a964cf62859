/* SPDX-License-Identifier: MIT */
/*
 * How often trials decide wrongly, and how often their intervals miss the
 * saving at any number of pairs. Random machines have autocorrelation, drift,
 * steps, periods, bursts, and meters that average. The counts must find each
 * planted fault. These are an order without a coin, an interval for one look
 * only, and one that is too narrow.
 */
#include "trial-truth.h"

#include <math.h>
#include <stdio.h>

#include "binomial.h"
#include "trial/mixture.h"

#define RUNS 2000
#define MAX_PAIRS 24
/* Wrong decisions of a case: the upper end of an interval of 95 %. */
#define MOST_WRONG 0.05

enum bias {
	NO_COIN,   /* A is always first */
	IMPATIENT, /* an interval of 95 % for one look, at each pair */
	NARROW,	   /* 0.6 times as wide */
	N_BIASES,
	NO_BIAS = N_BIASES,
};

static const char *const biases[N_BIASES] = {
	[NO_COIN] = "no coin",
	[IMPATIENT] = "impatient",
	[NARROW] = "narrow",
};

static const struct trial_noise noises[] = {
	{ .name = "white", .ar_w = 0.5 },
	{ .name = "ar 5 s", .ar_s = 5, .ar_w = 0.5 },
	{ .name = "ar 30 s", .ar_s = 30, .ar_w = 0.5 },
	{ .name = "ar 120 s", .ar_s = 120, .ar_w = 0.5 },
	{ .name = "ar 900 s", .ar_s = 900, .ar_w = 0.5 },
	{ .name = "drift", .ar_w = 0.1, .drift_w_per_h = 10 },
	{ .name = "fast drift", .ar_w = 0.1, .drift_w_per_h = -60 },
	{ .name = "steps", .ar_w = 0.1, .step_s = 300, .step_w = 1 },
	{ .name = "60 s sine", .ar_w = 0.1, .period_s = 60, .sine_w = 1 },
	{ .name = "60 s task", .ar_w = 0.1, .period_s = 60, .task_w = 5 },
	{ .name = "120 s sine", .ar_w = 0.05, .period_s = 120, .sine_w = 1 },
	{ .name = "bursts",
	  .ar_w = 0.1,
	  .burst_s = 60,
	  .burst_length_s = 5,
	  .burst_w = 10 },
	{ .name = "levels", .ar_w = 0.1, .level_s = 90, .level_w = 3 },
};
#define N_NOISES (sizeof(noises) / sizeof(noises[0]))

static const unsigned int boxes[] = { 1, 5, 20, 60 };
#define N_BOXES (sizeof(boxes) / sizeof(boxes[0]))

/* The true saving of a case. */
static const struct {
	const char *name;
	double saving_w, varied_w;
} truths[] = {
	{ "no effect", 0, 0 },
	{ "saves 0.3 W", 0.3, 0 },
	{ "costs 0 to 2 W", 0, 2 },
};
#define N_TRUTHS (sizeof(truths) / sizeof(truths[0]))

/* One run: its pairs, and the faults that each bias found at any of them. */
struct looks {
	const struct trial_machine *machine;
	double differences_w[MAX_PAIRS], in_order_w[MAX_PAIRS];
	size_t n;
	bool wrong[N_BIASES + 1];
};

static unsigned int faults[N_BIASES + 1];

static bool misses(const struct trial_machine *machine, double low_w,
		   double high_w)
{
	/* A cost that varies is never a saving. */
	if (machine->varied_w > 0)
		return low_w > 0;
	return low_w > machine->saving_w || high_w < machine->saving_w;
}

/* Two standard errors, with Student's t where pairs are few. */
static bool impatient_misses(const struct looks *looks)
{
	double mean = 0, square = 0, n = (double)looks->n;

	for (size_t i = 0; i < looks->n; i++)
		mean += looks->differences_w[i] / n;
	for (size_t i = 0; i < looks->n; i++)
		square += pow(looks->differences_w[i] - mean, 2);
	double half = (2 + 3 / (n - 1)) * sqrt(square / (n - 1) / n);

	return misses(looks->machine, mean - half, mean + half);
}

static bool ordered_misses(const struct looks *looks)
{
	struct differences differences = {
		.w = looks->in_order_w,
		.n = looks->n,
		.unit_w = looks->machine->likely_w,
		.repeat = 1,
	};

	return misses(looks->machine, ssdpm__trial_low_w(&differences),
		      ssdpm__trial_high_w(&differences));
}

static bool look(void *userdata, const struct ssdpm_trial *trial,
		 const struct trial_pair *pair)
{
	struct looks *looks = userdata;
	const struct trial_machine *machine = looks->machine;

	looks->in_order_w[looks->n] = pair->first_less_second_w;
	looks->differences_w[looks->n++] = pair->a_less_b_w;
	if (looks->n < TRIAL_MIN_PAIRS)
		return true;
	struct ssdpm_trial_state state = trial_state(trial);
	double middle = (state.low_w + state.high_w) / 2;
	double half = 0.6 * (state.high_w - state.low_w) / 2;

	looks->wrong[NO_BIAS] |= misses(machine, state.low_w, state.high_w);
	looks->wrong[NARROW] |= misses(machine, middle - half, middle + half);
	if (machine->saving_w != 0 || machine->varied_w > 0)
		return true;
	looks->wrong[IMPATIENT] |= impatient_misses(looks);
	if (looks->n == MAX_PAIRS)
		looks->wrong[NO_COIN] = ordered_misses(looks);
	return true;
}

/* The upper end of a one-sided interval of 95 % (Clopper and Pearson). */
static double upper(unsigned int count)
{
	return 1 - binomial_lower(RUNS - count, RUNS);
}

static void count_case(size_t truth, size_t noise, size_t box)
{
	unsigned int wrong[N_BIASES + 1] = { 0 };
	double block_s = boxes[box] <= 10 ? 30 : 3.0 * boxes[box];
	struct trial_machine machine = {
		.noise = &noises[noise],
		.saving_w = truths[truth].saving_w,
		.varied_w = truths[truth].varied_w,
		.box_s = boxes[box],
		.limit_s = 2 * MAX_PAIRS * block_s,
		.likely_w = 0.2,
	};

	for (unsigned int run = 0; run < RUNS; run++) {
		struct looks looks = { .machine = &machine };

		machine.seed =
			((truth * N_NOISES + noise) * N_BOXES + box) * RUNS +
			run;
		run_trial(&machine, look, &looks);
		for (int bias = 0; bias <= N_BIASES; bias++)
			wrong[bias] += looks.wrong[bias];
	}
	for (int bias = 0; bias <= N_BIASES; bias++)
		faults[bias] += upper(wrong[bias]) > MOST_WRONG;
	printf("%-14s %-10s box %2u s: %3u wrong of %u, at most %.2f %%%s;"
	       " planted: %u %u %u\n",
	       truths[truth].name, noises[noise].name, boxes[box],
	       wrong[NO_BIAS], RUNS, 100 * upper(wrong[NO_BIAS]),
	       upper(wrong[NO_BIAS]) > MOST_WRONG ? " <- too many" : "",
	       wrong[NO_COIN], wrong[IMPATIENT], wrong[NARROW]);
	fflush(stdout);
}

int main(void)
{
	/* All cases, or some. */
	size_t stride = fixture_stride() > 1 ? 7 : 1, n = 0;

	for (size_t truth = 0; truth < N_TRUTHS; truth++)
		for (size_t noise = 0; noise < N_NOISES; noise++)
			for (size_t box = 0; box < N_BOXES; box++) {
				/* With an effect, each box in turn. */
				if (truth && (truth + noise) % N_BOXES != box)
					continue;
				if (n++ % stride == 0)
					count_case(truth, noise, box);
			}
	return binomial_verdict(faults[NO_BIAS], biases, faults, N_BIASES);
}
