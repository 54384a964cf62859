/* SPDX-License-Identifier: MIT */
#include "programs.h"
#include "survey/survey.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void free_work(struct work *work)
{
	free_savings(work);
	ssdpm_plan_free(work->plan);
	free(work->owners);
	for (size_t i = 0; i < SSDPM_PERSIST_TUNED; i++)
		ssdpm_persist_free(work->persist[i]);
}

const struct ssdpm_device_facts *find_facts(const struct drives *drives,
					    const char *name)
{
	for (size_t i = 0; i < drives->n; i++) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(drives->drives[i].device);

		if (!strcmp(facts->name, name))
			return facts;
	}
	return NULL;
}

static void take_power(const struct ssdpm_device_facts *facts,
		       const struct ssdpm_step *step,
		       struct ssdpm_persist_power *power)
{
	const struct ssdpm_step_value *value = step->after_value;

	snprintf(power->address, sizeof(power->address), "%s", facts->address);
	snprintf(power->product, sizeof(power->product), "%s", facts->product);
	if (step->kind == SSDPM_STEP_NOPP) {
		power->set |= SSDPM_PERSIST_NOPP;
		power->nopp = value->nopp;
		return;
	}
	power->set |= SSDPM_PERSIST_POWER_STATE;
	power->power_state = value->power_state;
	/* A hint that is kept is lost with the state, too. */
	power->workload_hint = value->workload_hint;
}

/* One of each drive with such steps that it can do. Return: how many, or one
 * more. */
static size_t list_powers(
	const struct work *work,
	struct ssdpm_persist_power powers[SSDPM_MAX_PERSIST_POWERS])
{
	struct ssdpm_step step = { .size = sizeof(step) };
	size_t n = 0;

	for (size_t i = 0; !ssdpm_plan_get_step(work->plan, i, &step); i++) {
		const struct ssdpm_device_facts *facts =
			find_facts(work->drives, step.device);
		size_t at = 0;

		if ((step.kind != SSDPM_STEP_POWER_STATE &&
		     step.kind != SSDPM_STEP_NOPP) ||
		    step.state == SSDPM_STEP_LEFT_ALONE || !facts)
			continue;
		while (at < n && strcmp(powers[at].address, facts->address))
			at++;
		if (at == SSDPM_MAX_PERSIST_POWERS)
			return at + 1;
		n = at < n ? n : at + 1;
		take_power(facts, &step, &powers[at]);
	}
	return n;
}

/* nvme_start_ctrl() sends the uevent that the rule waits for since 5.18. */
static void note_old_linux(const struct work *work)
{
	const char *release = work->drives->lives[0]->facts.linux_release;
	unsigned int major, minor;

	if (sscanf(release, "%u.%u", &major, &minor) != 2 || major > 5 ||
	    (major == 5 && minor >= 18) || work->common->quiet)
		return;
	remark("Linux %u.%u does not tell udev of a reset or a resume: "
	       "--persist systemd sets the power state after sleep, too",
	       major, minor);
}

/* What the options set of all drives, beside a profile or without one. */
static struct ssdpm_profile_settings settings_of(
	const struct plan_options *options)
{
	struct ssdpm_profile_settings own = { .size = sizeof(own) };
	const uint64_t *core = options->nvme_core;

	if (plan_has(options, "latency"))
		own.set |= SSDPM_PROFILE_MAX_EXIT_LATENCY;
	for (uint32_t i = 0; i < 4; i++)
		if (options->nvme_core_given >>
			    (SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS + i) &
		    1)
			own.set |= SSDPM_PROFILE_PRIMARY_TIMEOUT << i;
	if (options->n_lpms)
		own.set |= SSDPM_PROFILE_LPM;
	own.max_exit_latency_us = options->max_exit_latency_us;
	own.primary_timeout_ms = core[SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS];
	own.primary_latency_tolerance_us =
		core[SSDPM_NVME_CORE_APST_PRIMARY_LATENCY_TOL_US];
	own.secondary_timeout_ms =
		core[SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS];
	own.secondary_latency_tolerance_us =
		core[SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US];
	own.n_lpms = (uint32_t)options->n_lpms;
	memcpy(own.lpms, options->lpms, sizeof(own.lpms));
	return own;
}

static enum exit_status fail_persist(uint32_t kind,
				     const struct ssdpm_error *error)
{
	complain("--persist %s: %s", ssdpm_persist_kind_to_string(kind),
		 error->message);
	return error->code == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
}

