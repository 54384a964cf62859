/* SPDX-License-Identifier: MIT */
/* A plan: its steps, in the order in which they are done. */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ssdpm_plan_params default_params = {
	.size = sizeof(default_params),
	.state_timeout_ms = 10000,
	.lock_timeout_ms = 10000,
};

const char ssdpm__foreign_words[] =
	"; to revert brings the table in force back, where Linux takes one "
	"(6.12.110, 7.2 and later do not)";

int ssdpm_plan_new(struct ssdpm_machine *machine,
		   const struct ssdpm_plan_params *params,
		   struct ssdpm_plan **ret_plan, struct ssdpm_error *reterr)
{
	struct ssdpm_plan_params p = default_params;
	struct ssdpm_plan *plan;
	int err = 0;

	if (params)
		err = ssdpm__sized_in(&p, sizeof(p), params,
				      "ssdpm_plan_params", reterr);
	if (err)
		return err;
	if (p.flags & ~(SSDPM_READ_COMMANDS | SSDPM_PLAN_STRICT))
		return ssdpm__fail(reterr, -EINVAL, 0, "unknown flags %#x",
				   p.flags);
	err = ssdpm__check_reserved(p.reserved, "ssdpm_plan_params", reterr);
	if (err)
		return err;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return ssdpm__no_memory(reterr);
	plan->state_timeout_ms = p.state_timeout_ms;
	if (!plan->state_timeout_ms)
		plan->state_timeout_ms = default_params.state_timeout_ms;
	plan->lock_timeout_ms = p.lock_timeout_ms;
	if (!plan->lock_timeout_ms)
		plan->lock_timeout_ms = default_params.lock_timeout_ms;
	plan->flags = p.flags & SSDPM_READ_COMMANDS;
	plan->is_each = !(p.flags & SSDPM_PLAN_STRICT);
	plan->machine = ssdpm_machine_ref(machine);
	plan->journal.size = sizeof(plan->journal);
	plan->journal.state = SSDPM_JOURNAL_NONE;
	plan->facts.size = sizeof(plan->facts);
	err = ssdpm_machine_read_facts(machine, &plan->facts, reterr);
	if (!err && p.directory)
		err = ssdpm__set_string(&plan->directory, p.directory, reterr);
	if (err) {
		ssdpm_plan_free(plan);
		return err;
	}
	*ret_plan = plan;
	return 0;
}

void ssdpm_plan_unlock(struct ssdpm_plan *plan)
{
	if (plan->is_locked)
		ssdpm__site_close(&plan->site);
	plan->is_locked = false;
}

static void forget_steps(struct ssdpm_plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		ssdpm__step_free(plan->steps[i]);
	for (size_t i = 0; i < plan->n_drives; i++) {
		ssdpm__step_free(plan->drives[i].rebuild);
		free(plan->drives[i].table.path);
		free(plan->drives[i].unread);
		ssdpm_device_unref(plan->drives[i].device);
		ssdpm_model_unref(plan->drives[i].model);
	}
	ssdpm__changes_free(&plan->old_tables);
	plan->old_tables_are_read = false;
	plan->n_steps = 0;
	plan->n_drives = 0;
	plan->n_order = 0;
}

int ssdpm__plan_clear(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	forget_steps(plan);
	plan->all_drives = false;
	plan->goes_back = false;
	plan->reverts = false;
	plan->committed = false;
	return ssdpm_machine_read_facts(plan->machine, &plan->facts, reterr);
}

struct ssdpm_plan *ssdpm_plan_free(struct ssdpm_plan *plan)
{
	if (!plan)
		return NULL;
	ssdpm_plan_unlock(plan);
	forget_steps(plan);
	free(plan->steps);
	free(plan->drives);
	free(plan->order);
	free(plan->directory);
	ssdpm_machine_unref(plan->machine);
	free(plan);
	return NULL;
}

int ssdpm__plan_check_open(const struct ssdpm_plan *plan,
			   struct ssdpm_error *reterr)
{
	if (plan->committed)
		return ssdpm__fail(reterr, -EALREADY, 0,
				   "the plan was committed: make a new one");
	if (plan->reverts)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a plan that reverts takes no other steps: "
				   "make a new one");
	return 0;
}

int ssdpm__check_nvme(const struct ssdpm_device_facts *facts,
		      struct ssdpm_error *reterr)
{
	if (facts->kind == SSDPM_KIND_NVME && facts->reach == SSDPM_REACH_YES &&
	    facts->path[0] == '/')
		return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s is no NVMe controller in reach", facts->name);
}

/* Room for that many more steps and drives. */
static int reserve(struct ssdpm_plan *plan, size_t n_steps, size_t n_drives,
		   struct ssdpm_error *reterr)
{
	size_t n = plan->n_steps + plan->n_drives + n_steps + n_drives;
	struct plan_drive *drives;
	struct step **list;

