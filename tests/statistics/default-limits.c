/* SPDX-License-Identifier: MIT */
/*
 * Checks the default recommendation on every drive of the catalogue and every
 * everyday workload against the default limits. Delays are at most 1 % of the
 * time, and 25 ms for one I/O in 100, or those of Linux's default. No state
 * takes more than 100 ms to leave. Prints where Linux itself exceeds the first
 * two. Each NVMe drive is looked at under the default of Linux 5.14 and later,
 * and under that of older kernels, linux-legacy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/fixture.h"

/* More than the longest workload has. */
#define N_RECORDS 400000

static const char *const workloads[] = {
	"apt-upgrades", "compile",	"desktop-session", "phone-messenger",
	"server-files", "server-mysql", "server-mssql",	   "server-postgresql",
};

/* What Linux makes tables by: since 5.14, and before. */
enum { N_KERNELS = 2 };
static const uint32_t kernels[N_KERNELS] = {
	SSDPM_APST_LINUX,
	SSDPM_APST_LINUX_LEGACY,
};

struct counts {
	unsigned int drives, share, p99, sleeps_deeper;
};

/* All of it. */
static size_t read_workload(const char *name, struct ssdpm_io *ios)
{
	struct ssdpm_generator_params params;
	struct ssdpm_trace *trace;
	size_t n, all = 0;

	ssdpm_generator_params_init(&params, sizeof(params));
	params.name = name;
	assert_int_equal(ssdpm_trace_generate(&params, &trace, NULL), 0);
	do {
		assert_int_equal(ssdpm_trace_read(trace, ios + all,
						  N_RECORDS - all, &n, NULL),
				 0);
		all += n;
	} while (n);
	assert_true(all < N_RECORDS);
	ssdpm_trace_free(trace);
	return all;
}

static struct ssdpm_gaps *gaps_of(const struct ssdpm_model *model,
				  const struct ssdpm_io *ios, size_t n)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n_parameters;
	struct ssdpm_service service;
	struct ssdpm_gaps *gaps;

	assert_int_equal(ssdpm_parameters_from_model(
				 model, SSDPM_PCIE_L1_2, parameters,
				 SSDPM_MAX_PARAMETERS, &n_parameters, NULL),
			 0);
	ssdpm_parameters_get_service(parameters, n_parameters, &service);
	assert_int_equal(ssdpm_gaps_new(&service, &gaps, NULL), 0);
	assert_int_equal(ssdpm_gaps_feed(gaps, ios, n, NULL), 0);
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, NULL), 0);
	return gaps;
}

/* The run of Linux's default table. */
static struct ssdpm_run run_default(const struct ssdpm_gaps *gaps,
				    const struct ssdpm_model *model,
				    const struct ssdpm_apst_params *kernel)
{
	struct ssdpm_run run = { .size = sizeof(run) };
	struct ssdpm_apst_params apst = *kernel;
	struct ssdpm_sim_params params;
	struct ssdpm_apst table;
	const struct ssdpm_gaps_runs runs = {
		.size = sizeof(runs),
		.tables = &table,
		.n_tables = 1,
		.runs = &run,
	};

	ssdpm_sim_params_init(&params, sizeof(params));
	assert_int_equal(
		ssdpm_quirks_find(model, NULL, &apst.quirks, NULL, NULL), 0);
	assert_int_equal(ssdpm_apst_generate(model, &apst, &table, NULL), 0);
	assert_int_equal(ssdpm_gaps_sweep(gaps, model, &params, &runs, NULL),
			 0);
	return run;
}

/* Likewise for the link policy. */
static struct ssdpm_run run_link_default(const struct ssdpm_model *model,
					 const struct ssdpm_io *ios, size_t n)
{
	struct ssdpm_sim_params params;
	struct ssdpm_sim *sim;
	struct ssdpm_run run;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.lpm = SSDPM_LPM_MED_POWER_WITH_DIPM;
	assert_int_equal(ssdpm_estimate(model, &params, ios, n, &sim, NULL), 0);
	run = *ssdpm_sim_get_result(sim)->nominal;
	ssdpm_sim_free(sim);
	return run;
}

static double share_of(const struct ssdpm_run *run)
{
	return (double)run->delay_sum_ns / (double)run->duration_ns;
}

static double more(double a, double b)
{
	return a > b ? a : b;
}

