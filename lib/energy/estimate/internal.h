/* SPDX-License-Identifier: MIT */
/* What the files of the estimate share. */
#ifndef SSDPM_LIB_ESTIMATE_INTERNAL_H
#define SSDPM_LIB_ESTIMATE_INTERNAL_H

#include <ssdpm/energy/estimate.h>

#include "base/wide.h"

/* The value of each axis. */
enum corner_value {
	CORNER_NOMINAL = 0,
	CORNER_LOW = 1,
	CORNER_HIGH = 2,
};

#define N_AXES SSDPM_AXIS_LINK_IDLE_TIME

/* By axis - 1. All zero: the nominal corner. */
struct corner {
	uint8_t value[N_AXES];
};

/* All parameters of a drive at one corner, by state or by op - 1. */
struct values {
	uint64_t idle_power_uw[SSDPM_MAX_STATES];
	uint64_t active_power_uw[SSDPM_N_OPS];
	uint64_t transition_power_uw;
	uint64_t link_power_uw;
	uint64_t entry_ns[SSDPM_MAX_STATES];
	uint64_t exit_ns[SSDPM_MAX_STATES];
	struct ssdpm_service service;
	uint64_t operation_energy_nj[SSDPM_N_OPS];
	uint64_t byte_energy_pj[SSDPM_N_OPS];
	uint64_t link_idle_ns[SSDPM_MAX_STATES];
	struct wide over_fj;	/* energy that no value here explains */
	uint64_t background_ps; /* for each byte written */
};

/*
 * One step of a policy. at_ns and resident_ns count from the start of an idle
 * time. The drive enters the state from at_ns to resident_ns. It stays there
 * until at_ns of the next step.
 */
struct chain_step {
	uint32_t state;
	uint32_t timer; /* SATA: the state whose link idle time it waits for */
	uint64_t at_ns;
	uint64_t resident_ns;
	uint64_t exit_ns;
};

/* The steps that a drive takes by itself while idle, with APST or SATA. */
struct chain {
	uint32_t operational_state;
	uint32_t n;
	struct chain_step steps[SSDPM_MAX_STATES];
};

/* Bits 1 << (axis - 1): the axes on which low and high differ. */
uint32_t ssdpm__open_axes(const struct ssdpm_parameter *parameters, size_t n,
			  uint32_t operational_state);

/* These axes at their low end, or at their high one; all others nominal. */
struct corner ssdpm__corner(uint32_t axes, enum corner_value end);

/*
 * Whether these are the parameters of this drive: each once, in order, in
 * range.
 */
int ssdpm__check_parameters(const struct ssdpm_model *model,
			    const struct ssdpm_parameter *parameters, size_t n,
			    struct ssdpm_error *reterr);

/* The defaults, overridden by what the caller gave, or NULL; checked. */
int ssdpm__check_params(const struct ssdpm_sim_params *given,
			struct ssdpm_sim_params *ret_params,
			struct ssdpm_error *reterr);

/*
 * Bits of states whose idle power may exceed that of the state before. Bits by
 * op - 1 of active powers that may be below the idle power. Their ranges
 * contradict the order.
 */
struct power_order {
	uint32_t operational_state;
	uint32_t loose_states;
	uint32_t loose_ops;
};

/*
 * The caller's parameters, checked, or the model's; their powers are put in
 * order. ret_order may be NULL.
 */
int ssdpm__take_parameters(
	const struct ssdpm_model *model, const struct ssdpm_sim_params *params,
	struct ssdpm_parameter ret_parameters[SSDPM_MAX_PARAMETERS],
	size_t *ret_n, struct power_order *ret_order,
	struct ssdpm_error *reterr);

/* All values at a corner; the parameters were checked. */
void ssdpm__values(const struct ssdpm_parameter *parameters, size_t n,
		   uint32_t operational_state, const struct corner *corner,
		   struct values *ret_values);

/* Whether the drive works in this state. -EINVAL. */
int ssdpm__check_operational(const struct ssdpm_model *model, uint32_t state,
			     struct ssdpm_error *reterr);

