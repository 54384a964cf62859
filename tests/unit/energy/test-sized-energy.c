/* SPDX-License-Identifier: MIT */
/*
 * The rule for sized structures, on each function of estimate and measure that
 * takes one. tests/abi/sized.py finds missing functions.
 */
#include "sized.h"
#include "tracefs.h"
#include "tree.h"

#include <stdio.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define N_SAMPLES 100

static struct ssdpm_machine *this_machine, *watched_machine;
static struct ssdpm_device *watched_device;
static struct ssdpm_sampler *sampler;
static struct ssdpm_stats *stats;
static struct ssdpm_generator_params generator_params;
static struct ssdpm_model *model;
static struct ssdpm_gaps *gaps;
static struct ssdpm_sim_params sim_params;
static struct ssdpm_ftl *ftl;
static struct ssdpm_trial *trial;
static struct ssdpm_bisect *bisect, *found_bisect;
static struct ssdpm_observation *observation;
static const struct ssdpm_disk traced_disk = { .major = 8 };
static const char *const traced_event = "block/block_rq_issue";
static struct ssdpm_tracer_params tracer_params = {
	.size = sizeof(tracer_params),
	.disks = &traced_disk,
	.n_disks = 1,
	.events = &traced_event,
	.n_events = 1,
};
static const struct ssdpm_device_facts suspended_facts = {
	.size = sizeof(suspended_facts),
	.name = "nvme0",
};
static const struct ssdpm_suspend_drive suspended_drive = {
	.facts = &suspended_facts
};
static struct ssdpm_suspend_params suspend_params = {
	.size = sizeof(suspend_params),
	.drives = &suspended_drive,
	.n_drives = 1,
};
static const char suspend_text[] = "ssdpm-suspend 1\nslp-s0 0 /sys/x\n";
static struct ssdpm_suspend_reading *suspend_reading;
static struct ssdpm_observed_params observed_params;
static struct ssdpm_integral *integral;
static double power_w[N_SAMPLES];

static const struct ssdpm_io ios[] = {
	{ .start_ns = 0, .service_ns = 1000, .op = SSDPM_OP_READ },
	{ .start_ns = 500 * MS, .service_ns = 1000, .op = SSDPM_OP_WRITE },
	{ .start_ns = 3000 * MS, .service_ns = 1000, .op = SSDPM_OP_READ },
};
enum { N_IOS = sizeof(ios) / sizeof(ios[0]) };

static const struct ssdpm_samples samples = {
	.power_w = power_w,
	.n = N_SAMPLES,
	.interval_ns = 1e9,
	.type = SSDPM_SAMPLE_FLOAT64,
};
static const struct ssdpm_baseline idle = { .level_w = 2, .sigma_w = 0.01 };

static const struct ssdpm_bounds bounds = {
	.size = sizeof(bounds),
	.max_delay_mean_ns = UINT64_MAX,
	.max_delay_p99_ns = UINT64_MAX,
	.max_exit_latency_us = UINT64_MAX,
};
static const struct ssdpm_apst_params kernel_params = {
	.size = sizeof(kernel_params),
	.algorithm = SSDPM_APST_LINUX,
	.scheme = SSDPM_SCHEME_BALANCED,
	.power_source = SSDPM_SOURCE_AC,
};
static const struct ssdpm_ftl_params ftl_params = {
	.size = sizeof(ftl_params),
	.n_user_pages = 32,
	.n_blocks = 16,
	.pages_per_block = 4,
	.collector = SSDPM_FTL_GREEDY,
};
static const struct ssdpm_trial_params trial_params = {
	.size = sizeof(trial_params),
	.seed = 1,
};
static const struct latencies limited[] = {
	{ 0, 0, 0 }, { SSDPM_STATE_NON_OPERATIONAL, 5000, 11000 }
};
static const struct ssdpm_apst_params limit_params = {
	.size = sizeof(limit_params),
	.algorithm = SSDPM_APST_LINUX_LEGACY,
	.max_exit_latency_us = 25000,
	.scheme = SSDPM_SCHEME_BALANCED,
	.power_source = SSDPM_SOURCE_AC,
};

static const struct ssdpm_bisect_params bisect_params = {
	.size = sizeof(bisect_params),
	.n_errors = 1,
	.n_entries = 9,
};
static const struct ssdpm_ftl_pattern any_page = {
	.size = sizeof(any_page),
	.order = SSDPM_FTL_UNIFORM,
};
static const struct ssdpm_ftl_cost ftl_cost = {
	.size = sizeof(ftl_cost),
	.host_ns = 100 * MS,
};
static const struct ssdpm_cap_stream stream = {
	.op = SSDPM_OP_WRITE,
	.share = 1,
	.known = SSDPM_CAP_INTERFACE | SSDPM_CAP_NAND | SSDPM_CAP_BYTE_ENERGY,
	.write_amplification = 2,
	.interface_bytes_per_s = { 1e9, 1e9, 1e9 },
	.nand_bytes_per_s = { 1e9, 1e9, 1e9 },
	.byte_pj = { 1, 1, 1 },
};
static const struct ssdpm_nand nand = { .size = sizeof(nand), .program_pj = 1 };
static const struct ssdpm_cap_params cap_params = {
	.size = sizeof(cap_params),
	.cap_uw = 5000000,
	.streams = &stream,
	.n_streams = 1,
	.known = SSDPM_CAP_IDLE_POWER,
	.idle_uw = { 1e6, 1e6, 1e6 },
};
static const struct ssdpm_cap_segment segment = { 1000, 10000000, 0 };

/* Calls that make an object of one structure. */
SIZED_MAKES(trace_generate, ssdpm_trace_generate, struct ssdpm_trace,
	    ssdpm_trace_free)
SIZED_MAKES(generator_to_fio_job, ssdpm_generator_to_fio_job, char, free)
SIZED_MAKES(ftl_new, ssdpm_ftl_new, struct ssdpm_ftl, ssdpm_ftl_free)
SIZED_MAKES(bisect_new, ssdpm_bisect_new, struct ssdpm_bisect,
	    ssdpm_bisect_free)
SIZED_MAKES(trial_new, ssdpm_trial_new, struct ssdpm_trial, ssdpm_trial_free)
SIZED_MAKES(budget_solve, ssdpm_budget_solve, struct ssdpm_budget,
	    ssdpm_budget_free)
SIZED_MAKES(budget_to_json, ssdpm_budget_report_to_json, char, free)
SIZED_MAKES(integral_new, ssdpm_integral_new, struct ssdpm_integral,
	    ssdpm_integral_free)
SIZED_MAKES(consistency_to_json, ssdpm_consistency_report_to_json, char, free)
SIZED_MAKES(estimate_to_json, ssdpm_estimate_report_to_json, char, free)
SIZED_MAKES(prediction_to_json, ssdpm_prediction_report_to_json, char, free)
SIZED_MAKES(cap_to_json, ssdpm_cap_report_to_json, char, free)
SIZED_MAKES(comparison_to_json, ssdpm_comparison_report_to_json, char, free)
SIZED_MAKES(recommendation_to_json, ssdpm_recommendation_report_to_json, char,
	    free)
SIZED_MAKES(workload_to_json, ssdpm_workload_report_to_json, char, free)
SIZED_MAKES(experiment_to_json, ssdpm_experiment_to_json, char, free)
SIZED_MAKES(energy_to_json, ssdpm_power_report_energy_to_json, char, free)
SIZED_MAKES(idle_state_to_json, ssdpm_idle_state_to_json, char, free)
SIZED_MAKES(baseline_to_json, ssdpm_power_report_baseline_to_json, char, free)
SIZED_MAKES(background_to_json, ssdpm_power_report_background_to_json, char,
	    free)

/* A file read from its beginning. */
static FILE *open_text(const char *text)
{
	FILE *file = tmpfile();

	assert_true(file && fputs(text, file) >= 0 && !fflush(file));
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	return file;
}

/* --- workload --- */

static const char records[] = "128166372003061629,usr,0,Read,4096,512,41286\n";

static int trace_open(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_trace *trace = NULL;
	FILE *file = open_text(records);
	int err;

	err = ssdpm_trace_open(fileno(file), sized, &trace, error);
	ssdpm_trace_free(trace);
	fclose(file);
	return err;
}

static int trace_open_data(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_trace *trace = NULL;
	int err = ssdpm_trace_open_data(records, strlen(records), sized, &trace,
					error);

	ssdpm_trace_free(trace);
	return err;
}

static int generator_params_init(void *sized, struct ssdpm_error *error)
{
	(void)error;
	return ssdpm_generator_params_init(sized, sized_size(sized));
}

static int generator_get_pause_ns(void *sized, struct ssdpm_error *error)
{
	uint64_t pause_ns;

	return ssdpm_generator_get_pause_ns(sized, 1, &pause_ns, error);
}

static int stats_get(void *sized, struct ssdpm_error *error)
{
	return ssdpm_stats_get(stats, sized, error);
}

/* --- meters --- */

static int sampler_read(void *sized, struct ssdpm_error *error)
{
	return ssdpm_sampler_read(sampler, sized, error);
}

/* --- estimate --- */

static int sim_params_init(void *sized, struct ssdpm_error *error)
{
	(void)error;
	return ssdpm_sim_params_init(sized, sized_size(sized));
}

static int sim_new(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_sim *sim = NULL;
	int err = ssdpm_sim_new(model, sized, &sim, error);

	ssdpm_sim_free(sim);
	return err;
}

static int estimate_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_sim *sim = NULL;
	int err = ssdpm_estimate(model, sized, ios, N_IOS, &sim, error);

	ssdpm_sim_free(sim);
	return err;
}

static int sweep(const struct ssdpm_sim_params *params, void *run,
		 struct ssdpm_error *error)
{
	const struct ssdpm_apst table = { 0 };
	const struct ssdpm_gaps_runs runs = {
		.size = sizeof(runs),
		.tables = &table,
		.n_tables = 1,
		.runs = run,
	};

	return ssdpm_gaps_sweep(gaps, model, params, &runs, error);
}

static int gaps_sweep(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_run run = { .size = sizeof(run) };

	return sweep(sized, &run, error);
}

static int gaps_sweep_run(void *sized, struct ssdpm_error *error)
{
	return sweep(NULL, sized, error);
}

static int gaps_sweep_runs(void *sized, struct ssdpm_error *error)
{
	return ssdpm_gaps_sweep(gaps, model, NULL, sized, error);
}

static int gaps_clairvoyant(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_run run = { .size = sizeof(run) };

	return ssdpm_gaps_clairvoyant(gaps, model, sized, &run, error);
}

static int gaps_clairvoyant_run(void *sized, struct ssdpm_error *error)
{
	return ssdpm_gaps_clairvoyant(gaps, model, NULL, sized, error);
}

static int gaps_best_table(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_best_table best = { .size = sizeof(best) };

	return ssdpm_gaps_best_table(gaps, model, sized, NULL, &best, error);
}

