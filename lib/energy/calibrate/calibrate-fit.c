/* SPDX-License-Identifier: MIT */
/*
 * The linear model by generalised least squares.
 *
 * Samples of power in quick succession are not independent: the error of one is
 * most of the error of the next. The noise is the sum of an autoregressive and
 * a white part (with quantisation). Where the data show it, a zero that walks
 * at random is added. Its coefficients maximise the restricted likelihood
 * (Patterson and Thompson 1971), which accounts for the degrees of freedom of
 * the columns. A Kalman filter makes the rows independent, in linear time and
 * across gaps.
 *
 * A row far from everything that the rows before it predict is a spike, and
 * counts as missing.
 */
#include "calibrate/calibrate-fit.h"

#include <errno.h>
#include <string.h>

#include "measure/internal.h"

#define N_PASSES 5

/* A spike is more than this many sigmas from its prediction. */
#define SPIKE 4.0

/* More rows than this in a row are another level, not spikes. */
#define SPIKES_MAX 3

/* A column depends on the others if they leave less than this of its square. */
#define RANK_TOLERANCE 1e-6

/* Columns with smaller shares have no part in that dependence. */
#define SHARE_TOLERANCE 1e-3

/* The log-likelihood that a walking zero must add to be accepted. */
#define WALK_GAIN 3.0

/*
 * Noise that lasts more than 33 rows looks like a zero that walks. The walk is
 * then chosen unless it is less likely by WALK_GAIN, because its intervals are
 * wider.
 */
#define SLOW 3.5

/* The grid finds a maximum within this much of its logarithm. */
#define CLIMB_FROM 20.0

/* In the search phi is 1 - ssdpm__exp(-this). */
#define MAX_DECAY 7.0

struct filter {
	struct fit_noise noise;
	/* Covariances before the row: lasting noise, both, the zero. */
	double lasting, both, zero;
};

/* How much of a row's surprise goes into the lasting noise and the zero. */
struct gains {
	double lasting, zero;
};

static struct filter filter_begin(const struct fit *fit, struct fit_noise noise)
{
	return (struct filter){
		.noise = noise,
		.lasting = noise.share,
		.zero = noise.walk * (double)fit->n,
	};
}

/* The variance of the next row. */
static double spread(const struct filter *filter)
{
	return filter->lasting + 2 * filter->both + filter->zero +
	       (1 - filter->noise.share);
}

static struct gains filter_row(struct filter *filter, bool seen)
{
	double phi = filter->noise.phi, total = spread(filter);
	struct gains gains = { 0, 0 };

	if (seen && total > 0) {
		gains.lasting = (filter->lasting + filter->both) / total;
		gains.zero = (filter->both + filter->zero) / total;
		filter->lasting -= gains.lasting * gains.lasting * total;
		filter->both -= gains.lasting * gains.zero * total;
		filter->zero -= gains.zero * gains.zero * total;
	}
	filter->lasting = phi * phi * filter->lasting +
			  filter->noise.share * (1 - phi * phi);
	filter->both *= phi;
	filter->zero += filter->noise.walk;
	return gains;
}

static bool is_seen(const struct fit *fit, size_t i)
{
	return !fit->out[i] && !isnan(fit->y[i]);
}

double ssdpm__fit_factor(double m[][FIT_MAX_COLUMNS], size_t p)
{
	double log_determinant = 0;

	for (size_t j = 0; j < p; j++) {
		double d = m[j][j], before = d;

		for (size_t k = 0; k < j; k++)
			d -= m[j][k] * m[j][k];
		if (!(d > 1e-11 * before))
			return NAN;
		log_determinant += ssdpm__ln(d);
		m[j][j] = sqrt(d);
		for (size_t i = j + 1; i < p; i++) {
			double s = m[i][j];

			for (size_t k = 0; k < j; k++)
				s -= m[i][k] * m[j][k];
			m[i][j] = s / m[j][j];
		}
	}
	return log_determinant;
}

