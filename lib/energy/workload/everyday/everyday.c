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

#define EVERYDAY_TABLES
#include "everyday.inc"

/* What is left of the cards of each deck. */
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
	uint32_t ways_left[];
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

/*
 * Draw one of n cards and lay it aside; when none is left, all are back. So
 * what is rare comes as often as it should, not only on average.
 */
static size_t draw(struct random *random, uint32_t *left, size_t n)
{
	uint64_t all = 0;
	size_t i = 0;

	for (size_t k = 0; k < n; k++)
		all += left[k];
	uint64_t drawn = ssdpm__random_below(random, all);
	while (drawn >= left[i])
		drawn -= left[i++];
	left[i]--;
	return i;
}

static bool is_empty(const uint32_t *left, size_t n)
{
	while (n)
		if (left[--n])
			return false;
	return true;
}

static void go_on(struct everyday_chain *self)
{
	const struct everyday_state *from = &self->states[self->state];
	const struct everyday_way *row = &ways[from->first_way];
	uint32_t *left =
		&self->ways_left[from->first_way - self->states[0].first_way];

	if (is_empty(left, from->n_ways))
		for (size_t i = 0; i < from->n_ways; i++)
			left[i] = row[i].count;
	self->state = row[draw(&self->random, left, from->n_ways)].to;
}

static uint64_t choose_gap(struct everyday_chain *self)
{
	uint8_t class = self->states[self->state].class;
	uint32_t *left = self->gaps_left[class];

	if (is_empty(left, EVERYDAY_GAP_PARTS))
		for (size_t i = 0; i < EVERYDAY_GAP_PARTS; i++)
			left[i] = 1;
	const uint64_t *part = &self->table->gaps[class][draw(
		&self->random, left, EVERYDAY_GAP_PARTS)];
	return part[0] +
	       ssdpm__random_below(&self->random, part[1] - part[0] + 1);
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
	struct everyday_chain *self =
		calloc(1, sizeof(*self) + n_ways * sizeof(self->ways_left[0]));

	if (!trace || !self) {
		free(trace);
		free(self);
		return ssdpm__no_memory(reterr);
	}
	self->table = table;
	self->states = first;
	self->params = plan->params;
	self->n_ios = plan->n_ios;
	self->area_bytes = plan->area_bytes;
	ssdpm__random_seed(&self->random, plan->params.seed);
	self->state = ssdpm__random_below(&self->random, table->n_states);
	trace->reader = &everyday;
	trace->state = self;
	*ret_trace = trace;
	return 0;
}
