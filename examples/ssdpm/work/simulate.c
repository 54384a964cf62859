/* SPDX-License-Identifier: MIT */
#include "work/simulate.h"

#include "options/numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct ssdpm_sim_params sim_params_of(const struct plan *plan,
				      const struct subject *subject)
{
	const struct sim_options *options = plan->sim_options;
	struct ssdpm_sim_params params;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.parameters = subject->parameters;
	params.n_parameters = subject->n_parameters;
	if (options->loop)
		params.loop = options->loop;
	params.pcie_link = find_link(options, subject->drive);
	params.flags = options->flags;
	params.operational_state = options->operational_state;
	params.interval_ns = plan->interval_ns;
	return params;
}

uint64_t all_ios(const struct ssdpm_run *run)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < SSDPM_N_OPS; i++)
		sum += run->n_ios[i];
	return sum;
}

uint64_t end_on_clock(const struct sim_options *options, uint64_t start_ns)
{
	if (!options->end_ns)
		return 0;
	return start_ns > UINT64_MAX - options->end_ns ?
		       UINT64_MAX :
		       start_ns + options->end_ns;
}

void note_last(const struct ssdpm_io *ios, size_t n, uint64_t *last_ns)
{
	for (size_t i = 0; i < n; i++)
		if (ios[i].start_ns + ios[i].service_ns > *last_ns)
			*last_ns = ios[i].start_ns + ios[i].service_ns;
}

/* The library simulates to the last completion at least. */
void say_end(const struct plan *plan, const struct trace_input *input,
	     uint64_t last_ns)
{
	const uint64_t end_ns =
		end_on_clock(plan->sim_options, input->start_ns);

	if (!plan->common->quiet && end_ns && end_ns < last_ns)
		remark("%s: --end is before the last completion, at %s: all "
		       "I/Os are simulated",
		       input->name, time_text(last_ns - input->start_ns).text);
}

/* An option for a drive is wrong, or the drive cannot do it. */
static enum exit_status complain_of_drive(const struct subject *subject,
					  const struct policy *policy,
					  const struct ssdpm_error *error)
{
	complain("%s, %s: %s", subject->drive->name, policy->name,
		 error->message);
	if (error->code == -EOPNOTSUPP)
		return STATUS_DEVICE_CANNOT;
	return STATUS_FAILED;
}

static void look_at_row(struct estimate *estimate, size_t index)
{
	struct ssdpm_compared_policy *row = &estimate->jobs[index].row;

	row->size = sizeof(*row);
	ssdpm_comparison_get_row(estimate->comparison, index, row);
}

bool is_merged(const struct estimate *estimate, size_t index)
{
	return estimate->jobs[index].row.same_as != index;
}

static enum exit_status want_timeline(struct job *job)
{
	job->timeline = calloc(1, sizeof(*job->timeline));
	if (!job->timeline)
		return out_of_memory();
	ssdpm_sim_set_change_fn(job->row.sim, timeline_change, job->timeline);
	return STATUS_DONE;
}

/* A policy that people compare and that cannot be for this drive is no fault.
 */
static enum exit_status add_job(const struct plan *plan,
				const struct policy *policy,
				struct estimate *estimate)
{
	const struct subject *subject = estimate->subject;
	const struct drive *drive = subject->drive;
	struct job *job = &estimate->jobs[estimate->n_jobs];
	bool required = policy < plan->policies + plan->n_required;
	const struct ssdpm_policy what =
		policy_with_quirks(policy, &subject->quirks);
	struct ssdpm_error error;

