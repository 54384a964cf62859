/* SPDX-License-Identifier: MIT */
/*
 * Writes at full speed, second by second. The host hands over a page when it is
 * ready and the drive is not too far behind; the drive does its work one after
 * the other.
 */
#include "estimate/ftl.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

#define NS_PER_S UINT64_C(1000000000)
#define MAX_NS UINT64_C(1000000000)
#define MAX_NJ UINT64_C(1000000000000)

struct run {
	struct ssdpm_ftl *ftl;
	struct ssdpm_ftl_cost cost;
	struct writer writer;
	uint32_t *cache; /* a ring, the oldest first */
	uint64_t n_cached;
	uint64_t oldest;
	uint64_t host_ns; /* when the host is ready again */
	uint64_t done_ns; /* when the drive has done its work */
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
	    c->cache_pages >= NOWHERE)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"ssdpm_ftl_cost: a time above 1 s, an energy above 1000 J, or a cache above 2^32 pages");
	return 0;
}

/* The time of its work since these counts; its energy is added. */
static uint64_t work_of(const struct run *run, uint64_t n_moved,
			uint64_t n_erased, double *energy_nj)
{
	const struct ssdpm_ftl_cost *c = &run->cost;
	uint64_t moved = run->ftl->counts.n_moved - n_moved;
	uint64_t erased = run->ftl->counts.n_erased - n_erased;

	*energy_nj += (double)(1 + moved) * (double)c->program_nj +
		      (double)moved * (double)c->read_nj +
		      (double)erased * (double)c->erase_nj;
	/* Below 2^32 pages of up to 1 s. */
	return (1 + moved) * c->program_ns + moved * c->read_ns +
	       erased * c->erase_ns;
}

/* To where a page belongs. */
static uint64_t store(struct run *run, uint32_t user, double *energy_nj)
{
	uint64_t n_moved = run->ftl->counts.n_moved;
	uint64_t n_erased = run->ftl->counts.n_erased;

	ssdpm__ftl_write_page(run->ftl, user);
	return work_of(run, n_moved, n_erased, energy_nj);
}

static uint64_t through_cache(struct run *run, uint32_t user, double *energy_nj)
{
	const struct ssdpm_ftl_cost *c = &run->cost;
	uint64_t ns = c->cache_ns, at = run->oldest + run->n_cached;

	if (run->n_cached == c->cache_pages) {
		ns += c->read_ns;
		*energy_nj += (double)c->read_nj;
		ns += store(run, run->cache[run->oldest], energy_nj);
		at = run->oldest;
		run->oldest = (run->oldest + 1) % c->cache_pages;
	} else {
		run->n_cached++;
	}
	run->cache[at % c->cache_pages] = user;
	*energy_nj += (double)c->cache_nj;
	return ns;
}

/* One page; the second in which it was handed over counts it. */
static void write_one(struct run *run, double *iops, double *energy_nj,
		      size_t n_seconds)
{
	uint64_t behind = run->cost.buffer_ns, begin = run->host_ns;

	if (run->done_ns > begin + behind)
		begin = run->done_ns - behind;
	size_t second = begin / NS_PER_S;

	run->host_ns = begin + run->cost.host_ns;
	if (second >= n_seconds)
		return;
	uint32_t user = ssdpm__ftl_next_page(&run->writer);
	double *nj = &energy_nj[second];
	uint64_t work = run->cost.cache_pages ? through_cache(run, user, nj) :
						store(run, user, nj);

	*nj += (double)run->cost.host_nj;
	iops[second]++;
	run->done_ns = (run->done_ns > begin ? run->done_ns : begin) + work;
}

static void write_seconds(struct run *run, double *iops, double *energy_nj,
			  size_t n_seconds)
{
	for (size_t i = 0; i < n_seconds; i++)
		iops[i] = energy_nj[i] = 0;
	while (run->host_ns / NS_PER_S < n_seconds)
		write_one(run, iops, energy_nj, n_seconds);
	for (; run->n_cached; run->n_cached--) {
		ssdpm__ftl_write_page(run->ftl, run->cache[run->oldest]);
		run->oldest = (run->oldest + 1) % run->cost.cache_pages;
	}
}

static int prepare(struct run *run, const struct ssdpm_ftl_pattern *pattern,
		   const struct ssdpm_ftl_cost *cost,
		   struct ssdpm_error *reterr)
{
	struct ssdpm_ftl_cost *c = &run->cost;
	int r = ssdpm__copy_sized(c, sizeof(*c), cost, "ssdpm_ftl_cost",
				  reterr);

	if (!r)
		r = check_cost(c, reterr);
	if (!r)
		r = ssdpm__ftl_writer(&run->writer, run->ftl, pattern, reterr);
	if (!r && !c->buffer_ns)
		c->buffer_ns = (c->program_ns + c->read_ns) *
				       run->ftl->pages_per_block +
			       c->erase_ns;
	return r;
}

int ssdpm_ftl_run(struct ssdpm_ftl *ftl,
		  const struct ssdpm_ftl_pattern *pattern,
		  const struct ssdpm_ftl_cost *cost, size_t n_seconds,
		  double *ret_iops, double *ret_power_w,
		  struct ssdpm_error *reterr)
{
	struct run run = { .ftl = ftl, .cost = { .size = sizeof(run.cost) } };
	int r = prepare(&run, pattern, cost, reterr);

	if (r || !n_seconds)
		return r;
	double *energy_nj = calloc(n_seconds, sizeof(*energy_nj));
	size_t room = run.cost.cache_pages ? run.cost.cache_pages : 1;

	run.cache = calloc(room, sizeof(*run.cache));
	if (!energy_nj || !run.cache) {
		r = ssdpm__fail(reterr, -ENOMEM, 0, "out of memory");
		goto out;
	}
	write_seconds(&run, ret_iops, energy_nj, n_seconds);
	for (size_t i = 0; ret_power_w && i < n_seconds; i++)
		ret_power_w[i] =
			(double)run.cost.idle_uw / 1e6 + energy_nj[i] / 1e9;
out:
	free(energy_nj);
	free(run.cache);
	return r;
}
