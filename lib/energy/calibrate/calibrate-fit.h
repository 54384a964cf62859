/* SPDX-License-Identifier: MIT */
/* A linear model of power over time, whose noise is correlated. */
#ifndef SSDPM_LIB_CALIBRATE_CALIBRATE_FIT_H
#define SSDPM_LIB_CALIBRATE_CALIBRATE_FIT_H

#include <ssdpm/energy/calibrate.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 32 states, the transitions, 3 columns for each of 4 operations, the drift. */
#define FIT_MAX_COLUMNS 46

/*
 * The noise is the sum of three parts: lasting (autoregressive, of order 1),
 * white, and a zero that walks at random. Before the first row, the zero may be
 * off by as much as it walks over all rows.
 */
struct fit_noise {
	double phi;   /* from one step to the next */
	double share; /* of the variance, that of the noise that lasts */
	double walk;  /* variance of a step of the walk, by that of the noise */
};

/* y = X b + noise, a row for each step of time. */
struct fit {
	size_t n;	 /* rows */
	size_t p;	 /* columns */
	const double *y; /* NaN: nothing was measured */
	double *x;	 /* row by row, each column of length 1 */
	uint8_t *out;	 /* 1: a spike, left out */

	size_t n_used;
	size_t n_out;
	struct fit_noise noise;
	double sigma;
	/* How far the zero walks over the rows, in W; NAN: unknown. */
	double drift_w;
	double walk_gain; /* what an unknown walk would gain */
	double b[FIT_MAX_COLUMNS];
	double covariance[FIT_MAX_COLUMNS][FIT_MAX_COLUMNS];
	/* The normal equations of the whitened rows. */
	double normal[FIT_MAX_COLUMNS][FIT_MAX_COLUMNS];
	double right[FIT_MAX_COLUMNS];
	double quantile; /* half an interval, by standard errors */
};

/*
 * Computes b and its covariance for a known noise. Return: the logarithm of the
 * restricted likelihood; -INFINITY if the columns cannot be told apart.
 */
double ssdpm__fit_at(struct fit *fit, struct fit_noise noise);

/*
 * The same, with the spikes found. Return: the logarithm of the likelihood, as
 * if each spike were at the limit of a spike. Fits with more and with fewer
 * spikes then compare.
 */
double ssdpm__fit_score(struct fit *fit, struct fit_noise noise);

/*
 * The residuals, independent and of variance 1; NaN: not measured, or a spike.
 * room: a double for each row.
 */
void ssdpm__fit_residuals(const struct fit *fit, double *room);

/*
 * The whole fit; drift_w is set. room: a double for each row. 0; -EDOM: hardly
 * more rows than columns, or columns that are alike; -ENOMEM.
 */
int ssdpm__fit(struct fit *fit, double *room);

/*
 * Lower factor of a symmetric matrix, in place. Return: the logarithm of the
 * determinant, or NAN.
 */
double ssdpm__fit_factor(double m[][FIT_MAX_COLUMNS], size_t p);

/* Solves with a factored matrix. */
void ssdpm__fit_solve(double m[][FIT_MAX_COLUMNS], size_t p,
		      const double *right, double *ret_x);

/*
 * Finds the columns that the rows cannot tell apart. Column j is mixed up with
 * column with[j], unless that is -1. Columns keep[] span all of them. Return:
 * how many these are.
 */
size_t ssdpm__fit_rank(const double *x, const double *y, size_t n, size_t p,
		       int with[FIT_MAX_COLUMNS], size_t keep[FIT_MAX_COLUMNS]);

#endif