static int gaps_best_table_within(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_best_table best = { .size = sizeof(best) };

	return ssdpm_gaps_best_table(gaps, model, NULL, sized, &best, error);
}

static int gaps_best_table_found(void *sized, struct ssdpm_error *error)
{
	return ssdpm_gaps_best_table(gaps, model, NULL, NULL, sized, error);
}

static int get_default_bounds(void *sized, struct ssdpm_error *error)
{
	return ssdpm_gaps_get_default_bounds(gaps, model, NULL, 0, sized,
					     error);
}

static int get_default_bounds_from(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_bounds found = { .size = sizeof(found) };

	return ssdpm_gaps_get_default_bounds(gaps, model, NULL, sized, &found,
					     error);
}

static int get_default_bounds_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_bounds found = { .size = sizeof(found) };

	return ssdpm_gaps_get_default_bounds(gaps, model, sized, 0, &found,
					     error);
}

static int recommended(const void *params, const void *given,
		       struct ssdpm_error *error)
{
	struct ssdpm_recommendations *routes;
	int err = ssdpm_recommend(gaps, model, params, given, &routes, error);

	if (!err)
		ssdpm_recommendations_free(routes);
	return err;
}

static int recommend(void *sized, struct ssdpm_error *error)
{
	return recommended(sized, NULL, error);
}

static int recommend_within(void *sized, struct ssdpm_error *error)
{
	return recommended(NULL, sized, error);
}

static int write_cost_calculate(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_write_cost cost;

	return ssdpm_write_cost_calculate(sized, 2, &cost, error);
}

static size_t parameters_of(struct ssdpm_parameter p[SSDPM_MAX_PARAMETERS])
{
	size_t n;

	assert_int_equal(ssdpm_parameters_from_model(model, SSDPM_PCIE_L1_2, p,
						     SSDPM_MAX_PARAMETERS, &n,
						     NULL),
			 0);
	return n;
}

static int parameters_set_spare(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_parameter p[SSDPM_MAX_PARAMETERS];
	size_t n = parameters_of(p);

	return ssdpm_parameters_set_spare(model, p, n, sized, NULL, error);
}

static int ftl_write_pattern(void *sized, struct ssdpm_error *error)
{
	return ssdpm_ftl_write_pattern(ftl, sized, 10, error);
}

static int ftl_get_counts(void *sized, struct ssdpm_error *error)
{
	return ssdpm_ftl_get_counts(ftl, sized, error);
}

static int ftl_run(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_ftl_second second;

	return ssdpm_ftl_run(ftl, sized, &ftl_cost, 1, &second, error);
}

static int ftl_run_at(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_ftl_second second;

	return ssdpm_ftl_run(ftl, &any_page, sized, 1, &second, error);
}

static int ftl_cost_calculate(void *sized, struct ssdpm_error *error)
{
	return ssdpm_ftl_cost_calculate(0, 4, sized, error);
}

static const struct ssdpm_ftl_params spare_params = {
	.size = sizeof(spare_params),
	.n_blocks = 16,
	.pages_per_block = 4,
	.collector = SSDPM_FTL_GREEDY,
};

static int ftl_simulate(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_ftl_second second;

	return ssdpm_ftl_simulate(sized, 0.5, &ftl_cost, 1, &second, error);
}

static int ftl_simulate_at(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_ftl_second second;

	return ssdpm_ftl_simulate(&spare_params, 0.5, sized, 1, &second, error);
}

static int suspend_judge_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_suspend_verdict verdict = { .size = sizeof(verdict) };
	struct ssdpm_suspend_evidence *evidence = NULL;
	size_t n;
	int err = ssdpm_suspend_judge(sized, &verdict, &evidence, &n, error);

	free(evidence);
	return err;
}

static int suspend_judge(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_suspend_evidence *evidence = NULL;
	size_t n;
	int err = ssdpm_suspend_judge(&suspend_params, sized, &evidence, &n,
				      error);

	free(evidence);
	return err;
}

static int suspend_judge_facts(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_suspend_params params = suspend_params;

	params.facts = sized;
	return suspend_judge_of(&params, error);
}

static int suspend_get_remedies(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_suspend_remedy *remedies = NULL;
	size_t n;
	int err = ssdpm_suspend_get_remedies(sized, 1, &remedies, &n, error);

	free(remedies);
	return err;
}

static int suspend_to_json(void *sized, struct ssdpm_error *error)
{
	char *text = NULL;
	int err = ssdpm_suspend_to_json(sized, &text, error);

	free(text);
	return err;
}

static int suspend_explain(void *sized, struct ssdpm_error *error)
{
	char *text = NULL;
	int err = ssdpm_suspend_explain_plan(sized, 0, 1, &text, error);

	free(text);
	return err;
}

static int suspend_explain_facts(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_suspend_params params = suspend_params;

	params.facts = sized;
	return suspend_explain(&params, error);
}

static int suspend_remedies_facts(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_suspend_params params = suspend_params;

	params.facts = sized;
	return suspend_get_remedies(&params, error);
}

static int suspend_to_json_facts(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_suspend_params params = suspend_params;

	params.facts = sized;
	return suspend_to_json(&params, error);
}

SIZED_MAKES(tracer_new, ssdpm_tracer_new, struct ssdpm_tracer,
	    ssdpm_tracer_free)

static int trial_next(void *sized, struct ssdpm_error *error)
{
	return ssdpm_trial_next(trial, 0, sized, error);
}

static int bisect_get_state(void *sized, struct ssdpm_error *error)
{
	return ssdpm_bisect_get_state(bisect, sized, error);
}

static int bisect_get_trial(void *sized, struct ssdpm_error *error)
{
	return ssdpm_bisect_get_trial(bisect, 0, sized, error);
}

static int bisect_get_remedy(void *sized, struct ssdpm_error *error)
{
	return ssdpm_bisect_get_remedy(found_bisect, 0, 0, sized, error);
}

static int fault_from_line(void *sized, struct ssdpm_error *error)
{
	static const char line[] = "[ 1.5] ata1: hard resetting link";

	return ssdpm_fault_from_line(line, strlen(line), sized, error);
}

static int trial_get_state(void *sized, struct ssdpm_error *error)
{
	return ssdpm_trial_get_state(trial, sized, error);
}

static int add_drive(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_observation *made;
	int err = ssdpm_observation_new(&made, error);

	if (!err)
		err = ssdpm_observation_add_drive(made, sized, error);
	ssdpm_observation_free(made);
	return err;
}

static int watch_add_drive(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_observation *made;
	struct ssdpm_watch *watch = NULL;
	int err = ssdpm_observation_new(&made, error);

	if (!err)
		err = ssdpm_watch_new(watched_machine, made, &watch, error);
	if (!err)
		err = ssdpm_watch_add_drive(watch, watched_device, sized,
					    error);
	ssdpm_watch_free(watch);
	ssdpm_observation_free(made);
	return err;
}

static int watch_add_drive_of_sim(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_observed_params params = observed_params;

	params.sim_params = sized;
	return watch_add_drive(&params, error);
}

static int add_drive_of_sim(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_observed_params params = observed_params;

	params.sim_params = sized;
	return add_drive(&params, error);
}

static int get_drive(void *sized, struct ssdpm_error *error)
{
	return ssdpm_observation_get_drive(observation, 0, sized, error);
}

static int get_deepest(void *sized, struct ssdpm_error *error)
{
	return ssdpm_observation_get_deepest(observation, 0, sized, error);
}

static int get_cause(void *sized, struct ssdpm_error *error)
{
	return ssdpm_observation_get_cause(observation, 0, 0, sized, error);
}

static int get_without(void *sized, struct ssdpm_error *error)
{
	return ssdpm_observation_get_without(observation, 0, 0, sized, error);
}

static int get_prediction_of_observed(void *sized, struct ssdpm_error *error)
{
	return ssdpm_observation_get_prediction(observation, 0, sized, error);
}

static int cap_calculate(void *sized, struct ssdpm_error *error)
{
	return ssdpm_cap_calculate(&cap_params, sized, error);
}

static int cap_calculate_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_cap_result result = { .size = sizeof(result) };

	return ssdpm_cap_calculate(sized, &result, error);
}

static int cap_params_from_model(void *sized, struct ssdpm_error *error)
{
	static struct ssdpm_cap_stream streams[1];

	streams[0] =
		(struct ssdpm_cap_stream){ .op = SSDPM_OP_WRITE, .share = 1 };
	return ssdpm_cap_params_from_model(model, NULL, streams, 1, sized,
					   error);
}

static int cap_params_from_sim(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_cap_stream one = { .op = SSDPM_OP_WRITE, .share = 1 };
	struct ssdpm_cap_params params = { .size = sizeof(params) };

	return ssdpm_cap_params_from_model(model, sized, &one, 1, &params,
					   error);
}

static const struct ssdpm_cap_schedule schedule = {
	.size = sizeof(schedule),
	.segments = &segment,
	.n_segments = 1,
	.ios = ios,
	.n_ios = N_IOS,
};

static int cap_timeline(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_cap_point point;
	size_t n;

	return ssdpm_cap_timeline(sized, &schedule, &point, 1, &n, error);
}

static int cap_timeline_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_cap_point point;
	size_t n;

	return ssdpm_cap_timeline(&cap_params, sized, &point, 1, &n, error);
}

static int cap_simulate(void *sized, struct ssdpm_error *error)
{
	return ssdpm_cap_simulate(model, NULL, &schedule, sized, NULL, error);
}

static int cap_simulate_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_cap_run run = { .size = sizeof(run) };

	return ssdpm_cap_simulate(model, sized, &schedule, &run, NULL, error);
}

static int cap_simulate_under(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_cap_run run = { .size = sizeof(run) };

	return ssdpm_cap_simulate(model, NULL, sized, &run, NULL, error);
}

/* --- budget --- */

static const struct ssdpm_budget_work budget_work = {
	.size = sizeof(budget_work),
	.streams = &stream,
	.n_streams = 1,
};
static const uint32_t budget_max_power_uw[SSDPM_MAX_STATES] = { 5000000 };
static struct ssdpm_budget_drive budget_drive = {
	.size = sizeof(budget_drive),
	.work = &budget_work,
	.max_power_uw = budget_max_power_uw,
	.n_max_powers = SSDPM_MAX_STATES,
};
static struct ssdpm_budget_params budget_params = {
	.size = sizeof(budget_params),
	.n_items = 1,
};
static struct ssdpm_budget_report budget_report = {
	.size = sizeof(budget_report),
	.work = &budget_work,
};
static struct ssdpm_budget *budget;
static const struct ssdpm_budget_item *budget_item;

static int budget_item_new(void *sized, struct ssdpm_error *error)
{
	const struct ssdpm_budget_drive *const drives[] = { sized };
	struct ssdpm_budget_item *item = NULL;
	int err = ssdpm_budget_item_new(drives, 1, SSDPM_BUDGET_POWER_MAX, 1000,
					&item, error);

	ssdpm_budget_item_unref(item);
	return err;
}

