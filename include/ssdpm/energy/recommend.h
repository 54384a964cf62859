/* SPDX-License-Identifier: MIT */
/*
 * The recommendation: from the idle times of a trace to the settings that save.
 *
 *     idle times + model + bounds -> the best setting, and what to set
 *
 * This stage is pure and exact: see ssdpm_recommend(3).
 */
#ifndef SSDPM_RECOMMEND_H
#define SSDPM_RECOMMEND_H

#include <ssdpm/energy/estimate.h>
#include <ssdpm/energy/likely.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ssdpm_gaps;

/**
 * ssdpm_gaps_new() - collect the idle times of a trace, for many policies
 * @service:  for records without a service time, or NULL: they take no time
 * @ret_gaps: let it go with ssdpm_gaps_unref()
 *
 * In the closed loop a policy's cost depends on the idle times alone. This
 * holds them sorted, with their sums. Each idle time takes 16 bytes. So does
 * each I/O that starts before the first completion of its busy period, and each
 * idle time that a continued record ends.
 *
 * Return: 0, -ENOMEM.
 */
SSDPM_API int ssdpm_gaps_new(const struct ssdpm_service *service,
			     struct ssdpm_gaps **ret_gaps,
			     struct ssdpm_error *reterr);

/**
 * ssdpm_gaps_feed() - the next records
 *
 * Return: as ssdpm_sim_feed(); -EINVAL after ssdpm_gaps_finish().
 */
SSDPM_API int ssdpm_gaps_feed(struct ssdpm_gaps *gaps,
			      const struct ssdpm_io *ios, size_t n,
			      struct ssdpm_error *reterr);

/**
 * ssdpm_gaps_finish() - no more records; from here on @gaps never changes
 * @end_ns: as for ssdpm_sim_finish()
 *
 * Return: 0; -ENODATA (no record), -EINVAL (finished before), -ENOMEM; where a
 * record was refused, that failure again.
 */
SSDPM_API int ssdpm_gaps_finish(struct ssdpm_gaps *gaps, uint64_t end_ns,
				struct ssdpm_error *reterr);

/** ssdpm_gaps_ref() - keep it; thread-safe. Return: @gaps. */
SSDPM_API struct ssdpm_gaps *ssdpm_gaps_ref(struct ssdpm_gaps *gaps);

/** ssdpm_gaps_unref() - let it go; thread-safe. Return: NULL. */
SSDPM_API struct ssdpm_gaps *ssdpm_gaps_unref(struct ssdpm_gaps *gaps);

/**
 * ssdpm_gaps_get_idle_ns() - the idle times before I/Os, in ascending order
 *
 * Return: an array borrowed from @gaps; NULL before ssdpm_gaps_finish().
 */
SSDPM_API const uint64_t *ssdpm_gaps_get_idle_ns(const struct ssdpm_gaps *gaps,
						 size_t *ret_n);

/**
 * ssdpm_gaps_to_data() - all that is known of them, as bytes
 * @gaps:     finished
 * @ret_data: free() it
 * @ret_size: how many bytes
 *
 * The same idle times are the same bytes on every machine:
 * - 152 bytes;
 * - 8 for each idle time, and for each that a continued record ends;
 * - 16 for each I/O that starts before the first completion of its busy period.
 *
 * Return: 0; -EINVAL (@gaps is not finished), -ENOMEM.
 */
SSDPM_API int ssdpm_gaps_to_data(const struct ssdpm_gaps *gaps, void **ret_data,
				 size_t *ret_size, struct ssdpm_error *reterr);

/**
 * ssdpm_gaps_from_data() - the other way round
 * @data:     from ssdpm_gaps_to_data(), of any machine; anything else is
 *            refused, and so is what no trace could have led to
 * @size:     how many bytes
 * @ret_gaps: finished; let it go with ssdpm_gaps_unref()
 *
 * It answers everything as the one that was written.
 *
 * Return: 0; -EINVAL (@data), -ENOMEM.
 */
SSDPM_API int ssdpm_gaps_from_data(const void *data, size_t size,
				   struct ssdpm_gaps **ret_gaps,
				   struct ssdpm_error *reterr);

/**
 * struct ssdpm_gaps_runs - tables and their runs (sized parameters)
 * @size:     sizeof(struct ssdpm_gaps_runs)
 * @tables:   the tables
 * @n_tables: how many
 * @runs:     room for as many; the size of the first is that of each
 */
