/* SPDX-License-Identifier: MIT */
/*
 * Setting policies: a plan is shown, committed (each device as a whole or not),
 * verified, and undone.
 *
 * A plan is a list of steps. Committing writes a journal first. If it is killed
 * at any moment, the next call that writes brings each device to its old state
 * or to the planned one. The values before the first commit are kept, for
 * revert. See ssdpm_apply(3).
 */
#ifndef SSDPM_APPLY_H
#define SSDPM_APPLY_H

#include <ssdpm/base.h>
#include <ssdpm/device.h>
#include <ssdpm/model.h>
#include <ssdpm/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ssdpm_plan;

/**
 * A bit of ssdpm_plan_params.flags: a commit is one transaction. Without it
 * each drive and each port is a transaction, and so are the parameters of
 * nvme_core with the ASPM policy.
 */
#define SSDPM_PLAN_STRICT (UINT32_C(1) << 8)

/**
 * struct ssdpm_plan_params - how a plan is carried out (sized parameters)
 * @size:      sizeof(struct ssdpm_plan_params)
 * @directory: of the lock, the journal and what revert needs, where nobody else
 *             may write; NULL: run/ssdpm under the root of the machine,
 *             /run/ssdpm. Made if it is not there
 * @state_timeout_ms: how long to wait for a SATA port to be running again;
 *             0: 10000
 * @lock_timeout_ms: how long to wait for another commit; 0: 10000
 * @flags:     SSDPM_READ_COMMANDS: ssdpm_plan_apply() proves by commands, too.
 *             0: it reads values alone. SSDPM_PLAN_STRICT
 * @reserved:  0
 */
struct ssdpm_plan_params {
	size_t size;
	const char *directory;
	uint32_t state_timeout_ms;
	uint32_t lock_timeout_ms;
	uint32_t flags;
	uint32_t reserved;
};

/**
 * ssdpm_plan_new() - a plan without steps
 * @params:   or NULL for the defaults
 * @ret_plan: free it with ssdpm_plan_free()
 *
 * Return: 0; -EINVAL, -E2BIG (@params), -ENOMEM.
 */
SSDPM_API int ssdpm_plan_new(struct ssdpm_machine *machine,
			     const struct ssdpm_plan_params *params,
			     struct ssdpm_plan **ret_plan,
			     struct ssdpm_error *reterr);

/** ssdpm_plan_free() - forget a plan, or NULL; undoes nothing. Return: NULL. */
SSDPM_API struct ssdpm_plan *ssdpm_plan_free(struct ssdpm_plan *plan);

/**
 * ssdpm_plan_add_latency_tolerance() - until the next boot, by sysfs
 * @device: an NVMe controller
 * @model:  what its table is predicted from, or NULL: no prediction
 * @max_exit_latency_us: up to 2147483646, or SSDPM_LATENCY_ANY
 *
 * A value that is so already gives a step with SSDPM_STEP_IN_FORCE. A second
 * call for the same device replaces the first.
 *
 * Return: 0; -EOPNOTSUPP (not NVMe, or the kernel has no APST for it), -ERANGE,
 * -ENOMEM.
 */
SSDPM_API int ssdpm_plan_add_latency_tolerance(struct ssdpm_plan *plan,
					       struct ssdpm_device *device,
					       struct ssdpm_model *model,
					       uint64_t max_exit_latency_us,
					       struct ssdpm_error *reterr);

/**
 * ssdpm_plan_add_nvme_core() - a parameter of nvme_core, for all controllers
 * @parameter: one of the four apst_ ones of enum ssdpm_nvme_core
 *
 * Every controller is made to build its table anew: its latency tolerance is
 * changed and changed back, in steps of their own.
 *
 * Return: 0; -EOPNOTSUPP (this kernel has none), -EINVAL (another parameter),
 * -ERANGE (the kernel would spill it into reserved bits), -ENOMEM.
 */
SSDPM_API int ssdpm_plan_add_nvme_core(struct ssdpm_plan *plan,
				       uint32_t parameter, uint64_t value,
				       struct ssdpm_error *reterr);

/**
 * ssdpm_plan_add_apst() - a table of one's own, by Set Features 0Ch
 *
 * It lasts until the next reset of the controller or change of its latency
 * tolerance. If another step of the plan does that, it is sent again. The save
 * bit is never set.
 *
 * Return: 0; -EINVAL (the table is not sound, see ssdpm_apst_validate()),
 * -EPERM (a quirk forbids it: APST on a drive with no-apst, or a state that
 * no-deepest-ps forbids), -EOPNOTSUPP (not NVMe, no APST), -ENOMEM. That Linux
 * refuses it (6.12.110, 7.2 and later) shows when it is committed: -EACCES.
 */
SSDPM_API int ssdpm_plan_add_apst(struct ssdpm_plan *plan,
				  struct ssdpm_device *device,
				  struct ssdpm_model *model,
				  const struct ssdpm_apst *table,
				  struct ssdpm_error *reterr);

/** The workload hint of ssdpm_plan_add_power_state(): as it is. */
#define SSDPM_WORKLOAD_HINT_KEEP UINT32_MAX

