/* SPDX-License-Identifier: MIT */
/* Plans, for people and as ssdpm.plan/1. */
#include "text/device.h"
#include "options/numbers.h"
#include "text/output.h"
#include "programs.h"
#include "plan/work.h"

#include <stdlib.h>
#include <string.h>

static void print_value(FILE *out, const struct ssdpm_step *step,
			const char *text, const struct ssdpm_step_value *value)
{
	const bool is_time = step->kind == SSDPM_STEP_LATENCY_TOLERANCE ||
			     step->kind == SSDPM_STEP_REBUILD;

	if (value && is_time && value->max_exit_latency_us != SSDPM_LATENCY_ANY)
		fputs(latency_text(value->max_exit_latency_us).text, out);
	else
		print_to(out, "%s", *text ? text : "unknown");
}

static bool was_applied(const struct work *work)
{
	return work->options && work->options->applied;
}

static bool is_of_config(const struct work *work)
{
	return work->options && work->options->config;
}

/* A machine has many ports without a disk, where nothing could be in force. */
static bool has_disk(const struct work *work, const struct ssdpm_step *step)
{
	const struct ssdpm_device_facts *facts =
		find_facts(work->drives, step->device);

	return !facts ||
	       !(facts->flags & (SSDPM_DEVICE_EMPTY | SSDPM_DEVICE_OPTICAL));
}

/*
 * A device may be gone since its setting was applied. A line of a file, or
 * --link, may ask for what is not set.
 */
static bool is_worth_a_word(const struct work *work,
			    const struct ssdpm_step *step)
{
	if (was_applied(work) || step->kind == SSDPM_STEP_PCIE_LINK)
		return true;
	return step->origin[0] &&
	       (work->common->verbose || has_disk(work, step));
}

static bool differs(const struct work *work, const struct ssdpm_step *step)
{
	if (step->state == SSDPM_STEP_LEFT_ALONE)
		return is_worth_a_word(work, step);
	return step->state != SSDPM_STEP_IN_FORCE &&
	       step->state != SSDPM_STEP_DONE;
}

static bool is_kept(const struct work *work, const struct ssdpm_step *step)
{
	return step->kind == SSDPM_STEP_NVME_CORE ? work->keeps_parameters :
						    work->is_kept;
}

/* A file asks for it at each boot, and something there reads that file. */
static bool is_of_lasting_file(const struct work *work,
			       const struct ssdpm_step *step)
{
	return step->origin[0] && strncmp(step->origin, "/run/", 5) &&
	       work->drives->n_lives && is_set_at_boot(work->drives->lives[0]);
}

/* A setting that is kept comes back after a boot. */
static const char *how_long(const struct work *work,
			    const struct ssdpm_step *step)
{
	if (is_kept(work, step) || is_of_lasting_file(work, step) ||
	    (step->why && strstr(step->why, "until")))
		return NULL;
	return step->flags & SSDPM_STEP_UNTIL_RESET  ? "until the next reset" :
	       step->flags & SSDPM_STEP_UNTIL_REBOOT ? "until the next boot" :
						       NULL;
}

/* "latency tolerance", "nvme_core apst_primary_timeout_ms" */
struct cell plan_step_text(const struct ssdpm_step *step)
{
	switch (step->kind) {
	case SSDPM_STEP_LATENCY_TOLERANCE:
		return cell("latency tolerance");
	case SSDPM_STEP_NVME_CORE:
		return cell("nvme_core %s",
			    ssdpm_nvme_core_to_string(step->parameter));
	case SSDPM_STEP_REBUILD:
		return cell("table built anew at latency tolerance");
	case SSDPM_STEP_APST:
		return cell("APST table");
	case SSDPM_STEP_POWER_STATE:
		return cell("power state");
	case SSDPM_STEP_NOPP:
		return cell("background work beyond non-operational power");
	case SSDPM_STEP_PCIE_LINK:
		return cell("link feature %s", strrchr(step->target, '/') + 1);
	case SSDPM_STEP_QUEUE_DEPTH:
		return cell("queue depth");
	case SSDPM_STEP_D3COLD:
		return cell("D3cold");
	case SSDPM_STEP_ASPM_POLICY:
		return cell("ASPM policy");
	default:
		return cell("link policy");
	}
}

