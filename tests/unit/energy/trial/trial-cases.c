/* SPDX-License-Identifier: MIT */
/*
 * The library's side of trial_differential.py: the differences of a trial come
 * as numbers on standard input, and its states go to standard output.
 */
#include "../../../support/calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ssdpm-energy.h>

static double number(void)
{
	double value;

	if (scanf("%lf", &value) != 1)
		exit(2);
	return value;
}

/* A pair of blocks whose means differ by so much. Return: its end. */
static int64_t pass_pair(struct ssdpm_trial *trial, int64_t now_ns,
			 double a_less_b_w)
{
	struct ssdpm_trial_block block = { .size = sizeof(block) };

	for (int i = 0; i < 2; i++) {
		if (ssdpm_trial_next(trial, now_ns, &block, NULL))
			exit(2);
		/* Differences from 0 are exact. */
		double power_w =
			block.setting == SSDPM_TRIAL_A ? a_less_b_w : 0;

		ssdpm_trial_feed(trial, block.count_ns, power_w, NULL);
		now_ns = block.end_ns;
	}
	return now_ns;
}

static void print_state(const struct ssdpm_trial *trial)
{
	struct ssdpm_trial_state s = { .size = sizeof(s) };

	if (ssdpm_trial_get_state(trial, &s, NULL))
		exit(2);
	printf("%" PRIu64 " %.17g %.17g %.17g %.17g %s\n", s.n_pairs,
	       s.saving_w, s.low_w, s.high_w, s.resolvable_w,
	       ssdpm_trial_decision_to_string(s.decision));
}

/* likely_uw, room for pairs, how many there are, and the difference of each. */
static void run_case(void)
{
	struct ssdpm_trial_params params = { .size = sizeof(params) };
	struct ssdpm_trial_block block = { .size = sizeof(block) };
	struct ssdpm_trial *trial;
	int64_t now_ns = 0;

	params.likely_uw = (uint64_t)number();
	params.limit_ns = (uint64_t)number() * UINT64_C(60000000000);
	int n = (int)number();

	if (ssdpm_trial_new(&params, &trial, NULL))
		exit(2);
	for (int i = 0; i < n; i++) {
		now_ns = pass_pair(trial, now_ns, number());
		ssdpm_trial_next(trial, now_ns, &block, NULL);
		print_state(trial);
	}
	ssdpm_trial_free(trial);
}

int main(void)
{
	for (int n = (int)number(); n > 0; n--)
		run_case();
	return 0;
}
