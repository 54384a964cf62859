/* SPDX-License-Identifier: MIT */
#include "workload/everyday/everyday.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"
#include "common/random.h"
#include "workload/internal.h"

struct everyday_state {
	uint16_t first_way;
	uint16_t n_ways;
	uint8_t op;
	uint8_t class;
};

/* From one state to another: how many times in the recording, and to which. */
struct everyday_way {
	uint32_t count;
	uint16_t to;
};

struct everyday_exit {
	uint64_t n_left; /* steps out of this state, but for the last one */
	uint16_t last;	 /* its way for the end of a round */
	bool is_reached;
};

#define EVERYDAY_TABLES
#include "everyday.inc"

/*
 * A random order of all steps of the recording, again and again. Each state
 * keeps one way for the end of a round. These ways make a random tree that
 * leads to the state where the round began, so that no step is left over.
 */
struct everyday_chain {
	const struct everyday *table;
	const struct everyday_state *states;
	struct ssdpm_generator_params params;
	struct random random;
	uint64_t n_ios, index;
	uint64_t area_bytes;
	uint64_t now_ns, end;
	size_t state;
	uint32_t gaps_left[EVERYDAY_CLASSES][EVERYDAY_GAP_PARTS];
	uint64_t n_gaps_left[EVERYDAY_CLASSES]; /* their sums */
	uint64_t n_left;			/* steps of this round */
	uint32_t *ways_left;
	struct everyday_exit exits[]; /* of each state */
};

const struct everyday *ssdpm__everyday(const struct workload *workload)
{
	return &workloads[workload->partner];
}

static uint32_t largest_io(const struct everyday *table)
{
	uint32_t most = 0;

	for (size_t op = 0; op < SSDPM_MAX_OPS; op++)
		for (size_t i = 0; i < EVERYDAY_SIZE_PARTS; i++)
			if (table->sizes[op][i] > most)
				most = table->sizes[op][i];
	return most;
}

int ssdpm__everyday_plan(struct workload_plan *plan, struct ssdpm_error *reterr)
{
	const struct everyday *table = ssdpm__everyday(plan->workload);
	bool writes = table->n_ops[SSDPM_OP_WRITE - 1];

	plan->patterns[0].op = writes ? SSDPM_OP_WRITE : SSDPM_OP_READ;
	plan->n_ios = plan->params.n_ios ? plan->params.n_ios : table->n_ios;
	plan->area_bytes = plan->params.area_bytes ? plan->params.area_bytes :
						     table->area_bytes;
	if (plan->area_bytes < largest_io(table))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "area_bytes: %llu has no room for an I/O of "
				   "%u bytes",
				   (unsigned long long)plan->area_bytes,
				   largest_io(table));
	return 0;
}

/* Draws one of n cards that are left of some kinds, and lays it aside. */
static size_t draw(struct random *random, uint32_t *left, uint64_t *n)
{
	uint64_t drawn = ssdpm__random_below(random, (*n)--);
	size_t i = 0;

	while (drawn >= left[i])
		drawn -= left[i++];
	left[i]--;
	return i;
}

static const struct everyday_way *ways_of(const struct everyday_chain *self,
					  size_t state)
{
	return &ways[self->states[state].first_way];
}

static uint32_t *left_of(const struct everyday_chain *self, size_t state)
{
	return &self->ways_left[self->states[state].first_way -
				self->states[0].first_way];
}

/* Puts all ways of a state back. */
static void fill(struct everyday_chain *self, size_t state)
{
	const size_t n = self->states[state].n_ways;
	uint32_t *left = left_of(self, state);
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++) {
		left[i] = ways_of(self, state)[i].count;
		all += left[i];
	}
	self->exits[state].n_left = all;
}

static size_t last_state(const struct everyday_chain *self, size_t state)
{
	return ways_of(self, state)[self->exits[state].last].to;
}

/*
 * Joins a state to the tree: the last way out of each state of a random walk
 * (D. B. Wilson, Generating random spanning trees, STOC 1996).
 */
static void join(struct everyday_chain *self, size_t start)
{
	size_t at = start;

	while (!self->exits[at].is_reached) {
		fill(self, at);
		self->exits[at].last =
			(uint16_t)draw(&self->random, left_of(self, at),
				       &self->exits[at].n_left);
		at = last_state(self, at);
	}
	for (at = start; !self->exits[at].is_reached; at = last_state(self, at))
		self->exits[at].is_reached = true;
}

