/* SPDX-License-Identifier: MIT */
/* Throughput under power caps: by formula, over time, and of a trace. */
#include "calls.h"
#include "fixture.h"

#include <math.h>

#define W 1e6
#define GB 1e9
#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
#define CASES 300

static struct ssdpm_span one(double value)
{
	return (struct ssdpm_span){ value, value, value };
}

static void assert_near(double is, double must_be, double error)
{
	if (!(fabs(is - must_be) <= error))
		fail_msg("%.12g is not %.12g", is, must_be);
}

static struct ssdpm_cap_result calculate(const struct ssdpm_cap_params *params)
{
	struct ssdpm_cap_result result = { .size = sizeof(result) };
	struct ssdpm_error error;

	if (ssdpm_cap_calculate(params, &result, &error))
		fail_msg("%s", error.message);
	return result;
}

/* Sequential writes of a drive that idles at 4 W: least squares of three. */
static int cap_params_from_model(const struct ssdpm_model *model,
				 const struct ssdpm_parameter *parameters,
				 size_t n_parameters, uint32_t state,
				 struct ssdpm_cap_stream *streams, size_t n,
				 struct ssdpm_cap_params *ret_params,
				 struct ssdpm_error *reterr)
{
	struct ssdpm_sim_params sim;

	ssdpm_sim_params_init(&sim, sizeof(sim));
	sim.parameters = parameters;
	sim.n_parameters = n_parameters;
	sim.operational_state = state;
	return ssdpm_cap_params_from_model(model, &sim, streams, n, ret_params,
					   reterr);
}

static int cap_timeline(const struct ssdpm_cap_params *params,
			const struct ssdpm_cap_segment *segments,
			size_t n_segments, uint64_t interval_ns,
			struct ssdpm_cap_point *ret_points, size_t capacity,
			size_t *ret_n, struct ssdpm_error *reterr)
{
	const struct ssdpm_cap_schedule schedule = {
		.size = sizeof(schedule),
		.segments = segments,
		.n_segments = n_segments,
		.interval_ns = interval_ns,
	};

	return ssdpm_cap_timeline(params, &schedule, ret_points, capacity,
				  ret_n, reterr);
}

static int cap_simulate(const struct ssdpm_model *model,
			const struct ssdpm_sim_params *params,
			const struct ssdpm_cap_segment *segments,
			size_t n_segments, const struct ssdpm_io *ios, size_t n,
			struct ssdpm_cap_run *ret_run,
			struct ssdpm_cap_point *ret_points,
			struct ssdpm_error *reterr)
{
	const struct ssdpm_cap_schedule schedule = {
		.size = sizeof(schedule),
		.segments = segments,
		.n_segments = n_segments,
		.ios = ios,
		.n_ios = n,
	};

	return ssdpm_cap_simulate(model, params, &schedule, ret_run, ret_points,
				  reterr);
}

static struct ssdpm_cap_stream p3700_writes(void)
{
	return (struct ssdpm_cap_stream){
		.op = SSDPM_OP_WRITE,
		.known = SSDPM_CAP_NAND | SSDPM_CAP_BYTE_ENERGY,
		.io_bytes = 131072,
		.share = 1,
		.nand_bytes_per_s = one(2 * GB),
		.byte_pj = one(11080),
	};
}

static struct ssdpm_cap_params params_of(const struct ssdpm_cap_stream *streams,
					 size_t n, uint64_t cap_uw)
{
	return (struct ssdpm_cap_params){
		.size = sizeof(struct ssdpm_cap_params),
		.cap_uw = cap_uw,
		.streams = streams,
		.n_streams = n,
		.known = SSDPM_CAP_IDLE_POWER,
		.idle_uw = one(4 * W),
	};
}

static void writes_are_what_the_cap_leaves_for_their_bytes(void **state)
{
	static const struct {
		uint64_t cap_uw;
		double bytes_per_s;
		uint32_t limit;
	} rows[] = {
		{ SSDPM_CAP_NONE, 2.0, SSDPM_CAP_LIMIT_NAND },
		{ 25000000, 1.895, SSDPM_CAP_LIMIT_POWER },
		{ 20000000, 1.444, SSDPM_CAP_LIMIT_POWER },
		{ 10000000, 0.542, SSDPM_CAP_LIMIT_POWER },
		{ 4000000, 0, SSDPM_CAP_LIMIT_POWER },
	};
	struct ssdpm_cap_stream writes = p3700_writes();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ssdpm_cap_params params =
			params_of(&writes, 1, rows[i].cap_uw);
		struct ssdpm_cap_result result = calculate(&params);
		double bw = result.bytes_per_s.nominal;

		assert_near(bw / GB, rows[i].bytes_per_s, 5e-4);
		assert_near(result.uncapped_bytes_per_s.high, 2 * GB, 0);
		assert_near(result.loss_share.nominal, 1 - bw / (2 * GB),
			    1e-15);
		assert_int_equal(result.limit, rows[i].limit);
		assert_int_equal(result.assumed, 0);
		assert_near(result.power_uw.high,
			    ssdpm_cap_limit_to_string(result.limit)[0] == 'n' ?
				    4 * W + 2 * 11.08 * W :
				    (double)rows[i].cap_uw,
			    1e-3);
	}
}

static void an_active_power_is_energy_of_the_bytes_of_its_throughput(
	void **state)
{
	struct ssdpm_cap_stream by_power = p3700_writes();
	struct ssdpm_cap_stream by_bytes = by_power, by_ios = by_power;
	struct ssdpm_cap_result a, b, c;

	(void)state;
	by_power.known = SSDPM_CAP_NAND | SSDPM_CAP_ACTIVE_POWER;
	by_power.active_uw = one(4 * W + 2 * 11.08 * W);
	by_ios.known = SSDPM_CAP_NAND | SSDPM_CAP_OPERATION_ENERGY;
	by_ios.operation_nj = one(11.08 * 131072);
	for (uint64_t cap = 4500000; cap < 40000000; cap += 500000) {
		struct ssdpm_cap_params params = params_of(&by_power, 1, cap);

		a = calculate(&params);
		params.streams = &by_bytes;
		b = calculate(&params);
		params.streams = &by_ios;
		c = calculate(&params);
		assert_near(a.bytes_per_s.nominal, b.bytes_per_s.nominal, 1);
		assert_near(c.bytes_per_s.nominal, b.bytes_per_s.nominal, 1);
		assert_near(a.power_uw.nominal, b.power_uw.nominal, 1e-2);
		assert_near(a.p99_power_uw.nominal, b.p99_power_uw.nominal,
			    1e-2);
	}
}

static void what_nobody_said_is_between_nothing_and_the_maximum(void **state)
{
	struct ssdpm_cap_stream writes = p3700_writes();
	struct ssdpm_cap_params params = params_of(&writes, 1, 10000000);
	struct ssdpm_cap_result result;

	(void)state;
	writes.known = SSDPM_CAP_NAND;
	params.known |= SSDPM_CAP_MAX_POWER;
	params.max_uw = one(25 * W);
	result = calculate(&params);
	assert_near(result.bytes_per_s.high, 2 * GB, 0);
	assert_near(result.bytes_per_s.nominal, 2 * GB * 6 / 21, 1);
	assert_near(result.bytes_per_s.low, 2 * GB * 6 / 21, 1);
	assert_near(result.power_uw.low, 4 * W, 0);
	assert_near(result.power_uw.nominal, 10 * W, 0);
	assert_near(result.max_power_uw.nominal, 10 * W, 0);
	assert_int_equal(result.assumed, SSDPM_CAP_ACTIVE_POWER);
}

