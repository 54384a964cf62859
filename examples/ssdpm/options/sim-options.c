/* SPDX-License-Identifier: MIT */
#include "options/sim-options.h"

#include "options/apst-options.h"
#include "input/live.h"
#include "options/units.h"

#include <errno.h>
#include <string.h>

#define SIM struct sim_options

static const struct option_spec options[] = {
	{ "loop", 0, "closed|open",
	  "Choose what delays move. closed: all later I/Os; open: "
	  "none. Default: closed.",
	  SETS_WORD(SIM, loop, ssdpm_loop_to_string) },
	{ "pcie-link", 0, "l0|l1|l1.2",
	  "Set the link state while the drive sleeps. Default: as on "
	  "the machine, else l1.2.",
	  SETS_WORD(SIM, pcie_link, ssdpm_pcie_link_to_string) },
	{ "operational-state", 0, "PSn",
	  "Set the state in which the drive works. Default: PS0.", SETS_OWN },
	{ "idle-from-start", 0, NULL,
	  "Count idle times from the start of idle, as some firmware "
	  "does.",
	  SETS_BIT(SIM, flags, SSDPM_SIM_IDLE_FROM_START) },
	{ "end", 0, "TIME",
	  "Stop the simulation at this time after the first I/O. "
	  "Default: the last completion.",
	  SETS_NUMBER(SIM, end_ns, TIME_NS) },
	{ "idle-power", 0, "POWER",
	  "Set the power of the idle drive, as in 0.5W or "
	  "0.4W..0.8W, or of a state, as in PS3=20mW.",
	  SETS_OWN },
	{ "active-power", 0, "POWER",
	  "Set the power while busy, as in 3W or read=2.5W.", SETS_OWN },
	{ "transition-power", 0, "POWER",
	  "Set the power while the drive enters or leaves a state.", SETS_OWN },
	{ "link-power", 0, "POWER",
	  "Set what the link adds in a sleeping state.", SETS_OWN },
	{ "entry-latency", 0, "TIME",
	  "Set the time to enter a state, as in PS4=5ms.", SETS_OWN },
	{ "exit-latency", 0, "TIME",
	  "Set the time to leave a state, as in PS4=51ms.", SETS_OWN },
	{ "base-latency", 0, "TIME",
	  "Set the time before the transfer of an I/O, as in "
	  "read=80us, where the trace has no service time.",
	  SETS_OWN },
	{ "bandwidth", 0, "RATE",
	  "Set the rate of that transfer, as in write=500MB/s.", SETS_OWN },
	{ "operation-energy", 0, "ENERGY",
	  "Set the energy of each I/O, as in read=5uJ.", SETS_OWN },
	{ "byte-energy", 0, "ENERGY",
	  "Set the energy of each byte, as in read=600pJ.", SETS_OWN },
	{ "link-idle-time", 0, "TIME",
	  "SATA: Set the idle time before a link state, as in "
	  "PS1=10ms.",
	  SETS_OWN },
	{ "spare", 0, "SHARE",
	  "Set the share of flash without data, as in 7%; written "
	  "bytes then cost garbage collection.",
	  SETS_NUMBER(SIM, spare_ppm, SHARE_PPM), .min = 1,
	  .max = WHOLE_PPM - 1, .range = "above 0 % and below 100 %" },
	{ "measured-wa", 0, "FACTOR",
	  "Set the write amplification at which writes were "
	  "measured, as in 2.5x. Requires --spare.",
	  SETS_NUMBER(SIM, measured_wa_milli, FACTOR_MILLI), .min = 1000,
	  .max = MAX_WA_MILLI, .range = "1x to 65536x" },
	{ "measured", 0, "FILE",
	  "Read what ssdpm measure calibrate saved of the drive.", SETS_OWN },
};

enum subject { WHOLE, STATE, OPERATION };

