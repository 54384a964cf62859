/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include <math.h>

/* What fits an int64_t, and is exact enough there. */
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

void json_scaled(struct json_writer *w, const char *key, double value,
		 double scale)
{
	if (fits(value * scale))
		ssdpm__json_int(w, key, rounded(value * scale));
	else
		ssdpm__json_null(w, key);
}

/* The words of each remark, before how often. */
static const struct remark {
	uint32_t bit;
	const char *name;
	const char *words;
} remarks[] = {
	{ SSDPM_SIGNAL_NOT_FINITE, "not-finite",
	  "no finite number, and left out" },
	{ SSDPM_SIGNAL_NEGATIVE, "negative",
	  "below 0 (are the leads swapped?)" },
	{ SSDPM_SIGNAL_CONSTANT, "constant",
	  "all the same (is anything connected?)" },
	{ SSDPM_SIGNAL_SATURATED, "saturated",
	  "at the largest value (was the instrument at its limit?)" },
	{ SSDPM_SIGNAL_DUPLICATES, "duplicates",
	  "at the time of the one before, which does not count" },
	{ SSDPM_SIGNAL_BACKWARDS, "backwards",
	  "earlier than the one before (a clock that jumped, or columns "
	  "mistaken for each other)" },
	{ SSDPM_SIGNAL_GAPS, "gaps",
	  "after a gap, over which no energy is counted" },
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
	printf("  %s to %s, %s %s\n", watts_text(e->min_power_w).text,
	       watts_text(e->max_power_w).text, count_text(e->n).text,
	       e->n == 1 ? "sample" : "samples");
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
		printf("  the counter began anew %s %s\n",
		       count_text(a->counts.n_wraps).text,
		       a->counts.n_wraps == 1 ? "time" : "times");
	if (a->counts.n_resets)
		printf("  the counter fell %s %s: if it began anew, name "
		       "--counter\n",
		       count_text(a->counts.n_resets).text,
		       a->counts.n_resets == 1 ? "time" : "times");
}

void write_energy(struct json_writer *w, const struct energy_answer *a)
{
	const struct ssdpm_energy *e = &a->energy;

	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "schema", "ssdpm.energy/1");
	ssdpm__json_string(w, "file", a->name);
	ssdpm__json_uint(w, "n_lines", a->counts.n_lines);
	ssdpm__json_uint(w, "n_wraps", a->counts.n_wraps);
	ssdpm__json_uint(w, "n_resets", a->counts.n_resets);
	ssdpm__json_uint(w, "n", e->n);
	ssdpm__json_uint(w, "n_not_finite", e->n_not_finite);
	ssdpm__json_uint(w, "n_negative", e->n_negative);
	ssdpm__json_uint(w, "n_duplicates", e->n_duplicates);
	ssdpm__json_uint(w, "n_backwards", e->n_backwards);
	ssdpm__json_uint(w, "n_gaps", e->n_gaps);
	ssdpm__json_uint(w, "n_at_max", e->n_at_max);
	ssdpm__json_uint(w, "gap_ns", e->gap_ns);
	ssdpm__json_uint(w, "covered_ns", e->covered_ns);
	ssdpm__json_uint(w, "min_step_ns", e->min_step_ns);
	ssdpm__json_uint(w, "max_step_ns", e->max_step_ns);
	json_scaled(w, "energy_nj", e->energy_j, 1e9);
	json_scaled(w, "low_nj", e->low_j, 1e9);
	json_scaled(w, "high_nj", e->high_j, 1e9);
	if (a->has_counter)
		json_scaled(w, "counter_nj", a->counter_j, 1e9);
	else
		ssdpm__json_null(w, "counter_nj");
	json_scaled(w, "mean_power_uw", e->mean_power_w, 1e6);
	json_scaled(w, "min_power_uw", e->min_power_w, 1e6);
	json_scaled(w, "max_power_uw", e->max_power_w, 1e6);
	ssdpm__json_begin(w, "remarks", '[');
	w->one_line = true;
	for (size_t i = 0; i < N_REMARKS; i++)
		if (e->remarks & remarks[i].bit)
			ssdpm__json_string(w, NULL, remarks[i].name);
	write_sampling_remarks(w, &a->sampling);
	ssdpm__json_end(w, ']');
	write_sampling(w, &a->sampling);
	ssdpm__json_end(w, '}');
}

static const char *method_name(const struct ssdpm_baseline *b)
{
	return b->method == SSDPM_BASELINE_WINDOW ? "window" : "half-sample";
}

static void print_level(const struct baseline_answer *a)
{
	const struct ssdpm_baseline *b = &a->baseline;

	printf("%s: %s when idle, sigma %s, from %s %s%s\n", a->name,
	       watts_text(b->level_w).text, watts_text(b->sigma_w).text,
	       count_text(b->n).text, b->n == 1 ? "sample" : "samples",
	       b->method == SSDPM_BASELINE_WINDOW ?
		       "" :
		       "; no window was named: the lowest level that stands "
		       "out");
}

