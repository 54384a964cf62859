/* SPDX-License-Identifier: MIT */
/* A trial: its steps are set, and what was there before comes back. */
#include "bisect/bisect.h"
#include "options/advised.h"
#include "options/plan-options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* reterr may be NULL. */
static int read_same(struct search *search, size_t i,
		     struct ssdpm_error *reterr)
{
	const struct searched_drive *drive = drive_of(search, i);
	int err;

	search->devices[i] = ssdpm_device_unref(search->devices[i]);
	err = ssdpm_device_read(search->live->machine, drive->name,
				&search->devices[i], reterr);
	if (err)
		return err;
	if (is_searched(search, drive,
			ssdpm_device_get_facts(search->devices[i])))
		return 0;
	if (!reterr)
		return -ENODEV;
	reterr->code = -ENODEV;
	snprintf(reterr->message, sizeof(reterr->message),
		 "%s is another drive than at the start", drive->name);
	return -ENODEV;
}

static size_t step_to_set(const struct search *search, size_t i)
{
	if (search->sets_last)
		return last_step(search, i);
	return search->sets_first ? 0 :
				    ssdpm_bisect_get_step(search->bisect, i);
}

uint32_t features_up_to(const struct search *search, size_t i, size_t step)
{
	uint32_t features = 0;

	for (; step; step--)
		features |= ssdpm_pcie_feature_from_string(
			ssdpm_bisect_get_step_name(search->bisect, i, step));
	return features;
}

static int add_lpm_step(struct search *search, struct ssdpm_plan *plan,
			size_t i, const char *word, struct ssdpm_error *reterr)
{
	const uint32_t lpm = ssdpm_lpm_from_string(word);
	const struct ssdpm_lpm_params params = { .size = sizeof(params),
						 .lpms = &lpm,
						 .n_lpms = 1,
						 .flags = SSDPM_LPM_ANY_PORT };

	return ssdpm_plan_add_lpm(plan, search->devices[i], NULL, &params,
				  reterr);
}

/* With a model the plan compares the table of the drive with its own. */
static int add_limit_step(struct search *search, struct ssdpm_plan *plan,
			  size_t i, const char *word,
			  struct ssdpm_error *reterr)
{
	struct ssdpm_model *model = NULL;
	int err;

	/* Without it the files have to do. */
	if (search->reads_tables &&
	    ssdpm_device_read_model(search->devices[i], SSDPM_READ_COMMANDS,
				    NULL, &model, NULL))
		model = NULL;
	err = ssdpm_plan_add_latency_tolerance(plan, search->devices[i], model,
					       latency_of(word), reterr);
	ssdpm_model_unref(model);
	return err;
}

/* A feature that was off at the start is in no trial. */
static int add_link_step(struct search *search, struct ssdpm_plan *plan,
			 size_t i, struct ssdpm_error *reterr)
{
	struct ssdpm_device *device = search->devices[i];
	const uint32_t searched =
		features_up_to(search, i, last_step(search, i));
	const uint32_t kept =
		ssdpm_device_get_facts(device)->pcie_capable & ~searched;

	return ssdpm_plan_add_value(
		plan, device, SSDPM_STEP_PCIE_LINK,
		features_up_to(search, i, step_to_set(search, i)) |
			SSDPM_PCIE_LINK_KEEP(kept),
		reterr);
}

static int add_step_of(struct search *search, struct ssdpm_plan *plan, size_t i,
		       struct ssdpm_error *reterr)
{
	const char *word = ssdpm_bisect_get_step_name(search->bisect, i,
						      step_to_set(search, i));
	struct ssdpm_device *device = search->devices[i];

