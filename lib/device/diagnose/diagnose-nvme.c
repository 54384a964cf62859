/* SPDX-License-Identifier: MIT */
/*
 * Does an NVMe drive sleep by itself? The table that Linux makes,
 * nvme_configure_apst() in drivers/nvme/host/core.c, and the one in force.
 */
#include "device/diagnose/diagnose.h"

#include <stdio.h>
#include <string.h>

enum {
	/* What Linux starts with. */
	LINUX_LIMIT_US = 100000,
	LINUX_SECONDARY_MS = 2000,
};

/* The findings, each part where it is known. */
struct sleep {
	const struct ssdpm_power_state *states;
	size_t n_states;
	struct ssdpm_apst_params params;
	struct ssdpm_apst built; /* what this kernel builds */
	bool has_built;
	const struct ssdpm_apst *table; /* what counts: in force, or built */
	uint32_t quirks;
	uint32_t deepest; /* 0: the drive never sleeps */
	uint64_t idle_ms; /* until it is in the deepest state */
	struct ssdpm_error error;
};

/* A number for the file of the limit. */
struct limit {
	char text[24];
};

static struct limit limit_text(uint64_t limit_us)
{
	struct limit limit;

	if (limit_us > INT32_MAX - 1)
		return (struct limit){ "any" };
	snprintf(limit.text, sizeof(limit.text), "%llu",
		 (unsigned long long)limit_us);
	return limit;
}

static uint64_t total_us(const struct ssdpm_power_state *state)
{
	return (uint64_t)state->entry_latency_us + state->exit_latency_us;
}

static bool is_non_operational(const struct sleep *s, size_t state)
{
	return s->states[state].flags & SSDPM_STATE_NON_OPERATIONAL;
}

static bool is_used(const struct ssdpm_apst *table, uint32_t state)
{
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (table->entries[i].idle_ms &&
		    table->entries[i].target == state)
			return true;
	return false;
}

static bool has_entries(const struct ssdpm_apst *table)
{
	for (size_t i = 0; i < SSDPM_MAX_STATES; i++)
		if (table->entries[i].idle_ms)
			return true;
	return false;
}

/* For people. */
static struct limit limit_words(uint64_t limit_us)
{
	struct limit limit = { "any" };

	if (limit_us != SSDPM_LATENCY_ANY)
		snprintf(limit.text, sizeof(limit.text), "%s",
			 ssdpm_us_to_text(limit_us).text);
	return limit;
}

/* From state 0 on, as the drive goes. */
static void follow(struct sleep *s)
{
	const struct ssdpm_apst_entry *entry = &s->table->entries[0];

	s->deepest = 0;
	s->idle_ms = 0;
	while (entry->idle_ms && entry->target > s->deepest &&
	       entry->target < SSDPM_MAX_STATES) {
		s->deepest = entry->target;
		s->idle_ms += entry->idle_ms;
		entry = &s->table->entries[s->deepest];
	}
}

static void build(struct examination *e, struct sleep *s)
{
	if (!e->model)
		return;
	s->states = ssdpm_model_get_states(e->model, &s->n_states);
	s->params.size = sizeof(s->params);
	if (ssdpm_device_get_apst_params(e->device, e->machine, e->model,
					 &s->params, &s->error))
		return;
	s->has_built = ssdpm_apst_generate(e->model, &s->params, &s->built,
					   &s->error) == 0;
}

/* Those of the kernel, or of our rules. */
static void find_quirks(struct examination *e, struct sleep *s)
{
	uint32_t from_kernel;

	if (e->facts->known & SSDPM_FACT_QUIRKS)
		s->quirks = e->facts->kernel_quirks;
	else if (e->model &&
		 ssdpm_device_get_quirks(e->device, e->machine, e->model,
					 &s->quirks, &from_kernel, NULL))
		s->quirks = 0;
}

