/* SPDX-License-Identifier: MIT */
/*
 * How long simulating ten million records takes, relative to one pass that sums
 * their bytes. The worst of three traces counts, in which 1 %, 30 % and 65 % of
 * the idle times unpredictably wake the drive.
 *
 *     bench-sim          both loops
 *     bench-sim FILE     the closed loop for numpy_sim.py
 *
 * The records go to FILE; the time, the result and the policy go to standard
 * output.
 */
#include "../support/calls.h"
#include "bench.h"

#include <math.h>
#include <string.h>

#define N_RECORDS 10000000
#define REPETITIONS 7
#define N_POSSIBLE 1000
#define POSSIBLE_MAX_US 200.0
#define LIKELY_MAX_MS 20.0
#define CLOSED_MAX 3.5
#define OPEN_MAX 8.0
#define ENCLOSURE_MAX 4.0

/*
 * Exponential idle times, of which the share reaches from_ns. A tenth of the
 * records overlap their predecessors.
 */
static void make_trace(struct ssdpm_io *ios, double share, double from_ns)
{
	double mean_ns = -from_ns / log(share);
	uint64_t seed = 88172645463325252u, start = 0, until = 0;

	for (size_t i = 0; i < N_RECORDS; i++) {
		uint64_t word = next_random(&seed);
		uint32_t service = 40000 + (uint32_t)(word % 100000);

		if (word >> 32 < UINT32_MAX / 10)
			start += word % 40000;
		else
			start = until +
				(uint64_t)(-mean_ns * log(uniform(&seed)));
		if (until < start + service)
			until = start + service;
		ios[i] = (struct ssdpm_io){
			.start_ns = start,
			.bytes = 4096u << (word >> 20) % 6,
			.service_ns = service,
			.op = word >> 24 & 3 ? SSDPM_OP_READ : SSDPM_OP_WRITE,
		};
	}
}

static uint64_t sum_bytes(const struct ssdpm_io *ios)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < N_RECORDS; i++)
		sum += ios[i].bytes;
	return sum;
}

/* The drive, and its table from Linux. */
struct subject {
	struct ssdpm_model *model;
	struct ssdpm_apst table;
};

/* The latencies and powers of a WD PC SN530, as it reports them. */
static void make_subject(struct subject *subject)
{
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.provenance = SSDPM_PROVENANCE_REPORTED,
		.apsta = 1,
		.product = "PC SN530",
	};
	struct ssdpm_power_state states[5] = {
		{ .max_power_uw = 3500000 },
		{ .max_power_uw = 2400000 },
		{ .max_power_uw = 1900000 },
		{ .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .max_power_uw = 20000,
		  .entry_latency_us = 3900,
		  .exit_latency_us = 11000 },
		{ .flags = SSDPM_STATE_NON_OPERATIONAL,
		  .max_power_uw = 5000,
		  .entry_latency_us = 5000,
		  .exit_latency_us = 39000 },
	};
	struct ssdpm_error error;

	for (int i = 0; i < 5; i++)
		states[i].unknown =
			SSDPM_FIELD_IDLE_POWER | SSDPM_FIELD_ACTIVE_POWER;
	check(ssdpm_model_new(&info, states, 5, &subject->model, &error),
	      &error);
	check(ssdpm_apst_generate(subject->model, NULL, &subject->table,
				  &error),
	      &error);
}

/* Latencies as declared, or from 0 to twice as long. */
static size_t make_parameters(const struct subject *subject, bool certain,
			      struct ssdpm_parameter *parameters)
{
	struct ssdpm_error error;
	size_t n;

	check(ssdpm_parameters_from_model(subject->model, SSDPM_PCIE_L1_2,
					  parameters, SSDPM_MAX_PARAMETERS, &n,
					  &error),
	      &error);
	for (size_t i = 0; i < n; i++) {
		struct ssdpm_parameter *p = &parameters[i];

		if (p->kind != SSDPM_PARAMETER_ENTRY_LATENCY &&
		    p->kind != SSDPM_PARAMETER_EXIT_LATENCY)
			continue;
		p->low = certain ? p->nominal : 0;
		p->high = certain ? p->nominal : 2 * p->nominal;
	}
	return n;
}

