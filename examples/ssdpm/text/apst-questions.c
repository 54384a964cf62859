/* SPDX-License-Identifier: MIT */
#include "text/apst-questions.h"
#include "options/advised.h"
#include "text/device.h"
#include "text/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CANDIDATES = 32 };

struct finding {
	const struct drive *drive;
	const struct quirks *quirks;
	const struct table_source
		*left; /* instead of what params make, or NULL */
	const struct table_source *source;
	struct ssdpm_apst_params params;
	struct ssdpm_apst_params made_by; /* of --diff: of the left table */
	struct ssdpm_apst table;	  /* what params make */
	struct ssdpm_apst other;	  /* what the source is */
	uint32_t differences;
	struct ssdpm_apst_params candidates[MAX_CANDIDATES];
	size_t n_candidates;
	uint32_t state;
	uint64_t limit;
	struct ssdpm_error error; /* why there is no limit; code 0: there is */
};

/* How one question is answered. */
struct answerer {
	const char *option;
	uint32_t object;
	bool takes_table;
	int (*find)(struct finding *finding, struct ssdpm_error *reterr);
	void (*describe)(const struct finding *finding,
			 struct ssdpm_object *object);
	void (*print)(const struct finding *finding);
};

enum exit_status choose_question(const struct common *common,
				 struct question *question, const char *option,
				 const char *argument)
{
	if (question->option && !strcmp(option, "diff") &&
	    !strcmp(question->option, "diff") && !question->second) {
		question->second = argument;
		return STATUS_DONE;
	}
	if (question->option)
		return usage_error(common,
				   strcmp(question->option, option) ?
					   "--%s conflicts with --%s" :
					   "--%s is given too often",
				   question->option, option);
	question->option = option;
	question->argument = argument;
	return STATUS_DONE;
}

/* The parameters with the quirks that their algorithm has for this drive. */
static struct ssdpm_apst_params with_quirks(
	const struct finding *f, const struct ssdpm_apst_params *params)
{
	struct ssdpm_apst_params result = *params;

	result.quirks = apst_quirks(f->quirks, params->algorithm);
	return result;
}

static int get_other(struct finding *f, struct ssdpm_error *reterr)
{
	return make_table(f->source, f->drive, f->quirks, &f->other, reterr);
}

bool is_set(const struct ssdpm_apst_entry *entry)
{
	return entry->target || entry->idle_ms;
}

static bool is_same(const struct finding *f)
{
	return !f->differences && f->table.sent == f->other.sent &&
	       f->table.enabled == f->other.enabled;
}

static struct cell entry_text(const struct ssdpm_apst_entry *entry)
{
	if (!is_set(entry))
		return cell("-");
	if (!entry->idle_ms)
		return cell("PS%u never (idle time 0)", entry->target);
	return cell("PS%u after %s", entry->target,
		    ssdpm_us_to_text((uint64_t)entry->idle_ms * 1000).text);
}

static bool same_row(const struct finding *f, uint32_t a, uint32_t b)
{
	return !memcmp(&f->table.entries[a], &f->table.entries[b],
		       sizeof(f->table.entries[a])) &&
	       !memcmp(&f->other.entries[a], &f->other.entries[b],
		       sizeof(f->other.entries[a]));
}

static void add_rows(struct table *rows, const struct finding *f)
{
	for (uint32_t i = 0, last; i < SSDPM_MAX_STATES; i = last + 1) {
		last = i;
		if (!is_set(&f->table.entries[i]) &&
		    !is_set(&f->other.entries[i]))
			continue;
		while (last + 1 < SSDPM_MAX_STATES && same_row(f, i, last + 1))
			last++;
		table_row(rows, states_text(i, last).text,
			  entry_text(&f->table.entries[i]).text,
			  entry_text(&f->other.entries[i]).text,
			  f->differences >> i & 1 ? "no" : "yes");
	}
}

static const char *switch_text(const struct ssdpm_apst *table)
{
	if (!table->sent)
		return "not sent";
	return table->enabled ? "on" : "off";
}

