/* SPDX-License-Identifier: MIT */
/* The power that a drive likely takes: a simulation of what it was seen to do.
 */
#include <errno.h>

#include <ssdpm/energy/likely.h>

#include "base/internal.h"
#include "observe/observation.h"

#define IOS_AT_ONCE 256

/* I/Os that no gap comes after. */
static int feed_kept(const struct observed_drive *drive, struct ssdpm_sim *sim,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_io ios[IOS_AT_ONCE];
	uint64_t from_ns;
	size_t n = 0;
	int err = 0;

	for (size_t i = ssdpm__drive_after_gaps(drive, &from_ns);
	     i < drive->n_kept && !err; i++) {
		ios[n++] = ssdpm__kept_io(ssdpm__drive_kept(drive, i));
		if (n < IOS_AT_ONCE && i + 1 < drive->n_kept)
			continue;
		err = ssdpm_sim_feed(sim, ios, n, reterr);
		n = 0;
	}
	return err;
}

static int predict(const struct observed_drive *drive, uint64_t now_ns,
		   struct ssdpm_prediction *ret_prediction,
		   struct ssdpm_error *reterr)
{
	struct ssdpm_sim *sim;
	int err = ssdpm_sim_new(drive->setup.model, &drive->setup.sim, &sim,
				reterr);

	if (err)
		return err;
	err = feed_kept(drive, sim, reterr);
	if (!err)
		err = ssdpm_sim_finish(sim, now_ns, reterr);
	if (!err)
		err = ssdpm_sim_get_prediction(sim, ret_prediction, reterr);
	ssdpm_sim_free(sim);
	return err;
}

int ssdpm_observation_get_prediction(
	const struct ssdpm_observation *observation, size_t drive,
	struct ssdpm_prediction *ret_prediction, struct ssdpm_error *reterr)
{
	struct ssdpm_prediction known = { .size = sizeof(known) };
	struct ssdpm_observed seen = { .size = sizeof(seen) };
	const struct observed_drive *one;
	uint64_t from_ns;
	int err = ssdpm__sized_check(ret_prediction, sizeof(known),
				     "ssdpm_prediction", reterr);

	if (!err)
		err = ssdpm_observation_get_drive(observation, drive, &seen,
						  reterr);
	if (err)
		return err;
	one = observation->drives[drive];
	if (ssdpm__drive_after_gaps(one, &from_ns) == one->n_kept)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "no I/O is known, or none after a gap");
	err = predict(one, seen.now_ns, &known, reterr);
	if (!err)
		ssdpm__sized_out(ret_prediction, &known, sizeof(known));
	return err;
}