static int budget_states(void *sized, struct ssdpm_error *error)
{
	const struct ssdpm_budget_drive *const drives[] = { sized };
	uint32_t states, unknown;

	return ssdpm_budget_drives_get_states(drives, 1, &states, &unknown,
					      error);
}

static void set_up_budget(void)
{
	static struct ssdpm_budget_item *item;
	const struct ssdpm_budget_drive *const drives[] = { &budget_drive };

	budget_drive.model = model;
	assert_int_equal(ssdpm_budget_item_new(drives, 1,
					       SSDPM_BUDGET_POWER_MAX, 1000,
					       &item, NULL),
			 0);
	budget_item = item;
	budget_params.items = &budget_item;
	assert_int_equal(ssdpm_budget_solve(&budget_params, &budget, NULL), 0);
	budget_report.budget = budget;
}

/* --- measure --- */

static int integral_get(void *sized, struct ssdpm_error *error)
{
	return ssdpm_integral_get(integral, sized, error);
}

static int energy_measure(void *sized, struct ssdpm_error *error)
{
	return ssdpm_energy_measure(&samples, NULL, sized, error);
}

static int energy_measure_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_energy energy = { .size = sizeof(energy) };

	return ssdpm_energy_measure(&samples, sized, &energy, error);
}

static int baseline_find(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_baseline baseline;

	return ssdpm_baseline_find(&samples, sized, &baseline, error);
}

static int activity_find(void *sized, struct ssdpm_error *error)
{
	size_t n = 0;

	return ssdpm_activity_find(&samples, &idle, sized, NULL, &n, error);
}

static int change_points_find(void *sized, struct ssdpm_error *error)
{
	size_t n;

	return ssdpm_change_points_find(&samples, sized, NULL, 0, &n, error);
}

static int tail_measure(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_tail tail;

	return ssdpm_tail_measure(&samples, &idle, sized, 45000 * MS, &tail,
				  error);
}

static int idle_work_find(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_idle_work work;

	return ssdpm_idle_work_find(&samples, &idle, sized, &work, error);
}

static int sampling_check(void *sized, struct ssdpm_error *error)
{
	return ssdpm_sampling_check(&samples, NULL, sized, error);
}

static int sampling_check_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_sampling sampling = { .size = sizeof(sampling) };

	return ssdpm_sampling_check(&samples, sized, &sampling, error);
}

static const struct ssdpm_sampling_params sampling_params = {
	.size = sizeof(sampling_params),
	.baseline = &idle,
};

static int steady_state_find(void *sized, struct ssdpm_error *error)
{
	static const double rounds[5] = { 1, 1, 1, 1, 1 };
	size_t begin;

	return ssdpm_steady_state_find(rounds, 5, sized, &begin, error);
}

static const struct ssdpm_io worked[] = {
	{ .start_ns = 40500 * MS,
	  .service_ns = 4000000000,
	  .op = SSDPM_OP_READ },
	{ .start_ns = 90500 * MS,
	  .service_ns = 4000000000,
	  .op = SSDPM_OP_READ },
};
static const struct ssdpm_calibrate_params calibrate_params = {
	.size = sizeof(calibrate_params),
	.ios = worked,
	.n_ios = 2,
	.samples = &samples,
};

static int calibrate(void *sized, struct ssdpm_error *error)
{
	return ssdpm_calibrate(model, NULL, &calibrate_params, sized, error);
}

static int calibrate_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_calibration calibration = { .size = sizeof(calibration) };

	return ssdpm_calibrate(model, NULL, sized, &calibration, error);
}

static int calibrate_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_calibration calibration = { .size = sizeof(calibration) };

	return ssdpm_calibrate(model, sized, &calibrate_params, &calibration,
			       error);
}

static struct ssdpm_measured of_the_run[SSDPM_MAX_PARAMETERS];
static struct ssdpm_calibration of_a_run = {
	.size = sizeof(of_a_run),
	.measured = of_the_run,
	.capacity = SSDPM_MAX_PARAMETERS,
};

static struct ssdpm_idle_state_params idle_state_params = {
	.size = sizeof(idle_state_params),
	.baseline = &idle,
};
static const struct ssdpm_idle_state idle_state = {
	.size = sizeof(idle_state),
	.verdict = SSDPM_IDLE_NONE,
};

static int idle_state_find(void *sized, struct ssdpm_error *error)
{
	return ssdpm_idle_state_find(model, &idle_state_params, sized, error);
}

static int idle_state_find_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_idle_state found = { .size = sizeof(found) };

	return ssdpm_idle_state_find(model, sized, &found, error);
}

static int get_fitted(void *sized, struct ssdpm_error *error)
{
	return ssdpm_calibration_get_fitted(model, NULL, &calibrate_params,
					    &of_a_run, sized, error);
}

static int get_fitted_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_fitted_power fitted = { .size = sizeof(fitted) };

	return ssdpm_calibration_get_fitted(model, NULL, &calibrate_params,
					    sized, &fitted, error);
}

static int fit_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_fitted_power fitted = { .size = sizeof(fitted) };

	return ssdpm_calibration_get_fitted(model, NULL, sized, &of_a_run,
					    &fitted, error);
}

static int fit_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_fitted_power fitted = { .size = sizeof(fitted) };

	return ssdpm_calibration_get_fitted(model, sized, &calibrate_params,
					    &of_a_run, &fitted, error);
}

static const struct ssdpm_overlay overlay = {
	.size = sizeof(overlay),
	.kind = SSDPM_KIND_NVME,
	.product = "Fixture",
	.firmware = "1",
};
static const struct ssdpm_calibration fit = { .size = sizeof(fit) };

static int align(void *sized, struct ssdpm_error *error)
{
	return ssdpm_calibrate_params_align(sized, error);
}

static int overlay_init(void *sized, struct ssdpm_error *error)
{
	return ssdpm_overlay_init(model, NULL, NULL, NULL, sized, error);
}

static int overlay_init_as(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_overlay of = { .size = sizeof(of) };

	return ssdpm_overlay_init(model, sized, NULL, NULL, &of, error);
}

static int overlay_init_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_overlay of = { .size = sizeof(of) };

	return ssdpm_overlay_init(model, NULL, sized, NULL, &of, error);
}

static int overlay_init_with(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_overlay of = { .size = sizeof(of) };

	return ssdpm_overlay_init(model, NULL, NULL, sized, &of, error);
}

static int to_json(const struct ssdpm_overlay *what,
		   const struct ssdpm_calibration *how,
		   struct ssdpm_error *error)
{
	char *text = NULL;
	int err = ssdpm_overlay_to_json(what, how, &text, error);

	free(text);
	return err;
}

static int overlay_to_json(void *sized, struct ssdpm_error *error)
{
	return to_json(sized, &fit, error);
}

static int overlay_to_json_fit(void *sized, struct ssdpm_error *error)
{
	return to_json(&overlay, sized, error);
}

static int from_json(void *what, void *how, struct ssdpm_error *error)
{
	static const char text[] =
		"{\"schema\": \"ssdpm.overlay/1\", \"kind\": \"nvme\", "
		"\"measured\": []}";

	return ssdpm_overlay_from_json(text, strlen(text), what, how, error);
}

static int overlay_from_json(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_calibration calibration = { .size = sizeof(calibration) };

	return from_json(sized, &calibration, error);
}

static int overlay_from_json_fit(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_overlay found = { .size = sizeof(found) };

	return from_json(&found, sized, error);
}

static const char power_text[] = "time_s,power_w\n0,1\n1,2\n";

static int power_open(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_power *power = NULL;
	FILE *file = open_text(power_text);
	int err;

	err = ssdpm_power_open(fileno(file), sized, &power, error);
	ssdpm_power_free(power);
	fclose(file);
	return err;
}

static int power_open_data(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_power *power = NULL;
	int err = ssdpm_power_open_data(power_text, strlen(power_text), sized,
					&power, error);

	ssdpm_power_free(power);
	return err;
}

static const struct ssdpm_survey_params survey = {
	.size = sizeof(survey),
	.n_policies = 2,
	.n_scenarios = 1,
};

static int survey_schedule(void *sized, struct ssdpm_error *error)
{
	uint64_t total_ns;
	size_t n;

	return ssdpm_survey_schedule(sized, NULL, 0, &n, &total_ns, error);
}

static int survey_detectable(void *sized, struct ssdpm_error *error)
{
	const struct ssdpm_survey_noise noise = { 1, 9, 1, 1, 9 };
	struct ssdpm_survey_detectable detectable;

	return ssdpm_survey_detectable(sized, &noise, 0, 1, &detectable, error);
}

static int survey_summarise(void *sized, struct ssdpm_error *error)
{
	return ssdpm_survey_summarise(&samples, sized, error);
}

static const struct ssdpm_survey_analysis_params analysis_params = {
	.size = sizeof(analysis_params),
	.n_policies = 2,
	.n_scenarios = 1,
};

static int survey_result_new(void *sized, struct ssdpm_error *error)
{
	static const char text[] = "policy,power_w\na,1\n";
	struct ssdpm_survey_result *result;
	struct ssdpm_survey_file *file;
	int err = ssdpm_survey_file_open_data(text, strlen(text), &file, error);

	if (err)
		return err;
	err = ssdpm_survey_result_new(file, sized, &result, error);
	if (!err)
		ssdpm_survey_result_free(result);
	ssdpm_survey_file_free(file);
	return err;
}

static int analyse(const struct ssdpm_survey_analysis_params *params, void *ret,
		   struct ssdpm_error *error)
{
	struct ssdpm_survey_run runs[8] = { 0 };

	for (uint32_t i = 0; i < 8; i++) {
		runs[i].mean_w = i * 37 % 11;
		runs[i].policy = i % 2;
		runs[i].block = i / 2;
	}
	return ssdpm_survey_analyse(runs, 8, params, ret, error);
}

static int survey_analyse(void *sized, struct ssdpm_error *error)
{
	return analyse(&analysis_params, sized, error);
}

static int survey_analyse_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_survey_analysis analysis = { .size = sizeof(analysis) };

	return analyse(sized, &analysis, error);
}

static const char iops_text[] = "1000, 5, 1, 0, 0\n2000, 7, 1, 0, 0\n";

static int iops_log_read(void *sized, struct ssdpm_error *error)
{
	FILE *file = open_text(iops_text);
	double *iops = NULL;
	size_t n;
	int err;

	err = ssdpm_iops_log_read(fileno(file), sized, &iops, &n, error);
	free(iops);
	fclose(file);
	return err;
}

static int iops_log_read_data(void *sized, struct ssdpm_error *error)
{
	double *iops = NULL;
	size_t n;
	int err = ssdpm_iops_log_read_data(iops_text, strlen(iops_text), sized,
					   &iops, &n, error);

	free(iops);
	return err;
}

static const double seconds[20] = { 5, 4, 3 };

static struct ssdpm_comparison *comparison;

static int comparison_of(void *params, void *machine, struct ssdpm_error *error)
{
	struct ssdpm_comparison *made;
	int err = ssdpm_comparison_new(model, params, machine, &made, error);

	if (!err)
		ssdpm_comparison_free(made);
	return err;
}

