/* SPDX-License-Identifier: MIT */
#include "options/plan-options.h"

#include "options/units.h"
#include "options/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLAN struct plan_options

static const char *switch_word(uint32_t value)
{
	return value == SWITCH_ON ? "on" : value == SWITCH_OFF ? "off" : NULL;
}

static const struct option_spec options[] = {
	{ "config", 0, NULL, "Set what the files of ssdpm.conf(5) ask for.",
	  SETS_FLAG(PLAN, config) },
	{ "profile", 'p', "NAME|auto|performance|balanced|power-saver",
	  "Set a profile. auto: balanced on AC, power-saver on "
	  "battery.",
	  SETS_TEXT(PLAN, profile) },
	{ "profiles", 0, "FILE",
	  "Read your profiles from FILE, before the built-in ones.",
	  SETS_TEXT(PLAN, profiles_path), .rare = true },
	{ "source", 0, "auto|ac|battery",
	  "Choose the power source of the profile. Default: auto.", SETS_OWN,
	  .rare = true },
	{ "latency", 'l', "TIME|any",
	  "NVMe: Set the latency limit, as in 25ms; 0us turns APST "
	  "off.",
	  SETS_NUMBER(PLAN, max_exit_latency_us, TIME_US) },
	{ "nvme-core", 0, "NAME=VALUE",
	  "NVMe: Set a parameter of nvme_core for all drives, as in "
	  "apst_primary_timeout_ms=50.",
	  SETS_OWN, .rare = true },
	{ "apst", 0, "TABLE",
	  "NVMe: Set a table, a file or an algorithm, by Set "
	  "Features. The next reset loses it.",
	  SETS_TEXT(PLAN, table_name), .rare = true, .values = TABLE_WORDS },
	{ "lpm", 0, "POLICY,...",
	  "SATA: Set the first link policy that the port takes.", SETS_OWN,
	  .values = LPM_WORDS },
	{ "power-state", 0, "NUMBER",
	  "NVMe: Set an operational power state, for all or as in "
	  "nvme0=1,nvme1=2. The next reset loses it.",
	  SETS_OWN, .rare = true },
	{ "workload-hint", 0, "NUMBER",
	  "NVMe: Set the hint beside --power-state, 0 to 7. Default: "
	  "as it is.",
	  SETS_SMALL(PLAN, workload_hint, COUNT), .max = 7,
	  .range = "at most 7", .rare = true },
	{ "nopp", 0, "on|off",
	  "NVMe: Set background work above non-operational power to on or "
	  "off.",
	  SETS_WORD(PLAN, nopp, switch_word), .rare = true },
	{ "link", 0, "FEATURE=VALUE,...",
	  "NVMe: Set features of the PCIe link, as in "
	  "l1_2_aspm=off; aspm is all of ASPM.",
	  SETS_OWN, .rare = true, .values = LINK_WORDS },
	{ "d3cold", 0, "on|off",
	  "NVMe: Set whether Linux may take its power away in suspend.",
	  SETS_WORD(PLAN, d3cold, switch_word), .rare = true },
	{ "aspm-policy", 0, "default|performance|powersave|powersupersave",
	  "Set the ASPM policy of Linux, for all PCIe devices.",
	  SETS_WORD(PLAN, aspm_policy, ssdpm_aspm_policy_to_string),
	  .rare = true },
	{ "queue-depth", 0, "NUMBER",
	  "SATA: Set the number of commands that a drive has at a time; 1 is "
	  "without NCQ.",
	  SETS_SMALL(PLAN, queue_depth, COUNT), .min = 1, .max = 32,
	  .range = "from 1 to 32", .rare = true },
};

enum exit_status parse_lpms(const struct common *common, const char *option,
			    const char *text, uint32_t lpms[SSDPM_MAX_LPMS],
			    size_t *ret_n)
{
	size_t n = 0;

	for (const char *at = text; at;) {
		size_t length = strcspn(at, ",");
		uint32_t lpm = 0;
		char word[32] = "";

		if (length < sizeof(word)) {
			memcpy(word, at, length);
			word[length] = 0;
			lpm = ssdpm_lpm_from_string(word);
		}
		if (lpm == SSDPM_LPM_KEEP_FIRMWARE_SETTINGS)
			return usage_error(common,
					   "--%s %s: Linux has no way back to "
					   "keep_firmware_settings but a boot",
					   option, text);
		if (!lpm || n == SSDPM_MAX_LPMS)
			return unknown_value(common, option,
					     lpm || !*word ? text : word,
					     LPM_WORDS);
		lpms[n++] = lpm;
		at = at[length] ? at + length + 1 : NULL;
	}
	*ret_n = n;
	return STATUS_DONE;
}

