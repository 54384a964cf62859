/* SPDX-License-Identifier: MIT */
/* The words of the device stage: in JSON, in Python, in the command. */
#include "base/words.h"

#include <ssdpm/device.h>

static const char reach_words[][9] = {
	[SSDPM_REACH_YES] = "yes",	 [SSDPM_REACH_SAS] = "sas",
	[SSDPM_REACH_USB] = "usb",	 [SSDPM_REACH_REMAPPED] = "remapped",
	[SSDPM_REACH_VMD] = "vmd",	 [SSDPM_REACH_RAID] = "raid",
	[SSDPM_REACH_NO_LPM] = "no-lpm",
};
ENUM_WORDS(reach)

static const char device_flag_words[][15] = {
	[FLAG(SSDPM_DEVICE_FABRICS)] = "fabrics",
	[FLAG(SSDPM_DEVICE_EMPTY)] = "empty",
	[FLAG(SSDPM_DEVICE_OPTICAL)] = "optical",
	[FLAG(SSDPM_DEVICE_EXTERNAL)] = "external",
	[FLAG(SSDPM_DEVICE_HOT_PLUG)] = "hot-plug",
	[FLAG(SSDPM_DEVICE_SHARED_PORT)] = "shared-port",
	[FLAG(SSDPM_DEVICE_ROTATIONAL)] = "rotational",
	[FLAG(SSDPM_DEVICE_REMOVABLE)] = "removable",
	[FLAG(SSDPM_DEVICE_D3COLD_ALLOWED)] = "d3cold-allowed",
	[FLAG(SSDPM_DEVICE_LIMIT_UNREAD)] = "limit-unread",
};
FLAG_WORDS(device_flag)

static const char power_fact_words[][14] = {
	[FLAG(SSDPM_POWER_FACT_STATE)] = "state",
	[FLAG(SSDPM_POWER_FACT_WORKLOAD_HINT)] = "workload-hint",
	[FLAG(SSDPM_POWER_FACT_NOPP)] = "nopp",
	[FLAG(SSDPM_POWER_FACT_THERMAL)] = "thermal",
	[FLAG(SSDPM_POWER_FACT_LIMIT)] = "limit",
	[FLAG(SSDPM_POWER_FACT_MEASUREMENT)] = "measurement",
};
FLAG_WORDS(power_fact)

static const char power_flag_words[][7] = {
	[FLAG(SSDPM_POWER_FLAG_ASLEEP)] = "asleep",
};
FLAG_WORDS(power_flag)

static const char pcie_feature_words[][11] = {
	[FLAG(SSDPM_PCIE_FEATURE_CLKPM)] = "clkpm",
	[FLAG(SSDPM_PCIE_FEATURE_L0S)] = "l0s",
	[FLAG(SSDPM_PCIE_FEATURE_L1)] = "l1",
	[FLAG(SSDPM_PCIE_FEATURE_L1_1)] = "l1.1",
	[FLAG(SSDPM_PCIE_FEATURE_L1_2)] = "l1.2",
	[FLAG(SSDPM_PCIE_FEATURE_L1_1_PCIPM)] = "l1.1-pcipm",
	[FLAG(SSDPM_PCIE_FEATURE_L1_2_PCIPM)] = "l1.2-pcipm",
};
FLAG_WORDS(pcie_feature)

static const char suspend_words[][8] = {
	[SSDPM_SUSPEND_S2IDLE] = "s2idle",
	[SSDPM_SUSPEND_SHALLOW] = "shallow",
	[SSDPM_SUSPEND_DEEP] = "deep",
};
ENUM_WORDS(suspend)

static const char aspm_policy_words[][15] = {
	[SSDPM_ASPM_DEFAULT] = "default",
	[SSDPM_ASPM_PERFORMANCE] = "performance",
	[SSDPM_ASPM_POWERSAVE] = "powersave",
	[SSDPM_ASPM_POWERSUPERSAVE] = "powersupersave",
};
ENUM_WORDS(aspm_policy)

static const char nvme_core_words[][30] = {
	[SSDPM_NVME_CORE_DEFAULT_PS_MAX_LATENCY_US] =
		"default_ps_max_latency_us",
	[SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS] = "apst_primary_timeout_ms",
	[SSDPM_NVME_CORE_APST_PRIMARY_LATENCY_TOL_US] =
		"apst_primary_latency_tol_us",
	[SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS] =
		"apst_secondary_timeout_ms",
	[SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US] =
		"apst_secondary_latency_tol_us",
	[SSDPM_NVME_CORE_FORCE_APST] = "force_apst",
};
ENUM_WORDS(nvme_core)

