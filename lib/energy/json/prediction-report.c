/* SPDX-License-Identifier: MIT */
/*
 * A prediction as JSON: prediction.keys has what is written. A measurement is
 * put into the text that was written before, which stays as it is otherwise.
 */
#include <ssdpm/energy/json.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json-text.h"

#define SCHEMA "ssdpm.prediction/1"
#define MOST_UW (UINT64_C(1) << 53) /* as of ssdpm_prediction_judge() */
#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* What was measured, whole. */
struct measured {
	const struct ssdpm_energy *energy;
	const struct ssdpm_prediction_check *check;
	const char *measured_at;
	double subtracted_w;
};

/* What was predicted of. */
struct predicted {
	char trace_digest[17];
	const struct ssdpm_run *run;
	const struct ssdpm_parameter *parameters;
	size_t n_parameters;
	const struct measured *measured; /* NULL: it comes later */
};

#include "prediction-json.h"

/* Fowler, Noll and Vo's hash, of 64 bits, byte by byte: the least comes first.
 */
static uint64_t digest(uint64_t hash, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		hash = (hash ^ (value >> 8 * i & 0xff)) * FNV_PRIME;
	return hash;
}

static uint64_t digest_ios(const struct ssdpm_io *ios, size_t n)
{
	uint64_t hash = FNV_OFFSET;

	for (size_t i = 0; i < n; i++) {
		hash = digest(hash, ios[i].start_ns - ios[0].start_ns);
		hash = digest(hash, ios[i].offset);
		hash = digest(hash, ios[i].bytes);
		hash = digest(hash, ios[i].service_ns);
		hash = digest(hash, ios[i].op);
		hash = digest(hash, ios[i].flags);
	}
	return hash;
}

static int take(const struct ssdpm_prediction_report *report,
		struct ssdpm_prediction_report *r,
		struct ssdpm_prediction *prediction, struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_in(r, sizeof(*r), report,
				  "ssdpm_prediction_report", reterr);

	if (!err && !r->model)
		err = ssdpm__missing("model", reterr);
	if (!err && !(r->sim && ssdpm_sim_get_result(r->sim)))
		err = ssdpm__missing("sim, finished,", reterr);
	if (!err && !r->prediction)
		err = ssdpm__missing("prediction", reterr);
	if (!err && !(r->ios && r->n_ios))
		err = ssdpm__missing("ios", reterr);
	if (!err)
		err = ssdpm__sized_in(prediction, sizeof(*prediction),
				      r->prediction, "ssdpm_prediction",
				      reterr);
	r->prediction = prediction;
	return err;
}

static void write_all(struct json_writer *w,
		      const struct ssdpm_prediction_report *r,
		      const char *model_text)
{
	struct predicted p = { .run = ssdpm_sim_get_result(r->sim)->nominal };

	p.parameters = ssdpm_sim_get_parameters(r->sim, &p.n_parameters);
	snprintf(p.trace_digest, sizeof(p.trace_digest), "%016" PRIx64,
		 digest_ios(r->ios, r->n_ios));
	ssdpm__json_begin(w, NULL, '{');
	write_prediction(w, r, &p);
	ssdpm__json_begin(w, "model", '{');
	ssdpm__json_members(w, model_text);
	ssdpm__json_end(w, '}');
	ssdpm__json_end(w, '}');
}

int ssdpm_prediction_report_to_json(
	const struct ssdpm_prediction_report *report, char **ret_text,
	struct ssdpm_error *reterr)
{
	struct ssdpm_prediction_report r = { 0 };
	struct ssdpm_prediction prediction = { 0 };
	struct json_writer w = { 0 };
	char *model_text;
	int err = take(report, &r, &prediction, reterr);

	if (!err)
		err = ssdpm_model_to_json(r.model, &model_text, reterr);
	if (err)
		return err;
	write_all(&w, &r, model_text);
	free(model_text);
	return ssdpm__json_finish(&w, ret_text, reterr);
}

/* The members of the struct that are read back. */
static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
#define NUMBER(member)                                             \
	{                                                          \
#member, offsetof(struct ssdpm_prediction, member) \
	}
	NUMBER(duration_ns),	  NUMBER(nominal_uw),
	NUMBER(likely_low_uw),	  NUMBER(likely_median_uw),
	NUMBER(likely_high_uw),	  NUMBER(possible_low_uw),
	NUMBER(possible_high_uw),
};

static int read_number(const struct json *json, const char *key, uint64_t max,
		       uint64_t *ret_value, struct ssdpm_error *reterr)
{
	const struct json_node *node =
		ssdpm__json_member(json, json->nodes, key);

	if (!node)
		return ssdpm__fail(reterr, -EINVAL, json->nodes->line,
				   "%s: is needed", key);
	return ssdpm__json_get_uint(json, node, max, key, ret_value, reterr);
}

static bool is_in_order(const struct ssdpm_prediction *p)
{
	return p->possible_low_uw <= p->nominal_uw &&
	       p->nominal_uw <= p->possible_high_uw &&
	       p->possible_low_uw <= p->likely_low_uw &&
	       p->likely_low_uw <= p->likely_median_uw &&
	       p->likely_median_uw <= p->likely_high_uw &&
	       p->likely_high_uw <= p->possible_high_uw;
}

