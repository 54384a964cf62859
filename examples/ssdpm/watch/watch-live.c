/* SPDX-License-Identifier: MIT */
/* From the trace events of this machine, or from a recording of them. */
#include "survey/survey.h"
#include "input/live.h"
#include "watch/metrics.h"
#include "watch/watch-show.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longer than idle times before sleep mostly are. */
#define ONCE_NS (10 * SECOND_NS)

struct session {
	struct watch *watch;
	FILE *file;		      /* what is saved; NULL: nothing is */
	struct metrics_file *metrics; /* NULL: nobody wants them */
	int64_t now_ns;
	int64_t end_ns; /* INT64_MAX: a signal ends it */
	struct show show;
	char path[32];		     /* of a file that a key began */
	uint32_t flags[MAX_WATCHED]; /* of the drives, as they were told */
	struct cell problem;	     /* of the file; "": none to tell */
};

static enum exit_status complain_of_tracing(const struct ssdpm_error *error)
{
	if (error->code == -EACCES || error->code == -EPERM) {
		complain("%s: run ssdpm as root; a kernel that is locked down "
			 "lets nobody trace",
			 error->message);
		return STATUS_NO_PRIVILEGES;
	}
	if (error->code == -ENOENT)
		complain("%s: mount -t tracefs tracefs /sys/kernel/tracing",
			 error->message);
	else
		complain("%s", error->message);
	return STATUS_FAILED;
}

static void tell_problem(struct session *session)
{
	if (session->problem.text[0])
		complain("%s", session->problem.text);
	session->problem.text[0] = 0;
}

/* The session goes on without the file. A screen says so at its end. */
static void fail_file(struct session *session, int error)
{
	session->problem = cell("%.100s: %s: it is cut off here",
				session->show.path, strerror(error));
	session->watch->failed = true;
	if (!session->show.view)
		tell_problem(session);
}

static void close_file(struct session *session)
{
	bool was_cut;
	FILE *file;

	/* The end of the recording is text, too. */
	if (session->file)
		ssdpm_watch_set_writer(session->watch->live, NULL, NULL, NULL);
	file = session->file;
	was_cut = file && ferror(file);
	session->file = NULL;
	if (file && (fclose(file) || was_cut))
		fail_file(session, errno);
	session->show.path = NULL;
}

static void save_text(void *userdata, const char *text, size_t n)
{
	struct session *session = userdata;

	if (!session->file ||
	    (fwrite(text, 1, n, session->file) == n && !ferror(session->file)))
		return;
	fail_file(session, errno);
	fclose(session->file);
	session->file = NULL;
	session->show.path = NULL;
}

static enum exit_status begin_recording(struct session *session)
{
	struct ssdpm_error error;

	remark_place(session->watch, fileno(session->file), session->show.path);
	if (ssdpm_watch_set_writer(session->watch->live, save_text, session,
				   &error))
		return complain_of_tracing(&error);
	return STATUS_DONE;
}

static enum exit_status open_file(struct session *session)
{
	const char *path = session->show.path;

	if (!path)
		return STATUS_DONE;
	session->file = fopen(path, "wxe");
	if (!session->file && errno == EEXIST)
		return failure("%s: %s: --save takes a new file", path,
			       strerror(errno));
	if (!session->file)
		return cannot("write", path, errno);
	return begin_recording(session);
}

/* A new file of the first name that is free. */
static enum exit_status begin_saving(struct session *session)
{
	for (int i = 1; i < 1000; i++) {
		snprintf(session->path, sizeof(session->path), "watch-%d.txt",
			 i);
		session->file = fopen(session->path, "wxe");
		if (session->file || errno != EEXIST)
			break;
	}
	if (!session->file)
		return cannot("write", session->path, errno);
	session->show.path = session->path;
	return begin_recording(session);
}

/* A key asked for it. A file that cannot be made ends nothing. */
static void turn_saving(struct session *session)
{
	if (!session->show.wants_save)
		return;
	session->show.wants_save = false;
	if (session->file || begin_saving(session))
		close_file(session);
}

/* What the library found out about the drives, once. */
static void tell_flags(struct session *session)
{
	const struct watch *watch = session->watch;

	for (size_t i = 0; i < watch->n; i++) {
		const char *name = watch->watched[i].drive->name;
		const uint32_t flags = ssdpm_watch_get_flags(watch->live, i);
		const uint32_t changed = flags ^ session->flags[i];

		session->flags[i] = flags;
		if (changed & SSDPM_WATCH_GONE)
			remark(flags & SSDPM_WATCH_GONE ?
				       "%s went away: what it does is unknown "
				       "now" :
				       "%s is back",
			       name);
		if (!(changed & SSDPM_WATCH_UNCOUNTED) || watch->common->quiet)
			continue;
		remark("%s: the kernel does not count its I/Os, so the trace "
		       "stays on under load",
		       name);
		remark("try: echo 1 >/sys/block/%s/queue/iostats",
		       watch->watched[i].disks[0].name);
	}
}

static bool is_over(const struct session *session)
{
	return caught_signal() || session->watch->is_over ||
	       session->show.is_over;
}