	switch (setting_of(search, i)) {
	case SSDPM_BISECT_LATENCY_LIMIT:
		return add_limit_step(search, plan, i, word, reterr);
	case SSDPM_BISECT_LINK:
		return add_link_step(search, plan, i, reterr);
	case SSDPM_BISECT_QUEUE_DEPTH:
		return ssdpm_plan_add_value(plan, device,
					    SSDPM_STEP_QUEUE_DEPTH,
					    strtoull(word, NULL, 10), reterr);
	default:
		return add_lpm_step(search, plan, i, word, reterr);
	}
}

static int fill_trial(struct ssdpm_plan *plan, void *userdata,
		      struct ssdpm_error *reterr)
{
	struct search *search = userdata;
	int err = 0;

	for (size_t i = 0; !err && ssdpm_bisect_get_suspect(search->bisect, i);
	     i++) {
		if (search->n_alone && search->n_alone != i + 1)
			continue;
		err = read_same(search, i, reterr);
		if (!err)
			err = add_step_of(search, plan, i, reterr);
	}
	return err;
}

static int fill_revert(struct ssdpm_plan *plan, void *userdata,
		       struct ssdpm_error *reterr)
{
	(void)userdata;
	return ssdpm_plan_add_revert(plan, reterr);
}

/* Steps that are left alone are not in force. */
static enum exit_status check_steps(const struct ssdpm_plan *plan)
{
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < ssdpm_plan_count(plan, SSDPM_STEPS_ALL); i++) {
		struct ssdpm_step step = { .size = sizeof(step) };

		ssdpm_plan_get_step(plan, i, &step);
		if (step.state != SSDPM_STEP_LEFT_ALONE)
			continue;
		complain("%s: not set: %s", step.device, step.why);
		status = STATUS_NOT_IN_FORCE;
	}
	return status;
}

static enum exit_status new_trial_plan(struct search *search, bool strict,
				       struct ssdpm_plan **ret_plan)
{
	const struct drives drives = { .lives = &search->live, .n_lives = 1 };
	const struct plan_options options = { .directory = search->record,
					      .strict = strict };

	return new_plan(search->common, &drives, &options, ret_plan);
}

static void free_trial_plan(struct search *search, struct ssdpm_plan *plan)
{
	ssdpm_plan_free(plan);
	for (size_t i = 0; i < SSDPM_BISECT_SUSPECTS; i++)
		search->devices[i] = ssdpm_device_unref(search->devices[i]);
}

enum { LOCK_TRIES = 200 }; /* in 10 s, as ssdpm_plan_lock() waits */

/*
 * Nobody else sets values while a trial is set. An apply that found no search
 * would otherwise call the values of the trial those of before. A command that
 * only looks holds the lock for a moment, so this waits. *ret_fd is a file to
 * close.
 */
static enum exit_status lock_machine(const struct search *search, int *ret_fd)
{
	const char *root = search->live->root ? search->live->root : "";
	const struct timespec pause = { .tv_nsec = 50000000 };
	enum exit_status status = STATUS_DONE;
	int fd, n_tries = LOCK_TRIES;
	char *path = NULL;

	if (asprintf(&path, "%s/run/ssdpm/lock", root) < 0)
		return out_of_memory();
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	while (fd >= 0 && n_tries && flock(fd, LOCK_EX | LOCK_NB)) {
		n_tries--;
		nanosleep(&pause, NULL);
	}
	if (fd < 0)
		status = cannot("open", path, errno);
	else if (!n_tries) {
		status = failure("another program sets values now: try again");
		close(fd);
	} else {
		*ret_fd = fd;
	}
	free(path);
	return status;
}

static enum exit_status set_steps(struct search *search)
{
	struct ssdpm_error error;
	struct ssdpm_plan *plan = NULL;
	int lock_fd = -1;
	enum exit_status status = lock_machine(search, &lock_fd);

	if (!status)
		status = new_trial_plan(search, true, &plan);

