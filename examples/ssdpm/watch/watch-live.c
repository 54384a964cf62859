/* SPDX-License-Identifier: MIT */
/* From the trace events of this machine, or from a recording of them. */
#include "survey/survey.h"
#include "input/live.h"
#include "watch/metrics.h"
#include "watch/watch-load.h"
#include "watch/watch-show.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES (64u << 10)
#define TICK_MS 200
#define MAX_EVENTS 32
/* Longer than idle times before sleep mostly are. */
#define ONCE_NS (10 * SECOND_NS)
#define MOST_READS 64

struct session {
	struct watch *watch;
	struct ssdpm_tracer *tracer;
	FILE *file;		      /* what is saved; NULL: nothing is */
	struct metrics_file *metrics; /* NULL: nobody wants them */
	int64_t end_ns;		      /* INT64_MAX: a signal ends it */
	struct load load;
	struct show show;
	char path[32]; /* of a file that a key began */
	int64_t looked_ns;
	bool gone[MAX_WATCHED]; /* drives */
	bool is_empty;		/* all text that there was is read */
	struct cell problem;	/* of the file; "": none to tell */
	char text[TEXT_BYTES];
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

/* All block devices that lead to any of the drives; NULL: out of memory. */
static struct ssdpm_disk *all_disks(const struct watch *watch, size_t *ret_n)
{
	struct ssdpm_disk *disks;
	size_t n = 0;

	for (size_t i = 0; i < watch->n; i++)
		n += watch->watched[i].n_disks;
	disks = calloc(n + 1, sizeof(*disks));
	for (size_t i = *ret_n = 0; disks && i < watch->n; i++)
		for (size_t j = 0; j < watch->watched[i].n_disks; j++)
			disks[(*ret_n)++] = watch->watched[i].disks[j];
	return disks;
}

static enum exit_status open_tracer(struct session *session)
{
	const char *events[MAX_EVENTS];
	struct ssdpm_tracer_params params = { .size = sizeof(params),
					      .events = events };
	struct ssdpm_disk *disks = all_disks(session->watch, &params.n_disks);
	struct ssdpm_error error;
	int err;

	if (!disks)
		return out_of_memory();
	params.disks = disks;
	while (params.n_events < MAX_EVENTS &&
	       (events[params.n_events] =
			ssdpm_observation_get_event(params.n_events)))
		params.n_events++;
	err = ssdpm_tracer_new(&params, &session->tracer, &error);
	free(disks);
	return err ? complain_of_tracing(&error) : STATUS_DONE;
}

static void save_line(FILE *file, const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (line[i] == '\\')
			putc('\\', file);
		putc(line[i], file);
	}
}

/* In one line, as ssdpm_observation_feed() takes it: what it needs alone. */
static void save_format(FILE *file, const char *format)
{
	fputs("# format: ", file);
	while (*format) {
		size_t n = strcspn(format, "\n");

		if (!strncmp(format, "name:", 5)) {
			save_line(file, format, n);
			fputs("\\n", file);
		} else if (!strncmp(format, "print fmt:", 10)) {
			save_line(file, format, n);
		}
		format += n + (format[n] == '\n');
	}
	putc('\n', file);
}

/* Without these it would see no I/O. */
static bool is_needed(const char *event)
{
	return !strcmp(event, "block/block_rq_issue") ||
	       !strcmp(event, "block/block_rq_complete");
}

static enum exit_status pass_event(const char *event,
				   const struct ssdpm_error *error)
{
	if (error->code != -ENOENT)
		return complain_of_tracing(error);
	if (is_needed(event))
		return failure("not supported by this kernel: it has no trace "
			       "event %s, without which no I/O is seen",
			       event);
	return STATUS_DONE;
}

/* How this kernel prints its events; most may be missing. */
static enum exit_status read_formats(struct session *session)
{
	struct ssdpm_observation *observation = session->watch->observation;
	enum exit_status status = STATUS_DONE;
	struct ssdpm_error error;
	char *format;

	for (size_t i = 0; !status && ssdpm_observation_get_event(i); i++) {
		if (ssdpm_tracer_read_format(session->tracer, i, &format,
					     &error)) {
			status = pass_event(ssdpm_observation_get_event(i),
					    &error);
			continue;
		}
		if (session->file)
			save_format(session->file, format);
		int err = ssdpm_observation_set_format(observation, format,
						       strlen(format), &error);
		free(format);
		if (err)
			return failure("%s: %s", ssdpm_observation_get_event(i),
				       error.message);
	}
	return status;
}

/* The numbers of a drive, for ssdpm_observation_feed(). */
static void save_numbers(FILE *file, const struct watched *watched)
{
	const struct ssdpm_disk *disks = watched->disks;
	const uint32_t controller = controller_of(watched->drive);

	if (controller != SSDPM_NO_CONTROLLER)
		fprintf(file, "# controller: %u,%u %u\n", disks[0].major,
			disks[0].minor, controller);
	for (size_t i = 1; i < watched->n_disks; i++)
		if (disks[i].part != SSDPM_DISK_STACKED)
			fprintf(file, "# partition: %u,%u %u,%u\n",
				disks[i].major, disks[i].minor, disks[0].major,
				disks[0].minor);
}

