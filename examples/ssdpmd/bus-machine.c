/* SPDX-License-Identifier: MIT */
/* The object of the machine: see ssdpm-dbus(5). */
#include "service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_DRIVE SSDPMD_NAME ".Error.NoSuchDrive"
#define ERROR_PROFILE SSDPMD_NAME ".Error.NoSuchProfile"
#define ERROR_FILES SSDPMD_NAME ".Error.Files"
#define ERROR_FAILED SSDPMD_NAME ".Error.Failed"

/* Device, target, before, after, state, reason. */
#define STEPS "a(ssssss)"

static int get_version(sd_bus *bus, const char *path, const char *interface,
		       const char *property, sd_bus_message *reply,
		       void *userdata, sd_bus_error *error)
{
	(void)bus;
	(void)path;
	(void)interface;
	(void)property;
	(void)userdata;
	(void)error;
	return sd_bus_message_append(reply, "s", ssdpm_version());
}

static int get_text(sd_bus *bus, const char *path, const char *interface,
		    const char *property, sd_bus_message *reply, void *userdata,
		    sd_bus_error *error)
{
	const struct service *service = userdata;
	const char *source =
		ssdpm_power_source_to_string(service->state.power_source);
	const char *text = service->state.fault;

	(void)bus;
	(void)path;
	(void)interface;
	(void)error;
	if (!strcmp(property, "PowerSource"))
		text = source ? source : "";
	else if (!strcmp(property, "DesktopProfile"))
		text = desktop_profile(service);
	else if (!strcmp(property, "Failure"))
		text = service->failure ? service->failure : "";
	return sd_bus_message_append(reply, "s", text);
}

static int get_flag(sd_bus *bus, const char *path, const char *interface,
		    const char *property, sd_bus_message *reply, void *userdata,
		    sd_bus_error *error)
{
	const struct state *state = &((const struct service *)userdata)->state;

	(void)bus;
	(void)path;
	(void)interface;
	(void)error;
	return sd_bus_message_append(
		reply, "b",
		strcmp(property, "InForce") ?
			(state->intent_flags & SSDPM_INTENT_SETS) != 0 :
			state->in_force);
}

static int get_runs(sd_bus *bus, const char *path, const char *interface,
		    const char *property, sd_bus_message *reply, void *userdata,
		    sd_bus_error *error)
{
	(void)bus;
	(void)path;
	(void)interface;
	(void)property;
	(void)error;
	return sd_bus_message_append(
		reply, "t", ((const struct service *)userdata)->n_runs);
}

static int get_profiles(sd_bus *bus, const char *path, const char *interface,
			const char *property, sd_bus_message *reply,
			void *userdata, sd_bus_error *error)
{
	const struct state *state = &((const struct service *)userdata)->state;
	int err = sd_bus_message_open_container(reply, 'a', "s");
	char name[32];

	(void)bus;
	(void)path;
	(void)interface;
	(void)property;
	(void)error;
	if (err >= 0 && state->intent)
		err = sd_bus_message_append(reply, "s", "auto");
	for (size_t i = 0;
	     err >= 0 && state->intent &&
	     !ssdpm_intent_get_profile_name(state->intent, i, name);
	     i++)
		err = sd_bus_message_append(reply, "s", name);
	return err < 0 ? err : sd_bus_message_close_container(reply);
}

static bool is_among(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static bool is_wanted(const char *const *drives, const struct ssdpm_step *step)
{
	return !drives || !*drives || !strcmp(step->device, "all") ||
	       is_among(drives, step->device);
}

static int append_steps(sd_bus_message *reply, const struct ssdpm_plan *plan,
			const char *const *drives)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	int err = sd_bus_message_open_container(reply, 'a', "(ssssss)");

	for (size_t i = 0; err >= 0 && !ssdpm_plan_get_step(plan, i, &step);
	     i++)
		if (is_wanted(drives, &step))
			err = sd_bus_message_append(
				reply, "(ssssss)", step.device, step.target,
				step.before, step.after,
				ssdpm_step_state_to_string(step.state),
				step.why);
	return err < 0 ? err : sd_bus_message_close_container(reply);
}

static int reply_error(sd_bus_message *call, const char *name,
		       const struct ssdpm_error *error)
{
	return sd_bus_reply_method_errorf(call, name, "%s", error->message);
}

