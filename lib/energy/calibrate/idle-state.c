/* SPDX-License-Identifier: MIT */
/* Which state is a measured idle power of? */
#include <errno.h>
#include <math.h>
#include <string.h>

#include <ssdpm/energy/calibrate-state.h>
#include <ssdpm/energy/calibrate.h>

#include "base/internal.h"
#include "base/json-text.h"
#include "base/words.h"
#include "idle-state-json.h"

#define NO_STATE UINT32_MAX
#define GAIN_PPM_MAX 500000
/* The standard error of a median, by that of a mean. */
#define MEDIAN_BY_MEAN 1.2533
/*
 * A reported power is as good as one in a data sheet: the range of the rule
 * idle-datasheet. Drives of one name differ by at most twice: idle-measured.
 */
#define CLAIM_LOW 0.35
#define CLAIM_HIGH 2
#define NEAR 2

/*
 * The steps of a meter that shows one value alone are unknown. They are no
 * larger than that value, unless it is 0.
 */
static bool is_one_value(const struct ssdpm_baseline *b)
{
	return b->n > 1 && b->sigma_w == 0 && b->quantum_w == 0;
}

/* The interval that the power is in. */
static void find_interval(const struct ssdpm_baseline *b, double gain,
			  struct ssdpm_idle_state *found)
{
	const double n = b->n ? (double)b->n : 1;
	const double step = is_one_value(b) ? b->level_w : b->quantum_w;
	const double error = b->error_w + step / 2 +
			     2 * MEDIAN_BY_MEAN * b->sigma_w / sqrt(n);

	found->power_w = b->level_w;
	found->low_w = (b->level_w - error) / (1 + gain);
	found->high_w = (b->level_w + error) / (1 - gain);
	if (found->low_w < 0)
		found->low_w = 0;
}

/* Without a power in its table, a state's range is that of any drive. */
static bool is_unknown(const struct ssdpm_model_info *info,
		       const struct ssdpm_power_state *state,
		       const struct ssdpm_parameter *p)
{
	return info->kind == SSDPM_KIND_NVME &&
	       p->provenance == SSDPM_PROVENANCE_ASSUMED &&
	       (state->unknown | state->not_reported) & SSDPM_FIELD_MAX_POWER;
}

/* A power without a range that nobody measured. */
static bool is_claim(const struct ssdpm_parameter *p)
{
	return p->provenance != SSDPM_PROVENANCE_ASSUMED &&
	       p->provenance != SSDPM_PROVENANCE_MEASURED && p->low == p->high;
}

static bool meets(const struct ssdpm_idle_state *found, double low_uw,
		  double high_uw)
{
	return found->low_w * 1e6 <= high_uw && found->high_w * 1e6 >= low_uw;
}

static uint32_t fit_of(const struct ssdpm_idle_state *found,
		       const struct ssdpm_state_power *power)
{
	const double nominal = (double)power->nominal_uw;

	if (!meets(found, (double)power->low_uw, (double)power->high_uw))
		return SSDPM_IDLE_FIT_NO;
	return meets(found, nominal / NEAR, nominal * NEAR) ?
		       SSDPM_IDLE_FIT_NEAR :
		       SSDPM_IDLE_FIT_POSSIBLE;
}

/* The power of a state; link: what the link adds to it. */
static struct ssdpm_state_power power_of(const struct ssdpm_parameter *p,
					 const struct ssdpm_parameter *link)
{
	const bool claim = is_claim(p);
	struct ssdpm_state_power power = {
		.state = p->index,
		.low_uw =
			claim ? (uint64_t)((double)p->low * CLAIM_LOW) : p->low,
		.nominal_uw = p->nominal,
		.high_uw = claim ? p->high * CLAIM_HIGH : p->high,
	};

	if (link) {
		power.low_uw += link->low;
		power.nominal_uw += link->nominal;
		power.high_uw += link->high;
	}
	return power;
}

static const struct ssdpm_parameter *find_link(const struct ssdpm_parameter *p,
					       size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].kind == SSDPM_PARAMETER_LINK_POWER)
			return &p[i];
	return NULL;
}

/* Compares each state. Return: 0, or -EINVAL for states of another drive. */
static int compare(const struct ssdpm_model *model,
		   const struct ssdpm_parameter *parameters, size_t n,
		   struct ssdpm_idle_state *found, struct ssdpm_error *reterr)
{
	const struct ssdpm_model_info *info = ssdpm_model_get_info(model);
	const struct ssdpm_parameter *link = find_link(parameters, n);
	const struct ssdpm_power_state *states;
	size_t n_states;

	states = ssdpm_model_get_states(model, &n_states);
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_parameter *p = &parameters[i];
		struct ssdpm_state_power *power =
			&found->states[found->n_states];

		if (p->kind != SSDPM_PARAMETER_IDLE_POWER)
			continue;
		if (p->index >= n_states || found->n_states == n_states)
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "parameters: not of this drive");
		if (is_unknown(info, &states[p->index], p))
			*power = (struct ssdpm_state_power){
				.state = p->index,
				.fit = SSDPM_IDLE_FIT_UNKNOWN,
			};
		else {
			*power = power_of(
				p, states[p->index].flags &
						   SSDPM_STATE_NON_OPERATIONAL ?
					   link :
					   NULL);
			power->fit = fit_of(found, power);
		}
		found->n_states++;
	}
	return 0;
}

/* How many states have a fit; *ret_last is the last of them. */
static size_t count(const struct ssdpm_idle_state *found, uint32_t fit,
		    uint32_t *ret_last)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n_states; i++)
		if (found->states[i].fit == fit) {
			*ret_last = found->states[i].state;
			n++;
		}
	return n;
}

