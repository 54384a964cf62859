/* SPDX-License-Identifier: MIT */
/* The parameters of a drive from the power and I/Os of a run. */
#include "calls.h"
#include "calibrate-truth.h"

#include <math.h>
#include <stdio.h>

#define SECOND INT64_C(1000000000)

static struct ssdpm_measured measured[SSDPM_MAX_PARAMETERS];

static const struct ssdpm_measured *find(uint64_t n, uint32_t kind,
					 uint32_t index)
{
	const struct ssdpm_measured *found =
		find_measured(measured, (size_t)n, kind, index);

	if (!found)
		fail_msg("no %s of %u", ssdpm_parameter_kind_to_string(kind),
			 index);
	return found;
}

static struct truth quiet_truth(void)
{
	struct truth truth = {
		.idle_w = { 0.8, 0.15, 0.004 },
		.active_w = { 2.5, 4.5 },
		.transition_w = 1.2,
		.exit_s = { 0, 0.0015, 0.05 },
		.sigma_w = 0.02,
		.phi = 0.6,
	};

	truth_follow_table(&truth);
	return truth;
}

static struct truth_run quiet_run(size_t n, uint64_t *seed)
{
	struct truth truth = quiet_truth();

	return truth_run(&truth, n, 0.05, seed);
}

static void assert_holds(uint64_t n, const struct truth *truth, uint32_t kind,
			 uint32_t index, double width)
{
	const struct ssdpm_measured *one = find(n, kind, index);
	double value = truth_value(truth, kind, index);
	double slack = 0.5 * (one->high - one->low);

	assert_int_equal(one->status, SSDPM_MEASURED_KNOWN);
	/* Intervals of 95 % are exact elsewhere; twice as wide ones here. */
	if (value < one->low - slack || value > one->high + slack ||
	    one->high - one->low > width * value)
		fail_msg("%s of %u: %g to %g, %g is true",
			 ssdpm_parameter_kind_to_string(kind), index, one->low,
			 one->high, value);
	assert_true(one->low <= one->nominal && one->nominal <= one->high);
	assert_true(one->n > 0);
}

/* The intervals that must hold the truth, and their greatest width. */
struct interval {
	uint32_t kind, index;
	double width;
};

static void assert_all_hold(const struct ssdpm_calibration *calibration,
			    const struct truth *truth,
			    const struct interval *intervals, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_holds(calibration->n_measured, truth, intervals[i].kind,
			     intervals[i].index, intervals[i].width);
}

static void assert_calibrated(const struct truth_run *run,
			      const struct ssdpm_calibrate_params *params,
			      struct ssdpm_calibration *calibration)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_calibrate_params exact = { .size = sizeof(exact) };

	if (params)
		exact = *params;
	/* The power has no error of the gain. */
	exact.meter.known |= SSDPM_TRAIT_GAIN;
	if (truth_calibrate(run, &exact, measured, calibration, &error))
		fail_msg("%d: %s", error.code, error.message);
	assert_int_equal(calibration->contradiction, 0);
}

static void assert_refused(const struct truth_run *run,
			   const struct ssdpm_calibrate_params *params,
			   int code, const char *fragment)
{
	struct ssdpm_error error = fixture_error();
	struct ssdpm_calibration calibration;

	assert_int_equal(
		truth_calibrate(run, params, measured, &calibration, &error),
		code);
	fixture_assert_error(&error, code, 0, fragment);
}

static void powers_and_latencies_of_a_known_drive_are_found(void **state)
{
	static const struct interval intervals[] = {
		{ SSDPM_PARAMETER_IDLE_POWER, 0, 0.02 },
		{ SSDPM_PARAMETER_IDLE_POWER, 1, 0.05 },
		{ SSDPM_PARAMETER_IDLE_POWER, 2, 2 },
		{ SSDPM_PARAMETER_ACTIVE_POWER, 0, 0.05 },
		{ SSDPM_PARAMETER_ACTIVE_POWER, 1, 0.05 },
		{ SSDPM_PARAMETER_TRANSITION_POWER, 0, 0.5 },
		{ SSDPM_PARAMETER_EXIT_LATENCY, 2, 0.1 },
	};
	struct truth truth = quiet_truth();
	uint64_t seed = 11;
	struct truth_run run = truth_run(&truth, 4000, 0.05, &seed);
	struct ssdpm_calibration calibration;

	(void)state;
	assert_calibrated(&run, NULL, &calibration);
	uint64_t n = calibration.n_measured;

	assert_all_hold(&calibration, &truth, intervals,
			sizeof(intervals) / sizeof(intervals[0]));
	assert_int_equal(find(n, SSDPM_PARAMETER_ACTIVE_POWER, 3)->status,
			 SSDPM_MEASURED_NOT_REACHED);
	assert_true(isnan(find(n, SSDPM_PARAMETER_ACTIVE_POWER, 3)->nominal));
	assert_int_equal(calibration.bin_ns, 50000000);
	assert_true(fabs(calibration.noise_phi - 0.6) < 0.1);
	assert_true(fabs(calibration.sigma_w - 0.02) < 0.003);
	assert_int_equal(calibration.offset_ns, 0);
	assert_int_equal(calibration.offset_error_ns, 0);
	truth_run_free(&run);
}

static void an_exit_latency_above_the_table_is_said_with_both_numbers(
	void **state)
{
	struct truth truth = quiet_truth();
	uint64_t seed = 12;
	struct truth_run run = truth_run(&truth, 3000, 0.05, &seed);
	struct ssdpm_calibration calibration;
	char number[32];

	(void)state;
	assert_calibrated(&run, NULL, &calibration);
	const struct ssdpm_measured *slow =
		find(calibration.n_measured, SSDPM_PARAMETER_EXIT_LATENCY, 2);
	const struct ssdpm_measured *quick =
		find(calibration.n_measured, SSDPM_PARAMETER_EXIT_LATENCY, 1);

	assert_int_equal(slow->exceeds, 1);
	assert_true(slow->stated == 8000);
	assert_non_null(strstr(slow->reason,
			       "measured exit latency exceeds the table: "));
	assert_non_null(strstr(slow->reason, "the table says 8000 us"));
	snprintf(number, sizeof(number), " %lld us (", llround(slow->nominal));
	assert_non_null(strstr(slow->reason, number));
	/* The other's latency is 2000 us there, and less in truth. */
	assert_int_equal(quick->status, SSDPM_MEASURED_KNOWN);
	assert_int_equal(quick->exceeds, 0);
	assert_string_equal(quick->reason, "");
	truth_run_free(&run);
}

