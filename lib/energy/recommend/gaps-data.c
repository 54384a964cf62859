/* SPDX-License-Identifier: MIT */
/*
 * Writes idle times as bytes, and reads them. Numbers of 64 bits follow the
 * name of the format, least byte first on every machine. They are struct head,
 * the idle times, those that a continued record ends, and the early I/Os.
 *
 * The bytes are not trusted. They are accepted if a trace could have led to
 * them, as far as the rest of the library depends on that.
 */
#include "recommend/gaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

#define NAME "ssdpm.gaps/"
#define NAME_BYTES 16

static const char format[NAME_BYTES] = NAME "1";

struct head {
	uint64_t start_ns;
	uint64_t end_idle_ns;
	uint64_t busy_ns[SSDPM_N_OPS];
	uint64_t n_ios[SSDPM_N_OPS];
	uint64_t bytes[SSDPM_N_OPS];
	uint64_t n_idle;
	uint64_t n_silent;
	uint64_t n_early;
};

#define N_HEAD (sizeof(struct head) / sizeof(uint64_t))
#define HEAD_BYTES (NAME_BYTES + sizeof(struct head))

/* Returns where the next numbers go. */
static uint8_t *put_numbers(uint8_t *to, const uint64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned byte = 0; byte < 8; byte++)
			*to++ = (uint8_t)(numbers[i] >> 8 * byte);
	return to;
}

/* Returns where the next numbers are. */
static const uint8_t *take_numbers(const uint8_t *from, uint64_t *numbers,
				   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		numbers[i] = 0;
		for (unsigned byte = 0; byte < 8; byte++)
			numbers[i] |= (uint64_t)*from++ << 8 * byte;
	}
	return from;
}

static struct head head_of(const struct ssdpm_gaps *gaps)
{
	struct head head = {
		.start_ns = gaps->start_ns,
		.end_idle_ns = gaps->end_idle_ns,
		.n_idle = gaps->idle.n,
		.n_silent = gaps->silent.n,
		.n_early = gaps->early.n,
	};

	memcpy(head.busy_ns, gaps->flow.busy_ns, sizeof(head.busy_ns));
	memcpy(head.n_ios, gaps->intake.n_ios, sizeof(head.n_ios));
	memcpy(head.bytes, gaps->intake.bytes, sizeof(head.bytes));
	return head;
}

int ssdpm_gaps_to_data(const struct ssdpm_gaps *gaps, void **ret_data,
		       size_t *ret_size, struct ssdpm_error *reterr)
{
	const struct head head = head_of(gaps);
	uint64_t numbers[N_HEAD];
	uint8_t *data, *at;
	size_t size;

	if (!gaps->finished)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "gaps: not finished; call "
				   "ssdpm_gaps_finish()");
	size = HEAD_BYTES + (gaps->idle.n + gaps->silent.n) * sizeof(uint64_t) +
	       gaps->early.n * sizeof(struct early);
	data = malloc(size);
	if (!data)
		return ssdpm__no_memory(reterr);
	memcpy(data, format, NAME_BYTES);
	memcpy(numbers, &head, sizeof(head));
	at = put_numbers(data + NAME_BYTES, numbers, N_HEAD);
	at = put_numbers(at, gaps->idle.ns, gaps->idle.n);
	at = put_numbers(at, gaps->silent.ns, gaps->silent.n);
	put_numbers(at, (const uint64_t *)gaps->early.io, 2 * gaps->early.n);
	*ret_data = data;
	*ret_size = size;
	return 0;
}

static bool take_off(size_t *left, uint64_t n, size_t each)
{
	if (n > *left / each)
		return false;
	*left -= (size_t)n * each;
	return true;
}

static int read_head(const uint8_t *data, size_t size, struct head *ret_head,
		     struct ssdpm_error *reterr)
{
	uint64_t numbers[N_HEAD];
	struct head *head = ret_head;
	size_t left;

	if (size < strlen(NAME) || memcmp(data, NAME, strlen(NAME)) != 0)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "gaps: these bytes are not from "
				   "ssdpm_gaps_to_data()");
	if (size < HEAD_BYTES)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "gaps: %zu bytes: the head alone has %zu",
				   size, HEAD_BYTES);
	if (memcmp(data, format, NAME_BYTES) != 0)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "gaps: the bytes are of another version: "
				   "this library reads %s",
				   format);
	take_numbers(data + NAME_BYTES, numbers, N_HEAD);
	memcpy(head, numbers, sizeof(*head));
	left = size - HEAD_BYTES;
	if (!take_off(&left, head->n_idle, sizeof(uint64_t)) ||
	    !take_off(&left, head->n_silent, sizeof(uint64_t)) ||
	    !take_off(&left, head->n_early, sizeof(struct early)) || left)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "gaps: %zu bytes are not as many as the "
				   "head says",
				   size);
	return 0;
}

static bool make_times(struct gap_times *times, uint64_t n)
{
	times->n = (size_t)n;
	times->ns = malloc((times->n + 1) * sizeof(*times->ns));
	times->sums = malloc((times->n + 1) * sizeof(*times->sums));
	return times->ns && times->sums;
}

static bool make_early(struct earlies *early, uint64_t n)
{
	early->n = (size_t)n;
	early->io = malloc((early->n + 1) * sizeof(*early->io));
	return early->io;
}

