/* SPDX-License-Identifier: MIT */
#include "survey/survey.h"

#include "options/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const settable[] = { "lpm", "latency", "profile",
					"nvme-core", "apst" };

/* Take a part of a policy as the option of ssdpm apply. */
static enum exit_status set_one(const struct common *common, const char *text,
				char *setting, struct plan_options *options)
{
	const struct option_group *group = &plan_option_group;
	char *value = strchr(setting, '=');
	struct common copy = *common;
	bool known = false;

	if (value)
		*value++ = 0;
	for (size_t i = 0; i < sizeof(settable) / sizeof(settable[0]); i++)
		known |= value && !strcmp(settable[i], setting);
	for (size_t i = 0; known && i < group->n_options; i++)
		if (!strcmp(group->options[i].name, setting))
			return set_option(group, options, &copy,
					  &group->options[i], value);
	return usage_error(common,
			   "--policy %s: write lpm=POLICY, latency=TIME, "
			   "latency=any, profile=NAME, nvme-core=NAME=VALUE, "
			   "apst=TABLE, or several with + between them",
			   text);
}

static void free_policy(struct survey_policy *policy)
{
	free(policy->text);
	free(policy->words);
}

static enum exit_status parse_policy_text(const struct common *common,
					  const struct drives *drives,
					  const char *text,
					  struct survey_policy *policy)
{
	enum exit_status status = STATUS_DONE;
	char *next;

	*policy = (struct survey_policy){
		.text = strdup(text),
		.words = strdup(text),
	};
	next = policy->words;
	if (!policy->text || !policy->words) {
		complain("out of memory");
		status = STATUS_FAILED;
	}
	while (!status && next) {
		char *setting = strsep(&next, "+");

		status = set_one(common, text, setting, &policy->options);
	}
	if (!status)
		status = check_plan_options(common, &policy->options);
	if (!status)
		status = find_profile(common, &policy->options,
				      drives->lives[0], 0, &policy->profile);
	if (status)
		free_policy(policy);
	return status;
}

static bool concerns(const struct plan_options *options,
		     const struct drive *drive)
{
	const uint32_t kind = ssdpm_device_get_facts(drive->device)->kind;

	if (options->profile)
		return true;
	return kind == SSDPM_KIND_SATA ?
		       options->n_lpms > 0 :
		       plan_has(options, "latency") || options->table_name ||
			       options->nvme_core_given;
}

/* Two policies are compared by what they change, and by nothing else. */
static enum exit_status keep(struct ssdpm_plan *plan, const struct drive *drive)
{
	const struct ssdpm_device_facts *facts =
		ssdpm_device_get_facts(drive->device);
	const struct ssdpm_lpm_params lpm = {
		.size = sizeof(lpm),
		.lpms = &facts->lpm,
		.n_lpms = 1,
		.flags = SSDPM_LPM_ANY_PORT,
	};
	struct ssdpm_error error = { 0 };
	int err = 0;

	if (facts->known & SSDPM_FACT_LATENCY_TOLERANCE)
		err = ssdpm_plan_add_latency_tolerance(
			plan, drive->device, drive->model,
			facts->latency_tolerance_us, &error);
	else if (facts->known & SSDPM_FACT_LPM &&
		 facts->lpm != SSDPM_LPM_KEEP_FIRMWARE_SETTINGS)
		err = ssdpm_plan_add_lpm(plan, drive->device, drive->model,
					 &lpm, &error);
	return err ? complain_of_device(drive->name, &error) : STATUS_DONE;
}

enum exit_status fill_survey_plan(const struct common *common,
				  const struct survey_policy *policy,
				  const struct drives *drives,
				  struct ssdpm_plan *plan)
{
	const struct plan_options *options = &policy->options;
	struct drives some = *drives;
	enum exit_status status;

