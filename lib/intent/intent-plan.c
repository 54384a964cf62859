/* SPDX-License-Identifier: MIT */
/* What was asked for, as the steps of a plan. */
#include "intent/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What a step sets, by its number; INTENT_N_SETTINGS: nothing of these. */
static uint32_t setting_of(const struct step *step)
{
	switch (step->change.kind->number) {
	case SSDPM_STEP_LATENCY_TOLERANCE:
		return __builtin_ctz(SSDPM_PROFILE_MAX_EXIT_LATENCY);
	case SSDPM_STEP_LPM:
		return __builtin_ctz(SSDPM_PROFILE_LPM);
	case SSDPM_STEP_POWER_STATE:
		return INTENT_POWER_STATE;
	case SSDPM_STEP_NOPP:
		return INTENT_NOPP;
	case SSDPM_STEP_NVME_CORE:
		return ssdpm__profile_of_parameter(step->change.path);
	default:
		return INTENT_N_SETTINGS;
	}
}

/* Steps that were there before are not decided by what is added now. */
static int keep_origins(struct ssdpm_plan *plan, struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; !err && i < plan->n_steps; i++)
		if (!plan->steps[i]->origin)
			err = ssdpm__set_string(&plan->steps[i]->origin, "",
						reterr);
	return err;
}

/* A step that is new has no origin yet. */
static int set_origins(struct ssdpm_plan *plan,
		       const struct ssdpm_intent *intent,
		       const struct intent_found *found,
		       struct ssdpm_error *reterr)
{
	int err = 0;

	for (size_t i = 0; !err && i < plan->n_steps; i++) {
		struct step *step = plan->steps[i];
		const uint32_t setting = setting_of(step);
		const struct intent_line *line;
		char origin[SSDPM__PATH_BYTES + 32];

		if (step->origin || setting == INTENT_N_SETTINGS ||
		    !(found->set >> setting & 1))
			continue;
		line = found->origins[setting];
		snprintf(origin, sizeof(origin), "/%s, line %u",
			 intent->files[line->file].path, line->number);
		err = ssdpm__set_string(&step->origin, origin, reterr);
	}
	return err;
}

void ssdpm__intent_read_serial(struct ssdpm_machine *machine,
			       const struct ssdpm_device_facts *facts,
			       char serial[24])
{
	struct directory directory = { machine, facts->path + 1, 0 };
	char text[SSDPM__TEXT_BYTES];
	uint16_t words[256];
	char swapped[21] = "";

	*serial = 0;
	if (facts->reach != SSDPM_REACH_YES)
		return;
	if (facts->kind == SSDPM_KIND_NVME) {
		ssdpm__get_text(&directory, "serial", serial, 24);
		return;
	}
	if (ssdpm__sata_read_id(machine, facts, text) ||
	    !ssdpm__sata_parse_words(text, words))
		return;
	/* ACS-5, IDENTIFY DEVICE: words 10 to 19, two characters each. */
	for (int i = 0; i < 10; i++) {
		swapped[2 * i] = (char)(words[10 + i] >> 8);
		swapped[2 * i + 1] = (char)words[10 + i];
	}
	ssdpm__span_copy(ssdpm__span_trim(ssdpm__span(swapped, 20)), serial,
			 24);
}

static int add_power(struct ssdpm_plan *plan, struct ssdpm_device *device,
		     struct ssdpm_model *model,
		     const struct intent_found *found,
		     struct ssdpm_error *reterr)
{
	const bool has_hint = found->set >> INTENT_WORKLOAD_HINT & 1;
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct ssdpm_model *own = NULL;
	struct ssdpm_error error = { 0 };
	int err = 0;

