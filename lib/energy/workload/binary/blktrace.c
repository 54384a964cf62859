/* SPDX-License-Identifier: MIT */
/*
 * Reads the output of blktrace: events of 48 bytes in the byte order of the
 * traced machine, each followed by its data. Layout and numbers are from
 * include/uapi/linux/blktrace_api.h, struct blk_io_trace.
 */
#include "workload/io-block.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/internal.h"

#define EVENT_BYTES 48
#define MAGIC 0x65617400u
#define VERSION 7u

/* The category in the upper half of an action. */
enum category {
	CATEGORY_WRITE = 1 << 1,
	CATEGORY_FLUSH = 1 << 2,
	CATEGORY_PASSTHROUGH = 1 << 9,
	CATEGORY_NOTIFY = 1 << 10,
	CATEGORY_DISCARD = 1 << 13,
};

struct trace_event {
	uint32_t magic;
	uint32_t sequence;
	uint64_t time_ns;
	uint64_t sector;
	uint32_t bytes;
	uint32_t action;
	uint32_t process;
	uint32_t device; /* minor: the lower 20 bits */
	uint32_t cpu;
	uint16_t error;
	uint16_t more_bytes;
};

_Static_assert(sizeof(struct trace_event) == EVENT_BYTES, "as it is written");

static bool is_magic(uint32_t magic)
{
	return (magic & 0xffffff00) == MAGIC;
}

static uint32_t first_word(const char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static bool is_blktrace(const char *head, size_t size)
{
	return size >= EVENT_BYTES &&
	       (is_magic(first_word(head)) ||
		is_magic(__builtin_bswap32(first_word(head))));
}

static struct trace_event decode(const char *at, bool swapped)
{
	struct trace_event event;

	memcpy(&event, at, sizeof(event));
	if (!swapped)
		return event;
	event.magic = __builtin_bswap32(event.magic);
	event.time_ns = __builtin_bswap64(event.time_ns);
	event.sector = __builtin_bswap64(event.sector);
	event.bytes = __builtin_bswap32(event.bytes);
	event.action = __builtin_bswap32(event.action);
	event.device = __builtin_bswap32(event.device);
	event.more_bytes = __builtin_bswap16(event.more_bytes);
	return event;
}

/* The letter of blkparse; 0: not needed. */
static char letter_of(const struct trace_event *event)
{
	/* An event in a control group has another bit set. */
	uint32_t action = event->action & 0xff;

	if ((event->action >> 16) & (CATEGORY_NOTIFY | CATEGORY_PASSTHROUGH))
		return 0;
	switch (action) {
	case 1:
		return 'Q';
	case 6:
		return 'R';
	case 7:
		return 'D';
	case 8:
		return 'C';
	case 12:
		return 'I';
	default:
		return 0;
	}
}

/* Prints a device as blkparse does, "8,16". */
static struct span print_device(uint32_t device, char text[24])
{
	int n = snprintf(text, 24, "%u,%u", device >> 20, device & 0xfffff);

	return (struct span){ text, text + n };
}

/* Finds which events the beginning of the trace has. */
static int open_blktrace(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct block_letters letters = { 0 };
	struct span head = ssdpm__trace_head(trace);
	const char *at = head.at;
	size_t left = (size_t)(head.end - at);
	char text[24];

	bool swapped = left >= EVENT_BYTES && !is_magic(first_word(at));
	while (left >= EVENT_BYTES) {
		struct trace_event event = decode(at, swapped);
		size_t size = (size_t)EVENT_BYTES + event.more_bytes;

		if (!is_magic(event.magic))
			break;
		if (!trace->device_wanted ||
		    ssdpm__span_is(print_device(event.device, text),
				   trace->device))
			ssdpm__block_see(&letters, letter_of(&event));
		at += size < left ? size : left;
		left -= size < left ? size : left;
	}
	int err = ssdpm__block_open(trace, &letters, reterr);
	if (err)
		return err;
	((struct queue_block *)trace->state)->swapped = swapped;
	return 0;
}

static uint8_t op_of(const struct trace_event *event)
{
	uint32_t category = event->action >> 16;

	if (!event->bytes)
		return category & CATEGORY_FLUSH ? SSDPM_OP_FLUSH : 0;
	if (category & CATEGORY_DISCARD)
		return SSDPM_OP_DISCARD;
	return category & CATEGORY_WRITE ? SSDPM_OP_WRITE : SSDPM_OP_READ;
}

static int take_io(struct ssdpm_trace *trace, const struct trace_event *from,
		   struct ssdpm_error *reterr)
{
	struct queue_block *block = trace->state;
	char letter = letter_of(from);
	char device[24];
	struct pair_event event = { .time_ns = from->time_ns,
				    .bytes = from->bytes,
				    .op = op_of(from) };

	if (!letter || !ssdpm__block_wants(block, letter))
		return 0;
	if (!event.op)
		return 0;
	if (event.op != SSDPM_OP_FLUSH &&
	    (__builtin_mul_overflow(from->sector, 512u, &event.offset) ||
	     !ssdpm__pair_fits(&event)))
		return ssdpm__trace_bad(trace, reterr, -ERANGE,
					"the sector is too large");
	return ssdpm__block_event(trace, letter,
				  print_device(from->device, device), &event,
				  reterr);
}

/* Skips a byte between events; reports the first one up to the next event. */
static int skip_byte(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct queue_block *block = trace->state;
	int err = 0;

	if (!block->lost) {
		trace->input.line++;
		err = ssdpm__trace_bad(trace, reterr, -EINVAL,
				       "this is no event of blktrace");
	}
	block->lost = true;
	trace->input.at++;
	return err ? err : 1;
}

static int cut_off(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	trace->input.line++;
	trace->input.at = trace->input.end;
	return ssdpm__trace_bad(trace, reterr, -EIO,
				"the last event is cut off");
}

static int next_event(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct queue_block *block = trace->state;
	struct input *input = &trace->input;
	int err = ssdpm__input_need(input, EVENT_BYTES, reterr);

	if (err < 0)
		return err;
	if (err == 0)
		return input->at == input->end ? 0 : cut_off(trace, reterr);
	struct trace_event event = decode(input->at, block->swapped);
	if (!is_magic(event.magic))
		return skip_byte(trace, reterr);
	block->lost = false;
	if ((event.magic & 0xff) != VERSION)
		return ssdpm__fail(reterr, -EINVAL, input->line + 1,
				   "blktrace's version %u, not %u",
				   event.magic & 0xff, VERSION);
	err = ssdpm__input_need(input, (size_t)EVENT_BYTES + event.more_bytes,
				reterr);
	if (err < 0)
		return err;
	if (err == 0)
		return cut_off(trace, reterr);
	input->at += EVENT_BYTES + event.more_bytes;
	input->line++;
	err = take_io(trace, &event, reterr);
	return err < 0 ? err : 1;
}

const struct trace_reader ssdpm__read_blktrace = {
	.format = SSDPM_TRACE_BLKTRACE,
	.is = is_blktrace,
	.open = open_blktrace,
	.next = next_event,
};