/* The states around a power that none has. */
static void find_neighbours(struct ssdpm_idle_state *found)
{
	const struct ssdpm_state_power *above = NULL, *below = NULL;

	for (size_t i = 0; i < found->n_states; i++) {
		const struct ssdpm_state_power *p = &found->states[i];

		if ((double)p->low_uw > found->high_w * 1e6) {
			if (!above || p->low_uw <= above->low_uw)
				above = p;
		} else if (!below || p->high_uw > below->high_uw)
			below = p;
	}
	found->above = above ? above->state : NO_STATE;
	found->below = below ? below->state : NO_STATE;
}

static void judge(struct ssdpm_idle_state *found)
{
	uint32_t near = NO_STATE, possible = NO_STATE, unknown;
	const size_t n_near = count(found, SSDPM_IDLE_FIT_NEAR, &near);
	const size_t n_fit =
		n_near + count(found, SSDPM_IDLE_FIT_POSSIBLE, &possible);
	const size_t n_unknown = count(found, SSDPM_IDLE_FIT_UNKNOWN, &unknown);

	found->state = found->above = found->below = NO_STATE;
	if (!n_fit && n_unknown) {
		found->verdict = SSDPM_IDLE_UNKNOWN;
	} else if (!n_fit) {
		found->verdict = SSDPM_IDLE_NONE;
		find_neighbours(found);
	} else if (n_fit == 1 && !n_unknown) {
		found->verdict = SSDPM_IDLE_ONE;
		found->state = n_near ? near : possible;
	} else if (n_near == 1) {
		found->verdict = SSDPM_IDLE_LIKELY;
		found->state = near;
	} else {
		found->verdict = SSDPM_IDLE_SEVERAL;
	}
}

static int check(const struct ssdpm_idle_state_params *params,
		 struct ssdpm_error *reterr)
{
	const struct ssdpm_baseline *b = params->baseline;

	if (!b)
		return ssdpm__missing("baseline", reterr);
	if (b->level_w < 0)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "baseline: a power below 0: the zero of the "
				   "meter is off");
	if (is_one_value(b) && b->level_w == 0)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "baseline: all samples are 0: the steps of "
				   "the meter are unknown");
	if (!(b->level_w >= 0) || !(b->level_w < 1e12) || !(b->sigma_w >= 0) ||
	    !(b->sigma_w < 1e12) || !(b->error_w >= 0) ||
	    !(b->error_w < 1e12) || !(b->quantum_w >= 0) ||
	    !(b->quantum_w < 1e12))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "baseline: no number, or too large");
	if (params->gain_ppm > GAIN_PPM_MAX)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "gain_ppm: more than half");
	return 0;
}

int ssdpm_idle_state_find(const struct ssdpm_model *model,
			  const struct ssdpm_idle_state_params *params,
			  struct ssdpm_idle_state *ret_state,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_parameter own[SSDPM_MAX_PARAMETERS];
	struct ssdpm_idle_state found = { .size = sizeof(found) };
	struct ssdpm_idle_state_params p = { 0 };
	int err = ssdpm__sized_in(&p, sizeof(p), params,
				  "ssdpm_idle_state_params", reterr);

	if (!err)
		err = ssdpm__sized_check(ret_state, sizeof(found),
					 "ssdpm_idle_state", reterr);
	if (!err)
		err = check(&p, reterr);
	if (!err && !p.parameters) {
		p.parameters = own;
		err = ssdpm_parameters_from_model(model, p.pcie_link, own,
						  SSDPM_MAX_PARAMETERS,
						  &p.n_parameters, reterr);
	}
	if (err)
		return err;
	find_interval(p.baseline,
		      (p.gain_ppm ? p.gain_ppm : SSDPM_GAIN_ASSUMED_PPM) / 1e6,
		      &found);
	err = compare(model, p.parameters, p.n_parameters, &found, reterr);
	if (err)
		return err;
	judge(&found);
	ssdpm__sized_out(ret_state, &found, sizeof(found));
	return 0;
}

static int check_words(const struct ssdpm_idle_state *state,
		       struct ssdpm_error *reterr)
{
	bool sound = state->n_states <= SSDPM_MAX_STATES &&
		     ssdpm_idle_verdict_to_string(state->verdict);

	for (size_t i = 0; sound && i < state->n_states; i++)
		sound = ssdpm_idle_fit_to_string(state->states[i].fit);
	return sound ? 0 :
		       ssdpm__fail(reterr, -EINVAL, 0,
				   "state: an unknown verdict or fit, or too "
				   "many states");
}

int ssdpm_idle_state_to_json(const struct ssdpm_idle_state *state,
			     char **ret_text, struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };
	struct ssdpm_idle_state known = { 0 };
	int err = ssdpm__sized_in(&known, sizeof(known), state,
				  "ssdpm_idle_state", reterr);

	if (!err)
		err = check_words(&known, reterr);
	if (err)
		return err;
	ssdpm__json_begin(&w, NULL, '{');
	write_idle_state(&w, &known);
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}

static const char idle_verdict_words[][8] = {
	[SSDPM_IDLE_ONE] = "one",	  [SSDPM_IDLE_LIKELY] = "likely",
	[SSDPM_IDLE_SEVERAL] = "several", [SSDPM_IDLE_NONE] = "none",
	[SSDPM_IDLE_UNKNOWN] = "unknown",
};
ENUM_WORDS(idle_verdict)

static const char idle_fit_words[][9] = {
	[SSDPM_IDLE_FIT_NO] = "no",
	[SSDPM_IDLE_FIT_POSSIBLE] = "possible",
	[SSDPM_IDLE_FIT_NEAR] = "near",
	[SSDPM_IDLE_FIT_UNKNOWN] = "unknown",
};
ENUM_WORDS(idle_fit)