static void clocks_that_differ_are_brought_together(void **state)
{
	struct truth truth = quiet_truth();
	static const int64_t offsets_ns[] = { 1234567890, -1900000000 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		uint64_t seed = 13 + i;

		truth.offset_ns = offsets_ns[i];
		struct truth_run run = truth_run(&truth, 2000, 0.05, &seed);
		struct ssdpm_calibrate_params params = {
			.size = sizeof(params),
			.max_offset_ns = 3 * (uint64_t)SECOND,
		};
		struct ssdpm_calibration calibration;

		assert_calibrated(&run, &params, &calibration);
		int64_t error_ns = calibration.offset_ns - truth.offset_ns;

		assert_true(calibration.offset_error_ns > 0);
		assert_true(calibration.offset_error_ns < 2000000);
		if (llabs(error_ns) > 2 * (int64_t)calibration.offset_error_ns)
			fail_msg("%lld ns off, %llu ns were said",
				 (long long)error_ns,
				 (unsigned long long)
					 calibration.offset_error_ns);
		assert_holds(calibration.n_measured, &truth,
			     SSDPM_PARAMETER_ACTIVE_POWER, 1, 0.3);
		truth_run_free(&run);
	}
}

static void spikes_are_left_out_and_a_drift_is_told(void **state)
{
	struct truth truth = quiet_truth();
	uint64_t seed = 15;
	size_t n_spikes = 0;

	(void)state;
	truth.spikes = 0.01;
	truth.drift_w = 0.1;
	truth.phi = 0;
	struct truth_run run = truth_run(&truth, 4000, 0.05, &seed);
	struct ssdpm_calibration calibration;

	for (size_t i = 0; i < run.n; i++)
		n_spikes += run.spikes[i];
	assert_calibrated(&run, NULL, &calibration);
	assert_true(calibration.n_spikes >= n_spikes - 2);
	assert_true(calibration.n_spikes <= n_spikes + 10);
	assert_true(fabs(calibration.drift_w - 0.1) < 0.01);
	assert_holds(calibration.n_measured, &truth, SSDPM_PARAMETER_IDLE_POWER,
		     0, 0.02);
	truth_run_free(&run);
}

/* Fits a run of 80 s with the energies that flags ask for. */
static void assert_energies_hold(const struct truth *truth, uint64_t seed,
				 uint32_t flags,
				 const struct interval *intervals, size_t n)
{
	const struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.flags = flags,
	};
	struct truth_run run = truth_run(truth, 4000, 0.02, &seed);
	struct ssdpm_calibration calibration;

	assert_calibrated(&run, &params, &calibration);
	assert_all_hold(&calibration, truth, intervals, n);
	truth_run_free(&run);
}

static void energies_of_ios_are_told_from_their_active_power(void **state)
{
	static const struct interval intervals[] = {
		{ SSDPM_PARAMETER_OPERATION_ENERGY, 0, 0.5 },
		{ SSDPM_PARAMETER_OPERATION_ENERGY, 1, 0.5 },
		{ SSDPM_PARAMETER_ACTIVE_POWER, 0, 0.3 },
		{ SSDPM_PARAMETER_ACTIVE_POWER, 1, 0.3 },
	};
	struct truth truth = quiet_truth();

	(void)state;
	truth.io_j[0] = 0.002;
	truth.io_j[1] = 0.005;
	truth.exit_s[1] = truth.exit_s[2] = 0.0001;
	assert_energies_hold(&truth, 16, SSDPM_CALIBRATE_OPERATION_ENERGY,
			     intervals,
			     sizeof(intervals) / sizeof(intervals[0]));
}

static void energies_of_bytes_are_told_from_both(void **state)
{
	static const struct interval intervals[] = {
		{ SSDPM_PARAMETER_BYTE_ENERGY, 0, 0.5 },
		{ SSDPM_PARAMETER_BYTE_ENERGY, 1, 0.5 },
		{ SSDPM_PARAMETER_OPERATION_ENERGY, 0, 0.8 },
	};
	struct truth truth = quiet_truth();

	(void)state;
	truth.io_j[0] = 0.002;
	truth.byte_j[0] = 2e-7;
	truth.byte_j[1] = 4e-7;
	truth.exit_s[1] = truth.exit_s[2] = 0.0001;
	truth.sigma_w = 0.01;
	assert_energies_hold(
		&truth, 26,
		SSDPM_CALIBRATE_OPERATION_ENERGY | SSDPM_CALIBRATE_BYTE_ENERGY,
		intervals, sizeof(intervals) / sizeof(intervals[0]));
}

/* In every third second a read of 100 ms and a write of twice that. */
static void make_pairs(struct truth_run *run, struct ssdpm_io ios[80],
		       double power_w[40])
{
	uint64_t seed = 17;

	for (unsigned int i = 0; i < 40; i++) {
		bool busy = i % 3 == 0;

		power_w[i] = 1 + busy * 0.8 + 0.01 * truth_normal(&seed);
		ios[2 * i] = (struct ssdpm_io){
			.start_ns = i * (uint64_t)SECOND,
			.service_ns = busy ? 100000000 : 0,
			.bytes = 4096,
			.op = SSDPM_OP_READ,
		};
		ios[2 * i + 1] = ios[2 * i];
		ios[2 * i + 1].op = SSDPM_OP_WRITE;
		ios[2 * i + 1].start_ns += 200000000;
		ios[2 * i + 1].service_ns *= 2;
	}
	run->ios = ios;
	run->n_ios = 80;
	run->apst = (struct ssdpm_apst){ .sent = 1 };
	run->samples = (struct ssdpm_samples){
		.power_w = power_w,
		.n = 40,
		.start_ns = SECOND / 2,
		.interval_ns = 1e9,
		.type = SSDPM_SAMPLE_FLOAT64,
	};
}

