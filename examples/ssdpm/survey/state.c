/* SPDX-License-Identifier: MIT */
#include "survey/survey.h"
#include "options/advised.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DONE (-1) /* told to the guard: there is nothing left to do */

static struct ssdpm_plan_params params_of(const struct survey_state *state)
{
	return (struct ssdpm_plan_params){
		.size = sizeof(struct ssdpm_plan_params),
		.directory = state->directory,
		.flags = SSDPM_PLAN_STRICT,
	};
}

static int fill_revert(struct ssdpm_plan *plan, void *userdata,
		       struct ssdpm_error *reterr)
{
	(void)userdata;
	return ssdpm_plan_add_revert(plan, reterr);
}

static int revert_all(const struct survey_state *state,
		      struct ssdpm_error *error)
{
	const struct ssdpm_plan_params params = params_of(state);
	struct ssdpm_plan *plan;
	int err;

	err = ssdpm_plan_new(state->machine, &params, &plan, error);
	if (err)
		return err;
	err = ssdpm_plan_apply(plan, fill_revert, NULL, error);
	for (size_t i = 0; !err && i < ssdpm_plan_count(plan, SSDPM_STEPS_ALL);
	     i++) {
		struct ssdpm_step step = { .size = sizeof(step) };

		ssdpm_plan_get_step(plan, i, &step);
		if (step.state == SSDPM_STEP_LEFT_ALONE)
			complain("%s: not put back: %s", step.device, step.why);
	}
	ssdpm_plan_free(plan);
	return err;
}

enum exit_status put_back(const struct survey_state *state)
{
	struct ssdpm_error error;

	if (!revert_all(state, &error))
		return STATUS_DONE;
	complain("what was in force before the survey is not put back; ssdpm "
		 "revert tries again");
	return complain_of_device(NULL, &error);
}

/* A directory, and not a link to one: a capture leads nowhere else. */
static int make_directory(const char *path)
{
	struct stat status;

	if (mkdir(path, 0755) && errno != EEXIST)
		return -errno;
	if (lstat(path, &status))
		return -errno;
	return S_ISDIR(status.st_mode) ? 0 : -ENOTDIR;
}

static enum exit_status complain_of_directory(const char *path, int err)
{
	complain("%s: %s%s", path, strerror(-err),
		 err == -EACCES || err == -EPERM ?
			 ": only root may set policies" :
			 "");
	return status_of_error(err);
}

static enum exit_status name_directory(const struct live *live, bool make,
				       char **ret)
{
	static const char *const parts[] = { "run", "run/ssdpm",
					     "run/ssdpm/survey" };
	const char *root = live->root ? live->root : "";
	char *path = NULL;
	int err = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !err; i++) {
		free(path);
		if (asprintf(&path, "%s/%s", root, parts[i]) < 0)
			return out_of_memory();
		/* /run is there, and may be a link on odd machines. */
		if (make && (i || live->root))
			err = make_directory(path);
	}
	if (!err) {
		*ret = path;
		return STATUS_DONE;
	}
	complain_of_directory(path, err);
	free(path);
	return status_of_error(err);
}

static bool exists_in(const char *directory, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return !access(path, F_OK);
}

/* A state that cannot be read is read once more, with a complaint. */
static bool anything_left(const struct survey_state *state)
{
	const struct ssdpm_plan_params params = params_of(state);
	struct ssdpm_journal journal = { .size = sizeof(journal) };
	struct ssdpm_plan *plan;
	bool is_left = true;

	if (!ssdpm_journal_read(state->machine, &params, &journal, NULL) &&
	    journal.stands)
		return true;
	if (!exists_in(state->directory, "undo"))
		return false;
	if (ssdpm_plan_new(state->machine, &params, &plan, NULL))
		return true;
	if (!ssdpm_plan_add_revert(plan, NULL))
		is_left = ssdpm_plan_count(plan, SSDPM_STEPS_ALL) > 0;
	ssdpm_plan_free(plan);
	return is_left;
}

/* *ret_busy: a survey runs. */
static enum exit_status lock_state(struct survey_state *state, bool *ret_busy)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/running", state->directory);
	*ret_busy = false;
	state->lock_fd =
		open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (state->lock_fd < 0)
		return complain_of_directory(path, -errno);
	if (!flock(state->lock_fd, LOCK_EX | LOCK_NB))
		return STATUS_DONE;
	*ret_busy = errno == EWOULDBLOCK;
	if (*ret_busy)
		complain("a survey or trial runs on this machine: it puts back "
			 "what was in force when it ends, as by Ctrl-C");
	else
		cannot("lock", path, errno);
	close(state->lock_fd);
	state->lock_fd = -1;
	return STATUS_FAILED;
}

