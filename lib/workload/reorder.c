/* SPDX-License-Identifier: MIT */
#include "workload/reorder.h"

static bool is_before(const struct reorder_entry *a,
		      const struct reorder_entry *b)
{
	if (a->io.start_ns != b->io.start_ns)
		return a->io.start_ns < b->io.start_ns;
	return a->index < b->index;
}

static void push_heap(struct reorder *reorder,
		      const struct reorder_entry *entry)
{
	uint32_t at = reorder->n_heap++;

	while (at > 0) {
		uint32_t parent = (at - 1) / 2;

		if (!is_before(entry, &reorder->heap[parent]))
			break;
		reorder->heap[at] = reorder->heap[parent];
		at = parent;
	}
	reorder->heap[at] = *entry;
}

void ssdpm__reorder_push(struct reorder *reorder, const struct ssdpm_io *io,
			 uint64_t bytes)
{
	uint32_t last = reorder->first + reorder->n_queue - 1;
	struct reorder_entry entry = { .io = *io,
				       .bytes = bytes,
				       .index = reorder->n_pushed++ };

	if (reorder->n_queue &&
	    io->start_ns < reorder->queue[last % REORDER_WINDOW].io.start_ns) {
		push_heap(reorder, &entry);
		return;
	}
	reorder->queue[(last + 1) % REORDER_WINDOW] = entry;
	reorder->n_queue++;
}

/* The top goes where the last one was, which nothing overwrites before a push.
 */
static const struct reorder_entry *pop_heap(struct reorder *reorder)
{
	struct reorder_entry *heap = reorder->heap;
	struct reorder_entry top = heap[0], last = heap[--reorder->n_heap];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= reorder->n_heap)
			break;
		if (child + 1 < reorder->n_heap &&
		    is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	heap[reorder->n_heap] = top;
	return &heap[reorder->n_heap];
}

const struct reorder_entry *ssdpm__reorder_pop(struct reorder *reorder)
{
	const struct reorder_entry *first = &reorder->queue[reorder->first];

	if (reorder->n_heap &&
	    (!reorder->n_queue || is_before(&reorder->heap[0], first)))
		return pop_heap(reorder);
	if (!reorder->n_queue)
		return NULL;
	reorder->first = (reorder->first + 1) % REORDER_WINDOW;
	reorder->n_queue--;
	return first;
}