	list = realloc(plan->steps,
		       (plan->n_steps + n_steps + 1) * sizeof(*list));
	if (!list)
		return ssdpm__no_memory(reterr);
	plan->steps = list;
	drives = realloc(plan->drives,
			 (plan->n_drives + n_drives + 1) * sizeof(*drives));
	if (!drives)
		return ssdpm__no_memory(reterr);
	plan->drives = drives;
	if (n <= plan->allocated)
		return 0;
	list = realloc(plan->order, n * sizeof(*list));
	if (!list)
		return ssdpm__no_memory(reterr);
	plan->order = list;
	plan->allocated = n;
	return 0;
}

int ssdpm__plan_put(struct ssdpm_plan *plan, struct step *step,
		    struct ssdpm_error *reterr)
{
	size_t i;
	int err;

	for (i = 0; i < plan->n_steps; i++)
		if (plan->steps[i]->change.kind == step->change.kind &&
		    !strcmp(plan->steps[i]->change.path, step->change.path))
			break;
	if (i == plan->n_steps) {
		err = reserve(plan, 1, 0, reterr);
		if (err) {
			ssdpm__step_free(step);
			return err;
		}
		plan->n_steps++;
	} else {
		ssdpm__step_free(plan->steps[i]);
	}
	plan->steps[i] = step;
	ssdpm__plan_arrange(plan);
	return 0;
}

struct plan_drive *ssdpm__plan_find_drive(const struct ssdpm_plan *plan,
					  const struct ssdpm_device *device)
{
	const char *path = ssdpm_device_get_facts(device)->path;

	for (size_t i = 0; i < plan->n_drives; i++) {
		struct plan_drive *drive = &plan->drives[i];

		if (!strcmp(ssdpm_device_get_facts(drive->device)->path, path))
			return drive;
	}
	return NULL;
}

static int make_rebuild(const struct ssdpm_device_facts *facts,
			struct step **ret_step, struct ssdpm_error *reterr)
{
	const struct ssdpm_step_value is = {
		.max_exit_latency_us = facts->latency_tolerance_us,
	};
	char path[SSDPM__TARGET_BYTES];
	struct step *step;
	int err;

	*ret_step = NULL;
	if (!(facts->known & SSDPM_FACT_LATENCY_TOLERANCE) ||
	    !ssdpm__tolerance_path(facts, path))
		return 0;
	err = ssdpm__step_new(SSDPM_STEP_REBUILD, path, facts->name, &step,
			      reterr);
	if (err)
		return err;
	ssdpm__value_set(step->change.kind, &is, &step->change.before);
	ssdpm__value_set(step->change.kind, &is, &step->change.after);
	err = ssdpm__step_set_why(
		step, reterr,
		"parameters alone make no table: another value and this one "
		"make the kernel build it");
	if (err)
		ssdpm__step_free(step);
	else
		*ret_step = step;
	return err;
}

int ssdpm__plan_add_drive(struct ssdpm_plan *plan, struct ssdpm_device *device,
			  struct ssdpm_model *model, struct ssdpm_error *reterr)
{
	struct plan_drive *drive = ssdpm__plan_find_drive(plan, device);
	struct step *rebuild = NULL;
	bool is_old = false;
	int err;

	if (!drive) {
		err = reserve(plan, 0, 1, reterr);
		if (!err)
			err = make_rebuild(ssdpm_device_get_facts(device),
					   &rebuild, reterr);
		if (!err && rebuild)
			err = ssdpm__has_old_table(plan, rebuild->change.path,
						   &is_old, reterr);
		if (err) {
			ssdpm__step_free(rebuild);
			return err;
		}
		drive = &plan->drives[plan->n_drives++];
		memset(drive, 0, sizeof(*drive));
		drive->device = ssdpm_device_ref(device);
		drive->rebuild = rebuild;
		drive->is_old = is_old;
	}
	if (model && model != drive->model) {
		ssdpm_model_unref(drive->model);
		drive->model = ssdpm_model_ref(model);
		drive->is_looked_at = false;
	}
	ssdpm__plan_arrange(plan);
	return 0;
}

/* Without its tolerance, nothing would build the table of this controller. */
int ssdpm__check_tolerance(const struct ssdpm_plan *plan,
			   const struct ssdpm_device_facts *facts,
			   struct ssdpm_error *reterr)
{
	char path[SSDPM__TARGET_BYTES], text[SSDPM__VALUE_BYTES];
	int err;