/* The reason without what the head of the line already has. */
static const char *why_of(const struct ssdpm_step *step)
{
	size_t length = strlen(step->device);
	const char *why = step->why ? step->why : "";

	if (!strncmp(why, step->device, length) && why[length] == ':')
		return why + length + 2;
	return why;
}

/* Nobody could ask for it: it may be in force. */
static bool is_unknown(const struct ssdpm_step *step)
{
	return step->state == SSDPM_STEP_PLANNED && !step->before[0];
}

/* The commit, for the device of this step. */
static bool has_failed(const struct work *work, const struct ssdpm_step *step)
{
	return ssdpm_plan_has_failed(work->plan, step->device);
}

/* Where all is undone, what is still done was not put back. */
static bool is_left_over(const struct work *work, const struct ssdpm_step *step)
{
	return step->state == SSDPM_STEP_DONE && has_failed(work, step);
}

static const char *state_of(const struct work *work,
			    const struct ssdpm_step *step)
{
	if (work->differences_only && is_unknown(step))
		return "not known";
	if (work->differences_only && step->state == SSDPM_STEP_PLANNED)
		return "not in force";
	if (is_left_over(work, step))
		return "done, and not put back";
	switch (step->state) {
	case SSDPM_STEP_IN_FORCE:
		return "in force";
	case SSDPM_STEP_DIFFERS:
		return has_failed(work, step) ? "failed, and not put back" :
						"done, but not in force";
	default:
		return ssdpm_step_state_to_string(step->state);
	}
}

static bool has_details(const struct work *work, const struct ssdpm_step *step)
{
	return step->state != SSDPM_STEP_IN_FORCE || work->common->verbose;
}

/* A rebuild sets what is so already. */
static bool has_before(const struct ssdpm_step *step)
{
	return step->state != SSDPM_STEP_IN_FORCE &&
	       step->kind != SSDPM_STEP_REBUILD;
}

/* The same feature, perhaps of two drives. */
static bool is_same_file(const struct ssdpm_step *a, const struct ssdpm_step *b)
{
	return !strcmp(strrchr(a->target, '/'), strrchr(b->target, '/'));
}

/* Both print the same text, but for the device's name. */
static bool is_alike(const struct work *work, const struct ssdpm_step *a,
		     const struct ssdpm_step *b)
{
	if (a->kind != b->kind || a->parameter != b->parameter ||
	    (a->kind == SSDPM_STEP_PCIE_LINK && !is_same_file(a, b)) ||
	    a->state != b->state || strcmp(a->origin, b->origin) ||
	    has_failed(work, a) != has_failed(work, b))
		return false;
	if (has_details(work, a) && strcmp(why_of(a), why_of(b)))
		return false;
	if (a->state == SSDPM_STEP_LEFT_ALONE)
		return true;
	return !strcmp(a->after, b->after) &&
	       (!has_before(a) || !strcmp(a->before, b->before)) &&
	       (!has_details(work, a) || a->flags == b->flags);
}

/* Which steps are printed. */
typedef bool (*shown_fn)(const struct work *work,
			 const struct ssdpm_step *step);

/* The index of the first such step from @i on that is like @first, or SIZE_MAX.
 */
static size_t next_alike(const struct work *work, shown_fn is_shown,
			 const struct ssdpm_step *first, size_t i)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (; !ssdpm_plan_get_step(work->plan, i, &step); i++)
		if (is_shown(work, &step) && is_alike(work, first, &step))
			return i;
	return SIZE_MAX;
}

