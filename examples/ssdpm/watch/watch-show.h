/* SPDX-License-Identifier: MIT */
/*
 * The output while drives are watched: a screen with keys, lines of JSON, or
 * nothing until the end.
 */
#ifndef SSDPM_COMMAND_WATCH_SHOW_H
#define SSDPM_COMMAND_WATCH_SHOW_H

#include "watch/watch.h"

struct pollfd;
struct view;

struct show {
	const struct watch *watch;
	struct view *view; /* NULL: no screen */
	bool streams;
	bool is_over;	  /* the user, or who reads the output, went away */
	bool wants_save;  /* begin to keep the trace, or end that */
	const char *path; /* where it is kept; NULL: nowhere */
	int64_t next_ns;
};

/* Between two screens, or two lines of JSON. */
int64_t interval_of(const struct watch *watch);

/* Whether it would be a screen. */
bool is_screen(const struct watch *watch);

/* Each begin needs an end, whatever it returned. */
enum exit_status begin_show(struct show *show, const struct watch *watch,
			    int64_t now_ns);
void end_show(struct show *show);

/* Poll these, too; 0: there are none. */
size_t show_fds(const struct show *show, struct pollfd *fd);

/* Often, with the time; at the end of all the last piece is due at once. */
enum exit_status step_show(struct show *show, int64_t now_ns);
enum exit_status finish_show(struct show *show);

/* The screen. */
enum exit_status view_new(const struct watch *watch, struct view **ret_view);
void view_free(struct view *view);
enum exit_status view_step(struct view *view, struct show *show,
			   int64_t now_ns);

#endif
