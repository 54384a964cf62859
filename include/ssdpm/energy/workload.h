/* SPDX-License-Identifier: MIT */
/*
 * The workload: what a host asks of a drive, one I/O after the other; read from
 * the traces that people have, or generated.
 *
 * A trace is a stream: open or generate it, read records until there are none,
 * close it. Memory stays constant however long it is. Readers read a file
 * descriptor that the caller opened and keeps; nothing else is touched. See
 * ssdpm_workload(3).
 */
#ifndef SSDPM_WORKLOAD_H
#define SSDPM_WORKLOAD_H

#include <ssdpm/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ssdpm_op {
	SSDPM_OP_READ = 1,
	SSDPM_OP_WRITE = 2,
	SSDPM_OP_FLUSH = 3,
	SSDPM_OP_DISCARD = 4,
};

/** How many kinds of operation there are; the index of one is op - 1. */
#define SSDPM_N_OPS 4

/** Room for numbers by op - 1: those of no operation are 0. */
#define SSDPM_MAX_OPS 8

/** service_ns: nobody recorded it. */
#define SSDPM_SERVICE_UNKNOWN UINT32_MAX

/** service_ns: the largest that fits; a longer one is recorded as this. */
#define SSDPM_SERVICE_MAX (UINT32_MAX - 1)

enum ssdpm_io_flag {
	/* A further part of an I/O that did not fit one record. It is counted
	 * with that I/O, not again. */
	SSDPM_IO_CONTINUED = 1 << 0,
};

/**
 * struct ssdpm_io - one I/O (frozen, 32 bytes; the dtype of NumPy)
 * @start_ns:   when the host issued it, on the clock of the trace
 * @offset:     first byte on the drive
 * @bytes:      how many; 0 for a flush. Discards of 4 GiB and more become
 *              several records, all but the first with SSDPM_IO_CONTINUED
 * @service_ns: from issue to completion, on a drive that is awake;
 *              SSDPM_SERVICE_UNKNOWN, SSDPM_SERVICE_MAX
 * @op:         enum ssdpm_op
 * @flags:      bits of enum ssdpm_io_flag
 */
struct ssdpm_io {
	uint64_t start_ns;
	uint64_t offset;
	uint32_t bytes;
	uint32_t service_ns;
	uint8_t op;
	uint8_t flags;
	uint8_t reserved[6];
};

/** How a trace is written; 0 = recognise it by its content. */
enum ssdpm_trace_format {
	SSDPM_TRACE_NPY = 1,		 /* NumPy's .npy of struct ssdpm_io */
	SSDPM_TRACE_BLKPARSE = 2,	 /* text of blkparse */
	SSDPM_TRACE_BLKTRACE = 3,	 /* what blktrace writes */
	SSDPM_TRACE_FIO_IOLOG = 4,	 /* fio --write_iolog, version 2 or 3 */
	SSDPM_TRACE_FIO_LATENCY_LOG = 5, /* fio --write_lat_log */
	SSDPM_TRACE_BIOSNOOP = 6,  /* biosnoop of bcc and bpftrace, iosnoop */
	SSDPM_TRACE_DELIMITED = 7, /* columns that the caller names */
	SSDPM_TRACE_MSR = 8,	   /* MSR Cambridge CSV */
	SSDPM_TRACE_SPC = 9,	   /* Storage Performance Council */
	SSDPM_TRACE_FIU = 10,
	SSDPM_TRACE_MQSIM =
		11, /* and SSDsim: ns, device, sector, sectors, op */
	SSDPM_TRACE_DISKSIM = 12,
	SSDPM_TRACE_BLKREPLAY = 13,
	SSDPM_TRACE_PIXEL = 14,
	SSDPM_TRACE_PROCMON = 15,	 /* reduced to its block I/O */
	SSDPM_TRACE_CLOUDPHYSICS = 16,	 /* CSV: version,time,op,size,lbn */
	SSDPM_TRACE_PERF_SCRIPT = 17,	 /* text of perf script */
	SSDPM_TRACE_FTRACE = 18,	 /* text of tracefs and trace-cmd */
	SSDPM_TRACE_VSCSI = 19,		 /* VMware's vscsiStats, binary */
	SSDPM_TRACE_ORACLE_GENERAL = 20, /* libCacheSim's, binary */
	SSDPM_TRACE_PROCMON_CSV = 21,	 /* as Process Monitor writes it */
};