	if (!status && ssdpm_plan_apply(plan, fill_trial, search, &error)) {
		status = complain_of_device(NULL, &error);
		if (error.code == -EOPNOTSUPP || error.code == -EIO)
			remark("after errors Linux may refuse a setting until "
			       "the next boot: restart the machine, and then: "
			       "ssdpm bisect set");
	}
	if (!status)
		status = check_steps(plan);
	free_trial_plan(search, plan);
	if (lock_fd >= 0)
		close(lock_fd);
	return status;
}

enum exit_status undo_killed_commit(struct search *search)
{
	const struct drives drives = { .lives = &search->live, .n_lives = 1 };
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	struct ssdpm_plan *plan = NULL;
	struct ssdpm_error error;
	enum exit_status status =
		new_plan(search->common, &drives, NULL, &plan);

	if (!status && ssdpm_plan_lock(plan, &error))
		status = complain_of_device(NULL, &error);
	if (!status && !ssdpm_plan_get_journal(plan, &journal) &&
	    journal.state == SSDPM_JOURNAL_UNDONE)
		remark("a commit that was killed is undone first");
	ssdpm_plan_free(plan);
	return status;
}

/* The first step that is not in force; unread: or whose value is unknown. */
static bool has_change(const struct ssdpm_plan *plan, bool unread,
		       struct ssdpm_step *ret_step)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++) {
		/* A substate that is off may be told so once more, for L1. */
		if (step.state == SSDPM_STEP_IN_FORCE ||
		    !strcmp(step.before, step.after) ||
		    (!unread && !step.before[0]))
			continue;
		*ret_step = step;
		return true;
	}
	return false;
}

static enum exit_status find_change(const struct ssdpm_plan *plan, bool unread)
{
	struct ssdpm_step step;

	if (!has_change(plan, unread, &step))
		return STATUS_DONE;
	complain("%s: %s is \"%s\", and this trial needs \"%s\": "
		 "ssdpm bisect set sets it again",
		 step.device, step.target, step.before, step.after);
	return STATUS_NOT_IN_FORCE;
}

static enum exit_status not_good(const char *why)
{
	return failure("this trial cannot be good: %s", why);
}

static enum exit_status read_trial(struct search *search,
				   struct ssdpm_plan **ret_plan)
{
	struct ssdpm_error error;
	enum exit_status status = new_trial_plan(search, true, ret_plan);

	if (!status && (fill_trial(*ret_plan, search, &error) ||
			ssdpm_plan_read(*ret_plan, &error)))
		status = not_good(error.message);
	return status ? status : find_change(*ret_plan, true);
}

enum exit_status check_trial(struct search *search)
{
	struct ssdpm_plan *plan = NULL;
	const enum exit_status status = read_trial(search, &plan);

	free_trial_plan(search, plan);
	return status;
}

/* Steps of the drives that are there. */
static void fill_present(struct search *search, struct ssdpm_plan *plan)
{
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++)
		if (!read_same(search, i, NULL))
			add_step_of(search, plan, i, NULL);
}

enum exit_status check_bad_trial(struct search *search)
{
	struct ssdpm_plan *plan = NULL;
	enum exit_status status = new_trial_plan(search, true, &plan);

	if (!status)
		fill_present(search, plan);
	if (!status && !ssdpm_plan_read(plan, NULL))
		status = find_change(plan, false);
	free_trial_plan(search, plan);
	return status;
}

/*
 * In max_performance the adapter leaves the link alone. Linux that has given up
 * LPM leaves the bits of the policy before.
 */
static bool host_sleeps(const struct ssdpm_device_facts *facts)
{
	const uint32_t bits = 3U << 26; /* ALPE and ASP of PxCMD */
	const uint32_t salp = 1U << 26; /* of CAP */

	return facts->known & SSDPM_FACT_AHCI_HOST_CAPS &&
	       facts->known & SSDPM_FACT_AHCI_PORT_CMD &&
	       facts->ahci_host_caps & salp && facts->ahci_port_cmd & bits;
}