/* Under what it is recorded. */
static enum exit_status save_policy(const struct session *session, size_t drive)
{
	struct ssdpm_error error;
	char *text;

	if (ssdpm_observation_get_policy(session->watch->observation, drive,
					 &text, &error))
		return failure("%s", error.message);
	fprintf(session->file, "%s\n", text);
	free(text);
	return STATUS_DONE;
}

/* The head of a recording, before its formats. */
static enum exit_status save_head(struct session *session)
{
	const struct watch *watch = session->watch;
	enum exit_status status = STATUS_DONE;

	remark_place(watch, fileno(session->file), session->show.path);
	for (size_t i = 0; i < watch->n && !status; i++) {
		save_numbers(session->file, &watch->watched[i]);
		status = save_policy(session, i);
	}
	return status;
}

static enum exit_status open_file(struct session *session)
{
	const char *path = session->show.path;

	if (!path)
		return STATUS_DONE;
	session->file = fopen(path, "wxe");
	if (!session->file)
		return failure("%s: %s%s", path, strerror(errno),
			       errno == EEXIST ? ": --save takes a new file" :
						 "");
	return save_head(session);
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
	FILE *file = session->file;
	const bool was_cut = file && ferror(file);

	session->file = NULL;
	if (file && (fclose(file) || was_cut))
		fail_file(session, errno);
	session->show.path = NULL;
}

static void save_text(struct session *session, const char *text, size_t n)
{
	if (!session->file ||
	    (fwrite(text, 1, n, session->file) == n && !ferror(session->file)))
		return;
	fail_file(session, errno);
	fclose(session->file);
	session->file = NULL;
	session->show.path = NULL;
}

/* A new file of the first name that is free. */
static enum exit_status begin_saving(struct session *session)
{
	enum exit_status status;

	for (int i = 1; i < 1000; i++) {
		snprintf(session->path, sizeof(session->path), "watch-%d.txt",
			 i);
		session->file = fopen(session->path, "wxe");
		if (session->file || errno != EEXIST)
			break;
	}
	if (!session->file)
		return failure("%s: %s", session->path, strerror(errno));
	session->show.path = session->path;
	status = save_head(session);
	return status ? status : read_formats(session);
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

/* All text that is there now. */
static enum exit_status read_text(struct session *session)
{
	struct ssdpm_observation *observation = session->watch->observation;
	struct ssdpm_error error;
	size_t n = 1;

	/* A kernel that writes as fast as this reads has no end. */
	for (size_t i = 0; n && i < MOST_READS; i++) {
		if (ssdpm_tracer_read(session->tracer, session->text,
				      sizeof(session->text), &n, &error))
			return complain_of_tracing(&error);
		save_text(session, session->text, n);
		if (ssdpm_observation_feed(observation, session->text, n,
					   &error))
			return failure("%s", error.message);
	}
	session->is_empty = !n;
	return STATUS_DONE;
}

static enum exit_status turn_trace(const struct session *session, uint32_t on)
{
	struct ssdpm_error error;

	if (ssdpm_tracer_set_on(session->tracer, on, &error))
		return complain_of_tracing(&error);
	return STATUS_DONE;
}

/* To the recording, too. */
static enum exit_status feed_line(struct session *session, const char *line)
{
	const size_t n = strlen(line);
	struct ssdpm_error error;

	save_text(session, line, n);
	if (ssdpm_observation_feed(session->watch->observation, line, n,
				   &error))
		return failure("%s", error.message);
	return STATUS_DONE;
}

static bool is_there(const struct watched *watched)
{
	const struct ssdpm_disk *disk = &watched->disks[0];
	const struct cell path = cell("sys/class/block/%s/dev", disk->name);
	char number[32];

	return !ssdpm_machine_read_attribute(watched->drive->live->machine,
					     path.text, number, sizeof(number),
					     NULL) &&
	       !strcmp(number, cell("%u:%u", disk->major, disk->minor).text);
}

/* Another one may have its name and its number now. */
static bool is_same_drive(const struct drive *drive)
{
	const struct ssdpm_device_facts *was =
		ssdpm_device_get_facts(drive->device);
	struct ssdpm_device *device;
	bool same;

	if (ssdpm_device_read(drive->live->machine, was->name, &device, NULL))
		return false;
	const struct ssdpm_device_facts *is = ssdpm_device_get_facts(device);

	same = !strcmp(is->product, was->product) &&
	       !strcmp(is->address, was->address);
	ssdpm_device_unref(device);
	return same;
}

/* false: it was here all the time. */
static bool is_unknown(struct session *session, size_t i)
{
	const struct watched *watched = &session->watch->watched[i];
	const bool was_gone = session->gone[i];

	session->gone[i] = !is_there(watched) ||
			   (was_gone && !is_same_drive(watched->drive));
	if (session->gone[i] != was_gone)
		remark(was_gone ? "%s is back" :
				  "%s went away: what it does is unknown now",
		       watched->drive->name);
	return was_gone || session->gone[i];
}

/*
 * The state of a drive that went away is unknown from when it was last here
 * until it is back.
 */
static enum exit_status look_for_gone(struct session *session, int64_t now_ns)
{
	const struct watch *watch = session->watch;
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < watch->n && !status; i++) {
		const struct ssdpm_disk *disk = &watch->watched[i].disks[0];
		char text[GAP_LINE];

		if (!is_unknown(session, i))
			continue;
		snprintf(text, sizeof(text), "# gap: %u,%u %lld %lld 0\n",
			 disk->major, disk->minor,
			 (long long)session->looked_ns, (long long)now_ns);
		status = feed_line(session, text);
	}
	session->looked_ns = now_ns;
	return status;
}

