/* SPDX-License-Identifier: MIT */
#include "input/owners.h"
#include "programs.h"
#include "survey/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Adds what a plan has besides its steps. */
static enum exit_status complete(struct work *work,
				 const struct plan_command *settings,
				 bool with_files)
{
	enum exit_status status = STATUS_DONE;

	work->is_kept = settings->keep || settings->persist;
	/* --keep with a TARGET leaves out what is for all drives. */
	work->keeps_parameters = settings->persist ||
				 (settings->keep && !are_named(work->drives));
	if (with_files && settings->persist)
		status = make_persist(work, settings->persist);
	if (!status)
		work->in_force = all_in_force(work->plan);
	return status;
}

/*
 * Prepares the plan for a power source; 0: the machine's. The second of two
 * plans has the files that make both last. Nothing is written, so that an
 * existing journal is shown.
 */
static enum exit_status prepare(struct work *work,
				const struct plan_command *settings,
				uint32_t source, bool with_files,
				const struct drives *drives)
{
	const struct common *common = work->common;
	enum exit_status status;

	work->drives = drives;
	work->options = &settings->plan;
	status = find_profile(common, work->options, drives->lives[0], source,
			      &work->profile);
	if (!status)
		status = make_plan(common, work->options, &work->profile,
				   drives, &work->plan);
	if (!status)
		status = complete(work, settings, with_files);
	if (!status)
		status = warn_of_bisect(common, drives->lives[0]);
	return status ? status : look_at_journal(work);
}

/*
 * Whether a value that requires a command is planned; root then sends it
 * anyway.
 */
static bool asks_for_states(const struct work *work)
{
	return plan_has(work->options, "power-state") && !work->common->root &&
	       may_send_commands();
}

/* Whether a plan would write something that depends on the drive's states. */
static bool is_concerned(const struct work *work, const struct ssdpm_plan *plan,
			 const struct ssdpm_device_facts *facts)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	uint32_t state;

	if (facts->kind != SSDPM_KIND_NVME)
		return false;
	if (asks_for_states(work) &&
	    find_power_state(work->options, facts->name, &state))
		return true;
	for (size_t i = 0; plan && !ssdpm_plan_get_step(plan, i, &step); i++)
		if (step.state != SSDPM_STEP_IN_FORCE &&
		    step.state != SSDPM_STEP_LEFT_ALONE &&
		    step.kind != SSDPM_STEP_ASPM_POLICY &&
		    ((step.flags & SSDPM_STEP_ALL_DRIVES) ||
		     !strcmp(step.device, facts->name)))
			return true;
	return false;
}

/*
 * Asks the drives that a given plan, or else --power-state, concerns. A drive
 * that cannot be asked stays as it was read.
 */
void identify_concerned(const struct work *work, const struct ssdpm_plan *plan,
			struct drives *drives)
{
	for (size_t i = 0; i < drives->n; i++) {
		struct drive *drive = &drives->drives[i];
		struct ssdpm_model *model;
		struct ssdpm_error error;

		if (!is_concerned(work, plan,
				  ssdpm_device_get_facts(drive->device)))
			continue;
		if (ssdpm_device_read_model(drive->device, SSDPM_READ_COMMANDS,
					    NULL, &model, &error)) {
			if (!drive->model)
				drive->problem = error;
			continue;
		}
		ssdpm_model_unref(drive->model);
		drive->model = model;
	}
}

/* Both would set different values. */
static enum exit_status say_conflict(const struct work *work,
				     const struct plan_command *settings)
{
	struct plan_options files = { .applied = true };
	enum exit_status status = STATUS_DONE;

	if (settings->persist && !settings->plan.config)
		status = find_intent(work->drives, &files);
	if (!status && files.config)
		remark("files of ssdpm.conf(5) ask for settings, too: these "
		       "and --persist %s undo each other; try: ssdpm apply "
		       "--keep",
		       ssdpm_persist_kind_to_string(settings->persist));
	return status;
}

/* A file made for one of them makes it set the same value. */
static enum exit_status find_others(struct work *work,
				    const struct plan_command *settings)
{
	free(work->owners);
	work->owners = NULL;
	work->n_owners = 0;
	work->owners_known = !work->common->quiet;
	if (!work->owners_known)
		return STATUS_DONE;
	return find_owners(work->drives->lives[0], work->plan,
			   ssdpm_persist_kind_to_string(settings->persist),
			   &work->owners, &work->n_owners);
}

static enum exit_status say_others(const struct work *work,
				   const struct plan_command *settings)
{
	enum exit_status status = say_conflict(work, settings);

	for (size_t i = 0; i < work->n_owners; i++)
		say_owner(&work->owners[i], work->plan);
	return status;
}

