/* SPDX-License-Identifier: MIT */
/*
 * Sorts numbers by their start. Most arrive in that order and go into a queue
 * at no cost. Numbers that start before a queued one go into a heap.
 */
#ifndef SSDPM_LIB_WORKLOAD_REORDER_H
#define SSDPM_LIB_WORKLOAD_REORDER_H

#include "workload/internal.h"

/* If starts are equal, the lesser number comes first. */
struct reorder_item {
	uint64_t start_ns;
	uint64_t number;
};

struct reorder {
	struct reorder_item *queue; /* a ring */
	struct reorder_item *heap;  /* the first at the top */
	uint32_t room;		    /* of each: a power of two, or 0 */
	uint32_t at;		    /* the first of the queue */
	uint32_t n_queue;
	uint32_t n_heap;
};

/* Make room for this many, a power of two. 0 or -ENOMEM. */
int ssdpm__reorder_resize(struct reorder *reorder, uint32_t room,
			  struct ssdpm_error *reterr);
void ssdpm__reorder_free(struct reorder *reorder);

void ssdpm__reorder_push_heap(struct reorder *reorder,
			      struct reorder_item item);
void ssdpm__reorder_pop_heap(struct reorder *reorder);

static inline uint32_t ssdpm__reorder_count(const struct reorder *reorder)
{
	return reorder->n_queue + reorder->n_heap;
}

static inline bool ssdpm__reorder_is_before(const struct reorder_item *a,
					    const struct reorder_item *b)
{
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	return a->number < b->number;
}

/* Requires room. */
static inline void ssdpm__reorder_push(struct reorder *reorder,
				       struct reorder_item item)
{
	uint32_t mask = reorder->room - 1;
	uint32_t end = reorder->at + reorder->n_queue;

	if (reorder->n_queue &&
	    ssdpm__reorder_is_before(&item,
				     &reorder->queue[(end - 1) & mask])) {
		ssdpm__reorder_push_heap(reorder, item);
		return;
	}
	reorder->queue[end & mask] = item;
	reorder->n_queue++;
}

static inline bool ssdpm__reorder_heap_is_next(const struct reorder *reorder)
{
	return reorder->n_heap &&
	       (!reorder->n_queue ||
		ssdpm__reorder_is_before(&reorder->heap[0],
					 &reorder->queue[reorder->at]));
}

/* The number that starts first. Requires one. */
static inline struct reorder_item ssdpm__reorder_first(
	const struct reorder *reorder)
{
	return ssdpm__reorder_heap_is_next(reorder) ?
		       reorder->heap[0] :
		       reorder->queue[reorder->at];
}

static inline void ssdpm__reorder_pop(struct reorder *reorder)
{
	if (ssdpm__reorder_heap_is_next(reorder)) {
		ssdpm__reorder_pop_heap(reorder);
		return;
	}
	reorder->at = (reorder->at + 1) & (reorder->room - 1);
	reorder->n_queue--;
}

#endif