static const struct {
	uint32_t quirk;
	char means[56];
} quirk_words[] = {
	{ SSDPM_QUIRK_NO_APST, "Linux switches APST off" },
	{ SSDPM_QUIRK_NO_DEEPEST_PS, "Linux does not use the last state" },
	{ SSDPM_QUIRK_SIMPLE_SUSPEND, "suspend shuts the drive down" },
	{ SSDPM_QUIRK_FORCE_NO_SIMPLE_SUSPEND,
	  "suspend leaves the drive on in its last state" },
};

/* nvme_probe() takes the answer of acpi_storage_d3() for a quirk too. */
static const char *quirk_reason(const struct examination *e, uint32_t quirk)
{
	return quirk == SSDPM_QUIRK_SIMPLE_SUSPEND &&
			       e->facts->known & SSDPM_FACT_QUIRKS ?
		       "for the platform asks for it (StorageD3Enable or AMD "
		       "Zen), or this drive has a known fault" :
		       "for this drive has a known fault";
}

/* Quirks that the parameter took away. */
static void say_forced(struct examination *e, const struct sleep *s)
{
	const uint32_t bit = 1u << SSDPM_NVME_CORE_FORCE_APST;
	struct ssdpm_diagnosis *d;
	struct ssdpm_host host = { .size = sizeof(host) };
	uint32_t rules;

	if (!e->model || !(e->machine->nvme_core_known & bit) ||
	    !e->machine->nvme_core[SSDPM_NVME_CORE_FORCE_APST])
		return;
	if (ssdpm_device_get_host(e->device, e->machine, &host, NULL) ||
	    ssdpm_quirks_find(e->model, &host, &rules, NULL, NULL))
		return;
	rules &= SSDPM_QUIRK_NO_APST | SSDPM_QUIRK_NO_DEEPEST_PS;
	if (!(rules & ~s->quirks))
		return;
	d = ssdpm__found(e, SSDPM_DIAGNOSIS_FORCED, SSDPM_SEVERITY_NOTE,
			 "quirk %s is not in force, for nvme_core.force_apst "
			 "is set: this drive has a known fault",
			 ssdpm_quirk_to_string(rules & SSDPM_QUIRK_NO_APST ?
						       SSDPM_QUIRK_NO_APST :
						       rules));
	ssdpm__warn(e, d);
	ssdpm__advise(d, SSDPM_REMEDY_REMOVE_FORCE_APST);
	ssdpm__advise_value(d, "", "nvme_core.force_apst");
}

static void say_quirks(struct examination *e, const struct sleep *s)
{
	const size_t n = sizeof(quirk_words) / sizeof(quirk_words[0]);
	const char *source = e->facts->known & SSDPM_FACT_QUIRKS ?
				     "says this kernel" :
				     "say the rules of Linux";
	struct ssdpm_diagnosis *d;

	for (size_t i = 0; i < n; i++) {
		uint32_t quirk = quirk_words[i].quirk;

		if (!(s->quirks & quirk))
			continue;
		d = ssdpm__found(e, SSDPM_DIAGNOSIS_QUIRK, SSDPM_SEVERITY_NOTE,
				 "quirk %s, %s: %s, %s",
				 ssdpm_quirk_to_string(quirk), source,
				 quirk_words[i].means, quirk_reason(e, quirk));
		if (quirk == SSDPM_QUIRK_NO_APST)
			ssdpm__advise(d, SSDPM_REMEDY_LEAVE_QUIRK);
		if (quirk == SSDPM_QUIRK_NO_APST ||
		    quirk == SSDPM_QUIRK_NO_DEEPEST_PS)
			ssdpm__is_cause(e, d);
	}
}

/* Whether a parameter gave it the limit, and Linux did not choose it. */
static bool is_by_parameter(const struct examination *e)
{
	const uint32_t index = SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US;
	const uint64_t limit = e->machine->nvme_core[index];

	return e->machine->nvme_core_known & 1u << index &&
	       limit == e->facts->latency_tolerance_us &&
	       limit < LINUX_LIMIT_US;
}

static void advise_write(const struct examination *e, struct ssdpm_diagnosis *d,
			 uint64_t limit_us)
{
	ssdpm__advise_value(d, limit_text(limit_us).text, SSDPM__TOLERANCE_FILE,
			    e->facts->name);
}

