/* SPDX-License-Identifier: MIT */
/* ssdpm apst: the APST table that an algorithm makes for a drive, and why. */
#include "catalogue/all.h"
#include "options/words.h"
#include "options/apst-options.h"
#include "text/apst-questions.h"
#include "text/device.h"
#include "text/output.h"
#include "input/quirks.h"
#include "options/units.h"

#include <string.h>

static struct apst_command the_settings;

#define PARAMS(member) \
	SETS_SMALL(struct apst_command, apst.params.member, POWER_UW), .min = 1

static const struct option_spec options[] = {
	{ "idle-power", 0, "POWER",
	  "lower-envelope: Set the power in PS0, as in 500mW. "
	  "Default: what the drive reports.",
	  PARAMS(idle_power_uw), .rare = true },
	{ "transition-power", 0, "POWER",
	  "lower-envelope: Set the power while the drive enters or "
	  "leaves a state. Default: its idle power.",
	  PARAMS(transition_power_uw), .rare = true },
	{ "explain", 'e', NULL, "Print why each state is used or not.",
	  SETS_FLAG(struct apst_command, explain) },
	{ "hex", 0, NULL, "Print the 256 bytes as 512 hexadecimal digits.",
	  SETS_FORM, .rare = true },
	{ "raw", 0, "FILE",
	  "Also write the 256 bytes to FILE; - writes nothing else.",
	  SETS_TEXT(struct apst_command, raw_path) },
	{ "diff", 0, "TABLE",
	  "Compare with TABLE, a file or an algorithm, as in "
	  "linux:secondary-timeout=1s. Twice: compare two tables.",
	  SETS_OWN, .values = TABLE_WORDS },
	{ "infer", 0, "TABLE",
	  "Find the algorithm and parameters that made TABLE.", SETS_OWN,
	  .values = TABLE_WORDS },
	{ "keep", 0, "PSn",
	  "Find the largest latency limit that keeps PSn and drops "
	  "all deeper states.",
	  SETS_OWN },
	{ "reach", 0, "TABLE",
	  "Find kernel parameters that make Linux build TABLE, or "
	  "the closest one.",
	  SETS_OWN, .values = TABLE_WORDS, .rare = true },
	ALL_OPTION("Count over the catalogue how many drives sleep, or with "
		   "--diff, how many change."),
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct apst_command *settings = data;

	return choose_question(common, &settings->question, option->name,
			       argument);
}

/* The four questions print no table, in any form. */
static enum exit_status check_question(const struct common *common,
				       const struct apst_command *settings)
{
	const char *other = settings->raw_path	     ? "raw" :
			    settings->explain	     ? "explain" :
			    common->form == FORM_OWN ? common->form_option :
						       NULL;

	if (!settings->question.option || !other)
		return STATUS_DONE;
	return usage_error(common, "--%s conflicts with --%s",
			   settings->question.option, other);
}

/* --all counts tables, or the differences of two. */
static enum exit_status check_all(const struct common *common,
				  const struct apst_command *settings)
{
	const char *question = settings->question.option;
	const char *other = question && strcmp(question, "diff") ? question :
			    settings->raw_path			 ? "raw" :
			    settings->explain			 ? "explain" :
			    common->form == FORM_OWN ? common->form_option :
						       NULL;

	if (!other)
		return STATUS_DONE;
	return usage_error(common, "--all conflicts with --%s", other);
}

static enum exit_status check_options(const struct common *common,
				      const struct apst_options *apst)
{
	enum exit_status status = check_apst_options(common, apst);

	if (!status && apst->params.idle_power_uw)
		status = check_apst_reader(common, apst, "idle-power",
					   SSDPM_APST_LOWER_ENVELOPE);
	if (!status && apst->params.transition_power_uw)
		status = check_apst_reader(common, apst, "transition-power",
					   SSDPM_APST_LOWER_ENVELOPE);
	return status;
}

/* A machine's drives that nobody named are asked for only if they can have
 * APST. */
static void leave_out_sata(const struct common *common, struct drives *drives)
{
	size_t n = 0;

	for (size_t i = 0; i < drives->n; i++) {
		struct drive *drive = &drives->drives[i];

		if (drive->live && !drive->named &&
		    ssdpm_model_get_info(drive->model)->kind != SSDPM_KIND_NVME)
			free_drive(drive);
		else
			drives->drives[n++] = *drive;
	}
	if (!n && drives->n && !common->quiet)
		remark("there is no NVMe drive, and only these have APST");
	drives->n = n;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	struct apst_command settings = *(const struct apst_command *)data;
	enum exit_status status;
	struct drives drives;

	if (settings.raw_path && !strcmp(settings.raw_path, "-") &&
	    common->form)
		return usage_error(common, "--raw - conflicts with --%s",
				   common->form_option);
	status = check_options(common, &settings.apst);
	if (!status)
		status = check_question(common, &settings);
	if (!status && common->all)
		status = check_all(common, &settings);
	if (status)
		return status;
	if (common->all)
		return answer_apst_of_all(common, &settings);
	status = read_drives(common, operands, n_operands, &drives);
	if (!status)
		leave_out_sata(common, &drives);
	if (!status)
		status = check_raw(common, settings.raw_path, n_operands,
				   &drives);
	if (!status && settings.question.option)
		status = ask_of_apst(common, &settings, &drives);
	else if (!status)
		status = answer_apst(common, &settings, &drives);
	free_drives(&drives);
	return status;
}

static const struct group_use groups[] = {
	USE(&apst_option_group, &the_settings.apst),
};

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
};

const struct subcommand cmd_apst = {
	.name = "apst",
	.operands = "DRIVE...",
	.takes_drives = true,
	.list = "drives",
	.each_alone = true,
	.summary =
		"Print the APST table that Linux or Windows makes for a drive.",
	.own = &own,
	GROUPS(groups),
	.examples =
		"  ssdpm apst -q \"WDC PC SN530\"\n"
		"  ssdpm apst --max-exit-latency 25ms --explain "
		"drive.bin\n"
		"  ssdpm apst --algorithm windows "
		"drive.json\n"
		"  ssdpm apst --diff linux-legacy drive.json\n"
		"  ssdpm apst --keep PS3 drive.json\n"
		"  ssdpm apst --diff linux --diff linux:secondary-timeout=1s "
		"--all\n",
	.run = run,
	.settings = &the_settings,
};
