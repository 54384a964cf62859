/* SPDX-License-Identifier: MIT */
/* What --power-cap answers: tables, CSV and JSON. */
#include "input/power-cap.h"

#include "options/numbers.h"
#include "options/units.h"
#include "work/comparison.h"

#include <inttypes.h>

struct number cap_text(uint64_t cap_uw)
{
	struct number none = { "none" };

	return cap_uw == SSDPM_CAP_NONE ? none : power_text((int64_t)cap_uw);
}

static void cap_row(struct table *rows, const char *name,
		    const struct ssdpm_span *span,
		    struct number (*text)(double value))
{
	table_row(rows, name, text(span->low).text, text(span->nominal).text,
		  text(span->high).text);
}

/* All of them are below 2^53. */
static uint64_t whole(double value)
{
	return (uint64_t)(value + 0.5);
}

static struct number share_of(double share)
{
	return share_text(whole(share * WHOLE_PPM), WHOLE_PPM);
}

static struct number power_of(double uw)
{
	return power_text((int64_t)whole(uw));
}

static struct number rate_of(double bytes_per_s)
{
	return value_text(SSDPM_PARAMETER_BANDWIDTH, whole(bytes_per_s));
}

static double energy_nj(const struct ssdpm_cap_point *point, double power_uw)
{
	return power_uw * (double)point->duration_ns / WHOLE_PPM;
}

static struct cell span_text(const struct ssdpm_span *span,
			     struct number (*text)(double value))
{
	if (span->low == span->high)
		return cell("%s", text(span->nominal).text);
	return cell("%s (%s..%s)", text(span->nominal).text,
		    text(span->low).text, text(span->high).text);
}

static const char *limit_word(const struct ssdpm_cap_point *point)
{
	const char *word = ssdpm_cap_limit_to_string(point->limit);

	return word ? word : "-";
}

static void add_point(struct table *rows, const struct ssdpm_cap_point *point)
{
	const struct number cap = cap_text(point->cap_uw);
	const double nj = energy_nj(point, point->power_uw.nominal);

	if (point->duration_ns)
		table_row(rows, "", time_text(point->start_ns).text,
			  time_text(point->duration_ns).text, cap.text,
			  span_text(&point->bytes_per_s, rate_of).text,
			  span_text(&point->power_uw, power_of).text,
			  energy_text(whole(nj)).text, limit_word(point));
	else
		table_row(rows, "", "", "", cap.text, "not reached");
}

static void print_points(const struct cap_answer *answer)
{
	struct table rows;

	table_begin(&rows, "<>>>>>><", "", "from", "for", "cap", "throughput",
		    "mean power", "energy", "limited by");
	for (size_t i = 0; i < answer->n_points; i++)
		add_point(&rows, &answer->points[i]);
	table_print(&rows);
}

static struct cell mix_text(const struct cap_answer *answer)
{
	if (!answer->read_ppm)
		return cell("writes");
	if (answer->read_ppm == WHOLE_PPM)
		return cell("reads");
	return cell("%s of reads, %s of writes",
		    share_text(answer->read_ppm, WHOLE_PPM).text,
		    share_text(WHOLE_PPM - answer->read_ppm, WHOLE_PPM).text);
}

static void print_mix(const struct cap_answer *answer,
		      const struct sim_options *options)
{
	printf("%s: %s of 128 KiB, as many as it can in PS%u\n",
	       answer->subject->drive->name, mix_text(answer).text,
	       options->operational_state);
	print_points(answer);
}

/* "under a power cap of 1 W in PS0: 12 of 10,000 I/Os take longer" */
static struct cell slowed_text(const struct cap_answer *answer,
			       const struct sim_options *options)
{
	const struct ssdpm_cap_run *run = &answer->run;

	return cell("under %s%s in PS%u: %s of %s I/Os take longer",
		    answer->changes ? "power caps that change" :
				      "a power cap of ",
		    answer->changes ? "" : cap_text(answer->lowest_uw).text,
		    options->operational_state, count_text(run->n_slowed).text,
		    count_text(run->n_ios).text);
}

