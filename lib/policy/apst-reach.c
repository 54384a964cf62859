/* SPDX-License-Identifier: MIT */
/*
 * The parameters of nvme_core that make Linux build a given table, or the
 * closest one.
 *
 * Which state a source goes to depends on the limit and the two tolerances
 * alone. These matter only where some state begins to qualify; the idle times
 * are put in afterwards. For n non-operational states it asks for at most n + 2
 * limits. Each has (n + 1)(n + 4) / 2 + 1 pairs of tolerances. That makes 40
 * tables for two such states, 20,000 for 32.
 */
#include "policy/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The kernel reads the limit as a signed number; its largest means any. */
#define MAX_WRITABLE_LIMIT (UINT64_C(0x7fffffff) - 1)

enum { MARK_PRIMARY = 1, MARK_SECONDARY = 2 };

/* How far a table is from the one that is wanted; see ssdpm_apst_reach(). */
struct distance {
	uint32_t targets;
	uint32_t missed; /* of these: that are wanted to lead somewhere */
	uint64_t idle_ms;
	uint32_t flags;
	uint32_t settings; /* that are not the default */
};

struct reach_search {
	const struct ssdpm_model *model;
	const struct ssdpm_apst *wanted;
	struct ssdpm_apst_params defaults;
	struct ssdpm_apst_params best;
	struct distance distance;
	bool found;
};

static bool is_closer(const struct distance *a, const struct distance *b)
{
	if (a->targets != b->targets)
		return a->targets < b->targets;
	if (a->missed != b->missed)
		return a->missed < b->missed;
	if (a->idle_ms != b->idle_ms)
		return a->idle_ms < b->idle_ms;
	if (a->flags != b->flags)
		return a->flags < b->flags;
	return a->settings < b->settings;
}

static uint32_t count_settings(const struct reach_search *s,
			       const struct ssdpm_apst_params *p)
{
	const struct ssdpm_apst_params *d = &s->defaults;

	return (p->max_exit_latency_us != d->max_exit_latency_us) +
	       (p->primary_timeout_ms != d->primary_timeout_ms) +
	       (p->primary_latency_tolerance_us !=
		d->primary_latency_tolerance_us) +
	       (p->secondary_timeout_ms != d->secondary_timeout_ms) +
	       (p->secondary_latency_tolerance_us !=
		d->secondary_latency_tolerance_us);
}

static void measure(const struct reach_search *s,
		    const struct ssdpm_apst *table,
		    const struct ssdpm_apst_params *p,
		    struct distance *distance)
{
	*distance = (struct distance){
		.flags = table->enabled != s->wanted->enabled ||
			 table->sent != s->wanted->sent,
		.settings = count_settings(s, p),
	};
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		const struct ssdpm_apst_entry *a = &table->entries[i];
		const struct ssdpm_apst_entry *b = &s->wanted->entries[i];

		if (a->target != b->target) {
			distance->targets++;
			distance->missed += b->target != 0;
			continue;
		}
		distance->idle_ms += a->idle_ms > b->idle_ms ?
					     a->idle_ms - b->idle_ms :
					     b->idle_ms - a->idle_ms;
	}
}

/* Parameters as they are, and the table that they make. */
static void take(struct reach_search *s, const struct ssdpm_apst_params *p,
		 const struct ssdpm_apst *table)
{
	struct distance distance;

	measure(s, table, p, &distance);
	if (s->found && !is_closer(&distance, &s->distance))
		return;
	s->found = true;
	s->distance = distance;
	s->best = *p;
}

/*
 * Chooses the idle time for the entries with this mark. It is closest to the
 * wanted ones: a median, or the default if that is as good. It is never 0,
 * which would change the rule.
 */
static uint64_t median(const struct reach_search *s,
		       const struct ssdpm_apst *marked, uint32_t mark,
		       uint64_t preferred)
{
	uint32_t times[SSDPM_MAX_STATES], n = 0, at, low, high;

	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		const struct ssdpm_apst_entry *entry = &s->wanted->entries[i];

		if (marked->entries[i].idle_ms != mark ||
		    marked->entries[i].target != entry->target)
			continue;
		for (at = n++; at > 0 && times[at - 1] > entry->idle_ms; at--)
			times[at] = times[at - 1];
		times[at] = entry->idle_ms;
	}
	if (!n)
		return preferred;
	low = times[(n - 1) / 2];
	high = times[n / 2];
	if (preferred >= low && preferred <= high)
		return preferred;
	return low ? low : 1;
}

