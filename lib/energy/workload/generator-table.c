/* SPDX-License-Identifier: MIT */
/* The workloads that can be generated. */
#include "workload/generator.h"

#include <string.h>

static const struct workload workloads[] = {
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
 * Sizes and counts: the APST patch (4 KiB, bursts of 1000), uFLIP (32 KiB, one
 * of its sizes, where it is not the size that varies), the consistency test
 * (4 KiB, depth 32, 2000 s; 256 GB is a capacity that drives have). The rest is
 * ours.
 */
static const struct kind kinds[N_KINDS] = {
	[KIND_STEADY] = {
		.description = "writes one after the other, two outstanding, no pauses",
		.bytes = 4096,
		.n_ios = 100000,
		.area_bytes = 1073741824,
		.value_unit = 1,
	},
	[KIND_PAUSES] = {
		/* The description is that of the pause. */
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

/* Of KIND_PAUSES. */
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

const struct workload *ssdpm__workload(size_t index)
{
	return index < N_WORKLOADS ? &workloads[index] : NULL;
}

const struct workload *ssdpm__workload_find(const char *name)
{
	for (size_t i = 0; i < N_WORKLOADS; i++)
		if (strcmp(workloads[i].name, name) == 0)
			return &workloads[i];
	return NULL;
}

const struct kind *ssdpm__workload_kind(const struct workload *workload)
{
	return &kinds[workload->kind];
}

const char *ssdpm__workload_description(const struct workload *workload)
{
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
