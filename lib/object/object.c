/* SPDX-License-Identifier: MIT */
/* Writes objects as JSON; object.keys has the keys. */
#include <ssdpm/object.h>

#include "base/json-rows.h"
#include "base/words.h"
#include "device/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char object_kind_words[][11] = {
	[SSDPM_OBJECT_LIST] = "list",
	[SSDPM_OBJECT_DEVICE] = "device",
	[SSDPM_OBJECT_MACHINE] = "machine",
	[SSDPM_OBJECT_LPM] = "lpm",
	[SSDPM_OBJECT_PLAN] = "plan",
	[SSDPM_OBJECT_CAPTURE] = "capture",
	[SSDPM_OBJECT_APST] = "apst",
	[SSDPM_OBJECT_APST_DIFF] = "apst-diff",
	[SSDPM_OBJECT_APST_INFER] = "apst-infer",
	[SSDPM_OBJECT_APST_KEEP] = "apst-keep",
	[SSDPM_OBJECT_APST_REACH] = "apst-reach",
	[SSDPM_OBJECT_ERROR] = "error",
	[SSDPM_OBJECT_MODEL] = "model",
	[SSDPM_OBJECT_ANSWER] = "answer",
	[SSDPM_OBJECT_STATUS] = "status",
};
ENUM_WORDS(object_kind)

static const char object_flag_words[][13] = {
	[FLAG(SSDPM_OBJECT_NOT_IN_FORCE)] = "not-in-force",
	[FLAG(SSDPM_OBJECT_IDENTIFY)] = "identify",
};
FLAG_WORDS(object_flag)

/*
 * The object, copies of the caller's structures in this version's size, and
 * values derived from them.
 */
struct view {
	struct ssdpm_object o;
	struct ssdpm_device_facts facts;
	struct ssdpm_machine_facts machine;
	struct ssdpm_model_info info;
	struct ssdpm_journal journal;
	struct ssdpm_device_power power;
	struct ssdpm_profile_settings profile;
	struct ssdpm_apst_params params;
	struct ssdpm_apst_params defaults;
	struct ssdpm_apst table;
	struct ssdpm_apst other;
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];
	char raw[2 * SSDPM_APST_BYTES + 1];
	char module_line[440]; /* of modprobe.d(5) */
	char boot_line[400];
	char *model_text;
	const char *modprobe; /* these lines, or NULL */
	const char *command_line;
	const char *product; /* NULL, here and below: unknown */
	const char *firmware;
	const char *disk;
	const char *advice;
	uint64_t n_states;
	uint64_t limit_min_us;
	uint32_t verdict;
	uint32_t risk; /* 0: none */
	uint32_t quirks;
	uint32_t seen;
	uint32_t row;
	uint32_t deepest_uw;
	uint32_t differences; /* a bit for each state */
	bool has_quirks;
	bool has_vendor;
	bool has_deepest;
	bool has_limit;
	bool has_pending;
	bool in_force;
	bool d3cold_allowed;
	bool same;
};

/* Items of lists that do not exist elsewhere as written. */
struct said {
	uint32_t code;
	uint32_t severity;
	const char *message;
	const char *advice;
};

struct table_entry {
	uint32_t state;
	uint32_t target;
	uint32_t idle_ms;
};

struct difference {
	uint32_t state;
	uint32_t target;
	uint32_t idle_ms;
	uint32_t other_target;
	uint32_t other_idle_ms;
	bool has;
	bool other_has;
};

struct object_text {
	const char *text;
};

struct file_change {
	const char *path;
	const char *value;
};

struct apst_candidate {
	struct ssdpm_apst_params params;
	uint64_t limit_min_us;
	uint64_t limit_max_us;
};

static int get_diagnosis(const struct view *v, size_t i, struct said *ret)
{
	const struct ssdpm_diagnosis *d;

	if (i >= v->o.n_diagnoses)
		return -1;
	d = &v->o.diagnoses[i];
	*ret = (struct said){ d->code, d->severity, d->message,
			      v->o.advice ? v->o.advice[i] : NULL };
	return 1;
}

static bool is_set(const struct ssdpm_apst_entry *entry)
{
	return entry->target || entry->idle_ms;
}

static int get_entry(const struct ssdpm_apst *table, size_t i,
		     struct table_entry *ret)
{
	const struct ssdpm_apst_entry *entry = &table->entries[i];

