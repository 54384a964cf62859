/* SPDX-License-Identifier: MIT */
/*
 * The simulator, computed by hand; times here are in ms. The drive enters state
 * 1 after 10 ms, which takes 2, and is there from 12 on. It enters state 2 at
 * 112, and is there from 122 on. Leaving state 1 takes 3 ms, state 2 20. It
 * draws 1 W idle, 100 mW in state 1, 10 mW in state 2, 2 W entering and
 * leaving, 4 W busy. Random ones are in sim_differential.py.
 */
#include "calls.h"
#include "fixture.h"

#include <sys/resource.h>

#define MS UINT64_C(1000000)
#define END UINT64_MAX

struct given {
	uint32_t loop;
	uint32_t flags;
	bool awake; /* without a table */
	uint64_t interval_ns;
	uint64_t end_ns;
	size_t piece; /* records at a time; 0: all */
	ssdpm_change_fn fn;
	void *userdata;
};

static const struct given closed = { .loop = SSDPM_LOOP_CLOSED };
static const struct given open_loop = { .loop = SSDPM_LOOP_OPEN };

static struct ssdpm_model *make_model(void)
{
	static const struct latencies states[] = {
		{ 0, 0, 0 },
		{ 1, 2000, 3000 },
		{ 1, 10000, 20000 },
	};

	return fixture_model(states, 3);
}

static void set(struct ssdpm_parameter *parameters, size_t n, uint32_t kind,
		uint32_t index, uint64_t value)
{
	assert_int_equal(set_parameter(parameters, n, kind, index, value, value,
				       value, NULL),
			 0);
}

static size_t make_parameters(const struct ssdpm_model *model,
			      struct ssdpm_parameter *parameters)
{
	static const uint64_t idle[] = { 1000000, 100000, 10000 };
	size_t n;

	assert_int_equal(make_parameters_of(model, SSDPM_PCIE_L1_2, parameters,
					    &n, NULL),
			 0);
	for (uint32_t i = 0; i < 3; i++)
		set(parameters, n, SSDPM_PARAMETER_IDLE_POWER, i, idle[i]);
	for (uint32_t op = 0; op < SSDPM_N_OPS; op++) {
		set(parameters, n, SSDPM_PARAMETER_ACTIVE_POWER, op, 4000000);
		/* 1 ms, and 1 ms for each 1000 bytes. */
		set(parameters, n, SSDPM_PARAMETER_BASE_LATENCY, op, MS);
		set(parameters, n, SSDPM_PARAMETER_BANDWIDTH, op, 1000000);
	}
	set(parameters, n, SSDPM_PARAMETER_TRANSITION_POWER, 0, 2000000);
	return n;
}

static struct ssdpm_apst make_table(void)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };

	table.entries[0] = (struct ssdpm_apst_entry){ 10, 1 };
	table.entries[1] = (struct ssdpm_apst_entry){ 100, 2 };
	return table;
}

static struct ssdpm_sim *make_sim_with(const struct given *given,
				       const struct ssdpm_parameter *parameters,
				       size_t n)
{
	struct ssdpm_model *model = make_model();
	struct ssdpm_apst table = make_table();
	struct ssdpm_sim_params params;
	struct ssdpm_sim *sim;

	assert_int_equal(ssdpm_sim_params_init(&params, sizeof(params)), 0);
	params.parameters = parameters;
	params.n_parameters = n;
	params.apst = given->awake ? NULL : &table;
	params.loop = given->loop;
	params.flags = given->flags;
	params.interval_ns = given->interval_ns;
	assert_int_equal(ssdpm_sim_new(model, &params, &sim, NULL), 0);
	ssdpm_sim_set_change_fn(sim, given->fn, given->userdata);
	ssdpm_model_unref(model);
	return sim;
}

static struct ssdpm_sim *make_sim(const struct given *given)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct ssdpm_model *model = make_model();
	size_t n = make_parameters(model, parameters);

	ssdpm_model_unref(model);
	return make_sim_with(given, parameters, n);
}

static struct ssdpm_io read_at(uint64_t start_ns, uint64_t service_ns)
{
	return (struct ssdpm_io){
		.start_ns = start_ns,
		.bytes = 1000,
		.service_ns = (uint32_t)service_ns,
		.op = SSDPM_OP_READ,
	};
}

static struct estimated finish(struct ssdpm_sim *sim, const struct given *given,
			       const struct ssdpm_io *ios, size_t n)
{
	struct estimated result = { 0 };
	size_t piece = given->piece ? given->piece : n;

	for (size_t at = 0; at < n; at += piece)
		assert_int_equal(ssdpm_sim_feed(sim, ios + at,
						piece < n - at ? piece : n - at,
						NULL),
				 0);
	assert_int_equal(finish_sim(sim, given->end_ns, &result, NULL), 0);
	return result;
}

static struct ssdpm_run simulate(const struct given *given,
				 const struct ssdpm_io *ios, size_t n)
{
	struct ssdpm_sim *sim = make_sim(given);
	struct estimated result = finish(sim, given, ios, n);

	assert_null(ssdpm_sim_free(sim));
	return result.nominal;
}

/* Two reads of 1 ms with an idle time between them. */
static struct ssdpm_run simulate_gap(uint64_t gap_ns)
{
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(MS + gap_ns, MS) };

	return simulate(&closed, ios, 2);
}