static void amplification_takes_from_the_flash_and_not_from_the_link(
	void **state)
{
	const struct ssdpm_nand nand = { .size = sizeof(nand),
					 .link_pj = 1000,
					 .program_pj = 4000,
					 .read_pj = 1000,
					 .erase_pj = 500,
					 .program_bytes_per_s = 2 * GB,
					 .read_bytes_per_s = 4 * GB };
	struct ssdpm_cap_stream writes = p3700_writes();
	struct ssdpm_cap_params params = params_of(&writes, 1, 10000000);
	struct ssdpm_cap_result result;

	(void)state;
	writes.known |= SSDPM_CAP_INTERFACE;
	writes.interface_bytes_per_s = one(1.5 * GB);
	writes.write_amplification = 3;
	params.nand = &nand;
	/* 1000 + 3 x 4500 + 2 x 1000 pJ; 3 / 2 GB/s + 2 / 4 GB/s */
	result = calculate(&params);
	assert_near(result.uncapped_bytes_per_s.nominal, 0.5 * GB, 1e-3);
	assert_near(result.bytes_per_s.nominal, 6 * W / 16500 * 1e6, 1);
	assert_int_equal(result.limit, SSDPM_CAP_LIMIT_POWER);
	/* Without its parts, all of it may be the link's, or the flash's. */
	params.nand = NULL;
	result = calculate(&params);
	assert_near(result.uncapped_bytes_per_s.nominal, 2 * GB / 3, 1e-3);
	assert_near(result.bytes_per_s.nominal, 6 * W / 33240 * 1e6, 1);
	assert_near(result.bytes_per_s.high, 6 * W / 11080 * 1e6, 1);
	assert_int_equal(result.assumed, SSDPM_CAP_BYTE_ENERGY);
	params.cap_uw = SSDPM_CAP_NONE;
	assert_int_equal(calculate(&params).limit, SSDPM_CAP_LIMIT_NAND);
	writes.write_amplification = 1;
	assert_int_equal(calculate(&params).limit, SSDPM_CAP_LIMIT_INTERFACE);
}

/* A number between two, often one of them. */
static double draw(uint64_t *seed, double low, double high)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	uint32_t bits = (uint32_t)(*seed >> 33);

	if (bits % 4 == 0)
		return bits & 4 ? low : high;
	return low + (high - low) * (bits >> 3) / (double)(1u << 28);
}

static struct ssdpm_span draw_span(uint64_t *seed, double low, double high)
{
	double a = draw(seed, low, high), b = draw(seed, low, high),
	       c = draw(seed, low, high);
	double least = fmin(a, fmin(b, c)), most = fmax(a, fmax(b, c));

	return (struct ssdpm_span){ least,
				    fmax(fmin(a, b), fmin(fmax(a, b), c)),
				    most };
}

static void draw_mix(uint64_t *seed, struct ssdpm_cap_stream *streams, size_t n)
{
	double shares = 0;

	for (size_t i = 0; i < n; i++) {
		struct ssdpm_cap_stream *s = &streams[i];

		*s = (struct ssdpm_cap_stream){
			.op = draw(seed, 0, 1) < 0.5 ? SSDPM_OP_READ :
						       SSDPM_OP_WRITE,
			.known = (uint32_t)draw(seed, 1, 31) | SSDPM_CAP_NAND |
				 SSDPM_CAP_BYTE_ENERGY,
			.io_bytes = 4096,
			.share = draw(seed, 0.01, 1),
			.interface_bytes_per_s = draw_span(seed, 1e8, 7e9),
			.nand_bytes_per_s = draw_span(seed, 1e8, 7e9),
			.active_uw = draw_span(seed, 1e5, 2e7),
			.operation_nj = draw_span(seed, 0, 1e4),
			.byte_pj = draw_span(seed, 0, 2e4),
		};
		shares += s->share;
	}
	for (size_t i = 0; i < n; i++)
		streams[i].share /= shares;
}

/* Whether the drive reaches this throughput within the cap. */
static bool manages(const struct ssdpm_cap_params *params, double bytes,
		    double *ret_uw)
{
	double busy = 0, uj = 0;

	for (size_t i = 0; i < params->n_streams; i++) {
		const struct ssdpm_cap_stream *s = &params->streams[i];
		double rate = s->nand_bytes_per_s.nominal;
		double part = bytes * s->share, time;

		if (s->known & SSDPM_CAP_INTERFACE)
			rate = fmin(rate, s->interface_bytes_per_s.nominal);
		time = part / rate;
		busy += time;
		if (s->known & SSDPM_CAP_ACTIVE_POWER)
			uj += time * fmax(s->active_uw.nominal -
						  params->idle_uw.nominal,
					  0);
		if (s->known & SSDPM_CAP_OPERATION_ENERGY)
			uj += part / s->io_bytes * s->operation_nj.nominal /
			      1e3;
		uj += part * s->byte_pj.nominal / 1e6;
	}
	*ret_uw = params->idle_uw.nominal + uj;
	return busy <= 1 && *ret_uw <= (double)params->cap_uw;
}

/* Finds it bit by bit. */
static double slow_throughput(const struct ssdpm_cap_params *params,
			      double *ret_uw)
{
	double bytes = 0;

	for (double step = 1LL << 40; step > 1e-3; step /= 2)
		if (manages(params, bytes + step, ret_uw))
			bytes += step;
	manages(params, bytes, ret_uw);
	return bytes;
}

/* Case number i has as many streams as its turn, and a cap above min_uw. */
static struct ssdpm_cap_params draw_case(uint64_t *seed, int i, double min_uw,
					 struct ssdpm_cap_stream *streams)
{
	size_t n = 1 + (size_t)i % SSDPM_MAX_CAP_STREAMS;
	uint64_t cap_uw = (uint64_t)draw(seed, min_uw, 3e7);

	draw_mix(seed, streams, n);
	return params_of(streams, n, cap_uw);
}

static void a_mix_reaches_what_trying_finds(void **state)
{
	struct ssdpm_cap_stream streams[SSDPM_MAX_CAP_STREAMS];
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct ssdpm_cap_params params =
			draw_case(&seed, i, 4e6, streams);
		double uw, bytes = slow_throughput(&params, &uw);
		struct ssdpm_cap_result result = calculate(&params);

		assert_near(result.bytes_per_s.nominal, bytes,
			    1 + bytes * 1e-9);
		assert_near(result.power_uw.nominal, uw, 1 + uw * 1e-9);
	}
}

/* Any value between its bounds. */
static void settle(uint64_t *seed, struct ssdpm_span *span)
{
	*span = one(draw(seed, span->low, span->high));
}

static void assert_within(const struct ssdpm_span *span, double value)
{
	double error = fabs(span->high) * 1e-9;

	if (!(value >= span->low - error && value <= span->high + error))
		fail_msg("%.12g is not from %.12g to %.12g", value, span->low,
			 span->high);
}

static void no_values_between_the_bounds_lead_out_of_those_of_the_result(
	void **state)
{
	struct ssdpm_cap_stream streams[SSDPM_MAX_CAP_STREAMS];
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct ssdpm_cap_params params =
			draw_case(&seed, i, 5e6, streams);

		params.idle_uw = draw_span(&seed, 1e6, 5e6);
		struct ssdpm_cap_result all = calculate(&params);

		settle(&seed, &params.idle_uw);
		for (size_t j = 0; j < params.n_streams; j++) {
			settle(&seed, &streams[j].interface_bytes_per_s);
			settle(&seed, &streams[j].nand_bytes_per_s);
			settle(&seed, &streams[j].active_uw);
			settle(&seed, &streams[j].operation_nj);
			settle(&seed, &streams[j].byte_pj);
		}
		struct ssdpm_cap_result some = calculate(&params);

		assert_within(&all.bytes_per_s, some.bytes_per_s.nominal);
		assert_within(&all.uncapped_bytes_per_s,
			      some.uncapped_bytes_per_s.nominal);
		assert_within(&all.loss_share, some.loss_share.nominal);
		assert_within(&all.power_uw, some.power_uw.nominal);
		assert_within(&all.max_power_uw, some.max_power_uw.nominal);
	}
}

