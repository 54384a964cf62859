/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

void check_error(int err, const struct ssdpm_error *error)
{
	size_t length = strnlen(error->message, sizeof(error->message));

	check(err < 0 && error->code == err, "code is what was returned");
	check(strcmp(ssdpm_strerror(err), "unknown error"),
	      "the code is a documented one");
	check(length > 0 && length < sizeof(error->message),
	      "the message is there and ends");
	check(!strpbrk(error->message, "\n\r"), "the message is one line");
}

struct ssdpm_model *make_nameless_drive(const struct ssdpm_power_state *states,
					size_t n)
{
	const struct ssdpm_model_info info = {
		.size = sizeof(info),
		.kind = SSDPM_KIND_NVME,
		.unknown = SSDPM_INFO_VENDOR_ID | SSDPM_INFO_PRODUCT |
			   SSDPM_INFO_FIRMWARE,
		.apsta = 1,
	};
	struct ssdpm_model *model = NULL;

	check(!ssdpm_model_new(&info, states, n, &model, NULL),
	      "a drive can be made");
	return model;
}

static void check_same(const struct ssdpm_model *a, const struct ssdpm_model *b)
{
	const struct ssdpm_model_info *x = ssdpm_model_get_info(a);
	const struct ssdpm_model_info *y = ssdpm_model_get_info(b);
	const struct ssdpm_power_state *in_a, *in_b;
	size_t n_a, n_b;

	check(x->kind == y->kind && x->unknown == y->unknown &&
		      x->provenance == y->provenance &&
		      x->vendor_id == y->vendor_id && x->apsta == y->apsta,
	      "JSON keeps the numbers of the drive");
	check(x->format == y->format &&
		      x->sata_supported == y->sata_supported &&
		      x->sata_supported_unknown == y->sata_supported_unknown &&
		      x->sata_enabled == y->sata_enabled &&
		      x->sata_enabled_unknown == y->sata_enabled_unknown &&
		      x->sata_words_valid == y->sata_words_valid &&
		      x->sata_generations == y->sata_generations &&
		      x->apm_level == y->apm_level &&
		      x->rotational == y->rotational,
	      "JSON keeps what is known of the link");
	check(!strcmp(x->product, y->product) &&
		      !strcmp(x->firmware, y->firmware),
	      "JSON keeps the texts of the drive");
	in_a = ssdpm_model_get_states(a, &n_a);
	in_b = ssdpm_model_get_states(b, &n_b);
	check(n_a == n_b && !memcmp(in_a, in_b, n_a * sizeof(*in_a)),
	      "JSON keeps the states");
}

static void check_json(const struct ssdpm_model *model)
{
	struct ssdpm_model **again;
	char *text, *text_again;
	size_t n;

	check(!ssdpm_model_to_json(model, &text, NULL),
	      "a model can be written");
	check(!ssdpm_model_list_from_data(text, strlen(text), &again, &n, NULL),
	      "what was written can be read");
	check(n == 1, "JSON keeps a drive");
	check_same(model, again[0]);
	check(!ssdpm_model_to_json(again[0], &text_again, NULL),
	      "a model can be written again");
	check(!strcmp(text, text_again), "the same model gives the same bytes");
	ssdpm_model_list_free(again, n);
	free(text);
	free(text_again);
}

/* Those after the latency limit are for Linux only. */
static size_t n_numbers(uint32_t algorithm)
{
	return algorithm <= SSDPM_APST_LINUX_LEGACY ? 5 : 1;
}

