/* SPDX-License-Identifier: MIT */
/*
 * Values are read and written: in files of sysfs, or by commands to an NVMe
 * drive. These are the table, the power state and its mode: Set Features 0Ch,
 * 02h and 11h (NVMe Base 2.1). They are never saved, so a reset of the
 * controller loses them.
 */
#include "apply/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool ssdpm__path_up(char *path, int levels)
{
	char *slash = path;

	while (slash && levels-- > 0) {
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
	}
	return slash;
}

const char *ssdpm__value_file(const char *path, char file[SSDPM__TARGET_BYTES])
{
	const char *rest = strstr(path, "/device/");

	if (!rest)
		return path;
	snprintf(file, SSDPM__TARGET_BYTES, "%.*s", (int)(rest - path), path);
	ssdpm__path_up(file, 2);
	return strcat(file, rest + strlen("/device"));
}

static int read_file(struct ssdpm_machine *machine,
		     const struct step_kind *kind, const char *path,
		     struct value *ret_value, struct ssdpm_error *reterr)
{
	char text[SSDPM__VALUE_BYTES], file[SSDPM__TARGET_BYTES];
	const char *choice;
	int err = ssdpm__read_text(machine, ssdpm__value_file(path, file), text,
				   sizeof(text));

	if (err == -ENOENT || err == -ENOTDIR || err == -ENXIO)
		err = -ENODEV;
	if (err)
		return ssdpm__fail_read(machine, path, err, ssdpm_strerror(err),
					reterr);
	choice = ssdpm__choice(text);
	ssdpm__value_parse(kind, choice ? choice : text, ret_value);
	return 0;
}

/* word: the value, for a message. */
static int write_file(struct ssdpm_machine *machine, const char *path,
		      const char *text, const char *word,
		      struct ssdpm_error *reterr)
{
	const char *advice = "";
	char file[SSDPM__TARGET_BYTES];
	int err =
		ssdpm__write_text(machine, ssdpm__value_file(path, file), text);

	if (!err)
		return 0;
	if (err == -ENOENT || err == -ENOTDIR || err == -ENXIO)
		err = -ENODEV;
	if (err == -EACCES || err == -EPERM)
		advice = SSDPM__ONLY_ROOT;
	return ssdpm__fail(reterr, err, 0, "cannot write %s to %s/%s: %s%s",
			   word, machine->root ? machine->root : "", path,
			   ssdpm_strerror(err), advice);
}

enum {
	FEATURE_STATE = 0x02,
	FEATURE_NOPP = 0x11,
	STATE_BITS = 0xff, /* of the state and the hint */
	HINT_SHIFT = 5,
	STATUS_CODE = 0x7ff,
	STATUS_INVALID_FIELD = 0x002,
	STATUS_NOT_CHANGEABLE = 0x10e,
};

/* The name may be another controller's by now: the path is not. */
static int check_name(struct ssdpm_machine *machine, const char *path,
		      struct ssdpm_error *reterr)
{
	char link[SSDPM__TARGET_BYTES], real[SSDPM__PATH_BYTES];
	int err;

	snprintf(link, sizeof(link), "sys/class/nvme/%s",
		 ssdpm__last_component(path));
	err = ssdpm__real_path(machine, link, real, sizeof(real));
	if (!err && !strcmp(real, path))
		return 0;
	if (err == -ENOMEM)
		return ssdpm__fail(reterr, err, 0, "out of memory");
	return ssdpm__fail(reterr, -ENODEV, 0, "/%s is gone", path);
}

/* The controller at this path; -ENODEV: another one, or none. */
static int open_controller(struct ssdpm_machine *machine, const char *path,
			   struct ssdpm_device **ret_device,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_device_facts facts = { .size = sizeof(facts) };
	const char *name = ssdpm__last_component(path);
	int err = check_name(machine, path, reterr);

	if (err)
		return err;
	err = ssdpm__nvme_read_facts(machine, name, &facts);
	if (err)
		return ssdpm__fail(reterr, err, 0, "%s: %s", name,
				   ssdpm_strerror(err));
	return ssdpm__device_new(machine, &facts, ret_device, reterr);
}

