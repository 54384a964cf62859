/* SPDX-License-Identifier: MIT */
/*
 * What one policy saves against another: the same work over the same time, and
 * the least and the most over all possible powers.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/internal.h"
#include "estimate/sim.h"

/*
 * The run with this work behind the writes. If no idle time is left, the drive
 * never sleeps.
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

/* The difference of rounded sums, so that savings add up. */
static bool find_nominal(const struct priced_drive *drive,
			 const struct ssdpm_run *from,
			 const struct ssdpm_run *to,
			 struct ssdpm_saving *ret_saving)
{
	const uint32_t state = drive->order.operational_state;
	const struct corner nominal = { { 0 } };
	struct ssdpm_run a, b;
	struct values values;
	int64_t nj, uw;

	ssdpm__values(drive->parameters, drive->n, state, &nominal, &values);
	a = with_work(from, values.background_ps, state);
	b = with_work(to, values.background_ps, state);
	values.background_ps = 0; /* it is part of the runs */
	if (ssdpm__run_energy(&a, &values, state, NULL, NULL) ||
	    ssdpm__run_energy(&b, &values, state, NULL, NULL) ||
	    __builtin_sub_overflow(a.energy_nj, b.energy_nj, &nj) ||
	    __builtin_sub_overflow(a.mean_power_uw, b.mean_power_uw, &uw))
		return false;
	*ret_saving = (struct ssdpm_saving){ nj, nj, nj, uw, uw, uw };
	return true;
}

int ssdpm__nominal_saving(const struct priced_drive *drive,
			  const struct ssdpm_run *from,
			  const struct ssdpm_run *to,
			  struct ssdpm_saving *ret_saving,
			  struct ssdpm_error *reterr)
{
	return find_nominal(drive, from, to, ret_saving) ?
		       0 :
		       ssdpm__fail_saving(reterr);
}

/* Whether both simulate the same drive. */
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

/* Compares both nominal runs up to the later end of the two. */
static int find_saving(const struct ssdpm_sim *from, const struct ssdpm_sim *to,
		       const struct priced_drive *drive,
		       struct ssdpm_saving *ret_saving,
		       struct ssdpm_error *reterr)
{
	uint64_t end = at_least(from->nominal.run.duration_ns,
				to->nominal.run.duration_ns);
	struct ssdpm_run a, b;
	int err = ssdpm__course_until(from, end, &a, reterr);

	if (!err)
		err = ssdpm__course_until(to, end, &b, reterr);
	return err ? err :
		     ssdpm__nominal_saving(drive, &a, &b, ret_saving, reterr);
}

/* Likewise, unless they already have the same end. */
static int widen_saving(const struct priced_drive *drive,
			const struct enclosed *from, const struct enclosed *to,
			bool same_end, struct ssdpm_saving *saving,
			struct ssdpm_error *reterr)
{
	struct enclosed a, b;
	int err;

	if (same_end)
		return ssdpm__widen_saving(drive, from, to, saving, reterr);
	err = ssdpm__enclosed_until(
		from, longer_of(from->other_ns, to->duration_ns), &a, reterr);
	if (!err)
		err = ssdpm__enclosed_until(
			to, longer_of(to->other_ns, from->duration_ns), &b,
			reterr);
	return err ? err : ssdpm__widen_saving(drive, &a, &b, saving, reterr);
}

int ssdpm_sim_get_saving(const struct ssdpm_sim *from,
			 const struct ssdpm_sim *to,
			 struct ssdpm_saving *ret_saving,
			 struct ssdpm_error *reterr)
{
	const struct priced_drive drive = ssdpm__sim_drive(from);
	struct ssdpm_saving saving;
	int err;

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
	err = find_saving(from, to, &drive, &saving, reterr);
	for (uint32_t i = 0; i < from->n_policies && !err; i++)
		for (uint32_t j = 0; j < to->n_policies && !err; j++)
			/* Two unknown policies are the same one. */
			if (i == j || from->n_policies != to->n_policies)
				err = widen_saving(&drive, &from->enclosed[i],
						   &to->enclosed[j],
						   from->end == to->end,
						   &saving, reterr);
	if (!err)
		*ret_saving = saving;
	return err;
}
