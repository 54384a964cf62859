/* SPDX-License-Identifier: MIT */
/*
 * Idle times from bytes of anybody's: what is taken is written as the same
 * bytes, and answers every question or says why not.
 */
#include "../support/calls.h"
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct ssdpm_model *make_drive(void)
{
	static const struct ssdpm_power_state states[] = {
		{ .max_power_uw = 9000000 },
		{ .max_power_uw = 50000,
		  .idle_power_uw = 40000,
		  .entry_latency_us = 2000,
		  .exit_latency_us = 3000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL },
		{ .max_power_uw = 4000,
		  .idle_power_uw = 3000,
		  .entry_latency_us = 5000,
		  .exit_latency_us = 20000,
		  .flags = SSDPM_STATE_NON_OPERATIONAL },
	};
	const struct ssdpm_model_info info = { .size = sizeof(info),
					       .kind = SSDPM_KIND_NVME,
					       .apsta = 1,
					       .product = "Fuzz" };
	struct ssdpm_model *model = NULL;

	check(!ssdpm_model_new(&info, states, 3, &model, NULL),
	      "a drive is made");
	return model;
}

static void check_bytes(const struct ssdpm_gaps *gaps, const uint8_t *data,
			size_t size)
{
	void *again;
	size_t n;

	check(!ssdpm_gaps_to_data(gaps, &again, &n, NULL),
	      "what was read is written");
	check(n == size && !memcmp(again, data, n), "as the same bytes");
	free(again);
}

/* An idle time of an hour has too many milliseconds to look at. */
static void check_best(const struct ssdpm_gaps *gaps,
		       const struct ssdpm_model *model,
		       const struct ssdpm_run *run)
{
	const struct ssdpm_bounds bounds = { .size = sizeof(bounds),
					     .max_delay_mean_ns = 1000000,
					     .max_delay_p99_ns = 10000000,
					     .max_states = 2,
					     .max_exit_latency_us = 100000 };
	struct ssdpm_apst table;
	struct ssdpm_run best;
	struct ssdpm_error error;
	int err;

	if (run->duration_ns > 10000000000)
		return;
	err = find_best_table(gaps, model, NULL, &bounds, &table, &best, NULL,
			      &error);
	if (err)
		check_error(err, &error);
	else
		check(!ssdpm_apst_validate(model, &table, NULL), "it is sound");
}

static void check_answers(const struct ssdpm_gaps *gaps)
{
	const struct ssdpm_apst table = { .entries = { { 3, 1 }, { 90, 2 } },
					  .sent = 1,
					  .enabled = 1 };
	struct ssdpm_model *model = make_drive();
	struct ssdpm_run run, least;
	struct ssdpm_error error;
	int err = sweep_gaps(gaps, model, NULL, &table, 1, &run, &error);

	if (err)
		check_error(err, &error);
	else
		check_best(gaps, model, &run);
	if (!err)
		check(run.delay_p50_ns <= run.delay_p99_ns &&
			      run.delay_p99_ns <= run.delay_p999_ns &&
			      run.delay_p999_ns <= run.delay_max_ns &&
			      run.n_wakes <= run.n_gaps + 1,
		      "the run is one");
	err = foresee_gaps(gaps, model, NULL, &least, &error);
	if (err)
		check_error(err, &error);
	ssdpm_model_unref(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssdpm_gaps *gaps;
	struct ssdpm_error error;
	int err = ssdpm_gaps_from_data(data, size, &gaps, &error);

	if (err) {
		check_error(err, &error);
		check(err == -EINVAL || err == -ENOMEM, "it is a known code");
		return 0;
	}
	check_bytes(gaps, data, size);
	check_answers(gaps);
	ssdpm_gaps_unref(gaps);
	return 0;
}
