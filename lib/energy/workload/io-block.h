/* SPDX-License-Identifier: MIT */
/* What the text and the binary form of blktrace share. */
#ifndef SSDPM_LIB_WORKLOAD_IO_BLOCK_H
#define SSDPM_LIB_WORKLOAD_IO_BLOCK_H

#include "workload/pair.h"

/*
 * Events have blkparse's letters. An issue is the event nearest to the drive: D
 * (to the driver, merged), else I (into the scheduler), else Q. The beginning
 * of the trace tells which there are.
 */
struct queue_block {
	char issue;
	bool only_completions; /* only the time is known */
	bool has_events;
	/* For the text. */
	bool in_summary;
	uint64_t last_time_ns;
	/* For the binary form. */
	bool swapped;
	bool lost;
};

/* The letters at the beginning. */
struct block_letters {
	bool d, i, q, c;
};

/* The open() of a reader. */
int ssdpm__block_open(struct ssdpm_trace *trace,
		      const struct block_letters *letters,
		      struct ssdpm_error *reterr);

/*
 * Returns the next line of the text. 1; 0: the end; or a negative errno. A text
 * without an event fails with the message "none".
 */
int ssdpm__block_line(struct ssdpm_trace *trace, struct span *ret_line,
		      const char *none, struct ssdpm_error *reterr);

void ssdpm__block_see(struct block_letters *letters, char letter);

/*
 * The operation for "WFS" and similar letters (blkparse(1), "RWBS
 * DESCRIPTION"); 0: no data and no flush, or another operation.
 */
uint8_t ssdpm__block_op(struct span rwbs, uint64_t bytes);

/* Whether this event describes an I/O. */
static inline bool ssdpm__block_wants(const struct queue_block *block,
				      char letter)
{
	return letter == block->issue || letter == 'C' ||
	       (letter == 'R' && block->issue == 'D') ||
	       (block->only_completions && (letter == 'I' || letter == 'Q'));
}

/* Takes such an event; op 0: no I/O. 0 or a negative errno. */
int ssdpm__block_event(struct ssdpm_trace *trace, char letter,
		       struct span device, const struct pair_event *event,
		       struct ssdpm_error *reterr);

#endif
