/* SPDX-License-Identifier: MIT */
/*
 * Power budgets: one state for each of many drives, with the least loss.
 *
 *     drives + what they do -> an item: what each state takes and loses
 *     items + a budget -> a state for each
 *
 * This stage is pure. See ssdpm_budget(3).
 */
#ifndef SSDPM_BUDGET_H
#define SSDPM_BUDGET_H

#include <ssdpm/energy/caps.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of a budget. */
#define SSDPM_BUDGET_MAX_ITEMS 65536
#define SSDPM_BUDGET_MAX_STATES 256
#define SSDPM_BUDGET_MAX (UINT64_C(1) << 40)

/** The power that a state is counted with. */
enum ssdpm_budget_power {
	SSDPM_BUDGET_POWER_MAX = 1,	 /* the maximum that defines it */
	SSDPM_BUDGET_POWER_EXPECTED = 2, /* the mean of the work */
	SSDPM_BUDGET_POWER_P99 = 3,	 /* what that exceeds 1 % of the time */
};

/** ssdpm_budget_power_to_string() - "max", "expected", "p99", or NULL */
SSDPM_API const char *ssdpm_budget_power_to_string(uint32_t power);
SSDPM_API uint32_t ssdpm_budget_power_from_string(const char *word);

/**
 * struct ssdpm_budget_work - what a drive does (sized parameters)
 * @size:      sizeof(struct ssdpm_budget_work)
 * @name:      of the trace; NULL: it has none
 * @streams:   a mix, as for ssdpm_cap_params_from_model()
 * @n_streams: 1 to SSDPM_MAX_CAP_STREAMS
 * @ios:       a trace instead, sorted; NULL: the mix
 * @n_ios:     how many
 */
struct ssdpm_budget_work {
	size_t size;
	const char *name;
	const struct ssdpm_cap_stream *streams;
	size_t n_streams;
	const struct ssdpm_io *ios;
	size_t n_ios;
};

/**
 * struct ssdpm_budget_drive - a drive that shares a budget (sized parameters)
 * @size:   sizeof(struct ssdpm_budget_drive)
 * @name:   for messages and JSON; NULL: it has none
 * @model:  the drive
 * @params: as for ssdpm_cap_simulate(), but for the operational state, which is
 *          not read; NULL: the defaults
 * @work:   what it does
 * @max_power_uw: by state, the maximum power of one whose drive does not report
 *          it; 0: not stated. What a drive reports stays. A SATA drive has one
 *          choice: state 0
 * @n_max_powers: how many
 *
 * All pointers are borrowed for the call.
 */
struct ssdpm_budget_drive {
	size_t size;
	const char *name;
	const struct ssdpm_model *model;
	const struct ssdpm_sim_params *params;
	const struct ssdpm_budget_work *work;
	const uint32_t *max_power_uw;
	size_t n_max_powers;
};

/**
 * ssdpm_budget_drives_get_states() - the states that a card may be in
 * @drives:      the devices of a card, which share one state; or one drive
 * @n_drives:    1 or more
 * @ret_states:  bits 1 << state: those in which all of them work
 * @ret_unknown: of these, whose maximum power one of them does not report, and
 *               nobody stated
 *
 * A SATA drive has state 0 alone: nothing caps it. Its maximum is what is
 * stated, or the most of its active powers if @params has all of them as
 * measured or stated.
 *
 * Return: 0; -EINVAL (a pointer is NULL), -EOPNOTSUPP (a SATA drive on a card;
 * no state in which all work), -E2BIG (sizes), -ENOMEM; as
 * ssdpm_model_new() (a power that was stated).
 */
SSDPM_API int ssdpm_budget_drives_get_states(
	const struct ssdpm_budget_drive *const *drives, size_t n_drives,
	uint32_t *ret_states, uint32_t *ret_unknown,
	struct ssdpm_error *reterr);

