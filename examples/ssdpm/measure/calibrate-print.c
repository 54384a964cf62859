/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include "work/comparison.h"
#include "text/output.h"

#include <math.h>

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static void print_clocks(const struct calibrate_answer *a)
{
	const struct ssdpm_calibration *c = &a->calibration;

	if (!c->offset_ns)
		fputs("  the first sample is of the time of the first I/O",
		      stdout);
	else
		printf("  the first sample is %s %s the first I/O",
		       time_text(magnitude(c->offset_ns)).text,
		       c->offset_ns < 0 ? "before" : "after");
	if (a->offset_given)
		puts(", as given");
	else
		printf(" (+-%s), as power and I/Os fit best\n",
		       time_text(c->offset_error_ns).text);
}

static const char *origin(const struct ssdpm_meter_traits *m, uint32_t trait)
{
	return m->known & trait		 ? "stated" :
	       trait == SSDPM_TRAIT_GAIN ? "assumed" :
					   "found";
}

static void print_trait(const struct ssdpm_meter_traits *m, uint32_t trait,
			const char *what, const char *value)
{
	printf(", %s %s (%s)", what, value, origin(m, trait));
}

/* A trait that was found to be 0 is none. */
static void print_meter(const struct ssdpm_meter_traits *m)
{
	const char *sampling = ssdpm_meter_sampling_to_string(m->sampling);

	printf("  meter: gain within %g%% (%s)", m->gain_ppm / 1e4,
	       origin(m, SSDPM_TRAIT_GAIN));
	if (sampling)
		print_trait(m, SSDPM_TRAIT_SAMPLING, "a sample is a", sampling);
	if (m->response_ns)
		print_trait(m, SSDPM_TRAIT_RESPONSE, "response",
			    time_text(m->response_ns).text);
	if (m->drift_uw)
		print_trait(m, SSDPM_TRAIT_DRIFT, "zero walks by",
			    watts_text((double)m->drift_uw * 1e-6).text);
	if (m->clock_ppb)
		print_trait(m, SSDPM_TRAIT_CLOCK, "clock slow by",
			    cell("%g ppm", m->clock_ppb / 1e3).text);
	putchar('\n');
}

static void print_head(const struct calibrate_answer *a)
{
	const struct ssdpm_calibration *c = &a->calibration;
	const struct ssdpm_overlay *o = &a->overlay;

	printf("%s%s%s: %s samples of %s, %s I/Os of %s\n",
	       a->subject->drive->name, *o->product ? ": " : "", o->product,
	       count_text(o->n_samples).text, o->power_name,
	       count_text(o->n_ios).text, o->trace_name);
	printf("  in force: %s", o->policy);
	if (o->kind == SSDPM_KIND_NVME && o->pcie_link)
		printf("; asleep with the link in %s",
		       ssdpm_pcie_link_to_string(o->pcie_link));
	if (!a->policy_given)
		fputs("; none was named", stdout);
	printf("\n  %s steps of %s, %s left out as spikes; noise %s",
	       count_text(c->n_bins).text, time_text(c->bin_ns).text,
	       count_text(c->n_spikes).text, watts_text(c->sigma_w).text);
	if (isfinite(c->drift_w))
		printf(", drift %s", watts_text(c->drift_w).text);
	putchar('\n');
	/* An instrument has one in 100. */
	if (c->n_spikes > c->n_bins / 50)
		puts("  more spikes than an instrument has: is it the policy "
		     "that was in force, and is --offset right?");
	print_clocks(a);
	print_meter(&c->meter);
}

static const struct ssdpm_parameter *stated(const struct subject *subject,
					    const struct ssdpm_measured *m)
{
	size_t i = 0;

	while (subject->parameters[i].kind != m->kind ||
	       subject->parameters[i].index != m->index)
		i++;
	return &subject->parameters[i];
}

/* An unknown value, NaN, becomes 0. */
static uint64_t rounded(double value)
{
	return isnan(value) ? 0 : (uint64_t)(value + 0.5);
}

static void add_row(struct table *rows, const struct subject *subject,
		    const struct ssdpm_measured *m)
{
	const struct ssdpm_parameter *p = stated(subject, m);
	const bool latency = m->kind == SSDPM_PARAMETER_EXIT_LATENCY;
	const bool known = m->status == SSDPM_MEASURED_KNOWN;
	double above = m->high - m->nominal, below = m->nominal - m->low;
	uint64_t error = rounded(above > below ? above : below);
	const bool one_value = p->low == p->high || m->stated < (double)p->high;

	table_row(
		rows, parameter_text(m->kind, m->index, m->index).text,
		value_text(m->kind, one_value ? p->nominal : p->low).text,
		one_value ?
			"" :
			cell("to %s", value_text(m->kind, p->high).text).text,
		known ? value_text(m->kind, rounded(m->nominal)).text : "",
		known ? value_text(m->kind, error).text : "",
		cell("%s %s", count_text(m->n).text, latency ? "I/Os" : "steps")
			.text,
		ssdpm_measured_status_to_string(m->status));
}

static void print_reasons(const struct calibrate_answer *a)
{
	for (size_t i = 0; i < a->calibration.n_measured; i++) {
		const struct ssdpm_measured *m = &a->measured[i];

		if (m->status != SSDPM_MEASURED_NOT_REACHED &&
		    !a->calibration.contradiction && *m->reason)
			printf("  %s: %s\n",
			       parameter_text(m->kind, m->index, m->index).text,
			       m->reason);
	}
}

static void print_not_reached(const struct calibrate_answer *a)
{
	const char *before = "  not in this run:";

	for (size_t i = 0; i < a->calibration.n_measured; i++) {
		const struct ssdpm_measured *m = &a->measured[i];

		if (m->status != SSDPM_MEASURED_NOT_REACHED)
			continue;
		printf("%s %s", before,
		       parameter_text(m->kind, m->index, m->index).text);
		before = ",";
	}
	if (*before == ',')
		putchar('\n');
}

/* The rows of the table are those that are in the run. */
void print_calibration(const struct calibrate_answer *a)
{
	struct table rows;

	print_head(a);
	table_begin(&rows, "<><>>><", "", "stated", "", "measured", "+-", "of",
		    "");
	for (size_t i = 0; i < a->calibration.n_measured; i++)
		if (a->measured[i].status != SSDPM_MEASURED_NOT_REACHED)
			add_row(&rows, a->subject, &a->measured[i]);
	table_print(&rows);
	print_not_reached(a);
	print_reasons(a);
}
