/* SPDX-License-Identifier: MIT */
/*
 * The library's side of sim_differential.py: cases come as numbers on standard
 * input, and what the simulator says goes to standard output as numbers. See
 * write_case() there for their order.
 */
#include "../../../support/calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ssdpm-energy.h>

#define MAX_IOS 4096

static uint64_t number(void)
{
	uint64_t value;

	if (scanf("%" SCNu64, &value) != 1)
		exit(2);
	return value;
}

static struct ssdpm_model *read_model(void)
{
	struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = (uint32_t)number(),
		.product = "Case",
		.apsta = 1,
	};
	struct ssdpm_power_state states[SSDPM_MAX_STATES] = { 0 };
	bool sata = info.kind == SSDPM_KIND_SATA;
	size_t n = (size_t)number();
	struct ssdpm_model *model;
	struct ssdpm_error error;

	if (sata) {
		info.apsta = 0;
		info.sata_words_valid = 1;
		info.sata_supported =
			SSDPM_SATA_HIPM | SSDPM_SATA_DIPM | SSDPM_SATA_DEVSLEEP;
	}
	for (size_t i = 0; i < n; i++) {
		states[i].flags = (uint32_t)number();
		states[i].unknown =
			SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER;
		if (sata) {
			states[i].unknown |= SSDPM_FIELD_MAX_POWER |
					     SSDPM_FIELD_ENTRY_LATENCY;
			states[i].link_state = (uint8_t)(i + 1);
		}
	}
	if (ssdpm_model_new(&info, states, n, &model, &error)) {
		fprintf(stderr, "%s\n", error.message);
		exit(2);
	}
	return model;
}

static void read_parameters(struct ssdpm_parameter *parameters, size_t n)
{
	for (size_t i = 0; i < n; i++)
		parameters[i] = (struct ssdpm_parameter){
			.kind = (uint32_t)number(),
			.index = (uint32_t)number(),
			.provenance = (uint32_t)number(),
			.low = number(),
			.nominal = number(),
			.high = number(),
		};
}

static void read_table(struct ssdpm_apst *table)
{
	for (size_t i = 0; i < SSDPM_MAX_STATES; i++) {
		table->entries[i].idle_ms = (uint32_t)number();
		table->entries[i].target = (uint32_t)number();
	}
	table->sent = table->enabled = 1;
}

static void read_ios(struct ssdpm_io *ios, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ios[i] = (struct ssdpm_io){
			.start_ns = number(),
			.bytes = (uint32_t)number(),
			.service_ns = (uint32_t)number(),
			.op = (uint8_t)number(),
			.flags = (uint8_t)number(),
		};
}

static void print(const void *data, size_t size)
{
	const uint64_t *numbers = data;

	for (size_t i = 0; i < size / sizeof(*numbers); i++)
		printf("%" PRIu64 " ", numbers[i]);
	putchar('\n');
}

/* Without the room for operations that there are not. */
static void print_run(const struct ssdpm_run *run)
{
	const uint64_t *by_op[] = { run->busy_ns_by_op, run->n_ios,
				    run->bytes };
	const uint64_t *numbers = &run->duration_ns;

	for (size_t i = 0; i < 8; i++)
		printf("%" PRIu64 " ", numbers[i]);
	for (size_t i = 0; i < 3 * SSDPM_N_OPS; i++)
		printf("%" PRIu64 " ", by_op[i / SSDPM_N_OPS][i % SSDPM_N_OPS]);
	numbers = &run->n_gaps;
	print(numbers,
	      (size_t)((const char *)(run + 1) - (const char *)numbers));
}

struct changes {
	uint64_t numbers[65536];
	size_t n;
};

static void note(void *userdata, uint64_t time_ns, uint32_t phase,
		 uint32_t state)
{
	struct changes *changes = userdata;

	if (changes->n + 3 > sizeof(changes->numbers) / sizeof(uint64_t))
		exit(2);
	changes->numbers[changes->n++] = time_ns;
	changes->numbers[changes->n++] = phase;
	changes->numbers[changes->n++] = state;
}

static void print_result(const struct estimated *result)
{
	uint64_t rest[4] = { result->assumed_nj, result->axes,
			     result->loose_states | (uint64_t)result->loose_ops
							    << 32,
			     result->widest_axis };

	print_run(&result->nominal);
	print_run(&result->low);
	print_run(&result->high);
	for (int i = 0; i < 4; i++)
		printf("%" PRIu64 " ", rest[i]);
	for (int i = 0; i < 7; i++)
		printf("%" PRIu64 " ", result->axis_low_nj[i]);
	print(result->axis_high_nj, sizeof(result->axis_high_nj));
}

/* Fed in pieces; a piece of 0 records is one too. */
static void simulate(struct ssdpm_sim *sim, const struct ssdpm_io *ios,
		     size_t n, size_t piece, uint64_t end_ns)
{
	static struct changes changes;
	struct estimated result = { 0 };
	const struct ssdpm_interval *intervals;
	size_t n_intervals;
	int err = 0;

	changes.n = 0;
	if (piece)
		ssdpm_sim_set_change_fn(sim, note, &changes);
	for (size_t at = 0; at < n && err == 0; at += piece ? piece : n)
		err = ssdpm_sim_feed(sim, ios + at,
				     piece && piece < n - at ? piece : n - at,
				     NULL);
	if (err == 0)
		err = finish_sim(sim, end_ns, &result, NULL);
	printf("%d\n", -err);
	if (err)
		return;
	print_result(&result);
	intervals = ssdpm_sim_get_intervals(sim, &n_intervals);
	print(intervals, n_intervals * sizeof(*intervals));
	print(changes.numbers, changes.n * sizeof(changes.numbers[0]));
}

int main(void)
{
	static struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	static struct ssdpm_io ios[MAX_IOS];
	uint64_t n_cases = number();

	while (n_cases--) {
		struct ssdpm_sim_params params;
		struct ssdpm_apst table = { 0 };
		struct ssdpm_model *model = read_model();
		struct ssdpm_error error;
		struct ssdpm_sim *sim;

		ssdpm_sim_params_init(&params, sizeof(params));
		params.parameters = parameters;
		params.n_parameters = (size_t)number();
		read_parameters(parameters, params.n_parameters);
		if (ssdpm_model_get_info(model)->kind == SSDPM_KIND_NVME)
			params.apst = &table;
		read_table(&table);
		params.lpm = (uint32_t)number();
		params.operational_state = (uint32_t)number();
		params.loop = (uint32_t)number();
		params.flags = (uint32_t)number();
		params.interval_ns = number();
		uint64_t end_ns = number();
		size_t piece = (size_t)number(), n = (size_t)number();
		if (n > MAX_IOS)
			return 2;
		read_ios(ios, n);
		if (ssdpm_sim_new(model, &params, &sim, &error)) {
			fprintf(stderr, "%s\n", error.message);
			return 2;
		}
		simulate(sim, ios, n, piece, end_ns);
		ssdpm_sim_free(sim);
		ssdpm_model_unref(model);
	}
	return 0;
}
