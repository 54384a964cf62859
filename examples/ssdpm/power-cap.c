/* SPDX-License-Identifier: MIT */
#include "power-cap.h"

#include "numbers.h"
#include "output.h"

#include <errno.h>

#define MILLION 1000000

enum exit_status run_power_cap(const struct plan *plan,
			       const struct estimate *estimate, uint64_t cap_uw,
			       struct ssdpm_cap_run *ret_run)
{
	const struct subject *subject = estimate->subject;
	const struct job *job = &estimate->jobs[0];
	struct ssdpm_sim_params params = sim_params_of(plan, subject);
	uint32_t kind = ssdpm_model_get_info(subject->drive->model)->kind;
	const struct ssdpm_cap_segment segment = { .cap_uw = cap_uw };
	struct ssdpm_error error;

	if (kind == SSDPM_KIND_NVME)
		params.apst = &job->resolved.table;
	else
		params.lpm = job->resolved.lpm;
	ret_run->size = sizeof(*ret_run);
	if (!ssdpm_cap_simulate(subject->drive->model, &params, &segment, 1,
				plan->records->ios, plan->records->n, ret_run,
				NULL, &error))
		return STATUS_DONE;
	complain("%s on %s, --power-cap %s: %s", subject->drive->name,
		 estimate->trace, power_text((int64_t)cap_uw).text,
		 error.message);
	return STATUS_FAILED;
}

static void cap_row(struct table *rows, const char *name,
		    const struct ssdpm_span *span,
		    struct number (*text)(double value))
{
	table_cell(rows, 0, "%s", name);
	table_cell(rows, 1, "%s", text(span->low).text);
	table_cell(rows, 2, "%s", text(span->nominal).text);
	table_cell(rows, 3, "%s", text(span->high).text);
	table_end_row(rows);
}

/* All of them are below 2^53. */
static uint64_t whole(double value)
{
	return (uint64_t)(value + 0.5);
}

static struct number share_of(double share)
{
	return share_text(whole(share * MILLION), MILLION);
}

static struct number power_of(double uw)
{
	return power_text((int64_t)whole(uw));
}

void print_power_cap(const struct ssdpm_cap_run *run, uint64_t cap_uw,
		     const struct sim_options *options)
{
	static struct table rows;

	printf("\n  under a power cap of %s in PS%u: %s of %s I/Os take longer\n",
	       power_text((int64_t)cap_uw).text, options->operational_state,
	       count_text(run->n_slowed).text, count_text(run->n_ios).text);
	rows = (struct table){ .n_columns = 4, .align = "<>>>" };
	table_cell(&rows, 1, "low");
	table_cell(&rows, 2, "nominal");
	table_cell(&rows, 3, "high");
	table_end_row(&rows);
	cap_row(&rows, "throughput lost", &run->loss_share, share_of);
	cap_row(&rows, "mean power", &run->power_uw, power_of);
	cap_row(&rows, "  99 % of the time at most", &run->p99_power_uw,
		power_of);
	cap_row(&rows, "  at most", &run->max_power_uw, power_of);
	cap_row(&rows, "mean power in PS0, no cap", &run->uncapped_power_uw,
		power_of);
	table_cell(&rows, 0, "added to I/Os, mean of all");
	table_cell(&rows, 2, "%s", time_text(run->delay_mean_ns).text);
	table_end_row(&rows);
	table_cell(&rows, 0, "  of 99 %% at most");
	table_cell(&rows, 2, "%s", time_text(run->delay_p99_ns).text);
	table_end_row(&rows);
	table_cell(&rows, 0, "  at most");
	table_cell(&rows, 2, "%s", time_text(run->delay_max_ns).text);
	table_end_row(&rows);
	table_print(&rows);
}

static void write_span(struct json_writer *w, const char *key,
		       const struct ssdpm_span *span, double scale)
{
	ssdpm__json_begin(w, key, '{');
	w->one_line = true;
	ssdpm__json_uint(w, "low", whole(span->low * scale));
	ssdpm__json_uint(w, "nominal", whole(span->nominal * scale));
	ssdpm__json_uint(w, "high", whole(span->high * scale));
	ssdpm__json_end(w, '}');
}

void write_power_cap(struct json_writer *w, const struct ssdpm_cap_run *run,
		     uint64_t cap_uw)
{
	ssdpm__json_begin(w, "power_cap", '{');
	ssdpm__json_uint(w, "cap_uw", cap_uw);
	ssdpm__json_uint(w, "duration_ns", run->duration_ns);
	ssdpm__json_uint(w, "uncapped_duration_ns", run->uncapped_duration_ns);
	ssdpm__json_uint(w, "interval_ns", run->interval_ns);
	ssdpm__json_uint(w, "n_ios", run->n_ios);
	ssdpm__json_uint(w, "n_slowed", run->n_slowed);
	ssdpm__json_uint(w, "delay_mean_ns", run->delay_mean_ns);
	ssdpm__json_uint(w, "delay_p99_ns", run->delay_p99_ns);
	ssdpm__json_uint(w, "delay_max_ns", run->delay_max_ns);
	write_span(w, "loss_ppm", &run->loss_share, MILLION);
	write_span(w, "power_uw", &run->power_uw, 1);
	write_span(w, "p99_power_uw", &run->p99_power_uw, 1);
	write_span(w, "max_power_uw", &run->max_power_uw, 1);
	write_span(w, "uncapped_power_uw", &run->uncapped_power_uw, 1);
	ssdpm__json_end(w, '}');
}
