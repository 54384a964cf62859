/* SPDX-License-Identifier: MIT */
/* ssdpm measure state: which state is the idle power of a drive of? */
#include "measure/measure.h"
#include "options/sim-options.h"
#include "options/units.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct settings {
	struct power_options power;
	struct ssdpm_baseline_params baseline;
	uint32_t gain_ppm;
	uint32_t pcie_link;
	uint32_t power_uw; /* 0: a file has it */
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "idle", 'i', "FROM..TO",
	  "Set the idle time, as in 0s..10s. Default: found.", SETS_OWN },
	{ "power", 0, "POWER", "Take this idle power, as in 30mW, and no file.",
	  SETS_SMALL(struct settings, power_uw, POWER_UW), .min = 1 },
	{ "meter-gain", 0, "SHARE",
	  "Set the largest error of the meter. Default: 5%.",
	  SETS_SMALL(struct settings, gain_ppm, SHARE_PPM), .min = 1,
	  .max = 500000, .range = "above 0 and at most 50%" },
	{ "pcie-link", 0, "l0|l1|l1.2",
	  "Set the link state while the drive sleeps. Default: as on "
	  "the machine, else l1.2.",
	  SETS_WORD(struct settings, pcie_link, ssdpm_pcie_link_to_string) },
};

static enum exit_status set_idle(void *data, struct common *common,
				 const struct option_spec *option,
				 const char *argument)
{
	return take_idle(common, option->name, argument,
			 &((struct settings *)data)->baseline);
}

static void init(void *data)
{
	struct settings *settings = data;

	settings->baseline.size = sizeof(settings->baseline);
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set_idle,
	.init = init,
};

static enum exit_status find_level(const struct settings *settings,
				   const char *name,
				   struct ssdpm_baseline *ret_level)
{
	struct power_input input;
	struct power_array array;
	struct ssdpm_error error;
	enum exit_status status = open_power(&settings->power, name, &input);
	int err;

	if (status)
		return status;
	status = load_power(&input, &array);
	if (!status) {
		struct ssdpm_samples samples = samples_of(&array);

		err = ssdpm_baseline_find(&samples, &settings->baseline,
					  ret_level, &error);
		free_power_array(&array);
		if (err)
			status = failure("%s: %s%s", name, error.message,
					 err == -EDOM ? " (--idle)" : "");
	}
	close_power(&input);
	return status;
}

static enum exit_status answer(const struct common *common,
			       const struct settings *settings,
			       const struct drive *drive, const char *name)
{
	static struct ssdpm_idle_state found = { .size = sizeof(found) };
	const struct sim_options link = { .pcie_link = settings->pcie_link };
	struct ssdpm_baseline level;
	struct ssdpm_idle_state_params params = {
		.size = sizeof(params),
		.baseline = &level,
		.pcie_link = find_link(&link, drive),
		.gain_ppm = settings->gain_ppm,
	};
	struct ssdpm_error error;
	char *text = NULL;
	enum exit_status status = STATUS_DONE;

	if (settings->power_uw)
		level = (struct ssdpm_baseline){
			.level_w = settings->power_uw / 1e6, .n = 1
		};
	else
		status = find_level(settings, name, &level);
	if (status)
		return status;
	if (ssdpm_idle_state_find(drive->model, &params, &found, &error)) {
		complain("%s: %s", drive->name, error.message);
		return error.code == -EOPNOTSUPP ? STATUS_DEVICE_CANNOT :
						   STATUS_FAILED;
	}
	if (!common->form) {
		print_idle_state(drive, name, &found);
		return STATUS_DONE;
	}
	int err = ssdpm_idle_state_to_json(&found, &text, &error);

	return print_item(common, err, text, &error);
}

/* "30mW", and no file of that name. */
static bool looks_like_power(const char *operand)
{
	const size_t n = strspn(operand, "0123456789.,");
	const char *unit = operand + n;

	return n && access(operand, F_OK) &&
	       (!*unit || !strcmp(unit, "W") || !strcmp(unit, "mW") ||
		!strcmp(unit, "uW"));
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	const struct settings *settings = data;
	struct drives drives = { 0 };
	enum exit_status status;

	if (settings->power_uw && n == 2)
		return usage_error(common, "%s: --power takes no file",
				   operands[1]);
	if (n != (settings->power_uw ? 1 : 2))
		return usage_error(common, "expected DRIVE FILE; "
					   "see ssdpm measure state --help");
	if (n == 2 && looks_like_power(operands[1]))
		return usage_error(common,
				   "%s: there is no such file; "
				   "for a power: --power %s",
				   operands[1], operands[1]);
	if (n == 2 && !strcmp(operands[0], "-") && !strcmp(operands[1], "-"))
		return usage_error(common, "standard input is named twice");
	status = read_drives(common, operands, 1, &drives);
	if (!status && drives.n != 1) {
		complain("%s: %zu drives; a power is of one", operands[0],
			 drives.n);
		status = STATUS_USAGE;
	}
	if (!status)
		status = answer(common, settings, drives.drives,
				n == 2 ? operands[1] : NULL);
	free_drives(&drives);
	return status;
}

static const struct group_use groups[] = {
	USE(&power_option_group, &the_settings.power),
};

const struct subcommand cmd_measure_state = {
	.name = "measure state",
	.operands = "DRIVE [FILE]",
	.operands_optional = true, /* run() names what is missing */
	.takes_drives = true,
	.list = "idle_states",
	.summary = "Find the power state that a measured idle power fits.",
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm measure state --power 30mW 'WDC PC SN530'\n"
		    "  ssdpm measure state nvme0 power.csv\n"
		    "  ssdpm measure state --idle 0s..10s 'WDC PC SN530' "
		    "power.csv\n",
	.run = run,
	.settings = &the_settings,
};