static void what_always_goes_together_is_not_identifiable(void **state)
{
	struct truth_run made = quiet_run(100, &(uint64_t){ 18 });
	struct truth_run run = made;
	struct ssdpm_io ios[80];
	double power_w[40];
	struct ssdpm_calibration calibration;

	(void)state;
	make_pairs(&run, ios, power_w);
	assert_calibrated(&run, NULL, &calibration);
	for (uint32_t op = 0; op < 2; op++) {
		const struct ssdpm_measured *active =
			find(calibration.n_measured,
			     SSDPM_PARAMETER_ACTIVE_POWER, op);

		assert_int_equal(active->status,
				 SSDPM_MEASURED_NOT_IDENTIFIABLE);
		assert_true(isnan(active->low) && isnan(active->high));
		assert_non_null(strstr(active->reason,
				       "not identifiable from this data"));
		assert_non_null(strstr(active->reason, "active_power_uw"));
	}
	/* Values that do not depend on them are known nevertheless. */
	const struct ssdpm_measured *idle =
		find(calibration.n_measured, SSDPM_PARAMETER_IDLE_POWER, 0);

	assert_int_equal(idle->status, SSDPM_MEASURED_KNOWN);
	assert_true(fabs(idle->nominal - 1e6) < 1e4);
	assert_int_equal(
		find(calibration.n_measured, SSDPM_PARAMETER_IDLE_POWER, 1)
			->status,
		SSDPM_MEASURED_NOT_REACHED);
	assert_int_equal(
		find(calibration.n_measured, SSDPM_PARAMETER_EXIT_LATENCY, 2)
			->status,
		SSDPM_MEASURED_NOT_REACHED);
	truth_run_free(&made);
}

static void a_meter_below_0_gives_no_power_below_0(void **state)
{
	struct truth_run run = quiet_run(2000, &(uint64_t){ 19 });
	struct ssdpm_calibration calibration;

	(void)state;
	for (size_t i = 0; i < run.n; i++)
		run.power_w[i] -= 0.5;
	assert_calibrated(&run, NULL, &calibration);
	const struct ssdpm_measured *deep =
		find(calibration.n_measured, SSDPM_PARAMETER_IDLE_POWER, 2);

	assert_int_equal(deep->status, SSDPM_MEASURED_NEGATIVE);
	assert_true(isnan(deep->nominal));
	for (size_t i = 0; i < calibration.n_measured; i++)
		assert_false(measured[i].low < 0 || measured[i].nominal < 0);
	truth_run_free(&run);
}

static void what_cannot_be_calibrated_is_refused_with_the_reason(void **state)
{
	struct truth_run run = quiet_run(400, &(uint64_t){ 20 });
	struct ssdpm_calibrate_params params = { .size = sizeof(params) };
	struct ssdpm_calibration calibration;
	size_t n_ios = run.n_ios;

	(void)state;
	run.n_ios = 0;
	assert_refused(&run, NULL, -ENODATA, "no I/O");
	run.n_ios = n_ios;
	run.ios[3].service_ns = SSDPM_SERVICE_UNKNOWN;
	assert_refused(&run, NULL, -ENODATA, "I/O 3 has no service time");
	run.ios[3].service_ns = 1000000;
	params.bin_ns = 5 * (uint64_t)SECOND;
	assert_refused(&run, &params, -ENODATA, "");
	params.bin_ns = 1;
	assert_refused(&run, &params, -E2BIG, "");
	params.bin_ns = 0;
	params.flags = 4;
	assert_refused(&run, &params, -EINVAL, "");
	params.flags = 0;
	params.meter.known = 1u << 5;
	assert_refused(&run, &params, -EINVAL, "unknown bits");
	params.meter.known = SSDPM_TRAIT_SAMPLING;
	assert_refused(&run, &params, -EINVAL, "sampling");
	params.meter.known = SSDPM_TRAIT_CLOCK;
	params.meter.clock_ppb = 10000001;
	assert_refused(&run, &params, -ERANGE, "1 %");
	params.meter = (struct ssdpm_meter_traits){ 0 };
	run.samples.start_ns += 3600 * SECOND;
	assert_int_equal(
		truth_calibrate(&run, &params, measured, &calibration, NULL),
		0);
	assert_int_equal(
		find(calibration.n_measured, SSDPM_PARAMETER_ACTIVE_POWER, 0)
			->status,
		SSDPM_MEASURED_NOT_REACHED);
	run.samples.start_ns -= 7200 * SECOND;
	assert_refused(&run, &params, -ENODATA, "");
	truth_run_free(&run);
}

static void an_estimate_with_what_was_measured_has_closer_bounds(void **state)
{
	struct truth_run run = quiet_run(4000, &(uint64_t){ 21 });
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_calibration calibration;
	struct ssdpm_sim_params sim_params;
	struct estimated before = { 0 };
	struct estimated after = { 0 };
	size_t n;

	(void)state;
	assert_calibrated(&run, NULL, &calibration);
	assert_int_equal(make_parameters_of(run.model, SSDPM_PCIE_L1_2,
					    parameters, &n, NULL),
			 0);
	ssdpm_sim_params_init(&sim_params, sizeof(sim_params));
	sim_params.apst = &run.apst;
	sim_params.parameters = parameters;
	sim_params.n_parameters = n;
	assert_int_equal(estimate_ios(run.model, &sim_params, run.ios,
				      run.n_ios, &before, NULL),
			 0);
	assert_int_equal(ssdpm_parameters_calibrate(
				 parameters, n, measured,
				 (size_t)calibration.n_measured, NULL),
			 0);
	assert_int_equal(estimate_ios(run.model, &sim_params, run.ios,
				      run.n_ios, &after, NULL),
			 0);
	uint64_t wide = before.high.energy_nj - before.low.energy_nj;
	uint64_t close = after.high.energy_nj - after.low.energy_nj;

	assert_true(close < wide / 5);
	for (size_t i = 0; i < n; i++) {
		struct ssdpm_parameter *one = &parameters[i];

		if (one->kind == SSDPM_PARAMETER_ACTIVE_POWER &&
		    one->index == 0) {
			assert_int_equal(one->provenance,
					 SSDPM_PROVENANCE_MEASURED);
			assert_true(one->low < one->high);
			assert_string_equal(one->rule,
					    "measured: an interval of 95 %");
		}
		if (one->kind == SSDPM_PARAMETER_LINK_POWER)
			assert_int_equal(one->high, 0);
	}
	truth_run_free(&run);
}

