/* SPDX-License-Identifier: MIT */
/*
 * Recorded service times hold the wake-ups of the drive under the policy that
 * was in force. A trace that says which that was is read as if the drive had
 * been awake.
 */
#ifndef SSDPM_LIB_WORKLOAD_AWAKE_H
#define SSDPM_LIB_WORKLOAD_AWAKE_H

#include "workload/internal.h"

/* As many as a drive has states. */
#define AWAKE_MAX_STEPS 32

/* After at_ns idle the drive enters a state, where it is from resident_ns. */
struct awake_step {
	uint64_t at_ns;
	uint64_t resident_ns;
	uint64_t exit_ns;
};

struct awake {
	uint64_t device; /* major << 32 | minor */
	uint64_t base_ns[SSDPM_N_OPS];
	uint32_t n;
	struct awake_step steps[AWAKE_MAX_STEPS];
	bool begun;
	uint64_t until_ns; /* busy up to here */
	uint64_t ready_ns; /* awake from here */
};

/* "259,0" with the blanks after it. */
bool ssdpm__take_device(struct span *text, uint64_t *ret_device);

/* What follows "# policy:" in a line. */
bool ssdpm__awake_parse(struct span text, struct awake *ret_awake);

/*
 * What is left of a service time without a wait. A drive that was quicker than
 * it declares is not as quick as nothing.
 */
uint32_t ssdpm__awake_service(uint64_t base_ns, uint32_t service_ns,
			      uint64_t wait_ns);

/* A line "# policy: ..." of a trace; one that cannot be read says nothing. */
int ssdpm__trace_policy(struct ssdpm_trace *trace, struct span line,
			struct ssdpm_error *reterr);

/* Records as the drive serves them when it is awake. */
void ssdpm__trace_wake(struct ssdpm_trace *trace, struct ssdpm_io *ios,
		       size_t n);

/* The service time of the next record, in the order of their starts. */
uint32_t ssdpm__awake_take(struct awake *awake, const struct ssdpm_io *io);

#endif
