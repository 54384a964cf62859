/* SPDX-License-Identifier: MIT */
/*
 * Throughput under a power cap. At a corner, each number has one value. A
 * result is a quotient of sums, hence monotone in each number. Its bounds are
 * therefore its least and its most over all corners.
 */
#include "caps/cap.h"

#include <ssdpm/energy/writes.h>

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/elementary.h"
#include "base/internal.h"
#include "base/words.h"

#define PICO_PER_MICRO 1e6
#define PICO_PER_NANO 1e3
/* As for parameters: 4 kW, 1 kJ, 1 mJ and a petabyte per second. */
#define MAX_UW 4294967295.0
#define MAX_NJ 1e12
#define MAX_PJ 1e9
#define MAX_BYTES_PER_S 1e15
#define MAX_AMPLIFICATION 65536.0
/* Shares from people and files are rounded. */
#define SHARE_ERROR 1e-6
#define BUSY_SHARE 0.99
/* Sums may exceed the cap by this relative rounding error. */
#define ROUNDING 1e-12

/* The side of the costs, the idle power, and each stream's rates. */
enum side {
	SIDE_NOMINAL,
	SIDE_LOW,
	SIDE_HIGH,
};

struct cap_corner {
	enum side idle;
	enum side cost;
	enum side rates[SSDPM_MAX_CAP_STREAMS];
};

/* A stream at a corner, for a byte of the mix. */
struct load {
	double rate; /* at full throughput */
	double s;    /* time alone */
	double uj;   /* energy above idle */
	double uw;   /* power when served alone */
	bool nand;   /* the flash is the limit */
};

/* All results at a corner, in the order of struct ssdpm_cap_result. */
enum {
	BYTES_PER_S,
	UNCAPPED_BYTES_PER_S,
	LOSS_SHARE,
	POWER_UW,
	P99_POWER_UW,
	MAX_POWER_UW,
	N_VALUES,
};
static_assert(offsetof(struct ssdpm_cap_result, limit) ==
		      offsetof(struct ssdpm_cap_result, bytes_per_s) +
			      N_VALUES * sizeof(struct ssdpm_span),
	      "nothing between");

struct cap_knot {
	double values[N_VALUES];
	uint32_t limit;
};

static double pick(const struct ssdpm_span *span, enum side side)
{
	return side == SIDE_NOMINAL ? span->nominal :
	       side == SIDE_LOW	    ? span->low :
				      span->high;
}

static bool is_span(const struct ssdpm_span *span, double least, double most)
{
	return span->low >= least && span->low <= span->nominal &&
	       span->nominal <= span->high && span->high <= most;
}

static int check_span(const struct ssdpm_span *span, bool known, double least,
		      double most, const char *what, size_t stream,
		      struct ssdpm_error *reterr)
{
	if (!known || is_span(span, least, most))
		return 0;
	if (!stream)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"%s: low <= nominal <= high, from 0 to 4 kW, is needed",
			what);
	return ssdpm__fail(
		reterr, -EINVAL, 0,
		"stream %zu: %s: low <= nominal <= high, above 0 where it is a throughput and not beyond what a drive can have, is needed",
		stream, what);
}

static int check_spans(const struct ssdpm_cap_stream *s, size_t number,
		       struct ssdpm_error *reterr)
{
	const struct {
		const struct ssdpm_span *span;
		uint32_t field;
		double least, most;
		const char *what;
	} spans[] = {
		{ &s->interface_bytes_per_s, SSDPM_CAP_INTERFACE, 1,
		  MAX_BYTES_PER_S, "throughput of the interface" },
		{ &s->nand_bytes_per_s, SSDPM_CAP_NAND, 1, MAX_BYTES_PER_S,
		  "throughput of the flash" },
		{ &s->active_uw, SSDPM_CAP_ACTIVE_POWER, 0, MAX_UW,
		  "active power" },
		{ &s->operation_nj, SSDPM_CAP_OPERATION_ENERGY, 0, MAX_NJ,
		  "energy of an I/O" },
		{ &s->byte_pj, SSDPM_CAP_BYTE_ENERGY, 0, MAX_PJ,
		  "energy of a byte" },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]) && !err; i++)
		err = check_span(spans[i].span, s->known & spans[i].field,
				 spans[i].least, spans[i].most, spans[i].what,
				 number, reterr);
	return err;
}

