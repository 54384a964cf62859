/* SPDX-License-Identifier: MIT */
/* The words of the device stage: in JSON, in Python, in the command. */
#include <ssdpm/device.h>

/* The word at an index of a table of size bytes; NULL: none, or a gap. */
static const char *word(const char *words, size_t word_size, size_t size,
			uint32_t index)
{
	if (index >= size / word_size || !words[index * word_size])
		return NULL;
	return words + index * word_size;
}

const char *ssdpm_reach_to_string(uint32_t reach)
{
	static const char words[][9] = {
		[SSDPM_REACH_YES] = "yes",
		[SSDPM_REACH_SAS] = "sas",
		[SSDPM_REACH_USB] = "usb",
		[SSDPM_REACH_REMAPPED] = "remapped",
		[SSDPM_REACH_VMD] = "vmd",
		[SSDPM_REACH_RAID] = "raid",
		[SSDPM_REACH_NO_LPM] = "no-lpm",
	};

	return word(&words[0][0], sizeof(words[0]), sizeof(words), reach);
}

const char *ssdpm_device_flag_to_string(uint32_t flag)
{
	switch (flag) {
	case SSDPM_DEVICE_FABRICS:
		return "fabrics";
	case SSDPM_DEVICE_EMPTY:
		return "empty";
	case SSDPM_DEVICE_OPTICAL:
		return "optical";
	case SSDPM_DEVICE_EXTERNAL:
		return "external";
	case SSDPM_DEVICE_HOT_PLUG:
		return "hot-plug";
	case SSDPM_DEVICE_SHARED_PORT:
		return "shared-port";
	case SSDPM_DEVICE_ROTATIONAL:
		return "rotational";
	case SSDPM_DEVICE_REMOVABLE:
		return "removable";
	case SSDPM_DEVICE_D3COLD_ALLOWED:
		return "d3cold-allowed";
	default:
		return NULL;
	}
}

const char *ssdpm_power_fact_to_string(uint32_t fact)
{
	switch (fact) {
	case SSDPM_POWER_FACT_STATE:
		return "state";
	case SSDPM_POWER_FACT_WORKLOAD_HINT:
		return "workload-hint";
	case SSDPM_POWER_FACT_NOPP:
		return "nopp";
	case SSDPM_POWER_FACT_THERMAL:
		return "thermal";
	case SSDPM_POWER_FACT_LIMIT:
		return "limit";
	case SSDPM_POWER_FACT_MEASUREMENT:
		return "measurement";
	default:
		return NULL;
	}
}

const char *ssdpm_power_flag_to_string(uint32_t flag)
{
	return flag == SSDPM_POWER_FLAG_ASLEEP ? "asleep" : NULL;
}

const char *ssdpm_pcie_feature_to_string(uint32_t feature)
{
	switch (feature) {
	case SSDPM_PCIE_FEATURE_CLKPM:
		return "clkpm";
	case SSDPM_PCIE_FEATURE_L0S:
		return "l0s";
	case SSDPM_PCIE_FEATURE_L1:
		return "l1";
	case SSDPM_PCIE_FEATURE_L1_1:
		return "l1.1";
	case SSDPM_PCIE_FEATURE_L1_2:
		return "l1.2";
	case SSDPM_PCIE_FEATURE_L1_1_PCIPM:
		return "l1.1-pcipm";
	case SSDPM_PCIE_FEATURE_L1_2_PCIPM:
		return "l1.2-pcipm";
	default:
		return NULL;
	}
}

const char *ssdpm_suspend_to_string(uint32_t suspend)
{
	static const char words[][8] = {
		[SSDPM_SUSPEND_S2IDLE] = "s2idle",
		[SSDPM_SUSPEND_SHALLOW] = "shallow",
		[SSDPM_SUSPEND_DEEP] = "deep",
	};

	return word(&words[0][0], sizeof(words[0]), sizeof(words), suspend);
}

const char *ssdpm_aspm_policy_to_string(uint32_t policy)
{
	static const char words[][15] = {
		[SSDPM_ASPM_DEFAULT] = "default",
		[SSDPM_ASPM_PERFORMANCE] = "performance",
		[SSDPM_ASPM_POWERSAVE] = "powersave",
		[SSDPM_ASPM_POWERSUPERSAVE] = "powersupersave",
	};

	return word(&words[0][0], sizeof(words[0]), sizeof(words), policy);
}

const char *ssdpm_nvme_core_to_string(uint32_t parameter)
{
	static const char words[][30] = {
		[SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US] =
			"default_ps_max_latency_us",
		[SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS] =
			"apst_primary_timeout_ms",
		[SSDPM_NVME_CORE_APST_PRIMARY_LATENCY_TOL_US] =
			"apst_primary_latency_tol_us",
		[SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS] =
			"apst_secondary_timeout_ms",
		[SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US] =
			"apst_secondary_latency_tol_us",
		[SSDPM_NVME_CORE_FORCE_APST] = "force_apst",
	};

	return word(&words[0][0], sizeof(words[0]), sizeof(words), parameter);
}

