/* SPDX-License-Identifier: MIT */
/*
 * A machine that is made up, with a power meter, and trials on it: the saving
 * of setting B and the noise are known.
 */
#ifndef SSDPM_TESTS_TRIAL_TRUTH_H
#define SSDPM_TESTS_TRIAL_TRUTH_H

#include "fixture.h"

#define SECOND INT64_C(1000000000)

/*
 * The power of a machine, second by second: a sum of parts, each without
 * effect where its numbers are 0.
 */
struct trial_noise {
	const char *name;
	/* Autoregressive of order 1: e-folding time, 0: white; deviation. */
	double ar_s, ar_w;
	double white_w;
	double drift_w_per_h;
	/* A level that changes at random times, by normal steps. */
	double step_s, step_w;
	/* A sine, and a task of a second once in each period. */
	double period_s, sine_w, task_w;
	/* Bursts: mean time between them, mean length, mean height. */
	double burst_s, burst_length_s, burst_w;
	/* Two levels: mean time in each, distance. */
	double level_s, level_w;
};

struct trial_machine {
	const struct trial_noise *noise;
	double saving_w;    /* of setting B */
	double varied_w;    /* in each block less by up to this, uniformly */
	unsigned int box_s; /* the meter shows the mean of this many seconds */
	uint64_t seed;
	double limit_s;
	double likely_w;
};

/* A pair of blocks: means of the readings that count. */
struct trial_pair {
	double first_less_second_w;
	double a_less_b_w;
};

/* After each complete pair. false: stop. */
typedef bool (*trial_pair_fn)(void *userdata, const struct ssdpm_trial *trial,
			      const struct trial_pair *pair);

/* Runs a trial until fn stops it or the time is up. Return: the seconds. */
double run_trial(const struct trial_machine *machine, trial_pair_fn fn,
		 void *userdata);

/* Above 0 and below 1; of deviation 1. */
double trial_uniform(uint64_t *seed);
double trial_normal(uint64_t *seed);

struct ssdpm_trial_state trial_state(const struct ssdpm_trial *trial);

#endif
