/* SPDX-License-Identifier: MIT */
/*
 * An intent is the policy that was asked for, for each drive: what the files of
 * ssdpm.conf(5) say. See ssdpm_intent(3).
 */
#ifndef SSDPM_INTENT_H
#define SSDPM_INTENT_H

#include <ssdpm/apply.h>
#include <ssdpm/base.h>
#include <ssdpm/device.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ssdpm_intent;

/** Subjects and conditions of an intent: bits of ssdpm_intent_get_flags(). */
enum ssdpm_intent_flag {
	SSDPM_INTENT_SETS = 1 << 0, /* it sets anything at all */
	SSDPM_INTENT_BY_SOURCE = 1 << 1,
	SSDPM_INTENT_BY_DESKTOP = 1 << 2,
	/* Set Features: power_state, workload_hint, nopp. */
	SSDPM_INTENT_BY_COMMAND = 1 << 3,
};

/**
 * ssdpm_intent_read() - the files of a machine
 * @ret_intent: free it with ssdpm_intent_free()
 *
 * A machine without files has an intent that sets nothing.
 *
 * Return: 0; -EINVAL (a fault in a file: @reterr has its name and the line),
 * -E2BIG (a file of more than 1 MiB, more than 1024 lines that set something),
 * -EACCES (a file that this user may not read), -ENOMEM; errors of open(2) and
 * read(2).
 */
SSDPM_API int ssdpm_intent_read(struct ssdpm_machine *machine,
				struct ssdpm_intent **ret_intent,
				struct ssdpm_error *reterr);

/** ssdpm_intent_free() - forget it, or NULL. Return: NULL. */
SSDPM_API struct ssdpm_intent *ssdpm_intent_free(struct ssdpm_intent *intent);

/** ssdpm_intent_get_flags() - bits of enum ssdpm_intent_flag */
SSDPM_API uint32_t ssdpm_intent_get_flags(const struct ssdpm_intent *intent);

/**
 * ssdpm_intent_get_settings() - what the files say of all drives, or in a
 * profile
 * @profile: a profile of the files, a built-in one, or "auto"; NULL: what the
 *          files ask for of all drives
 * @power_source: enum ssdpm_power_source, and not 0
 * @ret_settings: named as the profile, or "files"; nothing is set that no file
 *          asks for
 *
 * Without @profile it is for files of programs that treat all drives alike. The
 * link policies are those of SATA drives, and all else is of NVMe drives.
 * Sections for a model, a serial number or a port are left out, as are those
 * for a profile of the desktop.
 *
 * Return: 0; -ENOENT (no such profile), -EINVAL (@power_source), -E2BIG (size
 * of @ret_settings).
 */
SSDPM_API int ssdpm_intent_get_settings(
	const struct ssdpm_intent *intent, const char *profile,
	uint32_t power_source, struct ssdpm_profile_settings *ret_settings,
	struct ssdpm_error *reterr);

/**
 * ssdpm_intent_get_profile_name() - the profiles of the files and the built-in
 * ones
 * @index: from 0 on
 * @ret_name: of at least 32 bytes
 *
 * Return: 0; -ERANGE (no more).
 */
SSDPM_API int ssdpm_intent_get_profile_name(const struct ssdpm_intent *intent,
					    size_t index, char ret_name[32]);

/**
 * struct ssdpm_intent_params - what it depends on (sized parameters)
 * @size:   sizeof(struct ssdpm_intent_params)
 * @power_source: enum ssdpm_power_source; 0: that of the machine, or AC if that
 *          is not known
 * @reserved: 0
 * @desktop_profile: "power-saver", "balanced", "performance"; "": not known;
 *          NULL: the one that ssdpm_intent_note_desktop() has noted
 */
struct ssdpm_intent_params {
	size_t size;
	uint32_t power_source;
	uint32_t reserved;
	const char *desktop_profile;
};

