/* SPDX-License-Identifier: MIT */
/* A run as rows of equal length, with its power and what the drive did. */
#include "calibrate/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

#define ROWS_USUAL 4096
#define ROWS_MAX ((size_t)1 << 22)

/* A row is not measured if it has less than this share of the usual samples. */
#define SHARE_MIN 0.5

/*
 * A row takes whole steps, and at least one. A row with one sample, then two,
 * would not be the mean of its time.
 */
static uint64_t whole_steps(const struct ssdpm_samples *samples,
			    uint64_t step_ns, uint64_t n)
{
	n = n ? n : 1;
	/* The interval at 48 kHz is no whole number of nanoseconds. */
	return samples->time_ns ?
		       n * step_ns :
		       (uint64_t)ssdpm__ceil((double)n * samples->interval_ns);
}

static int choose_length(struct rows *rows, const struct ssdpm_samples *samples,
			 int64_t first_ns, int64_t last_ns, uint64_t step_ns,
			 uint64_t bin_ns, struct ssdpm_error *reterr)
{
	uint64_t length_ns = (uint64_t)(last_ns - first_ns) + step_ns;

	/* A longer step makes the whole run one row. */
	bin_ns = bin_ns > length_ns ? length_ns : bin_ns;
	rows->begin_ns = first_ns - (int64_t)(step_ns / 2);
	if (bin_ns && length_ns / bin_ns >= ROWS_MAX)
		return ssdpm__fail(
			reterr, -E2BIG, 0,
			"more than 2^22 steps of %llu ns: give a longer bin_ns",
			(unsigned long long)bin_ns);
	rows->bin_ns =
		whole_steps(samples, step_ns,
			    bin_ns ? (bin_ns + step_ns / 2) / step_ns :
				     length_ns / step_ns / ROWS_USUAL + 1);
	rows->single = rows->bin_ns < step_ns + step_ns / 2;
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

/* A response counts for this many time constants. */
#define RESPONSES_LEFT 6.0

/*
 * Rows as the design sees them, on the clock of the I/Os. If a sample is the
 * power of an instant, each row ends with its sample. If the meter lags, "late"
 * has what the low pass keeps of a row at its end.
 */
struct grid {
	struct design *design;
	int64_t begin_ns;
	double bin_ns;
	double shift;	 /* in rows */
	double response; /* in rows; 0: the meter does not lag */
	bool point;
	size_t n;
};

static double place_of(const struct grid *grid, uint64_t time_ns)
{
	return (double)((int64_t)time_ns - grid->begin_ns) / grid->bin_ns +
	       grid->shift;
}

/* Adds a density to a row, between "from" and "to". */
static void add_to_row(const struct grid *grid, size_t at, double from,
		       double to, double density)
{
	struct design *design = grid->design;

	if (grid->response > 0)
		design->late[at] +=
			density * (ssdpm__exp((to - 1) / grid->response) -
				   ssdpm__exp((from - 1) / grid->response));
	if (!grid->point)
		design->x[at] += density * (to - from);
	else if (grid->response <= 0 && from < 1 && to >= 1)
		design->x[at] += density;
}

/* Spreads an amount of a column over the rows of a time. */
static void spread(const struct grid *grid, size_t column, uint64_t begin_ns,
		   uint64_t end_ns, double amount)
{
	double begin = place_of(grid, begin_ns), end = place_of(grid, end_ns);

	if (column == grid->design->p || end <= 0 || begin >= (double)grid->n)
		return;
	double density = amount / (end - begin);

	begin = ssdpm__max(begin, 0);
	end = ssdpm__min(end, (double)grid->n);
	for (size_t row = (size_t)begin; (double)row < end; row++) {
		double from = ssdpm__max(begin, (double)row);
		double to = ssdpm__min(end, (double)(row + 1));

		add_to_row(grid, row * grid->design->p + column,
			   from - (double)row, to - (double)row, density);
	}
}

/*
 * Applies the low pass, y' = (x - y) / response. The mean of y over a row is
 * the mean of x, less the rise of y times the response.
 */
static void delay(const struct grid *grid)
{
	struct design *design = grid->design;
	double decay = ssdpm__exp(-1 / grid->response);

	for (size_t j = 0; j < design->p; j++) {
		double state = 0;

		for (size_t i = 0; i < grid->n; i++) {
			size_t at = i * design->p + j;
			double next = state * decay + design->late[at];

			design->x[at] =
				grid->point ?
					next :
					design->x[at] -
						grid->response * (next - state);
			state = next;
		}
	}
}

/* Spreads joules of I/Os and bytes evenly over their services. */
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
		double begin = place_of(grid, piece->begin_ns);
		double end = place_of(grid, piece->end_ns) +
			     RESPONSES_LEFT * grid->response;

		if (!piece->vague || end <= 0)
			continue;
		for (size_t row = (size_t)ssdpm__max(begin, 0);
		     row < grid->n && (double)row < end; row++)
			grid->design->y[row] = NAN;
	}
}

/* Scales each column to length 1, and counts the rows that have any of it. */
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

static struct grid make_grid(struct design *design, const struct rows *rows,
			     const struct meter *meter, int64_t offset_ns)
{
	double bin_ns = (double)rows->bin_ns * (1 + meter->clock);

	return (struct grid){
		.design = design,
		.begin_ns = rows->begin_ns + offset_ns,
		.bin_ns = bin_ns,
		.shift = meter->point ? 0.5 : 0,
		.response = meter->response_ns / bin_ns,
		.point = meter->point,
		.n = rows->n,
	};
}

static void fill_pieces(const struct grid *grid,
			const struct drawn_course *course)
{
	const struct design *design = grid->design;

	for (size_t i = 0; i < course->n_pieces; i++) {
		const struct calibrate_piece *piece = &course->pieces[i];
		double bins = (double)(piece->end_ns - piece->begin_ns) /
			      grid->bin_ns;

		if (!piece->vague)
			spread(grid,
			       find_column(design, piece->kind, piece->index),
			       piece->begin_ns, piece->end_ns, bins);
	}
	if (find_column(design, SSDPM_PARAMETER_OPERATION_ENERGY, 0) <
		    design->p ||
	    find_column(design, SSDPM_PARAMETER_BYTE_ENERGY, 0) < design->p)
		spread_ios(grid, course);
}

void ssdpm__design_fill(struct design *design,
			const struct drawn_course *course,
			const struct rows *rows, const struct meter *meter,
			int64_t offset_ns)
{
	size_t p = design->p, all = rows->n * p;
	struct grid grid = make_grid(design, rows, meter, offset_ns);
	/* A meter that lags still shows the power before the first I/O. */
	double begin = place_of(&grid, course->ios[0].start_ns) - grid.shift;
	double first =
		grid.response > 0 ?
			ssdpm__max(begin, 0) + RESPONSES_LEFT * grid.response :
			begin;
	double end = place_of(&grid, course->end_ns) - grid.shift;

	memset(design->x, 0, all * sizeof(*design->x));
	if (grid.response > 0)
		memset(design->late, 0, all * sizeof(*design->late));
	fill_pieces(&grid, course);
	if (grid.response > 0)
		delay(&grid);
	for (size_t i = 0; i < rows->n; i++) {
		bool inside = (double)i >= first && (double)(i + 1) <= end;

		design->y[i] = inside ? rows->power_w[i] : NAN;
		design->x[i * p + p - 1] = (double)i / (double)rows->n - 0.5;
	}
	leave_out_vague(&grid, course);
	scale(design, rows->n);
}
