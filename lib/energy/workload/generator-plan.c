/* SPDX-License-Identifier: MIT */
/* From the parameters of a generated workload to all its numbers. */
#include "workload/generator.h"

#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "workload/random.h"

/*
 * The nominal service of an I/O, where none is given: what the NVMe drive of
 * the PowerSensor3 measurements took at depth 1 (ISPASS 2025; random reads of
 * 32 KiB to 4 MiB, random writes of 4 KiB), in round numbers.
 */
#define NOMINAL_READ_NS 130000u
#define NOMINAL_WRITE_NS 10000u
#define NOMINAL_BYTES_PER_NS 3u

/* Offsets stay below 2^63, as those of Linux do. */
#define AREA_MAX ((uint64_t)INT64_MAX)

int ssdpm_generator_params_init(struct ssdpm_generator_params *params,
				size_t size)
{
	const struct ssdpm_generator_params defaults = {
		.size = sizeof(defaults),
		.service_ns = SSDPM_SERVICE_UNKNOWN,
	};

	return ssdpm__sized_init(params, size, &defaults, sizeof(defaults));
}

static int check_taken(const struct ssdpm_generator_params *params,
		       const struct workload *workload,
		       struct ssdpm_error *reterr)
{
	const struct kind *kind = ssdpm__workload_kind(workload);
	const struct {
		const char *what;
		uint64_t value;
		bool taken;
	} given[] = {
		{ "value", params->value, kind->takes & TAKES_VALUE },
		{ "mean_idle_ns", params->mean_idle_ns,
		  kind->takes & TAKES_MEAN },
		{ "shape_milli", params->shape_milli,
		  kind->takes & TAKES_SHAPE },
		{ "op", params->op, kind->takes & TAKES_OP },
		{ "bytes", params->bytes, workload->kind != KIND_GRANULARITY },
		{ "area_bytes", params->area_bytes,
		  workload->kind != KIND_LOCALITY },
	};

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		if (given[i].value && !given[i].taken)
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "%s: %s does not take it",
					   given[i].what, workload->name);
	if (params->op > SSDPM_OP_WRITE)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "op: %u is neither a read nor a write",
				   params->op);
	return 0;
}

static int check_ranges(const struct ssdpm_generator_params *params,
			const struct workload *workload,
			struct ssdpm_error *reterr)
{
	const struct kind *kind = ssdpm__workload_kind(workload);
	uint64_t value = params->value;
	bool backward = workload->kind == KIND_ORDER && value == STEP_BACKWARD;

	if (!backward && (value > kind->value_max || value % kind->value_unit))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "value: %s takes a multiple of %u up to "
				   "%llu",
				   workload->name, kind->value_unit,
				   (unsigned long long)kind->value_max);
	if (params->mean_idle_ns > RANDOM_MAX_MEAN_NS)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "mean_idle_ns: above 10^15");
	if (params->shape_milli &&
	    (params->shape_milli <= 1000 || params->shape_milli > 1000000))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "shape_milli: %u is not in 1001 to 1000000; "
				   "at or below 1000 there is no mean",
				   params->shape_milli);
	if (params->bytes % 512)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "bytes: %u is no multiple of 512",
				   params->bytes);
	if (params->area_bytes > AREA_MAX)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "area_bytes: above 2^63-1");
	return 0;
}

static uint64_t given_or(uint64_t given, uint64_t otherwise)
{
	return given ? given : otherwise;
}

/* What each kind makes of its value. */
static void apply_value(struct plan *plan, uint64_t value)
{
	switch (plan->workload->kind) {
	case KIND_GRANULARITY:
		plan->bytes = (uint32_t)value;
		break;
	case KIND_ALIGNMENT:
		plan->shift_bytes = value;
		break;
	case KIND_LOCALITY:
		plan->area_bytes = value;
		break;
	case KIND_PARTITIONING:
		plan->streams = value;
		break;
	case KIND_ORDER:
		plan->step = value;
		break;
	case KIND_PARALLELISM:
		plan->streams = value;
		plan->depth = value;
		break;
	case KIND_MIX:
		plan->streams = 2;
		plan->ratio = value;
		break;
	case KIND_PAUSE:
		plan->pause_ns = value;
		break;
	case KIND_BURSTS:
	case KIND_ON_OFF:
		plan->burst = value;
		break;
	default:
		break;
	}
}

/* The rhythm, where the kind alone says it. */
static void set_rhythm(struct plan *plan)
{
	switch (plan->workload->kind) {
	case KIND_STEADY:
		plan->depth = 2;
		break;
	case KIND_PAUSES:
		plan->burst = 1000;
		plan->pause_ns = plan->workload->pause_ms * UINT64_C(1000000);
		break;
	case KIND_READS:
		plan->burst = 1;
		plan->pause_ns = 150000000;
		break;
	case KIND_CONSISTENCY:
		plan->depth = 32;
		break;
	case KIND_PAUSE:
	case KIND_POISSON:
	case KIND_LOMAX:
		plan->burst = 1;
		break;
	default:
		break;
	}
}

/*
 * Without a given service, depth I/Os that are outstanding at once share the
 * drive: each takes so many times longer.
 */
