/* SPDX-License-Identifier: MIT */
/* Which way to show what is watched, and lines of JSON. */
#include "survey/survey.h"
#include "lines/fold.h"
#include "options/color.h"
#include "text/output.h"
#include "watch/watch-show.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL_NS SECOND_NS

int64_t interval_of(const struct watch *watch)
{
	return watch->options->interval_ns ?
		       (int64_t)watch->options->interval_ns :
		       INTERVAL_NS;
}

/* An end that was given asks for the end alone. */
static bool has_end(const struct watch_options *options)
{
	return options->for_ns || options->once;
}

bool is_screen(const struct watch *watch)
{
	const struct watch_options *options = watch->options;

	return !watch->common->form && !watch->common->quiet &&
	       !has_end(options) && !options->read && !options->page.path &&
	       isatty(STDIN_FILENO) && is_smart_terminal();
}

static bool is_stream(const struct watch *watch)
{
	const struct watch_options *options = watch->options;

	return watch->common->form == FORM_JSON &&
	       (options->interval_ns || !has_end(options));
}

/* A reader of the lines may have enough of them: that is no failure. */
static enum exit_status flush_lines(struct show *show)
{
	if (!fflush(stdout))
		return STATUS_DONE;
	if (output_failure() != EPIPE)
		return STATUS_FAILED;
	show->is_over = true;
	/* The rest goes nowhere. */
	return freopen("/dev/null", "we", stdout) ? STATUS_DONE :
						    out_of_memory();
}

static enum exit_status print_intervals(struct show *show)
{
	const struct watch *watch = show->watch;

	for (size_t i = 0; i < watch->n; i++) {
		struct ssdpm_error error;
		char *text;

		if (ssdpm_observation_interval_to_json(
			    watch->observation, i,
			    watch->watched[i].drive->name, &text, &error))
			return failure("%s: %s", watch->watched[i].drive->name,
				       error.message);
		print_json_text(text);
		free(text);
	}
	return flush_lines(show);
}

enum exit_status begin_show(struct show *show, const struct watch *watch,
			    int64_t now_ns)
{
	*show = (struct show){
		.watch = watch,
		.streams = is_stream(watch),
		.path = watch->options->save,
		.next_ns = now_ns + interval_of(watch),
	};
	if (show->streams)
		begin_json_lines();
	return is_screen(watch) ? view_new(watch, &show->view) : STATUS_DONE;
}

size_t show_fds(const struct show *show, struct pollfd *fd)
{
	if (!show->view)
		return 0;
	*fd = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
	return 1;
}

enum exit_status step_show(struct show *show, int64_t now_ns)
{
	if (show->view)
		return view_step(show->view, show, now_ns);
	if (!show->streams || now_ns < show->next_ns)
		return STATUS_DONE;
	/* A missed interval is not made up for. */
	while (show->next_ns <= now_ns)
		show->next_ns += interval_of(show->watch);
	return print_intervals(show);
}

enum exit_status finish_show(struct show *show)
{
	return show->streams && !show->is_over ? print_intervals(show) :
						 STATUS_DONE;
}

void end_show(struct show *show)
{
	view_free(show->view);
	show->view = NULL;
}