static int comparison_new(void *sized, struct ssdpm_error *error)
{
	return comparison_of(sized, NULL, error);
}

static int comparison_new_on(void *sized, struct ssdpm_error *error)
{
	return comparison_of(NULL, sized, error);
}

static int comparison_add(void *sized, struct ssdpm_error *error)
{
	return ssdpm_comparison_add(comparison, "mine", sized, error);
}

static int comparison_get_row(void *sized, struct ssdpm_error *error)
{
	(void)error;
	return ssdpm_comparison_get_row(comparison, 0, sized);
}

static int get_pcie_link(void *sized, struct ssdpm_error *error)
{
	uint32_t link;

	return ssdpm_device_settings_get_pcie_link(sized, &link, error);
}

static int set_policy(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_resolved_policy resolved;

	return ssdpm_sim_params_set_policy(sized, model, NULL, NULL, &resolved,
					   error);
}

static int set_policy_of(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_sim_params params = sim_params;
	struct ssdpm_resolved_policy resolved;

	return ssdpm_sim_params_set_policy(&params, model, sized, NULL,
					   &resolved, error);
}

static int set_policy_on(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_sim_params params = sim_params;
	struct ssdpm_resolved_policy resolved;

	return ssdpm_sim_params_set_policy(&params, model, NULL, sized,
					   &resolved, error);
}

static const struct ssdpm_policy linux_policy = {
	.size = sizeof(linux_policy),
	.kind = SSDPM_POLICY_ALGORITHM,
	.params = { .size = sizeof(struct ssdpm_apst_params),
		    .algorithm = SSDPM_APST_LINUX,
		    .scheme = SSDPM_SCHEME_BALANCED,
		    .power_source = SSDPM_SOURCE_AC,
		    .max_exit_latency_us = 100000,
		    .primary_timeout_ms = 100,
		    .primary_latency_tolerance_us = 15000,
		    .secondary_timeout_ms = 2000,
		    .secondary_latency_tolerance_us = 100000 },
};
static const struct ssdpm_apst_params apst_params = {
	.size = sizeof(apst_params),
	.algorithm = SSDPM_APST_LINUX,
};
static const struct ssdpm_device_settings settings = {
	.size = sizeof(settings),
	.known = SSDPM_SETTING_APST,
};

static int policy_parse(void *sized, struct ssdpm_error *error)
{
	return ssdpm_policy_parse("linux", NULL, sized, error);
}

static int policy_parse_with(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_policy policy = { .size = sizeof(policy) };

	return ssdpm_policy_parse("linux", sized, &policy, error);
}

static int policy_get_word(void *sized, struct ssdpm_error *error)
{
	const char *word;

	return ssdpm_policy_get_word(sized, &word, error);
}

static int policy_check(void *sized, struct ssdpm_error *error)
{
	return ssdpm_policy_check(model, sized, NULL, error);
}

static int policy_check_on(void *sized, struct ssdpm_error *error)
{
	return ssdpm_policy_check(model, &linux_policy, sized, error);
}

static int policy_get_reference(void *sized, struct ssdpm_error *error)
{
	return ssdpm_policy_get_reference(model, NULL, NULL, sized, error);
}

static int policy_get_reference_on(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_policy policy = { .size = sizeof(policy) };

	return ssdpm_policy_get_reference(model, sized, NULL, &policy, error);
}

static int policy_get_reference_with(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_policy policy = { .size = sizeof(policy) };

	return ssdpm_policy_get_reference(model, NULL, sized, &policy, error);
}

static int policy_resolve(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_resolved_policy resolved;

	return ssdpm_policy_resolve(model, sized, NULL, NULL, &resolved, error);
}

static int policy_resolve_with(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_resolved_policy resolved;

	return ssdpm_policy_resolve(model, &linux_policy, sized, NULL,
				    &resolved, error);
}

static int policy_resolve_on(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_resolved_policy resolved;

	return ssdpm_policy_resolve(model, &linux_policy, NULL, sized,
				    &resolved, error);
}

static int consistency_measure(void *sized, struct ssdpm_error *error)
{
	return ssdpm_consistency_measure(seconds, 20, NULL, sized, error);
}

static int consistency_measure_by(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_consistency c = { .size = sizeof(c) };

	return ssdpm_consistency_measure(seconds, 20, sized, &c, error);
}

static const struct ssdpm_power_counts report_counts;
static const struct ssdpm_energy report_energy = { .size = sizeof(
							   report_energy) };
static const struct ssdpm_sampling report_sampling = {
	.size = sizeof(report_sampling),
};
static const struct ssdpm_power_report report = {
	.size = sizeof(report),
	.name = "power.csv",
	.counts = &report_counts,
	.energy = &report_energy,
	.baseline = &idle,
	.sampling = &report_sampling,
};

static const struct ssdpm_consistency evenness = { .size = sizeof(evenness) };
static const struct ssdpm_consistency_report evenness_report = {
	.size = sizeof(evenness_report),
	.name = "iops.log",
	.found = &evenness,
};

static struct ssdpm_sim *finished_sim;
static const struct ssdpm_resolved_policy resolved_policy;
static const struct ssdpm_cap_run cap_run = { .size = sizeof(cap_run) };
static const struct ssdpm_prediction prediction = {
	.size = sizeof(prediction),
	.possible_high_uw = 3000000,
};
static struct ssdpm_prediction_report prediction_report = {
	.size = sizeof(prediction_report),
	.prediction = &prediction,
	.ios = ios,
	.n_ios = N_IOS,
};
static struct ssdpm_estimate_report estimate_report = {
	.size = sizeof(estimate_report),
	.resolved = &resolved_policy,
};
static struct ssdpm_cap_report cap_report = {
	.size = sizeof(cap_report),
	.streams = &stream,
	.n_streams = 1,
};
static struct ssdpm_comparison *finished_comparison;
static struct ssdpm_comparison_report comparison_report = {
	.size = sizeof(comparison_report),
};
static struct ssdpm_recommendations *recommendations;
static int policies_of(const void *today, void *before, void *after,
		       struct ssdpm_error *error)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_device *device;
	struct ssdpm_model *drive;
	struct ssdpm_plan *plan;
	int err;

	assert_int_equal(ssdpm_device_read(machine, "nvme0", &device, NULL), 0);
	assert_int_equal(ssdpm_device_read_model(device, 0, NULL, &drive, NULL),
			 0);
	assert_int_equal(ssdpm_plan_new(machine, NULL, &plan, NULL), 0);
	assert_int_equal(
		ssdpm_plan_add_profile(plan, device, drive, NULL, NULL), 0);
	err = ssdpm_plan_get_policies(plan, device, today, before, after,
				      error);
	ssdpm_plan_free(plan);
	ssdpm_model_unref(drive);
	ssdpm_device_unref(device);
	ssdpm_machine_unref(machine);
	return err;
}

static int plan_take_today(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_policy before = { .size = sizeof(before) };
	struct ssdpm_policy after = { .size = sizeof(after) };

	return policies_of(sized, &before, &after, error);
}

static int plan_get_before(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_policy after = { .size = sizeof(after) };

	return policies_of(NULL, sized, &after, error);
}

static int plan_get_after(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_policy before = { .size = sizeof(before) };

	return policies_of(NULL, &before, sized, error);
}

static const struct ssdpm_io report_io = { .op = SSDPM_OP_READ };
static const struct ssdpm_energy_report_params report_params = {
	.size = sizeof(report_params),
	.ios = &report_io,
	.n_ios = 1,
};

static struct ssdpm_energy_report *make_report(const void *params,
					       struct ssdpm_error *error,
					       int *ret_err)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_energy_report *made = NULL;

	*ret_err = ssdpm_energy_report_new(machine, params, &made, error);
	ssdpm_machine_unref(machine);
	return made;
}

static int energy_report_new(void *sized, struct ssdpm_error *error)
{
	int err;

	ssdpm_energy_report_free(make_report(sized, error, &err));
	return err;
}

static const struct ssdpm_profile_settings profile_settings = {
	.size = sizeof(profile_settings),
	.set = SSDPM_PROFILE_MAX_EXIT_LATENCY,
	.max_exit_latency_us = 1000,
};

static const struct ssdpm_trial_result trial_result = {
	.size = sizeof(trial_result),
	.decision = SSDPM_TRIAL_COSTS,
	.meter = "BAT0",
};

static const struct ssdpm_likely likely_saving = {
	.size = sizeof(likely_saving),
	.verdict = SSDPM_SAVING_SAVES,
	.low_uw = 1,
	.median_uw = 2,
	.high_uw = 3,
};

/* The first drive of the laptop waits for a trial. */
static int energy_report_set_trial(void *sized, struct ssdpm_error *error)
{
	const struct ssdpm_energy_report_params params = {
		.size = sizeof(params),
		.flags = SSDPM_SIM_LIKELY,
		.patience = SSDPM_PATIENCE_NORMAL,
	};
	int err;
	struct ssdpm_energy_report *made = make_report(&params, error, &err);

	if (!err)
		err = ssdpm_energy_report_set_trial(made, 0, sized, error);
	ssdpm_energy_report_free(made);
	return err;
}

static int total_add_likely(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_total total = { .size = sizeof(total) };

	return ssdpm_total_add_likely(&total, sized, error);
}

static int total_add(void *sized, struct ssdpm_error *error)
{
	return ssdpm_total_add_likely(sized, &likely_saving, error);
}

static const struct ssdpm_energy_report_item advised_item = {
	.size = sizeof(advised_item),
	.advice = SSDPM_ADVICE_SET,
	.likely = &likely_saving,
};

static int total_add_item(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_total total = { .size = sizeof(total) };

	return ssdpm_total_add_item(&total, sized, error);
}

static int total_add_advised(void *sized, struct ssdpm_error *error)
{
	return ssdpm_total_add_item(sized, &advised_item, error);
}

static const struct ssdpm_likely costs_awake = {
	.size = sizeof(costs_awake),
	.verdict = SSDPM_SAVING_COSTS,
	.low_uw = -3,
	.median_uw = -2,
	.high_uw = -1,
};

static const struct ssdpm_report_item drive_asleep = {
	.size = sizeof(drive_asleep),
	.verdict = SSDPM_DIAGNOSIS_SAVES,
};

static const struct ssdpm_energy_report_item item_asleep = {
	.size = sizeof(item_asleep),
	.drive = &drive_asleep,
	.awake = &costs_awake,
};

static int total_add_asleep(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_total total = { .size = sizeof(total) };

	return ssdpm_total_add_asleep(&total, sized, error);
}

static int total_add_sleeping(void *sized, struct ssdpm_error *error)
{
	return ssdpm_total_add_asleep(sized, &item_asleep, error);
}

static int energy_report_get_item(void *sized, struct ssdpm_error *error)
{
	int err;
	struct ssdpm_energy_report *made =
		make_report(&report_params, error, &err);

	err = ssdpm_energy_report_get_item(made, 0, sized);
	ssdpm_energy_report_free(made);
	return err;
}