	some.n = 0;
	some.drives = calloc(drives->n, sizeof(*some.drives));
	if (!some.drives)
		return out_of_memory();
	for (size_t i = 0; i < drives->n; i++)
		if (concerns(options, &drives->drives[i]))
			some.drives[some.n++] = drives->drives[i];
	status = fill_plan(common, options, &policy->profile, &some, plan);
	free(some.drives);
	for (size_t i = 0; i < drives->n && !status; i++)
		if (!concerns(options, &drives->drives[i]))
			status = keep(plan, &drives->drives[i]);
	return status ? status : read_plan(plan);
}

enum exit_status plan_survey_policy(const struct common *common,
				    const struct survey_policy *policy,
				    const struct drives *drives,
				    const char *directory,
				    struct ssdpm_plan **ret_plan)
{
	const struct plan_options options = {
		.directory = directory,
		.strict = true,
	};
	struct ssdpm_plan *plan;
	enum exit_status status = new_plan(common, drives, &options, &plan);

	if (status)
		return status;
	status = fill_survey_plan(common, policy, drives, plan);
	if (status)
		ssdpm_plan_free(plan);
	else
		*ret_plan = plan;
	return status;
}

/*
 * All that the drives would do: two policies with the same one are the same.
 * Where a table is known it says all; where not, what it is made from.
 */
static char *effect_of(const struct ssdpm_plan *plan, size_t *ret_size)
{
	struct ssdpm_planned_table table = { .size = sizeof(table) };
	struct ssdpm_step step = { .size = sizeof(step) };
	bool all_known = !ssdpm_plan_get_table(plan, 0, &table);
	char *text = NULL;
	FILE *file = open_memstream(&text, ret_size);

	if (!file)
		return NULL;
	for (size_t i = 0; !ssdpm_plan_get_table(plan, i, &table); i++)
		all_known = all_known && table.known & SSDPM_TABLE_AFTER;
	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		if (step.state != SSDPM_STEP_LEFT_ALONE &&
		    step.kind != SSDPM_STEP_REBUILD &&
		    (step.kind == SSDPM_STEP_LPM || !all_known))
			fprintf(file, "%s %s %s\n", step.device, step.target,
				step.after);
	for (size_t i = 0; all_known && !ssdpm_plan_get_table(plan, i, &table);
	     i++) {
		fprintf(file, "%s ", table.device);
		fwrite(&table.after, sizeof(table.after), 1, file);
	}
	fclose(file);
	return text;
}

static bool is_of(const struct ssdpm_step *step, const struct drive *drive)
{
	return !strcmp(step->device, "all") ||
	       !strcmp(step->device,
		       ssdpm_device_get_facts(drive->device)->name);
}

/* More than to keep what drives have that it says nothing of? */
static bool does_something(const struct ssdpm_plan *plan,
			   const struct plan_options *options,
			   const struct drives *drives)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		for (size_t j = 0; j < drives->n; j++)
			if (step.state != SSDPM_STEP_LEFT_ALONE &&
			    concerns(options, &drives->drives[j]) &&
			    is_of(&step, &drives->drives[j]))
				return true;
	return false;
}

/* The policies so far, and what each does. */
struct candidates {
	const struct common *common;
	const struct drives *drives;
	struct survey_policies *policies;
	char *effects[SSDPM_SURVEY_MAX_POLICIES];
	size_t sizes[SSDPM_SURVEY_MAX_POLICIES];
	bool is_default; /* what does not fit is no failure */
};

static void take(struct candidates *c, struct survey_policy *policy,
		 char *effect, size_t size)
{
	struct survey_policies *p = c->policies;
	size_t same = 0;

	while (same < p->n && (c->sizes[same] != size ||
			       memcmp(c->effects[same], effect, size)))
		same++;
	if (same < p->n && !c->is_default && !c->common->quiet)
		remark("policies %s and %s do the same here: what differs "
		       "between them is noise",
		       p->list[same].text, policy->text);
	if ((same < p->n && c->is_default) ||
	    p->n == SSDPM_SURVEY_MAX_POLICIES) {
		free_policy(policy);
		free(effect);
		return;
	}
	c->effects[p->n] = effect;
	c->sizes[p->n] = size;
	p->list[p->n++] = *policy;
}

