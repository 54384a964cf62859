/* SPDX-License-Identifier: MIT */
/* Words for algorithms: "linux:secondary-timeout=1s",
 * "windows:balanced:battery". */
#include "policy/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { N_TIMES = 5 };

/* The times that a word may give; their numbers are those of profiles. */
static const char time_words[N_TIMES][20] = {
	"limit",
	"primary-timeout",
	"primary-tolerance",
	"secondary-timeout",
	"secondary-tolerance",
};

/* Short names of these. */
static const char time_aliases[N_TIMES][20] = {
	[1] = "primary",
	[3] = "secondary",
};

static bool is_time_word(struct span key, uint32_t i)
{
	return ssdpm__span_is(key, time_words[i]) ||
	       (time_aliases[i][0] && ssdpm__span_is(key, time_aliases[i]));
}

struct apst_word {
	struct span rest; /* what follows the parts that were taken */
	struct ssdpm_apst_params params;
	struct ssdpm_profile_settings times;
	struct ssdpm_error *reterr;
};

/* Take the part before the next colon. */
static struct span take_part(struct span *rest)
{
	struct span part = *rest;

	while (rest->at < rest->end && *rest->at != ':')
		rest->at++;
	part.end = rest->at;
	rest->at += rest->at < rest->end;
	return part;
}

/* Take the next part if it is one of these words; 0: it is none. */
static uint32_t take_word(struct apst_word *word,
			  uint32_t (*from_string)(const char *))
{
	struct span rest = word->rest;
	uint32_t value = ssdpm__span_value(take_part(&rest), from_string);

	if (value)
		word->rest = rest;
	return value;
}

static void take_scheme(struct apst_word *word)
{
	uint32_t scheme = take_word(word, ssdpm_power_scheme_from_string);
	uint32_t source = 0;

	if (scheme) {
		word->params.scheme = scheme;
		source = take_word(word, ssdpm_power_source_from_string);
	}
	if (source)
		word->params.power_source = source;
}

/* "limit, primary, primary-timeout or ..." of the first times. */
static void list_times(uint32_t n_times, char *text, size_t size)
{
	size_t n = 0;

	for (uint32_t i = 0; i < n_times; i++) {
		if (time_aliases[i][0] && n < size)
			n += (size_t)snprintf(text + n, size - n, ", %s",
					      time_aliases[i]);
		if (n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%s",
					      !i	       ? "" :
					      i + 1 == n_times ? " or " :
								 ", ",
					      time_words[i]);
	}
}

static int fail_unknown(const struct apst_word *word, struct span key,
			uint32_t n_times)
{
	char expected[160];

	list_times(n_times, expected, sizeof(expected));
	return ssdpm__fail(
		word->reterr, -EINVAL, 0,
		"unknown parameter '%.*s' of %s; expected %s",
		(int)(key.end - key.at < 32 ? key.end - key.at : 32), key.at,
		ssdpm_apst_algorithm_to_string(word->params.algorithm),
		expected);
}

/* "secondary-timeout=1s" */
static int take_time(struct apst_word *word, struct span key, struct span value)
{
	/* Only Linux has more than the limit. */
	const uint32_t n =
		word->params.algorithm == SSDPM_APST_LINUX ? N_TIMES : 1;
	const char *fault;
	uint32_t i = 0;

	while (i < n && !is_time_word(key, i))
		i++;
	if (i == n)
		return fail_unknown(word, key, n);
	if (word->times.set >> i & 1)
		return ssdpm__fail(word->reterr, -EINVAL, 0,
				   "%s is given twice", time_words[i]);
	fault = ssdpm__profile_set(&word->times, i, value);
	if (!fault)
		return 0;
	return ssdpm__fail(
		word->reterr, -EINVAL, 0, "%.*s=%.*s: %s",
		(int)(key.end - key.at), key.at,
		(int)(value.end - value.at < 32 ? value.end - value.at : 32),
		value.at, fault);
}

/* What was not given stays. */
static void set_times(struct apst_word *word)
{
	struct ssdpm_apst_params *p = &word->params;
	const struct ssdpm_profile_settings *times = &word->times;

	if (times->set & SSDPM_PROFILE_MAX_EXIT_LATENCY)
		p->max_exit_latency_us = times->max_exit_latency_us;
	if (times->set & SSDPM_PROFILE_PRIMARY_TIMEOUT)
		p->primary_timeout_ms = times->primary_timeout_ms;
	if (times->set & SSDPM_PROFILE_PRIMARY_LATENCY_TOLERANCE)
		p->primary_latency_tolerance_us =
			times->primary_latency_tolerance_us;
	if (times->set & SSDPM_PROFILE_SECONDARY_TIMEOUT)
		p->secondary_timeout_ms = times->secondary_timeout_ms;
	if (times->set & SSDPM_PROFILE_SECONDARY_LATENCY_TOLERANCE)
		p->secondary_latency_tolerance_us =
			times->secondary_latency_tolerance_us;
}

static int fail_word(const struct apst_word *word, const char *text)
{
	return ssdpm__fail(
		word->reterr, -EINVAL, 0,
		"%.64s is no algorithm: write one as in linux, "
		"linux:secondary-timeout=1s or windows:balanced:battery",
		text);
}

static int parse(struct apst_word *word, const char *text)
{
	uint32_t algorithm = take_word(word, ssdpm_apst_algorithm_from_string);
	struct span part, key, value;
	int err = 0;

	if (!algorithm || word->rest.end[-1] == ':')
		return fail_word(word, text);
	word->params.algorithm = algorithm;
	if (algorithm == SSDPM_APST_WINDOWS)
		take_scheme(word);
	while (word->rest.at < word->rest.end && !err) {
		part = take_part(&word->rest);
		err = ssdpm__ini_take_key(part, &key, &value) ?
			      take_time(word, key, value) :
			      fail_word(word, text);
	}
	return err;
}

int ssdpm_apst_algorithm_parse(const char *word,
			       struct ssdpm_apst_params *params,
			       struct ssdpm_error *reterr)
{
	struct apst_word w = {
		.rest = ssdpm__span(word, strlen(word)),
		.params = { .size = sizeof(w.params) },
		.reterr = reterr,
	};
	int err = ssdpm__sized_in(&w.params, sizeof(w.params), params,
				  "ssdpm_apst_params", reterr);

	if (!err)
		err = parse(&w, word);
	if (err)
		return err;
	set_times(&w);
	ssdpm__sized_out(params, &w.params, sizeof(w.params));
	return 0;
}
