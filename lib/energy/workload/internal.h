/* SPDX-License-Identifier: MIT */
/* What the readers of traces share. */
#ifndef SSDPM_LIB_WORKLOAD_INTERNAL_H
#define SSDPM_LIB_WORKLOAD_INTERNAL_H

#include <ssdpm/energy/workload.h>

#include "base/text.h"
#include "common/input.h"

/* This much of a trace is enough to recognise its format. */
#define TRACE_HEAD_BYTES (64u << 10)

/*
 * The reader of a format, or of several in a row. Function is() checks the
 * beginning of the input: all of it, or TRACE_HEAD_BYTES. Function open() makes
 * trace->pair and may allocate trace->state; ssdpm_trace_free() frees both. The
 * caller's format, or 0, is in trace->counts.format; a reader of several
 * formats sets it. Function next() takes an event of the input and passes it to
 * trace->pair. It returns 1; 0: no event; or a negative errno.
 *
 * A generator has no next() but read(), which returns up to max records. No
 * record means the end. Records before a failure are returned, too.
 */
struct trace_reader {
	uint32_t format;
	uint32_t last_format; /* 0: it is the only one */
	bool (*is)(const char *head, size_t size);
	int (*open)(struct ssdpm_trace *trace, struct ssdpm_error *reterr);
	int (*next)(struct ssdpm_trace *trace, struct ssdpm_error *reterr);
	int (*read)(struct ssdpm_trace *trace, struct ssdpm_io *ios, size_t max,
		    size_t *ret_n, struct ssdpm_error *reterr);
};

struct awake;

struct ssdpm_trace {
	struct input input; /* a generator has none */
	const struct trace_reader *reader;
	struct pair *pair; /* pairs events; a generator has none */
	void *state;
	uint32_t flags;
	char *columns;
	char *device; /* the only one to read, or the one seen */
	bool device_wanted;
	bool is_one_drive;	  /* even if the trace names several devices */
	bool never_skips;	  /* its caller has no option that skips */
	bool has_start;		  /* a start was seen */
	uint64_t first_start_ns;  /* in the order of the trace */
	uint64_t latest_start_ns; /* the latest start and end seen */
	uint64_t latest_end_ns;
	uint64_t last_start_ns; /* of the last record returned */
	uint64_t
		tick_ns; /* of a clock that is coarser than the records, or 0 */
	struct ssdpm_io rest; /* of an I/O that needs several records */
	uint64_t rest_bytes;
	struct awake *awakes; /* the policies that the trace names */
	size_t n_awakes;
	struct awake *awake; /* of its device; NULL: not found yet */
	struct ssdpm_trace_counts counts;
	struct ssdpm_error failed; /* code 0: no failure */
	bool ended;		   /* no records are left */
};

/*
 * The beginning, however much more is in memory, because a pipe and a file must
 * read alike. Call it before anything was read.
 */
static inline struct span ssdpm__trace_head(const struct ssdpm_trace *trace)
{
	size_t size = (size_t)(trace->input.end - trace->input.at);

	return ssdpm__span(trace->input.at,
			   size < TRACE_HEAD_BYTES ? size : TRACE_HEAD_BYTES);
}

/*
 * Counts a bad line and returns 0, if the caller of the library asked for that.
 * Otherwise fails with the line.
 */
int ssdpm__trace_bad(struct ssdpm_trace *trace, struct ssdpm_error *reterr,
		     int code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Whether the device of an I/O is the one to read. 1; 0: no, and counted;
 * -EINVAL: the trace has several, the caller named none.
 */
int ssdpm__trace_device(struct ssdpm_trace *trace, struct span device,
			struct ssdpm_error *reterr);

/*
 * Records may be this late in a trace, because buffers of several processors
 * follow each other. Real traces of blkparse have 50 ms.
 */
#define TRACE_LATE_NS 200000000u

/*
 * Checks the order of the next record. It goes from its issue to its
 * completion, or to its issue if that is unknown. Most traces have one of the
 * two in order. A record late in both orders is counted. Returns 0; -EINVAL: it
 * is more than TRACE_LATE_NS late, and the caller of the library does not skip
 * bad records.
 */
int ssdpm__trace_order(struct ssdpm_trace *trace, uint64_t start_ns,
		       uint64_t end_ns, struct ssdpm_error *reterr);

/* A completion without a record. */
static inline void ssdpm__trace_see_end(struct ssdpm_trace *trace,
					uint64_t end_ns)
{
	if (end_ns > trace->latest_end_ns)
		trace->latest_end_ns = end_ns;
}

/*
 * Takes the next record of this many bytes; its number becomes the line number.
 * 1; 0: the end; or a negative errno. If it is cut off, *ret_record is NULL and
 * it was counted. It holds until the next call.
 */
int ssdpm__trace_record(struct ssdpm_trace *trace, size_t size,
			const char **ret_record, struct ssdpm_error *reterr);

/* A service time, if it fits its member; otherwise counted as unknown. */
uint32_t ssdpm__trace_service(struct ssdpm_trace *trace, uint64_t service_ns);

/*
 * The longest discard: no drive is larger, and a line of a hostile file makes
 * at most 131,072 records.
 */
#define DISCARD_MAX_BYTES ((uint64_t)1 << 48)

/* Whether an I/O can have this length. A discard may need several records. */
static inline bool ssdpm__io_fits(uint8_t op, uint64_t bytes)
{
	return bytes <= UINT32_MAX ||
	       (op == SSDPM_OP_DISCARD && bytes <= DISCARD_MAX_BYTES);
}

/*
 * Splits an I/O of this many bytes (ssdpm__io_fits()) into records. It returns
 * as many as fit at ios, at least one. The rest follows before reader->read()
 * is called again. Returns how many were written; fewer than max only if the
 * I/O needs no more.
 */
size_t ssdpm__trace_split(struct ssdpm_trace *trace, const struct ssdpm_io *io,
			  uint64_t bytes, struct ssdpm_io *ios, size_t max);

extern const struct trace_reader ssdpm__read_npy;
extern const struct trace_reader ssdpm__read_blkparse;
extern const struct trace_reader ssdpm__read_blktrace;
extern const struct trace_reader ssdpm__read_biosnoop;
extern const struct trace_reader ssdpm__read_ftrace;
extern const struct trace_reader ssdpm__read_fio_iolog;
extern const struct trace_reader ssdpm__read_fio_latency_log;
extern const struct trace_reader ssdpm__read_vscsi;
extern const struct trace_reader ssdpm__read_oracle;
extern const struct trace_reader ssdpm__read_procmon;
extern const struct trace_reader ssdpm__read_delimited; /* all its presets */

#endif