static void assert_in_order(const struct ssdpm_span *span, double most)
{
	assert_true(span->low <= span->nominal && span->nominal <= span->high);
	assert_true(span->high <= most);
}

static void more_power_is_never_less_throughput_nor_above_its_cap(void **state)
{
	struct ssdpm_cap_stream streams[SSDPM_MAX_CAP_STREAMS];
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		size_t n = 1 + (size_t)i % SSDPM_MAX_CAP_STREAMS;
		struct ssdpm_cap_params params = params_of(streams, n, 0);
		struct ssdpm_cap_result before = { 0 };
		double fastest = 0;

		draw_mix(&seed, streams, n);
		for (size_t j = 0; j < n; j++)
			fastest =
				fmax(fastest, streams[j].nand_bytes_per_s.high);
		for (params.cap_uw = 4000000; params.cap_uw < 30000000;
		     params.cap_uw += 1000000) {
			struct ssdpm_cap_result now = calculate(&params);
			double cap = (double)params.cap_uw;

			assert_in_order(&now.power_uw, cap);
			assert_in_order(&now.p99_power_uw, cap);
			assert_in_order(&now.max_power_uw, cap);
			assert_in_order(&now.loss_share, 1);
			assert_in_order(&now.bytes_per_s, fastest);
			assert_true(now.loss_share.low >= 0);
			assert_true(now.bytes_per_s.low >=
				    before.bytes_per_s.low);
			assert_true(now.bytes_per_s.nominal >=
				    before.bytes_per_s.nominal);
			assert_true(now.bytes_per_s.high >=
				    before.bytes_per_s.high);
			before = now;
		}
	}
}