	if (!policy_fits(policy, drive, required && !plan->by_kind))
		return required && !plan->by_kind ? STATUS_DEVICE_CANNOT :
						    STATUS_DONE;
	if (ssdpm_comparison_add(estimate->comparison, policy->name, &what,
				 &error)) {
		if (required)
			return complain_of_drive(subject, policy, &error);
		if (plan->common->verbose)
			complain_of_drive(subject, policy, &error);
		return STATUS_DONE;
	}
	job->policy = policy;
	look_at_row(estimate, estimate->n_jobs++);
	if (is_merged(estimate, estimate->n_jobs - 1) || !plan->timelines ||
	    estimate->is_alone)
		return STATUS_DONE;
	return want_timeline(job);
}

static enum exit_status start_estimate(const struct plan *plan,
				       const char *trace,
				       const struct subject *subject,
				       struct estimate *estimate)
{
	struct ssdpm_sim_params params = sim_params_of(plan, subject);
	const struct ssdpm_device_settings settings =
		settings_with_quirks(subject->drive, &subject->quirks);
	enum exit_status status = STATUS_DONE;

	params.flags |= SSDPM_SIM_LIKELY;
	estimate->trace = trace;
	estimate->subject = subject;
	estimate->jobs = calloc(plan->n_policies, sizeof(*estimate->jobs));
	if (!estimate->jobs ||
	    ssdpm_comparison_new(subject->drive->model, &params, &settings,
				 &estimate->comparison, NULL))
		return out_of_memory();
	for (size_t i = 0; i < plan->n_policies && !status; i++)
		if (!estimate->is_alone || !estimate->n_jobs)
			status = add_job(plan, &plan->policies[i], estimate);
	return status;
}

static enum exit_status feed_all(const struct trace_input *input,
				 struct estimate *estimates, size_t n,
				 const struct ssdpm_io *ios, size_t n_ios)
{
	struct ssdpm_error error;

	for (size_t i = 0; i < n; i++)
		if (ssdpm_comparison_feed(estimates[i].comparison, ios, n_ios,
					  &error))
			return complain_of_trace(input, &error);
	return STATUS_DONE;
}

static enum exit_status finish_all(const struct trace_input *input,
				   struct estimate *estimates, size_t n,
				   uint64_t end_ns)
{
	struct ssdpm_error error;

	for (size_t i = 0; i < n; i++) {
		if (ssdpm_comparison_finish(estimates[i].comparison, end_ns,
					    &error))
			return complain_of_trace(input, &error);
		for (size_t j = 0; j < estimates[i].n_jobs; j++)
			look_at_row(&estimates[i], j);
	}
	return STATUS_DONE;
}

enum exit_status keep_ios(struct records *records, const struct ssdpm_io *ios,
			  size_t n)
{
	size_t capacity = 2 * records->capacity + n;
	struct ssdpm_io *more;

	if (records->capacity - records->n < n) {
		more = reallocarray(records->ios, capacity, sizeof(*more));
		if (!more)
			return out_of_memory();
		records->ios = more;
		records->capacity = capacity;
	}
	memcpy(records->ios + records->n, ios, n * sizeof(*ios));
	records->n += n;
	return STATUS_DONE;
}

/* The trace goes by once, past all drives and policies. */
struct stream {
	const struct plan *plan;
	struct estimate *estimates;
	size_t n;
	uint64_t last_ns; /* when the last I/O completed, undelayed */
};

static enum exit_status take(void *data, struct trace_input *input,
			     const struct ssdpm_io *ios, size_t n)
{
	struct stream *s = data;
	enum exit_status status = feed_all(input, s->estimates, s->n, ios, n);

	note_last(ios, n, &s->last_ns);
	return status || !s->plan->records ? status :
					     keep_ios(s->plan->records, ios, n);
}

static enum exit_status stream(const struct plan *plan,
			       struct trace_input *input,
			       struct estimate *estimates, size_t n)
{
	struct stream s = { .plan = plan, .estimates = estimates, .n = n };
	enum exit_status status = stream_trace(input, take, &s);

