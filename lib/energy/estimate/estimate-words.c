/* SPDX-License-Identifier: MIT */
/* The words for the enumerations of estimate.h. */
#include <ssdpm/energy/estimate.h>

const char *ssdpm_parameter_kind_to_string(uint32_t kind)
{
	switch (kind) {
	case SSDPM_PARAMETER_IDLE_POWER:
		return "idle_power_uw";
	case SSDPM_PARAMETER_ACTIVE_POWER:
		return "active_power_uw";
	case SSDPM_PARAMETER_TRANSITION_POWER:
		return "transition_power_uw";
	case SSDPM_PARAMETER_LINK_POWER:
		return "link_power_uw";
	case SSDPM_PARAMETER_ENTRY_LATENCY:
		return "entry_latency_us";
	case SSDPM_PARAMETER_EXIT_LATENCY:
		return "exit_latency_us";
	case SSDPM_PARAMETER_BASE_LATENCY:
		return "base_latency_ns";
	case SSDPM_PARAMETER_BANDWIDTH:
		return "bandwidth_bytes_per_second";
	case SSDPM_PARAMETER_OPERATION_ENERGY:
		return "operation_energy_nj";
	case SSDPM_PARAMETER_BYTE_ENERGY:
		return "byte_energy_pj";
	case SSDPM_PARAMETER_LINK_IDLE_TIME:
		return "link_idle_time_us";
	case SSDPM_PARAMETER_BACKGROUND_TIME:
		return "background_time_ps";
	default:
		return NULL;
	}
}

const char *ssdpm_axis_to_string(uint32_t axis)
{
	switch (axis) {
	case SSDPM_AXIS_IDLE_POWER:
		return "idle-power";
	case SSDPM_AXIS_STATE_POWER:
		return "state-power";
	case SSDPM_AXIS_ACTIVE_POWER:
		return "active-power";
	case SSDPM_AXIS_TRANSITION_POWER:
		return "transition-power";
	case SSDPM_AXIS_LATENCY:
		return "latency";
	case SSDPM_AXIS_SERVICE:
		return "service";
	case SSDPM_AXIS_LINK_IDLE_TIME:
		return "link-idle-time";
	default:
		return NULL;
	}
}

const char *ssdpm_loop_to_string(uint32_t loop)
{
	switch (loop) {
	case SSDPM_LOOP_CLOSED:
		return "closed";
	case SSDPM_LOOP_OPEN:
		return "open";
	default:
		return NULL;
	}
}

const char *ssdpm_phase_to_string(uint32_t phase)
{
	switch (phase) {
	case SSDPM_PHASE_BUSY:
		return "busy";
	case SSDPM_PHASE_IDLE:
		return "idle";
	case SSDPM_PHASE_ENTRY:
		return "entry";
	case SSDPM_PHASE_RESIDENT:
		return "resident";
	case SSDPM_PHASE_EXIT:
		return "exit";
	case SSDPM_PHASE_END:
		return "end";
	default:
		return NULL;
	}
}
