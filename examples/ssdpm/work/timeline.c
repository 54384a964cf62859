/* SPDX-License-Identifier: MIT */
#include "work/simulate.h"

#include <inttypes.h>
#include <string.h>

#define FIRST_BIN_NS 1000

static void double_bins(struct timeline *t)
{
	for (size_t i = 0; i < TIMELINE_BINS; i++) {
		uint64_t sum[TIMELINE_CLASSES] = { 0 };

		for (size_t j = 2 * i; j < 2 * i + 2 && j < TIMELINE_BINS; j++)
			for (size_t k = 0; k < TIMELINE_CLASSES; k++)
				sum[k] += t->ns[j][k];
		memcpy(t->ns[i], sum, sizeof(sum));
	}
	t->bin_ns *= 2;
}

/* The present class goes on until then. */
static void advance(struct timeline *t, uint64_t until_ns)
{
	while (until_ns / TIMELINE_BINS >= t->bin_ns)
		double_bins(t);
	while (t->last_ns < until_ns) {
		uint64_t step_ns = t->bin_ns - t->last_ns % t->bin_ns;

		if (step_ns > until_ns - t->last_ns)
			step_ns = until_ns - t->last_ns;
		t->ns[t->last_ns / t->bin_ns][t->now] += step_ns;
		t->last_ns += step_ns;
	}
}

void timeline_change(void *userdata, uint64_t time_ns, uint32_t phase,
		     uint32_t state)
{
	struct timeline *t = userdata;

	if (!t->begun) {
		t->begun = true;
		t->start_ns = time_ns;
		t->bin_ns = FIRST_BIN_NS;
	}
	advance(t, time_ns - t->start_ns);
	if (phase == SSDPM_PHASE_BUSY)
		t->now = TIMELINE_BUSY;
	else if (phase == SSDPM_PHASE_IDLE)
		t->now = TIMELINE_IDLE;
	else if (phase == SSDPM_PHASE_RESIDENT)
		t->now = TIMELINE_ASLEEP + state;
	else if (phase == SSDPM_PHASE_END)
		t->now = TIMELINE_UNKNOWN;
	else
		t->now = TIMELINE_TRANSITION;
}

uint64_t timeline_ns(const struct timeline *t, uint32_t class)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TIMELINE_BINS; i++)
		sum += t->ns[i][class];
	return sum;
}

static void write_class(FILE *file, const char *key, const struct timeline *t,
			size_t n, uint32_t class)
{
	if (!timeline_ns(t, class))
		return;
	fprintf(file, ", \"%s\": [", key);
	for (size_t i = 0; i < n; i++)
		fprintf(file, "%s%" PRIu64, i ? ", " : "", t->ns[i][class]);
	putc(']', file);
}

void write_timeline(FILE *file, const struct timeline *t)
{
	size_t n = 0;

	if (!t) {
		fputs("null", file);
		return;
	}
	if (t->bin_ns)
		n = (size_t)(t->last_ns / t->bin_ns) +
		    (t->last_ns % t->bin_ns != 0);
	fprintf(file, "{\"bin_ns\": %" PRIu64 ", \"n\": %zu", t->bin_ns, n);
	write_class(file, "busy", t, n, TIMELINE_BUSY);
	write_class(file, "idle", t, n, TIMELINE_IDLE);
	write_class(file, "transition", t, n, TIMELINE_TRANSITION);
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		char key[8];

		snprintf(key, sizeof(key), "PS%u", i);
		write_class(file, key, t, n, TIMELINE_ASLEEP + i);
	}
	putc('}', file);
}
