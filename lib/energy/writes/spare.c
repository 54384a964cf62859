/* SPDX-License-Identifier: MIT */
/*
 * Writes to a drive without erased flash. The energy of a host's byte is
 *
 *     E(WA) = link + WA (program + erase) + (WA - 1) read
 *
 * It is known at only one write amplification, WA0. With k = WA / WA0,
 *
 *     E(WA) = E(WA0) + (k - 1) (E(WA0) + read - link)
 *
 * A byte that the host reads takes link + read. So |read - link| is at most
 * that, and its middle is 0. The work behind a byte, which E grows by, takes
 * time as the host's bytes do. The maximum power of the drive, or of its I/Os,
 * thus bounds it.
 */
#include "writes/ftl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/elementary.h"
#include "base/internal.h"

/* The most that a byte may take, in pJ and in ps. */
#define MAX_VALUE 1e9
#define PJ_PER_UJ 1e6
#define PS_PER_S 1e12
#define PS_PER_US 1e6

enum at { LOW, NOMINAL, HIGH };

struct known_writes {
	struct ssdpm_parameter *parameters;
	size_t n;
	uint32_t operational_state;
};

static struct ssdpm_parameter look(const struct known_writes *known,
				   uint32_t kind, uint32_t index)
{
	for (size_t i = 0; i < known->n; i++)
		if (known->parameters[i].kind == kind &&
		    known->parameters[i].index == index)
			return known->parameters[i];
	return (struct ssdpm_parameter){ 0 };
}

static double value(const struct known_writes *known, uint32_t kind,
		    uint32_t index, enum at at)
{
	struct ssdpm_parameter p = look(known, kind, index);

	return (double)(at == LOW ? p.low : at == NOMINAL ? p.nominal : p.high);
}

/* uW above an idle drive; the high end pairs with the lowest idle power. */
static double busy_uw(const struct known_writes *known, uint32_t op, enum at at)
{
	enum at other = at == HIGH ? LOW : at == LOW ? HIGH : NOMINAL;
	double idle = value(known, SSDPM_PARAMETER_IDLE_POWER,
			    known->operational_state, other);

	return ssdpm__max(
		value(known, SSDPM_PARAMETER_ACTIVE_POWER, op - 1, at) - idle,
		0);
}

/* pJ of each byte: its own, and those of its transfer time. */
static double byte_pj(const struct known_writes *known, uint32_t op, enum at at)
{
	enum at other = at == HIGH ? LOW : at == LOW ? HIGH : NOMINAL;
	double rate = value(known, SSDPM_PARAMETER_BANDWIDTH, op - 1, other);

	return value(known, SSDPM_PARAMETER_BYTE_ENERGY, op - 1, at) +
	       busy_uw(known, op, at) * PJ_PER_UJ / rate;
}

/* Integers, because the library's text does not depend on a locale. */
static uint64_t hundredths(double value)
{
	return (uint64_t)ssdpm__floor(value * 100 + 0.5);
}

static void name(struct ssdpm_parameter *parameter,
		 const struct ssdpm_background_work *b)
{
	uint64_t nominal = hundredths(b->nominal_wa);
	uint64_t high = hundredths(b->high_wa);

	parameter->provenance = SSDPM_PROVENANCE_ASSUMED;
	snprintf(
		parameter->rule, sizeof(parameter->rule),
		"spare-factor: write amplification %llu.%02llu of even writes, 1 of those in sequence, %llu.%02llu if any block is collected",
		(unsigned long long)(nominal / 100),
		(unsigned long long)(nominal % 100),
		(unsigned long long)(high / 100),
		(unsigned long long)(high % 100));
}

static int find_wa(const struct known_writes *known,
		   const struct ssdpm_sustained_writes *writes,
		   struct ssdpm_background_work *b, struct ssdpm_error *reterr)
{
	int err = ssdpm_wa_calculate(SSDPM_WA_FIFO, writes->spare_factor, 0,
				     &b->nominal_wa, reterr);

	if (err)
		return err;
	b->low_wa = 1;
	b->high_wa = 1 / writes->spare_factor;
	if (!(writes->measured_wa >= 1))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "measured_wa is 1 or more; 0: 1");
	if (writes->measured_wa > b->nominal_wa)
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"measured_wa: above what that spare factor gives, and so not of this drive");
	for (uint32_t op = 0; op < SSDPM_OP_WRITE; op++)
		if (!(value(known, SSDPM_PARAMETER_BANDWIDTH, op, LOW) > 0))
			return ssdpm__fail(
				reterr, -ERANGE, 0,
				"a bandwidth of 0, no time: with a spare factor it has to be known how long bytes take");
	return 0;
}

/* uW at most: of the operational state, or of I/Os. */
static double most_uw(const struct ssdpm_model *model,
		      const struct known_writes *known)
{
	size_t n;
	const struct ssdpm_power_state *state =
		ssdpm_model_get_states(model, &n) + known->operational_state;
	double most = 0;

	if (!((state->unknown | state->not_reported) & SSDPM_FIELD_MAX_POWER) &&
	    state->max_power_uw)
		return state->max_power_uw;
	for (uint32_t op = 0; op < SSDPM_OP_WRITE; op++)
		most = ssdpm__max(
			most,
			value(known, SSDPM_PARAMETER_ACTIVE_POWER, op, HIGH) +
				value(known, SSDPM_PARAMETER_BYTE_ENERGY, op,
				      HIGH) *
					value(known, SSDPM_PARAMETER_BANDWIDTH,
					      op, HIGH) /
					PJ_PER_UJ);
	return most;
}

