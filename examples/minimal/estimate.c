/* SPDX-License-Identifier: MIT */
/*
 * What the APST table of Linux costs on a workload: energy with its bounds,
 * time in each state, added latency.
 *
 * The argument is a file with one drive: what "nvme id-ctrl --raw-binary"
 * writes, or ssdpm's JSON. The workload is made; ssdpm_trace_open() reads one.
 */
#include <ssdpm-energy.h>

#include <inttypes.h>
#include <stdio.h>

#define MAX_FILE_BYTES (1 << 20)
#define N_IOS 10000
#define MEAN_IDLE_NS 200000000
#define SERVICE_NS 100000
#define NJ_PER_MJ 1000000
#define NS_PER_MS 1000000
#define NS_PER_US 1000

/* Any number of records passes through the same memory. */
static int feed(struct ssdpm_sim *sim, struct ssdpm_error *error)
{
	static struct ssdpm_io ios[4096];
	struct ssdpm_generator_params params;
	struct ssdpm_trace *trace;
	size_t n;
	int err;

	ssdpm_generator_params_init(&params, sizeof(params));
	params.name = "lomax";
	params.n_ios = N_IOS;
	params.mean_idle_ns = MEAN_IDLE_NS;
	params.service_ns = SERVICE_NS;
	err = ssdpm_trace_generate(&params, &trace, error);
	if (err)
		return err;
	do {
		err = ssdpm_trace_read(trace, ios, sizeof(ios) / sizeof(ios[0]),
				       &n, error);
		if (!err && n)
			err = ssdpm_sim_feed(sim, ios, n, error);
	} while (!err && n);
	ssdpm_trace_free(trace);
	return err;
}

static void print_result(const struct ssdpm_result *result)
{
	const struct ssdpm_run *run = result->nominal;

	printf("%" PRIu64 " mJ (%" PRIu64 " to %" PRIu64 ") in %" PRIu64
	       " ms\n",
	       run->energy_nj / NJ_PER_MJ, result->low->energy_nj / NJ_PER_MJ,
	       result->high->energy_nj / NJ_PER_MJ,
	       run->duration_ns / NS_PER_MS);
	for (size_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (run->states[i].time_ns)
			printf("PS%zu %" PRIu64 " ms, entered %" PRIu64
			       " times\n",
			       i, run->states[i].time_ns / NS_PER_MS,
			       run->states[i].n_entries);
	printf("%" PRIu64 " I/Os delayed, by up to %" PRIu64 " us\n",
	       run->n_delayed, run->delay_max_ns / NS_PER_US);
}

static int estimate(const struct ssdpm_model *model, struct ssdpm_error *error)
{
	struct ssdpm_apst_params policy;
	struct ssdpm_sim_params params;
	struct ssdpm_apst table;
	struct ssdpm_sim *sim;
	int err;

	ssdpm_apst_params_init(&policy, sizeof(policy));
	err = ssdpm_quirks_find(model, NULL, &policy.quirks, NULL, error);
	if (!err)
		err = ssdpm_apst_generate(model, &policy, &table, error);
	if (err)
		return err;
	ssdpm_sim_params_init(&params, sizeof(params));
	params.apst = &table;
	err = ssdpm_sim_new(model, &params, &sim, error);
	if (err)
		return err;
	err = feed(sim, error);
	if (!err)
		err = ssdpm_sim_finish(sim, 0, error);
	if (!err)
		print_result(ssdpm_sim_get_result(sim));
	ssdpm_sim_free(sim);
	return err;
}

int main(int argc, char **argv)
{
	static char data[MAX_FILE_BYTES];
	struct ssdpm_model **models;
	struct ssdpm_error error;
	size_t size, n;
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	int err;

	if (!file) {
		fprintf(stderr, "usage: estimate FILE, one that can be read\n");
		return 2;
	}
	size = fread(data, 1, sizeof(data), file);
	fclose(file);

	err = ssdpm_model_list_from_data(data, size, &models, &n, &error);
	if (!err) {
		printf("%s\n", ssdpm_model_get_info(models[0])->product);
		err = estimate(models[0], &error);
		ssdpm_model_list_free(models, n);
	}
	if (err)
		fprintf(stderr, "%s: %s\n", argv[1], error.message);
	return err ? 1 : 0;
}
