/* SPDX-License-Identifier: MIT */
/*
 * Profiles: what to set on AC and on battery. Those that are built in and those
 * of a user are read from texts of one form (ssdpm_policy(3), Profiles), anew
 * by each call.
 */
#include "policy/internal.h"
#include "base/text.h"
#include "base/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Profiles of one text. */
#define MAX_PROFILES 32

/* Keys that are no setting; settings are numbered as their bits. */
enum {
	KEY_LPM = 5,
	KEY_REASON,
	KEY_BASED_ON,
	N_KEYS,
};

static const char keys[N_KEYS][28] = {
	"max_exit_latency",
	"primary_timeout",
	"primary_latency_tolerance",
	"secondary_timeout",
	"secondary_latency_tolerance",
	"lpm",
	"reason",
	"based_on",
};

/* A name in a text, and its value. */
struct profile_entry {
	struct span name;
	struct ssdpm_profile_settings settings;
	bool says_something;
	uint16_t given[2]; /* on AC, on battery: bits of the keys */
};

struct profile_walk {
	struct lines lines;
	uint32_t source;
	struct span names[MAX_PROFILES];
	size_t n;
};

static struct profile_walk walk_of(const char *text, size_t bytes,
				   uint32_t source)
{
	return (struct profile_walk){ .lines.rest = ssdpm__span(text, bytes),
				      .source = source };
}

static struct profile_walk walk_of_built_in(uint32_t source)
{
	return walk_of(ssdpm__profiles, ssdpm__profiles_size, source);
}

/* The name becomes a word of a command, and a part of a path. */
static bool is_name(struct span name)
{
	if (name.at == name.end || name.end - name.at > 31 || *name.at == '-' ||
	    ssdpm__span_is(name, "auto"))
		return false;
	for (; name.at < name.end; name.at++)
		if (!(*name.at >= 'a' && *name.at <= 'z') &&
		    !(*name.at >= 'A' && *name.at <= 'Z') &&
		    !(*name.at >= '0' && *name.at <= '9') && *name.at != '-' &&
		    *name.at != '_')
			return false;
	return true;
}

/* "25ms": microseconds. false: it is none, or finer than one. */
static bool take_time(struct span value, uint64_t *ret_us)
{
	static const struct {
		char name[3];
		uint32_t divisor; /* millionths of it to a microsecond */
	} units[] = { { "us", 1000000 }, { "ms", 1000 }, { "s", 1 } };
	uint64_t millionths;

	if (!ssdpm__take_millionths(&value, UINT64_MAX, &millionths))
		return false;
	for (int i = 0; i < 3; i++) {
		if (!ssdpm__span_is(value, units[i].name))
			continue;
		*ret_us = millionths / units[i].divisor;
		return millionths % units[i].divisor == 0;
	}
	return false;
}

static uint64_t *value_of(struct ssdpm_profile_settings *settings, int key)
{
	switch (1 << key) {
	case SSDPM_PROFILE_MAX_EXIT_LATENCY:
		return &settings->max_exit_latency_us;
	case SSDPM_PROFILE_PRIMARY_TIMEOUT:
		return &settings->primary_timeout_ms;
	case SSDPM_PROFILE_PRIMARY_LATENCY_TOLERANCE:
		return &settings->primary_latency_tolerance_us;
	case SSDPM_PROFILE_SECONDARY_TIMEOUT:
		return &settings->secondary_timeout_ms;
	default:
		return &settings->secondary_latency_tolerance_us;
	}
}

/* "1,5s" */
static bool has_decimal_comma(struct span value)
{
	static const char digits[] = "0123456789";

	for (const char *at = value.at; at + 2 < value.end; at++)
		if (memchr(digits, at[0], 10) && at[1] == ',' &&
		    memchr(digits, at[2], 10))
			return true;
	return false;
}

bool ssdpm__is_timeout(uint32_t setting)
{
	return setting & (SSDPM_PROFILE_PRIMARY_TIMEOUT |
			  SSDPM_PROFILE_SECONDARY_TIMEOUT);
}

