/* SPDX-License-Identifier: MIT */
/*
 * A simulated drive of a million blocks, relative to random reads and writes of
 * a table as large as its map. Each access needs the one before. Also its
 * memory, and a budget for 500 drives.
 */
#include "bench.h"

#include <math.h>

#include <malloc.h>

#define N_BLOCKS 1000000
#define PAGES_PER_BLOCK 64
#define SPARE 0.2
#define WARM_UP 60000000
#define N_WRITES 10000000
#define WA 2.598
#define WA_ERROR 0.005
#define RATIO_MAX 1.5
#define BYTES_MAX 8.0
#define N_DRIVES 500
#define N_STATES 8
#define BUDGET_MAX_MS 100.0

/* The time of an access; each access determines the next place. */
static double time_accesses(size_t n_pages)
{
	uint32_t *table = calloc(n_pages, sizeof(*table));
	uint64_t seed = 1, at = 0;

	if (!table)
		exit(1);
	for (size_t i = 0; i < n_pages; i++)
		table[i] = (uint32_t)next_random(&seed);
	double start = cpu_ns();

	for (size_t i = 0; i < N_WRITES; i++) {
		uint32_t loaded = table[at];

		table[at] = loaded + 1;
		at = (uint64_t)(uint32_t)(loaded * 2654435761u + i) * n_pages >>
		     32;
	}
	double ns = cpu_ns() - start;

	printf("# %u\n", table[at]); /* it was needed */
	free(table);
	return ns / N_WRITES;
}

static double wa_between(const struct ssdpm_ftl_counts *before,
			 const struct ssdpm_ftl_counts *after)
{
	return 1 + (double)(after->n_moved - before->n_moved) /
			   (double)(after->n_written - before->n_written);
}

static size_t heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.hblkhd + info.uordblks;
}

static bool bench_ftl(void)
{
	const struct ssdpm_ftl_params params = {
		.size = sizeof(params),
		.seed = 1,
		.n_user_pages =
			(uint64_t)(N_BLOCKS * (1 - SPARE)) * PAGES_PER_BLOCK,
		.n_blocks = N_BLOCKS,
		.pages_per_block = PAGES_PER_BLOCK,
		.collector = SSDPM_FTL_GREEDY,
	};
	const struct ssdpm_ftl_pattern pattern = {
		.size = sizeof(pattern),
		.order = SSDPM_FTL_UNIFORM,
	};
	struct ssdpm_ftl_counts before = { .size = sizeof(before) }, after;
	size_t bytes = heap_bytes();
	struct ssdpm_error error;
	struct ssdpm_ftl *ftl;

	after.size = sizeof(after);
	check(ssdpm_ftl_new(&params, &ftl, &error), &error);
	bytes = heap_bytes() - bytes;
	check(ssdpm_ftl_write(ftl, 0, params.n_user_pages, &error), &error);
	check(ssdpm_ftl_write_pattern(ftl, &pattern, WARM_UP, &error), &error);
	check(ssdpm_ftl_get_counts(ftl, &before, &error), &error);
	double start = cpu_ns();

	check(ssdpm_ftl_write_pattern(ftl, &pattern, N_WRITES, &error), &error);
	double ns = (cpu_ns() - start) / N_WRITES;

	check(ssdpm_ftl_get_counts(ftl, &after, &error), &error);
	ssdpm_ftl_free(ftl);
	double wa = wa_between(&before, &after);

	printf("# write amplification %.4f, %.1f ns for each write\n", wa, ns);
	if (fabs(wa / WA - 1) > WA_ERROR) {
		fprintf(stderr, "bench-writes: it is not %.3f\n", WA);
		exit(1);
	}
	bool good = keeps("ftl_vs_random_access",
			  ns / time_accesses((size_t)params.n_user_pages),
			  RATIO_MAX);

	return keeps("ftl_bytes_per_page",
		     (double)bytes / ((double)N_BLOCKS * PAGES_PER_BLOCK),
		     BYTES_MAX) &&
	       good;
}

/*
 * States are 0.01 W to 1 W apart. Each drive has its own losses, or linear ones
 * with another energy per byte on each.
 */
static void make_drives(struct ssdpm_budget_item **items, bool linear,
			uint64_t *ret_least_uw, uint64_t *ret_most_uw)
{
	uint64_t seed = 7, least_uw = 0, most_uw = 0;
	struct ssdpm_error error;

	for (size_t i = 0; i < N_DRIVES; i++) {
		uint64_t uw = 10000 * (800 + next_random(&seed) % 2200);
		struct ssdpm_budget_state states[N_STATES] = { 0 };
		uint64_t loss = 0;

		most_uw += uw;
		for (size_t j = 0; j < N_STATES; j++) {
			states[j].power_uw = uw;
			states[j].loss = loss;
			least_uw += j + 1 == N_STATES ? uw : 0;
			uint64_t less = 10000 * (1 + next_random(&seed) % 100);

			uw -= less;
			loss += linear ? less * (100 + 7919 * i % 1000) :
					 next_random(&seed) % 1000000;
		}
		check(ssdpm_budget_item_from_states(NULL, states, N_STATES,
						    &items[i], &error),
		      &error);
	}
	*ret_least_uw = least_uw;
	*ret_most_uw = most_uw;
}

static double time_budgets(bool linear)
{
	static struct ssdpm_budget_item *items[N_DRIVES];
	static const struct ssdpm_error inexact = { .message = "not exact" };
	struct ssdpm_budget_params params = {
		.size = sizeof(params),
		.items = (const struct ssdpm_budget_item *const *)items,
		.n_items = N_DRIVES,
	};
	uint64_t least_uw, most_uw;
	struct ssdpm_error error;
	double worst_ms = 0;

	make_drives(items, linear, &least_uw, &most_uw);
	for (uint64_t share = 5; share < 100; share += 5) {
		struct ssdpm_budget *budget = NULL;
		double start = cpu_ns();

		params.budget_uw =
			least_uw + (most_uw - least_uw) / 100 * share;
		check(ssdpm_budget_solve(&params, &budget, &error), &error);
		double ms = (cpu_ns() - start) / 1e6;

		worst_ms = ms > worst_ms ? ms : worst_ms;
		check(ssdpm_budget_get_answer(budget)->exact ? 0 : -1,
		      &inexact);
		ssdpm_budget_free(budget);
	}
	for (size_t i = 0; i < N_DRIVES; i++)
		ssdpm_budget_item_unref(items[i]);
	return worst_ms;
}

static bool bench_budget(void)
{
	double any_ms = time_budgets(false), linear_ms = time_budgets(true);

	return keeps("budget_500_drives_ms",
		     any_ms > linear_ms ? any_ms : linear_ms, BUDGET_MAX_MS);
}

int main(void)
{
	bool good = bench_budget();

	return bench_ftl() && good ? 0 : 1;
}
