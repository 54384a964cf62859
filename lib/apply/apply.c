/* SPDX-License-Identifier: MIT */
/* A plan that is made, committed and proven; again, where somebody wrote. */
#include "apply/internal.h"

#include <errno.h>

enum { MAX_TRIES = 5 };

/* Where nothing is to be written, it takes no lock; else the commit says so. */
static bool may_lack_lock(int err)
{
	return err == -EACCES || err == -EPERM || err == -EROFS;
}

/* One that is stale is made anew, of what the machine says by then. */
int ssdpm__plan_fill_and_commit(struct ssdpm_plan *plan,
				ssdpm_plan_fill_fn fill, void *userdata,
				struct ssdpm_error *reterr)
{
	struct ssdpm_error last;

	for (uint32_t left = MAX_TRIES; left; left--) {
		int err = fill(plan, userdata, reterr);

		if (err)
			return err;
		err = ssdpm_plan_commit(plan, reterr);
		if (err != -ESTALE)
			return err;
		err = left > 1 ? ssdpm__plan_clear(plan, reterr) : 0;
		if (err)
			return err;
	}
	last = *reterr;
	return ssdpm__fail(reterr, -EBUSY, 0,
			   "somebody else writes again and again, for %d "
			   "times: %.180s",
			   MAX_TRIES, last.message);
}

/* What a command would tell, and no command can be sent for, proves nothing. */
static int prove_by_commands(struct ssdpm_plan *plan,
			     struct ssdpm_error *reterr)
{
	int err = ssdpm_plan_verify(plan, SSDPM_READ_COMMANDS, reterr);

	if (!err || ssdpm__is_otherwise(err))
		return err;
	ssdpm__log(plan->machine, SSDPM_LOG_WARNING,
		   "tables are not read back: %s", reterr->message);
	return 0;
}

/* A device that was removed since is not in force, either. */
static int prove(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	int err;

	if (!ssdpm_plan_count(plan, SSDPM_STEPS_WRITTEN))
		return 0;
	err = ssdpm_plan_verify(plan, 0, reterr);
	if (!err && plan->flags && !plan->machine->capture)
		err = prove_by_commands(plan, reterr);
	if (!ssdpm__is_otherwise(err))
		return err;
	reterr->code = -ESTALE;
	return -ESTALE;
}

int ssdpm_plan_apply(struct ssdpm_plan *plan, ssdpm_plan_fill_fn fill,
		     void *userdata, struct ssdpm_error *reterr)
{
	const bool was_locked = plan->is_locked;
	struct ssdpm_error error = { 0 };
	int err;

	err = ssdpm_plan_lock(plan, &error);
	if (!err || may_lack_lock(err))
		err = ssdpm__plan_fill_and_commit(plan, fill, userdata, &error);
	if (!err)
		err = prove(plan, &error);
	if (!was_locked)
		ssdpm_plan_unlock(plan);
	return ssdpm__pass_on(err, &error, reterr);
}