/**
 * ssdpm_plan_add_intent() - what was asked for, as steps
 * @device: NULL: all devices of the machine, with their models, as
 *          ssdpm_plan_add_profile() reads them
 * @model:  of @device, or NULL: it is not known; for a power state it is read
 * by a command if the plan was made with SSDPM_READ_COMMANDS
 * @params: or NULL for the defaults
 *
 * As ssdpm_plan_add_profile(): a device that a setting cannot be applied to
 * gives a step with SSDPM_STEP_LEFT_ALONE. The origin of each step is the line
 * that decides it.
 *
 * Return: 0; -EINVAL (@params, a @model without @device), -E2BIG (@params),
 * -ENOMEM; without @device, as ssdpm_device_list_read().
 */
SSDPM_API int ssdpm_plan_add_intent(struct ssdpm_plan *plan,
				    struct ssdpm_device *device,
				    struct ssdpm_model *model,
				    const struct ssdpm_intent *intent,
				    const struct ssdpm_intent_params *params,
				    struct ssdpm_error *reterr);

/** A flag of ssdpm_intent_keep() and ssdpm_intent_forget(). */
#define SSDPM_KEEP_UNTIL_REBOOT (UINT32_C(1) << 0)
/** A flag of ssdpm_intent_keep(): say whether it would fail, and write nothing.
 */
#define SSDPM_KEEP_CHECK (UINT32_C(1) << 1)

/**
 * ssdpm_intent_keep() - ask for something, from now on
 * @device: what it is for, by its model and its serial number, or by its port
 *          where the kernel knows no serial number; NULL: for all drives
 * @lines:  "key = value" lines of a [drive] or a [machine] section, as in
 *          "max_exit_latency = 25ms\n"; profile comes first
 * @flags:  SSDPM_KEEP_UNTIL_REBOOT: until the next boot only; 0: for good;
 *          SSDPM_KEEP_CHECK
 *
 * The file is /etc/ssdpm.conf.d/50-local.conf, or that of the same name in
 * /run/ssdpm.conf.d. The lines replace those of the file about the same; the
 * rest of the file stays. A line that is kept for good also leaves the file in
 * /run. Sets nothing on a device.
 *
 * Return: 0; -EINVAL (@lines, or a line of any file, is not sound: @reterr says
 * which; @flags), -EROFS (a root without the marker of a capture), -EACCES,
 * -EPERM, -E2BIG, -ENOMEM; errors of open(2), mkdir(2), write(2) and rename(2).
 */
SSDPM_API int ssdpm_intent_keep(struct ssdpm_machine *machine,
				const struct ssdpm_device *device,
				const char *lines, uint32_t flags,
				struct ssdpm_error *reterr);

/**
 * ssdpm_intent_forget() - remove what ssdpm_intent_keep() has written
 * @flags: as it was given them
 *
 * Return: 0 (there was nothing, too); -EINVAL (@flags); -EROFS, -EACCES,
 * -EPERM; errors of unlink(2).
 */
SSDPM_API int ssdpm_intent_forget(struct ssdpm_machine *machine, uint32_t flags,
				  struct ssdpm_error *reterr);

/**
 * ssdpm_intent_note_desktop() - which profile the desktop has
 * @desktop_profile: as in struct ssdpm_intent_params; NULL: not known
 *
 * For who hears of it, so that others who ask know it: it goes into
 * /run/ssdpm/desktop-profile.
 *
 * Return: 0; -EINVAL (not a name), -EROFS (a root without the marker of a
 * capture), -EACCES, -EPERM; errors of open(2), mkdir(2), write(2), rename(2).
 */
SSDPM_API int ssdpm_intent_note_desktop(struct ssdpm_machine *machine,
					const char *desktop_profile,
					struct ssdpm_error *reterr);

/** ssdpm_intent_flag_to_string() - "sets", "by-source", ..., or NULL */
SSDPM_API const char *ssdpm_intent_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_intent_flag_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
