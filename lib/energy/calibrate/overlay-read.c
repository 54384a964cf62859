/* SPDX-License-Identifier: MIT */
/* Reads an "ssdpm.overlay/1", the measurements of a drive. */
#include "calibrate/overlay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WORD_SIZE 64 /* more than any schema or word takes */

struct overlay_reader {
	const struct json *json;
	const struct json_node *object; /* whose members are read */
	struct ssdpm_error *reterr;
	/* The prefix of a member's key in messages. */
	char prefix[40];
};

typedef uint32_t (*word_fn)(const char *word);

static bool is_null(const struct json_node *node)
{
	return !node || node->type == JSON_NULL;
}

/* "measured[3].low" */
static const struct json_node *find(const struct overlay_reader *r,
				    const char *key, char name[WORD_SIZE])
{
	snprintf(name, WORD_SIZE, "%s%s", r->prefix, key);
	return ssdpm__json_member(r->json, r->object, key);
}

static int missing(const struct overlay_reader *r, const char *name)
{
	return ssdpm__fail(r->reterr, -EINVAL, r->object->line, "%s: is needed",
			   name);
}

/* The value of a word; null is 0 unless it is needed. */
static int read_word(const struct overlay_reader *r, const char *key,
		     word_fn from_string, bool needed, uint32_t *ret_value)
{
	char name[WORD_SIZE], text[WORD_SIZE];
	const struct json_node *node = find(r, key, name);
	int err;

	if (is_null(node))
		return needed ? missing(r, name) : 0;
	err = ssdpm__json_get_string(r->json, node, text, sizeof(text), name,
				     r->reterr);
	if (err == -ERANGE)
		text[0] = 0; /* longer than all of them */
	else if (err)
		return err;
	*ret_value = from_string(text);
	if (*ret_value)
		return 0;
	return ssdpm__fail(r->reterr, -EINVAL, node->line,
			   "%s: \"%s\" means nothing here", name, text);
}

static int read_uint(const struct overlay_reader *r, const char *key,
		     uint64_t max, bool needed, uint64_t *ret_value)
{
	char name[WORD_SIZE];
	const struct json_node *node = find(r, key, name);

	if (is_null(node))
		return needed ? missing(r, name) : 0;
	return ssdpm__json_get_uint(r->json, node, max, name, ret_value,
				    r->reterr);
}

static int read_int(const struct overlay_reader *r, const char *key,
		    uint64_t max, bool *ret_known, int64_t *ret_value)
{
	char name[WORD_SIZE];
	const struct json_node *node = find(r, key, name);

	*ret_known = !is_null(node);
	if (!*ret_known)
		return 0;
	return ssdpm__json_get_int(r->json, node, max, name, ret_value,
				   r->reterr);
}

static int read_millionths(const struct overlay_reader *r, const char *key,
			   double *ret_value)
{
	int64_t value = 0;
	bool known;
	int err = read_int(r, key, MILLIONTHS_MAX - 2, &known, &value);

	*ret_value = known ? (double)value / MICRO : NAN;
	return err;
}

static int read_bool(const struct overlay_reader *r, const char *key,
		     bool *ret_value)
{
	char name[WORD_SIZE];
	const struct json_node *node = find(r, key, name);
	int err;

	if (is_null(node))
		return 0;
	err = ssdpm__json_expect(node, JSON_BOOLEAN, name, r->reterr);
	*ret_value = err == 0 && ssdpm__json_is_true(r->json, node);
	return err;
}

static int read_text(const struct overlay_reader *r, const char *key,
		     char *text, size_t size)
{
	char name[WORD_SIZE];
	const struct json_node *node = find(r, key, name);
	int err;

	if (is_null(node))
		return 0;
	err = ssdpm__json_get_string(r->json, node, text, size, name,
				     r->reterr);
	if (err)
		return err;
	return ssdpm__overlay_check_text(text, size, node->line, name,
					 r->reterr);
}

