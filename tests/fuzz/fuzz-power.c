/* SPDX-License-Identifier: MIT */
/*
 * Samples of power. The first byte decides about the format and its parameters;
 * where there is a zero byte among the next 64, names of columns stand before
 * it.
 */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SAMPLES 4096

struct reading {
	int64_t time_ns[MAX_SAMPLES];
	double power_w[MAX_SAMPLES];
	size_t n;
	int err;
	struct ssdpm_power_counts counts;
};

static void read_all(const void *data, size_t size,
		     const struct ssdpm_power_params *params, size_t piece,
		     struct reading *reading)
{
	struct ssdpm_error error = { 0 };
	struct ssdpm_power *power;
	size_t n = 1;

	memset(reading, 0, sizeof(*reading));
	reading->err =
		ssdpm_power_open_data(data, size, params, &power, &error);
	if (reading->err) {
		check_error(reading->err, &error);
		return;
	}
	while (n && !reading->err && reading->n + piece <= MAX_SAMPLES) {
		reading->err = ssdpm_power_read(
			power, reading->time_ns + reading->n,
			reading->power_w + reading->n, piece, &n, &error);
		if (reading->err)
			check_error(reading->err, &error);
		else
			reading->n += n;
	}
	reading->counts = *ssdpm_power_get_counts(power);
	ssdpm_power_free(power);
}

static void check_energy(const struct reading *reading)
{
	struct ssdpm_samples samples = { .power_w = reading->power_w,
					 .time_ns = reading->time_ns,
					 .n = reading->n,
					 .type = SSDPM_SAMPLE_FLOAT64 };
	struct ssdpm_energy energy = { .size = sizeof(energy) };
	struct ssdpm_error error = { 0 };
	int err = ssdpm_energy_measure(&samples, NULL, &energy, &error);

	if (err)
		check_error(err, &error);
	else
		check(energy.n == reading->n, "the energy is of all samples");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct reading one, many;
	struct ssdpm_power_params params = { .size = sizeof(params) };
	const uint8_t *zero;

	if (!size)
		return 0;
	params.format = data[0] % 4;
	params.rate_hz = data[0] & 4 ? 1000.0 / 3 : 0;
	params.shunt_ohm = data[0] & 8 ? 0.1 : 0;
	params.supply_v = data[0] & 16 ? 3.3 : 0;
	params.counter_j = data[0] & 32 ? 262.144 : 0;
	data++;
	size--;
	zero = size ? memchr(data, 0, size < 64 ? size : 64) : NULL;
	if (zero && params.format < SSDPM_POWER_FLOAT32) {
		params.columns = (const char *)data;
		size -= (size_t)(zero + 1 - data);
		data = zero + 1;
	}
	read_all(data, size, &params, 1, &one);
	read_all(data, size, &params, 16, &many);
	if (one.n + 16 > MAX_SAMPLES || many.n + 16 > MAX_SAMPLES)
		return 0;
	check(one.n == many.n && one.err == many.err &&
		      !memcmp(&one.counts, &many.counts, sizeof(one.counts)) &&
		      !memcmp(one.time_ns, many.time_ns, sizeof(one.time_ns)) &&
		      !memcmp(one.power_w, many.power_w, sizeof(one.power_w)),
	      "pieces of any size are the same");
	if (one.n)
		check(one.time_ns[0] == 0, "the first time is 0");
	check_energy(&one);
	return 0;
}
