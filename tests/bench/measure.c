/* SPDX-License-Identifier: MIT */
/*
 * Energy and baseline of 10^8 floats, relative to one pass that sums them in
 * eight independent doubles. The worst signal counts: a noisy one, one of few
 * values, and one of nearly equal values.
 *
 *     bench-measure          all signals
 *     bench-measure FILE     the first one for numpy_measure.py
 *
 * The samples go to FILE; the time and the result go to standard output.
 */
#include "bench.h"

#include <math.h>
#include <string.h>

#define N_SAMPLES 100000000
#define REPETITIONS 3
#define INTERVAL_NS 10000.0
#define ENERGY_MAX 2.5
#define BASELINE_MAX 25.0

/* Noise about 2.5 W, a fifth of it active; levels: steps per watt, or 0. */
static void make_signal(float *power_w, double noise_w, double levels)
{
	uint64_t seed = 88172645463325252u;

	for (size_t i = 0; i < N_SAMPLES; i++) {
		uint64_t word = next_random(&seed);
		/* The sum of four is nearly normal. */
		double sum = (double)(word & 0xffff) +
			     (double)(word >> 16 & 0xffff) +
			     (double)(word >> 32 & 0xffff) +
			     (double)(word >> 48);
		double power = 2.5 + noise_w * (sum / 65536 - 2);

		if (i / 1000000 % 5 == 4)
			power += 2;
		if (levels > 0)
			power = floor(power * levels) / levels;
		power_w[i] = (float)power;
	}
}

static double sum_plainly(const float *power_w)
{
	double sum[8] = { 0 }, total = 0;

	for (size_t i = 0; i < N_SAMPLES; i += 8) {
		for (size_t lane = 0; lane < 8; lane++)
			sum[lane] += (double)power_w[i + lane];
	}
	for (int lane = 0; lane < 8; lane++)
		total += sum[lane];
	return total;
}

struct times {
	double pass;
	double energy;
	double baseline;
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

static struct times measure(const struct ssdpm_samples *samples,
			    struct ssdpm_energy *energy,
			    struct ssdpm_baseline *baseline)
{
	struct times times = { INFINITY, INFINITY, INFINITY };
	struct ssdpm_baseline_params window = {
		.size = sizeof(window),
		.end_ns = INT64_MAX,
	};
	struct ssdpm_error error;
	double sum = 0;

	for (int i = 0; i < REPETITIONS; i++) {
		double start = cpu_ns();
		sum += sum_plainly(samples->power_w);
		double pass = cpu_ns();
		energy->size = sizeof(*energy);
		check(ssdpm_energy_measure(samples, NULL, energy, &error),
		      &error);
		double integrated = cpu_ns();
		check(ssdpm_baseline_find(samples, &window, baseline, &error),
		      &error);
		times.pass = least(times.pass, pass - start);
		times.energy = least(times.energy, integrated - pass);
		times.baseline = least(times.baseline, cpu_ns() - integrated);
	}
	double joules = sum / REPETITIONS * (INTERVAL_NS / 1e9);
	if (fabs(joules - energy->energy_j) > 1e-6 * joules) {
		fprintf(stderr, "bench-measure: %.9g J are not %.9g J\n",
			energy->energy_j, joules);
		exit(1);
	}
	return times;
}

int main(int argc, char **argv)
{
	static const struct {
		double noise_w;
		double levels;
	} signals[] = { { 0.05, 0 }, { 0.05, 100 }, { 0.001, 10 } };
	float *power_w = malloc(sizeof(float) * N_SAMPLES);
	struct ssdpm_samples samples = {
		.power_w = power_w,
		.n = N_SAMPLES,
		.interval_ns = INTERVAL_NS,
		.type = SSDPM_SAMPLE_FLOAT32,
	};
	struct ssdpm_energy energy;
	struct ssdpm_baseline baseline;
	double worst_energy = 0, worst_baseline = 0;

	if (!power_w) {
		perror("bench-measure");
		return 1;
	}
	for (int i = 0; i < 3; i++) {
		make_signal(power_w, signals[i].noise_w, signals[i].levels);
		struct times times = measure(&samples, &energy, &baseline);

		if (argc > 1) {
			FILE *file = fopen(argv[1], "wb");

			if (!file ||
			    fwrite(power_w, sizeof(float), N_SAMPLES, file) !=
				    N_SAMPLES ||
			    fclose(file)) {
				perror(argv[1]);
				return 1;
			}
			printf("%.17g %.17g %.17g %.17g %.17g\n",
			       times.energy + times.baseline, INTERVAL_NS,
			       energy.energy_j, baseline.level_w,
			       baseline.mad_w);
			return 0;
		}
		if (worst_energy < times.energy / times.pass)
			worst_energy = times.energy / times.pass;
		if (worst_baseline < times.baseline / times.pass)
			worst_baseline = times.baseline / times.pass;
	}
	bool good = keeps("energy_vs_pass", worst_energy, ENERGY_MAX);
	good &= keeps("baseline_vs_pass", worst_baseline, BASELINE_MAX);
	free(power_w);
	return good ? 0 : 1;
}