enum exit_status finish_plan(struct work *work,
			     const struct plan_command *settings,
			     char **operands, size_t n)
{
	const bool both = settings->both_sources;
	struct work battery = { .common = work->common };
	const struct work *const works[] = { work, &battery };
	enum exit_status status;

	status = prepare(work, settings,
			 both ? SSDPM_SOURCE_AC : settings->plan.power_source,
			 !both, work->drives);
	if (!status)
		status = estimate_work(work);
	if (!status)
		status = find_others(work, settings);
	if (!status && !work->common->quiet)
		status = say_others(work, settings);
	if (!status && !both)
		status = print_work(work);
	if (!status && !both)
		print_way_on(works, 1, operands, n);
	if (!both)
		return status;
	if (!status)
		status = prepare(&battery, settings, SSDPM_SOURCE_BATTERY, true,
				 work->drives);
	if (!status)
		status = estimate_work(&battery);
	if (!status)
		status = find_others(&battery, settings);
	if (!status)
		status = print_works(works, 2);
	if (!status)
		print_way_on(works, 2, operands, n);
	free_work(&battery);
	return status;
}

static bool asks_drives(const struct work *work)
{
	return !work->drives->lives[0]->root && !work->common->identify &&
	       may_send_commands();
}

/* Checks files before any value is set: all or nothing. */
static enum exit_status check_files(const struct work *work)
{
	struct ssdpm_error error;

	if (!work->persist[0] ||
	    !ssdpm_persist_write(work->persist[0],
				 work->drives->lives[0]->machine,
				 SSDPM_PERSIST_CHECK, &error))
		return STATUS_DONE;
	return complain_of_device(NULL, &error);
}

/* What apply reads again, and its operands. */
struct reading {
	const struct plan_command *settings;
	char **operands;
	size_t n;
	bool again;
	struct drives drives;
};

/*
 * Asks the plan's NVMe drives themselves, if it would write something, to
 * compare the kernel's tables with the prediction. Usually nothing changes, and
 * no command is sent.
 */
static enum exit_status ask_drives(const struct work *work,
				   const struct common *common,
				   struct drives *drives)
{
	struct ssdpm_plan *plan;
	enum exit_status status;

	status =
		make_plan(common, work->options, &work->profile, drives, &plan);
	if (status)
		return status;
	if (ssdpm_plan_count(plan, SSDPM_STEPS_PENDING))
		identify_concerned(work, plan, drives);
	ssdpm_plan_free(plan);
	return STATUS_DONE;
}

/*
 * Plans under the lock, so that nothing changes before the commit, for the
 * present power source.
 */
static enum exit_status fill(struct work *work, void *data)
{
	struct reading *reading = data;
	const struct plan_command *settings = reading->settings;
	const bool quiet = work->common->quiet || reading->again;
	struct common common = *work->common;
	enum exit_status status;

	/* The first reading has reported what could not be read. */
	common.quiet = quiet;
	work->persist[0] = ssdpm_persist_free(work->persist[0]);
	free_drives(&reading->drives);
	status = read_devices(&common, reading->operands, reading->n,
			      &reading->drives);
	if (status)
		return status;
	work->drives = &reading->drives;
	if (!common.identify)
		identify_concerned(work, NULL, &reading->drives);
	common.quiet = quiet;
	reading->again = true;
	status = find_profile(&common, work->options, work->drives->lives[0],
			      settings->plan.power_source, &work->profile);
	common.quiet = true;
	if (!status && asks_drives(work))
		status = ask_drives(work, &common, &reading->drives);
	common.quiet = quiet;
	if (!status)
		status = fill_plan(&common, work->options, &work->profile,
				   work->drives, work->plan);
	if (!status)
		status = find_others(work, settings);
	if (!status && !quiet)
		status = say_others(work, settings);
	if (!status)
		status = complete(work, settings, true);
	if (!status)
		status = check_settings(work, settings->keep, reading->n);
	return status ? status : check_files(work);
}

static enum exit_status write_persist(struct work *work)
{
	struct ssdpm_error error;

	if (!work->persist[0] ||
	    !ssdpm_persist_write(work->persist[0],
				 work->drives->lives[0]->machine, 0, &error))
		return STATUS_DONE;
	return complain_of_device(NULL, &error);
}

/* The plan refers to the old drives. */
static enum exit_status set_once(struct work *work, struct reading *reading)
{
	enum exit_status status;

	work->plan = ssdpm_plan_free(work->plan);
	status = new_plan(work->common, work->drives, &reading->settings->plan,
			  &work->plan);
	return status ? status : carry_out(work, fill, reading);
}

/* One of the runs for requests. */
struct request_run {
	struct work *work;
	struct reading *reading;
	enum exit_status status;
};

