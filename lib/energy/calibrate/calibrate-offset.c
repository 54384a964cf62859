/* SPDX-License-Identifier: MIT */
/*
 * How far apart the clocks of the samples and of the I/Os are.
 *
 * First a rough offset, from the cross-correlation of the power with the
 * model's power. Then the likelihood decides, with powers and noise fitted at
 * each offset.
 */
#include "calibrate/internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

#define LAGS_MAX 65536

/* Two clocks with different origins are years apart. */
#define EXPECTED_MAX ((size_t)1 << 24)

/* Half of a chi-square's quantile gives an interval of 95 %. */
#define LIKELIHOOD_95 1.92072941034706

/* Steps at an end of the run. */
#define ENDS 2

/*
 * If two axes compensate for each other more than this, their errors decide
 * nothing.
 */
#define TRADE_MAX 0.999

#define GOLDEN 0.6180339887498949

void ssdpm__task_fill(struct calibrate_task *task, int64_t offset_ns)
{
	struct design *design = &task->design;
	struct fit *fit = &task->fit;
	size_t p = design->p;

	ssdpm__design_fill(design, &task->course, &task->rows, &task->meter,
			   offset_ns);
	fit->p = ssdpm__fit_rank(design->x, design->y, task->rows.n, p,
				 task->with, task->keep);
	for (size_t i = 0; i < fit->n; i++)
		for (size_t j = 0; j < fit->p; j++)
			fit->x[i * fit->p + j] =
				design->x[i * p + task->keep[j]];
}

/* Watts that the model expects, in bins from the first I/O. */
struct expected {
	double *power_w;
	size_t n;
};

static double nominal_w(const struct ssdpm_parameter *parameters, size_t n,
			uint32_t kind, uint32_t index)
{
	for (size_t i = 0; i < n; i++)
		if (parameters[i].kind == kind && parameters[i].index == index)
			return (double)parameters[i].nominal * 1e-6;
	return 0;
}

static void expect(struct expected *expected, const struct calibrate_task *task,
		   const struct ssdpm_parameter *parameters, size_t n)
{
	uint64_t origin_ns = task->course.ios[0].start_ns;
	double bin_ns = (double)task->rows.bin_ns;

	for (size_t i = 0; i < task->course.n_pieces; i++) {
		const struct calibrate_piece *piece = &task->course.pieces[i];
		double power_w =
			nominal_w(parameters, n, piece->kind, piece->index);
		double begin = (double)(piece->begin_ns - origin_ns) / bin_ns;
		double end = (double)(piece->end_ns - origin_ns) / bin_ns;

		for (size_t bin = (size_t)begin;
		     bin < expected->n && (double)bin < end; bin++)
			expected->power_w[bin] +=
				power_w * (ssdpm__min(end, (double)(bin + 1)) -
					   ssdpm__max(begin, (double)bin));
	}
}

/*
 * Pearson's, over the bins that both know; 0 if these are less than half of the
 * shorter.
 */
static double correlation(const struct calibrate_task *task,
			  const struct expected *expected, int64_t lag)
{
	double x = 0, y = 0, xx = 0, yy = 0, xy = 0, n = 0;

	for (size_t i = 0; i < task->rows.n; i++) {
		int64_t bin = (int64_t)i + lag;
		double power_w = task->rows.power_w[i];

		if (bin < 0 || bin >= (int64_t)expected->n || isnan(power_w))
			continue;
		double other_w = expected->power_w[bin];

		x += power_w;
		y += other_w;
		xx += power_w * power_w;
		yy += other_w * other_w;
		xy += power_w * other_w;
		n++;
	}
	double covariance = n * xy - x * y;
	double squares = (n * xx - x * x) * (n * yy - y * y);
	size_t shorter =
		task->rows.n < expected->n ? task->rows.n : expected->n;

	if (n < 0.5 * (double)shorter || !(squares > 0))
		return 0;
	return covariance / sqrt(squares);
}

