/* SPDX-License-Identifier: MIT */
/*
 * How often the intervals of a calibration hold the truth with a faulty meter
 * or wrong I/Os. The meter lags, its zero walks, its samples are of an instant,
 * or its gain or clock is wrong. Or the I/Os leave out the wait. Each fault is
 * tried with nothing stated of the meter, and with the right trait stated. The
 * assumed gain is far wider than most faults here, so the first case is counted
 * again with only the right gain stated. The same counts must find each planted
 * fault.
 */
#include "calibrate-truth.h"
#include "calls.h"

#include <math.h>
#include <stdio.h>

#include "binomial.h"

enum { N_PARAMETERS = 8, OFFSET = N_PARAMETERS, N_SEEN };

static const struct {
	uint32_t kind, index;
	const char *name;
} seen[N_SEEN] = {
	{ SSDPM_PARAMETER_IDLE_POWER, 0, "idle 0" },
	{ SSDPM_PARAMETER_IDLE_POWER, 1, "idle 1" },
	{ SSDPM_PARAMETER_IDLE_POWER, 2, "idle 2" },
	{ SSDPM_PARAMETER_ACTIVE_POWER, 0, "read" },
	{ SSDPM_PARAMETER_ACTIVE_POWER, 1, "write" },
	{ SSDPM_PARAMETER_TRANSITION_POWER, 0, "transition" },
	{ SSDPM_PARAMETER_EXIT_LATENCY, 1, "exit 1" },
	{ SSDPM_PARAMETER_EXIT_LATENCY, 2, "exit 2" },
	{ 0, 0, "offset" }, /* of the clocks, if searched */
};

/* The fault of a meter, and whether the caller states it. */
static const struct group {
	const char *name;
	struct truth_meter meter;
	bool stated;
	bool ideal;
	bool skewed;   /* gain or clock: in either direction */
	bool energies; /* of the drive: I/Os and bytes take their own energy */
} groups[] = {
	{ .name = "an ideal meter", .ideal = true },
	{ .name = "a low pass of 20 ms", .meter.response_s = 0.02 },
	{ .name = "a zero that walks", .meter.walk_w = 0.25 },
	{ .name = "samples of an instant", .meter.point = true },
	{ .name = "a gain of 3 %", .meter.gain = 0.03, .skewed = true },
	{ .name = "a clock of 500 ppm", .meter.clock = 5e-4, .skewed = true },
	{ .name = "services without the wait", .meter.no_wait = true },
	{ .name = "energies of I/Os", .energies = true },
};

#define N_GROUPS (sizeof(groups) / sizeof(groups[0]))

/* Faults that a library could have. */
enum bias {
	NARROW, /* intervals have 0.6 times their width */
	HIGH,	/* values and bounds are 8 % too high */
	SHY,	/* one run of three is refused */
	N_BIASES,
	NO_BIAS = N_BIASES,
};

static const char *const biases[N_BIASES] = {
	[NARROW] = "narrow",
	[HIGH] = "high",
	[SHY] = "shy",
};

struct tally {
	unsigned int known, covered;
};

struct counts {
	unsigned int runs, refused;
	unsigned int by[16]; /* by enum ssdpm_contradiction; 0: an error */
	struct tally tallies[N_SEEN];
	struct tally own[N_SEEN]; /* if the gain is stated */
};

static bool holds(struct ssdpm_measured one, double value, enum bias bias)
{
	double width = bias == NARROW ? 0.6 : 1;
	double scale = bias == HIGH ? 1.08 : 1;
	double low = one.nominal + width * (one.low - one.nominal);
	double high = one.nominal + width * (one.high - one.nominal);

	return scale * low <= value && value <= scale * high;
}

/* The interval with another gain, which widens it last. */
static struct ssdpm_measured with_gain(struct ssdpm_measured one,
				       uint32_t from_ppm, double gain)
{
	one.low *= (1 + from_ppm * 1e-6) / (1 + gain);
	one.high *= (1 - from_ppm * 1e-6) / (1 - gain);
	return one;
}

static void add(struct tally *tally, bool covered)
{
	tally->known++;
	tally->covered += covered;
}

static void count(const struct truth *truth,
		  const struct ssdpm_calibration *calibration, enum bias bias,
		  struct counts *counts)
{
	const uint32_t gain_ppm = calibration->meter.gain_ppm;

	for (size_t i = 0; i < N_PARAMETERS; i++) {
		const struct ssdpm_measured *one = find_measured(
			calibration->measured, (size_t)calibration->n_measured,
			seen[i].kind, seen[i].index);
		double value = truth_value(truth, seen[i].kind, seen[i].index);

		if (!one || one->status != SSDPM_MEASURED_KNOWN)
			continue;
		add(&counts->tallies[i], holds(*one, value, bias));
		if (one->kind == SSDPM_PARAMETER_EXIT_LATENCY)
			continue;
		add(&counts->own[i],
		    holds(with_gain(*one, gain_ppm, fabs(truth->meter.gain)),
			  value, bias));
	}
	if (truth->offset_ns) {
		double off_ns =
			(double)(calibration->offset_ns - truth->offset_ns);
		double width = bias == NARROW ? 0.6 : 1;

		add(&counts->tallies[OFFSET],
		    fabs(off_ns) <=
			    width * (double)calibration->offset_error_ns);
	}
}

static struct truth draw(const struct group *group, uint64_t *seed)
{
	struct truth truth = truth_random(seed);
	double side = truth_uniform(seed) < 0.5 ? -1 : 1;

	if (group->energies)
		truth_add_energies(&truth, seed);
	truth.meter = group->meter;
	if (group->skewed) {
		truth.meter.gain *= side;
		truth.meter.clock *= side;
	}
	return truth;
}

