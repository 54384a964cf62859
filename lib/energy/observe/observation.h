/* SPDX-License-Identifier: MIT */
/* An observation, for the files that fill it and read it. */
#ifndef SSDPM_LIB_OBSERVE_OBSERVATION_H
#define SSDPM_LIB_OBSERVE_OBSERVATION_H

#include "observe/internal.h"

#define MAX_DRIVES 256
#define MAX_PARTITIONS 1024
/* Longer ones are cut off, and cannot be read. */
#define MAX_LINE 16384
/* The time of a line; seconds have 32 bits. */
#define MAX_TIME_NS (UINT64_C(1000000000) << 32)
/* How often drives without events are brought to the time. */
#define FOLLOW_NS 100000000
/* I/Os of several causes that are not complete, of all drives. */
#define MAX_MIXED 4096
/* A tag is a cause, or the number of such a mixture. */
#define TAG_MIXED 0x80000000u

struct partition {
	uint64_t device;
	size_t drive;
};

/* A device of a file system that names its events: "btrfs-1". */
#define MAX_MEMBERS 256
#define MEMBER_NAME 32

struct member {
	char name[MEMBER_NAME];
	uint64_t device;
};

struct mixed {
	uint32_t number;
	struct parts parts;
};

struct ssdpm_observation {
	struct formats formats;
	struct causes causes;
	struct dirty dirty;
	struct files files;
	struct ssdpm_observation_counts counts;
	size_t n_drives;
	struct observed_drive *drives[MAX_DRIVES];
	size_t n_partitions;
	struct partition partitions[MAX_PARTITIONS];
	size_t n_members;
	struct member members[MAX_MEMBERS];
	bool lacks_backing; /* of an event: it had no device */
	uint64_t now_ns;
	uint64_t followed_ns; /* the same, when all drives were brought there */
	struct ssdpm_trace order; /* of events, and nothing else */
	bool is_live; /* nobody can split this text: a late event is bad */
	bool begun, finished;
	struct ssdpm_error failed; /* code 0: it did not */
	size_t n_line;		   /* of a line that is cut */
	bool too_long;
	char line[MAX_LINE];
	uint32_t n_mixed;
	struct mixed mixed[MAX_MIXED];
	struct bios bios;
};

/* A drive as of now. */
struct drive_view {
	struct account account;
	uint64_t start_ns;
	uint64_t now_ns;
	uint64_t n_uncovered_ios;
	bool lacks_admin; /* nobody saw admin commands */
};

/* Free it. -ENOENT: there is no such drive. */
int ssdpm__view_new(const struct ssdpm_observation *observation, size_t drive,
		    struct drive_view **ret_view, struct ssdpm_error *reterr);
int ssdpm__view_drive(const struct observed_drive *drive,
		      const struct drive_view *view,
		      struct ssdpm_observed *ret_drive,
		      struct ssdpm_error *reterr);
/* By an index below n_causes of the drive. */
int ssdpm__view_cause(const struct ssdpm_observation *observation,
		      const struct observed_drive *drive,
		      const struct drive_view *view, size_t cause,
		      struct ssdpm_cause *ret_cause,
		      struct ssdpm_error *reterr);

/*
 * The part of a view that is new since a mark, and the mark where the next one
 * begins.
 */
void ssdpm__view_since(struct drive_view *view, const struct mark *mark);
int ssdpm__mark_new(const struct drive_view *view, struct mark **ret_mark,
		    struct ssdpm_error *reterr);

/* -ENOENT: there is no such drive. */
int ssdpm__check_observed(const struct ssdpm_observation *observation,
			  size_t drive, struct ssdpm_error *reterr);

#endif
