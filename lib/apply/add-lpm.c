/* SPDX-License-Identifier: MIT */
/* A step for a SATA port: may its policy be set, and to which one? */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_CAP_SALP (1u << 26)

enum { VENDOR_ATI = 0x1002, VENDOR_AMD = 0x1022 };

int ssdpm__lpm_path(const struct ssdpm_device_facts *facts,
		    char path[SSDPM__TARGET_BYTES], struct ssdpm_error *reterr)
{
	char host[SSDPM__PATH_BYTES];

	if (!ssdpm__sata_find_host(facts, host))
		return ssdpm__fail(reterr, -ENODEV, 0,
				   "%s: there is no host%u above %s",
				   facts->name, facts->host, facts->path);
	snprintf(path, SSDPM__TARGET_BYTES, "%s/link_power_management_policy",
		 host);
	return 0;
}

void ssdpm__port_name(const struct ssdpm_device_facts *facts, char name[32])
{
	if (facts->flags & SSDPM_DEVICE_SHARED_PORT)
		snprintf(name, 32, "host%u", facts->host);
	else
		snprintf(name, 32, "%s", facts->name);
}

/* Why a port is left alone unless it is named; NULL: it is not. */
static const char *reason_to_leave(const struct ssdpm_device_facts *facts)
{
	if (facts->flags & SSDPM_DEVICE_EXTERNAL)
		return "the port is external: a disk that is plugged in would "
		       "not be noticed";
	if (facts->flags & SSDPM_DEVICE_HOT_PLUG)
		return "the port is for hot-plug: a disk that is plugged in "
		       "would not be noticed";
	if (facts->flags & SSDPM_DEVICE_OPTICAL)
		return "an optical drive is on the port";
	if (facts->flags & SSDPM_DEVICE_EMPTY)
		return "no disk is on the port";
	return NULL;
}

static bool is_reason(uint32_t code)
{
	return code == SSDPM_DIAGNOSIS_OUT_OF_REACH ||
	       code == SSDPM_DIAGNOSIS_EXTERNAL_PORT ||
	       code == SSDPM_DIAGNOSIS_HOT_PLUG_PORT ||
	       code == SSDPM_DIAGNOSIS_LPM_UNSUPPORTED;
}

/* With what the diagnosis says of it. */
static int refuse(const struct ssdpm_plan *plan,
		  const struct ssdpm_device *device, struct ssdpm_error *reterr)
{
	const char *name = ssdpm_device_get_facts(device)->name;
	const struct ssdpm_diagnosis_params params = {
		.size = sizeof(params),
		.facts = &plan->facts,
	};
	struct ssdpm_diagnosis *found;
	size_t n, i = 0;
	int err;

	err = ssdpm_device_diagnose(device, &params, &found, &n, reterr);
	if (err)
		return err;
	while (i < n && !is_reason(found[i].code))
		i++;
	if (i == n)
		ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			    "%s: no link power management", name);
	else
		ssdpm__fail(reterr, -EOPNOTSUPP, 0, "%s: %.220s", name,
			    found[i].message);
	free(found);
	return -EOPNOTSUPP;
}

static int check_sata(const struct ssdpm_plan *plan,
		      const struct ssdpm_device *device,
		      struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);

	if (facts->kind != SSDPM_KIND_SATA)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s is on no SATA port", facts->name);
	if (facts->reach != SSDPM_REACH_YES || ssdpm__refuses_lpm(facts))
		return refuse(plan, device, reterr);
	if (facts->known & SSDPM_FACT_LPM)
		return 0;
	if (facts->lpm_word[0])
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: the policy of its port is %s, which "
				   "this version does not know and could not "
				   "restore",
				   facts->name, facts->lpm_word);
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s: the policy of its port cannot be read",
			   facts->name);
}

static int check_lpm_quirks(const struct ssdpm_device_facts *facts,
			    uint32_t quirks, struct ssdpm_error *reterr)
{
	const uint16_t vendor = facts->pci_vendor_id;

	if (quirks & SSDPM_QUIRK_NO_LPM)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: the quirk no-lpm forbids it: %s fails "
				   "with link power management",
				   facts->name, facts->product);
	if ((quirks & SSDPM_QUIRK_NO_LPM_ON_ATI && vendor == VENDOR_ATI) ||
	    (quirks & SSDPM_QUIRK_NO_LPM_ON_ATI_AND_AMD &&
	     (vendor == VENDOR_ATI || vendor == VENDOR_AMD)))
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: a quirk forbids it: %s fails with link "
				   "power management behind an adapter of "
				   "vendor %04x",
				   facts->name, facts->product, vendor);
	return 0;
}

