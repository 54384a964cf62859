/* SPDX-License-Identifier: MIT */
/* Settings of Linux as suspects: their steps from what a drive has. */
#include "bisect/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ssdpm/device.h>
#include <ssdpm/policy.h>

#include "base/internal.h"
#include "base/text.h"
#include "base/words.h"

#define LATENCY ":latency_us"
#define LPM ":lpm"
#define LINK ":link"
#define QUEUE_DEPTH ":queue_depth"

static const char bisect_setting_words[][14] = {
	[SSDPM_BISECT_LATENCY_LIMIT] = "latency-limit",
	[SSDPM_BISECT_LPM] = "lpm",
	[SSDPM_BISECT_LINK] = "pcie-link",
	[SSDPM_BISECT_QUEUE_DEPTH] = "queue-depth",
};
ENUM_WORDS(bisect_setting)

static const char bisect_exposure_words[][11] = {
	[SSDPM_BISECT_ENTRIES] = "entries",
	[SSDPM_BISECT_IDLE_TIMES] = "idle-times",
	[SSDPM_BISECT_IOS] = "ios",
};
ENUM_WORDS(bisect_exposure)

/* What follows the drive in the name of a suspect. */
static const char settings[][16] = {
	[SSDPM_BISECT_LATENCY_LIMIT] = LATENCY,
	[SSDPM_BISECT_LPM] = LPM,
	[SSDPM_BISECT_LINK] = LINK,
	[SSDPM_BISECT_QUEUE_DEPTH] = QUEUE_DEPTH,
};

/* The steps of a setting, as words. */
struct setting_steps {
	size_t n;
	char words[SSDPM_BISECT_STEPS][SSDPM_BISECT_WORD];
};

static int add_setting(struct ssdpm_bisect *bisect, const char *drive,
		       const char *setting, const struct setting_steps *steps,
		       struct ssdpm_error *reterr)
{
	const char *words[SSDPM_BISECT_STEPS];
	char name[2 * SSDPM_BISECT_WORD];

	if (!drive || strnlen(drive, SSDPM_BISECT_WORD) == SSDPM_BISECT_WORD ||
	    strchr(drive, ':'))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a suspect needs the name of a drive");
	if (steps->n < 2)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "no setting of it saves power");
	for (size_t i = 0; i < steps->n; i++)
		words[i] = steps->words[i];
	snprintf(name, sizeof(name), "%s%s", drive, setting);
	return ssdpm_bisect_add_suspect(bisect, name, words, steps->n, reterr);
}

static void add_limit(struct setting_steps *steps, uint64_t limit_us)
{
	char *word = steps->words[steps->n++];

	if (limit_us == SSDPM_LATENCY_ANY)
		ssdpm__bisect_put_word(word, "any");
	else
		snprintf(word, SSDPM_BISECT_WORD, "%llu",
			 (unsigned long long)limit_us);
}

static bool is_state_to_sleep_in(const struct ssdpm_power_state *state)
{
	return state->flags & SSDPM_STATE_NON_OPERATIONAL;
}

/* Linux takes an exit latency that is not reported for 0: any limit allows it.
 */
static uint64_t least_limit(const struct ssdpm_power_state *state)
{
	return state->unknown & SSDPM_FIELD_EXIT_LATENCY ||
			       !state->exit_latency_us ?
		       1 :
		       state->exit_latency_us;
}

/* The next higher limit that allows one more state; 0: none. */
static uint64_t next_limit(const struct ssdpm_model *model, uint64_t above_us)
{
	uint64_t next_us = 0;
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	for (size_t i = 0; i < n; i++) {
		const uint64_t us = least_limit(&states[i]);

		if (is_state_to_sleep_in(&states[i]) && us > above_us &&
		    (!next_us || us < next_us))
			next_us = us;
	}
	return next_us;
}

/* The tables of a drive, by their limits. */
struct limit_tables {
	const struct ssdpm_model *model;
	struct ssdpm_apst_params params;
	struct ssdpm_apst last; /* of the last step so far */
};

/* Without an entry no state is entered, whether or not APST is on. */
static bool is_same_table(const struct ssdpm_apst *a,
			  const struct ssdpm_apst *b)
{
	return !memcmp(a->entries, b->entries, sizeof(a->entries));
}

static int make_table(const struct limit_tables *tables, uint64_t limit_us,
		      uint32_t quirks, struct ssdpm_apst *ret_table,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_apst_params params = tables->params;

	params.max_exit_latency_us = limit_us;
	params.quirks |= quirks;
	return ssdpm_apst_generate(tables->model, &params, ret_table, reterr);
}

/* A limit with the table of the step before is no step. */
static int add_table(struct limit_tables *tables, uint64_t limit_us,
		     struct setting_steps *steps, struct ssdpm_error *reterr)
{
	struct ssdpm_apst table;
	int err = make_table(tables, limit_us, 0, &table, reterr);