void ssdpm__fit_solve(double m[][FIT_MAX_COLUMNS], size_t p,
		      const double *right, double *ret_x)
{
	for (size_t i = 0; i < p; i++) {
		double s = right[i];

		for (size_t k = 0; k < i; k++)
			s -= m[i][k] * ret_x[k];
		ret_x[i] = s / m[i][i];
	}
	for (size_t i = p; i-- > 0;) {
		double s = ret_x[i];

		for (size_t k = i + 1; k < p; k++)
			s -= m[k][i] * ret_x[k];
		ret_x[i] = s / m[i][i];
	}
}

/* The row of all columns and of the power, and its prediction. */
struct whitener {
	double lasting[FIT_MAX_COLUMNS + 1];
	double zero[FIT_MAX_COLUMNS + 1];
	double row[FIT_MAX_COLUMNS + 1];
};

static void whiten_row(struct whitener *w, const struct fit *fit, size_t i,
		       struct gains gains, double scale)
{
	double phi = fit->noise.phi;
	const double *x = &fit->x[i * fit->p];

	for (size_t j = 0; j <= fit->p; j++) {
		double value = j < fit->p ? x[j] : fit->y[i];
		double surprise = value - w->lasting[j] - w->zero[j];

		w->row[j] = surprise * scale;
		w->lasting[j] =
			phi * (w->lasting[j] + gains.lasting * surprise);
		w->zero[j] += gains.zero * surprise;
	}
}

static void add_row(struct fit *fit, const double *row)
{
	for (size_t j = 0; j < fit->p; j++) {
		for (size_t k = 0; k <= j; k++)
			fit->normal[j][k] += row[j] * row[k];
		fit->right[j] += row[j] * row[fit->p];
	}
	fit->n_used++;
}

/* Sums of the rows after the filter. Return: log of the noise's determinant. */
static double whiten(struct fit *fit, double *ret_squares)
{
	struct filter filter = filter_begin(fit, fit->noise);
	struct whitener w = { 0 };
	double determinant = 1, log_determinant = 0, squares = 0;

	memset(fit->normal, 0, sizeof(fit->normal));
	memset(fit->right, 0, sizeof(fit->right));
	fit->n_used = 0;
	for (size_t i = 0; i < fit->n; i++) {
		bool seen = is_seen(fit, i);
		double total = spread(&filter), scale = 1 / sqrt(total);
		struct gains gains = filter_row(&filter, seen);

		if (!seen) {
			for (size_t j = 0; j <= fit->p; j++)
				w.lasting[j] *= fit->noise.phi;
			continue;
		}
		whiten_row(&w, fit, i, gains, scale);
		add_row(fit, w.row);
		squares += w.row[fit->p] * w.row[fit->p];
		/* One logarithm for many rows. */
		determinant *= total;
		if (determinant < 1e-200 || determinant > 1e200) {
			log_determinant += ssdpm__ln(determinant);
			determinant = 1;
		}
	}
	*ret_squares = squares;
	return log_determinant + ssdpm__ln(determinant);
}

double ssdpm__fit_at(struct fit *fit, struct fit_noise noise)
{
	static const double half = 0.5;
	double m[FIT_MAX_COLUMNS][FIT_MAX_COLUMNS];
	double unit[FIT_MAX_COLUMNS] = { 0 };
	double squares;
	size_t p = fit->p;

	fit->noise = noise;
	double determinant = whiten(fit, &squares);

	if (fit->n_used <= p)
		return -INFINITY;
	memcpy(m, fit->normal, sizeof(m));
	double design = ssdpm__fit_factor(m, p);

	if (isnan(design))
		return -INFINITY;
	ssdpm__fit_solve(m, p, fit->right, fit->b);
	for (size_t j = 0; j < p; j++)
		squares -= fit->b[j] * fit->right[j];
	double freedom = (double)(fit->n_used - p);
	double variance = ssdpm__max(squares, 1e-300) / freedom;

	fit->sigma = sqrt(variance);
	for (size_t j = 0; j < p; j++) {
		unit[j] = variance;
		ssdpm__fit_solve(m, p, unit, fit->covariance[j]);
		unit[j] = 0;
	}
	return -half * (determinant + design + freedom * ssdpm__ln(variance));
}