static void assert_state(const struct ssdpm_run *run, uint32_t state,
			 uint64_t time_ns, uint64_t entry_ns, uint64_t exit_ns)
{
	assert_int_equal(run->states[state].time_ns, time_ns);
	assert_int_equal(run->states[state].entry_ns, entry_ns);
	assert_int_equal(run->states[state].exit_ns, exit_ns);
}

static void a_gap_below_the_idle_time_stays_awake(void **state)
{
	struct ssdpm_run run = simulate_gap(10 * MS - 1);

	(void)state;
	assert_state(&run, 0, 10 * MS - 1, 0, 0);
	assert_state(&run, 1, 0, 0, 0);
	assert_int_equal(run.n_gaps, 1);
	assert_int_equal(run.n_wakes, 0);
	assert_int_equal(run.n_delayed, 0);
	assert_int_equal(run.duration_ns, 12 * MS - 1);
	assert_int_equal(run.busy_ns, 2 * MS);
	/* 10 ms of 1 W, 2 ms of 4 W. */
	assert_int_equal(run.energy_nj, 18 * MS - 1);
}

static void a_gap_of_just_the_idle_time_pays_for_the_whole_entry(void **state)
{
	struct ssdpm_run run = simulate_gap(10 * MS);

	(void)state;
	assert_state(&run, 0, 10 * MS, 0, 0);
	assert_state(&run, 1, 0, 2 * MS, 3 * MS);
	assert_int_equal(run.states[1].n_entries, 1);
	assert_int_equal(run.states[1].n_wakes, 1);
	assert_int_equal(run.delay_max_ns, 5 * MS);
	assert_int_equal(run.duration_ns, 17 * MS);
	/* 10 mJ idle, 8 busy, 5 ms of 2 W. */
	assert_int_equal(run.energy_nj, 28 * MS);
	assert_int_equal(run.transition_nj, 10 * MS);
	assert_int_equal(run.states[1].energy_nj, 10 * MS);
	/* 28 mJ / 17 ms = 1.647 W. */
	assert_int_equal(run.mean_power_uw, 1647059);
}

static void an_io_waits_for_the_rest_of_an_entry(void **state)
{
	struct ssdpm_run run = simulate_gap(12 * MS - 1);

	(void)state;
	assert_int_equal(run.delay_max_ns, 3 * MS + 1);
	assert_state(&run, 1, 0, 2 * MS, 3 * MS);
	run = simulate_gap(12 * MS);
	assert_int_equal(run.delay_max_ns, 3 * MS);
	assert_state(&run, 1, 0, 2 * MS, 3 * MS);
	run = simulate_gap(12 * MS + 1);
	assert_int_equal(run.delay_max_ns, 3 * MS);
	assert_state(&run, 1, 1, 2 * MS, 3 * MS);
}

static void idle_time_counts_in_the_state_from_the_end_of_the_entry(
	void **state)
{
	struct ssdpm_run run = simulate_gap(112 * MS - 1);

	(void)state;
	assert_state(&run, 1, 100 * MS - 1, 2 * MS, 3 * MS);
	assert_int_equal(run.n_deepest, 0);
	run = simulate_gap(112 * MS);
	assert_state(&run, 1, 100 * MS, 2 * MS, 0);
	assert_state(&run, 2, 0, 10 * MS, 20 * MS);
	assert_int_equal(run.delay_max_ns, 30 * MS);
	assert_int_equal(run.n_deepest, 1);
	assert_int_equal(run.states[1].n_entries, 1);
	assert_int_equal(run.states[1].n_wakes, 0);
	run = simulate_gap(200 * MS);
	assert_state(&run, 2, 78 * MS, 10 * MS, 20 * MS);
	assert_int_equal(run.delay_max_ns, 20 * MS);
	/* 2 ms + 200 ms + 20 ms: one entry, in a day 389189.19. */
	assert_int_equal(run.duration_ns, 222 * MS);
	assert_int_equal(run.deepest_per_day, 389189);
}

static void an_option_counts_idle_time_from_its_start(void **state)
{
	struct given given = { .loop = SSDPM_LOOP_CLOSED,
			       .flags = SSDPM_SIM_IDLE_FROM_START };
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(101 * MS, MS) };
	struct ssdpm_run run = simulate(&given, ios, 2);

	(void)state;
	assert_state(&run, 1, 88 * MS, 2 * MS, 0);
	assert_state(&run, 2, 0, 10 * MS, 20 * MS);
}

static void idle_time_at_the_end_has_no_wake(void **state)
{
	struct ssdpm_io io = read_at(0, MS);
	struct given given = { .loop = SSDPM_LOOP_CLOSED, .end_ns = 12 * MS };
	struct ssdpm_run run = simulate(&given, &io, 1);

	(void)state;
	/* The end cuts the entry after one millisecond. */
	assert_state(&run, 0, 10 * MS, 0, 0);
	assert_state(&run, 1, 0, MS, 0);
	assert_int_equal(run.states[1].n_entries, 1);
	assert_int_equal(run.n_wakes, 0);
	assert_int_equal(run.n_gaps, 0);
	assert_int_equal(run.duration_ns, 12 * MS);
	given.end_ns = 1001 * MS;
	run = simulate(&given, &io, 1);
	assert_state(&run, 2, 878 * MS, 10 * MS, 0);
	assert_int_equal(run.n_deepest, 1);
	given.end_ns = MS / 2; /* before the last completion: that */
	run = simulate(&given, &io, 1);
	assert_int_equal(run.duration_ns, MS);
}

