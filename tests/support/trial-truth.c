/* SPDX-License-Identifier: MIT */
#include "trial-truth.h"

#include <math.h>
#include <stdio.h>

#define MAX_BOX 60

/* The state of the noise's parts. */
struct machine_state {
	const struct trial_machine *machine;
	uint64_t seed;
	double keep; /* of ar, over a second */
	double ar, level, step;
	double burst_w; /* 0: none */
	double phase;
	/* The meter: its running sum, and its reading. */
	double box_sum, shown_w;
	unsigned int box_n;
	/* The state of the block. */
	double block_saving_w;
	double sum_w;
	unsigned int n;
	double first_w; /* of the block before */
};

/* Scatters neighbouring seeds: splitmix64. */
static uint64_t scattered(uint64_t seed)
{
	seed *= UINT64_C(0x9e3779b97f4a7c15);
	seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
	return seed ^ seed >> 31;
}

double trial_uniform(uint64_t *seed)
{
	return ((double)(fixture_random(seed) >> 11) + 0.5) /
	       9007199254740992.0;
}

double trial_normal(uint64_t *seed)
{
	return sqrt(-2 * log(trial_uniform(seed))) *
	       cos(6.283185307179586 * trial_uniform(seed));
}

static bool happens(uint64_t *seed, double mean_s)
{
	return mean_s > 0 && trial_uniform(seed) < 1 / mean_s;
}

static double burst(struct machine_state *m, const struct trial_noise *noise)
{
	if (m->burst_w > 0) {
		if (happens(&m->seed, noise->burst_length_s))
			m->burst_w = 0;
	} else if (happens(&m->seed, noise->burst_s)) {
		m->burst_w = -noise->burst_w * log(trial_uniform(&m->seed));
	}
	return m->burst_w;
}

static double periodic(const struct machine_state *m,
		       const struct trial_noise *noise, double t)
{
	if (!(noise->period_s > 0))
		return 0;
	double at = fmod(t + m->phase * noise->period_s, noise->period_s);

	return noise->sine_w * sin(6.283185307179586 * at / noise->period_s) +
	       (at < 1 ? noise->task_w : 0);
}

/* The power of a second without the effect of the setting. */
static double noise_w(struct machine_state *m, double t)
{
	const struct trial_noise *noise = m->machine->noise;
	double keep = m->keep;
	double power_w = 6;

	m->ar = keep * m->ar + sqrt(1 - keep * keep) * trial_normal(&m->seed);
	if (happens(&m->seed, noise->step_s))
		m->step += noise->step_w * trial_normal(&m->seed);
	if (happens(&m->seed, noise->level_s))
		m->level = noise->level_w - m->level;
	power_w += noise->ar_w * m->ar + m->step + m->level;
	power_w += noise->drift_w_per_h * t / 3600;
	if (noise->white_w > 0)
		power_w += noise->white_w * trial_normal(&m->seed);
	return power_w + burst(m, noise) + periodic(m, noise, t);
}

/* The meter's reading at the end of the second. */
static double read_meter(struct machine_state *m, double power_w)
{
	m->box_sum += power_w;
	m->box_n++;
	if (m->box_n >= m->machine->box_s) {
		m->shown_w = m->box_sum / m->box_n;
		m->box_sum = 0;
		m->box_n = 0;
	}
	return m->shown_w;
}

static struct ssdpm_trial *new_trial(struct machine_state *m)
{
	const struct trial_machine *machine = m->machine;
	uint64_t box_ns = machine->box_s * (uint64_t)SECOND;
	struct ssdpm_trial_params params = {
		.size = sizeof(params),
		.seed = fixture_random(&m->seed),
		.update_ns = box_ns,
		.response_ns = box_ns,
		.limit_ns = (uint64_t)(machine->limit_s * 1e9),
		.likely_uw = (uint64_t)(machine->likely_w * 1e6),
	};
	struct ssdpm_trial *trial = UNTOUCHED;

	assert_int_equal(ssdpm_trial_new(&params, &trial, NULL), 0);
	return trial;
}

/* Any time before the trial has passed. */
static void warm_up(struct machine_state *m)
{
	double ar_s = m->machine->noise->ar_s;

	m->keep = ar_s > 0 ? exp(-1 / ar_s) : 0;
	m->phase = trial_uniform(&m->seed);
	m->ar = trial_normal(&m->seed);
	m->box_n = (unsigned int)(trial_uniform(&m->seed) * m->machine->box_s);
	m->box_sum = 6.0 * m->box_n;
	m->shown_w = 6;
	if (trial_uniform(&m->seed) < 0.5)
		m->level = m->machine->noise->level_w;
}

/* A second of a block. */
static void pass_second(struct machine_state *m, struct ssdpm_trial *trial,
			const struct ssdpm_trial_block *block, int64_t second)
{
	double power_w = noise_w(m, (double)second);
	int64_t time_ns = (second + 1) * SECOND - 1;

	if (block->setting == SSDPM_TRIAL_B)
		power_w -= m->block_saving_w;
	power_w = read_meter(m, power_w);
	assert_int_equal(ssdpm_trial_feed(trial, time_ns, power_w, NULL), 0);
	if (time_ns >= block->count_ns) {
		m->sum_w += power_w;
		m->n++;
	}
}

/* The block has ended: the next one begins. */
static void end_block(struct machine_state *m, uint32_t setting,
		      struct trial_pair *pair)
{
	double mean_w = m->n ? m->sum_w / m->n : 0;

	m->block_saving_w = m->machine->saving_w -
			    m->machine->varied_w * trial_uniform(&m->seed);
	m->sum_w = m->n = 0;
	pair->first_less_second_w = m->first_w - mean_w;
	pair->a_less_b_w = setting == SSDPM_TRIAL_B ? m->first_w - mean_w :
						      mean_w - m->first_w;
	m->first_w = mean_w;
}

double run_trial(const struct trial_machine *machine, trial_pair_fn fn,
		 void *userdata)
{
	struct machine_state m = { .machine = machine,
				   .seed = scattered(machine->seed + 1) };
	struct ssdpm_trial_block block = { .size = sizeof(block) };
	struct trial_pair pair;
	int64_t second = 0;
	bool go_on = true;

	warm_up(&m);
	struct ssdpm_trial *trial = new_trial(&m);

	for (; go_on; second++) {
		uint64_t index = block.index;
		uint32_t setting = block.setting;

		assert_int_equal(
			ssdpm_trial_next(trial, second * SECOND, &block, NULL),
			0);
		if (!second || block.index != index) {
			end_block(&m, setting, &pair);
			if (block.index && block.index % 2 == 0)
				go_on = fn(userdata, trial, &pair) &&
					block.setting;
		}
		if (go_on)
			pass_second(&m, trial, &block, second);
	}
	ssdpm_trial_free(trial);
	return (double)(second - 1);
}

struct ssdpm_trial_state trial_state(const struct ssdpm_trial *trial)
{
	struct ssdpm_trial_state state = { .size = sizeof(state) };

	assert_int_equal(ssdpm_trial_get_state(trial, &state, NULL), 0);
	return state;
}
