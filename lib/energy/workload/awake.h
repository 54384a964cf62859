/* SPDX-License-Identifier: MIT */
/*
 * Recorded service times include the wake-ups of the drive under its policy. If
 * a trace names this policy, it is read as if the drive had been awake.
 */
#ifndef SSDPM_LIB_WORKLOAD_AWAKE_H
#define SSDPM_LIB_WORKLOAD_AWAKE_H

#include "workload/internal.h"

/* The most states of a drive. */
#define AWAKE_MAX_STEPS 32

/* The drive enters a state after at_ns idle, and is in it from resident_ns. */
struct awake_step {
	uint64_t at_ns;
	uint64_t resident_ns;
	uint64_t exit_ns;
};

/*
 * I/Os that answer one for which the drive woke: they begin after its end. The
 * host asks for them sooner if the drive is awake, and later if it wakes
 * longer.
 */
struct answers {
	uint64_t from_ns;  /* the recorded end of that I/O */
	uint64_t until_ns; /* of the latest one */
	int64_t late_ns;   /* against the record */
	uint64_t start_ns; /* of the latest one, as it was moved */
	bool is_answer;	   /* the latest one */
	uint64_t end_ns;   /* its recorded end */
};

struct awake {
	uint64_t device; /* major << 32 | minor */
	uint64_t base_ns[SSDPM_N_OPS];
	uint32_t n;
	struct awake_step steps[AWAKE_MAX_STEPS];
	bool begun;
	uint64_t until_ns; /* busy up to here */
	uint64_t ready_ns; /* awake from here */
	struct answers answers;
};

/* Parses the text after "# policy:" in a line. */
bool ssdpm__awake_parse(struct span text, struct awake *ret_awake);

/*
 * The service time after the wait. It is at least the base time, or the whole
 * service if that is shorter, because a drive may wake more quickly than it
 * declares.
 */
uint32_t ssdpm__awake_service(uint64_t base_ns, uint32_t service_ns,
			      uint64_t wait_ns);

/* Takes a line "# policy: ..." of a trace; skips one that cannot be read. */
int ssdpm__trace_policy(struct ssdpm_trace *trace, struct span line,
			struct ssdpm_error *reterr);

/* Changes records to those of a drive that is awake. */
void ssdpm__trace_wake(struct ssdpm_trace *trace, struct ssdpm_io *ios,
		       size_t n);

/* Changes the next record, in the order of their starts, which they keep. */
void ssdpm__awake_take(struct awake *awake, struct ssdpm_io *io);

/* A simulated drive made that record wait: its answers come later. */
void ssdpm__awake_delay(struct awake *awake, uint64_t delay_ns);

#endif
