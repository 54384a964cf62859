/* SPDX-License-Identifier: MIT */
/*
 * One rule of lib/data/quirks.ini, which says what the keys mean, or of a text
 * of the same format that a caller brings.
 */
#include "base/glob.h"
#include "base/text.h"
#include "policy/quirks.h"

#include <errno.h>
#include <string.h>

/* Keys that are no fact but a part of the rule follow the facts. */
enum {
	KEY_QUIRKS = N_FACTS,
	KEY_LINUX,
	KEY_ABSENT,
	KEY_SOURCE,
};

struct quirk_key {
	char letter; /* in the packed text */
	uint8_t id;  /* enum fact, or one of the above */
	char name[22];
};

static const struct quirk_key keys[] = {
	{ 'q', KEY_QUIRKS, "quirks" },
	{ 'p', FACT_PRODUCT, "product" },
	{ 'l', KEY_LINUX, "linux" },
	{ 's', KEY_SOURCE, "source" },
	{ 'a', KEY_ABSENT, "absent" },
	{ 'f', FACT_FIRMWARE, "firmware" },
	{ 'v', FACT_VENDOR, "vendor" },
	{ 'c', FACT_PCI, "pci" },
	{ 'd', FACT_PCI_PRODUCT, "pci.product" },
	{ 'e', FACT_PCI_PERHAPS, "pci.perhaps" },
	{ 'O', FACT_BOARD_NAME, "dmi.board_name" },
	{ 'B', FACT_BOARD_VENDOR, "dmi.board_vendor" },
	{ 'S', FACT_SYS_VENDOR, "dmi.sys_vendor" },
	{ 'N', FACT_PRODUCT_NAME, "dmi.product_name" },
	{ 'V', FACT_PRODUCT_VERSION, "dmi.product_version" },
	{ 'D', FACT_BIOS_DATE, "dmi.bios_before" },
	{ 'g', FACT_GENERATIONS, "sata_generations" },
};

enum { N_KEYS = sizeof(keys) / sizeof(keys[0]) };

const char *ssdpm__fact_name(enum fact fact)
{
	static const char *const names[N_FACTS] = {
		[FACT_VENDOR] = "vendor_id",
		[FACT_PRODUCT] = "product",
		[FACT_FIRMWARE] = "firmware",
		[FACT_GENERATIONS] = "sata_generations",
		[FACT_PCI] = "pci_device_id",
		[FACT_PCI_PRODUCT] = "product",
		[FACT_PCI_PERHAPS] = "product",
		[FACT_SYS_VENDOR] = "sys_vendor",
		[FACT_PRODUCT_NAME] = "product_name",
		[FACT_PRODUCT_VERSION] = "product_version",
		[FACT_BOARD_VENDOR] = "board_vendor",
		[FACT_BOARD_NAME] = "board_name",
		[FACT_BIOS_DATE] = "bios_date",
		[FACT_RELEASE] = "linux_release",
	};

	return names[fact];
}

static struct span span_of(const char *text)
{
	return ssdpm__span(text, strlen(text));
}

static enum fit fit_if(bool fits)
{
	return fits ? FIT_YES : FIT_NO;
}

/* "6.12.117" and whatever follows, as 6012117. false: it is no release. */
static bool parse_release(struct span text, uint32_t *ret_release)
{
	uint64_t major, minor, patch = 0;

	if (!ssdpm__take_uint(&text, 999, &major) || !major ||
	    !ssdpm__take(&text, ".") || !ssdpm__take_uint(&text, 999, &minor))
		return false;
	if (ssdpm__take(&text, ".") && !ssdpm__take_uint(&text, 999, &patch))
		return false;
	*ret_release = (uint32_t)(major * 1000000 + minor * 1000 + patch);
	return true;
}

/* "04/06/2018" as 20180406; 0: it is no date. */
static uint32_t parse_bios_date(struct span text)
{
	uint64_t month, day, year;

	if (!ssdpm__take_uint(&text, 12, &month) || !ssdpm__take(&text, "/") ||
	    !ssdpm__take_uint(&text, 31, &day) || !ssdpm__take(&text, "/") ||
	    !ssdpm__take_uint(&text, 9999, &year) || year < 1980)
		return 0;
	return (uint32_t)(year * 10000 + month * 100 + day);
}

int ssdpm__facts(const struct ssdpm_model_info *info,
		 const struct ssdpm_host *host, struct facts *ret_facts,
		 struct ssdpm_error *reterr)
{
	struct facts facts = { .info = info };
	int err = ssdpm__sized_in(&facts.host, sizeof(facts.host), host,
				  "ssdpm_host", reterr);