static int find_lag(struct calibrate_task *task, uint64_t max_ns,
		    const struct expected *expected, struct ssdpm_error *reterr)
{
	int64_t bin_ns = (int64_t)task->rows.bin_ns;
	int64_t zero_ns = task->rows.begin_ns + task->offset_ns -
			  (int64_t)task->course.ios[0].start_ns;
	int64_t first = (zero_ns - (int64_t)max_ns) / bin_ns;
	int64_t last = (zero_ns + (int64_t)max_ns) / bin_ns;
	double best = 0;

	if (last - first > LAGS_MAX)
		return ssdpm__fail(
			reterr, -E2BIG, 0,
			"more than %d steps of %lld ns to look for the offset in: give a smaller max_offset_ns",
			LAGS_MAX, (long long)bin_ns);
	for (int64_t lag = first; lag <= last; lag++) {
		double value = correlation(task, expected, lag);

		if (value <= best)
			continue;
		best = value;
		task->offset_ns = (int64_t)task->course.ios[0].start_ns -
				  task->rows.begin_ns + lag * bin_ns;
	}
	if (!(best > 0))
		return ssdpm__fail(
			reterr, -EDOM, 0,
			"power and I/Os are not alike at any offset within max_offset_ns: is it the same run?");
	return 0;
}

/* How well an offset fits, with the noise of the last fit. */
static double fits(struct calibrate_task *task, int64_t offset_ns)
{
	struct fit_noise noise = task->fit.noise;

	ssdpm__task_fill(task, offset_ns);
	double value = ssdpm__fit_at(&task->fit, noise);

	return value / (double)task->fit.n_used;
}

/* The best one within range_ns: a grid, then the golden section. */
static void refine(struct calibrate_task *task, double range_ns)
{
	double center = (double)task->offset_ns, best = -INFINITY;
	double step = range_ns / 4;

	for (int i = -4; i <= 4; i++) {
		double value = fits(
			task, (int64_t)((double)task->offset_ns + i * step));

		if (value > best) {
			best = value;
			center = (double)task->offset_ns + i * step;
		}
	}
	double low = center - step, high = center + step;
	double left = fits(task, (int64_t)(high - GOLDEN * (high - low)));
	double right = fits(task, (int64_t)(low + GOLDEN * (high - low)));

	for (int i = 0; i < 16; i++) {
		if (left > right) {
			high = low + GOLDEN * (high - low);
			right = left;
			left = fits(task,
				    (int64_t)(high - GOLDEN * (high - low)));
		} else {
			low = high - GOLDEN * (high - low);
			left = right;
			right = fits(task,
				     (int64_t)(low + GOLDEN * (high - low)));
		}
	}
	task->offset_ns = (int64_t)((low + high) / 2);
}

/* The offset depends on these, if they were found in the same data. */
enum { OFFSET, RESPONSE, CLOCK, N_AXES };

/* Directions in which a fit may become worse. */
struct axes {
	size_t n;
	size_t which[N_AXES];
	double error[N_AXES]; /* half an interval, if the others were known */
};

static double fits_at(struct calibrate_task *task, const double more[N_AXES])
{
	const struct meter kept = task->meter;

	task->meter.response_ns =
		ssdpm__max(0, kept.response_ns + more[RESPONSE]);
	task->meter.clock += more[CLOCK];
	double value = fits(task, task->offset_ns + (int64_t)more[OFFSET]);

	task->meter = kept;
	return value;
}

/* The largest error in one direction. */
static double error_of(struct calibrate_task *task, size_t axis, double unit)
{
	double more[N_AXES] = { 0 };
	double best = fits_at(task, more);
	double limit = LIKELIHOOD_95 / (double)task->fit.n_used;
	double near = 0, far = unit;

	for (int i = 0; i < 12; i++) {
		more[axis] = far;
		if (best - fits_at(task, more) > limit)
			break;
		near = far;
		far *= 2;
	}
	for (int i = 0; i < 6; i++) {
		more[axis] = (near + far) / 2;
		if (best - fits_at(task, more) > limit)
			far = more[axis];
		else
			near = more[axis];
	}
	return fabs(far);
}

static void add_axis(struct axes *axes, struct calibrate_task *task,
		     size_t which, double unit)
{
	axes->which[axes->n] = which;
	axes->error[axes->n++] = ssdpm__max(error_of(task, which, unit),
					    error_of(task, which, -unit));
}

/* How much two directions compensate for each other: -1 to 1. */
static double trade(struct calibrate_task *task, const struct axes *axes,
		    size_t a, size_t b)
{
	double none[N_AXES] = { 0 }, lost = 0, apart = 0;
	double best = fits_at(task, none);

	for (int i = 0; i < 4; i++) {
		double more[N_AXES] = { 0 };
		double side = i & 1 ? -1 : 1, other = i & 2 ? -1 : 1;

		more[axes->which[a]] = side * axes->error[a];
		more[axes->which[b]] = other * axes->error[b];
		double loss = best - fits_at(task, more);

		lost += loss;
		apart += side * other * loss;
	}
	if (!(fabs(apart) < TRADE_MAX * lost))
		return apart < 0 ? -TRADE_MAX : TRADE_MAX;
	return apart / lost;
}

