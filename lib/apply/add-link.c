/* SPDX-License-Identifier: MIT */
/* Steps for the features of a PCIe link, under an ASPM policy. */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	SUBSTATES = SSDPM_PCIE_FEATURE_L1_1 | SSDPM_PCIE_FEATURE_L1_2 |
		    SSDPM_PCIE_FEATURE_L1_1_PCIPM |
		    SSDPM_PCIE_FEATURE_L1_2_PCIPM,
};

static int check_link(const struct ssdpm_device_facts *facts, uint64_t value,
		      struct ssdpm_error *reterr)
{
	int err = ssdpm__check_nvme(facts, reterr);

	if (err)
		return err;
	if (!facts->pcie_capable)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: Linux does not set what its link does: "
				   "link/ of sysfs has no files",
				   facts->name);
	if ((value | value >> 32) & UINT32_MAX & ~facts->pcie_capable)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s: its link lacks a feature", facts->name);
	if ((uint32_t)value >= SSDPM_PCIE_FEATURE_L1_1 &&
	    !((value | value >> 32) & SSDPM_PCIE_FEATURE_L1))
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%s: L1.1 and L1.2 need l1_aspm",
				   facts->name);
	return 0;
}

/* policy_to_aspm_state(): "default" is what the firmware has set. */
static bool is_forbidden(uint32_t policy, const char *path)
{
	return policy == SSDPM_ASPM_PERFORMANCE ||
	       (policy == SSDPM_ASPM_POWERSAVE &&
		ssdpm__link_feature(strrchr(path, '/') + 1) & SUBSTATES);
}

/* 0: not known. */
static uint32_t policy_of_now(struct ssdpm_machine *machine)
{
	struct value now;

	if (ssdpm__read_value(machine, ssdpm__kind(SSDPM_STEP_ASPM_POLICY),
			      SSDPM__ASPM_POLICY, &now, NULL) ||
	    !now.is_known)
		return 0;
	return now.is.aspm_policy;
}

static void say_forbidden(uint32_t policy, const char *path, char why[96])
{
	snprintf(why, 96, "the ASPM policy %s forbids %s",
		 ssdpm_aspm_policy_to_string(policy), strrchr(path, '/') + 1);
}

int ssdpm__check_aspm_policy(struct ssdpm_machine *machine, const char *path,
			     struct ssdpm_error *reterr)
{
	const uint32_t policy = policy_of_now(machine);
	char why[96];

	if (!is_forbidden(policy, path))
		return 0;
	say_forbidden(policy, path, why);
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0, "/%s: %s", path, why);
}

/*
 * Linux says nothing where its policy forbids a feature, and from then on the
 * feature is one that a later policy turns on. So nothing is written.
 */
static int read_feature(struct ssdpm_plan *plan, struct step *step,
			struct ssdpm_error *reterr)
{
	const bool goes_on = step->change.after.is.pcie_link;
	const int err = ssdpm__step_read_now(plan, step, reterr);
	const struct step *planned = ssdpm__plan_find(
		plan, SSDPM_STEP_ASPM_POLICY, SSDPM__ASPM_POLICY);
	uint32_t policy;
	char why[96];

	if (err || !goes_on || step->state == SSDPM_STEP_LEFT_ALONE)
		return err;
	policy = planned ? planned->change.after.is.aspm_policy :
			   policy_of_now(plan->machine);
	if (!is_forbidden(policy, step->change.path) ||
	    (step->state == SSDPM_STEP_IN_FORCE && !planned))
		return 0;
	say_forbidden(policy, step->change.path, why);
	return ssdpm__step_leave_alone(step, why, reterr);
}

/*
 * Linux before 6.7 turns substates on with L1 unless they were turned off
 * themselves. If an earlier commit turned L1 off, those that were off beside it
 * stay off; so do those that the policy forbids.
 */
static int find_followers(struct ssdpm_plan *plan,
			  const struct ssdpm_device_facts *facts,
			  uint64_t value, uint32_t *ret_followers,
			  struct ssdpm_error *reterr)
{
	struct change l1 = { .kind = ssdpm__kind(SSDPM_STEP_PCIE_LINK) };
	char path[SSDPM__TARGET_BYTES];
	bool was_on;
	int err;

	*ret_followers = 0;
	if (!(value & ~facts->pcie_enabled & SSDPM_PCIE_FEATURE_L1) ||
	    is_forbidden(policy_of_now(plan->machine),
			 ssdpm__link_file(SSDPM_PCIE_FEATURE_L1_2)))
		return 0;
	snprintf(path, sizeof(path), "%s/device/%s", facts->path + 1,
		 ssdpm__link_file(SSDPM_PCIE_FEATURE_L1));
	l1.path = path;
	err = ssdpm__plan_has_changed(plan, &l1, &was_on, reterr);
	if (!err && !was_on)
		*ret_followers = (uint32_t)(value >> 32) & SUBSTATES;
	return err;
}

/*
 * Linux turns substates off with L1, and L1 on with a substate:
 * aspm_attr_store_common() in drivers/pci/pcie/aspm.c. So L1 is the first to go
 * on and the last to go off, and each step finds what it has planned on. But
 * substates that stay off are told so before. The way back is in the other
 * order.
 */
int ssdpm__plan_add_link(struct ssdpm_plan *plan, struct ssdpm_device *device,
			 uint64_t value, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	const bool is_on = value & SSDPM_PCIE_FEATURE_L1;
	uint32_t kept = (uint32_t)(value >> 32), followers = 0, steps;
	int err = check_link(facts, value, reterr);

	if (!err)
		err = find_followers(plan, facts, value, &followers, reterr);
	/* A substate that is on goes off with L1, and comes back with it. */
	if (!is_on && !(kept & SSDPM_PCIE_FEATURE_L1))
		kept &= ~(facts->pcie_enabled & SUBSTATES);
	steps = facts->pcie_capable & (~kept | followers);
	/* Substates from the last one; with L1, the others after that. */
	for (uint32_t i = 0; i < 14 && !err; i++) {
		const uint32_t bit =
			i < 7 ? SSDPM_PCIE_FEATURE_L1_2_PCIPM >> i :
				SSDPM_PCIE_FEATURE_CLKPM << (i - 7);
		const bool is_first =
			!is_on ||
			(bit >= SSDPM_PCIE_FEATURE_L1_1 && !(value & bit));
		struct wanted_step wanted = {
			.kind = SSDPM_STEP_PCIE_LINK,
			.after.pcie_link = (value & bit) != 0,
			.read = read_feature,
			.follows_l1 = (followers & bit) != 0,
		};

		if (steps & bit && is_first == (i < 7))
			err = ssdpm__plan_add_file(plan, device,
						   ssdpm__link_file(bit),
						   &wanted, reterr);
	}
	return err;
}