const char *ssdpm_severity_to_string(uint32_t severity)
{
	static const char words[][8] = {
		[SSDPM_SEVERITY_GOOD] = "good",
		[SSDPM_SEVERITY_NOTE] = "note",
		[SSDPM_SEVERITY_PROBLEM] = "problem",
		[SSDPM_SEVERITY_UNKNOWN] = "unknown",
	};

	return word(&words[0][0], sizeof(words[0]), sizeof(words), severity);
}

const char *ssdpm_diagnosis_code_to_string(uint32_t code)
{
	static const char words[][19] = {
		[SSDPM_DIAGNOSIS_SAVES] = "saves",
		[SSDPM_DIAGNOSIS_SAVES_LESS] = "saves-less",
		[SSDPM_DIAGNOSIS_SAVES_NOTHING] = "saves-nothing",
		[SSDPM_DIAGNOSIS_NOT_KNOWN] = "not-known",
		[SSDPM_DIAGNOSIS_OUT_OF_REACH] = "out-of-reach",
		[SSDPM_DIAGNOSIS_NO_DISK] = "no-disk",
		[SSDPM_DIAGNOSIS_NO_APST] = "no-apst",
		[SSDPM_DIAGNOSIS_QUIRK] = "quirk",
		[SSDPM_DIAGNOSIS_APST_OFF] = "apst-off",
		[SSDPM_DIAGNOSIS_APST_EMPTY] = "apst-empty",
		[SSDPM_DIAGNOSIS_STATE_NOT_USED] = "state-not-used",
		[SSDPM_DIAGNOSIS_TABLE_DIFFERS] = "table-differs",
		[SSDPM_DIAGNOSIS_NO_NON_OPERATIONAL] = "no-non-operational",
		[SSDPM_DIAGNOSIS_LINK_NO_L1_2] = "link-no-l1.2",
		[SSDPM_DIAGNOSIS_LINK_NO_ASPM] = "link-no-aspm",
		[SSDPM_DIAGNOSIS_ASPM_POLICY] = "aspm-policy",
		[SSDPM_DIAGNOSIS_SUSPEND] = "suspend",
		[SSDPM_DIAGNOSIS_RESETS] = "resets",
		[SSDPM_DIAGNOSIS_NOT_LIVE] = "not-live",
		[SSDPM_DIAGNOSIS_D3COLD] = "d3cold",
		[SSDPM_DIAGNOSIS_FORCED] = "forced",
		[SSDPM_DIAGNOSIS_LPM_UNSUPPORTED] = "lpm-unsupported",
		[SSDPM_DIAGNOSIS_LPM_OFF] = "lpm-off",
		[SSDPM_DIAGNOSIS_LPM_MIN_POWER] = "lpm-min-power",
		[SSDPM_DIAGNOSIS_EXTERNAL_PORT] = "external-port",
		[SSDPM_DIAGNOSIS_HOT_PLUG_PORT] = "hot-plug-port",
		[SSDPM_DIAGNOSIS_NO_HIPM] = "no-hipm",
		[SSDPM_DIAGNOSIS_NO_DIPM] = "no-dipm",
		[SSDPM_DIAGNOSIS_HOST_BITS] = "host-bits",
		[SSDPM_DIAGNOSIS_STALE_ASP] = "stale-asp",
		[SSDPM_DIAGNOSIS_DEVSLEEP] = "devsleep",
		[SSDPM_DIAGNOSIS_OPTICAL] = "optical",
		[SSDPM_DIAGNOSIS_RUNTIME_PM] = "runtime-pm",
		[SSDPM_DIAGNOSIS_LPM_KEPT] = "lpm-kept",
		[SSDPM_DIAGNOSIS_LPM_RAISED] = "lpm-raised",
		[SSDPM_DIAGNOSIS_LPM_PARTIAL_ONLY] = "lpm-partial-only",
		[SSDPM_DIAGNOSIS_EMPTY_PORT] = "empty-port",
	};

	return word(&words[0][0], sizeof(words[0]), sizeof(words), code);
}

const char *ssdpm_owner_kind_to_string(uint32_t kind)
{
	static const char words[][18] = {
		[SSDPM_OWNER_TLP] = "tlp",
		[SSDPM_OWNER_TUNED] = "tuned",
		[SSDPM_OWNER_LAPTOP_MODE_TOOLS] = "laptop-mode-tools",
		[SSDPM_OWNER_UDEV] = "udev",
		[SSDPM_OWNER_MODPROBE] = "modprobe",
		[SSDPM_OWNER_SSDPM] = "ssdpm",
		[SSDPM_OWNER_SYSTEMD] = "systemd",
	};

	return word(&words[0][0], sizeof(words[0]), sizeof(words), kind);
}