	if (i >= SSDPM_MAX_STATES)
		return -1;
	*ret = (struct table_entry){ (uint32_t)i, entry->target,
				     entry->idle_ms };
	return is_set(entry);
}

static int get_difference(const struct view *v, size_t i,
			  struct difference *ret)
{
	const struct ssdpm_apst_entry *entry = &v->table.entries[i];
	const struct ssdpm_apst_entry *other = &v->other.entries[i];

	if (i >= SSDPM_MAX_STATES)
		return -1;
	*ret = (struct difference){ (uint32_t)i,    entry->target,
				    entry->idle_ms, other->target,
				    other->idle_ms, is_set(entry),
				    is_set(other) };
	return v->differences >> i & 1;
}

static int get_verdict(const struct view *v, size_t i,
		       struct ssdpm_apst_verdict *ret)
{
	if (i >= v->n_states)
		return -1;
	*ret = v->verdicts[i];
	return 1;
}

/* A step, and the bytes of its tables; NULL: of another kind. */
struct step_item {
	struct ssdpm_step is;
	const struct ssdpm_apst *before_table;
	const struct ssdpm_apst *after_table;
};

static const struct ssdpm_apst *table_of(const struct ssdpm_step *step,
					 const struct ssdpm_step_value *value)
{
	return step->kind == SSDPM_STEP_APST && value ? &value->table : NULL;
}

static int get_step(const struct view *v, size_t i, struct step_item *ret)
{
	ret->is.size = sizeof(ret->is);
	if (ssdpm_plan_get_step(v->o.plan, i, &ret->is))
		return -1;
	ret->before_table = table_of(&ret->is, ret->is.before_value);
	ret->after_table = table_of(&ret->is, ret->is.after_value);
	return 1;
}

static int get_planned_table(const struct view *v, size_t i,
			     struct ssdpm_planned_table *ret)
{
	ret->size = sizeof(*ret);
	return ssdpm_plan_get_table(v->o.plan, i, ret) ? -1 : 1;
}

static int get_file(const struct view *v, size_t i,
		    struct ssdpm_persist_file *ret)
{
	ret->size = sizeof(*ret);
	for (size_t k = 0; k < v->o.n_persists; k++)
		for (size_t n = 0;
		     v->o.persists[k] &&
		     !ssdpm_persist_get_file(v->o.persists[k], n, ret);
		     n++)
			if (!i--)
				return 1;
	return -1;
}

static int get_object_text(const struct view *v, size_t i,
			   struct object_text *ret)
{
	if (i >= v->o.n_items)
		return -1;
	ret->text = v->o.items[i];
	return 1;
}

/* A file, not a boot parameter. */
static bool is_file(const struct ssdpm_change *change)
{
	return change->target[0] == '/';
}

static int get_file_change(const struct view *v, size_t i,
			   struct file_change *ret)
{
	const struct ssdpm_change *change;

	if (i >= v->o.n_changes)
		return -1;
	change = &v->o.changes[i];
	*ret = (struct file_change){ change->target, change->value };
	return is_file(change);
}

/* Fills in powers that an algorithm needs and the caller left out. */
static void complete(const struct ssdpm_model *model,
		     struct ssdpm_apst_params *params)
{
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(model, &n);

	if (!params->idle_power_uw && n)
		params->idle_power_uw = states[0].idle_power_uw;
	if (!params->transition_power_uw)
		params->transition_power_uw = params->idle_power_uw;
}

static int get_candidate(const struct view *v, size_t i,
			 struct apst_candidate *ret)
{
	const struct ssdpm_apst_params *first = v->o.params;
	const char *at = (const char *)first + (first ? i * first->size : 0);

	if (i >= v->o.n_params)
		return -1;
	memset(ret, 0, sizeof(*ret));
	ssdpm_apst_params_init(&ret->params, sizeof(ret->params));
	ssdpm__sized_in(&ret->params, sizeof(ret->params), at,
			"ssdpm_apst_params", NULL);
	ssdpm_apst_limit_range(v->o.model, &ret->params, &ret->limit_min_us,
			       &ret->limit_max_us, NULL);
	complete(v->o.model, &ret->params);
	return 1;
}

#include "object-rows.h"

/* The names of the parts by bit, and the parts that each object needs. */
static const char part_names[][11] = { "device",     "machine",	  "model",
				       "plan",	     "params",	  "table",
				       "other",	     "name",	  "table_name",
				       "other_name", "catalogue", "reason",
				       "list" };