/* p has its limit and tolerances; the times are put in. */
static int try_bands(struct reach_search *s, struct ssdpm_apst_params p,
		     bool secondary, struct ssdpm_error *reterr)
{
	struct ssdpm_apst table;
	int err;

	p.primary_timeout_ms = MARK_PRIMARY;
	p.secondary_timeout_ms = secondary ? MARK_SECONDARY : 0;
	err = ssdpm_apst_generate(s->model, &p, &table, reterr);
	if (err)
		return err;
	p.primary_timeout_ms =
		median(s, &table, MARK_PRIMARY, s->defaults.primary_timeout_ms);
	if (secondary)
		p.secondary_timeout_ms =
			median(s, &table, MARK_SECONDARY,
			       s->defaults.secondary_timeout_ms);
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		struct ssdpm_apst_entry *entry = &table.entries[i];

		if (entry->idle_ms)
			entry->idle_ms =
				(uint32_t)(entry->idle_ms == MARK_PRIMARY ?
						   p.primary_timeout_ms :
						   p.secondary_timeout_ms);
	}
	take(s, &p, &table);
	return 0;
}

static int try_as_it_is(struct reach_search *s,
			const struct ssdpm_apst_params *p,
			struct ssdpm_error *reterr)
{
	struct ssdpm_apst table;
	int err = ssdpm_apst_generate(s->model, p, &table, reterr);

	if (!err)
		take(s, p, &table);
	return err;
}

/* All tolerances under one limit. */
static int try_limit(struct reach_search *s, struct ssdpm_apst_params p,
		     const struct steps *tolerances, struct ssdpm_error *reterr)
{
	const struct ssdpm_apst_params *d = &s->defaults;
	int err = 0;

	for (uint32_t i = 0; i < tolerances->n && !err; i++) {
		p.primary_latency_tolerance_us = ssdpm__steps_value(
			tolerances, i, d->primary_latency_tolerance_us);
		p.secondary_latency_tolerance_us =
			d->secondary_latency_tolerance_us;
		err = try_bands(s, p, false, reterr);
		if (!err)
			err = try_bands(s, p, true, reterr);
		for (uint32_t k = i + 1; k < tolerances->n && !err; k++) {
			p.secondary_latency_tolerance_us = ssdpm__steps_value(
				tolerances, k,
				d->secondary_latency_tolerance_us);
			err = try_bands(s, p, true, reterr);
		}
	}
	return err;
}

static int search(struct reach_search *s, const struct steps *limits,
		  const struct steps *tolerances, bool legacy,
		  struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params p = s->defaults;
	int err = 0;

	for (uint32_t i = 0; i < limits->n && !err; i++) {
		p = s->defaults;
		p.max_exit_latency_us =
			ssdpm__steps_value(limits, i, p.max_exit_latency_us);
		if (p.max_exit_latency_us > MAX_WRITABLE_LIMIT)
			p.max_exit_latency_us = SSDPM_LATENCY_ANY;
		err = try_limit(s, p, tolerances, reterr);
		if (err || !legacy)
			continue;
		p.primary_timeout_ms = 0;
		err = try_as_it_is(s, &p, reterr);
	}
	return err;
}

int ssdpm__apst_closest(const struct ssdpm_model *model,
			const struct ssdpm_apst *wanted, uint32_t quirks,
			bool legacy, struct ssdpm_apst_params *ret_params,
			struct ssdpm_error *reterr)
{
	struct reach_search s = { .model = model, .wanted = wanted };
	struct steps limits, tolerances;
	int err;

	ssdpm_apst_params_init(&s.defaults, sizeof(s.defaults));
	s.defaults.quirks = quirks;
	err = try_as_it_is(&s, &s.defaults, reterr);
	if (err)
		return err;
	ssdpm__limit_steps(model, false, &limits);
	ssdpm__tolerance_steps(model, &tolerances);
	err = search(&s, &limits, &tolerances, legacy, reterr);
	if (!err)
		*ret_params = s.best;
	return err;
}

static int check_wanted(const struct ssdpm_apst *table,
			struct ssdpm_error *reterr)
{
	uint8_t data[SSDPM_APST_BYTES];

	return ssdpm_apst_encode(table, data, reterr);
}

int ssdpm_apst_reach(const struct ssdpm_model *model,
		     const struct ssdpm_apst *table, uint32_t quirks,
		     struct ssdpm_apst_params *ret_params,
		     struct ssdpm_apst *ret_table, struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params;
	struct ssdpm_apst made;
	int err;

	err = ssdpm__sized_check(ret_params, sizeof(params),
				 "ssdpm_apst_params", reterr);
	if (!err)
		err = check_wanted(table, reterr);
	if (!err)
		err = ssdpm__apst_closest(model, table, quirks, true, &params,
					  reterr);
	if (!err)
		err = ssdpm_apst_generate(model, &params, &made, reterr);
	if (err)
		return err;
	ssdpm__sized_out(ret_params, &params, sizeof(params));
	*ret_table = made;
	return 0;
}

uint32_t ssdpm_apst_diff(const struct ssdpm_apst *a, const struct ssdpm_apst *b)
{
	uint32_t bits = 0;

	/* A drive may keep the entries of a table that is switched off. */
	if (!a->enabled && !b->enabled)
		return 0;
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (memcmp(&a->entries[i], &b->entries[i],
			   sizeof(a->entries[i])))
			bits |= 1u << i;
	return bits;
}