/**
 * struct ssdpm_budget_state - a state that an item may be in (frozen, 88 bytes)
 * @state:    its number
 * @limit:    enum ssdpm_cap_limit; 0: not the same for all devices of a card,
 *            or a trace that the state does not slow down
 * @assumed:  bits of enum ssdpm_cap_field that rest on an assumption
 * @outranked: by how many ranks (RRT for reads, RWT for writes) the drive puts
 *            its throughput below that of another state, against which no loss
 *            was computed; more is lost than the numbers say; 0: not so
 * @power_uw: that it is counted with; up to SSDPM_BUDGET_MAX
 * @loss:     what is lost in it, weighted; up to SSDPM_BUDGET_MAX; bytes per
 *            second if it is of a drive, and one more for each rank of
 *            @outranked, which chooses between states that lose the same
 * @lost_bytes_per_s: the same without the weight, against the best of the
 *            states; a whole number, or NaN: not known
 * @expected_power_uw: of the work, the mean or, where that is counted, p99
 * @bytes_per_s: throughput; NaN: not known
 */
struct ssdpm_budget_state {
	uint32_t state;
	uint32_t limit;
	uint32_t assumed;
	uint32_t outranked;
	uint64_t power_uw;
	uint64_t loss;
	double lost_bytes_per_s;
	struct ssdpm_span expected_power_uw;
	struct ssdpm_span bytes_per_s;
};

struct ssdpm_budget_item;

/**
 * ssdpm_budget_item_new() - what a drive, or a card, takes and loses
 * @drives:   as for ssdpm_budget_drives_get_states()
 * @n_drives: likewise
 * @power:    enum ssdpm_budget_power
 * @weight_thousandths: what its throughput is worth; 1000: as much as it is
 * @ret_item: give it back with ssdpm_budget_item_unref()
 *
 * Each state is a cap of its maximum power: a mix goes through
 * ssdpm_cap_calculate(), a trace through ssdpm_cap_simulate(). A drive that
 * does not keep up, or takes more at rest, does nothing and takes the maximum.
 * Powers of the work are rounded up to 10 mW, but to no more than the maximum.
 * A card has the sums of its devices. A SATA drive counts with its maximum,
 * whatever @power is, loses nothing, and its throughput is not known.
 *
 * Return: 0; as ssdpm_budget_drives_get_states(); -ENODATA (the maximum power
 * of a state is not known; a trace neither reads nor writes), -ERANGE (the
 * weight: a loss would be above SSDPM_BUDGET_MAX; a power would), -EINVAL
 * (@power); as ssdpm_cap_calculate(), ssdpm_cap_simulate().
 */
SSDPM_API int ssdpm_budget_item_new(
	const struct ssdpm_budget_drive *const *drives, size_t n_drives,
	uint32_t power, uint64_t weight_thousandths,
	struct ssdpm_budget_item **ret_item, struct ssdpm_error *reterr);

/**
 * ssdpm_budget_item_from_states() - an item with numbers of the caller
 * @name:     for JSON; NULL: it has none
 * @states:   copied
 * @n_states: 1 to SSDPM_BUDGET_MAX_STATES
 * @ret_item: give it back with ssdpm_budget_item_unref()
 *
 * Losses are in any unit that all items share.
 *
 * Return: 0; -EINVAL (how many, a power or a loss above SSDPM_BUDGET_MAX),
 * -ENOMEM.
 */
SSDPM_API int ssdpm_budget_item_from_states(
	const char *name, const struct ssdpm_budget_state *states,
	size_t n_states, struct ssdpm_budget_item **ret_item,
	struct ssdpm_error *reterr);

/**
 * ssdpm_budget_item_ref() - one owner more; @item may be NULL
 *
 * An item is immutable, and threads may share it.
 *
 * Return: @item.
 */
SSDPM_API struct ssdpm_budget_item *ssdpm_budget_item_ref(
	struct ssdpm_budget_item *item);

/**
 * ssdpm_budget_item_unref() - one owner less; @item may be NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_budget_item *ssdpm_budget_item_unref(
	struct ssdpm_budget_item *item);

/**
 * ssdpm_budget_item_get_states() - the states that it may be in
 * @ret_n: how many
 *
 * Return: those, by number; part of the item.
 */
SSDPM_API const struct ssdpm_budget_state *ssdpm_budget_item_get_states(
	const struct ssdpm_budget_item *item, size_t *ret_n);

