/* SPDX-License-Identifier: MIT */
/*
 * What is frozen: sizes and offsets of structures, values of constants, as the
 * public header gives them. abidiff does not see most of these, since no
 * function takes an enum.
 */
#include <ssdpm.h>

#include <stdio.h>

struct fact {
	const char *what;
	unsigned long long is;
	unsigned long long must_be;
};

#define SIZE(type, bytes)                                                      \
	{                                                                      \
		.what = "sizeof(struct " #type ")", .is = sizeof(struct type), \
		.must_be = (bytes),                                            \
	}

#define OFFSET(type, member, bytes)                                      \
	{                                                                \
		.what = "offset of " #type "." #member,                  \
		.is = offsetof(struct type, member), .must_be = (bytes), \
	}

#define VALUE(name, value)                                       \
	{                                                        \
		.what = #name, .is = (name), .must_be = (value), \
	}

static const struct fact facts[] = {
	SIZE(ssdpm_error, 256),
	OFFSET(ssdpm_error, code, 0),
	OFFSET(ssdpm_error, line, 4),
	OFFSET(ssdpm_error, nvme_status, 8),
	OFFSET(ssdpm_error, message, 12),
	VALUE(SSDPM_JSON_MAX_BYTES, 16777216),

	SIZE(ssdpm_power_state, 128),
	OFFSET(ssdpm_power_state, flags, 0),
	OFFSET(ssdpm_power_state, unknown, 4),
	OFFSET(ssdpm_power_state, not_reported, 8),
	OFFSET(ssdpm_power_state, max_power_uw, 12),
	OFFSET(ssdpm_power_state, active_power_uw, 16),
	OFFSET(ssdpm_power_state, idle_power_uw, 20),
	OFFSET(ssdpm_power_state, entry_latency_us, 24),
	OFFSET(ssdpm_power_state, exit_latency_us, 28),
	OFFSET(ssdpm_power_state, read_throughput_rank, 32),
	OFFSET(ssdpm_power_state, read_latency_rank, 33),
	OFFSET(ssdpm_power_state, write_throughput_rank, 34),
	OFFSET(ssdpm_power_state, write_latency_rank, 35),
	OFFSET(ssdpm_power_state, active_power_workload, 36),
	OFFSET(ssdpm_power_state, link_state, 37),
	OFFSET(ssdpm_power_state, reserved0, 38),
	OFFSET(ssdpm_power_state, emergency_power_fail_recovery_time_us, 40),
	OFFSET(ssdpm_power_state, forced_quiescence_vault_time_us, 48),
	OFFSET(ssdpm_power_state, emergency_power_fail_vault_time_us, 56),
	OFFSET(ssdpm_power_state, reserved1, 64),
	VALUE(SSDPM_MAX_STATES, 32),
	VALUE(SSDPM_NVME_IDENTIFY_BYTES, 4096),
	VALUE(SSDPM_KIND_NVME, 1),
	VALUE(SSDPM_KIND_SATA, 2),
	VALUE(SSDPM_PROVENANCE_REPORTED, 1),
	VALUE(SSDPM_PROVENANCE_MEASURED, 2),
	VALUE(SSDPM_PROVENANCE_CATALOGUE, 3),
	VALUE(SSDPM_PROVENANCE_ASSUMED, 4),
	VALUE(SSDPM_STATE_NON_OPERATIONAL, 0x1),
	VALUE(SSDPM_FIELD_MAX_POWER, 0x1),
	VALUE(SSDPM_FIELD_ACTIVE_POWER, 0x2),
	VALUE(SSDPM_FIELD_IDLE_POWER, 0x4),
	VALUE(SSDPM_FIELD_ENTRY_LATENCY, 0x8),
	VALUE(SSDPM_FIELD_EXIT_LATENCY, 0x10),
	VALUE(SSDPM_FIELD_READ_THROUGHPUT_RANK, 0x20),
	VALUE(SSDPM_FIELD_READ_LATENCY_RANK, 0x40),
	VALUE(SSDPM_FIELD_WRITE_THROUGHPUT_RANK, 0x80),
	VALUE(SSDPM_FIELD_WRITE_LATENCY_RANK, 0x100),
	VALUE(SSDPM_FIELD_ACTIVE_POWER_WORKLOAD, 0x200),
	VALUE(SSDPM_FIELD_EMERGENCY_POWER_FAIL_RECOVERY_TIME, 0x400),
	VALUE(SSDPM_FIELD_FORCED_QUIESCENCE_VAULT_TIME, 0x800),
	VALUE(SSDPM_FIELD_EMERGENCY_POWER_FAIL_VAULT_TIME, 0x1000),
	VALUE(SSDPM_INFO_VENDOR_ID, 0x1),
	VALUE(SSDPM_INFO_PRODUCT, 0x2),
	VALUE(SSDPM_INFO_FIRMWARE, 0x4),
	VALUE(SSDPM_INFO_APSTA, 0x8),
	VALUE(SSDPM_INFO_SATA_WORDS_VALID, 0x10),
	VALUE(SSDPM_INFO_SATA_GENERATIONS, 0x20),
	VALUE(SSDPM_INFO_APM_LEVEL, 0x40),
	VALUE(SSDPM_FORMAT_NVME_IDENTIFY, 1),
	VALUE(SSDPM_FORMAT_NVME_CLI_TEXT, 2),
	VALUE(SSDPM_FORMAT_NVME_CLI_JSON, 3),
	VALUE(SSDPM_FORMAT_SMARTCTL_TEXT, 4),
	VALUE(SSDPM_FORMAT_SMARTCTL_JSON, 5),
	VALUE(SSDPM_FORMAT_ATA_IDENTIFY, 6),
	VALUE(SSDPM_FORMAT_ATA_IDENTIFY_HEX, 7),
	VALUE(SSDPM_FORMAT_HDPARM_TEXT, 8),
	VALUE(SSDPM_FORMAT_ATASMART_BLOB, 9),
	VALUE(SSDPM_LINK_ACTIVE, 1),
	VALUE(SSDPM_LINK_PARTIAL, 2),
	VALUE(SSDPM_LINK_SLUMBER, 3),
	VALUE(SSDPM_LINK_DEVSLEEP, 4),
	VALUE(SSDPM_SATA_HIPM, 0x1),
	VALUE(SSDPM_SATA_DIPM, 0x2),
	VALUE(SSDPM_SATA_DEVICE_AUTO_PARTIAL_TO_SLUMBER, 0x4),
	VALUE(SSDPM_SATA_HOST_AUTO_PARTIAL_TO_SLUMBER, 0x8),
	VALUE(SSDPM_SATA_DEVSLEEP, 0x10),
	VALUE(SSDPM_SATA_APM, 0x20),
	SIZE(ssdpm_finding, 256),
	OFFSET(ssdpm_finding, code, 0),
	OFFSET(ssdpm_finding, state, 4),
	OFFSET(ssdpm_finding, message, 8),
	VALUE(SSDPM_WHOLE_DRIVE, 4294967295),
	VALUE(SSDPM_FINDING_EQUAL_POWER, 1),
	VALUE(SSDPM_FINDING_RISING_POWER, 2),
	VALUE(SSDPM_FINDING_ZERO_POWER, 3),
	VALUE(SSDPM_FINDING_ABSURD_POWER, 4),
	VALUE(SSDPM_FINDING_ZERO_LATENCIES, 5),
	VALUE(SSDPM_FINDING_DEEPER_EXITS_FASTER, 6),
	VALUE(SSDPM_FINDING_NEVER_ENTERED, 7),
	VALUE(SSDPM_FINDING_SLOW_OPERATIONAL, 8),
	VALUE(SSDPM_FINDING_ABSURD_LATENCY, 9),
	VALUE(SSDPM_FINDING_OPERATIONAL_AFTER_NON_OPERATIONAL, 10),
	VALUE(SSDPM_FINDING_ONLY_OPERATIONAL, 11),
	VALUE(SSDPM_FINDING_APSTA_ZERO, 12),
	VALUE(SSDPM_FINDING_IDLE_POWER_UNKNOWN, 13),
	VALUE(SSDPM_FINDING_SMARTCTL_SOURCE, 14),
	VALUE(SSDPM_FINDING_SATA_WORDS_INVALID, 15),
	VALUE(SSDPM_FINDING_SATA_NO_LPM, 16),
	VALUE(SSDPM_FINDING_TWO_TABLES, 17),
	SIZE(ssdpm_catalogue_match, 32),
	OFFSET(ssdpm_catalogue_match, index, 0),
	OFFSET(ssdpm_catalogue_match, exact, 4),
	OFFSET(ssdpm_catalogue_match, n_rows, 8),
	OFFSET(ssdpm_catalogue_match, n_matches, 12),
	OFFSET(ssdpm_catalogue_match, n_tables, 16),
	OFFSET(ssdpm_catalogue_match, seen, 24),

	SIZE(ssdpm_apst_entry, 8),
	OFFSET(ssdpm_apst_entry, idle_ms, 0),
	OFFSET(ssdpm_apst_entry, target, 4),
	SIZE(ssdpm_apst, 264),
	OFFSET(ssdpm_apst, entries, 0),
	OFFSET(ssdpm_apst, sent, 256),
	OFFSET(ssdpm_apst, enabled, 260),
	SIZE(ssdpm_apst_verdict, 128),
	OFFSET(ssdpm_apst_verdict, state, 0),
	OFFSET(ssdpm_apst_verdict, verdict, 4),
	OFFSET(ssdpm_apst_verdict, reason, 8),
	VALUE(SSDPM_APST_BYTES, 256),
	VALUE(SSDPM_APST_MAX_IDLE_MS, 16777215),
	VALUE(SSDPM_LATENCY_ANY, 18446744073709551615u),
	VALUE(SSDPM_APST_LINUX, 1),
	VALUE(SSDPM_APST_LINUX_LEGACY, 2),
	VALUE(SSDPM_APST_WINDOWS, 3),
	VALUE(SSDPM_APST_LOWER_ENVELOPE, 4),
	VALUE(SSDPM_SCHEME_PERFORMANCE, 1),
	VALUE(SSDPM_SCHEME_BALANCED, 2),
	VALUE(SSDPM_SCHEME_POWER_SAVER, 3),
	VALUE(SSDPM_SCHEME_MODERN_STANDBY, 4),
	VALUE(SSDPM_SOURCE_AC, 1),
	VALUE(SSDPM_SOURCE_BATTERY, 2),
	VALUE(SSDPM_QUIRK_NO_APST, 0x1),
	VALUE(SSDPM_QUIRK_NO_DEEPEST_PS, 0x2),
	VALUE(SSDPM_QUIRK_SIMPLE_SUSPEND, 0x4),
	VALUE(SSDPM_QUIRK_FORCE_NO_SIMPLE_SUSPEND, 0x8),
	VALUE(SSDPM_QUIRK_NO_LPM, 0x10),
	VALUE(SSDPM_QUIRK_NO_LPM_ON_ATI, 0x20),
	VALUE(SSDPM_QUIRK_NO_LPM_ON_ATI_AND_AMD, 0x40),
	SIZE(ssdpm_quirk_match, 128),
	OFFSET(ssdpm_quirk_match, quirks, 0),
	OFFSET(ssdpm_quirk_match, unknown, 4),
	OFFSET(ssdpm_quirk_match, reason, 8),
	VALUE(SSDPM_MAX_QUIRK_MATCHES, 32),
	VALUE(SSDPM_VERDICT_USED, 1),
	VALUE(SSDPM_VERDICT_OPERATIONAL, 2),
	VALUE(SSDPM_VERDICT_EXIT_TOO_SLOW, 3),
	VALUE(SSDPM_VERDICT_TOTAL_TOO_SLOW, 4),
	VALUE(SSDPM_VERDICT_SHADOWED, 5),
	VALUE(SSDPM_VERDICT_QUIRK, 6),
	VALUE(SSDPM_VERDICT_NO_GAIN, 7),
	SIZE(ssdpm_parameter, 192),
	OFFSET(ssdpm_parameter, index, 4),
	OFFSET(ssdpm_parameter, provenance, 8),
	OFFSET(ssdpm_parameter, low, 16),
	OFFSET(ssdpm_parameter, high, 32),
	OFFSET(ssdpm_parameter, rule, 40),
	VALUE(SSDPM_MAX_PARAMETERS, 160),
	VALUE(SSDPM_PARAMETER_IDLE_POWER, 1),
	VALUE(SSDPM_PARAMETER_ACTIVE_POWER, 2),
	VALUE(SSDPM_PARAMETER_TRANSITION_POWER, 3),
	VALUE(SSDPM_PARAMETER_LINK_POWER, 4),
	VALUE(SSDPM_PARAMETER_ENTRY_LATENCY, 5),
	VALUE(SSDPM_PARAMETER_EXIT_LATENCY, 6),
	VALUE(SSDPM_PARAMETER_BASE_LATENCY, 7),
	VALUE(SSDPM_PARAMETER_BANDWIDTH, 8),
	VALUE(SSDPM_PARAMETER_OPERATION_ENERGY, 9),
	VALUE(SSDPM_PARAMETER_BYTE_ENERGY, 10),
	VALUE(SSDPM_PARAMETER_LINK_IDLE_TIME, 11),
	VALUE(SSDPM_PCIE_L0, 1),
	VALUE(SSDPM_PCIE_L1, 2),
	VALUE(SSDPM_PCIE_L1_2, 3),
	VALUE(SSDPM_ROUTE_LATENCY_LIMIT, 1),
	VALUE(SSDPM_ROUTE_NVME_CORE, 2),
	VALUE(SSDPM_ROUTE_RAW_TABLE, 3),
	VALUE(SSDPM_N_ROUTES, 3),
	SIZE(ssdpm_recommendation, 8 + 264 + 40 + sizeof(struct ssdpm_run) +
					   sizeof(struct ssdpm_saving)),
	OFFSET(ssdpm_recommendation, apst, 8),
	OFFSET(ssdpm_recommendation, limit_us, 272),
	OFFSET(ssdpm_recommendation, run, 312),

	/* Sized parameters begin with their size. */
	OFFSET(ssdpm_model_info, size, 0),
	OFFSET(ssdpm_model_info, kind, sizeof(size_t)),
	OFFSET(ssdpm_model_info, unknown, sizeof(size_t) + 4),
	OFFSET(ssdpm_model_info, provenance, sizeof(size_t) + 8),
	OFFSET(ssdpm_model_info, vendor_id, sizeof(size_t) + 12),
	OFFSET(ssdpm_model_info, apsta, sizeof(size_t) + 14),
	OFFSET(ssdpm_model_info, product, sizeof(size_t) + 15),
	OFFSET(ssdpm_model_info, firmware, sizeof(size_t) + 56),
	OFFSET(ssdpm_model_info, format, sizeof(size_t) + 68),
	OFFSET(ssdpm_model_info, sata_supported, sizeof(size_t) + 72),
	OFFSET(ssdpm_model_info, sata_words_valid, sizeof(size_t) + 88),
	OFFSET(ssdpm_model_info, reserved1, sizeof(size_t) + 91),
	OFFSET(ssdpm_apst_params, size, 0),
	OFFSET(ssdpm_apst_params, algorithm, sizeof(size_t)),
	OFFSET(ssdpm_apst_params, quirks, sizeof(size_t) + 4),
	OFFSET(ssdpm_apst_params, scheme, sizeof(size_t) + 48),
	OFFSET(ssdpm_apst_params, transition_power_uw, sizeof(size_t) + 60),
	OFFSET(ssdpm_bounds, size, 0),
	OFFSET(ssdpm_bounds, max_delay_mean_ns, sizeof(size_t)),
	OFFSET(ssdpm_bounds, max_delay_p99_ns, sizeof(size_t) + 8),
	OFFSET(ssdpm_bounds, max_exit_latency_us, sizeof(size_t) + 16),
	OFFSET(ssdpm_bounds, max_states, sizeof(size_t) + 24),
	OFFSET(ssdpm_bounds, quirks, sizeof(size_t) + 28),
	OFFSET(ssdpm_host, size, 0),
	OFFSET(ssdpm_host, linux_release, sizeof(size_t)),
	OFFSET(ssdpm_host, bios_date, 7 * sizeof(size_t)),
	OFFSET(ssdpm_host, rules, 8 * sizeof(size_t)),
	OFFSET(ssdpm_host, rules_bytes, 9 * sizeof(size_t)),
	OFFSET(ssdpm_host, pci_vendor_id, 10 * sizeof(size_t)),
	OFFSET(ssdpm_host, adapter_vendor_id, 10 * sizeof(size_t) + 4),
	SIZE(ssdpm_host, 10 * sizeof(size_t) + 8),
};

int main(void)
{
	int faults = 0;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (facts[i].is == facts[i].must_be)
			continue;
		printf("%s is %llu, must be %llu\n", facts[i].what, facts[i].is,
		       facts[i].must_be);
		faults++;
	}
	if (faults)
		printf("To mend it: give these back. Programs that are already "
		       "compiled contain the old numbers; new members go into "
		       "reserved space, new constants get new values.\n");
	return faults ? 1 : 0;
}
