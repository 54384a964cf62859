/* SPDX-License-Identifier: MIT */
/*
 * What nvme id-ctrl prints, with and without -H, as people paste it.
 *
 * Source: nvme-print.c, later nvme-print-stdout.c, of nvme-cli 1.x and 2.x,
 * read for their wording:
 *
 *     ps    0 : mp:6.00W operational enlat:5 exlat:5 rrt:0 rrl:0
 *               rwt:0 rwl:0 idle_power:- active_power:3.10W
 *               active_power_workload:80K 128KiB SW
 *               emergency power fail recovery time: 6 (unit: 10 microseconds)
 *
 * Two decimals are a scale of 0.01 W, four of 0.0001 W. The scale of "not
 * reported" is a dash; a value of 0 means the same. A scale, a workload or a
 * time that NVMe does not define is "reserved". Latencies are printed as signed
 * numbers.
 */
#include "base/text.h"
#include "model/internal.h"

#include <errno.h>
#include <string.h>

#define FRACTION_UW 990000 /* the largest in units of 0.01 W */

struct nvme_text {
	struct ssdpm_model_info info;
	struct ssdpm_power_state states[SSDPM_MAX_STATES];
	size_t n_states;
	uint64_t npss;
	bool has_npss;
	uint32_t has_kind; /* bit n: PSn is operational, or it is not */
	struct power_ranges doubtful; /* N.02 W */
	bool prints_hundredths;
	const char *end;
	struct lines lines;
	struct ssdpm_error *reterr;
};

/* "ps    0 : mp:": leaves "mp:" and what comes after it. */
static bool take_ps(struct span *line, uint64_t *ret_index)
{
	struct span rest = *line, mp;
	uint64_t index;

	if (!ssdpm__take(&rest, "ps") ||
	    !ssdpm__take_uint(&rest, UINT32_MAX, &index) ||
	    !ssdpm__take(&rest, ":"))
		return false;
	mp = rest;
	if (!ssdpm__take(&mp, "mp:"))
		return false;
	*line = rest;
	*ret_index = index;
	return true;
}

bool ssdpm__is_nvme_cli_text(const char *text, size_t size)
{
	struct lines lines = { .rest = ssdpm__span(text, size) };
	struct span line;
	uint64_t index;

	while (ssdpm__next_mail_line(&lines, &line)) {
		if (take_ps(&line, &index))
			return true;
		if (ssdpm__take(&line, "NVME Identify Controller:") &&
		    line.at == line.end)
			return true;
	}
	return false;
}

/* A word that is a number and nothing else. */
static bool word_is_uint(struct span word, uint64_t max, uint64_t *ret_value)
{
	uint64_t value;

	if (!ssdpm__take_uint(&word, max, &value) || word.at != word.end)
		return false;
	*ret_value = value;
	return true;
}

/* "0.0500W"; "-" and "reserved" are 0. */
static bool word_is_power(struct span word, uint64_t *ret_uw)
{
	uint64_t uw = 0;

	if (!ssdpm__span_is(word, "-") && !ssdpm__span_is(word, "reserved") &&
	    (!ssdpm__take_millionths(&word, UINT32_MAX, &uw) ||
	     !ssdpm__span_is(word, "W")))
		return false;
	*ret_uw = uw;
	return true;
}

static void read_max_power(struct nvme_text *r, uint32_t bit, struct span *rest)
{
	struct span word;
	uint64_t uw;

	if (ssdpm__take_word(rest, &word) && word_is_power(word, &uw))
		ssdpm__state_set(&r->states[r->n_states - 1], bit, uw);
}

/*
 * Until 2020 nvme-cli printed powers in units of 0.01 W with 02 for the
 * fraction, whatever it was (nvme-cli issue 735).
 */
static void watch_hundredths(struct nvme_text *r, uint32_t bit,
			     struct span word, uint64_t uw)
{
	bool active = bit == SSDPM_FIELD_ACTIVE_POWER;
	const size_t i = r->n_states - 1;
	const uint64_t high_uw = uw - uw % 1000000 + FRACTION_UW;