/* The registers of a capture are as they were. */
static enum exit_status check_fast_links(const struct search *search)
{
	if (search->live->root)
		return STATUS_DONE;
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++) {
		if (setting_of(search, i) != SSDPM_BISECT_LPM ||
		    step_to_set(search, i) ||
		    !host_sleeps(ssdpm_device_get_facts(search->devices[i])))
			continue;
		complain("%s: its port reads max_performance, and lets the "
			 "link sleep (ALPE or ASP in PxCMD), so this trial "
			 "cannot be good",
			 drive_of(search, i)->name);
		return STATUS_NOT_IN_FORCE;
	}
	return STATUS_DONE;
}

/* Without the right or the means to read more, the files have to do. */
static enum exit_status verify_trial(const struct search *search,
				     struct ssdpm_plan *plan)
{
	struct ssdpm_error error;
	const int err = ssdpm_plan_verify(
		plan, search->reads_tables ? SSDPM_READ_COMMANDS : 0, &error);

	if (err == -ESTALE || err == -EREMOTEIO) {
		complain("this trial cannot be good: %s", error.message);
		return STATUS_NOT_IN_FORCE;
	}
	if (err && err != -EOPNOTSUPP && err != -EACCES && err != -EPERM)
		return not_good(error.message);
	return check_fast_links(search);
}

enum exit_status prove_trial(struct search *search)
{
	struct ssdpm_plan *plan = NULL;
	enum exit_status status;

	search->reads_tables = search->common->identify && !search->live->root;
	status = read_trial(search, &plan);
	if (!status)
		status = verify_trial(search, plan);
	search->reads_tables = false;
	free_trial_plan(search, plan);
	return status;
}

enum exit_status set_first_steps(struct search *search)
{
	enum exit_status status;

	search->sets_first = true;
	status = set_steps(search);
	search->sets_first = false;
	return status;
}

/*
 * After errors libata does without NCQ, and the file has the old depth. Only
 * another depth turns NCQ on again: ata_change_queue_depth().
 */
enum exit_status set_trial(struct search *search)
{
	enum exit_status status =
		searches_queue(search) ? set_first_steps(search) : STATUS_DONE;

	return status ? status : set_steps(search);
}

/* Whether all values are those of the trial, so that no one else set them. */
static bool is_trial_set(struct search *search)
{
	struct ssdpm_plan *plan = NULL;
	struct ssdpm_step step;
	const bool is_set = !new_trial_plan(search, true, &plan) &&
			    !fill_trial(plan, search, NULL) &&
			    !ssdpm_plan_read(plan, NULL) &&
			    !has_change(plan, true, &step);

	free_trial_plan(search, plan);
	return is_set;
}

static void tell_way_out(const struct search *search)
{
	char *text = advised_text(
		search->live->root,
		"other settings of these drives are refused until their "
		"values are restored; "
		"try again: ssdpm bisect stop; to leave them as they are: "
		"ssdpm bisect stop --forget");

	if (text)
		complain("%s", text);
	free(text);
}

bool is_put_back(enum exit_status status)
{
	return !status || status == STATUS_NOT_IN_FORCE;
}

/* If it has the value of the trial: no one else set it. */
static enum exit_status put_back_suspect(struct search *search, size_t i)
{
	enum exit_status status = STATUS_DONE;

	search->n_alone = i + 1;
	search->sets_last = false;
	if (is_trial_set(search)) {
		search->sets_last = true;
		status = set_steps(search);
	} else if (is_unknown_now(search, i)) {
		complain("%s: not restored: its value cannot be read",
			 suspect_text(search, i).text);
		status = STATUS_FAILED;
	}
	search->sets_last = false;
	search->n_alone = 0;
	return status;
}

enum exit_status put_back_without_record(struct search *search)
{
	enum exit_status status = STATUS_DONE;