/* "nvme0, nvme1: latency tolerance 100 ms -> 25 ms (planned)" */
static void print_head(const struct work *work, shown_fn is_shown,
		       const struct ssdpm_step *first, size_t i)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	print_to(out, "%s", first->device);
	while ((i = next_alike(work, is_shown, first, i + 1)) != SIZE_MAX &&
	       !ssdpm_plan_get_step(work->plan, i, &step))
		print_to(out, ", %s", step.device);
	fputs(": ", out);
	fputs(plan_step_text(first).text, out);
	if (first->state == SSDPM_STEP_LEFT_ALONE) {
		print_to(out, " left alone: %s", why_of(first));
	} else {
		fputc(' ', out);
		if (has_before(first)) {
			print_value(out, first, first->before,
				    first->before_value);
			fputs(" -> ", out);
		}
		print_value(out, first, first->after, first->after_value);
		print_to(out, " (%s)", state_of(work, first));
	}
	end_paragraph(out, &text, 0, 2);
}

static void print_why(const struct work *work, const struct ssdpm_step *step)
{
	const char *lasting = how_long(work, step);
	char *text;

	if (!why_of(step)[0] && !lasting)
		return;
	if (asprintf(&text, "%s%s%s%s", why_of(step),
		     why_of(step)[0] && lasting ? "; " : "",
		     lasting ? lasting : "",
		     step->flags & SSDPM_STEP_REVERSIBLE ?
			     "" :
			     "; cannot be undone") < 0)
		return;
	print_paragraph(text, 4, 4);
	free(text);
}

static void print_targets(const struct work *work, shown_fn is_shown,
			  const struct ssdpm_step *first, size_t i)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (; i != SIZE_MAX && !ssdpm_plan_get_step(work->plan, i, &step);
	     i = next_alike(work, is_shown, first, i + 1))
		if (step.target)
			printf("    %s\n", step.target);
}

/* The step at index @i, and those like it that follow. */
static void print_alike(const struct work *work, shown_fn is_shown,
			const struct ssdpm_step *step, size_t i)
{
	print_head(work, is_shown, step, i);
	if (step->state != SSDPM_STEP_LEFT_ALONE && has_details(work, step)) {
		print_why(work, step);
		print_targets(work, is_shown, step, i);
	}
	if (step->origin[0])
		printf("    decided by %s\n", step->origin);
}

/* Prints those that @is_shown; steps that are alike once, with all names. */
static void print_shown(const struct work *work, shown_fn is_shown)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(work->plan, i, &step); i++) {
		if (!is_shown(work, &step) ||
		    next_alike(work, is_shown, &step, 0) < i)
			continue;
		print_alike(work, is_shown, &step, i);
		if (work->differences_only && !is_unknown(&step) &&
		    step.state != SSDPM_STEP_LEFT_ALONE &&
		    (step.flags & SSDPM_STEP_UNTIL_RESET))
			printf("    a reset or a resume of the controller "
			       "loses such a %s\n",
			       step.kind == SSDPM_STEP_APST ? "table" :
							      "setting");
	}
}

/* A plan has a step for each feature of a link, and most stay as they are. */
static bool is_kept_feature(const struct work *work,
			    const struct ssdpm_step *step)
{
	return step->kind == SSDPM_STEP_PCIE_LINK &&
	       step->state == SSDPM_STEP_IN_FORCE && work->options &&
	       plan_has(work->options, "link") &&
	       !asks_for_feature(&work->options->link, step->target);
}

static bool is_of_use(const struct work *work, const struct ssdpm_step *step)
{
	if (is_kept_feature(work, step))
		return false;
	return !work->differences_only || differs(work, step);
}

void print_steps(const struct work *work)
{
	print_shown(work, is_of_use);
}

static bool same_table(const struct ssdpm_apst *a, const struct ssdpm_apst *b)
{
	return a->enabled == b->enabled && !ssdpm_apst_diff(a, b);
}

static void print_table_line(const char *name, const struct ssdpm_apst *table)
{
	printf("    %-6s  ", name);
	print_apst(table);
	putchar('\n');
}