	if (word.end - word.at < 5 || word.end[-4] != '.')
		return;
	if (memcmp(word.end - 4, ".02W", 4))
		r->prints_hundredths = true;
	else
		r->doubtful.has[active] |= 1u << i;
	r->doubtful.low_uw[active][i] = (uint32_t)(uw - uw % 1000000);
	r->doubtful.high_uw[active][i] =
		high_uw < UINT32_MAX ? (uint32_t)high_uw : UINT32_MAX;
}

static void read_power(struct nvme_text *r, uint32_t bit, struct span *rest)
{
	struct ssdpm_power_state *state = &r->states[r->n_states - 1];
	struct span word;
	uint64_t uw;

	if (!ssdpm__take_word(rest, &word) || !word_is_power(word, &uw))
		return;
	watch_hundredths(r, bit, word, uw);
	if (uw)
		ssdpm__state_set(state, bit, uw);
	else
		state->not_reported |= bit;
}

/* A number at the very end may be cut off. */
static bool take_number(const struct nvme_text *r, struct span *rest,
			struct span *ret_word)
{
	return ssdpm__take_word(rest, ret_word) && ret_word->end != r->end;
}

static void read_latency(struct nvme_text *r, uint32_t bit, struct span *rest)
{
	struct span word;
	uint64_t us;
	bool negative;

	if (!take_number(r, rest, &word))
		return;
	negative = ssdpm__take(&word, "-");
	if (!word_is_uint(word, negative ? 1u << 31 : UINT32_MAX, &us))
		return;
	ssdpm__state_set(&r->states[r->n_states - 1], bit,
			 negative ? (uint32_t)-us : us);
}

static void read_rank(struct nvme_text *r, uint32_t bit, struct span *rest)
{
	struct span word;
	uint64_t rank;

	/* The byte is printed, with its reserved bits. */
	if (take_number(r, rest, &word) && word_is_uint(word, UINT8_MAX, &rank))
		ssdpm__state_set(&r->states[r->n_states - 1], bit,
				 rank & RANK_MAX);
}

static void read_workload(struct nvme_text *r, uint32_t bit, struct span *rest)
{
	static const char workloads[][24] = { "-", "1MiB 32 RW, 30s idle",
					      "80K 128KiB SW" };

	/* Younger than the fault of watch_hundredths(). */
	r->prints_hundredths = true;
	for (uint32_t i = 0; i < 3; i++)
		if (ssdpm__take(rest, workloads[i])) {
			ssdpm__state_set(&r->states[r->n_states - 1], bit, i);
			return;
		}
}

/* "1,000 seconds", in microseconds. */
static bool take_time_unit(struct span *rest, uint64_t *ret_us)
{
	uint64_t number, thousands;

	if (!ssdpm__take_uint(rest, 999, &number))
		return false;
	while (ssdpm__take(rest, ",")) {
		if (number > 1000 || !ssdpm__take_uint(rest, 999, &thousands))
			return false;
		number = number * 1000 + thousands;
	}
	if (ssdpm__take(rest, "microsecond"))
		*ret_us = number;
	else if (ssdpm__take(rest, "millisecond"))
		*ret_us = number * 1000;
	else if (ssdpm__take(rest, "second"))
		*ret_us = number * 1000000;
	else
		return false;
	return true;
}

static void read_time(struct nvme_text *r, uint32_t bit, struct span *rest)
{
	uint64_t time, unit_us;

	if (ssdpm__take_uint(rest, 99, &time) && ssdpm__take(rest, "(unit:") &&
	    take_time_unit(rest, &unit_us) && time && unit_us)
		ssdpm__state_set(&r->states[r->n_states - 1], bit,
				 time * unit_us);
}