static void write_level(struct json_writer *w, const struct ssdpm_baseline *b)
{
	ssdpm__json_string(w, "method", method_name(b));
	json_scaled(w, "level_uw", b->level_w, 1e6);
	json_scaled(w, "mad_uw", b->mad_w, 1e6);
	json_scaled(w, "sigma_uw", b->sigma_w, 1e6);
	json_scaled(w, "quantum_uw", b->quantum_w, 1e6);
	ssdpm__json_uint(w, "n", b->n);
}

static uint64_t length_ns(const struct ssdpm_activity *a)
{
	return (uint64_t)a->end_ns - (uint64_t)a->begin_ns;
}

static void make_row(const void *data, size_t number, struct row *row)
{
	static const char *const head[] = { "from",	  "for",  "energy",
					    "above idle", "peak", "" };
	const struct baseline_answer *answer = data;

	for (size_t i = 0; !number && i < 6; i++)
		row_cell(row, i, "%s", head[i]);
	if (!number)
		return;
	const struct ssdpm_activity *a = &answer->activities[number - 1];
	row_cell(row, 0, "%s%s", a->begin_ns < 0 ? "-" : "",
		 time_text(a->begin_ns < 0 ? -(uint64_t)a->begin_ns :
					     (uint64_t)a->begin_ns)
			 .text);
	row_cell(row, 1, "%s", time_text(length_ns(a)).text);
	row_cell(row, 2, "%s", joules_text(a->energy_j).text);
	row_cell(row, 3, "%s", joules_text(a->extra_j).text);
	row_cell(row, 4, "%s", watts_text(a->peak_w).text);
	row_cell(row, 5, "%s",
		 a->open == 3 ? "cut off at both ends" :
		 a->open == 2 ? "cut off at the end" :
		 a->open == 1 ? "had begun before" :
				"");
}

void print_baseline(const struct baseline_answer *a)
{
	print_level(a);
	print_sampling(&a->sampling);
	if (a->n_activities)
		print_rows(">>>>><", make_row, a, a->n_activities + 1);
	else
		puts("  nothing is above it");
}

void write_baseline(struct json_writer *w, const struct baseline_answer *a)
{
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "schema", "ssdpm.baseline/1");
	ssdpm__json_string(w, "file", a->name);
	write_level(w, &a->baseline);
	write_sampling(w, &a->sampling);
	ssdpm__json_begin(w, "runs", '[');
	for (size_t i = 0; i < a->n_activities; i++) {
		const struct ssdpm_activity *run = &a->activities[i];

		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_int(w, "begin_ns", run->begin_ns);
		ssdpm__json_int(w, "end_ns", run->end_ns);
		json_scaled(w, "energy_nj", run->energy_j, 1e9);
		json_scaled(w, "extra_nj", run->extra_j, 1e9);
		json_scaled(w, "peak_uw", run->peak_w, 1e6);
		ssdpm__json_uint(w, "open", run->open);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
	ssdpm__json_end(w, '}');
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
	printf("  idle, it works %s %s by itself, %s on average",
	       count_text(work->n).text, work->n == 1 ? "time" : "times",
	       watts_text(work->mean_extra_w).text);
	printf("; in the middle %s for %s\n", joules_text(work->extra_j).text,
	       time_text(work->duration_ns).text);
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

static void write_tail(struct json_writer *w, const struct baseline_answer *a)
{
	if (!a->has_tail) {
		ssdpm__json_null(w, "tail");
		return;
	}
	ssdpm__json_begin(w, "tail", '{');
	ssdpm__json_int(w, "end_ns", a->tail.end_ns);
	ssdpm__json_uint(w, "duration_ns", a->tail.duration_ns);
	json_scaled(w, "extra_nj", a->tail.extra_j, 1e9);
	json_scaled(w, "sigma_nj", a->tail.sigma_j, 1e9);
	ssdpm__json_bool(w, "open", a->tail.open);
	ssdpm__json_uint(w, "n", a->tail.n);
	ssdpm__json_end(w, '}');
}

void write_background(struct json_writer *w, const struct baseline_answer *a)
{
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "schema", "ssdpm.background/1");
	ssdpm__json_string(w, "file", a->name);
	write_level(w, &a->baseline);
	write_sampling(w, &a->sampling);
	write_tail(w, a);
	if (!a->has_work) {
		ssdpm__json_null(w, "work");
		ssdpm__json_end(w, '}');
		return;
	}
	ssdpm__json_begin(w, "work", '{');
	ssdpm__json_uint(w, "n", a->work.n);
	ssdpm__json_bool(w, "regular", a->work.regular);
	ssdpm__json_uint(w, "period_ns", a->work.period_ns);
	ssdpm__json_uint(w, "period_mad_ns", a->work.period_mad_ns);
	ssdpm__json_uint(w, "duration_ns", a->work.duration_ns);
	json_scaled(w, "extra_nj", a->work.extra_j, 1e9);
	json_scaled(w, "extra_mad_nj", a->work.extra_mad_j, 1e9);
	json_scaled(w, "mean_extra_uw", a->work.mean_extra_w, 1e6);
	ssdpm__json_end(w, '}');
	ssdpm__json_end(w, '}');
}
