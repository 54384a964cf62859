/* SPDX-License-Identifier: MIT */
/* Workloads that are made and not read. */
#include "workload/generator/generator.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"
#include "workload/everyday/everyday.h"
#include "workload/internal.h"
#include "common/random.h"

struct generator {
	struct workload_plan plan;
	struct random random;
	uint64_t index;	     /* of the next I/O */
	uint64_t start_ns;   /* of its group */
	uint64_t in_group;   /* I/Os that started with it so far */
	uint64_t burst_left; /* I/Os before the next pause */
};

/* Beyond it a pause could wrap; it is the year 2262 of a clock from 1970. */
#define START_MAX_NS ((uint64_t)INT64_MAX)

/* The place of the k-th I/O of a stream, in I/Os. */
static uint64_t choose_slot(struct generator *self, bool random, uint64_t k)
{
	const struct workload_plan *plan = &self->plan;
	uint64_t step = plan->step;

	if (random && (step == STEP_IN_PLACE || step == STEP_BACKWARD))
		step = 1;
	if (step == STEP_IN_PLACE)
		return 0;
	if (step == STEP_BACKWARD)
		return plan->slots - 1 - k % plan->slots;
	uint64_t n = (plan->slots - 1) / step + 1;
	return (random ? ssdpm__random_below(&self->random, n) : k % n) * step;
}

/* Which of two patterns, which stream, and how many went before in it. */
static uint64_t choose_offset(struct generator *self,
			      const struct plan_pattern **ret_pattern)
{
	const struct workload_plan *plan = &self->plan;
	uint64_t i = self->index, stream, k;

	*ret_pattern = &plan->patterns[0];
	if (plan->ratio) {
		uint64_t rounds = i / (plan->ratio + 1);
		stream = i % (plan->ratio + 1) == plan->ratio;
		k = stream ? rounds : i - rounds;
		*ret_pattern = &plan->patterns[stream];
	} else {
		stream = i % plan->streams;
		k = i / plan->streams;
	}
	uint64_t slot = choose_slot(self, (*ret_pattern)->random, k);
	return plan->shift_bytes + (stream * plan->slots + slot) * plan->bytes;
}

static uint64_t choose_pause(struct generator *self)
{
	const struct workload_plan *plan = &self->plan;

	switch (plan->workload->kind) {
	case KIND_POISSON:
	case KIND_ON_OFF:
		return ssdpm__random_exponential(&self->random, plan->pause_ns);
	case KIND_LOMAX:
		return ssdpm__random_lomax(&self->random, plan->pause_ns,
					   plan->shape_milli);
	default:
		return plan->pause_ns;
	}
}

/* Does a pause follow this I/O? */
static bool ends_burst(struct generator *self)
{
	const struct workload_plan *plan = &self->plan;

	if (plan->burst == 0)
		return false;
	if (plan->workload->kind == KIND_ON_OFF)
		return ssdpm__random_below(&self->random, plan->burst) == 0;
	if (--self->burst_left)
		return false;
	self->burst_left = plan->burst;
	return true;
}

static void advance(struct generator *self, uint32_t service_ns)
{
	bool pause = ends_burst(self);

	self->index++;
	self->in_group++;
	if (self->in_group < self->plan.depth && !pause)
		return;
	self->in_group = 0;
	/* Arrivals of a Poisson process do not wait for anything. */
	if (self->plan.workload->kind != KIND_POISSON)
		self->start_ns += service_ns;
	if (pause)
		self->start_ns += choose_pause(self);
}

int ssdpm__check_start(uint64_t start_ns, struct ssdpm_error *reterr)
{
	if (start_ns <= START_MAX_NS)
		return 0;
	return ssdpm__fail(reterr, -ERANGE, 0,
			   "n_ios: the workload takes more than 292 years");
}

static int generate(struct ssdpm_trace *trace, struct ssdpm_io *ios, size_t max,
		    size_t *ret_n, struct ssdpm_error *reterr)
{
	struct generator *self = trace->state;
	size_t n = 0;
	int err = 0;

	while (n < max && self->index < self->plan.n_ios) {
		const struct plan_pattern *pattern;

		err = ssdpm__check_start(self->start_ns, reterr);
		if (err)
			break;
		uint64_t offset = choose_offset(self, &pattern);
		ios[n++] = (struct ssdpm_io){ .start_ns = self->start_ns,
					      .offset = offset,
					      .bytes = self->plan.bytes,
					      .service_ns = pattern->service_ns,
					      .op = pattern->op };
		advance(self, pattern->service_ns);
	}
	*ret_n = n;
	return err;
}

static const struct trace_reader generator = {
	.read = generate,
};

int ssdpm_trace_generate(const struct ssdpm_generator_params *params,
			 struct ssdpm_trace **ret_trace,
			 struct ssdpm_error *reterr)
{
	struct workload_plan plan;
	int err = ssdpm__plan(params, &plan, reterr);

	if (err)
		return err;
	/* The name is the caller's: it may be gone when records are read. */
	plan.params.name = NULL;
	if (plan.workload->kind == KIND_EVERYDAY)
		return ssdpm__everyday_open(&plan, ret_trace, reterr);
	struct ssdpm_trace *trace = calloc(1, sizeof(*trace));
	struct generator *self = calloc(1, sizeof(*self));
	if (!trace || !self) {
		free(trace);
		free(self);
		return ssdpm__no_memory(reterr);
	}
	self->plan = plan;
	self->burst_left = plan.burst;
	ssdpm__random_seed(&self->random, plan.params.seed);
	trace->reader = &generator;
	trace->state = self;
	*ret_trace = trace;
	return 0;
}
