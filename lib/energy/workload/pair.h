/* SPDX-License-Identifier: MIT */
/*
 * From events to records: an issue and its completion become one, and records
 * come out in the order of their start. Constant memory: what cannot be held
 * any longer is given out, or counted.
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

/* An issue, a completion, or what was seen of both. */
struct pair_event {
	uint64_t time_ns;
	uint64_t offset;
	uint64_t bytes;
	uint8_t op;
	uint8_t flags; /* enum ssdpm_io_flag */
	uint32_t tag;  /* of the caller: see ssdpm__io_tag() */
};

/* Readers have no tags: there, all that is reserved in a record is 0. */
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

/* Can an I/O be where this one is, and as long? Readers see to that. */
static inline bool ssdpm__pair_fits(const struct pair_event *event)
{
	return ssdpm__io_fits(event->op, event->bytes) &&
	       event->offset <= UINT64_MAX - event->bytes;
}

/*
 * Sets trace->pair. late_ns: how long a record waits for another that starts
 * before it, as long as there are fewer than max_held of them, a power of two
 * up to PAIR_MAX_HELD.
 */
int ssdpm__pair_new(struct ssdpm_trace *trace, uint64_t late_ns,
		    uint32_t max_held, struct ssdpm_error *reterr);

void ssdpm__pair_free(struct pair *pair);

/*
 * Called by next() of a reader, each at most once for an event: then there is
 * room. Completions find issues with the same offset, bytes and op,
 * oldest first.
 */
void ssdpm__pair_issue(struct pair *pair, const struct pair_event *event);
void ssdpm__pair_complete(struct pair *pair, const struct pair_event *event);

/* Time has passed, and no event came. */
void ssdpm__pair_advance(struct pair *pair, uint64_t time_ns);

/* No more events come: what is left has no other half. */
void ssdpm__pair_end(struct pair *pair);

/* Events come again after such an end. */
void ssdpm__pair_resume(struct pair *pair);

/*
 * When the first record starts that is not given out yet; UINT64_MAX: there is
 * none.
 */
uint64_t ssdpm__pair_first_ns(const struct pair *pair);

/*
 * The drive did not take it: its issue will come again. false: there was none.
 * ret_tag may be NULL.
 */
bool ssdpm__pair_requeue(struct pair *pair, const struct pair_event *event,
			 uint32_t *ret_tag);

/*
 * A whole record: it starts at the time of the event, and was seen at seen_ns,
 * which drives the clock. service_ns: as in struct ssdpm_io.
 */
void ssdpm__pair_add(struct pair *pair, const struct pair_event *event,
		     uint64_t seen_ns, uint32_t service_ns);

/*
 * A whole record of a trace that is checked for its order: 0, or -EINVAL as
 * ssdpm__trace_order(). took_ns: its service, or 0; service_ns: as it is given
 * out.
 */
int ssdpm__pair_record(struct pair *pair, const struct pair_event *event,
		       uint64_t took_ns, uint32_t service_ns,
		       struct ssdpm_error *reterr);

/* Make room for one more event: 0 or -ENOMEM. */
int ssdpm__pair_reserve(struct pair *pair, struct ssdpm_error *reterr);

/* Up to max records that are ready, in the order of their start. */
size_t ssdpm__pair_take(struct pair *pair, struct ssdpm_io *ios, size_t max);

/*
 * Up to max records that are ready, in the order of their start; none: the end.
 * Those that came before a failure are given too.
 *
 * Issues without a completion are counted, unless the trace had no completion
 * at all so far: then they are given out, and their service is unknown.
 */
int ssdpm__pair_read(struct ssdpm_trace *trace, struct ssdpm_io *ios,
		     size_t max, size_t *ret_n, struct ssdpm_error *reterr);

#endif