/* Until the next boot, and for good. */
static void advise_number(const struct examination *e,
			  struct ssdpm_diagnosis *d, uint64_t limit_us)
{
	ssdpm__advise(d, SSDPM_REMEDY_LATENCY_LIMIT);
	advise_write(e, d, limit_us);
	if (is_by_parameter(e))
		ssdpm__advise_value(d, "",
				    "nvme_core.default_ps_max_latency_us");
}

static void say_off(struct examination *e)
{
	struct ssdpm_diagnosis *d;

	d = ssdpm__found(e, SSDPM_DIAGNOSIS_APST_OFF, SSDPM_SEVERITY_PROBLEM,
			 "APST is off: pm_qos_latency_tolerance_us is 0%s",
			 is_by_parameter(e) ?
				 ", as nvme_core.default_ps_max_latency_us is" :
				 "");
	advise_number(e, d, LINUX_LIMIT_US);
	ssdpm__conclude(e, SAVING_NO,
			"APST is switched off by a latency tolerance of 0");
}

/* Without the file of the limit Linux has no APST for this drive. */
static void say_no_apst(struct examination *e, const struct sleep *s)
{
	const struct ssdpm_model_info *info =
		e->model ? ssdpm_model_get_info(e->model) : NULL;
	bool known = info && !(info->unknown & SSDPM_INFO_APSTA);

	if (s->quirks & SSDPM_QUIRK_NO_APST) {
		ssdpm__conclude(e, SAVING_NO,
				"quirk no-apst keeps it in operational states");
		return;
	}
	ssdpm__found(e, SSDPM_DIAGNOSIS_NO_APST, SSDPM_SEVERITY_PROBLEM,
		     "no APST: %s",
		     !known ? "there is no pm_qos_latency_tolerance_us, so "
			      "the drive does not have it, or a quirk is "
			      "against it" :
		     info->apsta ?
			      "the drive has it (APSTA 1), but there is no "
			      "pm_qos_latency_tolerance_us: a quirk of Linux "
			      "is against it" :
			      "the drive does not have it (APSTA 0)");
	ssdpm__conclude(e, SAVING_NO,
			"the drive does not sleep by itself, as "
			"Linux has no APST for it");
}

/* Linux builds a table when the limit changes: another one, then this one. */
static void advise_rebuild(const struct examination *e, const struct sleep *s,
			   struct ssdpm_diagnosis *d)
{
	ssdpm__advise(d, SSDPM_REMEDY_REBUILD_TABLE);
	advise_write(e, d, !s->params.max_exit_latency_us);
	advise_write(e, d, s->params.max_exit_latency_us);
}

/* A table that is switched off keeps awake a drive that could sleep. */
static uint32_t severity_of_table(const struct examination *e,
				  const struct sleep *s)
{
	return e->table->enabled || !has_entries(&s->built) ?
		       SSDPM_SEVERITY_NOTE :
		       SSDPM_SEVERITY_PROBLEM;
}

static void say_differs(struct examination *e, const struct sleep *s)
{
	uint32_t differ = ssdpm_apst_diff(e->table, &s->built);
	const uint32_t severity = severity_of_table(e, s);
	struct ssdpm_diagnosis *d;
	uint32_t first = 0;

	if (!differ && e->table->enabled == s->built.enabled)
		return;
	while (differ && !(differ & 1u << first))
		first++;
	if (differ)
		d = ssdpm__found(
			e, SSDPM_DIAGNOSIS_TABLE_DIFFERS, severity,
			"the table in force is not what this kernel "
			"builds now: from PS%u to PS%u after %s, not "
			"to PS%u after %s",
			first, e->table->entries[first].target,
			ssdpm_us_to_text(1000ull *
					 e->table->entries[first].idle_ms)
				.text,
			s->built.entries[first].target,
			ssdpm_us_to_text(1000ull *
					 s->built.entries[first].idle_ms)
				.text);
	else
		d = ssdpm__found(e, SSDPM_DIAGNOSIS_TABLE_DIFFERS, severity,
				 "APST is %s, and this kernel would switch it "
				 "%s now",
				 e->table->enabled ? "on" : "off",
				 s->built.enabled ? "on" : "off");
	ssdpm__is_cause(e, d);
	advise_rebuild(e, s, d);
}