/* false: nobody has it, or it cannot be looked at. */
static bool is_locked(const struct survey_state *state)
{
	char path[4096];
	bool locked;
	int fd;

	snprintf(path, sizeof(path), "%s/running", state->directory);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	locked = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

static void free_state(struct survey_state *state)
{
	if (state->lock_fd >= 0)
		close(state->lock_fd);
	free(state->directory);
	state->directory = NULL;
	state->lock_fd = -1;
}

enum exit_status check_capture(const struct live *live)
{
	if (live->facts.capture != 1)
		return STATUS_DONE;
	return failure(
		"%s: nothing is written there: it has no file ssdpm-capture",
		live->root);
}

enum exit_status open_survey_state(const struct common *common,
				   const struct live *live,
				   struct survey_state *ret_state)
{
	struct survey_state state = {
		.machine = live->machine,
		.lock_fd = -1,
		.guard_fd = -1,
	};
	enum exit_status status = check_capture(live);
	bool busy;

	if (!status)
		status = name_directory(live, true, &state.directory);
	if (!status)
		status = lock_state(&state, &busy);
	if (!status && anything_left(&state)) {
		if (!common->quiet)
			remark("a survey or trial was killed: what was in "
			       "force before it is put back");
		status = put_back(&state);
	}
	if (status)
		free_state(&state);
	else
		*ret_state = state;
	return status;
}

/* If there is anything, with the lock. *ret_busy: a survey or trial runs. */
static enum exit_status put_back_left(const struct common *common,
				      const struct live *live,
				      struct survey_state *state,
				      bool *ret_busy)
{
	enum exit_status status = check_capture(live);

	if (!status)
		status = lock_state(state, ret_busy);
	if (!status)
		status = put_back(state);
	if (!status && !common->quiet)
		remark("a survey or trial was killed: what was in force before "
		       "it is put back");
	return status;
}

static enum exit_status find_left(const struct live *live,
				  struct survey_state *ret_state,
				  bool *ret_is_left)
{
	struct survey_state state = {
		.machine = live->machine,
		.lock_fd = -1,
		.guard_fd = -1,
	};
	enum exit_status status = name_directory(live, false, &state.directory);

	*ret_is_left = !status && anything_left(&state);
	*ret_state = state;
	return status;
}

bool survey_is_left(const struct live *live)
{
	struct survey_state state;
	bool is_left;

	find_left(live, &state, &is_left);
	free_state(&state);
	return is_left;
}

char *describe_left_survey(const struct live *live)
{
	return advised_text(live->root,
			    "a survey or trial runs, or was killed; if it was "
			    "killed, ssdpm revert restores what was in force "
			    "before it");
}

enum exit_status put_back_killed(const struct common *common,
				 const struct live *live)
{
	struct survey_state state;
	bool is_left, busy = false;
	enum exit_status status = find_left(live, &state, &is_left);

	/* It is not there, or whoever has the lock looks after it. */
	if (!status && is_left && !is_locked(&state))
		status = put_back_left(common, live, &state, &busy);
	free_state(&state);
	return busy ? STATUS_DONE : status;
}

enum exit_status put_back_after_survey(const struct common *common,
				       const struct live *live, bool dry_run)
{
	struct survey_state state;
	bool is_left, busy;
	enum exit_status status = find_left(live, &state, &is_left);

	if (!status && is_left && dry_run)
		complain("a survey or trial runs, or was killed: what was in "
			 "force before it would be put back first");
	else if (!status && is_left)
		status = put_back_left(common, live, &state, &busy);
	free_state(&state);
	return status;
}

/* A workload that outlived who started it. */
static void end_group(pid_t group)
{
	const struct timespec grace = { .tv_sec = 1 };

	if (group <= 1 || kill(-group, SIGTERM))
		return;
	nanosleep(&grace, NULL);
	kill(-group, SIGKILL);
}

static void note_restored(const char *file)
{
	struct survey_file f;

	if (reopen_survey_file(file, &f))
		return;
	write_survey_comment(&f, "killed", NULL);
	write_survey_comment(&f, "restored", NULL);
	close_survey_file(&f);
}

/* Its standard error may be gone with the terminal. */
static void guard(struct survey_state *state, int fd, const char *file)
{
	int32_t word = 0, group = 0;

	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	while (read(fd, &word, sizeof(word)) == (ssize_t)sizeof(word)) {
		if (word == DONE)
			_exit(0);
		group = word;
	}
	end_group(group);
	if (!put_back(state) && file)
		note_restored(file);
	_exit(0);
}

enum exit_status start_guard(struct survey_state *state, const char *file)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return failure("pipe: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		complain("fork: %s", strerror(errno));
		close(fds[0]);
		close(fds[1]);
		return STATUS_FAILED;
	}
	if (!pid) {
		close(fds[1]);
		guard(state, fds[0], file);
	}
	close(fds[0]);
	state->guard_fd = fds[1];
	state->guard = pid;
	return STATUS_DONE;
}

static void tell(const struct survey_state *state, int32_t word)
{
	ssize_t n;

	if (state->guard_fd < 0)
		return;
	do
		n = write(state->guard_fd, &word, sizeof(word));
	while (n < 0 && errno == EINTR);
}

void tell_guard(const struct survey_state *state, pid_t group)
{
	tell(state, (int32_t)group);
}

enum exit_status close_survey_state(struct survey_state *state)
{
	enum exit_status status;

	if (!state->directory)
		return STATUS_DONE;
	status = put_back(state);
	tell(state, DONE);
	if (state->guard_fd >= 0) {
		close(state->guard_fd);
		while (waitpid(state->guard, NULL, 0) < 0 && errno == EINTR)
			;
	}
	state->guard_fd = -1;
	free_state(state);
	return status;
}