static int reply_steps(sd_bus_message *call, const struct ssdpm_plan *plan,
		       const char *const *drives)
{
	sd_bus_message *reply;
	int err = sd_bus_message_new_method_return(call, &reply);

	if (err < 0)
		return err;
	err = append_steps(reply, plan, drives);
	if (err >= 0)
		err = sd_bus_send(NULL, reply, NULL);
	sd_bus_message_unref(reply);
	return err;
}

static int plan_profile(struct service *service, const char *const *drives,
			const char *profile, struct ssdpm_plan **ret_plan,
			struct ssdpm_error *error)
{
	const struct state *state = &service->state;
	const uint32_t source =
		state->power_source ? state->power_source : SSDPM_SOURCE_AC;
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_plan *plan;
	int err = ssdpm_intent_get_settings(state->intent, profile, source,
					    &settings, error);

	if (!err)
		err = ssdpm_plan_new(service->machine, NULL, &plan, error);
	if (err)
		return err;
	for (size_t i = 0; !err && i < state->n_drives; i++) {
		const struct drive *drive = &state->drives[i];

		if (!*drives ||
		    is_among(drives,
			     ssdpm_device_get_facts(drive->device)->name))
			err = ssdpm_plan_add_profile(plan, drive->device,
						     drive->model, &settings,
						     error);
	}
	if (err)
		ssdpm_plan_free(plan);
	else
		*ret_plan = plan;
	return err;
}

/* The arguments of Plan and Apply: free drives; the call owns the names. */
struct wanted {
	const char **drives;
	size_t n_drives;
	const char *profile;
};