/* The kernel, too, has its list of quirks: a model adds to it. */
static int check_disk(const struct ssdpm_plan *plan,
		      const struct ssdpm_device *device,
		      const struct ssdpm_model *model,
		      struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	uint32_t quirks, from_kernel;
	struct ssdpm_error error;
	int err;

	if (facts->flags & (SSDPM_DEVICE_EMPTY | SSDPM_DEVICE_OPTICAL))
		return 0;
	err = ssdpm_device_get_quirks(device, &plan->facts, model, &quirks,
				      &from_kernel, &error);
	if (err == -ENODATA)
		return 0;
	return err ? ssdpm__pass_on(err, &error, reterr) :
		     check_lpm_quirks(facts, quirks, reterr);
}

/* Without a model sysfs may have one: disks lose data where this is missed. */
static int read_disk(struct ssdpm_plan *plan, struct step *step,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_model *model = NULL;
	struct ssdpm_error error;
	int err;

	err = ssdpm_device_read_model(step->source, 0, NULL, &model, &error);
	if (err == -ENOMEM)
		return ssdpm__pass_on(err, &error, reterr);
	if (err)
		return 0;
	err = check_disk(plan, step->source, model, &error);
	ssdpm_model_unref(model);
	if (err == -EOPNOTSUPP)
		return ssdpm__step_leave_alone(step, error.message, reterr);
	return ssdpm__pass_on(err, &error, reterr);
}

/* Whether a kernel knows a name shows when it is written: to max_performance
 * and back would be for nothing if its release says so already. */
static bool release_knows(const char *release, uint32_t lpm)
{
	unsigned long major, minor;
	char *end;

	major = strtoul(release, &end, 10);
	if (end == release || *end != '.')
		return true;
	minor = strtoul(end + 1, NULL, 10);
	if (lpm == SSDPM_LPM_MED_POWER_WITH_DIPM)
		return major > 4 || (major == 4 && minor >= 16);
	if (lpm == SSDPM_LPM_MIN_POWER_WITH_PARTIAL)
		return major > 4 || (major == 4 && minor >= 19);
	return true;
}

static int take_lpms(const struct ssdpm_plan *plan, struct change *change,
		     const uint32_t *lpms, size_t n, struct ssdpm_error *reterr)
{
	for (size_t i = 0; i < n; i++)
		if (release_knows(plan->facts.linux_release, lpms[i]))
			change->lpms[change->n_lpms++] = lpms[i];
	if (change->n_lpms)
		return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0, "Linux %s has no %s",
			   plan->facts.linux_release,
			   ssdpm_lpm_to_string(lpms[0]));
}

static int check_lpms(const uint32_t *lpms, size_t n,
		      struct ssdpm_error *reterr)
{
	if (!n || n > SSDPM_MAX_LPMS)
		return ssdpm__fail(reterr, -EINVAL, 0,
				   "%zu policies: 1 to %d can be given", n,
				   SSDPM_MAX_LPMS);
	for (size_t i = 0; i < n; i++) {
		if (lpms[i] == SSDPM_LPM_KEEP_FIRMWARE_SETTINGS)
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "keep_firmware_settings cannot be "
					   "set: the kernel refuses it");
		if (!ssdpm_lpm_to_string(lpms[i]))
			return ssdpm__fail(reterr, -EINVAL, 0,
					   "%u is no policy", lpms[i]);
	}
	return 0;
}

void ssdpm__judge_host_bits(const struct ssdpm_device_facts *facts,
			    struct step *step)
{
	const bool caps = facts->known & SSDPM_FACT_AHCI_HOST_CAPS;
	const bool salp = caps && facts->ahci_host_caps & HOST_CAP_SALP;

	if (step->change.lpms[0] == SSDPM_LPM_MAX_PERFORMANCE)
		return; /* these bits are cleared, where there are any */
	if ((caps && !salp) || facts->devices_without_hipm)
		step->flags |= SSDPM_STEP_NO_HOST_BITS;
	else
		step->change.host_bits =
			salp && facts->n_devices &&
			facts->known & SSDPM_FACT_AHCI_PORT_CMD;
}

static int say_lpm(const struct ssdpm_device_facts *facts, bool is_word_only,
		   struct step *step, struct ssdpm_error *reterr)
{
	if (is_word_only)
		return ssdpm__step_set_why(
			step, reterr,
			"the port reads so, but PxCMD %08x does not show it; "
			"by way of max_performance",
			facts->ahci_port_cmd);
	if (!(step->flags & SSDPM_STEP_REVERSIBLE))
		return ssdpm__step_set_why(
			step, reterr,
			"by way of max_performance; keep_firmware_settings "
			"cannot be brought back before the next boot");
	if (step->flags & SSDPM_STEP_NO_HOST_BITS)
		return ssdpm__step_set_why(
			step, reterr,
			"by way of max_performance; without HIPM, which %s "
			"cannot do",
			facts->devices_without_hipm ? "a device" :
						      "the adapter");
	return ssdpm__step_set_why(step, reterr, "by way of max_performance");
}