/* Where the search for the noise is, and how good it is there. */
struct place {
	double decay; /* phi is 1 - exp(-decay) */
	double share;
	double walk; /* its logarithm; -INFINITY: none */
	double value;
};

static struct fit_noise noise_at(const struct place *place)
{
	return (struct fit_noise){
		.phi = 1 - ssdpm__exp(-place->decay),
		.share = place->share,
		.walk = place->walk > -INFINITY ? ssdpm__exp(place->walk) : 0,
	};
}

static bool try_place(struct fit *fit, struct place *best, struct place place)
{
	place.value = ssdpm__fit_at(fit, noise_at(&place));
	if (!(place.value > best->value))
		return false;
	*best = place;
	return true;
}

/* One step into each direction. */
static bool try_around(struct fit *fit, struct place *best, double step,
		       bool walks)
{
	bool better = false;

	for (int i = 0; i < (walks ? 6 : 4); i++) {
		struct place place = *best;
		double side = i % 2 ? -step : step;

		if (i < 2)
			place.decay = ssdpm__min(
				ssdpm__max(place.decay + 1.5 * side, 0.01),
				MAX_DECAY);
		else if (i < 4)
			place.share = ssdpm__min(
				ssdpm__max(place.share + side, 0.004), 1);
		else
			place.walk += 5 * side;
		if (best->share > 0 || i >= 4)
			better = try_place(fit, best, place) || better;
	}
	return better;
}

static void climb(struct fit *fit, struct place *best, bool walks)
{
	for (double step = 0.2; step > 0.004 && isfinite(best->value);)
		if (!try_around(fit, best, step, walks))
			step /= 2;
}

/* The best noise with a walk: a grid, then ever smaller steps. */
static struct place search_with(struct fit *fit, double walk)
{
	static const double decays[] = { 0.2, 0.5, 0.9, 1.4, 2, 2.7, 3.5, 5 };
	static const double shares[] = { 1, 0.8, 0.5, 0.2 };
	struct place best = { .walk = walk, .value = -INFINITY };

	try_place(fit, &best, best);
	for (size_t i = 0; i < 32; i++)
		try_place(fit, &best,
			  (struct place){ .decay = decays[i % 8],
					  .share = shares[i / 8],
					  .walk = walk });
	climb(fit, &best, false);
	return best;
}

/* Searches for a zero that walks, where its drift is unknown. */
static struct place search_walk(struct fit *fit, const struct place *without)
{
	static const double walks[] = { -11.5, -9.2, -6.9, -4.6, -2.3 };
	static const double decays[] = { 0, 0.3, 0.7, 1.4, 2.2 };
	struct place best = { .value = -INFINITY };

	for (size_t i = 0; i < 25; i++) {
		struct place place = { .decay = decays[i % 5],
				       .share = i % 5 ? 0.9 : 0,
				       .walk = walks[i / 5] };

		try_place(fit, &best, place);
		place = (struct place){ .decay = without->decay,
					.share = without->share,
					.walk = walks[i / 5] };
		if (i % 5 == 0)
			try_place(fit, &best, place);
	}
	if (best.value > without->value - CLIMB_FROM)
		climb(fit, &best, true);
	return best;
}

/* The logarithm of a known walk, relative to the noise of the fit. */
static double walk_of(const struct fit *fit)
{
	double steps = fit->drift_w / fit->sigma;

	return fit->drift_w > 0 ? ssdpm__ln(steps * steps / (double)fit->n) :
				  -INFINITY;
}

