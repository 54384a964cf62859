/* SPDX-License-Identifier: MIT */
#include "work/consistency.h"

#include "options/units.h"

#include <string.h>

/* What ssdpm_iops_log_read() takes, and a run of memory. */
#define MAX_S (UINT64_C(1) << 20)
#define MAX_BYTE_PJ 1000000000

#define MODES_MEASURE (MODE_READ | MODE_SIMULATE | MODE_RUN)
#define MODES_WRITE (MODE_JOB | MODE_RUN)
/* Whole seconds: a log has no others. */
#define MOST_SECONDS .max = MAX_S, .range = "12 days are the most"
#define SOME_SECONDS            \
	.min = 1, .max = MAX_S, \
	.range = "must be above 0, and 12 days are the most"
#define BANDWIDTHS                                 \
	.min = 4096, .max = UINT64_C(40960000000), \
	.range = "4096B/s to 40.96GB/s", .modes = MODE_SIMULATE

#define CONSISTENCY struct consistency_options

static const struct option_spec options[] = {
	{ "threshold", 0, "IOPS", "Count the seconds below this rate.",
	  SETS_REAL(CONSISTENCY, params.threshold_iops, COUNT, 1), .min = 1,
	  .modes = MODES_MEASURE },
	{ "from", 0, "TIME", "Leave out what comes before, as in 1400s.",
	  SETS_NUMBER(CONSISTENCY, params.begin_s, TIME_S), MOST_SECONDS,
	  .modes = MODES_MEASURE },
	{ "to", 0, "TIME", "Leave out what comes from then on.",
	  SETS_NUMBER(CONSISTENCY, params.end_s, TIME_S), SOME_SECONDS,
	  .modes = MODES_MEASURE, .rare = true },
	{ "op", 0, "read|write|discard", "Count only these I/Os of a log.",
	  SETS_OWN, .modes = MODE_READ, .rare = true },
	{ "series", 0, NULL, "Add each second to the JSON.",
	  SETS_FLAG(CONSISTENCY, series), .modes = MODES_MEASURE,
	  .rare = true },
	{ "simulate", 0, NULL, "Simulate drives instead of reading logs.",
	  SETS_BIT(CONSISTENCY, mode, MODE_SIMULATE), .modes = MODE_SIMULATE },
	{ "spare", 0, "SHARE",
	  "simulate: Set the spare area, a share of all flash. May "
	  "be repeated. Default: 7% and 25%.",
	  SETS_OWN, .modes = MODE_SIMULATE },
	{ "capacity", 0, "SIZE",
	  "simulate: Set the size of all flash. Default: 16GiB.", SETS_OWN,
	  .modes = MODE_SIMULATE },
	{ "bandwidth", 0, "RATE",
	  "simulate: Set the rate at which flash is programmed. "
	  "Default: 80MB/s.",
	  SETS_NUMBER(CONSISTENCY, bandwidth, BANDWIDTH), BANDWIDTHS,
	  .rare = true },
	{ "host-bandwidth", 0, "RATE",
	  "simulate: Limit the rate of the host's writes. Default: "
	  "that of flash.",
	  SETS_NUMBER(CONSISTENCY, host_bandwidth, BANDWIDTH), BANDWIDTHS,
	  .rare = true },
	{ "idle-power", 0, "POWER",
	  "simulate: Set the power of the idle drive, as in 2.5W. "
	  "Requires --byte-energy.",
	  SETS_SMALL(CONSISTENCY, idle_uw, POWER_UW), .min = 1,
	  .modes = MODE_SIMULATE, .rare = true },
	{ "byte-energy", 0, "ENERGY",
	  "simulate: Set the energy of each byte that flash "
	  "programs, as in 2nJ. Requires --idle-power.",
	  SETS_NUMBER(CONSISTENCY, byte_pj, ENERGY_PJ), .min = 1,
	  .max = MAX_BYTE_PJ, .range = "above 0, at most 1mJ",
	  .modes = MODE_SIMULATE, .rare = true },
	{ "background-power", 0, "POWER",
	  "simulate: Add this power while the drive collects garbage.",
	  SETS_SMALL(CONSISTENCY, background_uw, POWER_UW), .min = 1,
	  .modes = MODE_SIMULATE, .rare = true },
	{ "collector", 0, "greedy|fifo|choices",
	  "simulate: Choose which block the drive erases. Default: "
	  "greedy.",
	  SETS_WORD(CONSISTENCY, collector, ssdpm_ftl_collector_to_string),
	  .modes = MODE_SIMULATE, .rare = true },
	{ "seed", 0, "N",
	  "simulate: Set the seed of the addresses. Default: 1.",
	  SETS_NUMBER(CONSISTENCY, seed, COUNT), .modes = MODE_SIMULATE,
	  .rare = true },
	{ "job", 0, NULL, "Print the job for fio that makes a log.",
	  SETS_BIT(CONSISTENCY, mode, MODE_JOB), .modes = MODE_JOB },
	{ "run", 0, "DEV", "Run that job on a drive and measure its log.",
	  SETS_TEXT(CONSISTENCY, device), .modes = MODE_RUN },
	{ "destroy-data", 0, NULL,
	  "run: Confirm that all data of the drive may be lost.",
	  SETS_FLAG(CONSISTENCY, destroy_data), .modes = MODE_RUN },
	{ "save", 0, "FILE", "run: Keep the log in a new file.",
	  SETS_TEXT(CONSISTENCY, save), .modes = MODE_RUN },
	{ "share", 0, "SHARE",
	  "job, run: Write this share of the addresses. Default: "
	  "100%.",
	  SETS_OWN, .modes = MODES_WRITE, .rare = true },
	{ "no-trim", 0, NULL, "job, run: Do not trim the drive first.",
	  SETS_FLAG(CONSISTENCY, no_trim), .modes = MODES_WRITE, .rare = true },
	{ "duration", 0, "TIME",
	  "simulate, job, run: Set the time of the random writes. "
	  "Default: 2000s.",
	  SETS_NUMBER(CONSISTENCY, duration_s, TIME_S), SOME_SECONDS,
	  .modes = MODE_SIMULATE | MODES_WRITE },
};

