/* SPDX-License-Identifier: MIT */
/*
 * Which algorithm and parameters made a table? All that are plausible are
 * tried; those that make exactly this table are the answer.
 */
#include "policy/internal.h"

#include <string.h>

struct inference {
	const struct ssdpm_model *model;
	const struct ssdpm_apst *table;
	char *at; /* where the candidates go */
	size_t size;
	size_t max;
	size_t n;
};

static bool offer(struct inference *in, const struct ssdpm_apst_params *params)
{
	if (!ssdpm__makes(in->model, params, in->table))
		return false;
	if (in->n < in->max)
		ssdpm__sized_init(in->at + in->n * in->size, in->size, params,
				  sizeof(*params));
	in->n++;
	return true;
}

/* One step of the limits, and all after it that make the same table. */
static uint32_t end_of_run(const struct inference *in,
			   struct ssdpm_apst_params p,
			   const struct steps *steps, uint32_t step)
{
	for (; step < steps->n; step++) {
		p.max_exit_latency_us = steps->values[step];
		if (!ssdpm__makes(in->model, &p, in->table))
			break;
	}
	return step;
}

/*
 * Offer one limit for each run of limits that make the table: the one given, if
 * it does, before all others. Return whether that did.
 */
static bool offer_limits(struct inference *in,
			 const struct ssdpm_apst_params *params)
{
	struct ssdpm_apst_params p = *params;
	bool given = offer(in, params);
	struct steps steps;
	uint32_t own, end;

	ssdpm__limit_steps(in->model, true, &steps);
	own = ssdpm__steps_find(&steps, params->max_exit_latency_us);
	for (uint32_t i = 0; i < steps.n; i = end) {
		end = end_of_run(in, p, &steps, i);
		if (end > i && !(given && own >= i && own < end)) {
			p.max_exit_latency_us = steps.values[i];
			offer(in, &p);
		}
		if (end == i)
			end++;
	}
	return given;
}

/* Each other idle time of the table in *time, until one makes it. */
static void offer_times(struct inference *in, const struct ssdpm_apst_params *p,
			uint64_t *time)
{
	uint64_t before = *time, tried = before;

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		*time = in->table->entries[i].idle_ms;
		if (!*time || *time == tried || *time == before)
			continue;
		tried = *time;
		if (offer(in, p))
			break;
	}
	*time = before;
}

static void offer_tolerances(struct inference *in,
			     const struct ssdpm_apst_params *p,
			     uint64_t *tolerance)
{
	uint64_t before = *tolerance;
	struct steps steps;
	bool done = false;

	ssdpm__tolerance_steps(in->model, &steps);
	for (uint32_t i = 0; i < steps.n && !done; i++) {
		if (ssdpm__steps_find(&steps, before) == i)
			continue;
		*tolerance = steps.values[i];
		done = offer(in, p);
	}
	*tolerance = before;
}

/* Linux's defaults but for one setting. */
static void offer_deviations(struct inference *in,
			     const struct ssdpm_apst_params *params)
{
	struct ssdpm_apst_params p = *params;

	for (uint32_t bit = 1; ssdpm_quirk_to_string(bit); bit <<= 1) {
		p.quirks = bit;
		offer(in, &p);
	}
	p.quirks = 0;
	offer_times(in, &p, &p.primary_timeout_ms);
	p.secondary_timeout_ms = 0;
	if (!offer(in, &p)) {
		p.secondary_timeout_ms = params->secondary_timeout_ms;
		offer_times(in, &p, &p.secondary_timeout_ms);
	}
	p.secondary_timeout_ms = params->secondary_timeout_ms;
	offer_tolerances(in, &p, &p.primary_latency_tolerance_us);
	offer_tolerances(in, &p, &p.secondary_latency_tolerance_us);
}

static void offer_legacy(struct inference *in, struct ssdpm_apst_params p)
{
	size_t n = in->n;

	p.algorithm = SSDPM_APST_LINUX_LEGACY;
	offer_limits(in, &p);
	if (in->n > n)
		return;
	p.quirks = SSDPM_QUIRK_NO_DEEPEST_PS;
	offer_limits(in, &p);
}

/* Windows knows no limit: the default is tried, and none. */
static void offer_windows(struct inference *in, struct ssdpm_apst_params p)
{
	static const uint32_t schemes[] = {
		SSDPM_SCHEME_BALANCED,
		SSDPM_SCHEME_POWER_SAVER,
		SSDPM_SCHEME_MODERN_STANDBY,
		SSDPM_SCHEME_PERFORMANCE,
	};
	uint64_t limit = p.max_exit_latency_us;

	p.algorithm = SSDPM_APST_WINDOWS;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		p.scheme = schemes[i];
		for (uint32_t source = SSDPM_SOURCE_AC;
		     source <= SSDPM_SOURCE_BATTERY; source++) {
			p.power_source = source;
			p.max_exit_latency_us = limit;
			if (offer(in, &p))
				continue;
			p.max_exit_latency_us = SSDPM_LATENCY_ANY;
			offer(in, &p);
		}
	}
}

static void offer_closest(struct inference *in)
{
	static const uint32_t quirks[] = { 0, SSDPM_QUIRK_NO_DEEPEST_PS };
	struct ssdpm_apst_params p;

	for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++)
		if (!ssdpm__apst_closest(in->model, in->table, quirks[i], false,
					 &p, NULL) &&
		    offer(in, &p))
			return;
}

/* In the order of ssdpm_policy(3). */
static void infer(struct inference *in, const struct ssdpm_apst_params *p)
{
	struct ssdpm_apst_params envelope = *p;
	size_t n_linux;

	if (!in->table->sent) {
		offer(in, p);
		return;
	}
	if (!offer_limits(in, p))
		offer_deviations(in, p);
	if (in->table->enabled)
		offer_legacy(in, *p);
	n_linux = in->n;
	offer_windows(in, *p);
	if (!in->table->enabled)
		return;
	envelope.algorithm = SSDPM_APST_LOWER_ENVELOPE;
	offer_limits(in, &envelope);
	if (!n_linux)
		offer_closest(in);
}

int ssdpm_apst_infer(const struct ssdpm_model *model,
		     const struct ssdpm_apst *table,
		     struct ssdpm_apst_params *ret_params, size_t max,
		     size_t *ret_n, struct ssdpm_error *reterr)
{
	struct inference in = {
		.model = model,
		.table = table,
		.at = (char *)ret_params,
		.size = max ? ret_params->size : 0,
		.max = max,
	};
	uint8_t data[SSDPM_APST_BYTES];
	struct ssdpm_apst_params p;
	struct ssdpm_apst made;
	int err = 0;

	if (max)
		err = ssdpm__sized_check(ret_params, sizeof(p),
					 "ssdpm_apst_params", reterr);
	if (!err)
		err = ssdpm_apst_encode(table, data, reterr);
	if (!err)
		err = ssdpm_apst_generate(model, NULL, &made, reterr);
	if (err)
		return err;
	ssdpm_apst_params_init(&p, sizeof(p));
	infer(&in, &p);
	*ret_n = in.n;
	return 0;
}