static void check_refused(const struct ssdpm_cap_params *params, int code,
			  const char *fragment)
{
	struct ssdpm_cap_result result = { .size = sizeof(result),
					   .limit = 77 };
	struct ssdpm_error error = { 0 };

	assert_int_equal(ssdpm_cap_calculate(params, &result, &error), code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_int_equal(result.limit, 77);
}

static void what_says_too_little_is_refused_with_what_to_give(void **state)
{
	struct ssdpm_cap_stream s = p3700_writes();
	struct ssdpm_cap_params params = params_of(&s, 1, 10000000);

	(void)state;
	s.known = SSDPM_CAP_NAND;
	check_refused(&params, -ENODATA, "give what a byte costs");
	s.known = 0;
	check_refused(&params, -ENODATA, "give the throughput");
	s.known = SSDPM_CAP_ACTIVE_POWER;
	check_refused(&params, -ENODATA, "give the throughput");
	s.known = SSDPM_CAP_BYTE_ENERGY;
	assert_near(calculate(&params).bytes_per_s.nominal, 6e12 / 11080, 1);
	assert_true(isnan(calculate(&params).loss_share.nominal));
	params.cap_uw = SSDPM_CAP_NONE;
	check_refused(&params, -ENODATA, "nothing says what limits it");
	s = p3700_writes();
	params.known = 0;
	check_refused(&params, -ENODATA, "idle power");
	params = params_of(&s, 1, 10000000);
	s.known = SSDPM_CAP_INTERFACE | SSDPM_CAP_BYTE_ENERGY;
	s.interface_bytes_per_s = one(GB);
	s.write_amplification = 3;
	check_refused(&params, -ENODATA, "throughput of the flash: give it");
}

static void what_cannot_be_is_refused(void **state)
{
	struct ssdpm_cap_stream s[2] = { p3700_writes() };
	struct ssdpm_cap_params params = params_of(s, 1, 0);

	(void)state;
	check_refused(&params, -EINVAL, "above 0");
	params.cap_uw = 3999999;
	check_refused(&params, -ERANGE, "at least 4000000 uW");
	params.cap_uw = 10000000;
	params.n_streams = 0;
	check_refused(&params, -EINVAL, "1 to 4");
	params.n_streams = 1;
	s[0].share = 0.5;
	check_refused(&params, -EINVAL, "come to 1");
	s[0].share = NAN;
	check_refused(&params, -EINVAL, "share");
	s[0] = p3700_writes();
	s[0].op = SSDPM_OP_FLUSH;
	check_refused(&params, -EINVAL, "reads or writes");
	s[0] = p3700_writes();
	s[0].byte_pj.low = 20000;
	check_refused(&params, -EINVAL, "energy of a byte");
	s[0].byte_pj = one(NAN);
	check_refused(&params, -EINVAL, "energy of a byte");
	s[0] = p3700_writes();
	s[0].nand_bytes_per_s = one(0);
	check_refused(&params, -EINVAL, "throughput of the flash");
	s[0] = p3700_writes();
	s[0].known |= SSDPM_CAP_OPERATION_ENERGY;
	s[0].io_bytes = 0;
	check_refused(&params, -EINVAL, "size");
	s[0] = p3700_writes();
	s[0].write_amplification = 0.5;
	check_refused(&params, -EINVAL, "1 to 65536");
	s[0].write_amplification = 2;
	s[0].op = SSDPM_OP_READ;
	check_refused(&params, -EINVAL, "of writes");
	s[0] = p3700_writes();
	params.idle_uw = one(-1);
	check_refused(&params, -EINVAL, "idle power");
}

/* 25, 20 and 10 W; only the idle power of state 0 is known. */
static struct ssdpm_model *make_model(void)
{
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_power_state states[4];
	struct ssdpm_model *model;
	struct ssdpm_error error;

	info.provenance = SSDPM_PROVENANCE_REPORTED;
	memset(states, 0, sizeof(states));
	for (size_t i = 0; i < 4; i++)
		states[i] = (struct ssdpm_power_state){
			.max_power_uw = i == 0 ? 25000000 :
					i == 1 ? 20000000 :
					i == 2 ? 10000000 :
						 5000000,
			.idle_power_uw = 4000000,
			.flags = i == 3 ? SSDPM_STATE_NON_OPERATIONAL : 0,
			.unknown = SSDPM_FIELD_ACTIVE_POWER,
			.not_reported = SSDPM_FIELD_ACTIVE_POWER,
		};
	if (ssdpm_model_new(&info, states, 4, &model, &error))
		fail_msg("%s", error.message);
	return model;
}

struct drive {
	struct ssdpm_model *model;
	struct ssdpm_parameter parameters[SSDPM_MAX_PARAMETERS];
	size_t n;
};

static void set(struct drive *drive, uint32_t kind, uint32_t index,
		uint64_t value)
{
	assert_int_equal(set_parameter(drive->parameters, drive->n, kind, index,
				       value, value, value, NULL),
			 0);
}

static struct drive make_drive(void)
{
	struct drive drive = { .model = make_model() };

	assert_int_equal(make_parameters_of(drive.model, SSDPM_PCIE_L1_2,
					    drive.parameters, &drive.n, NULL),
			 0);
	return drive;
}

/* All is certain: when busy, it draws 25 W and moves 2 GB/s. */
static struct drive make_certain(void)
{
	struct drive drive = make_drive();

	for (uint32_t op = 0; op < SSDPM_N_OPS; op++) {
		set(&drive, SSDPM_PARAMETER_ACTIVE_POWER, op, 25000000);
		set(&drive, SSDPM_PARAMETER_BASE_LATENCY, op, 0);
		set(&drive, SSDPM_PARAMETER_BANDWIDTH, op, 2000000000);
	}
	set(&drive, SSDPM_PARAMETER_TRANSITION_POWER, 0, 4000000);
	return drive;
}

static void a_power_state_is_a_cap_and_takes_its_time(void **state)
{
	struct ssdpm_power_state states[4] = {
		{ .max_power_uw = 9000000, .exit_latency_us = 7 },
		{ .max_power_uw = 5000000, .entry_latency_us = 30 },
		{ .entry_latency_us = 30 },
		{ .max_power_uw = 5000, .flags = SSDPM_STATE_NON_OPERATIONAL },
	};
	struct ssdpm_cap_segment segment = { .duration_ns = 5 };
	struct ssdpm_model_info info = fixture_info();
	struct ssdpm_model *model;
	struct ssdpm_error error;

	(void)state;
	info.provenance = SSDPM_PROVENANCE_REPORTED;
	assert_int_equal(ssdpm_model_new(&info, states, 4, &model, NULL), 0);
	assert_int_equal(ssdpm_cap_segment_set_state(&segment, model,
						     UINT32_MAX, 1, NULL),
			 0);
	assert_int_equal(segment.cap_uw, 5000000);
	assert_int_equal(segment.transition_ns, 0);
	assert_int_equal(segment.duration_ns, 5);
	assert_int_equal(
		ssdpm_cap_segment_set_state(&segment, model, 0, 1, NULL), 0);
	assert_int_equal(segment.transition_ns, 37000);
	assert_int_equal(
		ssdpm_cap_segment_set_state(&segment, model, 1, 1, NULL), 0);
	assert_int_equal(segment.transition_ns, 0);
	assert_int_equal(
		ssdpm_cap_segment_set_state(&segment, model, 0, 2, &error),
		-ENODATA);
	fixture_assert_error(&error, -ENODATA, 0, "maximum power of PS2");
	assert_int_equal(
		ssdpm_cap_segment_set_state(&segment, model, 0, 3, &error),
		-ENOENT);
	fixture_assert_error(&error, -ENOENT, 0, "no PS3 in which it works");
	assert_int_equal(
		ssdpm_cap_segment_set_state(&segment, model, 4, 1, &error),
		-ENOENT);
	fixture_assert_error(&error, -ENOENT, 0, "no PS4");
	ssdpm_model_unref(model);
}

static void a_model_gives_what_is_known_of_it_and_the_cap_of_a_state(
	void **state)
{
	struct drive drive = make_drive();
	struct ssdpm_cap_stream streams[2] = {
		{ .op = SSDPM_OP_READ, .share = 0.5, .io_bytes = 4096 },
		{ .op = SSDPM_OP_WRITE, .share = 0.5 },
	};
	struct ssdpm_cap_params params = { .size = sizeof(params) };
	struct ssdpm_error error;

	(void)state;
	set(&drive, SSDPM_PARAMETER_BYTE_ENERGY, 0, 592);
	assert_int_equal(cap_params_from_model(drive.model, drive.parameters,
					       drive.n, 2, streams, 2, &params,
					       NULL),
			 0);
	assert_int_equal(params.cap_uw, 10000000);
	assert_near(params.idle_uw.nominal, 4 * W, 0);
	assert_near(params.max_uw.nominal, 25 * W, 0);
	assert_int_equal(params.assumed, 0);
	/* Reads by their rule, writes up to the maximum. */
	assert_near(streams[0].active_uw.nominal, 25 * W * 0.345, 1);
	assert_near(streams[1].active_uw.nominal, 25 * W, 1);
	assert_near(streams[1].active_uw.low, 25 * W * 0.333, 1);
	assert_near(streams[0].byte_pj.nominal, 592, 0);
	assert_int_equal(streams[0].assumed,
			 SSDPM_CAP_NAND | SSDPM_CAP_ACTIVE_POWER);
	assert_int_equal(calculate(&params).assumed,
			 SSDPM_CAP_NAND | SSDPM_CAP_ACTIVE_POWER);
	/* A known value of a stream stays. */
	streams[1] = p3700_writes();
	streams[1].share = 0.5;
	assert_int_equal(cap_params_from_model(drive.model, drive.parameters,
					       drive.n, 0, streams, 2, &params,
					       NULL),
			 0);
	assert_int_equal(streams[1].known,
			 SSDPM_CAP_NAND | SSDPM_CAP_BYTE_ENERGY);
	assert_near(streams[1].byte_pj.nominal, 11080, 0);
	assert_int_equal(cap_params_from_model(drive.model, drive.parameters,
					       drive.n, 3, streams, 2, &params,
					       &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "state 3");
	streams[0].op = SSDPM_OP_DISCARD;
	assert_int_equal(cap_params_from_model(drive.model, drive.parameters,
					       drive.n, 0, streams, 2, &params,
					       &error),
			 -EINVAL);
	fixture_assert_error(&error, -EINVAL, 0, "stream 1");
	for (size_t n = 0; n <= 5; n += 5) {
		assert_int_equal(cap_params_from_model(
					 drive.model, drive.parameters, drive.n,
					 0, streams, n, &params, &error),
				 -EINVAL);
		fixture_assert_error(&error, -EINVAL, 0, "1 to 4 streams");
	}
	ssdpm_model_unref(drive.model);
}

static const struct ssdpm_cap_segment four_caps[] = {
	{ 2 * S + S / 2, SSDPM_CAP_NONE, 0 },
	{ 3 * S, 20000000, 0 },
	{ 3 * S, 10000000, 0 },
	{ S, SSDPM_CAP_NONE, 0 },
};

static void caps_that_change_are_one_after_the_other(void **state)
{
	struct ssdpm_cap_stream writes = p3700_writes();
	struct ssdpm_cap_params params = params_of(&writes, 1, 0);
	struct ssdpm_cap_point points[10];
	double bytes = 0, uj = 0;
	size_t n;

	(void)state;
	assert_int_equal(
		cap_timeline(&params, four_caps, 4, 0, points, 10, &n, NULL),
		0);
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++) {
		params.cap_uw = four_caps[i].cap_uw;
		struct ssdpm_cap_result alone = calculate(&params);

		assert_int_equal(points[i].cap_uw, four_caps[i].cap_uw);
		assert_int_equal(points[i].limit, alone.limit);
		assert_near(points[i].bytes_per_s.nominal,
			    alone.bytes_per_s.nominal, 0);
		bytes += alone.bytes_per_s.nominal *
			 (double)four_caps[i].duration_ns;
		uj += alone.power_uw.nominal * (double)four_caps[i].duration_ns;
	}
	/* Second by second, with the same total. */
	assert_int_equal(
		cap_timeline(&params, four_caps, 4, S, points, 10, &n, NULL),
		0);
	assert_int_equal(n, 10);
	for (size_t i = 0; i < n; i++) {
		double ns = (double)points[i].duration_ns;

		assert_int_equal(points[i].start_ns, i * S);
		assert_int_equal(points[i].duration_ns, i == 9 ? S / 2 : S);
		bytes -= points[i].bytes_per_s.nominal * ns;
		uj -= points[i].power_uw.nominal * ns;
	}
	assert_near(bytes, 0, 1e9);
	assert_near(uj, 0, 1e9);
	/* Half without a cap, half at 20 W. */
	assert_int_equal(points[2].cap_uw, 20000000);
	assert_near(points[2].power_uw.nominal, (26.16 + 20) / 2 * W, 1);
	assert_int_equal(points[2].limit, SSDPM_CAP_LIMIT_NAND);
	assert_int_equal(points[3].limit, SSDPM_CAP_LIMIT_POWER);
}

static void check_timeline_refused(const struct ssdpm_cap_segment *segments,
				   size_t n_segments, uint64_t interval_ns,
				   int code, const char *fragment)
{
	struct ssdpm_cap_stream writes = p3700_writes();
	struct ssdpm_cap_params params = params_of(&writes, 1, 0);
	struct ssdpm_error error;
	size_t n = 77;

	assert_int_equal(cap_timeline(&params, segments, n_segments,
				      interval_ns, NULL, 0, &n, &error),
			 code);
	if (code)
		fixture_assert_error(&error, code, 0, fragment);
	assert_int_equal(n, code ? 77 : 10);
}

static void timelines_that_cannot_be_are_refused(void **state)
{
	static const struct ssdpm_cap_segment bad[][2] = {
		{ { S, 20000000, 0 }, { 0, 20000000, 0 } },
		{ { S, 20000000, 0 }, { S, 3000000, 0 } },
		{ { S, 20000000, 0 }, { S, 0, 0 } },
		{ { S, 20000000, 0 }, { UINT64_MAX, 20000000, 0 } },
		{ { S, 20000000, 0 }, { S, 20000000, S } },
	};

	(void)state;
	check_timeline_refused(four_caps, 4, S, 0, NULL);
	check_timeline_refused(four_caps, 0, S, -EINVAL, "1 segment");
	check_timeline_refused(bad[0], 2, S, -EINVAL, "segment 2");
	check_timeline_refused(bad[1], 2, S, -ERANGE, "segment 2: a cap of");
	check_timeline_refused(bad[2], 2, S, -EINVAL, "segment 2");
	check_timeline_refused(bad[3], 2, S, -ERANGE, "2^64");
	check_timeline_refused(bad[4], 2, S, -EINVAL, "the change to it");
	check_timeline_refused(four_caps, 4, 1, -ERANGE, "points");
}

static struct ssdpm_cap_run simulate(const struct drive *drive, uint32_t loop,
				     uint32_t in_state, uint64_t cap_uw,
				     const struct ssdpm_io *ios, size_t n)
{
	const struct ssdpm_cap_segment segment = { .cap_uw = cap_uw };
	struct ssdpm_cap_run run = { .size = sizeof(run) };
	struct ssdpm_sim_params params;
	struct ssdpm_error error;

	ssdpm_sim_params_init(&params, sizeof(params));
	params.parameters = drive->parameters;
	params.n_parameters = drive->n;
	params.loop = loop;
	params.operational_state = in_state;
	if (cap_simulate(drive->model, &params, &segment, 1, ios, n, &run, NULL,
			 &error))
		fail_msg("%s", error.message);
	return run;
}

static struct ssdpm_io write_at(uint64_t start_ns, uint32_t bytes,
				uint32_t service_ns)
{
	return (struct ssdpm_io){ .start_ns = start_ns,
				  .bytes = bytes,
				  .service_ns = service_ns,
				  .op = SSDPM_OP_WRITE };
}

/*
 * Two writes of 10 ms, 30 ms apart. At 10 W there are 6 W for 21 W: 35 ms each.
 */
static void a_write_takes_as_long_as_its_energy_under_the_cap(void **state)
{
	const struct ssdpm_io ios[] = { write_at(0, 4096, 10 * MS),
					write_at(40 * MS, 4096, 10 * MS) };
	struct drive drive = make_certain();
	struct ssdpm_cap_run run;

	(void)state;
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 2, 10000000, ios, 2);
	assert_int_equal(run.uncapped_duration_ns, 50 * MS);
	assert_int_equal(run.duration_ns, 100 * MS);
	assert_int_equal(run.n_slowed, 2);
	assert_int_equal(run.delay_mean_ns, 25 * MS);
	assert_int_equal(run.delay_max_ns, 25 * MS);
	assert_near(run.loss_share.nominal, 0.5, 1e-12);
	/* 70 ms at 10 W, 30 ms at 4 W; without: 20 ms at 25 W, 30 at 4. */
	assert_near(run.power_uw.nominal, 8.2 * W, 1);
	assert_near(run.uncapped_power_uw.nominal, 12.4 * W, 1);
	assert_near(run.max_power_uw.nominal, 8.2 * W, 1);
	run = simulate(&drive, SSDPM_LOOP_OPEN, 2, 10000000, ios, 2);
	assert_int_equal(run.duration_ns, 75 * MS);
	assert_near(run.loss_share.nominal, 1 - 50.0 / 75, 1e-12);
	/* At 20 W, 13.125 ms. */
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 1, 20000000, ios, 2);
	assert_int_equal(run.duration_ns, 2 * 13125000 + 30 * MS);
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 0, 25000000, ios, 2);
	assert_near(run.loss_share.high, 0, 0);
	assert_int_equal(run.n_slowed, 0);
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 0, SSDPM_CAP_NONE, ios, 2);
	assert_near(run.loss_share.high, 0, 0);
	assert_near(run.power_uw.nominal, 12.4 * W, 1);
	ssdpm_model_unref(drive.model);
}