/* The best noise. Return: its likelihood. */
static double search(struct fit *fit)
{
	struct place best = search_with(fit, -INFINITY);

	ssdpm__fit_at(fit, noise_at(&best));
	for (int i = 0; i < 3 && fit->drift_w > 0; i++) {
		best = search_with(fit, walk_of(fit));
		ssdpm__fit_at(fit, noise_at(&best));
	}
	struct place walking = search_walk(fit, &best);

	fit->walk_gain = walking.value - best.value;
	if (isnan(fit->drift_w) &&
	    fit->walk_gain > (best.decay > SLOW ? -WALK_GAIN : WALK_GAIN))
		best = walking;
	return ssdpm__fit_at(fit, noise_at(&best));
}

static double residual(const struct fit *fit, size_t i)
{
	double value = fit->y[i];

	for (size_t j = 0; j < fit->p; j++)
		value -= fit->x[i * fit->p + j] * fit->b[j];
	return value;
}

/* Return: whether any row changed sides. */
static bool find_spikes(struct fit *fit)
{
	struct filter filter = filter_begin(fit, fit->noise);
	double lasting = 0, zero = 0;
	unsigned int in_a_row = 0;
	bool changed = false;

	fit->n_out = 0;
	for (size_t i = 0; i < fit->n; i++) {
		bool seen = !isnan(fit->y[i]);
		double limit = SPIKE * fit->sigma * sqrt(spread(&filter));
		double surprise = seen ? residual(fit, i) - lasting - zero : 0;
		bool out =
			seen && fabs(surprise) > limit && in_a_row < SPIKES_MAX;

		in_a_row = out ? in_a_row + 1 : 0;
		struct gains gains = filter_row(&filter, seen && !out);

		lasting = fit->noise.phi * (lasting + gains.lasting * surprise);
		zero += gains.zero * surprise;
		changed = changed || out != (bool)fit->out[i];
		fit->out[i] = out;
		fit->n_out += out;
	}
	return changed;
}

double ssdpm__fit_score(struct fit *fit, struct fit_noise noise)
{
	static const double half = 0.5;

	/*
	 * Rows that another fit left out may be all that tells two columns
	 * apart.
	 */
	memset(fit->out, 0, fit->n);
	double value = ssdpm__fit_at(fit, noise);

	for (int i = 0; i < 3 && isfinite(value) && find_spikes(fit); i++)
		value = ssdpm__fit_at(fit, noise);
	return value - half * (double)fit->n_out *
			       (2 * ssdpm__ln(fit->sigma) + SPIKE * SPIKE);
}

void ssdpm__fit_residuals(const struct fit *fit, double *room)
{
	struct filter filter = filter_begin(fit, fit->noise);
	double lasting = 0, zero = 0;

	for (size_t i = 0; i < fit->n; i++) {
		bool seen = is_seen(fit, i);
		double total = spread(&filter);
		double surprise = seen ? residual(fit, i) - lasting - zero : 0;
		struct gains gains = filter_row(&filter, seen);

		lasting = fit->noise.phi * (lasting + gains.lasting * surprise);
		zero += gains.zero * surprise;
		room[i] = seen ? surprise / (fit->sigma * sqrt(total)) : NAN;
	}
}

/*
 * Before the noise is known, marks values that differ from both neighbours to
 * the same side.
 */
static int mark_peaks(struct fit *fit, double *values)
{
	struct ssdpm_samples samples = {
		.power_w = values,
		.n = fit->n - 1,
		.interval_ns = 1,
		.type = SSDPM_SAMPLE_FLOAT64,
	};
	struct selection selection = { .samples = &samples, .distances = true };
	double mad;
	uint64_t finite;

	for (size_t i = 0; i < fit->n; i++)
		values[i] = residual(fit, i);
	for (size_t i = 0; i + 1 < fit->n; i++)
		values[i] = values[i + 1] - values[i];
	int err = ssdpm__median(&selection, &mad, &finite, NULL);
	double limit = 1.5 * SPIKE * SIGMAS_PER_MAD * mad;

	if (err || !(mad > 0))
		return err == -ENOMEM ? err : 0;
	for (size_t i = 1; i + 1 < fit->n; i++)
		fit->out[i] = (values[i - 1] > limit && values[i] < -limit) ||
			      (values[i - 1] < -limit && values[i] > limit);
	return 0;
}

