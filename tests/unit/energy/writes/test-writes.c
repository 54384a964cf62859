/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <math.h>
#include <stdbool.h>

/* The simulated drive with a page map, compared with a slow and obvious one. */

#define NOTHING UINT32_MAX

/* The content of each page of flash, and whether it is valid. */
struct obvious {
	struct ssdpm_ftl_params p;
	uint32_t *user;	 /* of each page of flash, or NOTHING */
	uint64_t *since; /* when a block came to its place in its list */
	uint32_t *order; /* erased blocks, the next one last */
	uint32_t *full;
	uint32_t n_erased, open, n_open;
	uint64_t now;
	struct ssdpm_ftl_counts counts;
};

static uint32_t valid_in(const struct obvious *o, uint32_t block)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->p.pages_per_block; i++)
		n += o->user[block * o->p.pages_per_block + i] != NOTHING;
	return n;
}

static void obvious_new(struct obvious *o, const struct ssdpm_ftl_params *p)
{
	size_t pages = (size_t)p->n_blocks * p->pages_per_block;

	memset(o, 0, sizeof(*o));
	o->p = *p;
	o->user = malloc(pages * sizeof(*o->user));
	memset(o->user, 0xff, pages * sizeof(*o->user));
	o->since = calloc(p->n_blocks, sizeof(*o->since));
	o->order = calloc(p->n_blocks, sizeof(*o->order));
	o->full = calloc(p->n_blocks, sizeof(*o->full));
	for (uint32_t i = p->n_blocks; i--;)
		o->order[o->n_erased++] = i;
	o->n_open = p->pages_per_block;
}

static void obvious_free(struct obvious *o)
{
	free(o->user);
	free(o->since);
	free(o->order);
	free(o->full);
}

static void obvious_program(struct obvious *o, uint32_t user)
{
	if (o->n_open == o->p.pages_per_block) {
		o->open = o->order[--o->n_erased];
		o->n_open = 0;
	}
	o->user[o->open * o->p.pages_per_block + o->n_open++] = user;
	if (o->n_open == o->p.pages_per_block) {
		o->full[o->open] = 1;
		o->since[o->open] = ++o->now;
	}
}

static bool obvious_invalidate(struct obvious *o, uint32_t user)
{
	for (uint32_t i = 0; i < o->p.n_blocks * o->p.pages_per_block; i++) {
		if (o->user[i] != user)
			continue;
		o->user[i] = NOTHING;
		if (o->p.collector == SSDPM_FTL_GREEDY)
			o->since[i / o->p.pages_per_block] = ++o->now;
		return true;
	}
	return false;
}

static uint32_t obvious_victim(const struct obvious *o)
{
	uint32_t best = NOTHING, fewest = 0;

	for (uint32_t i = 0; i < o->p.n_blocks; i++) {
		uint32_t n =
			o->p.collector == SSDPM_FTL_GREEDY ? valid_in(o, i) : 0;

		if (!o->full[i])
			continue;
		if (best == NOTHING || n < fewest ||
		    (n == fewest && o->since[i] < o->since[best])) {
			best = i;
			fewest = n;
		}
	}
	return best;
}

static void obvious_collect(struct obvious *o)
{
	uint32_t victim = obvious_victim(o);
	uint32_t *users = o->user + victim * o->p.pages_per_block;

	o->full[victim] = 0;
	for (uint32_t i = 0; i < o->p.pages_per_block; i++) {
		uint32_t user = users[i];

		if (user == NOTHING)
			continue;
		users[i] = NOTHING;
		obvious_program(o, user);
		o->counts.n_moved++;
	}
	o->order[o->n_erased++] = victim;
	o->counts.n_erased++;
}

static void obvious_write(struct obvious *o, uint32_t user)
{
	while (o->n_open == o->p.pages_per_block) {
		o->open = o->order[--o->n_erased];
		o->n_open = 0;
		while (o->n_erased < o->p.reserve_blocks)
			obvious_collect(o);
	}
	o->counts.n_mapped += !obvious_invalidate(o, user);
	obvious_program(o, user);
	o->counts.n_written++;
}

static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((*seed >> 33) % n);
}

static void assert_same(const struct ssdpm_ftl *ftl, const struct obvious *o)
{
	struct ssdpm_ftl_counts c = { .size = sizeof(c) };

	assert_int_equal(ssdpm_ftl_get_counts(ftl, &c, NULL), 0);
	assert_int_equal(c.n_written, o->counts.n_written);
	assert_int_equal(c.n_moved, o->counts.n_moved);
	assert_int_equal(c.n_erased, o->counts.n_erased);
	assert_int_equal(c.n_mapped, o->counts.n_mapped);
	assert_int_equal(c.n_free_blocks, o->n_erased);
}

/* Writes and TRIM of random ranges. */
static void run_both(const struct ssdpm_ftl_params *p, uint64_t seed)
{
	struct ssdpm_ftl *ftl = NULL;
	struct obvious o;

	obvious_new(&o, p);
	assert_int_equal(ssdpm_ftl_new(p, &ftl, NULL), 0);
	for (int i = 0; i < 400; i++) {
		uint32_t first = below(&seed, (uint32_t)p->n_user_pages);
		uint32_t left = (uint32_t)p->n_user_pages - first;
		uint32_t n = 1 + below(&seed, left < 8 ? left : 8);

		if (below(&seed, 6)) {
			assert_int_equal(ssdpm_ftl_write(ftl, first, n, NULL),
					 0);
			for (uint32_t j = 0; j < n; j++)
				obvious_write(&o, first + j);
		} else {
			assert_int_equal(ssdpm_ftl_trim(ftl, first, n, NULL),
					 0);
			for (uint32_t j = 0; j < n; j++)
				o.counts.n_mapped -=
					obvious_invalidate(&o, first + j);
		}
		assert_same(ftl, &o);
	}
	ssdpm_ftl_free(ftl);
	obvious_free(&o);
}

static void it_does_what_the_obvious_drive_does(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct ssdpm_ftl_params p = {
			.size = sizeof(p),
			.pages_per_block = 2 + below(&seed, 70),
			.n_blocks = 5 + below(&seed, 12),
			.reserve_blocks = 1 + below(&seed, 3),
			.collector = 1 + below(&seed, 2),
		};
		uint32_t most =
			(p.n_blocks - p.reserve_blocks - 1) * p.pages_per_block;

		/* Also as full as a drive may be. */
		p.n_user_pages = i % 4 ? 1 + below(&seed, most) : most;
		run_both(&p, seed);
	}
}

