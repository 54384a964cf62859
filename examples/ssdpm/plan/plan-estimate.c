/* SPDX-License-Identifier: MIT */
/* plan --trace: what a plan saves on a workload, and what it adds to delays. */
#include "programs.h"
#include "work/comparison.h"
#include "options/numbers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE, AFTER, N_POLICIES };

/* A drive as it is and as it will be, on a workload. */
struct before_after {
	struct policy policies[N_POLICIES];
	struct estimates all;
};

struct saving_options {
	const char *trace; /* NULL: no estimate is wanted */
	struct trace_options trace_options;
	struct sim_options sim;
};

static struct saving_options the_saving;

static const struct option_spec trace_option[] = {
	{ "trace", 't', "TRACE",
	  "Predict savings and delays on a trace or workload.",
	  SETS_TEXT(struct saving_options, trace) },
};

static const struct option_group trace_group = {
	OPTIONS(trace_option),
	.title = "Saving",
};

const struct group_use plan_groups[N_PLAN_GROUPS] = {
	USE(&trace_group, &the_saving),
	USE(&plan_option_group, &the_plan_options),
	RARE_USE(&sim_option_group, &the_saving.sim),
	RARE_USE(&trace_option_group, &the_saving.trace_options),
};

enum exit_status check_saving(const struct common *common, bool both_sources,
			      size_t n)
{
	const struct saving_options *saving = &the_saving;

	if (!saving->trace)
		return STATUS_DONE;
	if (!strcmp(saving->trace, "-") && both_sources)
		return usage_error(common,
				   "--trace - is read once: for --both-sources "
				   "give a file");
	if (!strcmp(saving->trace, "-") && n != 1)
		return usage_error(common,
				   "--trace - is read once: name one TARGET");
	return check_trace_options(common, &saving->trace_options,
				   &saving->trace, 1);
}

/* The table of a capture is in a file, which may be one that nobody can read.
 */
static void find_cause(const struct drive *drive, struct ssdpm_error *error)
{
	struct ssdpm_error cause;
	struct ssdpm_apst table;
	int err;

	if (error->code != -EOPNOTSUPP || !drive->live->facts.capture)
		return;
	err = ssdpm_device_read_apst(drive->device, &table, &cause);
	if (err && err != -ENOENT && err != -EOPNOTSUPP)
		*error = cause;
}

/*
 * What the plan makes of a drive. Otherwise why says why it is not estimated;
 * "": the plan changes nothing of it that can be simulated.
 */
static bool find_policies(const struct ssdpm_plan *plan,
			  const struct drive *drive,
			  struct policy policies[N_POLICIES], char why[256],
			  int *ret_err)
{
	const struct ssdpm_device_settings today = find_settings(drive);
	struct ssdpm_error error;
	int err;

	policies[BEFORE] = (struct policy){ .name = "before" };
	policies[AFTER] = (struct policy){ .name = "after" };
	for (int i = BEFORE; i < N_POLICIES; i++)
		policies[i].what.size = sizeof(policies[i].what);
	why[0] = '\0';
	*ret_err = 0;
	if (!drive->model)
		return false;
	err = ssdpm_plan_get_policies(plan, drive->device, &today,
				      &policies[BEFORE].what,
				      &policies[AFTER].what, &error);
	if (err)
		find_cause(drive, &error);
	if (err && err != -ENOENT)
		snprintf(why, 256, "%s", error.message);
	*ret_err = err ? error.code : 0;
	return !err && is_estimated(drive, why);
}

/* One drive; the trace is read anew for each, for each has its own policies. */
static enum exit_status estimate_drive(struct work *work,
				       const struct saving_options *options,
				       const struct drive *drive)
{
	struct before_after *estimate = &work->estimates[work->n_estimates++];
	const struct quirk_options quirks = { 0 };
	const struct plan plan = {
		.common = work->common,
		.trace_options = &options->trace_options,
		.sim_options = &options->sim,
		.quirk_options = &quirks,
		.policies = estimate->policies,
		.n_policies = N_POLICIES,
		.n_required = N_POLICIES,
		.one_of_many = true,
	};
	const struct drives one = { .drives = (struct drive *)drive, .n = 1 };

	return run_plan(&plan, &one, &options->trace, 1, &estimate->all);
}

