/* SPDX-License-Identifier: MIT */
/* The steps of a plan, put into the order of a commit. */
#include "apply/internal.h"

#include <string.h>

struct step *ssdpm__plan_find(const struct ssdpm_plan *plan, uint32_t kind,
			      const char *path)
{
	for (size_t i = 0; i < plan->n_steps; i++) {
		struct step *step = plan->steps[i];

		if (step->change.kind->number == kind &&
		    !strcmp(step->change.path, path))
			return step;
	}
	return NULL;
}

enum { N_RANKS = 6 };

/*
 * Parameters come before the tolerances that make the kernel heed them. A table
 * of one's own comes after all that would replace it, and what cannot be undone
 * comes last.
 */
static uint32_t rank(const struct step *step)
{
	if (step->change.kind->role == ROLE_NONE &&
	    !(step->flags & SSDPM_STEP_REVERSIBLE))
		return N_RANKS - 1;
	return step->change.kind->rank;
}

/*
 * Whether a drive may take more power afterwards. Drives may share a limit, so
 * these come after those that take less.
 */
static bool raises_power(const struct step *step)
{
	const struct change *change = &step->change;

	return change->kind->number == SSDPM_STEP_POWER_STATE &&
	       change->before.is_known &&
	       change->before.is.power_state > change->after.is.power_state;
}

static void order_steps(struct ssdpm_plan *plan, uint32_t wanted, bool raising)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		if (rank(plan->steps[i]) == wanted &&
		    raises_power(plan->steps[i]) == raising)
			plan->order[plan->n_order++] = plan->steps[i];
}

bool ssdpm__parameters_change(const struct ssdpm_plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		if (plan->steps[i]->change.kind->role == ROLE_PARAMETER &&
		    ssdpm__step_is_pending(plan->steps[i]))
			return true;
	return false;
}

/* One that is not left alone. */
static struct step *find_active(const struct ssdpm_plan *plan, uint32_t kind,
				const char *path)
{
	struct step *step = ssdpm__plan_find(plan, kind, path);

	return step && step->state != SSDPM_STEP_LEFT_ALONE ? step : NULL;
}

struct step *ssdpm__plan_find_table(const struct ssdpm_plan *plan,
				    const struct plan_drive *drive)
{
	return find_active(plan, SSDPM_STEP_APST,
			   ssdpm_device_get_facts(drive->device)->path + 1);
}

/* Does the plan say what the table of the drive is made from? */
static bool is_meant(const struct ssdpm_plan *plan,
		     const struct step *tolerance)
{
	for (size_t i = 0; !tolerance && i < plan->n_steps; i++)
		if (plan->steps[i]->change.kind->role == ROLE_PARAMETER &&
		    plan->steps[i]->state != SSDPM_STEP_LEFT_ALONE)
			return true;
	return tolerance;
}

/* Must the kernel be told to build the table of this drive? */
static bool needs_rebuild(const struct ssdpm_plan *plan,
			  const struct plan_drive *drive)
{
	const struct step *tolerance;

	if (!drive->rebuild)
		return false;
	/* What was done stays in the list. */
	if (drive->rebuild->change.begun)
		return true;
	tolerance = find_active(plan, SSDPM_STEP_LATENCY_TOLERANCE,
				drive->rebuild->change.path);
	if (tolerance && tolerance->state != SSDPM_STEP_IN_FORCE)
		return false;
	/* With tolerance 0 APST is off, whatever the parameters say. */
	if ((ssdpm__parameters_change(plan) || drive->is_old) &&
	    drive->rebuild->change.after.is.max_exit_latency_us)
		return true;
	return drive->is_foreign && is_meant(plan, tolerance) &&
	       !ssdpm__plan_find_table(plan, drive);
}

/* Will the kernel build a table for this controller? */
static bool is_rebuilt(const struct ssdpm_plan *plan, const char *controller)
{
	for (size_t i = 0; i < plan->n_order; i++)
		if (ssdpm__is_tolerance_of(&plan->order[i]->change,
					   controller) &&
		    ssdpm__step_is_pending(plan->order[i]))
			return true;
	return false;
}