enum ssdpm_trace_flag {
	/* Count lines that cannot be read instead of failing. */
	SSDPM_TRACE_SKIP_BAD = 1 << 0,
};

/**
 * struct ssdpm_trace_params - how to read a trace (sized parameters)
 * @size:    sizeof(struct ssdpm_trace_params)
 * @format:  enum ssdpm_trace_format; 0: by content
 * @flags:   bits of enum ssdpm_trace_flag
 * @columns: the column map of SSDPM_TRACE_DELIMITED, described in
 *           ssdpm_workload(3); NULL: that of the preset
 * @device:  read only the I/Os of this device, as the trace writes it ("8,16",
 *           "sda", "0"); NULL: all, and it is an error where a file has
 *           several, unless it is one of MQSim, which simulates one
 */
struct ssdpm_trace_params {
	size_t size;
	uint32_t format;
	uint32_t flags;
	const char *columns;
	const char *device;
};

/**
 * struct ssdpm_trace_counts - what a reader met (frozen, 128 bytes)
 * @n_ios:         I/Os given out so far, continued records not counted
 * @n_records:     records given out
 * @n_lines:       lines or events read
 * @n_bad:         lines that could not be read (SSDPM_TRACE_SKIP_BAD)
 * @n_unmatched:   issues without a completion within 30 s (or 131072 later
 *                 I/Os), not given out; in a trace without any completions
 *                 they are, and their service is unknown
 * @n_orphans:     completions without an issue, not given out; in a trace
 *                 without any issues they are, as if they had started then
 * @n_saturated:   services above SSDPM_SERVICE_MAX
 * @n_backward:    records whose time lay before that of their predecessor, by
 *                 more than the reader puts back in order, and was raised to it
 *                 (SSDPM_TRACE_SKIP_BAD; an error otherwise)
 * @n_wrapped:     times that blkparse wrapped (-1 ns), taken for the time
 * before
 * @n_other_device: I/Os of other devices, left out on demand; in a trace of
 *                 MQSim, where no device was asked for, those of another one
 *                 than the first, given out as if it was one
 * @format:        enum ssdpm_trace_format
 * @resolution_ns: the largest power of ten that divides all times so far, or
 *                 what the clock of the format ticks; 1000000000 or more: idle
 *                 gaps below a second are not in there
 * @n_cached:      I/Os of files that a cache served, left out; UINT32_MAX: this
 *                 many or more
 * @n_late:        records that lay late in the trace, by 0.2 s at most, or by
 *                 more with SSDPM_TRACE_SKIP_BAD, and were put in their place,
 *                 but for those of n_backward; in order are also records in
 *                 the order of their completions
 * @late_max_ns:   by how much at most
 * @n_unsized:     I/Os but flushes that have no size in the trace, given out
 *                 with 0 bytes
 * @n_untyped:     I/Os whose operation the trace does not have, given out as
 *                 reads
 */
struct ssdpm_trace_counts {
	uint64_t n_ios;
	uint64_t n_records;
	uint64_t n_lines;
	uint64_t n_bad;
	uint64_t n_unmatched;
	uint64_t n_orphans;
	uint64_t n_saturated;
	uint64_t n_backward;
	uint64_t n_wrapped;
	uint64_t n_other_device;
	uint64_t resolution_ns;
	uint32_t format;
	uint32_t n_cached;
	uint64_t n_late;
	uint64_t late_max_ns;
	uint64_t n_unsized;
	uint64_t n_untyped;
};