static void a_calibration_of_another_drive_changes_nothing(void **state)
{
	struct truth_run run = quiet_run(100, &(uint64_t){ 22 });
	static struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	static struct ssdpm_parameter copy[SSDPM_MAX_PARAMETERS];
	struct ssdpm_measured two[2] = {
		{ .kind = SSDPM_PARAMETER_IDLE_POWER,
		  .status = SSDPM_MEASURED_KNOWN,
		  .low = 1,
		  .nominal = 2,
		  .high = 3 },
		{ .kind = SSDPM_PARAMETER_IDLE_POWER,
		  .index = 9,
		  .status = SSDPM_MEASURED_KNOWN },
	};
	struct ssdpm_error error;
	size_t n;

	(void)state;
	assert_int_equal(make_parameters_of(run.model, SSDPM_PCIE_L1_2,
					    parameters, &n, NULL),
			 0);
	memcpy(copy, parameters, sizeof(copy));
	assert_int_equal(
		ssdpm_parameters_calibrate(parameters, n, two, 2, NULL),
		-ENOENT);
	assert_memory_equal(copy, parameters, sizeof(copy));
	two[0].low = NAN;
	assert_int_equal(
		ssdpm_parameters_calibrate(parameters, n, two, 1, NULL),
		-EINVAL);
	assert_memory_equal(copy, parameters, sizeof(copy));
	two[0].status = SSDPM_MEASURED_NOT_REACHED;
	assert_int_equal(
		ssdpm_parameters_calibrate(parameters, n, two, 1, NULL), 0);
	assert_memory_equal(copy, parameters, sizeof(copy));
	/* Neither of the two is known, and one was refused. */
	two[1].status = SSDPM_MEASURED_CONTRADICTED;
	snprintf(two[1].reason, sizeof(two[1].reason), "it lags");
	assert_int_equal(
		ssdpm_parameters_calibrate(parameters, n, two, 2, &error),
		-EINVAL);
	assert_string_equal(error.message,
			    "measured: the run is refused, and no parameter is "
			    "known: it lags");
	assert_memory_equal(copy, parameters, sizeof(copy));
	/* Beside a known one, only the refused one is unknown. */
	two[0].status = SSDPM_MEASURED_KNOWN;
	two[0].low = two[0].nominal;
	assert_int_equal(
		ssdpm_parameters_calibrate(parameters, n, two, 2, NULL), 0);
	assert_string_equal(ssdpm_measured_status_to_string(
				    SSDPM_MEASURED_NOT_IDENTIFIABLE),
			    "not-identifiable");
	assert_null(ssdpm_measured_status_to_string(0));
	assert_null(ssdpm_measured_status_to_string(7));
	truth_run_free(&run);
}

static void an_assumed_range_within_what_was_measured_stays(void **state)
{
	static struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	static struct ssdpm_parameter copy[SSDPM_MAX_PARAMETERS];
	struct truth_run run = quiet_run(100, &(uint64_t){ 23 });
	struct ssdpm_measured one = { .kind = SSDPM_PARAMETER_TRANSITION_POWER,
				      .status = SSDPM_MEASURED_KNOWN };
	size_t n, i = 0;

	(void)state;
	assert_int_equal(make_parameters_of(run.model, SSDPM_PCIE_L1_2,
					    parameters, &n, NULL),
			 0);
	memcpy(copy, parameters, sizeof(copy));
	while (parameters[i].kind != one.kind)
		i++;
	assert_int_equal(parameters[i].provenance, SSDPM_PROVENANCE_ASSUMED);
	one.low = (double)parameters[i].low;
	one.nominal = one.low;
	one.high = (double)parameters[i].high + 1;
	assert_int_equal(
		ssdpm_parameters_calibrate(parameters, n, &one, 1, NULL), 0);
	assert_memory_equal(copy, parameters, sizeof(copy));
	one.high = (double)parameters[i].high - 1;
	assert_int_equal(
		ssdpm_parameters_calibrate(parameters, n, &one, 1, NULL), 0);
	assert_int_equal(parameters[i].provenance, SSDPM_PROVENANCE_MEASURED);
	assert_int_equal(parameters[i].high, copy[i].high - 1);
	truth_run_free(&run);
}

static void a_state_of_nanoseconds_has_no_power(void **state)
{
	uint64_t seed = 24;
	struct truth_run run = quiet_run(400, &seed);
	struct ssdpm_calibration calibration = { .size = sizeof(calibration) };
	struct ssdpm_io *ios = calloc(400, sizeof(*ios));
	const struct ssdpm_measured *idle;

	(void)state;
	/* One after the other, with at most 2 us between them. */
	for (size_t i = 0; i < 400; i++) {
		run.power_w[i] = 2.5 + 0.02 * truth_normal(&seed);
		ios[i] = (struct ssdpm_io){
			.start_ns = i * (SECOND / 20),
			.service_ns = (uint32_t)(50000000 - i % 7 * 300),
			.bytes = 4096,
			.op = SSDPM_OP_READ,
		};
	}
	run.samples.start_ns = 25000000;
	assert_int_equal(calibrate_run(run.model, NULL, ios, 400, &run.samples,
				       NULL, measured, &calibration, NULL),
			 0);
	idle = find(calibration.n_measured, SSDPM_PARAMETER_IDLE_POWER, 0);
	assert_int_equal(idle->status, SSDPM_MEASURED_NOT_IDENTIFIABLE);
	assert_non_null(strstr(idle->reason, "not identifiable"));
	assert_int_equal(
		find(calibration.n_measured, SSDPM_PARAMETER_ACTIVE_POWER, 0)
			->status,
		SSDPM_MEASURED_KNOWN);
	free(ios);
	truth_run_free(&run);
}