struct ssdpm_gaps_runs {
	size_t size;
	const struct ssdpm_apst *tables;
	size_t n_tables;
	struct ssdpm_run *runs;
};

/**
 * ssdpm_gaps_sweep() - the nominal run of many tables, closed loop
 * @params:   as for ssdpm_sim_new(); its table and intervals are not read
 * @runs:     the tables, and where their runs go
 *
 * Equal in every member to ssdpm_run.nominal of ssdpm_estimate(), but that
 * quantiles are exact.
 *
 * Return: as ssdpm_sim_new() and ssdpm_sim_finish(); -EINVAL too where the loop
 * is open, the drive is not NVMe, or @gaps is not finished. A failure leaves
 * all runs as they were.
 */
SSDPM_API int ssdpm_gaps_sweep(const struct ssdpm_gaps *gaps,
			       const struct ssdpm_model *model,
			       const struct ssdpm_sim_params *params,
			       const struct ssdpm_gaps_runs *runs,
			       struct ssdpm_error *reterr);

/**
 * ssdpm_gaps_clairvoyant() - the least energy that a table could ever reach
 * @ret_run: its size member is set by the caller
 *
 * Somebody who knows the end of each idle time takes the cheapest way: to stay
 * awake, or to go at once to one state. If two ways cost the same, it is the
 * one with less delay.
 *
 * This way waits for the same exit latencies as a table, and pays for all of an
 * entry, however short the idle time is. The energy of a table minus this one
 * is its regret. The regret is at least 0 if transitions draw no less than any
 * state, and no state draws more than those before it. Otherwise a table that
 * enters several states can cost less.
 *
 * Return: as ssdpm_gaps_sweep().
 */
SSDPM_API int ssdpm_gaps_clairvoyant(const struct ssdpm_gaps *gaps,
				     const struct ssdpm_model *model,
				     const struct ssdpm_sim_params *params,
				     struct ssdpm_run *ret_run,
				     struct ssdpm_error *reterr);

/** How long I/Os may wait for a drive that sleeps. */
enum ssdpm_patience {
	/* All delays last for 1 % of the time, and one I/O in 100 waits for
	 * 25 ms. No state takes more than 100 ms to leave. */
	SSDPM_PATIENCE_NORMAL = 1,
	/* 5 %, 100 ms and 1 s: for drives that nobody waits for. */
	SSDPM_PATIENCE_PATIENT = 2,
	/* 0.1 %, 5 ms and 10 ms, also if that costs power. */
	SSDPM_PATIENCE_INSTANT = 3,
};

/** Bits of ssdpm_bounds.flags. */
enum ssdpm_bounds_flag {
	/* Latency is worth power: where the table of today does not keep the
	 * bounds, what does may take more. */
	SSDPM_BOUNDS_MAY_COST = 1 << 0,
	/* ssdpm_gaps_get_default_bounds() leaves max_delay_mean_ns,
	 * max_delay_p99_ns or max_exit_latency_us as it is. */
	SSDPM_BOUNDS_OWN_MEAN = 1 << 1,
	SSDPM_BOUNDS_OWN_P99 = 1 << 2,
	SSDPM_BOUNDS_OWN_EXIT = 1 << 3,
	/* The kernel refuses a raw table: ssdpm_recommend() leaves out that
	 * route. */
	SSDPM_BOUNDS_NO_RAW_TABLE = 1 << 4,
	/* The table of the parameters is in force on a device, and the limit of
	 * kernel is set there: SSDPM_ADVICE_REBUILD is possible. */
	SSDPM_BOUNDS_IN_FORCE = 1 << 5,
};

/**
 * struct ssdpm_bounds - what a table may cost (sized parameters)
 * @size:                sizeof(struct ssdpm_bounds)
 * @max_delay_mean_ns:   over all I/Os; UINT64_MAX: no bound, as below
 * @max_delay_p99_ns:    no more than floor(N/100) of N I/Os are delayed by more
 * @max_exit_latency_us: of every state that is used
 * @max_states:          how many states may be used: 1 or 2 is exact; more,
 *                       up to 31, is a search with a gap; 0: 2
 * @quirks:              bits of enum ssdpm_quirk, as for ssdpm_apst_generate()
 * @flags:               bits of enum ssdpm_bounds_flag; read by
 *                       ssdpm_recommend() and
 *                       ssdpm_gaps_get_default_bounds()
 * @patience:            enum ssdpm_patience, read by
 *                       ssdpm_gaps_get_default_bounds(), which these limits
 *                       are from; 0: they are not
 * @kernel:              what the kernel makes its tables from today, of
 *                       ssdpm_bounds_set_device(), with SSDPM_APST_LINUX or
 *                       SSDPM_APST_LINUX_LEGACY; read by ssdpm_recommend() and
 *                       ssdpm_gaps_get_default_bounds(); NULL: the defaults of
 *                       Linux 5.14 and later. Its quirks and its limit are read
 *                       only with SSDPM_BOUNDS_IN_FORCE
 */