static void ios_before_the_first_completion_wait_as_the_first_does(void **state)
{
	struct ssdpm_io ios[] = {
		read_at(0, MS),
		read_at(51 * MS, 2 * MS),     /* wakes: 3 ms */
		read_at(51 * MS, 5 * MS),     /* as long */
		read_at(52 * MS, MS),	      /* 2 ms; completes at 53 */
		read_at(53 * MS - 1, 5 * MS), /* 1 ms + 1 ns */
		read_at(53 * MS, MS), /* the first has completed: no more */
		read_at(54 * MS, MS),
	};
	struct ssdpm_run run = simulate(&closed, ios, 7);

	(void)state;
	assert_int_equal(run.n_delayed, 4);
	assert_int_equal(run.delay_sum_ns, 9 * MS + 1);
	assert_int_equal(run.delay_max_ns, 3 * MS);
	assert_int_equal(run.delay_mean_ns, (9 * MS + 1 + 3) / 7);
	assert_int_equal(run.delay_mean_delayed_ns, (9 * MS + 1 + 2) / 4);
	/* Half of seven is the fourth: the least of those delayed. */
	assert_int_equal(run.delay_p50_ns, MS + 1);
	assert_int_equal(run.delay_p99_ns, 3 * MS);
	/* All moves by the wait of the first. */
	assert_int_equal(run.duration_ns, 58 * MS - 1 + 3 * MS);
	assert_int_equal(run.busy_ns, MS + 7 * MS - 1);
}

static void an_io_at_the_last_completion_continues_the_period(void **state)
{
	struct ssdpm_io ios[] = { read_at(5, MS), read_at(5 + MS, MS),
				  read_at(5 + 2 * MS, 0),
				  read_at(5 + 2 * MS, MS) };
	struct ssdpm_run run = simulate(&closed, ios, 4);

	(void)state;
	assert_int_equal(run.n_gaps, 0);
	assert_int_equal(run.busy_ns, 3 * MS);
	assert_int_equal(run.duration_ns, 3 * MS);
	assert_int_equal(run.idle_ns, 0);
}

static void busy_time_belongs_to_who_makes_it_longer(void **state)
{
	struct ssdpm_io ios[] = { read_at(0, 10 * MS), read_at(MS, 2 * MS),
				  read_at(4 * MS, 8 * MS),
				  read_at(4 * MS, 9 * MS) };
	struct ssdpm_run run;

	(void)state;
	ios[1].op = SSDPM_OP_WRITE;
	ios[2].op = SSDPM_OP_FLUSH;
	ios[2].bytes = 0;
	ios[3].op = SSDPM_OP_DISCARD;
	run = simulate(&closed, ios, 4);
	assert_int_equal(run.busy_ns_by_op[0], 10 * MS);
	assert_int_equal(run.busy_ns_by_op[1], 0);
	assert_int_equal(run.busy_ns_by_op[2], 2 * MS);
	assert_int_equal(run.busy_ns_by_op[3], MS);
	for (int op = 0; op < SSDPM_N_OPS; op++)
		assert_int_equal(run.n_ios[op], 1);
	assert_int_equal(run.bytes[2], 0);
	assert_int_equal(run.bytes[3], 1000);
}

static void a_continued_record_is_no_io_but_keeps_the_drive_busy(void **state)
{
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(21 * MS, MS),
				  read_at(21 * MS, 3 * MS) };
	struct ssdpm_run run;

	(void)state;
	ios[2].flags = SSDPM_IO_CONTINUED;
	run = simulate(&closed, ios, 3);
	assert_int_equal(run.n_ios[0], 2);
	assert_int_equal(run.bytes[0], 3000);
	assert_int_equal(run.busy_ns, 4 * MS);
	assert_int_equal(run.n_delayed, 1);
	/*
	 * A continued one that ends an idle time wakes the drive, and no I/O
	 * waits.
	 */
	ios[1].flags = SSDPM_IO_CONTINUED;
	run = simulate(&closed, ios, 3);
	assert_int_equal(run.n_wakes, 1);
	assert_int_equal(run.n_delayed, 0);
	assert_int_equal(run.delay_sum_ns, 0);
	assert_int_equal(run.duration_ns, 27 * MS);
}

static void in_the_open_loop_those_who_come_while_it_wakes_wait(void **state)
{
	struct ssdpm_io ios[] = {
		read_at(0, MS),
		read_at(51 * MS, MS), /* ready at 54 */
		read_at(52 * MS, 4 * MS),
		read_at(53 * MS + 1, MS), /* after its first could complete */
		read_at(54 * MS, MS),
		read_at(58 * MS, MS), /* completes last: at 59 */
	};
	struct ssdpm_run run = simulate(&open_loop, ios, 6);

	(void)state;
	assert_int_equal(run.n_delayed, 3);
	assert_int_equal(run.delay_sum_ns, 6 * MS - 1);
	assert_int_equal(run.busy_ns, MS + 5 * MS);
	assert_int_equal(run.duration_ns, 59 * MS);
	assert_int_equal(run.exit_ns, 3 * MS);
	/* The closed loop moves later I/Os instead. */
	run = simulate(&closed, ios, 6);
	assert_int_equal(run.duration_ns, 62 * MS);
}

static void in_the_open_loop_a_wake_can_swallow_a_gap(void **state)
{
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(21 * MS, MS),
				  read_at(24 * MS, MS) };
	struct ssdpm_run run = simulate(&open_loop, ios, 3);

	(void)state;
	/* Ready at 24: the second and the third run in parallel. */
	assert_int_equal(run.n_gaps, 1);
	assert_int_equal(run.duration_ns, 25 * MS);
	run = simulate(&closed, ios, 3);
	assert_int_equal(run.n_gaps, 2);
}