static void samples_that_are_noise_and_nothing_else_do_no_harm(void **state)
{
	uint64_t seed = 23;
	struct truth_run run = quiet_run(300, &seed);
	struct ssdpm_calibration calibration;

	(void)state;
	for (int round = 0; round < (int)fixture_cases(60); round++) {
		struct ssdpm_calibrate_params params = {
			.size = sizeof(params),
			.max_offset_ns = round % 2 ? (uint64_t)SECOND : 0,
			.flags = (uint32_t)round % 4,
		};

		for (size_t i = 0; i < run.n; i++) {
			double value = truth_normal(&seed);

			if (round % 5 == 0)
				value = 3; /* constant */
			if (round % 5 == 1 && value > 1)
				value = NAN;
			if (round % 5 == 2)
				value *= 1e300;
			run.power_w[i] = value;
		}
		int err = truth_calibrate(&run, &params, measured, &calibration,
					  NULL);

		if (err && err != -EDOM && err != -ENODATA)
			fail_msg("%d in round %d", err, round);
		for (size_t i = 0; err == 0 && i < calibration.n_measured; i++)
			if (measured[i].status == SSDPM_MEASURED_KNOWN)
				assert_true(measured[i].low >= 0 &&
					    measured[i].nominal <=
						    measured[i].high);
	}
	truth_run_free(&run);
}

static void clocks_that_are_years_apart_are_refused_not_searched(void **state)
{
	struct truth_run run = quiet_run(300, &(uint64_t){ 24 });
	struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.max_offset_ns = (uint64_t)SECOND,
	};
	struct ssdpm_calibration calibration;

	(void)state;
	run.samples.start_ns = 1700000000 * SECOND;
	assert_refused(&run, &params, -E2BIG, "offset_ns");
	params.offset_ns = 10 * SECOND - run.samples.start_ns;
	assert_calibrated(&run, &params, &calibration);
	assert_true(llabs(calibration.offset_ns - params.offset_ns - 25000000) <
		    10000000);
	params.offset_ns = INT64_MAX;
	assert_refused(&run, &params, -ERANGE, "");
	truth_run_free(&run);
}

static void a_sata_drive_is_calibrated_by_its_link_states(void **state)
{
	static const struct interval intervals[] = {
		{ SSDPM_PARAMETER_IDLE_POWER, 0, 0.5 },
		{ SSDPM_PARAMETER_IDLE_POWER, 1, 0.1 },
		{ SSDPM_PARAMETER_IDLE_POWER, 2, 0.1 },
		{ SSDPM_PARAMETER_IDLE_POWER, 3, 2 },
		{ SSDPM_PARAMETER_ACTIVE_POWER, 0, 0.05 },
		{ SSDPM_PARAMETER_ACTIVE_POWER, 1, 0.05 },
		{ SSDPM_PARAMETER_TRANSITION_POWER, 0, 0.5 },
		{ SSDPM_PARAMETER_EXIT_LATENCY, 2, 1 },
		{ SSDPM_PARAMETER_EXIT_LATENCY, 3, 0.1 },
	};
	struct truth truth = {
		.lpm = SSDPM_LPM_MIN_POWER_WITH_PARTIAL,
		.steps = { { 1, 0.01, 0 }, { 2, 0.1, 0 }, { 3, 1, 0.01 } },
		.n_steps = 3,
		.idle_w = { 0.7, 0.25, 0.06, 0.004 },
		.active_w = { 2, 3 },
		.transition_w = 0.9,
		.exit_s = { 0, 0.00001, 0.0035, 0.05 },
		.sigma_w = 0.02,
		.phi = 0.6,
	};
	uint64_t seed = 25;
	struct truth_run run = truth_run(&truth, 3000, 0.05, &seed);
	struct ssdpm_calibration calibration;

	(void)state;
	assert_calibrated(&run, NULL, &calibration);
	uint64_t n = calibration.n_measured;

	assert_all_hold(&calibration, &truth, intervals,
			sizeof(intervals) / sizeof(intervals[0]));
	/* 20 ms are what it says of DevSleep. */
	assert_int_equal(find(n, SSDPM_PARAMETER_EXIT_LATENCY, 3)->exceeds, 1);
	truth_run_free(&run);
}

static void power_of_another_run_is_refused_with_what_to_do(void **state)
{
	uint64_t seed = 32;
	struct truth_run run = quiet_run(1500, &seed);
	struct truth_run other = quiet_run(1500, &seed);
	struct ssdpm_calibration calibration;

	(void)state;
	assert_calibrated(&run, NULL, &calibration);
	run.samples = other.samples;
	assert_refused(&run, NULL, -EDOM, "power and I/Os are not of one run");
	assert_refused(&run, NULL, -EDOM, "Give files of the same run");
	truth_run_free(&other);
	truth_run_free(&run);
}

/* Moved by a period, it is unchanged. */
static void a_load_that_comes_again_and_again_is_not_refused(void **state)
{
	uint64_t seed = 33;
	struct truth_run run = quiet_run(600, &seed);
	struct ssdpm_io *ios = calloc(30, sizeof(*ios));
	struct ssdpm_calibration calibration = { .size = sizeof(calibration) };

	(void)state;
	for (size_t i = 0; i < 600; i++)
		run.power_w[i] =
			(i % 20 < 10 ? 2.5 : 1) + 0.1 * truth_normal(&seed);
	for (size_t i = 0; i < 30; i++)
		ios[i] = (struct ssdpm_io){
			.start_ns = i * (uint64_t)SECOND,
			.service_ns = 500000000,
			.bytes = 4096,
			.op = SSDPM_OP_READ,
		};
	run.samples.start_ns = 25000000;
	assert_int_equal(calibrate_run(run.model, NULL, ios, 30, &run.samples,
				       NULL, measured, &calibration, NULL),
			 0);
	assert_int_equal(
		find(calibration.n_measured, SSDPM_PARAMETER_ACTIVE_POWER, 0)
			->status,
		SSDPM_MEASURED_KNOWN);
	free(ios);
	truth_run_free(&run);
}

