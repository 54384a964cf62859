/* SPDX-License-Identifier: MIT */
/* What --prometheus tells: counters that go on over restarts. */
#ifndef SSDPM_COMMAND_METRICS_H
#define SSDPM_COMMAND_METRICS_H

#include "watch/watch.h"

/* Causes of a drive that have a label of their own. */
#define MOST_LABELS 10
/* Before these: the first two of each drive. */
#define TOLD_REST 0  /* what no cause takes */
#define TOLD_OTHER 1 /* all causes without a label */
#define MAX_TOLD_CAUSES (2 + MOST_LABELS)
#define MAX_TOLD_DRIVES 512

enum all_count { ALL_LOST, ALL_BAD, ALL_UNMATCHED, N_ALL_COUNTS };

/* Times and energies are in ns and nJ. The first ones are states of a drive. */
enum drive_count {
	DRIVE_BUSY,
	DRIVE_IDLE,
	DRIVE_ASLEEP,
	DRIVE_TRANSITION,
	DRIVE_UNCOVERED,
	N_STATES,
	DRIVE_DELAYED = N_STATES,
	DRIVE_DELAY,
	DRIVE_UNCOVERED_IOS,
	N_DRIVE_COUNTS,
};

enum cause_count {
	CAUSE_WAKES,
	CAUSE_IOS,
	CAUSE_BYTES,
	CAUSE_ADMIN,
	CAUSE_ENERGY,
	N_CAUSE_COUNTS,
};

enum likely { LIKELY_LOW, LIKELY_MEDIAN, LIKELY_HIGH, N_LIKELY };

struct told_cause {
	uint32_t kind; /* enum ssdpm_cause_kind; 0: at rest */
	char name[SSDPM_CAUSE_NAME];
	uint64_t counts[N_CAUSE_COUNTS];
};

struct told_drive {
	char name[32];
	char model[48];
	char firmware[16];
	bool is_watched;     /* or the file has it from before */
	const char *verdict; /* NULL: unknown */
	bool lacks_admin;    /* nobody sees admin commands */
	bool is_likely;	     /* the next is known */
	uint64_t likely_uw[N_LIKELY];
	uint64_t counts[N_DRIVE_COUNTS];
	size_t n_causes;
	struct told_cause causes[MAX_TOLD_CAUSES];
};

struct told {
	uint64_t counts[N_ALL_COUNTS];
	size_t n;
	struct told_drive drives[MAX_TOLD_DRIVES];
};

/* A metric, and where its values are. */
enum metric_scope {
	OF_ALL,
	OF_DRIVE,
	OF_STATE,
	OF_CAUSE,
	OF_INFO, /* from here on they are no counters */
	OF_WATCHED,
	OF_VERDICT,
	OF_LIKELY,
};

struct metric {
	const char *name;
	enum metric_scope scope;
	uint32_t index;
	bool is_nano; /* told in seconds or joules */
	const char *help;
};

extern const struct metric metrics[];
extern const size_t n_metrics;
/* "busy" and so on, by enum drive_count. */
extern const char state_words[N_STATES][11];

/* The first line, and how the last one begins: a checksum of all before it. */
extern const char metrics_mark[];
extern const char metrics_checksum[];

struct told_drive new_told_drive(const char *name);
/* NULL: there are too many. */
struct told_drive *told_drive(struct told *told, const char *name);
/* NULL: all labels are taken. */
struct told_cause *told_cause(struct told_drive *drive, uint32_t kind,
			      const char *name);
const char *kind_word(uint32_t kind);

/* As text, with its checksum; NULL: out of memory. Free it. */
char *write_metrics(const struct told *told, size_t *ret_size);

enum metrics_state {
	METRICS_READ,
	METRICS_FOREIGN, /* something else */
	METRICS_DAMAGED,
	METRICS_NEWER, /* they have more than this version knows */
};

/* Counters alone; it changes the text. Unless all are read, told is of no use.
 */
enum metrics_state read_metrics(char *text, size_t size, struct told *told);

/* What was counted of a drive when it was last told. */
struct count;

/* drives: of told, in the order of watch; NULL: out of memory. */
struct count *count_new(const struct watch *watch, struct told_drive **drives,
			struct told *told);
void count_free(struct count *count);
/* Add what is new. */
enum exit_status count_on(struct count *count, int64_t now_ns, bool is_end);

/* The file: before tracing begins, then often, and at the end. */
struct metrics_file;

enum exit_status metrics_file_new(const struct watch *watch,
				  struct metrics_file **ret_file);
void metrics_file_free(struct metrics_file *file);
/* file: NULL is none. */
enum exit_status metrics_file_step(struct metrics_file *file, int64_t now_ns);
enum exit_status metrics_file_finish(struct metrics_file *file, int64_t now_ns);

#endif