	if (!status)
		status = finish_all(input, estimates, n,
				    input->begun ?
					    end_on_clock(plan->sim_options,
							 input->start_ns) :
					    0);
	if (!status)
		say_counts(plan->common, input);
	if (!status && input->begun)
		say_end(plan, input, s.last_ns);
	for (size_t i = 0; i < n; i++)
		estimates[i].counts = *ssdpm_trace_get_counts(input->trace);
	return status;
}

static enum exit_status run_trace(const struct plan *plan, const char *trace,
				  const struct estimates *all,
				  struct estimate *estimates)
{
	const size_t n = all->n_subjects + all->n_compared;
	enum exit_status status = STATUS_DONE;
	struct trace_input input;

	for (size_t i = 0; i < n && !status; i++) {
		estimates[i].is_alone = plan->only_first && i < all->n_subjects;
		status = start_estimate(plan, trace,
					&all->subjects[i % all->n_subjects],
					&estimates[i]);
	}
	if (!status)
		status = open_trace(plan->common, plan->trace_options, trace,
				    &input);
	if (status)
		return status;
	status = stream(plan, &input, estimates, n);
	close_trace(&input);
	return status;
}

enum exit_status find_subjects(const struct plan *plan,
			       const struct drives *drives,
			       struct subject **ret_subjects)
{
	struct subject *subjects = calloc(drives->n, sizeof(*subjects));
	struct measured_files measured = { 0 };
	struct quirk_rules rules = { 0 };
	enum exit_status status = STATUS_FAILED;

	if (subjects)
		status = check_sim_options(plan->common, plan->sim_options);
	else
		complain("out of memory");
	if (!status)
		status = read_quirk_rules(plan->quirk_options, &rules);
	if (!status)
		status = read_measured(&plan->sim_options->measured, &measured);
	for (size_t i = 0; i < drives->n && !status; i++) {
		struct subject *s = &subjects[i];

		s->drive = &drives->drives[i];
		status = find_quirks(plan->quirk_options, &rules, s->drive,
				     &s->quirks);
		if (!status && !plan->common->quiet && !plan->no_tables)
			complain_of_quirks(s->drive, &s->quirks, APST_QUIRKS,
					   false);
		if (!status)
			status = find_parameters(
				plan->sim_options, plan->common, &measured,
				s->drive, s->parameters, &s->n_parameters,
				&s->background);
	}
	if (!status && !plan->one_of_many)
		status = check_measured(&measured);
	free_measured(&measured);
	free(rules.text);
	*ret_subjects = subjects;
	return status;
}

enum exit_status run_plan(const struct plan *plan, const struct drives *drives,
			  const char *const *traces, size_t n_traces,
			  struct estimates *ret)
{
	enum exit_status status;

	*ret = (struct estimates){ .n_subjects = drives->n,
				   .n = n_traces * drives->n };
	ret->n_compared = plan->and_all ? ret->n : 0;
	status = find_subjects(plan, drives, &ret->subjects);
	if (status)
		return status;
	ret->estimates =
		calloc(ret->n + ret->n_compared, sizeof(*ret->estimates));
	if (!ret->estimates)
		return out_of_memory();
	for (size_t i = 0; i < n_traces && !status; i++)
		status = run_trace(plan, traces[i], ret,
				   &ret->estimates[i * drives->n]);
	return status;
}

struct estimates compared_of(const struct estimates *all)
{
	struct estimates compared = *all;

	if (all->n_compared)
		compared.estimates += all->n;
	compared.n = all->n_compared;
	return compared;
}

void free_estimates(struct estimates *all)
{
	for (size_t i = 0; all->estimates && i < all->n + all->n_compared;
	     i++) {
		struct estimate *estimate = &all->estimates[i];

		for (size_t j = 0; j < estimate->n_jobs; j++)
			free(estimate->jobs[j].timeline);
		free(estimate->jobs);
		ssdpm_comparison_free(estimate->comparison);
	}
	free(all->estimates);
	free(all->subjects);
	*all = (struct estimates){ 0 };
}
