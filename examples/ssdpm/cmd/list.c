/* SPDX-License-Identifier: MIT */
/* ssdpm list: the drives of this machine, or those of the catalogue. */
#include "text/device.h"
#include "input/list-catalogue.h"
#include "text/output.h"

#include <stdlib.h>

struct settings {
	bool catalogue;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "catalogue", 0, "[FILE]",
	  "list the catalogue, with your drives in FILE", SETS_OWN },
	{ "identify", 0, NULL,
	  "ask the drives of this machine themselves; needs root",
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
static void verdict_cell(struct row *row, size_t column,
			 const struct ssdpm_device_facts *facts,
			 const struct insight *insight)
{
	const char *word = insight->n_diagnoses ?
				   ssdpm_diagnosis_code_to_string(
					   insight->diagnoses[0].code) :
				   NULL;

	row_cell(row, column, "%s%s%s", word ? word : "-",
		 facts->reach != SSDPM_REACH_YES ? ": " : "",
		 facts->reach != SSDPM_REACH_YES ?
			 ssdpm_reach_to_string(facts->reach) :
			 "");
}

/* What the kernel is told: a latency limit, or a link policy. */
static void setting_cell(struct row *row, size_t column,
			 const struct ssdpm_device_facts *f)
{
	const char *text = "-";

	if (f->kind == SSDPM_KIND_NVME &&
	    (f->known & SSDPM_FACT_LATENCY_TOLERANCE))
		row_cell(row, column, "%s",
			 latency_text(f->latency_tolerance_us).text);
	else if (f->kind == SSDPM_KIND_SATA && (f->known & SSDPM_FACT_LPM))
		row_cell(row, column, "%s", ssdpm_lpm_to_string(f->lpm));
	else if (f->lpm_word[0])
		row_cell(row, column, "%s", f->lpm_word);
	else
		row_cell(row, column, "%s", text);
}

static void make_row(const void *data, size_t number, struct row *row)
{
	static const char *const head[] = { "name", "product", "firmware",
					    "kind", "setting", "saving" };
	const struct listed *listed = data;
	const struct ssdpm_device_facts *f;

	if (!number) {
		for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
			row_cell(row, i, "%s", head[i]);
		return;
	}
	f = ssdpm_device_get_facts(listed->drives->drives[number - 1].device);
	row_cell(row, 0, "%s", f->name);
	row_cell(row, 1, "%s", f->product[0] ? f->product : "-");
	row_cell(row, 2, "%s", f->firmware[0] ? f->firmware : "-");
	row_cell(row, 3, "%s", f->kind ? ssdpm_kind_to_string(f->kind) : "-");
	setting_cell(row, 4, f);
	verdict_cell(row, 5, f, &listed->insights[number - 1]);
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

static enum exit_status print_listed(const struct common *common,
				     const struct listed *listed)
{
	if (!listed->drives->n && !common->quiet)
		complain_of_no_drive(common);
	if (common->form)
		return print_listed_json(common, listed);
	if (listed->drives->n)
		print_rows("<<<<<<", make_row, listed, listed->drives->n + 1);
	return STATUS_DONE;
}

/* A drive that does not answer is said, and the others are listed. */
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
	enum exit_status status;
	struct drives drives;

	if (settings->catalogue && n_operands > 1)
		return usage_error(common, "one PATTERN at most; here are %zu",
				   n_operands);
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
		status = list(common, &drives);
	free_drives(&drives);
	return status;
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
	.summary = "List the drives of this machine, or of the catalogue.",
	.own = &own,
	.examples = "  ssdpm list\n"
		    "  ssdpm list --json\n"
		    "  ssdpm list --catalogue sn530\n"
		    "  ssdpm list --catalogue 'samsung*pro*'\n"
		    "  ssdpm list --catalogue --json sn530\n",
	.run = run,
	.settings = &the_settings,
};
