/* SPDX-License-Identifier: MIT */
/* Sums what several drives save. */
#include "report/internal.h"

#include <errno.h>

#include "base/internal.h"

static bool is_sure(uint32_t verdict)
{
	return verdict == SSDPM_SAVING_SAVES || verdict == SSDPM_SAVING_COSTS ||
	       verdict == SSDPM_SAVING_TOO_SMALL;
}

static bool is_decided(uint32_t verdict)
{
	return verdict != SSDPM_SAVING_NOT_DECIDED &&
	       verdict != SSDPM_SAVING_TOO_SMALL;
}

/* The ends decide: how probable a value between them is, is unknown of a sum.
 */
static uint32_t verdict_of(const struct ssdpm_total *total)
{
	const bool sure = total->n_sure == total->n;

	if (!total->has_range)
		return SSDPM_SAVING_NOT_DECIDED;
	if (total->saving.low_uw > 0)
		return sure ? SSDPM_SAVING_SAVES : SSDPM_SAVING_PROBABLY_SAVES;
	if (total->saving.high_uw < 0)
		return sure ? SSDPM_SAVING_COSTS : SSDPM_SAVING_PROBABLY_COSTS;
	return SSDPM_SAVING_NOT_DECIDED;
}

static bool sum_overflows(struct ssdpm_saving *sum,
			  const struct ssdpm_saving *one)
{
	return __builtin_add_overflow(sum->low_uw, one->low_uw, &sum->low_uw) ||
	       __builtin_add_overflow(sum->nominal_uw, one->nominal_uw,
				      &sum->nominal_uw) ||
	       __builtin_add_overflow(sum->high_uw, one->high_uw,
				      &sum->high_uw);
}

/* What one drive saves. */
struct one {
	struct ssdpm_saving saving;
	uint32_t verdict;
	bool has_range;
};

static int add(struct ssdpm_total *ret_total, const struct one *one,
	       struct ssdpm_error *reterr)
{
	struct ssdpm_total total = { 0 };
	int err = ssdpm__sized_in(&total, sizeof(total), ret_total,
				  "ssdpm_total", reterr);

	if (err)
		return err;
	if (sum_overflows(&total.saving, &one->saving))
		return ssdpm__fail(reterr, -EOVERFLOW, 0,
				   "the sum of the savings is too large");
	total.has_range = (!total.n || total.has_range) && one->has_range;
	total.n_sure += is_sure(one->verdict);
	total.n_decided += is_decided(one->verdict);
	total.n_undecided += one->verdict == SSDPM_SAVING_NOT_DECIDED;
	total.verdict = total.n++ ? verdict_of(&total) : one->verdict;
	ssdpm__sized_out(ret_total, &total, sizeof(total));
	return 0;
}

static int read_likely(const struct ssdpm_likely *likely,
		       struct ssdpm_likely *ret_known,
		       struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_in(ret_known, sizeof(*ret_known), likely,
				  "ssdpm_likely", reterr);

	if (!err && !ssdpm_saving_verdict_to_string(ret_known->verdict))
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "ssdpm_likely: verdict: %u is unknown",
				  ret_known->verdict);
	return err;
}

int ssdpm_total_add_likely(struct ssdpm_total *total,
			   const struct ssdpm_likely *likely,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_likely known = { 0 };
	struct one one = { .has_range = true };
	int err = read_likely(likely, &known, reterr);

	if (err)
		return err;
	one.verdict = known.verdict;
	one.saving.low_uw = known.low_uw;
	one.saving.nominal_uw = known.median_uw;
	one.saving.high_uw = known.high_uw;
	return add(total, &one, reterr);
}

static uint32_t verdict_of_trial(uint32_t decision)
{
	switch (decision) {
	case SSDPM_TRIAL_SAVES:
		return SSDPM_SAVING_SAVES;
	case SSDPM_TRIAL_COSTS:
		return SSDPM_SAVING_COSTS;
	default:
		return SSDPM_SAVING_NOT_DECIDED;
	}
}