static const struct ssdpm_machine_facts machine_facts = {
	.size = sizeof(machine_facts),
};

static const struct ssdpm_device_facts sda_facts = {
	.size = sizeof(sda_facts),
	.name = "sda",
};

static int bisect_set_drive(void *sized, struct ssdpm_error *error)
{
	return ssdpm_bisect_set_drive(found_bisect, sized, &machine_facts,
				      error);
}

static int bisect_add_limit(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_bisect *search;
	struct ssdpm_model *sleeper = fixture_model(limited, 2);
	int err = ssdpm_bisect_new(&bisect_params, &search, error);

	if (!err) {
		err = ssdpm_bisect_add_latency_limit(search, "nvme0", sleeper,
						     sized, error);
		ssdpm_bisect_free(search);
	}
	ssdpm_model_unref(sleeper);
	return err;
}

static int bisect_set_machine(void *sized, struct ssdpm_error *error)
{
	return ssdpm_bisect_set_drive(found_bisect, &sda_facts, sized, error);
}

static int set_bounds(struct ssdpm_bounds *sized, void *kernel,
		      struct ssdpm_error *error)
{
	struct ssdpm_machine *machine = tree_capture("laptop");
	struct ssdpm_device *device;
	struct ssdpm_model *read;
	int err;

	assert_int_equal(ssdpm_device_read(machine, "nvme0", &device, NULL), 0);
	assert_int_equal(ssdpm_device_read_model(device, 0, NULL, &read, NULL),
			 0);
	err = ssdpm_bounds_set_device(sized, machine, device, read, kernel,
				      error);
	ssdpm_model_unref(read);
	ssdpm_device_unref(device);
	ssdpm_machine_unref(machine);
	return err;
}

static int bounds_set_device(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_apst_params kernel = { .size = sizeof(kernel) };

	return set_bounds(sized, &kernel, error);
}

static int bounds_get_kernel(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_bounds found = { .size = sizeof(found) };

	return set_bounds(&found, sized, error);
}

static int get_recommended_changes(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_change *changes = NULL;
	size_t n;
	int err = ssdpm_recommendation_get_changes(
		ssdpm_recommendations_get(recommendations, 0), NULL, sized,
		&changes, &n, error);

	free(changes);
	return err;
}

static struct ssdpm_recommendation_report recommendation_report = {
	.size = sizeof(recommendation_report),
	.bounds = &bounds,
};

/* The input of these reports. */
static void set_up_reports(void)
{
	assert_int_equal(
		ssdpm_estimate(model, NULL, ios, N_IOS, &finished_sim, NULL),
		0);
	assert_int_equal(ssdpm_comparison_new(model, NULL, NULL,
					      &finished_comparison, NULL),
			 0);
	assert_int_equal(
		ssdpm_comparison_add(finished_comparison, "none", NULL, NULL),
		0);
	assert_int_equal(
		ssdpm_comparison_feed(finished_comparison, ios, N_IOS, NULL),
		0);
	assert_int_equal(ssdpm_comparison_finish(finished_comparison, 0, NULL),
			 0);
	estimate_report.model = cap_report.model = comparison_report.model =
		model;
	estimate_report.sim = finished_sim;
	prediction_report.model = estimate_report.model;
	prediction_report.sim = finished_sim;
	comparison_report.comparison = finished_comparison;
	assert_int_equal(ssdpm_recommend(gaps, model, NULL, NULL,
					 &recommendations, NULL),
			 0);
	recommendation_report.model = model;
	recommendation_report.recommendations = recommendations;
}

static const struct ssdpm_trace_counts trace_counts;
static struct ssdpm_trace_stats trace_stats = { .size = sizeof(trace_stats) };
static const struct ssdpm_workload_report workload_report = {
	.size = sizeof(workload_report),
	.name = "trace.csv",
	.counts = &trace_counts,
	.stats = &trace_stats,
};

static const struct ssdpm_background_class experiment_class = {
	.background = SSDPM_BACKGROUND_NONE,
};
static const struct ssdpm_experiment experiment = {
	.size = sizeof(experiment),
	.experiment = "order, MTron, SW",
	.micro_benchmark = "order",
	.drive = "MTron",
	.pattern = "SW",
	.found = &experiment_class,
};

/* If the structure ends before the names of its place, there is no matrix. */
static int experiment_matrix_add(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_experiment_matrix *matrix;
	int err = ssdpm_experiment_matrix_new(&matrix, error);

	if (!err)
		err = ssdpm_experiment_matrix_add(matrix, sized, error);
	ssdpm_experiment_matrix_free(matrix);
	return err;
}

/* It has no error; another size makes it unknown. */
static void overlay_match_takes_each_size(void **state)
{
	struct {
		struct ssdpm_overlay overlay;
		uint64_t room;
		uint64_t tail;
	} longer = { overlay, 0, 0 };
	struct ssdpm_model_info info = fixture_info();
	const struct ssdpm_power_state one = { .max_power_uw = 5000000 };
	struct ssdpm_model *same;
	size_t size = offsetof(struct ssdpm_overlay, firmware);
	struct ssdpm_overlay *shorter = malloc(size);

	(void)state;
	snprintf(info.product, sizeof(info.product), "Fixture");
	snprintf(info.firmware, sizeof(info.firmware), "1");
	info.unknown &= ~(uint32_t)(SSDPM_INFO_PRODUCT | SSDPM_INFO_FIRMWARE);
	assert_int_equal(ssdpm_model_new(&info, &one, 1, &same, NULL), 0);
	assert_int_equal(ssdpm_overlay_match(&overlay, same),
			 SSDPM_OVERLAY_SAME);
	longer.overlay.size = sizeof(longer);
	assert_int_equal(ssdpm_overlay_match(&longer.overlay, same),
			 SSDPM_OVERLAY_SAME);
	longer.tail = 1;
	assert_int_equal(ssdpm_overlay_match(&longer.overlay, same),
			 SSDPM_OVERLAY_UNKNOWN);
	longer.overlay.size = 0;
	assert_int_equal(ssdpm_overlay_match(&longer.overlay, same),
			 SSDPM_OVERLAY_UNKNOWN);
	/* It ends before the firmware, so that is missing. */
	assert_non_null(shorter);
	memcpy(shorter, &overlay, size);
	memcpy(shorter, &size, sizeof(size));
	assert_int_equal(ssdpm_overlay_match(shorter, same),
			 SSDPM_OVERLAY_UNKNOWN);
	free(shorter);
	ssdpm_model_unref(same);
}

/* Finished, with likely values. */
static int likely_sim(struct ssdpm_sim **ret_sim, struct ssdpm_error *error)
{
	struct ssdpm_sim_params params = sim_params;

	params.flags = SSDPM_SIM_LIKELY;
	return ssdpm_estimate(model, &params, ios, N_IOS, ret_sim, error);
}

static int get_likely(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_sim *sim;
	int err = likely_sim(&sim, error);

	if (err)
		return err;
	err = ssdpm_sim_get_likely(sim, sim, sized, error);
	ssdpm_sim_free(sim);
	return err;
}

static int get_prediction(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_sim *sim;
	int err = likely_sim(&sim, error);

	if (err)
		return err;
	err = ssdpm_sim_get_prediction(sim, sized, error);
	ssdpm_sim_free(sim);
	return err;
}

static const struct ssdpm_energy judged_energy = {
	.size = sizeof(judged_energy),
	.covered_ns = 1000000000,
	.mean_power_w = 1,
};

static int judge_prediction(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_prediction_check check = { .size = sizeof(check) };

	return ssdpm_prediction_judge(sized, &judged_energy, 0, &check, error);
}

static int judge_energy(void *sized, struct ssdpm_error *error)
{
	struct ssdpm_prediction_check check = { .size = sizeof(check) };

	return ssdpm_prediction_judge(&prediction, sized, 0, &check, error);
}

static int judge_found(void *sized, struct ssdpm_error *error)
{
	return ssdpm_prediction_judge(&prediction, &judged_energy, 0, sized,
				      error);
}

static int prediction_from_json(void *sized, struct ssdpm_error *error)
{
	char *text;
	int err = ssdpm_prediction_report_to_json(&prediction_report, &text,
						  error);

	if (err)
		return err;
	err = ssdpm_prediction_from_json(text, strlen(text), sized, error);
	free(text);
	return err;
}

static int add_measured(void *sized, struct ssdpm_error *error)
{
	char *text, *more;
	int err = ssdpm_prediction_report_to_json(&prediction_report, &text,
						  error);

	if (err)
		return err;
	err = ssdpm_prediction_add_measured(text, strlen(text), sized, &more,
					    error);
	free(text);
	if (!err)
		free(more);
	return err;
}

static const struct ssdpm_prediction_measured prediction_measured = {
	.size = sizeof(prediction_measured),
	.energy = &judged_energy,
};

static int prediction_check_from_json(void *sized, struct ssdpm_error *error)
{
	char *text, *more;
	int err = ssdpm_prediction_report_to_json(&prediction_report, &text,
						  error);

	if (err)
		return err;
	err = ssdpm_prediction_add_measured(text, strlen(text),
					    &prediction_measured, &more, error);
	free(text);
	if (err)
		return err;
	err = ssdpm_prediction_check_from_json(more, strlen(more), sized, NULL,
					       error);
	free(more);
	return err;
}

static const struct ssdpm_sustained_writes writes = { .size = sizeof(writes),
						      .spare_factor = 0.1 };

