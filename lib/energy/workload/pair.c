/* SPDX-License-Identifier: MIT */
#include "workload/pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "workload/reorder.h"

/* The first room; it doubles when needed. */
#define FIRST_BITS 8
#define MAX_BITS 17
_Static_assert(PAIR_MAX_HELD == 1u << MAX_BITS, "it doubles up to that");

/*
 * A completion's issue is searched behind at most this many later, similar
 * issues. A hostile file would otherwise take very long.
 */
#define MAX_LATER 1024

/* Completions that precede their issue in the file. */
#define MAX_EARLY 256

enum state { ISSUED, DONE, GONE };

struct pair_entry {
	struct pair_event event;
	uint32_t service_ns;
	uint32_t next; /* with the same hash, or free; 0: none */
	uint32_t before;
	enum state state;
};

/* The order of entries: the number in the file, above that of the entry. */
#define ENTRY_BITS 18
_Static_assert(PAIR_MAX_HELD < 1u << ENTRY_BITS, "each entry has a number");

struct pair_chain {
	uint32_t first, last; /* oldest first; 0: empty */
};

struct pair {
	struct ssdpm_trace *trace;
	/* Room for 2^bits; entry 0 is never used. */
	uint32_t bits;
	struct pair_entry *entries;
	struct pair_chain *chains;
	struct reorder order;
	uint64_t multiplier;
	uint64_t n_entered;
	uint64_t now_ns; /* the latest time seen */
	uint64_t late_ns;
	uint32_t max_held;
	uint32_t free;	 /* list of free entries */
	uint32_t n_used; /* entries above it are new */
	uint32_t n_early;
	bool has_completions;
	bool ended;
	struct pair_event early[MAX_EARLY];
};

void ssdpm__pair_free(struct pair *pair)
{
	if (!pair)
		return;
	free(pair->entries);
	ssdpm__reorder_free(&pair->order);
	free(pair->chains);
	free(pair);
}

static struct pair_chain *find_chain(struct pair *pair,
				     const struct pair_event *event)
{
	uint64_t key = event->offset ^ (event->bytes << 40) ^
		       ((uint64_t)event->op << 61);

	key = (key ^ key >> 32) * pair->multiplier;
	return &pair->chains[key >> (64 - pair->bits)];
}

static bool is_same(const struct pair_event *a, const struct pair_event *b)
{
	return a->offset == b->offset && a->bytes == b->bytes && a->op == b->op;
}

static void unlink_issue(struct pair *pair, struct pair_chain *chain,
			 uint32_t index)
{
	uint32_t before = pair->entries[index].before;
	uint32_t next = pair->entries[index].next;

	if (before)
		pair->entries[before].next = next;
	else
		chain->first = next;
	if (next)
		pair->entries[next].before = before;
	else
		chain->last = before;
}

/*
 * Takes out the oldest issue that matches this event and precedes it; 0: none.
 */
static uint32_t take_issue(struct pair *pair, const struct pair_event *event)
{
	struct pair_chain *chain = find_chain(pair, event);
	uint32_t n_later = 0;

	for (uint32_t i = chain->first; i; i = pair->entries[i].next) {
		if (!is_same(&pair->entries[i].event, event))
			continue;
		if (pair->entries[i].event.time_ns <= event->time_ns) {
			unlink_issue(pair, chain, i);
			return i;
		}
		if (++n_later == MAX_LATER)
			break;
	}
	return 0;
}

static void put_issue(struct pair *pair, uint32_t index)
{
	struct pair_chain *chain =
		find_chain(pair, &pair->entries[index].event);

	pair->entries[index].next = 0;
	pair->entries[index].before = chain->last;
	if (chain->last)
		pair->entries[chain->last].next = index;
	else
		chain->first = index;
	chain->last = index;
}

/* The issues of a chain keep their order in the new chains. */
static void move_chains(struct pair *pair, const struct pair_chain *old,
			size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (uint32_t at = old[i].first, next; at; at = next) {
			next = pair->entries[at].next;
			put_issue(pair, at);
		}
}

/* Memory allocated before a failure stays, unused. */
static int resize(struct pair *pair, uint32_t bits, struct ssdpm_error *reterr)
{
	size_t n = (size_t)1 << bits;
	struct pair_entry *entries =
		realloc(pair->entries, (n + 1) * sizeof(*entries));
	if (!entries)
		return ssdpm__no_memory(reterr);
	pair->entries = entries;
	int err = ssdpm__reorder_resize(&pair->order, (uint32_t)n, reterr);
	if (err)
		return err;
	struct pair_chain *old = pair->chains;
	struct pair_chain *chains = calloc(n, sizeof(*chains));
	if (!chains)
		return ssdpm__no_memory(reterr);
	size_t n_old = old ? (size_t)1 << pair->bits : 0;
	pair->chains = chains;
	pair->bits = bits;
	move_chains(pair, old, n_old);
	free(old);
	return 0;
}

