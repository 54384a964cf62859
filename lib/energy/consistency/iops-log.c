/* SPDX-License-Identifier: MIT */
/*
 * Reads fio's --write_iops_log as operations per second. fio(1), "LOG FILE
 * FORMATS", of fio 3.33 has the fields. They are time (ms), operations per
 * second, direction, block size, offset, priority. With log_avg_msec, the block
 * size is 0. Without it, each line is one operation, and its value is 1.
 */
#include <ssdpm/energy/consistency.h>

#include "measure/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "common/input.h"

#define MIN_FIELDS 4
#define MAX_FIELDS 7
#define DIRECTIONS 3
#define MS_PER_S 1000
/* 12 days; a line with a wrong time uses at most 50 MB. */
#define MAX_S (UINT64_C(1) << 20)

/* The interval of lines is known after this many. */
#define N_FIRST 16
/* A higher value is no number of operations. */
#define MAX_IOPS UINT64_C(1000000000000)
/* With longer means, the worst second is not in the log. */
#define MAX_STEP_MS 1500

struct log_line {
	uint64_t ms;
	uint64_t value;
	uint64_t direction;
	bool sized; /* it has a block size */
};

/* The operations of a second by direction, and the time that they cover. */
struct second {
	double n_ops[DIRECTIONS];
	double covered_ms[DIRECTIONS];
};

/* The means of one direction. */
struct log_means {
	uint64_t step_ms;  /* 0: unknown so far */
	uint64_t begin_ms; /* of the first line */
	uint64_t done_ms;  /* time before this is in the seconds */
	size_t n_first;
	struct log_line first[N_FIRST];
};

struct log {
	struct input input;
	struct second *seconds;
	size_t room;
	uint64_t end_ms;
	uint64_t last_ms[DIRECTIONS];
	bool seen[DIRECTIONS];
	struct log_means means[DIRECTIONS];
	bool sized;
	bool single; /* each line is one operation */
	bool begun;
	struct ssdpm_iops_log_params params;
};

static bool split(struct span span, struct log_line *ret_line)
{
	uint64_t fields[MAX_FIELDS];
	uint32_t n = 0;

	do {
		if (n == MAX_FIELDS ||
		    !ssdpm__take_uint(&span, UINT64_MAX, &fields[n++]))
			return false;
	} while (ssdpm__take(&span, ","));
	if (span.at != span.end || n < MIN_FIELDS || fields[2] >= DIRECTIONS ||
	    fields[1] > MAX_IOPS)
		return false;
	*ret_line = (struct log_line){ fields[0], fields[1], fields[2],
				       fields[3] != 0 };
	return true;
}

/* Makes room up to this second. */
static int make_room(struct log *log, uint64_t second,
		     struct ssdpm_error *reterr)
{
	size_t room = log->room ? log->room : 4096;

	if (second >= MAX_S)
		return ssdpm__fail(reterr, -ERANGE, log->input.line,
				   "a time beyond 12 days");
	while (room <= second)
		room *= 2;
	if (room == log->room)
		return 0;
	struct second *seconds = realloc(log->seconds, room * sizeof(*seconds));

	if (!seconds)
		return ssdpm__no_memory(reterr);
	memset(seconds + log->room, 0, (room - log->room) * sizeof(*seconds));
	log->seconds = seconds;
	log->room = room;
	return 0;
}

/*
 * Adds a mean over the time since the line before. A gap of at least one and a
 * half steps means that a line is missing. The mean then covers one step,
 * because fio skips steps without an operation.
 */
static void add_mean(struct log *log, const struct log_line *line)
{
	uint64_t d = line->direction;
	struct log_means *means = &log->means[d];
	uint64_t begin = means->done_ms;

	if (2 * (line->ms - begin) >= 3 * means->step_ms)
		begin = line->ms - means->step_ms;
	while (begin < line->ms) {
		struct second *second = &log->seconds[begin / MS_PER_S];
		uint64_t end = (begin / MS_PER_S + 1) * MS_PER_S;

		if (end > line->ms)
			end = line->ms;
		double ms = (double)(end - begin);

		second->covered_ms[d] += ms;
		second->n_ops[d] += (double)line->value * ms / MS_PER_S;
		begin = end;
	}
	means->done_ms = line->ms;
}

