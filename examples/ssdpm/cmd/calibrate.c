/* SPDX-License-Identifier: MIT */
/* ssdpm measure calibrate: what power and I/Os of one run say of a drive. */
#include "options/apst-options.h"
#include "measure/measure.h"
#include "work/comparison.h"
#include "input/measure-input.h"
#include "text/output.h"
#include "options/units.h"

#include <string.h>

static struct calibrate_options the_settings;

static const struct option_spec options[] = {
	{ "save", 0, "FILE", "Write the result, unless it is refused.",
	  SETS_TEXT(struct calibrate_options, save) },
	{ "date", 0, "TEXT", "Keep the date of the run with the result.",
	  SETS_TEXT(struct calibrate_options, date), .rare = true },
	{ "offset", 0, "TIME",
	  "Set the time of the first sample after the first I/O, as "
	  "in -2s. Default: the best fit.",
	  SETS_OWN },
	{ "max-offset", 0, "TIME",
	  "Search for the offset up to this far from --offset.",
	  SETS_NUMBER(struct calibrate_options, params.max_offset_ns, TIME_NS),
	  .min = 1, .rare = true },
	{ "bin", 0, "TIME",
	  "Set the length of the compared steps. Default: a sample, "
	  "or longer for at most 4096 steps.",
	  SETS_NUMBER(struct calibrate_options, params.bin_ns, TIME_NS),
	  .min = 1, .rare = true },
	{ "meter-samples", 0, "mean|point",
	  "Choose what a sample is: a mean or a point. Default: found.",
	  SETS_WORD(struct calibrate_options, params.meter.sampling,
		    ssdpm_meter_sampling_to_string),
	  .rare = true },
	{ "meter-response", 0, "TIME",
	  "Set the meter's time constant, as in 20ms. Default: found.",
	  SETS_NUMBER(struct calibrate_options, params.meter.response_ns,
		      TIME_NS),
	  .max = 3600000000000, .range = "at most 1 h", .rare = true },
	{ "meter-drift", 0, "POWER",
	  "Set the largest drift of the meter's zero. Default: found.",
	  SETS_NUMBER(struct calibrate_options, params.meter.drift_uw,
		      POWER_UW),
	  .max = 1000000000000, .range = "at most 1 MW", .rare = true },
	{ "meter-clock", 0, "RATE",
	  "Set the error of the meter's clock, as in -20ppm.", SETS_OWN,
	  .rare = true },
	{ "meter-gain", 0, "SHARE",
	  "Set the largest error of the meter. Default: 5%.",
	  SETS_SMALL(struct calibrate_options, params.meter.gain_ppm,
		     SHARE_PPM),
	  .max = 500000, .range = "at most 50%", .rare = true },
	{ "operation-energy", 0, NULL, "Also find the energy of each I/O.",
	  SETS_BIT(struct calibrate_options, params.flags,
		   SSDPM_CALIBRATE_OPERATION_ENERGY),
	  .rare = true },
	{ "byte-energy", 0, NULL, "Also find the energy of each byte.",
	  SETS_BIT(struct calibrate_options, params.flags,
		   SSDPM_CALIBRATE_BYTE_ENERGY),
	  .rare = true },
	{ "measured-wa", 0, "FACTOR",
	  "Keep the write amplification of the run with the result, "
	  "as in 2.5x.",
	  SETS_SMALL(struct calibrate_options, measured_wa_milli, FACTOR_MILLI),
	  .min = 1000, .max = MAX_WA_MILLI, .range = "1x to 65536x",
	  .rare = true },
	{ "pcie-link", 0, "l0|l1|l1.2",
	  "Set the link state while the drive slept. Default: l1.2.",
	  SETS_WORD(struct calibrate_options, sim.pcie_link,
		    ssdpm_pcie_link_to_string),
	  .rare = true },
	{ "operational-state", 0, "PSn",
	  "Set the state in which the drive worked. Default: PS0.", SETS_OWN,
	  .rare = true },
	{ "idle-from-start", 0, NULL,
	  "Count idle times from the start of idle, as some firmware "
	  "does.",
	  SETS_BIT(struct calibrate_options, sim.flags,
		   SSDPM_SIM_IDLE_FROM_START),
	  .rare = true },
	{ "entry-latency", 0, "TIME",
	  "Set the time to enter a state, as in PS4=5ms.", SETS_OWN,
	  .rare = true },
	{ "exit-latency", 0, "TIME",
	  "Set the time to leave a state, as in PS4=51ms.", SETS_OWN,
	  .rare = true },
	{ "link-idle-time", 0, "TIME",
	  "SATA: Set the idle time before a link state, as in "
	  "PS1=10ms.",
	  SETS_OWN, .rare = true },
};