static void print_differences(const struct finding *f, const char *left,
			      const char *right)
{
	const char *left_switch = switch_text(&f->table);
	const char *right_switch = switch_text(&f->other);
	struct table rows;

	table_begin(&rows, "<<<<", "from", left, right, "same");
	if (strcmp(left_switch, right_switch))
		table_row(&rows, "APST", left_switch, right_switch, "no");
	add_rows(&rows, f);
	table_print(&rows);
}

static void print_drive(const struct finding *f)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(f->drive->model);

	printf("%s: %s%s", f->drive->name, info->product,
	       info->product[0] ? ", " : "");
}

/* --diff */

static int find_diff(struct finding *f, struct ssdpm_error *reterr)
{
	int err;

	if (!f->left)
		f->made_by = f->params;
	else if (f->left->is_made)
		f->made_by = with_quirks(f, &f->left->params);
	if (f->left)
		err = make_table(f->left, f->drive, f->quirks, &f->table,
				 reterr);
	else
		err = ssdpm_apst_generate(f->drive->model, &f->params,
					  &f->table, reterr);
	if (!err)
		err = get_other(f, reterr);
	if (!err)
		f->differences = ssdpm_apst_diff(&f->table, &f->other);
	return err;
}

/* The parameters of the left table; NULL: it is from a file. */
static const struct ssdpm_apst_params *left_params(const struct finding *f)
{
	return f->left && !f->left->is_made ? NULL : &f->made_by;
}

static void describe_diff(const struct finding *f, struct ssdpm_object *object)
{
	object->table_name = f->left ? f->left->name : NULL;
	object->other_name = f->source->name;
	object->table = &f->table;
	object->other = &f->other;
	object->params = left_params(f);
}

static void print_diff(const struct finding *f)
{
	const struct ssdpm_apst_params *p = left_params(f);
	const char *name = f->left ?
				   f->left->name :
				   ssdpm_apst_algorithm_to_string(p->algorithm);

	print_drive(f);
	printf("%s", name);
	if (p)
		printf(" with a latency limit of %s",
		       limit_text(p->max_exit_latency_us).text);
	printf(" and %s %s\n", f->source->name,
	       is_same(f) ? "make the same table" : "differ");
	print_differences(f, name, f->source->name);
}

/* --infer */

static int find_origin(struct finding *f, struct ssdpm_error *reterr)
{
	int err = get_other(f, reterr);

	if (err)
		return err;
	f->candidates[0].size = sizeof(f->candidates[0]);
	return ssdpm_apst_infer(f->drive->model, &f->other, f->candidates,
				MAX_CANDIDATES, &f->n_candidates, reterr);
}

static size_t n_shown(const struct finding *f)
{
	return f->n_candidates < MAX_CANDIDATES ? f->n_candidates :
						  MAX_CANDIDATES;
}

static void describe_origin(const struct finding *f,
			    struct ssdpm_object *object)
{
	object->table_name = f->source->name;
	object->params = f->candidates;
	object->n_params = n_shown(f);
}

static void print_setting(const char *name, uint64_t us, uint64_t usual_us)
{
	if (us != usual_us)
		printf(", %s %s", name, ssdpm_us_to_text(us).text);
}

/* The settings that differ from the default. */
static void print_settings(const struct ssdpm_apst_params *p)
{
	struct ssdpm_apst_params d;

	ssdpm_apst_params_init(&d, sizeof(d));
	if (p->algorithm == SSDPM_APST_WINDOWS)
		printf(" %s on %s", ssdpm_power_scheme_to_string(p->scheme),
		       ssdpm_power_source_to_string(p->power_source));
	for (uint32_t bit = 1; ssdpm_quirk_to_string(bit); bit <<= 1)
		if (p->quirks & bit)
			printf(", quirk %s", ssdpm_quirk_to_string(bit));
	print_setting("primary timeout", p->primary_timeout_ms * 1000,
		      d.primary_timeout_ms * 1000);
	print_setting("primary tolerance", p->primary_latency_tolerance_us,
		      d.primary_latency_tolerance_us);
	print_setting("secondary timeout", p->secondary_timeout_ms * 1000,
		      d.secondary_timeout_ms * 1000);
	print_setting("secondary tolerance", p->secondary_latency_tolerance_us,
		      d.secondary_latency_tolerance_us);
}

