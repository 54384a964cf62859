/* SPDX-License-Identifier: MIT */
/*
 * The library's side of observe_differential.py: drives as numbers and lines of
 * trace events come on standard input; what is observed goes to standard
 * output. See write_case() there for the order of the numbers.
 */
#include <ssdpm-energy.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_STATES 3

static uint64_t number(void)
{
	uint64_t value;

	if (scanf("%" SCNu64, &value) != 1)
		exit(2);
	return value;
}

static void must(int err, const struct ssdpm_error *error)
{
	if (!err)
		return;
	fprintf(stderr, "%s\n", error->message);
	exit(2);
}

static struct ssdpm_model *make_model(void)
{
	const struct ssdpm_model_info info = { .size = sizeof(info),
					       .kind = SSDPM_KIND_NVME,
					       .product = "Case",
					       .apsta = 1 };
	struct ssdpm_power_state states[N_STATES] = { 0 };
	struct ssdpm_model *model;
	struct ssdpm_error error;

	for (size_t i = 0; i < N_STATES; i++) {
		states[i].flags = i ? SSDPM_STATE_NON_OPERATIONAL : 0;
		states[i].unknown =
			SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER;
	}
	must(ssdpm_model_new(&info, states, N_STATES, &model, &error), &error);
	return model;
}

/* Parameters as kind, index and value; then the table and another one. */
static void add_drives(struct ssdpm_observation *observation,
		       struct ssdpm_observation *other)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS] = { 0 };
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	struct ssdpm_apst other_table = table;
	struct ssdpm_sim_params sim;
	struct ssdpm_observed_params params = { .size = sizeof(params),
						.model = make_model(),
						.sim_params = &sim,
						.major = 259 };
	struct ssdpm_error error;

	must(ssdpm_sim_params_init(&sim, sizeof(sim)), &error);
	sim.n_parameters = (size_t)number();
	for (size_t i = 0; i < sim.n_parameters; i++) {
		parameters[i].kind = (uint32_t)number();
		parameters[i].index = (uint32_t)number();
		parameters[i].provenance = SSDPM_PROVENANCE_MEASURED;
		parameters[i].low = parameters[i].nominal = parameters[i].high =
			number();
	}
	for (size_t i = 0; i < N_STATES - 1; i++) {
		table.entries[i].idle_ms = (uint32_t)number();
		table.entries[i].target = (uint32_t)number();
	}
	for (size_t i = 0; i < N_STATES - 1; i++) {
		other_table.entries[i].idle_ms = (uint32_t)number();
		other_table.entries[i].target = (uint32_t)number();
	}
	sim.parameters = parameters;
	sim.apst = table.entries[0].target ? &table : NULL;
	must(ssdpm_observation_add_drive(observation, &params, &error), &error);
	sim.apst = other_table.entries[0].target ? &other_table : NULL;
	must(ssdpm_observation_add_drive(other, &params, &error), &error);
	ssdpm_model_unref((struct ssdpm_model *)params.model);
}

static void feed(struct ssdpm_observation *observation, const char *text,
		 uint64_t end_ns)
{
	struct ssdpm_error error;

	must(ssdpm_observation_feed(observation, text, strlen(text), &error),
	     &error);
	must(ssdpm_observation_finish(observation, end_ns, &error), &error);
}

/* The service times that a reader of the recording finds. */
static void print_services(const char *text)
{
	struct ssdpm_trace_params params = { .size = sizeof(params),
					     .device = "259,0" };
	struct ssdpm_trace *trace;
	struct ssdpm_error error;
	struct ssdpm_io ios[100];
	size_t n = 1;

	must(ssdpm_trace_open_data(text, strlen(text), &params, &trace, &error),
	     &error);
	while (n) {
		must(ssdpm_trace_read(trace, ios, 100, &n, &error), &error);
		for (size_t i = 0; i < n; i++)
			printf(" %" PRIu32, ios[i].service_ns);
	}
	ssdpm_trace_free(trace);
	printf("\n");
}

/* A recording under one policy shows what another one would do. */
static void feed_both(struct ssdpm_observation *observation,
		      struct ssdpm_observation *other)
{
	struct ssdpm_observed d = { .size = sizeof(d) };
	uint64_t end_ns = number();
	size_t size = (size_t)number();
	char *text = calloc(1, size + 1), *policy, *recording;
	struct ssdpm_error error;

	if (!text || getchar() != '\n' || fread(text, 1, size, stdin) != size)
		exit(2);
	feed(observation, text, end_ns);
	must(ssdpm_observation_get_policy(observation, 0, &policy, &error),
	     &error);
	if (asprintf(&recording, "%s\n%s", policy, text) < 0)
		exit(2);
	feed(other, recording, end_ns);
	must(ssdpm_observation_get_drive(other, 0, &d, &error), &error);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64, d.energy_nj, d.asleep_ns,
	       d.n_wakes);
	print_services(recording);
	free(recording);
	free(policy);
	free(text);
}

static void print_cause(struct ssdpm_observation *observation, size_t index)
{
	struct ssdpm_cause c = { .size = sizeof(c) };
	struct ssdpm_without w = { .size = sizeof(w) };
	struct ssdpm_error error;

	must(ssdpm_observation_get_cause(observation, 0, index, &c, &error),
	     &error);
	must(ssdpm_observation_get_without(observation, 0, index, &w, &error),
	     &error);
	printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
	       " %" PRIu64 " %" PRIu64 "\n",
	       c.name, c.n_ios, c.bytes, c.n_wakes, c.energy_nj,
	       w.without_energy_nj, w.without_asleep_ns, w.without_n_wakes);
}

static void print_help(struct ssdpm_observation *observation)
{
	struct ssdpm_help *helps;
	struct ssdpm_error error;
	size_t n;

	must(ssdpm_observation_list_help(observation, 0, &helps, &n, &error),
	     &error);
	printf("%zu\n", n);
	for (size_t i = 0; i < n; i++)
		printf("%s %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64
		       " %" PRIu64 " %" PRIu64 "\n",
		       ssdpm_help_kind_to_string(helps[i].kind), helps[i].cause,
		       helps[i].period_ns, helps[i].interval_ns,
		       helps[i].saving_low_nj, helps[i].saving_high_nj,
		       helps[i].n_wakes);
	free(helps);
}

static void run_case(void)
{
	struct ssdpm_observed d = { .size = sizeof(d) };
	struct ssdpm_observation *observation, *other;
	struct ssdpm_error error;

	must(ssdpm_observation_new(&observation, &error), &error);
	must(ssdpm_observation_new(&other, &error), &error);
	add_drives(observation, other);
	feed_both(observation, other);
	ssdpm_observation_free(other);
	must(ssdpm_observation_get_drive(observation, 0, &d, &error), &error);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
	       " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
	       d.n_causes, d.busy_ns, d.idle_ns, d.asleep_ns, d.transition_ns,
	       d.n_wakes, d.n_delayed, d.delay_sum_ns, d.energy_nj,
	       d.resting_nj);
	for (size_t i = 0; i < d.n_causes; i++)
		print_cause(observation, i);
	print_help(observation);
	ssdpm_observation_free(observation);
}

int main(void)
{
	for (uint64_t n = number(); n > 0; n--)
		run_case();
	return 0;
}