	if (found->set >> INTENT_POWER_STATE & 1) {
		/* Only the drive itself knows its states. */
		if (!model && plan->flags)
			ssdpm_device_read_model(device, plan->flags, NULL, &own,
						NULL);
		ssdpm_plan_add_power_state(plan, device, own ? own : model,
					   found->power_state,
					   has_hint ? found->workload_hint :
						      SSDPM_WORKLOAD_HINT_KEEP,
					   &error);
		/* Which states there are is a matter of the drive. */
		if (error.code == -EINVAL)
			error.code = -EOPNOTSUPP;
		ssdpm_model_unref(own);
		err = ssdpm__plan_settle(plan, SSDPM_STEP_POWER_STATE,
					 facts->path + 1, facts->name, &error,
					 reterr);
	}
	if (err || !(found->set >> INTENT_NOPP & 1))
		return err;
	error.code = 0;
	ssdpm_plan_add_value(plan, device, SSDPM_STEP_NOPP, found->nopp,
			     &error);
	return ssdpm__plan_settle(plan, SSDPM_STEP_NOPP, facts->path + 1,
				  facts->name, &error, reterr);
}

static int add_steps(struct ssdpm_plan *plan, struct ssdpm_device *device,
		     struct ssdpm_model *model,
		     const struct intent_found *found,
		     struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	int err = 0;

	if (found->settings.set)
		err = ssdpm__plan_add_settings(
			plan, device, model, &found->settings,
			found->by_name ? SSDPM_LPM_ANY_PORT : 0, reterr);
	if (!err && facts->kind == SSDPM_KIND_NVME &&
	    facts->reach == SSDPM_REACH_YES)
		err = add_power(plan, device, model, found, reterr);
	return err;
}

static int check_params(const struct ssdpm_plan *plan,
			const struct ssdpm_intent_params *params,
			struct intent_case *ret_case,
			struct ssdpm_error *reterr)
{
	struct ssdpm_intent_params all = { .size = sizeof(all) };
	int err = ssdpm__sized_in(&all, sizeof(all), params,
				  "ssdpm_intent_params", reterr);

	if (!err)
		err = ssdpm__check_reserved(
			all.reserved, "ssdpm_intent_params.reserved", reterr);
	if (err)
		return err;
	if (!all.power_source)
		all.power_source = plan->facts.power_source;
	if (!all.power_source)
		all.power_source = SSDPM_SOURCE_AC;
	err = ssdpm__check_source(all.power_source, reterr);
	if (err)
		return err;
	ret_case->power_source = all.power_source;
	ret_case->desktop_profile =
		!all.desktop_profile ?
			ssdpm__intent_read_desktop(plan->machine,
						   ret_case->desktop_room) :
		*all.desktop_profile ? all.desktop_profile :
				       NULL;
	return 0;
}

/* The files, and the case for which they are read. */
struct intent_case_files {
	const struct ssdpm_intent *intent;
	const struct ssdpm_intent_params *params;
};

static int add_intent(struct ssdpm_plan *plan, struct ssdpm_device *device,
		      struct ssdpm_model *model, const void *data,
		      struct ssdpm_error *reterr)
{
	struct intent_case of = { .facts = ssdpm_device_get_facts(device) };
	const struct intent_case_files *asked = data;
	const struct ssdpm_intent *intent = asked->intent;
	struct intent_found found;
	char serial[24] = "";
	int err = check_params(plan, asked->params, &of, reterr);

	if (!err)
		err = ssdpm__plan_check_open(plan, reterr);
	if (err)
		return err;
	if (ssdpm__intent_by_serial(intent))
		ssdpm__intent_read_serial(plan->machine, of.facts, serial);
	of.serial = serial;
	ssdpm__intent_find(intent, &of, &found);
	err = keep_origins(plan, reterr);
	if (!err)
		err = add_steps(plan, device, model, &found, reterr);
	return err ? err : set_origins(plan, intent, &found, reterr);
}

int ssdpm_plan_add_intent(struct ssdpm_plan *plan, struct ssdpm_device *device,
			  struct ssdpm_model *model,
			  const struct ssdpm_intent *intent,
			  const struct ssdpm_intent_params *params,
			  struct ssdpm_error *reterr)
{
	const struct intent_case_files asked = { intent, params };

	return ssdpm__add_each(plan, device, model, add_intent, &asked, reterr);
}