bool ssdpm__profile_takes(uint32_t setting, uint64_t value)
{
	if (ssdpm__is_timeout(setting))
		return value <= SSDPM_APST_MAX_IDLE_MS;
	return value <= SSDPM_LATENCY_MAX ||
	       (setting == SSDPM_PROFILE_MAX_EXIT_LATENCY &&
		value == SSDPM_LATENCY_ANY);
}

/* NULL, or what is wrong with it. */
static const char *set_time(struct ssdpm_profile_settings *settings, int key,
			    struct span value)
{
	const uint32_t setting = 1u << key;
	const bool is_timeout = ssdpm__is_timeout(setting);
	uint64_t us;

	if (setting == SSDPM_PROFILE_MAX_EXIT_LATENCY &&
	    ssdpm__span_is(value, "any"))
		us = SSDPM_LATENCY_ANY;
	else if (!take_time(value, &us))
		return has_decimal_comma(value) ?
			       "write a point for the decimals, as in 1.5s" :
			       "write a time with its unit, as in 500us, 25ms "
			       "or 2s";
	else if (is_timeout && us % 1000)
		return "a timeout has whole milliseconds";
	else if (!ssdpm__profile_takes(setting, is_timeout ? us / 1000 : us))
		return is_timeout ? "too long: a table holds up to 16777215ms" :
				    "too long: Linux takes up to 2147483646us";
	*value_of(settings, key) = is_timeout ? us / 1000 : us;
	return NULL;
}

static const char *set_lpms(struct ssdpm_profile_settings *settings,
			    struct span value)
{
	uint32_t n = 0, lpm;
	struct span word;

	while (ssdpm__take_word(&value, &word)) {
		lpm = ssdpm__span_value(word, ssdpm_lpm_from_string);
		if (lpm < SSDPM_LPM_MAX_PERFORMANCE)
			return "not a policy that can be set: "
			       "max_performance, medium_power, "
			       "med_power_with_dipm, min_power_with_partial, "
			       "min_power";
		for (uint32_t i = 0; i < n; i++)
			if (settings->lpms[i] == lpm)
				return "a policy is named twice";
		settings->lpms[n++] = lpm;
	}
	settings->n_lpms = n;
	return NULL;
}

const char *ssdpm__profile_set(struct ssdpm_profile_settings *settings,
			       uint32_t key, struct span value)
{
	const char *fault;

	if (key == KEY_REASON)
		return ssdpm__span_copy(value, settings->reason,
					sizeof(settings->reason)) ?
			       NULL :
			       "longer than 247 characters";
	fault = key == KEY_LPM ? set_lpms(settings, value) :
				 set_time(settings, (int)key, value);
	if (!fault)
		settings->set |= 1u << key;
	return fault;
}

static int next_entry(struct profile_walk *walk,
		      struct profile_entry *ret_entry,
		      struct ssdpm_error *reterr);

static bool find_built_in(struct span name, uint32_t source,
			  struct ssdpm_profile_settings *ret_settings)
{
	struct profile_walk walk = walk_of_built_in(source);
	struct profile_entry entry;

	while (next_entry(&walk, &entry, NULL) > 0) {
		if (!ssdpm__span_is_same(entry.name, name))
			continue;
		*ret_settings = entry.settings;
		return true;
	}
	return false;
}

static const char *base(struct profile_entry *entry, uint32_t source,
			struct span name)
{
	if (entry->given[0] || entry->given[1])
		return "comes first in a profile";
	if (!find_built_in(name, source, &entry->settings))
		return "write performance, balanced or power-saver";
	entry->given[0] = entry->given[1] = 1u << KEY_BASED_ON;
	return NULL;
}

uint32_t ssdpm__take_sources(struct span *key)
{
	static const char prefixes[2][9] = { "ac.", "battery." };

	for (uint32_t i = 0; i < 2; i++) {
		size_t length = strlen(prefixes[i]);

		if ((size_t)(key->end - key->at) < length ||
		    memcmp(key->at, prefixes[i], length) != 0)
			continue;
		key->at += length;
		return 1u << i;
	}
	return 3;
}