	if (facts->known & SSDPM_FACT_LATENCY_TOLERANCE ||
	    !ssdpm__tolerance_path(facts, path) ||
	    !ssdpm__exists(plan->machine, path))
		return 0;
	err = ssdpm__read_text(plan->machine, path, text, sizeof(text));
	if (err == -EACCES || err == -EPERM)
		return ssdpm__fail_read(plan->machine, path, err,
					ssdpm_strerror(err), reterr);
	return ssdpm__fail_read(plan->machine, path, -EIO,
				err ? ssdpm_strerror(err) : "it has no limit",
				reterr);
}

static const struct plan_drive *find_named(const struct ssdpm_plan *plan,
					   const char *name)
{
	for (size_t i = 0; i < plan->n_drives; i++)
		if (!strcmp(ssdpm_device_get_facts(plan->drives[i].device)
				    ->name,
			    name))
			return &plan->drives[i];
	return NULL;
}

/*
 * One that is in the plan was read for it. One that is not a controller, or is
 * gone, is left out, as ssdpm_device_list_read() leaves it out.
 */
static int add_named(struct ssdpm_plan *plan, const char *name,
		     struct ssdpm_error *reterr)
{
	const struct plan_drive *drive = find_named(plan, name);
	struct ssdpm_device_facts facts = { .size = sizeof(facts) };
	struct ssdpm_device *device;
	int err;

	if (drive)
		return ssdpm__check_tolerance(
			plan, ssdpm_device_get_facts(drive->device), reterr);
	err = ssdpm__nvme_read_facts(plan->machine, name, &facts);
	if (err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		return ssdpm__fail(reterr, err, 0, "%s: %s", name,
				   ssdpm_strerror(err));
	if (err)
		return 0;
	err = ssdpm__check_tolerance(plan, &facts, reterr);
	if (!err)
		err = ssdpm__device_new(plan->machine, &facts, &device, reterr);
	if (err)
		return err;
	err = ssdpm__plan_add_drive(plan, device, NULL, reterr);
	ssdpm_device_unref(device);
	return err;
}

int ssdpm__plan_add_all_drives(struct ssdpm_plan *plan,
			       struct ssdpm_error *reterr)
{
	struct names names;
	int err;

	if (plan->all_drives)
		return 0;
	err = ssdpm__list_names(plan->machine, "sys/class/nvme", &names);
	if (err == -ENOENT)
		return 0;
	if (err)
		return ssdpm__fail(reterr, err, 0, "/sys/class/nvme: %s",
				   ssdpm_strerror(err));
	for (size_t i = 0; !err && i < names.n; i++)
		err = add_named(plan, names.names[i], reterr);
	ssdpm__free_names(&names);
	plan->all_drives = !err;
	return err;
}

int ssdpm__plan_leave_alone(struct ssdpm_plan *plan, uint32_t kind,
			    const char *path, const char *device,
			    const char *why, struct ssdpm_error *reterr)
{
	struct step *step;
	int err;

	err = ssdpm__step_new(kind, path, device, &step, reterr);
	if (err)
		return err;
	err = ssdpm__step_leave_alone(step, why, reterr);
	if (!err)
		return ssdpm__plan_put(plan, step, reterr);
	ssdpm__step_free(step);
	return err;
}

size_t ssdpm_plan_count(const struct ssdpm_plan *plan, uint32_t states)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_order; i++)
		n += states >> plan->order[i]->state & 1;
	return n;
}

int ssdpm_plan_has_failed(const struct ssdpm_plan *plan, const char *device)
{
	for (size_t i = 0; i < plan->n_order; i++)
		if (plan->order[i]->failed &&
		    (!device || !plan->is_each ||
		     !strcmp(plan->order[i]->device, device)))
			return 1;
	return 0;
}

static const struct ssdpm_step_value *known_value(const struct value *value)
{
	return value->is_known ? &value->is : NULL;
}

int ssdpm_plan_get_step(const struct ssdpm_plan *plan, size_t index,
			struct ssdpm_step *ret_step)
{
	struct ssdpm_step result = { 0 };
	const struct step *step;
	int err;

	err = ssdpm__sized_check(ret_step, sizeof(result), "ssdpm_step", NULL);
	if (err)
		return err;
	if (index >= plan->n_order)
		return -ERANGE;
	step = plan->order[index];
	result.kind = step->change.kind->number;
	result.state = step->state;
	result.flags = step->flags;
	result.device = step->device;
	result.target = step->target;
	result.parameter = ssdpm__parameter_of(step->change.path);
	result.before = step->change.before.text;
	result.after = step->change.after.text;
	result.before_value = known_value(&step->change.before);
	result.after_value = known_value(&step->change.after);
	result.origin = step->origin ? step->origin : "";
	result.why = step->why;
	result.warning = step->warning;
	ssdpm__sized_out(ret_step, &result, sizeof(result));
	return 0;
}