/**
 * ssdpm_plan_add_power_state() - an operational power state, by Set Features
 *                                02h
 * @model: of the drive: which states it has
 * @power_state: from 0 on
 * @workload_hint: 0 to 7, see struct ssdpm_device_power; or
 *                 SSDPM_WORKLOAD_HINT_KEEP: as it is, 0 where that is not known
 *
 * It lasts until the next reset of the controller, because the save bit is
 * never set. No boot keeps it, and no suspend but an s2idle in which Linux
 * leaves the controller on. The diagnosis SSDPM_DIAGNOSIS_SUSPEND says which
 * suspend this machine has. Linux 7.3 and all before it take this command from
 * root; a kernel that refuses it fails the commit with -EACCES.
 *
 * A drive that sleeps does not say which state it wakes to. To find out,
 * ssdpm_plan_read(), commit and verify read one block of it. If a drive does
 * not answer, or not to this user, the before of the step stays "".
 *
 * A non-operational state is refused: the drive leaves it at the next I/O, so
 * that it could never be in force. APST is what makes drives sleep.
 *
 * Return: 0; -EINVAL (no @model; a state that the drive has not, or that is
 * non-operational; a hint over 7), -EOPNOTSUPP (not NVMe, out of reach),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_plan_add_power_state(struct ssdpm_plan *plan,
					 struct ssdpm_device *device,
					 struct ssdpm_model *model,
					 uint32_t power_state,
					 uint32_t workload_hint,
					 struct ssdpm_error *reterr);

/**
 * For SSDPM_STEP_PCIE_LINK: features that stay as they are; but a substate goes
 * off with L1.
 */
#define SSDPM_PCIE_LINK_KEEP(features) ((uint64_t)(features) << 32)

/**
 * ssdpm_plan_add_value() - a setting that is a number, of a device or of all
 * @device: not read for SSDPM_STEP_ASPM_POLICY, and may be NULL then
 * @kind:  SSDPM_STEP_NOPP, SSDPM_STEP_PCIE_LINK, SSDPM_STEP_QUEUE_DEPTH,
 *         SSDPM_STEP_D3COLD or SSDPM_STEP_ASPM_POLICY
 * @value: for SSDPM_STEP_NOPP, by Set Features 11h: 1: background work may take
 *         more power than a non-operational state has (NOPPME); 0: it may not.
 *         As ssdpm_plan_add_power_state(): until the next reset, never saved;
 *         a drive that says that it has no such mode is left alone.
 *         For SSDPM_STEP_PCIE_LINK: bits of enum ssdpm_pcie_feature: what the
 *         link of an NVMe drive may do, in the files of link/ in sysfs; a step
 *         for each feature that the link has, but for those that are added
 *         with SSDPM_PCIE_LINK_KEEP(). A feature that the ASPM policy forbids,
 *         of the plan or else of now, is left alone. Linux says nothing of what
 *         the firmware forbids: the commit fails, -EIO. A substate needs L1.
 *         One that is kept, and off as L1 goes on, has a step, too: Linux
 *         before 6.7 turns it on with L1. It has none if the policy of now
 *         forbids it; a policy of the plan decides. A feature that is to be
 *         off stays off under each policy, and without L1 so do its substates.
 *         A commit writes 0 even where it reads 0: Linux does not show which
 *         features were turned off. To revert allows a feature again that was
 *         on before, and the policy of then decides.
 *         For SSDPM_STEP_QUEUE_DEPTH: commands that a SATA drive has at a time,
 *         1 to 32, and no more than the drive has; with 1 Linux uses no NCQ.
 *         For SSDPM_STEP_D3COLD: 1: Linux may take the power of an NVMe drive
 *         away while it is suspended; 0: it may not (d3cold_allowed of sysfs).
 *         These three last until the next boot, or until Linux finds the drive
 *         anew.
 *         For SSDPM_STEP_ASPM_POLICY: enum ssdpm_aspm_policy: what Linux turns
 *         on of each PCIe link of the machine, until the next boot. A feature
 *         that was turned off by SSDPM_STEP_PCIE_LINK stays off. A kernel that
 *         leaves ASPM to the firmware (FADT, _OSC), or that was started with
 *         pcie_aspm=off, fails the commit with -EOPNOTSUPP.
 *
 * Return: 0; -EINVAL (@kind, @value; a feature that the link has not; a
 * substate without L1), -EOPNOTSUPP (another kind of drive; no such file in
 * sysfs; out of reach), -ENOMEM.
 */
SSDPM_API int ssdpm_plan_add_value(struct ssdpm_plan *plan,
				   struct ssdpm_device *device, uint32_t kind,
				   uint64_t value, struct ssdpm_error *reterr);

/**
 * ssdpm_plan_add_applied() - steps to what the commits since the boot have set
 * @device: whose settings; parameters of nvme_core are those of each NVMe
 *          drive, with the tables of all that they change; the ASPM policy is
 *          that of each drive, and a port's policy that of each disk on it.
 *          NULL: of all
 *
 * Use it to see whether the settings are still in force, or to set them once
 * more: a reset ends a power state. Reverted settings are not among them. A
 * step replaces an earlier one of @plan with the same target. A step whose
 * value of now this version does not know has SSDPM_STEP_DIFFERS, and no commit
 * does it.
 *
 * Return: 0 (without steps where nothing was committed), -EIO (the record is
 * damaged), -EINVAL (@plan reverts), -EACCES, -EPERM (see @directory), -ENOMEM.
 */
SSDPM_API int ssdpm_plan_add_applied(struct ssdpm_plan *plan,
				     const struct ssdpm_device *device,
				     struct ssdpm_error *reterr);

/** Bits of ssdpm_lpm_params.flags. */
enum ssdpm_lpm_flag {
	/* External, hot-plug, shared, empty and optical ports too. */
	SSDPM_LPM_ANY_PORT = 1 << 0,
};

/**
 * struct ssdpm_lpm_params - which policy a SATA port shall have (sized
 *                           parameters)
 * @size:   sizeof(struct ssdpm_lpm_params)
 * @lpms:   values of enum ssdpm_lpm: the first that the port takes
 * @n_lpms: how many, at least 1
 * @flags:  bits of enum ssdpm_lpm_flag
 * @reserved: 0
 */
struct ssdpm_lpm_params {
	size_t size;
	const uint32_t *lpms;
	size_t n_lpms;
	uint32_t flags;
	uint32_t reserved;
};