static int read_numbers(const struct json *json, struct ssdpm_prediction *p,
			struct ssdpm_error *reterr)
{
	uint64_t version = 0;
	int err = read_number(json, "priors_version", UINT32_MAX, &version,
			      reterr);

	p->priors_version = (uint32_t)version;
	for (size_t i = 0; !err && i < sizeof(numbers) / sizeof(numbers[0]);
	     i++) {
		uint64_t value = 0;

		err = read_number(json, numbers[i].key, UINT64_MAX, &value,
				  reterr);
		memcpy((char *)p + numbers[i].offset, &value, sizeof(value));
	}
	if (!err && !is_in_order(p))
		err = ssdpm__fail(reterr, -EINVAL, json->nodes->line,
				  "the nominal power or the likely range is "
				  "not within the possible range");
	if (!err && !p->duration_ns)
		err = ssdpm__fail(reterr, -EINVAL, json->nodes->line,
				  "duration_ns: 0, which no run takes");
	return err;
}

static int check_schema(const struct json *json, struct ssdpm_error *reterr)
{
	const struct json_node *node =
		json->nodes->type == JSON_OBJECT ?
			ssdpm__json_member(json, json->nodes, "schema") :
			NULL;
	char text[sizeof(SCHEMA)];

	if (node && node->type == JSON_STRING &&
	    !ssdpm__json_get_string(json, node, text, sizeof(text), "schema",
				    NULL) &&
	    !strcmp(text, SCHEMA))
		return 0;
	return ssdpm__fail(reterr, -EINVAL, json->nodes->line,
			   "schema: only \"" SCHEMA "\" is read here");
}

/* Nothing is measured twice: what was predicted then was known. */
static int check_open(const struct json *json, struct ssdpm_error *reterr)
{
	const struct json_node *node =
		ssdpm__json_member(json, json->nodes, "measured");

	if (node && node->type == JSON_NULL)
		return 0;
	return ssdpm__fail(reterr, node ? -EEXIST : -EINVAL, json->nodes->line,
			   node ? "measured: it has a measurement already" :
				  "measured: is needed");
}

/* check is what the measurement has to be. */
static int read_text(const char *text, size_t size,
		     int (*check)(const struct json *json,
				  struct ssdpm_error *reterr),
		     struct json *json, struct ssdpm_prediction *p,
		     struct ssdpm_error *reterr)
{
	int err = ssdpm__json_parse(text, size, json, reterr);

	if (err)
		return err;
	err = check_schema(json, reterr);
	if (!err)
		err = read_numbers(json, p, reterr);
	if (!err)
		err = check(json, reterr);
	if (err)
		ssdpm__json_free(json);
	return err;
}

int ssdpm_prediction_from_json(const char *text, size_t size,
			       struct ssdpm_prediction *ret_prediction,
			       struct ssdpm_error *reterr)
{
	struct ssdpm_prediction p = { .size = sizeof(p) };
	struct json json;
	int err = ssdpm__sized_check(ret_prediction, sizeof(p),
				     "ssdpm_prediction", reterr);

	if (!err)
		err = read_text(text, size, check_open, &json, &p, reterr);
	if (err)
		return err;
	ssdpm__json_free(&json);
	ssdpm__sized_out(ret_prediction, &p, sizeof(p));
	return 0;
}

#define BEFORE_MEASURED "{\n  \"measured\": "
#define AFTER_MEASURED "\n}\n"

/* As the only member of an object, so that its lines are indented. */
static int write_measurement(const struct measured *m, char **ret_text,
			     struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };

	ssdpm__json_begin(&w, NULL, '{');
	ssdpm__json_begin(&w, "measured", '{');
	write_measured(&w, m);
	ssdpm__json_end(&w, '}');
	ssdpm__json_end(&w, '}');
	return ssdpm__json_finish(&w, ret_text, reterr);
}

/* All as it was, and other text as the measurement. */
static int put_in(const struct json *json, size_t size, const char *other,
		  size_t length, char **ret_text, struct ssdpm_error *reterr)
{
	const struct json_node *node =
		ssdpm__json_member(json, json->nodes, "measured");
	const size_t rest = size - node->end;
	char *text = malloc(node->start + length + rest + 1);

	if (!text)
		return ssdpm__no_memory(reterr);
	memcpy(text, json->text, node->start);
	memcpy(text + node->start, other, length);
	memcpy(text + node->start + length, json->text + node->end, rest);
	text[node->start + length + rest] = 0;
	*ret_text = text;
	return 0;
}

