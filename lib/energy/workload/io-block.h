/* SPDX-License-Identifier: MIT */
/* What the text and the binary form of blktrace share: events of a queue. */
#ifndef SSDPM_LIB_WORKLOAD_IO_BLOCK_H
#define SSDPM_LIB_WORKLOAD_IO_BLOCK_H

#include "workload/pair.h"

/*
 * Events have blkparse's letters. An issue is what is nearest to the drive: D
 * (to the driver, merged), without these I (into the scheduler), without these
 * Q. Which there are, the beginning of the trace says.
 */
struct queue_block {
	char issue;
	bool only_completions; /* all that there is to know is when */
	bool has_events;
	/* Of the text. */
	bool in_summary;
	uint64_t last_time_ns;
	/* Of the binary form. */
	bool swapped;
	bool lost;
};

/* The letters that were seen at the beginning. */
struct block_letters {
	bool d, i, q, c;
};

/* The open() of a reader. */
int ssdpm__block_open(struct ssdpm_trace *trace,
		      const struct block_letters *letters,
		      struct ssdpm_error *reterr);

/*
 * The next line of the text: 1; 0: there is none; or a negative errno. A text
 * that ends without an event fails with the message none.
 */
int ssdpm__block_line(struct ssdpm_trace *trace, struct span *ret_line,
		      const char *none, struct ssdpm_error *reterr);

void ssdpm__block_see(struct block_letters *letters, char letter);

/*
 * What "WFS" and its like are (blkparse(1), "RWBS DESCRIPTION"); 0: it moves
 * nothing and is no flush, or it is something else.
 */
uint8_t ssdpm__block_op(struct span rwbs, uint64_t bytes);

/* Is this an event that says something about an I/O? */
static inline bool ssdpm__block_wants(const struct queue_block *block,
				      char letter)
{
	return letter == block->issue || letter == 'C' ||
	       (letter == 'R' && block->issue == 'D') ||
	       (block->only_completions && (letter == 'I' || letter == 'Q'));
}

/* Take an event that is wanted; op 0: it is no I/O. 0 or a negative errno. */
int ssdpm__block_event(struct ssdpm_trace *trace, char letter,
		       struct span device, const struct pair_event *event,
		       struct ssdpm_error *reterr);

#endif
