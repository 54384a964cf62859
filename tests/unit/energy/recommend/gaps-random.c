/* SPDX-License-Identifier: MIT */
#include "calls.h"
#include "gaps-random.h"

#define NS_PER_MS 1000000u

uint64_t random_below(uint64_t *seed, uint64_t n)
{
	return n ? (fixture_random(seed) >> 11) % n : 0;
}

static void make_model(struct random_case *c, const struct random_shape *shape)
{
	struct ssdpm_power_state states[SSDPM_MAX_STATES] = { { 0 } };
	struct ssdpm_model_info info = fixture_info();
	uint32_t asleep =
		1 + (uint32_t)random_below(&c->seed, shape->max_asleep);
	uint32_t awake = 1 + (uint32_t)random_below(&c->seed, 3);

	c->n_awake = awake;
	c->n_states = awake + asleep;
	for (uint32_t i = 0; i < c->n_states; i++) {
		states[i].max_power_uw = 5000000 - 100000 * i;
		states[i].idle_power_uw = 1000000 - 20000 * i;
		states[i].active_power_uw = 4000000;
		states[i].active_power_workload = 1;
		if (i >= awake)
			states[i].flags = SSDPM_STATE_NON_OPERATIONAL;
	}
	assert_int_equal(
		ssdpm_model_new(&info, states, c->n_states, &c->model, NULL),
		0);
	c->params.operational_state = (uint32_t)random_below(&c->seed, awake);
}

/* Often a few steps of 1 W, so that costs are often the same. */
static uint64_t random_power(struct random_case *c,
			     const struct random_shape *shape, uint32_t state)
{
	if (shape->sane)
		return (3000000 >> (state < c->n_awake ?
					    0 :
					    2 * (state - c->n_awake + 1))) +
		       random_below(&c->seed, 1000);
	if (random_below(&c->seed, 2))
		return 1000000 * random_below(&c->seed, 4);
	return random_below(&c->seed, 3000000);
}

static uint64_t random_latency(struct random_case *c,
			       const struct random_shape *shape, uint32_t state)
{
	uint64_t us = random_below(&c->seed, shape->max_latency_us + 1);

	if (shape->sane)
		return us >> 3 * (c->n_states - 1 - state);

	switch (random_below(&c->seed, 4)) {
	case 0:
		return 0;
	case 1:
		return us / 1000 * 1000;
	default:
		return us;
	}
}

static void draw_parameter(struct random_case *c, struct ssdpm_parameter *p,
			   const struct random_shape *shape)
{
	uint64_t value = p->nominal;

	switch (p->kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		value = random_power(c, shape, p->index);
		break;
	case SSDPM_PARAMETER_TRANSITION_POWER:
		value = random_power(c, shape, 0) + 1000 * shape->sane;
		break;
	case SSDPM_PARAMETER_LINK_POWER:
		value = random_below(&c->seed, 3);
		break;
	case SSDPM_PARAMETER_ENTRY_LATENCY:
	case SSDPM_PARAMETER_EXIT_LATENCY:
		value = random_latency(c, shape, p->index);
		break;
	case SSDPM_PARAMETER_BASE_LATENCY:
		value = random_below(&c->seed, 100000);
		c->service.base_ns[p->index] = value;
		break;
	case SSDPM_PARAMETER_BANDWIDTH:
		value = random_below(&c->seed, 2000000000);
		c->service.bytes_per_second[p->index] = value;
		break;
	}
	p->low = p->nominal = p->high = value;
}

static uint64_t random_gap(struct random_case *c,
			   const struct random_shape *shape)
{
	uint64_t ms = random_below(&c->seed, shape->max_ms + 2);

	/* Most are short, so that it pays to go deeper step by step. */
	if (random_below(&c->seed, 4))
		ms = random_below(&c->seed, 3);
	switch (random_below(&c->seed, 4)) {
	case 0: /* while the drive is busy */
		return random_below(&c->seed, 200000);
	case 1: /* a whole time or a bit off */
		return ms * NS_PER_MS + random_below(&c->seed, 3);
	default:
		return ms * NS_PER_MS + random_below(&c->seed, NS_PER_MS);
	}
}

