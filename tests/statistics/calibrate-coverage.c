/* SPDX-License-Identifier: MIT */
/*
 * How often the intervals of a calibration hold the truth, how often it refuses
 * values that an oracle finds, and how wide the intervals are. The oracle is
 * least squares with the true noise, spikes, offset of the clock and activity
 * of the drive. The same counts must find each planted fault.
 */
#include "calibrate-truth.h"
#include "calls.h"

#include <math.h>
#include <stdio.h>

#include "binomial.h"
#include "calibrate/calibrate-fit.h"

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

/* The properties of a group of cases. */
static const struct group {
	const char *name;
	bool energies;
	bool offset;
	bool sata;
	bool half; /* half as many cases, because aligning clocks takes long */
} groups[] = {
	{ .name = "as drawn" },
	{ .name = "with energies of operations and bytes", .energies = true },
	{ .name = "with clocks that differ", .offset = true, .half = true },
	{ .name = "with a SATA link that goes down",
	  .sata = true,
	  .half = true },
};

/* Faults that a library could have. */
enum bias {
	NARROW, /* intervals have 0.7 times their width */
	WIDE,	/* 1.5 times */
	GAIN,	/* values and bounds are 5 % too high */
	SHY,	/* one value of eight is refused */
	N_BIASES,
	NO_BIAS = N_BIASES,
};

static const char *const biases[N_BIASES] = {
	[NARROW] = "narrow",
	[WIDE] = "wide",
	[GAIN] = "gain",
	[SHY] = "shy",
};

struct tally {
	unsigned int known, covered, refused;
	double *ratios;
	unsigned int n_ratios;
};

/* Whether the drive of a run has that. */
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

/* Packs the columns to fit with their lengths. Return: how many. */
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

/*
 * Half an interval of each power and energy, in W and J; NAN: even the oracle
 * cannot tell.
 */
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
		isfinite(ssdpm__fit_at(
			fit, (struct fit_noise){ .phi = truth->phi,
						 .share = variance / all }));

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

static struct ssdpm_measured with_bias(struct ssdpm_measured one,
				       enum bias bias, size_t which)
{
	double factor = bias == NARROW ? 0.7 : bias == WIDE ? 1.5 : 1;

	one.low = one.nominal + factor * (one.low - one.nominal);
	one.high = one.nominal + factor * (one.high - one.nominal);
	if (bias == GAIN) {
		one.low *= 1.05;
		one.high *= 1.05;
	}
	if (bias == SHY && which % 8 == 0)
		one.status = SSDPM_MEASURED_NOT_IDENTIFIABLE;
	return one;
}

/* half_w: of the oracle's interval, in W or J; NAN: none. */
static void count_one(const struct ssdpm_measured *one, double value,
		      double half, double unit, struct tally *tally)
{
	if (one->status != SSDPM_MEASURED_KNOWN) {
		tally->refused++;
		return;
	}
	tally->known++;
	tally->covered += one->low <= value && value <= one->high;
	if (!isnan(half))
		tally->ratios[tally->n_ratios++] =
			(one->high - one->low) /
			(fmin(2 * half, half + value / unit) * unit);
}

static void count(const struct truth *truth, const struct truth_run *run,
		  const double half[N_POWERS + N_ENERGIES], enum bias bias,
		  const struct ssdpm_measured *measured, uint64_t n,
		  struct tally tallies[N_SEEN])
{
	for (size_t i = 0; i < OFFSET; i++) {
		const struct ssdpm_measured *one = find_measured(
			measured, (size_t)n, seen[i].kind, seen[i].index);
		double value = truth_value(truth, seen[i].kind, seen[i].index);
		bool fitted = i < N_POWERS + N_ENERGIES;
		struct ssdpm_measured none = { 0 };

		if (fitted ? isnan(half[i]) : run->n_wakes[seen[i].index] < 5)
			continue;
		none = one ? with_bias(*one, bias, run->n_ios + i) : none;
		count_one(&none, value, fitted ? half[i] : NAN, unit_of(i),
			  &tallies[i]);
	}
}

static void count_offset(const struct truth *truth,
			 const struct ssdpm_calibration *calibration,
			 enum bias bias, struct tally *tally)
{
	double off_ns = (double)(calibration->offset_ns - truth->offset_ns);
	double error_ns = (double)calibration->offset_error_ns;