/*
 * The median of the first lines, because one may be early or late, and some may
 * be missing.
 */
static uint64_t find_step(const struct log_means *means)
{
	uint64_t steps[N_FIRST], last_ms = 0;
	size_t n = 0;

	for (size_t i = 0; i < means->n_first; i++) {
		uint64_t step = means->first[i].ms - last_ms;
		size_t at = n++;

		for (; at && steps[at - 1] > step; at--)
			steps[at] = steps[at - 1];
		steps[at] = step;
		last_ms = means->first[i].ms;
	}
	return steps[(n - 1) / 2] ? steps[(n - 1) / 2] : 1;
}

/* Finds the interval of the lines of a direction, if it has lines. */
static int settle(struct log *log, struct log_means *means,
		  struct ssdpm_error *reterr)
{
	if (means->step_ms || !means->n_first)
		return 0;
	means->step_ms = find_step(means);
	if (means->step_ms > MAX_STEP_MS)
		return ssdpm__fail(
			reterr, -EINVAL, 0,
			"the lines stand %llu ms apart: one for each second is needed, as log_avg_msec=1000 has it",
			(unsigned long long)means->step_ms);
	means->begin_ms = means->first[0].ms > means->step_ms ?
				  means->first[0].ms - means->step_ms :
				  0;
	for (size_t i = 0; i < means->n_first; i++)
		add_mean(log, &means->first[i]);
	return 0;
}

static int take_mean(struct log *log, const struct log_line *line,
		     struct ssdpm_error *reterr)
{
	struct log_means *means = &log->means[line->direction];

	if (means->step_ms) {
		add_mean(log, line);
		return 0;
	}
	means->first[means->n_first++] = *line;
	return means->n_first == N_FIRST ? settle(log, means, reterr) : 0;
}

/* Lines of two jobs follow each other, or share their times. */
static int check_order(const struct log *log, const struct log_line *line,
		       struct ssdpm_error *reterr)
{
	uint64_t last_ms = log->last_ms[line->direction];

	if (line->ms < last_ms)
		return ssdpm__fail(
			reterr, -EINVAL, log->input.line,
			"the time falls from %llu to %llu ms: two jobs or two runs in one log? Give each one a file",
			(unsigned long long)last_ms,
			(unsigned long long)line->ms);
	if (!log->single && log->seen[line->direction] && line->ms == last_ms)
		return ssdpm__fail(
			reterr, -EINVAL, log->input.line,
			"a second line at %llu ms: two jobs in one log? Give each one a file",
			(unsigned long long)line->ms);
	return 0;
}

static int add(struct log *log, const struct log_line *line,
	       struct ssdpm_error *reterr)
{
	int err = make_room(log, line->ms / MS_PER_S, reterr);

	if (err)
		return err;
	if (!log->begun)
		log->single = line->sized && line->value == 1;
	if ((log->begun && line->sized != log->sized) ||
	    (log->single && line->value != 1))
		return ssdpm__fail(
			reterr, -EINVAL, log->input.line,
			"means and single operations in one log: two runs? Give each one a file");
	err = check_order(log, line, reterr);
	if (err)
		return err;
	log->begun = true;
	log->sized = line->sized;
	log->seen[line->direction] = true;
	log->last_ms[line->direction] = line->ms;
	if (line->ms > log->end_ms)
		log->end_ms = line->ms;
	if (!log->single)
		return take_mean(log, line, reterr);
	log->seconds[line->ms / MS_PER_S].n_ops[line->direction]++;
	return 0;
}

static bool is_wanted(const struct log *log, const struct log_line *line)
{
	static const uint32_t ops[] = { SSDPM_OP_READ, SSDPM_OP_WRITE,
					SSDPM_OP_DISCARD };

	return !log->params.op || ops[line->direction] == log->params.op;
}