static const struct sized_case cases[] = {
	SIZED(ssdpm_trace_open, ssdpm_trace_params, SIZED_IN, NULL, trace_open),
	SIZED(ssdpm_trace_open_data, ssdpm_trace_params, SIZED_IN, NULL,
	      trace_open_data),
	SIZED(ssdpm_generator_params_init, ssdpm_generator_params, SIZED_INIT,
	      NULL, generator_params_init),
	SIZED(ssdpm_trace_generate, ssdpm_generator_params, SIZED_IN,
	      &generator_params, trace_generate),
	SIZED(ssdpm_generator_to_fio_job, ssdpm_generator_params, SIZED_IN,
	      &generator_params, generator_to_fio_job),
	SIZED(ssdpm_generator_get_pause_ns, ssdpm_generator_params, SIZED_IN,
	      &generator_params, generator_get_pause_ns),
	SIZED(ssdpm_stats_get, ssdpm_trace_stats, SIZED_OUT, NULL, stats_get),
	SIZED(ssdpm_sim_get_likely, ssdpm_likely, SIZED_OUT, NULL, get_likely),
	SIZED(ssdpm_sim_get_prediction, ssdpm_prediction, SIZED_OUT, NULL,
	      get_prediction),
	SIZED(ssdpm_prediction_judge, ssdpm_prediction, SIZED_IN, &prediction,
	      judge_prediction),
	SIZED(ssdpm_prediction_judge, ssdpm_energy, SIZED_IN, &judged_energy,
	      judge_energy),
	SIZED(ssdpm_prediction_judge, ssdpm_prediction_check, SIZED_OUT, NULL,
	      judge_found),
	SIZED(ssdpm_prediction_report_to_json, ssdpm_prediction_report,
	      SIZED_IN, &prediction_report, prediction_to_json),
	SIZED_MEMBER(ssdpm_prediction_report_to_json, ssdpm_prediction,
		     &prediction, prediction_to_json, prediction_report,
		     prediction),
	SIZED(ssdpm_prediction_from_json, ssdpm_prediction, SIZED_OUT, NULL,
	      prediction_from_json),
	SIZED(ssdpm_prediction_check_from_json, ssdpm_prediction_check,
	      SIZED_OUT, NULL, prediction_check_from_json),
	SIZED(ssdpm_prediction_add_measured, ssdpm_prediction_measured,
	      SIZED_IN, &prediction_measured, add_measured),
	SIZED_MEMBER(ssdpm_prediction_add_measured, ssdpm_energy,
		     &judged_energy, add_measured, prediction_measured, energy),
	SIZED(ssdpm_sampler_read, ssdpm_reading, SIZED_VARIES, NULL,
	      sampler_read),
	SIZED(ssdpm_sim_params_init, ssdpm_sim_params, SIZED_INIT, NULL,
	      sim_params_init),
	SIZED(ssdpm_sim_new, ssdpm_sim_params, SIZED_IN, &sim_params, sim_new),
	SIZED(ssdpm_estimate, ssdpm_sim_params, SIZED_IN, &sim_params,
	      estimate_by),
	SIZED(ssdpm_gaps_sweep, ssdpm_sim_params, SIZED_IN, &sim_params,
	      gaps_sweep),
	SIZED(ssdpm_gaps_sweep, ssdpm_gaps_runs, SIZED_IN, NULL,
	      gaps_sweep_runs),
	SIZED(ssdpm_gaps_sweep, ssdpm_run, SIZED_OUT, NULL, gaps_sweep_run),
	SIZED(ssdpm_gaps_clairvoyant, ssdpm_sim_params, SIZED_IN, &sim_params,
	      gaps_clairvoyant),
	SIZED(ssdpm_gaps_clairvoyant, ssdpm_run, SIZED_OUT, NULL,
	      gaps_clairvoyant_run),
	SIZED(ssdpm_gaps_best_table, ssdpm_sim_params, SIZED_IN, &sim_params,
	      gaps_best_table),
	SIZED(ssdpm_gaps_best_table, ssdpm_bounds, SIZED_IN, &bounds,
	      gaps_best_table_within),
	SIZED_MEMBER(ssdpm_gaps_best_table, ssdpm_apst_params, &kernel_params,
		     gaps_best_table_within, bounds, kernel),
	SIZED(ssdpm_gaps_best_table, ssdpm_best_table, SIZED_OUT, NULL,
	      gaps_best_table_found),
	SIZED(ssdpm_gaps_get_default_bounds, ssdpm_bounds, SIZED_OUT, NULL,
	      get_default_bounds),
	SIZED(ssdpm_gaps_get_default_bounds, ssdpm_bounds, SIZED_IN, &bounds,
	      get_default_bounds_from),
	SIZED_MEMBER(ssdpm_gaps_get_default_bounds, ssdpm_apst_params,
		     &kernel_params, get_default_bounds_from, bounds, kernel),
	SIZED(ssdpm_gaps_get_default_bounds, ssdpm_sim_params, SIZED_IN,
	      &sim_params, get_default_bounds_of),
	SIZED(ssdpm_bounds_set_device, ssdpm_bounds, SIZED_VARIES, &bounds,
	      bounds_set_device),
	SIZED(ssdpm_bounds_set_device, ssdpm_apst_params, SIZED_OUT, NULL,
	      bounds_get_kernel),
	SIZED(ssdpm_recommendation_get_changes, ssdpm_machine_facts, SIZED_IN,
	      &machine_facts, get_recommended_changes),
	SIZED(ssdpm_plan_get_policies, ssdpm_device_settings, SIZED_IN,
	      &settings, plan_take_today),
	SIZED(ssdpm_plan_get_policies, ssdpm_policy, SIZED_OUT, NULL,
	      plan_get_before),
	SIZED(ssdpm_plan_get_policies, ssdpm_policy, SIZED_OUT, NULL,
	      plan_get_after),
	SIZED(ssdpm_energy_report_new, ssdpm_energy_report_params, SIZED_IN,
	      &report_params, energy_report_new),
	SIZED_MEMBER(ssdpm_energy_report_new, ssdpm_profile_settings,
		     &profile_settings, energy_report_new, report_params,
		     settings),
	SIZED(ssdpm_energy_report_get_item, ssdpm_energy_report_item,
	      SIZED_VARIES, NULL, energy_report_get_item),
	SIZED(ssdpm_energy_report_set_trial, ssdpm_trial_result, SIZED_IN,
	      &trial_result, energy_report_set_trial),
	SIZED(ssdpm_total_add_likely, ssdpm_likely, SIZED_IN, &likely_saving,
	      total_add_likely),
	SIZED(ssdpm_total_add_likely, ssdpm_total, SIZED_OUT, NULL, total_add),
	SIZED(ssdpm_total_add_item, ssdpm_total, SIZED_OUT, NULL,
	      total_add_advised),
	SIZED(ssdpm_total_add_item, ssdpm_energy_report_item, SIZED_IN,
	      &advised_item, total_add_item),
	SIZED(ssdpm_total_add_asleep, ssdpm_total, SIZED_OUT, NULL,
	      total_add_sleeping),
	SIZED(ssdpm_total_add_asleep, ssdpm_energy_report_item, SIZED_IN,
	      &item_asleep, total_add_asleep),
	SIZED_MEMBER(ssdpm_total_add_asleep, ssdpm_likely, &costs_awake,
		     total_add_asleep, item_asleep, awake),
	SIZED_MEMBER(ssdpm_total_add_asleep, ssdpm_report_item, &drive_asleep,
		     total_add_asleep, item_asleep, drive),
	SIZED_MEMBER(ssdpm_total_add_item, ssdpm_likely, &likely_saving,
		     total_add_item, advised_item, likely),
	SIZED_MEMBER(ssdpm_total_add_item, ssdpm_trial_result, &trial_result,
		     total_add_item, advised_item, trial),
	SIZED(ssdpm_recommend, ssdpm_sim_params, SIZED_IN, &sim_params,
	      recommend),
	SIZED(ssdpm_recommend, ssdpm_bounds, SIZED_IN, &bounds,
	      recommend_within),
	SIZED_MEMBER(ssdpm_recommend, ssdpm_apst_params, &kernel_params,
		     recommend_within, bounds, kernel),
	SIZED(ssdpm_write_cost_calculate, ssdpm_nand, SIZED_IN, &nand,
	      write_cost_calculate),
	SIZED(ssdpm_parameters_set_spare, ssdpm_sustained_writes, SIZED_IN,
	      &writes, parameters_set_spare),
	SIZED(ssdpm_ftl_new, ssdpm_ftl_params, SIZED_IN, &ftl_params, ftl_new),
	SIZED(ssdpm_ftl_write_pattern, ssdpm_ftl_pattern, SIZED_IN, &any_page,
	      ftl_write_pattern),
	SIZED(ssdpm_ftl_get_counts, ssdpm_ftl_counts, SIZED_OUT, NULL,
	      ftl_get_counts),
	SIZED(ssdpm_ftl_run, ssdpm_ftl_pattern, SIZED_IN, &any_page, ftl_run),
	SIZED(ssdpm_ftl_run, ssdpm_ftl_cost, SIZED_IN, &ftl_cost, ftl_run_at),
	SIZED(ssdpm_ftl_cost_calculate, ssdpm_ftl_cost, SIZED_OUT, NULL,
	      ftl_cost_calculate),
	SIZED(ssdpm_ftl_simulate, ssdpm_ftl_params, SIZED_IN, &spare_params,
	      ftl_simulate),
	SIZED(ssdpm_ftl_simulate, ssdpm_ftl_cost, SIZED_IN, &ftl_cost,
	      ftl_simulate_at),
	SIZED(ssdpm_bisect_new, ssdpm_bisect_params, SIZED_IN, &bisect_params,
	      bisect_new),
	SIZED(ssdpm_bisect_add_latency_limit, ssdpm_apst_params, SIZED_IN,
	      &limit_params, bisect_add_limit),
	SIZED(ssdpm_bisect_get_state, ssdpm_bisect_state, SIZED_OUT, NULL,
	      bisect_get_state),
	SIZED(ssdpm_bisect_get_trial, ssdpm_bisect_trial, SIZED_OUT, NULL,
	      bisect_get_trial),
	SIZED(ssdpm_bisect_set_drive, ssdpm_device_facts, SIZED_IN, &sda_facts,
	      bisect_set_drive),
	SIZED(ssdpm_bisect_set_drive, ssdpm_machine_facts, SIZED_IN,
	      &machine_facts, bisect_set_machine),
	SIZED(ssdpm_bisect_get_remedy, ssdpm_bisect_remedy, SIZED_OUT, NULL,
	      bisect_get_remedy),
	SIZED(ssdpm_fault_from_line, ssdpm_fault, SIZED_OUT, NULL,
	      fault_from_line),
	SIZED(ssdpm_trial_new, ssdpm_trial_params, SIZED_IN, &trial_params,
	      trial_new),
	SIZED(ssdpm_trial_next, ssdpm_trial_block, SIZED_OUT, NULL, trial_next),
	SIZED(ssdpm_trial_get_state, ssdpm_trial_state, SIZED_OUT, NULL,
	      trial_get_state),
	SIZED(ssdpm_suspend_judge, ssdpm_suspend_params, SIZED_IN,
	      &suspend_params, suspend_judge_of),
	SIZED(ssdpm_suspend_judge, ssdpm_suspend_verdict, SIZED_OUT, NULL,
	      suspend_judge),
	SIZED(ssdpm_suspend_judge, ssdpm_machine_facts, SIZED_IN,
	      &machine_facts, suspend_judge_facts),
	SIZED(ssdpm_suspend_get_remedies, ssdpm_suspend_params, SIZED_IN,
	      &suspend_params, suspend_get_remedies),
	SIZED(ssdpm_suspend_to_json, ssdpm_suspend_params, SIZED_IN,
	      &suspend_params, suspend_to_json),
	SIZED(ssdpm_suspend_explain_plan, ssdpm_suspend_params, SIZED_IN,
	      &suspend_params, suspend_explain),
	SIZED(ssdpm_suspend_explain_plan, ssdpm_machine_facts, SIZED_IN,
	      &machine_facts, suspend_explain_facts),
	SIZED(ssdpm_suspend_get_remedies, ssdpm_machine_facts, SIZED_IN,
	      &machine_facts, suspend_remedies_facts),
	SIZED(ssdpm_suspend_to_json, ssdpm_machine_facts, SIZED_IN,
	      &machine_facts, suspend_to_json_facts),
	SIZED(ssdpm_tracer_new, ssdpm_tracer_params, SIZED_IN, &tracer_params,
	      tracer_new),
	SIZED(ssdpm_observation_add_drive, ssdpm_observed_params, SIZED_IN,
	      &observed_params, add_drive),
	SIZED(ssdpm_watch_add_drive, ssdpm_observed_params, SIZED_IN,
	      &observed_params, watch_add_drive),
	SIZED(ssdpm_watch_add_drive, ssdpm_sim_params, SIZED_IN, &sim_params,
	      watch_add_drive_of_sim),
	SIZED(ssdpm_observation_add_drive, ssdpm_sim_params, SIZED_IN,
	      &sim_params, add_drive_of_sim),
	SIZED(ssdpm_observation_get_drive, ssdpm_observed, SIZED_OUT, NULL,
	      get_drive),
	SIZED(ssdpm_observation_get_deepest, ssdpm_deepest, SIZED_OUT, NULL,
	      get_deepest),
	SIZED(ssdpm_observation_get_cause, ssdpm_cause, SIZED_OUT, NULL,
	      get_cause),
	SIZED(ssdpm_observation_get_without, ssdpm_without, SIZED_OUT, NULL,
	      get_without),
	SIZED(ssdpm_observation_get_prediction, ssdpm_prediction, SIZED_OUT,
	      NULL, get_prediction_of_observed),
	SIZED(ssdpm_cap_calculate, ssdpm_cap_result, SIZED_OUT, NULL,
	      cap_calculate),
	SIZED(ssdpm_cap_calculate, ssdpm_cap_params, SIZED_IN, &cap_params,
	      cap_calculate_of),
	SIZED_MEMBER(ssdpm_cap_calculate, ssdpm_nand, &nand, cap_calculate_of,
		     cap_params, nand),
	SIZED(ssdpm_cap_params_from_model, ssdpm_cap_params, SIZED_OUT, NULL,
	      cap_params_from_model),
	SIZED(ssdpm_cap_timeline, ssdpm_cap_params, SIZED_IN, &cap_params,
	      cap_timeline),
	SIZED_MEMBER(ssdpm_cap_timeline, ssdpm_nand, &nand, cap_timeline,
		     cap_params, nand),
	SIZED(ssdpm_cap_simulate, ssdpm_cap_run, SIZED_OUT, NULL, cap_simulate),
	SIZED(ssdpm_cap_simulate, ssdpm_sim_params, SIZED_IN, &sim_params,
	      cap_simulate_by),
	SIZED(ssdpm_cap_params_from_model, ssdpm_sim_params, SIZED_IN,
	      &sim_params, cap_params_from_sim),
	SIZED(ssdpm_cap_timeline, ssdpm_cap_schedule, SIZED_IN, &schedule,
	      cap_timeline_by),
	SIZED(ssdpm_cap_simulate, ssdpm_cap_schedule, SIZED_IN, &schedule,
	      cap_simulate_under),
	SIZED(ssdpm_budget_item_new, ssdpm_budget_drive, SIZED_IN,
	      &budget_drive, budget_item_new),
	SIZED_MEMBER(ssdpm_budget_item_new, ssdpm_budget_work, &budget_work,
		     budget_item_new, budget_drive, work),
	SIZED_MEMBER(ssdpm_budget_item_new, ssdpm_sim_params, &sim_params,
		     budget_item_new, budget_drive, params),
	SIZED(ssdpm_budget_drives_get_states, ssdpm_budget_drive, SIZED_IN,
	      &budget_drive, budget_states),
	SIZED_MEMBER(ssdpm_budget_drives_get_states, ssdpm_budget_work,
		     &budget_work, budget_states, budget_drive, work),
	SIZED_MEMBER(ssdpm_budget_drives_get_states, ssdpm_sim_params,
		     &sim_params, budget_states, budget_drive, params),
	SIZED(ssdpm_budget_solve, ssdpm_budget_params, SIZED_IN, &budget_params,
	      budget_solve),
	SIZED(ssdpm_budget_report_to_json, ssdpm_budget_report, SIZED_IN,
	      &budget_report, budget_to_json),
	SIZED_MEMBER(ssdpm_budget_report_to_json, ssdpm_budget_work,
		     &budget_work, budget_to_json, budget_report, work),
	SIZED(ssdpm_integral_new, ssdpm_energy_params, SIZED_IN, NULL,
	      integral_new),
	SIZED(ssdpm_integral_get, ssdpm_energy, SIZED_OUT, NULL, integral_get),
	SIZED(ssdpm_energy_measure, ssdpm_energy, SIZED_OUT, NULL,
	      energy_measure),
	SIZED(ssdpm_energy_measure, ssdpm_energy_params, SIZED_IN, NULL,
	      energy_measure_by),
	SIZED(ssdpm_baseline_find, ssdpm_baseline_params, SIZED_IN, NULL,
	      baseline_find),
	SIZED(ssdpm_activity_find, ssdpm_detect_params, SIZED_IN, NULL,
	      activity_find),
	SIZED(ssdpm_change_points_find, ssdpm_change_params, SIZED_IN, NULL,
	      change_points_find),
	SIZED(ssdpm_tail_measure, ssdpm_detect_params, SIZED_IN, NULL,
	      tail_measure),
	SIZED(ssdpm_idle_work_find, ssdpm_detect_params, SIZED_IN, NULL,
	      idle_work_find),
	SIZED(ssdpm_sampling_check, ssdpm_sampling, SIZED_OUT, NULL,
	      sampling_check),
	SIZED(ssdpm_sampling_check, ssdpm_sampling_params, SIZED_IN, NULL,
	      sampling_check_by),
	SIZED_MEMBER(ssdpm_sampling_check, ssdpm_detect_params, NULL,
		     sampling_check_by, sampling_params, detect),
	SIZED(ssdpm_steady_state_find, ssdpm_steady_params, SIZED_IN, NULL,
	      steady_state_find),
	SIZED(ssdpm_calibrate, ssdpm_calibration, SIZED_OUT, NULL, calibrate),
	SIZED(ssdpm_idle_state_find, ssdpm_idle_state, SIZED_OUT, NULL,
	      idle_state_find),
	SIZED(ssdpm_idle_state_find, ssdpm_idle_state_params, SIZED_IN,
	      &idle_state_params, idle_state_find_by),
	SIZED(ssdpm_idle_state_to_json, ssdpm_idle_state, SIZED_IN, &idle_state,
	      idle_state_to_json),
	SIZED(ssdpm_calibration_get_fitted, ssdpm_fitted_power, SIZED_OUT, NULL,
	      get_fitted),
	SIZED(ssdpm_calibration_get_fitted, ssdpm_calibration, SIZED_IN,
	      &of_a_run, get_fitted_by),
	SIZED(ssdpm_calibration_get_fitted, ssdpm_calibrate_params, SIZED_IN,
	      &calibrate_params, fit_by),
	SIZED(ssdpm_calibration_get_fitted, ssdpm_sim_params, SIZED_IN,
	      &sim_params, fit_of),
	SIZED(ssdpm_calibrate, ssdpm_calibrate_params, SIZED_IN,
	      &calibrate_params, calibrate_by),
	SIZED(ssdpm_calibrate, ssdpm_sim_params, SIZED_IN, &sim_params,
	      calibrate_of),
	SIZED(ssdpm_calibrate_params_align, ssdpm_calibrate_params,
	      SIZED_VARIES, &calibrate_params, align),
	SIZED(ssdpm_overlay_init, ssdpm_overlay, SIZED_OUT, NULL, overlay_init),
	SIZED(ssdpm_overlay_init, ssdpm_sim_params, SIZED_IN, &sim_params,
	      overlay_init_as),
	SIZED(ssdpm_overlay_init, ssdpm_calibrate_params, SIZED_IN,
	      &calibrate_params, overlay_init_by),
	SIZED(ssdpm_overlay_init, ssdpm_overlay_names, SIZED_IN, NULL,
	      overlay_init_with),
	SIZED(ssdpm_overlay_to_json, ssdpm_overlay, SIZED_IN, &overlay,
	      overlay_to_json),
	SIZED(ssdpm_overlay_to_json, ssdpm_calibration, SIZED_IN, &fit,
	      overlay_to_json_fit),
	SIZED(ssdpm_overlay_from_json, ssdpm_overlay, SIZED_OUT, NULL,
	      overlay_from_json),
	SIZED(ssdpm_overlay_from_json, ssdpm_calibration, SIZED_OUT, NULL,
	      overlay_from_json_fit),
	SIZED(ssdpm_power_open, ssdpm_power_params, SIZED_IN, NULL, power_open),
	SIZED(ssdpm_power_open_data, ssdpm_power_params, SIZED_IN, NULL,
	      power_open_data),
	SIZED(ssdpm_survey_schedule, ssdpm_survey_params, SIZED_IN, &survey,
	      survey_schedule),
	SIZED(ssdpm_survey_detectable, ssdpm_survey_params, SIZED_IN, &survey,
	      survey_detectable),
	SIZED(ssdpm_survey_result_new, ssdpm_survey_result_params, SIZED_IN,
	      NULL, survey_result_new),
	SIZED(ssdpm_survey_summarise, ssdpm_survey_summary, SIZED_OUT, NULL,
	      survey_summarise),
	SIZED(ssdpm_survey_analyse, ssdpm_survey_analysis, SIZED_OUT, NULL,
	      survey_analyse),
	SIZED(ssdpm_survey_analyse, ssdpm_survey_analysis_params, SIZED_IN,
	      &analysis_params, survey_analyse_by),
	SIZED(ssdpm_iops_log_read, ssdpm_iops_log_params, SIZED_IN, NULL,
	      iops_log_read),
	SIZED(ssdpm_iops_log_read_data, ssdpm_iops_log_params, SIZED_IN, NULL,
	      iops_log_read_data),
	SIZED(ssdpm_policy_parse, ssdpm_policy, SIZED_OUT, NULL, policy_parse),
	SIZED(ssdpm_policy_parse, ssdpm_apst_params, SIZED_IN, &apst_params,
	      policy_parse_with),
	SIZED(ssdpm_policy_get_word, ssdpm_policy, SIZED_IN, &linux_policy,
	      policy_get_word),
	SIZED(ssdpm_policy_check, ssdpm_policy, SIZED_IN, &linux_policy,
	      policy_check),
	SIZED(ssdpm_policy_check, ssdpm_device_settings, SIZED_IN, &settings,
	      policy_check_on),
	SIZED(ssdpm_policy_get_reference, ssdpm_policy, SIZED_OUT, NULL,
	      policy_get_reference),
	SIZED(ssdpm_policy_get_reference, ssdpm_device_settings, SIZED_IN,
	      &settings, policy_get_reference_on),
	SIZED(ssdpm_policy_get_reference, ssdpm_apst_params, SIZED_IN,
	      &apst_params, policy_get_reference_with),
	SIZED(ssdpm_policy_resolve, ssdpm_policy, SIZED_IN, &linux_policy,
	      policy_resolve),
	SIZED(ssdpm_policy_resolve, ssdpm_sim_params, SIZED_IN, &sim_params,
	      policy_resolve_with),
	SIZED(ssdpm_policy_resolve, ssdpm_device_settings, SIZED_IN, &settings,
	      policy_resolve_on),
	SIZED(ssdpm_device_settings_get_pcie_link, ssdpm_device_settings,
	      SIZED_IN, &settings, get_pcie_link),
	SIZED(ssdpm_sim_params_set_policy, ssdpm_sim_params, SIZED_VARIES,
	      &sim_params, set_policy),
	SIZED(ssdpm_sim_params_set_policy, ssdpm_policy, SIZED_IN,
	      &linux_policy, set_policy_of),
	SIZED(ssdpm_sim_params_set_policy, ssdpm_device_settings, SIZED_IN,
	      &settings, set_policy_on),
	SIZED(ssdpm_comparison_new, ssdpm_sim_params, SIZED_IN, &sim_params,
	      comparison_new),
	SIZED(ssdpm_comparison_new, ssdpm_device_settings, SIZED_IN, &settings,
	      comparison_new_on),
	SIZED(ssdpm_comparison_add, ssdpm_policy, SIZED_IN, &linux_policy,
	      comparison_add),
	SIZED(ssdpm_comparison_get_row, ssdpm_compared_policy, SIZED_OUT, NULL,
	      comparison_get_row),
	SIZED(ssdpm_consistency_measure, ssdpm_consistency, SIZED_OUT, NULL,
	      consistency_measure),
	SIZED(ssdpm_consistency_measure, ssdpm_consistency_params, SIZED_IN,
	      NULL, consistency_measure_by),
	SIZED(ssdpm_consistency_report_to_json, ssdpm_consistency_report,
	      SIZED_IN, &evenness_report, consistency_to_json),
	SIZED_MEMBER(ssdpm_consistency_report_to_json, ssdpm_consistency,
		     &evenness, consistency_to_json, evenness_report, found),
	SIZED(ssdpm_estimate_report_to_json, ssdpm_estimate_report, SIZED_IN,
	      &estimate_report, estimate_to_json),
	SIZED_MEMBER(ssdpm_estimate_report_to_json, ssdpm_cap_run, &cap_run,
		     estimate_to_json, estimate_report, cap_run),
	SIZED(ssdpm_cap_report_to_json, ssdpm_cap_report, SIZED_IN, &cap_report,
	      cap_to_json),
	SIZED(ssdpm_comparison_report_to_json, ssdpm_comparison_report,
	      SIZED_IN, &comparison_report, comparison_to_json),
	SIZED(ssdpm_recommendation_report_to_json, ssdpm_recommendation_report,
	      SIZED_IN, &recommendation_report, recommendation_to_json),
	SIZED_MEMBER(ssdpm_recommendation_report_to_json, ssdpm_bounds, &bounds,
		     recommendation_to_json, recommendation_report, bounds),
	SIZED_MEMBER(ssdpm_recommendation_report_to_json, ssdpm_sim_params,
		     &sim_params, recommendation_to_json, recommendation_report,
		     params),
	SIZED(ssdpm_workload_report_to_json, ssdpm_workload_report, SIZED_IN,
	      &workload_report, workload_to_json),
	SIZED_MEMBER(ssdpm_workload_report_to_json, ssdpm_trace_stats,
		     &trace_stats, workload_to_json, workload_report, stats),
	SIZED(ssdpm_experiment_to_json, ssdpm_experiment, SIZED_IN, &experiment,
	      experiment_to_json),
	SIZED(ssdpm_experiment_matrix_add, ssdpm_experiment, SIZED_IN,
	      &experiment, experiment_matrix_add),
	SIZED(ssdpm_power_report_energy_to_json, ssdpm_power_report, SIZED_IN,
	      &report, energy_to_json),
	SIZED_MEMBER(ssdpm_power_report_energy_to_json, ssdpm_energy,
		     &report_energy, energy_to_json, report, energy),
	SIZED_MEMBER(ssdpm_power_report_energy_to_json, ssdpm_sampling,
		     &report_sampling, energy_to_json, report, sampling),
	SIZED(ssdpm_power_report_baseline_to_json, ssdpm_power_report, SIZED_IN,
	      &report, baseline_to_json),
	SIZED_MEMBER(ssdpm_power_report_baseline_to_json, ssdpm_energy,
		     &report_energy, baseline_to_json, report, energy),
	SIZED_MEMBER(ssdpm_power_report_baseline_to_json, ssdpm_sampling,
		     &report_sampling, baseline_to_json, report, sampling),
	SIZED(ssdpm_power_report_background_to_json, ssdpm_power_report,
	      SIZED_IN, &report, background_to_json),
	SIZED_MEMBER(ssdpm_power_report_background_to_json, ssdpm_energy,
		     &report_energy, background_to_json, report, energy),
	SIZED_MEMBER(ssdpm_power_report_background_to_json, ssdpm_sampling,
		     &report_sampling, background_to_json, report, sampling),
};

