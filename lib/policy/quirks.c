/* SPDX-License-Identifier: MIT */
/* Which quirks Linux applies to a drive, and why. */
#include "policy/quirks.h"
#include "base/words.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(struct ssdpm_quirk_match) == 128, "frozen");

#define PCI_VENDOR_ATI 0x1002
#define PCI_VENDOR_AMD 0x1022

/*
 * What a rule gives. The names of libata's two conditions are quirks of the
 * drive; whether they forbid anything is up to the adapter.
 */
struct yield {
	uint32_t sure;
	uint32_t possible; /* sure ones too */
};

static struct yield yield_of(const struct rule *rule, const struct facts *facts)
{
	uint32_t adapter = facts->host.adapter_vendor_id;
	struct yield yield = { rule->quirks, rule->quirks };

	if (!(rule->quirks &
	      (SSDPM_QUIRK_NO_LPM_ON_ATI | SSDPM_QUIRK_NO_LPM_ON_ATI_AND_AMD)))
		return yield;
	if (!adapter)
		yield.possible |= SSDPM_QUIRK_NO_LPM;
	else if (adapter == PCI_VENDOR_ATI ||
		 (adapter == PCI_VENDOR_AMD &&
		  (rule->quirks & SSDPM_QUIRK_NO_LPM_ON_ATI_AND_AMD)))
		yield.sure |= SSDPM_QUIRK_NO_LPM;
	yield.possible |= yield.sure;
	return yield;
}

/* A walk over all rules: those of the caller, then those of the library. */
struct quirk_search {
	struct facts facts;
	struct rules rules;
	bool library; /* the walk has come to the library's rules */
	bool settled; /* a SATA rule fits: no other one counts */
};

static int start(struct quirk_search *search, const struct ssdpm_model *model,
		 const struct ssdpm_host *host, struct ssdpm_error *reterr)
{
	int err;

	memset(search, 0, sizeof(*search));
	err = ssdpm__facts(ssdpm_model_get_info(model), host, &search->facts,
			   reterr);
	if (!err && search->facts.host.rules)
		search->rules.lines.rest =
			ssdpm__span(search->facts.host.rules,
				    search->facts.host.rules_bytes);
	return err;
}

static void open_library(struct quirk_search *search)
{
	bool nvme = search->facts.info->kind == SSDPM_KIND_NVME;

	search->library = true;
	search->rules = (struct rules){ .packed = true };
	search->rules.lines.rest =
		nvme ? ssdpm__span(ssdpm__quirks_nvme,
				   ssdpm__quirks_nvme_size) :
		       ssdpm__span(ssdpm__quirks_sata, ssdpm__quirks_sata_size);
}

/* The next rule that fits or may fit. 1: here it is; 0: there is none. */
static int next(struct quirk_search *search, struct rule *ret_rule,
		struct ssdpm_error *reterr)
{
	int found;

	for (;;) {
		found = ssdpm__next_rule(&search->rules, &search->facts,
					 ret_rule, reterr);
		if (!found && !search->library) {
			open_library(search);
			continue;
		}
		if (found <= 0)
			return found;
		if (ret_rule->kind == RULE_SATA && search->settled)
			continue;
		if (ret_rule->fit == FIT_NO)
			continue;
		if (ret_rule->kind == RULE_SATA && ret_rule->fit == FIT_YES)
			search->settled = true;
		return 1;
	}
}

/*
 * The candidates are the SATA rules that may fit, up to the first one that
 * does. One of them counts; sure has what all of them give.
 */
int ssdpm_quirks_find(const struct ssdpm_model *model,
		      const struct ssdpm_host *host, uint32_t *ret_quirks,
		      uint32_t *ret_unknown, struct ssdpm_error *reterr)
{
	uint32_t sure = 0, possible = 0, by_all = UINT32_MAX;
	struct quirk_search search;
	struct yield yield;
	struct rule rule;
	int err;

	err = start(&search, model, host, reterr);
	if (err)
		return err;
	while ((err = next(&search, &rule, reterr)) > 0) {
		yield = yield_of(&rule, &search.facts);
		possible |= yield.possible;
		if (rule.kind == RULE_SATA)
			by_all &= yield.sure;
		else if (rule.fit == FIT_YES)
			sure |= yield.sure;
	}
	if (err)
		return err;
	if (search.settled)
		sure |= by_all;
	*ret_quirks = sure;
	if (ret_unknown)
		*ret_unknown = possible & ~sure;
	return 0;
}

