/* SPDX-License-Identifier: MIT */
/* How the drives are: read without a command to them, so that none wakes. */
#include "service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_drive(struct drive *drive)
{
	ssdpm_device_unref(drive->device);
	ssdpm_model_unref(drive->model);
	free(drive->path);
	free(drive->policy);
	free(drive->verdict);
	free(drive->message);
	free(drive->reason);
}

void free_state(struct state *state)
{
	for (size_t i = 0; i < state->n_drives; i++)
		free_drive(&state->drives[i]);
	free(state->drives);
	ssdpm_intent_free(state->intent);
	free(state->fault);
	*state = (struct state){ 0 };
}

static int fill_drive(const struct ssdpm_report_item *item,
		      const struct ssdpm_catalogue *catalogue,
		      struct drive *drive)
{
	const char *verdict = ssdpm_diagnosis_code_to_string(item->verdict);
	struct ssdpm_error error;

	drive->device = ssdpm_device_ref(item->device);
	if (ssdpm_device_read_model(item->device, 0, catalogue, &drive->model,
				    &error))
		drive->model = NULL;
	drive->policy = strdup(item->policy);
	drive->verdict = strdup(verdict ? verdict : "");
	drive->message = strdup(item->message);
	drive->reason = strdup(item->reason ? item->reason->message : "");
	if (asprintf(&drive->path, "%s/%s", SSDPMD_DRIVES, item->name) < 0)
		drive->path = NULL;
	return drive->policy && drive->verdict && drive->message &&
			       drive->reason && drive->path ?
		       0 :
		       -ENOMEM;
}

/* A port without a disk is none; a drive that is gone meanwhile, neither. */
static bool is_drive(const struct ssdpm_report_item *item)
{
	return !item->error &&
	       (*item->product ||
		ssdpm_device_get_facts(item->device)->kind == SSDPM_KIND_NVME);
}

static int add_drives(const struct ssdpm_report *report,
		      const struct ssdpm_catalogue *catalogue,
		      struct state *state)
{
	struct ssdpm_report_item item = { .size = sizeof(item) };
	size_t n = 0;
	int err = 0;

	while (!ssdpm_report_get_item(report, n, &item))
		n++;
	state->drives = calloc(n + 1, sizeof(*state->drives));
	if (!state->drives)
		return -ENOMEM;
	for (size_t i = 0; !err && i < n; i++) {
		ssdpm_report_get_item(report, i, &item);
		if (is_drive(&item))
			err = fill_drive(&item, catalogue,
					 &state->drives[state->n_drives++]);
	}
	return err;
}

static int read_drives(struct service *service, struct state *state,
		       struct ssdpm_error *error)
{
	struct ssdpm_catalogue *catalogue;
	struct ssdpm_report *report;
	int err = ssdpm_report_new(service->machine, NULL, &report, error);

	if (err)
		return err;
	err = ssdpm_catalogue_new(NULL, 0, &catalogue, error);
	if (!err) {
		err = add_drives(report, catalogue, state);
		ssdpm_catalogue_free(catalogue);
	}
	ssdpm_report_free(report);
	return err;
}

bool is_open(const struct ssdpm_step *step)
{
	return step->kind != SSDPM_STEP_POWER_STATE &&
	       step->kind != SSDPM_STEP_NOPP &&
	       (SSDPM_STEPS_NOT_IN_FORCE >> step->state & 1);
}

static bool is_in_force(const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		if (is_open(&step))
			return false;
	return true;
}

int plan_intent(const struct service *service,
		const struct ssdpm_intent *intent, struct ssdpm_plan **ret_plan,
		struct ssdpm_error *error)
{
	struct ssdpm_plan *plan;
	int err = ssdpm_plan_new(service->machine, NULL, &plan, error);

	if (err)
		return err;
	err = ssdpm_plan_add_intent(plan, NULL, NULL, intent, NULL, error);
	if (err)
		ssdpm_plan_free(plan);
	else
		*ret_plan = plan;
	return err;
}

static int compare(const struct service *service, struct state *state,
		   struct ssdpm_error *error)
{
	struct ssdpm_plan *plan;
	int err = ssdpm_intent_read(service->machine, &state->intent, error);

	if (!err)
		err = plan_intent(service, state->intent, &plan, error);
	if (err)
		return err;
	state->intent_flags = ssdpm_intent_get_flags(state->intent);
	state->in_force = is_in_force(plan);
	ssdpm_plan_free(plan);
	return 0;
}