/* The right trait, if there is one. */
static struct ssdpm_meter_traits state_of(const struct group *group,
					  const struct truth *truth)
{
	const struct truth_meter *meter = &truth->meter;

	if (!group->stated)
		return (struct ssdpm_meter_traits){ 0 };
	return (struct ssdpm_meter_traits){
		.known = SSDPM_TRAIT_SAMPLING | SSDPM_TRAIT_RESPONSE |
			 SSDPM_TRAIT_DRIFT | SSDPM_TRAIT_GAIN |
			 SSDPM_TRAIT_CLOCK,
		.sampling = meter->point ? SSDPM_SAMPLING_POINT :
					   SSDPM_SAMPLING_MEAN,
		.response_ns = (uint64_t)llround(meter->response_s * 1e9),
		.drift_uw = (uint64_t)llround(meter->walk_w * 1e6),
		.gain_ppm = (uint32_t)llround(fabs(meter->gain) * 1e6),
		.clock_ppb = (int32_t)lround(meter->clock * 1e9),
	};
}

static void try_case(const struct group *group, unsigned int i,
		     struct counts counts[N_BIASES + 1])
{
	static struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
	struct truth truth = draw(group, &seed);
	struct truth_run run = truth_run_random(&truth, &seed);
	struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.max_offset_ns = truth.offset_ns ? 3000000000 : 0,
		.meter = state_of(group, &truth),
	};
	struct ssdpm_calibration calibration = { 0 };
	bool refused = truth_calibrate(&run, &params, measured, &calibration,
				       NULL) != 0 ||
		       calibration.contradiction;

	for (unsigned int bias = 0; bias <= N_BIASES; bias++) {
		bool shy = bias == SHY && i % 3 == 0;

		counts[bias].runs++;
		counts[bias].refused += refused || shy;
		counts[bias].by[calibration.contradiction] += refused;
		if (!refused && !shy)
			count(&truth, &calibration, (enum bias)bias,
			      &counts[bias]);
	}
	truth_run_free(&run);
}

/*
 * The promise: the lower end of the coverage, among values not refused, is at
 * least 87 %. Fewer than 100 values cannot show it. ssdpm_calibrate(3) shows
 * such a row as missing the promise; here it must not contradict it.
 */
static bool is_covered(const struct tally *tally)
{
	if (tally->known < 100)
		return !binomial_too_low(tally->covered, tally->known, 0.87);
	return binomial_lower(tally->covered, tally->known) >= 0.87;
}

/*
 * Clean data: at most 5 % refused; 20 % with the right meter stated. A drive
 * unlike the model: at least 95 %.
 */
static bool is_bold(const struct group *group, const struct counts *counts)
{
	double most = group->ideal ? 0.05 : group->stated ? 0.2 : 1;

	if (group->energies)
		return !binomial_too_low(counts->refused, counts->runs, 0.95);
	return most == 1 ||
	       !binomial_too_high(counts->refused, counts->runs, most);
}

static unsigned int report_tallies(const struct tally tallies[N_SEEN],
				   const char *with, bool verbose)
{
	unsigned int faults = 0;

	for (size_t i = 0; i < N_SEEN; i++) {
		const struct tally *tally = &tallies[i];
		bool good = is_covered(tally);

		if (verbose && tally->known)
			printf("  %-10s %3u of %3u covered: %.3f, %.3f or more%s%s\n",
			       seen[i].name, tally->covered, tally->known,
			       (double)tally->covered / tally->known,
			       binomial_lower(tally->covered, tally->known),
			       with, good ? "" : " <- too few");
		faults += !good;
	}
	return faults;
}

static unsigned int report(const struct group *group,
			   const struct counts *counts, bool verbose)
{
	bool bold = is_bold(group, counts);
	unsigned int faults = !bold;

	if (verbose)
		printf("%s, %s: %u of %u refused%s\n", group->name,
		       group->stated ? "stated" : "nothing stated",
		       counts->refused, counts->runs,
		       bold ? "" : " <- not as must be");
	for (uint32_t i = 0; verbose && i < 16; i++)
		if (counts->by[i])
			printf("  refused for %s: %u\n",
			       i ? ssdpm_contradiction_to_string(i) :
				   "an error",
			       counts->by[i]);
	unsigned int wrong = report_tallies(counts->tallies, "", verbose);

	if (!group->stated)
		wrong += report_tallies(counts->own, ", gain stated", verbose);
	/* Energies that the data do not show make powers wrong. */
	return group->energies ? faults : faults + wrong;
}

static void try_group(const struct group *group, unsigned int n,
		      unsigned int faults[N_BIASES + 1])
{
	struct counts counts[N_BIASES + 1] = { 0 };

	for (unsigned int k = 0; k < n; k++)
		try_case(group, k, counts);
	for (unsigned int bias = 0; bias <= N_BIASES; bias++)
		faults[bias] += report(group, &counts[bias], bias == NO_BIAS);
}

/* Arguments: the number of runs, and one group. */
int main(int argc, char **argv)
{
	unsigned int n = fixture_cases(4) < 4 ? 20 : 400;
	unsigned int faults[N_BIASES + 1] = { 0 };

	if (argc > 1)
		n = (unsigned int)atoi(argv[1]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < 2 * N_GROUPS; i++) {
		struct group group = groups[i / 2];

		if (argc > 2 && (size_t)atoi(argv[2]) != i)
			continue;
		group.stated = i % 2;
		/* No trait of a meter corrects those. */
		if (group.stated && (group.meter.no_wait || group.energies))
			continue;
		try_group(&group, n, faults);
	}
	return binomial_verdict(faults[NO_BIAS], biases, faults, N_BIASES);
}
