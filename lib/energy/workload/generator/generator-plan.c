/* SPDX-License-Identifier: MIT */
/* The table of workloads, and the numbers of one from its parameters. */
#include "workload/generator/generator.h"

#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "common/random.h"
#include "everyday.inc"
#include "workload/everyday/everyday.h"

static const struct workload workloads[] = {
	EVERYDAY_WORKLOADS,
	{ "apst-1", KIND_STEADY, PATTERN_SW, 0, 0 },
	{ "apst-2", KIND_PAUSES, PATTERN_SW, 0, 50 },
	{ "apst-3", KIND_PAUSES, PATTERN_SW, 0, 150 },
	{ "apst-4", KIND_PAUSES, PATTERN_SW, 0, 500 },
	{ "apst-5", KIND_PAUSES, PATTERN_SW, 0, 1500 },
	{ "apst-6", KIND_PAUSES, PATTERN_SW, 0, 5000 },
	{ "apst-7", KIND_READS, PATTERN_RR, 0, 0 },
	{ "uflip-granularity-sr", KIND_GRANULARITY, PATTERN_SR, 0, 0 },
	{ "uflip-granularity-rr", KIND_GRANULARITY, PATTERN_RR, 0, 0 },
	{ "uflip-granularity-sw", KIND_GRANULARITY, PATTERN_SW, 0, 0 },
	{ "uflip-granularity-rw", KIND_GRANULARITY, PATTERN_RW, 0, 0 },
	{ "uflip-alignment-sr", KIND_ALIGNMENT, PATTERN_SR, 0, 0 },
	{ "uflip-alignment-rr", KIND_ALIGNMENT, PATTERN_RR, 0, 0 },
	{ "uflip-alignment-sw", KIND_ALIGNMENT, PATTERN_SW, 0, 0 },
	{ "uflip-alignment-rw", KIND_ALIGNMENT, PATTERN_RW, 0, 0 },
	{ "uflip-locality-sr", KIND_LOCALITY, PATTERN_SR, 0, 0 },
	{ "uflip-locality-rr", KIND_LOCALITY, PATTERN_RR, 0, 0 },
	{ "uflip-locality-sw", KIND_LOCALITY, PATTERN_SW, 0, 0 },
	{ "uflip-locality-rw", KIND_LOCALITY, PATTERN_RW, 0, 0 },
	{ "uflip-partitioning-sr", KIND_PARTITIONING, PATTERN_SR, 0, 0 },
	{ "uflip-partitioning-rr", KIND_PARTITIONING, PATTERN_RR, 0, 0 },
	{ "uflip-partitioning-sw", KIND_PARTITIONING, PATTERN_SW, 0, 0 },
	{ "uflip-partitioning-rw", KIND_PARTITIONING, PATTERN_RW, 0, 0 },
	{ "uflip-order-sr", KIND_ORDER, PATTERN_SR, 0, 0 },
	{ "uflip-order-rr", KIND_ORDER, PATTERN_RR, 0, 0 },
	{ "uflip-order-sw", KIND_ORDER, PATTERN_SW, 0, 0 },
	{ "uflip-order-rw", KIND_ORDER, PATTERN_RW, 0, 0 },
	{ "uflip-parallelism-sr", KIND_PARALLELISM, PATTERN_SR, 0, 0 },
	{ "uflip-parallelism-rr", KIND_PARALLELISM, PATTERN_RR, 0, 0 },
	{ "uflip-parallelism-sw", KIND_PARALLELISM, PATTERN_SW, 0, 0 },
	{ "uflip-parallelism-rw", KIND_PARALLELISM, PATTERN_RW, 0, 0 },
	{ "uflip-mix-sr", KIND_MIX, PATTERN_SR, PATTERN_SW, 0 },
	{ "uflip-mix-rr", KIND_MIX, PATTERN_RR, PATTERN_RW, 0 },
	{ "uflip-mix-sw", KIND_MIX, PATTERN_SW, PATTERN_SR, 0 },
	{ "uflip-mix-rw", KIND_MIX, PATTERN_RW, PATTERN_RR, 0 },
	{ "uflip-mix-sr-rr", KIND_MIX, PATTERN_SR, PATTERN_RR, 0 },
	{ "uflip-mix-sr-rw", KIND_MIX, PATTERN_SR, PATTERN_RW, 0 },
	{ "uflip-mix-rr-sw", KIND_MIX, PATTERN_RR, PATTERN_SW, 0 },
	{ "uflip-mix-sw-rw", KIND_MIX, PATTERN_SW, PATTERN_RW, 0 },
	{ "uflip-pause-sr", KIND_PAUSE, PATTERN_SR, 0, 0 },
	{ "uflip-pause-rr", KIND_PAUSE, PATTERN_RR, 0, 0 },
	{ "uflip-pause-sw", KIND_PAUSE, PATTERN_SW, 0, 0 },
	{ "uflip-pause-rw", KIND_PAUSE, PATTERN_RW, 0, 0 },
	{ "uflip-bursts-sr", KIND_BURSTS, PATTERN_SR, 0, 0 },
	{ "uflip-bursts-rr", KIND_BURSTS, PATTERN_RR, 0, 0 },
	{ "uflip-bursts-sw", KIND_BURSTS, PATTERN_SW, 0, 0 },
	{ "uflip-bursts-rw", KIND_BURSTS, PATTERN_RW, 0, 0 },
	{ "consistency", KIND_CONSISTENCY, PATTERN_RW, 0, 0 },
	{ "poisson", KIND_POISSON, PATTERN_RR, 0, 0 },
	{ "lomax", KIND_LOMAX, PATTERN_RR, 0, 0 },
	{ "on-off", KIND_ON_OFF, PATTERN_RR, 0, 0 },
};

