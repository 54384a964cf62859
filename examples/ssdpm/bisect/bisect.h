/* SPDX-License-Identifier: MIT */
/*
 * ssdpm bisect: which setting makes a drive fail.
 *
 *     drives -> suspects -> trial, on disk, then set -> good or bad -> report
 *
 * A search lasts over reboots, in a file: a line for each drive, then what
 * ssdpm_bisect_to_text() writes. A record like that of ssdpm apply, beside it,
 * has the settings of before the first trial.
 */
#ifndef SSDPM_COMMAND_BISECT_H
#define SSDPM_COMMAND_BISECT_H

#include "input/live.h"
#include "text/output.h"

/* As it was at the start: after a boot a name may be another drive. */
struct searched_drive {
	char name[32];
	char address[128];
	char product[48];
	char firmware[16];
	char pci[12]; /* "1987:5013", or "" */
	/* Disks of one adapter have one address. "": unknown. */
	char identity[17];
};

struct search {
	const struct common *common;
	struct live *live;
	char *path;
	char *record;
	int lock_fd;
	struct ssdpm_bisect *bisect; /* NULL: there is none */
	struct searched_drive drives[SSDPM_BISECT_SUSPECTS];
	size_t n_drives;
	uint32_t only;	   /* enum ssdpm_bisect_setting; 0: all of them */
	bool is_over;	   /* its record is of no use any more */
	bool stops;	   /* a file that cannot be read is no search */
	bool forgets;	   /* values that cannot be put back stay */
	bool sets_first;   /* each suspect gets its first step */
	bool sets_last;	   /* each suspect gets that of before */
	size_t n_alone;	   /* 1 + the only suspect that is set; 0: all are */
	bool reads_tables; /* commands may ask the drives for theirs */
	/* The kernel's log has what came since the trial was set from here on:
	 * NO_RECORD: unknown */
	uint64_t set_at;
	/* They live as long as the plan. */
	struct ssdpm_device *devices[SSDPM_BISECT_SUSPECTS];
};

/* Its name has the drive of a suspect: "nvme0:latency_us". */
const struct searched_drive *drive_of(const struct search *search, size_t i);
/* enum ssdpm_bisect_setting */
uint32_t setting_of(const struct search *search, size_t i);
/* That of before the search. */
size_t last_step(const struct search *search, size_t i);
/* The features of a link that a step and those before it leave on. */
uint32_t features_up_to(const struct search *search, size_t i, size_t step);
/* "5 ms", "any latency", "medium_power" */
struct cell step_text(const struct search *search, size_t i, size_t step);
/* Likewise, where the setting is not named: "link l1", "queue 32" */
struct cell short_step_text(const struct search *search, size_t i, size_t step);

/* "5 ms", "no APST": a latency limit */
struct cell step_limit_text(uint64_t us);
/* "sda link policy" */
struct cell suspect_text(const struct search *search, size_t i);

/* Undoes what a killed commit of others left: its values are not of before. */
enum exit_status undo_killed_commit(struct search *search);

/* The purpose for which a search is opened. */
enum search_use {
	SEARCH_LOOK,
	SEARCH_CHANGE,
	SEARCH_START,
	SEARCH_STOP, /* a file that cannot be read is no search */
};

/*
 * bisect-file.c: read the search, if there is one; to change it, lock it.
 * Failures are complained of.
 */
enum exit_status open_search(const struct common *common, enum search_use use,
			     struct search *ret_search);
/* Whether the record has nothing but locks, so nothing is to put back. */
bool is_record_empty(const struct search *search);
/* Complains of values that an ended search has not restored. */
enum exit_status check_record(const struct search *search);
/* There is none, or no more than such values. */
enum exit_status no_search(const struct search *search);
void close_search(struct search *search);
enum exit_status write_search(const struct search *search);
enum exit_status remove_search(const struct search *search);
/* The ID of this boot; "-": it has none, as a capture. */
struct cell boot_token(const struct search *search);

/* bisect-suspects.c */
enum exit_status add_suspects(struct search *search,
			      const struct drives *drives);
/* Whether it is the drive of the start, and no other by its name. */
bool is_searched(const struct search *search,
		 const struct searched_drive *drive,
		 const struct ssdpm_device_facts *facts);
/* The limit of a step of such a suspect. */
uint64_t latency_of(const char *word);
/* The file of a SATA drive; false: it cannot be read, as of a capture. */
bool read_queue_depth(const struct live *live,
		      const struct ssdpm_device *device, char *text,
		      size_t size);

