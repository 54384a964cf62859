/* SPDX-License-Identifier: MIT */
/*
 * Turns events into records. An issue and its completion become one, and
 * records come out in the order of their start. Memory is constant: a record
 * that can no longer be held is returned or counted.
 */
#ifndef SSDPM_LIB_WORKLOAD_PAIR_H
#define SSDPM_LIB_WORKLOAD_PAIR_H

#include <string.h>

#include "workload/internal.h"

/* I/Os held at a time. */
#define PAIR_MAX_HELD (1u << 17)

/* An issue that waits longer than this has no completion. */
#define PAIR_TIMEOUT_NS 30000000000u

struct pair;

/* An issue, a completion, or both as far as seen. */
struct pair_event {
	uint64_t time_ns;
	uint64_t offset;
	uint64_t bytes;
	uint8_t op;
	uint8_t flags; /* enum ssdpm_io_flag */
	uint32_t tag;  /* the caller's: see ssdpm__io_tag() */
};

/* Readers have no tags; reserved members of their records are 0. */
static inline uint32_t ssdpm__io_tag(const struct ssdpm_io *io)
{
	uint32_t tag;

	memcpy(&tag, io->reserved, sizeof(tag));
	return tag;
}

static inline void ssdpm__io_set_tag(struct ssdpm_io *io, uint32_t tag)
{
	memcpy(io->reserved, &tag, sizeof(tag));
}

/* Whether an I/O can have this place and length. Readers check that. */
static inline bool ssdpm__pair_fits(const struct pair_event *event)
{
	return ssdpm__io_fits(event->op, event->bytes) &&
	       event->offset <= UINT64_MAX - event->bytes;
}

/*
 * Sets trace->pair. late_ns: how long a record waits for another that starts
 * before it. The wait ends when max_held records wait; max_held is a power of
 * two up to PAIR_MAX_HELD.
 */
int ssdpm__pair_new(struct ssdpm_trace *trace, uint64_t late_ns,
		    uint32_t max_held, struct ssdpm_error *reterr);

void ssdpm__pair_free(struct pair *pair);

/*
 * next() of a reader calls each at most once for an event, so that there is
 * room. A completion matches the oldest issue with the same offset, bytes and
 * op.
 */
void ssdpm__pair_issue(struct pair *pair, const struct pair_event *event);
void ssdpm__pair_complete(struct pair *pair, const struct pair_event *event);

/* Advances the time without an event. */
void ssdpm__pair_advance(struct pair *pair, uint64_t time_ns);

/* No more events come; entries left have no other half. */
void ssdpm__pair_end(struct pair *pair);

/* Events come again after ssdpm__pair_end(). */
void ssdpm__pair_resume(struct pair *pair);

/* The start of the first record not yet returned; UINT64_MAX: none. */
uint64_t ssdpm__pair_first_ns(const struct pair *pair);

/*
 * The drive did not take it, so its issue comes again. false: no such issue.
 * ret_tag may be NULL.
 */
bool ssdpm__pair_requeue(struct pair *pair, const struct pair_event *event,
			 uint32_t *ret_tag);

/*
 * Adds a whole record. It starts at the time of the event; seen_ns, when it was
 * seen, drives the clock. service_ns: as in struct ssdpm_io.
 */
void ssdpm__pair_add(struct pair *pair, const struct pair_event *event,
		     uint64_t seen_ns, uint32_t service_ns);

/*
 * Adds a whole record and checks its order: 0, or -EINVAL as from
 * ssdpm__trace_order(). took_ns: its service, or 0; service_ns: the service to
 * return.
 */
int ssdpm__pair_record(struct pair *pair, const struct pair_event *event,
		       uint64_t took_ns, uint32_t service_ns,
		       struct ssdpm_error *reterr);

/* Make room for one more event: 0 or -ENOMEM. */
int ssdpm__pair_reserve(struct pair *pair, struct ssdpm_error *reterr);

/* Takes up to max ready records in the order of their start. */
size_t ssdpm__pair_take(struct pair *pair, struct ssdpm_io *ios, size_t max);

/*
 * Reads up to max records in the order of their start; none: the end. Records
 * before a failure are returned, too.
 *
 * Issues without a completion are counted. If the trace had no completion so
 * far, they are returned with an unknown service instead.
 */
int ssdpm__pair_read(struct ssdpm_trace *trace, struct ssdpm_io *ios,
		     size_t max, size_t *ret_n, struct ssdpm_error *reterr);

#endif