/* The model has no energy of an I/O unless the caller asks for it. */
static void a_drive_that_does_more_than_is_asked_for_contradicts_the_fit(
	void **state)
{
	struct truth truth = quiet_truth();
	uint64_t seed = 34;
	struct ssdpm_calibration calibration;

	(void)state;
	truth.io_j[0] = truth.io_j[1] = 0.05;
	truth.sigma_w = 0.01;
	struct truth_run run = truth_run(&truth, 4000, 0.05, &seed);

	/* Power and I/Os are of one run, but I/Os have their own energy. */
	assert_int_equal(
		truth_calibrate(&run, NULL, measured, &calibration, NULL), 0);
	assert_int_not_equal(calibration.contradiction, 0);
	assert_int_equal(calibration.n_known, 0);
	/* 1 in 100 is usual. */
	assert_true(calibration.n_spikes > calibration.n_bins / 33);
	truth_run_free(&run);
}

static void a_power_that_never_changes_is_refused(void **state)
{
	struct truth_run run = quiet_run(400, &(uint64_t){ 31 });

	(void)state;
	for (size_t i = 0; i < run.n; i++)
		run.power_w[i] = 1;
	assert_refused(&run, NULL, -EDOM, "all samples are the same");
	truth_run_free(&run);
}

static int get_fitted(const struct truth_run *run,
		      const struct ssdpm_calibration *calibration,
		      struct ssdpm_fitted_power *ret_fitted,
		      struct ssdpm_error *error)
{
	const struct ssdpm_sim_params sim_params = truth_sim_params(run);
	const struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.ios = run->ios,
		.n_ios = run->n_ios,
		.samples = &run->samples,
	};

	*ret_fitted = (struct ssdpm_fitted_power){
		.size = sizeof(*ret_fitted),
		.power_w = ret_fitted->power_w,
		.capacity = 4001,
	};
	return ssdpm_calibration_get_fitted(run->model, &sim_params, &params,
					    calibration, ret_fitted, error);
}

static void what_a_calibration_does_not_explain_of_a_run_is_its_noise(
	void **state)
{
	struct truth truth = quiet_truth();
	uint64_t seed = 11;
	struct truth_run run = truth_run(&truth, 4000, 0.05, &seed);
	struct ssdpm_calibration calibration;
	static double power_w[4001];
	struct ssdpm_fitted_power fitted = { .power_w = power_w };
	double sum = 0;
	size_t n = 0;

	(void)state;
	assert_int_equal(
		truth_calibrate(&run, NULL, measured, &calibration, NULL), 0);
	assert_int_equal(get_fitted(&run, &calibration, &fitted, NULL), 0);
	assert_int_equal(fitted.bin_ns, calibration.bin_ns);
	assert_in_range(fitted.n, run.n, run.n + 1);
	for (size_t i = 0; i < run.n; i++) {
		double rest = run.power_w[i] - fitted.power_w[i];

		/* The state before the first I/O is unknown. */
		if (isnan(rest)) {
			assert_true(fitted.begin_ns + (int64_t)(i * 50000000) <
				    (int64_t)run.ios[0].start_ns);
			continue;
		}
		sum += rest * rest;
		n++;
	}
	assert_true(n > run.n - 100);
	assert_true(fabs(sqrt(sum / (double)n) - truth.sigma_w) < 0.002);
	truth_run_free(&run);
}

static void power_of_what_was_not_measured_is_not_known(void **state)
{
	struct truth truth = quiet_truth();
	uint64_t seed = 11;
	struct truth_run run = truth_run(&truth, 4000, 0.05, &seed);
	struct ssdpm_calibration calibration;
	static double all_w[4001], some_w[4001];
	struct ssdpm_fitted_power all = { .power_w = all_w };
	struct ssdpm_fitted_power some = { .power_w = some_w };
	size_t n_lost = 0;

	(void)state;
	assert_int_equal(
		truth_calibrate(&run, NULL, measured, &calibration, NULL), 0);
	assert_int_equal(get_fitted(&run, &calibration, &all, NULL), 0);
	for (size_t i = 0; i < calibration.n_measured; i++)
		if (measured[i].kind == SSDPM_PARAMETER_IDLE_POWER &&
		    measured[i].index == 2)
			measured[i].status = SSDPM_MEASURED_TOO_FEW;
	assert_int_equal(get_fitted(&run, &calibration, &some, NULL), 0);
	for (size_t i = 0; i < run.n; i++) {
		double share = run.design[i * TRUTH_COLUMNS + 2];

		if (share > 1e-6 && !isnan(all.power_w[i])) {
			assert_true(isnan(some.power_w[i]));
			n_lost++;
		} else if (share == 0 && !isnan(all.power_w[i])) {
			assert_true(some.power_w[i] == all.power_w[i]);
		}
	}
	assert_true(n_lost > 100);
	truth_run_free(&run);
}

static void a_calibration_that_measured_nothing_explains_nothing(void **state)
{
	struct truth truth = quiet_truth();
	uint64_t seed = 11;
	struct truth_run run = truth_run(&truth, 400, 0.05, &seed);
	const struct ssdpm_calibration none = { .size = sizeof(none) };
	struct ssdpm_fitted_power fitted = { 0 };
	struct ssdpm_error error = fixture_error();

	(void)state;
	assert_int_equal(get_fitted(&run, &none, &fitted, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "nothing is measured");
	truth_run_free(&run);
}

static void a_run_is_fitted_into_the_room_that_there_is(void **state)
{
	struct truth truth = quiet_truth();
	uint64_t seed = 11;
	struct truth_run run = truth_run(&truth, 4000, 0.05, &seed);
	const struct ssdpm_sim_params sim_params = truth_sim_params(&run);
	const struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.ios = run.ios,
		.n_ios = run.n_ios,
		.samples = &run.samples,
	};
	struct ssdpm_calibration calibration;
	struct ssdpm_fitted_power fitted = { .size = sizeof(fitted) };
	struct ssdpm_error error = fixture_error();
	double one;

	(void)state;
	assert_int_equal(
		truth_calibrate(&run, NULL, measured, &calibration, NULL), 0);
	assert_int_equal(ssdpm_calibration_get_fitted(run.model, &sim_params,
						      &params, &calibration,
						      &fitted, NULL),
			 0);
	assert_in_range(fitted.n, run.n, run.n + 1);
	fitted.power_w = &one;
	fitted.capacity = 1;
	assert_int_equal(ssdpm_calibration_get_fitted(run.model, &sim_params,
						      &params, &calibration,
						      &fitted, &error),
			 -E2BIG);
	fixture_assert_error(&error, -E2BIG, 0, "room for 1");
	calibration.offset_ns = INT64_MIN;
	assert_int_equal(ssdpm_calibration_get_fitted(run.model, &sim_params,
						      &params, &calibration,
						      &fitted, NULL),
			 -ERANGE);
	calibration.offset_ns = 0;
	for (size_t i = 0; i < calibration.n_measured; i++)
		if (measured[i].kind == SSDPM_PARAMETER_EXIT_LATENCY)
			measured[i].nominal = i % 2 ? NAN : 1e300;
	fitted.power_w = NULL;
	assert_int_equal(ssdpm_calibration_get_fitted(run.model, &sim_params,
						      &params, &calibration,
						      &fitted, NULL),
			 0);
	truth_run_free(&run);
}

