/* SPDX-License-Identifier: MIT */
/*
 * A reading, and its text: how many counters there are, the identifier of the
 * boot, the microseconds since then, and a line for each counter. Old texts
 * have no such time.
 *
 *     ssdpm-suspend 1
 *     counters 1
 *     boot 5a9c...
 *     at 7200000000
 *     substate 1234 /sys/kernel/debug/pmc_core/substate_residencies S0i3.0
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "base/words.h"
#include "suspend/internal.h"

#define HEAD "ssdpm-suspend 1"
#define MAX_LINE 200

static const char sleep_counter_words[][16] = {
	[SSDPM_SLEEP_COUNTER_HARDWARE] = "hardware",
	[SSDPM_SLEEP_COUNTER_SYSTEM] = "system",
	[SSDPM_SLEEP_COUNTER_SLP_S0] = "slp-s0",
	[SSDPM_SLEEP_COUNTER_SUBSTATE] = "substate",
	[SSDPM_SLEEP_COUNTER_PACKAGE] = "package",
	[SSDPM_SLEEP_COUNTER_LAST] = "last",
	[SSDPM_SLEEP_COUNTER_SUCCESS] = "success",
	[SSDPM_SLEEP_COUNTER_FAIL] = "fail",
	[SSDPM_SLEEP_COUNTER_FAILED_DEVICE] = "failed-device",
	[SSDPM_SLEEP_COUNTER_ASLEEP] = "asleep",
	[SSDPM_SLEEP_COUNTER_BATTERY] = "battery",
	[SSDPM_SLEEP_COUNTER_WAKE_IRQ] = "wake-irq",
	[SSDPM_SLEEP_COUNTER_WAKE_SOURCE] = "wake-source",
	[SSDPM_SLEEP_COUNTER_D_STATE] = "d-state",
	[SSDPM_SLEEP_COUNTER_SIMPLE_SUSPEND] = "simple-suspend",
};
ENUM_WORDS(sleep_counter)

/* As much as there is room for; what is not printable ASCII becomes '?'. */
static void copy(char *to, size_t size, struct span from)
{
	size_t n = (size_t)(from.end - from.at);

	if (n >= size)
		n = size - 1;
	for (size_t i = 0; i < n; i++)
		to[i] = from.at[i] < ' ' || from.at[i] > '~' ? '?' : from.at[i];
	to[n] = '\0';
}

void ssdpm__reading_set_boot(struct ssdpm_suspend_reading *reading,
			     struct span boot)
{
	copy(reading->boot, sizeof(reading->boot), boot);
}

int ssdpm__reading_add(struct ssdpm_suspend_reading *reading, uint32_t counter,
		       struct span name, const char *source, uint64_t value)
{
	struct counter one = { .counter = counter, .value = value };
	const struct counter *known;

	copy(one.name, sizeof(one.name), name);
	copy(one.source, sizeof(one.source),
	     ssdpm__span(source, strlen(source)));
	known = ssdpm__reading_find(reading, &one);
	if (known) {
		reading->counters[known - reading->counters].value = value;
		return 0;
	}
	if (reading->n == MAX_COUNTERS)
		return -E2BIG;
	reading->counters[reading->n++] = one;
	return 0;
}

const struct counter *ssdpm__reading_find(
	const struct ssdpm_suspend_reading *reading, const struct counter *like)
{
	for (size_t i = 0; reading && i < reading->n; i++) {
		const struct counter *one = &reading->counters[i];

		if (one->counter == like->counter &&
		    !strcmp(one->name, like->name) &&
		    !strcmp(one->source, like->source))
			return one;
	}
	return NULL;
}