static const struct info_key {
	const char *name;
	uint32_t bit;
	void (*read)(struct nvme_text *r, uint32_t bit, struct span *rest);
} keys[] = {
	{ "mp:", SSDPM_FIELD_MAX_POWER, read_max_power },
	{ "enlat:", SSDPM_FIELD_ENTRY_LATENCY, read_latency },
	{ "exlat:", SSDPM_FIELD_EXIT_LATENCY, read_latency },
	{ "rrt:", SSDPM_FIELD_READ_THROUGHPUT_RANK, read_rank },
	{ "rrl:", SSDPM_FIELD_READ_LATENCY_RANK, read_rank },
	{ "rwt:", SSDPM_FIELD_WRITE_THROUGHPUT_RANK, read_rank },
	{ "rwl:", SSDPM_FIELD_WRITE_LATENCY_RANK, read_rank },
	{ "idle_power:", SSDPM_FIELD_IDLE_POWER, read_power },
	{ "active_power:", SSDPM_FIELD_ACTIVE_POWER, read_power },
	{ "active_power_workload:", SSDPM_FIELD_ACTIVE_POWER_WORKLOAD,
	  read_workload },
	{ "emergency power fail recovery time:",
	  SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME, read_time },
	{ "forced quiescence vault time:",
	  SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME, read_time },
	{ "emergency power fail vault time:",
	  SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME, read_time },
};

/* One key and its value. What was read once stays. */
static bool read_key(struct nvme_text *r, struct span *rest)
{
	const struct ssdpm_power_state *state = &r->states[r->n_states - 1];

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		uint32_t bit = keys[i].bit;

		if (!ssdpm__take(rest, keys[i].name))
			continue;
		if ((state->unknown & bit) && !(state->not_reported & bit))
			keys[i].read(r, bit, rest);
		return true;
	}
	return false;
}

/* The lines of a state, wherever they were wrapped. */
static void read_state_words(struct nvme_text *r, struct span rest)
{
	struct ssdpm_power_state *state = &r->states[r->n_states - 1];
	uint32_t kind = 1u << (r->n_states - 1);
	struct span word;

	while (rest.at < rest.end) {
		if (read_key(r, &rest) || !ssdpm__take_word(&rest, &word) ||
		    (r->has_kind & kind))
			continue;
		if (ssdpm__span_is(word, "non-operational"))
			state->flags = SSDPM_STATE_NON_OPERATIONAL;
		else if (!ssdpm__span_is(word, "operational"))
			continue;
		r->has_kind |= kind;
	}
}

static int begin_state(struct nvme_text *r, uint64_t index)
{
	struct ssdpm_power_state *state;

	if (index >= SSDPM_MAX_STATES)
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "PS%u: NVMe has at most %d power states",
				   (unsigned int)index, SSDPM_MAX_STATES);
	if (index > r->n_states)
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "PS%zu is missing before PS%u", r->n_states,
				   (unsigned int)index);
	if (index < r->n_states)
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "PS%u is given twice: give one drive at a "
				   "time",
				   (unsigned int)index);
	state = &r->states[r->n_states++];
	*state = (struct ssdpm_power_state){ .unknown = ALL_FIELDS };
	return 0;
}

static int fail_twice(const struct nvme_text *r, const char *what)
{
	return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
			   "%s is given twice, with another value: give one "
			   "drive at a time",
			   what);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A comment that somebody added begins with " # ". */
static struct span without_comment(struct span text)
{
	for (const char *at = text.at; text.end - at >= 3; at++)
		if (is_blank(at[0]) && at[1] == '#' && is_blank(at[2]))
			text.end = at;
	while (text.end > text.at && is_blank(text.end[-1]))
		text.end--;
	return text;
}

static int read_text(struct nvme_text *r, const char *what, uint32_t bit,
		     struct span rest, char *ret_text, size_t size)
{
	char text[sizeof(r->info.product)] = "";

	rest = without_comment(rest);
	if (rest.at == rest.end || !ssdpm__span_copy(rest, text, size))
		return 0;
	if (!(r->info.unknown & bit) && strcmp(ret_text, text))
		return fail_twice(r, what);
	memcpy(ret_text, text, size);
	r->info.unknown &= ~bit;
	return 0;
}

static int read_number(struct nvme_text *r, const char *what, bool *known,
		       struct span rest, uint64_t max, uint64_t *value)
{
	struct span word;
	uint64_t number;

	if (!ssdpm__take_word(&rest, &word) ||
	    !word_is_uint(word, max, &number))
		return 0;
	if (*known && *value != number)
		return fail_twice(r, what);
	*known = true;
	*value = number;
	return 0;
}

