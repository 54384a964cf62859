/* SPDX-License-Identifier: MIT */
/*
 * ssdpm consistency --simulate: the same drive with more and with less spare
 * area.
 */
#include "work/consistency.h"

#include "text/progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE_BYTES 4096
#define PAGES_PER_BLOCK 256

/*
 * The times of flash besides programs: reading a page takes a tenth of
 * programming it, and erasing a block a hundredth.
 */
#define READ_SHARE 10
#define ERASE_SHARE 100

static struct ssdpm_ftl_params drive_of(
	const struct consistency_options *options, uint64_t spare_ppm)
{
	const uint64_t n_pages = options->capacity / PAGE_BYTES;

	return (struct ssdpm_ftl_params){
		.size = sizeof(struct ssdpm_ftl_params),
		.seed = options->seed,
		.n_user_pages =
			(uint64_t)((double)n_pages *
					   (1 - (double)spare_ppm / 1e6) +
				   0.5),
		.n_blocks = (uint32_t)(n_pages / PAGES_PER_BLOCK),
		.pages_per_block = PAGES_PER_BLOCK,
		.collector = options->collector,
		.choices = options->collector == SSDPM_FTL_CHOICES ? 10 : 0,
	};
}

static struct ssdpm_ftl_cost cost_of(const struct consistency_options *options)
{
	const uint64_t program_ns =
		PAGE_BYTES * UINT64_C(1000000000) / options->bandwidth;
	const uint64_t host_ns = options->host_bandwidth ?
					 PAGE_BYTES * UINT64_C(1000000000) /
						 options->host_bandwidth :
					 program_ns;

	return (struct ssdpm_ftl_cost){
		.size = sizeof(struct ssdpm_ftl_cost),
		.host_ns = host_ns,
		.program_ns = program_ns,
		.read_ns = program_ns / READ_SHARE,
		.erase_ns = program_ns * PAGES_PER_BLOCK / ERASE_SHARE,
		.idle_uw = options->idle_uw,
		.program_nj = (options->byte_pj * PAGE_BYTES + 500) / 1000,
		.background_uw = options->background_uw,
	};
}

/* Fills the drive in order, then writes at random. */
static int write_drive(struct ssdpm_ftl *ftl, const struct ssdpm_ftl_cost *cost,
		       uint64_t n_pages, struct iops_series *series,
		       struct ssdpm_error *error)
{
	struct ssdpm_ftl_pattern pattern = {
		.size = sizeof(pattern),
		.order = SSDPM_FTL_UNIFORM,
	};
	struct ssdpm_ftl_second *seconds = calloc(series->n, sizeof(*seconds));
	int err = ssdpm_ftl_write(ftl, 0, n_pages, error);

	if (!err && !seconds) {
		snprintf(error->message, sizeof(error->message),
			 "out of memory");
		err = -ENOMEM;
	}
	if (!err)
		err = ssdpm_ftl_run(ftl, &pattern, cost, series->n, seconds,
				    error);
	for (size_t i = 0; !err && i < series->n; i++) {
		series->iops[i] = (double)seconds[i].n_written;
		if (series->power_w)
			series->power_w[i] = seconds[i].power_w;
	}
	free(seconds);
	return err;
}

static enum exit_status simulate(const struct consistency_options *options,
				 struct iops_series *series)
{
	struct ssdpm_ftl_params params = drive_of(options, series->spare_ppm);
	struct ssdpm_ftl_cost cost = cost_of(options);
	struct ssdpm_ftl *ftl = NULL;
	struct ssdpm_error error;
	int err = ssdpm_ftl_new(&params, &ftl, &error);

	if (!err)
		err = write_drive(ftl, &cost, params.n_user_pages, series,
				  &error);
	if (err)
		complain("%s: %s", series->name, error.message);
	ssdpm_ftl_free(ftl);
	return err ? STATUS_FAILED : STATUS_DONE;
}

static enum exit_status begin_series(const struct consistency_options *options,
				     uint64_t spare_ppm,
				     struct iops_series *ret_series)
{
	*ret_series = (struct iops_series){ .spare_ppm = spare_ppm };
	ret_series->n = (size_t)options->duration_s;
	ret_series->iops = calloc(ret_series->n, sizeof(double));
	if (options->idle_uw)
		ret_series->power_w = calloc(ret_series->n, sizeof(double));
	if (asprintf(&ret_series->name, "spare %g %%",
		     (double)spare_ppm / 1e4) < 0)
		ret_series->name = NULL;
	if (ret_series->iops && ret_series->name &&
	    (ret_series->power_w || !options->idle_uw))
		return STATUS_DONE;
	free(ret_series->name);
	free(ret_series->iops);
	free(ret_series->power_w);
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