/* Traits of a meter are found if not stated, and refused if stated wrongly. */
static const struct {
	struct truth_meter meter;
	struct ssdpm_meter_traits wrong;
	uint32_t contradiction;
} meters[] = {
	{ .meter.response_s = 0.02,
	  .wrong.known = SSDPM_TRAIT_RESPONSE,
	  .contradiction = SSDPM_CONTRADICTION_RESPONSE },
	{ .meter.point = true,
	  .wrong = { .known = SSDPM_TRAIT_SAMPLING,
		     .sampling = SSDPM_SAMPLING_MEAN },
	  .contradiction = SSDPM_CONTRADICTION_SAMPLING },
	{ .meter.clock = 5e-4,
	  .wrong.known = SSDPM_TRAIT_CLOCK,
	  .contradiction = SSDPM_CONTRADICTION_CLOCK },
	{ .meter.walk_w = 0.5,
	  .wrong.known = SSDPM_TRAIT_DRIFT,
	  .contradiction = SSDPM_CONTRADICTION_DRIFT },
};

static void assert_found(const struct truth_meter *meter,
			 const struct ssdpm_meter_traits *found)
{
	double walk_uw = meter->walk_w * 1e6;

	assert_int_equal(found->known, SSDPM_TRAIT_GAIN);
	assert_int_equal(found->sampling, meter->point ? SSDPM_SAMPLING_POINT :
							 SSDPM_SAMPLING_MEAN);
	assert_true(fabs((double)found->response_ns - meter->response_s * 1e9) <
		    1e6);
	assert_true(fabs(found->clock_ppb - meter->clock * 1e9) < 2e4);
	assert_true((double)found->drift_uw >= walk_uw / 2 &&
		    (double)found->drift_uw <= walk_uw * 2);
}

static void a_meter_is_found_and_a_wrong_statement_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(meters) / sizeof(meters[0]); i++) {
		struct ssdpm_calibrate_params params = {
			.size = sizeof(params),
			.meter = meters[i].wrong,
		};
		struct truth truth = quiet_truth();
		uint64_t seed = 50 + i;
		struct ssdpm_calibration calibration;

		truth.meter = meters[i].meter;
		struct truth_run run = truth_run(&truth, 3000, 0.05, &seed);

		assert_calibrated(&run, NULL, &calibration);
		assert_found(&truth.meter, &calibration.meter);
		assert_int_equal(truth_calibrate(&run, &params, measured,
						 &calibration, NULL),
				 0);
		assert_int_equal(calibration.contradiction,
				 meters[i].contradiction);
		assert_int_equal(calibration.n_known, 0);
		assert_int_equal(find(calibration.n_measured,
				      SSDPM_PARAMETER_IDLE_POWER, 0)
					 ->status,
				 SSDPM_MEASURED_CONTRADICTED);
		truth_run_free(&run);
	}
}

static void ios_that_leave_the_wait_out_are_refused(void **state)
{
	struct truth truth = quiet_truth();
	uint64_t seed = 61;
	struct ssdpm_calibration calibration;

	(void)state;
	truth.meter.no_wait = true;
	struct truth_run run = truth_run(&truth, 3000, 0.05, &seed);

	assert_int_equal(
		truth_calibrate(&run, NULL, measured, &calibration, NULL), 0);
	assert_int_equal(calibration.contradiction, SSDPM_CONTRADICTION_WAIT);
	assert_int_equal(calibration.n_known, 0);
	truth_run_free(&run);
}

