/* SPDX-License-Identifier: MIT */
/*
 * Reads binary traces of VMware's vscsiStats; CloudPhysics has published many.
 * The two layouts come from libCacheSim's reader (vscsiReader.h). They are
 * little-endian; times are microseconds, sectors have 512 bytes. The version is
 * in the upper byte of ver. No source has the unit of rt, the response time of
 * version 2, so the reader ignores it.
 *
 *     1: u32 sn, u32 len, u32 nSG, u16 cmd, u16 ver, u64 lbn, u64 ts
 *     2: u16 cmd, u16 ver, u32 sn, u32 len, u32 nSG, u64 lbn, u64 ts, u64 rt
 */
#include "workload/pair.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/internal.h"

/* The number of records that recognition looks at, if they exist. */
#define SAMPLE_RECORDS 16

/* The offsets of the members of a record. */
struct layout {
	uint8_t version;
	uint8_t size;
	uint8_t len_at, cmd_at, ver_at, lbn_at, ts_at;
};

static const struct layout layouts[] = {
	{ 1, 32, 4, 12, 14, 16, 24 },
	{ 2, 40, 8, 0, 2, 16, 24 },
};

struct vscsi {
	const struct layout *layout;
};

static uint64_t get(const char *record, uint8_t at, size_t n)
{
	return ssdpm__little_endian((const uint8_t *)record + at, n);
}

/* Operation codes of SCSI: SBC-4, table 33. 0: no I/O. */
static uint8_t find_op(uint64_t cmd)
{
	switch (cmd) {
	case 0x08:
	case 0x28:
	case 0xa8:
	case 0x88:
		return SSDPM_OP_READ;
	case 0x0a:
	case 0x2a:
	case 0xaa:
	case 0x8a:
		return SSDPM_OP_WRITE;
	case 0x35:
	case 0x91:
		return SSDPM_OP_FLUSH;
	default:
		return 0;
	}
}

static bool is_record(const struct layout *layout, const char *record)
{
	return get(record, layout->ver_at, 2) == (uint64_t)layout->version
							 << 8 &&
	       get(record, layout->cmd_at, 2) <= 0xff;
}

static const struct layout *find_layout(const char *head, size_t size)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		size_t n = size / layouts[i].size, n_good = 0;

		if (n > SAMPLE_RECORDS)
			n = SAMPLE_RECORDS;
		while (n_good < n &&
		       is_record(&layouts[i], head + n_good * layouts[i].size))
			n_good++;
		if (n && n_good == n)
			return &layouts[i];
	}
	return NULL;
}

static bool is_vscsi(const char *head, size_t size)
{
	return find_layout(head, size);
}

static int open_vscsi(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	struct span head = ssdpm__trace_head(trace);
	const struct layout *layout =
		find_layout(head.at, (size_t)(head.end - head.at));

	if (!layout)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "these are no records of vscsiStats, "
				   "version 1 or 2");
	if (trace->device_wanted)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "device: no record of the trace names one");
	struct vscsi *self = calloc(1, sizeof(*self));
	if (!self)
		return ssdpm__no_memory(reterr);
	self->layout = layout;
	trace->state = self;
	return ssdpm__pair_new(trace, TRACE_LATE_NS, PAIR_MAX_HELD, reterr);
}

static int take_record(struct ssdpm_trace *trace, const char *record,
		       struct ssdpm_error *reterr)
{
	const struct vscsi *self = trace->state;
	const struct layout *layout = self->layout;
	struct pair_event event = {
		.op = find_op(get(record, layout->cmd_at, 2)),
	};

	if (!is_record(layout, record))
		return ssdpm__trace_bad(trace, reterr, -EINVAL,
					"this is no record of vscsiStats, "
					"version %u",
					layout->version);
	if (!event.op)
		return 0;
	if (event.op != SSDPM_OP_FLUSH)
		event.bytes = get(record, layout->len_at, 4);
	if (__builtin_mul_overflow(get(record, layout->ts_at, 8), 1000u,
				   &event.time_ns) ||
	    (event.op != SSDPM_OP_FLUSH &&
	     __builtin_mul_overflow(get(record, layout->lbn_at, 8), 512u,
				    &event.offset)) ||
	    !ssdpm__pair_fits(&event))
		return ssdpm__trace_bad(trace, reterr, -ERANGE,
					"a number is too large");
	int err =
		ssdpm__trace_order(trace, event.time_ns, event.time_ns, reterr);
	if (err)
		return err;
	ssdpm__pair_add(trace->pair, &event, event.time_ns,
			SSDPM_SERVICE_UNKNOWN);
	return 0;
}

static int next_record(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	const struct vscsi *self = trace->state;
	const char *record;
	int err =
		ssdpm__trace_record(trace, self->layout->size, &record, reterr);

	if (err > 0 && record)
		err = take_record(trace, record, reterr);
	else if (err <= 0)
		return err;
	return err < 0 ? err : 1;
}

const struct trace_reader ssdpm__read_vscsi = {
	.format = SSDPM_TRACE_VSCSI,
	.is = is_vscsi,
	.open = open_vscsi,
	.next = next_record,
};
