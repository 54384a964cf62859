/* SPDX-License-Identifier: MIT */
/*
 * From records to sorted idle times. In the closed loop a policy changes only
 * what happens in an idle time and how long the I/Os at its end wait. So these
 * are all that is kept of a trace.
 */
#include "recommend/gaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

static int no_memory(struct ssdpm_error *reterr)
{
	return ssdpm__fail(reterr, -ENOMEM, 0,
			   "gaps: no memory for the idle times of this trace");
}

int ssdpm_gaps_new(const struct ssdpm_service *service,
		   struct ssdpm_gaps **ret_gaps, struct ssdpm_error *reterr)
{
	struct ssdpm_gaps *gaps = calloc(1, sizeof(*gaps));

	if (!gaps)
		return no_memory(reterr);
	gaps->refs = 1;
	if (service)
		gaps->flow.service = *service;
	*ret_gaps = gaps;
	return 0;
}

struct ssdpm_gaps *ssdpm_gaps_ref(struct ssdpm_gaps *gaps)
{
	if (gaps)
		__atomic_add_fetch(&gaps->refs, 1, __ATOMIC_RELAXED);
	return gaps;
}

struct ssdpm_gaps *ssdpm_gaps_unref(struct ssdpm_gaps *gaps)
{
	if (!gaps || __atomic_sub_fetch(&gaps->refs, 1, __ATOMIC_ACQ_REL))
		return NULL;
	free(gaps->idle.ns);
	free(gaps->idle.sums);
	free(gaps->silent.ns);
	free(gaps->silent.sums);
	free(gaps->early.io);
	free(gaps);
	return NULL;
}

/*
 * Room for a block more in what array points to, a pointer to elements of this
 * size; false: there is no memory for it.
 */
static bool make_room(void *array, size_t *room, size_t n, size_t size)
{
	size_t more = *room ? 2 * *room : 2 * BLOCK;
	void *moved;

	if (*room - n >= BLOCK)
		return true;
	if (more > SIZE_MAX / size)
		return false;
	memcpy(&moved, array, sizeof(moved));
	moved = realloc(moved, more * size);
	if (!moved)
		return false;
	memcpy(array, &moved, sizeof(moved));
	*room = more;
	return true;
}

static bool add_times(struct gap_times *times, const uint64_t *ns, size_t n)
{
	if (!make_room(&times->ns, &times->room, times->n, sizeof(*times->ns)))
		return false;
	memcpy(times->ns + times->n, ns, n * sizeof(*ns));
	times->n += n;
	return true;
}

static bool add_early(struct earlies *early, const struct period_block *block)
{
	if (!make_room(&early->io, &early->room, early->n, sizeof(*early->io)))
		return false;
	for (size_t i = 0; i < block->n_early; i++)
		early->io[early->n++] =
			(struct early){ block->early_gap[i],
					block->early_offset[i] };
	return true;
}

/* What the periods of a block were. */
static bool add_block(struct ssdpm_gaps *gaps)
{
	const struct period_block *block = &gaps->block;

	return (!block->n_gaps ||
		add_times(&gaps->idle, block->gaps, block->n_gaps)) &&
	       (!block->n_silent ||
		(add_times(&gaps->idle, block->silent, block->n_silent) &&
		 add_times(&gaps->silent, block->silent, block->n_silent))) &&
	       (!block->n_early || add_early(&gaps->early, block));
}

static int feed_block(struct ssdpm_gaps *gaps, const struct ssdpm_io *ios,
		      size_t n, struct ssdpm_error *reterr)
{
	struct census census;
	int err;

	if (!gaps->intake.n_records) {
		gaps->start_ns = ios[0].start_ns;
		ssdpm__flow_begin(&gaps->flow, ios[0].start_ns);
	}
	err = ssdpm__intake(&gaps->intake, ios, n, &census, reterr);
	if (err)
		return err;
	if (!ssdpm__periods(&gaps->flow, ios, n, &census, &gaps->block))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "time: a completion is beyond 2^64 ns");
	return add_block(gaps) ? 0 : no_memory(reterr);
}

int ssdpm_gaps_feed(struct ssdpm_gaps *gaps, const struct ssdpm_io *ios,
		    size_t n, struct ssdpm_error *reterr)
{
	struct ssdpm_error error = { 0 };
	int err = gaps->failed.code;

	if (gaps->finished)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "gaps: finished; no more records");
	for (size_t at = 0; at < n && !err; at += BLOCK) {
		size_t now = n - at < BLOCK ? n - at : BLOCK;

		err = feed_block(gaps, ios + at, now, &error);
		if (err)
			gaps->failed = error;
	}
	if (err && reterr)
		*reterr = gaps->failed;
	return err;
}

void ssdpm__sum_times(struct gap_times *times)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < times->n; i++) {
		times->sums[i] = sum;
		sum += times->ns[i];
	}
	times->sums[times->n] = sum;
}

/* Sort them; the spare room that this takes has the sums afterwards. */
static bool finish_times(struct gap_times *times)
{
	size_t size = (times->n + 1) * sizeof(uint64_t);
	uint64_t *ns = realloc(times->ns, size);

	if (!ns)
		return false;
	times->ns = ns;
	times->sums = malloc(size);
	if (!times->sums)
		return false;
	if (times->n)
		ssdpm__sort_times(times->ns, times->sums, times->n);
	ssdpm__sum_times(times);
	return true;
}

static bool finish_early(struct earlies *early)
{
	struct early *spare;

	if (!early->n)
		return true;
	spare = malloc(early->n * sizeof(*spare));
	if (!spare)
		return false;
	ssdpm__sort_early(early->io, spare, early->n);
	free(spare);
	return true;
}

int ssdpm_gaps_finish(struct ssdpm_gaps *gaps, uint64_t end_ns,
		      struct ssdpm_error *reterr)
{
	uint64_t until_ns = gaps->flow.busy.until_ns;

	if (gaps->failed.code) {
		if (reterr)
			*reterr = gaps->failed;
		return gaps->failed.code;
	}
	if (gaps->finished)
		return ssdpm__fail(reterr, -EINVAL, 0, "gaps: finished before");
	if (!gaps->intake.n_records)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "gaps: no record was fed");
	if (!finish_times(&gaps->idle) || !finish_times(&gaps->silent) ||
	    !finish_early(&gaps->early)) {
		no_memory(&gaps->failed);
		return no_memory(reterr);
	}
	gaps->end_idle_ns = end_ns > until_ns ? end_ns - until_ns : 0;
	gaps->finished = true;
	return 0;
}

const uint64_t *ssdpm_gaps_get_idle_ns(const struct ssdpm_gaps *gaps,
				       size_t *ret_n)
{
	if (!gaps->finished)
		return NULL;
	*ret_n = gaps->idle.n;
	return gaps->idle.ns;
}