/* The caller, the screen or lines, metrics, and what a key asks for. */
static enum exit_status show_now(struct session *session, int64_t now_ns)
{
	struct watch *watch = session->watch;
	enum exit_status status =
		watch->step ? watch->step(watch, now_ns) : STATUS_DONE;

	if (!status)
		status = step_show(&session->show, now_ns);
	if (!status)
		status = metrics_file_step(session->metrics, now_ns);
	if (!status)
		turn_saving(session);
	return status;
}

static enum exit_status step(struct session *session)
{
	struct ssdpm_error error;
	uint64_t now_ns;

	if (ssdpm_watch_step(session->watch->live, &now_ns, &error))
		return complain_of_tracing(&error);
	session->now_ns = (int64_t)now_ns;
	tell_flags(session);
	return show_now(session, session->now_ns);
}

static enum exit_status finish(struct session *session)
{
	enum exit_status status;
	struct ssdpm_error error;

	if (ssdpm_watch_finish(session->watch->live, &error))
		return complain_of_tracing(&error);
	tell_flags(session);
	status = metrics_file_finish(session->metrics, session->now_ns);
	return status ? status : finish_show(&session->show);
}

static enum exit_status follow(struct session *session)
{
	const struct ssdpm_watch *live = session->watch->live;
	struct pollfd fds[2] = { { .events = POLLIN } };
	const size_t n_fds = 1 + show_fds(&session->show, &fds[1]);
	enum exit_status status = STATUS_DONE;

	while (!status && !is_over(session) &&
	       session->now_ns < session->end_ns) {
		fds[0].fd = ssdpm_watch_get_fd(live);
		poll(fds, n_fds, (int)ssdpm_watch_get_wait_ms(live));
		status = step(session);
	}
	return status ? status : finish(session);
}

static enum exit_status begin(struct session *session)
{
	struct ssdpm_error error;

	if (ssdpm_watch_begin(session->watch->live, NULL, &error))
		return complain_of_tracing(&error);
	remark_lacking(session->watch);
	return open_file(session);
}

static enum exit_status run_session(struct session *session)
{
	const struct watch_options *options = session->watch->options;
	const uint64_t for_ns = options->once ? ONCE_NS : options->for_ns;
	enum exit_status status = STATUS_DONE;

	session->show.path = options->save;
	if (options->prometheus)
		status = metrics_file_new(session->watch, &session->metrics);
	if (!status)
		status = begin(session);
	session->now_ns = survey_now_ns();
	session->end_ns =
		for_ns ? session->now_ns + (int64_t)for_ns : INT64_MAX;
	if (!status && !for_ns && isatty(STDERR_FILENO) &&
	    !session->watch->common->quiet && !is_screen(session->watch))
		remark("watching until Ctrl-C");
	if (!status)
		status = begin_show(&session->show, session->watch,
				    session->now_ns);
	if (!status)
		status = follow(session);
	end_show(&session->show);
	tell_problem(session);
	metrics_file_free(session->metrics);
	close_file(session);
	session->watch->live = ssdpm_watch_free(session->watch->live);
	return status;
}

enum exit_status watch_machine(struct watch *watch)
{
	struct session *session = calloc(1, sizeof(*session));
	enum exit_status status;

	if (!session)
		return out_of_memory();
	session->watch = watch;
	status = catch_signals();
	if (!status) {
		status = run_session(session);
		release_signals();
	}
	free(session);
	return status;
}

/* A recording, and how much of POLICY the text so far ends with. */
struct recording {
	struct ssdpm_observation *observation;
	size_t n_alike;
};

/* A recording of --save says under which policy it was made. */
static const char POLICY[] = "# policy: ";

/* Its first character is in it once. */
static void look_for_policy(struct recording *recording, const char *text,
			    size_t size)
{
	for (size_t i = 0; i < size && POLICY[recording->n_alike]; i++)
		if (text[i] == POLICY[recording->n_alike])
			recording->n_alike++;
		else
			recording->n_alike = text[i] == POLICY[0];
}

static int feed(void *data, const char *text, size_t size,
		struct ssdpm_error *reterr)
{
	struct recording *recording = data;

	look_for_policy(recording, text, size);
	return ssdpm_observation_feed(recording->observation, text, size,
				      reterr);
}

/* Other recordings have events. */
static bool is_recording(const struct recording *recording)
{
	return !POLICY[recording->n_alike] ||
	       ssdpm_observation_get_counts(recording->observation)->n_events;
}

enum exit_status watch_recording(struct watch *watch)
{
	struct recording recording = { .observation = watch->observation };
	const char *path = watch->options->read;
	struct ssdpm_error error;
	int err;

	err = read_pieces(path, feed, &recording);
	if (err)
		return status_of_file(err);
	if (ssdpm_observation_finish(recording.observation, 0, &error))
		return failure("%s: %s", path, error.message);
	if (!is_recording(&recording))
		return failure("%s: not a recording: it has no trace event",
			       path);
	remark_lacking(watch);
	return STATUS_DONE;
}