static int add_trial(struct ssdpm_total *total,
		     const struct ssdpm_trial_result *trial,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_trial_result known;
	struct one one = { 0 };
	int err = ssdpm__take_trial(trial, &known, reterr);

	if (err)
		return err;
	if (!ssdpm__is_power(known.saving_w))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_trial_result: saving_w: no drive "
				   "saves that");
	one.verdict = verdict_of_trial(known.decision);
	one.saving.nominal_uw = (int64_t)(known.saving_w * 1e6);
	one.has_range = ssdpm__get_trial_saving(&known, &one.saving);
	return add(total, &one, reterr);
}

int ssdpm_total_add_item(struct ssdpm_total *total,
			 const struct ssdpm_energy_report_item *item,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_energy_report_item known = { 0 };
	int err = ssdpm__sized_in(&known, sizeof(known), item,
				  "ssdpm_energy_report_item", reterr);

	if (!err)
		err = ssdpm__sized_check(total, sizeof(*total), "ssdpm_total",
					 reterr);
	if (err || known.advice != SSDPM_ADVICE_SET)
		return err;
	if (known.trial)
		return add_trial(total, known.trial, reterr);
	return known.likely ?
		       ssdpm_total_add_likely(total, known.likely, reterr) :
		       0;
}

static bool costs(const struct ssdpm_likely *awake)
{
	return awake->verdict == SSDPM_SAVING_COSTS ||
	       awake->verdict == SSDPM_SAVING_PROBABLY_COSTS;
}

/* What never sleeping costs, as what sleep saves. */
static int turn(const struct ssdpm_likely *awake, struct one *ret_one,
		struct ssdpm_error *reterr)
{
	struct ssdpm_saving *saving = &ret_one->saving;

	ret_one->has_range = true;
	ret_one->verdict = awake->verdict == SSDPM_SAVING_COSTS ?
				   SSDPM_SAVING_SAVES :
				   SSDPM_SAVING_PROBABLY_SAVES;
	if (__builtin_sub_overflow(0, awake->high_uw, &saving->low_uw) ||
	    __builtin_sub_overflow(0, awake->median_uw, &saving->nominal_uw) ||
	    __builtin_sub_overflow(0, awake->low_uw, &saving->high_uw))
		return ssdpm__fail(reterr, -EOVERFLOW, 0,
				   "what never sleeping costs is too large");
	return 0;
}

/* Whether a drive that is not estimated may sleep. */
static bool may_sleep(uint32_t verdict)
{
	return verdict == SSDPM_DIAGNOSIS_SAVES ||
	       verdict == SSDPM_DIAGNOSIS_SAVES_LESS ||
	       verdict == SSDPM_DIAGNOSIS_NOT_KNOWN;
}

/* The drive is in no sum. The size of awake is 0 if it is unknown. */
static int count_missing(struct ssdpm_total *ret_total,
			 const struct ssdpm_likely *awake, int32_t item_error,
			 uint32_t drive_verdict, struct ssdpm_error *reterr)
{
	struct ssdpm_total total = { 0 };
	int err = ssdpm__sized_in(&total, sizeof(total), ret_total,
				  "ssdpm_total", reterr);

	if (err)
		return err;
	if (awake->size)
		total.n_undecided += awake->verdict == SSDPM_SAVING_NOT_DECIDED;
	else if (item_error == -EOPNOTSUPP || item_error == -EALREADY)
		total.n_unestimated += may_sleep(drive_verdict);
	else
		total.n_unread += item_error != 0;
	ssdpm__sized_out(ret_total, &total, sizeof(total));
	return 0;
}

int ssdpm_total_add_asleep(struct ssdpm_total *total,
			   const struct ssdpm_energy_report_item *item,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_energy_report_item known = { 0 };
	struct ssdpm_report_item drive = { 0 };
	struct ssdpm_likely awake = { 0 };
	struct one one = { 0 };
	int err = ssdpm__sized_in(&known, sizeof(known), item,
				  "ssdpm_energy_report_item", reterr);

	if (!err && !known.drive)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "ssdpm_energy_report_item: no drive");
	if (!err)
		err = ssdpm__sized_in(&drive, sizeof(drive), known.drive,
				      "ssdpm_report_item", reterr);
	if (!err && known.awake)
		err = read_likely(known.awake, &awake, reterr);
	if (err)
		return err;
	if (!costs(&awake))
		return count_missing(total, &awake, known.error, drive.verdict,
				     reterr);
	err = turn(&awake, &one, reterr);
	return err ? err : add(total, &one, reterr);
}