static const struct known_override {
	const char *option;
	uint32_t kind;
	enum subject subject;
	enum quantity quantity;
} known_overrides[] = {
	{ "idle-power", SSDPM_PARAMETER_IDLE_POWER, STATE, POWER_UW },
	{ "active-power", SSDPM_PARAMETER_ACTIVE_POWER, OPERATION, POWER_UW },
	{ "transition-power", SSDPM_PARAMETER_TRANSITION_POWER, WHOLE,
	  POWER_UW },
	{ "link-power", SSDPM_PARAMETER_LINK_POWER, WHOLE, POWER_UW },
	{ "entry-latency", SSDPM_PARAMETER_ENTRY_LATENCY, STATE, TIME_US },
	{ "exit-latency", SSDPM_PARAMETER_EXIT_LATENCY, STATE, TIME_US },
	{ "base-latency", SSDPM_PARAMETER_BASE_LATENCY, OPERATION, TIME_NS },
	{ "bandwidth", SSDPM_PARAMETER_BANDWIDTH, OPERATION, BANDWIDTH },
	{ "operation-energy", SSDPM_PARAMETER_OPERATION_ENERGY, OPERATION,
	  ENERGY_NJ },
	{ "byte-energy", SSDPM_PARAMETER_BYTE_ENERGY, OPERATION, ENERGY_PJ },
	{ "link-idle-time", SSDPM_PARAMETER_LINK_IDLE_TIME, STATE, TIME_US },
};

static const struct known_override *find_known(const char *option)
{
	size_t n = sizeof(known_overrides) / sizeof(known_overrides[0]);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(known_overrides[i].option, option))
			return &known_overrides[i];
	return NULL;
}

/* Parses "PS4" as 4. */
static bool parse_state(const char *text, size_t length, uint32_t *ret_state)
{
	uint32_t state = 0;

	if (length < 3 || length > 4 || memcmp(text, "PS", 2) ||
	    (length == 4 && text[2] == '0'))
		return false;
	for (size_t i = 2; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		state = state * 10 + (uint32_t)(text[i] - '0');
	}
	if (state >= SSDPM_MAX_STATES)
		return false;
	*ret_state = state;
	return true;
}

static bool parse_op(const char *text, size_t length, uint32_t *ret_index)
{
	char word[16];
	uint32_t op;

	snprintf(word, sizeof(word), "%.*s", length < 16 ? (int)length : 0,
		 text);
	op = ssdpm_op_from_string(word);
	if (op)
		*ret_index = op - 1;
	return op;
}

static bool is_subject(enum subject subject, const char *text, size_t length,
		       uint32_t *ret_index)
{
	return (subject == STATE && parse_state(text, length, ret_index)) ||
	       (subject == OPERATION && parse_op(text, length, ret_index));
}

static size_t last_equals(const char *text, size_t length)
{
	while (length && text[length - 1] != '=')
		length--;
	return length;
}

/* Parses "nvme0" or "nvme0=PS4". */
static void parse_drive(enum subject subject, size_t length,
			struct override *override)
{
	size_t at = last_equals(override->text, length);

	override->drive_length = length;
	if (at && is_subject(subject, override->text + at, length - at,
			     &override->index))
		override->drive_length = at - 1;
}

/* Parses "PS4=" or "read=" before the value, or nothing. */
static enum exit_status parse_subject(const struct common *common,
				      const struct sim_options *settings,
				      enum subject subject,
				      struct override *override,
				      const char **ret_value)
{
	const char *text = override->text;
	size_t value = settings->by_drive ? last_equals(text, strlen(text)) :
					    strcspn(text, "=") + 1;

	override->index = subject == WHOLE ? 0 : ANY_INDEX;
	*ret_value = text;
	if (!strchr(text, '='))
		return STATUS_DONE;
	*ret_value = text + value;
	if (is_subject(subject, text, value - 1, &override->index))
		return STATUS_DONE;
	if (settings->by_drive && value > 1) {
		parse_drive(subject, value - 1, override);
		return STATUS_DONE;
	}
	return usage_error(
		common, "--%s %s: %s", override->option, text,
		subject == WHOLE ? "there is but one of these" :
		subject == STATE ? "before = stands a state, as in PS4" :
				   "before = stands read, write, "
				   "flush or discard");
}

/* Parses "A", "LOW..HIGH" or "LOW..NOMINAL..HIGH". */
static enum exit_status parse_range(const struct common *common,
				    enum quantity quantity, const char *text,
				    struct override *override)
{
	uint64_t values[3];
	size_t n = 0;

