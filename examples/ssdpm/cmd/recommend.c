/* SPDX-License-Identifier: MIT */
/* ssdpm recommend: the best setting that each route reaches. */
#include "options/apst-options.h"
#include "text/apst-questions.h"
#include "work/comparison.h"
#include "html/html.h"
#include "options/numbers.h"
#include "text/output.h"
#include "text/recommend-text.h"
#include "options/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POLICIES 32

struct settings {
	struct trace_options trace;
	struct sim_options sim;
	struct page_options page;
	struct quirk_options quirks;
	struct ssdpm_bounds bounds;
	uint64_t given; /* bits: which of the options below */
	struct use use;
	const char *trace_name;
	const char *from_name;
	struct policy from; /* if it is named */
	const char *raw_path;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "trace", 't', "FILE",
	  "the I/Os: a trace, - or a workload of ssdpm workload --list",
	  SETS_TEXT(struct settings, trace_name), .once = true },
	{ "max-added-mean", 0, "TIME|any",
	  "I/Os may wait so long on average, as in 1ms",
	  SETS_NUMBER(struct settings, bounds.max_delay_mean_ns, TIME_NS) },
	{ "max-added-p99", 0, "TIME|any",
	  "not more than one I/O in 100 may wait longer, as in 20ms",
	  SETS_NUMBER(struct settings, bounds.max_delay_p99_ns, TIME_NS) },
	{ "max-exit-latency", 'l', "TIME|any",
	  "no state may take longer to leave, as in 25ms",
	  SETS_NUMBER(struct settings, bounds.max_exit_latency_us, TIME_US) },
	{ "may-cost", 0, NULL,
	  "propose less delay too, if it takes more power than today",
	  SETS_BIT(struct settings, bounds.flags, SSDPM_BOUNDS_MAY_COST) },
	{ "max-states", 0, "N",
	  "how many states a raw table may use (default 2)",
	  SETS_SMALL(struct settings, bounds.max_states, COUNT), .min = 1,
	  .max = SSDPM_MAX_STATES - 1, .range = "from 1 to 31" },
	{ "from", 0, "POLICY",
	  "what savings are against (default today, else linux): an algorithm "
	  "as for compare, none, or a file with a table",
	  SETS_TEXT(struct settings, from_name) },
	{ "quirk", 0, "no-apst|no-deepest-ps|none",
	  "as for ssdpm apst; may be repeated", SETS_OWN },
	{ "quirks-file", 0, "FILE", "rules for drives, before those of Linux",
	  SETS_TEXT(struct settings, quirks.path) },
	{ "battery", 0, "ENERGY",
	  "say how much longer a battery lasts, as in 50Wh",
	  SETS_NUMBER(struct settings, use.battery_mwh, ENERGY_MWH) },
	{ "system-power", 0, "POWER",
	  "what the whole system takes today, as in 5W; for --battery",
	  SETS_NUMBER(struct settings, use.system_uw, POWER_UW) },
	{ "hours-per-day", 0, "N",
	  "say what is saved in a year of this workload",
	  SETS_SMALL(struct settings, use.hours_per_day, COUNT), .min = 1,
	  .max = 24, .range = "from 1 to 24" },
	{ "raw", 0, "FILE",
	  "write the 256 bytes of the raw table to FILE as well",
	  SETS_TEXT(struct settings, raw_path) },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;

	(void)option;
	return parse_quirk(common, argument, &settings->quirks);
}

static void init(void *data)
{
	struct settings *settings = data;

	settings->bounds = (struct ssdpm_bounds){
		.size = sizeof(settings->bounds),
		.max_delay_mean_ns = UINT64_MAX,
		.max_delay_p99_ns = UINT64_MAX,
		.max_exit_latency_us = UINT64_MAX,
	};
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
	.init = init,
	KEEPS_GIVEN(struct settings, given),
};

/* Whether a delay, or a time to leave a state, is given. */
static bool is_bounded(const struct settings *settings)
{
	return is_given(&own, settings->given, "max-added-mean") ||
	       is_given(&own, settings->given, "max-added-p99") ||
	       is_given(&own, settings->given, "max-exit-latency");
}

static enum exit_status complain_of_advice(const struct advice *a,
					   const struct ssdpm_error *error)
{
	complain("%s on %s: %s", a->subject->drive->name, a->trace,
		 error->message);
	return error->code == -EOPNOTSUPP ? STATUS_DEVICE_CANNOT :
					    STATUS_FAILED;
}

