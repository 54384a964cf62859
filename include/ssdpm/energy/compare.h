/* SPDX-License-Identifier: MIT */
/*
 * Policies as people name them, what each one is for a drive, and what several
 * of them cost on one workload.
 *
 *     word -> policy; policy + model + machine -> a table, or a link policy
 *     policies + model + machine + workload -> a comparison
 *
 * This stage is pure. The words are the same in C, Python and the command: see
 * ssdpm_compare(3).
 */
#ifndef SSDPM_COMPARE_H
#define SSDPM_COMPARE_H

#include <ssdpm/base.h>
#include <ssdpm/model.h>
#include <ssdpm/policy.h>
#include <ssdpm/energy/estimate.h>
#include <ssdpm/energy/likely.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What puts a drive to sleep. */
enum ssdpm_policy_kind {
	SSDPM_POLICY_ALGORITHM = 1, /* NVMe: a table that is made */
	SSDPM_POLICY_TABLE = 2,	    /* NVMe: a table that was given */
	SSDPM_POLICY_LPM = 3,	    /* SATA: a link policy */
	SSDPM_POLICY_NONE = 4,	    /* nothing: it never sleeps */
	SSDPM_POLICY_TODAY = 5,	    /* what its machine does now */
};

/**
 * struct ssdpm_policy - a policy, for whatever drive (sized)
 * @size:   sizeof(struct ssdpm_policy)
 * @kind:   enum ssdpm_policy_kind
 * @lpm:    SSDPM_POLICY_LPM: enum ssdpm_lpm
 * @table:  SSDPM_POLICY_TABLE
 * @params: SSDPM_POLICY_ALGORITHM
 */
struct ssdpm_policy {
	size_t size;
	uint32_t kind;
	uint32_t lpm;
	struct ssdpm_apst table;
	struct ssdpm_apst_params params;
};

/**
 * ssdpm_policy_parse() - the policy of a word
 * @word:       what ssdpm_apst_algorithm_parse() takes, as in
 *              "windows:balanced:battery" or "linux:secondary-timeout=1s"; a
 * word of enum ssdpm_lpm; "none"; "today"
 * @params:     what the word does not say of an algorithm; NULL: the defaults
 * @ret_policy: its size member is set by the caller
 *
 * Return: 0; -EINVAL (no such word, a bad parameter in it, or a size), -E2BIG
 * (the size of @params or @ret_policy).
 */