struct setup {
	double spare, tolerance, wa;
	uint32_t pages, collector, choices;
	const struct ssdpm_write_class *classes;
};

/* Written full, then for a while, then measured. */
static double measure(const struct setup *s, uint32_t n_blocks)
{
	const struct ssdpm_ftl_params p = {
		.size = sizeof(p),
		.seed = 1,
		.n_blocks = n_blocks,
		.pages_per_block = s->pages,
		.n_user_pages =
			(uint64_t)(n_blocks * s->pages * (1 - s->spare) + 0.5),
		.collector = s->collector,
		.choices = s->choices,
	};
	const struct ssdpm_ftl_pattern pattern = {
		.size = sizeof(pattern),
		.order = s->classes ? SSDPM_FTL_CLASSES : SSDPM_FTL_UNIFORM,
		.classes = s->classes,
		.n_classes = s->classes ? 2 : 0,
	};
	struct ssdpm_ftl_counts before = { .size = sizeof(before) }, after;
	struct ssdpm_ftl *ftl = NULL;

	after.size = sizeof(after);
	assert_int_equal(ssdpm_ftl_new(&p, &ftl, NULL), 0);
	assert_int_equal(ssdpm_ftl_write(ftl, 0, p.n_user_pages, NULL), 0);
	assert_int_equal(ssdpm_ftl_write_pattern(ftl, &pattern,
						 5 * p.n_user_pages, NULL),
			 0);
	ssdpm_ftl_get_counts(ftl, &before, NULL);
	assert_int_equal(ssdpm_ftl_write_pattern(ftl, &pattern,
						 5 * p.n_user_pages, NULL),
			 0);
	ssdpm_ftl_get_counts(ftl, &after, NULL);
	assert_int_equal(after.n_mapped, p.n_user_pages);
	ssdpm_ftl_free(ftl);
	return 1 + (double)(after.n_moved - before.n_moved) /
			   (double)(after.n_written - before.n_written);
}

static const struct ssdpm_write_class hot_20[] = { { 0.2, 0.8 }, { 0.8, 0.2 } };
static const struct ssdpm_write_class hot_10[] = { { 0.1, 0.9 }, { 0.9, 0.1 } };

/*
 * The hot and cold numbers come from a simulation with this many blocks; the
 * others come from formulas.
 */
static void it_comes_to_the_write_amplification_of_theory(void **state)
{
	static const struct setup setups[] = {
		{ .07, .01, 7.3177, 64, SSDPM_FTL_FIFO, 0, NULL },
		{ .20, .01, 2.6927, 64, SSDPM_FTL_FIFO, 0, NULL },
		{ .30, .01, 1.8762, 64, SSDPM_FTL_FIFO, 0, NULL },
		{ .07, .05, 5.1113, 16, SSDPM_FTL_GREEDY, 0, NULL },
		{ .20, .05, 2.3527, 16, SSDPM_FTL_GREEDY, 0, NULL },
		{ .30, .05, 1.7164, 16, SSDPM_FTL_GREEDY, 0, NULL },
		{ .07, .01, 6.6001, 64, SSDPM_FTL_GREEDY, 0, NULL },
		{ .20, .01, 2.5982, 64, SSDPM_FTL_GREEDY, 0, NULL },
		{ .30, .01, 1.8332, 64, SSDPM_FTL_GREEDY, 0, NULL },
		{ .20, .01, 2.6684, 256, SSDPM_FTL_GREEDY, 0, NULL },
		{ .20, .01, 5.0, 64, SSDPM_FTL_CHOICES, 1, NULL },
		{ .07, .01, 7.6817, 64, SSDPM_FTL_FIFO, 0, hot_20 },
		{ .20, .01, 3.0345, 64, SSDPM_FTL_FIFO, 0, hot_20 },
		{ .20, .01, 3.5329, 64, SSDPM_FTL_FIFO, 0, hot_10 },
		{ .20, .01, 2.954, 64, SSDPM_FTL_GREEDY, 0, hot_20 },
		{ .20, .01, 3.484, 64, SSDPM_FTL_GREEDY, 0, hot_10 },
	};
	bool few = getenv("SSDPM_FEW_CASES") != NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
		const struct setup *s = &setups[i];

		if (few && i % 5)
			continue;
		double wa = measure(s, few ? 2048 : 8192);

		if (!(fabs(wa - s->wa) <= s->tolerance * s->wa))
			fail_msg("spare %g, %u pages, collector %u: %.4f is "
				 "not %.4f",
				 s->spare, s->pages, s->collector, wa, s->wa);
	}
}

static void more_choices_are_better_up_to_greedy(void **state)
{
	struct setup s = { .spare = 0.15,
			   .pages = 32,
			   .collector = SSDPM_FTL_CHOICES };
	double previous = 1 / 0.15 * 1.02;

	(void)state;
	for (s.choices = 1; s.choices <= 32; s.choices *= 2) {
		double wa = measure(&s, 1024);

		assert_true(wa < previous);
		previous = wa;
	}
	s.collector = SSDPM_FTL_GREEDY;
	s.choices = 0;
	assert_true(measure(&s, 1024) < previous);
}

static void sequential_writes_move_nothing(void **state)
{
	const struct ssdpm_ftl_params p = { .size = sizeof(p),
					    .n_user_pages = 6000,
					    .n_blocks = 100,
					    .pages_per_block = 64,
					    .collector = SSDPM_FTL_GREEDY };
	const struct ssdpm_ftl_pattern pattern = {
		.size = sizeof(pattern),
		.order = SSDPM_FTL_SEQUENTIAL,
	};
	struct ssdpm_ftl_counts counts = { .size = sizeof(counts) };
	struct ssdpm_ftl *ftl = NULL;

	(void)state;
	assert_int_equal(ssdpm_ftl_new(&p, &ftl, NULL), 0);
	for (int i = 0; i < 7; i++) /* it goes on where it ended */
		assert_int_equal(
			ssdpm_ftl_write_pattern(ftl, &pattern, 9000, NULL), 0);
	ssdpm_ftl_get_counts(ftl, &counts, NULL);
	assert_int_equal(counts.n_written, 63000);
	assert_int_equal(counts.n_moved, 0);
	assert_int_equal(counts.n_mapped, 6000);
	assert_int_equal(ssdpm_ftl_trim(ftl, 0, 6000, NULL), 0);
	ssdpm_ftl_get_counts(ftl, &counts, NULL);
	assert_int_equal(counts.n_mapped, 0);
	assert_int_equal(counts.n_trimmed, 6000);
	ssdpm_ftl_free(ftl);
}