/* Whether the link policy of a SATA drive is unknown. */
bool ssdpm__is_lpm_unknown(const struct ssdpm_model *model, uint32_t lpm);

/* Whether the link of a SATA drive does the same under both policies. */
bool ssdpm__is_link_same(const struct ssdpm_model *model, uint32_t a,
			 uint32_t b);

/*
 * The chain that a drive with these values follows under a table or a link
 * policy. The params were checked, but not whether the table and the policy fit
 * the drive.
 */
int ssdpm__chain(const struct ssdpm_model *model,
		 const struct ssdpm_sim_params *params,
		 const struct values *values, struct chain *ret_chain,
		 struct ssdpm_error *reterr);

/* a / b, rounded to the nearest; false: beyond 64 bits. */
bool ssdpm__divide(struct wide a, uint64_t b, uint64_t *ret_quotient);

#define NS_PER_DAY 86400000000000u

/* Energies are sums in femtojoules (uW x ns): exact, whatever their length. */
#define FJ_PER_NJ 1000000u
#define FJ_PER_PJ 1000u

/*
 * Computes energies and mean power from the times and counts of a run. -ERANGE:
 * beyond 64 bits of nJ. ret_fj: the exact sum, or NULL.
 */
int ssdpm__run_energy(struct ssdpm_run *run, const struct values *values,
		      uint32_t operational_state, struct wide *ret_fj,
		      struct ssdpm_error *reterr);

/*
 * Computes sums and quotients from the counts of a run and its times by state
 * and op. These are duration, busy, idle, entry, exit, n_wakes, n_deepest,
 * values per day, and mean delays. -ERANGE: it ends beyond 2^64 ns.
 */
int ssdpm__run_sums(struct ssdpm_run *run, const struct chain *chain,
		    uint64_t start_ns, struct ssdpm_error *reterr);

/*
 * Whether the work behind the writes needs more than all time without I/O. The
 * drive then never sleeps.
 */
bool ssdpm__is_overloaded(const struct ssdpm_run *run, uint64_t background_ps);

static inline uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t at_least(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* power-order.c: powers that an order binds */

/*
 * Cuts each interval to what a drive in this order can have, and moves the
 * nominal value into the rest. Only known ranges narrow known ones; an assumed
 * range widens where it would leave them no room. The parameters were checked.
 */
void ssdpm__order_powers(struct ssdpm_parameter *parameters, size_t n,
			 uint32_t operational_state,
			 struct power_order *ret_order);

/*
 * The least sum of weighted parameters over all drives in this order.
 * Parameters that are no power have the weight 0.
 */
struct wide ssdpm__least_sum(const struct ssdpm_parameter *parameters, size_t n,
			     const struct power_order *order,
			     const struct wide *weights);

/* sim-saving.c: what one policy saves against another */

/* A drive whose powers were ordered. */
struct priced_drive {
	const struct ssdpm_parameter *parameters;
	size_t n;
	struct power_order order;
};

/*
 * How much less one nominal run costs than another of the same length. -ERANGE.
 */
int ssdpm__nominal_saving(const struct priced_drive *drive,
			  const struct ssdpm_run *from,
			  const struct ssdpm_run *to,
			  struct ssdpm_saving *ret_saving,
			  struct ssdpm_error *reterr);

/*
 * Fails with -ERANGE and words for a difference of energies that does not fit.
 */
int ssdpm__fail_saving(struct ssdpm_error *reterr);

/* rules.c: the parameters of a drive */

struct parameter_key {
	uint32_t kind, index;
};

/* Fails with -EOPNOTSUPP: the power of a motor is not estimated. */
int ssdpm__refuse_hard_disk(struct ssdpm_error *reterr);

/* All keys of a drive, sorted by kind and index. Return: how many. */
size_t ssdpm__parameter_keys(
	const struct ssdpm_model *model,
	struct parameter_key ret_keys[SSDPM_MAX_PARAMETERS]);

#endif