enum {
	DEVICE = 1 << 0,
	MACHINE = 1 << 1,
	MODEL = 1 << 2,
	PLAN = 1 << 3,
	PARAMS = 1 << 4,
	TABLE = 1 << 5,
	OTHER = 1 << 6,
	NAME = 1 << 7,
	TABLE_NAME = 1 << 8,
	OTHER_NAME = 1 << 9,
	CATALOGUE = 1 << 10,
	REASON = 1 << 11,
	LIST = 1 << 12,
	DRIVE = MODEL | NAME,
	TWO = TABLE | OTHER | OTHER_NAME,
};

static const uint16_t needs[] = {
	[SSDPM_OBJECT_LIST] = CATALOGUE,
	[SSDPM_OBJECT_DEVICE] = DEVICE,
	[SSDPM_OBJECT_MACHINE] = MACHINE,
	[SSDPM_OBJECT_LPM] = DEVICE,
	[SSDPM_OBJECT_PLAN] = PLAN,
	[SSDPM_OBJECT_CAPTURE] = NAME | MACHINE,
	[SSDPM_OBJECT_APST] = DRIVE | PARAMS,
	[SSDPM_OBJECT_APST_DIFF] = DRIVE | TWO,
	[SSDPM_OBJECT_APST_INFER] = DRIVE | TABLE_NAME,
	[SSDPM_OBJECT_APST_KEEP] = DRIVE | PARAMS,
	[SSDPM_OBJECT_APST_REACH] = DRIVE | PARAMS | TWO,
	[SSDPM_OBJECT_ERROR] = NAME | REASON,
	[SSDPM_OBJECT_MODEL] = MODEL,
	[SSDPM_OBJECT_ANSWER] = NAME | LIST,
	[SSDPM_OBJECT_STATUS] = DEVICE,
};

static int check(const struct ssdpm_object *o, struct ssdpm_error *reterr)
{
	const void *const given[] = {
		o->device,     o->machine,    o->model,	    o->plan,
		o->params,     o->table,      o->other,	    o->name,
		o->table_name, o->other_name, o->catalogue, o->reason,
		o->list,
	};

	if (!ssdpm_object_kind_to_string(o->kind))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%u is no kind of an object", o->kind);
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		if ((needs[o->kind] >> i & 1) && !given[i])
			return ssdpm__missing(part_names[i], reterr);
	if (o->n_diagnoses && !o->diagnoses)
		return ssdpm__missing("diagnoses", reterr);
	if (o->n_owners && !o->owners)
		return ssdpm__missing("owners", reterr);
	if (o->n_params && !o->params)
		return ssdpm__missing("params", reterr);
	if (o->n_changes && !o->changes)
		return ssdpm__missing("changes", reterr);
	if (o->n_items && !o->items)
		return ssdpm__missing("items", reterr);
	if (o->n_errors && !o->errors)
		return ssdpm__missing("errors", reterr);
	return 0;
}

/* Copies a part that exists. */
#define COPY(part, name) \
	ssdpm__sized_in(&v->part, sizeof(v->part), v->o.part, name, reterr)

static int take(const struct ssdpm_object *object, struct view *v,
		struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_in(&v->o, sizeof(v->o), object, "ssdpm_object",
				  reterr);

	if (!err)
		err = check(&v->o, reterr);
	if (!err)
		err = COPY(machine, "ssdpm_machine_facts");
	if (!err)
		err = COPY(journal, "ssdpm_journal");
	if (!err)
		err = COPY(power, "ssdpm_device_power");
	if (!err)
		err = COPY(profile, "ssdpm_profile_settings");
	ssdpm_apst_params_init(&v->defaults, sizeof(v->defaults));
	if (!err && v->o.params) {
		v->params = v->defaults;
		err = COPY(params, "ssdpm_apst_params");
	}
	v->o.journal =
		v->journal.state > SSDPM_JOURNAL_NONE ? &v->journal : NULL;
	return err;
}

