/* SPDX-License-Identifier: MIT */
/* ssdpm watch: who makes the drives work, now or in a recording. */
#ifndef SSDPM_COMMAND_WATCH_H
#define SSDPM_COMMAND_WATCH_H

#include "html/html.h"
#include "options/color.h"
#include "options/numbers.h"
#include "options/policies.h"
#include "options/sim-options.h"
#include "text/output.h"
#include "work/simulate.h"

struct watch_options {
	const char *read; /* a recording; NULL: this machine, now */
	const char *device;
	const char *save;
	const char *prometheus; /* NULL: no metrics */
	uint64_t for_ns;
	uint64_t interval_ns; /* 0: nobody said */
	bool once;
	struct color_options color;
	struct sim_options sim;
	struct quirk_options quirks;
	struct named_policy named;
	struct page_options page;
};

/* As many as an observation takes. */
#define MAX_WATCHED 256

/* A drive that is watched, and the block devices that lead to it. */
struct watched {
	const struct drive *drive;
	const struct ssdpm_disk *disks; /* NULL: of a recording */
	size_t n_disks;
};

struct watch {
	const struct common *common;
	const struct watch_options *options;
	const struct drives *drives;
	struct subject *subjects;
	struct ssdpm_observation *observation;
	struct ssdpm_watch *live; /* it feeds it; NULL: a recording does */
	struct watched *watched;  /* in the order of the observation */
	size_t n;
	/* A caller that watches for itself; NULL: there is none. */
	void *userdata;
	/* Simulate other settings than those in force. */
	enum exit_status (*change_settings)(
		const struct watch *watch, const struct drive *drive,
		struct ssdpm_device_settings *settings);
	/* Called several times a second; it may set is_over. */
	enum exit_status (*step)(struct watch *watch, int64_t now_ns);
	bool is_over;
	bool failed; /* to save the trace; what was seen is shown */
};

/* The drives, with the policy in force: what fails is complained of. */
enum exit_status begin_watch(struct watch *watch);
void end_watch(struct watch *watch);

/* Remark which events the kernel lacks, and what is therefore unknown. */
void remark_lacking(const struct watch *watch);

/* Say that to write this file wakes a drive that is watched, if it does. */
void remark_place(const struct watch *watch, int fd, const char *path);

/* Until the time is over, or a signal comes. */
enum exit_status watch_machine(struct watch *watch);
enum exit_status watch_recording(struct watch *watch);

/* The time of which anything is known. */
static inline uint64_t covered_ns(const struct ssdpm_observed *drive)
{
	return drive->now_ns - drive->start_ns - drive->uncovered_ns;
}

enum exit_status print_watch(const struct watch *watch);

/* A cause, and the drive without it. */
struct cause_row {
	size_t index; /* of the cause */
	struct ssdpm_cause cause;
	struct ssdpm_without without; /* size 0: not simulated yet */
	int64_t admin_uw; /* the most of its admin commands; 0: unknown */
};

struct cause_rows {
	struct cause_row *rows; /* free it */
	size_t n;
};

/* Writes the first lines on a drive, with this between its sentences: names
 * are long. */
void write_observed(FILE *file, const char *name,
		    const struct ssdpm_observed *drive,
		    const struct ssdpm_prediction *likely,
		    const struct cause_rows *rows, const char *between);
/* Likewise, as a paragraph. */
enum exit_status write_watch_verdict(FILE *file, const struct watch *watch,
				     size_t index);
/* The drives as JSON. */
void add_watched_drives(const struct watch *watch, struct items *items);

/* The page that --html asks for. */
enum exit_status write_watch_page(const struct watch *watch);

/* NULL: it failed, which was complained of. Free it. */
struct timeline *read_states(const struct watch *watch, size_t index);
/* The time in each state; nothing: it had no I/O. */
enum exit_status print_states_of(const struct watch *watch, size_t index,
				 const struct ssdpm_observed *drive);

/* What would help a drive, best first. */
struct helps {
	struct ssdpm_help *list; /* free it */
	size_t n;
};

/* The drive by its index. */
enum exit_status read_helps(const struct watch *watch, size_t drive,
			    struct helps *ret_helps);
/* No word if there is none. */
enum exit_status print_helps(const struct watch *watch, size_t drive,
			     const struct helps *helps);
/* Put what admin commands may take into the rows of a drive. */
void price_admin(struct cause_rows *rows, const struct helps *helps);

/* "firefox, written back" */
struct cell cause_text(const struct ssdpm_cause *cause);

/* Reads a drive and its causes. Rows that are there keep their place, and what
 * was simulated. */
enum exit_status read_causes(const struct watch *watch, size_t drive,
			     struct ssdpm_observed *ret_drive,
			     struct cause_rows *rows);
/* It takes long: all I/Os are simulated again. */
enum exit_status read_without(const struct watch *watch, size_t drive,
			      struct cause_row *row);

/* How the power would change without the cause. */
int64_t change_uw(const struct ssdpm_without *without);

/* For qsort(): the cause that takes most is first. */
int by_share(const void *a, const void *b);

struct cause_texts {
	struct cell name, n_ios, n_admin, n_wakes, takes, without;
};

/* The cells of a row. */
struct cause_texts cause_texts(const struct cause_row *row,
			       const struct ssdpm_observed *drive);
/* The power of all rows from this one on. */
struct number rest_text(const struct cause_rows *rows, size_t from,
			const struct ssdpm_observed *drive);
/* The power that no cause takes. */
#define AT_REST "nobody: at rest"
struct number at_rest_text(const struct ssdpm_observed *drive);

/* Size 0: no I/O came, so it is unknown, which is not 0. */
enum exit_status find_likely(const struct watch *watch, size_t drive,
			     struct ssdpm_prediction *ret_likely);

/* "18 mW to 34 mW"; size 0: "unknown". */
struct cell likely_text(const struct ssdpm_prediction *likely);

/* The mean power of an energy. */
int64_t power_uw(int64_t nj, uint64_t ns);

#endif