struct ssdpm_bounds {
	size_t size;
	uint64_t max_delay_mean_ns;
	uint64_t max_delay_p99_ns;
	uint64_t max_exit_latency_us;
	uint32_t max_states;
	uint32_t quirks;
	uint32_t flags;
	uint32_t patience;
	const struct ssdpm_apst_params *kernel;
};

/**
 * struct ssdpm_best_table - what a search has found (sized result)
 * @size:      sizeof(struct ssdpm_best_table)
 * @energy_bound_nj: no table with up to max_states states costs less; the
 *             energy of its run where the search was exact
 * @run:       room for its nominal run, or NULL; set by the caller, with its
 *             size
 * @table:     one without entries where nothing saves, and not enabled where
 *             the drive has no APST or a quirk forbids it. States that it does
 *             not lead to go on like those above them
 */
struct ssdpm_best_table {
	size_t size;
	uint64_t energy_bound_nj;
	struct ssdpm_run *run;
	struct ssdpm_apst table;
};

/**
 * ssdpm_gaps_best_table() - the static table of least energy under a bound
 * @params:        as for ssdpm_gaps_sweep()
 * @bounds:        the bounds, or NULL: none
 * @ret_best:      its size and @run are set by the caller
 *
 * Closed loop, nominal energy in exact integers, idle times in whole
 * milliseconds. Tables with the same energy are compared by less delay, then by
 * longer idle times, then by shallower states. The first idle time that differs
 * counts; none is the longest. How it searches is in ssdpm_recommend(3).
 *
 * Return: as ssdpm_gaps_sweep(); -EINVAL (max_states above 31, an unknown
 * quirk), -E2BIG (@bounds).
 */
SSDPM_API int ssdpm_gaps_best_table(const struct ssdpm_gaps *gaps,
				    const struct ssdpm_model *model,
				    const struct ssdpm_sim_params *params,
				    const struct ssdpm_bounds *bounds,
				    struct ssdpm_best_table *ret_best,
				    struct ssdpm_error *reterr);

/** How a setting reaches the drive. */
enum ssdpm_route {
	/* The latency limit alone: pm_qos_latency_tolerance_us. */
	SSDPM_ROUTE_LATENCY_LIMIT = 1,
	/* The parameters apst_* of nvme_core, and the limit. */
	SSDPM_ROUTE_NVME_CORE = 2,
	/* A table by Set Features 0Ch; Linux 6.12.110, 7.2 and later refuse it.
	 */
	SSDPM_ROUTE_RAW_TABLE = 3,
	/* The link_power_management_policy of the port of a SATA drive. */
	SSDPM_ROUTE_LINK_POLICY = 4,
};

/** What to do with the best setting of a route. */
enum ssdpm_advice {
	/* Set it: it saves, or SSDPM_BOUNDS_MAY_COST asked for latency. */
	SSDPM_ADVICE_SET = 1,
	/* Leave all as it is: the drive does the same today, or as good as, or
	 * what it saves is not decided. */
	SSDPM_ADVICE_KEEP = 2,
	/* Leave all as it is: what keeps the bounds takes more power. */
	SSDPM_ADVICE_COSTS = 3,
	/* No setting of this route keeps the bounds. */
	SSDPM_ADVICE_NONE = 4,
	/* The best setting is that of today, but the table in force is another
	 * one than Linux builds of it: SSDPM_REMEDY_REBUILD_TABLE. */
	SSDPM_ADVICE_REBUILD = 5,
};

/** How surely a setting keeps the bounds. */
enum ssdpm_kept {
	/* With all latencies that the drive can have. */
	SSDPM_KEPT_SURELY = 1,
	/* With the nominal latencies; with others perhaps not. */
	SSDPM_KEPT_NOMINALLY = 2,
	/* Not even so: the link policy of today has lost data, and no safe one
	 * that sleeps keeps them. */
	SSDPM_KEPT_NOT = 3,
};