static void take_device(struct view *v)
{
	const struct ssdpm_diagnosis *reason = NULL;
	const struct ssdpm_diagnosis *risk =
		ssdpm__risk_of(v->o.diagnoses, v->o.n_diagnoses);
	uint32_t from_kernel;

	v->facts = *ssdpm_device_get_facts(v->o.device);
	v->d3cold_allowed = v->facts.flags & SSDPM_DEVICE_D3COLD_ALLOWED;
	v->facts.flags &= ~(uint32_t)SSDPM_DEVICE_D3COLD_ALLOWED;
	if (!v->o.name)
		v->o.name = v->facts.name;
	if (v->o.n_diagnoses)
		v->verdict = v->o.diagnoses[0].code;
	if (risk)
		v->risk = risk->code;
	v->has_quirks =
		v->o.machine &&
		!ssdpm_device_get_quirks(v->o.device, &v->machine, v->o.model,
					 &v->quirks, &from_kernel, NULL);
	if (!(v->facts.flags & (SSDPM_DEVICE_EMPTY | SSDPM_DEVICE_OPTICAL)))
		v->disk = v->facts.name;
	for (size_t i = 0; i < v->o.n_diagnoses; i++)
		if (v->o.diagnoses[i].is_main)
			reason = &v->o.diagnoses[i];
	v->has_pending = v->o.n_pending != UINT32_MAX;
	if ((v->o.kind != SSDPM_OBJECT_LPM &&
	     v->o.kind != SSDPM_OBJECT_STATUS) ||
	    !reason)
		return;
	v->o.reason = reason->message;
	if (v->o.advice)
		v->advice = v->o.advice[reason - v->o.diagnoses];
}

static int take_row(struct view *v, struct ssdpm_error *reterr)
{
	const struct ssdpm_power_state *states;
	const struct ssdpm_catalogue *all = v->o.catalogue;
	struct ssdpm_catalogue_row row = { .size = sizeof(row) };
	struct ssdpm_model *model;
	size_t n;
	int err = ssdpm_catalogue_get_model(all, v->o.index, &model, reterr);

	if (!err)
		err = ssdpm_catalogue_get_row(all, v->o.index, &row);
	if (err)
		return err;
	v->info = *ssdpm_model_get_info(model);
	v->has_vendor = !(v->info.unknown & SSDPM_INFO_VENDOR_ID);
	v->product = row.product;
	v->firmware = row.firmware;
	v->seen = row.seen;
	v->row = row.table;
	states = ssdpm_model_get_states(model, &n);
	v->n_states = n;
	v->has_deepest = n && !(states[n - 1].unknown & SSDPM_FIELD_MAX_POWER);
	if (v->has_deepest)
		v->deepest_uw = states[n - 1].max_power_uw;
	ssdpm_model_unref(model);
	return 0;
}