static void make_trace(struct random_case *c, const struct random_shape *shape)
{
	uint64_t now = random_below(&c->seed, 1000);
	bool flags = random_below(&c->seed, 2);

	c->n_ios = 1 + (size_t)random_below(&c->seed, shape->max_ios);
	for (size_t i = 0; i < c->n_ios; i++) {
		struct ssdpm_io *io = &c->ios[i];

		if (random_below(&c->seed, 3))
			now += random_gap(c, shape);
		*io = (struct ssdpm_io){
			.start_ns = now,
			.bytes = (uint32_t)random_below(&c->seed, 1 << 17),
			.op = (uint8_t)(1 + random_below(&c->seed, 4)),
		};
		io->service_ns =
			(uint32_t)random_below(&c->seed, 4) ?
				(uint32_t)random_below(&c->seed, 300000) :
				SSDPM_SERVICE_UNKNOWN;
		if (flags && !random_below(&c->seed, 4))
			io->flags = SSDPM_IO_CONTINUED;
	}
	c->end_ns = 0;
	if (random_below(&c->seed, 2))
		c->end_ns = now + random_gap(c, shape);
}

struct ssdpm_gaps *random_gaps(const struct ssdpm_io *ios, size_t n,
			       const struct ssdpm_service *service,
			       uint64_t end_ns, uint64_t *seed)
{
	struct ssdpm_gaps *gaps;

	assert_int_equal(ssdpm_gaps_new(service, &gaps, NULL), 0);
	for (size_t at = 0; at < n;) {
		size_t now = 1 + (size_t)random_below(seed, n - at);

		assert_int_equal(ssdpm_gaps_feed(gaps, ios + at, now, NULL), 0);
		at += now;
	}
	assert_int_equal(ssdpm_gaps_finish(gaps, end_ns, NULL), 0);
	return gaps;
}

void random_case_make(struct random_case *c, uint64_t seed,
		      const struct random_shape *shape)
{
	size_t n;

	memset(c, 0, sizeof(*c));
	c->seed = seed * 0x9e3779b97f4a7c15 + 1;
	for (int i = 0; i < 8; i++)
		fixture_random(&c->seed);
	assert_int_equal(ssdpm_sim_params_init(&c->params, sizeof(c->params)),
			 0);
	make_model(c, shape);
	assert_int_equal(ssdpm_parameters_from_model(
				 c->model, SSDPM_PCIE_L1_2, c->parameters,
				 SSDPM_MAX_PARAMETERS, &n, NULL),
			 0);
	for (size_t i = 0; i < n; i++)
		draw_parameter(c, &c->parameters[i], shape);
	c->params.parameters = c->parameters;
	c->params.n_parameters = n;
	if (random_below(&c->seed, 2))
		c->params.flags = SSDPM_SIM_IDLE_FROM_START;
	make_trace(c, shape);
	c->gaps =
		random_gaps(c->ios, c->n_ios, &c->service, c->end_ns, &c->seed);
}

void random_case_free(struct random_case *c)
{
	ssdpm_model_unref(c->model);
	ssdpm_gaps_unref(c->gaps);
}

struct ssdpm_apst random_table(struct random_case *c, uint32_t max_ms)
{
	struct ssdpm_apst table = { .sent = 1, .enabled = 1 };
	size_t n;
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(c->model, &n);

	for (uint32_t i = 0; i + 1 < n; i++) {
		uint32_t target =
			i + 1 + (uint32_t)random_below(&c->seed, n - i - 1);

		if (!(states[target].flags & SSDPM_STATE_NON_OPERATIONAL))
			continue;
		table.entries[i].target = target;
		table.entries[i].idle_ms =
			1 + (uint32_t)random_below(&c->seed, max_ms);
	}
	return table;
}

uint64_t case_parameter(const struct random_case *c, uint32_t kind,
			uint32_t index)
{
	const struct ssdpm_parameter *found = find_parameter(
		c->parameters, c->params.n_parameters, kind, index);

	assert_non_null(found);
	return found->nominal;
}

uint64_t case_power_uw(const struct random_case *c, uint32_t state)
{
	uint64_t power = case_parameter(c, SSDPM_PARAMETER_IDLE_POWER, state);

	if (state != c->params.operational_state)
		power += case_parameter(c, SSDPM_PARAMETER_LINK_POWER, 0);
	return power;
}

struct wide case_fj(const struct random_case *c, const struct ssdpm_run *run)
{
	uint64_t tr = case_parameter(c, SSDPM_PARAMETER_TRANSITION_POWER, 0);
	struct wide sum = { 0 };

	for (uint32_t i = 0; i < c->n_states; i++) {
		const struct ssdpm_residency *state = &run->states[i];

		wide_add(&sum,
			 wide_product(state->time_ns, case_power_uw(c, i)));
		wide_add(&sum, wide_product(state->entry_ns, tr));
		wide_add(&sum, wide_product(state->exit_ns, tr));
	}
	return sum;
}
