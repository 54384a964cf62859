/* SPDX-License-Identifier: MIT */
/*
 * What libssdpm knows, as JSON: the objects of ssdpm-json(5), as the command
 * prints them. See ssdpm_object(3).
 */
#ifndef SSDPM_OBJECT_H
#define SSDPM_OBJECT_H

#include <ssdpm/apply.h>
#include <ssdpm/base.h>
#include <ssdpm/device.h>
#include <ssdpm/model.h>
#include <ssdpm/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which object. Its schema is "ssdpm.WORD/1", if its line has no other. */
enum ssdpm_object_kind {
	SSDPM_OBJECT_LIST = 1, /* a row of the catalogue */
	SSDPM_OBJECT_DEVICE = 2,
	SSDPM_OBJECT_MACHINE = 3,
	SSDPM_OBJECT_LPM = 4, /* a SATA port */
	SSDPM_OBJECT_PLAN = 5,
	SSDPM_OBJECT_CAPTURE = 6,
	SSDPM_OBJECT_APST = 7,
	SSDPM_OBJECT_APST_DIFF = 8,
	SSDPM_OBJECT_APST_INFER = 9,
	SSDPM_OBJECT_APST_KEEP = 10,
	SSDPM_OBJECT_APST_REACH = 11,
	SSDPM_OBJECT_ERROR = 12, /* a drive that failed */
	SSDPM_OBJECT_MODEL = 13, /* with what is known of the drive beside it */
	SSDPM_OBJECT_ANSWER = 14, /* "ssdpm.NAME/2": objects in a list */
	SSDPM_OBJECT_STATUS = 15, /* a drive in short */
};

/** Bits of ssdpm_object.flags. */
enum ssdpm_object_flag {
	/* PLAN: its caller knows more than its steps and its journal tell. */
	SSDPM_OBJECT_NOT_IN_FORCE = 1 << 0,
	SSDPM_OBJECT_IDENTIFY = 1 << 1, /* CAPTURE: the drives were asked */
};

/**
 * struct ssdpm_object - what an object is made of (sized parameters)
 * @size:    sizeof(struct ssdpm_object)
 * @kind:    enum ssdpm_object_kind
 * @flags:   bits of enum ssdpm_object_flag
 * @index:   LIST: the row of @catalogue; APST_KEEP: the state
 * @quirks:  APST, MODEL: bits of enum ssdpm_quirk that are in force, and
 *           @quirks_unknown those that may be
 * @n_pending: STATUS: how many settings of ssdpm.conf(5) are not in force on
 * the machine; UINT32_MAX: not known
 * @name:    DEVICE, STATUS: NULL: that of @device; APST and others: of the
 * drive; CAPTURE: the directory; ERROR: as its caller named it; ANSWER: of the
 * call
 * @list:    ANSWER: the key of the list
 * @table_name: APST_DIFF: of @table, or NULL; APST_INFER: of the table
 * @other_name: APST_DIFF, APST_REACH: of @other
 * @reason:  APST_KEEP: why there is no limit; NULL: there is one; ERROR: why it
 *           failed
 * @apply:   APST_REACH: the call of ssdpm-apply(1), or NULL
 * @device:  DEVICE, LPM, STATUS
 * @machine: MACHINE, CAPTURE; DEVICE: for its quirks, or NULL
 * @model:   MODEL, APST and others; DEVICE: for its quirks, or NULL
 * @catalogue: LIST
 * @journal: DEVICE, PLAN, STATUS: or NULL
 * @diagnoses: DEVICE, LPM, STATUS: from ssdpm_device_diagnose(); @n_diagnoses
 *             of them
 * @advice:  what to do about each of these, in words; NULL: no advice
 * @power:   DEVICE: from ssdpm_device_read_power(), or NULL
 * @devsleep: DEVICE: from ssdpm_device_read_devsleep(), or NULL
 * @owners:  MACHINE: from ssdpm_machine_read_owners(); PLAN: those that may
 * undo it, NULL: nobody looked for them; @n_owners of them
 * @plan:    PLAN
 * @profile: PLAN: or NULL
 * @persists: PLAN: the files that make it last: @n_persists, of which some may
 *           be NULL; NULL: it has none
 * @params:  APST, APST_KEEP with the limit, APST_REACH; APST_DIFF: what made
 *           @table, or NULL; APST_INFER: the candidates: @n_params of them,
 *           each of the size of the first
 * @changes: APST_REACH: from ssdpm_device_get_apst_changes(); @n_changes of
 *           them
 * @table:   DEVICE: that is in force, or NULL; APST_DIFF, APST_REACH: that
 *           @params make
 * @other:   DEVICE: that this kernel builds, or NULL; APST_DIFF, APST_REACH:
 *           what @table is compared with
 * @model_json: DEVICE: an object that ssdpm_model_to_json() gave, or NULL
 * @machine_json: DEVICE: an object of kind MACHINE. NULL: the object ends with
 *           the diagnosis
 * @more_json: MACHINE, MODEL: an object whose members end this one, or NULL;
 *           STATUS: of ssdpm_energy_report_item_to_json(), or NULL
 * @items:   objects that calls of ssdpm gave as texts, @n_items of them.
 * ANSWER: of the list; MODEL: the alternatives in the catalogue; PLAN: the
 *           estimates; NULL: it has none
 * @seen:    MODEL, APST, APST_DIFF: how many drives of the catalogue say this;
 *           0: it is not from there
 * @errors:  ANSWER: what went wrong, in words: @n_errors of them
 *
 * All pointers are borrowed for the call. An object needs what stands here for
 * it, and looks at nothing else.
 */