static void the_same_seed_gives_the_same_result_in_pieces_too(void **state)
{
	struct ssdpm_ftl_params p = { .size = sizeof(p),
				      .seed = 5,
				      .n_user_pages = 1000,
				      .n_blocks = 80,
				      .pages_per_block = 16,
				      .collector = SSDPM_FTL_CHOICES,
				      .choices = 3 };
	const struct ssdpm_ftl_pattern pattern = { .size = sizeof(pattern),
						   .order = SSDPM_FTL_CLASSES,
						   .classes = hot_20,
						   .n_classes = 2 };
	struct ssdpm_ftl_counts counts[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct ssdpm_ftl *ftl = NULL;

		p.seed = i == 2 ? 6 : 5;
		counts[i].size = sizeof(counts[i]);
		assert_int_equal(ssdpm_ftl_new(&p, &ftl, NULL), 0);
		for (int j = 0; j < (i ? 1000 : 1); j++)
			assert_int_equal(ssdpm_ftl_write_pattern(ftl, &pattern,
								 i ? 10 : 10000,
								 NULL),
					 0);
		ssdpm_ftl_get_counts(ftl, &counts[i], NULL);
		ssdpm_ftl_free(ftl);
	}
	assert_memory_equal(&counts[0], &counts[1], sizeof(counts[0]));
	assert_int_not_equal(counts[0].n_moved, counts[2].n_moved);
}

static double mean_of(const double *values, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += values[i];
	return sum / (double)(to - from);
}

#define SECONDS 300

/* A drive of 64 MiB, slow enough to take minutes. */
static struct ssdpm_ftl *new_slow(void)
{
	const struct ssdpm_ftl_params p = { .size = sizeof(p),
					    .seed = 1,
					    .n_user_pages = 13107,
					    .n_blocks = 256,
					    .pages_per_block = 64,
					    .collector = SSDPM_FTL_GREEDY };
	struct ssdpm_ftl *ftl = NULL;

	assert_int_equal(ssdpm_ftl_new(&p, &ftl, NULL), 0);
	return ftl;
}

static const struct ssdpm_ftl_pattern uniform = { .size = sizeof(uniform),
						  .order = SSDPM_FTL_UNIFORM };

/* Writes and power of each second; power_w may be NULL. */
static void run_series(struct ssdpm_ftl *ftl, const struct ssdpm_ftl_cost *cost,
		       double *iops, double *power_w)
{
	struct ssdpm_ftl_second seconds[SECONDS];

	assert_int_equal(
		ssdpm_ftl_run(ftl, &uniform, cost, SECONDS, seconds, NULL), 0);
	for (size_t i = 0; i < SECONDS; i++) {
		iops[i] = (double)seconds[i].n_written;
		if (power_w)
			power_w[i] = seconds[i].power_w;
	}
}

/* Link 1 ms, program 2 ms, read 1 ms; 10, 30 and 8 mJ; 1 W. */
static const struct ssdpm_ftl_cost slow = { .size = sizeof(slow),
					    .host_ns = 1000000,
					    .program_ns = 2000000,
					    .read_ns = 1000000,
					    .erase_ns = 0,
					    .host_nj = 10000000,
					    .program_nj = 30000000,
					    .read_nj = 8000000,
					    .idle_uw = 1000000 };

static void writes_fall_to_what_the_formulas_say(void **state)
{
	const struct ssdpm_nand nand = { .size = sizeof(nand),
					 .link_pj = 10e9,
					 .program_pj = 30e9,
					 .read_pj = 8e9,
					 .program_bytes_per_s = 500,
					 .read_bytes_per_s = 1000 };
	struct ssdpm_ftl *ftl = new_slow();
	struct ssdpm_write_cost cost;
	double iops[SECONDS], power_w[SECONDS];
	struct ssdpm_ftl_counts before = { .size = sizeof(before) }, after;

	(void)state;
	after.size = sizeof(after);
	run_series(ftl, &slow, iops, power_w);
	/* Fresh: one programmed page for each of the host. */
	assert_true(fabs(mean_of(iops, 1, 10) - 500) < 5);
	ssdpm_ftl_get_counts(ftl, &before, NULL);
	run_series(ftl, &slow, iops, power_w);
	ssdpm_ftl_get_counts(ftl, &after, NULL);
	double wa = 1 + (double)(after.n_moved - before.n_moved) /
				(double)(after.n_written - before.n_written);
	double steady = mean_of(iops, 0, SECONDS);
	double watts = mean_of(power_w, 0, SECONDS);

	/* 256 blocks are few: theory is for many. */
	assert_true(fabs(wa / 2.5982 - 1) < 0.03);
	/* "Bytes" of one page each. */
	assert_int_equal(ssdpm_write_cost_calculate(&nand, wa, &cost, NULL), 0);
	if (!(fabs(steady / cost.bytes_per_s - 1) < 0.002))
		fail_msg("%g is not %g", steady, cost.bytes_per_s);
	if (!(fabs(watts / (1 + steady * cost.byte_pj / 1e12) - 1) < 0.002))
		fail_msg("%g W is not %g W", watts,
			 1 + steady * cost.byte_pj / 1e12);
	ssdpm_ftl_free(ftl);
}

