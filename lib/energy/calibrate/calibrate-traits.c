/* SPDX-License-Identifier: MIT */
/* The traits of a meter, stated and found. */
#include "calibrate/internal.h"

#include <errno.h>

#include "base/internal.h"
#include "base/words.h"

#define KNOWN_TRAITS                                                       \
	(SSDPM_TRAIT_SAMPLING | SSDPM_TRAIT_RESPONSE | SSDPM_TRAIT_DRIFT | \
	 SSDPM_TRAIT_GAIN | SSDPM_TRAIT_CLOCK)

#define CLOCK_PPB_MAX 10000000

#define RESPONSE_NS_MAX (3600 * UINT64_C(1000000000))
#define GAIN_PPM_MAX 500000
#define DRIFT_UW_MAX UINT64_C(1000000000000)

static int check(const struct ssdpm_meter_traits *traits,
		 struct ssdpm_error *reterr)
{
	const uint32_t known = traits->known;

	if (known & ~(uint32_t)KNOWN_TRAITS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "meter: known: 0x%x has unknown bits",
				   known);
	if (known & SSDPM_TRAIT_SAMPLING &&
	    !ssdpm_meter_sampling_to_string(traits->sampling))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "meter: sampling: unknown value");
	if ((known & SSDPM_TRAIT_RESPONSE &&
	     traits->response_ns > RESPONSE_NS_MAX) ||
	    (known & SSDPM_TRAIT_DRIFT && traits->drift_uw > DRIFT_UW_MAX) ||
	    (known & SSDPM_TRAIT_GAIN && traits->gain_ppm > GAIN_PPM_MAX) ||
	    (known & SSDPM_TRAIT_CLOCK && (traits->clock_ppb > CLOCK_PPB_MAX ||
					   traits->clock_ppb < -CLOCK_PPB_MAX)))
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"meter: a response above 1 h, a drift above 1 MW, a gain above 50 %% or a clock off by more than 1 %%");
	return 0;
}

struct meter ssdpm__meter_of(const struct ssdpm_meter_traits *traits,
			     const struct rows *rows)
{
	return (struct meter){
		.response_ns = (double)traits->response_ns,
		/* The mean of several samples is the mean over their time. */
		.point = traits->sampling == SSDPM_SAMPLING_POINT &&
			 rows->single,
		.clock = traits->clock_ppb * 1e-9,
	};
}

/* Resets each trait that is not stated to 0, the gain to its assumed value. */
static void clear_unknown(struct ssdpm_meter_traits *traits)
{
	if (!(traits->known & SSDPM_TRAIT_SAMPLING))
		traits->sampling = 0;
	if (!(traits->known & SSDPM_TRAIT_RESPONSE))
		traits->response_ns = 0;
	if (!(traits->known & SSDPM_TRAIT_DRIFT))
		traits->drift_uw = 0;
	if (!(traits->known & SSDPM_TRAIT_GAIN))
		traits->gain_ppm = SSDPM_GAIN_ASSUMED_PPM;
	if (!(traits->known & SSDPM_TRAIT_CLOCK))
		traits->clock_ppb = 0;
}

int ssdpm__traits_take(struct ssdpm_meter_traits *traits,
		       struct ssdpm_error *reterr)
{
	int err = check(traits, reterr);

	if (!err)
		clear_unknown(traits);
	return err;
}

struct ssdpm_meter_traits ssdpm__traits_found(const struct calibration *c)
{
	const struct calibrate_task *task = &c->task;
	const struct fit *fit = &task->fit;
	struct ssdpm_meter_traits traits = c->params.meter;
	double walk_w =
		fit->sigma * sqrt(fit->noise.walk * (double)task->rows.n);

	if (!(traits.known & SSDPM_TRAIT_SAMPLING))
		traits.sampling = task->meter.point ? SSDPM_SAMPLING_POINT :
						      SSDPM_SAMPLING_MEAN;
	if (!(traits.known & SSDPM_TRAIT_RESPONSE))
		traits.response_ns = (uint64_t)(task->meter.response_ns + 0.5);
	if (!(traits.known & SSDPM_TRAIT_DRIFT))
		traits.drift_uw = (uint64_t)ssdpm__min(walk_w * 1e6 + 0.5,
						       (double)DRIFT_UW_MAX);
	if (!(traits.known & SSDPM_TRAIT_CLOCK))
		traits.clock_ppb =
			(int32_t)ssdpm__floor(task->meter.clock * 1e9 + 0.5);
	return traits;
}

static const char meter_trait_words[][9] = {
	[FLAG(SSDPM_TRAIT_SAMPLING)] = "sampling",
	[FLAG(SSDPM_TRAIT_RESPONSE)] = "response",
	[FLAG(SSDPM_TRAIT_DRIFT)] = "drift",
	[FLAG(SSDPM_TRAIT_GAIN)] = "gain",
	[FLAG(SSDPM_TRAIT_CLOCK)] = "clock",
};
FLAG_WORDS(meter_trait)

static const char meter_sampling_words[][6] = {
	[SSDPM_SAMPLING_MEAN] = "mean",
	[SSDPM_SAMPLING_POINT] = "point",
};
ENUM_WORDS(meter_sampling)

static const char contradiction_words[][9] = {
	[SSDPM_CONTRADICTION_RESPONSE] = "response",
	[SSDPM_CONTRADICTION_SAMPLING] = "sampling",
	[SSDPM_CONTRADICTION_CLOCK] = "clock",
	[SSDPM_CONTRADICTION_DRIFT] = "drift",
	[SSDPM_CONTRADICTION_WAIT] = "wait",
	[SSDPM_CONTRADICTION_HALVES] = "halves",
	[SSDPM_CONTRADICTION_EDGES] = "edges",
	[SSDPM_CONTRADICTION_NOISE] = "noise",
	[SSDPM_CONTRADICTION_ENERGY] = "energy",
};
ENUM_WORDS(contradiction)