static void print_range(const struct ssdpm_model *model,
			const struct ssdpm_apst_params *p)
{
	uint64_t low = 0, high = 0;

	ssdpm_apst_limit_range(model, p, &low, &high, NULL);
	if (low <= 1 && high == SSDPM_LATENCY_ANY)
		fputs("whatever the latency limit", stdout);
	else if (low == high)
		printf("latency limit %s", limit_text(low).text);
	else
		printf("latency limit %s to %s", limit_text(low).text,
		       limit_text(high).text);
}

static void print_origin(const struct finding *f)
{
	print_drive(f);
	if (!f->n_candidates) {
		printf("nothing that is known makes the table of %s\n",
		       f->source->name);
		return;
	}
	printf("the table of %s is made by\n", f->source->name);
	for (size_t i = 0; i < n_shown(f); i++) {
		const struct ssdpm_apst_params *p = &f->candidates[i];

		printf("  %s", ssdpm_apst_algorithm_to_string(p->algorithm));
		print_settings(p);
		fputs(", ", stdout);
		print_range(f->drive->model, p);
		putchar('\n');
	}
}

/* --keep */

static int find_limit(struct finding *f, struct ssdpm_error *reterr)
{
	int err = ssdpm_apst_generate(f->drive->model, &f->params, &f->table,
				      reterr);

	if (err)
		return err;
	f->error.code = 0;
	err = ssdpm_apst_keep(f->drive->model, &f->params, f->state, &f->limit,
			      &f->error);
	if (!err) {
		f->params.max_exit_latency_us = f->limit;
		return 0;
	}
	if (err == -EOPNOTSUPP)
		return 0; /* that no limit does it is an answer */
	*reterr = f->error;
	return err;
}

static void describe_limits(const struct finding *f,
			    struct ssdpm_object *object)
{
	object->index = f->state;
	object->params = &f->params;
	object->reason = f->error.code ? f->error.message : NULL;
}

static void print_limits(const struct finding *f)
{
	print_drive(f);
	fputs(ssdpm_apst_algorithm_to_string(f->params.algorithm), stdout);
	if (f->error.code) {
		printf(": %s\n", f->error.message);
		return;
	}
	printf(": PS%u is used and none deeper, ", f->state);
	print_range(f->drive->model, &f->params);
	putchar('\n');
}

/* --reach */

static int find_way(struct finding *f, struct ssdpm_error *reterr)
{
	uint32_t quirks = f->params.quirks;
	int err = get_other(f, reterr);

	if (!err)
		err = ssdpm_apst_reach(f->drive->model, &f->other, quirks,
				       &f->params, &f->table, reterr);
	if (!err)
		f->differences = ssdpm_apst_diff(&f->table, &f->other);
	return err;
}

static void describe_way(const struct finding *f, struct ssdpm_object *object)
{
	object->other_name = f->source->name;
	object->table = &f->table;
	object->other = &f->other;
	object->params = &f->params;
}

/* The parameters of nvme_core, as Linux has them unless it is told. */
struct usual {
	const char *name;
	uint64_t value;
};

enum { N_USUAL = 5 };

static void find_usual(struct usual usual[N_USUAL])
{
	struct ssdpm_apst_params d;

	ssdpm_apst_params_init(&d, sizeof(d));
	usual[0] = (struct usual){ "apst_primary_timeout_ms",
				   d.primary_timeout_ms };
	usual[1] = (struct usual){ "apst_primary_latency_tol_us",
				   d.primary_latency_tolerance_us };
	usual[2] = (struct usual){ "apst_secondary_timeout_ms",
				   d.secondary_timeout_ms };
	usual[3] = (struct usual){ "apst_secondary_latency_tol_us",
				   d.secondary_latency_tolerance_us };
	usual[4] = (struct usual){ "default_ps_max_latency_us",
				   d.max_exit_latency_us };
}