static enum exit_status set_nvme_core(struct plan_options *settings,
				      const struct common *common,
				      const char *text)
{
	const char *equals = strchr(text, '=');
	int length = equals && equals - text < 48 ? (int)(equals - text) : 0;
	char option[64];
	uint32_t parameter;

	snprintf(option, sizeof(option), "nvme-core %.*s", length, text);
	parameter = ssdpm_nvme_core_from_string(strchr(option, ' ') + 1);
	if (parameter >= SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS &&
	    parameter <= SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US) {
		settings->nvme_core_given |= UINT32_C(1) << parameter;
		return parse_number(common, option, equals + 1, COUNT,
				    &settings->nvme_core[parameter]);
	}
	return usage_error(common,
			   "--nvme-core %s: write apst_primary_timeout_ms=, "
			   "apst_primary_latency_tol_us=, "
			   "apst_secondary_timeout_ms= or "
			   "apst_secondary_latency_tol_us= and a number",
			   text);
}

static enum exit_status set_source(struct plan_options *settings,
				   const struct common *common,
				   const char *text)
{
	settings->power_source = ssdpm_power_source_from_string(text);
	if (settings->power_source || !strcmp(text, "auto"))
		return STATUS_DONE;
	return unknown_value(common, "source", text, "ac|battery|auto");
}

static enum exit_status parse_power_state(const struct common *common,
					  const char *text, uint32_t *ret_state)
{
	uint64_t state;

	if (parse_number(common, "power-state", text, COUNT, &state))
		return STATUS_USAGE;
	if (state >= SSDPM_MAX_STATES)
		return usage_error(common, "--power-state %s: at most %u", text,
				   SSDPM_MAX_STATES - 1);
	*ret_state = (uint32_t)state;
	return STATUS_DONE;
}

/* "nvme0=1": the number of characters up to the comma or the end. */
static size_t split_power_state(const char *text, size_t *ret_name,
				const char **ret_number)
{
	size_t length = strcspn(text, ",");
	const char *equals = memchr(text, '=', length);

	*ret_name = equals ? (size_t)(equals - text) : 0;
	*ret_number = equals ? equals + 1 : text + length;
	return length;
}

/* The part of --power-state for a device, from its name on; or NULL. */
static const char *find_entry(const char *text, const char *device,
			      size_t length)
{
	const char *number;
	size_t name;

	for (;;) {
		size_t whole = split_power_state(text, &name, &number);

		if (name == length && !memcmp(device, text, name))
			return text;
		if (!text[whole])
			return NULL;
		text += whole + 1;
	}
}

bool find_power_state(const struct plan_options *settings, const char *device,
		      uint32_t *ret_state)
{
	const char *entry;

	*ret_state = settings->power_state;
	if (!settings->power_states)
		return plan_has(settings, "power-state");
	entry = find_entry(settings->power_states, device, strlen(device));
	if (!entry)
		return false;
	*ret_state = (uint32_t)strtoul(strchr(entry, '=') + 1, NULL, 10);
	return true;
}

static bool is_here(const struct drives *drives, const char *name,
		    size_t length)
{
	for (size_t i = 0; i < drives->n; i++) {
		const struct ssdpm_device_facts *facts =
			ssdpm_device_get_facts(drives->drives[i].device);

		if (strlen(facts->name) == length &&
		    !memcmp(facts->name, name, length))
			return true;
	}
	return false;
}

enum exit_status check_power_states(const struct common *common,
				    const struct plan_options *settings,
				    const struct drives *drives)
{
	const char *all = settings->power_states, *number;
	size_t name, length;

	for (const char *text = all; text;
	     text = text[length] ? text + length + 1 : NULL) {
		length = split_power_state(text, &name, &number);
		if (is_here(drives, text, name))
			continue;
		return usage_error(common,
				   "--power-state %s: unknown drive '%.*s'",
				   all, (int)name, text);
	}
	return STATUS_DONE;
}