static int read_lines(struct log *log, struct ssdpm_error *reterr)
{
	struct span span;
	struct log_line line;
	int err;

	while ((err = ssdpm__input_line(&log->input, &span, reterr)) > 0) {
		if (span.at == span.end)
			continue;
		if (!split(span, &line))
			return ssdpm__fail(
				reterr, -EINVAL, log->input.line,
				"this is no line of fio's --write_iops_log: \"time, operations per second, direction, bytes, ...\"");
		if (is_wanted(log, &line))
			err = add(log, &line, reterr);
		if (err < 0)
			break;
	}
	return err;
}

/* Whether this direction has means before and after. */
static bool is_within(const struct log *log, size_t d, size_t second)
{
	return log->seen[d] && second * MS_PER_S >= log->means[d].begin_ms &&
	       (second + 1) * MS_PER_S <= log->last_ms[d];
}

/* NaN: at least half of the second is unknown, in one direction or in all. */
static double iops_of(const struct log *log, size_t at)
{
	const struct second *second = &log->seconds[at];
	double iops = 0;
	bool known = log->single;

	for (size_t d = 0; d < DIRECTIONS; d++) {
		double covered_ms = second->covered_ms[d];

		if (log->single) {
			iops += second->n_ops[d];
		} else if (covered_ms > MS_PER_S / 2) {
			iops += second->n_ops[d] * MS_PER_S / covered_ms;
			known = true;
		} else if (is_within(log, d, at)) {
			return NAN;
		}
	}
	return known ? iops : NAN;
}

static int finish(struct log *log, double **ret_iops, size_t *ret_n,
		  struct ssdpm_error *reterr)
{
	size_t n = (size_t)(log->end_ms / MS_PER_S);

	for (size_t d = 0; d < DIRECTIONS; d++) {
		int err = settle(log, &log->means[d], reterr);

		if (err)
			return err;
	}
	if (!log->begun)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   log->params.op ?
					   "the log has no operation of that "
					   "kind" :
					   "the log is empty");
	if (!n)
		return ssdpm__fail(reterr, -ENODATA, 0,
				   "the log ends within its first second");
	double *iops = malloc(n * sizeof(*iops));

	if (!iops)
		return ssdpm__no_memory(reterr);
	for (size_t i = 0; i < n; i++)
		iops[i] = iops_of(log, i);
	*ret_iops = iops;
	*ret_n = n;
	return 0;
}

static int take_params(struct log *log,
		       const struct ssdpm_iops_log_params *params,
		       struct ssdpm_error *reterr)
{
	struct ssdpm_iops_log_params *known = &log->params;

	known->size = sizeof(*known);
	int err = ssdpm__sized_in(known, sizeof(*known), params,
				  "ssdpm_iops_log_params", reterr);
	if (err)
		return err;
	if (known->op > SSDPM_OP_DISCARD || known->op == SSDPM_OP_FLUSH)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "a log has reads, writes and discards");
	return ssdpm__check_reserved(known->reserved, "ssdpm_iops_log_params",
				     reterr);
}

static int read_log(struct given_bytes given,
		    const struct ssdpm_iops_log_params *params,
		    double **ret_iops, size_t *ret_n,
		    struct ssdpm_error *reterr)
{
	struct log log = { .seconds = NULL };
	int err = take_params(&log, params, reterr);

	if (!err)
		err = ssdpm__input_open(&log.input, given, reterr);
	if (!err)
		err = read_lines(&log, reterr);
	if (!err)
		err = finish(&log, ret_iops, ret_n, reterr);
	ssdpm__input_close(&log.input);
	free(log.seconds);
	return err;
}

int ssdpm_iops_log_read(int fd, const struct ssdpm_iops_log_params *params,
			double **ret_iops, size_t *ret_n,
			struct ssdpm_error *reterr)
{
	return read_log(ssdpm__of_fd(fd), params, ret_iops, ret_n, reterr);
}

int ssdpm_iops_log_read_data(const void *data, size_t size,
			     const struct ssdpm_iops_log_params *params,
			     double **ret_iops, size_t *ret_n,
			     struct ssdpm_error *reterr)
{
	return read_log(ssdpm__in_memory(data, size), params, ret_iops, ret_n,
			reterr);
}
