/* SPDX-License-Identifier: MIT */
/*
 * Takes records under caps. An I/O makes the busy period longer by some time,
 * and adds some energy to the idle drive's. Under a cap, that energy needs
 * time, too. Unused energy may be spent a little later. Yet each operation's
 * energy stays within the cap over its own time, so no operation has a mean
 * power above the cap.
 */
#include "caps/cap.h"

#include <errno.h>
#include <inttypes.h>

#include "base/internal.h"

/* How long unused energy may be saved. */
#define CREDIT_NS 10000000u

/* The effect of a record on the drive. */
struct pass_work {
	uint64_t end_ns;  /* without the cap */
	uint64_t from_ns; /* when it begins to make the period longer */
	uint64_t busy_ns; /* by this much */
	uint64_t need_ns; /* by this much under the cap */
	uint64_t wait_ns; /* of that, while the drive changes its state */
};

static int fail_service(const struct cap_pass *pass, struct ssdpm_error *reterr)
{
	uint64_t record = pass->intake.n_records - 1;

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

static uint64_t cap_of(const struct cap_pass *pass)
{
	return pass->n_segments ? pass->segments[pass->at].cap_uw :
				  SSDPM_CAP_NONE;
}

static int fail_idle(const struct cap_pass *pass, struct ssdpm_error *reterr)
{
	return ssdpm__fail(
		reterr, -ERANGE, 0,
		"a cap of %" PRIu64
		" uW: the drive is taken to idle at %" PRIu64
		" uW, which leaves nothing for I/Os; its idle_power_uw says so",
		cap_of(pass), pass->idle_uw);
}

static int fail_time(struct ssdpm_error *reterr)
{
	return ssdpm__fail(
		reterr, -ERANGE, 0,
		"time: under the cap a completion is beyond 2^64 ns");
}

/*
 * How much longer the record makes the period under the cap; false: too long.
 */
static bool pay(struct cap_pass *pass, struct wide energy,
		struct pass_work *work)
{
	struct wide own, part, need;
	uint64_t head_uw;

	work->need_ns = work->busy_ns;
	if (cap_of(pass) == SSDPM_CAP_NONE)
		return true;
	/* This is above 0. */
	head_uw = cap_of(pass) - pass->idle_uw;
	own = wide_product(head_uw, work->busy_ns);
	if (!wide_is_less(own, energy)) {
		struct wide limit = wide_product(head_uw, CREDIT_NS);

		wide_add(&pass->credit, wide_minus(own, energy));
		pass->credit = wide_least(pass->credit, limit);
		return true;
	}
	/* The saved energy of others pays for what its own time does not. */
	energy = wide_minus(energy, own);
	part = wide_least(pass->credit, energy);
	pass->credit = wide_minus(pass->credit, part);
	energy = wide_minus(energy, part);
	need = ssdpm__wide_divide(wide_plus(energy, wide_of(head_uw - 1)),
				  head_uw, NULL);
	if (!wide_fits(need) || need.low > SSDPM_SERVICE_MAX)
		return false;
	work->need_ns += need.low;
	return true;
}

/* false: beyond 2^64 ns. */
static bool look(struct cap_pass *pass, const struct ssdpm_io *io,
		 struct pass_work *ret_work)
{
	struct flow *flow = &pass->flow;
	uint64_t until = flow->busy.until_ns;
	struct pass_work work = { .from_ns = until };

	if (io->start_ns > until) {
		work.from_ns = io->start_ns;
		pass->credit = wide_of(0);
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

/* Moves a record with fixed idle times. false: beyond 2^64 ns. */
static bool move_closed(struct cap_pass *pass, const struct ssdpm_io *io,
			const struct pass_work *work, uint64_t *ret_start_ns,
			uint64_t *ret_end_ns)
{
	uint64_t more = work->need_ns - work->busy_ns;
	uint64_t end = work->end_ns;

	/* It completes last, so the time is its own. */
	if (more && __builtin_add_overflow(work->from_ns, work->need_ns, &end))
		return false;
	*ret_start_ns = io->start_ns + pass->shift_ns;
	return !__builtin_add_overflow(end, pass->shift_ns, ret_end_ns) &&
	       !__builtin_add_overflow(pass->shift_ns, more, &pass->shift_ns);
}

/* Moves a record with fixed arrival times; it waits for the work before it. */
static bool move_open(struct cap_pass *pass, const struct ssdpm_io *io,
		      const struct pass_work *work, uint64_t *ret_start_ns,
		      uint64_t *ret_end_ns)
{
	uint64_t begin = work->busy_ns ? work->from_ns : work->end_ns;

	*ret_start_ns = io->start_ns;
	*ret_end_ns = work->end_ns;
	if (!work->need_ns) {
		/* It keeps its distance to the end of all work. */
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

/* Finds the cap when the drive takes the record. false: beyond 2^64 ns. */
static bool enter(struct cap_pass *pass, struct pass_work *work)
{
	uint64_t begin = work->from_ns;

	if (pass->open && begin < pass->until_ns)
		begin = pass->until_ns;
	if (__builtin_add_overflow(begin, pass->shift_ns, &begin) ||
	    __builtin_add_overflow(begin, pass->late_ns, &begin))
		return false;
	begin -= pass->start_ns;
	while (pass->at + 1 < pass->n_segments && begin >= pass->end_ns) {
		const struct ssdpm_cap_segment *next =
			&pass->segments[++pass->at];

		pass->credit = wide_of(0);
		pass->ready_ns = pass->end_ns + next->transition_ns;
		/* The last segment does not end. */
		pass->end_ns += next->duration_ns;
	}
	if (pass->ready_ns > begin)
		work->wait_ns = pass->ready_ns - begin;
	return true;
}

static void count(struct cap_pass *pass, const struct ssdpm_io *io,
		  uint64_t delay_ns)
{
	if (io->flags & SSDPM_IO_CONTINUED)
		return;
	pass->n_slowed += delay_ns != 0;
	wide_add(&pass->delay_sum_ns, wide_of(delay_ns));
	if (pass->delay_max_ns < delay_ns)
		pass->delay_max_ns = delay_ns;
	if (pass->delays)
		ssdpm__histogram_add(pass->delays, delay_ns, 1);
}

/* 2^32 uW x 2^64 ns, 10^12 nJ and 10^9 pJ x 2^32 sum to less than 2^98. */
static struct wide energy_of(const struct cap_pass *pass,
			     const struct ssdpm_io *io, uint64_t busy_ns)
{
	unsigned op = io->op - 1u;
	struct wide energy = wide_product(pass->over_uw[op], busy_ns);
	struct wide byte_fj = wide_product(pass->byte_pj[op], FJ_PER_PJ);

	wide_add(&energy, wide_times(byte_fj, io->bytes));
	if (!(io->flags & SSDPM_IO_CONTINUED))
		wide_add(&energy,
			 wide_product(pass->operation_nj[op], FJ_PER_NJ));
	return energy;
}

static int take(struct cap_pass *pass, const struct ssdpm_io *io,
		struct cap_taken *ret_taken, struct ssdpm_error *reterr)
{
	uint64_t start, end, delay;
	struct pass_work work;
	struct wide energy;
	bool fits;

	if (!look(pass, io, &work) || !enter(pass, &work))
		return fail_time(reterr);
	if (cap_of(pass) <= pass->idle_uw)
		return fail_idle(pass, reterr);
	energy = energy_of(pass, io, work.busy_ns);
	if (!pay(pass, energy, &work) || work.wait_ns > SSDPM_SERVICE_MAX)
		return fail_service(pass, reterr);
	work.need_ns += work.wait_ns;
	fits = pass->open ? move_open(pass, io, &work, &start, &end) :
			    move_closed(pass, io, &work, &start, &end);
	if (!fits || start < io->start_ns)
		return fail_time(reterr);
	if (end - start > SSDPM_SERVICE_MAX)
		return fail_service(pass, reterr);
	delay = (end - start) - (work.end_ns - io->start_ns);
	count(pass, io, delay);
	*ret_taken = (struct cap_taken){ *io, work.need_ns, energy, delay > 0 };
	ret_taken->io.start_ns = start;
	ret_taken->io.service_ns = (uint32_t)(end - start);
	return 0;
}

int ssdpm__cap_pass(struct cap_pass *pass, const struct ssdpm_io *io,
		    struct cap_taken *ret_taken, struct ssdpm_error *reterr)
{
	struct census census;
	int err;

	if (!pass->intake.n_records) {
		ssdpm__flow_begin(&pass->flow, io->start_ns);
		pass->start_ns = pass->until_ns = io->start_ns;
		if (pass->n_segments) {
			pass->end_ns = pass->segments[0].duration_ns;
			pass->ready_ns = pass->segments[0].transition_ns;
		}
	}
	err = ssdpm__intake(&pass->intake, io, 1, &census, reterr);
	pass->unknown |= census.unknown;
	return err ? err : take(pass, io, ret_taken, reterr);
}
