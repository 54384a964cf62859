/* SPDX-License-Identifier: MIT */
/* A step for a SATA port: may its policy be set, and to which one? */
#include "apply/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_CAP_SALP (1u << 26)

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

/*
 * Why a port is left alone unless SSDPM_LPM_ANY_PORT is given; NULL: it is not.
 * Beyond ports that somebody plugs into, ssdpm_device_get_settings() knows
 * those of several devices.
 */
static int find_reason(const struct ssdpm_plan *plan,
		       const struct ssdpm_device *device,
		       const char **ret_reason, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };
	int err = ssdpm_device_get_settings(device, &plan->facts, NULL,
					    &settings, reterr);

	if (err)
		return err;
	if (facts->flags & SSDPM_DEVICE_EXTERNAL)
		*ret_reason = "the port is external: a disk that is plugged in "
			      "would not be noticed";
	else if (facts->flags & SSDPM_DEVICE_HOT_PLUG)
		*ret_reason = "the port is for hot-plug: a disk that is "
			      "plugged in would not be noticed";
	else if (facts->flags & SSDPM_DEVICE_OPTICAL)
		*ret_reason = "an optical drive is on the port";
	else if (facts->flags & SSDPM_DEVICE_EMPTY)
		*ret_reason = "no disk is on the port";
	else if (settings.left_alone)
		*ret_reason = "several devices share the port: its policy is "
			      "that of all";
	return 0;
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
	/* It is found for the adapter of the disk. */
	if (quirks & SSDPM_QUIRK_NO_LPM)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: the quirk no-lpm forbids it: %s fails "
				   "with link power management",
				   facts->name, facts->product);
	return 0;
}

/*
 * The kernel, too, has its list of quirks: a model adds to it. Without either
 * there is nothing to check, as for a port without a disk.
 */
static int check_disk(const struct ssdpm_plan *plan,
		      const struct ssdpm_device *device,
		      const struct ssdpm_model *model,
		      struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	uint32_t quirks, from_kernel;
	struct ssdpm_error error;
	int err;

	err = ssdpm_device_get_quirks(device, &plan->facts, model, &quirks,
				      &from_kernel, &error);
	if (err == -ENODATA)
		return 0;
	return err ? ssdpm__pass_on(err, &error, reterr) :
		     check_lpm_quirks(facts, quirks, reterr);
}

/* Without a model sysfs may have one: disks lose data where this is missed. */
static int read_disk(const struct ssdpm_plan *plan, const char *name,
		     struct ssdpm_error *reterr)
{
	struct ssdpm_device *device;
	struct ssdpm_model *model = NULL;
	struct ssdpm_error error;
	int err = ssdpm_device_read(plan->machine, name, &device, &error);

	if (err)
		return err == -ENOENT || err == -ENODEV ?
			       0 :
			       ssdpm__pass_on(err, &error, reterr);
	err = ssdpm_device_read_model(device, 0, NULL, &model, &error);
	if (!err)
		err = check_disk(plan, device, model, &error);
	else if (err != -ENOMEM)
		err = 0;
	ssdpm_model_unref(model);
	ssdpm_device_unref(device);
	return ssdpm__pass_on(err, &error, reterr);
}

/* Is it a disk below the directory of this port? */
static int is_on_port(const struct ssdpm_plan *plan, const char *port,
		      const char *name, bool *ret)
{
	char link[SSDPM__PATH_BYTES], real[SSDPM__PATH_BYTES];
	const size_t n = strlen(port);
	int err;

	*ret = false;
	if (strncmp(name, "sd", 2) || ssdpm__join(link, "sys/block", name))
		return 0;
	err = ssdpm__real_path(plan->machine, link, real, sizeof(real));
	*ret = !err && !strncmp(real, port, n) && real[n] == '/';
	return err == -ENOMEM ? err : 0;
}

/*
 * Libata sets the whole port: one disk that fails with a policy is enough.
 * -EOPNOTSUPP: reterr names that disk. but: a disk that was checked, or NULL.
 */
static int read_port(const struct ssdpm_plan *plan, const struct step *step,
		     const char *but, struct ssdpm_error *reterr)
{
	char port[SSDPM__TARGET_BYTES];
	struct names names = { 0 };
	bool is_here;
	int err;

	/* ata1/host0/scsi_host/host0/link_power_management_policy */
	snprintf(port, sizeof(port), "%s", step->change.path);
	if (!ssdpm__path_up(port, 3))
		return 0;
	err = ssdpm__list_names(plan->machine, "sys/block", &names);
	if (err)
		return err == -ENOENT ?
			       0 :
			       ssdpm__fail(reterr, err, 0, "/sys/block: %s",
					   ssdpm_strerror(err));
	for (size_t i = 0; !err && i < names.n; i++) {
		err = is_on_port(plan, port, names.names[i], &is_here);
		if (err)
			ssdpm__no_memory(reterr);
		else if (is_here && (!but || strcmp(but, names.names[i]) != 0))
			err = read_disk(plan, names.names[i], reterr);
	}
	ssdpm__free_names(&names);
	return err;
}

static int leave_if_forbidden(struct ssdpm_plan *plan, struct step *step,
			      const char *but, struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	int err = read_port(plan, step, but, &error);

	if (err == -EOPNOTSUPP)
		return ssdpm__step_leave_alone(step, error.message, reterr);
	return ssdpm__pass_on(err, &error, reterr);
}

int ssdpm__lpm_read(struct ssdpm_plan *plan, struct step *step,
		    struct ssdpm_error *reterr)
{
	return leave_if_forbidden(plan, step, NULL, reterr);
}

/* The caller's model says what its own disk forbids. */
static int read_others(struct ssdpm_plan *plan, struct step *step,
		       struct ssdpm_error *reterr)
{
	const char *own = ssdpm_device_get_facts(step->source)->name;

	return leave_if_forbidden(plan, step, own, reterr);
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
	step->read = model ? read_others : ssdpm__lpm_read;
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

/* A disk that forbids it is the better reason, if there is one. */
static int leave_port(struct ssdpm_plan *plan, struct ssdpm_device *device,
		      const char *why, struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	char path[SSDPM__TARGET_BYTES], name[32];
	struct step *step;
	int err = ssdpm__lpm_path(facts, path, reterr);

	ssdpm__port_name(facts, name);
	if (!err)
		err = ssdpm__step_new(SSDPM_STEP_LPM, path, name, &step,
				      reterr);
	if (err)
		return err;
	err = ssdpm__step_leave_alone(step, why, reterr);
	if (err) {
		ssdpm__step_free(step);
		return err;
	}
	step->source = ssdpm_device_ref(device);
	step->read = ssdpm__lpm_read;
	return ssdpm__plan_put(plan, step, reterr);
}

int ssdpm_plan_add_lpm(struct ssdpm_plan *plan, struct ssdpm_device *device,
		       struct ssdpm_model *model,
		       const struct ssdpm_lpm_params *params,
		       struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	char path[SSDPM__TARGET_BYTES];
	const char *leave = NULL;
	struct ssdpm_lpm_params given = { .size = sizeof(given) };
	struct step *step;
	int err;

	err = take_params(params, &given, reterr);
	if (!err)
		err = ssdpm__plan_check_open(plan, reterr);
	if (!err && facts->kind == SSDPM_KIND_SATA &&
	    facts->reach == SSDPM_REACH_YES && facts->known & SSDPM_FACT_LPM &&
	    !(given.flags & SSDPM_LPM_ANY_PORT))
		err = find_reason(plan, device, &leave, reterr);
	if (!err && leave)
		return leave_port(plan, device, leave, reterr);
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