static int check_amplification(const struct ssdpm_cap_stream *s, size_t number,
			       bool nand, struct ssdpm_error *reterr)
{
	double wa = s->write_amplification;

	if (wa == 0)
		return 0;
	if (s->op != SSDPM_OP_WRITE || !(wa >= 1) || wa > MAX_AMPLIFICATION)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"stream %zu: write amplification is of writes, and 1 to 65536",
			number);
	if (wa > 1 && !nand && !(s->known & SSDPM_CAP_NAND))
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"stream %zu: what write amplification does is not known without the throughput of the flash: give it",
			number);
	return 0;
}

static bool has_energy(const struct ssdpm_cap_stream *s)
{
	return s->known & (SSDPM_CAP_ACTIVE_POWER | SSDPM_CAP_OPERATION_ENERGY |
			   SSDPM_CAP_BYTE_ENERGY);
}

static bool has_rate(const struct ssdpm_cap_stream *s)
{
	return s->known & (SSDPM_CAP_INTERFACE | SSDPM_CAP_NAND);
}

/* Whether the stream has numbers enough to compute with. */
static int check_known(const struct cap *cap, const struct ssdpm_cap_stream *s,
		       size_t number, struct ssdpm_error *reterr)
{
	if (!has_rate(s) &&
	    (s->known & SSDPM_CAP_ACTIVE_POWER || !has_energy(s)))
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"stream %zu: give the throughput that it has without a cap, or what a byte or an I/O costs",
			number);
	if (!has_energy(s) && !(cap->params.known & SSDPM_CAP_MAX_POWER))
		return ssdpm__fail(
			reterr, -ENODATA, 0,
			"stream %zu: give what a byte costs, its active power, or the maximum power of the drive",
			number);
	return 0;
}

static int check_stream(const struct cap *cap, const struct ssdpm_cap_stream *s,
			size_t number, struct ssdpm_error *reterr)
{
	int err = 0;

	if (s->op != SSDPM_OP_READ && s->op != SSDPM_OP_WRITE)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "stream %zu: reads or writes", number);
	if (!(s->share > 0) || !(s->share <= 1 + SHARE_ERROR))
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"stream %zu: its share of all bytes is above 0, up to 1",
			number);
	if (s->known & SSDPM_CAP_OPERATION_ENERGY && !s->io_bytes)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"stream %zu: an energy of I/Os needs their size",
			number);
	err = check_spans(s, number, reterr);
	if (!err)
		err = check_amplification(s, number, cap->params.nand, reterr);
	return err;
}

/* Amplifies the cost of writes: by its parts, or as a whole. */
static int amplify(struct cap *cap, struct ssdpm_cap_stream *s,
		   struct ssdpm_error *reterr)
{
	double wa = s->write_amplification;
	struct ssdpm_write_cost cost;

	if (wa == 0)
		return 0;
	if (!cap->params.nand) {
		s->nand_bytes_per_s.low /= wa;
		s->nand_bytes_per_s.nominal /= wa;
		s->nand_bytes_per_s.high /= wa;
		/* All of it may be the link's, or all the flash's. */
		s->byte_pj.nominal *= wa;
		s->byte_pj.high *= wa;
		if (wa > 1 && s->known & SSDPM_CAP_BYTE_ENERGY)
			s->assumed |= SSDPM_CAP_BYTE_ENERGY;
		return 0;
	}
	int err =
		ssdpm_write_cost_calculate(cap->params.nand, wa, &cost, reterr);

	if (err)
		return err;
	s->known &= ~(uint32_t)(SSDPM_CAP_ACTIVE_POWER | SSDPM_CAP_NAND |
				SSDPM_CAP_OPERATION_ENERGY);
	s->assumed &= s->known & ~(uint32_t)SSDPM_CAP_BYTE_ENERGY;
	s->known |= SSDPM_CAP_BYTE_ENERGY;
	s->byte_pj =
		(struct ssdpm_span){ cost.byte_pj, cost.byte_pj, cost.byte_pj };
	if (cost.bytes_per_s < INFINITY) {
		s->known |= SSDPM_CAP_NAND;
		s->nand_bytes_per_s =
			(struct ssdpm_span){ cost.bytes_per_s, cost.bytes_per_s,
					     cost.bytes_per_s };
	}
	return 0;
}

