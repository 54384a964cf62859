/* SPDX-License-Identifier: MIT */
/* The names of what becomes of steps, of their flags, of journals, and of
 * files. */
#include <ssdpm/apply.h>

const char *ssdpm_step_state_to_string(uint32_t state)
{
	switch (state) {
	case SSDPM_STEP_PLANNED:
		return "planned";
	case SSDPM_STEP_IN_FORCE:
		return "in-force";
	case SSDPM_STEP_LEFT_ALONE:
		return "left-alone";
	case SSDPM_STEP_DONE:
		return "done";
	case SSDPM_STEP_FAILED:
		return "failed";
	case SSDPM_STEP_UNDONE:
		return "undone";
	case SSDPM_STEP_DIFFERS:
		return "differs";
	default:
		return NULL;
	}
}

const char *ssdpm_step_flag_to_string(uint32_t flag)
{
	switch (flag) {
	case SSDPM_STEP_REVERSIBLE:
		return "reversible";
	case SSDPM_STEP_ALL_DRIVES:
		return "all-drives";
	case SSDPM_STEP_UNTIL_RESET:
		return "until-reset";
	case SSDPM_STEP_UNTIL_REBOOT:
		return "until-reboot";
	case SSDPM_STEP_NO_HOST_BITS:
		return "no-host-bits";
	default:
		return NULL;
	}
}

const char *ssdpm_journal_state_to_string(uint32_t state)
{
	switch (state) {
	case SSDPM_JOURNAL_NONE:
		return "none";
	case SSDPM_JOURNAL_RUNNING:
		return "running";
	case SSDPM_JOURNAL_KILLED:
		return "killed";
	case SSDPM_JOURNAL_FOUND:
		return "found";
	case SSDPM_JOURNAL_UNDONE:
		return "undone";
	case SSDPM_JOURNAL_REFUSED:
		return "refused";
	default:
		return NULL;
	}
}

const char *ssdpm_persist_kind_to_string(uint32_t kind)
{
	switch (kind) {
	case SSDPM_PERSIST_UDEV:
		return "udev";
	case SSDPM_PERSIST_MODPROBE:
		return "modprobe";
	case SSDPM_PERSIST_SYSTEMD:
		return "systemd";
	case SSDPM_PERSIST_TLP:
		return "tlp";
	case SSDPM_PERSIST_TUNED:
		return "tuned";
	default:
		return NULL;
	}
}