/* Four I/Os overlap; the last one to complete ends 4 x 35 ms later. */
static void ios_that_overlap_wait_for_each_other(void **state)
{
	struct ssdpm_io ios[4];
	struct drive drive = make_certain();
	struct ssdpm_cap_run run;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		ios[i] = write_at(i, 4096, (uint32_t)((i + 1) * 10 * MS - i));
	run = simulate(&drive, SSDPM_LOOP_OPEN, 2, 10000000, ios, 4);
	assert_int_equal(run.duration_ns, 140 * MS);
	assert_int_equal(run.delay_max_ns, 100 * MS);
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 2, 10000000, ios, 4);
	assert_int_equal(run.duration_ns, 140 * MS);
	assert_int_equal(run.delay_max_ns, 25 * MS);
	/* Without a recorded service: 20 MB at 2 GB/s are 10 ms. */
	for (unsigned i = 0; i < 4; i++)
		ios[i] = write_at(i, 20000000, SSDPM_SERVICE_UNKNOWN);
	run = simulate(&drive, SSDPM_LOOP_OPEN, 2, 10000000, ios, 4);
	assert_int_equal(run.duration_ns, 140 * MS);
	assert_int_equal(run.uncapped_duration_ns, 40 * MS);
	ssdpm_model_unref(drive.model);
}

/* Energy of an operation or a byte uses what others leave. */
static void energy_of_bytes_is_spent_over_the_next_ios(void **state)
{
	struct ssdpm_io ios[20];
	struct drive drive = make_certain();
	struct ssdpm_cap_run run;

	(void)state;
	set(&drive, SSDPM_PARAMETER_ACTIVE_POWER, 1, 4000000);
	set(&drive, SSDPM_PARAMETER_BYTE_ENERGY, 1, 11080);
	/* 1 ms each, back to back: of 0.25 MB, and of 0.5: 2.77 and 5.54 mJ. */
	for (unsigned i = 0; i < 20; i++)
		ios[i] = write_at(i * MS, i % 2 ? 500000 : 250000, MS);
	/* 6 W x 1 ms: both fit. */
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 2, 10000000, ios, 20);
	assert_int_equal(run.n_slowed, 0);
	/* 4.2 W: not the large ones alone, but two by two. */
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 2, 8200000, ios, 20);
	assert_int_equal(run.n_slowed, 0);
	assert_near(run.power_uw.nominal, (4 + 4.155) * W, 1);
	/* 4 W: 8.31 mJ take 2.0775 ms. */
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 2, 8000000, ios, 20);
	assert_int_equal(run.n_slowed, 10);
	assert_int_equal(run.duration_ns, 20775000);
	assert_near(run.power_uw.nominal, 8 * W, 1);
	ssdpm_model_unref(drive.model);
}