	if (err || (steps->n && is_same_table(&table, &tables->last)))
		return err;
	add_limit(steps, limit_us);
	tables->last = table;
	return 0;
}

/* No APST, each deeper table, and the limit of today. */
static int find_limits(struct limit_tables *tables, struct setting_steps *steps,
		       struct ssdpm_error *reterr)
{
	const uint64_t today_us = tables->params.max_exit_latency_us;
	uint64_t us = 0;
	int err = 0;

	do {
		err = add_table(tables, us, steps, reterr);
		us = next_limit(tables->model, us);
	} while (!err && us && us < today_us &&
		 steps->n < SSDPM_BISECT_STEPS - 1);
	if (!err)
		err = add_table(tables, today_us, steps, reterr);
	/* It has the table of a lower limit. */
	if (!err && steps->n > 1) {
		steps->n--;
		add_limit(steps, today_us);
	}
	return err;
}

/* A number as the library writes it, or "any". */
static bool parse_limit(const char *word, uint64_t *ret_us)
{
	struct span span = ssdpm__span(word, strlen(word));
	char again[SSDPM_BISECT_WORD];

	if (!strcmp(word, "any")) {
		*ret_us = SSDPM_LATENCY_ANY;
		return true;
	}
	if (!ssdpm__take_uint(&span, SSDPM_LATENCY_ANY - 1, ret_us))
		return false;
	snprintf(again, sizeof(again), "%llu", (unsigned long long)*ret_us);
	return !strcmp(word, again);
}

/* Does the quirk of Linux make the table of the last step that of the one
 * before? One that is in force changes nothing.
 */
static bool helps_without_deepest(const struct limit_tables *tables,
				  const struct setting_steps *steps)
{
	struct ssdpm_apst lower, without;
	uint64_t lower_us;

	return parse_limit(steps->words[steps->n - 2], &lower_us) &&
	       !make_table(tables, lower_us, 0, &lower, NULL) &&
	       !make_table(tables, tables->params.max_exit_latency_us,
			   SSDPM_QUIRK_NO_DEEPEST_PS, &without, NULL) &&
	       is_same_table(&lower, &without);
}

int ssdpm_bisect_add_latency_limit(struct ssdpm_bisect *bisect,
				   const char *drive,
				   const struct ssdpm_model *model,
				   const struct ssdpm_apst_params *params,
				   struct ssdpm_error *reterr)
{
	struct limit_tables tables = { .model = model };
	struct setting_steps steps = { 0 };
	int err;

	if (!model || !params)
		return ssdpm__missing(model ? "params" : "model", reterr);
	ssdpm_apst_params_init(&tables.params, sizeof(tables.params));
	err = ssdpm__sized_in(&tables.params, sizeof(tables.params), params,
			      "ssdpm_apst_params", reterr);
	if (!err)
		err = find_limits(&tables, &steps, reterr);
	if (!err)
		err = add_setting(bisect, drive, LATENCY, &steps, reterr);
	if (!err)
		bisect->suspects[bisect->n_suspects - 1].deepest =
			helps_without_deepest(&tables, &steps);
	return err;
}

int ssdpm_bisect_add_lpm(struct ssdpm_bisect *bisect, const char *drive,
			 uint32_t lpm, struct ssdpm_error *reterr)
{
	struct setting_steps steps = { 0 };

	if (!ssdpm_lpm_to_string(lpm))
		return ssdpm__fail(reterr, -EINVAL, 0, "%u is no link policy",
				   lpm);
	/* Partial alone is no deeper than what comes before it. */
	for (uint32_t i = SSDPM_LPM_MAX_PERFORMANCE;
	     lpm > SSDPM_LPM_MAX_PERFORMANCE && i <= lpm; i++)
		if (i == lpm || i != SSDPM_LPM_MIN_POWER_WITH_PARTIAL)
			ssdpm__bisect_put_word(steps.words[steps.n++],
					       ssdpm_lpm_to_string(i));
	return add_setting(bisect, drive, LPM, &steps, reterr);
}

/* From the one that saves least; a substate is part of L1. */
const struct bisect_link_feature ssdpm__bisect_link_features[] = {
	{ SSDPM_PCIE_FEATURE_L0S, "link/l0s_aspm" },
	{ SSDPM_PCIE_FEATURE_L1, "link/l1_aspm" },
	{ SSDPM_PCIE_FEATURE_CLKPM, "link/clkpm" },
	{ SSDPM_PCIE_FEATURE_L1_1, "link/l1_1_aspm" },
	{ SSDPM_PCIE_FEATURE_L1_1_PCIPM, "link/l1_1_pcipm" },
	{ SSDPM_PCIE_FEATURE_L1_2, "link/l1_2_aspm" },
	{ SSDPM_PCIE_FEATURE_L1_2_PCIPM, "link/l1_2_pcipm" },
};

