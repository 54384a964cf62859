/* SPDX-License-Identifier: MIT */
#include "measure/measure.h"

#include "input/measure-input.h"
#include "options/apst-options.h"
#include "work/comparison.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What happened in a run, each from 0 on by its own clock. */
struct recorded {
	struct power_array power;
	struct records ios;
};

static void free_recorded(struct recorded *recorded)
{
	free_power_array(&recorded->power);
	free(recorded->ios.ios);
}

static enum exit_status check_power(const struct common *common,
				    const char *name,
				    const struct power_array *array)
{
	struct ssdpm_samples samples = samples_of(array);
	struct ssdpm_energy energy = { .size = sizeof(energy) };

	/* The library says what else is wrong. */
	if (ssdpm_energy_measure(&samples, NULL, &energy, NULL))
		return STATUS_DONE;
	if (energy.mean_power_w < 0) {
		complain("%s: the mean is below 0: are the leads swapped?",
			 name);
		return STATUS_FAILED;
	}
	if (energy.n_not_finite && !common->quiet)
		remark("%s: %" PRIu64 " samples are no finite number, and "
		       "left out",
		       name, energy.n_not_finite);
	return STATUS_DONE;
}

static enum exit_status read_samples(const struct calibrate_options *settings,
				     const struct common *common,
				     const char *name,
				     struct power_array *ret_array)
{
	struct power_input input;
	enum exit_status status = open_power(&settings->power, name, &input);

	if (status)
		return status;
	status = load_power(&input, ret_array);
	close_power(&input);
	return status ? status : check_power(common, name, ret_array);
}

static enum exit_status collect(void *data, struct trace_input *input,
				const struct ssdpm_io *ios, size_t n)
{
	(void)input;
	return keep_ios(data, ios, n);
}

static enum exit_status read_ios(const struct calibrate_options *settings,
				 const struct common *common, const char *name,
				 struct recorded *recorded)
{
	struct trace_input input;
	enum exit_status status =
		open_trace(common, &settings->trace, name, &input);

	if (status)
		return status;
	status = stream_trace(&input, collect, &recorded->ios);
	if (!status)
		say_counts(common, &input);
	close_trace(&input);
	for (size_t i = recorded->ios.n; i-- > 0;)
		recorded->ios.ios[i].start_ns -= recorded->ios.ios[0].start_ns;
	return status;
}

static uint64_t length_of(const struct power_array *power)
{
	return power->n ? (uint64_t)(power->time_ns[power->n - 1] -
				     power->time_ns[0]) :
			  0;
}

/* Nothing can be said of what no sample is of. */
static void say_lengths(const struct common *common, const char *power_name,
			const char *trace_name, const struct recorded *recorded)
{
	uint64_t power_ns = length_of(&recorded->power);
	uint64_t ios_ns =
		recorded->ios.n ?
			recorded->ios.ios[recorded->ios.n - 1].start_ns :
			0;

	/* The last sample is of a step, too; what a person would see. */
	if (common->quiet || !recorded->power.n ||
	    power_ns + power_ns / 100 >= ios_ns)
		return;
	remark("%s: samples of %s, and %s has I/Os of %s: the rest says "
	       "nothing of power",
	       power_name, time_text(power_ns).text, trace_name,
	       time_text(ios_ns).text);
}

/* By the I/Os: what else is above idle is theirs. */
static void say_sampling(const struct common *common, const char *power_name,
			 const struct recorded *recorded)
{
	struct ssdpm_samples samples = samples_of(&recorded->power);
	struct ssdpm_sampling_params params = {
		.size = sizeof(params),
		.ios = recorded->ios.ios,
		.n_ios = recorded->ios.n,
	};
	struct ssdpm_sampling sampling = { .size = sizeof(sampling) };

	if (!common->quiet &&
	    !ssdpm_sampling_check(&samples, &params, &sampling, NULL))
		complain_of_sampling(power_name, &sampling);
}

char *policy_words(const struct policy *policy,
		   const struct ssdpm_resolved_policy *resolved, uint32_t kind)
{
	size_t size;
	char *words = NULL;
	FILE *file = open_memstream(&words, &size);

	if (!file)
		return NULL;
	write_policy_to(file, policy->name,
			kind == SSDPM_KIND_NVME ? &resolved->apst : NULL);
	fclose(file);
	return words;
}

