/* SPDX-License-Identifier: MIT */
/* What the screen of ssdpm watch shows: one drive, and who makes it work. */
#ifndef SSDPM_COMMAND_WATCH_VIEW_H
#define SSDPM_COMMAND_WATCH_VIEW_H

#include "watch/watch-screen.h"
#include "watch/watch-show.h"

enum order { BY_SHARE, BY_WITHOUT, BY_WAKES, BY_IOS, BY_NAME, N_ORDERS };

struct view_row {
	struct ssdpm_cause cause;
	size_t index; /* of the cause */
};

/* The result of simulating all I/Os again: that takes long, so it is kept. */
struct view_change {
	int64_t uw;
	bool is_known;
};

struct view {
	const struct watch *watch;
	struct screen screen;
	bool colored, is_paused, shows_help;
	size_t drive; /* that is shown */
	enum order order;
	size_t first; /* row on the screen */
	int64_t next_ns;
	/* As of the latest look: */
	struct ssdpm_observed seen;
	struct view_row *rows;
	size_t n_rows;
	struct view_change *changes; /* by index of the cause */
	size_t n_changes, next_change;
	struct ssdpm_prediction likely; /* size 0: unknown */
	int64_t next_likely_ns;
	const char *path; /* where the trace is kept; NULL: nowhere */
};

/* Rows that fit, below the lines about the drive. */
size_t view_room(const struct view *view);
/* false: the terminal is lost. */
bool view_draw(struct view *view);

#endif