static enum exit_status set_power_states(struct plan_options *settings,
					 const struct common *common,
					 const char *all)
{
	for (const char *text = all; text;) {
		size_t name, length;
		const char *digits;
		uint32_t state;
		char number[16];

		length = split_power_state(text, &name, &digits);
		length -= (size_t)(digits - text);
		if (!name || length >= sizeof(number))
			return usage_error(common,
					   "--power-state %s: a number, or "
					   "devices as in nvme0=1,nvme1=2",
					   all);
		if (find_entry(all, text, name) != text)
			return usage_error(common,
					   "--power-state %s: %.*s is given "
					   "twice",
					   all, (int)name, text);
		memcpy(number, digits, length);
		number[length] = 0;
		if (!length || strspn(number, "0123456789") < length)
			return usage_error(common,
					   "--power-state %s: %.*s=%s: a "
					   "device and a number, as in nvme0=1",
					   all, (int)name, text, number);
		if (parse_power_state(common, number, &state))
			return STATUS_USAGE;
		text = digits[length] ? digits + length + 1 : NULL;
	}
	settings->power_states = all;
	return STATUS_DONE;
}

static enum exit_status set_power_state(struct plan_options *settings,
					const struct common *common,
					const char *text)
{
	settings->power_states = NULL;
	if (strchr(text, '='))
		return set_power_states(settings, common, text);
	return parse_power_state(common, text, &settings->power_state);
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct plan_options *settings = data;
	const char *name = option->name;

	if (!strcmp(name, "source"))
		return set_source(settings, common, argument);
	if (!strcmp(name, "nvme-core"))
		return set_nvme_core(settings, common, argument);
	if (!strcmp(name, "lpm"))
		return parse_lpms(common, name, argument, settings->lpms,
				  &settings->n_lpms);
	if (!strcmp(name, "link"))
		return parse_link(common, argument, &settings->link);
	return set_power_state(settings, common, argument);
}

static void init(void *data)
{
	struct plan_options *settings = data;

	settings->workload_hint = SSDPM_WORKLOAD_HINT_KEEP;
}

const struct option_group plan_option_group = {
	OPTIONS(options), .title = "Settings",	    .set = set,
	.init = init,	  KEEPS_GIVEN(PLAN, given),
};

bool plan_has(const struct plan_options *settings, const char *option)
{
	return is_given(&plan_option_group, settings->given, option);
}

void set_latency(struct plan_options *settings, uint64_t us)
{
	size_t i = 0;

	while (strcmp(plan_option_group.options[i].name, "latency"))
		i++;
	settings->given |= UINT64_C(1) << i;
	settings->max_exit_latency_us = us;
}

bool is_until_boot(const struct plan_options *settings)
{
	return plan_has(settings, "link") || settings->queue_depth ||
	       settings->d3cold || settings->aspm_policy;
}

static bool is_empty(const struct plan_options *settings)
{
	return !settings->profile && !plan_has(settings, "latency") &&
	       !settings->nvme_core_given && !settings->table_name &&
	       !settings->n_lpms && !plan_has(settings, "power-state") &&
	       !settings->nopp && !is_until_boot(settings);
}

enum exit_status check_plan_options(const struct common *common,
				    struct plan_options *settings)
{
	struct ssdpm_apst_params params;

	if (settings->profile && !*settings->profile)
		return usage_error(common, "--profile \"\": name one, or auto");
	if (plan_has(settings, "workload-hint") &&
	    !plan_has(settings, "power-state"))
		return usage_error(common, "--workload-hint requires "
					   "--power-state");
	if (settings->config && !is_empty(settings))
		return usage_error(common, "--config sets what the files say: "
					   "give no other setting");
	settings->applied = !settings->config && is_empty(settings) &&
			    !strcmp(common->subcommand, "check");
	if (is_empty(settings) && !settings->applied && !settings->config)
		return usage_error(
			common,
			"nothing to set is given: --profile auto, "
			"or --config, --latency, --nvme-core, --apst, --lpm, "
			"--power-state, --nopp, --link, --d3cold, "
			"--aspm-policy or --queue-depth; see ssdpm %s --help",
			common->subcommand);
	if (!settings->profile && settings->profiles_path)
		return usage_error(common, "--profiles requires --profile");
	if (!settings->profile && !settings->config && settings->power_source)
		return usage_error(common, "--source requires --profile or "
					   "--config");
	if (!settings->table_name)
		return STATUS_DONE;
	ssdpm_apst_params_init(&params, sizeof(params));
	return parse_table(common, "apst", settings->table_name, &params,
			   &settings->table);
}