/**
 * struct ssdpm_recommendation - the best that a route reaches (borrowed)
 * @route:     enum ssdpm_route
 * @possible:  1; 0: no setting of this route keeps the bounds
 * @advice:    enum ssdpm_advice
 * @today_keeps_bounds: 1: the table or link policy of today does
 * @apst:      the table that the drive will have
 * @limit_us:  latency limit to set (the first two routes)
 * @primary_timeout_ms: what to set apst_primary_timeout_ms of nvme_core to (the
 * first two routes); SSDPM_ROUTE_LATENCY_LIMIT has that of the kernel of the
 * bounds; likewise the next three
 * @primary_latency_tolerance_us: apst_primary_latency_tol_us
 * @secondary_timeout_ms: apst_secondary_timeout_ms
 * @secondary_latency_tolerance_us: apst_secondary_latency_tol_us
 * @run:       its nominal run, as long as the recommendations are there; NULL:
 *             it is not @possible
 * @saving:    against the table of today
 * @likely:    what is likely of it, likewise; NULL: it is not @possible, or
 *             nobody asked for it
 * @kept:      enum ssdpm_kept; 0: it is not @possible
 * @low, @high: the least and the most that is possible of each member of @run,
 *             with all powers and latencies that the drive can have
 * @expected:  what to reckon with: the range and the median of @likely, or
 *             @saving where there is none; for ssdpm_saving_get_battery_s()
 * @lpm:       SSDPM_ROUTE_LINK_POLICY: enum ssdpm_lpm, what to set; 0: that of
 *             today, which is unknown
 * @reserved:  0
 *
 * More may follow at its end: it is only ever borrowed.
 */
struct ssdpm_recommendation {
	uint32_t route;
	uint32_t possible;
	uint32_t advice;
	uint32_t today_keeps_bounds;
	struct ssdpm_apst apst;
	uint64_t limit_us;
	uint64_t primary_timeout_ms;
	uint64_t primary_latency_tolerance_us;
	uint64_t secondary_timeout_ms;
	uint64_t secondary_latency_tolerance_us;
	const struct ssdpm_run *run;
	struct ssdpm_saving saving;
	const struct ssdpm_likely *likely;
	uint32_t kept;
	const struct ssdpm_run *low;
	const struct ssdpm_run *high;
	struct ssdpm_saving expected;
	uint32_t lpm;
	uint32_t reserved;
};

/**
 * ssdpm_gaps_get_default_bounds() - what a recommendation may cost if nobody
 *                                   says
 * @params: as for ssdpm_gaps_sweep()
 * @from:   bounds whose patience, quirks, kernel, flags and max_states hold;
 *          patience 0: SSDPM_PATIENCE_NORMAL; NULL: all of these are 0
 * @ret_bounds: its size member is set by the caller; it may be @from
 *
 * All delays together last for at most 1 % of the time of the workload. One I/O
 * in 100 may wait for more than 25 ms. If the default of Linux costs more, that
 * is the bound: its table, or med_power_with_dipm of a SATA port. So work takes
 * at most a hundredth longer, and few I/Os wait for more than a disk takes to
 * seek. The default of Linux is always within the bounds. The mean is that time
 * by the number of I/Os, rounded up. No state may take more than 100 ms to
 * leave. Another patience has other limits. SSDPM_PATIENCE_INSTANT adds
 * SSDPM_BOUNDS_MAY_COST, and the default of Linux may exceed its limits. A
 * bound of the caller replaces the one that it is for, and no other.
 *
 * Return: as ssdpm_gaps_sweep(); -EINVAL, -E2BIG (size of @from or
 * @ret_bounds; an unknown patience or flag).
 */
SSDPM_API int ssdpm_gaps_get_default_bounds(
	const struct ssdpm_gaps *gaps, const struct ssdpm_model *model,
	const struct ssdpm_sim_params *params, const struct ssdpm_bounds *from,
	struct ssdpm_bounds *ret_bounds, struct ssdpm_error *reterr);

struct ssdpm_recommendations;

