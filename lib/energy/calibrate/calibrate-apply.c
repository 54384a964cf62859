/* SPDX-License-Identifier: MIT */
/* Puts what was measured into the parameters of an estimate. */
#include "calibrate/internal.h"

#include <errno.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"

#define LIMIT 1e18

static const char link_too[] = "as before, and the link's";

static struct ssdpm_parameter *find(struct ssdpm_parameter *parameters,
				    size_t n, uint32_t kind, uint32_t index)
{
	for (size_t i = 0; i < n; i++)
		if (parameters[i].kind == kind && parameters[i].index == index)
			return &parameters[i];
	return NULL;
}

/* The parameters before anything measured was set. */
struct before {
	const struct ssdpm_parameter *parameters;
	size_t n;
};

static const struct ssdpm_parameter *look(const struct before *before,
					  uint32_t kind, uint32_t index)
{
	for (size_t i = 0; i < before->n; i++)
		if (before->parameters[i].kind == kind &&
		    before->parameters[i].index == index)
			return &before->parameters[i];
	return NULL;
}

/*
 * True if the measured interval contains the whole assumed one. Such a
 * measurement adds nothing: the assumed bounds have a reason, and stay.
 */
static bool says_nothing(const struct before *before,
			 const struct ssdpm_measured *m)
{
	const struct ssdpm_parameter *p = look(before, m->kind, m->index);
	const struct ssdpm_parameter *link =
		look(before, SSDPM_PARAMETER_LINK_POWER, 0);
	double low, high;

	if (!p || p->provenance != SSDPM_PROVENANCE_ASSUMED ||
	    p->low == p->high)
		return false;
	low = (double)p->low;
	high = (double)p->high;
	if (m->kind == SSDPM_PARAMETER_IDLE_POWER && link &&
	    look(before, SSDPM_PARAMETER_EXIT_LATENCY, m->index)) {
		low += (double)link->low;
		high += (double)link->high;
	}
	return m->low <= low && m->high >= high;
}

static bool is_known(const struct before *before,
		     const struct ssdpm_measured *measured, size_t n,
		     uint32_t kind, uint32_t index)
{
	for (size_t i = 0; i < n; i++)
		if (measured[i].kind == kind && measured[i].index == index &&
		    measured[i].status == SSDPM_MEASURED_KNOWN)
			return !says_nothing(before, &measured[i]);
	return false;
}

static void name(struct ssdpm_parameter *parameter, const char *rule)
{
	parameter->provenance = SSDPM_PROVENANCE_MEASURED;
	memcpy(parameter->rule, rule, strlen(rule) + 1);
}

static int set(struct ssdpm_parameter *parameters, size_t n,
	       const struct ssdpm_measured *measured,
	       struct ssdpm_error *reterr)
{
	if (!(measured->low >= 0) || !(measured->nominal >= measured->low) ||
	    !(measured->high >= measured->nominal) || !(measured->high < LIMIT))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"%s of %u: not 0 <= low <= nominal <= high",
			ssdpm_parameter_kind_to_string(measured->kind),
			measured->index);
	const struct ssdpm_parameter value = {
		.kind = measured->kind,
		.index = measured->index,
		.low = (uint64_t)ssdpm__floor(measured->low),
		.nominal = (uint64_t)ssdpm__floor(measured->nominal + 0.5),
		.high = (uint64_t)ssdpm__ceil(measured->high),
	};
	int err = ssdpm_parameters_set(parameters, n, &value, reterr);

	if (err == 0)
		name(find(parameters, n, measured->kind, measured->index),
		     "measured: an interval of 95 %");
	return err;
}

/* The drive sleeps in a state if the state has an exit latency. */
static bool sleeps(struct ssdpm_parameter *parameters, size_t n, uint32_t state)
{
	return find(parameters, n, SSDPM_PARAMETER_EXIT_LATENCY, state);
}

/* Moves the link's power into the idle powers of all states asleep. */
static int move_link(struct ssdpm_parameter *parameters, size_t n,
		     const struct before *before,
		     const struct ssdpm_measured *measured, size_t n_measured,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_parameter *link =
		find(parameters, n, SSDPM_PARAMETER_LINK_POWER, 0);
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < n; i++)
		any = any ||
		      (parameters[i].kind == SSDPM_PARAMETER_IDLE_POWER &&
		       sleeps(parameters, n, parameters[i].index) &&
		       is_known(before, measured, n_measured,
				parameters[i].kind, parameters[i].index));
	if (!any || !link || !link->high)
		return 0;
	for (size_t i = 0; err == 0 && i < n; i++) {
		struct ssdpm_parameter idle = parameters[i], more = idle;

		if (idle.kind != SSDPM_PARAMETER_IDLE_POWER ||
		    !sleeps(parameters, n, idle.index) ||
		    is_known(before, measured, n_measured, idle.kind,
			     idle.index))
			continue;
		more.low += link->low;
		more.nominal += link->nominal;
		more.high += link->high;
		err = ssdpm_parameters_set(parameters, n, &more, reterr);
		if (err)
			return err;
		parameters[i].provenance =
			idle.provenance == SSDPM_PROVENANCE_ASSUMED ?
				idle.provenance :
				link->provenance;
		memcpy(parameters[i].rule, link_too, sizeof(link_too));
	}
	link->low = link->nominal = link->high = 0;
	name(link, "in the idle powers, which were measured with the link");
	return 0;
}

/* Refuses a run whose data contradict it, so that no parameter is known. */
static int check_refused(const struct ssdpm_measured *measured, size_t n,
			 struct ssdpm_error *reterr)
{
	const struct ssdpm_measured *refused = NULL;

	for (size_t i = 0; i < n; i++) {
		if (measured[i].status == SSDPM_MEASURED_KNOWN)
			return 0;
		if (measured[i].status == SSDPM_MEASURED_CONTRADICTED)
			refused = &measured[i];
	}
	if (!refused)
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "measured: the run is refused, and no parameter is "
			   "known: %.151s",
			   refused->reason);
}

int ssdpm_parameters_calibrate(struct ssdpm_parameter *parameters,
			       size_t n_parameters,
			       const struct ssdpm_measured *measured,
			       size_t n_measured, struct ssdpm_error *reterr)
{
	const struct before before = { parameters, n_parameters };
	struct ssdpm_parameter all[SSDPM_MAX_PARAMETERS];
	int err = check_refused(measured, n_measured, reterr);

	if (err)
		return err;
	if (n_parameters > SSDPM_MAX_PARAMETERS)
		return ssdpm__fail(reterr, -EINVAL, 0, "too many parameters");
	memcpy(all, parameters, n_parameters * sizeof(all[0]));
	for (size_t i = 0; err == 0 && i < n_measured; i++)
		if (measured[i].status == SSDPM_MEASURED_KNOWN &&
		    !says_nothing(&before, &measured[i]))
			err = set(all, n_parameters, &measured[i], reterr);
	if (err == 0)
		err = move_link(all, n_parameters, &before, measured,
				n_measured, reterr);
	if (err == 0)
		memcpy(parameters, all, n_parameters * sizeof(all[0]));
	return err;
}

static const char measured_status_words[][17] = {
	[SSDPM_MEASURED_KNOWN] = "known",
	[SSDPM_MEASURED_NOT_REACHED] = "not-reached",
	[SSDPM_MEASURED_NOT_IDENTIFIABLE] = "not-identifiable",
	[SSDPM_MEASURED_TOO_FEW] = "too-few",
	[SSDPM_MEASURED_NEGATIVE] = "negative",
	[SSDPM_MEASURED_CONTRADICTED] = "contradicted",
};
ENUM_WORDS(measured_status)