static int add_wanted(struct wanted *wanted, const char *name)
{
	const char **more =
		realloc(wanted->drives, (wanted->n_drives + 2) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	more[wanted->n_drives++] = name;
	more[wanted->n_drives] = NULL;
	wanted->drives = more;
	return 0;
}

/*
 * Reads names one by one, because any caller can send a list as long as a
 * message.
 */
static int read_drives(sd_bus_message *call, size_t most, struct wanted *wanted)
{
	const char *name;
	int err = sd_bus_message_enter_container(call, 'a', "s");

	while (err >= 0 &&
	       (err = sd_bus_message_read_basic(call, 's', &name)) > 0) {
		err = wanted->n_drives < most ? add_wanted(wanted, name) :
						-E2BIG;
	}
	return err < 0 ? err : sd_bus_message_exit_container(call);
}

/* -E2BIG: too many names. */
static int read_wanted(sd_bus_message *call, size_t most,
		       struct wanted *ret_wanted)
{
	struct wanted wanted = { .drives = calloc(1, sizeof(char *)) };
	int err = wanted.drives ? sd_bus_message_rewind(call, true) : -ENOMEM;

	if (err >= 0)
		err = read_drives(call, most, &wanted);
	if (err >= 0)
		err = sd_bus_message_read(call, "s", &wanted.profile);
	if (err < 0)
		free(wanted.drives);
	else
		*ret_wanted = wanted;
	return err < 0 ? err : 0;
}

static int check_wanted(const struct service *service, sd_bus_message *call,
			const struct wanted *wanted)
{
	const struct state *state = &service->state;
	struct ssdpm_profile_settings settings = { .size = sizeof(settings) };
	struct ssdpm_error failure;
	int err = 0;

	for (const char **drive = wanted->drives; *drive; drive++)
		if (!find_drive(state, *drive)) {
			err = sd_bus_reply_method_errorf(call, ERROR_DRIVE,
							 "unknown drive '%s'",
							 *drive);
			return err < 0 ? err : 1;
		}
	if (!state->intent)
		err = sd_bus_reply_method_errorf(call, ERROR_FILES, "%s",
						 state->fault);
	else if (ssdpm_intent_get_settings(state->intent, wanted->profile,
					   SSDPM_SOURCE_AC, &settings,
					   &failure))
		err = reply_error(call, ERROR_PROFILE, &failure);
	else
		return 0;
	return err < 0 ? err : 1;
}

/* 0: valid; 1: an error was sent. */
static int take_wanted(const struct service *service, sd_bus_message *call,
		       struct wanted *ret_wanted)
{
	struct wanted wanted;
	int err = read_wanted(call, service->state.n_drives, &wanted);

	if (err == -E2BIG) {
		err = sd_bus_reply_method_errorf(call, ERROR_DRIVE,
						 "more names than drives");
		return err < 0 ? err : 1;
	}
	if (err)
		return err;
	err = check_wanted(service, call, &wanted);
	if (err)
		free(wanted.drives);
	else
		*ret_wanted = wanted;
	return err;
}

static int on_plan(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct service *service = userdata;
	struct ssdpm_error failure;
	struct ssdpm_plan *plan;
	struct wanted wanted;
	int err = take_wanted(service, call, &wanted);

	(void)error;
	stay_awake(service);
	if (err)
		return err;
	if (plan_profile(service, wanted.drives, wanted.profile, &plan,
			 &failure)) {
		err = reply_error(call, ERROR_FAILED, &failure);
	} else {
		err = reply_steps(call, plan, wanted.drives);
		ssdpm_plan_free(plan);
	}
	free(wanted.drives);
	return err;
}

/* Handles each drive, or all; counts those done. */
static int keep_each(struct service *service, const struct wanted *wanted,
		     uint32_t flags, size_t *ret_n, struct ssdpm_error *error)
{
	char line[128];
	int err = 0;

	*ret_n = 0;
	snprintf(line, sizeof(line), "profile = %s\n", wanted->profile);
	if (!wanted->n_drives)
		return ssdpm_intent_keep(service->machine, NULL, line, flags,
					 error);
	while (!err && *ret_n < wanted->n_drives) {
		const char *name = wanted->drives[*ret_n];

		err = ssdpm_intent_keep(
			service->machine,
			find_drive(&service->state, name)->device, line, flags,
			error);
		*ret_n += !err;
	}
	return err;
}

/* 0: kept; 1: an error was sent, before anything was kept if possible. */
static int keep(struct service *service, sd_bus_message *call,
		const struct wanted *wanted)
{
	const uint32_t flags = SSDPM_KEEP_UNTIL_REBOOT;
	struct ssdpm_error failure;
	size_t n;
	int err;

	if (keep_each(service, wanted, flags | SSDPM_KEEP_CHECK, &n, &failure))
		err = reply_error(call, ERROR_FILES, &failure);
	else if (!keep_each(service, wanted, flags, &n, &failure))
		return 0;
	else if (n)
		err = sd_bus_reply_method_errorf(
			call, ERROR_FILES, "%s (those before %s are kept)",
			failure.message, wanted->drives[n]);
	else
		err = reply_error(call, ERROR_FILES, &failure);
	return err < 0 ? err : 1;
}

/* A later run applies the settings kept meanwhile, if no run is active. */
static int await_run(struct service *service, sd_bus_message *call)
{
	struct ssdpm_error failure;

	return answer_later(service, call, &failure) ?
		       reply_error(call, ERROR_FAILED, &failure) :
		       0;
}

static int go_apply(struct service *service, sd_bus_message *call)
{
	struct wanted wanted;
	/* The drive may have gone during the authorization. */
	int err = take_wanted(service, call, &wanted);

	if (err)
		return err;
	err = keep(service, call, &wanted);
	free(wanted.drives);
	return err ? err : await_run(service, call);
}

static int on_apply(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct service *service = userdata;
	struct wanted wanted;
	int err = take_wanted(service, call, &wanted);

	(void)error;
	stay_awake(service);
	if (err)
		return err;
	free(wanted.drives);
	return when_allowed(service, call, go_apply);
}

static int go_revert(struct service *service, sd_bus_message *call)
{
	struct ssdpm_error failure;

	if (ssdpm_intent_forget(service->machine, SSDPM_KEEP_UNTIL_REBOOT,
				&failure))
		return reply_error(call, ERROR_FILES, &failure);
	service->reverts = true;
	return await_run(service, call);
}

static int on_revert(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct service *service = userdata;

	(void)error;
	stay_awake(service);
	return when_allowed(service, call, go_revert);
}

static int reply_check(struct service *service, sd_bus_message *call,
		       const struct ssdpm_intent *intent)
{
	struct ssdpm_error failure;
	struct ssdpm_plan *plan;
	int err;

	if (plan_intent(service, intent, &plan, &failure))
		return reply_error(call, ERROR_FILES, &failure);
	if (ssdpm_plan_read(plan, &failure))
		err = reply_error(call, ERROR_FAILED, &failure);
	else
		err = reply_steps(call, plan, NULL);
	ssdpm_plan_free(plan);
	return err;
}

/* Files may have changed during the authorization. */
static int go_check(struct service *service, sd_bus_message *call)
{
	struct ssdpm_intent *intent;
	struct ssdpm_error failure;
	int err;

	if (ssdpm_intent_read(service->machine, &intent, &failure))
		return reply_error(call, ERROR_FILES, &failure);
	err = reply_check(service, call, intent);
	ssdpm_intent_free(intent);
	return err;
}

/*
 * Asking a drive for its power state may wake it, so not everyone may. Files
 * may have added a power state since the last run.
 */
static int on_check(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	struct service *service = userdata;
	struct ssdpm_intent *intent;
	struct ssdpm_error failure;
	int err;

	(void)error;
	stay_awake(service);
	if (ssdpm_intent_read(service->machine, &intent, &failure))
		return reply_error(call, ERROR_FILES, &failure);
	if (ssdpm_intent_get_flags(intent) & SSDPM_INTENT_BY_COMMAND)
		err = when_allowed(service, call, go_check);
	else
		err = reply_check(service, call, intent);
	ssdpm_intent_free(intent);
	return err;
}

static bool has_any(const struct ssdpm_plan *plan, const char *const *drives)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		if (is_wanted(drives, &step) && is_open(&step))
			return true;
	return false;
}