/* Texts of callers may hold anything. */
static size_t add_span(char *text, size_t size, size_t length, struct span span)
{
	for (; span.at < span.end && length + 1 < size; span.at++)
		text[length++] =
			*span.at >= ' ' && *span.at <= '~' ? *span.at : '?';
	text[length] = 0;
	return length;
}

static size_t add(char *text, size_t size, size_t length, const char *more)
{
	return add_span(text, size, length, ssdpm__span(more, strlen(more)));
}

/* "Kingston A2000: Linux 5.10.223 and later, nvme_id_table" */
static void say(const struct quirk_search *search, const struct rule *rule,
		struct ssdpm_quirk_match *ret)
{
	const size_t size = sizeof(ret->reason);
	char *text = ret->reason, line[32];
	const char *before = "depends on ";
	size_t n = add_span(text, size, 0, rule->name);

	n = add(text, size, n, ": ");
	for (int i = 0; i < N_FACTS; i++) {
		if (!(rule->given & (1u << i)) || rule->fits[i] != FIT_MAYBE)
			continue;
		n = add(text, size, n, before);
		n = add(text, size, n, ssdpm__fact_name((enum fact)i));
		before = ", ";
	}
	if (rule->fit == FIT_YES && ret->unknown & SSDPM_QUIRK_NO_LPM)
		n = add(text, size, n, "depends on adapter_vendor_id; ");
	else if (rule->fit != FIT_YES)
		n = add(text, size, n, "; ");
	if (rule->linux_release.at) {
		n = add(text, size, n, "Linux ");
		n = add_span(text, size, n, rule->linux_release);
		n = add(text, size, n, " and later");
	}
	if (rule->source.at) {
		n = add(text, size, n, rule->linux_release.at ? ", " : "");
		add_span(text, size, n, rule->source);
	} else if (!search->library) {
		snprintf(line, sizeof(line), "%sline %u of the rules",
			 rule->linux_release.at ? ", " : "", rule->line);
		add(text, size, n, line);
	}
}

int ssdpm_quirks_explain(const struct ssdpm_model *model,
			 const struct ssdpm_host *host,
			 struct ssdpm_quirk_match *ret_matches, size_t capacity,
			 size_t *ret_n, struct ssdpm_error *reterr)
{
	uint32_t sure, unknown;
	struct quirk_search search;
	struct yield yield;
	struct rule rule;
	size_t n = 0;
	int err;

	err = ssdpm_quirks_find(model, host, &sure, &unknown, reterr);
	if (!err)
		err = start(&search, model, host, reterr);
	if (err)
		return err;
	while ((err = next(&search, &rule, reterr)) > 0) {
		struct ssdpm_quirk_match match = { 0 };

		yield = yield_of(&rule, &search.facts);
		match.quirks = yield.possible & sure;
		match.unknown = yield.possible & unknown;
		/* Another rule gives what is sure. */
		if (rule.fit == FIT_MAYBE)
			match.quirks = 0;
		if (!match.quirks && !match.unknown)
			continue;
		if (n == capacity)
			return ssdpm__fail(reterr, -E2BIG, 0,
					   "more than %zu rules fit", capacity);
		say(&search, &rule, &match);
		ret_matches[n++] = match;
	}
	if (!err)
		*ret_n = n;
	return err;
}

static const char quirk_words[][24] = {
	[FLAG(SSDPM_QUIRK_NO_APST)] = "no-apst",
	[FLAG(SSDPM_QUIRK_NO_DEEPEST_PS)] = "no-deepest-ps",
	[FLAG(SSDPM_QUIRK_SIMPLE_SUSPEND)] = "simple-suspend",
	[FLAG(SSDPM_QUIRK_FORCE_NO_SIMPLE_SUSPEND)] = "force-no-simple-suspend",
	[FLAG(SSDPM_QUIRK_NO_LPM)] = "no-lpm",
	[FLAG(SSDPM_QUIRK_NO_LPM_ON_ATI)] = "no-lpm-on-ati",
	[FLAG(SSDPM_QUIRK_NO_LPM_ON_ATI_AND_AMD)] = "no-lpm-on-ati-and-amd",
};
FLAG_WORDS(quirk)
