/* SPDX-License-Identifier: MIT */
/*
 * Finds oddities in a model, and explains their effect. Each rule gives one
 * line with the numbers and the consequence.
 */
#include <ssdpm/energy/lint.h>

#include "base/internal.h"
#include "base/json-text.h"
#include "base/words.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static_assert(sizeof(struct ssdpm_finding) == 256, "frozen");

/* Linux 5.14 and later, nvme_core: apst_secondary_latency_tol_us. */
#define NEVER_ENTERED_ABOVE_US 100000
/* The least operational latency whose sum is noticeable. */
#define SLOW_OPERATIONAL_US 1000
/* The power of a PCI Express slot without a cable (PCIe CEM, x16). */
#define ABSURD_ABOVE_UW 75000000
/* The slowest of 1,141 tables of real drives has 7 s. */
#define ABSURD_FROM_US 10000000

/* The rules run twice: they count while list is NULL, then write. */
struct report {
	const struct ssdpm_model *model;
	const struct ssdpm_model_info *info;
	const struct ssdpm_power_state *states;
	uint32_t n_states;
	uint32_t n_tables; /* of this firmware, in the catalogue */
	struct ssdpm_finding *list;
	size_t n;
};

static void find(struct report *report, uint32_t code, uint32_t state,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

static void find(struct report *report, uint32_t code, uint32_t state,
		 const char *format, ...)
{
	struct ssdpm_finding *finding;
	va_list args;

	if (report->list) {
		finding = &report->list[report->n];
		*finding = (struct ssdpm_finding){
			.code = code,
			.state = state,
		};
		va_start(args, format);
		vsnprintf(finding->message, sizeof(finding->message), format,
			  args);
		va_end(args);
	}
	report->n++;
}

static bool is_asleep(const struct ssdpm_power_state *state)
{
	return state->flags & SSDPM_STATE_NON_OPERATIONAL;
}

static bool knows_latencies(const struct ssdpm_power_state *state)
{
	return !(state->unknown &
		 (SSDPM_FIELD_ENTRY_LATENCY | SSDPM_FIELD_EXIT_LATENCY));
}

/* Valid only if knows_latencies(). */
static uint64_t total_us(const struct ssdpm_power_state *state)
{
	return (uint64_t)state->entry_latency_us + state->exit_latency_us;
}

/* The nearest shallower state that sleeps, or NULL. */
static const struct ssdpm_power_state *asleep_above(const struct report *report,
						    uint32_t i, uint32_t *ret_j)
{
	while (i-- > 0)
		if (is_asleep(&report->states[i])) {
			*ret_j = i;
			return &report->states[i];
		}
	return NULL;
}

/* Compares with the nearest shallower state whose maximum is known. */
static void check_power_order(struct report *report, uint32_t i)
{
	const uint32_t power_uw = report->states[i].max_power_uw;
	uint32_t j = i, above_uw = 0;

	while (j > 0 && !above_uw)
		above_uw = report->states[--j].max_power_uw;
	if (!power_uw || !above_uw || power_uw < above_uw)
		return;
	if (power_uw == above_uw)
		find(report, SSDPM_FINDING_EQUAL_POWER, i,
		     "PS%u: maximum %s, the same as PS%u: by the drive's own "
		     "numbers nothing is gained by it",
		     i, ssdpm_uw_to_text(power_uw).text, j);
	else
		find(report, SSDPM_FINDING_RISING_POWER, i,
		     "PS%u: maximum %s, more than %s of PS%u above it: the "
		     "order of the states, which is all that APST goes by, is "
		     "not that of their powers",
		     i, ssdpm_uw_to_text(power_uw).text,
		     ssdpm_uw_to_text(above_uw).text, j);
}

static void check_power(struct report *report, uint32_t i)
{
	const struct ssdpm_power_state *state = &report->states[i];

	check_power_order(report, i);
	if (!state->max_power_uw && !(state->unknown & SSDPM_FIELD_MAX_POWER))
		find(report, SSDPM_FINDING_ZERO_POWER, i,
		     "PS%u: maximum 0 W, which is how NVMe says not reported: "
		     "what the state saves is not known",
		     i);
	if (state->max_power_uw > ABSURD_ABOVE_UW)
		find(report, SSDPM_FINDING_ABSURD_POWER, i,
		     "PS%u: maximum %s > %s, all that a PCI Express slot "
		     "gives: the number or its scale is wrong, and so is any "
		     "estimate made with it",
		     i, ssdpm_uw_to_text(state->max_power_uw).text,
		     ssdpm_uw_to_text(ABSURD_ABOVE_UW).text);
}

static void check_absurd_latency(struct report *report, uint32_t i)
{
	const struct ssdpm_power_state *state = &report->states[i];
	const bool entry = state->entry_latency_us >= state->exit_latency_us;
	const uint32_t us =
		entry ? state->entry_latency_us : state->exit_latency_us;

	if (us >= ABSURD_FROM_US)
		find(report, SSDPM_FINDING_ABSURD_LATENCY, i,
		     "PS%u: %s %s; %s or more is no latency of an SSD: the "
		     "number is wrong, and what follows from it too",
		     i, entry ? "entry" : "exit", ssdpm_us_to_text(us).text,
		     ssdpm_us_to_text(ABSURD_FROM_US).text);
}

/*
 * NVMe Base, 8.1 Power Management: a transition takes the exit latency of the
 * old state and the entry latency of the new one.
 */
static void check_operational(struct report *report, uint32_t i)
{
	const struct ssdpm_power_state *state = &report->states[i];
	uint32_t j;

	if (state->entry_latency_us >= SLOW_OPERATIONAL_US)
		find(report, SSDPM_FINDING_SLOW_OPERATIONAL, i,
		     "PS%u: operational, yet entry takes %s: waking up into it "
		     "takes that on top of the exit latency, which alone "
		     "Linux's latency limit looks at",
		     i, ssdpm_us_to_text(state->entry_latency_us).text);
	else if (state->exit_latency_us >= SLOW_OPERATIONAL_US)
		find(report, SSDPM_FINDING_SLOW_OPERATIONAL, i,
		     "PS%u: operational, yet exit takes %s: each change from "
		     "it to another state takes that on top of the entry",
		     i, ssdpm_us_to_text(state->exit_latency_us).text);
	if (asleep_above(report, i, &j))
		find(report, SSDPM_FINDING_OPERATIONAL_AFTER_NON_OPERATIONAL, i,
		     "PS%u: operational, though PS%u above it is not: Linux's "
		     "tables lead only to deeper states, so the drive does not "
		     "get from PS%u to PS%u by itself",
		     i, j, i, j);
}

/* Reports that deeper, state i, is in some way faster than above, state j. */
static void say_faster(struct report *report,
		       const struct ssdpm_power_state *deeper, uint32_t i,
		       const struct ssdpm_power_state *above, uint32_t j)
{
	const struct ssdpm_quantity total = ssdpm_us_to_text(total_us(deeper));
	const struct ssdpm_quantity above_total =
		ssdpm_us_to_text(total_us(above));
	const struct ssdpm_quantity exit =
		ssdpm_us_to_text(deeper->exit_latency_us);
	const struct ssdpm_quantity above_exit =
		ssdpm_us_to_text(above->exit_latency_us);
	const uint32_t code = SSDPM_FINDING_DEEPER_EXITS_FASTER;

	if (total_us(deeper) > total_us(above))
		find(report, code, i,
		     "PS%u: exit %s, faster than PS%u above it (%s): no "
		     "latency limit keeps PS%u and drops PS%u",
		     i, exit.text, j, above_exit.text, j, i);
	else if (deeper->exit_latency_us > above->exit_latency_us)
		find(report, code, i,
		     "PS%u: entry+exit %s, faster than PS%u above it (%s): "
		     "Linux 5.14 and later uses PS%u only under a latency "
		     "limit that shuts PS%u out",
		     i, total.text, j, above_total.text, j, i);
	else
		find(report, code, i,
		     "PS%u: exit %s and entry+exit %s, while PS%u above it "
		     "takes %s and %s: Linux 5.14 and later never uses PS%u",
		     i, exit.text, total.text, j, above_exit.text,
		     above_total.text, j);
}

/* Latencies of 0 mean not reported, so they are not compared. */
static void check_faster(struct report *report, uint32_t i)
{
	const struct ssdpm_power_state *deeper = &report->states[i], *above;
	uint32_t j = i;

	if (!knows_latencies(deeper) || !total_us(deeper))
		return;
	while ((above = asleep_above(report, j, &j))) {
		if (!knows_latencies(above))
			continue;
		if (deeper->exit_latency_us >= above->exit_latency_us &&
		    total_us(deeper) >= total_us(above))
			continue;
		say_faster(report, deeper, i, above, j);
		return;
	}
}

static void check_non_operational(struct report *report, uint32_t i)
{
	const struct ssdpm_power_state *state = &report->states[i];

	if (knows_latencies(state) && !total_us(state))
		find(report, SSDPM_FINDING_ZERO_LATENCIES, i,
		     "PS%u: entry and exit 0, which is how NVMe says not "
		     "reported: Linux 5.14 and later takes it for instant, "
		     "Linux before makes a transition that is switched off",
		     i);
	check_faster(report, i);
	if (knows_latencies(state) && total_us(state) > NEVER_ENTERED_ABOVE_US)
		find(report, SSDPM_FINDING_NEVER_ENTERED, i,
		     "PS%u: entry+exit %s > %s: Linux 5.14 and later never "
		     "enters it, whatever the latency limit, unless "
		     "apst_secondary_latency_tol_us is raised",
		     i, ssdpm_us_to_text(total_us(state)).text,
		     ssdpm_us_to_text(NEVER_ENTERED_ABOVE_US).text);
}

/* Whether the power is unknown but has a range. */
static bool has_range(const struct report *report, uint32_t i, uint32_t field,
		      uint32_t *ret_low, uint32_t *ret_high)
{
	return (report->states[i].unknown & field) &&
	       !ssdpm_model_get_power_range(report->model, i, field, ret_low,
					    ret_high, NULL);
}

/*
 * How many states have neither a value nor a substitute range, and in how many
 * of these the drive reports none.
 */
static void count_idle(const struct report *report, uint32_t *ret_unknown,
		       uint32_t *ret_not_reported)
{
	uint32_t unknown = 0, not_reported = 0, low, high;

	for (uint32_t i = 0; i < report->n_states; i++) {
		const struct ssdpm_power_state *state = &report->states[i];

		if (has_range(report, i, SSDPM_FIELD_IDLE_POWER, &low, &high) &&
		    low)
			continue;
		unknown += !!(state->unknown & SSDPM_FIELD_IDLE_POWER);
		not_reported +=
			!!(state->not_reported & SSDPM_FIELD_IDLE_POWER);
	}
	*ret_unknown = unknown;
	*ret_not_reported = not_reported;
}

static void check_idle_power(struct report *report)
{
	const uint32_t format = report->info->format;
	uint32_t unknown, not_reported;

	count_idle(report, &unknown, &not_reported);
	if (!unknown)
		return;
	if (format == SSDPM_FORMAT_SMARTCTL_TEXT ||
	    format == SSDPM_FORMAT_SMARTCTL_JSON)
		find(report, SSDPM_FINDING_SMARTCTL_SOURCE, SSDPM_WHOLE_DRIVE,
		     "read from smartctl, which takes the scale of idle and "
		     "active power from the wrong bits: both are left out, and "
		     "an estimate has to assume them; nvme id-ctrl has them");
	else
		find(report, SSDPM_FINDING_IDLE_POWER_UNKNOWN,
		     SSDPM_WHOLE_DRIVE,
		     "idle power is not %s for %u of %u states: an estimate "
		     "has to assume it",
		     unknown == not_reported ? "reported" : "known", unknown,
		     report->n_states);
}

/*
 * nvme-cli 0.7 to 1.11 takes the fraction from the scale: issue 735. For a
 * power that is not reported but has that scale, it prints 0.02W.
 */
static void check_fractions(struct report *report, uint32_t i)
{
	static const char names[2][8] = { "idle", "active" };
	static const uint32_t fields[2] = { SSDPM_FIELD_IDLE_POWER,
					    SSDPM_FIELD_ACTIVE_POWER };
	uint32_t low, high;

	for (size_t j = 0; j < 2; j++) {
		if (!has_range(report, i, fields[j], &low, &high))
			continue;
		find(report, SSDPM_FINDING_FRACTION_LOST, i,
		     "PS%u: %s power %u.02W: nvme-cli 0.7 to 1.11 prints .02 "
		     "for any fraction: it is %s to %s%s; nvme-cli 1.12 or "
		     "later prints it",
		     i, names[j], low / 1000000,
		     low ? ssdpm_uw_to_text(low).text : "0",
		     ssdpm_uw_to_text(high).text,
		     low ? "" : " or not reported, and an estimate assumes it");
	}
}

static void check_apst(struct report *report)
{
	const struct ssdpm_model_info *info = report->info;
	uint32_t i = 0;

	while (i < report->n_states && !is_asleep(&report->states[i]))
		i++;
	if (i == report->n_states)
		find(report, SSDPM_FINDING_ONLY_OPERATIONAL, SSDPM_WHOLE_DRIVE,
		     "no state is non-operational: APST has nowhere to go, and "
		     "the drive never sleeps by itself");
	else if (!info->apsta && !(info->unknown & SSDPM_INFO_APSTA))
		find(report, SSDPM_FINDING_APSTA_ZERO, SSDPM_WHOLE_DRIVE,
		     "APSTA 0, though PS%u is non-operational: Linux sends no "
		     "APST table, so the drive sleeps only where somebody sets "
		     "its state",
		     i);
}

static void check_nvme(struct report *report)
{
	check_apst(report);
	check_idle_power(report);
	for (uint32_t i = 0; i < report->n_states; i++) {
		check_power(report, i);
		check_fractions(report, i);
		if (is_asleep(&report->states[i]))
			check_non_operational(report, i);
		else
			check_operational(report, i);
		check_absurd_latency(report, i);
	}
}

/*
 * ata_id_has_hipm() and ata_id_has_dipm() in include/linux/ata.h ignore words
 * that are not valid. Without HIPM or DIPM, ahci_set_lpm() and the drive leave
 * the link alone.
 */
static void check_sata(struct report *report)
{
	const struct ssdpm_model_info *info = report->info;
	const uint32_t lpm = SSDPM_SATA_HIPM | SSDPM_SATA_DIPM;

	if (!info->sata_words_valid &&
	    !(info->unknown & SSDPM_INFO_SATA_WORDS_VALID))
		find(report, SSDPM_FINDING_SATA_WORDS_INVALID,
		     SSDPM_WHOLE_DRIVE,
		     "words 76 to 79 of IDENTIFY DEVICE are not valid: Linux "
		     "takes the drive for one without HIPM, DIPM and DevSleep");
	else if (!((info->sata_supported | info->sata_supported_unknown) & lpm))
		find(report, SSDPM_FINDING_SATA_NO_LPM, SSDPM_WHOLE_DRIVE,
		     "neither HIPM nor DIPM: under every policy the link stays "
		     "active, and never gets to partial or slumber");
}

static void check(struct report *report)
{
	report->n = 0;
	if (report->info->kind == SSDPM_KIND_NVME)
		check_nvme(report);
	else
		check_sata(report);
	if (report->n_tables > 1)
		find(report, SSDPM_FINDING_TWO_TABLES, SSDPM_WHOLE_DRIVE,
		     "the catalogue has %u tables for firmware %s: what one "
		     "such drive says need not hold for another",
		     report->n_tables, report->info->firmware);
}

#define DIFFER(bit, member) \
	(!(unknown & SSDPM_FIELD_##bit) && x->member != y->member)

/* Whether states of the same number differ in two tables. */
static bool states_differ(const struct ssdpm_power_state *x,
			  const struct ssdpm_power_state *y)
{
	uint32_t unknown = x->unknown | y->unknown;

	return x->flags != y->flags || DIFFER(MAX_POWER, max_power_uw) ||
	       DIFFER(ACTIVE_POWER, active_power_uw) ||
	       DIFFER(IDLE_POWER, idle_power_uw) ||
	       DIFFER(ENTRY_LATENCY, entry_latency_us) ||
	       DIFFER(EXIT_LATENCY, exit_latency_us) ||
	       DIFFER(READ_THROUGHPUT_RANK, read_throughput_rank) ||
	       DIFFER(READ_LATENCY_RANK, read_latency_rank) ||
	       DIFFER(WRITE_THROUGHPUT_RANK, write_throughput_rank) ||
	       DIFFER(WRITE_LATENCY_RANK, write_latency_rank) ||
	       DIFFER(ACTIVE_POWER_WORKLOAD, active_power_workload) ||
	       DIFFER(EMERGENCY_POWER_FAIL_RECOVERY_TIME,
		      emergency_power_fail_recovery_time_us) ||
	       DIFFER(FORCED_QUIESCENCE_VAULT_TIME,
		      forced_quiescence_vault_time_us) ||
	       DIFFER(EMERGENCY_POWER_FAIL_VAULT_TIME,
		      emergency_power_fail_vault_time_us);
}

/* Whether two rows differ in a number that both have. */
static bool differ(const struct ssdpm_model *a, const struct ssdpm_model *b)
{
	const struct ssdpm_power_state *x, *y;
	size_t n, m;

	x = ssdpm_model_get_states(a, &n);
	y = ssdpm_model_get_states(b, &m);
	for (size_t i = 0; i < n && n == m; i++)
		if (states_differ(&x[i], &y[i]))
			return true;
	return n != m;
}

/* How many other tables exist besides that of match, up to a limit. */
static int count_others(const struct ssdpm_catalogue *catalogue,
			const struct ssdpm_model_info *info,
			const struct ssdpm_catalogue_match *match,
			uint32_t *ret_n, struct ssdpm_error *reterr)
{
	struct ssdpm_catalogue_match others[8];
	struct ssdpm_model *model, *other;
	uint32_t found = 0;
	size_t n = 8;
	int err;

	err = ssdpm_catalogue_get_model(catalogue, match->index, &model,
					reterr);
	if (err)
		return err;
	err = ssdpm_catalogue_find_alternatives(
		catalogue, info->product, info->firmware, others, &n, reterr);
	for (size_t i = 0; !err && i < n; i++) {
		err = ssdpm_catalogue_get_model(catalogue, others[i].index,
						&other, reterr);
		if (err)
			break;
		found += differ(model, other);
		ssdpm_model_unref(other);
	}
	ssdpm_model_unref(model);
	if (!err)
		*ret_n = found;
	return err;
}

/* How many tables the built-in catalogue has for this product and firmware. */
static int count_tables(const struct ssdpm_model_info *info, uint32_t *ret_n,
			struct ssdpm_error *reterr)
{
	struct ssdpm_catalogue_match match;
	struct ssdpm_catalogue *catalogue;
	uint32_t others = 0;
	int err;

	*ret_n = 0;
	if (!info->product[0] || !info->firmware[0])
		return 0;
	err = ssdpm_catalogue_new(NULL, 0, &catalogue, reterr);
	if (err)
		return err;
	if (!ssdpm_catalogue_find(catalogue, info->product, info->firmware,
				  &match, NULL) &&
	    match.exact) {
		err = count_others(catalogue, info, &match, &others, reterr);
		*ret_n = 1 + others;
	}
	ssdpm_catalogue_free(catalogue);
	return err;
}

int ssdpm_model_lint(const struct ssdpm_model *model,
		     struct ssdpm_finding **ret_findings, size_t *ret_n,
		     struct ssdpm_error *reterr)
{
	struct report report = { .model = model,
				 .info = ssdpm_model_get_info(model) };
	size_t n_states;
	int err;

	err = count_tables(report.info, &report.n_tables, reterr);
	if (err)
		return err;
	report.states = ssdpm_model_get_states(model, &n_states);
	report.n_states = (uint32_t)n_states;
	check(&report);
	if (report.n) {
		report.list = calloc(report.n, sizeof(*report.list));
		if (!report.list)
			return ssdpm__no_memory(reterr);
		check(&report);
	}
	*ret_findings = report.list;
	*ret_n = report.n;
	return 0;
}

static const char finding_code_words[][34] = {
	[SSDPM_FINDING_EQUAL_POWER] = "equal-power",
	[SSDPM_FINDING_RISING_POWER] = "rising-power",
	[SSDPM_FINDING_ZERO_POWER] = "zero-power",
	[SSDPM_FINDING_ABSURD_POWER] = "absurd-power",
	[SSDPM_FINDING_ZERO_LATENCIES] = "zero-latencies",
	[SSDPM_FINDING_DEEPER_EXITS_FASTER] = "deeper-exits-faster",
	[SSDPM_FINDING_NEVER_ENTERED] = "never-entered",
	[SSDPM_FINDING_SLOW_OPERATIONAL] = "slow-operational",
	[SSDPM_FINDING_ABSURD_LATENCY] = "absurd-latency",
	[SSDPM_FINDING_OPERATIONAL_AFTER_NON_OPERATIONAL] =
		"operational-after-non-operational",
	[SSDPM_FINDING_ONLY_OPERATIONAL] = "only-operational",
	[SSDPM_FINDING_APSTA_ZERO] = "apsta-zero",
	[SSDPM_FINDING_IDLE_POWER_UNKNOWN] = "idle-power-unknown",
	[SSDPM_FINDING_SMARTCTL_SOURCE] = "smartctl-source",
	[SSDPM_FINDING_SATA_WORDS_INVALID] = "sata-words-invalid",
	[SSDPM_FINDING_SATA_NO_LPM] = "sata-no-lpm",
	[SSDPM_FINDING_TWO_TABLES] = "two-tables",
	[SSDPM_FINDING_FRACTION_LOST] = "fraction-lost",
};
ENUM_WORDS(finding_code)

int ssdpm_findings_to_json(const struct ssdpm_finding *findings, size_t n,
			   char **ret_text, struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };

	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_begin(&w, "diagnosis", '[');
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_finding *f = &findings[i];

		ssdpm__json_begin(&w, NULL, '{');
		ssdpm__json_string(&w, "code",
				   ssdpm_finding_code_to_string(f->code));
		if (f->state == SSDPM_WHOLE_DRIVE)
			ssdpm__json_null(&w, "state");
		else
			ssdpm__json_uint(&w, "state", f->state);
		ssdpm__json_string(&w, "message", f->message);
		ssdpm__json_end(&w, '}');
	}
	ssdpm__json_end(&w, ']');
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}