SSDPM_API int ssdpm_policy_parse(const char *word,
				 const struct ssdpm_apst_params *params,
				 struct ssdpm_policy *ret_policy,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_policy_get_word() - the word of a policy, in full
 * @ret_word: "windows:balanced:ac" and so on, a static string
 *
 * ssdpm_policy_parse() of it is the policy, but for parameters such as
 * secondary-timeout=1s, which it leaves out.
 *
 * Return: 0; -ENOENT (no word says it: it is a table), -EINVAL, -E2BIG (the
 * size of @policy).
 */
SSDPM_API int ssdpm_policy_get_word(const struct ssdpm_policy *policy,
				    const char **ret_word,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_policy_get_common() - the policies that are compared unless others are
 *                             named
 * @kind:  enum ssdpm_kind of the drive; 0: those of all
 * @index: from 0 on
 *
 * "today" comes first, then what Linux does by default. A device alone has
 * "today": see ssdpm_policy_check().
 *
 * Return: a word, a static string; NULL: there are no more.
 */
SSDPM_API const char *ssdpm_policy_get_common(uint32_t kind, size_t index);

/**
 * ssdpm_policy_check() - can this drive have the policy?
 * @settings: of ssdpm_device_get_settings(); NULL: no machine has the drive
 *
 * Return: 0; -EOPNOTSUPP (tables are for NVMe drives, link policies for SATA
 * ones, and only a device has SSDPM_POLICY_TODAY: @reterr says which), -EINVAL,
 * -E2BIG (sizes; the kind of @policy).
 */
SSDPM_API int ssdpm_policy_check(const struct ssdpm_model *model,
				 const struct ssdpm_policy *policy,
				 const struct ssdpm_device_settings *settings,
				 struct ssdpm_error *reterr);

/**
 * ssdpm_policy_get_reference() - the policy that savings are counted from
 * @settings:   as for ssdpm_policy_check()
 * @params:     as for ssdpm_policy_parse()
 * @ret_policy: its size member is set by the caller: SSDPM_POLICY_TODAY where
 * the machine says what that is, or else what Linux does by default
 *
 * Return: 0; -EINVAL, -E2BIG (sizes).
 */
SSDPM_API int ssdpm_policy_get_reference(
	const struct ssdpm_model *model,
	const struct ssdpm_device_settings *settings,
	const struct ssdpm_apst_params *params, struct ssdpm_policy *ret_policy,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_resolved_policy - what a policy is for one drive (frozen)
 * @apst: NVMe: the table; without entries the drive never sleeps
 * @lpm:  SATA: enum ssdpm_lpm; 0: not known, because the port does not say
 * @reserved: 0
 */
struct ssdpm_resolved_policy {
	struct ssdpm_apst apst;
	uint32_t lpm;
	uint32_t reserved;
};

/**
 * ssdpm_policy_resolve() - the table or the link policy for one drive
 * @params:   what is simulated: its parameters and operational state say what
 *            lower-envelope has to know; NULL: the defaults
 * @settings: as for ssdpm_policy_check(); its quirks, or if it knows none those
 *            of ssdpm_quirks_find(), hold beside those of @policy
 *
 * Windows has the quirks of @policy alone.
 *
 * Return: 0; as ssdpm_policy_check(), ssdpm_apst_generate(), -ENOMEM.
 */
SSDPM_API int ssdpm_policy_resolve(const struct ssdpm_model *model,
				   const struct ssdpm_policy *policy,
				   const struct ssdpm_sim_params *params,
				   const struct ssdpm_device_settings *settings,
				   struct ssdpm_resolved_policy *ret_resolved,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_resolved_policy_is_same() - does a drive do the same under both?
 *
 * A table that is off does what one without entries does.
 */
SSDPM_API bool ssdpm_resolved_policy_is_same(
	const struct ssdpm_resolved_policy *a,
	const struct ssdpm_resolved_policy *b);

/**
 * ssdpm_device_settings_get_pcie_link() - the link of a drive that sleeps
 * @settings: as for ssdpm_policy_check()
 * @ret_link: for ssdpm_parameters_from_model(): what the machine says, or 0 if
 *            it does not; without a machine SSDPM_PCIE_L1_2, which drives are
 *            made for
 *
 * Return: 0; -EINVAL, -E2BIG (the size of @settings).
 */
SSDPM_API int ssdpm_device_settings_get_pcie_link(
	const struct ssdpm_device_settings *settings, uint32_t *ret_link,
	struct ssdpm_error *reterr);

/**
 * ssdpm_sim_params_set_policy() - what to simulate of a drive under a policy
 * @params:   changed: @apst or @lpm become those of @policy and, where
 *            @settings are given and @parameters are not, @pcie_link that of
 *            the machine
 * @policy:   NULL: that of ssdpm_policy_get_reference(), so that with @settings
 *            the drive is simulated as its machine has it today
 * @settings: as for ssdpm_policy_resolve()
 * @ret_resolved: what the policy is; @params point to its table
 *
 * Return: as ssdpm_policy_resolve(); -EINVAL, -E2BIG (the size of @params).
 */
SSDPM_API int ssdpm_sim_params_set_policy(
	struct ssdpm_sim_params *params, const struct ssdpm_model *model,
	const struct ssdpm_policy *policy,
	const struct ssdpm_device_settings *settings,
	struct ssdpm_resolved_policy *ret_resolved, struct ssdpm_error *reterr);

struct ssdpm_comparison;

/**
 * ssdpm_comparison_new() - begin to compare policies on a workload
 * @model:    the drive; kept
 * @params:   what to simulate, or NULL; its table and link policy are not read.
 *            SSDPM_SIM_LIKELY asks for what is likely of each row
 * @settings: as for ssdpm_policy_check()
 * @ret_comparison: free it with ssdpm_comparison_free()
 *
 * Return: 0; -EINVAL, -E2BIG (sizes), -ENOMEM.
 */
SSDPM_API int ssdpm_comparison_new(const struct ssdpm_model *model,
				   const struct ssdpm_sim_params *params,
				   const struct ssdpm_device_settings *settings,
				   struct ssdpm_comparison **ret_comparison,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_comparison_add() - one more row, after those before it
 * @name:   what to call it
 * @policy: NULL: that of the word @name
 *
 * A policy that is the same for this drive as that of an earlier row is not
 * simulated again. A failure adds no row.
 *
 * Return: 0; as ssdpm_policy_parse(), ssdpm_policy_resolve(), ssdpm_sim_new();
 * -EINVAL (there were records before).
 */
SSDPM_API int ssdpm_comparison_add(struct ssdpm_comparison *comparison,
				   const char *name,
				   const struct ssdpm_policy *policy,
				   struct ssdpm_error *reterr);

/**
 * ssdpm_comparison_feed() - the next records, for all rows
 *
 * Return: as ssdpm_sim_feed().
 */
SSDPM_API int ssdpm_comparison_feed(struct ssdpm_comparison *comparison,
				    const struct ssdpm_io *ios, size_t n,
				    struct ssdpm_error *reterr);

/**
 * ssdpm_comparison_finish() - no more records
 * @end_ns: as for ssdpm_sim_finish()
 *
 * Return: as ssdpm_sim_finish(), ssdpm_sim_get_saving(),
 * ssdpm_sim_get_likely(); -ENODATA too where there is no row.
 */
SSDPM_API int ssdpm_comparison_finish(struct ssdpm_comparison *comparison,
				      uint64_t end_ns,
				      struct ssdpm_error *reterr);

/**
 * struct ssdpm_compared_policy - a row of a comparison (sized result)
 * @size:     sizeof(struct ssdpm_compared_policy)
 * @name:     as it was added, borrowed from the comparison
 * @sim:      its simulation, borrowed; that of row @same_as
 * @result:   likewise its outcome; NULL before ssdpm_comparison_finish()
 * @same_as:  the first row whose policy is the same for this drive: its own
 *            number, or that of an earlier row
 * @saving:   against row 0; all 0 before ssdpm_comparison_finish(), and of what
 *            is @refused
 * @resolved: what the policy is for this drive
 * @likely:   what is likely of the saving, borrowed; NULL before
 *            ssdpm_comparison_finish(), of what is the same as row 0 or is
 *            @refused, and where nobody asked for it
 * @advised:  1: of the rows that surely or probably save against row 0, it
 *            saves most in the middle of what is likely; at most one row is.
 *            It keeps the bounds of SSDPM_PATIENCE_NORMAL; the default of Linux
 *            widens them if a row does the same. A link policy that is not
 *            med_power_with_dipm or medium_power is never advised, and none is
 *            where a machine leaves the port alone
 * @refused:  1: the port of the drive takes no link policy but that of today,
 *            and this is another one: ssdpm_device_settings.refused. Likewise a
 *            policy of a link that Linux keeps awake: SSDPM_QUIRK_NO_LPM
 */
struct ssdpm_compared_policy {
	size_t size;
	const char *name;
	struct ssdpm_sim *sim;
	const struct ssdpm_result *result;
	uint64_t same_as;
	struct ssdpm_saving saving;
	struct ssdpm_resolved_policy resolved;
	const struct ssdpm_likely *likely;
	uint32_t advised;
	uint32_t refused;
};

/**
 * ssdpm_comparison_get_row() - look at a row
 * @index:   from 0 on
 * @ret_row: its size member is set by the caller
 *
 * Return: 0; -ENOENT (there is no such row), -EINVAL, -E2BIG (the size).
 */
SSDPM_API int ssdpm_comparison_get_row(
	const struct ssdpm_comparison *comparison, size_t index,
	struct ssdpm_compared_policy *ret_row);

/**
 * ssdpm_comparison_free() - @comparison may be NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_comparison *ssdpm_comparison_free(
	struct ssdpm_comparison *comparison);

/** ssdpm_policy_kind_to_string() - "algorithm", "table" and so on, or NULL */
SSDPM_API const char *ssdpm_policy_kind_to_string(uint32_t kind);
SSDPM_API uint32_t ssdpm_policy_kind_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
