/* SPDX-License-Identifier: MIT */
/*
 * Which power state of a drive a measured idle power is of.
 *
 * See ssdpm_calibrate(3).
 */
#ifndef SSDPM_CALIBRATE_STATE_H
#define SSDPM_CALIBRATE_STATE_H

#include <ssdpm/base.h>
#include <ssdpm/model.h>
#include <ssdpm/energy/estimate.h>
#include <ssdpm/energy/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How surely an idle power names the state of its drive. */
enum ssdpm_idle_verdict {
	SSDPM_IDLE_ONE = 1,	/* only this state can draw it */
	SSDPM_IDLE_LIKELY = 2,	/* others can, too, but only this one is near */
	SSDPM_IDLE_SEVERAL = 3, /* these cannot be told apart by it */
	SSDPM_IDLE_NONE = 4,	/* no state can draw it */
	/* No state whose power is known can, but others may. */
	SSDPM_IDLE_UNKNOWN = 5,
};

/** Whether a state can draw a measured power. */
enum ssdpm_idle_fit {
	SSDPM_IDLE_FIT_NO = 1,
	SSDPM_IDLE_FIT_POSSIBLE = 2, /* it is within the range of the state */
	SSDPM_IDLE_FIT_NEAR = 3,     /* and within half and twice its nominal */
	SSDPM_IDLE_FIT_UNKNOWN =
		4, /* the drive reports no power of the state */
};

/**
 * struct ssdpm_state_power - a state, and what it may draw (frozen, 32 bytes)
 * @state: its number
 * @fit:   enum ssdpm_idle_fit
 * @low_uw, @nominal_uw, @high_uw: its idle power, with that of the link where
 *         the drive sleeps in it; 0 if @fit is SSDPM_IDLE_FIT_UNKNOWN
 */
struct ssdpm_state_power {
	uint32_t state;
	uint32_t fit;
	uint64_t low_uw;
	uint64_t nominal_uw;
	uint64_t high_uw;
};

/**
 * struct ssdpm_idle_state_params - what was measured (sized parameters)
 * @size:         sizeof(struct ssdpm_idle_state_params)
 * @baseline:     from ssdpm_baseline_find()
 * @parameters:   what is known of the drive; NULL:
 *                ssdpm_parameters_from_model()
 * @n_parameters: how many
 * @pcie_link:    for ssdpm_parameters_from_model()
 * @gain_ppm:     the meter is within so many millionths of the power; 0:
 *                SSDPM_GAIN_ASSUMED_PPM
 */
struct ssdpm_idle_state_params {
	size_t size;
	const struct ssdpm_baseline *baseline;
	const struct ssdpm_parameter *parameters;
	size_t n_parameters;
	uint32_t pcie_link;
	uint32_t gain_ppm;
};

/**
 * struct ssdpm_idle_state - the state that a power is of (sized result)
 * @size:     set by the caller
 * @power_w:  what was measured
 * @low_w, @high_w: its interval: two standard errors of a median, and the gain
 *            of the meter
 * @verdict:  enum ssdpm_idle_verdict
 * @state:    SSDPM_IDLE_ONE and SSDPM_IDLE_LIKELY: which; else UINT32_MAX
 * @above, @below: SSDPM_IDLE_NONE: the state that draws the least more, and the
 *            one that draws the most less; UINT32_MAX: none does, or another
 *            verdict
 * @n_states: in @states, by number
 * @states:   what each may draw
 */
struct ssdpm_idle_state {
	size_t size;
	double power_w;
	double low_w;
	double high_w;
	uint32_t verdict;
	uint32_t state;
	uint32_t above;
	uint32_t below;
	uint64_t n_states;
	struct ssdpm_state_power states[SSDPM_MAX_STATES];
};

/**
 * ssdpm_idle_state_find() - which state does an idle power come from?
 * @model:  the drive
 * @params: what was measured
 * @ret_state: its size is set by the caller
 *
 * Compares the interval of the power with the idle power of each state, as
 * ssdpm_estimate(3) has it. A power that the drive reports is a claim, and so
 * is one that somebody states. Like one of a data sheet, it allows 0.35 to 2
 * times of itself. If all samples are equal, the steps of the meter are
 * unknown, and taken for as large as that power.
 *
 * Return: 0; -EINVAL (no baseline, or one below 0 or not finite, an unknown
 * link), -ERANGE (a gain of more than half), -E2BIG (sizes), -ENODATA (a SATA
 * drive of which no state is known, samples that are all 0), -ENOMEM.
 */
SSDPM_API int ssdpm_idle_state_find(
	const struct ssdpm_model *model,
	const struct ssdpm_idle_state_params *params,
	struct ssdpm_idle_state *ret_state, struct ssdpm_error *reterr);

/**
 * ssdpm_idle_state_to_json() - "ssdpm.idle-state/1"
 * @state:    from ssdpm_idle_state_find()
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * Return: 0; -EINVAL (an unknown verdict or fit, more states than there are),
 * -E2BIG (a size), -ENOMEM.
 */
SSDPM_API int ssdpm_idle_state_to_json(const struct ssdpm_idle_state *state,
				       char **ret_text,
				       struct ssdpm_error *reterr);

/** ssdpm_idle_verdict_to_string() - "one", "likely" and so on, or NULL */
SSDPM_API const char *ssdpm_idle_verdict_to_string(uint32_t verdict);
SSDPM_API uint32_t ssdpm_idle_verdict_from_string(const char *word);

/** ssdpm_idle_fit_to_string() - "no", "possible" and so on, or NULL */
SSDPM_API const char *ssdpm_idle_fit_to_string(uint32_t fit);
SSDPM_API uint32_t ssdpm_idle_fit_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