/**
 * ssdpm_plan_add_lpm() - the policy of a SATA port
 * @model: of its disk, for its quirks; NULL: ssdpm_plan_read() reads what sysfs
 *         has of it
 *
 * Linux sets the policy of the whole port. ssdpm_plan_read() leaves the port
 * alone if a quirk of any disk there forbids it, and names that disk. No flag,
 * and no other disk of the port, overrides this.
 *
 * Committing goes by way of max_performance and waits until the port is running
 * again. Without that pause ALPE and ASP keep what the old policy set. A port
 * that is left alone gives a step with SSDPM_STEP_LEFT_ALONE and the reason.
 *
 * Return: 0; -EOPNOTSUPP (not SATA, the port or a quirk forbids it), -EINVAL
 * (keep_firmware_settings cannot be set; no value; @params), -E2BIG (@params),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_plan_add_lpm(struct ssdpm_plan *plan,
				 struct ssdpm_device *device,
				 struct ssdpm_model *model,
				 const struct ssdpm_lpm_params *params,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_plan_add_profile() - what a profile says, for a device or for all
 * @device: NULL: all devices of the machine. They are read, and their models
 *          without a command: from sysfs, a capture, or the built-in catalogue
 * @model:  of @device, or NULL: it is not known
 * @settings: from ssdpm_profile_find(); NULL: the built-in profile auto on the
 *            power source of the machine, or on AC if that is not known
 *
 * A device that the profile cannot be applied to gives a step with
 * SSDPM_STEP_LEFT_ALONE. A drive with no-deepest-ps keeps its deepest safe
 * state: that is the kernel's doing, and the step says so.
 *
 * Return: 0; -EINVAL (@settings, a @model without @device), -E2BIG (@settings),
 * -ENOMEM; without @device, as ssdpm_device_list_read().
 */
SSDPM_API int ssdpm_plan_add_profile(
	struct ssdpm_plan *plan, struct ssdpm_device *device,
	struct ssdpm_model *model,
	const struct ssdpm_profile_settings *settings,
	struct ssdpm_error *reterr);

/**
 * ssdpm_plan_add_revert() - steps back to what was there before the first
 * commit
 *
 * Some steps are left alone, and say why:
 * - a value that somebody else has changed since;
 * - a table that Linux does not take, when it is committed;
 * - a value that could not be read, as of a drive that sleeps on.
 *
 * Committing forgets the first two kinds. The plan takes no other steps.
 *
 * Return: 0 (without steps where nothing was committed), -EIO (the record is
 * damaged), -EINVAL (@plan has steps already), -EACCES, -EPERM (see
 * @directory), -ENOMEM.
 */