static void every_sized_structure_of_the_energy_keeps_the_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		sized_assert(&cases[i]);
}

static void set_up_bisect(void)
{
	char *text = fixture_sealed("# ssdpm bisect 1\nerrors 1\nentries 9\n"
				    "suspect apst off PS3 PS4\ngood 5\n"
				    "running 7 -\n");
	char *found = fixture_sealed(
		"# ssdpm bisect 1\nerrors 1\nentries 9\n"
		"suspect sda:lpm max_performance min_power\ngood 9\n"
		"bad 3\n");

	assert_int_equal(
		ssdpm_bisect_from_text(text, strlen(text), &bisect, NULL), 0);
	assert_int_equal(ssdpm_bisect_from_text(found, strlen(found),
						&found_bisect, NULL),
			 0);
	free(text);
	free(found);
}

static void set_up_observation(void)
{
	static const char text[] =
		"cat-1 [0] d. 1.0: block_rq_issue: 8,0 R 512 () 8 + 1 [cat]\n"
		"cat-1 [0] d. 1.5: block_rq_complete: 8,0 R () 8 + 1 [0]\n";

	observed_params = (struct ssdpm_observed_params){
		.size = sizeof(observed_params),
		.model = model,
		.sim_params = &sim_params,
		.major = 8,
		.ctrl_id = SSDPM_NO_CONTROLLER,
	};
	assert_int_equal(ssdpm_observation_new(&observation, NULL), 0);
	assert_int_equal(ssdpm_observation_add_drive(observation,
						     &observed_params, NULL),
			 0);
	assert_int_equal(
		ssdpm_observation_feed(observation, text, strlen(text), NULL),
		0);
	assert_int_equal(ssdpm_observation_finish(observation, 0, NULL), 0);
}