/* Until then the drives were only counted: a line for each that worked. */
static enum exit_status tell_gaps(struct session *session, int64_t until_ns)
{
	const struct watch *watch = session->watch;
	struct ssdpm_error error;
	char line[GAP_LINE];

	for (size_t i = 0; i < watch->n; i++) {
		if (!tell_gap(&session->load, watch, i, until_ns, line))
			continue;
		enum exit_status status = feed_line(session, line);
		if (status)
			return status;
	}
	session->load.from_ns = until_ns;
	if (ssdpm_observation_advance(watch->observation, (uint64_t)until_ns,
				      &error))
		return failure("%s", error.message);
	return STATUS_DONE;
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
		status = metrics_file_step(session->metrics, session->gone,
					   now_ns);
	if (!status)
		turn_saving(session);
	return status;
}

/* The trace is off until the drives do less; *now_ns: when it is on again. */
static enum exit_status sit_out(struct session *session, int64_t *now_ns)
{
	struct load *load = &session->load;
	enum exit_status status;

	begin_gap(load, session->watch);
	status = turn_trace(session, 0);
	begin_gap_time(load, survey_now_ns());
	do {
		if (!status)
			status = read_text(session);
	} while (!status && !session->is_empty);
	while (!status && !is_quiet(load) && !is_over(session) &&
	       load->looked_ns < session->end_ns) {
		wait_for_quiet(load, session->watch);
		if (load->looked_ns - load->from_ns >= SECOND_NS)
			status = tell_gaps(session, load->looked_ns);
		if (!status)
			status = show_now(session, load->looked_ns);
	}
	*now_ns = survey_now_ns();
	if (!status)
		status = tell_gaps(session, *now_ns);
	return status ? status : turn_trace(session, 1);
}

static enum exit_status follow(struct session *session)
{
	struct pollfd fds[2] = { { .fd = ssdpm_tracer_get_fd(session->tracer),
				   .events = POLLIN } };
	const size_t n_fds = 1 + show_fds(&session->show, &fds[1]);
	enum exit_status status = STATUS_DONE;
	struct ssdpm_error error;
	int64_t now_ns = survey_now_ns();

	while (!status && !is_over(session) && now_ns < session->end_ns) {
		poll(fds, n_fds, TICK_MS);
		/* Time first: what comes after it is later. */
		now_ns = survey_now_ns();
		status = read_text(session);
		if (!status &&
		    is_too_much(&session->load, session->watch, now_ns))
			status = sit_out(session, &now_ns);
		if (!status && session->is_empty &&
		    now_ns - session->looked_ns >= SECOND_NS)
			status = look_for_gone(session, now_ns);
		if (!status && session->is_empty &&
		    ssdpm_observation_advance(session->watch->observation,
					      (uint64_t)now_ns, &error))
			status = failure("%s", error.message);
		if (!status)
			status = show_now(session, now_ns);
	}
	if (!status)
		status = look_for_gone(session, now_ns);
	if (!status && ssdpm_observation_finish(session->watch->observation,
						(uint64_t)now_ns, &error))
		status = failure("%s", error.message);
	if (!status)
		status = metrics_file_finish(session->metrics, session->gone,
					     now_ns);
	return status ? status : finish_show(&session->show);
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
		status = open_tracer(session);
	if (!status)
		status = open_file(session);
	if (!status)
		status = read_formats(session);
	session->end_ns =
		for_ns ? survey_now_ns() + (int64_t)for_ns : INT64_MAX;
	if (!status && !for_ns && isatty(STDERR_FILENO) &&
	    !session->watch->common->quiet && !is_screen(session->watch))
		remark("watching until Ctrl-C");
	session->looked_ns = survey_now_ns();
	begin_load(&session->load, session->looked_ns);
	if (!status)
		status = begin_show(&session->show, session->watch,
				    session->looked_ns);
	if (!status)
		status = follow(session);
	end_show(&session->show);
	tell_problem(session);
	metrics_file_free(session->metrics);
	session->tracer = ssdpm_tracer_free(session->tracer);
	close_file(session);
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

	if (read_pieces(path, feed, &recording))
		return STATUS_FAILED;
	if (ssdpm_observation_finish(recording.observation, 0, &error))
		return failure("%s: %s", path, error.message);
	if (!is_recording(&recording))
		return failure("%s: not a recording: it has no trace event",
			       path);
	return STATUS_DONE;
}
