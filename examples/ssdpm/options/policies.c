/* SPDX-License-Identifier: MIT */
#include "options/policies.h"

#include "options/sim-options.h"

#include "base/quantity.h"

#include <stdlib.h>
#include <string.h>

static enum exit_status read_table(struct policy *policy)
{
	struct ssdpm_error error;
	struct buffer buffer = { 0 };
	int err;

	if (read_operand(policy->name, &buffer)) {
		free(buffer.data);
		return STATUS_FAILED;
	}
	policy->what.kind = SSDPM_POLICY_TABLE;
	err = ssdpm_apst_from_data(buffer.data, buffer.size,
				   &policy->what.table, &error);
	free(buffer.data);
	if (err && error.line)
		complain("%s:%u: %s", policy->name, error.line, error.message);
	else if (err)
		complain("%s: %s", policy->name, error.message);
	return err ? STATUS_FAILED : STATUS_DONE;
}

/* "windows:balancd": no file has such a name. */
static bool begins_as_algorithm(const char *argument)
{
	const size_t n = strcspn(argument, ":");

	char word[32];

	if (n >= sizeof(word))
		return false;
	memcpy(word, argument, n);
	word[n] = '\0';
	return ssdpm_apst_algorithm_from_string(word);
}

enum exit_status parse_policy(const struct common *common, const char *option,
			      const char *argument,
			      const struct ssdpm_apst_params *params,
			      struct policy *ret_policy)
{
	struct policy policy = { .name = argument };
	enum exit_status status = STATUS_DONE;

	policy.what.size = sizeof(policy.what);
	if (!ssdpm_policy_parse(argument, params, &policy.what, NULL)) {
		*ret_policy = policy;
		return STATUS_DONE;
	}
	if (begins_as_algorithm(argument))
		return usage_error(common,
				   "--%s %s: write a file, or an algorithm as "
				   "in linux or windows:balanced:battery",
				   option, argument);
	status = read_table(&policy);
	if (!status)
		*ret_policy = policy;
	return status;
}

enum exit_status parse_table(const struct common *common, const char *option,
			     const char *argument,
			     const struct ssdpm_apst_params *params,
			     struct policy *ret_policy)
{
	if (begins_as_algorithm(argument))
		return parse_policy(common, option, argument, params,
				    ret_policy);
	*ret_policy = (struct policy){ .name = argument };
	ret_policy->what.size = sizeof(ret_policy->what);
	return read_table(ret_policy);
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

int make_table(const struct policy *policy, const struct drive *drive,
	       const struct quirks *quirks, struct ssdpm_apst *ret_table,
	       struct ssdpm_error *reterr)
{
	struct ssdpm_resolved_policy resolved;
	int err =
		resolve_policy(policy, drive, quirks, NULL, &resolved, reterr);

	if (!err)
		*ret_table = resolved.apst;
	return err;
}

static bool same_entry(const struct ssdpm_apst_entry *a,
		       const struct ssdpm_apst_entry *b)
{
	return a->idle_ms == b->idle_ms && a->target == b->target;
}

void write_apst_to(FILE *file, const struct ssdpm_apst *table)
{
	const struct ssdpm_apst_entry *entries = table->entries;
	const char *before = "";

	for (uint32_t i = 0, last;
	     table->sent && table->enabled && i < SSDPM_MAX_STATES;
	     i = last + 1) {
		last = i;
		if (!entries[i].idle_ms)
			continue;
		while (last + 1 < SSDPM_MAX_STATES &&
		       same_entry(&entries[i], &entries[last + 1]))
			last++;
		fprintf(file, "%sPS%u", before, i);
		if (last > i)
			fprintf(file, "-PS%u", last);
		fprintf(file, " to PS%u after %s", entries[i].target,
			ssdpm__format_us((uint64_t)entries[i].idle_ms * 1000)
				.text);
		before = ", ";
	}
	if (!*before)
		fputs("never sleeps", file);
}

void print_apst(const struct ssdpm_apst *table)
{
	write_apst_to(stdout, table);
}
