/* SPDX-License-Identifier: MIT */
#include "workload/io-block.h"

#include <errno.h>
#include <stdlib.h>

#include "base/internal.h"

void ssdpm__block_see(struct block_letters *letters, char letter)
{
	letters->d |= letter == 'D';
	letters->i |= letter == 'I';
	letters->q |= letter == 'Q';
	letters->c |= letter == 'C';
}

int ssdpm__block_open(struct ssdpm_trace *trace,
		      const struct block_letters *letters,
		      struct ssdpm_error *reterr)
{
	struct queue_block *block = calloc(1, sizeof(*block));

	if (!block)
		return ssdpm__no_memory(reterr);
	trace->state = block;
	block->issue = 'D';
	if (!letters->d && letters->i)
		block->issue = 'I';
	else if (!letters->d && letters->q)
		block->issue = 'Q';
	block->only_completions =
		letters->c && !letters->d && !letters->i && !letters->q;
	return ssdpm__pair_new(trace, TRACE_LATE_NS, PAIR_MAX_HELD, reterr);
}

int ssdpm__block_line(struct ssdpm_trace *trace, struct span *ret_line,
		      const char *none, struct ssdpm_error *reterr)
{
	const struct queue_block *block = trace->state;
	int err = ssdpm__input_line(&trace->input, ret_line, reterr);

	if (err || block->has_events)
		return err;
	return ssdpm__fail(reterr, -EINVAL, 0, "%s", none);
}

uint8_t ssdpm__block_op(struct span rwbs, uint64_t bytes)
{
	bool flush = rwbs.at < rwbs.end && *rwbs.at == 'F';

	if (!bytes)
		return flush ? SSDPM_OP_FLUSH : 0;
	for (; rwbs.at < rwbs.end; rwbs.at++) {
		if (*rwbs.at == 'R')
			return SSDPM_OP_READ;
		if (*rwbs.at == 'W')
			return SSDPM_OP_WRITE;
		if (*rwbs.at == 'D')
			return SSDPM_OP_DISCARD;
	}
	return 0;
}

/* As ssdpm__trace_device(), which counts; each I/O is counted once. */
static int is_wanted(struct ssdpm_trace *trace, bool first, struct span device,
		     struct ssdpm_error *reterr)
{
	if (first || !trace->device_wanted)
		return ssdpm__trace_device(trace, device, reterr);
	return ssdpm__span_is(device, trace->device);
}

int ssdpm__block_event(struct ssdpm_trace *trace, char letter,
		       struct span device, const struct pair_event *event,
		       struct ssdpm_error *reterr)
{
	struct queue_block *block = trace->state;
	bool completes = letter == 'C';
	int err;

	if (!event->op)
		return 0;
	err = is_wanted(trace,
			letter == block->issue ||
				(completes && block->only_completions),
			device, reterr);
	if (err <= 0)
		return err;
	if (block->only_completions && !completes) {
		/* The beginning was too short to show the issues. */
		block->only_completions = false;
		if (letter != 'R')
			block->issue = letter;
	}
	if (completes && !block->only_completions)
		ssdpm__trace_see_end(trace, event->time_ns);
	else if (letter != 'R')
		err = ssdpm__trace_order(trace, event->time_ns, event->time_ns,
					 reterr);
	if (err < 0)
		return err;
	if (letter == 'R')
		ssdpm__pair_requeue(trace->pair, event, NULL);
	else if (!completes)
		ssdpm__pair_issue(trace->pair, event);
	else if (!block->only_completions)
		ssdpm__pair_complete(trace->pair, event);
	else
		ssdpm__pair_add(trace->pair, event, event->time_ns,
				SSDPM_SERVICE_UNKNOWN);
	return 0;
}
