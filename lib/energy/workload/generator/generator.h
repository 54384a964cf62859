/* SPDX-License-Identifier: MIT */
/* Generated workloads: their table, and a plan with all numbers of one. */
#ifndef SSDPM_LIB_WORKLOAD_GENERATOR_H
#define SSDPM_LIB_WORKLOAD_GENERATOR_H

#include <ssdpm/energy/workload.h>

/* The order of an I/O pattern of uFLIP, and its operation. */
enum pattern {
	PATTERN_NONE = 0,
	PATTERN_SR = 1,
	PATTERN_RR = 2,
	PATTERN_SW = 3,
	PATTERN_RW = 4,
};

/* The row of numbers that several workloads share. */
enum workload_kind {
	KIND_EVERYDAY,
	KIND_STEADY,
	KIND_PAUSES,
	KIND_READS,
	KIND_GRANULARITY,
	KIND_ALIGNMENT,
	KIND_LOCALITY,
	KIND_PARTITIONING,
	KIND_ORDER,
	KIND_PARALLELISM,
	KIND_MIX,
	KIND_PAUSE,
	KIND_BURSTS,
	KIND_CONSISTENCY,
	KIND_POISSON,
	KIND_LOMAX,
	KIND_ON_OFF,
	N_KINDS,
};

/* Parameters that a kind takes; all take n_ios, bytes, service and area. */
enum takes {
	TAKES_VALUE = 1 << 0,
	TAKES_MEAN = 1 << 1,
	TAKES_SHAPE = 1 << 2,
	TAKES_OP = 1 << 3,
};

/* Arrays of characters, because pointers need relocations. */
struct workload {
	char name[25];
	uint8_t kind;
	uint8_t pattern;
	uint8_t partner;   /* of a mix; of KIND_EVERYDAY: which table */
	uint16_t pause_ms; /* of KIND_PAUSES */
};

struct kind {
	char description[72];
	uint32_t takes;
	uint32_t bytes;
	uint32_t n_ios;
	uint64_t area_bytes;
	uint64_t mean_idle_ns;
	/* value: its default, its largest, and what it is a multiple of */
	uint64_t value;
	uint64_t value_max;
	uint32_t value_unit;
};

const char *ssdpm__workload_description(const struct workload *workload);

/* The step to a stream's next I/O: special values, or a number of I/Os. */
#define STEP_IN_PLACE 0
#define STEP_BACKWARD UINT64_MAX

/* The consistency test ends by its time. */
#define CONSISTENCY_SECONDS 2000u

/* One side of a workload; a mix has two. */
struct plan_pattern {
	uint8_t op;
	bool random;
	uint32_t service_ns;
};

/*
 * A workload with all its numbers. The n_ios I/Os come in groups of depth that
 * start together. The next group starts when the one before has ended. A pause
 * follows each burst. Streams take turns, each in its part of the area.
 */
struct workload_plan {
	const struct workload *workload;
	struct ssdpm_generator_params params; /* as given, checked */
	struct plan_pattern patterns[2];
	uint64_t ratio; /* I/Os of patterns[0] to one of [1]; 0: no [1] */
	uint64_t n_ios;
	uint32_t bytes;
	uint64_t depth;
	uint64_t burst;	   /* 0: no pauses */
	uint64_t pause_ns; /* or its mean */
	uint32_t shape_milli;
	uint64_t streams;
	uint64_t shift_bytes;
	uint64_t area_bytes;
	uint64_t step;
	uint64_t slots; /* I/Os that fit the part of a stream */
};

/* -ERANGE for a start beyond INT64_MAX, after which a pause could wrap. */
int ssdpm__check_start(uint64_t start_ns, struct ssdpm_error *reterr);

/* Errors are those of ssdpm_trace_generate(). */
int ssdpm__plan(const struct ssdpm_generator_params *params,
		struct workload_plan *ret_plan, struct ssdpm_error *reterr);

#endif