/* Assumes the unknown energy: from nothing to all that the drive draws. */
static void assume(const struct cap *cap, struct ssdpm_cap_stream *s)
{
	if (has_energy(s))
		return;
	s->active_uw = cap->params.max_uw;
	s->active_uw.low = 0;
	s->known |= SSDPM_CAP_ACTIVE_POWER;
	s->assumed |= SSDPM_CAP_ACTIVE_POWER;
}

static int take_streams(struct cap *cap, struct ssdpm_error *reterr)
{
	size_t n = cap->params.n_streams;
	double shares = 0;
	int err = 0;

	if (!n || n > SSDPM_MAX_CAP_STREAMS || !cap->params.streams)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a mix has 1 to %d streams",
				   SSDPM_MAX_CAP_STREAMS);
	for (size_t i = 0; i < n && !err; i++) {
		struct ssdpm_cap_stream *s = &cap->streams[i];

		*s = cap->params.streams[i];
		shares += s->share;
		err = check_stream(cap, s, i + 1, reterr);
		if (!err)
			err = amplify(cap, s, reterr);
		if (!err)
			err = check_known(cap, s, i + 1, reterr);
		if (!err)
			assume(cap, s);
	}
	if (!err && !(fabs(shares - 1) < SHARE_ERROR))
		err = ssdpm__fail(reterr, -EINVAL, 0,
				  "streams: their shares must come to 1");
	for (size_t i = 0; i < n && !err; i++)
		cap->streams[i].share /= shares;
	return err;
}

int ssdpm__cap_take(const struct ssdpm_cap_params *params, bool with_cap,
		    struct cap *ret_cap, struct ssdpm_error *reterr)
{
	int err;

	*ret_cap = (struct cap){ .params.size = sizeof(ret_cap->params) };
	err = ssdpm__sized_in(&ret_cap->params, sizeof(ret_cap->params), params,
			      "ssdpm_cap_params", reterr);
	if (err)
		return err;
	if (!(ret_cap->params.known & SSDPM_CAP_IDLE_POWER))
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "the idle power of the drive: give it");
	err = check_span(&ret_cap->params.idle_uw, true, 0, MAX_UW,
			 "idle power", 0, reterr);
	if (!err)
		err = check_span(&ret_cap->params.max_uw,
				 ret_cap->params.known & SSDPM_CAP_MAX_POWER, 0,
				 MAX_UW, "maximum power", 0, reterr);
	if (!err)
		err = take_streams(ret_cap, reterr);
	if (!err && with_cap)
		err = ssdpm__cap_check(ret_cap, ret_cap->params.cap_uw, reterr);
	return err;
}

int ssdpm__cap_check(const struct cap *cap, uint64_t cap_uw,
		     struct ssdpm_error *reterr)
{
	if (!cap_uw)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"the cap: a power above 0, or none (SSDPM_CAP_NONE)");
	if ((double)cap_uw < cap->params.idle_uw.low)
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "a cap of %" PRIu64
				   " uW: the drive takes at least %" PRIu64
				   " uW with nothing to do",
				   cap_uw, (uint64_t)cap->params.idle_uw.low);
	for (size_t i = 0; i < cap->params.n_streams; i++)
		if (cap_uw == SSDPM_CAP_NONE && !has_rate(&cap->streams[i]))
			return ssdpm__fail(
				reterr, -ENODATA, 0,
				"stream %zu: without a cap, nothing says what limits it: give the throughput of its interface or of the flash",
				i + 1);
	return 0;
}

int ssdpm__cap_check_segment(const struct ssdpm_cap_segment *segment,
			     size_t number, uint64_t *end_ns,
			     struct ssdpm_error *reterr)
{
	if (!segment->cap_uw)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"segment %zu: the cap: a power above 0, or none (SSDPM_CAP_NONE)",
			number);
	if (!end_ns)
		return 0;
	if (segment->duration_ns <= segment->transition_ns)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"segment %zu: takes no time, or no more than the change to it",
			number);
	if (__builtin_add_overflow(*end_ns, segment->duration_ns, end_ns))
		return ssdpm__fail(reterr, -ERANGE, 0,
				   "segment %zu: ends beyond 2^64 ns", number);
	return 0;
}

