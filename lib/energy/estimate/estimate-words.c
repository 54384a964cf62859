/* SPDX-License-Identifier: MIT */
/* The words for the enumerations of estimate.h. */
#include "base/words.h"

#include <ssdpm/energy/estimate.h>

static const char parameter_kind_words[][27] = {
	[SSDPM_PARAMETER_IDLE_POWER] = "idle_power_uw",
	[SSDPM_PARAMETER_ACTIVE_POWER] = "active_power_uw",
	[SSDPM_PARAMETER_TRANSITION_POWER] = "transition_power_uw",
	[SSDPM_PARAMETER_LINK_POWER] = "link_power_uw",
	[SSDPM_PARAMETER_ENTRY_LATENCY] = "entry_latency_us",
	[SSDPM_PARAMETER_EXIT_LATENCY] = "exit_latency_us",
	[SSDPM_PARAMETER_BASE_LATENCY] = "base_latency_ns",
	[SSDPM_PARAMETER_BANDWIDTH] = "bandwidth_bytes_per_second",
	[SSDPM_PARAMETER_OPERATION_ENERGY] = "operation_energy_nj",
	[SSDPM_PARAMETER_BYTE_ENERGY] = "byte_energy_pj",
	[SSDPM_PARAMETER_LINK_IDLE_TIME] = "link_idle_time_us",
	[SSDPM_PARAMETER_BACKGROUND_TIME] = "background_time_ps",
};
ENUM_WORDS(parameter_kind)

static const char axis_words[][17] = {
	[SSDPM_AXIS_IDLE_POWER] = "idle-power",
	[SSDPM_AXIS_STATE_POWER] = "state-power",
	[SSDPM_AXIS_ACTIVE_POWER] = "active-power",
	[SSDPM_AXIS_TRANSITION_POWER] = "transition-power",
	[SSDPM_AXIS_LATENCY] = "latency",
	[SSDPM_AXIS_SERVICE] = "service",
	[SSDPM_AXIS_LINK_IDLE_TIME] = "link-idle-time",
};
ENUM_WORDS(axis)

static const char loop_words[][7] = {
	[SSDPM_LOOP_CLOSED] = "closed",
	[SSDPM_LOOP_OPEN] = "open",
};
ENUM_WORDS(loop)

static const char phase_words[][9] = {
	[SSDPM_PHASE_BUSY] = "busy",   [SSDPM_PHASE_IDLE] = "idle",
	[SSDPM_PHASE_ENTRY] = "entry", [SSDPM_PHASE_RESIDENT] = "resident",
	[SSDPM_PHASE_EXIT] = "exit",   [SSDPM_PHASE_END] = "end",
};
ENUM_WORDS(phase)
