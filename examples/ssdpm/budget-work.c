/* SPDX-License-Identifier: MIT */
#include "budget-work.h"

#include "units.h"

#include <errno.h>
#include <stdlib.h>

#define RECORDS 4096
#define NS_PER_S 1e9

static enum exit_status grow(struct budget_work *work)
{
	size_t capacity = work->capacity ? 2 * work->capacity : RECORDS;
	struct ssdpm_io *ios;

	if (work->capacity - work->n >= RECORDS)
		return STATUS_DONE;
	ios = realloc(work->ios, (capacity + RECORDS) * sizeof(*ios));
	if (!ios) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	work->ios = ios;
	work->capacity = capacity + RECORDS;
	return STATUS_DONE;
}

static void count_bytes(struct budget_work *work)
{
	for (size_t i = 0; i < work->n; i++)
		if (work->ios[i].op == SSDPM_OP_READ)
			work->bytes[0] += work->ios[i].bytes;
		else if (work->ios[i].op == SSDPM_OP_WRITE)
			work->bytes[1] += work->ios[i].bytes;
}

enum exit_status read_budget_work(const struct common *common,
				  const struct budget_options *options,
				  struct budget_work *ret_work)
{
	struct budget_work work = { 0 };
	struct trace_input input;
	enum exit_status status;
	size_t n = 1;

	*ret_work = work;
	status = open_trace(common, &options->trace, options->workload, &input);
	if (status)
		return status;
	while (!status && n) {
		status = grow(&work);
		if (!status)
			status = read_trace(&input, work.ios + work.n, RECORDS,
					    &n);
		if (!status)
			work.n += n;
	}
	if (!status)
		say_counts(common, &input);
	close_trace(&input);
	count_bytes(&work);
	*ret_work = work;
	if (status || work.bytes[0] + work.bytes[1])
		return status;
	complain("%s: nothing is read or written, so that nothing can be lost",
		 options->workload);
	return STATUS_FAILED;
}

static size_t take_mix(const struct budget_options *options,
		       const struct budget_work *work,
		       struct ssdpm_cap_stream streams[2])
{
	const uint64_t parts[] = {
		work ? work->bytes[0] : options->read_ppm,
		work ? work->bytes[1] : WHOLE_PPM - options->read_ppm,
	};
	double whole = (double)parts[0] + (double)parts[1];
	size_t n = 0;

	for (uint32_t i = 0; i < 2; i++)
		if (parts[i])
			streams[n++] = (struct ssdpm_cap_stream){
				.op = i ? SSDPM_OP_WRITE : SSDPM_OP_READ,
				.io_bytes = (uint32_t)options->io_bytes,
				.share = (double)parts[i] / whole,
			};
	return n;
}

/* The drive takes its cap, and nothing is done. */
static void do_nothing(uint64_t cap_uw, struct ssdpm_cap_result *result)
{
	double uw = (double)cap_uw;

	result->bytes_per_s = (struct ssdpm_span){ 0, 0, 0 };
	result->power_uw = (struct ssdpm_span){ uw, uw, uw };
	result->p99_power_uw = result->power_uw;
	result->limit = SSDPM_CAP_LIMIT_POWER;
}

/* A trace has a throughput of its own; the cap takes a share of it. */
static void take_run(const struct budget_work *work,
		     const struct ssdpm_cap_run *run,
		     struct ssdpm_cap_result *result)
{
	double bytes = (double)work->bytes[0] + (double)work->bytes[1];
	double full = bytes * NS_PER_S / (double)run->uncapped_duration_ns;

	result->bytes_per_s = (struct ssdpm_span){
		full * (1 - run->loss_share.high),
		full * (1 - run->loss_share.nominal),
		full * (1 - run->loss_share.low),
	};
	result->power_uw = run->power_uw;
	result->p99_power_uw = run->p99_power_uw;
	result->limit = run->n_slowed ? SSDPM_CAP_LIMIT_POWER : 0;
}

static int simulate(const struct budget_options *options,
		    const struct budget_work *work,
		    const struct budget_drive *drive, uint64_t cap_uw,
		    struct ssdpm_cap_result *result, struct ssdpm_error *error)
{
	const struct sim_options *sim = &options->sim;
	struct ssdpm_sim_params params;
	const struct ssdpm_cap_segment segment = { .cap_uw = cap_uw };
	struct ssdpm_cap_run run = { .size = sizeof(run) };
	int err = ssdpm_sim_params_init(&params, sizeof(params));

	if (err)
		return err;
	params.parameters = drive->parameters;
	params.n_parameters = drive->n_parameters;
	params.operational_state = drive->state;
	params.flags = sim->flags;
	if (sim->loop)
		params.loop = sim->loop;
	if (sim->pcie_link)
		params.pcie_link = sim->pcie_link;
	err = ssdpm_cap_simulate(drive->model, &params, &segment, 1, work->ios,
				 work->n, &run, NULL, error);
	if (!err)
		take_run(work, &run, result);
	return err;
}

enum exit_status find_cap_result(const struct budget_options *options,
				 const struct budget_work *work,
				 const struct budget_drive *drive,
				 struct ssdpm_cap_result *result)
{
	struct ssdpm_cap_params params = { .size = sizeof(params) };
	struct ssdpm_cap_stream streams[2];
	size_t n = take_mix(options, work, streams);
	struct ssdpm_error error;
	int err;

	*result = (struct ssdpm_cap_result){ .size = sizeof(*result) };
	err = ssdpm_cap_params_from_model(drive->model, drive->parameters,
					  drive->n_parameters, drive->state,
					  streams, n, &params, &error);
	if (!err && work)
		err = simulate(options, work, drive, params.cap_uw, result,
			       &error);
	else if (!err)
		err = ssdpm_cap_calculate(&params, result, &error);
	/* It is below what the drive takes at rest, or the work piles up. */
	if (err == -ERANGE)
		do_nothing(params.cap_uw, result);
	else if (err) {
		complain("%s: PS%u: %s", drive->drive->name, drive->state,
			 error.message);
		return STATUS_FAILED;
	}
	result->assumed = params.assumed;
	for (size_t i = 0; i < n; i++)
		result->assumed |= streams[i].assumed;
	return STATUS_DONE;
}