/*
 * Sizes and counts: the APST patch has 4 KiB and bursts of 1000. The 32 KiB of
 * uFLIP are one of its sizes, used unless the size varies. The consistency test
 * has 4 KiB, depth 32 and 2000 s. 256 GB is a usual capacity. The rest is our
 * choice.
 */
static const struct kind kinds[N_KINDS] = {
	[KIND_EVERYDAY] = {
		/* Its table has all its numbers. */
		.value_unit = 1,
	},
	[KIND_STEADY] = {
		.description = "writes one after the other, two outstanding, no pauses",
		.bytes = 4096,
		.n_ios = 100000,
		.area_bytes = 1073741824,
		.value_unit = 1,
	},
	[KIND_PAUSES] = {
		/* The pause has the description. */
		.bytes = 4096,
		.n_ios = 10000,
		.area_bytes = 1073741824,
		.value_unit = 1,
	},
	[KIND_READS] = {
		.description = "one random read, then 150 ms idle; again",
		.bytes = 4096,
		.n_ios = 1000,
		.area_bytes = 1073741824,
		.value_unit = 1,
	},
	[KIND_GRANULARITY] = {
		.description = "value: size of an I/O in bytes",
		.takes = TAKES_VALUE,
		.n_ios = 1024,
		.area_bytes = 134217728,
		.value = 32768,
		.value_max = 134217728,
		.value_unit = 512,
	},
	[KIND_ALIGNMENT] = {
		.description = "value: shift of all I/Os in bytes",
		.takes = TAKES_VALUE,
		.bytes = 32768,
		.n_ios = 1024,
		.area_bytes = 134217728,
		.value = 512,
		.value_max = 134217728,
		.value_unit = 512,
	},
	[KIND_LOCALITY] = {
		.description = "value: size of the area in bytes",
		.takes = TAKES_VALUE,
		.bytes = 32768,
		.n_ios = 1024,
		.value = 8388608,
		.value_max = 4611686018427387904,
		.value_unit = 512,
	},
	[KIND_PARTITIONING] = {
		.description = "value: parts of the area, taken in turn",
		.takes = TAKES_VALUE,
		.bytes = 32768,
		.n_ios = 1024,
		.area_bytes = 134217728,
		.value = 4,
		.value_max = 65536,
		.value_unit = 1,
	},
	[KIND_ORDER] = {
		.description = "value: step in I/Os; 0 in place, 2^64-1 (-1) backward",
		.takes = TAKES_VALUE,
		.bytes = 32768,
		.n_ios = 1024,
		.area_bytes = 134217728,
		.value_max = 65536,
		.value_unit = 1,
	},
	[KIND_PARALLELISM] = {
		.description = "value: I/Os at a time, each in its part of the area",
		.takes = TAKES_VALUE,
		.bytes = 32768,
		.n_ios = 1024,
		.area_bytes = 134217728,
		.value = 4,
		.value_max = 1024,
		.value_unit = 1,
	},
	[KIND_MIX] = {
		.description = "value: I/Os of this pattern to one of the other",
		.takes = TAKES_VALUE,
		.bytes = 32768,
		.n_ios = 1024,
		.area_bytes = 134217728,
		.value = 1,
		.value_max = 65536,
		.value_unit = 1,
	},
	[KIND_PAUSE] = {
		.description = "value: pause after each I/O in ns",
		.takes = TAKES_VALUE,
		.bytes = 32768,
		.n_ios = 1024,
		.area_bytes = 134217728,
		.value = 100000,
		.value_max = 1000000000000000,
		.value_unit = 1,
	},
	[KIND_BURSTS] = {
		.description = "value: I/Os between two pauses of mean_idle_ns",
		.takes = TAKES_VALUE | TAKES_MEAN,
		.bytes = 32768,
		.n_ios = 1024,
		.area_bytes = 134217728,
		.mean_idle_ns = 100000000,
		.value = 10,
		.value_max = 1000000,
		.value_unit = 1,
	},
	[KIND_CONSISTENCY] = {
		.description = "random writes, 32 outstanding, for 2000 s",
		.bytes = 4096,
		.area_bytes = 256060514304,
		.value_unit = 1,
	},
	[KIND_POISSON] = {
		.description = "a Poisson process: starts mean_idle_ns apart on average",
		.takes = TAKES_MEAN | TAKES_OP,
		.bytes = 4096,
		.n_ios = 10000,
		.area_bytes = 1073741824,
		.mean_idle_ns = 100000000,
		.value_unit = 1,
	},
	[KIND_LOMAX] = {
		.description = "idle times with a Lomax distribution",
		.takes = TAKES_MEAN | TAKES_SHAPE | TAKES_OP,
		.bytes = 4096,
		.n_ios = 10000,
		.area_bytes = 1073741824,
		.mean_idle_ns = 100000000,
		.value_unit = 1,
	},
	[KIND_ON_OFF] = {
		.description = "bursts of value I/Os on average, exponential idle times",
		.takes = TAKES_VALUE | TAKES_MEAN | TAKES_OP,
		.bytes = 4096,
		.n_ios = 10000,
		.area_bytes = 1073741824,
		.mean_idle_ns = 100000000,
		.value = 32,
		.value_max = 1000000,
		.value_unit = 1,
	},
};