static void simulate(const struct subject *subject, uint32_t loop, bool certain,
		     const struct ssdpm_io *ios, size_t n,
		     struct estimated *result)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_sim_params params;
	struct ssdpm_error error;
	struct ssdpm_sim *sim;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.apst = &subject->table;
	params.loop = loop;
	params.n_parameters = make_parameters(subject, certain, parameters);
	params.parameters = parameters;
	check(ssdpm_sim_new(subject->model, &params, &sim, &error), &error);
	check(ssdpm_sim_feed(sim, ios, n, &error), &error);
	check(finish_sim(sim, 0, result, &error), &error);
	ssdpm_sim_free(sim);
}

struct times {
	double pass[REPETITIONS];
	double closed[REPETITIONS];
	double open[REPETITIONS];
	double enclosed[REPETITIONS]; /* closed, latencies not certain */
};

static void repeat(const struct subject *subject, const struct ssdpm_io *ios,
		   struct times *times)
{
	volatile uint64_t sum = 0; /* so that the pass is not optimised away */
	struct estimated result;

	for (int i = 0; i < REPETITIONS; i++) {
		double start = cpu_ns();

		sum = sum + sum_bytes(ios);
		times->pass[i] = cpu_ns() - start;
		start = cpu_ns();
		simulate(subject, SSDPM_LOOP_CLOSED, true, ios, N_RECORDS,
			 &result);
		times->closed[i] = cpu_ns() - start;
		start = cpu_ns();
		simulate(subject, SSDPM_LOOP_OPEN, true, ios, N_RECORDS,
			 &result);
		times->open[i] = cpu_ns() - start;
		start = cpu_ns();
		simulate(subject, SSDPM_LOOP_CLOSED, false, ios, N_RECORDS,
			 &result);
		times->enclosed[i] = cpu_ns() - start;
	}
}

/* Times of the possible saving over all powers, and of the likely one. */
struct saving_times {
	double possible_us;
	double likely_ms;
};

static struct saving_times saving_times(const struct subject *subject,
					const struct ssdpm_io *ios)
{
	struct ssdpm_likely likely = { .size = sizeof(likely) };
	double times[REPETITIONS], likely_times[REPETITIONS];
	struct ssdpm_sim_params params;
	struct ssdpm_sim *sims[2];
	struct ssdpm_saving saving;
	struct ssdpm_error error;

	for (int i = 0; i < 2; i++) {
		ssdpm_sim_params_init(&params, sizeof(params));
		params.apst = i ? &subject->table : NULL;
		params.flags = SSDPM_SIM_LIKELY;
		check(ssdpm_sim_new(subject->model, &params, &sims[i], &error),
		      &error);
		check(ssdpm_sim_feed(sims[i], ios, N_POSSIBLE, &error), &error);
	}
	check(ssdpm_sim_finish_together(sims, 2, 0, &error), &error);
	for (int i = 0; i < REPETITIONS; i++) {
		double start = cpu_ns();

		for (int j = 0; j < N_POSSIBLE; j++)
			check(ssdpm_sim_get_saving(sims[0], sims[1], &saving,
						   &error),
			      &error);
		times[i] = (cpu_ns() - start) / N_POSSIBLE / 1000;
		start = cpu_ns();
		check(ssdpm_sim_get_likely(sims[0], sims[1], &likely, &error),
		      &error);
		likely_times[i] = (cpu_ns() - start) / 1e6;
	}
	must(saving.low_nj < saving.high_nj, "there is something unknown");
	for (int i = 0; i < 2; i++)
		ssdpm_sim_free(sims[i]);
	return (struct saving_times){ median(times, REPETITIONS),
				      median(likely_times, REPETITIONS) };
}