static enum exit_status consider(struct candidates *c, const char *text)
{
	struct common common = *c->common;
	struct survey_policy policy;
	struct ssdpm_plan *plan = NULL;
	enum exit_status status;
	char *effect = NULL;
	size_t size = 0;

	common.quiet |= c->is_default;
	status = parse_policy_text(&common, c->drives, text, &policy);
	if (status)
		return status;
	status = plan_survey_policy(&common, &policy, c->drives, NULL, &plan);
	if (!status && does_something(plan, &policy.options, c->drives))
		effect = effect_of(plan, &size);
	if (effect) {
		take(c, &policy, effect, size);
	} else {
		if (!status && !c->is_default) {
			complain("--policy %s: it says nothing of any of these "
				 "drives",
				 text);
			status = STATUS_DEVICE_CANNOT;
		}
		free_policy(&policy);
	}
	ssdpm_plan_free(plan);
	return c->is_default && status == STATUS_DEVICE_CANNOT ? STATUS_DONE :
								 status;
}

static enum exit_status consider_lpms(struct candidates *c)
{
	enum exit_status status = STATUS_DONE;
	char text[64];

	/* Not min_power: it lost data, and is taken where it is named. */
	for (uint32_t lpm = SSDPM_LPM_MAX_PERFORMANCE;
	     !status && lpm < SSDPM_LPM_MIN_POWER; lpm++) {
		snprintf(text, sizeof(text), "lpm=%s",
			 ssdpm_lpm_to_string(lpm));
		status = consider(c, text);
	}
	return status;
}

/* As found, which differs where drives do. */
static enum exit_status consider_found(struct candidates *c)
{
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; !status && i < c->drives->n; i++) {
		const struct drive *drive = &c->drives->drives[i];
		char *text = NULL;
		size_t size;
		FILE *file;

		if (ssdpm_device_get_facts(drive->device)->kind !=
		    SSDPM_KIND_NVME)
			continue;
		file = open_memstream(&text, &size);
		if (!file)
			return out_of_memory();
		print_survey_setting(file, drive);
		fclose(file);
		status = consider(c, text);
		free(text);
	}
	return status;
}

static bool has_kind(const struct drives *drives, uint32_t kind)
{
	for (size_t i = 0; i < drives->n; i++)
		if (ssdpm_device_get_facts(drives->drives[i].device)->kind ==
		    kind)
			return true;
	return false;
}

static enum exit_status consider_usual(struct candidates *c)
{
	static const char *const profiles[] = {
		"profile=performance",
		"profile=balanced",
		"profile=power-saver",
	};
	enum exit_status status = STATUS_DONE;

	c->is_default = true;
	if (has_kind(c->drives, SSDPM_KIND_SATA))
		status = consider_lpms(c);
	if (!has_kind(c->drives, SSDPM_KIND_NVME))
		return status;
	if (!status)
		status = consider(c, "latency=0us");
	if (!status)
		status = consider_found(c);
	for (size_t i = 0; !status && i < 3; i++)
		status = consider(c, profiles[i]);
	return status;
}

enum exit_status make_survey_policies(const struct common *common,
				      const struct survey_options *options,
				      const struct drives *drives,
				      struct survey_policies *policies)
{
	struct candidates c = {
		.common = common,
		.drives = drives,
		.policies = policies,
	};
	enum exit_status status = STATUS_DONE;

	policies->n = 0;
	for (size_t i = 0; !status && i < options->n_policies; i++)
		status = consider(&c, options->policies[i]);
	if (!options->n_policies)
		status = consider_usual(&c);
	if (!status && policies->n < 2) {
		complain("%zu policy is not enough to compare: --policy names "
			 "others",
			 policies->n);
		status = STATUS_DEVICE_CANNOT;
	}
	for (size_t i = 0; i < policies->n; i++)
		free(c.effects[i]);
	return status;
}

void free_survey_policies(struct survey_policies *policies)
{
	for (size_t i = 0; i < policies->n; i++)
		free_policy(&policies->list[i]);
	policies->n = 0;
}
