/* SPDX-License-Identifier: MIT */
/*
 * How often the intervals of a calibration hold the truth, how often it refuses
 * what an oracle can tell, and how wide they are against those of the oracle:
 * least squares that are told the noise, the spikes, the clock's offset and
 * what the drive did.
 */
#include "calibrate-truth.h"

#include <math.h>
#include <stdio.h>

#include "measure/calibrate-fit.h"

enum { N_POWERS = 6, N_LATENCIES = 2, N_SEEN = N_POWERS + N_LATENCIES };

static const struct {
	uint32_t kind, index;
} seen[N_SEEN] = {
	{ SSDPM_PARAMETER_IDLE_POWER, 0 },
	{ SSDPM_PARAMETER_IDLE_POWER, 1 },
	{ SSDPM_PARAMETER_IDLE_POWER, 2 },
	{ SSDPM_PARAMETER_ACTIVE_POWER, 0 },
	{ SSDPM_PARAMETER_ACTIVE_POWER, 1 },
	{ SSDPM_PARAMETER_TRANSITION_POWER, 0 },
	{ SSDPM_PARAMETER_EXIT_LATENCY, 1 },
	{ SSDPM_PARAMETER_EXIT_LATENCY, 2 },
};

struct tally {
	unsigned int known, covered, refused;
	double *ratios;
	unsigned int n_ratios;
};

/* Half an interval of each power, in W; NAN: not even the oracle can. */
static void ask_oracle(const struct truth *truth, const struct truth_run *run,
		       double half_w[N_POWERS])
{
	double variance = truth->sigma_w * truth->sigma_w;
	double all = variance + truth->quantum_w * truth->quantum_w / 12;
	double lengths[TRUTH_COLUMNS];
	int with[FIT_MAX_COLUMNS];
	size_t keep[FIT_MAX_COLUMNS];
	struct fit *fit = calloc(1, sizeof(*fit));

	for (size_t j = 0; j < TRUTH_COLUMNS; j++) {
		double sum = 1e-300;

		for (size_t i = 0; i < run->n; i++)
			sum += pow(run->design[i * TRUTH_COLUMNS + j], 2);
		lengths[j] = sqrt(sum);
		for (size_t i = 0; i < run->n; i++)
			run->design[i * TRUTH_COLUMNS + j] /= lengths[j];
	}
	fit->n = run->n;
	fit->p = TRUTH_COLUMNS;
	fit->y = run->power_w;
	fit->x = run->design;
	fit->out = run->spikes;
	bool good =
		ssdpm__fit_rank(run->design, run->power_w, run->n,
				TRUTH_COLUMNS, with, keep) == TRUTH_COLUMNS &&
		isfinite(ssdpm__fit_at(fit, truth->phi, variance / all));

	for (size_t j = 0; j < N_POWERS; j++)
		half_w[j] = good ? 1.959963984540054 * sqrt(all) / fit->sigma *
					    sqrt(fit->covariance[j][j]) /
					    lengths[j] :
				   NAN;
	free(fit);
}

static const struct ssdpm_measured *find(const struct ssdpm_measured *measured,
					 size_t n, size_t which)
{
	for (size_t i = 0; i < n; i++)
		if (measured[i].kind == seen[which].kind &&
		    measured[i].index == seen[which].index)
			return &measured[i];
	return NULL;
}

static void count(const struct truth *truth, const struct truth_run *run,
		  const struct ssdpm_measured *measured, size_t n,
		  struct tally tallies[N_SEEN])
{
	double half_w[N_POWERS];

	ask_oracle(truth, run, half_w);
	for (size_t i = 0; i < N_SEEN; i++) {
		const struct ssdpm_measured *one = find(measured, n, i);
		double value = truth_value(truth, seen[i].kind, seen[i].index);
		struct tally *tally = &tallies[i];

		if (i < N_POWERS ? isnan(half_w[i]) :
				   run->n_wakes[seen[i].index] < 5)
			continue;
		if (!one || one->status != SSDPM_MEASURED_KNOWN) {
			tally->refused++;
			continue;
		}
		tally->known++;
		tally->covered += one->low <= value && value <= one->high;
		if (i < N_POWERS)
			tally->ratios[tally->n_ratios++] =
				(one->high - one->low) /
				(fmin(2 * half_w[i], half_w[i] + value * 1e-6) *
				 1e6);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* 93 to 97 of 100: three deviations in 1000 cases. Fewer cases tell less. */
static bool is_covered(double share, unsigned int n)
{
	return fabs(share - 0.95) <= 0.02 * sqrt(1000.0 / n);
}

static int report(struct tally tallies[N_SEEN], unsigned int n)
{
	int faults = 0;

	for (size_t i = 0; i < N_SEEN; i++) {
		struct tally *tally = &tallies[i];
		double covered = (double)tally->covered / tally->known;
		double refused = (double)tally->refused /
				 (tally->refused + tally->known);
		double ratio = 1;

		qsort(tally->ratios, tally->n_ratios, sizeof(double), compare);
		if (tally->n_ratios)
			ratio = tally->ratios[tally->n_ratios / 2];
		bool good = is_covered(covered, n) && refused <= 0.05 &&
			    ratio <= 1.3;

		printf("%s of %u: %u known, %.4f covered, %.4f refused, "
		       "width by the oracle's %.3f%s\n",
		       ssdpm_parameter_kind_to_string(seen[i].kind),
		       seen[i].index, tally->known, covered, refused, ratio,
		       good ? "" : " <- not as must be");
		faults += !good;
	}
	printf("%u cases\n", n);
	return faults;
}

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? (unsigned int)atoi(argv[1]) :
				    (unsigned int)fixture_cases(1000);
	struct tally tallies[N_SEEN] = { 0 };
	static struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];

	for (size_t i = 0; i < N_SEEN; i++)
		tallies[i].ratios = calloc(n, sizeof(double));
	for (unsigned int i = 0; i < n; i++) {
		uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
		struct truth truth = truth_random(&seed);
		size_t rows = 1000 + (size_t)(3000 * truth_uniform(&seed));
		double step_s = 0.02 + 0.08 * truth_uniform(&seed);
		struct truth_run run = truth_run(&truth, rows, step_s, &seed);
		struct ssdpm_calibrate_params params = {
			.size = sizeof(params),
			.max_offset_ns = truth.offset_ns ? 3000000000 : 0,
		};
		struct ssdpm_calibration calibration;
		struct ssdpm_error error;

		if (truth_calibrate(&run, &params, measured, &calibration,
				    &error)) {
			printf("case %u: %s\n", i, error.message);
			calibration.n_measured = 0;
		}
		count(&truth, &run, measured, calibration.n_measured, tallies);
		truth_run_free(&run);
	}
	int faults = report(tallies, n);

	for (size_t i = 0; i < N_SEEN; i++)
		free(tallies[i].ratios);
	return faults ? 1 : 0;
}
