/* SPDX-License-Identifier: MIT */
/*
 * ssdpm consistency --simulate: the same drive with more and with less spare
 * area.
 */
#include "work/consistency.h"

#include "options/units.h"
#include "text/progress.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct ssdpm_ftl_params drive_of(
	const struct consistency_options *options)
{
	const uint64_t n_pages = options->capacity / SSDPM_FTL_PAGE_BYTES;

	return (struct ssdpm_ftl_params){
		.size = sizeof(struct ssdpm_ftl_params),
		.seed = options->seed,
		.n_blocks = (uint32_t)(n_pages / SSDPM_FTL_PAGES_PER_BLOCK),
		.pages_per_block = SSDPM_FTL_PAGES_PER_BLOCK,
		.collector = options->collector,
	};
}

static int cost_of(const struct consistency_options *options,
		   struct ssdpm_ftl_cost *ret_cost, struct ssdpm_error *error)
{
	int err = ssdpm_ftl_cost_calculate(
		options->bandwidth, SSDPM_FTL_PAGES_PER_BLOCK, ret_cost, error);

	if (err)
		return err;
	if (options->host_bandwidth)
		ret_cost->host_ns = SSDPM_FTL_PAGE_BYTES *
				    UINT64_C(1000000000) /
				    options->host_bandwidth;
	ret_cost->idle_uw = options->idle_uw;
	ret_cost->program_nj =
		(options->byte_pj * SSDPM_FTL_PAGE_BYTES + 500) / 1000;
	ret_cost->background_uw = options->background_uw;
	return 0;
}

/* Power is known in each second, or in none. */
static int take_seconds(const struct ssdpm_ftl_second *seconds,
			struct iops_series *series)
{
	if (!isnan(seconds[0].power_w)) {
		series->power_w = calloc(series->n, sizeof(*series->power_w));
		if (!series->power_w)
			return -ENOMEM;
	}
	for (size_t i = 0; i < series->n; i++) {
		series->iops[i] = (double)seconds[i].n_written;
		if (series->power_w)
			series->power_w[i] = seconds[i].power_w;
	}
	return 0;
}

static enum exit_status simulate(const struct consistency_options *options,
				 struct iops_series *series)
{
	const struct ssdpm_ftl_params drive = drive_of(options);
	struct ssdpm_ftl_second *seconds = calloc(series->n, sizeof(*seconds));
	struct ssdpm_ftl_cost cost = { .size = sizeof(cost) };
	struct ssdpm_error error = { .message = "out of memory" };
	int err = seconds ? 0 : -ENOMEM;

	if (!err)
		err = cost_of(options, &cost, &error);
	if (!err)
		err = ssdpm_ftl_simulate(&drive,
					 (double)series->spare_ppm / WHOLE_PPM,
					 &cost, series->n, seconds, &error);
	if (!err)
		err = take_seconds(seconds, series);
	free(seconds);
	if (!err)
		return STATUS_DONE;
	complain("%s: %s", series->name, error.message);
	return STATUS_FAILED;
}

static enum exit_status begin_series(const struct consistency_options *options,
				     uint64_t spare_ppm,
				     struct iops_series *ret_series)
{
	*ret_series = (struct iops_series){ .spare_ppm = spare_ppm };
	ret_series->n = (size_t)options->duration_s;
	ret_series->iops = calloc(ret_series->n, sizeof(double));
	if (asprintf(&ret_series->name, "spare %g %%",
		     (double)spare_ppm / 1e4) < 0)
		ret_series->name = NULL;
	if (ret_series->iops && ret_series->name)
		return STATUS_DONE;
	free(ret_series->name);
	free(ret_series->iops);
	return out_of_memory();
}

enum exit_status simulate_drives(const struct common *common,
				 const struct consistency_options *options,
				 struct iops_list *list)
{
	enum exit_status status = STATUS_DONE;
	struct progress progress;

	progress_begin(&progress, common, "simulating", -1);
	for (size_t i = 0; i < options->n_spares && !status; i++) {
		struct iops_series series;

		status = begin_series(options, options->spares_ppm[i], &series);
		if (status)
			break;
		progress_show(&progress, series.name);
		status = simulate(options, &series);
		if (status) {
			free(series.name);
			free(series.iops);
			free(series.power_w);
		} else {
			status = add_series(list, options, &series);
		}
	}
	progress_clear();
	return status;
}