/* The options that state what the data contradict. */
static const char *const options_of[] = {
	[SSDPM_CONTRADICTION_RESPONSE] = " (--meter-response)",
	[SSDPM_CONTRADICTION_SAMPLING] = " (--meter-samples)",
	[SSDPM_CONTRADICTION_CLOCK] = " (--meter-clock)",
	[SSDPM_CONTRADICTION_DRIFT] = " (--meter-drift)",
	[SSDPM_CONTRADICTION_EDGES] = " (--offset)",
	[SSDPM_CONTRADICTION_ENERGY] = " (--operation-energy, --byte-energy)",
};

/* The first reason is that of all. */
static enum exit_status complain_of_fit(const struct calibrate_answer *a,
					char **operands)
{
	const struct ssdpm_calibration *c = &a->calibration;
	const char *reason = ssdpm_contradiction_to_string(c->contradiction);
	const char *option =
		c->contradiction < sizeof(options_of) / sizeof(options_of[0]) ?
			options_of[c->contradiction] :
			NULL;

	for (size_t i = (size_t)c->n_measured; i-- > 0;)
		if (a->measured[i].status == SSDPM_MEASURED_CONTRADICTED)
			reason = a->measured[i].reason;
	complain("%s, %s: refused: %s%s", operands[1], operands[2], reason,
		 option ? option : "");
	return STATUS_FAILED;
}

/* The library names its parameters; here they are options. */
static struct cell with_option(const char *message)
{
	/* The end of a name may be another one. */
	static const struct {
		const char *parameter, *option;
	} all[] = { { "max_offset_ns", "--max-offset" },
		    { "offset_ns", "--offset" },
		    { "bin_ns", "--bin" },
		    { "operational_state", "--operational-state" } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *at = strstr(message, all[i].parameter);

		if (at)
			return cell("%.*s%s%s", (int)(at - message), message,
				    all[i].option,
				    at + strlen(all[i].parameter));
	}
	return cell("%s", message);
}

/* A calibration, as the library takes it. */
struct task {
	const struct calibrate_options *settings;
	struct ssdpm_samples samples;
	struct ssdpm_sim_params sim;
	struct ssdpm_calibrate_params params;
};

static struct task make_task(const struct calibrate_options *settings,
			     const struct plan *plan,
			     const struct subject *subject,
			     const struct ssdpm_resolved_policy *resolved,
			     const struct recorded *recorded)
{
	struct task task = {
		.settings = settings,
		.samples = samples_of(&recorded->power),
		.sim = sim_params_of(plan, subject),
		.params = settings->params,
	};

	task.params.ios = recorded->ios.ios;
	task.params.n_ios = recorded->ios.n;
	if (ssdpm_model_get_info(subject->drive->model)->kind ==
	    SSDPM_KIND_NVME)
		task.sim.apst = &resolved->apst;
	else
		task.sim.lpm = resolved->lpm;
	return task;
}

static int fit(struct task *task, struct calibrate_answer *answer,
	       struct ssdpm_error *reterr)
{
	int err = 0;

	task->params.samples = &task->samples;
	if (!task->settings->has_offset)
		err = ssdpm_calibrate_params_align(&task->params, reterr);
	answer->offset_given = !task->params.max_offset_ns;
	answer->policy_given =
		task->settings->named.option || task->settings->apst.given;
	answer->calibration = (struct ssdpm_calibration){
		.size = sizeof(answer->calibration),
		.measured = answer->measured,
		.capacity = SSDPM_MAX_PARAMETERS,
	};
	return err ? err :
		     ssdpm_calibrate(answer->subject->drive->model, &task->sim,
				     &task->params, &answer->calibration,
				     reterr);
}

static int describe(const struct task *task, char **operands,
		    const char *policy, struct calibrate_answer *answer,
		    struct ssdpm_error *reterr)
{
	const struct ssdpm_overlay_names names = {
		.size = sizeof(names),
		.policy = policy,
		.power_path = operands[1],
		.trace_path = operands[2],
		.date = task->settings->date,
		.measured_wa_milli = task->settings->measured_wa_milli,
	};

	answer->overlay.size = sizeof(answer->overlay);
	return ssdpm_overlay_init(answer->subject->drive->model, &task->sim,
				  &task->params, &names, &answer->overlay,
				  reterr);
}