/*
 * The likelihood is a quadratic near its top. Scaled by the errors along each
 * axis, its matrix has 1 on its diagonal. The inverse has the variance of the
 * offset for any value of the others.
 */
static double widening(struct calibrate_task *task, const struct axes *axes)
{
	double m[N_AXES][FIT_MAX_COLUMNS] = { { 0 } };
	double unit[FIT_MAX_COLUMNS] = { 1 }, x[FIT_MAX_COLUMNS] = { 0 };

	for (size_t i = 0; i < axes->n; i++) {
		m[i][i] = 1;
		for (size_t j = 0; j < i; j++)
			m[i][j] = trade(task, axes, i, j);
	}
	if (isnan(ssdpm__fit_factor(m, axes->n)))
		return 1 / sqrt(1 - TRADE_MAX * TRADE_MAX);
	ssdpm__fit_solve(m, axes->n, unit, x);
	return sqrt(x[0]);
}

double ssdpm__offset_shift(struct calibrate_task *task)
{
	double step = (double)task->error_ns;
	double before = fits(task, task->offset_ns - (int64_t)step);
	double after = fits(task, task->offset_ns + (int64_t)step);
	double here = fits(task, task->offset_ns);
	double bend = 2 * here - before - after;

	/* The top of the parabola, if one is nearby. */
	if (!(bend > 0))
		return step;
	double shift = step * (after - before) / (2 * bend);

	return ssdpm__max(-4 * step, ssdpm__min(shift, 4 * step));
}

int ssdpm__offset_refine(struct calibrate_task *task)
{
	double bin_ns = (double)task->rows.bin_ns;

	task->fit.noise = (struct fit_noise){ 0 };
	refine(task, bin_ns);
	ssdpm__task_fill(task, task->offset_ns);
	int err = ssdpm__fit(&task->fit, task->room);

	if (err)
		return err;
	refine(task, bin_ns / 2);
	return 0;
}

/*
 * Leaves out the steps at both ends. They come and go with the offset, and one
 * step more or less changes a fit by about an interval.
 */
static void leave_out_ends(struct fit *fit)
{
	size_t n = 0;

	for (size_t i = 0; i < fit->n && n < ENDS; i++) {
		fit->out[i] = 1;
		n += !isnan(fit->y[i]);
	}
	n = 0;
	for (size_t i = fit->n; i-- > 0 && n < ENDS;) {
		fit->out[i] = 1;
		n += !isnan(fit->y[i]);
	}
}

void ssdpm__offset_measure(struct calibrate_task *task, uint32_t stated)
{
	const double unit_ns = (double)task->rows.bin_ns / 256;
	struct axes axes = { 0 };

	ssdpm__task_fill(task, task->offset_ns);
	leave_out_ends(&task->fit);
	add_axis(&axes, task, OFFSET, unit_ns);
	if (!(stated & SSDPM_TRAIT_RESPONSE) && task->meter.response_ns > 0)
		add_axis(&axes, task, RESPONSE, unit_ns);
	if (!(stated & SSDPM_TRAIT_CLOCK) && task->meter.clock != 0)
		add_axis(&axes, task, CLOCK, 1 / (256 * (double)task->rows.n));
	task->error_ns = (uint64_t)ssdpm__ceil(axes.error[OFFSET] *
					       widening(task, &axes));
}

int ssdpm__offset_guess(struct calibrate_task *task, uint64_t max_ns,
			const struct ssdpm_parameter *parameters, size_t n,
			struct ssdpm_error *reterr)
{
	const struct drawn_course *course = &task->course;
	uint64_t length_ns = course->end_ns - course->ios[0].start_ns;
	struct expected expected = {
		.n = (size_t)(length_ns / task->rows.bin_ns) + 1,
	};

	if (expected.n > EXPECTED_MAX)
		return ssdpm__fail(
			reterr, -E2BIG, 0,
			"I/Os and samples are %zu steps of %llu ns long together: give the offset of their clocks, offset_ns, roughly",
			expected.n, (unsigned long long)task->rows.bin_ns);
	expected.power_w = calloc(expected.n, sizeof(*expected.power_w));
	if (!expected.power_w)
		return ssdpm__no_memory(reterr);
	expect(&expected, task, parameters, n);
	int err = find_lag(task, max_ns, &expected, reterr);

	free(expected.power_w);
	return err;
}
