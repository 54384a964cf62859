/* SPDX-License-Identifier: MIT */
/* What the readers of traces share. */
#ifndef SSDPM_LIB_WORKLOAD_INTERNAL_H
#define SSDPM_LIB_WORKLOAD_INTERNAL_H

#include <ssdpm/energy/workload.h>

#include "base/text.h"
#include "common/input.h"

/* What a format is recognised by lies in this much. */
#define TRACE_HEAD_BYTES (64u << 10)

/*
 * A format, or several in a row. is() looks at the beginning of the input: all
 * of it, or TRACE_HEAD_BYTES. open() makes trace->pair and may allocate
 * trace->state; ssdpm_trace_free() frees both. The format that the caller
 * named, or 0, is in trace->counts.format; a reader of several formats sets it.
 * A call of next() takes an event of the input and gives it to trace->pair. It
 * returns 1; 0: there is none; or a negative errno. All find what they need in
 * trace.
 *
 * A generator has no next() but read(), which gives up to max records, none:
 * the end; those that came before a failure it gives too.
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
	struct pair *pair; /* of events; a generator has none */
	void *state;
	uint32_t flags;
	char *columns;
	char *device; /* the only one to read; or the one that was seen */
	bool device_wanted;
	bool is_one_drive;	  /* whatever devices the trace names */
	bool has_start;		  /* one was seen */
	uint64_t first_start_ns;  /* in the order of the trace */
	uint64_t latest_start_ns; /* that was seen, and of what was seen */
	uint64_t latest_end_ns;
	uint64_t last_start_ns; /* that was given out */
	uint64_t tick_ns; /* of a clock that is coarser than the records; 0 */
	struct ssdpm_io rest; /* of an I/O that is being split */
	uint64_t rest_bytes;
	struct awake *awakes; /* policies that the trace says were in force */
	size_t n_awakes;
	struct awake *awake; /* of its device; NULL: not known yet */
	struct ssdpm_trace_counts counts;
	struct ssdpm_error failed; /* code 0: it did not */
	bool ended;		   /* no records are left */
};

/*
 * The beginning, however much more is in memory: a pipe and a file are to be
 * read alike. To be called before anything was read.
 */
static inline struct span ssdpm__trace_head(const struct ssdpm_trace *trace)
{
	size_t size = (size_t)(trace->input.end - trace->input.at);

	return ssdpm__span(trace->input.at,
			   size < TRACE_HEAD_BYTES ? size : TRACE_HEAD_BYTES);
}

/*
 * A line that cannot be read: count it and return 0 where the caller of the
 * library asked for that; otherwise fail with the line.
 */
int ssdpm__trace_bad(struct ssdpm_trace *trace, struct ssdpm_error *reterr,
		     int code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Is the device of an I/O the one to read? 1; 0: no, counted; -EINVAL: the
 * trace has several and the caller named none.
 */
int ssdpm__trace_device(struct ssdpm_trace *trace, struct span device,
			struct ssdpm_error *reterr);

/*
 * Records lie in a trace up to this much late: buffers of several processors
 * were put one after the other. Real traces of blkparse have 50 ms.
 */
#define TRACE_LATE_NS 200000000u

/*
 * The next record of the trace, from its issue to its completion, or from its
 * issue to its issue if that is not known. Most traces have one of the two in
 * order. A record that is late in both orders is counted. Returns 0; -EINVAL:
 * it is more than TRACE_LATE_NS late, and the caller of the library does not
 * skip what is bad.
 */
int ssdpm__trace_order(struct ssdpm_trace *trace, uint64_t start_ns,
		       uint64_t end_ns, struct ssdpm_error *reterr);

/* A completion that makes no record. */
static inline void ssdpm__trace_see_end(struct ssdpm_trace *trace,
					uint64_t end_ns)
{
	if (end_ns > trace->latest_end_ns)
		trace->latest_end_ns = end_ns;
}

/*
 * Take the next record of so many bytes, whose number is then that of the line.
 * 1; 0: there is none; or a negative errno. *ret_record: NULL: it is cut off,
 * which was counted; it holds until the next call.
 */
int ssdpm__trace_record(struct ssdpm_trace *trace, size_t size,
			const char **ret_record, struct ssdpm_error *reterr);

/* A service time that fits its member; counted where it does not. */
uint32_t ssdpm__trace_service(struct ssdpm_trace *trace, uint64_t service_ns);

/*
 * Longest discard: more than any drive has, and one line of a hostile file
 * makes no more than 131,072 records.
 */
#define DISCARD_MAX_BYTES ((uint64_t)1 << 48)

/* Can an I/O be this long? A discard may need several records. */
static inline bool ssdpm__io_fits(uint8_t op, uint64_t bytes)
{
	return bytes <= UINT32_MAX ||
	       (op == SSDPM_OP_DISCARD && bytes <= DISCARD_MAX_BYTES);
}

/*
 * Give out an I/O of so many bytes (ssdpm__io_fits()) in as many records as it
 * takes. As many as there is room for at ios, at least one, are given out now.
 * The rest follows, without a further call, before reader->read() is called
 * again. Returns how many were written: fewer than max, unless all of them were
 * needed.
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