/* A source that was given is what holds on both. */
static int read_settings_of_files(const struct work *work,
				  struct ssdpm_profile_settings *ret_ac,
				  struct ssdpm_profile_settings *ret_battery,
				  struct ssdpm_error *reterr)
{
	const uint32_t given = work->options->power_source;
	struct ssdpm_intent *intent;
	int err = ssdpm_intent_read(work->drives->lives[0]->machine, &intent,
				    reterr);

	if (err)
		return err;
	err = ssdpm_intent_get_settings(
		intent, NULL, given ? given : SSDPM_SOURCE_AC, ret_ac, reterr);
	if (!err)
		err = ssdpm_intent_get_settings(
			intent, NULL, given ? given : SSDPM_SOURCE_BATTERY,
			ret_battery, reterr);
	ssdpm_intent_free(intent);
	return err;
}

static enum exit_status make_persist_of_files(struct work *work, uint32_t kind)
{
	struct ssdpm_profile_settings ac = { .size = sizeof(ac) };
	struct ssdpm_profile_settings battery = { .size = sizeof(battery) };
	const struct ssdpm_persist_params params = {
		.size = sizeof(params),
		.kind = kind,
		.flags = SSDPM_PERSIST_OF_FILES,
		.ac = &ac,
		.battery = &battery,
		.command = SSDPM_PATH,
	};
	struct ssdpm_error error;
	int err = read_settings_of_files(work, &ac, &battery, &error);

	if (!err)
		err = ssdpm_persist_new(&params, &work->persist[0], &error);
	return err ? fail_persist(kind, &error) : STATUS_DONE;
}

enum exit_status make_persist(struct work *work, uint32_t kind)
{
	struct ssdpm_persist_power powers[SSDPM_MAX_PERSIST_POWERS] = { 0 };
	const struct profile *profile = &work->profile;
	const bool given = work->options->profile;
	/* A source that was given is what holds on both. */
	bool both = !work->options->power_source;
	const char *profiles = work->options->profiles_path;
	const struct ssdpm_profile_settings own = settings_of(work->options);
	struct ssdpm_persist_params params = {
		.size = sizeof(params),
		.kind = kind,
		.flags = profiles ? 0 : SSDPM_PERSIST_NAMED_IN_FILES,
		.ac = !given ? NULL :
		      both   ? &profile->ac :
			       &profile->now,
		.battery = given && both ? &profile->battery : NULL,
		.command = SSDPM_PATH,
		.powers = powers,
		.n_powers = list_powers(work, powers),
		.settings = own.set ? &own : NULL,
	};
	struct ssdpm_error error;
	struct stat file;
	char *path = NULL;
	int err;

	if (work->options->config)
		return make_persist_of_files(work, kind);
	/* It is read elsewhere, and again and again. */
	if (profiles) {
		path = realpath(profiles, NULL);
		if (!path || stat(path, &file) || !S_ISREG(file.st_mode)) {
			free(path);
			return usage_error(work->common,
					   "--persist %s: --profiles %s is no "
					   "file that can be read again; write "
					   "it to one, as in /etc/ssdpm.ini",
					   ssdpm_persist_kind_to_string(kind),
					   profiles);
		}
		params.profiles = path;
	}
	err = ssdpm_persist_new(&params, &work->persist[0], &error);
	free(path);
	if (!err && kind == SSDPM_PERSIST_UDEV && params.n_powers)
		note_old_linux(work);
	return err ? fail_persist(kind, &error) : STATUS_DONE;
}

bool all_in_force(const struct ssdpm_plan *plan)
{
	return !ssdpm_plan_count(plan, SSDPM_STEPS_NOT_IN_FORCE);
}

enum exit_status prove_tables(struct work *work)
{
	struct ssdpm_error error;
	int err;

	err = ssdpm_plan_verify(work->plan, SSDPM_READ_COMMANDS, &error);
	work->in_force = !err;
	if (!err)
		return STATUS_DONE;
	complain("%s", error.message);
	return err == -ESTALE || err == -EREMOTEIO ? STATUS_NOT_IN_FORCE :
						     status_of_error(err);
}

/* The journal that was found first counts: a second lock finds none. */
static void note_journal(struct work *work)
{
	struct ssdpm_journal journal = { .size = sizeof(journal) };

	if (!ssdpm_plan_get_journal(work->plan, &journal) &&
	    (journal.state == SSDPM_JOURNAL_UNDONE ||
	     journal.state == SSDPM_JOURNAL_KILLED))
		work->journal = journal;
}