struct ssdpm_object {
	size_t size;
	uint32_t kind;
	uint32_t flags;
	uint32_t index;
	uint32_t quirks;
	uint32_t quirks_unknown;
	uint32_t n_pending;
	const char *name;
	const char *table_name;
	const char *other_name;
	const char *list;
	const char *reason;
	const char *apply;
	const struct ssdpm_device *device;
	const struct ssdpm_machine_facts *machine;
	const struct ssdpm_model *model;
	const struct ssdpm_catalogue *catalogue;
	const struct ssdpm_journal *journal;
	const struct ssdpm_diagnosis *diagnoses;
	size_t n_diagnoses;
	const char *const *advice;
	const struct ssdpm_device_power *power;
	const struct ssdpm_devsleep *devsleep;
	const struct ssdpm_owner *owners;
	size_t n_owners;
	const struct ssdpm_plan *plan;
	const struct ssdpm_profile_settings *profile;
	struct ssdpm_persist *const *persists;
	size_t n_persists;
	const struct ssdpm_apst_params *params;
	size_t n_params;
	const struct ssdpm_change *changes;
	size_t n_changes;
	const struct ssdpm_apst *table;
	const struct ssdpm_apst *other;
	const char *model_json;
	const char *machine_json;
	const char *more_json;
	const char *const *items;
	size_t n_items;
	const char *const *errors;
	size_t n_errors;
	uint64_t seen;
};

/**
 * ssdpm_object_to_json() - one object of ssdpm-json(5)
 * @ret_text: UTF-8 with a final newline; free it with free()
 *
 * The same object gives the same bytes.
 *
 * Return: 0; -EINVAL (the kind; a part that it needs is NULL), -E2BIG (a size),
 * -ENOMEM; APST, APST_INFER, APST_KEEP: as ssdpm_apst_generate().
 */
SSDPM_API int ssdpm_object_to_json(const struct ssdpm_object *object,
				   char **ret_text, struct ssdpm_error *reterr);

/** ssdpm_object_kind_to_string() - "device", "apst-diff" and so on, or NULL */
SSDPM_API const char *ssdpm_object_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_object_kind_from_string(const char *word);

/** ssdpm_object_flag_to_string() - "in-force", "identify", or NULL */
SSDPM_API const char *ssdpm_object_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_object_flag_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