struct ssdpm_trace;

/**
 * ssdpm_trace_open() - read a trace from a descriptor
 * @fd:        open for reading; borrowed until ssdpm_trace_free(). It may be a
 *             pipe, and is waited for where it does not block. gzip, zstd, xz
 *             and bzip2 are unpacked; text may be in UTF-16 with a byte order
 *             mark; one of UTF-8 before text is skipped
 * @params:    how, or NULL
 * @ret_trace: free it with ssdpm_trace_free()
 *
 * Return: 0; -EINVAL (no known format, an empty file, a bad column map), -EIO
 * and what read(2) returns, -EOPNOTSUPP (packed, and this build cannot unpack
 * it, or not with 64 MiB of memory for zstd, 80 MiB for xz), -E2BIG (@params, a
 * line of more than 1 MiB), -ENOMEM.
 */
SSDPM_API int ssdpm_trace_open(int fd, const struct ssdpm_trace_params *params,
			       struct ssdpm_trace **ret_trace,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_trace_open_data() - the same from memory
 * @data: the contents of a file; borrowed until ssdpm_trace_free()
 */
SSDPM_API int ssdpm_trace_open_data(const void *data, size_t size,
				    const struct ssdpm_trace_params *params,
				    struct ssdpm_trace **ret_trace,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_trace_read() - the next records
 * @ios:   where they go
 * @max:   for how many there is room, at least 1
 * @ret_n: how many were written; 0: the end
 *
 * start_ns never decreases: readers that see completions put the records back
 * in order. The records before a failure are given out first, as at the end of
 * a trace, however many are asked for at a time. Then every call fails in the
 * same way.
 *
 * Return: 0; -EINVAL (a line that cannot be read, time going backwards, several
 * devices: @reterr has the line), -ERANGE (a number beyond its field), -EIO
 * (cut off, damaged when packed), -E2BIG (a line of more than 1 MiB),
 * -EOPNOTSUPP (see ssdpm_trace_open()), -ENOMEM.
 */
SSDPM_API int ssdpm_trace_read(struct ssdpm_trace *trace, struct ssdpm_io *ios,
			       size_t max, size_t *ret_n,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_trace_get_counts() - what was met so far
 *
 * Return: borrowed from @trace; it changes with each ssdpm_trace_read().
 */
SSDPM_API const struct ssdpm_trace_counts *ssdpm_trace_get_counts(
	const struct ssdpm_trace *trace);

/**
 * ssdpm_trace_free() - end a trace; its descriptor stays open
 * @trace: a trace, or NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_trace *ssdpm_trace_free(struct ssdpm_trace *trace);

/**
 * struct ssdpm_generator_params - a workload that is made (sized parameters)
 * @size:     sizeof(struct ssdpm_generator_params)
 * @name:     which one, see ssdpm_generator_get_name()
 * @seed:     the same seed gives the same records on every machine
 * @n_ios:    how many; 0: the default of the workload
 * @value:    the one parameter that a uFLIP micro-benchmark varies, in its
 *            unit; the mean length of a burst of "on-off"; 0: its default
 * @mean_idle_ns: mean idle time of arrivals, up to 10^15; 0: its default
 * @area_bytes:   offsets lie below it; 0: its default
 * @op:       SSDPM_OP_READ or _WRITE where the workload leaves it open; 0: its
 *            default
 * @bytes:    size of an I/O, a multiple of 512; 0: its default
 * @service_ns: of each I/O; SSDPM_SERVICE_UNKNOWN, the default: a nominal one,
 *            see ssdpm_workload(3). It is in the records, since it makes the
 *            start times of what has no pauses. Everyday workloads have none
 * @shape_milli:  shape of the Lomax distribution, in thousandths (1500 = 1.5),
 *            above 1000; 0: 1500
 */
struct ssdpm_generator_params {
	size_t size;
	const char *name;
	uint64_t seed;
	uint64_t n_ios;
	uint64_t value;
	uint64_t mean_idle_ns;
	uint64_t area_bytes;
	uint32_t op;
	uint32_t bytes;
	uint32_t service_ns;
	uint32_t shape_milli;
};

/**
 * ssdpm_generator_params_init() - the defaults
 *
 * Return: 0; -EINVAL (@size is shorter than the size member).
 */
SSDPM_API int ssdpm_generator_params_init(struct ssdpm_generator_params *params,
					  size_t size);

/**
 * ssdpm_trace_generate() - a trace that is made and not read
 * @params: what to make
 *
 * Read and close it like any other. ssdpm_workload(3) describes the workloads:
 * - "apt-upgrades", "compile", "desktop-session", "phone-messenger",
 *   "server-files", "server-mysql", "server-mssql", "server-postgresql":
 *   generated from statistics of recordings;
 * - "apst-1" to "apst-7": those of the Linux patch that brought two idle times
 *   (A. Bogoslavsky, 2021);
 * - "uflip-granularity-sr" and so on: the nine micro-benchmarks of uFLIP over
 *   SR, RR, SW, RW (Bouganim, Jonsson and Bonnet, CIDR 2009);
 * - "consistency": 4 KiB random writes;
 * - "poisson", "lomax", "on-off": arrivals.
 *
 * Return: 0; -ENOENT (no such workload), -EINVAL (a parameter that it does not
 * take), -ERANGE (a number that it cannot have), -E2BIG (@params), -ENOMEM.
 */
SSDPM_API int ssdpm_trace_generate(const struct ssdpm_generator_params *params,
				   struct ssdpm_trace **ret_trace,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_generator_get_name() - the workloads that there are
 * @index: from 0 on
 *
 * Return: a static string; NULL: no more.
 */
SSDPM_API const char *ssdpm_generator_get_name(size_t index);

/**
 * ssdpm_generator_get_description() - one line about a workload
 *
 * Return: a static string; NULL: no more.
 */
SSDPM_API const char *ssdpm_generator_get_description(size_t index);

/**
 * ssdpm_generator_to_fio_job() - a workload as a job file of fio
 * @ret_text: free it with free(). It names no device: give fio --filename
 *
 * A comment of the job names what fio can only do nearly.
 *
 * Return: as ssdpm_trace_generate(); -EOPNOTSUPP (fio has no such arrivals:
 * "lomax", "on-off", everyday workloads), -ERANGE (also what fio cannot have).
 */
SSDPM_API int ssdpm_generator_to_fio_job(
	const struct ssdpm_generator_params *params, char **ret_text,
	struct ssdpm_error *reterr);

/**
 * ssdpm_generator_get_pause_ns() - how long to wait after it in a suite
 * @params:  the workload that has just been run
 * @tail_ns: how long the drive goes on working after its last write: measure
 *           it, as the time until its power is that of the idle drive again
 * @ret_pause_ns: before the next one is run: 0 after reads, @tail_ns after
 *           writes, so that the runs of a suite do not disturb each other
 *
 * The rule is that of the uFLIP energy study (Bjorling, Bonnet, Bouganim and
 * Jonsson, 2010).
 *
 * Return: as ssdpm_trace_generate().
 */
SSDPM_API int ssdpm_generator_get_pause_ns(
	const struct ssdpm_generator_params *params, uint64_t tail_ns,
	uint64_t *ret_pause_ns, struct ssdpm_error *reterr);

/** Longest line of ssdpm_io_to_fio_iolog(), with its NUL. */
#define SSDPM_FIO_IOLOG_LINE 128

/**
 * ssdpm_io_to_fio_iolog() - a record as a line of fio's iolog version 3
 * @origin_ns: when the log begins: start_ns of its first record
 * @file:      name of the file in the log, without blanks, up to 63 bytes
 * @ret_line:  the line with its newline
 *
 * A log begins with the lines "fio version 3 iolog", "0 FILE add" and "0 FILE
 * open". Then come these lines, and "T FILE close" with the T of the last of
 * them. Times are microseconds, rounded down, and one more: the first I/O has
 * the time 1. After a time of 0, fio (3.33) does not wait for the next I/O.
 * Service times are not in a log: it is replayed to find them.
 *
 * Return: 0; -EINVAL (an unknown operation, a name that cannot be, a start
 * before @origin_ns).
 */
SSDPM_API int ssdpm_io_to_fio_iolog(const struct ssdpm_io *io,
				    uint64_t origin_ns, const char *file,
				    char ret_line[SSDPM_FIO_IOLOG_LINE],
				    struct ssdpm_error *reterr);

/** Size of the head of an .npy file that ssdpm_npy_header() makes. */
#define SSDPM_NPY_HEADER_BYTES 256

/**
 * ssdpm_npy_header() - the head of NumPy's .npy for this many records
 *
 * The records of ssdpm_io_to_npy() follow it. Its size does not depend on
 * @n_records, so that it may be written again at the end.
 *
 * Return: 0.
 */
SSDPM_API int ssdpm_npy_header(uint64_t n_records,
			       uint8_t ret_header[SSDPM_NPY_HEADER_BYTES]);

/** Size of a record of an .npy file, as ssdpm_io_to_npy() makes it. */
#define SSDPM_NPY_RECORD_BYTES 32

/**
 * ssdpm_io_to_npy() - a record as the .npy file of ssdpm_npy_header() has it
 *
 * The bytes are little-endian on every machine; where the machine is, too, they
 * are those of the record in memory.
 *
 * Return: 0.
 */
SSDPM_API int ssdpm_io_to_npy(const struct ssdpm_io *io,
			      uint8_t ret_record[SSDPM_NPY_RECORD_BYTES]);

/**
 * struct ssdpm_service - how long an I/O takes whose record does not say
 *                        (frozen, 128 bytes)
 * @base_ns:          by op - 1: before its transfer; these overlap
 * @bytes_per_second: by op - 1: transfers share one channel, one after the
 *                    other in the order of the records; 0: they take no time
 */
struct ssdpm_service {
	uint64_t base_ns[SSDPM_MAX_OPS];
	uint64_t bytes_per_second[SSDPM_MAX_OPS];
};

/** Buckets of a histogram of times: for each power of two, four. */
#define SSDPM_HISTOGRAM_BUCKETS 256

/** Room for the limits of ssdpm_stats_get_limit_ns(). */
#define SSDPM_MAX_LIMITS 16

/**
 * struct ssdpm_trace_stats - a trace in numbers (sized result)
 * @size:        sizeof(struct ssdpm_trace_stats)
 * @n_ios:       by op - 1, continued records not counted
 * @bytes:       by op - 1
 * @n_unknown_service: I/Os without a recorded service time
 * @n_sequential: I/Os that begin where the one before ended; flushes, which
 *               have no place, are passed over
 * @start_ns:    of the first I/O
 * @duration_ns: from there to the last completion
 * @busy_ns:     of it, with an I/O outstanding
 * @idle_ns:     of it, without
 * @n_gaps:      idle times longer than 0
 * @gap_p50_ns:  their median, by nearest rank; at most 1/128 above the true one
 * @gap_p90_ns:  nine of ten are not longer, likewise
 * @gap_p99_ns:  99 of 100 are not longer, likewise
 * @gap_max_ns:  the longest
 * @gaps:        how many by ssdpm_histogram_bucket()
 * @gaps_ns:     their sum, likewise. So the idle time in gaps of at least t,
 *               where a bucket begins at t, is the sum of gaps_ns from it on
 * @n_longer:    idle times longer than each limit, by the index of
 *               ssdpm_stats_get_limit_ns(), exactly
 * @longer_ns:   their sum, likewise
 */
struct ssdpm_trace_stats {
	size_t size;
	uint64_t n_ios[SSDPM_MAX_OPS];
	uint64_t bytes[SSDPM_MAX_OPS];
	uint64_t n_unknown_service;
	uint64_t n_sequential;
	uint64_t start_ns;
	uint64_t duration_ns;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t n_gaps;
	uint64_t gap_p50_ns;
	uint64_t gap_p90_ns;
	uint64_t gap_p99_ns;
	uint64_t gap_max_ns;
	uint64_t gaps[SSDPM_HISTOGRAM_BUCKETS];
	uint64_t gaps_ns[SSDPM_HISTOGRAM_BUCKETS];
	uint64_t n_longer[SSDPM_MAX_LIMITS];
	uint64_t longer_ns[SSDPM_MAX_LIMITS];
};

/**
 * ssdpm_histogram_bucket() - which bucket a time belongs to
 */
SSDPM_API uint32_t ssdpm_histogram_bucket(uint64_t time_ns);

/**
 * ssdpm_histogram_start_ns() - the least time of a bucket
 *
 * Buckets begin at 0, 1, 2 and 3. From 4 on they begin at each power of two and
 * 5/4, 6/4 and 7/4 of it.
 *
 * Return: UINT64_MAX where no time has that bucket: 252 or above.
 */
SSDPM_API uint64_t ssdpm_histogram_start_ns(uint32_t bucket);

struct ssdpm_stats;

/**
 * ssdpm_stats_new() - count a trace, in constant memory
 * @service:   for records without a service time, or NULL: they take no time
 * @ret_stats: free it with ssdpm_stats_free()
 *
 * Return: 0, -ERANGE (a base_ns above 2^62), -ENOMEM.
 */
SSDPM_API int ssdpm_stats_new(const struct ssdpm_service *service,
			      struct ssdpm_stats **ret_stats,
			      struct ssdpm_error *reterr);

/**
 * ssdpm_stats_feed() - the next records
 *
 * After a failure, those before the bad record are counted.
 *
 * Return: 0; -EINVAL (start_ns decreases, an unknown operation: @reterr has the
 * index, from 0 on), -ERANGE (more than 2^63 ns after the first record).
 */
SSDPM_API int ssdpm_stats_feed(struct ssdpm_stats *stats,
			       const struct ssdpm_io *ios, size_t n,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_stats_get() - the numbers so far
 * @ret_stats: its size member is set by the caller
 *
 * Return: 0; -EINVAL, -E2BIG (size).
 */
SSDPM_API int ssdpm_stats_get(const struct ssdpm_stats *stats,
			      struct ssdpm_trace_stats *ret_stats,
			      struct ssdpm_error *reterr);

/**
 * ssdpm_stats_get_limit_ns() - idle times above which people ask how much there
 *                              is
 * @index: from 0 on
 *
 * Return: the limit, longer than the one before; 0: no more.
 */
SSDPM_API uint64_t ssdpm_stats_get_limit_ns(uint32_t index);

/**
 * ssdpm_stats_free() - @stats may be NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_stats *ssdpm_stats_free(struct ssdpm_stats *stats);

/**
 * ssdpm_op_to_string() - "read", "write", "flush", "discard", or NULL
 */
SSDPM_API const char *ssdpm_op_to_string(uint32_t op);
SSDPM_API uint32_t ssdpm_op_from_string(const char *word);

/**
 * ssdpm_trace_format_to_string() - "npy", "blkparse" and so on, or NULL
 */
SSDPM_API const char *ssdpm_trace_format_to_string(uint32_t format);
SSDPM_API uint32_t ssdpm_trace_format_from_string(const char *word);

/** ssdpm_io_flag_to_string() - "continued", or NULL */
SSDPM_API const char *ssdpm_io_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_io_flag_from_string(const char *word);

/** ssdpm_trace_flag_to_string() - "skip-bad", or NULL */
SSDPM_API const char *ssdpm_trace_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_trace_flag_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