static int read_schema(const struct overlay_reader *r)
{
	char text[WORD_SIZE] = "";
	int err = read_text(r, "schema", text, sizeof(text));

	if (err == -ERANGE || (err == 0 && strcmp(text, OVERLAY_SCHEMA)))
		err = ssdpm__fail(r->reterr, -EINVAL, r->object->line,
				  "schema: only \"" OVERLAY_SCHEMA
				  "\" is read here");
	return err;
}

static int read_overlay(const struct overlay_reader *r,
			struct ssdpm_overlay *overlay)
{
	uint64_t state = 0, wa = 0;
	bool from_start = false;
	int err = read_word(r, "kind", ssdpm_kind_from_string, true,
			    &overlay->kind);

	for (size_t i = 0; err == 0 && i < ssdpm__n_overlay_texts; i++) {
		const struct overlay_text *text = &ssdpm__overlay_texts[i];

		err = read_text(r, text->key, (char *)overlay + text->offset,
				text->size);
	}
	if (err == 0)
		err = read_word(r, "pcie_link", ssdpm_pcie_link_from_string,
				false, &overlay->pcie_link);
	if (err == 0)
		err = read_word(r, "lpm", ssdpm_lpm_from_string, false,
				&overlay->lpm);
	if (err == 0)
		err = read_uint(r, "operational_state", SSDPM_MAX_STATES - 1,
				false, &state);
	if (err == 0)
		err = read_bool(r, "idle_from_start", &from_start);
	if (err == 0)
		err = read_uint(r, "measured_wa_milli", UINT32_MAX, false, &wa);
	if (err == 0 && !ssdpm__overlay_is_wa((uint32_t)wa))
		err = ssdpm__fail(r->reterr, -EINVAL, r->object->line,
				  "measured_wa_milli: 1000 or more");
	if (err == 0)
		err = read_uint(r, "n_samples", UINT64_MAX, false,
				&overlay->n_samples);
	if (err == 0)
		err = read_uint(r, "n_ios", UINT64_MAX, false, &overlay->n_ios);
	overlay->operational_state = (uint32_t)state;
	overlay->measured_wa_milli = (uint32_t)wa;
	overlay->flags = from_start ? SSDPM_SIM_IDLE_FROM_START : 0;
	return err;
}

/* The bits of stated traits; unknown words are from a later version. */
static int read_stated(const struct overlay_reader *r, uint32_t *ret_known)
{
	char name[WORD_SIZE], text[WORD_SIZE];
	const struct json_node *list = find(r, "known", name);
	const struct json_node *node;
	int err;

	if (is_null(list))
		return 0;
	err = ssdpm__json_expect(list, JSON_ARRAY, name, r->reterr);
	node = err ? NULL : ssdpm__json_first(r->json, list);
	for (; node && err == 0; node = ssdpm__json_next(r->json, list, node)) {
		err = ssdpm__json_get_string(r->json, node, text, sizeof(text),
					     name, r->reterr);
		if (err == 0)
			*ret_known |= ssdpm_meter_trait_from_string(text);
	}
	return err;
}

static int read_traits(const struct overlay_reader *r,
		       struct ssdpm_meter_traits *traits)
{
	uint64_t gain = 0;
	int64_t clock = 0;
	bool known;
	int err = read_stated(r, &traits->known);

	if (err == 0)
		err = read_word(r, "sampling", ssdpm_meter_sampling_from_string,
				false, &traits->sampling);
	if (err == 0)
		err = read_uint(r, "response_ns", OVERLAY_MAX, false,
				&traits->response_ns);
	if (err == 0)
		err = read_uint(r, "drift_uw", OVERLAY_MAX, false,
				&traits->drift_uw);
	if (err == 0)
		err = read_uint(r, "gain_ppm", UINT32_MAX, false, &gain);
	if (err == 0)
		err = read_int(r, "clock_ppb", INT32_MAX, &known, &clock);
	traits->gain_ppm = (uint32_t)gain;
	traits->clock_ppb = (int32_t)clock;
	return err;
}

