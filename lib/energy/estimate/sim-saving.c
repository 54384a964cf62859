/* SPDX-License-Identifier: MIT */
/*
 * What one policy saves against another: for the same work over the same time,
 * and the least and the most over all powers that the drive can have.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/internal.h"
#include "estimate/sim.h"

/* Energy in femtojoules to what a saving is stated in. */
struct amount {
	int64_t nj;
	int64_t uw;
};

/* a / b, rounded to the nearest, a half away from 0; false: beyond 63 bits. */
static bool divide(struct wide a, uint64_t b, int64_t *ret_quotient)
{
	bool negative = wide_is_negative(a);
	uint64_t rest;
	struct wide quotient =
		ssdpm__wide_divide(negative ? wide_negated(a) : a, b, &rest);

	wide_add(&quotient, wide_of(rest >= b - b / 2));
	if (!wide_fits(quotient) || quotient.low > INT64_MAX)
		return false;
	*ret_quotient =
		negative ? -(int64_t)quotient.low : (int64_t)quotient.low;
	return true;
}

static bool amount_of(struct wide fj, uint64_t duration_ns,
		      struct amount *ret_amount)
{
	ret_amount->uw = 0;
	return divide(fj, FJ_PER_NJ, &ret_amount->nj) &&
	       (!duration_ns || divide(fj, duration_ns, &ret_amount->uw));
}

static void widen(struct ssdpm_saving *saving, const struct amount *amount)
{
	if (amount->nj < saving->low_nj)
		saving->low_nj = amount->nj;
	if (amount->nj > saving->high_nj)
		saving->high_nj = amount->nj;
	if (amount->uw < saving->low_uw)
		saving->low_uw = amount->uw;
	if (amount->uw > saving->high_uw)
		saving->high_uw = amount->uw;
}

/*
 * The run as it is with this work behind the writes: where that leaves no idle
 * time, the drive never sleeps.
 */
static struct ssdpm_run with_work(const struct ssdpm_run *run,
				  uint64_t background_ps,
				  uint32_t operational_state)
{
	struct ssdpm_run awake = *run;

	if (!ssdpm__is_overloaded(run, background_ps))
		return awake;
	memset(awake.states, 0, sizeof(awake.states));
	awake.states[operational_state].time_ns =
		run->duration_ns - run->busy_ns;
	return awake;
}

/* One policy against another, with the same work behind the writes. */
struct contest {
	const struct priced_drive *drive;
	struct ssdpm_run from;
	struct ssdpm_run to;
};

static struct contest contest_of(const struct priced_drive *drive,
				 const struct ssdpm_run *from,
				 const struct ssdpm_run *to,
				 uint64_t background_ps)
{
	const uint32_t state = drive->order.operational_state;

	return (struct contest){ drive, with_work(from, background_ps, state),
				 with_work(to, background_ps, state) };
}

/* Of rounded sums, so that savings add up. */
static bool add_nominal(struct contest *contest, struct ssdpm_saving *saving)
{
	const struct priced_drive *drive = contest->drive;
	const uint32_t state = drive->order.operational_state;
	const struct corner nominal = { { 0 } };
	struct ssdpm_run *from = &contest->from, *to = &contest->to;
	struct values values;
	int64_t nj, uw;

	ssdpm__values(drive->parameters, drive->n, state, &nominal, &values);
	values.background_ps = 0; /* it is part of the runs */
	if (ssdpm__run_energy(from, &values, state, NULL, NULL) ||
	    ssdpm__run_energy(to, &values, state, NULL, NULL) ||
	    __builtin_sub_overflow(from->energy_nj, to->energy_nj, &nj) ||
	    __builtin_sub_overflow(from->mean_power_uw, to->mean_power_uw, &uw))
		return false;
	*saving = (struct ssdpm_saving){ nj, nj, nj, uw, uw, uw };
	return true;
}

/* The least or, where the sign is turned, the most. */
static bool add_extreme(const struct contest *contest,
			const struct wide *weights, bool turned,
			struct ssdpm_saving *saving)
{
	const struct priced_drive *drive = contest->drive;
	struct wide sum = ssdpm__least_sum(drive->parameters, drive->n,
					   &drive->order, weights);
	struct amount amount;

	if (!amount_of(turned ? wide_negated(sum) : sum,
		       contest->from.duration_ns, &amount))
		return false;
	widen(saving, &amount);
	return true;
}