int ssdpm_bisect_add_link(struct ssdpm_bisect *bisect, const char *drive,
			  uint32_t features, struct ssdpm_error *reterr)
{
	struct setting_steps steps = { 0 };

	ssdpm__bisect_put_word(steps.words[steps.n++], "off");
	for (size_t i = 0; i < BISECT_LINK_FEATURES; i++)
		if (features & ssdpm__bisect_link_features[i].feature)
			ssdpm__bisect_put_word(
				steps.words[steps.n++],
				ssdpm_pcie_feature_to_string(
					ssdpm__bisect_link_features[i]
						.feature));
	return add_setting(bisect, drive, LINK, &steps, reterr);
}

int ssdpm_bisect_add_queue_depth(struct ssdpm_bisect *bisect, const char *drive,
				 uint32_t queue_depth,
				 struct ssdpm_error *reterr)
{
	struct setting_steps steps = { 0 };

	ssdpm__bisect_put_word(steps.words[steps.n++], "1");
	if (queue_depth > 1)
		add_limit(&steps, queue_depth);
	return add_setting(bisect, drive, QUEUE_DEPTH, &steps, reterr);
}

static uint32_t setting_of(const char *name)
{
	name += strcspn(name, ":");
	for (uint32_t i = 1; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (!strcmp(name, settings[i]))
			return i;
	return 0;
}

uint32_t ssdpm_bisect_get_setting(const struct ssdpm_bisect *bisect,
				  size_t suspect)
{
	const char *name = ssdpm_bisect_get_suspect(bisect, suspect);

	return name ? setting_of(name) : 0;
}

static bool rank_feature(const char *word, uint64_t *ret_rank)
{
	const uint32_t feature = ssdpm_pcie_feature_from_string(word);

	*ret_rank = 0;
	if (!strcmp(word, "off"))
		return true;
	for (size_t i = 0; i < BISECT_LINK_FEATURES; i++)
		if (ssdpm__bisect_link_features[i].feature == feature)
			*ret_rank = i + 1;
	return *ret_rank > 0;
}

/* How much a step allows; false: it is no step of the setting. */
static bool rank_step(uint32_t setting, const char *word, uint64_t *ret_rank)
{
	if (setting == SSDPM_BISECT_LINK)
		return rank_feature(word, ret_rank);
	if (setting != SSDPM_BISECT_LPM)
		return parse_limit(word, ret_rank);
	*ret_rank = ssdpm_lpm_from_string(word);
	return *ret_rank > 0;
}

/* Each step allows more than the one before it; the first is the safest. */
int ssdpm__bisect_check_steps(const char *name, const char *const *steps,
			      size_t n, struct ssdpm_error *reterr)
{
	static const uint64_t first[] = {
		[SSDPM_BISECT_LATENCY_LIMIT] = 0,
		[SSDPM_BISECT_LPM] = SSDPM_LPM_MAX_PERFORMANCE,
		[SSDPM_BISECT_LINK] = 0,
		[SSDPM_BISECT_QUEUE_DEPTH] = 1,
	};
	const uint32_t setting = setting_of(name);
	uint64_t rank, last = 0;

	for (size_t i = 0; setting && i < n; i++) {
		if (!rank_step(setting, steps[i], &rank) ||
		    (i ? rank <= last : rank != first[setting]))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "suspect %s: '%s' is no step of it, "
					   "or not in its place",
					   name, steps[i]);
		last = rank;
	}
	return 0;
}

static bool is_same_drive(const char *a, const char *b)
{
	const size_t n = strcspn(a, ":");

	return n == strcspn(b, ":") && !memcmp(a, b, n);
}

/* The rarest of a drive: each idle time has an I/O, and so on. */
static uint32_t exposure_of(const struct ssdpm_bisect *bisect, const char *name)
{
	uint32_t exposure = SSDPM_BISECT_IOS;

	for (size_t i = 0; i < bisect->n_suspects; i++) {
		const char *other = bisect->suspects[i].name;
		const uint32_t setting = setting_of(other);

		if (!is_same_drive(name, other) ||
		    setting == SSDPM_BISECT_QUEUE_DEPTH)
			continue;
		if (setting != SSDPM_BISECT_LINK)
			return SSDPM_BISECT_ENTRIES;
		exposure = SSDPM_BISECT_IDLE_TIMES;
	}
	return exposure;
}

uint32_t ssdpm_bisect_get_exposure(const struct ssdpm_bisect *bisect)
{
	uint32_t exposure = SSDPM_BISECT_ENTRIES;

	for (size_t i = 0; i < bisect->n_suspects; i++) {
		const uint32_t one =
			exposure_of(bisect, bisect->suspects[i].name);

		if (one > exposure)
			exposure = one;
	}
	return exposure;
}