	for (const char *at = text, *next; at; at = next, n++) {
		char one[64];
		size_t length;

		next = strstr(at, "..");
		length = next ? (size_t)(next - at) : strlen(at);
		next = next ? next + 2 : NULL;
		if (n == 3 || length >= sizeof(one))
			return usage_error(common, "--%s %s: write LOW..HIGH",
					   override->option, override->text);
		memcpy(one, at, length);
		one[length] = 0;
		if (parse_number(common, override->option, one, quantity,
				 &values[n]))
			return STATUS_USAGE;
	}
	override->low = values[0];
	override->high = values[n - 1];
	override->nominal = n == 3 ? values[1] :
				     values[0] / 2 + values[n - 1] / 2 +
					     (values[0] & values[n - 1] & 1);
	if (override->low <= override->nominal &&
	    override->nominal <= override->high)
		return STATUS_DONE;
	return usage_error(common, "--%s %s: the lowest stands first",
			   override->option, override->text);
}

static enum exit_status add_override(const struct common *common,
				     struct sim_options *settings,
				     const struct known_override *known,
				     const char *argument)
{
	struct override override = {
		.option = known->option,
		.text = argument,
		.kind = known->kind,
	};
	const char *value;

	if (settings->n_overrides == MAX_OVERRIDES)
		return usage_error(common, "more than %d values are given",
				   MAX_OVERRIDES);
	if (parse_subject(common, settings, known->subject, &override,
			  &value) ||
	    parse_range(common, known->quantity, value, &override))
		return STATUS_USAGE;
	settings->overrides[settings->n_overrides++] = override;
	return STATUS_DONE;
}

enum exit_status check_sim_options(const struct common *common,
				   const struct sim_options *settings)
{
	if (settings->measured_wa_milli && !settings->spare_ppm)
		return usage_error(common, "--measured-wa requires --spare");
	return STATUS_DONE;
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct sim_options *settings = data;
	const struct known_override *known = find_known(option->name);

	if (known)
		return add_override(common, settings, known, argument);
	if (!strcmp(option->name, "measured"))
		return add_measured(common, &settings->measured, argument);
	if (parse_state(argument, strlen(argument),
			&settings->operational_state))
		return STATUS_DONE;
	return usage_error(common, "--%s %s: write a state, as in PS1",
			   option->name, argument);
}

const struct option_group sim_option_group = {
	OPTIONS(options),
	.title = "Simulated drive",
	.set = set,
	KEEPS_GIVEN(SIM, given),
};

struct ssdpm_device_settings find_settings(const struct drive *drive)
{
	struct ssdpm_device_settings settings = { .size = sizeof(settings) };

	if (drive->device)
		ssdpm_device_get_settings(drive->device, &drive->live->facts,
					  drive->model, &settings, NULL);
	return settings;
}

uint32_t find_link(const struct sim_options *settings,
		   const struct drive *drive)
{
	const struct ssdpm_device_settings found = find_settings(drive);
	uint32_t link = settings->pcie_link;

	if (!link)
		ssdpm_device_settings_get_pcie_link(
			drive->device ? &found : NULL, &link, NULL);
	return link;
}

static bool is_of_drive(const struct override *override,
			const struct drive *drive)
{
	size_t length = override->drive_length;

	return !length || (strlen(drive->name) == length &&
			   !memcmp(drive->name, override->text, length));
}

enum exit_status check_overrides(const struct common *common,
				 const struct sim_options *settings,
				 const struct drives *drives)
{
	for (size_t i = 0; i < settings->n_overrides; i++) {
		const struct override *o = &settings->overrides[i];
		bool found = !o->drive_length;

		for (size_t j = 0; j < drives->n && !found; j++)
			found = is_of_drive(o, &drives->drives[j]);
		if (!found)
			return usage_error(common,
					   "--%s %s: unknown drive '%.*s'",
					   o->option, o->text,
					   (int)o->drive_length, o->text);
	}
	return STATUS_DONE;
}

/* Whether it is the operational state, or one of all that may be. */
static bool is_working_state(const struct sim_options *settings,
			     const struct drive *drive, uint32_t state)
{
	const struct ssdpm_power_state *states;
	size_t n;

	if (!settings->by_drive)
		return state == settings->operational_state;
	states = ssdpm_model_get_states(drive->model, &n);
	return state < n &&
	       !(states[state].flags & SSDPM_STATE_NON_OPERATIONAL);
}