static int ask_value(struct ssdpm_machine *machine,
		     const struct step_kind *kind, const char *path,
		     struct value *ret_value, struct ssdpm_error *reterr)
{
	struct ssdpm_step_value is = { 0 };
	struct ssdpm_device *device;
	int err = open_controller(machine, path, &device, reterr);

	if (err)
		return err;
	err = kind->command->ask(device, &is, reterr);
	if (!err)
		ssdpm__value_set(kind, &is, ret_value);
	ssdpm_device_unref(device);
	return err;
}

static int send_value(struct ssdpm_machine *machine,
		      const struct step_kind *kind, const char *path,
		      const struct value *value, struct ssdpm_error *reterr)
{
	const char *name = ssdpm__last_component(path);
	int err;

	if (machine->capture)
		return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
				   "%s: a capture takes no commands", name);
	err = check_name(machine, path, reterr);
	return err ? err :
		     kind->command->send(machine, name, &value->is, reterr);
}

static int ask_table(struct ssdpm_device *device,
		     struct ssdpm_step_value *ret_is,
		     struct ssdpm_error *reterr)
{
	return ssdpm_device_read_apst(device, &ret_is->table, reterr);
}

static int send_table(struct ssdpm_machine *machine, const char *name,
		      const struct ssdpm_step_value *is,
		      struct ssdpm_error *reterr)
{
	uint8_t data[SSDPM_APST_BYTES];
	int err = ssdpm_apst_encode(&is->table, data, reterr);

	return err ? err :
		     ssdpm__nvme_set_apst(machine, name, data,
					  is->table.enabled, reterr);
}

const struct value_command ssdpm__table_command = { ask_table, send_table };

/* On a loaded machine it may sleep again before the next command comes. */
#define N_WAKES 10

static int wake(struct ssdpm_device *device, struct ssdpm_device_power *power,
		struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	int err = 0;

	for (int i = 0;
	     i < N_WAKES && !err && power->flags & SSDPM_POWER_FLAG_ASLEEP;
	     i++) {
		err = ssdpm__nvme_wake(device->machine, facts, reterr);
		if (!err)
			err = ssdpm_device_read_power(device, power, reterr);
	}
	return err;
}

/* As it is when it is awake: -EBUSY: it will not wake. */
static int read_awake(struct ssdpm_device *device,
		      struct ssdpm_device_power *power,
		      struct ssdpm_error *reterr)
{
	const struct ssdpm_device_facts *facts = ssdpm_device_get_facts(device);
	int err = ssdpm_device_read_power(device, power, reterr);

	if (err || !(power->flags & SSDPM_POWER_FLAG_ASLEEP))
		return err;
	if (!device->machine->capture)
		err = wake(device, power, reterr);
	if (err || !(power->flags & SSDPM_POWER_FLAG_ASLEEP))
		return err;
	return ssdpm__fail(reterr, -EBUSY, 0,
			   "%s sleeps in PS%u, and does not say which state it "
			   "wakes to",
			   facts->name, power->power_state);
}

static int ask_power_state(struct ssdpm_device *device,
			   struct ssdpm_step_value *ret_is,
			   struct ssdpm_error *reterr)
{
	struct ssdpm_device_power power = { .size = sizeof(power) };
	int err = read_awake(device, &power, reterr);

	ret_is->power_state = power.power_state;
	ret_is->workload_hint = power.workload_hint;
	return err;
}

/* What the drive cannot do, and not that it failed. */
static int set_feature(struct ssdpm_machine *machine, const char *name,
		       uint8_t fid, uint32_t dword, struct ssdpm_error *reterr)
{
	struct ssdpm_error error;
	uint32_t code;
	int err;

	err = ssdpm__nvme_set_feature(machine, name, fid, dword, &error);
	if (!err)
		return 0;
	code = error.nvme_status & STATUS_CODE;
	if (err == -EIO &&
	    (code == STATUS_INVALID_FIELD || code == STATUS_NOT_CHANGEABLE))
		err = error.code = -EOPNOTSUPP;
	if (reterr)
		*reterr = error;
	return err;
}

