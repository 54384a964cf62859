/* SPDX-License-Identifier: MIT */
/* Plans, for people and as ssdpm.plan/1. */
#include "device-json.h"
#include "device-print.h"
#include "numbers.h"
#include "output.h"
#include "plan-estimate.h"
#include "work.h"

#include <stdlib.h>
#include <string.h>

#define HEX_TABLE (2 * SSDPM_APST_BYTES)

/* A table stands as 512 digits in a step: for people it is read. */
static void print_value(const char *value)
{
	struct resolved resolved = { .lpm = 0 };

	if (!value)
		fputs("unknown", stdout);
	else if (strlen(value) == HEX_TABLE &&
		 !ssdpm_apst_from_data(value, HEX_TABLE, &resolved.table, NULL))
		print_resolved(&resolved);
	else
		fputs(value, stdout);
}

static bool differs(const struct ssdpm_step *step)
{
	return step->state != SSDPM_STEP_IN_FORCE &&
	       step->state != SSDPM_STEP_LEFT_ALONE &&
	       step->state != SSDPM_STEP_DONE;
}

static const char *how_long(uint32_t flags)
{
	return flags & SSDPM_STEP_UNTIL_RESET  ? ", until the next reset" :
	       flags & SSDPM_STEP_UNTIL_REBOOT ? ", until the next boot" :
						 "";
}

/* What is said in words already need not be said by a number. */
static void print_step(const struct ssdpm_step *step)
{
	bool acts = step->state != SSDPM_STEP_IN_FORCE &&
		    step->state != SSDPM_STEP_LEFT_ALONE;

	printf("%s: %s", step->device, ssdpm_step_kind_to_string(step->kind));
	if (step->state != SSDPM_STEP_LEFT_ALONE) {
		putchar(' ');
		if (acts) {
			print_value(step->before);
			fputs(" -> ", stdout);
		}
		print_value(step->after);
	}
	printf(": %s", ssdpm_step_state_to_string(step->state));
	if (acts)
		printf("%s%s%s", how_long(step->flags),
		       step->flags & SSDPM_STEP_REVERSIBLE ?
			       "" :
			       ", cannot be undone",
		       step->flags & SSDPM_STEP_ALL_DRIVES ? ", all drives" :
							     "");
	if (step->flags & SSDPM_STEP_NO_HOST_BITS)
		fputs(", accepted; host bits do not apply", stdout);
	putchar('\n');
	if (acts && step->target)
		printf("    %s\n", step->target);
	if (step->why && step->why[0])
		printf("    %s\n", step->why);
}

void print_steps(const struct work *work)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(work->plan, i, &step); i++) {
		if (work->differences_only && !differs(&step))
			continue;
		print_step(&step);
		if (work->differences_only &&
		    (step.flags & SSDPM_STEP_UNTIL_RESET))
			puts("    a reset or resume of the controller undoes "
			     "this");
	}
}

static bool same_table(const struct ssdpm_apst *a, const struct ssdpm_apst *b)
{
	return a->enabled == b->enabled && !ssdpm_apst_diff(a, b);
}

static void print_table_line(const char *name, const struct ssdpm_apst *table)
{
	const struct resolved resolved = { .table = *table };

	printf("    %-6s  ", name);
	print_resolved(&resolved);
	putchar('\n');
}

static void print_one_table(const struct ssdpm_planned_table *t)
{
	const char *from =
		t->provenance == SSDPM_PROVENANCE_CATALOGUE ?
			", from what the catalogue has of the drive" :
			"";
	bool both = (t->known & SSDPM_TABLE_BEFORE) &&
		    (t->known & SSDPM_TABLE_AFTER);

	printf("%s: the table that this kernel builds%s\n", t->device, from);
	if (both && same_table(&t->before, &t->after)) {
		print_table_line("as now", &t->after);
	} else {
		if (t->known & SSDPM_TABLE_BEFORE)
			print_table_line("before", &t->before);
		if (t->known & SSDPM_TABLE_AFTER)
			print_table_line("after", &t->after);
	}
	if (t->known & SSDPM_TABLE_BUILT)
		print_table_line("built", &t->built);
}

static void print_tables(const struct work *work)
{
	struct ssdpm_planned_table table = { .size = sizeof(table) };

	for (size_t i = 0; !ssdpm_plan_get_table(work->plan, i, &table); i++)
		if (table.known)
			print_one_table(&table);
}

