/* SPDX-License-Identifier: MIT */
#include "workload/reorder.h"

#include <stdlib.h>

#include "base/internal.h"

/* Memory allocated before a failure stays, unused. */
int ssdpm__reorder_resize(struct reorder *reorder, uint32_t room,
			  struct ssdpm_error *reterr)
{
	struct reorder_item *heap =
		realloc(reorder->heap, room * sizeof(*heap));
	if (!heap)
		return ssdpm__no_memory(reterr);
	reorder->heap = heap;
	struct reorder_item *queue = malloc(room * sizeof(*queue));
	if (!queue)
		return ssdpm__no_memory(reterr);
	for (uint32_t i = 0; i < reorder->n_queue; i++)
		queue[i] =
			reorder->queue[(reorder->at + i) & (reorder->room - 1)];
	free(reorder->queue);
	reorder->queue = queue;
	reorder->at = 0;
	reorder->room = room;
	return 0;
}

void ssdpm__reorder_free(struct reorder *reorder)
{
	free(reorder->queue);
	free(reorder->heap);
}

/* Puts an item at this empty place, or above. */
static void lift(struct reorder_item *heap, uint32_t at,
		 struct reorder_item item)
{
	for (; at && ssdpm__reorder_is_before(&item, &heap[(at - 1) / 2]);
	     at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = item;
}

void ssdpm__reorder_push_heap(struct reorder *reorder, struct reorder_item item)
{
	lift(reorder->heap, reorder->n_heap++, item);
}

/* Moves down to the end by the lesser child, then up; this compares less. */
void ssdpm__reorder_pop_heap(struct reorder *reorder)
{
	struct reorder_item *heap = reorder->heap;
	uint32_t n = --reorder->n_heap;
	uint32_t at = 0;

	for (uint32_t child = 1; child < n; child = 2 * at + 1) {
		if (child + 1 < n &&
		    ssdpm__reorder_is_before(&heap[child + 1], &heap[child]))
			child++;
		heap[at] = heap[child];
		at = child;
	}
	lift(heap, at, heap[n]);
}