enum exit_status look_at_journal(struct work *work)
{
	const struct plan_options *options = work->options;
	const struct ssdpm_plan_params params = {
		.size = sizeof(params),
		.directory = options ? options->directory : NULL,
	};
	enum exit_status status;

	status = read_journal(work->drives->lives[0], &params, &work->journal);
	if (work->journal.stands)
		work->in_force = false;
	return status;
}

/* What a commit that has failed could not put back. */
static void complain_of_steps(const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	size_t n = 0;

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		n += (SSDPM_STEPS_WRITTEN >> step.state & 1) &&
		     ssdpm_plan_has_failed(plan, step.device);
	if (n)
		complain("%zu setting%s not put back", n,
			 n == 1 ? " was" : "s were");
}

/* Is any other device as it shall be? */
static bool is_partly_done(const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	/* A lock that could not be taken is nobody's failure. */
	if (!ssdpm_plan_has_failed(plan, NULL))
		return false;
	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		if ((step.state == SSDPM_STEP_DONE ||
		     step.state == SSDPM_STEP_IN_FORCE) &&
		    !ssdpm_plan_has_failed(plan, step.device))
			return true;
	return false;
}

/* The first one is the error of the commit. */
static void complain_of_others(const struct ssdpm_plan *plan,
			       const struct ssdpm_error *first)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		if (step.state == SSDPM_STEP_FAILED &&
		    strncmp(step.why, first->message, strlen(first->message)))
			complain_about(step.device, step.why);
}

static enum exit_status fail(struct work *work, const struct ssdpm_error *error)
{
	enum exit_status status;

	work->in_force = false;
	status = complain_of_device(NULL, error);
	complain_of_others(work->plan, error);
	complain_of_steps(work->plan);
	if (work->journal.state != SSDPM_JOURNAL_UNDONE)
		look_at_journal(work);
	return is_partly_done(work->plan) ? STATUS_PARTLY : status;
}

/* All is done; but nothing is in force while a device is half done. */
static enum exit_status finish_beside_journal(struct work *work)
{
	char *text;

	if (!work->journal.stands)
		return STATUS_DONE;
	work->in_force = false;
	text = describe_journal(work->drives->lives[0], &work->journal);
	if (!text)
		return out_of_memory();
	complain("%s", text);
	free(text);
	return STATUS_PARTLY;
}

/* What fills a plan, and how that went. */
struct filling {
	struct work *work;
	fill_fn fill;
	void *data;
	bool is_locked; /* or nothing is to be written */
	sigset_t mask;	/* of signals, as it was before */
	enum exit_status status;
};

/* A process that waits for the lock can be stopped, but not its owner. */
static void hold_signals(struct filling *filling)
{
	sigset_t ends;

	if (filling->is_locked)
		return;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &filling->mask);
}

static int fill_plan_of(struct ssdpm_plan *plan, void *userdata,
			struct ssdpm_error *reterr)
{
	struct filling *filling = userdata;

	(void)plan;
	hold_signals(filling);
	filling->is_locked = true;
	note_journal(filling->work);
	filling->status = filling->fill(filling->work, filling->data);
	if (!filling->status)
		return 0;
	/* It is complained of. */
	*reterr = (struct ssdpm_error){ .code = -ECANCELED };
	return -ECANCELED;
}

enum exit_status carry_out(struct work *work, fill_fn fill, void *data)
{
	struct filling filling = { .work = work, .fill = fill, .data = data };
	struct ssdpm_error error;
	int err;

	filling.status = put_back_killed(work->common, work->drives->lives[0]);
	if (filling.status) {
		work->plan = ssdpm_plan_free(work->plan);
		return filling.status;
	}
	/* A closed pipe must not end the program in the middle of a commit. */
	signal(SIGPIPE, SIG_IGN);
	err = ssdpm_plan_apply(work->plan, fill_plan_of, &filling, &error);
	if (filling.is_locked)
		sigprocmask(SIG_SETMASK, &filling.mask, NULL);
	note_journal(work);
	if (filling.status || !filling.is_locked) {
		work->plan = ssdpm_plan_free(work->plan);
		return filling.status ? filling.status :
					complain_of_device(NULL, &error);
	}
	if (err == -ESTALE) {
		/* It is done, even if a drive was removed since. */
		work->in_force = false;
		complain("%s", error.message);
		return STATUS_NOT_IN_FORCE;
	}
	if (err)
		return fail(work, &error);
	work->in_force = all_in_force(work->plan);
	return finish_beside_journal(work);
}