int ssdpm__pair_new(struct ssdpm_trace *trace, uint64_t late_ns,
		    uint32_t max_held, struct ssdpm_error *reterr)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	if (!pair)
		return ssdpm__no_memory(reterr);
	/*
	 * The multiplier depends on an address that a file cannot know, so no
	 * file can aim at one chain. The output does not depend on it.
	 */
	pair->multiplier = ((uintptr_t)pair * 0x9e3779b97f4a7c15u) | 1;
	pair->trace = trace;
	pair->late_ns = late_ns;
	pair->max_held = max_held;
	int err = resize(pair, FIRST_BITS, reterr);
	if (err) {
		ssdpm__pair_free(pair);
		return err;
	}
	trace->pair = pair;
	return 0;
}

static uint32_t enter(struct pair *pair, const struct pair_event *event)
{
	uint32_t index = pair->free;

	if (index)
		pair->free = pair->entries[index].next;
	else
		index = ++pair->n_used;
	pair->entries[index].event = *event;
	ssdpm__reorder_push(
		&pair->order,
		(struct reorder_item){
			.start_ns = event->time_ns,
			.number = pair->n_entered++ << ENTRY_BITS | index });
	return index;
}

static void complete(struct pair *pair, struct pair_entry *entry,
		     uint64_t time_ns)
{
	entry->state = DONE;
	entry->service_ns = ssdpm__trace_service(
		pair->trace, time_ns - entry->event.time_ns);
}

/* Advances the clock; early completions without an issue become orphans. */
void ssdpm__pair_advance(struct pair *pair, uint64_t time_ns)
{
	uint32_t left = 0;

	if (time_ns > pair->now_ns)
		pair->now_ns = time_ns;
	for (uint32_t i = 0; i < pair->n_early; i++)
		if (pair->now_ns - pair->early[i].time_ns <= TRACE_LATE_NS)
			pair->early[left++] = pair->early[i];
	pair->trace->counts.n_orphans += pair->n_early - left;
	pair->n_early = left;
}

/* Whether the completion of this issue preceded it in the file. */
static bool take_early(struct pair *pair, const struct pair_event *issue,
		       uint64_t *ret_time_ns)
{
	for (uint32_t i = 0; i < pair->n_early; i++) {
		struct pair_event *early = &pair->early[i];

		if (!is_same(early, issue) || early->time_ns < issue->time_ns)
			continue;
		*ret_time_ns = early->time_ns;
		pair->n_early--;
		memmove(early, early + 1, (pair->n_early - i) * sizeof(*early));
		return true;
	}
	return false;
}

void ssdpm__pair_issue(struct pair *pair, const struct pair_event *event)
{
	uint64_t completed_ns;
	uint32_t index;

	ssdpm__pair_advance(pair, event->time_ns);
	index = enter(pair, event);
	if (take_early(pair, event, &completed_ns)) {
		complete(pair, &pair->entries[index], completed_ns);
		return;
	}
	pair->entries[index].state = ISSUED;
	put_issue(pair, index);
}

static void keep_early(struct pair *pair, const struct pair_event *event)
{
	if (pair->n_early == MAX_EARLY) {
		pair->n_early--;
		memmove(pair->early, pair->early + 1,
			pair->n_early * sizeof(*event));
		pair->trace->counts.n_orphans++;
	}
	pair->early[pair->n_early++] = *event;
}

void ssdpm__pair_complete(struct pair *pair, const struct pair_event *event)
{
	uint32_t index;

	pair->has_completions = true;
	ssdpm__pair_advance(pair, event->time_ns);
	while ((index = take_issue(pair, event))) {
		struct pair_entry *entry = &pair->entries[index];

		if (event->time_ns - entry->event.time_ns <= PAIR_TIMEOUT_NS) {
			complete(pair, entry, event->time_ns);
			return;
		}
		entry->state = GONE;
		pair->trace->counts.n_unmatched++;
	}
	keep_early(pair, event);
}

void ssdpm__pair_add(struct pair *pair, const struct pair_event *event,
		     uint64_t seen_ns, uint32_t service_ns)
{
	ssdpm__pair_advance(pair, event->time_ns > seen_ns ? event->time_ns :
							     seen_ns);
	struct pair_entry *entry = &pair->entries[enter(pair, event)];
	entry->state = DONE;
	entry->service_ns = service_ns;
}

int ssdpm__pair_record(struct pair *pair, const struct pair_event *event,
		       uint64_t took_ns, uint32_t service_ns,
		       struct ssdpm_error *reterr)
{
	uint64_t end_ns;