static void unknown_service_is_a_base_latency_and_a_shared_channel(void **state)
{
	struct ssdpm_io ios[] = {
		read_at(0, SSDPM_SERVICE_UNKNOWN), /* 1 + 1 */
		read_at(0, SSDPM_SERVICE_UNKNOWN), /* waits: 3 */
		read_at(23 * MS, SSDPM_SERVICE_UNKNOWN),
	};
	struct ssdpm_run run = simulate(&closed, ios, 3);

	(void)state;
	assert_int_equal(run.busy_ns, 5 * MS);
	assert_int_equal(run.delay_sum_ns, 3 * MS);
	assert_int_equal(run.duration_ns, 28 * MS);
	run = simulate(&open_loop, ios, 3);
	assert_int_equal(run.duration_ns, 28 * MS);
}

static void one_io_that_takes_no_time_is_a_run(void **state)
{
	struct ssdpm_io io = read_at(7, 0);
	struct ssdpm_run run = simulate(&closed, &io, 1);

	(void)state;
	assert_int_equal(run.duration_ns, 0);
	assert_int_equal(run.energy_nj, 0);
	assert_int_equal(run.mean_power_uw, 0);
	assert_int_equal(run.n_ios[0], 1);
}

static void a_drive_without_a_table_never_sleeps(void **state)
{
	struct given given = { .loop = SSDPM_LOOP_CLOSED, .awake = true };
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(5001 * MS, MS) };
	struct ssdpm_run run = simulate(&given, ios, 2);

	(void)state;
	assert_state(&run, 0, 5000 * MS, 0, 0);
	assert_int_equal(run.n_gaps, 1);
	assert_int_equal(run.n_wakes + run.n_deepest + run.n_delayed, 0);
}

static void a_drive_with_one_state_can_be_simulated(void **state)
{
	static const struct latencies states[] = { { 0, 0, 0 } };
	struct ssdpm_model *model = fixture_model(states, 1);
	struct ssdpm_apst table = { .sent = 1 };
	struct estimated result = { 0 };
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(5001 * MS, MS) };
	struct ssdpm_sim_params params;

	(void)state;
	ssdpm_sim_params_init(&params, sizeof(params));
	params.apst = &table;
	assert_int_equal(estimate_ios(model, &params, ios, 2, &result, NULL),
			 0);
	assert_int_equal(result.nominal.idle_ns, 5000 * MS);
	assert_int_equal(result.nominal.n_deepest, 0);
	ssdpm_model_unref(model);
}

static void stamps_up_to_the_last_nanosecond_are_good(void **state)
{
	struct ssdpm_io ios[] = { read_at(0, 0), read_at(END, 0) };
	struct given given = { .loop = SSDPM_LOOP_CLOSED, .awake = true };
	struct ssdpm_run run = simulate(&given, ios, 2);
	struct estimated result = { 0 };
	struct ssdpm_error error;
	struct ssdpm_sim *sim;

	(void)state;
	assert_int_equal(run.duration_ns, END);
	/* A wake moves the last one beyond the limit. */
	sim = make_sim(&closed);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 2, NULL), 0);
	assert_int_equal(finish_sim(sim, 0, &result, &error), -ERANGE);
	fixture_assert_error(&error, -ERANGE, 0, "2^64 ns");
	assert_int_equal(finish_sim(sim, 0, &result, NULL), -ERANGE);
	ssdpm_sim_free(sim);
	sim = make_sim(&open_loop);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 2, NULL), -ERANGE);
	ssdpm_sim_free(sim);
	ios[1].service_ns = 1;
	sim = make_sim(&given);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 2, NULL), -ERANGE);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 0, NULL), -ERANGE);
	ssdpm_sim_free(sim);
}

/*
 * Blocks whose times cannot reach 2^64 ns are taken together, others one by
 * one. The trace has two blocks, and moves from the second way to the first.
 */
static void a_trace_is_the_same_at_any_time(void **state)
{
	static const uint64_t idle_ms[] = { 5, 11, 40, 117, 400 };
	enum { N = 600 };
	struct ssdpm_io ios[N];
	struct ssdpm_run first;
	uint64_t start = 0;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		/* Most of them start before the one before is complete. */
		ios[i] = read_at(start, 2 * MS + i);
		start += i % 30 ? MS : (2 + idle_ms[i / 30 % 5]) * MS;
	}
	first = simulate(&open_loop, ios, N);
	assert_true(first.n_delayed > first.n_wakes);
	for (uint64_t room = 3000 * MS; room < 7000 * MS; room += 10 * MS) {
		uint64_t shift = END - room - ios[N - 1].start_ns;

		for (size_t i = 0; i < N; i++)
			ios[i].start_ns += shift;
		struct ssdpm_run run = simulate(&open_loop, ios, N);
		assert_memory_equal(&run, &first, sizeof(run));
		for (size_t i = 0; i < N; i++)
			ios[i].start_ns -= shift;
	}
}