/* uW that the drive may draw above idle. */
static double room_uw(const struct ssdpm_model *model,
		      const struct known_writes *known, enum at at)
{
	double idle = value(known, SSDPM_PARAMETER_IDLE_POWER,
			    known->operational_state, at);

	return ssdpm__max(most_uw(model, known) - idle, 0);
}

/* The work behind a byte. */
struct write_work {
	double ps;
	double pj; /* above an idle drive */
};

/*
 * more: extra bytes programmed, each at the cost of a host's byte. At the high
 * end, each is also read like a host's byte.
 */
static struct write_work work_of(const struct ssdpm_model *model,
				 const struct known_writes *known, double more,
				 enum at at)
{
	struct write_work work = { 0 };
	uint32_t last = at == HIGH ? SSDPM_OP_READ : SSDPM_OP_WRITE;

	for (uint32_t op = SSDPM_OP_WRITE; op >= last; op--) {
		work.ps += more * PS_PER_S /
			   value(known, SSDPM_PARAMETER_BANDWIDTH, op - 1,
				 at == HIGH ? LOW : NOMINAL);
		work.pj += more * byte_pj(known, op, at);
	}
	/* Whole numbers, so that rounding never exceeds the limit. */
	double ps =
		at == HIGH ? ssdpm__ceil(work.ps) : ssdpm__floor(work.ps + 0.5);

	work.pj = ssdpm__min(
		work.pj,
		ssdpm__floor(ps * room_uw(model, known, at) / PS_PER_US));
	return work;
}

static int put(const struct known_writes *known, uint32_t kind, uint32_t index,
	       const double values[3], struct ssdpm_error *reterr)
{
	double low = ssdpm__floor(ssdpm__max(values[LOW], 0));
	double nominal = ssdpm__floor(values[NOMINAL] + 0.5);
	double high = ssdpm__max(ssdpm__ceil(values[HIGH]), nominal);
	struct ssdpm_parameter value = { .kind = kind, .index = index };

	if (!(high <= MAX_VALUE))
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"the spare factor is so small that the work behind a written byte may take more than a millisecond or a millijoule");
	value.low = (uint64_t)low;
	value.nominal = (uint64_t)nominal;
	value.high = (uint64_t)high;
	return ssdpm_parameters_set(known->parameters, known->n, &value,
				    reterr);
}

static int add_work(const struct ssdpm_model *model,
		    const struct known_writes *known,
		    const struct ssdpm_sustained_writes *writes,
		    struct ssdpm_background_work *b, struct ssdpm_error *reterr)
{
	const uint32_t write = SSDPM_OP_WRITE - 1;
	struct ssdpm_parameter byte =
		look(known, SSDPM_PARAMETER_BYTE_ENERGY, write);
	/*
	 * Below the measured amplification, it takes less energy and no work.
	 */
	double least = b->low_wa / writes->measured_wa - 1;
	struct write_work nominal = work_of(
		model, known, b->nominal_wa / writes->measured_wa - 1, NOMINAL);
	struct write_work high = work_of(
		model, known, b->high_wa / writes->measured_wa - 1, HIGH);
	const double pj[3] = {
		(double)byte.low + least * byte_pj(known, SSDPM_OP_WRITE, LOW),
		(double)byte.nominal + nominal.pj, (double)byte.high + high.pj
	};
	const double ps[3] = { 0, nominal.ps, high.ps };
	struct ssdpm_parameter time;
	int err = put(known, SSDPM_PARAMETER_BYTE_ENERGY, write, pj, reterr);

	if (!err)
		err = put(known, SSDPM_PARAMETER_BACKGROUND_TIME, 0, ps,
			  reterr);
	if (err)
		return err;
	time = look(known, SSDPM_PARAMETER_BACKGROUND_TIME, 0);
	b->low_ps_per_byte = time.low;
	b->nominal_ps_per_byte = time.nominal;
	b->high_ps_per_byte = time.high;
	b->power_uw = (uint64_t)value(known, SSDPM_PARAMETER_IDLE_POWER,
				      writes->operational_state, NOMINAL);
	if (nominal.ps > 0)
		b->power_uw += (uint64_t)ssdpm__floor(
			nominal.pj / nominal.ps * PS_PER_US + 0.5);
	return 0;
}

int ssdpm_parameters_set_spare(const struct ssdpm_model *model,
			       struct ssdpm_parameter *parameters, size_t n,
			       const struct ssdpm_sustained_writes *writes,
			       struct ssdpm_background_work *ret_background,
			       struct ssdpm_error *reterr)
{
	struct ssdpm_sustained_writes given = { .size = sizeof(given) };
	struct ssdpm_background_work background = { 0 };
	struct ssdpm_parameter changed[SSDPM_MAX_PARAMETERS];
	int err = ssdpm__sized_in(&given, sizeof(given), writes,
				  "ssdpm_sustained_writes", reterr);

	if (!err && given.reserved)
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "ssdpm_sustained_writes: reserved is not 0");
	if (!err)
		err = ssdpm__check_parameters(model, parameters, n, reterr);
	if (!err)
		err = ssdpm__check_operational(model, given.operational_state,
					       reterr);
	if (err)
		return err;
	memcpy(changed, parameters, n * sizeof(*parameters));
	const struct known_writes known = { changed, n,
					    given.operational_state };

	if (given.measured_wa == 0)
		given.measured_wa = 1;
	err = find_wa(&known, &given, &background, reterr);
	if (!err)
		err = add_work(model, &known, &given, &background, reterr);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (memcmp(&changed[i], &parameters[i], sizeof(changed[i]))) {
			parameters[i] = changed[i];
			name(&parameters[i], &background);
		}
	if (ret_background)
		*ret_background = background;
	return 0;
}