static enum exit_status complain_of_profile(const struct plan_options *settings,
					    const struct ssdpm_error *error)
{
	/* A message about a file of ssdpm.conf(5) has its name. */
	if (error->line && settings->profiles_path)
		complain("%s:%u: %s", settings->profiles_path, error->line,
			 error->message);
	else
		complain("%s", error->message);
	return STATUS_FAILED;
}

/* Where profiles are: in the text of --profiles, or in files of ssdpm.conf(5).
 */
struct profiles {
	struct buffer text;
	struct ssdpm_intent *intent;
};

static int find_one(const struct profiles *profiles, const char *name,
		    uint32_t source, struct ssdpm_profile_settings *ret,
		    struct ssdpm_error *reterr)
{
	ret->size = sizeof(*ret);
	if (profiles->intent)
		return ssdpm_intent_get_settings(profiles->intent, name, source,
						 ret, reterr);
	return ssdpm_profile_find(profiles->text.data, profiles->text.size,
				  name, source, ret, reterr);
}

/* Says which profile was meant, if one is similar, and not which there are. */
static void suggest_profile(const struct plan_options *settings,
			    const struct profiles *profiles,
			    struct ssdpm_error *error)
{
	struct suggestion suggestion = { .word = settings->profile };
	char name[32], best[32];

	for (size_t i = 0; !ssdpm_profile_get_name(
		     profiles->text.data, profiles->text.size, i, name, NULL);
	     i++) {
		suggest(&suggestion, name);
		if (suggestion.best == name)
			suggestion.best = strcpy(best, name);
	}
	if (suggestion.best)
		snprintf(error->message, sizeof(error->message), "%.240s",
			 unknown_word("profile", &suggestion, "").text);
}

static enum exit_status find_both(const struct plan_options *settings,
				  const struct live *live, struct profile *ret)
{
	struct profiles profiles = { .intent = NULL };
	struct ssdpm_error error;
	int err = 0, unread = 0;

	if (!settings->profiles_path)
		err = ssdpm_intent_read(live->machine, &profiles.intent,
					&error);
	else
		unread = read_operand(settings->profiles_path, &profiles.text);
	if (unread) {
		free(profiles.text.data);
		return status_of_file(unread);
	}
	if (!err)
		err = find_one(&profiles, settings->profile, SSDPM_SOURCE_AC,
			       &ret->ac, &error);
	if (!err)
		err = find_one(&profiles, settings->profile,
			       SSDPM_SOURCE_BATTERY, &ret->battery, &error);
	if (err == -ENOENT)
		suggest_profile(settings, &profiles, &error);
	ssdpm_intent_free(profiles.intent);
	free(profiles.text.data);
	return err ? complain_of_profile(settings, &error) : STATUS_DONE;
}

enum exit_status find_profile(const struct common *common,
			      const struct plan_options *settings,
			      const struct live *live, uint32_t source,
			      struct profile *ret)
{
	enum exit_status status;

	*ret = (struct profile){ 0 };
	if (!settings->profile)
		return STATUS_DONE;
	ret->is_auto = !strcmp(settings->profile, "auto");
	if (!source)
		source = live->facts.power_source;
	ret->source_assumed = !source;
	if (!source)
		source = SSDPM_SOURCE_AC;
	status = find_both(settings, live, ret);
	ret->now = source == SSDPM_SOURCE_AC ? ret->ac : ret->battery;
	if (status)
		return status;
	if (ret->source_assumed && !common->quiet)
		remark("no power supply says whether this machine is on AC; "
		       "taken: ac");
	return STATUS_DONE;
}
