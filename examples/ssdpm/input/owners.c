/* SPDX-License-Identifier: MIT */
#include "input/owners.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What the plan sets: bits of enum ssdpm_owner_target. */
static uint32_t find_targets(const struct ssdpm_plan *plan)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	uint32_t targets = 0;

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++) {
		if (step.state == SSDPM_STEP_LEFT_ALONE)
			continue;
		if (step.kind == SSDPM_STEP_LPM)
			targets |= SSDPM_OWNER_SETS_LPM;
		if (step.kind == SSDPM_STEP_LATENCY_TOLERANCE)
			targets |= SSDPM_OWNER_SETS_LATENCY_TOLERANCE;
		if (step.kind == SSDPM_STEP_ASPM_POLICY)
			targets |= SSDPM_OWNER_SETS_ASPM_POLICY;
	}
	return targets;
}

/* Another way to change the setting; "": unknown. */
static void describe_way(const struct ssdpm_owner *owner, char way[80])
{
	const char *word = ssdpm_owner_kind_to_string(owner->kind);

	*way = 0;
	if (owner->kind == SSDPM_OWNER_SSDPM)
		snprintf(way, 80, " (revert --persist=%.20s removes it)",
			 owner->setting);
	else if (owner->sets != SSDPM_OWNER_SETS_ASPM_POLICY &&
		 (owner->kind == SSDPM_OWNER_TLP ||
		  owner->kind == SSDPM_OWNER_TUNED))
		snprintf(way, 80, " (--persist %s makes it set the same)",
			 word);
}

/* The value that a step finds, as files spell it; "": none of these. */
static void format_found(const struct ssdpm_step *step, char word[32])
{
	const struct ssdpm_step_value *found = step->before_value;

	*word = 0;
	if (found && step->kind == SSDPM_STEP_LPM)
		snprintf(word, 32, "%s", ssdpm_lpm_to_string(found->lpm));
	else if (found && step->kind == SSDPM_STEP_LATENCY_TOLERANCE)
		snprintf(word, 32, "%llu",
			 (unsigned long long)found->max_exit_latency_us);
	else if (found && step->kind == SSDPM_STEP_ASPM_POLICY)
		snprintf(word, 32, "%s",
			 ssdpm_aspm_policy_to_string(found->aspm_policy));
}

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *text, const char *word)
{
	const size_t n = strlen(word);

	for (const char *at = text; n && (at = strstr(at, word)); at++)
		if ((at == text || !is_in_word(at[-1])) && !is_in_word(at[n]))
			return true;
	return false;
}

/* Whether it names the present value, which the plan replaces. */
static bool names_what_is(const struct ssdpm_owner *owner,
			  const struct ssdpm_plan *plan, char word[32])
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++) {
		if (!(SSDPM_STEPS_PENDING >> step.state & 1))
			continue;
		format_found(&step, word);
		if (has_word(owner->setting, word))
			return true;
	}
	return false;
}

void say_owner(const struct ssdpm_owner *owner, const struct ssdpm_plan *plan)
{
	const char *name = ssdpm_owner_kind_to_string(owner->kind);
	char way[80], line[16] = "", word[32];

	describe_way(owner, way);
	if (owner->line)
		snprintf(line, sizeof(line), ":%u", owner->line);
	if (names_what_is(owner, plan, word))
		remark("%s asks for %s, which is there now, and may undo this: "
		       "%s%s: %s%s",
		       name, word, owner->path, line, owner->setting, way);
	else
		remark("%s sets the same, and may undo this: %s%s: %s%s", name,
		       owner->path, line, owner->setting, way);
}

/* Modules read their files before any value is set. */
static bool may_undo(const struct ssdpm_owner *owner, uint32_t targets,
		     const char *but)
{
	return owner->sets & targets &&
	       !(owner->sets & SSDPM_OWNER_SETS_PARAMETER) &&
	       (!but ||
		(strcmp(ssdpm_owner_kind_to_string(owner->kind), but) != 0 &&
		 strcmp(owner->setting, but) != 0));
}

enum exit_status find_owners(const struct live *live,
			     const struct ssdpm_plan *plan, const char *but,
			     struct ssdpm_owner **ret_owners, size_t *ret_n)
{
	const uint32_t targets = find_targets(plan);
	struct ssdpm_owner *owners;
	struct ssdpm_error error;
	size_t n, found = 0;

	if (ssdpm_machine_read_owners(live->machine, &owners, &n, &error))
		return complain_of_device(NULL, &error);
	for (size_t i = 0; i < n; i++)
		if (may_undo(&owners[i], targets, but))
			owners[found++] = owners[i];
	*ret_owners = owners;
	*ret_n = found;
	return STATUS_DONE;
}
