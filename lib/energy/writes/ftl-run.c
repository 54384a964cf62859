/* SPDX-License-Identifier: MIT */
/*
 * Writes at full speed, second by second. The host sends a page when it is
 * ready and the drive is not too far behind. The drive works on one thing at a
 * time.
 */
#include "writes/ftl.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

#define MAX_NJ UINT64_C(1000000000000)

struct ftl_run {
	struct ssdpm_ftl *ftl;
	struct ssdpm_ftl_cost cost;
	struct writer writer;
	uint32_t *cache; /* a ring, the oldest first */
	uint64_t n_cached;
	uint64_t oldest;
	uint64_t host_ns; /* when the host is next ready */
	uint64_t done_ns; /* when the drive finishes its work */
};

/* The work of the drive for one page of the host. */
struct page_work {
	uint64_t ns;
	uint64_t background_ns; /* of that, to move older data */
	uint64_t n_programmed;
	uint64_t n_erased;
	double nj;
};

static int check_cost(const struct ssdpm_ftl_cost *cost,
		      struct ssdpm_error *reterr)
{
	const struct ssdpm_ftl_cost *c = cost;

	if (!c->host_ns)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_ftl_cost: host_ns must be above 0");
	if (c->host_ns > MAX_NS || c->program_ns > MAX_NS ||
	    c->read_ns > MAX_NS || c->erase_ns > MAX_NS ||
	    c->buffer_ns > MAX_NS || c->cache_ns > MAX_NS ||
	    c->host_nj > MAX_NJ || c->program_nj > MAX_NJ ||
	    c->read_nj > MAX_NJ || c->erase_nj > MAX_NJ ||
	    c->cache_nj > MAX_NJ || c->idle_uw > MAX_NJ ||
	    c->background_uw > MAX_NJ || c->cache_pages >= NOWHERE)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"ssdpm_ftl_cost: a time above 1 s, an energy above 1000 J, or a cache above 2^32 pages");
	return 0;
}

/* Stores a page, and collects blocks for it. */
static void store(struct ftl_run *run, uint32_t user, struct page_work *work)
{
	const struct ssdpm_ftl_cost *c = &run->cost;
	uint64_t moved = run->ftl->counts.n_moved;
	uint64_t erased = run->ftl->counts.n_erased;

	ssdpm__ftl_write_page(run->ftl, user);
	moved = run->ftl->counts.n_moved - moved;
	erased = run->ftl->counts.n_erased - erased;
	work->n_programmed += 1 + moved;
	work->n_erased += erased;
	work->nj += (double)(1 + moved) * (double)c->program_nj +
		    (double)moved * (double)c->read_nj +
		    (double)erased * (double)c->erase_nj;
	/* Less than 2^32 pages of up to 1 s. */
	uint64_t background =
		moved * (c->program_ns + c->read_ns) + erased * c->erase_ns;

	work->background_ns += background;
	work->ns += c->program_ns + background;
}

/* Moves the oldest page of a full cache to flash. */
static void empty_one(struct ftl_run *run, struct page_work *work)
{
	const struct ssdpm_ftl_cost *c = &run->cost;

	store(run, run->cache[run->oldest], work);
	run->oldest = (run->oldest + 1) % c->cache_pages;
	run->n_cached--;
	work->nj += (double)c->read_nj;
	work->background_ns += c->program_ns + c->read_ns;
	work->ns += c->read_ns;
}

static void through_cache(struct ftl_run *run, uint32_t user,
			  struct page_work *work)
{
	const struct ssdpm_ftl_cost *c = &run->cost;

	if (run->n_cached == c->cache_pages)
		empty_one(run, work);
	run->cache[(run->oldest + run->n_cached++) % c->cache_pages] = user;
	work->n_programmed++;
	work->nj += (double)c->cache_nj;
	work->ns += c->cache_ns;
}