static int find_key(struct span name)
{
	for (int key = 0; key < N_KEYS; key++)
		if (ssdpm__span_is(name, keys[key]))
			return key;
	return -1;
}

uint32_t ssdpm__profile_key(struct span name)
{
	int key = find_key(name);

	return key < 0 || key > KEY_LPM ? UINT32_MAX : (uint32_t)key;
}

uint64_t ssdpm__profile_value(const struct ssdpm_profile_settings *settings,
			      int key)
{
	struct ssdpm_profile_settings all = *settings;

	return *value_of(&all, key);
}

bool ssdpm__profile_is_same(const struct ssdpm_profile_settings *a,
			    const struct ssdpm_profile_settings *b)
{
	if (a->set != b->set)
		return false;
	for (int key = 0; key < KEY_LPM; key++)
		if (a->set >> key & 1 && ssdpm__profile_value(a, key) !=
						 ssdpm__profile_value(b, key))
			return false;
	if (!(a->set & SSDPM_PROFILE_LPM))
		return true;
	return a->n_lpms == b->n_lpms &&
	       !memcmp(a->lpms, b->lpms, a->n_lpms * sizeof(a->lpms[0]));
}

void ssdpm__profile_copy(struct ssdpm_profile_settings *to,
			 const struct ssdpm_profile_settings *from,
			 uint32_t set)
{
	for (int key = 0; key < KEY_LPM; key++)
		if (set >> key & 1)
			*value_of(to, key) = ssdpm__profile_value(from, key);
	if (set & SSDPM_PROFILE_LPM) {
		memcpy(to->lpms, from->lpms, sizeof(to->lpms));
		to->n_lpms = from->n_lpms;
	}
	to->set |= set;
}

static int fail_no_key(struct span line, uint32_t number,
		       struct ssdpm_error *reterr)
{
	struct span name, value;

	if (!ssdpm__ini_take_key(line, &name, &value))
		return ssdpm__fail(reterr, -EINVAL, number,
				   "neither KEY = VALUE nor the head of a "
				   "profile, [NAME]");
	return ssdpm__fail(
		reterr, -EINVAL, number,
		"%.*s: no key of a profile: max_exit_latency, "
		"primary_timeout, primary_latency_tolerance, "
		"secondary_timeout, secondary_latency_tolerance, "
		"lpm, reason, each with ac. or battery. before it or "
		"not; based_on",
		(int)(name.end - name.at < 24 ? name.end - name.at : 24),
		name.at);
}

static int take_line(const struct profile_walk *walk,
		     struct profile_entry *entry, struct span line,
		     struct ssdpm_error *reterr)
{
	uint32_t number = walk->lines.line, sources;
	struct ssdpm_profile_settings other = { 0 };
	struct span name, value;
	const char *fault;
	int key = -1;

	if (ssdpm__ini_take_key(line, &name, &value)) {
		sources = ssdpm__take_sources(&name);
		key = find_key(name);
	}
	if (key < 0 || (key == KEY_BASED_ON && sources != 3))
		return fail_no_key(line, number, reterr);
	for (int i = 0; i < 2; i++)
		if ((sources & (1u << i)) && (entry->given[i] & (1u << key)))
			return ssdpm__fail(reterr, -EINVAL, number,
					   "%s: given twice in one profile",
					   keys[key]);
	if (value.at == value.end)
		fault = "no value";
	else if (key == KEY_BASED_ON)
		fault = base(entry, walk->source, value);
	else /* Settings for the other source must be sound, too. */
		fault = ssdpm__profile_set(
			sources & walk->source ? &entry->settings : &other,
			(uint32_t)key, value);
	if (fault)
		return ssdpm__fail(
			reterr, -EINVAL, number, "%s = %.*s: %s", keys[key],
			(int)(value.end - value.at < 40 ? value.end - value.at :
							  40),
			value.at, fault);
	for (int i = 0; i < 2; i++)
		if (sources & (1u << i))
			entry->given[i] |= (uint16_t)(1u << key);
	entry->says_something |= key != KEY_REASON;
	return 0;
}