static struct load load_of(const struct ssdpm_cap_stream *s, double idle_uw,
			   const struct cap_corner *corner, size_t i)
{
	double link = INFINITY, nand = INFINITY, byte_pj = 0, uw = 0;
	struct load load = { 0 };

	if (s->known & SSDPM_CAP_INTERFACE)
		link = pick(&s->interface_bytes_per_s, corner->rates[i]);
	if (s->known & SSDPM_CAP_NAND)
		nand = pick(&s->nand_bytes_per_s, corner->rates[i]);
	if (s->known & SSDPM_CAP_BYTE_ENERGY)
		byte_pj = pick(&s->byte_pj, corner->cost);
	if (s->known & SSDPM_CAP_OPERATION_ENERGY)
		byte_pj += pick(&s->operation_nj, corner->cost) *
			   PICO_PER_NANO / s->io_bytes;
	if (s->known & SSDPM_CAP_ACTIVE_POWER)
		uw = ssdpm__max(pick(&s->active_uw, corner->cost) - idle_uw, 0);
	load.nand = nand < link;
	load.rate = ssdpm__min(link, nand);
	load.s = s->share / load.rate;
	load.uj = s->share * byte_pj / PICO_PER_MICRO + load.s * uw;
	load.uw = load.s > 0 ? idle_uw + load.uj / load.s : INFINITY;
	return load;
}

/* Sorts streams by power, the highest first. */
static void sort_loads(struct load *loads, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j && loads[j].uw > loads[j - 1].uw; j--) {
			struct load load = loads[j];

			loads[j] = loads[j - 1];
			loads[j - 1] = load;
		}
}

/*
 * The 99th percentile of power if streams are served one after the other at
 * full throughput. Power above the cap is held to it and takes longer.
 */
static double p99_of(const struct load *loads, size_t n, double bytes_per_s,
		     double idle_uw, double cap_uw)
{
	double above = 0;

	if (!(cap_uw > idle_uw))
		return cap_uw;
	for (size_t i = 0; i < n; i++) {
		double uw = ssdpm__min(loads[i].uw, cap_uw);
		double s = loads[i].s;

		if (loads[i].uw > cap_uw)
			s = loads[i].uj / (cap_uw - idle_uw);
		above += s * bytes_per_s;
		if (above > 1 - BUSY_SHARE)
			return uw;
	}
	return idle_uw;
}

static uint32_t limit_of(const struct load *loads, size_t n)
{
	double nand = 0, link = 0;

	for (size_t i = 0; i < n; i++)
		*(loads[i].nand ? &nand : &link) += loads[i].s;
	return nand > link ? SSDPM_CAP_LIMIT_NAND : SSDPM_CAP_LIMIT_INTERFACE;
}

/* At most the fastest rate; exactly that of a single stream. */
static double full_rate(const struct load *loads, size_t n)
{
	double s = 0, fastest = 0;

	for (size_t i = 0; i < n; i++) {
		s += loads[i].s;
		fastest = ssdpm__max(fastest, loads[i].rate);
	}
	return n == 1 ? fastest : ssdpm__min(1 / s, fastest);
}

static void evaluate(const struct cap *cap, double cap_uw,
		     const struct cap_corner *corner,
		     struct cap_knot *ret_point)
{
	const struct ssdpm_cap_params *p = &cap->params;
	double idle_uw = ssdpm__min(pick(&p->idle_uw, corner->idle), cap_uw);
	struct load loads[SSDPM_MAX_CAP_STREAMS];
	double uj = 0, most, full, capped, bw;
	bool held;