static enum exit_status set_spare(struct consistency_options *o,
				  const struct common *common,
				  const char *argument)
{
	uint64_t ppm;

	if (parse_number(common, "spare", argument, SHARE_PPM, &ppm))
		return STATUS_USAGE;
	if (!ppm || ppm >= WHOLE_PPM)
		return usage_error(common,
				   "--spare %s: above 0 and below 100%%",
				   argument);
	if (o->n_spares == MAX_SPARES)
		return usage_error(common, "--spare: %d are the most",
				   MAX_SPARES);
	o->spares_ppm[o->n_spares++] = ppm;
	return STATUS_DONE;
}

static enum exit_status set_share(struct consistency_options *o,
				  const struct common *common,
				  const char *argument)
{
	if (parse_number(common, "share", argument, SHARE_PPM, &o->share_ppm))
		return STATUS_USAGE;
	if (!o->share_ppm || o->share_ppm > WHOLE_PPM || o->share_ppm % 10000)
		return usage_error(common,
				   "--share %s: fio takes 1%% to 100%%, "
				   "without a fraction",
				   argument);
	return STATUS_DONE;
}

static enum exit_status set_op(struct consistency_options *o,
			       const struct common *common,
			       const char *argument)
{
	if (!strcmp(argument, "flush"))
		return usage_error(common, "--op flush: a log of operations "
					   "per second has none");
	return parse_word(common, "op", argument, ssdpm_op_to_string,
			  &o->log.op);
}

static enum exit_status set_capacity(struct consistency_options *o,
				     const struct common *common,
				     const char *argument)
{
	if (parse_number(common, "capacity", argument, BYTES, &o->capacity))
		return STATUS_USAGE;
	if (!o->capacity || o->capacity % (1 << 20))
		return usage_error(common,
				   "--capacity %s: a multiple of 1MiB, which "
				   "a block has",
				   argument);
	if (o->capacity >> 43)
		return usage_error(common, "--capacity %s: less than 8192GiB",
				   argument);
	return STATUS_DONE;
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct consistency_options *o = data;

	if (!strcmp(option->name, "op"))
		return set_op(o, common, argument);
	if (!strcmp(option->name, "capacity"))
		return set_capacity(o, common, argument);
	return strcmp(option->name, "share") ? set_spare(o, common, argument) :
					       set_share(o, common, argument);
}

const struct option_group consistency_option_group = {
	OPTIONS(options),
	.set = set,
	KEEPS_GIVEN(CONSISTENCY, given),
};

static enum exit_status check_mode(const struct common *common,
				   const struct consistency_options *o)
{
	const char *other =
		option_not_for(&consistency_option_group, o->given, o->mode);

	if (other)
		return usage_error(common, "--%s conflicts with %s", other,
				   o->mode == MODE_SIMULATE ? "--simulate" :
				   o->mode == MODE_JOB	    ? "--job" :
				   o->mode == MODE_RUN	    ? "--run" :
							      "logs");
	if (o->mode != MODE_JOB)
		return STATUS_DONE;
	if (common->form)
		return usage_error(common, "--job conflicts with --%s",
				   common->form_option);
	return o->page.path ? usage_error(common, "--html conflicts with "
						  "--job") :
			      STATUS_DONE;
}

static void take_usual_spares(struct consistency_options *o)
{
	size_t n;
	const double *usual = ssdpm_ftl_get_spare_factors(&n);

	for (size_t i = 0; i < n && i < MAX_SPARES; i++)
		o->spares_ppm[o->n_spares++] =
			(uint64_t)(usual[i] * WHOLE_PPM + 0.5);
}

enum exit_status check_consistency_options(const struct common *common,
					   struct consistency_options *o,
					   char **operands, size_t n)
{
	size_t n_stdin = 0;

	for (size_t i = 0; i < n; i++)
		n_stdin += !strcmp(operands[i], "-");
	if (n_stdin > 1)
		return usage_error(common, "- is given twice");
	if (o->device)
		o->mode |= MODE_RUN;
	if (o->mode & (o->mode - 1))
		return usage_error(common, "--simulate, --job and --run "
					   "conflict with each other");
	if (o->mode && n)
		return usage_error(common,
				   "%s: no log is read with "
				   "--simulate, --job or --run",
				   operands[0]);
	if (!o->mode && !n)
		return usage_error(common, "name a log that fio has written, "
					   "or --simulate, --job or --run");
	if (!o->mode)
		o->mode = MODE_READ;
	if (check_mode(common, o))
		return STATUS_USAGE;
	if (o->params.end_s && o->params.begin_s >= o->params.end_s)
		return usage_error(common, "--to is not after --from");
	if ((o->idle_uw || o->byte_pj || o->background_uw) &&
	    !(o->idle_uw && o->byte_pj))
		return usage_error(common, "power requires --idle-power and "
					   "--byte-energy");
	if (!o->n_spares)
		take_usual_spares(o);
	return check_page(common, &o->page);
}