/* A run failed to set what is not in force. Reverted values show in no plan. */
static bool has_failed(const struct service *service, sd_bus_message *call,
		       const struct ssdpm_plan *plan, const char *const *drives)
{
	return service->failure && *service->failure &&
	       (sd_bus_message_is_method_call(call, NULL, "Revert") > 0 ||
		has_any(plan, drives));
}

static int answer_by_plan(struct service *service, sd_bus_message *call,
			  const struct ssdpm_plan *plan)
{
	struct wanted wanted = { 0 };
	int err = 0;

	if (sd_bus_message_is_method_call(call, NULL, "Apply"))
		err = read_wanted(call, SIZE_MAX, &wanted);
	if (err < 0)
		return err;
	if (has_failed(service, call, plan, wanted.drives))
		err = sd_bus_reply_method_errorf(call, ERROR_FAILED, "%s",
						 service->failure);
	else
		err = reply_steps(call, plan, wanted.drives);
	free(wanted.drives);
	return err;
}

void answer(struct service *service, sd_bus_message *call)
{
	struct ssdpm_intent *intent = NULL;
	struct ssdpm_error failure;
	struct ssdpm_plan *plan;
	int err;

	if (ssdpm_intent_read(service->machine, &intent, &failure) ||
	    plan_intent(service, intent, &plan, &failure)) {
		err = reply_error(call, ERROR_FILES, &failure);
	} else {
		err = answer_by_plan(service, call, plan);
		ssdpm_plan_free(plan);
	}
	ssdpm_intent_free(intent);
	if (err < 0)
		sd_bus_reply_method_errno(call, err, NULL);
}

#define CHANGES SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE
#define FOR_ALL SD_BUS_VTABLE_UNPRIVILEGED

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("Version", "s", get_version, 0,
			SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("Profiles", "as", get_profiles, 0, CHANGES),
	SD_BUS_PROPERTY("PowerSource", "s", get_text, 0, CHANGES),
	SD_BUS_PROPERTY("DesktopProfile", "s", get_text, 0, CHANGES),
	SD_BUS_PROPERTY("Asked", "b", get_flag, 0, CHANGES),
	SD_BUS_PROPERTY("InForce", "b", get_flag, 0, CHANGES),
	SD_BUS_PROPERTY("Fault", "s", get_text, 0, CHANGES),
	SD_BUS_PROPERTY("Failure", "s", get_text, 0, CHANGES),
	SD_BUS_PROPERTY("Runs", "t", get_runs, 0, 0),
	SD_BUS_METHOD_WITH_ARGS("Plan", SD_BUS_ARGS("as", drives, "s", profile),
				SD_BUS_RESULT(STEPS, steps), on_plan, FOR_ALL),
	SD_BUS_METHOD_WITH_ARGS("Apply",
				SD_BUS_ARGS("as", drives, "s", profile),
				SD_BUS_RESULT(STEPS, steps), on_apply, FOR_ALL),
	SD_BUS_METHOD_WITH_ARGS("Check", SD_BUS_NO_ARGS,
				SD_BUS_RESULT(STEPS, steps), on_check, FOR_ALL),
	SD_BUS_METHOD_WITH_ARGS("Revert", SD_BUS_NO_ARGS,
				SD_BUS_RESULT(STEPS, steps), on_revert,
				FOR_ALL),
	SD_BUS_VTABLE_END
};

int add_machine_object(struct service *service)
{
	int err = sd_bus_add_object_vtable(service->bus, NULL, SSDPMD_PATH,
					   SSDPMD_MACHINE_INTERFACE, vtable,
					   service);

	if (err >= 0)
		err = sd_bus_add_object_manager(service->bus, NULL,
						SSDPMD_PATH);
	return err < 0 ? err : 0;
}