/**
 * ssdpm_recommend() - the best setting that each route reaches
 * @params: as for ssdpm_gaps_sweep(), but its table is that of today, which the
 *          saving is against; no table: that of Linux with its defaults and the
 *          quirks of @bounds. The link policy of a SATA drive is that of today,
 *          too; 0: it is unknown
 * @bounds: what it may cost; NULL: ssdpm_gaps_get_default_bounds() with the
 *          quirks of ssdpm_quirks_find()
 * @ret_recommendations: free it with ssdpm_recommendations_free()
 *
 * The best setting has the least nominal energy. With SSDPM_SIM_LIKELY in
 * @params the best limit saves most in the middle of what is likely. Each later
 * route takes over if it likely saves more. The word decides: what costs or
 * probably costs is SSDPM_ADVICE_COSTS, and so is what is not decided with a
 * median below 0. Where the table of today keeps the bounds, SSDPM_ADVICE_KEEP
 * is what is too small to matter, or not decided.
 * Without the flag the nominal saving decides.
 *
 * A kernel with SSDPM_APST_LINUX_LEGACY has no parameters of nvme_core, so that
 * the first two routes are the same.
 *
 * A SATA drive has one route. Its link policy is chosen as by
 * ssdpm_energy_report_new(): from med_power_with_dipm and medium_power, and
 * max_performance with SSDPM_BOUNDS_MAY_COST if that of today is beyond the
 * bounds.
 *
 * Return: as ssdpm_gaps_best_table(), but a SATA drive is no error.
 */
SSDPM_API int ssdpm_recommend(
	const struct ssdpm_gaps *gaps, const struct ssdpm_model *model,
	const struct ssdpm_sim_params *params,
	const struct ssdpm_bounds *bounds,
	struct ssdpm_recommendations **ret_recommendations,
	struct ssdpm_error *reterr);

/**
 * ssdpm_recommendations_get() - that of one route after the other
 * @index: from 0 on, in the order of enum ssdpm_route
 *
 * Return: borrowed from @recommendations; NULL: there are no more.
 */
SSDPM_API const struct ssdpm_recommendation *ssdpm_recommendations_get(
	const struct ssdpm_recommendations *recommendations, size_t index);

/**
 * ssdpm_recommendations_free() - @recommendations may be NULL
 *
 * Return: NULL.
 */
SSDPM_API struct ssdpm_recommendations *ssdpm_recommendations_free(
	struct ssdpm_recommendations *recommendations);

/**
 * struct ssdpm_gain - what a saving means (frozen, 24 bytes)
 * @low, @nominal, @high: as the powers of struct ssdpm_saving; below 0: a loss
 */
struct ssdpm_gain {
	double low;
	double nominal;
	double high;
};

/**
 * ssdpm_saving_get_battery_s() - how many seconds a battery lasts longer
 * @battery_mwh: what it holds
 * @system_uw:   what the whole system takes before the change
 *
 * Return: 0; -EINVAL (not above 0, or no more than what is saved).
 */
SSDPM_API int ssdpm_saving_get_battery_s(const struct ssdpm_saving *saving,
					 double battery_mwh, double system_uw,
					 struct ssdpm_gain *ret_s,
					 struct ssdpm_error *reterr);

/**
 * ssdpm_saving_get_year_wh() - watt-hours that are saved in 365 days
 * @hours_per_day: for so long the workload goes on each day
 */
SSDPM_API void ssdpm_saving_get_year_wh(const struct ssdpm_saving *saving,
					double hours_per_day,
					struct ssdpm_gain *ret_wh);

/** ssdpm_advice_to_string() - "set", "keep", "costs", "none", or NULL */
SSDPM_API const char *ssdpm_advice_to_string(uint32_t advice);
SSDPM_API uint32_t ssdpm_advice_from_string(const char *word);

/** ssdpm_patience_to_string() - "normal", "patient", "instant", or NULL */
SSDPM_API const char *ssdpm_patience_to_string(uint32_t patience);
SSDPM_API uint32_t ssdpm_patience_from_string(const char *word);

/** ssdpm_kept_to_string() - "surely", "nominally", "not", or NULL */
SSDPM_API const char *ssdpm_kept_to_string(uint32_t kept);
SSDPM_API uint32_t ssdpm_kept_from_string(const char *word);

/** ssdpm_route_to_string() - "latency-limit" and so on, or NULL */
SSDPM_API const char *ssdpm_route_to_string(uint32_t route);
SSDPM_API uint32_t ssdpm_route_from_string(const char *word);

/** ssdpm_bounds_flag_to_string() - "may-cost", or NULL */
SSDPM_API const char *ssdpm_bounds_flag_to_string(uint32_t flag);
SSDPM_API uint32_t ssdpm_bounds_flag_from_string(const char *word);

#ifdef __cplusplus
}
#endif

#endif