static int add(const char *text, size_t size, struct measured *m,
	       char **ret_text, struct ssdpm_error *reterr)
{
	struct ssdpm_prediction_check check = { .size = sizeof(check) };
	struct ssdpm_prediction p = { .size = sizeof(p) };
	char *measurement = NULL;
	struct json json;
	int err = read_text(text, size, check_open, &json, &p, reterr);

	if (err)
		return err;
	err = ssdpm_prediction_judge(&p, m->energy, m->subtracted_w, &check,
				     reterr);
	m->check = &check;
	if (!err)
		err = write_measurement(m, &measurement, reterr);
	if (!err)
		err = put_in(&json, size - (size_t)(json.text - text),
			     measurement + strlen(BEFORE_MEASURED),
			     strlen(measurement) - strlen(BEFORE_MEASURED) -
				     strlen(AFTER_MEASURED),
			     ret_text, reterr);
	free(measurement);
	ssdpm__json_free(&json);
	return err;
}

int ssdpm_prediction_add_measured(
	const char *text, size_t size,
	const struct ssdpm_prediction_measured *measured, char **ret_text,
	struct ssdpm_error *reterr)
{
	struct ssdpm_prediction_measured known = { 0 };
	struct ssdpm_energy energy = { 0 };
	struct measured m;
	int err = ssdpm__sized_in(&known, sizeof(known), measured,
				  "ssdpm_prediction_measured", reterr);

	if (!err && !known.energy)
		err = ssdpm__missing("energy", reterr);
	if (!err)
		err = ssdpm__sized_in(&energy, sizeof(energy), known.energy,
				      "ssdpm_energy", reterr);
	if (err)
		return err;
	m = (struct measured){ &energy, NULL, known.measured_at,
			       known.subtracted_w };
	return add(text, size, &m, ret_text, reterr);
}

static int check_measured(const struct json *json, struct ssdpm_error *reterr)
{
	const struct json_node *node =
		ssdpm__json_member(json, json->nodes, "measured");

	if (node && node->type == JSON_OBJECT)
		return 0;
	return ssdpm__fail(reterr, -ENODATA, json->nodes->line,
			   "measured: there is no measurement yet");
}

static int read_member(const struct json *json, const char *key,
		       const struct json_node **ret_node,
		       struct ssdpm_error *reterr)
{
	const struct json_node *measured =
		ssdpm__json_member(json, json->nodes, "measured");

	*ret_node = ssdpm__json_member(json, measured, key);
	if (*ret_node)
		return 0;
	return ssdpm__fail(reterr, -EINVAL, measured->line,
			   "measured: %s: is needed", key);
}

static int read_power(const struct json *json, const char *key, int64_t *ret_uw,
		      struct ssdpm_error *reterr)
{
	const struct json_node *node;
	int err = read_member(json, key, &node, reterr);

	return err ? err :
		     ssdpm__json_get_int(json, node, MOST_UW, key, ret_uw,
					 reterr);
}

static int read_flag(const struct json *json, const char *key,
		     uint32_t *ret_flag, struct ssdpm_error *reterr)
{
	const struct json_node *node;
	int err = read_member(json, key, &node, reterr);

	if (!err)
		err = ssdpm__json_expect(node, JSON_BOOLEAN, key, reterr);
	if (!err)
		*ret_flag = ssdpm__json_is_true(json, node);
	return err;
}

static int read_verdict(const struct json *json, uint32_t *ret_verdict,
			struct ssdpm_error *reterr)
{
	const struct json_node *node;
	char word[32];
	int err = read_member(json, "verdict", &node, reterr);

	if (!err)
		err = ssdpm__json_get_string(json, node, word, sizeof(word),
					     "verdict", reterr);
	if (err)
		return err;
	*ret_verdict = ssdpm_prediction_verdict_from_string(word);
	return *ret_verdict ?
		       0 :
		       ssdpm__fail(reterr, -EINVAL, node->line,
				   "verdict: \"%s\" means nothing here", word);
}

static int read_check(const struct json *json,
		      struct ssdpm_prediction_check *check,
		      struct ssdpm_error *reterr)
{
	int err = read_verdict(json, &check->verdict, reterr);

	if (!err)
		err = read_flag(json, "certain", &check->certain, reterr);
	if (!err)
		err = read_power(json, "power_uw", &check->power_uw, reterr);
	if (!err)
		err = read_power(json, "low_uw", &check->low_uw, reterr);
	if (!err)
		err = read_power(json, "high_uw", &check->high_uw, reterr);
	if (!err)
		err = read_flag(json, "length_differs", &check->length_differs,
				reterr);
	return err;
}

int ssdpm_prediction_check_from_json(const char *text, size_t size,
				     struct ssdpm_prediction_check *ret_check,
				     char **ret_text,
				     struct ssdpm_error *reterr)
{
	struct ssdpm_prediction_check check = { .size = sizeof(check) };
	struct ssdpm_prediction p = { .size = sizeof(p) };
	struct json json;
	int err = ssdpm__sized_check(ret_check, sizeof(check),
				     "ssdpm_prediction_check", reterr);

	if (!err)
		err = read_text(text, size, check_measured, &json, &p, reterr);
	if (err)
		return err;
	err = read_check(&json, &check, reterr);
	if (!err && ret_text)
		err = put_in(&json, size - (size_t)(json.text - text), "null",
			     strlen("null"), ret_text, reterr);
	ssdpm__json_free(&json);
	if (!err)
		ssdpm__sized_out(ret_check, &check, sizeof(check));
	return err;
}
