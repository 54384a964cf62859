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

enum {
	N_POWERS = TRUTH_DRIFT,
	N_ENERGIES = 4,
	N_LATENCIES = 3,
	OFFSET = N_POWERS + N_ENERGIES + N_LATENCIES,
	N_SEEN,
};

static const struct {
	uint32_t kind, index;
} seen[N_SEEN] = {
	{ SSDPM_PARAMETER_IDLE_POWER, 0 },
	{ SSDPM_PARAMETER_IDLE_POWER, 1 },
	{ SSDPM_PARAMETER_IDLE_POWER, 2 },
	{ SSDPM_PARAMETER_IDLE_POWER, 3 },
	{ SSDPM_PARAMETER_ACTIVE_POWER, 0 },
	{ SSDPM_PARAMETER_ACTIVE_POWER, 1 },
	{ SSDPM_PARAMETER_TRANSITION_POWER, 0 },
	{ SSDPM_PARAMETER_OPERATION_ENERGY, 0 },
	{ SSDPM_PARAMETER_OPERATION_ENERGY, 1 },
	{ SSDPM_PARAMETER_BYTE_ENERGY, 0 },
	{ SSDPM_PARAMETER_BYTE_ENERGY, 1 },
	{ SSDPM_PARAMETER_EXIT_LATENCY, 1 },
	{ SSDPM_PARAMETER_EXIT_LATENCY, 2 },
	{ SSDPM_PARAMETER_EXIT_LATENCY, 3 },
	{ 0, 0 }, /* the offset of the clocks */
};

/* What the cases of a group have. */
static const struct group {
	const char *name;
	bool energies;
	bool offset;
	bool sata;
	bool half; /* as many cases: clocks that differ take long to align */
} groups[] = {
	{ .name = "as drawn" },
	{ .name = "with energies of operations and bytes", .energies = true },
	{ .name = "with clocks that differ", .offset = true, .half = true },
	{ .name = "with a SATA link that goes down",
	  .sata = true,
	  .half = true },
};

struct tally {
	unsigned int known, covered, refused;
	double *ratios;
	unsigned int n_ratios;
};

/* Does the drive of a run have that? */
static bool has_column(const struct truth *truth, bool energies, size_t column)
{
	if (column >= TRUTH_IO)
		return energies;
	if (column == 0 || column >= TRUTH_STATES)
		return true;
	for (size_t i = 0; i < truth->n_steps; i++)
		if (truth->steps[i].state == column)
			return true;
	return false;
}

/* The columns that are fitted, without the rest: which, and their lengths.
 * Return: how many. */
static size_t pack(const struct truth *truth, const struct truth_run *run,
		   bool energies, double *x, size_t columns[TRUTH_COLUMNS],
		   double lengths[TRUTH_COLUMNS])
{
	size_t p = 0;

	for (size_t j = 0; j < TRUTH_COLUMNS; j++)
		if (has_column(truth, energies, j))
			columns[p++] = j;
	for (size_t k = 0; k < p; k++) {
		const double *from = &run->design[columns[k]];
		double sum = 1e-300;

		for (size_t i = 0; i < run->n; i++)
			sum += pow(from[i * TRUTH_COLUMNS], 2);
		lengths[k] = sqrt(sum);
		for (size_t i = 0; i < run->n; i++)
			x[i * p + k] = from[i * TRUTH_COLUMNS] / lengths[k];
	}
	return p;
}

/* Half an interval of each power and energy, in W and J; NAN: not even the
 * oracle can. */
