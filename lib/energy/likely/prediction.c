/* SPDX-License-Identifier: MIT */
/* The mean power of a run: predicted, and compared with a measurement. */
#include "likely/internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"
#include "common/elementary.h"

#define MOST_UW 9007199254740992.0 /* 2^53: exact as a double */
#define UW_PER_W 1e6

/* The cost of its I/Os besides idle power, at nominal values. */
static struct likely_work work_of(const struct ssdpm_sim *sim)
{
	const struct ssdpm_run *run = ssdpm_sim_get_result(sim)->nominal;
	const struct corner nominal = { { 0 } };
	struct likely_work work = { .fixed_fj = 0 };
	struct values values;

	ssdpm__values(sim->parameters, sim->n_parameters,
		      sim->order.operational_state, &nominal, &values);
	for (uint32_t op = 0; op < SSDPM_N_OPS; op++) {
		double each_fj =
			(double)values.operation_energy_nj[op] * FJ_PER_NJ;
		double byte_fj = (double)values.byte_energy_pj[op] * FJ_PER_PJ;

		work.busy_ns[op] = (double)run->busy_ns_by_op[op];
		work.fixed_fj += each_fj * (double)run->n_ios[op] +
				 byte_fj * (double)run->bytes[op];
	}
	return work;
}

/* Keeps it within the possible range, as for a saving. */
static uint64_t within(double value, const struct ssdpm_prediction *p)
{
	value = ssdpm__max(value, (double)p->possible_low_uw);
	value = ssdpm__min(value, (double)p->possible_high_uw);
	/* Limit to 63 bits. */
	return (uint64_t)ssdpm__floor(ssdpm__min(value, 9e18) + 0.5);
}

static int find_prediction(const struct ssdpm_sim *sim,
			   struct ssdpm_prediction *p,
			   struct ssdpm_error *reterr)
{
	const struct ssdpm_result *result = ssdpm_sim_get_result(sim);
	const struct priced_drive drive = ssdpm__sim_drive(sim);
	const struct likely_work work = work_of(sim);
	struct subject subject = { 0 };
	double uw[3];
	int err = ssdpm__subject_of(sim, &subject, reterr);

	if (!err)
		err = ssdpm__draw_power(&drive, &subject, &work, uw, reterr);
	ssdpm__subject_free(&subject);
	if (err)
		return err;
	p->priors_version = ssdpm__priors_version();
	p->duration_ns = result->nominal->duration_ns;
	p->nominal_uw = result->nominal->mean_power_uw;
	p->possible_low_uw = result->low->mean_power_uw;
	p->possible_high_uw = result->high->mean_power_uw;
	p->likely_low_uw = within(uw[0], p);
	p->likely_median_uw = within(uw[1], p);
	p->likely_high_uw = within(uw[2], p);
	return 0;
}

int ssdpm_sim_get_prediction(const struct ssdpm_sim *sim,
			     struct ssdpm_prediction *ret_prediction,
			     struct ssdpm_error *reterr)
{
	struct ssdpm_prediction prediction = { .size = sizeof(prediction) };
	int err = ssdpm__sized_check(ret_prediction, sizeof(prediction),
				     "ssdpm_prediction", reterr);

	if (err)
		return err;
	if (!ssdpm_sim_get_result(sim) || !sim->profile)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "the simulation is not finished, or was "
				   "made without SSDPM_SIM_LIKELY");
	err = find_prediction(sim, &prediction, reterr);
	if (!err)
		ssdpm__sized_out(ret_prediction, &prediction,
				 sizeof(prediction));
	return err;
}

static uint32_t verdict_of(const struct ssdpm_prediction *p, double uw)
{
	if (uw >= (double)p->likely_low_uw && uw <= (double)p->likely_high_uw)
		return SSDPM_PREDICTION_INSIDE_LIKELY;
	if (uw >= (double)p->possible_low_uw &&
	    uw <= (double)p->possible_high_uw)
		return SSDPM_PREDICTION_INSIDE_POSSIBLE;
	return SSDPM_PREDICTION_MISSED;
}