static int bench_loops(void)
{
	static const double shares[] = { 0.01, 0.30, 0.65 };
	struct ssdpm_io *ios = calloc(N_RECORDS, sizeof(*ios));
	double worst_closed = 0, worst_open = 0, worst_enclosed = 0;
	struct subject subject;

	if (!ios)
		return 1;
	make_subject(&subject);
	for (int i = 0; i < 3; i++) {
		double from = subject.table.entries[0].idle_ms * 1e6;
		struct estimated result;
		struct times times;

		make_trace(ios, shares[i], from);
		simulate(&subject, SSDPM_LOOP_CLOSED, true, ios, N_RECORDS,
			 &result);
		repeat(&subject, ios, &times);
		double pass = median(times.pass, REPETITIONS);
		double closed = median(times.closed, REPETITIONS) / pass;
		double open = median(times.open, REPETITIONS) / pass;
		double enclosed = median(times.enclosed, REPETITIONS) / pass;
		printf("%2.0f %% of %llu idle times wake: a pass takes %.2f ns "
		       "a record, the closed loop %.2f times that, the open "
		       "loop %.2f times; the closed one takes %.2f times as "
		       "long where latencies are not certain\n",
		       100.0 * (double)result.nominal.n_wakes /
			       (double)result.nominal.n_gaps,
		       (unsigned long long)result.nominal.n_gaps,
		       pass / N_RECORDS, closed, open, enclosed / closed);
		worst_closed = closed > worst_closed ? closed : worst_closed;
		worst_open = open > worst_open ? open : worst_open;
		if (enclosed / closed > worst_enclosed)
			worst_enclosed = enclosed / closed;
	}
	struct saving_times saving = saving_times(&subject, ios);

	ssdpm_model_unref(subject.model);
	free(ios);
	return !keeps("possible_us", saving.possible_us, POSSIBLE_MAX_US) +
	       !keeps("likely_ms", saving.likely_ms, LIKELY_MAX_MS) +
	       !keeps("enclosure_vs_run", worst_enclosed, ENCLOSURE_MAX) +
	       !keeps("sim_closed_vs_pass", worst_closed, CLOSED_MAX) +
	       !keeps("sim_open_vs_pass", worst_open, OPEN_MAX);
}

static void print_numbers(const uint64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%llu ", (unsigned long long)numbers[i]);
}

/*
 * Prints when each state of the table begins and is reached, and its exit
 * latency.
 */
static void print_policy(const struct subject *subject)
{
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(subject->model, NULL);
	const struct ssdpm_apst_entry *entry = subject->table.entries;
	uint64_t at = 0;

	for (; entry->idle_ms; entry = &subject->table.entries[entry->target]) {
		const struct ssdpm_power_state *to = &states[entry->target];
		uint64_t from = at + entry->idle_ms * UINT64_C(1000000);

		at = from + to->entry_latency_us * UINT64_C(1000);
		print_numbers(
			(uint64_t[]){ from, at,
				      to->exit_latency_us * UINT64_C(1000) },
			3);
		putchar('\n');
	}
}

static int serve_numpy(const char *name)
{
	struct ssdpm_io *ios = calloc(N_RECORDS, sizeof(*ios));
	struct ssdpm_run *run;
	struct estimated result;
	struct subject subject;
	double times[REPETITIONS];
	FILE *file = fopen(name, "wb");

	if (!ios || !file)
		return 1;
	make_subject(&subject);
	make_trace(ios, 0.30, subject.table.entries[0].idle_ms * 1e6);
	if (fwrite(ios, sizeof(*ios), N_RECORDS, file) != N_RECORDS ||
	    fclose(file))
		return 1;
	for (int i = 0; i < REPETITIONS; i++) {
		double start = cpu_ns();

		simulate(&subject, SSDPM_LOOP_CLOSED, true, ios, N_RECORDS,
			 &result);
		times[i] = cpu_ns() - start;
	}
	run = &result.nominal;
	printf("%.0f\n%llu ", median(times, REPETITIONS),
	       (unsigned long long)run->busy_ns);
	print_numbers(run->busy_ns_by_op, SSDPM_N_OPS);
	print_numbers(run->n_ios, SSDPM_N_OPS);
	print_numbers(run->bytes, SSDPM_N_OPS);
	print_numbers((uint64_t[]){ run->n_gaps, run->n_wakes, run->n_delayed,
				    run->delay_sum_ns },
		      4);
	putchar('\n');
	print_policy(&subject);
	ssdpm_model_unref(subject.model);
	free(ios);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? serve_numpy(argv[1]) : bench_loops();
}