/* Would it be used with these? */
static bool would_use(const struct examination *e,
		      const struct ssdpm_apst_params *params, uint32_t state)
{
	struct ssdpm_apst table;

	return !ssdpm_apst_generate(e->model, params, &table, NULL) &&
	       is_used(&table, state);
}

/* Linux's default where that lets it in, else the least that does. */
static void advise_limit(struct examination *e, const struct sleep *s,
			 uint32_t state, struct ssdpm_diagnosis *d)
{
	struct ssdpm_apst_params params = s->params;
	const uint64_t limits[] = { LINUX_LIMIT_US,
				    s->states[state].exit_latency_us };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		params.max_exit_latency_us = limits[i];
		if (!would_use(e, &params, state))
			continue;
		advise_number(e, d, limits[i]);
		return;
	}
}

/* With which tolerance? Only one that was tried and does it is named. */
static void advise_tolerance(struct examination *e, const struct sleep *s,
			     uint32_t state, struct ssdpm_diagnosis *d)
{
	struct ssdpm_apst_params params = s->params;
	uint64_t total = total_us(&s->states[state]);
	uint32_t exit_us = s->states[state].exit_latency_us;
	bool timeout = !params.secondary_timeout_ms;
	bool tolerance = params.secondary_latency_tolerance_us < total;
	bool limit = params.max_exit_latency_us < exit_us;
	char text[24];

	if (timeout)
		params.secondary_timeout_ms = LINUX_SECONDARY_MS;
	if (tolerance)
		params.secondary_latency_tolerance_us = total;
	if (limit)
		params.max_exit_latency_us = exit_us;
	if (!would_use(e, &params, state))
		return;
	ssdpm__advise(d, SSDPM_REMEDY_LATENCY_TOLERANCE);
	d->state = state;
	d->wait_us = exit_us;
	snprintf(text, sizeof(text), "%d", LINUX_SECONDARY_MS);
	if (timeout)
		ssdpm__advise_value(d, text,
				    "nvme_core.apst_secondary_timeout_ms");
	snprintf(text, sizeof(text), "%llu", (unsigned long long)total);
	if (tolerance)
		ssdpm__advise_value(d, text,
				    "nvme_core.apst_secondary_latency_tol_us");
	if (limit)
		advise_write(e, d, exit_us);
}

static void say_too_slow(struct examination *e, const struct sleep *s,
			 uint32_t state, uint32_t severity)
{
	const struct ssdpm_apst_params *p = &s->params;
	bool secondary = p->secondary_timeout_ms &&
			 p->secondary_latency_tolerance_us >
				 p->primary_latency_tolerance_us;
	struct ssdpm_diagnosis *d;

	d = ssdpm__found(
		e, SSDPM_DIAGNOSIS_STATE_NOT_USED, severity,
		"PS%u never: entry+exit %s > %s in "
		"nvme_core.apst_%s_latency_tol_us%s",
		state, ssdpm_us_to_text(total_us(&s->states[state])).text,
		ssdpm_us_to_text(secondary ? p->secondary_latency_tolerance_us :
					     p->primary_latency_tolerance_us)
			.text,
		secondary ? "secondary" : "primary",
		p->secondary_timeout_ms ?
			"" :
			", and nvme_core.apst_secondary_timeout_ms is 0");
	advise_tolerance(e, s, state, d);
}

