/* SPDX-License-Identifier: MIT */
/* One trial: blocks of two settings on a drive, and what the meter reads. */
#include "tune/trial.h"

#include "options/numbers.h"
#include "text/progress.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* A meter that fails this often in a row is gone. */
#define N_FAULTS 3
/* Clocks are read one after another, and adjusted. */
#define SUSPENDED_NS (SECOND_NS / 10)

struct trial_work {
	const struct trial_setup *setup;
	const struct tried *tried;
	struct ssdpm_trial *trial;
	struct progress progress;
	struct ssdpm_plan *plan; /* of setting B */
	struct ssdpm_device *device;
	uint32_t setting; /* in force; 0: none was set so far */
	int64_t suspended_ns;
	uint32_t n_faults;
	bool said; /* what can be resolved */
};

static const char *name_of(const struct trial_work *w)
{
	return w->tried->item.drive->name;
}

static int read_device(const struct trial_work *w, struct ssdpm_device **ret,
		       struct ssdpm_error *reterr)
{
	return ssdpm_device_read(w->setup->live->machine, name_of(w), ret,
				 reterr);
}

static void forget_plan(struct trial_work *w)
{
	w->plan = ssdpm_plan_free(w->plan);
	w->device = ssdpm_device_unref(w->device);
}

static int fill_b(struct ssdpm_plan *plan, void *userdata,
		  struct ssdpm_error *reterr)
{
	struct trial_work *w = userdata;
	const struct ssdpm_energy_report_item *item = &w->tried->item;
	int err;

	w->device = ssdpm_device_unref(w->device);
	err = read_device(w, &w->device, reterr);
	return err ? err :
		     ssdpm_plan_add_profile(plan, w->device, item->model,
					    item->settings, reterr);
}

static enum exit_status set_b(struct trial_work *w)
{
	struct live *live = w->setup->live;
	const struct drives drives = { .lives = &live, .n_lives = 1 };
	const struct plan_options options = {
		.directory = w->setup->state.directory,
		.strict = true,
	};
	struct ssdpm_error error;
	enum exit_status status =
		new_plan(w->setup->common, &drives, &options, &w->plan);

	if (!status && ssdpm_plan_apply(w->plan, fill_b, w, &error))
		status = complain_of_device(name_of(w), &error);
	return status;
}

/* The setting in force, by what the kernel reports of the drive. */
static bool is_as_set(const struct trial_work *w)
{
	const struct ssdpm_profile_settings *b = w->tried->item.settings;
	const struct ssdpm_device_facts *then =
		ssdpm_device_get_facts(w->tried->item.drive->device);
	const bool is_b = w->setting == SSDPM_TRIAL_B;
	const struct ssdpm_device_facts *now;
	struct ssdpm_device *device;
	bool same;

	if (read_device(w, &device, NULL))
		return false;
	now = ssdpm_device_get_facts(device);
	same = !strcmp(now->product, then->product) &&
	       !strcmp(now->path, then->path);
	if (b->set & SSDPM_PROFILE_LPM)
		same = same && now->lpm == (is_b ? b->lpms[0] : then->lpm);
	else
		same = same && now->latency_tolerance_us ==
				       (is_b ? b->max_exit_latency_us :
					       then->latency_tolerance_us);
	ssdpm_device_unref(device);
	return same;
}

/* Each is come to from the setting of today. */
static enum exit_status set(struct trial_work *w, uint32_t setting)
{
	enum exit_status status = put_back(&w->setup->state);

	forget_plan(w);
	if (!status && setting == SSDPM_TRIAL_B)
		status = set_b(w);
	w->setting = setting;
	if (status || is_as_set(w))
		return status;
	return failure("%s: setting %s is not in force", name_of(w),
		       setting == SSDPM_TRIAL_B ? w->tried->setting.text :
						  w->tried->item.drive->policy);
}

static struct ssdpm_trial_state state_of(const struct trial_work *w)
{
	struct ssdpm_trial_state state = { .size = sizeof(state) };

	ssdpm_trial_get_state(w->trial, &state, NULL);
	return state;
}

static int64_t time_left(const struct ssdpm_trial_state *state,
			 const struct ssdpm_trial_block *block, int64_t now_ns)
{
	const int64_t blocks = (int64_t)(2 * state->max_pairs - block->index);

	return blocks * (block->end_ns - block->start_ns) -
	       (now_ns - block->start_ns);
}

static void show_progress(struct trial_work *w,
			  const struct ssdpm_trial_block *block)
{
	const struct ssdpm_trial_state state = state_of(w);
	const int64_t left_ns = time_left(&state, block, survey_now_ns());
	char text[160], so_far[80] = "";

	if (state.n_pairs)
		snprintf(so_far, sizeof(so_far), ", %.70s so far",
			 trial_saving_text(state.saving_w, state.low_w,
					   state.high_w)
				 .text);
	snprintf(text, sizeof(text), "pair %llu of %llu%s, %.20s left",
		 (unsigned long long)(block->index / 2 + 1),
		 (unsigned long long)state.max_pairs, so_far,
		 time_text((uint64_t)(left_ns / SECOND_NS + 1) * SECOND_NS)
			 .text);
	progress_show(&w->progress, text);
}