/*
 * Whether every power within the error of the instrument has the same verdict.
 * A whole range may lie between its ends.
 */
static bool is_certain(const struct ssdpm_prediction *p,
		       const struct ssdpm_prediction_check *check)
{
	double low = (double)check->low_uw, high = (double)check->high_uw;

	if (verdict_of(p, low) != check->verdict ||
	    verdict_of(p, high) != check->verdict)
		return false;
	if (check->verdict == SSDPM_PREDICTION_INSIDE_LIKELY)
		return true;
	if (check->verdict == SSDPM_PREDICTION_INSIDE_POSSIBLE)
		return high < (double)p->likely_low_uw ||
		       low > (double)p->likely_high_uw;
	return high < (double)p->possible_low_uw ||
	       low > (double)p->possible_high_uw;
}

/* Whether they differ by more than a tenth of the longer one. */
static bool length_differs(uint64_t a_ns, uint64_t b_ns)
{
	const uint64_t more_ns = a_ns > b_ns ? a_ns : b_ns;
	const uint64_t less_ns = a_ns > b_ns ? b_ns : a_ns;

	return more_ns - less_ns > more_ns / 10;
}

static int in_uw(double power_w, int64_t *ret_uw, struct ssdpm_error *reterr)
{
	double uw = power_w * UW_PER_W;

	if (isnan(uw))
		return ssdpm__fail(reterr, -EINVAL, 0, "power: is no number");
	if (uw < -MOST_UW || uw > MOST_UW)
		return ssdpm__fail(reterr, -ERANGE, 0, "power: beyond 2^53 uW");
	*ret_uw = (int64_t)ssdpm__floor(uw + 0.5);
	return 0;
}

/* low_j and high_j cover the same time as energy_j. */
static int measure(const struct ssdpm_energy *energy, double subtracted_w,
		   struct ssdpm_prediction_check *check,
		   struct ssdpm_error *reterr)
{
	double s = (double)energy->covered_ns / 1e9;
	int err;

	if (!(subtracted_w >= 0))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "subtracted_w: below 0, or no number");
	if (!energy->covered_ns)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "the samples cover no time");
	err = in_uw(energy->mean_power_w - subtracted_w, &check->power_uw,
		    reterr);
	if (!err)
		err = in_uw(energy->low_j / s - subtracted_w, &check->low_uw,
			    reterr);
	if (!err)
		err = in_uw(energy->high_j / s - subtracted_w, &check->high_uw,
			    reterr);
	if (!err && subtracted_w > 0 && check->high_uw < 0)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "subtracted_w: more than was measured");
	return err;
}

int ssdpm_prediction_judge(const struct ssdpm_prediction *prediction,
			   const struct ssdpm_energy *energy,
			   double subtracted_w,
			   struct ssdpm_prediction_check *ret_check,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_prediction_check check = { .size = sizeof(check) };
	struct ssdpm_prediction known = { 0 };
	struct ssdpm_energy measured = { 0 };
	int err = ssdpm__sized_check(ret_check, sizeof(check),
				     "ssdpm_prediction_check", reterr);

	if (!err)
		err = ssdpm__sized_in(&known, sizeof(known), prediction,
				      "ssdpm_prediction", reterr);
	if (!err)
		err = ssdpm__sized_in(&measured, sizeof(measured), energy,
				      "ssdpm_energy", reterr);
	if (!err)
		err = measure(&measured, subtracted_w, &check, reterr);
	if (err)
		return err;
	check.verdict = verdict_of(&known, (double)check.power_uw);
	check.certain = is_certain(&known, &check);
	check.length_differs =
		length_differs(measured.covered_ns, known.duration_ns);
	ssdpm__sized_out(ret_check, &check, sizeof(check));
	return 0;
}

static const char prediction_verdict_words[][16] = {
	[SSDPM_PREDICTION_INSIDE_LIKELY] = "inside-likely",
	[SSDPM_PREDICTION_INSIDE_POSSIBLE] = "inside-possible",
	[SSDPM_PREDICTION_MISSED] = "missed",
};
ENUM_WORDS(prediction_verdict)