/* A mean is rounded up to whole nanoseconds, for each of the I/Os. */
static void assert_kept(const struct ssdpm_recommendation *r,
			const struct ssdpm_run *usual,
			const struct ssdpm_model *model, size_t n)
{
	const double most = more(0.01, share_of(usual));
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, NULL);

	assert_true((double)r->run->delay_sum_ns <=
		    most * (double)r->run->duration_ns + (double)n);
	assert_true((double)r->run->delay_p99_ns <=
		    more(25e6, (double)usual->delay_p99_ns));
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		if (!r->apst.enabled || !r->apst.entries[i].idle_ms)
			continue;
		assert_true(states[r->apst.entries[i].target].exit_latency_us <=
			    100000);
	}
}

/* The default recommendation on this kernel. */
static void check(const struct ssdpm_gaps *gaps,
		  const struct ssdpm_model *model,
		  const struct ssdpm_apst_params *kernel,
		  const struct ssdpm_run *usual, size_t n,
		  struct counts *counts)
{
	struct ssdpm_recommendations *found;
	const struct ssdpm_recommendation *r;
	struct ssdpm_bounds bounds = { .size = sizeof(bounds),
				       .kernel = kernel };
	struct ssdpm_sim_params params;

	ssdpm_sim_params_init(&params, sizeof(params));
	if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA)
		params.lpm = SSDPM_LPM_MAX_PERFORMANCE;
	assert_int_equal(
		ssdpm_quirks_find(model, NULL, &bounds.quirks, NULL, NULL), 0);
	assert_int_equal(ssdpm_gaps_get_default_bounds(gaps, model, &params,
						       &bounds, &bounds, NULL),
			 0);
	assert_int_equal(
		ssdpm_recommend(gaps, model, &params, &bounds, &found, NULL),
		0);
	counts->drives++;
	counts->share += share_of(usual) > 0.01;
	counts->p99 += usual->delay_p99_ns > 25000000;
	for (size_t i = 0; (r = ssdpm_recommendations_get(found, i)); i++)
		if (r->possible) {
			assert_kept(r, usual, model, n);
			counts->sleeps_deeper += r->advice == SSDPM_ADVICE_SET;
		}
	ssdpm_recommendations_free(found);
}

static void look_at(const struct ssdpm_model *model, const struct ssdpm_io *ios,
		    size_t n, struct counts counts[N_KERNELS])
{
	struct ssdpm_gaps *gaps = gaps_of(model, ios, n);
	const bool is_sata =
		ssdpm_model_get_info(model)->kind == SSDPM_KIND_SATA;
	struct ssdpm_apst_params kernel;
	struct ssdpm_run usual;

	/* A SATA drive has no table. */
	for (size_t i = 0; i < (is_sata ? 1 : N_KERNELS); i++) {
		ssdpm_apst_params_init(&kernel, sizeof(kernel));
		kernel.algorithm = kernels[i];
		usual = is_sata ? run_link_default(model, ios, n) :
				  run_default(gaps, model, &kernel);
		check(gaps, model, &kernel, &usual, n, &counts[i]);
	}
	ssdpm_gaps_unref(gaps);
}

static void print(const char *name, const struct counts counts[N_KERNELS])
{
	for (size_t i = 0; i < N_KERNELS; i++) {
		const struct counts *c = &counts[i];

		printf("%s: %u drives; %s by default delays for more than 1 %% "
		       "of the time on %u, and one I/O in 100 by more than 25 "
		       "ms on %u; %u settings save more\n",
		       name, c->drives,
		       ssdpm_apst_algorithm_to_string(kernels[i]), c->share,
		       c->p99, c->sleeps_deeper);
		assert_true(c->drives > 1);
	}
}

int main(void)
{
	const uint32_t step = getenv("SSDPM_FEW_CASES") ? 60 : 1;
	struct ssdpm_io *ios = calloc(N_RECORDS, sizeof(*ios));
	struct ssdpm_catalogue *catalogue;
	uint32_t n_rows;

	assert_non_null(ios);
	assert_int_equal(ssdpm_catalogue_new(NULL, 0, &catalogue, NULL), 0);
	n_rows = fixture_count_rows(catalogue);
	for (size_t w = 0; w < sizeof(workloads) / sizeof(workloads[0]); w++) {
		const size_t n = read_workload(workloads[w], ios);
		struct counts counts[N_KERNELS] = { { 0 } };
		struct ssdpm_model *model;

		for (uint32_t i = 0; i < n_rows; i += step) {
			assert_int_equal(ssdpm_catalogue_get_model(
						 catalogue, i, &model, NULL),
					 0);
			/* A hard disk is not estimated. */
			if (!ssdpm_model_get_info(model)->rotational)
				look_at(model, ios, n, counts);
			ssdpm_model_unref(model);
		}
		print(workloads[w], counts);
	}
	ssdpm_catalogue_free(catalogue);
	free(ios);
	return 0;
}
