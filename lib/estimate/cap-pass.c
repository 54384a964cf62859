/* SPDX-License-Identifier: MIT */
/*
 * Records under a cap. An I/O makes the busy period longer by some time, and
 * takes some energy over idle: under a cap that energy takes time too. What is
 * left over may be spent a little later; but each operation's energy stays
 * within what the cap allows for its own time, so that none has a mean power
 * above the cap.
 */
#include "estimate/cap.h"

#include <errno.h>
#include <inttypes.h>

#include "base/internal.h"

/* For how long something may be left over. */
#define CREDIT_NS 10000000u

/* What a record is to the drive. */
struct work {
	uint64_t end_ns;  /* without the cap */
	uint64_t from_ns; /* and when it begins to make the period longer */
	uint64_t busy_ns; /* by so much */
	uint64_t need_ns; /* and with it */
};

static int fail_service(const struct cap_pass *pass, struct ssdpm_error *reterr)
{
	uint64_t record = pass->n_taken;

	if (pass->open)
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"record %" PRIu64
			": waits for over 4.29 s: under this cap the drive does not keep up in the open loop; try the closed one",
			record);
	return ssdpm__fail(
		reterr, -ERANGE, 0,
		"record %" PRIu64 ": takes over 4.29 s under this cap", record);
}

static int fail_time(struct ssdpm_error *reterr)
{
	return ssdpm__fail(
		reterr, -ERANGE, 0,
		"time: under the cap a completion is beyond 2^64 ns");
}

static void forget(struct cap_pass *pass)
{
	for (unsigned op = 0; op < SSDPM_N_OPS; op++)
		pass->credit[op] = 0;
}

/* Energy that its own time does not pay for: from what others left over. */
static ssdpm__fj spend(struct cap_pass *pass, ssdpm__fj energy)
{
	for (unsigned op = 0; op < SSDPM_N_OPS && energy; op++) {
		ssdpm__fj part =
			pass->credit[op] < energy ? pass->credit[op] : energy;

		pass->credit[op] -= part;
		pass->energy_fj[op] += part;
		energy -= part;
	}
	return energy;
}

/* How long it makes the period under the cap; false: too long to say. */
static bool pay(struct cap_pass *pass, unsigned op, ssdpm__fj energy,
		struct work *work)
{
	ssdpm__fj limit = (ssdpm__fj)pass->head_uw * CREDIT_NS;
	ssdpm__fj own = (ssdpm__fj)pass->head_uw * work->busy_ns;
	ssdpm__fj need;

	work->need_ns = work->busy_ns;
	if (!pass->capped) {
		pass->energy_fj[op] += energy;
		return true;
	}
	if (energy <= own) {
		pass->energy_fj[op] += energy;
		pass->credit[op] += own - energy;
		if (pass->credit[op] > limit)
			pass->credit[op] = limit;
		return true;
	}
	pass->energy_fj[op] += own;
	energy = spend(pass, energy - own);
	pass->energy_fj[op] += energy;
	if (!energy)
		return true;
	if (!pass->head_uw)
		return false;
	need = (energy + pass->head_uw - 1) / pass->head_uw;
	if (need > SSDPM_SERVICE_MAX)
		return false;
	work->need_ns += (uint64_t)need;
	return true;
}

/* false: beyond 2^64 ns. */
static bool look(struct cap_pass *pass, const struct ssdpm_io *io,
		 struct work *ret_work)
{
	struct flow *flow = &pass->flow;
	uint64_t until = flow->busy.until_ns;
	struct work work = { .from_ns = until };

	if (io->start_ns > until) {
		work.from_ns = io->start_ns;
		forget(pass);
	}
	if (!ssdpm__flow_complete(flow, io, io->start_ns, &work.end_ns))
		return false;
	if (work.end_ns > work.from_ns)
		work.busy_ns = work.end_ns - work.from_ns;
	if (work.end_ns > until)
		flow->busy.until_ns = work.end_ns;
	*ret_work = work;
	return true;
}

