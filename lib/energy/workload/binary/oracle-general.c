/* SPDX-License-Identifier: MIT */
/*
 * oracleGeneral of libCacheSim (its document "trace format", struct
 * oracleGeneralBin): requests to a cache, 24 bytes each, little-endian.
 *
 *   u32 clock_time, u64 obj_id, u32 obj_size, i64 next_access_vtime
 *
 * Times are whole seconds, so that idle times below one are not in there. There
 * is no operation, and an object is a block, a hash or anything else: each
 * record is a read at the offset 0.
 */
#include "workload/pair.h"

#include <errno.h>

#include "base/bytes.h"
#include "base/internal.h"

#define RECORD_BYTES 24
#define TICK_NS 1000000000u

/* Nothing marks such a file: its beginning has to be so many that fit. */
#define MIN_RECORDS 4
#define MAX_OBJECT_BYTES (1u << 30)
#define MAX_REQUESTS ((int64_t)1 << 48)

struct request {
	uint32_t time_s;
	uint32_t bytes;
	int64_t next; /* the number of the next one to this object */
};

static struct request decode(const char *record)
{
	const uint8_t *bytes = (const uint8_t *)record;

	return (struct request){
		.time_s = (uint32_t)ssdpm__little_endian(bytes, 4),
		.bytes = (uint32_t)ssdpm__little_endian(bytes + 12, 4),
		.next = (int64_t)ssdpm__little_endian(bytes + 16, 8),
	};
}

/* -1 and less, and the largest number: there is none. */
static bool is_next(int64_t next, size_t index)
{
	return (next < 0 && next >= -2) || next == INT64_MAX ||
	       (next > (int64_t)index && next <= MAX_REQUESTS);
}

static bool is_oracle(const char *head, size_t size)
{
	uint32_t last_s = 0;
	size_t n = size / RECORD_BYTES;

	if (n < MIN_RECORDS || (size < TRACE_HEAD_BYTES && size % RECORD_BYTES))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct request request = decode(head + i * RECORD_BYTES);

		if (request.time_s < last_s || !request.bytes ||
		    request.bytes > MAX_OBJECT_BYTES ||
		    !is_next(request.next, i))
			return false;
		last_s = request.time_s;
	}
	return true;
}

static int open_oracle(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{

	if (trace->device_wanted)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "device: no record of the trace names one");
	trace->tick_ns = TICK_NS;
	return ssdpm__pair_new(trace, TRACE_LATE_NS, PAIR_MAX_HELD, reterr);
}

static int next_record(struct ssdpm_trace *trace, struct ssdpm_error *reterr)
{
	const char *record;
	int err = ssdpm__trace_record(trace, RECORD_BYTES, &record, reterr);

	if (err <= 0 || !record)
		return err;
	struct request request = decode(record);
	struct pair_event event = {
		.time_ns = (uint64_t)request.time_s * TICK_NS,
		.bytes = request.bytes,
		.op = SSDPM_OP_READ,
	};
	err = ssdpm__trace_order(trace, event.time_ns, event.time_ns, reterr);
	if (err)
		return err;
	trace->counts.n_untyped++;
	ssdpm__pair_add(trace->pair, &event, event.time_ns,
			SSDPM_SERVICE_UNKNOWN);
	return 1;
}

const struct trace_reader ssdpm__read_oracle = {
	.format = SSDPM_TRACE_ORACLE_GENERAL,
	.is = is_oracle,
	.open = open_oracle,
	.next = next_record,
};