static void a_record_that_goes_back_fails_with_its_number(void **state)
{
	struct ssdpm_io ios[600];
	struct estimated result = { 0 };
	struct ssdpm_sim *sim = make_sim(&closed);
	struct ssdpm_error error;

	(void)state;
	for (size_t i = 0; i < 600; i++)
		ios[i] = read_at(i * MS, 5);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 600, NULL), 0);
	ios[598].start_ns = 700 * MS;
	for (size_t i = 0; i < 598; i++)
		ios[i].start_ns = 600 * MS;
	assert_int_equal(ssdpm_sim_feed(sim, ios, 600, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "record 1199: starts at");
	/* From here on, it fails in the same way. */
	error = fixture_error();
	assert_int_equal(ssdpm_sim_feed(sim, ios, 1, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "record 1199: starts at");
	assert_int_equal(finish_sim(sim, 0, &result, &error), -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "record 1199");
	ssdpm_sim_free(sim);
}

static void an_unknown_operation_fails_with_its_number(void **state)
{
	static const uint8_t bad[] = { 0, 5, 6, 7, 8, 9, 128, 255 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad); i++) {
		struct ssdpm_io ios[] = { read_at(0, 1), read_at(0, 1) };
		struct ssdpm_sim *sim = make_sim(&closed);
		struct ssdpm_error error;

		ios[1].op = bad[i];
		assert_int_equal(ssdpm_sim_feed(sim, ios, 2, &error), -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0,
				     "record 1: unknown operation");
		ssdpm_sim_free(sim);
	}
}

static void no_record_is_no_run(void **state)
{
	struct ssdpm_sim *sim = make_sim(&closed);
	struct estimated result = { 0 };
	struct ssdpm_io io = read_at(0, MS);

	(void)state;
	assert_int_equal(ssdpm_sim_feed(sim, NULL, 0, NULL), 0);
	assert_int_equal(finish_sim(sim, 0, &result, NULL), -ENODATA);
	assert_int_equal(ssdpm_sim_feed(sim, &io, 1, NULL), 0);
	assert_null(ssdpm_sim_get_result(sim));
	assert_int_equal(finish_sim(sim, 0, &result, NULL), 0);
	assert_int_equal(result.nominal.n_ios[0], 1);
	assert_int_equal(finish_sim(sim, 0, &result, NULL), -EINVAL);
	assert_int_equal(ssdpm_sim_feed(sim, &io, 1, NULL), -EINVAL);
	ssdpm_sim_free(sim);
	assert_null(ssdpm_sim_free(NULL));
}

/* Idle, overlapping, unknown, continued; several blocks of it. */
static void make_noise(struct ssdpm_io *ios, size_t n, bool plain)
{
	uint64_t seed = 1, start = 5;

	for (size_t i = 0; i < n; i++) {
		uint64_t word = fixture_random(&seed);

		start += word % 3 ? word % MS : word % (300 * MS);
		ios[i] = read_at(start, word >> 40);
		ios[i].op = (uint8_t)(1 + word % 4);
		if (plain)
			continue;
		if (word >> 8 & 1)
			ios[i].service_ns = SSDPM_SERVICE_UNKNOWN;
		ios[i].flags = (word >> 9) % 8 == 0;
	}
}

static void assert_pieces_equal_the_whole(const struct given *given, bool plain)
{
	static const size_t pieces[] = { 1, 7, 511, 512, 513, 2999 };
	static struct ssdpm_io ios[3000];
	struct given in_pieces = *given;
	struct ssdpm_run whole, run;

	make_noise(ios, 3000, plain);
	whole = simulate(given, ios, 3000);
	assert_true(whole.n_wakes > 200);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		in_pieces.piece = pieces[i];
		run = simulate(&in_pieces, ios, 3000);
		assert_memory_equal(&run, &whole, sizeof(run));
	}
}

static void feeding_in_pieces_equals_feeding_at_once(void **state)
{
	(void)state;
	assert_pieces_equal_the_whole(&closed, true);
	assert_pieces_equal_the_whole(&closed, false);
	assert_pieces_equal_the_whole(&open_loop, true);
	assert_pieces_equal_the_whole(&open_loop, false);
}

struct told {
	uint64_t time_ns[32];
	uint32_t phase[32], state[32];
	size_t n;
};

static void tell(void *userdata, uint64_t time_ns, uint32_t phase,
		 uint32_t state)
{
	struct told *told = userdata;

	assert_true(told->n < 32);
	told->time_ns[told->n] = time_ns;
	told->phase[told->n] = phase;
	told->state[told->n] = state;
	told->n++;
}

static void changes_are_told_in_the_order_of_time(void **state)
{
	static const struct {
		uint64_t ms;
		uint32_t phase, state;
	} expected[] = {
		{ 1, SSDPM_PHASE_BUSY, 0 },    { 2, SSDPM_PHASE_IDLE, 0 },
		{ 12, SSDPM_PHASE_ENTRY, 1 },  { 14, SSDPM_PHASE_EXIT, 1 },
		{ 17, SSDPM_PHASE_BUSY, 0 },   { 19, SSDPM_PHASE_IDLE, 0 },
		{ 29, SSDPM_PHASE_ENTRY, 1 },  { 31, SSDPM_PHASE_RESIDENT, 1 },
		{ 131, SSDPM_PHASE_ENTRY, 2 }, { 140, SSDPM_PHASE_END, 0 },
	};
	/* The third continues the period: no change. */
	struct ssdpm_io ios[] = { read_at(MS, MS), read_at(13 * MS, MS),
				  read_at(14 * MS, MS) };
	struct told told = { .n = 0 };
	struct given given = { .loop = SSDPM_LOOP_CLOSED,
			       .end_ns = 136 * MS,
			       .fn = tell,
			       .userdata = &told };
	struct ssdpm_run run = simulate(&given, ios, 3);

	(void)state;
	assert_int_equal(told.n, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < told.n; i++) {
		assert_int_equal(told.time_ns[i], expected[i].ms * MS);
		assert_int_equal(told.phase[i], expected[i].phase);
		assert_int_equal(told.state[i], expected[i].state);
	}
	assert_int_equal(run.duration_ns, 139 * MS);
}

