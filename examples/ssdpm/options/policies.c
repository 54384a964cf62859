/* SPDX-License-Identifier: MIT */
#include "options/policies.h"

#include "options/sim-options.h"
#include "options/units.h"
#include "options/words.h"

#include <string.h>

static const struct option_spec options[] = {
	{ "table", 0, "FILE",
	  "Read the APST table from a file, as for apst --diff.", SETS_OWN,
	  .rare = true },
	{ "none", 0, NULL, "Keep the drive awake.", SETS_OWN },
	{ "lpm", 0,
	  "keep_firmware_settings|max_performance|medium_power|"
	  "med_power_with_dipm|min_power_with_partial|min_power",
	  "SATA: Set the link policy. Default: med_power_with_dipm.", SETS_OWN,
	  .rare = true },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct named_policy *named = data;
	const char *before = named->option, *name = option->name;
	uint32_t lpm;

	if (before)
		return usage_error(common,
				   strcmp(before, name) ?
					   "--%s conflicts with --%s" :
					   "--%s is given twice",
				   before, name);
	named->option = name;
	named->name = argument ? argument : name;
	return strcmp(name, "lpm") ? STATUS_DONE :
				     parse_word(common, name, argument,
						ssdpm_lpm_to_string, &lpm);
}

const struct option_group named_policy_group = {
	OPTIONS(options),
	.title = "Policy",
	.set = set,
};

enum exit_status check_named_policy(const struct common *common,
				    const struct named_policy *named,
				    bool has_apst_options)
{
	if (!named->option || !has_apst_options ||
	    !strcmp(named->option, "table"))
		return STATUS_DONE;
	return usage_error(common,
			   "--%s conflicts with the options of an APST table",
			   named->option);
}

enum exit_status parse_policy(const struct common *common, const char *option,
			      const char *argument,
			      const struct ssdpm_apst_params *params,
			      struct policy *ret_policy)
{
	struct policy policy = { .name = argument,
				 .what.size = sizeof(policy.what) };
	struct table_source table;
	enum exit_status status;

	if (!ssdpm_policy_parse(argument, params, &policy.what, NULL)) {
		*ret_policy = policy;
		return STATUS_DONE;
	}
	if (strcmp(option, "table") && !may_be_table(argument))
		return failure("%s", unknown_of("file or policy", argument,
						POLICY_WORDS)
					     .text);
	status = parse_table(common, option, argument, params, &table);
	if (!status)
		*ret_policy = policy_of_table(argument, &table.table);
	return status;
}

enum exit_status find_required_policies(const struct common *common,
					const struct named_policy *named,
					const struct ssdpm_apst_params *params,
					bool has_apst_options,
					struct policy *policies, size_t *ret_n)
{
	*ret_n = 1;
	if (named->option)
		return parse_policy(common, named->option, named->name, params,
				    policies);
	policies[0] = policy_of(params);
	if (has_apst_options)
		return STATUS_DONE;
	*ret_n = 3;
	policies[1] = policies[0];
	parse_policy(common, "policy", "today", params, policies);
	return parse_policy(common, "lpm", "med_power_with_dipm", params,
			    &policies[2]);
}

static bool has_policy(const struct policy *policies, size_t n,
		       const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(policies[i].name, name))
			return true;
	return false;
}

enum exit_status add_common_policies(const struct common *common,
				     const struct ssdpm_apst_params *params,
				     struct policy *policies, size_t *n)
{
	const size_t n_before = *n;
	enum exit_status status = STATUS_DONE;
	const char *name;

	for (size_t i = 0; !status && (name = ssdpm_policy_get_common(0, i));
	     i++)
		if (!has_policy(policies, n_before, name))
			status = parse_policy(common, "policy", name, params,
					      &policies[(*n)++]);
	return status;
}

struct policy policy_of(const struct ssdpm_apst_params *params)
{
	struct policy policy = { .what = { .size = sizeof(policy.what),
					   .kind = SSDPM_POLICY_ALGORITHM,
					   .params = *params } };

	ssdpm_policy_get_word(&policy.what, &policy.name, NULL);
	return policy;
}

struct policy policy_of_table(const char *name, const struct ssdpm_apst *table)
{
	return (struct policy){ .name = name,
				.what = { .size = sizeof(struct ssdpm_policy),
					  .kind = SSDPM_POLICY_TABLE,
					  .table = *table } };
}

bool policy_fits(const struct policy *policy, const struct drive *drive,
		 bool complains)
{
	const struct ssdpm_device_settings settings = find_settings(drive);
	struct ssdpm_error error;
	int err = ssdpm_policy_check(drive->model, &policy->what,
				     drive->device ? &settings : NULL, &error);

	if (err && complains)
		complain("%s: %s", drive->name, error.message);
	return !err;
}

struct policy reference_policy(const struct drive *drive,
			       const struct ssdpm_apst_params *params)
{
	const struct ssdpm_device_settings settings = find_settings(drive);
	struct policy policy = { .what.size = sizeof(policy.what) };

	ssdpm_policy_get_reference(drive->model,
				   drive->device ? &settings : NULL, params,
				   &policy.what, NULL);
	ssdpm_policy_get_word(&policy.what, &policy.name, NULL);
	return policy;
}

struct ssdpm_policy policy_with_quirks(const struct policy *policy,
				       const struct quirks *quirks)
{
	struct ssdpm_policy what = policy->what;

	what.params.quirks = quirks->added & APST_QUIRKS;
	return what;
}

struct ssdpm_device_settings settings_with_quirks(const struct drive *drive,
						  const struct quirks *quirks)
{
	struct ssdpm_device_settings settings = find_settings(drive);

	settings.quirks = quirks->in_force;
	settings.known |= SSDPM_SETTING_QUIRKS;
	return settings;
}

int resolve_policy(const struct policy *policy, const struct drive *drive,
		   const struct quirks *quirks,
		   const struct ssdpm_sim_params *params,
		   struct ssdpm_resolved_policy *ret_resolved,
		   struct ssdpm_error *reterr)
{
	const struct ssdpm_device_settings settings =
		settings_with_quirks(drive, quirks);
	const struct ssdpm_policy what = policy_with_quirks(policy, quirks);

	return ssdpm_policy_resolve(drive->model, &what, params, &settings,
				    ret_resolved, reterr);
}