	if (err)
		return err;
	if (facts.host.linux_release &&
	    !parse_release(span_of(facts.host.linux_release), &facts.release))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "linux_release: no release of Linux, as in "
				   "6.12.117");
	if (facts.host.bios_date)
		facts.bios_date =
			parse_bios_date(span_of(facts.host.bios_date));
	*ret_facts = facts;
	return 0;
}

/* Four hexadecimal digits. */
static bool take_hex4(struct span *text, uint32_t *ret_value)
{
	uint32_t value = 0;

	if (text->end - text->at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		char c = *text->at++;

		if (c >= '0' && c <= '9')
			value = value * 16 + (uint32_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + (uint32_t)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			value = value * 16 + (uint32_t)(c - 'A' + 10);
		else
			return false;
	}
	*ret_value = value;
	return true;
}

/* The vendor on the bus is that of Identify (NVMe Base, VID). */
static bool judge_pci(const struct facts *facts, struct span value,
		      enum fit *ret_fit)
{
	uint32_t vendor, device;

	if (!take_hex4(&value, &vendor) || value.at == value.end ||
	    *value.at++ != ':' || !take_hex4(&value, &device) ||
	    value.at != value.end)
		return false;
	if (facts->host.pci_vendor_id)
		*ret_fit = fit_if(facts->host.pci_vendor_id == vendor &&
				  facts->host.pci_device_id == device);
	else if (facts->info->unknown & SSDPM_INFO_VENDOR_ID)
		*ret_fit = FIT_MAYBE;
	else
		*ret_fit =
			facts->info->vendor_id == vendor ? FIT_MAYBE : FIT_NO;
	return true;
}

static bool judge_vendor(const struct facts *facts, struct span value,
			 enum fit *ret_fit)
{
	uint32_t vendor;

	if (!take_hex4(&value, &vendor) || value.at != value.end)
		return false;
	*ret_fit = facts->info->unknown & SSDPM_INFO_VENDOR_ID ?
			   FIT_MAYBE :
			   fit_if(facts->info->vendor_id == vendor);
	return true;
}

static bool judge_generations(const struct facts *facts, struct span value,
			      enum fit *ret_fit)
{
	uint64_t generation;
	uint32_t mask = 0;

	while (value.at < value.end) {
		if (!ssdpm__take_uint(&value, 3, &generation) || !generation)
			return false;
		mask |= 1u << generation;
	}
	*ret_fit = facts->info->unknown & SSDPM_INFO_SATA_GENERATIONS ?
			   FIT_MAYBE :
			   fit_if(facts->info->sata_generations == mask);
	return true;
}

static bool judge_bios_date(const struct facts *facts, struct span value,
			    enum fit *ret_fit)
{
	uint64_t before;

	if (!ssdpm__take_uint(&value, 99991231, &before) ||
	    value.at != value.end || before < 19800101)
		return false;
	*ret_fit = facts->bios_date ? fit_if(facts->bios_date < before) :
				      FIT_MAYBE;
	return true;
}

/* The text that a pattern is held against; NULL: unknown. */
static const char *text_of(const struct facts *facts, enum fact fact)
{
	switch (fact) {
	case FACT_FIRMWARE:
		return facts->info->unknown & SSDPM_INFO_FIRMWARE ?
			       NULL :
			       facts->info->firmware;
	case FACT_SYS_VENDOR:
		return facts->host.sys_vendor;
	case FACT_PRODUCT_NAME:
		return facts->host.product_name;
	case FACT_PRODUCT_VERSION:
		return facts->host.product_version;
	case FACT_BOARD_VENDOR:
		return facts->host.board_vendor;
	case FACT_BOARD_NAME:
		return facts->host.board_name;
	default:
		return facts->info->unknown & SSDPM_INFO_PRODUCT ?
			       NULL :
			       facts->info->product;
	}
}

/* false: this is no value for such a key. */
static bool judge(const struct facts *facts, enum fact fact, struct span value,
		  enum fit *ret_fit)
{
	const char *text;

	switch (fact) {
	case FACT_PCI:
		return judge_pci(facts, value, ret_fit);
	case FACT_VENDOR:
		return judge_vendor(facts, value, ret_fit);
	case FACT_GENERATIONS:
		return judge_generations(facts, value, ret_fit);
	case FACT_BIOS_DATE:
		return judge_bios_date(facts, value, ret_fit);
	default:
		text = text_of(facts, fact);
		*ret_fit = text ? fit_if(ssdpm__glob(value, span_of(text))) :
				  FIT_MAYBE;
		return true;
	}
}

static bool take_quirks(struct span value, bool packed, uint32_t *ret_quirks)
{
	struct span word;
	uint32_t bit;

	*ret_quirks = 0;
	for (; packed && value.at < value.end; value.at++)
		*ret_quirks |= 1u << (*value.at - '0');
	if (ssdpm__span_is(value, "none"))
		return true;
	while (ssdpm__take_word(&value, &word)) {
		bit = ssdpm__span_value(word, ssdpm_quirk_from_string);
		if (!bit)
			return false;
		*ret_quirks |= bit;
	}
	return true;
}

/* false: this is no value for such a key. */
static bool take_value(struct rule *rule, const struct facts *facts,
		       bool packed, int id, struct span value)
{
	/* Releases of a sound text, for which nobody asks. */
	bool is_idle = packed && !facts->release;
	enum fit fit;

	switch (id) {
	case KEY_QUIRKS:
		return take_quirks(value, packed, &rule->quirks);
	case KEY_LINUX:
		rule->linux_release = value;
		return is_idle || parse_release(value, &rule->since);
	case KEY_ABSENT:
		return is_idle || parse_release(value, &rule->absent);
	case KEY_SOURCE:
		rule->source = value;
		return true;
	default:
		if (!judge(facts, (enum fact)id, value, &fit))
			return false;
		if (fit > rule->fits[id])
			rule->fits[id] = fit;
		return true;
	}
}

static const struct quirk_key *find_letter(char letter)
{
	for (int i = 0; i < N_KEYS; i++)
		if (keys[i].letter == letter)
			return &keys[i];
	return NULL;
}

/* "key = value": value is what is left. */
static const struct quirk_key *take_key(struct span *line)
{
	struct span name;

	if (!ssdpm__ini_take_key(*line, &name, line))
		return NULL;
	for (int i = 0; i < N_KEYS; i++)
		if (ssdpm__span_is(name, keys[i].name))
			return &keys[i];
	return NULL;
}

static int take_line(struct rules *rules, const struct facts *facts,
		     struct span line, struct rule *rule,
		     struct ssdpm_error *reterr)
{
	const struct quirk_key *key;

	if (rules->packed) {
		key = find_letter(*line.at);
		line.at++;
	} else {
		key = take_key(&line);
	}
	if (!key)
		return ssdpm__fail(reterr, -EINVAL, rules->lines.line,
				   "neither a key of a rule with its value, "
				   "nor the head of a rule, [KIND NAME]");
	if (key->id >= N_FACTS && (rule->given & (1u << key->id)))
		return ssdpm__fail(reterr, -EINVAL, rules->lines.line,
				   "%s: given twice in one rule", key->name);
	if (line.at == line.end ||
	    !take_value(rule, facts, rules->packed, key->id, line))
		return ssdpm__fail(reterr, -EINVAL, rules->lines.line,
				   "%s: this is no value for it", key->name);
	rule->given |= 1u << key->id;
	return 0;
}

static bool is_given(const struct rule *rule, int id)
{
	return rule->given & (1u << id);
}

/* The product stands for the PCI id that nobody told. */
static enum fit fit_of_pci(const struct rule *rule)
{
	const enum fit *fits = rule->fits;

	if (fits[FACT_PCI] != FIT_MAYBE || (!is_given(rule, FACT_PCI_PRODUCT) &&
					    !is_given(rule, FACT_PCI_PERHAPS)))
		return fits[FACT_PCI];
	if (fits[FACT_PCI_PRODUCT] == FIT_YES)
		return FIT_YES;
	return fits[FACT_PCI_PRODUCT] || fits[FACT_PCI_PERHAPS] ? FIT_MAYBE :
								  FIT_NO;
}

/*
 * A release may have the rule if it is newer than the last one without it, and
 * older than the first one with it.
 */
static enum fit fit_of_release(const struct rule *rule,
			       const struct facts *facts)
{
	if (!facts->release || facts->release >= rule->since)
		return FIT_YES;
	return is_given(rule, KEY_ABSENT) && facts->release <= rule->absent ?
		       FIT_NO :
		       FIT_MAYBE;
}

static void judge_all(struct rule *rule, const struct facts *facts)
{
	rule->fits[FACT_PCI] = fit_of_pci(rule);
	rule->fits[FACT_RELEASE] = fit_of_release(rule, facts);
	rule->given |= 1u << FACT_RELEASE;
	rule->given &= ~(1u << FACT_PCI_PRODUCT | 1u << FACT_PCI_PERHAPS);
	rule->fit = facts->info->kind == SSDPM_KIND_NVME ?
			    fit_if(rule->kind == RULE_NVME) :
			    fit_if(rule->kind != RULE_NVME);
	for (int i = 0; i < N_FACTS; i++)
		if (is_given(rule, i) && rule->fits[i] < rule->fit)
			rule->fit = rule->fits[i];
}

static int check_rule(const struct rule *rule, struct ssdpm_error *reterr)
{
	if (!is_given(rule, KEY_QUIRKS))
		return ssdpm__fail(reterr, -EINVAL, rule->line,
				   "a rule without quirks");
	if (is_given(rule, KEY_ABSENT) && rule->absent >= rule->since)
		return ssdpm__fail(reterr, -EINVAL, rule->line,
				   "a rule with absent, but without linux or "
				   "not before it");
	if (!is_given(rule, FACT_PCI) && (is_given(rule, FACT_PCI_PRODUCT) ||
					  is_given(rule, FACT_PCI_PERHAPS)))
		return ssdpm__fail(reterr, -EINVAL, rule->line,
				   "a rule with pci.product or pci.perhaps, "
				   "but without pci");
	if (rule->kind != RULE_NVME &&
	    (is_given(rule, FACT_PCI) || is_given(rule, FACT_VENDOR)))
		return ssdpm__fail(reterr, -EINVAL, rule->line,
				   "pci and vendor are for rules of the kind "
				   "nvme");
	return 0;
}

/* "[nvme Kingston A2000]", or "[nKingston A2000". */
static int take_head(const struct rules *rules, struct span line,
		     struct rule *ret_rule, struct ssdpm_error *reterr)
{
	struct span kind;

	memset(ret_rule, 0, sizeof(*ret_rule));
	ret_rule->line = rules->lines.line;
	if (rules->packed) {
		line.at++;
		ret_rule->kind = (enum rule_kind) * line.at++;
		ret_rule->name = line;
		return 0;
	}
	if (!ssdpm__ini_take_head(line, &line))
		return ssdpm__fail(reterr, -EINVAL, rules->lines.line,
				   "no ] at the end");
	if (!ssdpm__take_word(&line, &kind) || line.at == line.end ||
	    (!ssdpm__span_is(kind, "nvme") && !ssdpm__span_is(kind, "sata") &&
	     !ssdpm__span_is(kind, "ahci")))
		return ssdpm__fail(reterr, -EINVAL, rules->lines.line,
				   "a rule begins with its kind and its name, "
				   "as in [nvme NAME]; the kind is nvme, sata "
				   "or ahci");
	ret_rule->kind = (enum rule_kind) * kind.at;
	ret_rule->name = line;
	return 0;
}

/* Vendor and PCI ids come first in a packed rule, and nothing mends them. */
static bool is_out(const struct rule *rule)
{
	const uint32_t ids = 1u << FACT_PCI | 1u << FACT_VENDOR;

	return (rule->given & ids) && (rule->given & ~ids) &&
	       !rule->fits[FACT_PCI] && !rule->fits[FACT_VENDOR];
}

/* The lines after the head, up to the next head. */
static int take_body(struct rules *rules, const struct facts *facts,
		     struct rule *rule, struct ssdpm_error *reterr)
{
	struct lines before = rules->lines;
	struct span line;
	int err;

	while (ssdpm__next_line(&rules->lines, &line)) {
		if (!ssdpm__ini_is_empty(line) && *line.at == '[') {
			rules->lines = before;
			break;
		}
		before = rules->lines;
		if (ssdpm__ini_is_empty(line) ||
		    (rules->packed && is_out(rule)))
			continue;
		err = take_line(rules, facts, line, rule, reterr);
		if (err)
			return err;
	}
	err = rules->packed ? 0 : check_rule(rule, reterr);
	if (!err)
		judge_all(rule, facts);
	return err;
}

int ssdpm__next_rule(struct rules *rules, const struct facts *facts,
		     struct rule *ret_rule, struct ssdpm_error *reterr)
{
	struct span line;
	int err;

	do {
		if (!ssdpm__next_line(&rules->lines, &line))
			return 0;
	} while (ssdpm__ini_is_empty(line));
	if (*line.at != '[')
		return ssdpm__fail(reterr, -EINVAL, rules->lines.line,
				   "a rule begins with [KIND NAME]");
	err = take_head(rules, line, ret_rule, reterr);
	if (!err)
		err = take_body(rules, facts, ret_rule, reterr);
	return err ? err : 1;
}