/* bisect-limits.c: a limit of a drive of the search, which may hide a fault
 * until the boot; "": none.
 */
struct cell find_limit(const struct search *search, size_t drive);
/* At which the link of a drive runs now; "": unknown. */
struct cell find_speed(const struct search *search, size_t drive);
/* Linux has given up the policy of its link, which the search tries. */
bool is_lpm_lost(const struct search *search, size_t drive);
bool searches_queue(const struct search *search);

/* bisect-trial.c */
enum exit_status set_trial(struct search *search);
/* No trial: all suspects off. */
enum exit_status set_first_steps(struct search *search);
/* The files of a good trial are as it set them: a complaint says which is not.
 */
enum exit_status check_trial(struct search *search);
/*
 * A file that somebody else changed makes a trial neither good nor bad. A drive
 * that is gone, or a file that cannot be read, keeps no trial from being bad.
 */
enum exit_status check_bad_trial(struct search *search);
/*
 * At its end: registers, and with --identify the tables of the drives, say the
 * same.
 */
enum exit_status prove_trial(struct search *search);
enum exit_status put_back_search(struct search *search);
/*
 * The same without a record: the steps of before are in the file of the search,
 * which is still as it was read. The values of somebody else stay. The file has
 * the only copy of those of before: it is needed until all are put back.
 */
enum exit_status put_back_without_record(struct search *search);
/* A value that somebody else has set stays; a gone one has none. */
bool is_put_back(enum exit_status status);

struct run_options;

/* bisect-run.c: the next trial is set, or what was before comes back. */
bool is_searching(const struct search *search);
enum exit_status go_on(struct search *search);
/* By hand; n_entries: of the whole trial; 0: those that were counted. */
enum exit_status judge_trial(struct search *search, uint32_t verdict,
			     uint64_t n_entries);
/* The same trial, as after a boot; or the next one, if none began. */
enum exit_status set_again(struct search *search);
/* All is put back, and the search is forgotten. */
enum exit_status stop_search(struct search *search);
/* Trials until the search ends, or a signal comes. */
enum exit_status run_search(struct search *search,
			    const struct run_options *options);
/*
 * Whether the trial of this token is on disk, and was not set: setting it
 * failed, or this boot has interrupted it.
 */
bool is_unset(const struct search *search, const char *token);
/* After the ID of the boot: the first record of the kernel's log of a trial. */
#define TOKEN_RECORD '@'
/* After both: how many entries of the trial do not count. */
#define TOKEN_UNWATCHED '+'
/* Those up to the last gap in the kernel's log: a fault may be there. */
uint64_t count_unwatched(const struct search *search);
/* Did the trial of this token begin in this boot? */
bool is_of_this_boot(const struct search *search, const char *token);

/* bisect-print.c: the state, and what it says after the search. */
struct ssdpm_bisect_state state_of_search(const struct search *search);
enum exit_status print_search(const struct search *search);
/* "entries", "idle times" or "I/Os": enum ssdpm_bisect_exposure */
const char *exposure_word(uint32_t exposure);
/* Those of the search. */
const char *entries_word(const struct search *search);
/* " at 62.200000 s", as dmesg prints it; "": unknown */
struct cell sign_time_text(uint64_t us);
/* A line for each bad trial of which it is known what made it bad. */
void print_signs_of_trials(const struct search *search);
/* The trial that begins, and that nobody has to judge. */
void print_watched_trial(const struct search *search);
void print_end_of_search(const struct search *search);

/*
 * bisect-parameter.c: a line with the places that set this parameter already,
 * if it is a list.
 */
void print_lists_there(const struct search *search, const char *parameter);

/* bisect-unrestored.c: a line for each setting that is not as before. */
void print_unrestored(const struct search *search);
/* Its drive is there, and nobody can read the value. */
bool is_unknown_now(const struct search *search, size_t i);
/* Whether each value is as before the search. */
bool is_all_restored(const struct search *search);
/* The same for JSON. */
enum exit_status add_unrestored(const struct search *search);

/* The drive of the start; NULL: it is gone, or another one has its name. */
struct ssdpm_device *read_searched(const struct search *search,
				   const struct searched_drive *drive);

/* bisect-report.c: the JSON of a search with that of its drives. */
enum exit_status print_bisect_report_json(const struct search *search);
/* log is a file with lines of the kernel's log, or NULL. */
enum exit_status print_bisect_report(const struct search *search,
				     const char *log);

#endif