static void begin_round(struct everyday_chain *self)
{
	const size_t n = self->table->n_states;

	for (size_t i = 0; i < n; i++)
		self->exits[i].is_reached = i == self->state;
	for (size_t i = 0; i < n; i++)
		join(self, i);
	for (size_t i = 0; i < n; i++) {
		fill(self, i);
		self->n_left += self->exits[i].n_left;
		if (i == self->state)
			continue;
		left_of(self, i)[self->exits[i].last]--;
		self->exits[i].n_left--;
	}
}

static void go_on(struct everyday_chain *self)
{
	if (!self->n_left)
		begin_round(self);
	self->n_left--;

	uint64_t *n = &self->exits[self->state].n_left;
	uint32_t *left = left_of(self, self->state);

	self->state =
		*n ? ways_of(self, self->state)[draw(&self->random, left, n)]
				.to :
		     last_state(self, self->state);
}

/* All parts of a class come once before one comes again. */
static uint64_t choose_gap(struct everyday_chain *self)
{
	const uint8_t class = self->states[self->state].class;
	const size_t n = self->table->n_gaps[class];
	uint32_t *left = self->gaps_left[class];

	if (!self->n_gaps_left[class]) {
		self->n_gaps_left[class] = n;
		for (size_t i = 0; i < n; i++)
			left[i] = 1;
	}
	const struct everyday_gap *gap = &self->table->gaps[class][draw(
		&self->random, left, &self->n_gaps_left[class])];
	return gap->least_ns +
	       ssdpm__random_below(&self->random,
				   gap->most_ns - gap->least_ns + 1);
}

/* Where the I/O before ended, or anywhere at a multiple of 4096 bytes. */
static void choose_place(struct everyday_chain *self, struct ssdpm_io *io)
{
	const struct everyday *table = self->table;
	size_t op = io->op - 1u;

	if (io->op == SSDPM_OP_FLUSH)
		return;
	io->bytes = table->sizes[op][ssdpm__random_below(&self->random,
							 EVERYDAY_SIZE_PARTS)];
	uint64_t last = self->area_bytes - io->bytes;
	bool sequential = ssdpm__random_below(&self->random, table->n_ops[op]) <
			  table->n_sequential[op];
	if (!sequential || self->end > last)
		self->end =
			ssdpm__random_below(&self->random, last / 4096 + 1) *
			4096;
	io->offset = self->end;
	self->end += io->bytes;
}

static int generate(struct ssdpm_trace *trace, struct ssdpm_io *ios, size_t max,
		    size_t *ret_n, struct ssdpm_error *reterr)
{
	struct everyday_chain *self = trace->state;
	size_t n = 0;
	int err = 0;

	while (err == 0 && n < max && self->index < self->n_ios) {
		if (self->index++) {
			go_on(self);
			self->now_ns += choose_gap(self);
		}
		err = ssdpm__check_start(self->now_ns, reterr);
		if (err)
			break;
		ios[n] = (struct ssdpm_io){
			.start_ns = self->now_ns,
			.op = self->states[self->state].op,
			.service_ns = self->params.service_ns,
		};
		choose_place(self, &ios[n++]);
	}
	*ret_n = n;
	return err;
}

static const struct trace_reader everyday = {
	.read = generate,
};

int ssdpm__everyday_open(const struct workload_plan *plan,
			 struct ssdpm_trace **ret_trace,
			 struct ssdpm_error *reterr)
{
	const struct everyday *table = ssdpm__everyday(plan->workload);
	const struct everyday_state *first = &states[table->first_state];
	const struct everyday_state *last = &first[table->n_states - 1];
	size_t n_ways = last->first_way + last->n_ways - first->first_way;
	struct ssdpm_trace *trace = calloc(1, sizeof(*trace));
	const size_t size = sizeof(struct everyday_chain) +
			    table->n_states * sizeof(struct everyday_exit);
	const size_t before = (size + 3) / 4 * 4; /* the ways, as numbers */
	struct everyday_chain *self =
		calloc(1, before + n_ways * sizeof(uint32_t));

	if (!trace || !self) {
		free(trace);
		free(self);
		return ssdpm__no_memory(reterr);
	}
	self->ways_left = (uint32_t *)((char *)self + before);
	self->table = table;
	self->states = first;
	self->params = plan->params;
	self->n_ios = plan->n_ios;
	self->area_bytes = plan->area_bytes;
	ssdpm__random_seed(&self->random, plan->params.seed);
	self->state =
		(size_t)ssdpm__random_below(&self->random, table->n_states);
	trace->reader = &everyday;
	trace->state = self;
	*ret_trace = trace;
	return 0;
}
