/* SPDX-License-Identifier: MIT */
/* A run as rows of equal length: power, and what the drive did in that time. */
#include "calibrate/calibrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

#define ROWS_USUAL 4096
#define ROWS_MAX ((size_t)1 << 22)

/* A row with fewer samples than this share of what is usual is not measured. */
#define SHARE_MIN 0.5

static int choose_length(struct rows *rows, const struct ssdpm_samples *samples,
			 int64_t first_ns, int64_t last_ns, uint64_t step_ns,
			 uint64_t bin_ns, struct ssdpm_error *reterr)
{
	uint64_t length_ns = (uint64_t)(last_ns - first_ns) + step_ns;

	rows->bin_ns = bin_ns;
	if (!bin_ns)
		rows->bin_ns = step_ns * (length_ns / step_ns / ROWS_USUAL + 1);
	/* Samples of 48 kHz are a part of a nanosecond off. */
	if (!bin_ns && !samples->time_ns && rows->bin_ns == step_ns)
		rows->bin_ns = (uint64_t)ssdpm__ceil(samples->interval_ns);
	rows->begin_ns = first_ns - (int64_t)(step_ns / 2);
	if (length_ns / rows->bin_ns >= ROWS_MAX)
		return ssdpm__fail(
			reterr, -E2BIG, 0,
			"more than 2^22 steps of %llu ns: give a longer bin_ns",
			(unsigned long long)rows->bin_ns);
	rows->n = (size_t)(length_ns / rows->bin_ns) + 1;
	return 0;
}

static void take_means(struct rows *rows, const struct ssdpm_samples *samples,
		       double *counts, double usual)
{
	for (size_t i = 0; i < samples->n; i++) {
		double power_w = ssdpm__sample_w(samples, i);
		int64_t time_ns = ssdpm__sample_ns(samples, i) - rows->begin_ns;

		if (!isfinite(power_w) || time_ns < 0)
			continue;
		uint64_t row = (uint64_t)time_ns / rows->bin_ns;

		if (row >= rows->n)
			continue;
		rows->power_w[row] += power_w;
		counts[row]++;
	}
	for (size_t i = 0; i < rows->n; i++) {
		if (counts[i] > 0 && counts[i] >= SHARE_MIN * usual)
			rows->power_w[i] /= counts[i];
		else
			rows->power_w[i] = NAN;
	}
}

int ssdpm__rows_take(struct rows *rows, const struct ssdpm_samples *samples,
		     uint64_t bin_ns, struct ssdpm_error *reterr)
{
	struct ssdpm_energy energy = { .size = sizeof(energy) };
	int err = ssdpm_energy_measure(samples, NULL, &energy, reterr);

	if (err)
		return err;
	if (energy.remarks & SSDPM_SIGNAL_CONSTANT)
		return ssdpm__fail(
			reterr, -EDOM, 0,
			"all samples are the same: is anything connected?");
	int64_t first_ns = ssdpm__sample_ns(samples, 0);
	int64_t last_ns = ssdpm__sample_ns(samples, samples->n - 1);
	uint64_t step_ns = ssdpm__usual_gap(samples) / 10;

	if (energy.n_backwards || last_ns <= first_ns || !step_ns)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"the times of the samples do not ascend: cut the signal where its clock jumped, unless columns are mistaken for each other");
	if (last_ns > INT64_MAX / 2 || first_ns < -INT64_MAX / 2)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "samples beyond 2^62 ns");
	err = choose_length(rows, samples, first_ns, last_ns, step_ns, bin_ns,
			    reterr);
	if (err)
		return err;
	double *counts = calloc(rows->n, sizeof(*counts));

	rows->power_w = calloc(rows->n, sizeof(*rows->power_w));
	if (counts && rows->power_w)
		take_means(rows, samples, counts,
			   (double)rows->bin_ns / (double)step_ns);
	else
		err = ssdpm__no_memory(reterr);
	free(counts);
	return err;
}

static size_t find_column(const struct design *design, uint32_t kind,
			  uint32_t index)
{
	size_t j = 0;

	while (j < design->p && (design->columns[j].kind != kind ||
				 design->columns[j].index != index))
		j++;
	return j;
}

/* Rows as the design sees them: on the clock of the I/Os. */
struct grid {
	struct design *design;
	int64_t begin_ns;
	double bin_ns;
	size_t n;
};