/* The simulation is of what a drive does when it has nothing to do. */
static void note_power_states(const struct work *work)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(work->plan, i, &step); i++) {
		if (step.kind != SSDPM_STEP_POWER_STATE)
			continue;
		remark("the power state is no part of the estimate: ssdpm "
		       "estimate --power-cap says what a cap costs");
		return;
	}
}

/* Other drives have their estimate; a missing right is the user's to mend. */
static void tell_why(struct work *work, const char *name, const char *why,
		     int err)
{
	if (err == -EACCES || err == -EPERM) {
		complain("%s: %s", name, why);
		work->unread = status_of_file(err);
	} else if (!work->common->quiet) {
		remark("%s: %s", name, why);
	}
}

enum exit_status estimate_work(struct work *work)
{
	const struct saving_options *options = &the_saving;
	enum exit_status status = STATUS_DONE;
	char why[256];
	int err;

	if (!options->trace)
		return STATUS_DONE;
	status = check_measured_of(&options->sim.measured, work->drives);
	if (status)
		return status;
	if (!work->common->quiet)
		note_power_states(work);
	work->estimates = calloc(work->drives->n + 1, sizeof(*work->estimates));
	if (!work->estimates)
		return out_of_memory();
	for (size_t i = 0; i < work->drives->n && !status; i++) {
		const struct drive *drive = &work->drives->drives[i];
		struct policy *policies =
			work->estimates[work->n_estimates].policies;

		if (find_policies(work->plan, drive, policies, why, &err))
			status = estimate_drive(work, options, drive);
		else if (why[0])
			tell_why(work, drive->name, why, err);
	}
	return status;
}

static void print_run(const char *name, const struct ssdpm_run *run)
{
	printf("    %-6s  %s; delay of an I/O %s on average, of 99 %% at most "
	       "%s\n",
	       name, power_text((int64_t)run->mean_power_uw).text,
	       time_text(run->delay_mean_ns).text,
	       time_text(run->delay_p99_ns).text);
}

/* "saves 49 mW (likely 12 to 130); an I/O waits 1 ms longer" */
static void print_difference(const struct ssdpm_likely *saving,
			     const struct ssdpm_run *before,
			     const struct ssdpm_run *after)
{
	uint64_t was = before->delay_mean_ns, is = after->delay_mean_ns;

	printf("    %s", saving_text(saving).text);
	if (is != was)
		printf("; an I/O waits %s %s on average",
		       time_text(is > was ? is - was : was - is).text,
		       is > was ? "longer" : "less");
	putchar('\n');
}

static void print_saving(const struct estimate *e)
{
	const struct ssdpm_compared_policy *after = &e->jobs[AFTER].row;
	const struct ssdpm_run *was = e->jobs[BEFORE].row.result->nominal;

	print_subject(e, &the_saving.sim);
	print_run(is_merged(e, AFTER) ? "as now" : "before", was);
	if (is_merged(e, AFTER))
		return;
	print_run("after", after->result->nominal);
	print_difference(after->likely, was, after->result->nominal);
}

void print_savings(const struct work *work)
{
	for (size_t i = 0; i < work->n_estimates; i++)
		print_saving(work->estimates[i].all.estimates);
	if (work->estimates && !work->n_estimates)
		complain("no estimate: of no drive are the states known and "
			 "its table or link policy planned");
}

void add_savings(struct items *items, const struct work *work)
{
	for (size_t i = 0; i < work->n_estimates; i++)
		add_comparison(items, work->estimates[i].all.estimates,
			       &the_saving.sim);
}

void free_savings(struct work *work)
{
	for (size_t i = 0; i < work->n_estimates; i++)
		free_estimates(&work->estimates[i].all);
	free(work->estimates);
}