/* The idle times of all drives, while a trace is read. */
struct all_gaps {
	struct ssdpm_gaps **gaps;
	size_t n;
	bool begun;
	uint64_t start_ns;
};

static enum exit_status feed(void *data, struct trace_input *input,
			     const struct ssdpm_io *ios, size_t n)
{
	struct all_gaps *all = data;
	struct ssdpm_error error;

	if (!all->begun)
		all->start_ns = ios[0].start_ns;
	all->begun = true;
	for (size_t i = 0; i < all->n; i++)
		if (ssdpm_gaps_feed(all->gaps[i], ios, n, &error))
			return complain_of_trace(input, &error);
	return STATUS_DONE;
}

/* The idle times of the trace, for each drive. */
static enum exit_status collect(const struct plan *plan,
				struct trace_input *input,
				const struct subject *subjects,
				struct ssdpm_gaps **gaps, size_t n)
{
	enum exit_status status = STATUS_DONE;
	struct ssdpm_error error = { 0 };
	struct all_gaps all = { .gaps = gaps, .n = n };
	uint64_t end_ns;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct ssdpm_service service;

		/* Where the trace has none: as the simulation takes them. */
		ssdpm_parameters_get_service(subjects[i].parameters,
					     subjects[i].n_parameters,
					     &service);
		err = ssdpm_gaps_new(&service, &gaps[i], &error);
	}
	if (!err)
		status = stream_trace(input, feed, &all);
	if (status)
		return status;
	if (!err && !ssdpm_trace_get_counts(input->trace)->n_records) {
		complain("%s: the workload has no record", input->name);
		return STATUS_FAILED;
	}
	end_ns = end_on_clock(plan->sim_options, all.start_ns);
	for (size_t i = 0; i < n && !err; i++)
		err = ssdpm_gaps_finish(gaps[i], end_ns, &error);
	if (err)
		complain_of_trace(input, &error);
	else
		say_counts(plan->common, input);
	return err ? STATUS_FAILED : STATUS_DONE;
}

/* A drive cannot save more than the whole system takes. */
static enum exit_status check_use(const struct common *common,
				  const struct advice *a)
{
	const struct ssdpm_recommendation *r;
	int64_t most = 0;

	for (size_t i = 0; (r = route_of(a, i)); i++)
		if (r->saving.high_uw > most)
			most = r->saving.high_uw;
	if (!a->use->battery_mwh || (uint64_t)most < a->use->system_uw)
		return STATUS_DONE;
	return usage_error(common,
			   "--system-power %s: the drive alone may save %s",
			   power_text((int64_t)a->use->system_uw).text,
			   power_text(most).text);
}

static enum exit_status advise(const struct plan *plan,
			       const struct settings *settings,
			       const struct ssdpm_gaps *gaps, struct advice *a)
{
	const struct subject *subject = a->subject;
	struct ssdpm_sim_params params = sim_params_of(plan, subject);
	struct ssdpm_bounds usual = { .size = sizeof(usual) };
	struct ssdpm_apst_params apst;
	struct ssdpm_error error;

	ssdpm_apst_params_init(&apst, sizeof(apst));

	a->params = params;
	a->from = settings->from_name ? settings->from :
					reference_policy(subject->drive, &apst);
	a->use = &settings->use;
	a->raw_path = settings->raw_path;
	a->bounds = settings->bounds;
	a->bounds.quirks = apst_quirks(&subject->quirks, SSDPM_APST_LINUX);
	a->usual_bounds = !is_bounded(settings);
	if (!policy_fits(&a->from, subject->drive, true))
		return STATUS_DEVICE_CANNOT;
	if (resolve_policy(&a->from, subject->drive, &subject->quirks, &params,
			   &a->today, &error))
		return complain_of_advice(a, &error);
	if (a->usual_bounds) {
		if (ssdpm_gaps_get_default_bounds(gaps, subject->drive->model,
						  &params, a->bounds.quirks,
						  &usual, &error))
			return complain_of_advice(a, &error);
		a->bounds.max_delay_mean_ns = usual.max_delay_mean_ns;
		a->bounds.max_delay_p99_ns = usual.max_delay_p99_ns;
	}
	params.apst = &a->today.apst;
	if (ssdpm_recommend(gaps, subject->drive->model, &params, &a->bounds,
			    &a->routes, &error))
		return complain_of_advice(a, &error);
	return check_use(plan->common, a);
}

static enum exit_status write_raw(const char *path, const struct advice *a)
{
	const struct ssdpm_recommendation *r =
		route_of(a, SSDPM_ROUTE_RAW_TABLE - 1);
	uint8_t raw[SSDPM_APST_BYTES];
	struct ssdpm_error error;