	complain("%s: the record of the settings of before is gone",
		 search->record);
	for (size_t i = 0; ssdpm_bisect_get_suspect(search->bisect, i); i++) {
		const enum exit_status one = put_back_suspect(search, i);

		if (is_put_back(status) && one)
			status = one;
	}
	if (!status && !is_all_restored(search))
		status = STATUS_NOT_IN_FORCE;
	/* The record now has the values of the trial. */
	search->is_over = true;
	print_unrestored(search);
	if (!is_put_back(status) && !search->forgets)
		tell_way_out(search);
	return status;
}

/* Without its drive a value is gone, too. */
static bool is_unread(const struct search *search,
		      const struct ssdpm_step *step)
{
	struct ssdpm_device *device;

	if (step->before[0] || ssdpm_device_read(search->live->machine,
						 step->device, &device, NULL))
		return false;
	ssdpm_device_unref(device);
	return true;
}

/* Each value that is not as before the search, its file and why. */
static enum exit_status tell_unrestored(const struct search *search,
					const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++) {
		if (step.state == SSDPM_STEP_IN_FORCE ||
		    step.state == SSDPM_STEP_DONE)
			continue;
		complain("%s: not restored: %s is %s, and should be \"%s\": %s",
			 step.device, step.target,
			 step.before[0] ? cell("\"%.80s\"", step.before).text :
					  "unknown",
			 step.after, step.why);
		if (is_unread(search, &step))
			status = STATUS_FAILED;
		else if (!status)
			status = STATUS_NOT_IN_FORCE;
	}
	return status;
}

/* A depth that somebody else has set stays. */
static int add_first_depth(struct search *search, struct ssdpm_plan *plan,
			   size_t i, struct ssdpm_error *reterr)
{
	const char *before = ssdpm_bisect_get_step_name(search->bisect, i,
							last_step(search, i));
	char now[16];

	if (setting_of(search, i) != SSDPM_BISECT_QUEUE_DEPTH ||
	    read_same(search, i, reterr))
		return 0;
	if (!read_queue_depth(search->live, search->devices[i], now,
			      sizeof(now)) ||
	    strcmp(now, before) != 0)
		return 0;
	return ssdpm_plan_add_value(plan, search->devices[i],
				    SSDPM_STEP_QUEUE_DEPTH, 1, reterr);
}

static int fill_first_depths(struct ssdpm_plan *plan, void *userdata,
			     struct ssdpm_error *reterr)
{
	struct search *search = userdata;
	int err = 0;

	for (size_t i = 0; !err && ssdpm_bisect_get_suspect(search->bisect, i);
	     i++)
		err = add_first_depth(search, plan, i, reterr);
	return err;
}

/*
 * As in set_trial(): a file that has its depth of before may be without NCQ.
 * The put-back tells what fails here.
 */
static void set_first_depths(struct search *search)
{
	struct ssdpm_plan *plan = NULL;

	if (!search->bisect || !searches_queue(search) ||
	    new_trial_plan(search, false, &plan))
		return;
	ssdpm_plan_apply(plan, fill_first_depths, search, NULL);
	free_trial_plan(search, plan);
}

/* Each drive by itself: one that cannot be restored keeps no other. */
enum exit_status put_back_search(struct search *search)
{
	struct ssdpm_error error;
	struct ssdpm_plan *plan = NULL;
	int lock_fd = -1;
	enum exit_status status = lock_machine(search, &lock_fd);

	if (!status)
		status = new_trial_plan(search, false, &plan);

	if (!status)
		set_first_depths(search);
	if (!status) {
		const int err =
			ssdpm_plan_apply(plan, fill_revert, search, &error);

		status = tell_unrestored(search, plan);
		if (err)
			status = status ? status_of_error(err) :
					  complain_of_device(NULL, &error);
		if (!is_put_back(status) && !search->forgets)
			tell_way_out(search);
	}
	free_trial_plan(search, plan);
	if (lock_fd >= 0)
		close(lock_fd);
	search->is_over = is_put_back(status) || search->forgets;
	return status;
}