/* Reads all numbers; the head and the size were checked. */
static int read_all(const uint8_t *data, const struct head *head,
		    struct ssdpm_gaps *gaps, struct ssdpm_error *reterr)
{
	if (!make_times(&gaps->idle, head->n_idle) ||
	    !make_times(&gaps->silent, head->n_silent) ||
	    !make_early(&gaps->early, head->n_early))
		return ssdpm__no_memory(reterr);
	gaps->start_ns = head->start_ns;
	gaps->end_idle_ns = head->end_idle_ns;
	memcpy(gaps->flow.busy_ns, head->busy_ns, sizeof(head->busy_ns));
	memcpy(gaps->intake.n_ios, head->n_ios, sizeof(head->n_ios));
	memcpy(gaps->intake.bytes, head->bytes, sizeof(head->bytes));
	data = take_numbers(data, gaps->idle.ns, gaps->idle.n);
	data = take_numbers(data, gaps->silent.ns, gaps->silent.n);
	take_numbers(data, (uint64_t *)gaps->early.io, 2 * gaps->early.n);
	ssdpm__sum_times(&gaps->idle);
	ssdpm__sum_times(&gaps->silent);
	gaps->finished = true;
	return 0;
}

/* The sum of numbers; false: more than limit. */
static bool sum_up(const uint64_t *numbers, size_t n, uint64_t limit,
		   uint64_t *ret_sum)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (numbers[i] > limit - sum)
			return false;
		sum += numbers[i];
	}
	*ret_sum = sum;
	return true;
}

/* Whether all are above 0, and none is less than the one before. */
static bool is_ascending(const struct gap_times *times)
{
	uint64_t last = 1;

	for (size_t i = 0; i < times->n; i++) {
		if (times->ns[i] < last)
			return false;
		last = times->ns[i];
	}
	return true;
}

/* Whether each of these is among all; both ascend. */
static bool are_among(const struct gap_times *these,
		      const struct gap_times *all)
{
	size_t at = 0;

	for (size_t i = 0; i < these->n; i++, at++) {
		while (at < all->n && all->ns[at] < these->ns[i])
			at++;
		if (at == all->n || all->ns[at] != these->ns[i])
			return false;
	}
	return true;
}

/* Whether each follows an idle time, and starts while the drive is busy. */
static bool can_be_early(const struct earlies *early,
			 const struct gap_times *idle, uint64_t busy_ns)
{
	uint64_t last = 0;
	size_t at = 0;

	for (size_t i = 0; i < early->n; i++) {
		uint64_t gap_ns = early->io[i].gap_ns;

		while (at < idle->n && idle->ns[at] < gap_ns)
			at++;
		if (gap_ns < last || at == idle->n || idle->ns[at] != gap_ns ||
		    early->io[i].offset_ns >= busy_ns)
			return false;
		last = gap_ns;
	}
	return true;
}

/* Whether there are I/Os enough to end idle times and to be early. */
static bool are_enough(const struct ssdpm_gaps *gaps)
{
	uint64_t n_ios;

	return sum_up(gaps->intake.n_ios, SSDPM_N_OPS, INT64_MAX, &n_ios) &&
	       gaps->idle.n - gaps->silent.n + gaps->early.n <= n_ios;
}

/* Checks the properties that every trace leads to. */
static int check_all(const struct ssdpm_gaps *gaps, struct ssdpm_error *reterr)
{
	uint64_t idle_ns, busy_ns, ns;
	const char *what = NULL;

	if (!is_ascending(&gaps->idle) || !is_ascending(&gaps->silent))
		what = "an idle time is 0, or shorter than the one before it";
	else if (!sum_up(gaps->idle.ns, gaps->idle.n, UINT64_MAX, &idle_ns) ||
		 !sum_up(gaps->flow.busy_ns, SSDPM_N_OPS, UINT64_MAX,
			 &busy_ns) ||
		 !sum_up((const uint64_t[]){ gaps->start_ns, busy_ns, idle_ns,
					     gaps->end_idle_ns },
			 4, UINT64_MAX, &ns))
		what = "the times together are beyond 2^64 ns";
	else if (!are_among(&gaps->silent, &gaps->idle))
		what = "a continued record ends an idle time that is none";
	else if (!can_be_early(&gaps->early, &gaps->idle, busy_ns))
		what = "an I/O that may wait for a wake is out of its order, "
		       "follows no idle time, or starts after all work";
	else if (!are_enough(gaps))
		what = "there are fewer I/Os than end idle times, or too many";
	if (!what)
		return 0;
	return ssdpm__fail(reterr, -EINVAL, 0,
			   "gaps: no trace is like this: %s", what);
}

int ssdpm_gaps_from_data(const void *data, size_t size,
			 struct ssdpm_gaps **ret_gaps,
			 struct ssdpm_error *reterr)
{
	struct ssdpm_gaps *gaps;
	struct head head;
	int err = read_head(data, size, &head, reterr);

	if (!err)
		err = ssdpm_gaps_new(NULL, &gaps, reterr);
	if (err)
		return err;
	err = read_all((const uint8_t *)data + HEAD_BYTES, &head, gaps, reterr);
	if (!err)
		err = check_all(gaps, reterr);
	if (err)
		ssdpm_gaps_unref(gaps);
	else
		*ret_gaps = gaps;
	return err;
}