static void print_files(const struct ssdpm_persist *persist)
{
	struct ssdpm_persist_file file = { .size = sizeof(file) };

	for (size_t i = 0;
	     persist && !ssdpm_persist_get_file(persist, i, &file); i++) {
		printf("\n%s, mode %o:\n", file.path, file.mode);
		fputs(file.contents, stdout);
		if (file.note && file.note[0])
			printf("(%s)\n", file.note);
	}
}

static void print_profile(const struct work *work)
{
	const struct ssdpm_profile_settings *now = &work->profile.now;

	if (!work->options || !work->options->profile)
		return;
	printf("profile %s on %s%s%s\n", now->name,
	       ssdpm_power_source_to_string(now->power_source),
	       now->reason[0] ? ": " : "", now->reason);
}

static enum exit_status print_for_people(const struct work *work)
{
	size_t n = ssdpm_plan_get_n_steps(work->plan);

	print_profile(work);
	print_steps(work);
	if (!n)
		puts("nothing to do");
	else if (work->differences_only && work->in_force)
		puts("in force");
	if (!work->differences_only || !work->in_force)
		print_tables(work);
	print_files(work->persist);
	return print_savings(work);
}

static void write_step(struct json_writer *w, const struct ssdpm_step *step)
{
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "kind", ssdpm_step_kind_to_string(step->kind));
	ssdpm__json_string(w, "state", ssdpm_step_state_to_string(step->state));
	write_bits(w, "flags", step->flags, ssdpm_step_flag_to_string);
	ssdpm__json_string(w, "device", step->device);
	ssdpm__json_string(w, "target", step->target);
	ssdpm__json_string(w, "before", step->before);
	ssdpm__json_string(w, "after", step->after);
	ssdpm__json_string(w, "why", step->why);
	ssdpm__json_end(w, '}');
}

static void write_planned_table(struct json_writer *w,
				const struct ssdpm_planned_table *t)
{
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "device", t->device);
	ssdpm__json_string(w, "provenance",
			   ssdpm_provenance_to_string(t->provenance));
	write_table(w, "before",
		    t->known & SSDPM_TABLE_BEFORE ? &t->before : NULL);
	write_table(w, "after",
		    t->known & SSDPM_TABLE_AFTER ? &t->after : NULL);
	write_table(w, "built",
		    t->known & SSDPM_TABLE_BUILT ? &t->built : NULL);
	ssdpm__json_end(w, '}');
}

static void write_files(struct json_writer *w,
			const struct ssdpm_persist *persist)
{
	struct ssdpm_persist_file file = { .size = sizeof(file) };

	if (!persist)
		return;
	ssdpm__json_begin(w, "files", '[');
	for (size_t i = 0; !ssdpm_persist_get_file(persist, i, &file); i++) {
		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_string(w, "path", file.path);
		ssdpm__json_uint(w, "mode", file.mode);
		ssdpm__json_string(w, "contents", file.contents);
		ssdpm__json_string(w, "note",
				   file.note && file.note[0] ? file.note :
							       NULL);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

static void write_profile(struct json_writer *w, const struct work *work)
{
	const struct ssdpm_profile_settings *now = &work->profile.now;
	bool given = work->options && work->options->profile;

	ssdpm__json_string(w, "profile", given ? now->name : NULL);
	ssdpm__json_string(
		w, "power_source",
		given ? ssdpm_power_source_to_string(now->power_source) : NULL);
	ssdpm__json_string(w, "reason",
			   given && now->reason[0] ? now->reason : NULL);
}

static enum exit_status write_work(struct json_writer *w,
				   const struct work *work)
{
	struct ssdpm_planned_table table = { .size = sizeof(table) };
	struct ssdpm_step step = { .size = sizeof(step) };
	enum exit_status status;

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "schema", "ssdpm.plan/1");
	write_profile(w, work);
	ssdpm__json_bool(w, "in_force", work->in_force);
	ssdpm__json_begin(w, "steps", '[');
	for (size_t i = 0; !ssdpm_plan_get_step(work->plan, i, &step); i++)
		write_step(w, &step);
	ssdpm__json_end(w, ']');
	ssdpm__json_begin(w, "tables", '[');
	for (size_t i = 0; !ssdpm_plan_get_table(work->plan, i, &table); i++)
		write_planned_table(w, &table);
	ssdpm__json_end(w, ']');
	write_files(w, work->persist);
	status = write_savings(w, work);
	ssdpm__json_end(w, '}');
	return status;
}

enum exit_status print_work(const struct work *work)
{
	struct json_writer w = { 0 };
	enum exit_status status;

	if (!work->common->form)
		return print_for_people(work);
	status = write_work(&w, work);
	if (!status)
		return print_written(work->common, &w);
	free(w.text);
	return status;
}
