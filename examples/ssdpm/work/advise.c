/* SPDX-License-Identifier: MIT */
#include "work/advise.h"

#include "input/live.h"
#include "work/comparison.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	uint64_t last_ns;
};

static enum exit_status feed(void *data, struct trace_input *input,
			     const struct ssdpm_io *ios, size_t n)
{
	struct all_gaps *all = data;
	struct ssdpm_error error;

	for (size_t i = 0; i < all->n; i++)
		if (ssdpm_gaps_feed(all->gaps[i], ios, n, &error))
			return complain_of_trace(input, &error);
	note_last(ios, n, &all->last_ns);
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
	if (!err && !ssdpm_trace_get_counts(input->trace)->n_records)
		return failure("%s: the workload has no record", input->name);
	end_ns = end_on_clock(plan->sim_options, input->start_ns);
	for (size_t i = 0; i < n && !err; i++)
		err = ssdpm_gaps_finish(gaps[i], end_ns, &error);
	if (err) {
		complain_of_trace(input, &error);
		return STATUS_FAILED;
	}
	say_counts(plan->common, input);
	say_end(plan, input, all.last_ns);
	return STATUS_DONE;
}

/* A drive cannot save more than the whole system takes. */
static enum exit_status check_use(const struct common *common,
				  const struct advice *a)
{
	const struct ssdpm_recommendation *r;
	int64_t most = 0;

	for (size_t i = 0; (r = route_of(a, i)); i++)
		if (r->likely && r->likely->high_uw > most)
			most = r->likely->high_uw;
	if (!a->use->battery_mwh || (uint64_t)most < a->use->system_uw)
		return STATUS_DONE;
	return usage_error(common,
			   "--system-power %s: the drive alone may save %s",
			   power_text((int64_t)a->use->system_uw).text,
			   power_text(most).text);
}

/*
 * What the machine of a device lets it have. A file that --raw names is written
 * anyway.
 */
static int take_device(struct advice *a, struct ssdpm_error *reterr)
{
	const struct drive *drive = a->subject->drive;
	int err;

	if (!drive->device || !drive->live)
		return 0;
	a->kernel.size = sizeof(a->kernel);
	err = ssdpm_bounds_set_device(&a->bounds, drive->live->machine,
				      drive->device, drive->model, &a->kernel,
				      reterr);
	if (a->raw_path)
		a->bounds.flags &= ~(uint32_t)SSDPM_BOUNDS_NO_RAW_TABLE;
	if (a->from.what.kind != SSDPM_POLICY_TODAY)
		a->bounds.flags &= ~(uint32_t)SSDPM_BOUNDS_IN_FORCE;
	return err;
}

static enum exit_status advise(const struct plan *plan,
			       const struct recommend_options *settings,
			       const struct ssdpm_gaps *gaps, struct advice *a)
{
	const struct subject *subject = a->subject;
	struct ssdpm_sim_params params = sim_params_of(plan, subject);
	struct ssdpm_apst_params apst;
	struct ssdpm_error error;

	ssdpm_apst_params_init(&apst, sizeof(apst));
	params.flags |= SSDPM_SIM_LIKELY;
	a->params = params;
	a->from = settings->from_name ? settings->from :
					reference_policy(subject->drive, &apst);
	a->use = &settings->use;
	a->raw_path = settings->raw_path;
	a->bounds = settings->bounds;
	if (take_device(a, &error))
		return complain_of_advice(a, &error);
	a->bounds.quirks = apst_quirks(&subject->quirks, SSDPM_APST_LINUX);
	a->bounds.patience = patience_of(&settings->patience);
	a->usual_bounds = !settings->is_bounded;
	if (!policy_fits(&a->from, subject->drive, true))
		return STATUS_DEVICE_CANNOT;
	if (resolve_policy(&a->from, subject->drive, &subject->quirks, &params,
			   &a->today, &error))
		return complain_of_advice(a, &error);
	if (ssdpm_gaps_get_default_bounds(gaps, subject->drive->model, &params,
					  &a->bounds, &a->bounds, &error))
		return complain_of_advice(a, &error);
	if (is_sata(a))
		params.lpm = a->today.lpm;
	else
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

	if (!r) {
		complain("%s: there is no table to write: %s is a SATA drive",
			 path, a->subject->drive->name);
		return STATUS_DEVICE_CANNOT;
	}
	if (r->advice == SSDPM_ADVICE_NONE || r->advice == SSDPM_ADVICE_COSTS)
		return failure("%s: there is no table to write: %s", path,
			       r->possible ?
				       "the best one costs power; --may-cost "
				       "writes it" :
				       "none keeps the bounds");
	if (ssdpm_apst_encode(&r->apst, raw, &error))
		return failure("%s: %s", path, error.message);
	return save_file(path, raw, sizeof(raw));
}

static enum exit_status print_advices(const struct common *common,
				      const struct recommend_options *settings,
				      const struct advice *advices, size_t n)
{
	struct items items = { 0 };

	for (size_t i = 0; i < n && !common->form; i++) {
		if (i)
			putchar('\n');
		print_advice(&advices[i], &settings->sim, settings->explain);
	}
	if (!common->form)
		return STATUS_DONE;
	for (size_t i = 0; i < n; i++)
		add_advice(&items, &advices[i], &settings->sim, false);
	return print_items(common, &items);
}

static enum exit_status read_and_advise(
	const struct plan *plan, const struct recommend_options *settings,
	const struct subject *subjects, struct ssdpm_gaps **gaps,
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

enum exit_status recommend(const struct plan *plan,
			   const struct recommend_options *settings,
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
		status = write_recommend_page(plan, settings, advices,
					      drives->n);
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