/* A low pass shifts the power in time, as an offset does; a clock does, too. */
static void a_meter_and_the_offset_are_found_together(void **state)
{
	static const struct truth_meter both[] = {
		{ .response_s = 0.02 },
		{ .clock = -5e-4 },
		{ .response_s = 0.03, .clock = 3e-4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++) {
		struct ssdpm_calibrate_params params = {
			.size = sizeof(params),
			.max_offset_ns = 3000000000,
			.meter.known = SSDPM_TRAIT_GAIN,
		};
		struct truth truth = quiet_truth();
		uint64_t seed = 70 + i;
		struct ssdpm_calibration calibration;

		truth.meter = both[i];
		truth.offset_ns = 1234567890;
		struct truth_run run = truth_run(&truth, 3000, 0.07, &seed);

		assert_calibrated(&run, &params, &calibration);
		assert_int_equal(calibration.contradiction, 0);
		assert_found(&truth.meter, &calibration.meter);
		assert_true(fabs((double)(calibration.offset_ns -
					  truth.offset_ns)) <=
			    1.5 * (double)calibration.offset_error_ns);
		assert_true(calibration.offset_error_ns < 2000000);
		truth_run_free(&run);
	}
}

static void energies_that_nobody_asked_for_are_refused(void **state)
{
	struct truth truth = quiet_truth();
	uint64_t seed = 63;
	struct ssdpm_calibrate_params params = {
		.size = sizeof(params),
		.flags = SSDPM_CALIBRATE_OPERATION_ENERGY |
			 SSDPM_CALIBRATE_BYTE_ENERGY,
	};
	struct ssdpm_calibration calibration;

	(void)state;
	truth_add_energies(&truth, &seed);
	struct truth_run run = truth_run(&truth, 3000, 0.05, &seed);

	assert_int_equal(
		truth_calibrate(&run, NULL, measured, &calibration, NULL), 0);
	assert_int_equal(calibration.contradiction, SSDPM_CONTRADICTION_ENERGY);
	assert_int_equal(calibration.n_known, 0);
	assert_int_equal(
		truth_calibrate(&run, &params, measured, &calibration, NULL),
		0);
	assert_int_equal(calibration.contradiction, 0);
	truth_run_free(&run);
}

/* A step with one sample, then two, is not the mean of its time. */
static void steps_are_whole_samples(void **state)
{
	struct truth_run run = quiet_run(3000, &(uint64_t){ 64 });
	const uint64_t step_ns = (uint64_t)run.samples.interval_ns;
	struct ssdpm_calibrate_params params = { .size = sizeof(params) };
	struct ssdpm_calibration calibration;

	(void)state;
	for (uint64_t tenths = 5; tenths <= 30; tenths += 4) {
		params.bin_ns = tenths * step_ns / 10;
		assert_calibrated(&run, &params, &calibration);
		assert_int_equal(calibration.bin_ns % step_ns, 0);
		assert_in_range(calibration.bin_ns, step_ns,
				params.bin_ns + step_ns / 2);
		assert_int_equal(calibration.contradiction, 0);
	}
	truth_run_free(&run);
}

/* The data cannot show it, so intervals are wider. */
static void the_gain_of_a_meter_widens_the_intervals(void **state)
{
	struct truth_run run = quiet_run(3000, &(uint64_t){ 62 });
	struct ssdpm_calibrate_params params = { .size = sizeof(params) };
	struct ssdpm_calibration calibration;
	struct ssdpm_measured exact, stated;

	(void)state;
	assert_calibrated(&run, NULL, &calibration);
	exact = *find(calibration.n_measured, SSDPM_PARAMETER_IDLE_POWER, 0);
	params.meter.known = SSDPM_TRAIT_GAIN;
	params.meter.gain_ppm = 250000;
	assert_calibrated(&run, &params, &calibration);
	stated = *find(calibration.n_measured, SSDPM_PARAMETER_IDLE_POWER, 0);
	assert_true(fabs(stated.low - exact.low / 1.25) < 1e-6 * exact.low);
	assert_true(fabs(stated.high - exact.high / 0.75) < 1e-6 * exact.high);
	assert_int_equal(
		truth_calibrate(&run, NULL, measured, &calibration, NULL), 0);
	assert_int_equal(calibration.meter.gain_ppm, SSDPM_GAIN_ASSUMED_PPM);
	assert_int_equal(calibration.meter.known, 0);
	truth_run_free(&run);
}

static void words_of_a_meter_go_both_ways(void **state)
{
	(void)state;
	assert_string_equal(ssdpm_meter_trait_to_string(SSDPM_TRAIT_CLOCK),
			    "clock");
	assert_int_equal(ssdpm_meter_trait_from_string("gain"),
			 SSDPM_TRAIT_GAIN);
	assert_string_equal(
		ssdpm_meter_sampling_to_string(SSDPM_SAMPLING_POINT), "point");
	assert_int_equal(ssdpm_meter_sampling_from_string("mean"),
			 SSDPM_SAMPLING_MEAN);
	for (uint32_t i = 1; i <= SSDPM_CONTRADICTION_ENERGY; i++)
		assert_int_equal(ssdpm_contradiction_from_string(
					 ssdpm_contradiction_to_string(i)),
				 i);
	assert_null(ssdpm_contradiction_to_string(10));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			powers_and_latencies_of_a_known_drive_are_found),
		cmocka_unit_test(
			an_exit_latency_above_the_table_is_said_with_both_numbers),
		cmocka_unit_test(clocks_that_differ_are_brought_together),
		cmocka_unit_test(spikes_are_left_out_and_a_drift_is_told),
		cmocka_unit_test(
			energies_of_ios_are_told_from_their_active_power),
		cmocka_unit_test(energies_of_bytes_are_told_from_both),
		cmocka_unit_test(what_always_goes_together_is_not_identifiable),
		cmocka_unit_test(a_meter_below_0_gives_no_power_below_0),
		cmocka_unit_test(
			what_cannot_be_calibrated_is_refused_with_the_reason),
		cmocka_unit_test(
			an_estimate_with_what_was_measured_has_closer_bounds),
		cmocka_unit_test(
			a_calibration_of_another_drive_changes_nothing),
		cmocka_unit_test(
			an_assumed_range_within_what_was_measured_stays),
		cmocka_unit_test(a_state_of_nanoseconds_has_no_power),
		cmocka_unit_test(
			samples_that_are_noise_and_nothing_else_do_no_harm),
		cmocka_unit_test(
			clocks_that_are_years_apart_are_refused_not_searched),
		cmocka_unit_test(a_sata_drive_is_calibrated_by_its_link_states),
		cmocka_unit_test(
			power_of_another_run_is_refused_with_what_to_do),
		cmocka_unit_test(
			a_load_that_comes_again_and_again_is_not_refused),
		cmocka_unit_test(
			a_drive_that_does_more_than_is_asked_for_contradicts_the_fit),
		cmocka_unit_test(a_power_that_never_changes_is_refused),
		cmocka_unit_test(
			what_a_calibration_does_not_explain_of_a_run_is_its_noise),
		cmocka_unit_test(power_of_what_was_not_measured_is_not_known),
		cmocka_unit_test(
			a_calibration_that_measured_nothing_explains_nothing),
		cmocka_unit_test(a_run_is_fitted_into_the_room_that_there_is),
		cmocka_unit_test(
			a_meter_is_found_and_a_wrong_statement_is_refused),
		cmocka_unit_test(ios_that_leave_the_wait_out_are_refused),
		cmocka_unit_test(a_meter_and_the_offset_are_found_together),
		cmocka_unit_test(energies_that_nobody_asked_for_are_refused),
		cmocka_unit_test(steps_are_whole_samples),
		cmocka_unit_test(the_gain_of_a_meter_widens_the_intervals),
		cmocka_unit_test(words_of_a_meter_go_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