	for (size_t i = 0; i < p->n_streams; i++) {
		loads[i] = load_of(&cap->streams[i], idle_uw, corner, i);
		uj += loads[i].uj;
	}
	full = full_rate(loads, p->n_streams);
	capped = uj > 0 ? (cap_uw - idle_uw) / uj : INFINITY;
	held = capped < full * (1 - ROUNDING);
	bw = held ? capped : full;
	sort_loads(loads, p->n_streams);
	most = loads[0].uw;
	if (p->known & SSDPM_CAP_MAX_POWER)
		most = ssdpm__max(most, pick(&p->max_uw, corner->cost));
	*ret_point = (struct cap_knot){
		.values = {
			[BYTES_PER_S] = bw,
			[UNCAPPED_BYTES_PER_S] = full,
			[LOSS_SHARE] = full < INFINITY ? 1 - bw / full : NAN,
			[POWER_UW] = ssdpm__min(idle_uw + bw * uj, cap_uw),
			[P99_POWER_UW] = p99_of(loads, p->n_streams, bw,
						idle_uw, cap_uw),
			[MAX_POWER_UW] = ssdpm__min(most, cap_uw),
		},
		.limit = held ? SSDPM_CAP_LIMIT_POWER :
				limit_of(loads, p->n_streams),
	};
}

/* 0: nominal. Otherwise bit 0: idle; bit 1: costs; the others: rates. */
static struct cap_corner corner_of(uint32_t number)
{
	struct cap_corner corner = { 0 };
	uint32_t bits = number - 1;

	if (!number)
		return corner;
	corner.idle = bits & 1 ? SIDE_HIGH : SIDE_LOW;
	corner.cost = bits & 2 ? SIDE_HIGH : SIDE_LOW;
	for (size_t i = 0; i < SSDPM_MAX_CAP_STREAMS; i++)
		corner.rates[i] = bits >> (2 + i) & 1 ? SIDE_HIGH : SIDE_LOW;
	return corner;
}

void ssdpm__cap_evaluate(const struct cap *cap, uint64_t cap_uw,
			 struct ssdpm_cap_result *result)
{
	double uw = cap_uw == SSDPM_CAP_NONE ? INFINITY : (double)cap_uw;
	uint32_t n = 4u << cap->params.n_streams;
	struct ssdpm_span spans[N_VALUES];

	for (uint32_t i = 0; i <= n; i++) {
		struct cap_corner corner = corner_of(i);
		struct cap_knot point;

		evaluate(cap, uw, &corner, &point);
		for (size_t j = 0; j < N_VALUES; j++) {
			double value = point.values[j];

			if (!i)
				spans[j] = ssdpm__exactly(value);
			ssdpm__widen(&spans[j], value, value);
		}
		if (!i)
			result->limit = point.limit;
	}
	memcpy((char *)result + offsetof(struct ssdpm_cap_result, bytes_per_s),
	       spans, sizeof(spans));
	result->assumed = cap->params.assumed & cap->params.known;
	for (size_t i = 0; i < cap->params.n_streams; i++)
		result->assumed |=
			cap->streams[i].assumed & cap->streams[i].known;
}

int ssdpm_cap_calculate(const struct ssdpm_cap_params *params,
			struct ssdpm_cap_result *ret_result,
			struct ssdpm_error *reterr)
{
	struct ssdpm_cap_result result = { 0 };
	struct cap cap;
	int err = ssdpm__sized_check(ret_result, sizeof(result),
				     "ssdpm_cap_result", reterr);

	if (!err)
		err = ssdpm__cap_take(params, true, &cap, reterr);
	if (err)
		return err;
	ssdpm__cap_evaluate(&cap, cap.params.cap_uw, &result);
	ssdpm__sized_out(ret_result, &result, sizeof(result));
	return 0;
}

static const char cap_limit_words[][10] = {
	[SSDPM_CAP_LIMIT_INTERFACE] = "interface",
	[SSDPM_CAP_LIMIT_NAND] = "nand",
	[SSDPM_CAP_LIMIT_POWER] = "power",
};
ENUM_WORDS(cap_limit)

static const char cap_field_words[][17] = {
	[FLAG(SSDPM_CAP_INTERFACE)] = "interface",
	[FLAG(SSDPM_CAP_NAND)] = "nand",
	[FLAG(SSDPM_CAP_ACTIVE_POWER)] = "active-power",
	[FLAG(SSDPM_CAP_OPERATION_ENERGY)] = "operation-energy",
	[FLAG(SSDPM_CAP_BYTE_ENERGY)] = "byte-energy",
	[FLAG(SSDPM_CAP_IDLE_POWER)] = "idle-power",
	[FLAG(SSDPM_CAP_MAX_POWER)] = "max-power",
};
FLAG_WORDS(cap_field)