bool ssdpm__drive_is_built_anew(const struct ssdpm_plan *plan,
				const struct plan_drive *drive)
{
	return drive->rebuild &&
	       is_rebuilt(plan,
			  ssdpm_device_get_facts(drive->device)->path + 1);
}

bool ssdpm__drive_is_rebuilt(const struct ssdpm_plan *plan,
			     const struct plan_drive *drive)
{
	return is_rebuilt(plan,
			  ssdpm_device_get_facts(drive->device)->path + 1) &&
	       !ssdpm__plan_find_table(plan, drive);
}

/* A table of one's own that is in force is lost when the kernel builds its. */
static void order_table(struct ssdpm_plan *plan, struct step *step)
{
	const struct change *change = &step->change;

	if (step->state == SSDPM_STEP_IN_FORCE &&
	    is_rebuilt(plan, change->path))
		step->state = SSDPM_STEP_PLANNED;
	else if (step->state == SSDPM_STEP_PLANNED &&
		 !is_rebuilt(plan, change->path) &&
		 ssdpm__value_is(&change->before, &change->after))
		step->state = SSDPM_STEP_IN_FORCE;
}

/* The step of L1 for the link of this one. */
static const struct step *find_l1(const struct ssdpm_plan *plan,
				  const struct step *step)
{
	const size_t n = (size_t)(strrchr(step->change.path, '/') + 1 -
				  step->change.path);

	for (size_t i = 0; i < plan->n_steps; i++)
		if (plan->steps[i]->change.kind == step->change.kind &&
		    !strncmp(plan->steps[i]->change.path, step->change.path,
			     n) &&
		    !strcmp(plan->steps[i]->change.path + n, "l1_aspm"))
			return plan->steps[i];
	return NULL;
}

/*
 * Without L1 a substate is off, whatever its file was told. Linux before 6.7
 * turned it on with L1. So it is told again, and before L1 goes on. One that
 * nobody asks for is left to a policy that the plan changes.
 */
static void order_substate(const struct ssdpm_plan *plan, struct step *step)
{
	const struct step *l1 = find_l1(plan, step);
	const struct step *policy =
		find_active(plan, SSDPM_STEP_ASPM_POLICY, SSDPM__ASPM_POLICY);
	const bool is_left = step->follows_l1 && policy &&
			     policy->state != SSDPM_STEP_IN_FORCE;
	const bool is_told = l1 && l1 != step && ssdpm__step_is_pending(l1) &&
			     l1->change.after.is.pcie_link && !is_left;

	if (step->change.after.is.pcie_link ||
	    !strstr(step->change.path, "/l1_"))
		return;
	if (step->state == SSDPM_STEP_IN_FORCE && is_told)
		step->state = SSDPM_STEP_PLANNED;
	else if (step->state == SSDPM_STEP_PLANNED && !is_told)
		ssdpm__step_settle(step);
}

/* There is room in order: see reserve(). */
void ssdpm__plan_arrange(struct ssdpm_plan *plan)
{
	const uint32_t rank_of_rebuilds = ssdpm__kind(SSDPM_STEP_REBUILD)->rank;

	plan->n_order = 0;
	for (uint32_t r = 0; r < N_RANKS; r++) {
		order_steps(plan, r, false);
		order_steps(plan, r, true);
		for (size_t i = 0; i < plan->n_drives; i++)
			if (r == rank_of_rebuilds &&
			    needs_rebuild(plan, &plan->drives[i]))
				plan->order[plan->n_order++] =
					plan->drives[i].rebuild;
	}
	for (size_t i = 0; i < plan->n_steps; i++)
		if (plan->steps[i]->change.kind->role == ROLE_TABLE)
			order_table(plan, plan->steps[i]);
	for (size_t i = 0; i < plan->n_steps; i++)
		if (plan->steps[i]->change.kind->number == SSDPM_STEP_PCIE_LINK)
			order_substate(plan, plan->steps[i]);
}
