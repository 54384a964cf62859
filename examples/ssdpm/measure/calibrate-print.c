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

static uint64_t rounded(double value)
{
	return (uint64_t)(value + 0.5);
}

/* The rows of a table are those that are in the run. */
struct rows {
	const struct calibrate_answer *answer;
	size_t numbers[SSDPM_MAX_PARAMETERS];
	size_t n;
};

static void value_cells(struct row *row, const struct ssdpm_measured *m)
{
	double above = m->high - m->nominal, below = m->nominal - m->low;

	row_cell(row, 3, "%s", value_text(m->kind, rounded(m->nominal)).text);
	row_cell(row, 4, "%s",
		 value_text(m->kind, rounded(above > below ? above : below))
			 .text);
}

static void make_row(const void *data, size_t number, struct row *row)
{
	static const char *const head[] = { "",	  "stated", "", "measured",
					    "+-", "of",	    "" };
	const struct rows *rows = data;

	for (size_t i = 0; !number && i < 7; i++)
		row_cell(row, i, "%s", head[i]);
	if (!number)
		return;
	const struct ssdpm_measured *m =
		&rows->answer->measured[rows->numbers[number - 1]];
	const struct ssdpm_parameter *p = stated(rows->answer->subject, m);
	bool latency = m->kind == SSDPM_PARAMETER_EXIT_LATENCY;
	row_cell(row, 0, "%s",
		 parameter_text(m->kind, m->index, m->index).text);
	row_cell(row, 1, "%s", value_text(m->kind, p->low).text);
	if (p->high != p->low)
		row_cell(row, 2, "to %s", value_text(m->kind, p->high).text);
	row_cell(row, 5, "%s %s", count_text(m->n).text,
		 latency ? "I/Os" : "steps");
	row_cell(row, 6, "%s", ssdpm_measured_status_to_string(m->status));
	if (m->status == SSDPM_MEASURED_KNOWN)
		value_cells(row, m);
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

void print_calibration(const struct calibrate_answer *a)
{
	struct rows rows = { .answer = a };

	print_head(a);
	for (size_t i = 0; i < a->calibration.n_measured; i++)
		if (a->measured[i].status != SSDPM_MEASURED_NOT_REACHED)
			rows.numbers[rows.n++] = i;
	print_rows("<><>>><", make_row, &rows, rows.n + 1);
	print_not_reached(a);
	for (size_t i = 0; i < rows.n; i++) {
		const struct ssdpm_measured *m = &a->measured[rows.numbers[i]];

		if (*m->reason)
			printf("  %s: %s\n",
			       parameter_text(m->kind, m->index, m->index).text,
			       m->reason);
	}
}