	if (r->advice == SSDPM_ADVICE_NONE || r->advice == SSDPM_ADVICE_COSTS) {
		complain("%s: there is no table to write: %s", path,
			 r->possible ? "the best one costs power; --may-cost "
				       "writes it" :
				       "none keeps the bounds");
		return STATUS_FAILED;
	}
	if (ssdpm_apst_encode(&r->apst, raw, &error)) {
		complain("%s: %s", path, error.message);
		return STATUS_FAILED;
	}
	return save_file(path, raw, sizeof(raw));
}

static enum exit_status print_advices(const struct common *common,
				      const struct settings *settings,
				      const struct advice *advices, size_t n)
{
	struct items items = { 0 };

	for (size_t i = 0; i < n && !common->form; i++) {
		if (i)
			putchar('\n');
		print_advice(&advices[i], &settings->sim);
	}
	if (!common->form)
		return STATUS_DONE;
	for (size_t i = 0; i < n; i++)
		add_advice(&items, &advices[i], &settings->sim, false);
	return print_items(common, &items);
}

/* A table that was recommended, as a policy to simulate. */
static struct policy policy_of_route(const struct ssdpm_recommendation *r)
{
	return policy_of_table(ssdpm_route_to_string(r->route), &r->apst);
}

static enum exit_status write_page(const struct settings *settings,
				   const struct estimates *all,
				   const struct advice *advice)
{
	struct items items = { 0 };
	struct page page;

	if (begin_estimates_page(&page, &settings->sim, all))
		return STATUS_FAILED;
	add_advice(&items, advice, &settings->sim, true);
	put_items(&page, "recommendations", &items);
	return end_page(&settings->page, &page);
}

/*
 * The course of what is recommended and of what people compare takes the trace
 * once more.
 */
static enum exit_status write_advice_page(const struct plan *plan,
					  const struct settings *settings,
					  const struct drives *drives,
					  const struct advice *advice)
{
	struct policy policies[MAX_POLICIES] = { advice->from };
	struct common quiet = *plan->common;
	const struct ssdpm_recommendation *r;
	struct ssdpm_apst_params params;
	struct estimates all = { 0 };
	struct plan page = *plan;
	enum exit_status status = STATUS_DONE;
	const char *name;
	size_t n = 1;

	quiet.quiet = true; /* all was said the first time */
	page.common = &quiet;
	page.policies = policies;
	page.timelines = true;
	for (size_t i = 0; (r = route_of(advice, i)); i++)
		if (r->possible)
			policies[n++] = policy_of_route(r);
	ssdpm_apst_params_init(&params, sizeof(params));
	for (size_t i = 0; !status && (name = ssdpm_policy_get_common(0, i));
	     i++)
		if (strcmp(name, policies[0].name))
			status = parse_policy(&quiet, "policy", name, &params,
					      &policies[n++]);
	page.n_policies = n;
	if (!status)
		status =
			run_plan(&page, drives, &settings->trace_name, 1, &all);
	if (!status)
		status = write_page(settings, &all, advice);
	free_estimates(&all);
	return status;
}

static enum exit_status read_and_advise(const struct plan *plan,
					const struct settings *settings,
					const struct subject *subjects,
					struct ssdpm_gaps **gaps,
					struct advice *advices, size_t n)
{
	enum exit_status status;
	struct trace_input input;

	status = open_trace(plan->common, &settings->trace,
			    settings->trace_name, &input);
	if (status)
		return status;
	status = collect(plan, &input, subjects, gaps, n);
	progress_say(&input.progress, "looking for the best settings");
	for (size_t i = 0; i < n && !status; i++) {
		advices[i].subject = &subjects[i];
		advices[i].trace = settings->trace_name;
		advices[i].counts = *ssdpm_trace_get_counts(input.trace);
		status = advise(plan, settings, gaps[i], &advices[i]);
	}
	close_trace(&input);
	return status;
}

static enum exit_status recommend(const struct plan *plan,
				  const struct settings *settings,
				  const struct drives *drives)
{
	struct advice *advices = calloc(drives->n, sizeof(*advices));
	struct ssdpm_gaps **gaps =
		calloc(drives->n, sizeof(struct ssdpm_gaps *));
	struct subject *subjects = NULL;
	enum exit_status status = STATUS_FAILED;

	if (advices && gaps)
		status = find_subjects(plan, drives, &subjects);
	else
		complain("out of memory");
	if (!status)
		status = read_and_advise(plan, settings, subjects, gaps,
					 advices, drives->n);
	if (!status && settings->raw_path)
		status = write_raw(settings->raw_path, advices);
	if (!status && settings->page.path)
		status = write_advice_page(plan, settings, drives, advices);
	if (!status)
		status = print_advices(plan->common, settings, advices,
				       drives->n);
	for (size_t i = 0; gaps && advices && i < drives->n; i++) {
		ssdpm_gaps_unref(gaps[i]);
		ssdpm_recommendations_free(advices[i].routes);
	}
	free(subjects);
	free(gaps);
	free(advices);
	return status;
}

