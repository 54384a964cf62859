/* SPDX-License-Identifier: MIT */
/*
 * The table of ssdpm_trial(3): how long a trial takes to decide, on three
 * made-up machines. Their behaviour was fixed before any result was known.
 * trial-times.py compares the output with the page.
 */
#include "trial-truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RUNS 101
#define LIMIT_S (4 * 3600.0)

/*
 * The base load of a laptop wanders, a task runs once a minute, and bursts of a
 * busy processor come at random. These are models: no public recording of an
 * idle laptop's power was found.
 */
static const struct trial_noise machines[] = {
	{ .name = "quiet", /* the screen is on, no program is open */
	  .ar_s = 20,
	  .ar_w = 0.1,
	  .white_w = 0.05,
	  .period_s = 60,
	  .task_w = 1,
	  .burst_s = 300,
	  .burst_length_s = 2,
	  .burst_w = 3 },
	{ .name = "normal", /* programs are open, no input */
	  .ar_s = 30,
	  .ar_w = 0.15,
	  .white_w = 0.05,
	  .period_s = 60,
	  .task_w = 1,
	  .burst_s = 60,
	  .burst_length_s = 2,
	  .burst_w = 3 },
	{ .name = "used", /* with reading and typing */
	  .ar_s = 60,
	  .ar_w = 0.3,
	  .white_w = 0.05,
	  .period_s = 60,
	  .task_w = 1,
	  .burst_s = 15,
	  .burst_length_s = 1.5,
	  .burst_w = 4,
	  .level_s = 90,
	  .level_w = 1 },
};
#define N_MACHINES (sizeof(machines) / sizeof(machines[0]))

static const double savings_w[] = { 0.05, 0.1, 0.2, 0.5 };
#define N_SAVINGS (sizeof(savings_w) / sizeof(savings_w[0]))

/* Every pair up to 40, then each twentieth part more. */
static bool is_looked_at(uint64_t n_pairs)
{
	return n_pairs < 40 || n_pairs % (n_pairs / 20) == 0;
}

struct outcome {
	uint64_t n_pairs;
	uint32_t decision;
};

static bool look(void *userdata, const struct ssdpm_trial *trial,
		 const struct trial_pair *pair)
{
	struct outcome *outcome = userdata;

	(void)pair;
	outcome->n_pairs++;
	if (!is_looked_at(outcome->n_pairs))
		return true;
	outcome->decision = trial_state(trial).decision;
	return outcome->decision != SSDPM_TRIAL_SAVES &&
	       outcome->decision != SSDPM_TRIAL_COSTS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median and the upper tenth of the times in minutes, as on the page. */
static void print_minutes(double minutes)
{
	if (isinf(minutes))
		printf("over %g h", LIMIT_S / 3600);
	else
		printf("%.0f", minutes);
}

static void print_cell(const struct trial_noise *noise, double saving_w)
{
	double minutes[RUNS];

	for (unsigned int run = 0; run < RUNS; run++) {
		struct trial_machine machine = {
			.noise = noise,
			.saving_w = saving_w,
			.box_s = 1,
			.seed = run,
			.limit_s = LIMIT_S,
			.likely_w = saving_w,
		};
		struct outcome outcome = { 0 };
		double seconds = run_trial(&machine, look, &outcome);

		minutes[run] = outcome.decision == SSDPM_TRIAL_SAVES ?
				       seconds / 60 :
				       INFINITY;
	}
	qsort(minutes, RUNS, sizeof(minutes[0]), compare);
	print_minutes(minutes[RUNS / 2]);
	printf(" Ta ");
	print_minutes(minutes[RUNS * 9 / 10]);
}

/* usage: trial-times [MACHINE]: all of them */
int main(int argc, char **argv)
{
	for (size_t i = 0; i < N_MACHINES; i++)
		for (size_t j = 0; j < N_SAVINGS; j++) {
			if (argc > 1 && strcmp(argv[1], machines[i].name))
				continue;
			printf(".It %s Ta %.0f mW Ta ", machines[i].name,
			       1000 * savings_w[j]);
			print_cell(&machines[i], savings_w[j]);
			printf("\n");
			fflush(stdout);
		}
	return 0;
}