/* One state that the drive could sleep in, and does not. */
static void say_not_used(struct examination *e, const struct sleep *s,
			 const struct ssdpm_apst_verdict *verdict)
{
	uint32_t state = verdict->state;
	uint32_t severity = state > s->deepest ? SSDPM_SEVERITY_PROBLEM :
						 SSDPM_SEVERITY_NOTE;
	struct ssdpm_diagnosis *d;

	if (verdict->verdict == SSDPM_VERDICT_TOTAL_TOO_SLOW) {
		say_too_slow(e, s, state, severity);
	} else if (verdict->verdict == SSDPM_VERDICT_EXIT_TOO_SLOW) {
		d = ssdpm__found(e, SSDPM_DIAGNOSIS_STATE_NOT_USED, severity,
				 "PS%u not used: %s in "
				 "pm_qos_latency_tolerance_us",
				 state, verdict->reason);
		advise_limit(e, s, state, d);
	} else if (verdict->verdict == SSDPM_VERDICT_USED) {
		ssdpm__found(e, SSDPM_DIAGNOSIS_STATE_NOT_USED, severity,
			     "PS%u not used: no entry of the table in force "
			     "leads to it",
			     state);
	} else if (verdict->verdict == SSDPM_VERDICT_NO_GAIN) {
		ssdpm__found(e, SSDPM_DIAGNOSIS_STATE_NOT_USED, severity,
			     "PS%u never: %s", state, verdict->reason);
	}
}

static void say_states(struct examination *e, const struct sleep *s)
{
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];

	if (ssdpm_apst_explain(e->model, &s->params, verdicts, SSDPM_MAX_STATES,
			       NULL))
		return;
	for (uint32_t i = 0; i < s->n_states; i++)
		if (is_non_operational(s, i) && !is_used(s->table, i))
			say_not_used(e, s, &verdicts[i]);
}

/* How many states sleep, and how many of them the limit keeps out. */
static void count(const struct sleep *s, uint32_t *ret_sleep,
		  uint32_t *ret_slow)
{
	*ret_sleep = *ret_slow = 0;
	for (size_t i = 0; i < s->n_states; i++) {
		if (!is_non_operational(s, i))
			continue;
		++*ret_sleep;
		*ret_slow += s->states[i].exit_latency_us >
			     s->params.max_exit_latency_us;
	}
}

static void say_empty(struct examination *e, const struct sleep *s)
{
	struct ssdpm_diagnosis *d;
	uint32_t n_sleep, n_slow;
	char all[40];

	count(s, &n_sleep, &n_slow);
	if (!n_sleep) {
		ssdpm__found(e, SSDPM_DIAGNOSIS_NO_NON_OPERATIONAL,
			     SSDPM_SEVERITY_NOTE,
			     "all %zu power states are operational: there is "
			     "none that APST could enter",
			     s->n_states);
		ssdpm__conclude(e, SAVING_NO, "no state to sleep in");
		return;
	}
	snprintf(all, sizeof(all), "all %u states exit", n_sleep);
	if (n_slow == n_sleep)
		d = ssdpm__found(
			e, SSDPM_DIAGNOSIS_APST_EMPTY, SSDPM_SEVERITY_PROBLEM,
			"APST enabled but empty: %s slower than the limit "
			"of %s",
			n_sleep == 1 ? "the only state exits" :
			n_sleep == 2 ? "both states exit" :
				       all,
			limit_words(s->params.max_exit_latency_us).text);
	else
		d = ssdpm__found(
			e, SSDPM_DIAGNOSIS_APST_EMPTY, SSDPM_SEVERITY_PROBLEM,
			"APST enabled but empty: none of the %u states to "
			"sleep in is used",
			n_sleep);
	/* Findings on the states have what to do about a limit. */
	if (has_entries(&s->built))
		advise_rebuild(e, s, d);
	ssdpm__conclude(e, SAVING_NO, "APST is on, but its table is empty");
}

static void say_resets(struct examination *e, const struct sleep *s)
{
	uint32_t count = e->facts->reset_count, keep;
	struct ssdpm_diagnosis *d;
	uint64_t limit_us = 0;

	if (!(e->facts->known & SSDPM_FACT_RESET_COUNT) || !count)
		return;
	d = ssdpm__found(e, SSDPM_DIAGNOSIS_RESETS, SSDPM_SEVERITY_NOTE,
			 "%u reset%s since it was found: a drive that fails to "
			 "wake is reset, but so is one with other faults, or "
			 "one that comes back from a suspend",
			 count, count == 1 ? "" : "s");
	if (!s->deepest || !e->model || !s->has_built)
		return;
	for (keep = s->deepest - 1; keep && !is_non_operational(s, keep);)
		keep--;
	if (keep &&
	    ssdpm_apst_keep(e->model, &s->params, keep, &limit_us, NULL))
		limit_us = 0;
	ssdpm__advise(d, SSDPM_REMEDY_LEAVE_STATE_OUT);
	d->state = s->deepest;
	advise_write(e, d, limit_us);
}