/* "[NAME]" */
static int take_head(struct profile_walk *walk, struct span line,
		     struct profile_entry *entry, struct ssdpm_error *reterr)
{
	uint32_t number = walk->lines.line;

	memset(entry, 0, sizeof(*entry));
	if (line.at == line.end || *line.at != '[' ||
	    !ssdpm__ini_take_head(line, &entry->name) || !is_name(entry->name))
		return ssdpm__fail(reterr, -EINVAL, number,
				   "a profile begins with [NAME]: at most 31 "
				   "letters, digits, - and _, not auto");
	for (size_t i = 0; i < walk->n; i++)
		if (ssdpm__span_is_same(walk->names[i], entry->name))
			return ssdpm__fail(reterr, -EINVAL, number,
					   "a profile of this name stands "
					   "before");
	if (walk->n == MAX_PROFILES)
		return ssdpm__fail(reterr, -E2BIG, number,
				   "more than %d profiles", MAX_PROFILES);
	walk->names[walk->n++] = entry->name;
	return 0;
}

static void finish(const struct profile_walk *walk, uint32_t line,
		   struct profile_entry *entry)
{
	struct ssdpm_profile_settings *settings = &entry->settings;

	/* That of the profile it is based on is about other values. */
	if (!(entry->given[walk->source - 1] & (1u << KEY_REASON)))
		snprintf(settings->reason, sizeof(settings->reason),
			 "line %u of the profiles gives no reason", line);
	settings->size = sizeof(*settings);
	settings->power_source = walk->source;
	ssdpm__span_copy(entry->name, settings->name, sizeof(settings->name));
}

/* 1: here it is; 0: there is none; -EINVAL, -E2BIG. */
static int next_entry(struct profile_walk *walk,
		      struct profile_entry *ret_entry,
		      struct ssdpm_error *reterr)
{
	struct lines before;
	struct span line;
	uint32_t head;
	int err;

	do {
		if (!ssdpm__next_line(&walk->lines, &line))
			return 0;
	} while (ssdpm__ini_is_empty(line));
	head = walk->lines.line;
	err = take_head(walk, line, ret_entry, reterr);
	while (!err) {
		before = walk->lines;
		if (!ssdpm__next_line(&walk->lines, &line))
			break;
		if (ssdpm__ini_is_empty(line))
			continue;
		if (*line.at == '[') {
			walk->lines = before;
			break;
		}
		err = take_line(walk, ret_entry, line, reterr);
	}
	if (!err && !ret_entry->says_something)
		err = ssdpm__fail(reterr, -EINVAL, head,
				  "a profile that sets nothing: give it a key, "
				  "as in max_exit_latency = 25ms");
	if (err)
		return err;
	finish(walk, head, ret_entry);
	return 1;
}

static bool is_known(const struct profile_walk *walk, struct span name)
{
	for (size_t i = 0; i < walk->n; i++)
		if (ssdpm__span_is_same(walk->names[i], name))
			return true;
	return false;
}

int ssdpm_profile_get_name(const char *text, size_t bytes, size_t index,
			   char ret_name[32], struct ssdpm_error *reterr)
{
	struct profile_walk user =
		walk_of(text, text ? bytes : 0, SSDPM_SOURCE_AC);
	struct profile_walk own = walk_of_built_in(SSDPM_SOURCE_AC);
	struct profile_entry entry;
	size_t n;
	int err;

	while ((err = next_entry(&user, &entry, reterr)) > 0)
		;
	if (err)
		return err;
	if (index < user.n) {
		ssdpm__span_copy(user.names[index], ret_name, 32);
		return 0;
	}
	n = user.n;
	while (next_entry(&own, &entry, NULL) > 0) {
		if (is_known(&user, entry.name) || n++ < index)
			continue;
		ssdpm__span_copy(entry.name, ret_name, 32);
		return 0;
	}
	return ssdpm__fail(reterr, -ERANGE, 0, "there are %zu profiles", n);
}