static void a_cache_takes_writes_until_it_is_full(void **state)
{
	struct ssdpm_ftl *ftl = new_slow();
	struct ssdpm_ftl_cost cost = slow;
	struct ssdpm_ftl_counts counts = { .size = sizeof(counts) };
	double iops[SECONDS], power_w[SECONDS], again[SECONDS];
	size_t onset = 0;

	(void)state;
	cost.cache_pages = 40000;
	cost.cache_ns = 500000;
	cost.cache_nj = 1000000;
	run_series(ftl, &cost, iops, power_w);
	while (onset < SECONDS && iops[onset] > 900)
		onset++;
	/* 1 ms each. */
	assert_in_range(onset, 40, 41);
	assert_true(fabs(mean_of(iops, 0, 40) - 1000) < 1);
	assert_true(fabs(mean_of(power_w, 0, 40) - 12) < 0.1);
	assert_true(mean_of(iops, 45, 60) < 400);
	/* Fewer writes, and more power. */
	assert_true(mean_of(power_w, 45, 60) > 13);
	/* All are in flash at the end. */
	ssdpm_ftl_get_counts(ftl, &counts, NULL);
	double all = SECONDS * mean_of(iops, 0, SECONDS);

	assert_int_equal(counts.n_written, all + 0.5);
	ssdpm_ftl_free(ftl);
	ftl = new_slow();
	run_series(ftl, &cost, again, NULL);
	assert_memory_equal(iops, again, sizeof(iops));
	ssdpm_ftl_free(ftl);
}

static double sum_of(const struct ssdpm_ftl_second *seconds, size_t from,
		     size_t to, bool programmed)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += programmed ? (double)seconds[i].n_programmed :
				    (double)seconds[i].n_written;
	return sum;
}

static void each_second_says_what_was_done_in_it(void **state)
{
	struct ssdpm_ftl *ftl = new_slow();
	struct ssdpm_ftl_second seconds[SECONDS];
	struct ssdpm_ftl_counts counts = { .size = sizeof(counts) };

	(void)state;
	assert_int_equal(
		ssdpm_ftl_run(ftl, &uniform, &slow, SECONDS, seconds, NULL), 0);
	uint64_t erased = 0;

	for (size_t i = 0; i < SECONDS; i++) {
		/* 3 ms for each page moved; an erase takes no time. */
		assert_int_equal(seconds[i].background_ns,
				 3000000 * (seconds[i].n_programmed -
					    seconds[i].n_written));
		erased += seconds[i].n_erased;
	}
	ssdpm_ftl_get_counts(ftl, &counts, NULL);
	assert_int_equal(sum_of(seconds, 0, SECONDS, false), counts.n_written);
	assert_int_equal(sum_of(seconds, 0, SECONDS, true),
			 counts.n_written + counts.n_moved);
	assert_int_equal(erased, counts.n_erased);
	/* Erased at first, and nothing to move. */
	assert_int_equal(seconds[0].background_ns, 0);
	ssdpm_ftl_free(ftl);
}

/* It has its own power for its own time, and nothing else changes. */
static void work_behind_the_host_is_a_state_with_its_own_power(void **state)
{
	struct ssdpm_ftl_cost cost = slow, with = slow;
	struct ssdpm_ftl_second plain[SECONDS], more[SECONDS];
	struct ssdpm_ftl *ftl[2] = { new_slow(), new_slow() };

	(void)state;
	cost.cache_pages = with.cache_pages = 4000;
	cost.cache_ns = with.cache_ns = 500000;
	with.background_uw = 700000;
	assert_int_equal(
		ssdpm_ftl_run(ftl[0], &uniform, &cost, SECONDS, plain, NULL),
		0);
	assert_int_equal(
		ssdpm_ftl_run(ftl[1], &uniform, &with, SECONDS, more, NULL), 0);
	assert_int_equal(plain[0].background_ns, 0);
	assert_true(plain[20].background_ns > 0);
	for (size_t i = 0; i < SECONDS; i++) {
		double w = 0.7 * (double)plain[i].background_ns / 1e9;

		assert_int_equal(plain[i].n_written, more[i].n_written);
		assert_true(fabs(more[i].power_w - plain[i].power_w - w) <
			    1e-9);
	}
	ssdpm_ftl_free(ftl[0]);
	ssdpm_ftl_free(ftl[1]);
}

#define IO(operation, at, length)                                         \
	{                                                                 \
		.op = SSDPM_OP_##operation, .offset = at, .bytes = length \
	}

/* Pages of 1000 bytes, eight of them. */
static const struct ssdpm_ftl_params eight = { .size = sizeof(eight),
					       .n_user_pages = 8,
					       .n_blocks = 8,
					       .pages_per_block = 2,
					       .collector = SSDPM_FTL_GREEDY };

static void a_trace_writes_the_pages_that_it_touches(void **state)
{
	static const struct {
		struct ssdpm_io io;
		uint64_t written, trimmed, mapped;
	} steps[] = {
		{ IO(WRITE, 0, 2000), 2, 0, 2 },
		{ IO(READ, 0, 9000), 2, 0, 2 }, /* no effect */
		{ IO(FLUSH, 0, 0), 2, 0, 2 },
		{ IO(WRITE, 2999, 2), 4, 0, 4 }, /* parts of two */
		{ IO(WRITE, 3001, 1), 5, 0, 4 },
		{ IO(WRITE, 8000, 0), 5, 0, 4 },
		{ IO(DISCARD, 1, 1999), 5, 1, 3 },   /* all of one */
		{ IO(DISCARD, 2001, 998), 5, 1, 3 }, /* all of none */
		{ IO(DISCARD, 0, 8000), 5, 9, 0 },
		{ IO(WRITE, 0, 8000), 13, 9, 8 },
	};
	struct ssdpm_ftl_counts counts = { .size = sizeof(counts) };
	struct ssdpm_ftl *ftl = NULL;

	(void)state;
	assert_int_equal(ssdpm_ftl_new(&eight, &ftl, NULL), 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		assert_int_equal(
			ssdpm_ftl_feed(ftl, &steps[i].io, 1, 1000, NULL), 0);
		ssdpm_ftl_get_counts(ftl, &counts, NULL);
		assert_int_equal(counts.n_written, steps[i].written);
		assert_int_equal(counts.n_trimmed, steps[i].trimmed);
		assert_int_equal(counts.n_mapped, steps[i].mapped);
	}
	ssdpm_ftl_free(ftl);
}