/* After four pairs, once. */
static void say_resolvable(struct trial_work *w,
			   const struct ssdpm_trial_state *state)
{
	if (w->said || isnan(state->resolvable_w) || w->setup->common->quiet)
		return;
	w->said = true;
	progress_clear();
	remark("%s: this trial can show a saving of about %s", name_of(w),
	       power_text(two_digits((int64_t)(state->resolvable_w * 1e6)))
		       .text);
}

/* Now and then an embedded controller says nothing: that is no end. */
static enum exit_status take_reading(struct trial_work *w)
{
	struct ssdpm_reading reading = { .size = sizeof(reading) };
	struct ssdpm_error error;
	int err = ssdpm_sampler_read(w->setup->sampler, &reading, &error);

	if (!err && !isnan(reading.power_w))
		err = ssdpm_trial_feed(w->trial, reading.time_ns,
				       reading.power_w, &error);
	if (!err) {
		w->n_faults = 0;
		return STATUS_DONE;
	}
	if (caught_signal() ||
	    (err != -EBUSY && err != -ENODEV && ++w->n_faults < N_FAULTS))
		return STATUS_DONE;
	progress_clear();
	return complain_of_device(NULL, &error);
}

/* What a block must not have in it. */
static enum exit_status check_machine(const struct trial_work *w)
{
	struct ssdpm_machine_facts facts = { .size = sizeof(facts) };

	if (suspended_ns() - w->suspended_ns > SUSPENDED_NS)
		return failure("%s: the machine was suspended", name_of(w));
	if (ssdpm_machine_read_facts(w->setup->live->machine, &facts, NULL) ||
	    facts.power_source != w->setup->live->facts.power_source)
		return failure("%s: the power source has changed", name_of(w));
	if (!is_as_set(w))
		return failure("%s: another program has changed the setting; "
			       "ssdpm show -v may name it",
			       name_of(w));
	return STATUS_DONE;
}

static enum exit_status run_block(struct trial_work *w,
				  const struct ssdpm_trial_block *block)
{
	int64_t next_ns = block->start_ns;
	enum exit_status status = STATUS_DONE;

	while (!status && next_ns < block->end_ns) {
		do
			next_ns += w->setup->interval_ns;
		while (next_ns < survey_now_ns());
		show_progress(w, block);
		wait_until(next_ns < block->end_ns ? next_ns : block->end_ns);
		if (caught_signal())
			return STATUS_FAILED;
		if (next_ns < block->end_ns)
			status = take_reading(w);
	}
	if (!status)
		status = check_machine(w);
	return status;
}

static enum exit_status run_blocks(struct trial_work *w)
{
	enum exit_status status = STATUS_DONE;

	while (!status) {
		struct ssdpm_trial_block block = { .size = sizeof(block) };
		struct ssdpm_trial_state state;
		struct ssdpm_error error;

		if (ssdpm_trial_next(w->trial, survey_now_ns(), &block, &error))
			return failure("%s: %s", name_of(w), error.message);
		state = state_of(w);
		say_resolvable(w, &state);
		if (state.decision != SSDPM_TRIAL_NOT_YET)
			return STATUS_DONE;
		if (block.setting != w->setting)
			status = set(w, block.setting);
		if (!status)
			status = run_block(w, &block);
	}
	return status;
}

static void note_result(const struct trial_work *w, int64_t begin_ns,
			struct ssdpm_trial_result *ret)
{
	const struct ssdpm_trial_state state = state_of(w);

	*ret = (struct ssdpm_trial_result){
		.size = sizeof(*ret),
		.n_pairs = state.n_pairs,
		.duration_ns = (uint64_t)(survey_now_ns() - begin_ns),
		.saving_w = state.saving_w,
		.low_w = state.low_w,
		.high_w = state.high_w,
		.resolvable_w = state.resolvable_w,
		.decision = state.decision,
		.power_source = w->setup->live->facts.power_source,
	};
	snprintf(ret->meter, sizeof(ret->meter), "%s", w->setup->meter.name);
}

enum exit_status run_trial(const struct trial_setup *setup,
			   const struct tried *tried,
			   const struct ssdpm_trial_params *params,
			   struct ssdpm_trial_result *ret)
{
	struct trial_work w = {
		.setup = setup,
		.tried = tried,
		.suspended_ns = suspended_ns(),
	};
	const int64_t begin_ns = survey_now_ns();
	struct ssdpm_error error;
	enum exit_status status, restored;

	if (ssdpm_trial_new(params, &w.trial, &error)) {
		complain("--up-to: %s", error.message);
		return STATUS_USAGE;
	}
	progress_begin(&w.progress, setup->common, name_of(&w), -1);
	status = run_blocks(&w);
	progress_clear();
	note_result(&w, begin_ns, ret);
	restored = put_back(&setup->state);
	forget_plan(&w);
	w.trial = ssdpm_trial_free(w.trial);
	return status ? status : restored;
}