static int read_meter(const struct overlay_reader *of,
		      struct ssdpm_meter_traits *traits)
{
	struct overlay_reader r = *of;

	r.object = ssdpm__json_member(r.json, r.object, "meter");
	if (is_null(r.object))
		return 0;
	snprintf(r.prefix, sizeof(r.prefix), "meter.");
	int err = ssdpm__json_expect(r.object, JSON_OBJECT, "meter", r.reterr);

	return err ? err : read_traits(&r, traits);
}

static int read_quality(const struct overlay_reader *r,
			struct ssdpm_calibration *c)
{
	bool known;
	int err = read_uint(r, "n_bins", UINT64_MAX, false, &c->n_bins);

	if (err == 0)
		err = read_uint(r, "n_spikes", UINT64_MAX, false, &c->n_spikes);
	if (err == 0)
		err = read_uint(r, "bin_ns", UINT64_MAX, false, &c->bin_ns);
	if (err == 0)
		err = read_int(r, "offset_ns", INT64_MAX, &known,
			       &c->offset_ns);
	if (err == 0)
		err = read_uint(r, "offset_error_ns", UINT64_MAX, false,
				&c->offset_error_ns);
	if (err == 0)
		err = read_millionths(r, "sigma_uw", &c->sigma_w);
	if (err == 0)
		err = read_millionths(r, "drift_uw", &c->drift_w);
	if (err == 0)
		err = read_millionths(r, "noise_phi_ppm", &c->noise_phi);
	if (err == 0)
		err = read_millionths(r, "noise_share_ppm", &c->noise_share);
	if (err == 0)
		err = read_meter(r, &c->meter);
	if (err == 0)
		err = read_word(r, "contradiction",
				ssdpm_contradiction_from_string, false,
				&c->contradiction);
	return err;
}

/* A known value is a number, an unknown one null. */
static int read_value(const struct overlay_reader *r, const char *key,
		      bool known, double *ret_value)
{
	char name[WORD_SIZE];
	uint64_t value = 0;
	int err;

	if (!known && !is_null(find(r, key, name)))
		return ssdpm__fail(r->reterr, -EINVAL, r->object->line,
				   "%s: what is not known has no value", name);
	*ret_value = NAN;
	if (!known)
		return 0;
	err = read_uint(r, key, OVERLAY_MAX, true, &value);
	*ret_value = (double)value;
	return err;
}

static int read_values(const struct overlay_reader *r, struct ssdpm_measured *m)
{
	bool known = m->status == SSDPM_MEASURED_KNOWN, exceeds = false;
	int err = read_value(r, "low", known, &m->low);

	if (err == 0)
		err = read_value(r, "nominal", known, &m->nominal);
	if (err == 0)
		err = read_value(r, "high", known, &m->high);
	if (err == 0)
		err = read_value(r, "stated", true, &m->stated);
	if (err == 0)
		err = read_bool(r, "exceeds", &exceeds);
	if (err == 0)
		err = read_uint(r, "n", UINT64_MAX, false, &m->n);
	if (err == 0)
		err = read_text(r, "reason", m->reason, sizeof(m->reason));
	m->exceeds = exceeds;
	if (err)
		return err;
	return ssdpm__overlay_check_value(m, r->object->line, r->reterr);
}

static int read_one(struct overlay_reader *r, const struct json_node *node,
		    size_t i, struct ssdpm_measured *all)
{
	struct ssdpm_measured *m = &all[i];
	uint64_t index = 0;
	int err;

	memset(m, 0, sizeof(*m));
	snprintf(r->prefix, sizeof(r->prefix), "measured[%zu].", i);
	r->object = node;
	err = ssdpm__json_expect(node, JSON_OBJECT, "measured", r->reterr);
	if (err == 0)
		err = read_word(r, "kind", ssdpm_parameter_kind_from_string,
				true, &m->kind);
	if (err == 0)
		err = read_uint(r, "index", SSDPM_MAX_STATES - 1, true, &index);
	if (err == 0)
		err = read_word(r, "status", ssdpm_measured_status_from_string,
				true, &m->status);
	m->index = (uint32_t)index;
	if (err == 0 && !ssdpm__overlay_in_order(i ? m - 1 : NULL, m))
		err = ssdpm__fail(r->reterr, -EINVAL, node->line,
				  "measured[%zu]: out of the order of kind "
				  "and index, or there twice",
				  i);
	return err ? err : read_values(r, m);
}