static enum exit_status find_answer(
	struct task *task, const struct policy *policy,
	const struct ssdpm_resolved_policy *resolved, char **operands,
	struct calibrate_answer *answer)
{
	const struct ssdpm_model *model = answer->subject->drive->model;
	char *words = policy_words(policy, resolved,
				   ssdpm_model_get_info(model)->kind);
	struct ssdpm_error error;
	int err = fit(task, answer, &error);

	if (!err)
		err = describe(task, operands, words, answer, &error);
	free(words);
	if (!err)
		return STATUS_DONE;
	complain("%s, %s: %s", operands[1], operands[2],
		 with_option(error.message).text);
	return STATUS_FAILED;
}

static enum exit_status answer_all(const struct calibrate_options *settings,
				   const struct common *common,
				   const struct calibrate_answer *answer,
				   char **operands)
{
	enum exit_status status = STATUS_DONE;
	struct ssdpm_error error;
	char *text;

	if (ssdpm_overlay_to_json(&answer->overlay, &answer->calibration, &text,
				  &error)) {
		complain("%s", error.message);
		return STATUS_FAILED;
	}
	if (settings->save && !answer->calibration.contradiction)
		status = save_file(settings->save, text, strlen(text));
	if (status) {
		free(text);
		return status;
	}
	if (answer->calibration.contradiction)
		status = complain_of_fit(answer, operands);
	if (common->form) {
		enum exit_status printed = print_item(common, 0, text, &error);

		return status ? status : printed;
	}
	print_calibration(answer);
	free(text);
	return status;
}

static enum exit_status resolve(const struct plan *plan,
				const struct subject *subject,
				struct ssdpm_resolved_policy *ret_resolved)
{
	const struct drive *drive = subject->drive;
	const struct policy *policy = plan->policies;
	struct ssdpm_sim_params params;
	struct ssdpm_error error;

	if (!policy_fits(policy, drive, true))
		return STATUS_DEVICE_CANNOT;
	params = sim_params_of(plan, subject);
	if (!resolve_policy(policy, drive, &subject->quirks, &params,
			    ret_resolved, &error))
		return STATUS_DONE;
	complain("%s, %s: %s", drive->name, policy->name, error.message);
	return STATUS_FAILED;
}

enum exit_status find_policy_of_run(const struct common *common,
				    const struct named_policy *named,
				    const struct apst_options *apst,
				    const struct drive *drive,
				    struct policy *ret_policy)
{
	if (named->option)
		return parse_policy(common, named->option, named->name,
				    &apst->params, ret_policy);
	*ret_policy = apst->given ? policy_of(&apst->params) :
				    reference_policy(drive, &apst->params);
	return STATUS_DONE;
}

/* It is kept whole, or not at all. */
static enum exit_status check_date(const struct calibrate_options *settings,
				   const struct common *common)
{
	const size_t room = sizeof(((struct ssdpm_overlay *)NULL)->date);

	if (!settings->date || strlen(settings->date) < room)
		return STATUS_DONE;
	return usage_error(common, "--date %s: at most %zu bytes",
			   settings->date, room - 1);
}

enum exit_status calibrate(const struct calibrate_options *settings,
			   const struct common *common,
			   const struct drives *drives, char **operands)
{
	struct policy policy;
	struct plan plan = { .common = common,
			     .sim_options = &settings->sim,
			     .quirk_options = &settings->apst.quirks,
			     .policies = &policy };
	static struct calibrate_answer answer;
	struct recorded recorded = { 0 };
	struct subject *subjects = NULL;
	struct ssdpm_resolved_policy resolved;
	struct task task;
	enum exit_status status = check_date(settings, common);

	if (status)
		return status;
	status = find_policy_of_run(common, &settings->named, &settings->apst,
				    drives->drives, &policy);

	if (!status)
		status = find_subjects(&plan, drives, &subjects);
	answer.subject = subjects;
	if (!status)
		status = resolve(&plan, subjects, &resolved);
	if (!status)
		status = read_samples(settings, common, operands[1],
				      &recorded.power);
	if (!status)
		status = read_ios(settings, common, operands[2], &recorded);
	if (!status) {
		say_lengths(common, operands[1], operands[2], &recorded);
		say_sampling(common, operands[1], &recorded);
		task = make_task(settings, &plan, subjects, &resolved,
				 &recorded);
		status = find_answer(&task, &policy, &resolved, operands,
				     &answer);
	}
	if (!status)
		status = answer_all(settings, common, &answer, operands);
	free_recorded(&recorded);
	free(subjects);
	return status;
}