static void a_record_beyond_the_drive_is_named(void **state)
{
	static const struct ssdpm_io bad[] = {
		IO(WRITE, 7000, 1001),
		IO(WRITE, 8001, 0),
		IO(DISCARD, 0, 8001),
		IO(WRITE, UINT64_MAX, 1),
		IO(DISCARD, UINT64_MAX, UINT32_MAX),
	};
	static const struct ssdpm_io unknown = { .op = 5, .bytes = 1 };
	struct ssdpm_io ios[3] = { IO(WRITE, 0, 1), IO(READ, 9000, 1) };
	struct ssdpm_ftl_counts counts = { .size = sizeof(counts) };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ssdpm_ftl *ftl = NULL;
		struct ssdpm_error error;

		assert_int_equal(ssdpm_ftl_new(&eight, &ftl, NULL), 0);
		assert_int_equal(ssdpm_ftl_feed(ftl, ios, 2, 1000, NULL), 0);
		ios[2] = bad[i];
		assert_int_equal(ssdpm_ftl_feed(ftl, ios, 3, 1000, &error),
				 -ERANGE);
		/* Two, and two of these three. */
		assert_non_null(strstr(error.message, "record 4: "));
		ssdpm_ftl_get_counts(ftl, &counts, NULL);
		assert_int_equal(counts.n_written, 2);
		assert_int_equal(ssdpm_ftl_feed(ftl, &unknown, 1, 1000, NULL),
				 -EINVAL);
		assert_int_equal(ssdpm_ftl_feed(ftl, ios, 1, 0, NULL), -EINVAL);
		assert_int_equal(ssdpm_ftl_feed(ftl, ios, 1, UINT32_MAX, NULL),
				 -EINVAL);
		ssdpm_ftl_free(ftl);
	}
}

#undef IO

static void costs_beyond_the_limits_are_refused(void **state)
{
	struct ssdpm_ftl *ftl = new_slow();
	struct ssdpm_ftl_cost bad[4] = { slow, slow, slow, slow };
	struct ssdpm_ftl_second seconds[1] = { { .n_written = 7 } };

	(void)state;
	bad[0].host_ns = 0;
	bad[1].program_ns = UINT64_C(1000000001);
	bad[2].cache_pages = UINT32_MAX;
	bad[3].background_uw = UINT64_C(1000000000001);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(
			ssdpm_ftl_run(ftl, &uniform, &bad[i], 1, seconds, NULL),
			-EINVAL);
	assert_int_equal(seconds[0].n_written, 7);
	assert_int_equal(ssdpm_ftl_run(ftl, &uniform, &slow, 0, NULL, NULL), 0);
	ssdpm_ftl_free(ftl);
}

static void times_of_flash_follow_from_its_bandwidth(void **state)
{
	struct ssdpm_ftl_cost cost = { .size = sizeof(cost), .idle_uw = 5 };
	struct ssdpm_ftl_cost again = { .size = sizeof(again) };

	(void)state;
	assert_int_equal(ssdpm_ftl_cost_calculate(0, 256, &cost, NULL), 0);
	assert_int_equal(cost.host_ns, 51200);
	assert_int_equal(cost.program_ns, 51200);
	assert_int_equal(cost.read_ns, 5120);
	assert_int_equal(cost.erase_ns, 131072);
	assert_int_equal(cost.idle_uw, 0);
	assert_int_equal(ssdpm_ftl_cost_calculate(80000000, 256, &again, NULL),
			 0);
	assert_memory_equal(&cost, &again, sizeof(cost));
	/* A block of fewer pages takes less. */
	assert_int_equal(ssdpm_ftl_cost_calculate(20480000, 64, &cost, NULL),
			 0);
	assert_int_equal(cost.program_ns, 200000);
	assert_int_equal(cost.erase_ns, 128000);
}

static void flash_that_cannot_be_has_no_times(void **state)
{
	static const struct {
		uint64_t bytes_per_s;
		uint32_t pages_per_block;
		int must_be;
	} cases[] = {
		{ 0, 1, -ERANGE },
		{ 0, 65537, -ERANGE },
		{ 4095, 2, -ERANGE },
		{ 4096, 100, 0 },
		{ 4096, 101, -ERANGE }, /* to erase */
		{ UINT64_C(4096000000000), 2, 0 },
		{ UINT64_C(4096000000001), 2, -ERANGE },
		{ UINT64_MAX, 2, -ERANGE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ssdpm_ftl_cost cost = { .size = sizeof(cost),
					       .host_ns = 7 };

		assert_int_equal(ssdpm_ftl_cost_calculate(
					 cases[i].bytes_per_s,
					 cases[i].pages_per_block, &cost, NULL),
				 cases[i].must_be);
		assert_int_equal(cost.host_ns == 7, cases[i].must_be != 0);
	}
}

static void usual_spare_factors_are_those_of_reviews(void **state)
{
	size_t n = 0;
	const double *usual = ssdpm_ftl_get_spare_factors(&n);

	(void)state;
	assert_int_equal(n, 2);
	assert_true(usual[0] == 0.07 && usual[1] == 0.25);
}

static const struct ssdpm_ftl_params small_drive = {
	.size = sizeof(small_drive),
	.seed = 1,
	.n_blocks = 64,
	.pages_per_block = 16,
	.collector = SSDPM_FTL_GREEDY,
};

/* The same in single steps. */
static void step_by_step(struct ssdpm_ftl_params params, uint64_t n_user_pages,
			 const struct ssdpm_ftl_cost *cost,
			 struct ssdpm_ftl_second seconds[20])
{
	struct ssdpm_ftl *ftl;

	params.n_user_pages = n_user_pages;
	assert_int_equal(ssdpm_ftl_new(&params, &ftl, NULL), 0);
	assert_int_equal(ssdpm_ftl_write(ftl, 0, n_user_pages, NULL), 0);
	assert_int_equal(ssdpm_ftl_run(ftl, &uniform, cost, 20, seconds, NULL),
			 0);
	ssdpm_ftl_free(ftl);
}

static void a_simulation_fills_the_drive_and_writes_anywhere(void **state)
{
	struct ssdpm_ftl_second found[20], must_be[20];
	struct ssdpm_ftl_params choices = small_drive;
	struct ssdpm_ftl_cost usual = { .size = sizeof(usual) };

	(void)state;
	/* 819.2 of 1024 pages, and 818.6 of 1000. */
	assert_int_equal(
		ssdpm_ftl_simulate(&small_drive, 0.2, &slow, 20, found, NULL),
		0);
	step_by_step(small_drive, 819, &slow, must_be);
	assert_memory_equal(found, must_be, sizeof(found));
	assert_false(isnan(found[0].power_w));
	choices.collector = SSDPM_FTL_CHOICES;
	choices.n_blocks = 50;
	choices.pages_per_block = 20;
	assert_int_equal(
		ssdpm_ftl_simulate(&choices, 0.1814, &slow, 20, found, NULL),
		0);
	choices.choices = 10;
	step_by_step(choices, 819, &slow, must_be);
	assert_memory_equal(found, must_be, sizeof(found));
	/* Usual flash, whose power is not known. */
	assert_int_equal(
		ssdpm_ftl_simulate(&small_drive, 0.2, NULL, 20, found, NULL),
		0);
	assert_int_equal(ssdpm_ftl_cost_calculate(0, 16, &usual, NULL), 0);
	step_by_step(small_drive, 819, &usual, must_be);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(found[i].n_written, must_be[i].n_written);
		assert_true(isnan(found[i].power_w));
	}
}