/* Idle times stand. false: beyond 2^64 ns. */
static bool move_closed(struct cap_pass *pass, const struct ssdpm_io *io,
			const struct work *work, uint64_t *ret_start_ns,
			uint64_t *ret_end_ns)
{
	uint64_t more = work->need_ns - work->busy_ns;
	uint64_t end = work->end_ns;

	/* It is the last one to complete: the time is its own. */
	if (more && __builtin_add_overflow(work->from_ns, work->need_ns, &end))
		return false;
	*ret_start_ns = io->start_ns + pass->shift_ns;
	return !__builtin_add_overflow(end, pass->shift_ns, ret_end_ns) &&
	       !__builtin_add_overflow(pass->shift_ns, more, &pass->shift_ns);
}

/* Arrival times stand: what comes waits for the work before it. */
static bool move_open(struct cap_pass *pass, const struct ssdpm_io *io,
		      const struct work *work, uint64_t *ret_start_ns,
		      uint64_t *ret_end_ns)
{
	uint64_t begin = work->busy_ns ? work->from_ns : work->end_ns;

	*ret_start_ns = io->start_ns;
	*ret_end_ns = work->end_ns;
	if (!work->need_ns) {
		/* As long before the end of all as it was. */
		uint64_t before = pass->flow.busy.until_ns - work->end_ns;

		if (pass->until_ns > before &&
		    pass->until_ns - before > work->end_ns)
			*ret_end_ns = pass->until_ns - before;
		return true;
	}
	if (begin < pass->until_ns)
		begin = pass->until_ns;
	if (__builtin_add_overflow(begin, work->need_ns, ret_end_ns))
		return false;
	pass->until_ns = *ret_end_ns;
	return true;
}

static void count(struct cap_pass *pass, const struct ssdpm_io *io,
		  uint64_t delay_ns)
{
	if (io->flags & SSDPM_IO_CONTINUED)
		return;
	pass->n_slowed += delay_ns != 0;
	pass->delay_sum_ns += delay_ns;
	if (pass->delay_max_ns < delay_ns)
		pass->delay_max_ns = delay_ns;
	if (pass->delays)
		ssdpm__histogram_add(pass->delays, delay_ns, 1);
}

static int take(struct cap_pass *pass, const struct ssdpm_io *io,
		struct ssdpm_io *ret_io, struct ssdpm_error *reterr)
{
	unsigned op = io->op - 1u;
	bool first = !(io->flags & SSDPM_IO_CONTINUED), fits;
	uint64_t start, end;
	struct work work;

	if (!look(pass, io, &work))
		return fail_time(reterr);
	/* 2^32 uW x 2^64 ns; 10^12 nJ; 10^9 pJ x 2^32: together below 2^98. */
	ssdpm__fj energy = (ssdpm__fj)pass->over_uw[op] * work.busy_ns +
			   (ssdpm__fj)pass->byte_pj[op] * io->bytes * FJ_PER_PJ;
	if (first)
		energy += (ssdpm__fj)pass->operation_nj[op] * FJ_PER_NJ;
	if (!pay(pass, op, energy, &work))
		return fail_service(pass, reterr);
	fits = pass->open ? move_open(pass, io, &work, &start, &end) :
			    move_closed(pass, io, &work, &start, &end);
	if (!fits || start < io->start_ns)
		return fail_time(reterr);
	if (end - start > SSDPM_SERVICE_MAX)
		return fail_service(pass, reterr);
	pass->n_taken++;
	pass->busy_ns[op] += work.need_ns;
	count(pass, io, (end - start) - (work.end_ns - io->start_ns));
	if (ret_io) {
		*ret_io = *io;
		ret_io->start_ns = start;
		ret_io->service_ns = (uint32_t)(end - start);
	}
	return 0;
}

int ssdpm__cap_pass(struct cap_pass *pass, const struct ssdpm_io *ios, size_t n,
		    struct ssdpm_io *ret_ios, struct ssdpm_error *reterr)
{
	struct census census;
	int r;

	if (n && !pass->intake.n_records) {
		ssdpm__flow_begin(&pass->flow, ios[0].start_ns);
		pass->until_ns = ios[0].start_ns;
	}
	r = ssdpm__intake(&pass->intake, ios, n, &census, reterr);
	pass->unknown |= census.unknown;
	for (size_t i = 0; i < n && !r; i++)
		r = take(pass, &ios[i], ret_ios ? &ret_ios[i] : NULL, reterr);
	return r;
}