/*
 * An idle power without a state is that of the operational state. Any other
 * value without a state or operation applies to all.
 */
static bool concerns(const struct sim_options *settings,
		     const struct override *override, const struct drive *drive,
		     const struct ssdpm_parameter *parameter)
{
	if (parameter->kind != override->kind)
		return false;
	if (override->index != ANY_INDEX)
		return parameter->index == override->index;
	return override->kind != SSDPM_PARAMETER_IDLE_POWER ||
	       is_working_state(settings, drive, parameter->index);
}

static enum exit_status apply_override(const struct sim_options *settings,
				       const struct override *o,
				       const struct drive *drive,
				       struct ssdpm_parameter *parameters,
				       size_t n)
{
	struct ssdpm_error error = { .code = -ENOENT,
				     .message = "the drive has no such value" };
	struct ssdpm_parameter value = {
		.kind = o->kind,
		.low = o->low,
		.nominal = o->nominal,
		.high = o->high,
	};
	bool found = false;

	if (!is_of_drive(o, drive))
		return STATUS_DONE;
	for (size_t i = 0; i < n; i++) {
		if (!concerns(settings, o, drive, &parameters[i]))
			continue;
		value.index = parameters[i].index;
		if (ssdpm_parameters_set(parameters, n, &value, &error)) {
			found = false;
			break;
		}
		found = true;
	}
	if (found)
		return STATUS_DONE;
	complain("%s: --%s %s: %s", drive->name, o->option, o->text,
		 error.message);
	return STATUS_USAGE;
}

/* Values for this drive override others, in any order. */
static enum exit_status apply_overrides(const struct sim_options *settings,
					bool own, const struct drive *drive,
					struct ssdpm_parameter *parameters,
					size_t n)
{
	enum exit_status status = STATUS_DONE;

	for (size_t i = 0; i < settings->n_overrides && !status; i++)
		if (own == (settings->overrides[i].drive_length > 0))
			status = apply_override(settings,
						&settings->overrides[i], drive,
						parameters, n);
	return status;
}

/* Comes last, because it scales all measured and given values. */
static enum exit_status apply_spare(const struct sim_options *settings,
				    const struct measured_files *measured,
				    const struct drive *drive,
				    struct ssdpm_parameter *parameters,
				    size_t n,
				    struct ssdpm_background_work *background)
{
	uint64_t wa = settings->measured_wa_milli;
	const struct ssdpm_sustained_writes writes = {
		.size = sizeof(writes),
		.spare_factor = (double)settings->spare_ppm / 1e6,
		.measured_wa =
			(double)(wa ? wa : measured_wa_milli(measured, drive)) /
			1e3,
		.operational_state = settings->operational_state,
	};
	struct ssdpm_error error;

	if (!settings->spare_ppm ||
	    !ssdpm_parameters_set_spare(drive->model, parameters, n, &writes,
					background, &error))
		return STATUS_DONE;
	complain("%s: --spare: %s", drive->name, error.message);
	return STATUS_USAGE;
}

enum exit_status find_parameters(
	const struct sim_options *settings, const struct common *common,
	struct measured_files *measured, const struct drive *drive,
	struct ssdpm_parameter ret_parameters[SSDPM_MAX_PARAMETERS],
	size_t *ret_n, struct ssdpm_background_work *ret_background)
{
	uint32_t link = find_link(settings, drive);
	enum exit_status status;
	struct ssdpm_error error;

	if (ssdpm_parameters_from_model(drive->model, link, ret_parameters,
					SSDPM_MAX_PARAMETERS, ret_n, &error)) {
		complain("%s: %s", drive->name, error.message);
		return error.code == -EOPNOTSUPP ? STATUS_DEVICE_CANNOT :
						   STATUS_FAILED;
	}
	status = apply_measured(measured, common, drive, link, ret_parameters,
				*ret_n);
	if (!status)
		status = apply_overrides(settings, false, drive, ret_parameters,
					 *ret_n);
	if (!status)
		status = apply_overrides(settings, true, drive, ret_parameters,
					 *ret_n);
	if (!status)
		status = apply_spare(settings, measured, drive, ret_parameters,
				     *ret_n, ret_background);
	return status;
}