/* "sleeps in PS4 (5 mW by its table) after 2.1 s idle" */
static void conclude_sleeps(struct examination *e, const struct sleep *s)
{
	char power[48] = "";

	if (s->deepest < s->n_states) {
		const struct ssdpm_power_state *state = &s->states[s->deepest];

		if (state->idle_power_uw)
			snprintf(power, sizeof(power), " (%s)",
				 ssdpm_uw_to_text(state->idle_power_uw).text);
		else if (state->max_power_uw)
			snprintf(power, sizeof(power), " (%s by its table)",
				 ssdpm_uw_to_text(state->max_power_uw).text);
	}
	ssdpm__conclude(
		e, SAVING_YES, "sleeps in PS%u%s after %s idle%s%s", s->deepest,
		power, ssdpm_us_to_text(1000 * s->idle_ms).text,
		e->table ? "" : ", by the table that this kernel builds",
		e->model && ssdpm_model_get_info(e->model)->provenance ==
					SSDPM_PROVENANCE_CATALOGUE ?
			" (states from the catalogue)" :
			"");
}

/* The known facts of the table decide. */
static void judge_table(struct examination *e, struct sleep *s)
{
	s->table = e->table ? e->table : s->has_built ? &s->built : NULL;
	if (!s->table) {
		ssdpm__conclude(e, SAVING_UNKNOWN, "%s",
				e->model ? s->error.message :
					   "the power states of this drive are "
					   "not known");
		if (!e->model)
			ssdpm__advise(e->found, SSDPM_REMEDY_IDENTIFY);
		return;
	}
	follow(s);
	if (e->table && s->has_built)
		say_differs(e, s);
	if (s->deepest)
		conclude_sleeps(e, s);
	else if (!s->table->enabled)
		ssdpm__conclude(e, SAVING_NO, "APST is switched off");
	else if (s->has_built)
		say_empty(e, s);
	else
		ssdpm__conclude(e, SAVING_NO,
				"APST is on, but its table is empty");
	if (s->has_built && s->table->enabled)
		say_states(e, s);
}

static uint32_t power_of(const struct sleep *s, uint32_t state)
{
	return state < s->n_states ? s->states[state].max_power_uw : 0;
}

void ssdpm__diagnose_nvme(struct examination *e)
{
	const struct ssdpm_device_facts *facts = e->facts;
	struct sleep s = { 0 };

	find_quirks(e, &s);
	say_quirks(e, &s);
	say_forced(e, &s);
	build(e, &s);
	if (facts->state[0] && strcmp(facts->state, "live") != 0) {
		ssdpm__found(e, SSDPM_DIAGNOSIS_NOT_LIVE,
			     SSDPM_SEVERITY_UNKNOWN,
			     "the controller is %s, not live: a new limit "
			     "waits for its next reset",
			     facts->state);
		ssdpm__conclude(e, SAVING_UNKNOWN, "the controller is %s",
				facts->state);
	} else if (facts->flags & SSDPM_DEVICE_LIMIT_UNREAD) {
		ssdpm__conclude(e, SAVING_UNKNOWN,
				"its latency limit cannot be read");
	} else if (!ssdpm__has_limit(facts)) {
		say_no_apst(e, &s);
	} else if (!facts->latency_tolerance_us &&
		   !(e->table && e->table->enabled)) {
		say_off(e);
	} else {
		judge_table(e, &s);
	}
	say_resets(e, &s);
	ssdpm__diagnose_link(e, s.deepest, power_of(&s, s.deepest));
	ssdpm__diagnose_suspend(e, s.quirks);
}