static enum exit_status check(const struct common *common,
			      const struct settings *settings, char **operands,
			      size_t n)
{
	const struct use *use = &settings->use;

	if (!settings->trace_name)
		return usage_error(common, "no --trace given; see ssdpm "
					   "workload --list for workloads");
	if (settings->sim.loop == SSDPM_LOOP_OPEN)
		return usage_error(common,
				   "--loop open: a recommendation needs the "
				   "closed loop");
	if (!use->battery_mwh != !use->system_uw)
		return usage_error(common,
				   "--battery and --system-power belong "
				   "together");
	if (settings->page.path && !strcmp(settings->trace_name, "-"))
		return usage_error(common,
				   "--html reads the trace twice: give a file");
	if (check_trace_options(common, &settings->trace, &settings->trace_name,
				1))
		return STATUS_USAGE;
	if (check_stdin(common, operands, n, &settings->trace_name, 1))
		return STATUS_USAGE;
	return check_page(common, &settings->page);
}

/*
 * The other drives have their answer: of a whole machine, a SATA disk is no
 * failure unless nothing else is there.
 */
static enum exit_status leave_out_sata(const struct common *common,
				       struct drives *drives)
{
	enum exit_status status = STATUS_DONE;
	size_t n = 0;

	for (size_t i = 0; i < drives->n; i++) {
		struct drive *drive = &drives->drives[i];

		if (ssdpm_model_get_info(drive->model)->kind ==
		    SSDPM_KIND_NVME) {
			drives->drives[n++] = *drive;
			continue;
		}
		if (drive->named || !drive->device)
			status = STATUS_DEVICE_CANNOT;
		if (status || !common->quiet)
			complain("%s: not an NVMe drive: only these have APST; "
				 "ssdpm compare shows what its link policies "
				 "save",
				 drive->name);
		free_drive(drive);
	}
	drives->n = n;
	return n ? status : STATUS_DEVICE_CANNOT;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	struct settings settings = *(const struct settings *)data;
	struct ssdpm_apst_params params;
	struct plan plan = {
		.common = common,
		.trace_options = &settings.trace,
		.sim_options = &settings.sim,
		.quirk_options = &settings.quirks,
		.n_required = 1,
	};
	enum exit_status status, left_out = STATUS_DONE;
	struct drives drives;

	status = check(common, &settings, operands, n_operands);
	ssdpm_apst_params_init(&params, sizeof(params));
	if (!status && settings.from_name)
		status = parse_policy(common, "from", settings.from_name,
				      &params, &settings.from);
	if (status)
		return status;
	status = read_drives(common, operands, n_operands, &drives);
	if (!status && drives.n != 1 &&
	    (settings.page.path || settings.raw_path))
		status = usage_error(common,
				     "--%s takes one drive, here are "
				     "%zu",
				     settings.page.path ? "html" : "raw",
				     drives.n);
	if (!status)
		left_out = leave_out_sata(common, &drives);
	if (!status && drives.n)
		status = recommend(&plan, &settings, &drives);
	free_drives(&drives);
	return status ? status : left_out;
}

static const struct group_use groups[] = {
	{ &sim_option_group, &the_settings.sim },
	{ &trace_option_group, &the_settings.trace },
	{ &page_option_group, &the_settings.page },
};

const struct subcommand cmd_recommend = {
	.name = "recommend",
	.operands = "DRIVE...",
	.takes_drives = true,
	.list = "recommendations",
	.summary = "Find the setting that saves most on a workload, within "
		   "bounds on delays.",
	.own = &own,
	GROUPS(groups),
	.examples =
		"  ssdpm recommend --trace lomax drive.json\n"
		"  ssdpm recommend -t lomax --max-added-mean 1ms drive.json\n"
		"  ssdpm recommend -t lomax --max-added-p99 20ms drive.json\n"
		"  ssdpm recommend -t lomax --battery 50Wh --system-power 5W "
		"drive.json\n",
	.run = run,
	.settings = &the_settings,
};