static void assert_intervals_sum_up(uint32_t loop)
{
	static struct ssdpm_io ios[3000];
	struct given given = { .loop = loop,
			       .interval_ns = 1234567 * 89,
			       .end_ns = 1000000 * MS };
	struct ssdpm_sim *sim = make_sim(&given);
	const struct ssdpm_interval *intervals;
	struct ssdpm_interval sum = { 0 };
	struct estimated result;
	size_t n;

	make_noise(ios, 3000, false);
	assert_null(ssdpm_sim_get_intervals(sim, &n));
	assert_int_equal(n, 0);
	result = finish(sim, &given, ios, 3000);
	intervals = ssdpm_sim_get_intervals(sim, &n);
	assert_int_equal(n, result.nominal.duration_ns / given.interval_ns + 1);
	for (size_t i = 0; i < n; i++) {
		const struct ssdpm_interval *at = &intervals[i];

		assert_int_equal(at->start_ns, i * given.interval_ns);
		if (i + 1 < n)
			assert_int_equal(at->busy_ns + at->idle_ns +
						 at->asleep_ns +
						 at->transition_ns,
					 given.interval_ns);
		sum.energy_nj += at->energy_nj;
		sum.busy_ns += at->busy_ns;
		sum.idle_ns += at->idle_ns + at->asleep_ns;
		sum.transition_ns += at->transition_ns;
		sum.n_ios += at->n_ios;
		sum.delay_sum_ns += at->delay_sum_ns;
	}
	/* Rounded down, and not to the nearest. */
	assert_in_range(result.nominal.energy_nj - sum.energy_nj, 0, 1);
	assert_int_equal(sum.busy_ns, result.nominal.busy_ns);
	assert_int_equal(sum.idle_ns, result.nominal.idle_ns);
	assert_int_equal(sum.transition_ns,
			 result.nominal.entry_ns + result.nominal.exit_ns);
	assert_int_equal(sum.delay_sum_ns, result.nominal.delay_sum_ns);
	assert_int_equal(sum.n_ios, result.nominal.n_ios[0] +
					    result.nominal.n_ios[1] +
					    result.nominal.n_ios[2] +
					    result.nominal.n_ios[3]);
	ssdpm_sim_free(sim);
}

static void intervals_sum_up_to_the_run(void **state)
{
	(void)state;
	assert_intervals_sum_up(SSDPM_LOOP_CLOSED);
	assert_intervals_sum_up(SSDPM_LOOP_OPEN);
}

static void far_too_many_intervals_are_refused(void **state)
{
	struct given given = { .loop = SSDPM_LOOP_CLOSED, .interval_ns = 1 };
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(1 << 25, MS) };
	struct ssdpm_sim *sim = make_sim(&given);
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(ssdpm_sim_feed(sim, ios, 2, &error), -ENOMEM);
	fixture_assert_error(&error, -ENOMEM, 0, "give a longer one");
	ssdpm_sim_free(sim);
}

/* The first records alone would have taken 2^23 intervals of 96 bytes. */
static void too_many_intervals_are_refused_before_the_first(void **state)
{
	struct given given = { .loop = SSDPM_LOOP_CLOSED, .interval_ns = 1 };
	struct ssdpm_io ios[] = { read_at(5, 1), read_at(1 << 23, 1),
				  read_at(1 << 25, 1) };
	struct ssdpm_sim *sim = make_sim(&given);
	struct rusage before, after;
	struct ssdpm_error error;

	(void)state;
	assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 3, &error), -ENOMEM);
	assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
	fixture_assert_error(&error, -ENOMEM, 0,
			     "interval_ns: 33554428 intervals or more take");
	assert_true(after.ru_maxrss - before.ru_maxrss < 100 << 10);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 1, &error), -ENOMEM);
	ssdpm_sim_free(sim);
}

static void delays_come_as_a_histogram(void **state)
{
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(51 * MS, MS),
				  read_at(351 * MS, MS) };
	uint64_t counts[SSDPM_HISTOGRAM_BUCKETS];
	struct ssdpm_sim *sim = make_sim(&closed);
	uint64_t sum = 0;

	(void)state;
	ssdpm_sim_get_delays(sim, counts, SSDPM_HISTOGRAM_BUCKETS);
	assert_int_equal(counts[0], 0);
	finish(sim, &closed, ios, 3);
	ssdpm_sim_get_delays(sim, counts, SSDPM_HISTOGRAM_BUCKETS);
	for (size_t i = 0; i < SSDPM_HISTOGRAM_BUCKETS; i++)
		sum += counts[i];
	assert_int_equal(sum, 3);
	assert_int_equal(counts[0], 1);
	counts[1] = 7;
	ssdpm_sim_get_delays(sim, counts, 1);
	assert_int_equal(counts[0], 1);
	assert_int_equal(counts[1], 7);
	ssdpm_sim_free(sim);
}

/* Idle power and the exit latency of state 1 are not known. */
static size_t make_unsure(struct ssdpm_parameter *parameters, bool service)
{
	struct ssdpm_model *model = make_model();
	size_t n = make_parameters(model, parameters);

	ssdpm_model_unref(model);
	assert_int_equal(set_parameter(parameters, n,
				       SSDPM_PARAMETER_IDLE_POWER, 0, 500000,
				       1000000, 3000000, NULL),
			 0);
	assert_int_equal(set_parameter(parameters, n,
				       SSDPM_PARAMETER_EXIT_LATENCY, 1, 1000,
				       3000, 7000, NULL),
			 0);
	set(parameters, n, SSDPM_PARAMETER_ENTRY_LATENCY, 1, 2000);
	if (service)
		assert_int_equal(set_parameter(parameters, n,
					       SSDPM_PARAMETER_BASE_LATENCY, 0,
					       0, MS, 4 * MS, NULL),
				 0);
	return n;
}

