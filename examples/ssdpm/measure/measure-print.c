/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MANY_STRETCHES 20

/* A value that fits an int64_t, and is exact enough there. */
static bool fits(double value)
{
	return value > -9e18 && value < 9e18;
}

static int64_t rounded(double value)
{
	return (int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

struct number joules_text(double joules)
{
	struct number text = { "unknown" }, of;
	double nj = joules < 0 ? -joules * 1e9 : joules * 1e9;

	if (!fits(nj))
		return text;
	of = energy_text((uint64_t)rounded(nj));
	snprintf(text.text, sizeof(text.text), "%s%.28s", joules < 0 ? "-" : "",
		 of.text);
	return text;
}

struct number watts_text(double watts)
{
	return fits(watts * 1e6) ? power_text(rounded(watts * 1e6)) :
				   (struct number){ "unknown" };
}

/* The words of each remark, before how often. */
static const struct remark {
	uint32_t bit;
	const char *words;
} remarks[] = {
	{ SSDPM_SIGNAL_NOT_FINITE, "no finite number, and left out" },
	{ SSDPM_SIGNAL_NEGATIVE, "below 0 (are the leads swapped?)" },
	{ SSDPM_SIGNAL_CONSTANT, "all the same (is anything connected?)" },
	{ SSDPM_SIGNAL_SATURATED,
	  "at the largest value (was the instrument at its limit?)" },
	{ SSDPM_SIGNAL_DUPLICATES,
	  "at the time of the one before, which does not count" },
	{ SSDPM_SIGNAL_BACKWARDS,
	  "earlier than the one before (a clock that jumped, or columns "
	  "mistaken for each other)" },
	{ SSDPM_SIGNAL_GAPS, "after a gap, over which no energy is counted" },
};

#define N_REMARKS (sizeof(remarks) / sizeof(remarks[0]))

static uint64_t count_of(const struct ssdpm_energy *e, uint32_t remark)
{
	switch (remark) {
	case SSDPM_SIGNAL_NOT_FINITE:
		return e->n_not_finite;
	case SSDPM_SIGNAL_NEGATIVE:
		return e->n_negative;
	case SSDPM_SIGNAL_DUPLICATES:
		return e->n_duplicates;
	case SSDPM_SIGNAL_BACKWARDS:
		return e->n_backwards;
	case SSDPM_SIGNAL_GAPS:
		return e->n_gaps;
	default:
		return e->n_at_max;
	}
}

void print_energy(const struct energy_answer *a)
{
	const struct ssdpm_energy *e = &a->energy;

	printf("%s: %s", a->name, joules_text(e->energy_j).text);
	if (a->has_tolerance)
		printf(" (%s to %s)", joules_text(e->low_j).text,
		       joules_text(e->high_j).text);
	printf(" in %s, %s on average\n", time_text(e->covered_ns).text,
	       watts_text(e->mean_power_w).text);
	printf("  %s to %s, %s\n", watts_text(e->min_power_w).text,
	       watts_text(e->max_power_w).text, counted(e->n, "sample").text);
	for (size_t i = 0; i < N_REMARKS; i++)
		if (e->remarks & remarks[i].bit)
			printf("  %s: %s\n", remarks[i].words,
			       count_text(count_of(e, remarks[i].bit)).text);
	print_sampling(&a->sampling);
	if (e->gap_ns)
		printf("  the gaps are %s\n", time_text(e->gap_ns).text);
	if (a->has_counter)
		printf("  the counter of the meter says %s\n",
		       joules_text(a->counter_j).text);
	if (a->counts.n_wraps)
		printf("  the counter began anew %s\n",
		       counted(a->counts.n_wraps, "time").text);
	if (a->counts.n_resets)
		printf("  the counter fell %s: if it began anew, name "
		       "--counter\n",
		       counted(a->counts.n_resets, "time").text);
}

/* An item of the list, from what the library wrote. */
static void add_report(struct items *items,
		       int (*to_json)(const struct ssdpm_power_report *report,
				      char **ret_text,
				      struct ssdpm_error *reterr),
		       const struct ssdpm_power_report *report)
{
	struct ssdpm_error error;
	char *text = NULL;
	int err = to_json(report, &text, &error);

	add_item(items, err, text, &error);
}

void add_energy(struct items *items, const struct energy_answer *a)
{
	const struct ssdpm_power_report report = {
		.size = sizeof(report),
		.name = a->name,
		.counts = &a->counts,
		.energy = &a->energy,
		.counter_j = a->has_counter ? a->counter_j : NAN,
		.sampling = &a->sampling,
	};

	add_report(items, ssdpm_power_report_energy_to_json, &report);
}

static void print_level(const struct baseline_answer *a)
{
	const struct ssdpm_baseline *b = &a->baseline;

	printf("%s: %s when idle, sigma %s, from %s%s\n", a->name,
	       watts_text(b->level_w).text, watts_text(b->sigma_w).text,
	       counted(b->n, "sample").text,
	       b->method == SSDPM_BASELINE_WINDOW ?
		       "" :
		       "; no window was named: the lowest level that stands "
		       "out");
}

static uint64_t length_ns(const struct ssdpm_activity *a)
{
	return (uint64_t)a->end_ns - (uint64_t)a->begin_ns;
}

/* To find it among the samples. */
static struct cell moment_text(int64_t ns)
{
	const bool before = ns < 0;
	const uint64_t ms =
		((before ? -(uint64_t)ns : (uint64_t)ns) + 500000) / 1000000;

	return cell("%s%" PRIu64 ".%03" PRIu64 " s", before ? "-" : "",
		    ms / 1000, ms % 1000);
}

static void add_activity(struct table *rows, const struct ssdpm_activity *a)
{
	table_row(rows, moment_text(a->begin_ns).text,
		  time_text(length_ns(a)).text, joules_text(a->energy_j).text,
		  joules_text(a->extra_j).text, watts_text(a->peak_w).text,
		  a->open == 3 ? "cut off at both ends" :
		  a->open == 2 ? "cut off at the end" :
		  a->open == 1 ? "had begun before" :
				 "");
}

static int compare_peaks(const void *a, const void *b)
{
	const double one = ((const struct ssdpm_activity *)a)->peak_w;
	const double other = ((const struct ssdpm_activity *)b)->peak_w;

	return (one > other) - (one < other);
}

/* More stretches than a screen has lines are often noise. */
static void print_hint_of_floor(const struct baseline_answer *a)
{
	const size_t n = a->n_activities;
	struct ssdpm_activity *sorted;

	if (n <= MANY_STRETCHES)
		return;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return;
	memcpy(sorted, a->activities, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_peaks);
	print_paragraph(
		cell("%zu stretches; half of them peak at most %s above idle: "
		     "--floor POWER leaves out small ones",
		     n,
		     watts_text(sorted[n / 2].peak_w - a->baseline.level_w)
			     .text)
			.text,
		2, 4);
	free(sorted);
}

void print_baseline(const struct baseline_answer *a)
{
	struct table rows;

	print_level(a);
	print_sampling(&a->sampling);
	table_begin(&rows, ">>>>><", "from", "for", "energy", "above idle",
		    "peak", "");
	for (size_t i = 0; i < a->n_activities; i++)
		add_activity(&rows, &a->activities[i]);
	if (!table_print(&rows))
		puts("  nothing is above it");
	print_hint_of_floor(a);
}

/* Each of the two objects takes of it what it has. */
static struct ssdpm_power_report report_of(const struct baseline_answer *a)
{
	return (struct ssdpm_power_report){
		.size = sizeof(struct ssdpm_power_report),
		.name = a->name,
		.counter_j = NAN,
		.baseline = &a->baseline,
		.sampling = &a->sampling,
		.activities = a->activities,
		.n_activities = a->n_activities,
		.tail = a->has_tail ? &a->tail : NULL,
		.work = a->has_work ? &a->work : NULL,
	};
}

void add_baseline(struct items *items, const struct baseline_answer *a)
{
	const struct ssdpm_power_report report = report_of(a);

	add_report(items, ssdpm_power_report_baseline_to_json, &report);
}

static void print_tail(const struct ssdpm_tail *t)
{
	if (!t->duration_ns) {
		puts("  after the last completion it does nothing that can be "
		     "told");
		return;
	}
	printf("  after the last completion it works for %s%s: %s above idle, "
	       "+-%s\n",
	       time_text(t->duration_ns).text,
	       t->open ? ", and on when the samples end" : "",
	       joules_text(t->extra_j).text, joules_text(t->sigma_j).text);
}

static void print_work(const struct ssdpm_idle_work *work)
{
	if (!work->n) {
		puts("  idle, it does nothing by itself that can be told");
		return;
	}
	printf("  if nothing uses it, it works %s by itself: %s for %s in the median\n",
	       counted(work->n, "time").text, joules_text(work->extra_j).text,
	       time_text(work->duration_ns).text);
	printf("  this work adds %s to its mean power\n",
	       watts_text(work->mean_extra_w).text);
	if (work->regular)
		printf("  regularly, each %s (+-%s)\n",
		       time_text(work->period_ns).text,
		       time_text(work->period_mad_ns).text);
	else if (work->period_ns)
		puts("  not regularly");
}

void print_background(const struct baseline_answer *a)
{
	print_level(a);
	print_sampling(&a->sampling);
	if (a->has_tail)
		print_tail(&a->tail);
	if (a->has_work)
		print_work(&a->work);
}

void add_background(struct items *items, const struct baseline_answer *a)
{
	const struct ssdpm_power_report report = report_of(a);

	add_report(items, ssdpm_power_report_background_to_json, &report);
}

void print_sampling(const struct ssdpm_sampling *s)
{
	if (s->remarks & SSDPM_SIGNAL_HELD)
		printf("  its values repeat: measured every %s, not every "
		       "%s\n",
		       time_text(s->interval_ns).text,
		       time_text(s->step_ns).text);
	if (s->remarks & SSDPM_SIGNAL_SLOW)
		printf("  sampled every %s, slower than the events: %s of %s "
		       "are of two samples or fewer\n    sample at least every "
		       "%s; or are they spikes of the instrument?\n",
		       time_text(s->interval_ns).text,
		       count_text(s->n_short).text,
		       count_text(s->n_excursions).text,
		       time_text(s->advised_ns).text);
}

void complain_of_sampling(const char *name, const struct ssdpm_sampling *s)
{
	if (s->remarks & SSDPM_SIGNAL_HELD)
		remark("%s: its values repeat: measured every %s, not every "
		       "%s",
		       name, time_text(s->interval_ns).text,
		       time_text(s->step_ns).text);
	if (s->remarks & SSDPM_SIGNAL_SLOWER_THAN_IO)
		remark("%s: sampled every %s, too slow for the I/Os, which "
		       "come in stretches of %s (median). The result is "
		       "right only if each sample is the mean of its step; "
		       "sample at least every %s",
		       name, time_text(s->interval_ns).text,
		       time_text(s->busy_ns).text,
		       time_text(s->advised_ns).text);
}