static void ask_oracle(const struct truth *truth, const struct truth_run *run,
		       bool energies, double half[N_POWERS + N_ENERGIES])
{
	double variance = truth->sigma_w * truth->sigma_w;
	double all = variance + truth->quantum_w * truth->quantum_w / 12;
	double lengths[TRUTH_COLUMNS];
	size_t columns[TRUTH_COLUMNS];
	int with[FIT_MAX_COLUMNS];
	size_t keep[FIT_MAX_COLUMNS];
	struct fit *fit = calloc(1, sizeof(*fit));
	double *x = calloc(run->n * TRUTH_COLUMNS, sizeof(*x));
	size_t p = pack(truth, run, energies, x, columns, lengths);

	fit->n = run->n;
	fit->p = p;
	fit->y = run->power_w;
	fit->x = x;
	fit->out = run->spikes;
	bool good =
		ssdpm__fit_rank(x, run->power_w, run->n, p, with, keep) == p &&
		isfinite(ssdpm__fit_at(fit, truth->phi, variance / all));

	for (size_t i = 0; i < N_POWERS + N_ENERGIES; i++)
		half[i] = NAN;
	for (size_t k = 0; good && k < p; k++) {
		size_t i =
			columns[k] < TRUTH_DRIFT ? columns[k] : columns[k] - 1;

		if (columns[k] != TRUTH_DRIFT)
			half[i] = 1.959963984540054 * sqrt(all) / fit->sigma *
				  sqrt(fit->covariance[k][k]) / lengths[k];
	}
	free(x);
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

static double unit_of(size_t which)
{
	switch (seen[which].kind) {
	case SSDPM_PARAMETER_OPERATION_ENERGY:
		return 1e9;
	case SSDPM_PARAMETER_BYTE_ENERGY:
		return 1e12;
	default:
		return 1e6;
	}
}

static void count(const struct truth *truth, const struct truth_run *run,
		  bool energies, const struct ssdpm_measured *measured,
		  size_t n, struct tally tallies[N_SEEN])
{
	double half[N_POWERS + N_ENERGIES];

	ask_oracle(truth, run, energies, half);
	for (size_t i = 0; i < OFFSET; i++) {
		const struct ssdpm_measured *one = find(measured, n, i);
		double value = truth_value(truth, seen[i].kind, seen[i].index);
		struct tally *tally = &tallies[i];
		bool fitted = i < N_POWERS + N_ENERGIES;

		if (fitted ? isnan(half[i]) : run->n_wakes[seen[i].index] < 5)
			continue;
		if (!one || one->status != SSDPM_MEASURED_KNOWN) {
			tally->refused++;
			continue;
		}
		tally->known++;
		tally->covered += one->low <= value && value <= one->high;
		if (fitted)
			tally->ratios[tally->n_ratios++] =
				(one->high - one->low) /
				(fmin(2 * half[i],
				      half[i] + value / unit_of(i)) *
				 unit_of(i));
	}
}

static void count_offset(const struct truth *truth,
			 const struct ssdpm_calibration *calibration,
			 struct tally *tally)
{
	int64_t off_ns = calibration->offset_ns - truth->offset_ns;

	tally->known++;
	tally->covered +=
		(uint64_t)llabs(off_ns) <= calibration->offset_error_ns;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* 93 to 97 of 100: three deviations in 1000 cases. Fewer cases tell less. */
static bool is_covered(double share, unsigned int n)
{
	/* 970 of 1000 is within. */
	return fabs(share - 0.95) <= 0.02 * sqrt(1000.0 / n) + 1e-9;
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

		if (!tally->known && !tally->refused)
			continue;

		qsort(tally->ratios, tally->n_ratios, sizeof(double), compare);
		if (tally->n_ratios)
			ratio = tally->ratios[tally->n_ratios / 2];
		bool good = is_covered(covered, tally->known) &&
			    refused <= 0.05 && ratio <= 1.3;

		printf("%s of %u: %u known, %.4f covered, %.4f refused",
		       i == OFFSET ?
			       "offset" :
			       ssdpm_parameter_kind_to_string(seen[i].kind),
		       seen[i].index, tally->known, covered, refused);
		if (tally->n_ratios)
			printf(", width by the oracle's %.3f", ratio);
		printf("%s\n", good ? "" : " <- not as must be");
		faults += !good;
	}
	printf("%u cases\n", n);
	return faults;
}

static void try_case(const struct group *group, unsigned int i,
		     struct tally tallies[N_SEEN])
{
	static struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
	struct truth truth =
		group->sata ? truth_random_sata(&seed) : truth_random(&seed);

	if (group->energies)
		truth_add_energies(&truth, &seed);
	if (group->offset)
		truth_add_offset(&truth, &seed);
	size_t rows = 1000 + (size_t)(3000 * truth_uniform(&seed));
	double step_s = 0.02 + 0.08 * truth_uniform(&seed);
	struct truth_run run = truth_run(&truth, rows, step_s, &seed);
	struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.max_offset_ns = truth.offset_ns ? 3000000000 : 0,
		.flags = group->energies ? SSDPM_CALIBRATE_OPERATION_ENERGY |
						   SSDPM_CALIBRATE_BYTE_ENERGY :
					   0,
	};
	struct ssdpm_calibration calibration;
	struct ssdpm_error error;

	if (truth_calibrate(&run, &params, measured, &calibration, &error)) {
		printf("case %u: %s\n", i, error.message);
		calibration.n_measured = 0;
	} else if (truth.offset_ns) {
		count_offset(&truth, &calibration, &tallies[OFFSET]);
	}
	count(&truth, &run, group->energies, measured, calibration.n_measured,
	      tallies);
	truth_run_free(&run);
}

static int try_group(const struct group *group, unsigned int n)
{
	struct tally tallies[N_SEEN] = { 0 };

	printf("%s:\n", group->name);
	for (size_t i = 0; i < N_SEEN; i++)
		tallies[i].ratios = calloc(n, sizeof(double));
	for (unsigned int i = 0; i < n; i++)
		try_case(group, i, tallies);
	int faults = report(tallies, n);

	for (size_t i = 0; i < N_SEEN; i++)
		free(tallies[i].ratios);
	return faults;
}

int main(int argc, char **argv)
{
	/* With few cases even fewer: they take long, and it is the same code.
	 */
	unsigned int n = fixture_cases(4) < 4 ? 40 : 1000;
	int faults = 0;

	if (argc > 1)
		n = (unsigned int)atoi(argv[1]);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (argc < 3 || (size_t)atoi(argv[2]) == i)
			faults += try_group(&groups[i],
					    groups[i].half ? n / 2 : n);
	return faults ? 1 : 0;
}