/* Spread so much of a column over the rows of a time. */
static void spread(const struct grid *grid, size_t column, uint64_t begin_ns,
		   uint64_t end_ns, double amount)
{
	double begin =
		(double)((int64_t)begin_ns - grid->begin_ns) / grid->bin_ns;
	double end = (double)((int64_t)end_ns - grid->begin_ns) / grid->bin_ns;

	if (column == grid->design->p || end <= 0 || begin >= (double)grid->n)
		return;
	double density = amount / (end - begin);

	begin = ssdpm__max(begin, 0);
	end = ssdpm__min(end, (double)grid->n);
	for (size_t row = (size_t)begin; (double)row < end; row++) {
		double from = ssdpm__max(begin, (double)row);
		double to = ssdpm__min(end, (double)(row + 1));

		grid->design->x[row * grid->design->p + column] +=
			density * (to - from);
	}
}

/* Joules of I/Os and bytes, evenly over their services. */
static void spread_ios(const struct grid *grid,
		       const struct drawn_course *course)
{
	const struct design *design = grid->design;
	double per_second = NS_PER_S / grid->bin_ns;

	for (size_t i = 0; i < course->n_ios; i++) {
		const struct ssdpm_io *io = &course->ios[i];
		uint64_t end_ns =
			io->start_ns + (io->service_ns ? io->service_ns : 1);
		bool counts = !(io->flags & SSDPM_IO_CONTINUED);

		if (counts)
			spread(grid,
			       find_column(design,
					   SSDPM_PARAMETER_OPERATION_ENERGY,
					   io->op - 1u),
			       io->start_ns, end_ns, per_second);
		spread(grid,
		       find_column(design, SSDPM_PARAMETER_BYTE_ENERGY,
				   io->op - 1u),
		       io->start_ns, end_ns, per_second * io->bytes);
	}
}

static void leave_out_vague(const struct grid *grid,
			    const struct drawn_course *course)
{
	for (size_t i = 0; i < course->n_pieces; i++) {
		const struct calibrate_piece *piece = &course->pieces[i];
		double begin =
			(double)((int64_t)piece->begin_ns - grid->begin_ns) /
			grid->bin_ns;
		double end = (double)((int64_t)piece->end_ns - grid->begin_ns) /
			     grid->bin_ns;

		if (!piece->vague || end <= 0)
			continue;
		for (size_t row = (size_t)ssdpm__max(begin, 0);
		     row < grid->n && (double)row < end; row++)
			grid->design->y[row] = NAN;
	}
}

/* Lengths of 1, and how many rows have any of a column. */
static void scale(struct design *design, size_t n)
{
	size_t p = design->p;

	for (size_t j = 0; j < p; j++) {
		struct fit_column *column = &design->columns[j];
		double sum = 0;

		column->n = 0;
		for (size_t i = 0; i < n; i++) {
			double value = design->x[i * p + j];

			if (isnan(design->y[i]) || fabs(value) < 1e-12)
				continue;
			sum += value * value;
			column->n++;
		}
		column->length = sqrt(sum);
		for (size_t i = 0; i < n && sum > 0; i++)
			design->x[i * p + j] /= column->length;
	}
}

void ssdpm__design_fill(struct design *design,
			const struct drawn_course *course,
			const struct rows *rows, int64_t offset_ns)
{
	size_t p = design->p;
	struct grid grid = { design, rows->begin_ns + offset_ns,
			     (double)rows->bin_ns, rows->n };
	double first =
		(double)((int64_t)course->ios[0].start_ns - grid.begin_ns) /
		grid.bin_ns;
	double end =
		(double)((int64_t)course->end_ns - grid.begin_ns) / grid.bin_ns;

	memset(design->x, 0, rows->n * p * sizeof(*design->x));
	for (size_t i = 0; i < course->n_pieces; i++) {
		const struct calibrate_piece *piece = &course->pieces[i];
		double bins =
			(double)(piece->end_ns - piece->begin_ns) / grid.bin_ns;

		if (!piece->vague)
			spread(&grid,
			       find_column(design, piece->kind, piece->index),
			       piece->begin_ns, piece->end_ns, bins);
	}
	if (find_column(design, SSDPM_PARAMETER_OPERATION_ENERGY, 0) < p ||
	    find_column(design, SSDPM_PARAMETER_BYTE_ENERGY, 0) < p)
		spread_ios(&grid, course);
	for (size_t i = 0; i < rows->n; i++) {
		bool inside = (double)i >= first && (double)(i + 1) <= end;

		design->y[i] = inside ? rows->power_w[i] : NAN;
		design->x[i * p + p - 1] = (double)i / (double)rows->n - 0.5;
	}
	leave_out_vague(&grid, course);
	scale(design, rows->n);
}
