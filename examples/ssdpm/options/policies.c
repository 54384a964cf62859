/* SPDX-License-Identifier: MIT */
#include "options/policies.h"

#include "options/sim-options.h"

#include "base/quantity.h"

#include <string.h>

uint32_t find_lpm(const char *word)
{
	for (uint32_t i = 1; ssdpm_lpm_to_string(i); i++)
		if (!strcmp(word, ssdpm_lpm_to_string(i)))
			return i;
	return 0;
}

enum exit_status parse_policy(const struct common *common, const char *option,
			      const char *argument,
			      const struct ssdpm_apst_params *params,
			      struct policy *ret_policy)
{
	struct policy policy = {
		.kind = POLICY_TABLE,
		.name = argument,
		.source.params = *params,
		.lpm = find_lpm(argument),
	};
	enum exit_status status = STATUS_DONE;

	if (!strcmp(argument, "none")) {
		policy.kind = POLICY_NONE;
	} else if (!strcmp(argument, "today")) {
		policy.kind = POLICY_TODAY;
	} else if (policy.lpm) {
		policy.kind = POLICY_LPM;
	} else {
		status = parse_table_source(common, option, argument,
					    &policy.source);
		if (!status)
			status = read_table_source(&policy.source);
	}
	if (!status)
		*ret_policy = policy;
	return status;
}

static const char *const common_policies[] = {
	"today",
	"linux",
	"linux-legacy",
	"windows:balanced:ac",
	"windows:balanced:battery",
	"windows:performance:ac",
	"windows:performance:battery",
	"windows:power-saver:ac",
	"windows:power-saver:battery",
	"windows:modern-standby:ac",
	"windows:modern-standby:battery",
	"lower-envelope",
	"med_power_with_dipm", /* CONFIG_SATA_MOBILE_LPM_POLICY of 6.12 */
	"medium_power",
	"min_power_with_partial",
	"min_power",
	"none",
};

const char *common_policy(size_t index)
{
	return index < sizeof(common_policies) / sizeof(common_policies[0]) ?
		       common_policies[index] :
		       NULL;
}

struct policy policy_of(const struct ssdpm_apst_params *params)
{
	struct policy policy = {
		.kind = POLICY_TABLE,
		.source = { .is_algorithm = true, .params = *params },
	};
	const bool windows = params->algorithm == SSDPM_APST_WINDOWS;
	char name[64];

	policy.name = ssdpm_apst_algorithm_to_string(params->algorithm);
	snprintf(name, sizeof(name), "windows:%s:%s",
		 ssdpm_power_scheme_to_string(params->scheme),
		 ssdpm_power_source_to_string(params->power_source));
	for (size_t i = 0; windows && common_policy(i); i++)
		if (!strcmp(common_policy(i), name))
			policy.name = common_policy(i);
	policy.source.name = policy.name;
	return policy;
}

static bool has_today(const struct drive *drive)
{
	if (!drive->device)
		return false;
	/* A port whose policy is not known has one all the same: a range. */
	return ssdpm_model_get_info(drive->model)->kind == SSDPM_KIND_SATA ||
	       find_settings(drive).known & SSDPM_SETTING_APST;
}

bool policy_fits(const struct policy *policy, const struct drive *drive)
{
	uint32_t kind = ssdpm_model_get_info(drive->model)->kind;

	if (policy->kind == POLICY_TODAY)
		return has_today(drive);
	return policy->kind == POLICY_NONE ||
	       (policy->kind == POLICY_LPM) == (kind == SSDPM_KIND_SATA);
}

void complain_of_policy(const struct policy *policy, const struct drive *drive)
{
	if (policy->kind == POLICY_TODAY)
		complain("%s: %s is unknown: %s", drive->name, policy->name,
			 drive->device ? "its machine does not say" :
					 "only devices have it");
	else
		complain("%s: %s is for %s drives", drive->name, policy->name,
			 policy->kind == POLICY_LPM ? "SATA" : "NVMe");
}

struct policy reference_policy(const struct drive *drive,
			       const struct ssdpm_apst_params *params)
{
	const struct policy today = { .kind = POLICY_TODAY, .name = "today" };
	const struct policy lpm = { .kind = POLICY_LPM,
				    .name = "med_power_with_dipm",
				    .lpm = SSDPM_LPM_MED_POWER_WITH_DIPM };

	if (has_today(drive))
		return today;
	return ssdpm_model_get_info(drive->model)->kind == SSDPM_KIND_SATA ?
		       lpm :
		       policy_of(params);
}