static bool is_changed(const struct changes *changes, const char *name)
{
	for (size_t i = 0; i < changes->n; i++) {
		const char *parameter = parameter_of(&changes->all[i]);

		if (parameter && !strcmp(parameter, name))
			return true;
	}
	return false;
}

/* Parameters that nobody has to name, as long as nobody has. */
static void print_kept(const struct changes *changes)
{
	struct usual usual[N_USUAL];
	const char *blank = "";

	find_usual(usual);
	fputs("  if these are at their defaults:\n    ", stdout);
	for (int i = 0; i < N_USUAL; i++) {
		if (is_changed(changes, usual[i].name))
			continue;
		printf("%s%s=%" PRIu64, blank, usual[i].name, usual[i].value);
		blank = " ";
	}
	putchar('\n');
}

static void print_way(const struct finding *f)
{
	struct changes changes = find_changes(f->drive, &f->params);
	char text[400];

	print_drive(f);
	printf(is_same(f) ? "Linux can build the table of %s\n" :
			    "Linux cannot build the table of %s; closest is\n",
	       f->source->name);
	if (!is_same(f))
		print_differences(f, "closest", "wanted");
	join_changes(&changes, "", text, sizeof(text));
	if (!text[0])
		puts("  it is what Linux builds by default (5.14 and later)");
	print_sysfs(f->drive, &changes);
	if (text[0]) {
		printf("  at boot, for all NVMe drives, in "
		       "/etc/modprobe.d/nvme.conf:\n"
		       "    options nvme_core %s\n",
		       text);
		join_changes(&changes, "nvme_core.", text, sizeof(text));
		printf("  or on the kernel command line:\n    %s\n", text);
		print_kept(&changes);
	}
	free(changes.all);
}

static const struct answerer answerers[] = {
	{ "diff", SSDPM_OBJECT_APST_DIFF, true, find_diff, describe_diff,
	  print_diff },
	{ "infer", SSDPM_OBJECT_APST_INFER, true, find_origin, describe_origin,
	  print_origin },
	{ "keep", SSDPM_OBJECT_APST_KEEP, false, find_limit, describe_limits,
	  print_limits },
	{ "reach", SSDPM_OBJECT_APST_REACH, true, find_way, describe_way,
	  print_way },
};

static void add_finding(struct items *items, const struct answerer *a,
			const struct finding *finding)
{
	struct ssdpm_object object = { .size = sizeof(object),
				       .kind = a->object,
				       .name = finding->drive->name,
				       .model = finding->drive->model };
	const bool has_way = a->object == SSDPM_OBJECT_APST_REACH;
	struct changes changes = { 0 };
	char *apply = NULL;

	a->describe(finding, &object);
	if (has_way) {
		changes = find_changes(finding->drive, &finding->params);
		apply = apply_text(finding->drive, &changes);
	}
	object.changes = changes.all;
	object.n_changes = changes.n;
	object.apply = apply;
	add_object(items, &object);
	free(apply);
	free(changes.all);
}

static enum exit_status print_findings_json(const struct common *common,
					    const struct answerer *a,
					    const struct finding *findings,
					    size_t n)
{
	struct items items = { 0 };

	for (size_t i = 0; i < n; i++)
		add_finding(&items, a, &findings[i]);
	return print_items(common, &items);
}

static enum exit_status print_findings(const struct common *common,
				       const struct answerer *a,
				       const struct finding *findings, size_t n)
{
	if (common->form)
		return print_findings_json(common, a, findings, n);
	for (size_t i = 0; i < n; i++)
		a->print(&findings[i]);
	return STATUS_DONE;
}

/* "PS3", "ps3", "3". */
static enum exit_status parse_state(const struct common *common,
				    const struct question *question,
				    uint32_t *ret_state)
{
	const char *digits = question->argument;
	char *end;

	if (!strncmp(digits, "PS", 2) || !strncmp(digits, "ps", 2))
		digits += 2;
	*ret_state = (uint32_t)strtoul(digits, &end, 10);
	if (*digits >= '0' && *digits <= '9' && !*end && end - digits <= 2 &&
	    *ret_state < SSDPM_MAX_STATES)
		return STATUS_DONE;
	return usage_error(common, "--%s %s: write a state, as in PS3",
			   question->option, question->argument);
}