static void print_one_table(const struct ssdpm_planned_table *t)
{
	bool both = (t->known & SSDPM_TABLE_BEFORE) &&
		    (t->known & SSDPM_TABLE_AFTER);

	printf("%s: APST table%s\n", t->device,
	       t->provenance == SSDPM_PROVENANCE_CATALOGUE ?
		       ", for a drive as the catalogue has it" :
		       "");
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

/* A drive without APST has none. */
static bool is_sent(const struct ssdpm_planned_table *t)
{
	return ((t->known & SSDPM_TABLE_AFTER) && t->after.sent) ||
	       (t->known & SSDPM_TABLE_BUILT);
}

/* The dump of a capture, which no kernel replaces. */
static bool read_kept(const struct work *work, const char *device,
		      struct ssdpm_apst *ret_table)
{
	for (size_t i = 0; i < work->drives->n; i++) {
		const struct drive *drive = &work->drives->drives[i];

		if (drive->live->facts.capture &&
		    !strcmp(ssdpm_device_get_facts(drive->device)->name,
			    device))
			return !ssdpm_device_read_apst(drive->device, ret_table,
						       NULL);
	}
	return false;
}

/* The next table of a drive with APST; before is the one that it has. */
static bool next_table(const struct work *work, size_t *i,
		       struct ssdpm_planned_table *table)
{
	do
		if (ssdpm_plan_get_table(work->plan, (*i)++, table))
			return false;
	while (!is_sent(table));
	if (read_kept(work, table->device, &table->before))
		table->known |= SSDPM_TABLE_BEFORE;
	return true;
}

/* The capture has another table than Linux would have. */
static bool keeps_table(const struct work *work,
			const struct ssdpm_planned_table *table)
{
	return work->drives->n && work->drives->lives[0]->facts.capture &&
	       !same_table(&table->before, &table->after);
}

static void print_tables(const struct work *work)
{
	const bool all = !work->differences_only || !work->in_force;
	struct ssdpm_planned_table table = { .size = sizeof(table) };
	bool keeps = false;

	for (size_t i = 0; next_table(work, &i, &table);) {
		if (all)
			print_one_table(&table);
		keeps |= keeps_table(work, &table);
	}
	if (keeps)
		fputs(KEPT_TABLE, stdout);
}

static bool has_files(const struct work *work)
{
	struct ssdpm_persist_file file = { .size = sizeof(file) };

	for (size_t k = 0; k < SSDPM_PERSIST_TUNED; k++)
		if (work->persist[k] &&
		    !ssdpm_persist_get_file(work->persist[k], 0, &file))
			return true;
	return false;
}

static void print_file(const struct work *work,
		       const struct ssdpm_persist_file *file)
{
	if (work->removes_files) {
		printf("%s (%s)\n", file->path,
		       work->files_done ? "removed" : "to be removed");
		if (file->note[0])
			printf("    then: %s\n", file->note);
		return;
	}
	printf("\n%s, mode %o:\n", file->path, file->mode);
	fold_lines(false);
	fputs(file->contents, stdout);
	fold_lines(true);
	if (file->note[0])
		printf("(%s)\n", file->note);
}

static void print_files(const struct work *work)
{
	struct ssdpm_persist_file file = { .size = sizeof(file) };

	for (size_t k = 0; k < SSDPM_PERSIST_TUNED; k++)
		for (size_t i = 0;
		     work->persist[k] &&
		     !ssdpm_persist_get_file(work->persist[k], i, &file);
		     i++)
			print_file(work, &file);
}

static void print_profile(const struct work *work)
{
	const struct ssdpm_profile_settings *now = &work->profile.now;
	char *text;

	if (!work->options || !work->options->profile)
		return;
	if (asprintf(&text, "profile %s on %s%s%s", now->name,
		     ssdpm_power_source_to_string(now->power_source),
		     now->reason[0] ? ": " : "", now->reason) < 0)
		return;
	print_paragraph(text, 0, 2);
	free(text);
}

static bool all_left_alone(const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		if (step.state != SSDPM_STEP_LEFT_ALONE)
			return false;
	return true;
}

static bool is_failure(const struct work *work, const struct ssdpm_step *step)
{
	return step->state == SSDPM_STEP_FAILED ||
	       step->state == SSDPM_STEP_DIFFERS || is_left_over(work, step);
}

static void print_journal(const struct work *work)
{
	char *text = describe_journal(work->drives->lives[0], &work->journal);

	if (text)
		printf("%s\n", text);
	free(text);
}

static enum exit_status print_for_people(const struct work *work)
{
	bool nothing = all_left_alone(work->plan);

	if (work->failures_only) {
		print_shown(work, is_failure);
		return STATUS_DONE;
	}
	print_profile(work);
	print_steps(work);
	if (was_applied(work) && !ssdpm_plan_count(work->plan, SSDPM_STEPS_ALL))
		puts(work->journal.stands ?
			     "nothing else to check" :
		     are_named(work->drives) ?
			     "nothing is applied to these devices" :
			     "nothing is applied");
	else if (is_of_config(work) &&
		 !ssdpm_plan_count(work->plan, SSDPM_STEPS_ALL))
		puts("files ask for nothing that is for these drives: see "
		     "ssdpm.conf(5)");
	else if (nothing && !was_applied(work) && !has_files(work))
		puts(work->journal.state == SSDPM_JOURNAL_UNDONE ||
				     work->journal.stands ?
			     "nothing else to do" :
			     "nothing to do");
	if (work->journal.stands)
		print_journal(work);
	print_tables(work);
	if (!nothing && work->in_force &&
	    !ssdpm_plan_count(work->plan, SSDPM_STEPS_PENDING))
		puts(work->reverts ? "as before the first change" : "in force");
	print_files(work);
	print_savings(work);
	return STATUS_DONE;
}

/* Estimates are no matter of libssdpm. */
static void add_work(struct items *items, const struct work *work)
{
	static const char *const none[] = { NULL };
	static const struct ssdpm_owner nobody;
	const bool given = work->options && work->options->profile;
	const bool lasts = work->persist[0] || work->removes_files;
	struct ssdpm_object object = {
		.size = sizeof(object),
		.kind = SSDPM_OBJECT_PLAN,
		.flags = work->in_force ? 0 : SSDPM_OBJECT_NOT_IN_FORCE,
		.journal = work->journal.state ? &work->journal : NULL,
		.plan = work->plan,
		.profile = given ? &work->profile.now : NULL,
		.persists = lasts ? work->persist : NULL,
		.n_persists = SSDPM_PERSIST_TUNED,
		.n_owners = work->n_owners,
	};
	struct items savings = { 0 };

	if (work->owners_known)
		object.owners = work->owners ? work->owners : &nobody;
	add_savings(&savings, work);
	if (work->estimates)
		object.items =
			savings.n ? (const char *const *)savings.texts : none;
	object.n_items = savings.n;
	add_object(items, &object);
	items->failed |= savings.failed;
	free_items(&savings);
}

static enum exit_status print_works_json(const struct work *const *works,
					 size_t n)
{
	struct items items = { 0 };

	for (size_t i = 0; i < n; i++)
		add_work(&items, works[i]);
	return print_items(works[0]->common, &items);
}

/* Warnings on values that are set all the same; check sets none. */
static void say_warnings(const struct work *work)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	if (work->differences_only || work->common->quiet)
		return;
	for (size_t i = 0; !ssdpm_plan_get_step(work->plan, i, &step); i++)
		if (step.warning[0])
			remark("%s: warning: %s", step.device, step.warning);
}

enum exit_status print_works(const struct work *const *works, size_t n)
{
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < n; i++)
		say_warnings(works[i]);
	if (works[0]->common->form)
		return print_works_json(works, n);
	for (size_t i = 0; i < n && !status; i++) {
		if (i)
			putchar('\n');
		status = print_for_people(works[i]);
	}
	return status;
}

enum exit_status print_work(const struct work *work)
{
	return print_works(&work, 1);
}