/**
 * struct ssdpm_budget_params - what is shared out (sized parameters)
 * @size:      sizeof(struct ssdpm_budget_params)
 * @items:     which share it; one may be there several times, for drives that
 *             are alike
 * @n_items:   1 to SSDPM_BUDGET_MAX_ITEMS
 * @budget_uw: that may be drawn in all
 * @base_uw:   of it, what everything but the items draws
 */
struct ssdpm_budget_params {
	size_t size;
	const struct ssdpm_budget_item *const *items;
	size_t n_items;
	uint64_t budget_uw;
	uint64_t base_uw;
};

/**
 * struct ssdpm_budget_answer - the states with the least loss (sized result)
 * @size:       sizeof(struct ssdpm_budget_answer)
 * @least_power_uw: of all items in their lowest states
 * @power_uw:   of all states that were chosen
 * @loss:       of all of them: no choice within the budget has less, if @exact
 * @bound_loss: of the relaxed problem, rounded up: a proof that is easy to
 *              check that nothing has less; most often just below @loss. It is
 *              where the line of ssdpm_budget_get_frontier() is at the budget,
 *              down to the next multiple of what all powers differ by
 * @n_examined: combinations that were looked at to close the rest
 * @fits:       1: the items fit. 0: not even their lowest states do, which are
 *              the choice then; @bound_loss, @n_examined and @exact are 0
 * @exact:      1. 0: thousands of choices that are as good as each other, and
 *              2^23 combinations of them did not tell: something may have less
 *              than @loss, but nothing less than @bound_loss
 * @n_fitting:  how many of the items fit at most, those of the least power
 * first
 */
struct ssdpm_budget_answer {
	size_t size;
	uint64_t least_power_uw;
	uint64_t power_uw;
	uint64_t loss;
	uint64_t bound_loss;
	uint64_t n_examined;
	uint32_t fits;
	uint32_t exact;
	uint64_t n_fitting;
};

struct ssdpm_budget;

/**
 * ssdpm_budget_solve() - one state for each item, least loss within a budget
 * @params:     its items are kept
 * @ret_budget: free it with ssdpm_budget_free()
 *
 * Exact, in whole microwatts: the multiple-choice knapsack problem, by its
 * linear relaxation, reduced costs, and lists of undominated combinations.
 * Source: Kellerer, Pferschy and Pisinger, Knapsack Problems, 2004, chapter 11.
 * Its work is bounded, to seconds and a few hundred megabytes: beyond that the
 * answer says that it is not @exact.
 *
 * Return: 0, also where the items do not fit; -EINVAL (how many items; one is
 * NULL), -E2BIG (the size), -ENOMEM.
 */
SSDPM_API int ssdpm_budget_solve(const struct ssdpm_budget_params *params,
				 struct ssdpm_budget **ret_budget,
				 struct ssdpm_error *reterr);

/** ssdpm_budget_get_answer() - what it comes to; part of the budget */
SSDPM_API const struct ssdpm_budget_answer *ssdpm_budget_get_answer(
	const struct ssdpm_budget *budget);

/**
 * ssdpm_budget_get_choices() - the state of each item
 * @ret_n: how many items
 *
 * Return: indexes into the states of each; part of the budget.
 */
SSDPM_API const uint32_t *ssdpm_budget_get_choices(
	const struct ssdpm_budget *budget, size_t *ret_n);

/**
 * struct ssdpm_budget_point - a point of the frontier (frozen, 16 bytes)
 * @power_uw: of all items
 * @loss:     of all of them
 */
struct ssdpm_budget_point {
	uint64_t power_uw;
	uint64_t loss;
};

/**
 * ssdpm_budget_get_frontier() - what each watt buys
 * @ret_n: how many points
 *
 * Each point is the answer for a budget of its power. From one point to the
 * next one drive changes its state. The answer for a budget between two points
 * has no less loss than the line between them. The marginal loss per watt falls
 * from point to point.
 *
 * Return: the points, from the least power on; part of the budget.
 */
SSDPM_API const struct ssdpm_budget_point *ssdpm_budget_get_frontier(
	const struct ssdpm_budget *budget, size_t *ret_n);

/**
 * ssdpm_budget_free() - @budget may be NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_budget *ssdpm_budget_free(struct ssdpm_budget *budget);

#ifdef __cplusplus
}
#endif

#endif
