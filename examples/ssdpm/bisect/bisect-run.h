/* SPDX-License-Identifier: MIT */
/*
 * ssdpm bisect run: trials without anybody.
 *
 *     trial, on disk, then set -> entries and faults -> good or bad -> next one
 */
#ifndef SSDPM_COMMAND_BISECT_RUN_H
#define SSDPM_COMMAND_BISECT_RUN_H

#include "bisect/bisect-log.h"
#include "bisect/bisect.h"
#include "watch/watch.h"

struct run_options {
	bool count_death; /* the machine died in a trial: that is bad */
	bool corrected;	  /* errors that hardware corrected are bad */
	bool provoke;
	/* An error may come as late, after its I/O has timed out. */
	uint64_t settle_ns;
};

/* bisect-faults.c: what happens from now on. */
struct fault_watch {
	const struct live *live;
	const struct drives *drives;
	bool corrected;
	int fd; /* of the kernel's log; -1: it is closed */
	uint64_t n_aer;
	bool has_gap;		 /* lines of the log were overwritten, unread */
	struct fault_sign first; /* of a look */
	struct fault_sign past;	 /* from before it was opened */
	/* A setting that Linux has turned off: enum ssdpm_fault_kind */
	uint32_t lost;
	const char *lost_drive;
};

enum exit_status open_fault_watch(struct fault_watch *w);
void close_fault_watch(struct fault_watch *w);
/* Did a drive fail in the past, or since it was opened? Then what says so. */
bool find_fault(struct fault_watch *w, struct fault_sign *ret_sign);

enum { MAX_READS = 32 }; /* at once: SATA has no deeper queue */

/* bisect-provoke.c: reads of a drive, after it was idle for long enough. */
struct provoked {
	int fd;		  /* -1: it is closed */
	const char *name; /* of the drive */
	char disk[32];
	uint64_t n_blocks;
	uint64_t random;
	void *buffer;
	unsigned long aio; /* the kernel's context; 0: none */
	uint32_t n_reads;  /* at once: more than 1 for NCQ */
	uint64_t most;	   /* of them that the drive had at once */
	int64_t gap_ns;
	int64_t next_ns;
};

/* Refuses suspects that reads at one interval expose unequally. */
enum exit_status check_suspects_to_provoke(const struct search *search);
/* The commands of a drive at once; 1: it does without NCQ. */
uint32_t depth_of_drive(const struct search *search, const char *drive,
			bool before);
/* Its gap and its reads at once are set. */
enum exit_status open_provoked(const struct watched *watched,
			       struct provoked *provoked);
void close_provoked(struct provoked *provoked);
/* The reads, if it is time. The kernel's log has the failures. */
void provoke(const struct search *search, struct provoked *provoked);

/* bisect-expose.c: a trial that is set, until it is decided. */
struct exposure {
	struct search *search;
	const struct run_options *options;
	struct drives drives;
	struct fault_watch faults;
	struct provoked provoked[SSDPM_BISECT_SUSPECTS];
	size_t n_provoked;
	bool is_set;	    /* whether the trial could be set */
	bool in_force;	    /* settings are those of the trial */
	uint64_t n_counted; /* entries that the search has */
	int64_t look_ns;    /* when to look again */
	int64_t save_ns;
	int64_t settled_ns; /* when a good trial ends; 0: it needs entries */
	uint32_t verdict;   /* 0: a signal came first */
	struct fault_sign sign; /* of a bad trial */
};

/* bisect-run.c: no entry so far counts, also if the trial goes on later. */
enum exit_status drop_entries(struct search *search);

/* Before the trial is set. */
enum exit_status begin_exposure(struct exposure *e);
enum exit_status expose(struct exposure *e);
/* A trial that failed or was stopped: did the drive fail? Then it is bad. */
bool find_last_fault(struct exposure *e);
/* The errors of a bad trial end before the next one begins. */
enum exit_status settle(struct exposure *e);
void end_exposure(struct exposure *e);

#endif