/* The one under the lowest cap; of those that were reached. */
static const struct ssdpm_cap_point *lowest_point(
	const struct cap_answer *answer)
{
	const struct ssdpm_cap_point *lowest = answer->points;

	for (size_t i = 1; i < answer->n_points; i++)
		if (answer->points[i].duration_ns &&
		    answer->points[i].cap_uw < lowest->cap_uw)
			lowest = &answer->points[i];
	return lowest;
}

char *power_cap_verdict(const struct cap_answer *answer,
			const struct sim_options *options)
{
	const char *drive = answer->subject->drive->name;
	const struct ssdpm_cap_point *lowest = lowest_point(answer);
	char *text;
	int n;

	if (answer->estimate)
		n = asprintf(&text, "%s %s; it loses %s of the throughput.",
			     drive, slowed_text(answer, options).text,
			     span_text(&answer->run.loss_share, share_of).text);
	else
		n = asprintf(&text, "%s, %s under a cap of %s: %s.", drive,
			     mix_text(answer).text,
			     cap_text(lowest->cap_uw).text,
			     span_text(&lowest->bytes_per_s, rate_of).text);
	return n < 0 ? NULL : text;
}

static void print_run(const struct cap_answer *answer,
		      const struct sim_options *options)
{
	const struct ssdpm_cap_run *run = &answer->run;
	struct table rows;

	printf("\n  %s\n", slowed_text(answer, options).text);
	table_begin(&rows, "<>>>", "", "low", "nominal", "high");
	cap_row(&rows, "throughput lost", &run->loss_share, share_of);
	cap_row(&rows, "mean power", &run->power_uw, power_of);
	cap_row(&rows, "  99 % of the time at most", &run->p99_power_uw,
		power_of);
	cap_row(&rows, "  at most", &run->max_power_uw, power_of);
	cap_row(&rows, "mean power in PS0, no cap", &run->uncapped_power_uw,
		power_of);
	table_row(&rows, "added to I/Os, mean of all", "",
		  time_text(run->delay_mean_ns).text);
	table_row(&rows, "  of 99 % at most", "",
		  time_text(run->delay_p99_ns).text);
	table_row(&rows, "  at most", "", time_text(run->delay_max_ns).text);
	table_print(&rows);
	if (!answer->changes)
		return;
	putchar('\n');
	print_points(answer);
}

void print_power_caps(const struct cap_answer *answer,
		      const struct sim_options *options)
{
	if (answer->estimate)
		print_run(answer, options);
	else
		print_mix(answer, options);
}

static void print_span_csv(const struct ssdpm_span *span)
{
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", whole(span->low),
	       whole(span->nominal), whole(span->high));
}

void print_power_caps_csv(const struct cap_answer *answers, size_t n)
{
	puts("drive,trace,start_ns,duration_ns,cap_uw,low_bytes_per_s,"
	     "nominal_bytes_per_s,high_bytes_per_s,low_power_uw,"
	     "nominal_power_uw,high_power_uw,nominal_energy_nj,limit");
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < answers[i].n_points; j++) {
			const struct ssdpm_cap_point *p = &answers[i].points[j];
			const struct estimate *e = answers[i].estimate;
			double nj = energy_nj(p, p->power_uw.nominal);

			csv_text(answers[i].subject->drive->name, ',');
			csv_text(e ? e->trace : "", ',');
			printf("%" PRIu64 ",%" PRIu64 ",", p->start_ns,
			       p->duration_ns);
			if (p->cap_uw != SSDPM_CAP_NONE)
				printf("%" PRIu64, p->cap_uw);
			putchar(',');
			print_span_csv(&p->bytes_per_s);
			print_span_csv(&p->power_uw);
			printf("%" PRIu64 ",%s\n", whole(nj),
			       p->limit ? limit_word(p) : "");
		}
}

void add_mix(struct items *items, const struct cap_answer *answer)
{
	struct ssdpm_cap_stream streams[2];
	const struct ssdpm_cap_report report = {
		.size = sizeof(report),
		.drive = answer->subject->drive->name,
		.model = answer->subject->drive->model,
		.streams = streams,
		.n_streams = 2,
		.points = answer->points,
		.n_points = answer->n_points,
	};
	struct ssdpm_error error;
	char *text = NULL;
	int err;

	cap_streams(answer, streams);
	err = ssdpm_cap_report_to_json(&report, &text, &error);
	add_item(items, err, text, &error);
}