static int run_for_requests(void *userdata, struct ssdpm_error *reterr)
{
	struct request_run *run = userdata;

	run->status = set_once(run->work, run->reading);
	if (!run->status)
		return 0;
	/* It was reported. */
	*reterr = (struct ssdpm_error){ .code = -ECANCELED };
	return -ECANCELED;
}

/* Requests a run, and ensures that one follows, here or elsewhere. */
static enum exit_status set_coalesced(struct work *work,
				      struct reading *reading)
{
	struct ssdpm_machine *machine = work->drives->lives[0]->machine;
	const struct ssdpm_plan_params params = {
		.size = sizeof(params),
		.directory = reading->settings->plan.directory,
	};
	struct request_run run = { work, reading, STATUS_DONE };
	struct ssdpm_error error;

	ssdpm_machine_ref(machine);
	if ((ssdpm_request_add(machine, &params, &error) ||
	     ssdpm_request_serve(machine, &params, run_for_requests, &run, NULL,
				 &error)) &&
	    !run.status)
		run.status = complain_of_device(NULL, &error);
	ssdpm_machine_unref(machine);
	return run.status;
}

/* Without a plan: it could not be filled, or another run has done the work. */
static enum exit_status print_applied(const struct work *work,
				      enum exit_status status)
{
	if (work->plan)
		return print_work(work);
	if (status)
		return status;
	if (!work->common->form && !work->common->quiet)
		puts("done by another run of ssdpm");
	return print_works(&work, 0);
}

/* For people; a commit that failed has put back what it could. */
static bool has_changed(const struct work *work)
{
	return work->plan && !work->common->quiet && !work->common->form &&
	       ssdpm_plan_count(work->plan, 1 << SSDPM_STEP_DONE);
}

enum exit_status finish_apply(struct work *work,
			      const struct plan_command *settings,
			      char **operands, size_t n)
{
	struct reading reading = { settings, operands, n, false, { 0 } };
	enum exit_status status, printed;
	bool changed;

	if (settings->dry_run) {
		status = finish_plan(work, settings, operands, n);
		return status ? status : show_settings(work, settings->keep, n);
	}
	work->failures_only = work->common->quiet;
	status =
		(settings->coalesce ? set_coalesced : set_once)(work, &reading);
	printed = print_applied(work, status);
	if (!status)
		status = printed;
	fflush(stdout);
	changed = has_changed(work);
	if (!status)
		status = write_persist(work);
	if (!status)
		status = keep_settings(work, settings->keep, n);
	if (changed)
		write_way_back(stdout, work->drives->lives[0], settings->keep);
	work->plan = ssdpm_plan_free(work->plan);
	free_drives(&reading.drives);
	return status;
}

static void complain_of(const struct ssdpm_step *step)
{
	if (step->kind != SSDPM_STEP_APST)
		complain_about(step->device, step->why);
	else
		complain("%s: which table is in force is not known%s",
			 step->device,
			 may_send_commands() ? "" :
					       ": only root with CAP_SYS_ADMIN "
					       "may ask it");
}

/* Values that only a command shows, which could not be sent. */
static enum exit_status complain_of_unknown(const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++) {
		if (step.before[0] || step.state == SSDPM_STEP_LEFT_ALONE)
			continue;
		complain_of(&step);
		return may_send_commands() ? STATUS_FAILED :
					     STATUS_NO_PRIVILEGES;
	}
	return STATUS_DONE;
}

/* The settings of a survey are only temporary. */
static enum exit_status complain_of_survey(const struct live *live)
{
	char *text = describe_left_survey(live);

	if (!text)
		return out_of_memory();
	complain("%s", text);
	free(text);
	return STATUS_NOT_IN_FORCE;
}

enum exit_status finish_check(struct work *work,
			      const struct plan_command *settings,
			      char **operands, size_t n)
{
	const bool is_left = survey_is_left(work->drives->lives[0]);
	enum exit_status status, printed;

	(void)operands;
	(void)n;
	status = prepare(work, settings, settings->plan.power_source, false,
			 work->drives);
	if (status)
		return status;
	work->in_force = work->in_force && !is_left;
	if (work->in_force && (work->common->identify || asks_for_states(work)))
		status = prove_tables(work);
	work->differences_only = true;
	if (!status && !work->in_force)
		status = find_others(work, settings);
	printed = print_work(work);
	if (!status)
		status = printed;
	/* The status then shows why the tables are unknown. */
	if (!status && !work->in_force && !work->common->quiet)
		status = say_others(work, settings);
	if (!status)
		status = complain_of_unknown(work->plan);
	/* With a journal, nothing is in force, whatever the values. */
	if (work->journal.stands)
		status = STATUS_NOT_IN_FORCE;
	if (is_left)
		status = complain_of_survey(work->drives->lives[0]);
	if (!status && !work->in_force)
		status = STATUS_NOT_IN_FORCE;
	return status;
}