static void bounds_are_the_least_and_the_most(void **state)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n = make_unsure(parameters, false);
	struct ssdpm_sim *sim = make_sim_with(&closed, parameters, n);
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(51 * MS, MS) };
	struct estimated result = finish(sim, &closed, ios, 2);

	(void)state;
	assert_int_equal(result.axes, 1 << (SSDPM_AXIS_IDLE_POWER - 1) |
					      1 << (SSDPM_AXIS_LATENCY - 1));
	/* 8 mJ busy, 2 ms in and 3 out at 2 W, 10 ms at 1 W, 38 at 0.1 W. */
	assert_int_equal(result.nominal.energy_nj, 31800000);
	assert_int_equal(result.low.energy_nj, 22800000);
	assert_int_equal(result.high.energy_nj, 59800000);
	assert_int_equal(result.low.delay_max_ns, MS);
	assert_int_equal(result.high.delay_max_ns, 7 * MS);
	assert_int_equal(result.low.duration_ns, 53 * MS);
	assert_int_equal(result.axis_low_nj[0], 26800000);
	assert_int_equal(result.axis_high_nj[0], 51800000);
	assert_int_equal(result.axis_low_nj[4], 27800000);
	assert_int_equal(result.axis_high_nj[4], 39800000);
	assert_int_equal(result.axis_high_nj[1], 31800000);
	assert_int_equal(result.widest_axis, SSDPM_AXIS_IDLE_POWER);
	assert_int_equal(result.assumed_nj, 0);
	parameters[0].provenance = SSDPM_PROVENANCE_ASSUMED;
	ssdpm_sim_free(sim);
	sim = make_sim_with(&closed, parameters, n);
	result = finish(sim, &closed, ios, 2);
	assert_int_equal(result.assumed_nj, 10000000);
	ssdpm_sim_free(sim);
}

static void an_unknown_service_widens_the_result_from_then_on(void **state)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n = make_unsure(parameters, true);
	struct ssdpm_sim *sim = make_sim_with(&closed, parameters, n);
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(51 * MS, MS),
				  read_at(52 * MS, SSDPM_SERVICE_UNKNOWN) };
	struct estimated result = finish(sim, &closed, ios, 2);

	(void)state;
	assert_int_equal(result.low.busy_ns, 2 * MS);
	assert_int_equal(result.high.busy_ns, 2 * MS);
	assert_int_equal(result.high.delay_max_ns, 7 * MS);
	ssdpm_sim_free(sim);
	sim = make_sim_with(&closed, parameters, n);
	result = finish(sim, &closed, ios, 3);
	assert_int_equal(result.low.busy_ns, 3 * MS);
	assert_int_equal(result.nominal.busy_ns, 4 * MS);
	assert_int_equal(result.high.busy_ns, 7 * MS);
	assert_int_equal(result.high.delay_max_ns, 7 * MS);
	ssdpm_sim_free(sim);
}

static void a_saving_is_over_the_same_time(void **state)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct given awake = { .loop = SSDPM_LOOP_CLOSED, .awake = true };
	size_t n = make_unsure(parameters, false);
	struct ssdpm_sim *from = make_sim_with(&awake, parameters, n);
	struct ssdpm_sim *to = make_sim_with(&closed, parameters, n);
	struct ssdpm_sim *other = make_sim(&closed);
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(51 * MS, MS) };
	struct ssdpm_saving saving;

	(void)state;
	finish(from, &awake, ios, 2);
	assert_int_equal(ssdpm_sim_get_saving(from, to, &saving, NULL),
			 -EINVAL);
	finish(to, &closed, ios, 2);
	finish(other, &closed, ios, 2);
	assert_int_equal(ssdpm_sim_get_saving(from, to, &saving, NULL), 0);
	/*
	 * 61 mJ - 31.8. At worst 33.5 - 34.8, at best 179 - 47.8: one policy's
	 * idle time does not depend on the other's exits.
	 */
	assert_int_equal(saving.nominal_nj, 29200000);
	assert_int_equal(saving.low_nj, 33500000 - 34800000);
	assert_int_equal(saving.high_nj, 179000000 - 47800000);
	/* Both in 55 ms. */
	assert_int_equal(saving.nominal_uw, 1109091 - 578182);
	assert_int_equal(ssdpm_sim_get_saving(to, from, &saving, NULL), 0);
	assert_int_equal(saving.high_nj, 34800000 - 33500000);
	assert_int_equal(ssdpm_sim_get_saving(from, other, &saving, NULL),
			 -EINVAL);
	ssdpm_sim_free(from);
	ssdpm_sim_free(to);
	ssdpm_sim_free(other);
}