/*
 * Whether the policy that the port reads is in force. Linux has not set it, or
 * gave up, if the registers say otherwise. Those of a capture tell nothing of a
 * policy that was written to it.
 */
static int find_in_force(struct ssdpm_plan *plan,
			 const struct ssdpm_device_facts *facts,
			 const struct change *change, bool *ret_in_force,
			 struct ssdpm_error *reterr)
{
	*ret_in_force = !change->host_bits ||
			ssdpm__has_host_bits(facts->ahci_port_cmd, facts->lpm);
	if (*ret_in_force || !plan->machine->capture)
		return 0;
	return ssdpm__plan_has_changed(plan, change, ret_in_force, reterr);
}

static int fill_step(struct ssdpm_plan *plan, struct ssdpm_device *device,
		     const struct ssdpm_model *model, struct step *step,
		     struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct change *change = &step->change;
	const struct ssdpm_step_value before = { .lpm = facts->lpm };
	const struct ssdpm_step_value after = { .lpm = change->lpms[0] };
	bool in_force = false;
	int err = 0;

	ssdpm__value_set(change->kind, &before, &change->before);
	ssdpm__value_set(change->kind, &after, &change->after);
	if (facts->lpm == SSDPM_LPM_KEEP_FIRMWARE_SETTINGS)
		step->flags &= ~(uint32_t)SSDPM_STEP_REVERSIBLE;
	ssdpm__judge_host_bits(facts, step);
	if (before.lpm == after.lpm)
		err = find_in_force(plan, facts, change, &in_force, reterr);
	if (err)
		return err;
	if (in_force)
		step->state = SSDPM_STEP_IN_FORCE;
	err = say_lpm(facts, before.lpm == after.lpm && !in_force, step,
		      reterr);
	return err ? err : ssdpm__step_warn(plan, step, device, model, reterr);
}

static int make_lpm(struct ssdpm_plan *plan, struct ssdpm_device *device,
		    const struct ssdpm_model *model, const char *path,
		    const uint32_t *lpms, size_t n, struct step **ret_step,
		    struct ssdpm_error *reterr)
{
	struct step *step;
	char name[32];
	int err;

	ssdpm__port_name(ssdpm_device_get_facts(device), name);
	err = ssdpm__step_new(SSDPM_STEP_LPM, path, name, &step, reterr);
	if (err)
		return err;
	err = take_lpms(plan, &step->change, lpms, n, reterr);
	if (!err)
		err = fill_step(plan, device, model, step, reterr);
	if (err) {
		ssdpm__step_free(step);
		return err;
	}
	step->source = ssdpm_device_ref(device);
	if (!model)
		step->read = read_disk;
	*ret_step = step;
	return 0;
}

static int take_params(const struct ssdpm_lpm_params *params,
		       struct ssdpm_lpm_params *ret_given,
		       struct ssdpm_error *reterr)
{
	int err = ssdpm__sized_in(ret_given, sizeof(*ret_given), params,
				  "ssdpm_lpm_params", reterr);

	if (!err)
		err = ssdpm__check_reserved(ret_given->reserved,
					    "ssdpm_lpm_params", reterr);
	if (err)
		return err;
	if (ret_given->flags & ~(uint32_t)SSDPM_LPM_ANY_PORT)
		return ssdpm__fail(reterr, -EINVAL, 0, "unknown flags %#x",
				   ret_given->flags);
	return check_lpms(ret_given->lpms, ret_given->n_lpms, reterr);
}

int ssdpm_plan_add_lpm(struct ssdpm_plan *plan, struct ssdpm_device *device,
		       struct ssdpm_model *model,
		       const struct ssdpm_lpm_params *params,
		       struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	char path[SSDPM__TARGET_BYTES], name[32];
	const char *leave = NULL;
	struct ssdpm_lpm_params given = { .size = sizeof(given) };
	struct step *step;
	int err;

	err = take_params(params, &given, reterr);
	if (!err)
		err = ssdpm__plan_check_open(plan, reterr);
	if (!err && facts->kind == SSDPM_KIND_SATA &&
	    facts->reach == SSDPM_REACH_YES &&
	    !(given.flags & SSDPM_LPM_ANY_PORT))
		leave = reason_to_leave(facts);
	if (!err && leave && facts->known & SSDPM_FACT_LPM) {
		err = ssdpm__lpm_path(facts, path, reterr);
		ssdpm__port_name(facts, name);
		return err ? err :
			     ssdpm__plan_leave_alone(plan, SSDPM_STEP_LPM, path,
						     name, leave, reterr);
	}
	if (!err)
		err = check_sata(plan, device, reterr);
	if (!err)
		err = check_disk(plan, device, model, reterr);
	if (!err)
		err = ssdpm__lpm_path(facts, path, reterr);
	if (!err)
		err = make_lpm(plan, device, model, path, given.lpms,
			       given.n_lpms, &step, reterr);
	return err ? err : ssdpm__plan_put(plan, step, reterr);
}
