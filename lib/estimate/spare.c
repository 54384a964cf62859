/* SPDX-License-Identifier: MIT */
/*
 * Writes to a drive that has no erased flash left. Of each byte of the host,
 *
 *     E(WA) = link + WA (program + erase) + (WA - 1) read
 *
 * and E is known at one write amplification, WA0, only. With k = WA / WA0 that
 * is
 *
 *     E(WA) = E(WA0) + (k - 1) (E(WA0) + read - link)
 *
 * A byte that the host reads takes link + read: so read - link is between its
 * negative and itself, and in the middle 0.
 */
#include "estimate/internal.h"

#include <errno.h>
#include <stdio.h>

#include "base/elementary.h"
#include "base/internal.h"

/* The most that a parameter can have. */
#define MAX_BYTE_PJ 1e9
#define PJ_PER_UJ 1e6
#define PS_PER_S 1e12
/* A double that is no power any more. */
#define MAX_UW 1e18

enum at { LOW, NOMINAL, HIGH };

struct known {
	const struct ssdpm_parameter *parameters;
	size_t n;
	uint32_t operational_state;
};

static struct ssdpm_parameter look(const struct known *known, uint32_t kind,
				   uint32_t index)
{
	for (size_t i = 0; i < known->n; i++)
		if (known->parameters[i].kind == kind &&
		    known->parameters[i].index == index)
			return known->parameters[i];
	return (struct ssdpm_parameter){ 0 };
}

static double value(const struct known *known, uint32_t kind, uint32_t index,
		    enum at at)
{
	struct ssdpm_parameter p = look(known, kind, index);

	return (double)(at == LOW ? p.low : at == NOMINAL ? p.nominal : p.high);
}

/* uW above an idle drive; the most: while that one takes the least. */
static double busy_uw(const struct known *known, uint32_t op, enum at at)
{
	enum at other = at == HIGH ? LOW : at == LOW ? HIGH : NOMINAL;
	double idle = value(known, SSDPM_PARAMETER_IDLE_POWER,
			    known->operational_state, other);

	return ssdpm__max(
		value(known, SSDPM_PARAMETER_ACTIVE_POWER, op - 1, at) - idle,
		0);
}

/* pJ of each byte: its own, and those of the time of its transfer. */
static double byte_pj(const struct known *known, uint32_t op, enum at at)
{
	enum at other = at == HIGH ? LOW : at == LOW ? HIGH : NOMINAL;
	double rate = value(known, SSDPM_PARAMETER_BANDWIDTH, op - 1, other);
	double pj = value(known, SSDPM_PARAMETER_BYTE_ENERGY, op - 1, at);

	return rate > 0 ? pj + busy_uw(known, op, at) * PJ_PER_UJ / rate : pj;
}

/* In hundredths: no text of the library depends on a locale. */
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

static int find_wa(const struct ssdpm_sustained_writes *writes,
		   struct ssdpm_background_work *b, struct ssdpm_error *reterr)
{
	int r = ssdpm_wa_calculate(SSDPM_WA_FIFO, writes->spare_factor, 0,
				   &b->nominal_wa, reterr);

	if (r)
		return r;
	b->low_wa = 1;
	b->high_wa = 1 / writes->spare_factor;
	if (!(writes->measured_wa >= 1))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "measured_wa is 1 or more; 0: 1");
	if (writes->measured_wa > b->nominal_wa)
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"measured_wa: above what that spare factor gives, and so not of this drive");
	return 0;
}

/* The state in which the drive works behind the host, for each of its bytes. */
static void find_state(const struct known *known, double more,
		       struct ssdpm_background_work *b)
{
	uint32_t write = SSDPM_OP_WRITE - 1;
	double rate = value(known, SSDPM_PARAMETER_BANDWIDTH, write, NOMINAL);
	double power =
		value(known, SSDPM_PARAMETER_IDLE_POWER,
		      known->operational_state, NOMINAL) +
		byte_pj(known, SSDPM_OP_WRITE, NOMINAL) * rate / PJ_PER_UJ;

	b->ps_per_byte = 0;
	b->power_uw = 0;
	if (!(rate > 0))
		return;
	b->ps_per_byte = (uint64_t)ssdpm__floor(more * PS_PER_S / rate + 0.5);
	b->power_uw =
		(uint64_t)ssdpm__floor((power < MAX_UW ? power : MAX_UW) + 0.5);
}

static int scale(struct ssdpm_parameter *parameters, size_t n,
		 const struct ssdpm_sustained_writes *writes,
		 struct ssdpm_background_work *b, struct ssdpm_error *reterr)
{
	const struct known known = { parameters, n, writes->operational_state };
	struct ssdpm_parameter byte =
		look(&known, SSDPM_PARAMETER_BYTE_ENERGY, SSDPM_OP_WRITE - 1);
	double least = b->low_wa / writes->measured_wa - 1;
	double more = b->nominal_wa / writes->measured_wa - 1;
	double most = b->high_wa / writes->measured_wa - 1;
	double low =
		(double)byte.low + least * byte_pj(&known, SSDPM_OP_WRITE, LOW);
	double nominal = (double)byte.nominal +
			 more * byte_pj(&known, SSDPM_OP_WRITE, NOMINAL);
	double high = (double)byte.high +
		      most * (byte_pj(&known, SSDPM_OP_WRITE, HIGH) +
			      byte_pj(&known, SSDPM_OP_READ, HIGH));

	if (!(high <= MAX_BYTE_PJ))
		return ssdpm__fail(
			reterr, -ERANGE, 0,
			"the spare factor is so small that a written byte may take more than a millijoule");
	find_state(&known, more, b);
	return ssdpm_parameters_set(parameters, n, SSDPM_PARAMETER_BYTE_ENERGY,
				    SSDPM_OP_WRITE - 1,
				    (uint64_t)ssdpm__floor(ssdpm__max(low, 0)),
				    (uint64_t)ssdpm__floor(nominal + 0.5),
				    (uint64_t)ssdpm__ceil(high), reterr);
}

int ssdpm_parameters_set_spare(struct ssdpm_parameter *parameters, size_t n,
			       const struct ssdpm_sustained_writes *writes,
			       struct ssdpm_background_work *ret_background,
			       struct ssdpm_error *reterr)
{
	struct ssdpm_sustained_writes known = { .size = sizeof(known) };
	struct ssdpm_background_work background = { 0 };
	int r = ssdpm__copy_sized(&known, sizeof(known), writes,
				  "ssdpm_sustained_writes", reterr);

	if (r)
		return r;
	if (known.reserved)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "ssdpm_sustained_writes: reserved is not 0");
	if (known.measured_wa == 0)
		known.measured_wa = 1;
	r = find_wa(&known, &background, reterr);
	if (!r)
		r = scale(parameters, n, &known, &background, reterr);
	if (r)
		return r;
	for (size_t i = 0; i < n; i++)
		if (parameters[i].kind == SSDPM_PARAMETER_BYTE_ENERGY &&
		    parameters[i].index == SSDPM_OP_WRITE - 1)
			name(&parameters[i], &background);
	if (ret_background)
		*ret_background = background;
	return 0;
}