static void assert_refused(struct ssdpm_sim_params *params, int code,
			   const char *fragment)
{
	struct ssdpm_model *model = make_model();
	struct ssdpm_sim *sim = UNTOUCHED;
	struct ssdpm_error error;

	assert_int_equal(ssdpm_sim_new(model, params, &sim, &error), code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_ptr_equal(sim, UNTOUCHED);
	ssdpm_sim_params_init(params, sizeof(*params));
	ssdpm_model_unref(model);
}

static void what_cannot_be_simulated_is_refused(void **state)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS] = { 0 };
	struct ssdpm_apst cycle = make_table();
	struct ssdpm_sim_params params;

	(void)state;
	ssdpm_sim_params_init(&params, sizeof(params));
	params.loop = 3;
	assert_refused(&params, -EINVAL, "loop: unknown 3");
	params.flags = 4;
	assert_refused(&params, -EINVAL, "flags");
	params.reserved = 1;
	assert_refused(&params, -EINVAL, "reserved");
	params.pcie_link = 4;
	assert_refused(&params, -EINVAL, "pcie_link");
	params.operational_state = 1;
	assert_refused(&params, -EINVAL, "operational_state");
	params.lpm = SSDPM_LPM_MIN_POWER;
	assert_refused(&params, -EINVAL, "lpm");
	cycle.entries[2] = (struct ssdpm_apst_entry){ 10, 1 };
	params.apst = &cycle;
	assert_refused(&params, -EINVAL, "");
	params.parameters = parameters;
	params.n_parameters = 3;
	assert_refused(&params, -EINVAL, "parameters: 3");
	params.size = sizeof(size_t) - 1;
	assert_refused(&params, -EINVAL, "ssdpm_sim_params.size");
	assert_int_equal(ssdpm_sim_params_init(&params, sizeof(size_t) - 1),
			 -EINVAL);
}

static void parameters_are_copied_and_can_be_asked_for(void **state)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS], copy;
	const struct ssdpm_parameter *taken;
	struct ssdpm_sim *sim;
	size_t n = make_unsure(parameters, false), n_taken;

	(void)state;
	sim = make_sim_with(&closed, parameters, n);
	copy = parameters[0];
	memset(parameters, 0xff, sizeof(parameters));
	taken = ssdpm_sim_get_parameters(sim, &n_taken);
	assert_int_equal(n_taken, n);
	assert_memory_equal(&taken[0], &copy, sizeof(copy));
	ssdpm_sim_free(sim);
}

static void an_energy_beyond_64_bits_fails(void **state)
{
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	struct given awake = { .loop = SSDPM_LOOP_CLOSED, .awake = true };
	size_t n = make_unsure(parameters, false);
	struct ssdpm_io ios[] = { read_at(0, MS), read_at(END / 2, MS) };
	struct estimated result = { 0 };
	struct ssdpm_error error;
	struct ssdpm_sim *sim;

	(void)state;
	set(parameters, n, SSDPM_PARAMETER_IDLE_POWER, 0, UINT32_MAX);
	sim = make_sim_with(&awake, parameters, n);
	assert_int_equal(ssdpm_sim_feed(sim, ios, 2, NULL), 0);
	assert_int_equal(finish_sim(sim, 0, &result, &error), -ERANGE);
	fixture_assert_error(&error, -ERANGE, 0, "energy");
	ssdpm_sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gap_below_the_idle_time_stays_awake),
		cmocka_unit_test(
			a_gap_of_just_the_idle_time_pays_for_the_whole_entry),
		cmocka_unit_test(an_io_waits_for_the_rest_of_an_entry),
		cmocka_unit_test(
			idle_time_counts_in_the_state_from_the_end_of_the_entry),
		cmocka_unit_test(an_option_counts_idle_time_from_its_start),
		cmocka_unit_test(idle_time_at_the_end_has_no_wake),
		cmocka_unit_test(
			ios_before_the_first_completion_wait_as_the_first_does),
		cmocka_unit_test(
			an_io_at_the_last_completion_continues_the_period),
		cmocka_unit_test(busy_time_belongs_to_who_makes_it_longer),
		cmocka_unit_test(
			a_continued_record_is_no_io_but_keeps_the_drive_busy),
		cmocka_unit_test(
			in_the_open_loop_those_who_come_while_it_wakes_wait),
		cmocka_unit_test(in_the_open_loop_a_wake_can_swallow_a_gap),
		cmocka_unit_test(
			unknown_service_is_a_base_latency_and_a_shared_channel),
		cmocka_unit_test(one_io_that_takes_no_time_is_a_run),
		cmocka_unit_test(a_drive_without_a_table_never_sleeps),
		cmocka_unit_test(a_drive_with_one_state_can_be_simulated),
		cmocka_unit_test(stamps_up_to_the_last_nanosecond_are_good),
		cmocka_unit_test(a_trace_is_the_same_at_any_time),
		cmocka_unit_test(a_record_that_goes_back_fails_with_its_number),
		cmocka_unit_test(an_unknown_operation_fails_with_its_number),
		cmocka_unit_test(no_record_is_no_run),
		cmocka_unit_test(feeding_in_pieces_equals_feeding_at_once),
		cmocka_unit_test(changes_are_told_in_the_order_of_time),
		cmocka_unit_test(intervals_sum_up_to_the_run),
		cmocka_unit_test(far_too_many_intervals_are_refused),
		cmocka_unit_test(
			too_many_intervals_are_refused_before_the_first),
		cmocka_unit_test(delays_come_as_a_histogram),
		cmocka_unit_test(bounds_are_the_least_and_the_most),
		cmocka_unit_test(
			an_unknown_service_widens_the_result_from_then_on),
		cmocka_unit_test(a_saving_is_over_the_same_time),
		cmocka_unit_test(what_cannot_be_simulated_is_refused),
		cmocka_unit_test(parameters_are_copied_and_can_be_asked_for),
		cmocka_unit_test(an_energy_beyond_64_bits_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