/* A time that the envelope needs is the drive's; Linux has those of options. */
static uint32_t algorithm_of(const struct finding *f)
{
	const struct ssdpm_apst_params *const made[] = {
		&f->params,
		f->left ? &f->left->params : NULL,
		&f->source->params,
	};

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		if (made[i] && made[i]->algorithm == SSDPM_APST_LOWER_ENVELOPE)
			return SSDPM_APST_LOWER_ENVELOPE;
	return SSDPM_APST_LINUX;
}

/* *n: of findings; those that stay are the first, then. */
static enum exit_status find_all(const struct common *common,
				 const struct answerer *a,
				 struct finding *findings, size_t *n)
{
	enum exit_status status = STATUS_DONE, failed;
	const size_t n_all = *n;
	struct ssdpm_error error;

	*n = 0;
	for (size_t i = 0; i < n_all; i++) {
		const char *name = findings[i].drive->name;
		int err = a->find(&findings[i], &error);

		if (!err) {
			findings[(*n)++] = findings[i];
			continue;
		}
		complain("%s: %s", name, error.message);
		failed = err == -EINVAL ?
				 STATUS_USAGE :
				 status_of(err, algorithm_of(&findings[i]));
		if (!keep_failed_drive(common, name, n_all, failed) && !status)
			status = failed;
	}
	return status;
}

static void note_apsta(const struct common *common, const struct drive *drive)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->model);

	if (info->kind == SSDPM_KIND_NVME &&
	    (info->unknown & SSDPM_INFO_APSTA) && !common->quiet)
		remark("%s: APSTA is unknown; taken as 1 (APST supported)",
		       drive->name);
}

enum exit_status read_two_tables(const struct common *common,
				 const struct question *question,
				 const struct ssdpm_apst_params *params,
				 struct table_source *left,
				 struct table_source *source)
{
	const char *option = question->option;
	const char *first = question->argument, *second = question->second;
	struct ssdpm_apst_params usual;
	enum exit_status status = STATUS_DONE;

	ssdpm_apst_params_init(&usual, sizeof(usual));
	if (second)
		status = parse_table(common, option, first, params, left);
	if (status)
		return status;
	/* The options make the left table, not the one beside it. */
	if (!second && !strcmp(option, "diff"))
		params = &usual;
	return parse_table(common, option, second ? second : first, params,
			   source);
}

/* blank has what is the same for all drives. */
static enum exit_status answer_all(const struct common *common,
				   const struct answerer *a,
				   const struct finding *blank,
				   const struct quirks *quirks,
				   const struct drives *drives)
{
	struct finding *findings = calloc(drives->n, sizeof(*findings));
	enum exit_status status;
	size_t n = drives->n;

	if (!findings)
		return out_of_memory();
	for (size_t i = 0; i < drives->n; i++) {
		findings[i] = *blank;
		findings[i].drive = &drives->drives[i];
		findings[i].quirks = &quirks[i];
		findings[i].params = with_quirks(&findings[i], &blank->params);
		note_apsta(common, &drives->drives[i]);
	}
	status = find_all(common, a, findings, &n);
	if (!status)
		status = print_findings(common, a, findings, n);
	free(findings);
	return status;
}

enum exit_status answer_question(const struct common *common,
				 const struct question *question,
				 const struct ssdpm_apst_params *params,
				 const struct quirks *quirks,
				 const struct drives *drives)
{
	struct table_source left = { 0 }, source = { 0 };
	struct finding blank = { .params = *params, .source = &source };
	const struct answerer *a = answerers;
	enum exit_status status;

	while (strcmp(a->option, question->option))
		a++;
	if (question->second)
		blank.left = &left;
	if (a->takes_table)
		status = read_two_tables(common, question, params, &left,
					 &source);
	else
		status = parse_state(common, question, &blank.state);
	return status ? status : answer_all(common, a, &blank, quirks, drives);
}