int ssdpm__profile_fail(const char *name, ssdpm__profile_name_fn get_name,
			const void *of, struct ssdpm_error *reterr)
{
	char names[160] = "", next[32];
	size_t length = 0;

	for (size_t i = 0; length + sizeof(next) + 2 < sizeof(names); i++) {
		if (get_name(of, i, next))
			break;
		length +=
			(size_t)snprintf(names + length, sizeof(names) - length,
					 "%s%s", i ? ", " : "", next);
	}
	return ssdpm__fail(reterr, -ENOENT, 0,
			   "unknown profile '%.31s'; expected %s", name, names);
}

struct profile_text {
	const char *text;
	size_t bytes;
};

static int get_name_in(const void *of, size_t index, char ret_name[32])
{
	const struct profile_text *in = of;

	return ssdpm_profile_get_name(in->text, in->bytes, index, ret_name,
				      NULL);
}

/* auto is the one name that is another profile on each source. */
static struct span wanted_name(const char *name, uint32_t power_source)
{
	if (!strcmp(name, "auto"))
		name = power_source == SSDPM_SOURCE_BATTERY ? "power-saver" :
							      "balanced";
	return ssdpm__span(name, strlen(name));
}

int ssdpm__profile_find_in(const char *text, size_t bytes, const char *name,
			   uint32_t power_source,
			   struct ssdpm_profile_settings *ret_settings,
			   struct ssdpm_error *reterr)
{
	struct profile_walk walk =
		walk_of(text, text ? bytes : 0, power_source);
	struct span wanted = wanted_name(name, power_source);
	struct profile_entry entry;
	int is_found = 0, err;

	/* To its end: a fault after the profile is a fault, too. */
	while ((err = next_entry(&walk, &entry, reterr)) > 0) {
		if (!ssdpm__span_is_same(entry.name, wanted))
			continue;
		*ret_settings = entry.settings;
		is_found = 1;
	}
	return err ? err : is_found;
}

int ssdpm__check_source(uint32_t power_source, struct ssdpm_error *reterr)
{
	if (ssdpm_power_source_to_string(power_source))
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0, "power_source: unknown value %u",
			   power_source);
}

int ssdpm__profile_check(const struct ssdpm_profile_settings *ret_settings,
			 uint32_t power_source, struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_check(ret_settings, sizeof(*ret_settings),
				     "ssdpm_profile_settings", reterr);

	return err ? err : ssdpm__check_source(power_source, reterr);
}

int ssdpm_profile_find(const char *text, size_t bytes, const char *name,
		       uint32_t power_source,
		       struct ssdpm_profile_settings *ret_settings,
		       struct ssdpm_error *reterr)
{
	const struct profile_text in = { text, bytes };
	struct ssdpm_profile_settings settings;
	int err = ssdpm__profile_check(ret_settings, power_source, reterr);

	if (err)
		return err;
	err = ssdpm__profile_find_in(text, bytes, name, power_source, &settings,
				     reterr);
	if (err < 0)
		return err;
	if (!err && !find_built_in(wanted_name(name, power_source),
				   power_source, &settings))
		return ssdpm__profile_fail(name, get_name_in, &in, reterr);
	ssdpm__sized_out(ret_settings, &settings, sizeof(settings));
	return 0;
}

static const char lpm_words[][23] = {
	[SSDPM_LPM_KEEP_FIRMWARE_SETTINGS] = "keep_firmware_settings",
	[SSDPM_LPM_MAX_PERFORMANCE] = "max_performance",
	[SSDPM_LPM_MEDIUM_POWER] = "medium_power",
	[SSDPM_LPM_MED_POWER_WITH_DIPM] = "med_power_with_dipm",
	[SSDPM_LPM_MIN_POWER_WITH_PARTIAL] = "min_power_with_partial",
	[SSDPM_LPM_MIN_POWER] = "min_power",
};
ENUM_WORDS(lpm)

static const char pcie_link_words[][5] = {
	[SSDPM_PCIE_L0] = "l0",
	[SSDPM_PCIE_L1] = "l1",
	[SSDPM_PCIE_L1_2] = "l1.2",
};
ENUM_WORDS(pcie_link)
