/* SPDX-License-Identifier: MIT */
/*
 * Puts records in the order of their start that come in the order of their
 * completion, in a window of constant size.
 */
#ifndef SSDPM_LIB_WORKLOAD_REORDER_H
#define SSDPM_LIB_WORKLOAD_REORDER_H

#include "workload/internal.h"

/* So many I/Os may complete while one takes long. */
#define REORDER_WINDOW 32768u

/* bytes: of the I/O, which may need several records. */
struct reorder_entry {
	struct ssdpm_io io;
	uint64_t bytes;
	uint64_t index; /* of equal starts, the first comes first */
};

/*
 * Most records come in order: these are in queue, a ring. Those that come after
 * a later one are in heap, the least at the top. n: in both.
 */
struct reorder {
	struct reorder_entry queue[REORDER_WINDOW];
	struct reorder_entry heap[REORDER_WINDOW];
	uint64_t n_pushed;
	uint32_t first;
	uint32_t n_queue;
	uint32_t n_heap;
};

static inline bool ssdpm__reorder_is_full(const struct reorder *reorder)
{
	return reorder->n_queue + reorder->n_heap == REORDER_WINDOW;
}

/* Not when it is full. */
void ssdpm__reorder_push(struct reorder *reorder, const struct ssdpm_io *io,
			 uint64_t bytes);

/* The one that starts first; NULL: none. It is there until the next push. */
const struct reorder_entry *ssdpm__reorder_pop(struct reorder *reorder);

#endif