/* Power of a state or, with another kind, of transitions; 0: unknown. */
static uint32_t find_power(const struct ssdpm_parameter *parameters, size_t n,
			   uint32_t kind, uint32_t index)
{
	for (size_t i = 0; i < n; i++)
		if (parameters[i].kind == kind && parameters[i].index == index)
			return parameters[i].nominal < UINT32_MAX ?
				       (uint32_t)parameters[i].nominal :
				       UINT32_MAX;
	return 0;
}

/* A table that depends on powers is made for the drive as it is simulated. */
static int make_envelope(const struct table_source *source,
			 const struct drive *drive, const struct quirks *quirks,
			 const struct ssdpm_parameter *parameters, size_t n,
			 struct ssdpm_apst *ret_table,
			 struct ssdpm_error *reterr)
{
	struct drive known = *drive;
	int err;

	err = ssdpm_parameters_to_model(drive->model, parameters, n,
					&known.model, reterr);
	if (err)
		return err;
	err = make_table(source, &known, quirks, ret_table, reterr);
	ssdpm_model_unref(known.model);
	return err;
}

int resolve_policy(const struct policy *policy, const struct drive *drive,
		   const struct quirks *quirks,
		   const struct ssdpm_parameter *parameters, size_t n,
		   uint32_t operational_state, struct resolved *ret_resolved,
		   struct ssdpm_error *reterr)
{
	struct resolved resolved = { .lpm = policy->lpm };
	struct table_source source = policy->source;
	struct ssdpm_apst_params *p = &source.params;
	int err = 0;

	if (policy->kind == POLICY_TODAY) {
		const struct ssdpm_device_settings s = find_settings(drive);

		resolved.table = s.apst;
		resolved.lpm = s.lpm;
	} else if (policy->kind != POLICY_TABLE) {
		resolved.table.sent = resolved.table.enabled = 1;
	} else if (source.is_algorithm &&
		   p->algorithm == SSDPM_APST_LOWER_ENVELOPE) {
		p->idle_power_uw =
			find_power(parameters, n, SSDPM_PARAMETER_IDLE_POWER,
				   operational_state);
		p->transition_power_uw = find_power(
			parameters, n, SSDPM_PARAMETER_TRANSITION_POWER, 0);
		err = make_envelope(&source, drive, quirks, parameters, n,
				    &resolved.table, reterr);
	} else {
		err = make_table(&source, drive, quirks, &resolved.table,
				 reterr);
	}
	if (err)
		return err;
	/* It stays unknown where the port does not say. */
	if (!resolved.lpm &&
	    (policy->kind != POLICY_TODAY ||
	     ssdpm_model_get_info(drive->model)->kind != SSDPM_KIND_SATA))
		resolved.lpm = SSDPM_LPM_MAX_PERFORMANCE;
	*ret_resolved = resolved;
	return 0;
}

static bool sleeps(const struct ssdpm_apst *table)
{
	return table->sent && table->enabled;
}

/* A table that is switched off does what one without entries does. */
bool same_policy(const struct resolved *a, const struct resolved *b)
{
	static const struct ssdpm_apst nothing;
	const struct ssdpm_apst *x = sleeps(&a->table) ? &a->table : &nothing;
	const struct ssdpm_apst *y = sleeps(&b->table) ? &b->table : &nothing;

	return a->lpm == b->lpm &&
	       !memcmp(x->entries, y->entries, sizeof(x->entries));
}

static bool same_entry(const struct ssdpm_apst_entry *a,
		       const struct ssdpm_apst_entry *b)
{
	return a->idle_ms == b->idle_ms && a->target == b->target;
}

void write_resolved_to(FILE *file, const struct resolved *resolved)
{
	const struct ssdpm_apst_entry *entries = resolved->table.entries;
	const char *before = "";

	for (uint32_t i = 0, last;
	     sleeps(&resolved->table) && i < SSDPM_MAX_STATES; i = last + 1) {
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

void print_resolved(const struct resolved *resolved)
{
	write_resolved_to(stdout, resolved);
}