static const char severity_words[][8] = {
	[SSDPM_SEVERITY_GOOD] = "good",
	[SSDPM_SEVERITY_NOTE] = "note",
	[SSDPM_SEVERITY_PROBLEM] = "problem",
	[SSDPM_SEVERITY_UNKNOWN] = "unknown",
};
ENUM_WORDS(severity)

static const char diagnosis_code_words[][19] = {
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
ENUM_WORDS(diagnosis_code)

static const char remedy_words[][24] = {
	[SSDPM_REMEDY_IDENTIFY] = "identify",
	[SSDPM_REMEDY_LATENCY_LIMIT] = "latency-limit",
	[SSDPM_REMEDY_LATENCY_TOLERANCE] = "latency-tolerance",
	[SSDPM_REMEDY_REBUILD_TABLE] = "rebuild-table",
	[SSDPM_REMEDY_LEAVE_STATE_OUT] = "leave-state-out",
	[SSDPM_REMEDY_LEAVE_QUIRK] = "leave-quirk",
	[SSDPM_REMEDY_REMOVE_FORCE_APST] = "remove-force-apst",
	[SSDPM_REMEDY_LINK_FILE] = "link-file",
	[SSDPM_REMEDY_ASPM_POLICY] = "aspm-policy",
	[SSDPM_REMEDY_ASPM_POLICY_OR_FIRMWARE] = "aspm-policy-or-firmware",
	[SSDPM_REMEDY_BOOT_WITH_ASPM] = "boot-with-aspm",
	[SSDPM_REMEDY_ALLOW_D3COLD] = "allow-d3cold",
	[SSDPM_REMEDY_SIMPLE_SUSPEND] = "simple-suspend",
	[SSDPM_REMEDY_LPM] = "lpm",
	[SSDPM_REMEDY_LPM_OFF] = "lpm-off",
	[SSDPM_REMEDY_LPM_FOR_GOOD] = "lpm-for-good",
	[SSDPM_REMEDY_LPM_AGAIN] = "lpm-again",
	[SSDPM_REMEDY_LPM_CLEAR] = "lpm-clear",
	[SSDPM_REMEDY_HOT_PLUG] = "hot-plug",
	[SSDPM_REMEDY_MOBILE_LPM] = "mobile-lpm",
	[SSDPM_REMEDY_MOBILE_LPM_CHIPSET] = "mobile-lpm-chipset",
	[SSDPM_REMEDY_PORT_MASK] = "port-mask",
	[SSDPM_REMEDY_FIRMWARE_HOT_PLUG] = "firmware-hot-plug",
	[SSDPM_REMEDY_KERNEL_LOG] = "kernel-log",
	[SSDPM_REMEDY_UPDATE_LINUX] = "update-linux",
	[SSDPM_REMEDY_MAINBOARD_PORT] = "mainboard-port",
	[SSDPM_REMEDY_FIRMWARE_NO_RAID] = "firmware-no-raid",
	[SSDPM_REMEDY_FIRMWARE_NO_IDE] = "firmware-no-ide",
	[SSDPM_REMEDY_LOAD_VMD] = "load-vmd",
	[SSDPM_REMEDY_ADAPTER_TOOL] = "adapter-tool",
};
ENUM_WORDS(remedy)

static const char owner_kind_words[][18] = {
	[SSDPM_OWNER_TLP] = "tlp",
	[SSDPM_OWNER_TUNED] = "tuned",
	[SSDPM_OWNER_LAPTOP_MODE_TOOLS] = "laptop-mode-tools",
	[SSDPM_OWNER_UDEV] = "udev",
	[SSDPM_OWNER_MODPROBE] = "modprobe",
	[SSDPM_OWNER_SSDPM] = "ssdpm",
	[SSDPM_OWNER_SYSTEMD] = "systemd",
	[SSDPM_OWNER_SYSFSUTILS] = "sysfsutils",
};
ENUM_WORDS(owner_kind)

static const char owner_target_words[][18] = {
	[FLAG(SSDPM_OWNER_SETS_LATENCY_TOLERANCE)] = "latency-tolerance",
	[FLAG(SSDPM_OWNER_SETS_LPM)] = "lpm",
	[FLAG(SSDPM_OWNER_SETS_PARAMETER)] = "parameter",
	[FLAG(SSDPM_OWNER_SETS_RUNTIME_PM)] = "runtime-pm",
	[FLAG(SSDPM_OWNER_SETS_ASPM_POLICY)] = "aspm-policy",
};
FLAG_WORDS(owner_target)