static int set_service(struct plan *plan, struct plan_pattern *pattern,
		       struct ssdpm_error *reterr)
{
	uint64_t ns = pattern->op == SSDPM_OP_READ ? NOMINAL_READ_NS :
						     NOMINAL_WRITE_NS;

	ns = (ns + plan->bytes / NOMINAL_BYTES_PER_NS) * plan->depth;
	if (plan->params.service_ns != SSDPM_SERVICE_UNKNOWN)
		ns = plan->params.service_ns;
	if (ns > SSDPM_SERVICE_MAX)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "service_ns: the nominal one, %llu, does "
				   "not fit: give another",
				   (unsigned long long)ns);
	pattern->service_ns = (uint32_t)ns;
	return 0;
}

static int set_patterns(struct plan *plan, struct ssdpm_error *reterr)
{
	const uint8_t patterns[2] = { plan->workload->pattern,
				      plan->workload->partner };

	for (int i = 0; i < 2; i++) {
		uint8_t p = patterns[i];
		bool reads = p == PATTERN_SR || p == PATTERN_RR;

		plan->patterns[i].op = reads ? SSDPM_OP_READ : SSDPM_OP_WRITE;
		plan->patterns[i].random = p == PATTERN_RR || p == PATTERN_RW;
		if (plan->params.op)
			plan->patterns[i].op = (uint8_t)plan->params.op;
		int r = set_service(plan, &plan->patterns[i], reterr);
		if (r)
			return r;
	}
	return 0;
}

static int set_slots(struct plan *plan, struct ssdpm_error *reterr)
{
	uint64_t area = plan->area_bytes;

	if (area > plan->shift_bytes)
		plan->slots = (area - plan->shift_bytes) / plan->streams /
			      plan->bytes;
	if (plan->slots == 0)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "area_bytes: %llu has no room for %llu I/Os "
				   "of %u bytes, %llu bytes shifted",
				   (unsigned long long)area,
				   (unsigned long long)plan->streams,
				   plan->bytes,
				   (unsigned long long)plan->shift_bytes);
	return 0;
}

/* As many as start within the time of the test. */
static int set_consistency_n(struct plan *plan, struct ssdpm_error *reterr)
{
	uint64_t service_ns = plan->patterns[0].service_ns;

	if (service_ns == 0)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "service_ns: with 0, 2000 s have no end: "
				   "give n_ios");
	uint64_t groups =
		(CONSISTENCY_SECONDS * UINT64_C(1000000000) + service_ns - 1) /
		service_ns;
	plan->n_ios = groups * plan->depth;
	return 0;
}

static int check(const struct ssdpm_generator_params *given,
		 struct ssdpm_generator_params *params,
		 const struct workload **ret_workload,
		 struct ssdpm_error *reterr)
{
	ssdpm_generator_params_init(params, sizeof(*params));
	int r = ssdpm__sized_in(params, sizeof(*params), given,
				"ssdpm_generator_params", reterr);

	if (r)
		return r;
	if (!params->name)
		return ssdpm__fail(reterr, -EINVAL, 0, "name: none is given");
	*ret_workload = ssdpm__workload_find(params->name);
	if (!*ret_workload)
		return ssdpm__fail(
			reterr, -ENOENT, 0,
			"name: there is no such workload as \"%.32s\"",
			params->name);
	r = check_taken(params, *ret_workload, reterr);
	return r ? r : check_ranges(params, *ret_workload, reterr);
}

int ssdpm__plan(const struct ssdpm_generator_params *params,
		struct plan *ret_plan, struct ssdpm_error *reterr)
{
	struct plan plan = { .depth = 1, .streams = 1, .step = 1 };
	int r = check(params, &plan.params, &plan.workload, reterr);

	if (r)
		return r;
	const struct kind *kind = ssdpm__workload_kind(plan.workload);
	plan.n_ios = given_or(plan.params.n_ios, kind->n_ios);
	plan.bytes = (uint32_t)given_or(plan.params.bytes, kind->bytes);
	plan.area_bytes = given_or(plan.params.area_bytes, kind->area_bytes);
	plan.pause_ns = given_or(plan.params.mean_idle_ns, kind->mean_idle_ns);
	plan.shape_milli = (uint32_t)given_or(plan.params.shape_milli, 1500);
	set_rhythm(&plan);
	apply_value(&plan, given_or(plan.params.value, kind->value));
	r = set_patterns(&plan, reterr);
	if (r == 0)
		r = set_slots(&plan, reterr);
	if (r == 0 && plan.n_ios == 0)
		r = set_consistency_n(&plan, reterr);
	if (r == 0)
		*ret_plan = plan;
	return r;
}

int ssdpm_generator_get_pause_ns(const struct ssdpm_generator_params *params,
				 uint64_t tail_ns, uint64_t *ret_pause_ns,
				 struct ssdpm_error *reterr)
{
	struct plan plan;
	int r = ssdpm__plan(params, &plan, reterr);

	if (r)
		return r;
	bool writes = plan.patterns[0].op == SSDPM_OP_WRITE ||
		      (plan.ratio && plan.patterns[1].op == SSDPM_OP_WRITE);
	*ret_pause_ns = writes ? tail_ns : 0;
	return 0;
}
