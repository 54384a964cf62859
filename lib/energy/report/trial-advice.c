/* SPDX-License-Identifier: MIT */
/* A trial decides where the prediction does not. */
#include "report/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* The estimate lies in the interval, which decides. */
static bool is_contradictory(const struct ssdpm_trial_result *trial)
{
	const double w = trial->saving_w;

	return trial->low_w > w || w > trial->high_w ||
	       (trial->decision == SSDPM_TRIAL_SAVES && w < 0) ||
	       (trial->decision == SSDPM_TRIAL_COSTS && w > 0);
}

static int check_trial(const struct ssdpm_trial_result *trial,
		       struct ssdpm_error *reterr)
{
	if (!ssdpm_trial_decision_to_string(trial->decision))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_trial_result: decision: %u is "
				   "unknown",
				   trial->decision);
	if (trial->power_source &&
	    !ssdpm_power_source_to_string(trial->power_source))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_trial_result: power_source: %u is "
				   "unknown",
				   trial->power_source);
	if (is_contradictory(trial))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_trial_result: saving_w: it "
				   "contradicts the decision or low_w, high_w");
	if (!memchr(trial->meter, 0, sizeof(trial->meter)))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_trial_result: meter: a text without "
				   "a NUL");
	return 0;
}

int ssdpm__take_trial(const struct ssdpm_trial_result *trial,
		      struct ssdpm_trial_result *ret_trial,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_trial_result known = { 0 };
	int err = ssdpm__sized_in(&known, sizeof(known), trial,
				  "ssdpm_trial_result", reterr);

	if (!err)
		err = check_trial(&known, reterr);
	if (!err)
		*ret_trial = known;
	return err;
}

bool ssdpm__get_trial_saving(const struct ssdpm_trial_result *trial,
			     struct ssdpm_saving *saving)
{
	if (!ssdpm__is_power(trial->saving_w) ||
	    !ssdpm__is_power(trial->low_w) || !ssdpm__is_power(trial->high_w))
		return false;
	saving->low_uw = (int64_t)(trial->low_w * 1e6);
	saving->nominal_uw = (int64_t)(trial->saving_w * 1e6);
	saving->high_uw = (int64_t)(trial->high_w * 1e6);
	return true;
}

bool ssdpm__takes_trial(const struct energy_item *item)
{
	return item->comparison && item->candidates && item->chosen &&
	       (item->trial || item->advice == SSDPM_ADVICE_KEEP);
}

uint64_t ssdpm__find_trial_likely_uw(const struct energy_item *item,
				     const struct ssdpm_likely *likely)
{
	const struct ssdpm_trial_result *trial = item->trial;

	/* Only a trial that decided leaves nothing to find out. */
	if (!ssdpm__takes_trial(item) || item->advice != SSDPM_ADVICE_KEEP ||
	    (trial && trial->decision == SSDPM_TRIAL_COSTS))
		return 0;
	if (!likely || likely->verdict != SSDPM_SAVING_NOT_DECIDED ||
	    likely->high_uw <= 0)
		return 0;
	return (uint64_t)likely->high_uw;
}

int ssdpm_energy_report_set_trial(struct ssdpm_energy_report *report,
				  size_t index,
				  const struct ssdpm_trial_result *trial,
				  struct ssdpm_error *reterr)
{
	struct ssdpm_trial_result known;
	struct energy_item *item;
	int err = ssdpm__take_trial(trial, &known, reterr);

	if (err)
		return err;
	if (index >= report->n)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "the report has no item %zu", index);
	item = &report->items[index];
	if (!ssdpm__takes_trial(item))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s: no setting of it waits for a trial",
				   item->drive.name);
	if (!item->trial)
		item->trial = malloc(sizeof(*item->trial));
	if (!item->trial)
		return ssdpm__no_memory(reterr);
	*item->trial = known;
	item->advice = known.decision == SSDPM_TRIAL_SAVES ? SSDPM_ADVICE_SET :
							     SSDPM_ADVICE_KEEP;
	return 0;
}