/* power_w holds nJ until the end. */
static void add_work(struct ssdpm_ftl_second *second,
		     const struct page_work *work,
		     const struct ssdpm_ftl_cost *cost)
{
	second->n_written++;
	second->n_programmed += work->n_programmed;
	second->n_erased += work->n_erased;
	second->background_ns += work->background_ns;
	second->power_w +=
		work->nj + (double)cost->host_nj +
		(double)cost->background_uw * (double)work->background_ns / 1e6;
}

/* Writes one page, and counts it in the second when the host sent it. */
static void write_one(struct ftl_run *run, struct ssdpm_ftl_second *seconds,
		      size_t n_seconds)
{
	uint64_t behind = run->cost.buffer_ns, begin = run->host_ns;
	struct page_work work = { 0 };

	if (run->done_ns > begin + behind)
		begin = run->done_ns - behind;
	uint64_t second = begin / NS_PER_S;

	run->host_ns = begin + run->cost.host_ns;
	if (second >= n_seconds)
		return;
	uint32_t user = ssdpm__ftl_next_page(&run->writer);

	if (run->cost.cache_pages)
		through_cache(run, user, &work);
	else
		store(run, user, &work);
	add_work(&seconds[second], &work, &run->cost);
	run->done_ns = (run->done_ns > begin ? run->done_ns : begin) + work.ns;
}

/* An unstated part takes no energy; if none is stated, power is unknown. */
static bool has_power(const struct ssdpm_ftl_cost *cost)
{
	return cost->host_nj || cost->program_nj || cost->read_nj ||
	       cost->erase_nj || cost->idle_uw || cost->cache_nj ||
	       cost->background_uw;
}

static void write_seconds(struct ftl_run *run, struct ssdpm_ftl_second *seconds,
			  size_t n_seconds)
{
	memset(seconds, 0, n_seconds * sizeof(*seconds));
	while (run->host_ns / NS_PER_S < n_seconds)
		write_one(run, seconds, n_seconds);
	for (; run->n_cached; run->n_cached--) {
		ssdpm__ftl_write_page(run->ftl, run->cache[run->oldest]);
		run->oldest = (run->oldest + 1) % run->cost.cache_pages;
	}
	const double idle_w =
		has_power(&run->cost) ? (double)run->cost.idle_uw / 1e6 : NAN;

	for (size_t i = 0; i < n_seconds; i++)
		seconds[i].power_w = idle_w + seconds[i].power_w / 1e9;
}

static int prepare(struct ftl_run *run, const struct ssdpm_ftl_pattern *pattern,
		   const struct ssdpm_ftl_cost *cost,
		   struct ssdpm_error *reterr)
{
	struct ssdpm_ftl_cost *c = &run->cost;
	int err =
		ssdpm__sized_in(c, sizeof(*c), cost, "ssdpm_ftl_cost", reterr);

	if (!err)
		err = check_cost(c, reterr);
	if (!err)
		err = ssdpm__ftl_writer(&run->writer, run->ftl, pattern,
					reterr);
	if (!err && !c->buffer_ns)
		c->buffer_ns = (c->program_ns + c->read_ns) *
				       run->ftl->pages_per_block +
			       c->erase_ns;
	return err;
}

int ssdpm_ftl_run(struct ssdpm_ftl *ftl,
		  const struct ssdpm_ftl_pattern *pattern,
		  const struct ssdpm_ftl_cost *cost, size_t n_seconds,
		  struct ssdpm_ftl_second *ret_seconds,
		  struct ssdpm_error *reterr)
{
	struct ftl_run run = { .ftl = ftl,
			       .cost = { .size = sizeof(run.cost) } };
	int err = prepare(&run, pattern, cost, reterr);

	if (err || !n_seconds)
		return err;
	run.cache = calloc(
		(size_t)(run.cost.cache_pages ? run.cost.cache_pages : 1),
		sizeof(*run.cache));
	if (!run.cache)
		return ssdpm__no_memory(reterr);
	write_seconds(&run, ret_seconds, n_seconds);
	free(run.cache);
	return 0;
}
