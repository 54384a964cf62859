/* SPDX-License-Identifier: MIT */
/*
 * All digits of many results, one to a line. They are the same on every
 * machine, compiler and libc; .ci/cross compares their SHA-256. For each table
 * of the catalogue, the results are APST tables and estimates. Then come the
 * records of each generator as .npy, write amplification, an energy and a
 * calibration.
 */
#include "../support/calls.h"

#include <ssdpm-energy.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_IOS 2000
#define MAX_TABLES 4096

/* A run contains only uint64_t. */
static void print_run(const char *name, const struct ssdpm_run *run)
{
	enum { BEGIN = offsetof(struct ssdpm_run, duration_ns) };
	uint64_t numbers[(sizeof(*run) - BEGIN) / sizeof(uint64_t)];

	memcpy(numbers, &run->duration_ns, sizeof(numbers));
	printf("%s", name);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i])
			printf(" %zu:%" PRIu64, i, numbers[i]);
	printf("\n");
}

static void print_bytes(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static void die(const char *what, const struct ssdpm_error *error)
{
	fprintf(stderr, "digits: %s: %s\n", what, error->message);
	exit(1);
}

static size_t generate(const char *name, uint64_t seed, struct ssdpm_io *ios,
		       size_t max)
{
	struct ssdpm_generator_params params;
	struct ssdpm_error error = { 0 };
	struct ssdpm_trace *trace;
	size_t n = 0, more;

	ssdpm_generator_params_init(&params, sizeof(params));
	params.name = name;
	params.seed = seed;
	if (strcmp(name, "poisson") == 0 || strcmp(name, "lomax") == 0)
		params.n_ios = max;
	if (ssdpm_trace_generate(&params, &trace, &error))
		die(name, &error);
	do {
		if (ssdpm_trace_read(trace, ios + n, max - n, &more, &error))
			die(name, &error);
		n += more;
	} while (more && n < max);
	ssdpm_trace_free(trace);
	return n;
}

static void print_records(void)
{
	static struct ssdpm_io ios[N_IOS];
	uint8_t record[SSDPM_NPY_RECORD_BYTES];
	const char *name;

	for (size_t i = 0; (name = ssdpm_generator_get_name(i)); i++) {
		size_t n = generate(name, i + 1, ios, N_IOS);

		printf("%s %zu\n", name, n);
		for (size_t at = 0; at < n; at++) {
			ssdpm_io_to_npy(&ios[at], record);
			print_bytes(record, sizeof(record));
		}
	}
}

/*
 * Prints the table of each algorithm, at limits from none at all to no limit.
 */
static void print_apst(const struct ssdpm_model *model)
{
	static const uint64_t limits_us[] = {
		0, 1000, 15000, 100000, 1000000, SSDPM_LATENCY_ANY
	};
	uint8_t data[SSDPM_APST_BYTES];
	struct ssdpm_apst_params params;
	struct ssdpm_apst table;

	ssdpm_apst_params_init(&params, sizeof(params));
	for (params.algorithm = SSDPM_APST_LINUX;
	     params.algorithm <= SSDPM_APST_LOWER_ENVELOPE; params.algorithm++)
		for (size_t i = 0; i < 6; i++) {
			params.max_exit_latency_us = limits_us[i];
			int err = ssdpm_apst_generate(model, &params, &table,
						      NULL);

			printf("apst %" PRIu32 " %" PRIu64 " %d\n",
			       params.algorithm, limits_us[i], err);
			if (!err && !ssdpm_apst_encode(&table, data, NULL))
				print_bytes(data, sizeof(data));
		}
}

/* -1: the drive has no such states, as the message must say. */
static int estimate(const struct ssdpm_model *model, uint32_t loop,
		    const struct ssdpm_io *ios, size_t n)
{
	struct estimated result = { 0 };
	struct ssdpm_apst_params policy;
	struct ssdpm_error error = { 0 };
	struct ssdpm_sim_params params;
	struct ssdpm_sim *sim;
	struct ssdpm_apst table;
	int err;

	ssdpm_apst_params_init(&policy, sizeof(policy));
	ssdpm_sim_params_init(&params, sizeof(params));
	params.loop = loop;
	if (!ssdpm_apst_generate(model, &policy, &table, &error))
		params.apst = &table;
	err = ssdpm_sim_new(model, &params, &sim, &error);
	if (err) {
		printf("refused: %d\n", err);
		return -1;
	}
	err = ssdpm_sim_feed(sim, ios, n, &error);
	if (!err)
		err = finish_sim(sim, 0, &result, &error);
	if (err)
		die("estimate", &error);
	ssdpm_sim_free(sim);
	print_run("nominal", &result.nominal);
	print_run("low", &result.low);
	print_run("high", &result.high);
	return 0;
}

/* Uses one drive of each table. Returns the number of estimates. */
static size_t print_estimates(void)
{
	static struct ssdpm_io ios[N_IOS];
	static bool seen[MAX_TABLES];
	struct ssdpm_catalogue_row row = { .size = sizeof(row) };
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_error error = { 0 };
	size_t n_ios = generate("lomax", 17, ios, N_IOS), n = 0;
	struct ssdpm_model *model;

	if (ssdpm_catalogue_new(NULL, 0, &catalogue, &error))
		die("catalogue", &error);
	for (uint32_t i = 0; !ssdpm_catalogue_get_row(catalogue, i, &row);
	     i++) {
		uint32_t table = row.table;

		if (table >= MAX_TABLES || seen[table])
			continue;
		seen[table] = true;
		if (ssdpm_catalogue_get_model(catalogue, i, &model, &error))
			die("catalogue", &error);
		printf("table %" PRIu32 "\n", table);
		print_apst(model);
		n += !estimate(model, SSDPM_LOOP_CLOSED, ios, n_ios);
		n += !estimate(model, SSDPM_LOOP_OPEN, ios, n_ios);
		ssdpm_model_unref(model);
	}
	ssdpm_catalogue_free(catalogue);
	return n;
}

static void print_write_amplification(void)
{
	for (uint32_t formula = SSDPM_WA_RANDOM; formula <= SSDPM_WA_GREEDY;
	     formula++)
		for (int i = 1; i < 100; i++) {
			double wa = 0;
			int err = ssdpm_wa_calculate(formula, i / 100.0, 256,
						     &wa, NULL);

			printf("wa %" PRIu32 " %d %d %.17g\n", formula, i, err,
			       wa);
		}
}

/* A drive of the examples that reads during half of some steps, and noise. */
static struct ssdpm_model *make_run(struct ssdpm_io *ios, double *power_w)
{
	static const struct ssdpm_power_state states[] = {
		{ .max_power_uw = 3500000, .idle_power_uw = 500000 },
	};
	const struct ssdpm_model_info info = { .size = sizeof(info),
					       .kind = SSDPM_KIND_NVME,
					       .product = "Digits" };
	struct ssdpm_error error = { 0 };
	struct ssdpm_model *model;
	uint32_t seed = 1;

	for (size_t i = 0; i < N_IOS; i++) {
		ios[i] = (struct ssdpm_io){
			.start_ns = i * UINT64_C(50000000),
			.service_ns = i % 7 < 3 ? 25000000 : 1000,
			.bytes = 4096,
			.op = SSDPM_OP_READ,
		};
		seed = seed * 1664525 + 1013904223;
		power_w[i] = (i % 7 < 3 ? 1.5 : 0.5) + (seed >> 8) * 0x1p-28;
	}
	if (ssdpm_model_new(&info, states, 1, &model, &error))
		die("model", &error);
	return model;
}

static void print_measurements(void)
{
	static struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	static struct ssdpm_io ios[N_IOS];
	static double power_w[N_IOS];
	struct ssdpm_calibration c = { .size = sizeof(c) };
	struct ssdpm_energy energy = { .size = sizeof(energy) };
	struct ssdpm_model *model = make_run(ios, power_w);
	struct ssdpm_error error = { 0 };
	const struct ssdpm_samples samples = {
		.power_w = power_w,
		.n = N_IOS,
		.start_ns = 25000000,
		.interval_ns = 50000000,
		.type = SSDPM_SAMPLE_FLOAT64,
	};

	if (ssdpm_energy_measure(&samples, NULL, &energy, &error) ||
	    calibrate_run(model, NULL, ios, N_IOS, &samples, NULL, measured, &c,
			  &error))
		die("measure", &error);
	printf("energy %a %a %a %a\n", energy.energy_j, energy.low_j,
	       energy.high_j, energy.mean_power_w);
	printf("calibration %a %a %a %a %" PRId64 "\n", c.sigma_w, c.drift_w,
	       c.noise_phi, c.noise_share, c.offset_ns);
	for (size_t i = 0; i < c.n_measured; i++)
		printf("measured %" PRIu32 " %" PRIu32 " %" PRIu32
		       " %a %a %a\n",
		       measured[i].kind, measured[i].index, measured[i].status,
		       measured[i].low, measured[i].nominal, measured[i].high);
	ssdpm_model_unref(model);
}

int main(void)
{
	print_records();
	print_write_amplification();
	print_measurements();
	if (print_estimates() < 100) {
		fprintf(stderr, "digits: too few estimates\n");
		return 1;
	}
	return 0;
}