/* Half of a 95 % interval by Student's distribution (Fisher 1926). */
static double quantile(double freedom)
{
	static const double z = 1.959963984540054;
	double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;

	return z + (z3 + z) / (4 * freedom) +
	       (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) /
		       (384 * freedom * freedom * freedom);
}

int ssdpm__fit(struct fit *fit, double *room)
{
	memset(fit->out, 0, fit->n);
	if (!isfinite(ssdpm__fit_at(fit, (struct fit_noise){ 0 })) ||
	    fit->n_used < fit->p + 8)
		return -EDOM;
	int err = mark_peaks(fit, room);

	for (int i = 0; err == 0 && i < N_PASSES; i++) {
		if (!isfinite(search(fit)))
			return -EDOM;
		if (!find_spikes(fit))
			break;
	}
	/* As many independent samples as the lasting noise leaves. */
	double share = fit->noise.share * fit->noise.phi;
	double freedom =
		(double)(fit->n_used - fit->p) * (1 - share) / (1 + share);

	fit->quantile = quantile(ssdpm__max(freedom, 3));
	return err;
}

static void square(const double *x, const double *y, size_t n, size_t p,
		   double m[][FIT_MAX_COLUMNS])
{
	memset(m, 0, FIT_MAX_COLUMNS * sizeof(m[0]));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; !isnan(y[i]) && j < p; j++)
			for (size_t k = 0; k < p; k++)
				m[j][k] += x[i * p + j] * x[i * p + k];
}

/* Removes column j from all columns that are left. */
static void sweep(double m[][FIT_MAX_COLUMNS], size_t p, size_t j,
		  const bool *kept)
{
	double d = m[j][j];

	for (size_t i = 0; i < p; i++) {
		double share = m[i][j] / d;

		if (i == j)
			continue;
		for (size_t k = 0; k < p; k++)
			if (k != j)
				m[i][k] -= share * m[j][k];
		/* In the row of a column not yet kept: its share of j. */
		m[i][j] = kept[i] ? -share : share;
	}
	for (size_t k = 0; k < p; k++)
		if (k != j)
			m[j][k] /= d;
	m[j][j] = 1 / d;
}

size_t ssdpm__fit_rank(const double *x, const double *y, size_t n, size_t p,
		       int with[FIT_MAX_COLUMNS], size_t keep[FIT_MAX_COLUMNS])
{
	double m[FIT_MAX_COLUMNS][FIT_MAX_COLUMNS];
	bool kept[FIT_MAX_COLUMNS] = { false };
	size_t rank = 0;

	square(x, y, n, p, m);
	for (size_t j = 0; j < p; j++)
		with[j] = -1;
	while (rank < p) {
		size_t best = p;

		for (size_t j = 0; j < p; j++)
			if (!kept[j] && (best == p || m[j][j] > m[best][best]))
				best = j;
		if (!(m[best][best] > RANK_TOLERANCE))
			break;
		sweep(m, p, best, kept);
		kept[best] = true;
		keep[rank++] = best;
	}
	/* Each column left is a sum of kept ones; find which. */
	for (size_t j = 0; j < p; j++)
		for (size_t k = 0; !kept[j] && k < p; k++)
			if (kept[k] && fabs(m[k][j]) > SHARE_TOLERANCE) {
				with[j] = (int)k;
				with[k] = (int)j;
			}
	return rank;
}
