/* SPDX-License-Identifier: MIT */
/*
 * Many policies on one trace of ten million idle times, relative to one pass
 * over the same records that sums their bytes. It covers the runs of a thousand
 * tables from records in memory. It also covers the best table with two states
 * under a bound of the mean delay. The idle times have a heavy tail, as those
 * of real hosts have (Lomax, shape 1.5, mean 100 ms, cut at 10^6 s).
 */
#include "../support/calls.h"
#include "bench.h"

#include <math.h>
#include <string.h>

#define N_RECORDS 10000001u
#define N_TABLES 1000
#define REPETITIONS 5

#define POLICIES_MAX 25
#define BEST_TABLE_MAX 25

struct subject {
	struct ssdpm_model *model;
	struct ssdpm_io *ios;
	struct ssdpm_apst tables[N_TABLES];
	struct ssdpm_run *runs;
	uint64_t checksum; /* so that no call is optimised away */
	bool failed;
};

static bool make_records(struct subject *s)
{
	uint64_t seed = 1, now = 0;

	s->ios = calloc(N_RECORDS, sizeof(*s->ios));
	for (size_t i = 0; s->ios && i < N_RECORDS; i++) {
		double idle_ms = 50 * (pow(uniform(&seed), -1 / 1.5) - 1);

		s->ios[i] = (struct ssdpm_io){
			.start_ns = now,
			.bytes = 4096,
			.service_ns = 100000,
			.op = SSDPM_OP_READ,
		};
		now += 100001 + (uint64_t)(fmin(idle_ms, 1e9) * 1e6);
	}
	return s->ios;
}

/* The drive of the examples: PS3 4 and 10.9 ms, PS4 5 and 39 ms. */
static bool make_model(struct subject *s)
{
	static const struct ssdpm_power_state states[] = {
		{ .max_power_uw = 3500000, .idle_power_uw = 500000 },
		{ .max_power_uw = 2400000, .idle_power_uw = 450000 },
		{ .max_power_uw = 1900000, .idle_power_uw = 400000 },
		{ .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .max_power_uw = 25000,
		  .idle_power_uw = 25000,
		  .entry_latency_us = 4000,
		  .exit_latency_us = 10900 },
		{ .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .max_power_uw = 5000,
		  .idle_power_uw = 5000,
		  .entry_latency_us = 5000,
		  .exit_latency_us = 39000 },
	};
	const struct ssdpm_model_info info = { .size = sizeof(info),
					       .kind = SSDPM_KIND_NVME,
					       .apsta = 1,
					       .product = "Bench" };

	return !ssdpm_model_new(&info, states, 5, &s->model, NULL);
}

static void make_tables(struct subject *s)
{
	for (uint32_t i = 0; i < N_TABLES; i++) {
		struct ssdpm_apst *table = &s->tables[i];

		table->sent = table->enabled = 1;
		table->entries[0].target = table->entries[1].target =
			table->entries[2].target = 3;
		for (int k = 0; k < 3; k++)
			table->entries[k].idle_ms = 1 + i;
		table->entries[3].target = 4;
		table->entries[3].idle_ms = 1 + i * 7 % 5000;
	}
}

static struct ssdpm_gaps *make_gaps(struct subject *s)
{
	struct ssdpm_gaps *gaps = NULL;

	s->failed |= ssdpm_gaps_new(NULL, &gaps, NULL) ||
		     ssdpm_gaps_feed(gaps, s->ios, N_RECORDS, NULL) ||
		     ssdpm_gaps_finish(gaps, 0, NULL);
	return gaps;
}

static double time_pass(struct subject *s)
{
	double start = cpu_ns();
	uint64_t sum = 0;

	for (size_t i = 0; i < N_RECORDS; i++)
		sum += s->ios[i].bytes;
	s->checksum += sum;
	return cpu_ns() - start;
}

static double time_policies(struct subject *s)
{
	double start = cpu_ns(), end;
	struct ssdpm_gaps *gaps = make_gaps(s);

	s->failed |= sweep_gaps(gaps, s->model, NULL, s->tables, N_TABLES,
				s->runs, NULL);
	ssdpm_gaps_unref(gaps);
	end = cpu_ns();
	for (int i = 0; i < N_TABLES; i++)
		s->checksum += s->runs[i].energy_nj + s->runs[i].delay_p99_ns;
	return end - start;
}

static double time_best_table(struct subject *s)
{
	const struct ssdpm_bounds bounds = {
		.size = sizeof(bounds),
		.max_delay_mean_ns = 2000000,
		.max_delay_p99_ns = UINT64_MAX,
		.max_exit_latency_us = UINT64_MAX,
		.max_states = 2,
	};
	double start = cpu_ns();
	struct ssdpm_gaps *gaps = make_gaps(s);
	struct ssdpm_apst table = { 0 };
	struct ssdpm_run run;

	s->failed |= find_best_table(gaps, s->model, NULL, &bounds, &table,
				     &run, NULL, NULL);
	ssdpm_gaps_unref(gaps);
	s->checksum += run.energy_nj;
	/* Both states are used, and the bound limits the table. */
	s->failed |= !table.entries[0].idle_ms || !table.entries[3].idle_ms ||
		     run.delay_mean_ns < 1900000;
	return cpu_ns() - start;
}

int main(void)
{
	static struct subject s;
	double pass[REPETITIONS], policies[REPETITIONS], best[REPETITIONS];
	double base;
	bool good;

	s.runs = calloc(N_TABLES, sizeof(*s.runs));
	if (!s.runs || !make_records(&s) || !make_model(&s))
		return 1;
	make_tables(&s);
	memset(s.runs, 1, N_TABLES * sizeof(*s.runs));
	for (int i = 0; i < REPETITIONS; i++) {
		pass[i] = time_pass(&s);
		policies[i] = time_policies(&s);
		best[i] = time_best_table(&s);
	}
	base = median(pass, REPETITIONS);
	good = keeps("policies1000_vs_pass",
		     median(policies, REPETITIONS) / base, POLICIES_MAX);
	good = keeps("best_table_vs_pass", median(best, REPETITIONS) / base,
		     BEST_TABLE_MAX) &&
	       good;
	ssdpm_model_unref(s.model);
	free(s.ios);
	free(s.runs);
	return s.failed || !s.checksum || !good;
}