static void simulations_that_cannot_be_are_refused(void **state)
{
	static const double shares[] = { 0, 1, -0.1, NAN, 0.001 };
	struct ssdpm_ftl_second second = { .n_written = 7 };
	struct ssdpm_ftl_params full = small_drive;

	(void)state;
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		assert_int_equal(ssdpm_ftl_simulate(&small_drive, shares[i],
						    NULL, 1, &second, NULL),
				 -ERANGE);
	full.n_user_pages = 819;
	assert_int_equal(ssdpm_ftl_simulate(&full, 0.2, NULL, 1, &second, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_ftl_simulate(NULL, 0.2, NULL, 1, &second, NULL),
			 -EINVAL);
	assert_int_equal(second.n_written, 7);
}

static void drives_that_cannot_work_are_refused(void **state)
{
	const struct ssdpm_ftl_params good = { .size = sizeof(good),
					       .n_user_pages = 80,
					       .n_blocks = 10,
					       .pages_per_block = 10,
					       .collector = SSDPM_FTL_GREEDY };
	struct ssdpm_ftl_params bad[12];
	int must_be[12];
	struct ssdpm_ftl *ftl = UNTOUCHED;
	size_t n = 0;

#define BAD(member, value, code) \
	bad[n] = good;           \
	bad[n].member = value;   \
	must_be[n++] = code
	BAD(n_user_pages, 0, -EINVAL);
	BAD(n_user_pages, 81, -ERANGE);
	BAD(n_user_pages, UINT64_MAX, -ERANGE);
	BAD(n_blocks, 0, -ERANGE);
	BAD(n_blocks, UINT32_MAX, -ERANGE);
	BAD(pages_per_block, 1, -EINVAL);
	BAD(pages_per_block, 65537, -EINVAL);
	BAD(reserve_blocks, UINT32_MAX, -ERANGE);
	BAD(collector, 0, -EINVAL);
	BAD(collector, SSDPM_FTL_CHOICES, -EINVAL); /* of how many? */
	BAD(choices, 1, -EINVAL);
	BAD(reserved, 1, -EINVAL);
#undef BAD
	(void)state;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(ssdpm_ftl_new(&bad[i], &ftl, NULL),
				 must_be[i]);
	assert_ptr_equal(ftl, UNTOUCHED);
	assert_int_equal(ssdpm_ftl_new(&good, &ftl, NULL), 0);
	assert_int_equal(ssdpm_ftl_write(ftl, 80, 1, NULL), -ERANGE);
	assert_int_equal(ssdpm_ftl_write(ftl, 1, UINT64_MAX, NULL), -ERANGE);
	assert_int_equal(ssdpm_ftl_write(ftl, 79, 1, NULL), 0);
	assert_int_equal(ssdpm_ftl_trim(ftl, 79, 2, NULL), -ERANGE);
	ssdpm_ftl_free(ftl);
}

static void patterns_that_mean_nothing_are_refused(void **state)
{
	const struct ssdpm_ftl_params p = { .size = sizeof(p),
					    .n_user_pages = 80,
					    .n_blocks = 10,
					    .pages_per_block = 10,
					    .collector = SSDPM_FTL_FIFO };
	const struct ssdpm_write_class tiny[] = { { 0.001, 0.5 },
						  { 0.999, 0.5 } };
	const struct ssdpm_ftl_pattern bad[] = {
		{ .size = sizeof(bad[0]), .order = 0 },
		{ .size = sizeof(bad[0]), .order = 4 },
		{ .size = sizeof(bad[0]), .order = SSDPM_FTL_CLASSES },
		{ .size = sizeof(bad[0]),
		  .order = SSDPM_FTL_CLASSES,
		  .classes = tiny,
		  .n_classes = 2 },
		{ .size = sizeof(bad[0]),
		  .order = SSDPM_FTL_UNIFORM,
		  .first_page = 80 },
		{ .size = sizeof(bad[0]),
		  .order = SSDPM_FTL_UNIFORM,
		  .first_page = 79,
		  .n_pages = 2 },
	};
	static const int must_be[] = { -EINVAL, -EINVAL, -EINVAL,
				       -EINVAL, -ERANGE, -ERANGE };
	struct ssdpm_ftl_counts counts = { .size = sizeof(counts) };
	struct ssdpm_ftl *ftl = NULL;

	(void)state;
	assert_int_equal(ssdpm_ftl_new(&p, &ftl, NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ssdpm_ftl_write_pattern(ftl, &bad[i], 5, NULL),
				 must_be[i]);
	ssdpm_ftl_get_counts(ftl, &counts, NULL);
	assert_int_equal(counts.n_written, 0);
	ssdpm_ftl_free(ftl);
}

/* Write amplification by formula. */

static double wa_of(uint32_t formula, double spare, uint32_t pages)
{
	struct ssdpm_error error;
	double wa = 0;

	if (ssdpm_wa_calculate(formula, spare, pages, &wa, &error))
		fail_msg("%g: %s", spare, error.message);
	return wa;
}

static double classes_of(double spare, const struct ssdpm_write_class *classes,
			 size_t n)
{
	struct ssdpm_error error;
	double wa = 0;

	if (ssdpm_wa_calculate_classes(spare, classes, n, &wa, &error))
		fail_msg("%g: %s", spare, error.message);
	return wa;
}

static void assert_is(double is, double must_be, double error)
{
	if (!(fabs(is - must_be) <= error))
		fail_msg("%.9g is not %.9g", is, must_be);
}

/* Computed from the formulas as the papers have them. */
static void formulas_give_the_numbers_that_were_computed_elsewhere(void **state)
{
	static const struct {
		double spare, random, fifo, greedy[3], hot_20, hot_10;
	} rows[] = {
		{ 0.07,
		  14.286,
		  7.3177,
		  { 5.1113, 6.6001, 7.1237 },
		  7.6817,
		  8.3582 },
		{ 0.20,
		  5.000,
		  2.6927,
		  { 2.3527, 2.5982, 2.6684 },
		  3.0345,
		  3.5329 },
		{ 0.30,
		  3.333,
		  1.8762,
		  { 1.7164, 1.8332, 1.8652 },
		  2.1974,
		  2.5859 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double spare = rows[i].spare;

		assert_is(wa_of(SSDPM_WA_RANDOM, spare, 0), rows[i].random,
			  5e-4);
		assert_is(wa_of(SSDPM_WA_FIFO, spare, 0), rows[i].fifo, 5e-5);
		for (unsigned int j = 0; j < 3; j++)
			assert_is(wa_of(SSDPM_WA_GREEDY, spare, 16U << 2 * j),
				  rows[i].greedy[j], 5e-5);
		assert_is(classes_of(spare, hot_20, 2), rows[i].hot_20, 5e-5);
		assert_is(classes_of(spare, hot_10, 2), rows[i].hot_10, 5e-5);
	}
	/* arXiv:1110.4245, at an over-provisioning of 0.3. */
	assert_is(wa_of(SSDPM_WA_FIFO, 0.3 / 1.3, 0), 2.36, 5e-3);
	assert_is(wa_of(SSDPM_WA_AGARWAL, 0.3 / 1.3, 0), 2.17, 5e-3);
	assert_is(wa_of(SSDPM_WA_FIFO, 0.07, 0) / wa_of(SSDPM_WA_FIFO, 0.25, 0),
		  3.325, 5e-4);
	/* 25 % of which 7 points are parity. */
	assert_is(wa_of(SSDPM_WA_FIFO, 0.07, 0) /
			  wa_of(SSDPM_WA_FIFO, 0.25 - 0.07, 0),
		  2.46595, 5e-5);
}

/* 1 - 1/WA = e^(-alpha / WA), by libm. */
static void fifo_is_the_root_of_its_equation_and_below_1_at_none(void **state)
{
	double previous = INFINITY;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		double spare = pow(10, -9 + i * 9.0 / 4000);
		double wa = wa_of(SSDPM_WA_FIFO, spare, 0);
		double alpha = 1 / (1 - spare);

		assert_true(wa >= 1 && wa <= previous);
		previous = wa;
		/*
		 * Near 0, the equation loses digits; the next term of the
		 * series is a ninth of the square.
		 */
		if (spare < 1e-3)
			assert_is(wa * spare, 0.5 + spare / 6,
				  spare * spare / 8 + 1e-12);
		else /* near 1, wa itself has no more digits */
			assert_is(-log1p(-1 / wa) * wa, alpha,
				  1e-12 * alpha + 1e-15 / (1 - 1 / wa));
	}
	/* The series begins without a step. */
	double below = wa_of(SSDPM_WA_FIFO, 0.99999999e-4, 0);
	double above = wa_of(SSDPM_WA_FIFO, 1.00000001e-4, 0);

	assert_is(below / above, 1.00000002, 1e-8);
}

static void large_blocks_are_as_fifo_and_small_ones_better(void **state)
{
	(void)state;
	for (double spare = 0.05; spare < 0.6; spare += 0.05) {
		double fifo = wa_of(SSDPM_WA_FIFO, spare, 0), previous = 1;

		for (uint32_t pages = 16; pages <= 65536; pages *= 4) {
			double wa = wa_of(SSDPM_WA_GREEDY, spare, pages);

			assert_true(wa >= previous && wa < fifo);
			previous = wa;
		}
		/* As with half a page more in each block: by the slope. */
		assert_is(previous, fifo, 1.2 / (4 * 65536 * spare * spare));
		assert_true(fifo < wa_of(SSDPM_WA_RANDOM, spare, 0));
	}
}

static void classes_that_are_written_alike_are_one(void **state)
{
	const struct ssdpm_write_class same[] = { { 0.3, 0.3 }, { 0.7, 0.7 } };
	const struct ssdpm_write_class one[] = { { 1, 1 } };
	/*
	 * Never written: its flash is full of valid data that never move again.
	 */
	const struct ssdpm_write_class cold[] = { { 0.5, 1 }, { 0.5, 0 } };

	(void)state;
	for (double spare = 0.01; spare < 0.9; spare += 0.01) {
		double fifo = wa_of(SSDPM_WA_FIFO, spare, 0);

		assert_is(classes_of(spare, same, 2), fifo, 1e-9 * fifo);
		assert_is(classes_of(spare, one, 1), fifo, 1e-9 * fifo);
		assert_true(classes_of(spare, hot_10, 2) > fifo);
		assert_true(classes_of(spare, cold, 2) > fifo);
	}
}

static void trim_makes_spare(void **state)
{
	double spare = 0;

	(void)state;
	assert_int_equal(ssdpm_spare_factor_trim(0.1, 0, &spare, NULL), 0);
	assert_is(spare, 0.1, 1e-15);
	/*
	 * A quarter of the requests leaves two thirds of the addresses in use.
	 */
	assert_int_equal(ssdpm_spare_factor_trim(0.1, 0.25, &spare, NULL), 0);
	assert_is(spare, 1 - 0.9 * 2 / 3, 1e-15);
	spare = 7;
	assert_int_equal(ssdpm_spare_factor_trim(0.1, 0.5, &spare, NULL),
			 -ERANGE);
	assert_int_equal(ssdpm_spare_factor_trim(0.1, -0.1, &spare, NULL),
			 -ERANGE);
	assert_int_equal(ssdpm_spare_factor_trim(0.1, NAN, &spare, NULL),
			 -ERANGE);
	assert_int_equal(ssdpm_spare_factor_trim(0, 0.1, &spare, NULL),
			 -ERANGE);
	assert_true(spare == 7);
}

static void a_byte_costs_what_is_programmed_and_moved_for_it(void **state)
{
	struct ssdpm_nand nand = { .size = sizeof(nand),
				   .link_pj = 100,
				   .program_pj = 1000,
				   .read_pj = 50,
				   .erase_pj = 20,
				   .program_bytes_per_s = 1e9,
				   .read_bytes_per_s = 4e9 };
	struct ssdpm_write_cost cost = { 7, 7 };

	(void)state;
	assert_int_equal(ssdpm_write_cost_calculate(&nand, 3, &cost, NULL), 0);
	assert_is(cost.byte_pj, 100 + 3 * 1020 + 2 * 50, 1e-9);
	assert_is(cost.bytes_per_s, 1e9 / 3.5, 1e-3);
	nand.program_bytes_per_s = nand.read_bytes_per_s = 0;
	assert_int_equal(ssdpm_write_cost_calculate(&nand, 1, &cost, NULL), 0);
	assert_is(cost.byte_pj, 1120, 1e-9);
	assert_true(isinf(cost.bytes_per_s));
	assert_int_equal(ssdpm_write_cost_calculate(&nand, 0.99, &cost, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_write_cost_calculate(&nand, NAN, &cost, NULL),
			 -EINVAL);
	nand.read_pj = -1;
	assert_int_equal(ssdpm_write_cost_calculate(&nand, 2, &cost, NULL),
			 -EINVAL);
	assert_is(cost.byte_pj, 1120, 1e-9);
}

static void what_no_formula_is_valid_for_is_refused(void **state)
{
	static const double spares[] = { 0, 1, -0.1, 1.5, NAN, INFINITY };
	struct ssdpm_error error;
	double wa = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(spares) / sizeof(spares[0]); i++) {
		for (uint32_t f = SSDPM_WA_RANDOM; f <= SSDPM_WA_AGARWAL; f++)
			assert_int_equal(ssdpm_wa_calculate(f, spares[i], 64,
							    &wa, &error),
					 -ERANGE);
		assert_int_equal(ssdpm_wa_calculate_classes(spares[i], hot_20,
							    2, &wa, &error),
				 -ERANGE);
	}
	assert_int_equal(
		ssdpm_wa_calculate(SSDPM_WA_AGARWAL, 0.51, 0, &wa, &error),
		-ERANGE);
	assert_int_equal(
		ssdpm_wa_calculate(SSDPM_WA_GREEDY, 0.95, 4, &wa, &error),
		-ERANGE);
	assert_int_equal(
		ssdpm_wa_calculate(SSDPM_WA_GREEDY, 0.001, 4, &wa, &error),
		-ERANGE);
	assert_int_equal(
		ssdpm_wa_calculate(SSDPM_WA_GREEDY, 0.1, 1, &wa, &error),
		-ERANGE);
	assert_int_equal(
		ssdpm_wa_calculate(SSDPM_WA_GREEDY, 0.1, 65537, &wa, &error),
		-ERANGE);
	assert_int_equal(ssdpm_wa_calculate(0, 0.1, 64, &wa, &error), -EINVAL);
	assert_int_equal(ssdpm_wa_calculate(5, 0.1, 64, &wa, &error), -EINVAL);
	assert_true(wa == 7);
}

static void shares_that_do_not_come_to_1_are_refused(void **state)
{
	static const struct ssdpm_write_class bad[][2] = {
		{ { 0.2, 0.8 }, { 0.7, 0.2 } },	 { { 0.2, 0.7 }, { 0.8, 0.2 } },
		{ { 1, 1 }, { 0, 0 } },		 { { 1.2, 1 }, { -0.2, 0 } },
		{ { 0.5, 1.5 }, { 0.5, -0.5 } }, { { NAN, 1 }, { 0.5, 0 } },
		{ { 0.5, NAN }, { 0.5, 0.5 } },
	};
	double wa = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
			ssdpm_wa_calculate_classes(0.1, bad[i], 2, &wa, NULL),
			-EINVAL);
	assert_int_equal(ssdpm_wa_calculate_classes(0.1, hot_20, 0, &wa, NULL),
			 -EINVAL);
	assert_int_equal(ssdpm_wa_calculate_classes(0.1, hot_20, 17, &wa, NULL),
			 -EINVAL);
	assert_true(wa == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_does_what_the_obvious_drive_does),
		cmocka_unit_test(it_comes_to_the_write_amplification_of_theory),
		cmocka_unit_test(more_choices_are_better_up_to_greedy),
		cmocka_unit_test(sequential_writes_move_nothing),
		cmocka_unit_test(
			the_same_seed_gives_the_same_result_in_pieces_too),
		cmocka_unit_test(writes_fall_to_what_the_formulas_say),
		cmocka_unit_test(a_cache_takes_writes_until_it_is_full),
		cmocka_unit_test(each_second_says_what_was_done_in_it),
		cmocka_unit_test(
			work_behind_the_host_is_a_state_with_its_own_power),
		cmocka_unit_test(a_trace_writes_the_pages_that_it_touches),
		cmocka_unit_test(a_record_beyond_the_drive_is_named),
		cmocka_unit_test(costs_beyond_the_limits_are_refused),
		cmocka_unit_test(times_of_flash_follow_from_its_bandwidth),
		cmocka_unit_test(flash_that_cannot_be_has_no_times),
		cmocka_unit_test(usual_spare_factors_are_those_of_reviews),
		cmocka_unit_test(
			a_simulation_fills_the_drive_and_writes_anywhere),
		cmocka_unit_test(simulations_that_cannot_be_are_refused),
		cmocka_unit_test(drives_that_cannot_work_are_refused),
		cmocka_unit_test(patterns_that_mean_nothing_are_refused),
		cmocka_unit_test(
			formulas_give_the_numbers_that_were_computed_elsewhere),
		cmocka_unit_test(
			fifo_is_the_root_of_its_equation_and_below_1_at_none),
		cmocka_unit_test(
			large_blocks_are_as_fifo_and_small_ones_better),
		cmocka_unit_test(classes_that_are_written_alike_are_one),
		cmocka_unit_test(trim_makes_spare),
		cmocka_unit_test(
			a_byte_costs_what_is_programmed_and_moved_for_it),
		cmocka_unit_test(what_no_formula_is_valid_for_is_refused),
		cmocka_unit_test(shares_that_do_not_come_to_1_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