/* The pauses of KIND_PAUSES. */
static const struct {
	uint16_t pause_ms;
	char description[62];
} pauses[] = {
	{ 50, "1000 writes one after the other, then 50 ms idle; again" },
	{ 150, "1000 writes one after the other, then 150 ms idle; again" },
	{ 500, "1000 writes one after the other, then 500 ms idle; again" },
	{ 1500, "1000 writes one after the other, then 1.5 s idle; again" },
	{ 5000, "1000 writes one after the other, then 5 s idle; again" },
};

#define N_PAUSES (sizeof(pauses) / sizeof(pauses[0]))
#define N_WORKLOADS (sizeof(workloads) / sizeof(workloads[0]))

static const struct workload *find_workload(const char *name)
{
	for (size_t i = 0; i < N_WORKLOADS; i++)
		if (strcmp(workloads[i].name, name) == 0)
			return &workloads[i];
	return NULL;
}

static const struct kind *kind_of(const struct workload *workload)
{
	return &kinds[workload->kind];
}

const char *ssdpm__workload_description(const struct workload *workload)
{
	if (workload->kind == KIND_EVERYDAY)
		return ssdpm__everyday(workload)->description;
	for (size_t i = 0; i < N_PAUSES; i++)
		if (pauses[i].pause_ms == workload->pause_ms)
			return pauses[i].description;
	return kinds[workload->kind].description;
}

const char *ssdpm_generator_get_name(size_t index)
{
	return index < N_WORKLOADS ? workloads[index].name : NULL;
}

const char *ssdpm_generator_get_description(size_t index)
{
	if (index >= N_WORKLOADS)
		return NULL;
	return ssdpm__workload_description(&workloads[index]);
}