static int read_all(struct overlay_reader *r, struct ssdpm_measured *measured,
		    size_t *ret_n)
{
	static const char what[] = "measured";
	const struct json_node *list =
		ssdpm__json_member(r->json, r->object, what);
	const struct json_node *node;
	size_t n = 0;
	int err;

	if (is_null(list))
		return missing(r, what);
	err = ssdpm__json_expect(list, JSON_ARRAY, what, r->reterr);
	if (err == 0 && list->n_children > SSDPM_MAX_PARAMETERS)
		err = ssdpm__fail(r->reterr, -EINVAL, list->line,
				  "measured: %u parameters; a drive has %d at "
				  "most",
				  list->n_children, SSDPM_MAX_PARAMETERS);
	node = err ? NULL : ssdpm__json_first(r->json, list);
	for (; node && err == 0; node = ssdpm__json_next(r->json, list, node))
		err = read_one(r, node, n++, measured);
	*ret_n = n;
	return err;
}

/* The overlay and what it points to. */
struct contents {
	struct ssdpm_overlay overlay;
	struct ssdpm_calibration calibration;
	struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];
	size_t n;
};

/*
 * The overlay in the output of ssdpm measure calibrate --json, or the text
 * itself.
 */
static const struct json_node *find_overlay(const struct json *json)
{
	const struct json_node *subject = ssdpm__json_subject(json);

	return subject->type == JSON_ARRAY && subject->n_children == 1 ?
		       ssdpm__json_first(json, subject) :
		       subject;
}

static int read_contents(const struct json *json, struct contents *c,
			 struct ssdpm_error *reterr)
{
	struct overlay_reader r = { .json = json,
				    .object = find_overlay(json),
				    .reterr = reterr };
	int err = ssdpm__json_expect(r.object, JSON_OBJECT, "overlay", reterr);

	if (err == 0)
		err = read_schema(&r);
	if (err == 0)
		err = read_overlay(&r, &c->overlay);
	if (err == 0)
		err = read_quality(&r, &c->calibration);
	if (err == 0)
		err = read_all(&r, c->measured, &c->n);
	c->calibration.n_measured = c->n;
	for (size_t i = 0; err == 0 && i < c->n; i++)
		c->calibration.n_known +=
			c->measured[i].status == SSDPM_MEASURED_KNOWN;
	return err;
}

int ssdpm_overlay_from_json(const char *text, size_t size,
			    struct ssdpm_overlay *ret_overlay,
			    struct ssdpm_calibration *ret_calibration,
			    struct ssdpm_error *reterr)
{
	struct contents c = { .n = 0 };
	struct json json;
	int err = ssdpm__sized_check(ret_overlay, sizeof(c.overlay),
				     "ssdpm_overlay", reterr);

	if (err == 0)
		err = ssdpm__sized_check(ret_calibration, sizeof(c.calibration),
					 "ssdpm_calibration", reterr);
	if (err == 0)
		err = ssdpm__json_parse(text, size, &json, reterr);
	if (err)
		return err;
	err = read_contents(&json, &c, reterr);
	ssdpm__json_free(&json);
	if (!err)
		err = ssdpm__calibration_out(ret_calibration, &c.calibration,
					     c.measured, reterr);
	if (!err)
		ssdpm__sized_out(ret_overlay, &c.overlay, sizeof(c.overlay));
	return err;
}