/* These two may be negative. */
static enum exit_status set_signed(const struct common *common,
				   const char *option, enum quantity quantity,
				   const char *argument, uint64_t max,
				   int64_t *ret_value)
{
	bool negative = *argument == '-';
	uint64_t value;

	if (parse_number(common, option, argument + negative, quantity, &value))
		return STATUS_USAGE;
	if (value > max)
		return usage_error(common, "--%s %s: too much", option,
				   argument);
	*ret_value = negative ? -(int64_t)value : (int64_t)value;
	return STATUS_DONE;
}

static enum exit_status set_clock(struct calibrate_options *settings,
				  const struct common *common,
				  const char *argument)
{
	int64_t ppb = 0;
	enum exit_status status = set_signed(common, "meter-clock", RATE_PPB,
					     argument, 10000000, &ppb);

	settings->params.meter.clock_ppb = (int32_t)ppb;
	return status;
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct calibrate_options *settings = data;

	if (!strcmp(option->name, "offset"))
		return set_signed(common, option->name, TIME_NS, argument,
				  INT64_MAX / 4, &settings->params.offset_ns);
	if (!strcmp(option->name, "meter-clock"))
		return set_clock(settings, common, argument);
	/* One of the same name there. */
	return sim_option_group.set(&settings->sim, common, option, argument);
}

static void init(void *data)
{
	struct calibrate_options *settings = data;

	settings->params.size = sizeof(settings->params);
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
	.init = init,
	KEEPS_GIVEN(struct calibrate_options, given),
};

static enum exit_status check(const struct common *common,
			      const struct calibrate_options *settings,
			      char **operands, size_t n)
{
	const char *const files[] = { n == 3 ? operands[1] : "",
				      n == 3 ? operands[2] : "" };

	if (n != 3)
		return usage_error(common,
				   "expected DRIVE POWER TRACE; "
				   "see ssdpm measure calibrate --help");
	if (settings->save && !strcmp(settings->save, "-"))
		return usage_error(common, "--save -: --json prints it");
	if (check_named_policy(common, &settings->named,
			       settings->apst.given) ||
	    check_apst_options(common, &settings->apst) ||
	    check_trace_options(common, &settings->trace, &files[1], 1))
		return STATUS_USAGE;
	return check_stdin(common, operands, 1, files, 2);
}

/* Traits that are options are known. */
static uint32_t known_traits(uint64_t given)
{
	static const struct {
		const char *option;
		uint32_t trait;
	} traits[] = {
		{ "meter-samples", SSDPM_TRAIT_SAMPLING },
		{ "meter-response", SSDPM_TRAIT_RESPONSE },
		{ "meter-drift", SSDPM_TRAIT_DRIFT },
		{ "meter-gain", SSDPM_TRAIT_GAIN },
		{ "meter-clock", SSDPM_TRAIT_CLOCK },
	};
	uint32_t known = 0;

	for (size_t i = 0; i < sizeof(traits) / sizeof(traits[0]); i++)
		if (is_given(&own, given, traits[i].option))
			known |= traits[i].trait;
	return known;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	struct calibrate_options settings =
		*(const struct calibrate_options *)data;
	struct drives drives = { 0 };
	enum exit_status status;

	settings.has_offset = is_given(&own, settings.given, "offset") ||
			      is_given(&own, settings.given, "max-offset");
	settings.params.meter.known = known_traits(settings.given);
	status = check(common, &settings, operands, n_operands);
	if (status)
		return status;
	status = read_drives(common, operands, 1, &drives);
	if (!status && drives.n != 1) {
		complain("%s: %zu drives, and a run is of one", operands[0],
			 drives.n);
		status = STATUS_USAGE;
	}
	if (!status)
		status = calibrate(&settings, common, &drives, operands);
	free_drives(&drives);
	return status;
}

static const struct group_use groups[] = {
	USE(&named_policy_group, &the_settings.named),
	USE(&power_option_group, &the_settings.power),
	RARE_USE(&apst_option_group, &the_settings.apst),
	RARE_USE(&prefixed_trace_option_group, &the_settings.trace),
};

const struct subcommand cmd_calibrate = {
	.name = "measure calibrate",
	.operands = "DRIVE POWER TRACE",
	.operands_optional = true, /* run() names what is missing */
	.takes_drives = true,
	.list = "calibrations",
	.summary = "Find the powers and latencies of a drive from samples of "
		   "power and a trace.",
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm measure calibrate intel-760p.json run-power.csv "
		    "run-ios.csv\n"
		    "  ssdpm measure calibrate --save measured.json \\\n"
		    "    intel-760p.json run-power.csv run-ios.csv\n"
		    "  ssdpm estimate -t lomax --measured measured.json "
		    "intel-760p.json\n",
	.run = run,
	.settings = &the_settings,
};