	if (__builtin_add_overflow(event->time_ns, took_ns, &end_ns))
		end_ns = UINT64_MAX;
	int err =
		ssdpm__trace_order(pair->trace, event->time_ns, end_ns, reterr);
	if (!err)
		ssdpm__pair_add(pair, event, event->time_ns, service_ns);
	return err;
}

bool ssdpm__pair_requeue(struct pair *pair, const struct pair_event *event,
			 uint32_t *ret_tag)
{
	uint32_t index = take_issue(pair, event);

	if (!index)
		return false;
	pair->entries[index].state = GONE;
	if (ret_tag)
		*ret_tag = pair->entries[index].event.tag;
	return true;
}

void ssdpm__pair_end(struct pair *pair)
{
	pair->ended = true;
	pair->trace->counts.n_orphans += pair->n_early;
	pair->n_early = 0;
}

void ssdpm__pair_resume(struct pair *pair)
{
	pair->ended = false;
}

/* Whether the first I/O has waited this long, or as long as it can. */
static bool has_waited(const struct pair *pair, uint64_t start_ns,
		       uint64_t time_ns)
{
	return pair->ended ||
	       ssdpm__reorder_count(&pair->order) == pair->max_held ||
	       pair->now_ns - start_ns > time_ns;
}

/*
 * No completion will come. The issue is dropped, or, in a trace without
 * completions, is all that is known.
 */
static void give_up(struct pair *pair, uint32_t index)
{
	struct pair_entry *entry = &pair->entries[index];

	unlink_issue(pair, find_chain(pair, &entry->event), index);
	if (pair->has_completions) {
		entry->state = GONE;
		pair->trace->counts.n_unmatched++;
	} else {
		entry->state = DONE;
		entry->service_ns = SSDPM_SERVICE_UNKNOWN;
	}
}

/* Removes the first entry, and returns it unless it was dropped. */
static size_t leave(struct pair *pair, uint32_t index, struct ssdpm_io *ios,
		    size_t max)
{
	struct pair_entry *entry = &pair->entries[index];
	struct ssdpm_io io = { .start_ns = entry->event.time_ns,
			       .offset = entry->event.offset,
			       .service_ns = entry->service_ns,
			       .op = entry->event.op,
			       .flags = entry->event.flags };

	ssdpm__io_set_tag(&io, entry->event.tag);
	ssdpm__reorder_pop(&pair->order);
	entry->next = pair->free;
	pair->free = index;
	if (entry->state == GONE)
		return 0;
	return ssdpm__trace_split(pair->trace, &io, entry->event.bytes, ios,
				  max);
}

size_t ssdpm__pair_take(struct pair *pair, struct ssdpm_io *ios, size_t max)
{
	size_t n = 0;

	while (n < max && ssdpm__reorder_count(&pair->order)) {
		struct reorder_item first = ssdpm__reorder_first(&pair->order);
		uint32_t index = first.number & ((1u << ENTRY_BITS) - 1);
		enum state state = pair->entries[index].state;

		if (state == ISSUED &&
		    has_waited(pair, first.start_ns, PAIR_TIMEOUT_NS))
			give_up(pair, index);
		else if (state == ISSUED ||
			 (state == DONE &&
			  !has_waited(pair, first.start_ns, pair->late_ns)))
			break;
		else
			n += leave(pair, index, ios + n, max - n);
	}
	return n;
}

uint64_t ssdpm__pair_first_ns(const struct pair *pair)
{
	return ssdpm__reorder_count(&pair->order) ?
		       ssdpm__reorder_first(&pair->order).start_ns :
		       UINT64_MAX;
}

int ssdpm__pair_reserve(struct pair *pair, struct ssdpm_error *reterr)
{
	if (ssdpm__reorder_count(&pair->order) < pair->order.room)
		return 0;
	return resize(pair, pair->bits + 1, reterr);
}

/* Makes room for an event, and reads it. */
static int read_event(struct pair *pair, struct ssdpm_error *reterr)
{
	int err = ssdpm__pair_reserve(pair, reterr);

	if (err)
		return err;
	err = pair->trace->reader->next(pair->trace, reterr);
	if (err == 0)
		ssdpm__pair_end(pair);
	return err;
}

int ssdpm__pair_read(struct ssdpm_trace *trace, struct ssdpm_io *ios,
		     size_t max, size_t *ret_n, struct ssdpm_error *reterr)
{
	struct pair *pair = trace->pair;
	size_t n = 0;
	int err = 1;

	while (err >= 0) {
		n += ssdpm__pair_take(pair, ios + n, max - n);
		if (n == max || pair->ended)
			break;
		err = read_event(pair, reterr);
	}
	*ret_n = n;
	return err < 0 ? err : 0;
}