/*
 * The nominal service of an I/O, unless the caller gives one. It is that of the
 * NVMe drive of the PowerSensor3 measurements at depth 1, rounded (ISPASS
 * 2025). They have random reads of 32 KiB to 4 MiB, and random writes of 4 KiB.
 */
#define NOMINAL_READ_NS 130000u
#define NOMINAL_WRITE_NS 10000u
#define NOMINAL_BYTES_PER_NS 3u

/* Offsets stay below 2^63, as in Linux. */
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
	const struct kind *kind = kind_of(workload);
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
		{ "bytes", params->bytes,
		  workload->kind != KIND_GRANULARITY &&
			  workload->kind != KIND_EVERYDAY },
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
	const struct kind *kind = kind_of(workload);
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

/* Applies the value of each kind. */
static void apply_value(struct workload_plan *plan, uint64_t value)
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

/* Sets the rhythm if only the kind determines it. */
static void set_rhythm(struct workload_plan *plan)
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
 * Without a given service, depth I/Os at a time share the drive, so each takes
 * that many times longer.
 */
static int set_service(struct workload_plan *plan, struct plan_pattern *pattern,
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

static int set_patterns(struct workload_plan *plan, struct ssdpm_error *reterr)
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
		int err = set_service(plan, &plan->patterns[i], reterr);
		if (err)
			return err;
	}
	return 0;
}

static int set_slots(struct workload_plan *plan, struct ssdpm_error *reterr)
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

/* As many I/Os as start within the time of the test. */
static int set_consistency_n(struct workload_plan *plan,
			     struct ssdpm_error *reterr)
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
	int err = ssdpm__sized_in(params, sizeof(*params), given,
				  "ssdpm_generator_params", reterr);

	if (err)
		return err;
	if (!params->name)
		return ssdpm__fail(reterr, -EINVAL, 0, "name: none is given");
	*ret_workload = find_workload(params->name);
	if (!*ret_workload)
		return ssdpm__fail(reterr, -ENOENT, 0,
				   "name: unknown workload '%.32s'",
				   params->name);
	err = check_taken(params, *ret_workload, reterr);
	return err ? err : check_ranges(params, *ret_workload, reterr);
}

int ssdpm__plan(const struct ssdpm_generator_params *params,
		struct workload_plan *ret_plan, struct ssdpm_error *reterr)
{
	struct workload_plan plan = { .depth = 1, .streams = 1, .step = 1 };
	int err = check(params, &plan.params, &plan.workload, reterr);

	if (err)
		return err;
	if (plan.workload->kind == KIND_EVERYDAY) {
		err = ssdpm__everyday_plan(&plan, reterr);
		if (err == 0)
			*ret_plan = plan;
		return err;
	}
	const struct kind *kind = kind_of(plan.workload);
	plan.n_ios = given_or(plan.params.n_ios, kind->n_ios);
	plan.bytes = (uint32_t)given_or(plan.params.bytes, kind->bytes);
	plan.area_bytes = given_or(plan.params.area_bytes, kind->area_bytes);
	plan.pause_ns = given_or(plan.params.mean_idle_ns, kind->mean_idle_ns);
	plan.shape_milli = (uint32_t)given_or(plan.params.shape_milli, 1500);
	set_rhythm(&plan);
	apply_value(&plan, given_or(plan.params.value, kind->value));
	err = set_patterns(&plan, reterr);
	if (err == 0)
		err = set_slots(&plan, reterr);
	if (err == 0 && plan.n_ios == 0)
		err = set_consistency_n(&plan, reterr);
	if (err == 0)
		*ret_plan = plan;
	return err;
}

int ssdpm_generator_get_pause_ns(const struct ssdpm_generator_params *params,
				 uint64_t tail_ns, uint64_t *ret_pause_ns,
				 struct ssdpm_error *reterr)
{
	struct workload_plan plan;
	int err = ssdpm__plan(params, &plan, reterr);

	if (err)
		return err;
	bool writes = plan.patterns[0].op == SSDPM_OP_WRITE ||
		      (plan.ratio && plan.patterns[1].op == SSDPM_OP_WRITE);
	*ret_pause_ns = writes ? tail_ns : 0;
	return 0;
}