static int make_table(struct view *v, struct ssdpm_error *reterr)
{
	uint8_t raw[SSDPM_APST_BYTES];
	size_t n;
	int err =
		ssdpm_apst_generate(v->o.model, &v->params, &v->table, reterr);

	if (!err)
		err = ssdpm_apst_explain(v->o.model, &v->params, v->verdicts,
					 SSDPM_MAX_STATES, reterr);
	if (!err)
		err = ssdpm_apst_encode(&v->table, raw, reterr);
	if (err)
		return err;
	ssdpm_model_get_states(v->o.model, &n);
	v->n_states = n;
	for (size_t i = 0; i < sizeof(raw); i++)
		snprintf(v->raw + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

static int find_limit(struct view *v, struct ssdpm_error *reterr)
{
	uint64_t high;

	v->has_limit = !v->o.reason;
	return v->has_limit ?
		       ssdpm_apst_limit_range(v->o.model, &v->params,
					      &v->limit_min_us, &high, reterr) :
		       0;
}

/* Joins the parameters for the next boot. */
static void join_parameters(const struct view *v, size_t skipped, char *text,
			    size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < v->o.n_changes; i++) {
		const struct ssdpm_change *change = &v->o.changes[i];

		if (!is_file(change) && n < size)
			n += (size_t)snprintf(
				text + n, size - n, "%s%s=%s", n ? " " : "",
				change->target + skipped, change->value);
	}
}

static void take_changes(struct view *v)
{
	static const char options[] = "options nvme_core ";
	const size_t n = sizeof(options) - 1;

	join_parameters(v, 0, v->boot_line, sizeof(v->boot_line));
	if (!v->boot_line[0])
		return;
	memcpy(v->module_line, options, n);
	join_parameters(v, strlen("nvme_core."), v->module_line + n,
			sizeof(v->module_line) - n);
	v->command_line = v->boot_line;
	v->modprobe = v->module_line;
}

/* Derives all values about tables. */
static int take_apst(struct view *v, struct ssdpm_error *reterr)
{
	int err = 0;

	v->info = *ssdpm_model_get_info(v->o.model);
	if (!(v->info.unknown & SSDPM_INFO_PRODUCT))
		v->product = v->info.product;
	if (!(v->info.unknown & SSDPM_INFO_FIRMWARE))
		v->firmware = v->info.firmware;
	if (v->o.kind == SSDPM_OBJECT_APST)
		err = make_table(v, reterr);
	else if (v->o.kind == SSDPM_OBJECT_APST_KEEP)
		err = find_limit(v, reterr);
	if (needs[v->o.kind] & TABLE) {
		v->table = *v->o.table;
		v->other = *v->o.other;
		v->differences = ssdpm_apst_diff(&v->table, &v->other);
		v->same = !v->differences && v->table.sent == v->other.sent &&
			  v->table.enabled == v->other.enabled;
	}
	if (v->o.kind == SSDPM_OBJECT_APST_REACH)
		take_changes(v);
	if (v->o.kind != SSDPM_OBJECT_APST_INFER && v->o.params) {
		complete(v->o.model, &v->params);
		v->o.params = &v->params;
	}
	return err;
}

/* Derives values from the given parts. */
static int follow(struct view *v, struct ssdpm_error *reterr)
{
	if (v->o.kind == SSDPM_OBJECT_LIST)
		return take_row(v, reterr);
	if (v->o.kind == SSDPM_OBJECT_MODEL)
		return ssdpm_model_to_json(v->o.model, &v->model_text, reterr);
	if (v->o.kind == SSDPM_OBJECT_PLAN)
		v->in_force =
			!(v->o.flags & SSDPM_OBJECT_NOT_IN_FORCE) &&
			!v->journal.stands &&
			!ssdpm_plan_count(v->o.plan, SSDPM_STEPS_NOT_IN_FORCE);
	else if (needs[v->o.kind] & DEVICE)
		take_device(v);
	else if (needs[v->o.kind] & MODEL)
		return take_apst(v, reterr);
	return 0;
}

static void write_answer(struct json_writer *w, const struct ssdpm_object *o)
{
	ssdpm__json_begin(w, o->list, '[');
	for (size_t i = 0; i < o->n_items; i++) {
		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_members(w, o->items[i]);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
	ssdpm__json_begin(w, "errors", '[');
	for (size_t i = 0; i < o->n_errors; i++)
		ssdpm__json_string(w, NULL, o->errors[i]);
	ssdpm__json_end(w, ']');
}

/* The text of a model has its own schema. */
static void write_schema(struct json_writer *w, const struct ssdpm_object *o)
{
	const bool is_answer = o->kind == SSDPM_OBJECT_ANSWER;
	char schema[64];

	snprintf(schema, sizeof(schema), "ssdpm.%s/%d",
		 is_answer ? o->name : ssdpm_object_kind_to_string(o->kind),
		 is_answer ? 2 : 1);
	if (o->kind != SSDPM_OBJECT_MODEL)
		ssdpm__json_string(w, "schema", schema);
}

/*
 * The index of an object's part of the table. Parts are in the order of the
 * kinds. Those with a schema come first; a model writes its own, so it is the
 * last.
 */
static unsigned int part_of(uint32_t kind)
{
	if (kind == SSDPM_OBJECT_STATUS)
		return SSDPM_OBJECT_MODEL - 1;
	return kind == SSDPM_OBJECT_MODEL ? SSDPM_OBJECT_MODEL : kind - 1;
}

int ssdpm_object_to_json(const struct ssdpm_object *object, char **ret_text,
			 struct ssdpm_error *reterr)
{
	struct json_writer w = { 0 };
	struct view v = { 0 };
	int err = take(object, &v, reterr);

	if (!err)
		err = follow(&v, reterr);
	if (err)
		return err;
	ssdpm__json_begin(&w, NULL, '{');
	write_schema(&w, &v.o);
	if (v.o.kind == SSDPM_OBJECT_ANSWER)
		write_answer(&w, &v.o);
	else
		ssdpm__json_rows(&w, &table, part_of(v.o.kind), &v);
	ssdpm__json_end(&w, '}');
	free(v.model_text);
	return ssdpm__json_finish(&w, ret_text, reterr);
}