/* Bits beside the two fields stay: NVMe 2.3 has a latency limit there (IIELL).
 */
static int send_power_state(struct ssdpm_machine *machine, const char *name,
			    const struct ssdpm_step_value *is,
			    struct ssdpm_error *reterr)
{
	uint32_t dword = 0;
	int err = ssdpm__nvme_get_feature(machine, name, FEATURE_STATE, NULL, 0,
					  &dword, reterr);

	if (err)
		return err;
	dword &= ~(uint32_t)STATE_BITS;
	dword |= is->workload_hint << HINT_SHIFT | is->power_state;
	return set_feature(machine, name, FEATURE_STATE, dword, reterr);
}

const struct value_command ssdpm__power_state_command = { ask_power_state,
							  send_power_state };

static int ask_nopp(struct ssdpm_device *device,
		    struct ssdpm_step_value *ret_is, struct ssdpm_error *reterr)
{
	struct ssdpm_device_power power = { .size = sizeof(power) };
	int err = ssdpm_device_read_power(device, &power, reterr);

	if (err)
		return err;
	ret_is->nopp = power.nopp;
	if (power.known & SSDPM_POWER_FACT_NOPP)
		return 0;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "%s does not say whether it has a permissive mode "
			   "for non-operational states",
			   ssdpm_device_get_facts(device)->name);
}

static int send_nopp(struct ssdpm_machine *machine, const char *name,
		     const struct ssdpm_step_value *is,
		     struct ssdpm_error *reterr)
{
	return set_feature(machine, name, FEATURE_NOPP, is->nopp, reterr);
}

const struct value_command ssdpm__nopp_command = { ask_nopp, send_nopp };

int ssdpm__read_value(struct ssdpm_machine *machine,
		      const struct step_kind *kind, const char *path,
		      struct value *ret_value, struct ssdpm_error *reterr)
{
	return kind->command ?
		       ask_value(machine, kind, path, ret_value, reterr) :
		       read_file(machine, kind, path, ret_value, reterr);
}

int ssdpm__write_value(struct ssdpm_machine *machine,
		       const struct step_kind *kind, const char *path,
		       const struct value *value, struct ssdpm_error *reterr)
{
	char shown[SSDPM__VALUE_BYTES];
	const char *text = value->text;
	int err;

	if (kind->command)
		return send_value(machine, kind, path, value, reterr);
	if (machine->capture && kind->form->show) {
		kind->form->show(&value->is, shown);
		text = shown;
	}
	err = write_file(machine, path, text, value->text, reterr);
	/* pcie_aspm_set_policy() in drivers/pci/pcie/aspm.c */
	if (err != -EPERM || kind->number != SSDPM_STEP_ASPM_POLICY ||
	    machine->capture)
		return err;
	return ssdpm__fail(reterr, -EOPNOTSUPP, 0,
			   "/%s: Linux refuses %s: the firmware keeps ASPM to "
			   "itself (FADT, _OSC), or pcie_aspm=off was given",
			   path, value->text);
}

uint64_t ssdpm__other_value_us(const struct value *value)
{
	return ssdpm__other_tolerance_us(
		value->is_known ? value->is.max_exit_latency_us : INT32_MAX);
}

int ssdpm__rebuild(struct ssdpm_machine *machine, const char *path,
		   const struct value *value, struct ssdpm_error *reterr)
{
	char other[24];
	int err;

	snprintf(other, sizeof(other), "%" PRIu64,
		 ssdpm__other_value_us(value));
	err = write_file(machine, path, other, other, reterr);
	return err ? err :
		     write_file(machine, path, value->text, value->text,
				reterr);
}