static size_t draw_trace(uint64_t *seed, struct ssdpm_io *ios, size_t n)
{
	uint64_t now = 0;

	for (size_t i = 0; i < n; i++) {
		ios[i] = (struct ssdpm_io){
			.start_ns = now,
			.bytes = (uint32_t)draw(seed, 0, 1 << 20),
			.service_ns = (uint32_t)draw(seed, 0, 2e6),
			.op = (uint8_t)draw(seed, 1, 4.9),
		};
		if (draw(seed, 0, 1) < 0.2)
			ios[i].service_ns = SSDPM_SERVICE_UNKNOWN;
		now += (uint64_t)draw(seed, 0, 3e6);
	}
	return n;
}

static double energy_over_idle(const struct ssdpm_span *power_uw, uint64_t ns)
{
	return (power_uw->nominal - 4 * W) * (double)ns / 1e9;
}

static void the_same_energy_is_spent_later_and_never_above_the_cap(void **state)
{
	static const uint32_t loops[] = { SSDPM_LOOP_CLOSED, SSDPM_LOOP_OPEN };
	struct drive drive = make_certain();
	struct ssdpm_io ios[200];
	uint64_t seed = 4;

	(void)state;
	set(&drive, SSDPM_PARAMETER_BYTE_ENERGY, 0, 600);
	set(&drive, SSDPM_PARAMETER_BYTE_ENERGY, 1, 5000);
	set(&drive, SSDPM_PARAMETER_OPERATION_ENERGY, 1, 20000);
	for (int i = 0; i < CASES; i++) {
		size_t n = draw_trace(&seed, ios, 200);
		uint32_t loop = loops[i % 2];
		uint64_t before = UINT64_MAX;

		for (uint32_t op = 0; op < SSDPM_N_OPS; op++)
			set(&drive, SSDPM_PARAMETER_ACTIVE_POWER, op,
			    (uint64_t)draw(&seed, 4e6, 2e7));
		for (uint64_t cap = 8000000; cap < 40000000; cap += 6400000) {
			struct ssdpm_cap_run run =
				simulate(&drive, loop, 0, cap, ios, n);
			double limit = (double)cap + 0.5;

			assert_in_order(&run.power_uw, limit);
			assert_in_order(&run.p99_power_uw, limit);
			assert_in_order(&run.max_power_uw, limit);
			assert_true(run.duration_ns <= before);
			assert_true(run.duration_ns >=
				    run.uncapped_duration_ns);
			assert_near(energy_over_idle(&run.power_uw,
						     run.duration_ns),
				    energy_over_idle(&run.uncapped_power_uw,
						     run.uncapped_duration_ns),
				    3);
			before = run.duration_ns;
		}
	}
	ssdpm_model_unref(drive.model);
}

/* One I/O at a time, without energy of bytes: computed by hand. */
static void a_trace_of_one_io_at_a_time_takes_what_paper_says(void **state)
{
	struct drive drive = make_certain();
	struct ssdpm_io ios[100];
	uint64_t seed = 5;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		uint64_t cap = (uint64_t)draw(&seed, 5e6, 24e6), now = 0,
			 after = 0, head = cap - 4000000;

		for (size_t j = 0; j < 100; j++) {
			uint64_t gap = (uint64_t)draw(&seed, 1, 1e7);

			ios[j] = write_at(now, 4096,
					  (uint32_t)draw(&seed, 1, 5e6));
			uint64_t fj = UINT64_C(21000000) * ios[j].service_ns;

			after += (fj + head - 1) / head + (j < 99 ? gap : 0);
			now += ios[j].service_ns + gap;
		}
		struct ssdpm_cap_run run =
			simulate(&drive, SSDPM_LOOP_CLOSED, 0, cap, ios, 100);

		assert_int_equal(run.duration_ns, after);
	}
	ssdpm_model_unref(drive.model);
}

static void bounds_of_a_trace_hold_what_its_values_give(void **state)
{
	struct drive drive = make_certain(), all;
	struct ssdpm_io ios[200];
	uint64_t seed = 6;

	(void)state;
	all = drive;
	for (uint32_t op = 0; op < SSDPM_N_OPS; op++)
		assert_int_equal(set_parameter(all.parameters, all.n,
					       SSDPM_PARAMETER_ACTIVE_POWER, op,
					       8000000, 15000000, 25000000,
					       NULL),
				 0);
	for (int i = 0; i < CASES / 10; i++) {
		size_t n = draw_trace(&seed, ios, 200);
		struct ssdpm_cap_run bounds =
			simulate(&all, SSDPM_LOOP_CLOSED, 2, 10000000, ios, n);
		uint64_t uw = (uint64_t)draw(&seed, 8e6, 25e6);

		for (uint32_t op = 0; op < SSDPM_N_OPS; op++)
			set(&drive, SSDPM_PARAMETER_ACTIVE_POWER, op, uw);
		struct ssdpm_cap_run run = simulate(&drive, SSDPM_LOOP_CLOSED,
						    2, 10000000, ios, n);

		assert_within(&bounds.loss_share, run.loss_share.nominal);
		assert_within(&bounds.power_uw, run.power_uw.nominal);
		assert_true(bounds.loss_share.low < bounds.loss_share.high);
	}
	ssdpm_model_unref(drive.model);
}

/* At 9 W of idle power and more, a cap of 9 W leaves nothing. */
static void where_idle_power_may_be_the_cap_all_may_be_lost(void **state)
{
	struct ssdpm_io ios[2] = {
		write_at(0, 20000000, SSDPM_SERVICE_UNKNOWN),
		write_at(40 * MS, 20000000, SSDPM_SERVICE_UNKNOWN),
	};
	struct drive drive = make_certain();
	struct ssdpm_cap_run run;

	(void)state;
	/* None takes more than the one before it. */
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(set_parameter(drive.parameters, drive.n,
					       SSDPM_PARAMETER_IDLE_POWER, i,
					       2000000, 4000000, 10000000,
					       NULL),
				 0);
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 2, 9000000, ios, 2);
	/* 10 ms of 21 W over idle, at 5 W over idle; or of 23, at 7 W. */
	assert_int_equal(run.duration_ns, 2 * 42 * MS + 30 * MS);
	assert_near(run.loss_share.low, 1 - 50.0 / (2 * 230 / 7.0 + 30), 1e-8);
	assert_near(run.loss_share.nominal, 1 - 50.0 / 114, 1e-12);
	assert_near(run.loss_share.high, 1, 0);
	assert_near(run.power_uw.high, 9 * W, 0);
	/* Without the cap: 20 ms of 25 W, 30 at 2 to 10. */
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 0, 9000000, ios, 2);
	assert_near(run.uncapped_power_uw.low, 11.2 * W, 1);
	assert_near(run.uncapped_power_uw.nominal, 12.4 * W, 1);
	assert_near(run.uncapped_power_uw.high, 16 * W, 1);
	set(&drive, SSDPM_PARAMETER_IDLE_POWER, 0, 4000000);
	/* A drive of 1 to 4 GB/s: 20 to 5 ms each. */
	set(&drive, SSDPM_PARAMETER_IDLE_POWER, 2, 4000000);
	assert_int_equal(set_parameter(drive.parameters, drive.n,
				       SSDPM_PARAMETER_BANDWIDTH, 1, 1000000000,
				       2000000000, 4000000000, NULL),
			 0);
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 2, 10000000, ios, 2);
	assert_near(run.loss_share.nominal, 1 - 50.0 / 100, 1e-12);
	assert_near(run.loss_share.low, 1 - 45.0 / (35 + 35), 1e-12);
	assert_near(run.loss_share.high, 1 - 60.0 / (140 + 20), 1e-12);
	ssdpm_model_unref(drive.model);
}