/* A tracefs, and below it a drive with a block device. */
static void set_up_watched(void)
{
	const char *root = tracefs_new();

	tracer_params.tracefs = root;
	tree_put(root, "sys/devices/nvme0/transport", "pcie");
	tree_put(root, "sys/devices/nvme0/nvme0n1/dev", "259:0");
	tree_link(root, "sys/class/nvme/nvme0", "../../devices/nvme0");
	tree_link(root, "sys/class/block/nvme0n1",
		  "../../devices/nvme0/nvme0n1");
	watched_machine = tree_machine(root);
	assert_int_equal(ssdpm_device_read(watched_machine, "nvme0",
					   &watched_device, NULL),
			 0);
}

static int set_up(void **state)
{
	static const struct ssdpm_machine_params live = {
		.size = sizeof(live),
	};
	struct ssdpm_meter meter = { 0 };

	(void)state;
	for (int i = 0; i < N_SAMPLES; i++)
		power_w[i] =
			2 + (i % 50 > 40) - (i % 50 > 44) + i * 37 % 11 * 0.001;
	model = fixture_model((struct latencies[]){ { 0, 0, 0 },
						    { 1, 100, 200 },
						    { 1, 3000, 900 } },
			      3);
	ssdpm_generator_params_init(&generator_params,
				    sizeof(generator_params));
	generator_params.name = "poisson";
	assert_int_equal(ssdpm_stats_new(NULL, &stats, NULL), 0);
	assert_int_equal(ssdpm_machine_new(&live, &this_machine, NULL), 0);
	assert_int_equal(ssdpm_machine_find_meter(
				 this_machine, "command:echo 5", &meter, NULL),
			 0);
	assert_int_equal(
		ssdpm_sampler_new(this_machine, &meter, &sampler, NULL), 0);
	ssdpm_sim_params_init(&sim_params, sizeof(sim_params));
	assert_int_equal(
		ssdpm_comparison_new(model, NULL, NULL, &comparison, NULL), 0);
	assert_int_equal(ssdpm_comparison_add(comparison, "none", NULL, NULL),
			 0);
	assert_int_equal(ssdpm_gaps_new(NULL, &gaps, NULL), 0);
	assert_int_equal(ssdpm_gaps_feed(gaps, ios, N_IOS, NULL), 0);
	assert_int_equal(ssdpm_gaps_finish(gaps, 0, NULL), 0);
	set_up_reports();
	set_up_budget();
	assert_int_equal(ssdpm_ftl_new(&ftl_params, &ftl, NULL), 0);
	assert_int_equal(ssdpm_trial_new(&trial_params, &trial, NULL), 0);
	set_up_bisect();
	set_up_observation();
	set_up_watched();
	assert_int_equal(ssdpm_suspend_reading_from_text(
				 suspend_text, strlen(suspend_text),
				 &suspend_reading, NULL),
			 0);
	suspend_params.facts = &machine_facts;
	suspend_params.after = suspend_reading;
	assert_int_equal(ssdpm_integral_new(NULL, &integral, NULL), 0);
	assert_int_equal(ssdpm_integral_feed(integral, &samples, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ssdpm_budget_free(budget);
	ssdpm_budget_item_unref((struct ssdpm_budget_item *)budget_item);
	ssdpm_comparison_free(comparison);
	ssdpm_comparison_free(finished_comparison);
	ssdpm_recommendations_free(recommendations);
	ssdpm_sim_free(finished_sim);
	ssdpm_sampler_free(sampler);
	ssdpm_machine_unref(this_machine);
	ssdpm_stats_free(stats);
	ssdpm_integral_free(integral);
	ssdpm_ftl_free(ftl);
	ssdpm_trial_free(trial);
	ssdpm_bisect_free(bisect);
	ssdpm_bisect_free(found_bisect);
	ssdpm_observation_free(observation);
	ssdpm_suspend_reading_free(suspend_reading);
	ssdpm_device_unref(watched_device);
	ssdpm_machine_unref(watched_machine);
	tracefs_remove();
	ssdpm_gaps_unref(gaps);
	ssdpm_model_unref(model);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_sized_structure_of_the_energy_keeps_the_rule),
		cmocka_unit_test(overlay_match_takes_each_size),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