	tally->known++;
	tally->covered +=
		fabs(off_ns) <= (bias == NARROW ? 0.7 * error_ns : error_ns);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* All cases: 93 to 97 of 100, as in ssdpm_calibrate(3) for 1000 cases. */
static bool is_documented(double share, unsigned int n)
{
	/* 970 of 1000 is within. */
	return n < 300 || fabs(share - 0.95) <= 0.02 * sqrt(1000.0 / n) + 1e-9;
}

/* Whether the counts keep the promise: 95 % covered, neither more nor less. */
static bool is_good(struct tally *tally, double refused, double *ret_ratio)
{
	*ret_ratio = 1;
	qsort(tally->ratios, tally->n_ratios, sizeof(double), compare);
	if (tally->n_ratios)
		*ret_ratio = tally->ratios[tally->n_ratios / 2];
	return is_documented((double)tally->covered / tally->known,
			     tally->known) &&
	       !binomial_too_low(tally->covered, tally->known, 0.95) &&
	       !binomial_too_high(tally->covered, tally->known, 0.95) &&
	       refused <= 0.05 && *ret_ratio <= 1.3;
}

static void print(size_t which, const struct tally *tally, double refused,
		  double ratio, bool good)
{
	printf("%s of %u: %u known, %.4f covered, %.4f refused",
	       which == OFFSET ?
		       "offset" :
		       ssdpm_parameter_kind_to_string(seen[which].kind),
	       seen[which].index, tally->known,
	       (double)tally->covered / tally->known, refused);
	if (tally->n_ratios)
		printf(", width by the oracle's %.3f", ratio);
	printf("%s\n", good ? "" : " <- not as must be");
}

static unsigned int report(struct tally tallies[N_SEEN], bool verbose)
{
	unsigned int faults = 0;

	for (size_t i = 0; i < N_SEEN; i++) {
		struct tally *tally = &tallies[i];
		unsigned int n = tally->refused + tally->known;
		double refused = (double)tally->refused / n, ratio;

		if (!n)
			continue;
		bool good = is_good(tally, refused, &ratio);

		if (verbose)
			print(i, tally, refused, ratio, good);
		faults += !good;
	}
	return faults;
}

static struct truth draw(const struct group *group, uint64_t *seed)
{
	struct truth truth =
		group->sata ? truth_random_sata(seed) : truth_random(seed);

	if (group->energies)
		truth_add_energies(&truth, seed);
	if (group->offset)
		truth_add_offset(&truth, seed);
	return truth;
}

static void try_case(const struct group *group, unsigned int i,
		     struct tally tallies[][N_SEEN])
{
	static struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
	struct truth truth = draw(group, &seed);
	struct truth_run run = truth_run_random(&truth, &seed);
	struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.max_offset_ns = truth.offset_ns ? 3000000000 : 0,
		.flags = group->energies ? SSDPM_CALIBRATE_OPERATION_ENERGY |
						   SSDPM_CALIBRATE_BYTE_ENERGY :
					   0,
		/* All other traits of the meter are found. */
		.meter.known = SSDPM_TRAIT_GAIN,
	};
	double half[N_POWERS + N_ENERGIES];
	struct ssdpm_calibration calibration;
	struct ssdpm_error error;
	bool failed = truth_calibrate(&run, &params, measured, &calibration,
				      &error) != 0;

	if (failed) {
		printf("case %u: %s\n", i, error.message);
		calibration.n_measured = 0;
	}
	ask_oracle(&truth, &run, group->energies, half);
	for (unsigned int bias = 0; bias <= N_BIASES; bias++) {
		if (!failed && truth.offset_ns)
			count_offset(&truth, &calibration, (enum bias)bias,
				     &tallies[bias][OFFSET]);
		count(&truth, &run, half, (enum bias)bias, measured,
		      calibration.n_measured, tallies[bias]);
	}
	truth_run_free(&run);
}

static void try_group(const struct group *group, unsigned int n,
		      unsigned int faults[N_BIASES + 1])
{
	struct tally tallies[N_BIASES + 1][N_SEEN] = { 0 };

	printf("%s:\n", group->name);
	for (size_t i = 0; i < (N_BIASES + 1) * N_SEEN; i++)
		tallies[i / N_SEEN][i % N_SEEN].ratios =
			calloc(n, sizeof(double));
	for (unsigned int i = 0; i < n; i++)
		try_case(group, i, tallies);
	for (unsigned int bias = 0; bias <= N_BIASES; bias++)
		faults[bias] += report(tallies[bias], bias == NO_BIAS);
	printf("%u cases\n", n);
	for (size_t i = 0; i < (N_BIASES + 1) * N_SEEN; i++)
		free(tallies[i / N_SEEN][i % N_SEEN].ratios);
}

/* Arguments: the number of cases, and one group. */
int main(int argc, char **argv)
{
	/* With few cases even fewer: they take long, and run the same code. */
	unsigned int n = fixture_cases(4) < 4 ? 40 : 1000;
	unsigned int faults[N_BIASES + 1] = { 0 };

	if (argc > 1)
		n = (unsigned int)atoi(argv[1]);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (argc < 3 || (size_t)atoi(argv[2]) == i)
			try_group(&groups[i], groups[i].half ? n / 2 : n,
				  faults);
	return binomial_verdict(faults[NO_BIAS], biases, faults, N_BIASES);
}