static struct ssdpm_cap_run simulate_caps(
	const struct drive *drive, const struct ssdpm_sim_params *some,
	const struct ssdpm_cap_segment *segments, size_t n_segments,
	const struct ssdpm_io *ios, size_t n, struct ssdpm_cap_point *points)
{
	struct ssdpm_cap_run run = { .size = sizeof(run) };
	struct ssdpm_sim_params params = *some;
	struct ssdpm_error error;

	params.parameters = drive->parameters;
	params.n_parameters = drive->n;
	if (cap_simulate(drive->model, &params, segments, n_segments, ios, n,
			 &run, points, &error))
		fail_msg("%s", error.message);
	return run;
}

/* It lengthens nothing, and no time has passed to which it could belong. */
static void an_io_that_takes_no_time_has_its_energy(void **state)
{
	const struct ssdpm_io ios[] = { write_at(0, 4096, 0),
					write_at(0, 4096, 0),
					write_at(40 * MS, 4096, 10 * MS) };
	struct drive drive = make_certain();
	struct ssdpm_cap_run run;

	(void)state;
	set(&drive, SSDPM_PARAMETER_OPERATION_ENERGY, 1, 1000000);
	run = simulate(&drive, SSDPM_LOOP_CLOSED, 0, SSDPM_CAP_NONE, ios, 3);
	assert_int_equal(run.duration_ns, 50 * MS);
	/* 50 ms at 4 W, 10 ms at 21 W over that, 3 mJ. */
	assert_near(run.power_uw.nominal, 8.26 * W, 1);
	run = simulate(&drive, SSDPM_LOOP_OPEN, 0, SSDPM_CAP_NONE, ios, 2);
	assert_int_equal(run.duration_ns, 0);
	ssdpm_model_unref(drive.model);
}

static void assert_point(const struct ssdpm_cap_point *point, uint64_t ns,
			 uint32_t n_ios, double joules)
{
	double s = (double)ns / 1e9;

	assert_int_equal(point->duration_ns, ns);
	assert_near(point->bytes_per_s.nominal * s, n_ios * 4096.0, 1e-3);
	assert_near(point->power_uw.nominal * s, joules * 1e6, 1);
	assert_near(point->power_uw.low, point->power_uw.nominal, 0);
	assert_near(point->bytes_per_s.high, point->bytes_per_s.nominal, 0);
}

/*
 * Writes of 10 ms, each 20 ms: at 10 W, 35 ms each, 45 ms apart. A write takes
 * 0.21 J over 4 W.
 */
static void a_trace_comes_under_one_cap_after_the_other(void **state)
{
	struct ssdpm_cap_segment segments[4] = {
		{ S, SSDPM_CAP_NONE, 0 },
		{ S, 10000000, 0 },
		{ 2 * S, SSDPM_CAP_NONE, 0 },
		{ 0, 10000000, 0 },
	};
	struct drive drive = make_certain();
	struct ssdpm_cap_point points[4];
	struct ssdpm_sim_params params;
	struct ssdpm_io ios[100];
	struct ssdpm_cap_run run;

	(void)state;
	ssdpm_sim_params_init(&params, sizeof(params));
	for (unsigned i = 0; i < 100; i++)
		ios[i] = write_at(i * 20 * MS, 4096, 10 * MS);
	run = simulate_caps(&drive, &params, segments, 4, ios, 100, points);
	/* 50, then 23 up to 2035 ms, then 27. */
	assert_int_equal(run.duration_ns, 2565 * MS);
	assert_int_equal(run.n_slowed, 23);
	assert_point(&points[0], S, 50, 4 + 50 * .21);
	assert_point(&points[1], S, 23, 4 + 23 * .21);
	assert_point(&points[2], 565 * MS, 27, 2.26 + 27 * .21);
	assert_int_equal(points[0].limit, 0);
	assert_int_equal(points[1].limit, SSDPM_CAP_LIMIT_POWER);
	assert_int_equal(points[2].start_ns, 2 * S);
	assert_int_equal(points[1].cap_uw, 10000000);
	/* It ends before the last cap. */
	assert_int_equal(points[3].duration_ns, 0);
	assert_near(points[3].power_uw.high, 0, 0);
	/* The change takes 100 ms: 3 fewer writes, and one that waits. */
	segments[1].transition_ns = 100 * MS;
	run = simulate_caps(&drive, &params, segments, 4, ios, 100, points);
	assert_int_equal(run.delay_max_ns, 125 * MS);
	assert_point(&points[1], S, 20, 4 + 20 * .21);
	segments[1].transition_ns = 0;
	/* So does a change at the start. */
	segments[0].transition_ns = 95 * MS;
	run = simulate_caps(&drive, &params, segments, 4, ios, 100, points);
	assert_int_equal(run.delay_max_ns, 95 * MS);
	assert_point(&points[0], S, 46, 4 + 46 * .21);
	segments[0].transition_ns = 0;
	/* None of the segments has a cap. */
	segments[1].cap_uw = SSDPM_CAP_NONE;
	run = simulate_caps(&drive, &params, segments, 3, ios, 100, points);
	assert_int_equal(run.n_slowed, 0);
	assert_point(&points[0], S, 50, 4 + 50 * .21);
	assert_point(&points[1], 990 * MS, 50, 3.96 + 50 * .21);
	segments[1].cap_uw = 10000000;
	/* 29 begin under the cap, and the others when these are done. */
	params.loop = SSDPM_LOOP_OPEN;
	run = simulate_caps(&drive, &params, segments, 4, ios, 100, points);
	assert_int_equal(run.duration_ns, (1000 + 29 * 35 + 21 * 10) * MS);
	assert_point(&points[1], S, 29, 4 + 29 * .21);
	ssdpm_model_unref(drive.model);
}

/* Each write has 15 ms of work behind it, and 10 ms of idle time. */
static void without_a_cap_it_draws_what_the_estimate_says(void **state)
{
	const struct ssdpm_cap_segment segments[2] = {
		{ S, SSDPM_CAP_NONE, 0 },
		{ S, SSDPM_CAP_NONE, 0 },
	};
	struct estimated result = { 0 };
	struct drive drive = make_certain();
	struct ssdpm_cap_point points[2];
	struct ssdpm_sim_params params;
	struct ssdpm_io ios[100];
	struct ssdpm_cap_run run;

	(void)state;
	ssdpm_sim_params_init(&params, sizeof(params));
	set(&drive, SSDPM_PARAMETER_BACKGROUND_TIME, 0, 3000000);
	for (unsigned i = 0; i < 100; i++)
		ios[i] = write_at(i * 20 * MS, 5000, 10 * MS);
	run = simulate_caps(&drive, &params, segments, 2, ios, 100, points);
	/* 1 s of 25 W, and 1.5 s of 4 W, of which only 0.99 s are there. */
	assert_near(run.uncapped_power_uw.nominal, 12.4 * W, 1);
	assert_near(run.power_uw.nominal, 12.4 * W, 1);
	params.parameters = drive.parameters;
	params.n_parameters = drive.n;
	assert_int_equal(
		estimate_ios(drive.model, &params, ios, 100, &result, NULL), 0);
	assert_int_equal(result.nominal.mean_power_uw, 12400000);
	ssdpm_model_unref(drive.model);
}