SSDPM_API int ssdpm_plan_add_revert(struct ssdpm_plan *plan,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_plan_read() - what the steps find
 *
 * Adding a step reads no device: sysfs is as the snapshot of the device has it.
 * This reads the rest, once: a second call reads for steps that were added
 * since. ssdpm_plan_commit() and ssdpm_plan_verify() call it first.
 *
 * Reads what only a command tells: power states, and tables to replace. On a
 * live machine it also reads the table in force, if the model is what the drive
 * itself has sent (SSDPM_READ_COMMANDS). If Linux would make another table of
 * the settings, a step with SSDPM_STEP_REBUILD replaces it.
 *
 * For ssdpm_plan_add_applied() and ssdpm_plan_add_revert() it reads the
 * settings of now. It also finds the controllers that a parameter of nvme_core
 * concerns: each gets a step with SSDPM_STEP_REBUILD.
 *
 * A value that cannot be read is no failure: the step says why, and its before
 * is "".
 *
 * Return: 0; -ENOMEM, and errors of ssdpm_device_read().
 */
SSDPM_API int ssdpm_plan_read(struct ssdpm_plan *plan,
			      struct ssdpm_error *reterr);

enum ssdpm_step_kind {
	SSDPM_STEP_LATENCY_TOLERANCE = 1,
	SSDPM_STEP_NVME_CORE = 2,
	SSDPM_STEP_REBUILD = 3, /* make the kernel build the table anew */
	SSDPM_STEP_APST = 4,
	SSDPM_STEP_LPM = 5,
	SSDPM_STEP_POWER_STATE = 6,
	SSDPM_STEP_NOPP = 7,
	SSDPM_STEP_PCIE_LINK = 8,
	SSDPM_STEP_QUEUE_DEPTH = 9,
	SSDPM_STEP_D3COLD = 10,
	SSDPM_STEP_ASPM_POLICY = 11, /* of the machine */
};

/**
 * enum ssdpm_step_state - what became of a step
 *
 * After a commit that failed, each value was read back. PLANNED, UNDONE and
 * FAILED: it is as it was before, or its device was removed, as the step says.
 * DONE: it holds the planned value, since it could not be put back. DIFFERS: it
 * holds another one, or could not be read.
 */
enum ssdpm_step_state {
	SSDPM_STEP_PLANNED = 1,
	SSDPM_STEP_IN_FORCE = 2, /* it was so already: nothing is written */
	SSDPM_STEP_LEFT_ALONE = 3,
	SSDPM_STEP_DONE = 4,
	SSDPM_STEP_FAILED = 5,
	SSDPM_STEP_UNDONE = 6,
	SSDPM_STEP_DIFFERS = 7, /* it was done, and is not in force */
};

/** Bits of ssdpm_step.flags. */
enum ssdpm_step_flag {
	SSDPM_STEP_REVERSIBLE = 1 << 0,
	SSDPM_STEP_ALL_DRIVES = 1 << 1,	 /* not only its device */
	SSDPM_STEP_UNTIL_RESET = 1 << 2, /* lost at the next reset */
	SSDPM_STEP_UNTIL_REBOOT = 1 << 3,
	/* The policy is accepted, but the host's part of it does not apply. */
	SSDPM_STEP_NO_HOST_BITS = 1 << 4,
};

/**
 * struct ssdpm_step_value - a value before or after a step (sized)
 * @size: sizeof(struct ssdpm_step_value) of the library that fills it
 * @max_exit_latency_us: SSDPM_STEP_LATENCY_TOLERANCE and SSDPM_STEP_REBUILD; or
 *        SSDPM_LATENCY_ANY
 * @nvme_core: SSDPM_STEP_NVME_CORE: in the unit of its parameter
 * @lpm:   SSDPM_STEP_LPM: enum ssdpm_lpm
 * @power_state: SSDPM_STEP_POWER_STATE: 0 to 31
 * @workload_hint: SSDPM_STEP_POWER_STATE: 0 to 7; SSDPM_WORKLOAD_HINT_KEEP
 *        until ssdpm_plan_read() knows it
 * @nopp:  SSDPM_STEP_NOPP: 1 or 0
 * @pcie_link: SSDPM_STEP_PCIE_LINK: 1 or 0, of one feature
 * @queue_depth: SSDPM_STEP_QUEUE_DEPTH: 1 to 32
 * @table: SSDPM_STEP_APST
 * @d3cold: SSDPM_STEP_D3COLD: 1 or 0
 * @aspm_policy: SSDPM_STEP_ASPM_POLICY: enum ssdpm_aspm_policy
 *
 * Members of other kinds are 0.
 */
struct ssdpm_step_value {
	size_t size;
	uint64_t max_exit_latency_us;
	uint64_t nvme_core;
	uint32_t lpm;
	uint32_t power_state;
	uint32_t workload_hint;
	uint32_t nopp;
	uint32_t pcie_link;
	uint32_t queue_depth;
	struct ssdpm_apst table;
	uint32_t d3cold;
	uint32_t aspm_policy;
};

/**
 * struct ssdpm_step - one thing that is written (sized; the caller sets size)
 * @size:   sizeof(struct ssdpm_step)
 * @kind:   enum ssdpm_step_kind
 * @state:  enum ssdpm_step_state
 * @flags:  bits of enum ssdpm_step_flag
 * @parameter: SSDPM_STEP_NVME_CORE: enum ssdpm_nvme_core
 * @device: name of the device; "all" for a parameter of nvme_core and for the
 *          ASPM policy; a SATA port has the name of its disk, and "host3" where
 *          it has none or several
 * @target: the file, or "Set Features 0Ch", "02h", "11h"
 * @before: what it holds ("any" for "auto", which is the same); a table as
 *          "PS0-PS2 to PS3 after 100 ms", with " disabled" after it where APST
 *          is off; a power state as "PS2" or "PS2 hint 1"; "on" or "off"; "":
 *          not known
 * @after:  what it shall hold
 * @why:    one line: the reason, or why it is left alone, or what failed
 * @warning: one line: what the diagnosis of the device warns of once this is
 *          set, such as a policy that has lost data; "": nothing
 * @before_value: the value of @before; NULL: not known, or a word that this
 *          version does not know
 * @after_value: likewise
 * @origin: which line of which file decides it, as of ssdpm_plan_add_intent();
 *          "": the caller
 *
 * Strings and values are borrowed from the plan until the next call that
 * changes it.
 */
struct ssdpm_step {
	size_t size;
	uint32_t kind;
	uint32_t state;
	uint32_t flags;
	uint32_t parameter;
	const char *device;
	const char *target;
	const char *before;
	const char *after;
	const char *why;
	const char *warning;
	const struct ssdpm_step_value *before_value;
	const struct ssdpm_step_value *after_value;
	const char *origin;
};

/**
 * ssdpm_plan_get_step() - one step, from 0 on
 *
 * Return: 0; -ERANGE (no such step), -EINVAL, -E2BIG (size of @ret_step).
 */
SSDPM_API int ssdpm_plan_get_step(const struct ssdpm_plan *plan, size_t index,
				  struct ssdpm_step *ret_step);

/** Steps that a commit would write. */
#define SSDPM_STEPS_PENDING                                   \
	(1u << SSDPM_STEP_PLANNED | 1u << SSDPM_STEP_FAILED | \
	 1u << SSDPM_STEP_UNDONE)
/** Steps that a commit has written, and that were not put back. */
#define SSDPM_STEPS_WRITTEN (1u << SSDPM_STEP_DONE | 1u << SSDPM_STEP_DIFFERS)
/** Without one of these, a plan is in force. */
#define SSDPM_STEPS_NOT_IN_FORCE \
	(SSDPM_STEPS_PENDING | 1u << SSDPM_STEP_DIFFERS)
#define SSDPM_STEPS_ALL UINT32_MAX

/**
 * ssdpm_plan_count() - how many steps are in one of these states
 * @states: bits, 1 << SSDPM_STEP_DONE and so on: SSDPM_STEPS_PENDING,
 *          SSDPM_STEPS_WRITTEN, SSDPM_STEPS_NOT_IN_FORCE, SSDPM_STEPS_ALL
 */
SSDPM_API size_t ssdpm_plan_count(const struct ssdpm_plan *plan,
				  uint32_t states);

/**
 * ssdpm_plan_has_failed() - did a commit fail for a device?
 * @device: name, as in struct ssdpm_step; NULL: for any
 *
 * If it did, its steps with SSDPM_STEP_DONE or SSDPM_STEP_DIFFERS could not be
 * put back. All devices of a plan with SSDPM_PLAN_STRICT fail together.
 */
SSDPM_API int ssdpm_plan_has_failed(const struct ssdpm_plan *plan,
				    const char *device);

/** Bits of ssdpm_planned_table.known. */
enum ssdpm_table_known {
	SSDPM_TABLE_BEFORE = 1 << 0,
	SSDPM_TABLE_AFTER = 1 << 1,
	SSDPM_TABLE_BUILT = 1 << 2,
};

/**
 * struct ssdpm_planned_table - the table of one controller (sized)
 * @size:   sizeof(struct ssdpm_planned_table)
 * @known:  bits of enum ssdpm_table_known
 * @provenance: enum ssdpm_provenance of the model that @after is made from
 * @device: name; borrowed as the strings of a step
 * @before: the table of now: what this kernel built from what is set, by
 *          prediction; where another one was read from the drive, that
 * @after:  what it will build
 * @built:  what it did build: read back by ssdpm_plan_verify()
 */
struct ssdpm_planned_table {
	size_t size;
	uint32_t known;
	uint32_t provenance;
	const char *device;
	struct ssdpm_apst before;
	struct ssdpm_apst after;
	struct ssdpm_apst built;
};

/**
 * ssdpm_plan_get_table() - of one controller after the other, from 0 on
 *
 * Return: as ssdpm_plan_get_step().
 */
SSDPM_API int ssdpm_plan_get_table(const struct ssdpm_plan *plan, size_t index,
				   struct ssdpm_planned_table *ret_table);

/**
 * ssdpm_plan_commit() - do all steps of each drive, or none of it
 *
 * Takes the lock, recovers what a killed commit left, and reads every value
 * again. A transaction follows for the parameters of nvme_core and the ASPM
 * policy, then one for each drive and port. It writes a journal, does the steps
 * and reads each back.
 *
 * If a step fails, the steps of the same device that were done are undone in
 * reverse, and the other devices go on. If a step cannot be undone, the other
 * devices go on too, and every later lock tries it again. The code is that of
 * the first failure. ssdpm_plan_has_failed() names the devices that failed. The
 * states of their steps tell what happened. A step has SSDPM_STEP_DIFFERS or
 * SSDPM_STEP_DONE, not SSDPM_STEP_FAILED, if it could not be put back. With
 * SSDPM_PLAN_STRICT all steps are one such transaction. If all is so already,
 * nothing is written, not even the lock.
 *
 * If a step fails because its device is removed, the code is -ENODEV, and
 * @reterr names the device.
 *
 * Return: 0; -EACCES, -EPERM (root is needed, Linux refuses it, or others may
 * write to the directory: @reterr says which), -EROFS (a root without the
 * marker of a capture), -ESTALE (a value, or a parameter or table behind it, is
 * no longer what it was when this was planned: plan again), -EBUSY (the lock
 * is held; a search of bisect has set the device or, for the ASPM policy, a
 * link; a drive hides its state), -EOPNOTSUPP (the kernel refused a policy, or
 * the drive a power state), -EINVAL, -ENODEV, -EIO, -ETIMEDOUT (a SATA port did
 * not come back), -EREMOTEIO (the kernel built another table than was predicted
 * from what the drive itself says), -EALREADY (it was committed), -ENOMEM.
 */
SSDPM_API int ssdpm_plan_commit(struct ssdpm_plan *plan,
				struct ssdpm_error *reterr);

/**
 * ssdpm_plan_verify() - is it in force now?
 *
 * Reads back every value of the plan, and with SSDPM_READ_COMMANDS in @flags
 * the tables that the kernel built, and power states. Steps that are not get
 * SSDPM_STEP_DIFFERS.
 *
 * Return: 0; -EREMOTEIO (a table is not the one that was predicted: both are in
 * ssdpm_plan_get_table()), -ESTALE (a value is not in force), -ENODEV (a device
 * was removed: its steps have SSDPM_STEP_DIFFERS): the first of these; where
 * there is none, and something could not be read, as ssdpm_device_read_apst().
 */
SSDPM_API int ssdpm_plan_verify(struct ssdpm_plan *plan, uint32_t flags,
				struct ssdpm_error *reterr);

/**
 * ssdpm_plan_fill_fn - add the steps of a plan
 * @userdata: that of ssdpm_plan_apply()
 *
 * Reads the devices anew, adds steps, and may show them after
 * ssdpm_plan_read(). Return: 0, or the error that ssdpm_plan_apply() returns.
 */
typedef int (*ssdpm_plan_fill_fn)(struct ssdpm_plan *plan, void *userdata,
				  struct ssdpm_error *reterr);

/**
 * ssdpm_plan_apply() - lock, fill, commit and verify a plan
 * @plan: has no steps
 * @fill: called under the lock; again, with the plan empty, if somebody who
 *        takes no lock has written meanwhile: five times at most
 *
 * Verifies the values. If it wrote something and the plan was made with
 * SSDPM_READ_COMMANDS, it also verifies the tables and power states by
 * commands. A table or state that no command can read is logged, and is no
 * failure. A lock that the user may not take is no failure if there is nothing
 * to write. The steps stay in @plan, to be shown.
 *
 * Return: 0; -ESTALE (it is committed, and not in force: ssdpm_plan_revert()
 * undoes it); -EBUSY (somebody else writes again and again, or has the lock);
 * what @fill returns; as ssdpm_plan_lock() and ssdpm_plan_commit().
 */
SSDPM_API int ssdpm_plan_apply(struct ssdpm_plan *plan, ssdpm_plan_fill_fn fill,
			       void *userdata, struct ssdpm_error *reterr);

/**
 * ssdpm_plan_revert() - undo what this plan committed, in reverse
 *
 * A value that somebody else has changed since is left alone, and one that is
 * gone; the states of the steps say what happened. If somebody writes
 * meanwhile, it looks again: five times at most. If it fails, too: each value
 * is read back, and the plan can be reverted again.
 *
 * Return: 0; -EINVAL (it was not committed); -EBUSY (somebody else writes again
 * and again, or has the lock); as ssdpm_plan_commit().
 */
SSDPM_API int ssdpm_plan_revert(struct ssdpm_plan *plan,
				struct ssdpm_error *reterr);

/** What became of a journal: a list of values that a commit may have changed.
 */
enum ssdpm_journal_state {
	SSDPM_JOURNAL_NONE = 1,	   /* there was none */
	SSDPM_JOURNAL_RUNNING = 2, /* its commit runs: it holds the lock */
	SSDPM_JOURNAL_KILLED = 3,  /* its commit was killed, or not undone */
	SSDPM_JOURNAL_FOUND = 4,  /* one of these two: the caller may not ask */
	SSDPM_JOURNAL_UNDONE = 5, /* its commit was killed, and is undone now */
	/* It stands, and this library cannot undo it: see reason. */
	SSDPM_JOURNAL_REFUSED = 6,
};

/**
 * struct ssdpm_journal - a journal (sized; the caller sets size)
 * @size:   sizeof(struct ssdpm_journal)
 * @state:  enum ssdpm_journal_state
 * @n_undone: values that were put back
 * @n_left_alone: values that stay: somebody else has written them since, the
 *          device is gone, or Linux no longer takes the old value
 * @line:   with SSDPM_JOURNAL_REFUSED: the line that cannot be read, from 1 on;
 *          0: the whole file, or the lock
 * @age_ms: time since its last line was written; 0 without a journal
 * @reason: with SSDPM_JOURNAL_REFUSED: one line, which begins with the file and
 *          the line; otherwise ""
 * @stands: 1: it is there, so nothing can be called in force; 0: there was
 * none, or it is undone
 * @reserved: 0
 */
struct ssdpm_journal {
	size_t size;
	uint32_t state;
	uint32_t n_undone;
	uint32_t n_left_alone;
	uint32_t line;
	uint64_t age_ms;
	char reason[248];
	uint32_t stands;
	uint32_t reserved;
};

/**
 * ssdpm_journal_read() - does a journal stand?
 * @params: as for ssdpm_plan_new()
 *
 * Writes nothing, and needs no privileges. While a journal stands nothing can
 * be called in force. ssdpm_plan_lock() and ssdpm_plan_commit() undo what it
 * names; with SSDPM_JOURNAL_REFUSED both return -EIO. If one device cannot be
 * put back, a plan with SSDPM_PLAN_STRICT fails; with any other plan, only the
 * steps for that device fail. A journal of several devices, which a strict plan
 * leaves, is in everybody's way.
 *
 * Return: 0; -EACCES, -EPERM (see struct ssdpm_plan_params), -EINVAL, -E2BIG
 * (sizes), -ENOMEM.
 */
SSDPM_API int ssdpm_journal_read(struct ssdpm_machine *machine,
				 const struct ssdpm_plan_params *params,
				 struct ssdpm_journal *ret_journal,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_plan_lock() - take the lock before anything is read
 *
 * Undoes what a killed commit left; ssdpm_plan_get_journal() says what. A value
 * that is neither what it was before the commit nor what was planned is
 * another's, and stays. Read the power source and the devices after
 * it: nobody else who uses this library changes them until ssdpm_plan_unlock()
 * or ssdpm_plan_free(). A commit of this plan then takes no further lock, and
 * ssdpm_plan_verify() looks at what was committed. A plan that is locked
 * already stays so.
 *
 * Return: 0; -EBUSY (another program has the lock), -EACCES, -EPERM, -EROFS (as
 * ssdpm_plan_commit(); a message says how old a journal is that stands),
 * -EINVAL (@plan has steps), -EALREADY (it was committed), -EIO (the journal is
 * refused, or the lock is no file), -ENOMEM.
 */
SSDPM_API int ssdpm_plan_lock(struct ssdpm_plan *plan,
			      struct ssdpm_error *reterr);

/** ssdpm_plan_unlock() - give the lock back; nothing without one */
SSDPM_API void ssdpm_plan_unlock(struct ssdpm_plan *plan);

/**
 * ssdpm_plan_get_journal() - what the lock or the commit of this plan found
 *
 * SSDPM_JOURNAL_NONE, SSDPM_JOURNAL_UNDONE, SSDPM_JOURNAL_KILLED (a device
 * could not be put back: it stands) or SSDPM_JOURNAL_REFUSED; of several
 * journals the worst. Return: 0; -EINVAL, -E2BIG (size of @ret_journal).
 */
SSDPM_API int ssdpm_plan_get_journal(const struct ssdpm_plan *plan,
				     struct ssdpm_journal *ret_journal);

/**
 * ssdpm_request_add() - something has happened: ask for a run
 * @params: as for ssdpm_plan_new()
 *
 * Returns at once. What serves requests hears of it.
 *
 * Return: 0; as ssdpm_plan_lock(), but -EBUSY.
 */
SSDPM_API int ssdpm_request_add(struct ssdpm_machine *machine,
				const struct ssdpm_plan_params *params,
				struct ssdpm_error *reterr);

/**
 * ssdpm_request_run_fn - what a run does
 * @userdata: that of ssdpm_request_serve()
 *
 * Makes a plan of what the machine says by then, and commits it. Return: 0, or
 * the error that ssdpm_request_serve() returns.
 */
typedef int (*ssdpm_request_run_fn)(void *userdata, struct ssdpm_error *reterr);

/**
 * ssdpm_request_serve() - one run for many requests
 * @params: as for ssdpm_plan_new()
 * @run:    called at once if there is a request; but where the last run, of any
 *          process, ended less than 300 ms ago, only when no request has come
 *          for 300 ms, or after 2 s. Called again as long as there is one
 * @ret_n:  how often @run was called, or NULL
 *
 * One process at a time serves; others wait for it. Once this returns, each
 * request that was added before the call has had a run that began after it,
 * here or elsewhere. A run that fails has served, too, and is the last one.
 *
 * Return: 0 (no request, too); what @run returns; as ssdpm_plan_lock(), but
 * -EBUSY.
 */
SSDPM_API int ssdpm_request_serve(struct ssdpm_machine *machine,
				  const struct ssdpm_plan_params *params,
				  ssdpm_request_run_fn run, void *userdata,
				  size_t *ret_n, struct ssdpm_error *reterr);

struct ssdpm_report;

/**
 * struct ssdpm_report_item - a drive of a report (sized; the caller sets size)
 * @size:    sizeof(struct ssdpm_report_item)
 * @verdict: enum ssdpm_diagnosis_code: a verdict, as SSDPM_DIAGNOSIS_SAVES
 * @error:   0; -ENODEV, -EIO and so on: the drive is gone, or cannot be read,
 *           and then nothing is known but its name and @message
 * @name:    "nvme0", "sda"
 * @product: model, or ""
 * @policy:  what is in force, as its file has it: the latency tolerance in
 *           microseconds or "any", or the policy of the link; "": not known
 * @message: the verdict, or the error, in words
 * @reason:  what keeps it from saving, with its remedy; NULL: nothing
 * @changes: what the profile would change
 * @n_changes: how many; 0: it is in force, or leaves the drive alone
 * @device:  as it was read; NULL with an error
 * @diagnoses: all of them, the verdict first, as ssdpm_device_diagnose() makes
 *           them without a command; NULL with an error
 * @n_diagnoses: how many
 * @risk:    the one of @diagnoses that may cost data, with its remedy, as
 *           SSDPM_DIAGNOSIS_LPM_MIN_POWER does where the link sleeps; NULL:
 *           nothing
 *
 * All is borrowed from the report.
 */
struct ssdpm_report_item {
	size_t size;
	uint32_t verdict;
	int32_t error;
	const char *name;
	const char *product;
	const char *policy;
	const char *message;
	const struct ssdpm_diagnosis *reason;
	const struct ssdpm_change *changes;
	size_t n_changes;
	struct ssdpm_device *device;
	const struct ssdpm_diagnosis *diagnoses;
	size_t n_diagnoses;
	const struct ssdpm_diagnosis *risk;
};

/**
 * ssdpm_report_new() - does each drive of a machine save power, and what would
 *                      a profile change?
 * @settings:   as for ssdpm_plan_add_profile()
 * @ret_report: free it with ssdpm_report_free()
 *
 * Sends no command, writes nothing and needs no root. An item has an error if
 * its drive is gone or cannot be read; the others are done.
 *
 * Return: 0; as ssdpm_device_list_read() and ssdpm_plan_add_profile().
 */
SSDPM_API int ssdpm_report_new(struct ssdpm_machine *machine,
			       const struct ssdpm_profile_settings *settings,
			       struct ssdpm_report **ret_report,
			       struct ssdpm_error *reterr);

/** ssdpm_report_free() - forget a report, or NULL. Return: NULL. */
SSDPM_API struct ssdpm_report *ssdpm_report_free(struct ssdpm_report *report);

/** ssdpm_report_get_item() - from 0 on. Return: as ssdpm_plan_get_step(). */
SSDPM_API int ssdpm_report_get_item(const struct ssdpm_report *report,
				    size_t index,
				    struct ssdpm_report_item *ret_item);

/** How a policy is made to last. */
enum ssdpm_persist_kind {
	SSDPM_PERSIST_UDEV = 1,
	SSDPM_PERSIST_MODPROBE = 2,
	SSDPM_PERSIST_SYSTEMD = 3,
	SSDPM_PERSIST_TLP = 4,
	SSDPM_PERSIST_TUNED = 5,
};

struct ssdpm_persist;

/** Bits of ssdpm_persist_power.set. */
enum ssdpm_persist_power_setting {
	SSDPM_PERSIST_POWER_STATE = 1 << 0, /* and the hint, if it is not 0 */
	SSDPM_PERSIST_NOPP = 1 << 1,
};

#define SSDPM_MAX_PERSIST_POWERS 64

/**
 * struct ssdpm_persist_power - the power state of one drive (frozen, 208 bytes)
 * @set:     bits of enum ssdpm_persist_power_setting
 * @power_state: as of ssdpm_plan_add_power_state(), likewise @workload_hint
 * @nopp:    as of ssdpm_plan_add_value()
 * @address: of the drive, as in struct ssdpm_device_facts; @product likewise:
 *           another drive in that place is left alone
 */
struct ssdpm_persist_power {
	uint32_t set;
	uint32_t power_state;
	uint32_t workload_hint;
	uint32_t nopp;
	char address[128];
	char product[64];
};

/**
 * @ac and @battery are what ssdpm_intent_get_settings() gave. Files that call
 * the command have it read the files of ssdpm.conf(5). SSDPM_PERSIST_UDEV and
 * SSDPM_PERSIST_SYSTEMD refuse this flag: ssdpmd(8) and its rule read those
 * files.
 */
#define SSDPM_PERSIST_OF_FILES (1u << 0)
/** A file of ssdpm.conf(5) defines the profile that @ac and @battery have. */
#define SSDPM_PERSIST_NAMED_IN_FILES (1u << 1)

/**
 * struct ssdpm_persist_params - what shall last (sized parameters)
 * @size:    sizeof(struct ssdpm_persist_params)
 * @kind:    enum ssdpm_persist_kind
 * @flags:   SSDPM_PERSIST_OF_FILES, SSDPM_PERSIST_NAMED_IN_FILES, or 0
 * @ac:      what holds on AC: its name is written where a file calls the
 * command
 * @battery: what holds on battery; NULL: @ac holds on both, whatever its
 *           power source is
 * @command: path of ssdpm, for files that call it; NULL: /usr/bin/ssdpm
 * @profiles: path of the profiles that @ac and @battery are from, for files
 * that call the command; NULL: they are built in, or @flags says where
 *
 * @powers:  power states that last too, each set again whenever its controller
 *           has started: with SSDPM_PERSIST_UDEV, at the uevent that Linux 5.18
 *           and later send then; with SSDPM_PERSIST_SYSTEMD, at boot and after
 *           sleep. The other kinds cannot. With @powers, @ac may be NULL
 * @n_powers: how many, at most SSDPM_MAX_PERSIST_POWERS
 *
 * @settings: what holds on both power sources, in place of what @ac and
 * @battery say of the same, or without them: then @ac may be NULL. Its name,
 *            power source and reason are not read
 *
 * A file that calls the command names one profile. So @ac and @battery have one
 * name, or are balanced and power-saver, which the command calls auto.
 */
struct ssdpm_persist_params {
	size_t size;
	uint32_t kind;
	uint32_t flags;
	const struct ssdpm_profile_settings *ac;
	const struct ssdpm_profile_settings *battery;
	const char *command;
	const char *profiles;
	const struct ssdpm_persist_power *powers;
	size_t n_powers;
	const struct ssdpm_profile_settings *settings;
};

/**
 * ssdpm_persist_new() - the files that make a policy last
 * @ret_persist: free it with ssdpm_persist_free()
 *
 * Return: 0; -EINVAL (@params; a kind that cannot express it), -E2BIG, -ENOMEM.
 */
SSDPM_API int ssdpm_persist_new(const struct ssdpm_persist_params *params,
				struct ssdpm_persist **ret_persist,
				struct ssdpm_error *reterr);

/** ssdpm_persist_free() - forget them, or NULL. Return: NULL. */
SSDPM_API struct ssdpm_persist *ssdpm_persist_free(
	struct ssdpm_persist *persist);

/**
 * struct ssdpm_persist_file - one file (sized; the caller sets size)
 * @size:     sizeof(struct ssdpm_persist_file)
 * @mode:     permissions, as for chmod(2)
 * @path:     where it goes, "/etc/udev/rules.d/85-ssdpm.rules"
 * @contents: what it holds; its marker is a line of it
 * @note:     what else has to be done, as in "rebuild the initramfs:
 *            update-initramfs -u", or ""
 *
 * Borrowed from the struct ssdpm_persist.
 */
struct ssdpm_persist_file {
	size_t size;
	uint32_t mode;
	uint32_t reserved;
	const char *path;
	const char *contents;
	const char *note;
};

/** ssdpm_persist_get_file() - from 0 on. Return: as ssdpm_plan_get_step(). */
SSDPM_API int ssdpm_persist_get_file(const struct ssdpm_persist *persist,
				     size_t index,
				     struct ssdpm_persist_file *ret_file);

/**
 * A flag of ssdpm_persist_write(): say whether it would be refused, and write
 * nothing. For a caller who sets a policy before he makes it last.
 */
#define SSDPM_PERSIST_CHECK (UINT32_C(1) << 0)

/**
 * ssdpm_persist_write() - write them, each by way of a new file and rename
 * @flags: SSDPM_PERSIST_CHECK or 0
 *
 * Files of this kind that an earlier call wrote, and that are none of these,
 * are removed, but for other profiles of TuneD. So is a new file (".NAME.new")
 * that a killed call has left.
 *
 * Return: 0; -EEXIST (a file of that name has no marker: it is not ours),
 * -EROFS (a root without the marker of a capture), -EINVAL (@flags); errors of
 * open(2), mkdir(2), write(2) and unlink(2).
 */
SSDPM_API int ssdpm_persist_write(const struct ssdpm_persist *persist,
				  struct ssdpm_machine *machine, uint32_t flags,
				  struct ssdpm_error *reterr);

/**
 * ssdpm_persist_read() - the files of one kind that are there
 * @ret_persist: those that ssdpm_persist_remove() would remove, perhaps none;
 * the note of each is what to do once it is removed. Free it with
 * ssdpm_persist_free().
 *
 * Return: 0, -EINVAL (@kind), -ENOMEM, and errors of open(2) and read(2).
 */
SSDPM_API int ssdpm_persist_read(struct ssdpm_machine *machine, uint32_t kind,
				 struct ssdpm_persist **ret_persist,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_persist_remove() - remove the files of one kind that have the marker
 * @ret_n: how many were removed, or NULL
 *
 * Return: as ssdpm_persist_read(), -EROFS, and errors of unlink(2).
 */
SSDPM_API int ssdpm_persist_remove(struct ssdpm_machine *machine, uint32_t kind,
				   size_t *ret_n, struct ssdpm_error *reterr);

/** ssdpm_step_kind_to_string() - "latency-tolerance", "lpm", ..., or NULL */
SSDPM_API const char *ssdpm_step_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_step_kind_from_string(const char *word);

/** ssdpm_step_state_to_string() - "planned", "in-force", ..., or NULL */
SSDPM_API const char *ssdpm_step_state_to_string(uint32_t state);
SSDPM_API uint32_t ssdpm_step_state_from_string(const char *word);

/** ssdpm_step_flag_to_string() - name of one bit, or NULL */
SSDPM_API const char *ssdpm_step_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_step_flag_from_string(const char *word);

/** ssdpm_journal_state_to_string() - "none", "running", ..., or NULL */
SSDPM_API const char *ssdpm_journal_state_to_string(uint32_t state);
SSDPM_API uint32_t ssdpm_journal_state_from_string(const char *word);

/** ssdpm_persist_kind_to_string() - "udev", "modprobe", ..., or NULL */
SSDPM_API const char *ssdpm_persist_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_persist_kind_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