static int read_info_number(struct nvme_text *r, const char *what, uint32_t bit,
			    struct span rest, uint64_t max, uint64_t *value)
{
	bool known = !(r->info.unknown & bit);
	int err = read_number(r, what, &known, rest, max, value);

	if (known)
		r->info.unknown &= ~bit;
	return err;
}

static bool take_name(struct span *line, const char *name)
{
	struct span rest = *line;

	if (!ssdpm__take(&rest, name) || !ssdpm__take(&rest, ":"))
		return false;
	*line = rest;
	return true;
}

static int read_info(struct nvme_text *r, struct span line)
{
	uint64_t vendor_id = r->info.vendor_id, apsta = r->info.apsta;
	int err = 0;

	if (take_name(&line, "vid"))
		err = read_info_number(r, "vid", SSDPM_INFO_VENDOR_ID, line,
				       UINT16_MAX, &vendor_id);
	else if (take_name(&line, "apsta"))
		err = read_info_number(r, "apsta", SSDPM_INFO_APSTA, line,
				       UINT8_MAX, &apsta);
	else if (take_name(&line, "npss"))
		err = read_number(r, "npss", &r->has_npss, line, UINT8_MAX,
				  &r->npss);
	else if (take_name(&line, "mn"))
		err = read_text(r, "mn", SSDPM_INFO_PRODUCT, line,
				r->info.product, sizeof(r->info.product));
	else if (take_name(&line, "fr"))
		err = read_text(r, "fr", SSDPM_INFO_FIRMWARE, line,
				r->info.firmware, sizeof(r->info.firmware));
	r->info.vendor_id = (uint16_t)vendor_id;
	r->info.apsta = (uint8_t)apsta;
	return err;
}

static int read_line(struct nvme_text *r, struct span line)
{
	uint64_t index;
	int err = 0;

	if (take_ps(&line, &index))
		err = begin_state(r, index);
	else
		err = read_info(r, line);
	if (!err && r->n_states)
		read_state_words(r, line);
	return err;
}

/* A table that is cut off would give an APST table that is wrong. */
static int check_complete(const struct nvme_text *r)
{
	if (!r->n_states)
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "no power states: the lines of nvme id-ctrl "
				   "that begin with \"ps\" are missing");
	if (r->has_npss && r->npss >= r->n_states)
		return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
				   "PS%zu is missing: the text ends after "
				   "PS%zu, and its npss says that PS%u is the "
				   "last",
				   r->n_states, r->n_states - 1,
				   (unsigned int)r->npss);
	for (size_t i = 0; i < r->n_states; i++)
		if (!(r->has_kind & 1u << i))
			return ssdpm__fail(r->reterr, -EINVAL, r->lines.line,
					   "PS%zu: neither \"operational\" nor "
					   "\"non-operational\" follows",
					   i);
	return 0;
}

static void drop_doubtful(struct nvme_text *r)
{
	const uint32_t *bits = ssdpm__range_fields;

	if (r->prints_hundredths)
		r->doubtful = (struct power_ranges){ .has = { 0 } };
	for (size_t i = 0; i < r->n_states; i++)
		for (size_t j = 0; j < 2; j++)
			if (r->doubtful.has[j] & 1u << i) {
				ssdpm__state_set(&r->states[i], bits[j], 0);
				r->states[i].unknown |= bits[j];
			}
}

int ssdpm__model_from_nvme_cli_text(const char *text, size_t size,
				    struct ssdpm_model **ret_model,
				    struct ssdpm_error *reterr)
{
	struct nvme_text r = {
		.info = ssdpm__reported_info(SSDPM_FORMAT_NVME_CLI_TEXT),
		.end = text + size,
		.lines.rest = ssdpm__span(text, size),
		.reterr = reterr,
	};
	struct span line;
	int err = 0;

	r.info.kind = SSDPM_KIND_NVME;
	while (!err && ssdpm__next_mail_line(&r.lines, &line))
		err = read_line(&r, line);
	if (!err)
		err = check_complete(&r);
	if (err)
		return err;
	drop_doubtful(&r);
	err = ssdpm_model_new(&r.info, r.states, r.n_states, ret_model, reterr);
	if (!err)
		ssdpm__model_set_ranges(*ret_model, &r.doubtful);
	return err;
}