static void what_comes_of_each_cap_comes_to_the_whole(void **state)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	struct drive drive = make_certain();
	uint64_t seed = 7, all = 0;
	struct ssdpm_io ios[400];

	(void)state;
	table.entries[0] = (struct ssdpm_apst_entry){ 1, 3 };
	set(&drive, SSDPM_PARAMETER_BYTE_ENERGY, 1, 5000);
	for (int i = 0; i < CASES; i++) {
		struct ssdpm_cap_segment segments[5];
		struct ssdpm_cap_point points[5];
		struct ssdpm_sim_params params;
		double bytes = 0, uj = 0;
		uint64_t ns = 0, sum = 0;

		ssdpm_sim_params_init(&params, sizeof(params));
		params.loop = i % 2 ? SSDPM_LOOP_OPEN : SSDPM_LOOP_CLOSED;
		params.apst = i % 3 ? &table : NULL;
		draw_trace(&seed, ios, 400);
		for (size_t j = 0; j < 5; j++)
			segments[j] = (struct ssdpm_cap_segment){
				(uint64_t)draw(&seed, 2e6, 4e8),
				(uint64_t)draw(&seed, 8e6, 4e7),
				(uint64_t)draw(&seed, 0, 1e6),
			};
		struct ssdpm_cap_run run = simulate_caps(
			&drive, &params, segments, 5, ios, 400, points);

		for (size_t j = 0; j < 5; j++) {
			double s = (double)points[j].duration_ns / 1e9;

			assert_int_equal(points[j].start_ns, ns);
			ns += points[j].duration_ns;
			bytes += points[j].bytes_per_s.nominal * s;
			uj += points[j].power_uw.nominal * s;
			assert_true(points[j].duration_ns <=
					    segments[j].duration_ns ||
				    j == 4);
		}
		for (size_t j = 0; j < 400; j++)
			if (ios[j].op <= SSDPM_OP_WRITE)
				sum += ios[j].bytes;
		assert_int_equal(ns, run.duration_ns);
		assert_near(bytes, (double)sum, 1);
		assert_near(uj / ((double)ns / 1e9), run.power_uw.nominal, 1);
		all += points[4].duration_ns;
	}
	assert_true(all > S);
	ssdpm_model_unref(drive.model);
}

static void check_run_refused(const struct drive *drive, uint32_t loop,
			      uint64_t cap_uw, const struct ssdpm_io *ios,
			      size_t n, int code, const char *fragment)
{
	const struct ssdpm_cap_segment segment = { .cap_uw = cap_uw };
	struct ssdpm_cap_run run = { .size = sizeof(run), .n_ios = 77 };
	struct ssdpm_sim_params params;
	struct ssdpm_error error = { 0 };

	ssdpm_sim_params_init(&params, sizeof(params));
	params.parameters = drive->parameters;
	params.n_parameters = drive->n;
	params.loop = loop;
	assert_int_equal(cap_simulate(drive->model, &params, &segment, 1, ios,
				      n, &run, NULL, &error),
			 code);
	fixture_assert_error(&error, code, 0, fragment);
	assert_int_equal(run.n_ios, 77);
}

static void what_a_drive_does_not_manage_under_a_cap_is_refused(void **state)
{
	struct ssdpm_io ios[1000] = { write_at(0, 4096, 100 * MS),
				      write_at(1, 4096, 100 * MS) };
	struct drive drive = make_certain();

	(void)state;
	check_run_refused(&drive, SSDPM_LOOP_CLOSED, 0, ios, 2, -EINVAL,
			  "above 0");
	check_run_refused(&drive, SSDPM_LOOP_CLOSED, 10000000, ios, 0, -ENODATA,
			  "no record");
	check_run_refused(&drive, SSDPM_LOOP_CLOSED, 4000000, ios, 2, -ERANGE,
			  "leaves nothing");
	check_run_refused(&drive, SSDPM_LOOP_CLOSED, 4400000, ios, 2, -ERANGE,
			  "record 0: takes over 4.29 s");
	ios[1].start_ns = 0;
	ios[0].start_ns = 1;
	check_run_refused(&drive, SSDPM_LOOP_CLOSED, 10000000, ios, 2, -EINVAL,
			  "record 1");
	for (unsigned i = 0; i < 1000; i++)
		ios[i] = write_at(i * 10 * MS, 4096, 8 * MS);
	check_run_refused(&drive, SSDPM_LOOP_OPEN, 10000000, ios, 1000, -ERANGE,
			  "does not keep up");
	ios[0] = write_at(UINT64_MAX - 10, 4096, 5);
	ios[1] = write_at(UINT64_MAX - 1, 4096, 5);
	check_run_refused(&drive, SSDPM_LOOP_CLOSED, 10000000, ios, 2, -ERANGE,
			  "2^64");
	ssdpm_model_unref(drive.model);
}

static void the_governor_has_the_published_modes(void **state)
{
	static const uint64_t watts[][3] = { { 25, 20, 10 },
					     { 40, 35, 25 },
					     { 0, 7, 5 } };
	size_t n;

	(void)state;
	for (uint32_t form = 1; form <= 3; form++) {
		const struct ssdpm_governor_mode *modes =
			ssdpm_governor_get_modes(form, &n);

		assert_int_equal(n, 3);
		assert_non_null(ssdpm_governor_form_to_string(form));
		for (uint32_t i = 0; i < 3; i++) {
			assert_int_equal(modes[i].mode, i);
			assert_int_equal(modes[i].is_limited,
					 watts[form - 1][i] > 0);
			assert_int_equal(modes[i].power_uw,
					 watts[form - 1][i] * 1000000);
		}
	}
	assert_null(ssdpm_governor_get_modes(0, &n));
	assert_int_equal(n, 0);
	assert_null(ssdpm_governor_get_modes(4, &n));
	assert_null(ssdpm_governor_form_to_string(4));
	assert_string_equal(
		ssdpm_governor_form_to_string(SSDPM_GOVERNOR_PCIE_X8),
		"pcie-x8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_governor_has_the_published_modes),
		cmocka_unit_test(
			writes_are_what_the_cap_leaves_for_their_bytes),
		cmocka_unit_test(
			an_active_power_is_energy_of_the_bytes_of_its_throughput),
		cmocka_unit_test(
			what_nobody_said_is_between_nothing_and_the_maximum),
		cmocka_unit_test(
			amplification_takes_from_the_flash_and_not_from_the_link),
		cmocka_unit_test(a_mix_reaches_what_trying_finds),
		cmocka_unit_test(
			no_values_between_the_bounds_lead_out_of_those_of_the_result),
		cmocka_unit_test(
			more_power_is_never_less_throughput_nor_above_its_cap),
		cmocka_unit_test(
			what_says_too_little_is_refused_with_what_to_give),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(
			a_model_gives_what_is_known_of_it_and_the_cap_of_a_state),
		cmocka_unit_test(caps_that_change_are_one_after_the_other),
		cmocka_unit_test(timelines_that_cannot_be_are_refused),
		cmocka_unit_test(
			a_write_takes_as_long_as_its_energy_under_the_cap),
		cmocka_unit_test(ios_that_overlap_wait_for_each_other),
		cmocka_unit_test(energy_of_bytes_is_spent_over_the_next_ios),
		cmocka_unit_test(
			the_same_energy_is_spent_later_and_never_above_the_cap),
		cmocka_unit_test(
			a_trace_of_one_io_at_a_time_takes_what_paper_says),
		cmocka_unit_test(bounds_of_a_trace_hold_what_its_values_give),
		cmocka_unit_test(
			where_idle_power_may_be_the_cap_all_may_be_lost),
		cmocka_unit_test(an_io_that_takes_no_time_has_its_energy),
		cmocka_unit_test(a_trace_comes_under_one_cap_after_the_other),
		cmocka_unit_test(a_power_state_is_a_cap_and_takes_its_time),
		cmocka_unit_test(without_a_cap_it_draws_what_the_estimate_says),
		cmocka_unit_test(what_comes_of_each_cap_comes_to_the_whole),
		cmocka_unit_test(
			what_a_drive_does_not_manage_under_a_cap_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