static uint32_t power_from(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* The remaining bytes, for the other algorithms. */
static void more_params_from(const uint8_t bytes[16],
			     struct ssdpm_apst_params *p)
{
	p->idle_power_uw = power_from(bytes + 4);
	p->transition_power_uw = power_from(bytes + 8);
	if (bytes[15] == 0xff)
		p->scheme = bytes[14];
	if (bytes[15] == 0xfe)
		p->power_source = bytes[14];
}

/* A few bytes decide much, because most values are near critical ones. */
static struct ssdpm_apst_params params_from(const uint8_t *data, size_t size)
{
	static const uint64_t times[] = { 0,	    1,	       100,
					  2000,	    15000,     100000,
					  0xffffff, 0x1000000, UINT64_MAX };
	struct ssdpm_apst_params p = { 0 };
	uint8_t bytes[16] = { 0 };
	uint64_t *numbers[] = { &p.max_exit_latency_us, &p.primary_timeout_ms,
				&p.primary_latency_tolerance_us,
				&p.secondary_timeout_ms,
				&p.secondary_latency_tolerance_us };

	memcpy(bytes, data, size < sizeof(bytes) ? size : sizeof(bytes));
	ssdpm_apst_params_init(&p, sizeof(p));
	p.algorithm = 1 + (bytes[0] & 1) + (bytes[0] >> 4 & 1) * 2;
	/* The third bit is an unknown one. */
	p.quirks = (bytes[0] >> 1 & 3u) | (bytes[0] >> 3 & 1u) << 31;
	p.scheme = 1 + (bytes[0] >> 5 & 3);
	p.power_source = 1 + (bytes[0] >> 7);
	for (size_t i = 0; i < n_numbers(p.algorithm); i++) {
		const uint8_t *at = bytes + 1 + i * 3;

		if (at[0] >= 0x80)
			*numbers[i] = (uint64_t)at[1] << 8 | at[2];
		else if (at[0])
			*numbers[i] = times[at[0] % 9] + at[1] - at[2];
	}
	if (n_numbers(p.algorithm) < 5)
		more_params_from(bytes, &p);
	return p;
}

static bool is_entered(const struct ssdpm_apst *table, uint32_t state)
{
	for (int i = 0; i < SSDPM_MAX_STATES; i++)
		if (table->entries[i].idle_ms &&
		    table->entries[i].target == state)
			return true;
	return false;
}

static void check_verdicts(const struct ssdpm_model *model,
			   const struct ssdpm_apst_params *params,
			   const struct ssdpm_apst *table)
{
	struct ssdpm_apst_verdict v[SSDPM_MAX_STATES];
	size_t n;

	ssdpm_model_get_states(model, &n);
	check(!ssdpm_apst_explain(model, params, v, SSDPM_MAX_STATES, NULL),
	      "what is generated can be explained");
	for (uint32_t i = 0; i < n; i++) {
		bool used = v[i].verdict == SSDPM_VERDICT_USED;

		check(v[i].state == i, "verdicts are in order");
		check(used == is_entered(table, i),
		      "used is what the table enters");
		check(ssdpm_verdict_to_string(v[i].verdict) && v[i].reason[0],
		      "a verdict has a name and a reason");
	}
}

static void check_table(const struct ssdpm_model *model,
			const struct ssdpm_apst_params *params,
			const struct ssdpm_apst *table)
{
	uint8_t data[SSDPM_APST_BYTES];
	struct ssdpm_apst again;
	struct ssdpm_error error;
	bool sound = true;
	int err;

	/* Linux sends disabled transitions too, which are not valid. */
	for (int i = 0; i < SSDPM_MAX_STATES; i++)
		if (table->entries[i].target && !table->entries[i].idle_ms)
			sound = false;
	check(sound || params->algorithm <= SSDPM_APST_LINUX_LEGACY,
	      "only Linux disables a transition");
	err = ssdpm_apst_validate(model, table, &error);
	check(sound == !err, "what is generated is sound");
	if (err)
		check_error(err, &error);
	check(!ssdpm_apst_encode(table, data, NULL), "a table fits its bytes");
	check(!ssdpm_apst_from_data(data, sizeof(data), &again, NULL),
	      "what was encoded can be decoded");
	again.sent = table->sent;
	again.enabled = table->enabled;
	check(!memcmp(table, &again, sizeof(again)), "bytes keep the table");
}

static void check_policy(const struct ssdpm_model *model, const uint8_t *data,
			 size_t size)
{
	struct ssdpm_apst_params params = params_from(data, size);
	struct ssdpm_error error;
	struct ssdpm_apst table;
	int err;

	err = ssdpm_apst_generate(model, &params, &table, &error);
	if (err) {
		struct ssdpm_apst_verdict v[SSDPM_MAX_STATES];

		check_error(err, &error);
		check(ssdpm_apst_explain(model, &params, v, SSDPM_MAX_STATES,
					 NULL) == err,
		      "generate and explain fail alike");
		return;
	}
	check_table(model, &params, &table);
	check_verdicts(model, &params, &table);
}

void check_quirks(const struct ssdpm_model *model,
		  const struct ssdpm_host *host)
{
	struct ssdpm_quirk_match matches[SSDPM_MAX_QUIRK_MATCHES];
	uint32_t quirks = 0, unknown = 0, all = 0, all_unknown = 0;
	struct ssdpm_error error;
	size_t n = 0;
	int err;

	err = ssdpm_quirks_find(model, host, &quirks, &unknown, &error);
	if (err) {
		check_error(err, &error);
		check(ssdpm_quirks_explain(model, host, matches,
					   SSDPM_MAX_QUIRK_MATCHES, &n,
					   NULL) == err,
		      "find and explain fail alike");
		return;
	}
	check(!(quirks & unknown), "what is sure is not unknown");
	err = ssdpm_quirks_explain(model, host, matches,
				   SSDPM_MAX_QUIRK_MATCHES, &n, &error);
	if (err) {
		check(err == -E2BIG, "only too many rules are not explained");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		check(strlen(matches[i].reason) < sizeof(matches[i].reason),
		      "a reason ends");
		all |= matches[i].quirks;
		all_unknown |= matches[i].unknown;
	}
	check(all == quirks, "each quirk has its rule");
	check((all_unknown & ~all) == unknown, "each unknown one has its rule");
}

/*
 * JSON takes a hundred times as long as all the rest, and many states show
 * little more than a few. So only one in 32 of these is sent.
 */
static bool is_worth_json(struct ssdpm_model **models, size_t n,
			  const uint8_t *params, size_t size)
{
	size_t n_states;

	ssdpm_model_get_states(models[0], &n_states);
	return n_states * n <= 3 || (size && params[size - 1] % 32 == 31);
}

/* libssdpm alone has no lint. */
#if HAVE_ENERGY
static void check_findings(const struct ssdpm_model *model)
{
	struct ssdpm_finding *findings;
	size_t n, n_states;

	ssdpm_model_get_states(model, &n_states);
	check(!ssdpm_model_lint(model, &findings, &n, NULL),
	      "any model can be judged");
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_finding *f = &findings[i];

		check(ssdpm_finding_code_to_string(f->code) && f->message[0],
		      "a finding has a name and a message");
		check(f->state < n_states || f->state == SSDPM_WHOLE_DRIVE,
		      "a finding is about a state that is there");
	}
	free(findings);
}
#else
static void check_findings(const struct ssdpm_model *model)
{
	(void)model;
}
#endif

void check_models(struct ssdpm_model **models, size_t n, const uint8_t *params,
		  size_t size)
{
	check(n > 0, "a list has a model");
	if (is_worth_json(models, n, params, size))
		for (size_t i = 0; i < n; i++)
			check_json(models[i]);
	for (size_t i = 0; i < n; i++) {
		check_policy(models[i], params, size);
		check_findings(models[i]);
		check_quirks(models[i], NULL);
	}
}

void check_data(const uint8_t *data, size_t size)
{
	struct ssdpm_model **models = NULL;
	struct ssdpm_error error;
	size_t n = 0;
	int err;

	err = ssdpm_model_list_from_data(data, size, &models, &n, &error);
	if (err) {
		check_error(err, &error);
		check(!models && !n, "failure returns nothing");
		return;
	}
	check_models(models, n, data, size);
	ssdpm_model_list_free(models, n);
}