/* All powers that the drive can have. */
static bool add_powers(const struct contest *contest,
		       struct ssdpm_saving *saving)
{
	struct wide weights[SSDPM_MAX_PARAMETERS] = { { 0 } };
	const struct priced_drive *drive = contest->drive;
	const uint32_t state = drive->order.operational_state;

	ssdpm__add_weights(&contest->from, false, drive->parameters, drive->n,
			   state, weights);
	ssdpm__add_weights(&contest->to, true, drive->parameters, drive->n,
			   state, weights);
	if (!add_extreme(contest, weights, false, saving))
		return false;
	for (size_t i = 0; i < drive->n; i++)
		weights[i] = wide_negated(weights[i]);
	return add_extreme(contest, weights, true, saving);
}

int ssdpm__add_saving(const struct priced_drive *drive,
		      const struct ssdpm_run *from, const struct ssdpm_run *to,
		      bool nominal, struct ssdpm_saving *saving,
		      struct ssdpm_error *reterr)
{
	/* The last kind, of which there is one. */
	const struct ssdpm_parameter *work = &drive->parameters[drive->n - 1];
	struct contest contest = contest_of(drive, from, to, work->nominal);
	bool fits = !nominal || add_nominal(&contest, saving);

	contest = contest_of(drive, from, to, work->low);
	fits = fits && add_powers(&contest, saving);
	contest = contest_of(drive, from, to, work->high);
	fits = fits &&
	       (work->low == work->high || add_powers(&contest, saving));
	return fits ? 0 :
		      ssdpm__fail(reterr, -ERANGE, 0,
				  "saving: the energies differ by more than "
				  "2^63 nJ (9.2 GJ): are the times of the "
				  "workload, and the watts, in their units?");
}

/* Were both taken of the same drive? */
static bool are_alike(const struct ssdpm_sim *a, const struct ssdpm_sim *b)
{
	if (a->params.operational_state != b->params.operational_state ||
	    a->n_parameters != b->n_parameters)
		return false;
	for (size_t i = 0; i < a->n_parameters; i++)
		if (memcmp(&a->parameters[i], &b->parameters[i],
			   offsetof(struct ssdpm_parameter, rule)))
			return false;
	return true;
}

bool ssdpm__have_same_records(const struct ssdpm_sim *a,
			      const struct ssdpm_sim *b)
{
	return a->intake.n_records == b->intake.n_records &&
	       !memcmp(a->intake.n_ios, b->intake.n_ios,
		       sizeof(a->intake.n_ios)) &&
	       !memcmp(a->intake.bytes, b->intake.bytes,
		       sizeof(a->intake.bytes));
}

/* Both courses up to the later end of the two. */
static int add_course(const struct ssdpm_sim *from,
		      const struct course *from_course,
		      const struct ssdpm_sim *to,
		      const struct course *to_course,
		      struct ssdpm_saving *saving, struct ssdpm_error *reterr)
{
	const struct priced_drive drive = { from->parameters,
					    from->n_parameters, from->order };
	uint64_t end = from_course->run.duration_ns;
	struct ssdpm_run a, b;
	int err;

	if (end < to_course->run.duration_ns)
		end = to_course->run.duration_ns;
	err = ssdpm__course_until(from, from_course, end, &a, reterr);
	if (!err)
		err = ssdpm__course_until(to, to_course, end, &b, reterr);
	return err ? err :
		     ssdpm__add_saving(&drive, &a, &b,
				       from_course == from->courses &&
					       to_course == to->courses,
				       saving, reterr);
}

int ssdpm_sim_get_saving(const struct ssdpm_sim *from,
			 const struct ssdpm_sim *to,
			 struct ssdpm_saving *ret_saving,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_saving saving = { 0 };
	int err = 0;

	if (!from->finished || !to->finished)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a simulation is not finished");
	if (!are_alike(from, to))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the simulations differ in their parameters "
				   "or operational state: compare policies of "
				   "one drive");
	if (!ssdpm__have_same_records(from, to))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the simulations differ in their records: "
				   "compare policies on one workload");
	/* One has courses that the other has not if its policy is unknown. */
	for (uint32_t i = 0; i < from->n_courses && !err; i++)
		for (uint32_t j = 0; j < to->n_courses && !err; j++)
			if (ssdpm__courses_match(from, i, to, j))
				err = add_course(from, &from->courses[i], to,
						 &to->courses[j], &saving,
						 reterr);
	if (err)
		return err;
	*ret_saving = saving;
	return 0;
}