static bool parse_line(struct ssdpm_suspend_reading *reading, struct span line,
		       int *err)
{
	struct span word, source;
	char path[sizeof(((struct counter *)0)->source)];
	uint64_t value;
	uint32_t counter;

	if (ssdpm__take(&line, "boot ")) {
		ssdpm__reading_set_boot(reading, line);
		return true;
	}
	if (ssdpm__take(&line, "at "))
		return ssdpm__take_uint(&line, UINT64_MAX, &reading->at_us) &&
		       line.at == line.end;
	if (!ssdpm__take_word(&line, &word))
		return false;
	counter = ssdpm__span_value(word, ssdpm_sleep_counter_from_string);
	if (!counter || !ssdpm__take_uint(&line, UINT64_MAX, &value))
		return false;
	/* "kernel log" is a source too: a tab ends it. */
	source = line = ssdpm__span_trim(line);
	while (line.at < line.end && *line.at != '\t')
		line.at++;
	source.end = line.at;
	ssdpm__take(&line, "\t");
	if (source.at == source.end ||
	    !ssdpm__span_copy(source, path, sizeof(path)))
		return false;
	*err = ssdpm__reading_add(reading, counter, line, path, value);
	return true;
}

/* "counters 12": a text that was cut short has fewer. */
static bool take_count(struct span line, uint64_t *count)
{
	return ssdpm__take(&line, "counters ") &&
	       ssdpm__take_uint(&line, UINT64_MAX, count) &&
	       line.at == line.end;
}

static int parse(struct ssdpm_suspend_reading *reading, struct span text,
		 struct ssdpm_error *reterr)
{
	struct lines lines = { .rest = text };
	uint64_t count = UINT64_MAX;
	struct span line;
	uint32_t number = 1;
	int err = 0;

	if (!ssdpm__next_line(&lines, &line) || !ssdpm__span_is(line, HEAD))
		return ssdpm__fail(reterr, -EINVAL, 1,
				   "not a reading of ssdpm suspend --save");
	while (!err && ssdpm__next_line(&lines, &line)) {
		number++;
		if (number == 2 && take_count(line, &count))
			continue;
		if (!parse_line(reading, line, &err))
			return ssdpm__fail(reterr, -EINVAL, number,
					   "not a counter of sleep");
	}
	if (err)
		return ssdpm__fail(reterr, err, number, "more than %u counters",
				   MAX_COUNTERS);
	if (count != UINT64_MAX &&
	    (reading->n != count || text.end[-1] != '\n'))
		return ssdpm__fail(reterr, -EINVAL, number,
				   "it was cut short: save it again");
	/* The first line alone; a machine may have none, and says so. */
	if (!reading->n && count == UINT64_MAX)
		return ssdpm__fail(reterr, -EINVAL, number,
				   "it has no counter: save it again");
	return 0;
}

int ssdpm_suspend_reading_from_text(const char *text, size_t size,
				    struct ssdpm_suspend_reading **ret_reading,
				    struct ssdpm_error *reterr)
{
	struct ssdpm_suspend_reading *reading = calloc(1, sizeof(*reading));
	int err = reading ? parse(reading, ssdpm__span(text, size), reterr) :
			    ssdpm__no_memory(reterr);

	if (err)
		free(reading);
	else
		*ret_reading = reading;
	return err;
}

int ssdpm_suspend_reading_to_text(const struct ssdpm_suspend_reading *reading,
				  char **ret_text, struct ssdpm_error *reterr)
{
	const size_t size = (reading->n + 4) * MAX_LINE;
	char *text = malloc(size);
	size_t at;

	if (!text)
		return ssdpm__no_memory(reterr);
	at = (size_t)snprintf(text, size, HEAD "\ncounters %zu\n", reading->n);
	if (reading->boot[0])
		at += (size_t)snprintf(text + at, size - at, "boot %s\n",
				       reading->boot);
	if (reading->at_us)
		at += (size_t)snprintf(text + at, size - at, "at %" PRIu64 "\n",
				       reading->at_us);
	for (size_t i = 0; i < reading->n; i++) {
		const struct counter *one = &reading->counters[i];

		at += (size_t)snprintf(
			text + at, size - at, "%s %" PRIu64 " %s\t%s\n",
			ssdpm_sleep_counter_to_string(one->counter), one->value,
			one->source, one->name);
	}
	*ret_text = text;
	return 0;
}

struct ssdpm_suspend_reading *ssdpm_suspend_reading_free(
	struct ssdpm_suspend_reading *reading)
{
	free(reading);
	return NULL;
}
