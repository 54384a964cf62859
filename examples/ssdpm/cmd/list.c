/* SPDX-License-Identifier: MIT */
/* ssdpm list: the drives of this machine, or those of the catalogue. */
#include "text/device.h"
#include "text/output.h"

#include <stdlib.h>

struct settings {
	bool catalogue;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "catalogue", 0, "[FILE]",
	  "List the catalogue, with your drives in FILE.", SETS_OWN },
	{ "identify", 0, NULL, "Ask the drives of this machine. Requires root.",
	  SETS_COMMON(identify) },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;

	(void)option;
	settings->catalogue = true;
	if (argument)
		common->catalogue_path = argument;
	return STATUS_DONE;
}

/* Drives with what is known of each. */
struct listed {
	const struct drives *drives;
	struct insight *insights;
};

/* "saves", "out-of-reach: usb" */
static struct cell verdict_text(const struct ssdpm_device_facts *facts,
				const struct insight *insight)
{
	const char *word = insight->n_diagnoses ?
				   ssdpm_diagnosis_code_to_string(
					   insight->diagnoses[0].code) :
				   "-";

	if (facts->reach == SSDPM_REACH_YES)
		return cell("%s", word);
	return cell("%s: %s", word, ssdpm_reach_to_string(facts->reach));
}

/* The setting in the kernel: a latency limit, or a link policy. */
static struct cell setting_text(const struct ssdpm_device_facts *f)
{
	if (f->kind == SSDPM_KIND_NVME &&
	    (f->known & SSDPM_FACT_LATENCY_TOLERANCE))
		return cell("%s", latency_text(f->latency_tolerance_us).text);
	if (f->kind == SSDPM_KIND_SATA && (f->known & SSDPM_FACT_LPM))
		return cell("%s", ssdpm_lpm_to_string(f->lpm));
	return cell("%s", f->lpm_word[0] ? f->lpm_word : "-");
}

static void print_table(const struct listed *listed)
{
	struct table rows;

	table_begin(&rows, "<<((<<", "name", "product", "firmware", "kind",
		    "setting", "saving");
	for (size_t i = 0; i < listed->drives->n; i++) {
		const struct ssdpm_device_facts *f = ssdpm_device_get_facts(
			listed->drives->drives[i].device);

		table_row(&rows, f->name, f->product[0] ? f->product : "-",
			  f->firmware[0] ? f->firmware : "-",
			  f->kind ? ssdpm_kind_to_string(f->kind) : "-",
			  setting_text(f).text,
			  verdict_text(f, &listed->insights[i]).text);
	}
	table_print(&rows);
}

static enum exit_status print_listed_json(const struct common *common,
					  const struct listed *listed)
{
	const struct ssdpm_object object = { .kind = SSDPM_OBJECT_DEVICE };
	size_t n = listed->drives->n;
	struct items items = { 0 };
	struct ssdpm_error error;

	for (size_t i = 0; i < n; i++) {
		char *text = NULL;
		int err = drive_json(object, &listed->drives->drives[i],
				     &listed->insights[i], &text, &error);

		add_item(&items, err, text, &error);
	}
	return print_items(common, &items);
}

/* Nobody builds the table of a capture anew when a setting changes. */
static bool has_old_table(const struct listed *listed)
{
	for (size_t i = 0; i < listed->drives->n; i++) {
		const struct insight *insight = &listed->insights[i];

		for (size_t j = 0; j < insight->n_diagnoses; j++)
			if (listed->drives->drives[i].live->facts.capture &&
			    insight->diagnoses[j].code ==
				    SSDPM_DIAGNOSIS_TABLE_DIFFERS)
				return true;
	}
	return false;
}

static enum exit_status print_listed(const struct common *common,
				     const struct listed *listed)
{
	if (common->form)
		return print_listed_json(common, listed);
	print_table(listed);
	if (has_old_table(listed))
		print_old_table();
	return STATUS_DONE;
}

/* A drive that does not answer is an error, and the others are listed. */
static enum exit_status list(const struct common *common,
			     const struct drives *drives)
{
	struct listed listed = {
		.drives = drives,
		.insights = calloc(drives->n + 1, sizeof(struct insight)),
	};
	enum exit_status status = STATUS_DONE, one;

	if (!listed.insights)
		return out_of_memory();
	for (size_t i = 0; i < drives->n; i++) {
		one = look_into(common, &drives->drives[i],
				&listed.insights[i]);
		if (!status)
			status = one;
	}
	one = print_listed(common, &listed);
	for (size_t i = 0; i < drives->n; i++)
		free_insight(&listed.insights[i]);
	free(listed.insights);
	return status ? status : one;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	const struct settings *settings = data;
	enum exit_status status, unread = STATUS_DONE;
	struct drives drives;

	if (settings->catalogue && n_operands > 1)
		return usage_error(common, "one PATTERN at most; here are %zu",
				   n_operands);
	if (settings->catalogue && common->root)
		return usage_error(common, "--catalogue conflicts with --root");
	if (settings->catalogue)
		return list_catalogue(common, n_operands ? operands[0] : NULL);
	if (n_operands)
		return usage_error(common,
				   "%s: without --catalogue there is no "
				   "PATTERN; ssdpm show takes a device",
				   operands[0]);
	status = read_devices(common, NULL, 0, &drives);
	if (!status)
		look_at_journals(common, &drives);
	if (!status)
		unread = complain_of_all_unread(common, &drives, 0);
	if (!status && !drives.n && !unread && !common->quiet)
		complain_of_no_drive(common);
	if (!status)
		status = list(common, &drives);
	free_drives(&drives);
	return status ? status : unread;
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
};

const struct subcommand cmd_list = {
	.name = "list",
	.operands = "[PATTERN]",
	.operands_optional = true,
	.list = "drives",
	.each_alone = true,
	.summary = "List the drives of this machine or of the catalogue.",
	.own = &own,
	.examples = "  ssdpm list\n"
		    "  ssdpm list --json\n"
		    "  ssdpm list --catalogue sn530\n"
		    "  ssdpm list --catalogue 'samsung*pro*'\n"
		    "  ssdpm list --catalogue --json sn530\n",
	.run = run,
	.settings = &the_settings,
};
