/* SPDX-License-Identifier: MIT */
/* The names of what becomes of steps, of their flags, of journals, and of
 * files. */
#include "base/words.h"

#include <ssdpm/apply.h>

static const char step_state_words[][11] = {
	[SSDPM_STEP_PLANNED] = "planned",
	[SSDPM_STEP_IN_FORCE] = "in-force",
	[SSDPM_STEP_LEFT_ALONE] = "left-alone",
	[SSDPM_STEP_DONE] = "done",
	[SSDPM_STEP_FAILED] = "failed",
	[SSDPM_STEP_UNDONE] = "undone",
	[SSDPM_STEP_DIFFERS] = "differs",
};
ENUM_WORDS(step_state)

static const char step_flag_words[][13] = {
	[FLAG(SSDPM_STEP_REVERSIBLE)] = "reversible",
	[FLAG(SSDPM_STEP_ALL_DRIVES)] = "all-drives",
	[FLAG(SSDPM_STEP_UNTIL_RESET)] = "until-reset",
	[FLAG(SSDPM_STEP_UNTIL_REBOOT)] = "until-reboot",
	[FLAG(SSDPM_STEP_NO_HOST_BITS)] = "no-host-bits",
};
FLAG_WORDS(step_flag)

static const char journal_state_words[][8] = {
	[SSDPM_JOURNAL_NONE] = "none",	   [SSDPM_JOURNAL_RUNNING] = "running",
	[SSDPM_JOURNAL_KILLED] = "killed", [SSDPM_JOURNAL_FOUND] = "found",
	[SSDPM_JOURNAL_UNDONE] = "undone", [SSDPM_JOURNAL_REFUSED] = "refused",
};
ENUM_WORDS(journal_state)

static const char persist_kind_words[][9] = {
	[SSDPM_PERSIST_UDEV] = "udev",
	[SSDPM_PERSIST_MODPROBE] = "modprobe",
	[SSDPM_PERSIST_SYSTEMD] = "systemd",
	[SSDPM_PERSIST_TLP] = "tlp",
	[SSDPM_PERSIST_TUNED] = "tuned",
};
ENUM_WORDS(persist_kind)