/* Files that cannot be read are no reason to end: they can be mended. */
int read_state(struct service *service, struct state *ret_state)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };
	struct ssdpm_error error = { .message = "out of memory" };
	struct state state = { 0 };
	int err;

	err = ssdpm_machine_read_facts(service->machine, &facts, &error);
	state.power_source = facts.power_source;
	if (!err)
		err = read_drives(service, &state, &error);
	if (!err)
		state.fault = strdup(
			compare(service, &state, &error) ? error.message : "");
	if (!err && state.fault) {
		*ret_state = state;
		return 0;
	}
	say("%s", error.message);
	free_state(&state);
	return err ? err : -ENOMEM;
}

const struct drive *find_drive(const struct state *state, const char *name)
{
	for (size_t i = 0; i < state->n_drives; i++) {
		const struct drive *drive = &state->drives[i];

		if (!strcmp(ssdpm_device_get_facts(drive->device)->name, name))
			return drive;
	}
	return NULL;
}

const char *desktop_profile(const struct service *service)
{
	for (size_t i = 0; i < N_DESKTOPS; i++)
		if (*service->desktops[i].profile)
			return service->desktops[i].profile;
	return "";
}

static bool is_same_drive(const struct drive *a, const struct drive *b)
{
	const struct ssdpm_device_facts *x = ssdpm_device_get_facts(a->device);
	const struct ssdpm_device_facts *y = ssdpm_device_get_facts(b->device);

	return !strcmp(x->product, y->product) &&
	       !strcmp(x->address, y->address);
}

/* What profile auto likely saves depends on the power source. */
static void tell_drive(struct service *service, const struct drive *old,
		       const struct drive *new, bool has_other_source)
{
	const char *names[6];
	size_t n = 0;

	if (strcmp(old->policy, new->policy) != 0)
		names[n++] = "Policy";
	if (strcmp(old->verdict, new->verdict) != 0)
		names[n++] = "Verdict";
	if (strcmp(old->message, new->message) != 0)
		names[n++] = "Message";
	if (strcmp(old->reason, new->reason) != 0)
		names[n++] = "Reason";
#if HAVE_ENERGY
	if (n || has_other_source)
		names[n++] = "LikelySaving";
#else
	(void)has_other_source;
#endif
	names[n] = NULL;
	if (n)
		sd_bus_emit_properties_changed_strv(service->bus, new->path,
						    SSDPMD_DRIVE_INTERFACE,
						    (char **)names);
}

/* The name of a profile; "": there is none. */
static void get_profile(const struct state *state, size_t i, char name[32])
{
	if (!state->intent ||
	    ssdpm_intent_get_profile_name(state->intent, i, name))
		*name = 0;
}

static bool has_same_profiles(const struct state *a, const struct state *b)
{
	char x[32] = "?", y[32];

	for (size_t i = 0; *x; i++) {
		get_profile(a, i, x);
		get_profile(b, i, y);
		if (strcmp(x, y) != 0)
			return false;
	}
	return true;
}

static void tell_machine(struct service *service, const struct state *old)
{
	const struct state *new = &service->state;
	const char *names[7];
	size_t n = 0;

	if (!has_same_profiles(old, new))
		names[n++] = "Profiles";
	if (old->power_source != new->power_source)
		names[n++] = "PowerSource";
	if ((old->intent_flags ^ new->intent_flags) & SSDPM_INTENT_SETS)
		names[n++] = "Asked";
	if (old->in_force != new->in_force)
		names[n++] = "InForce";
	if (strcmp(old->fault, new->fault) != 0)
		names[n++] = "Fault";
	if (service->failure_is_new)
		names[n++] = "Failure";
	service->failure_is_new = false;
	names[n] = NULL;
	if (n)
		sd_bus_emit_properties_changed_strv(service->bus, SSDPMD_PATH,
						    SSDPMD_MACHINE_INTERFACE,
						    (char **)names);
}

static const struct drive *find_same(const struct state *state,
				     const struct drive *drive)
{
	const char *name = ssdpm_device_get_facts(drive->device)->name;
	const struct drive *other = find_drive(state, name);

	return other && is_same_drive(other, drive) ? other : NULL;
}

void tell_state(struct service *service, struct state *state)
{
	struct state old = service->state;

	forget_savings(service);
	/* What was there goes while it can still be found. */
	for (size_t i = 0; i < old.n_drives; i++)
		if (!find_same(state, &old.drives[i]))
			sd_bus_emit_object_removed(service->bus,
						   old.drives[i].path);
	service->state = *state;
	for (size_t i = 0; i < state->n_drives; i++) {
		const struct drive *was = find_same(&old, &state->drives[i]);

		if (was)
			tell_drive(service, was, &state->drives[i],
				   old.power_source != state->power_source);
		else
			sd_bus_emit_object_added(service->bus,
						 state->drives[i].path);
	}
	tell_machine(service, &old);
	free_state(&old);
}
