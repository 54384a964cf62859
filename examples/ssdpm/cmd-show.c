/* SPDX-License-Identifier: MIT */
/* ssdpm show: what a drive says of its power states. */
#include "input.h"
#include "output.h"
#include "quirks.h"

#include "base/quantity.h"

#include <stdlib.h>
#include <string.h>

static struct quirk_options the_options;

static const struct option_spec options[] = {
	{ "quirks-file", 0, "FILE", "rules for drives, before those of Linux" },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct quirk_options *quirks = data;

	(void)common;
	(void)option;
	quirks->path = argument;
	return STATUS_DONE;
}

/* A latency or power of 0 is what NVMe calls not reported; it stands. */
static void add_number(struct table *table, size_t column,
		       const struct ssdpm_power_state *state, uint32_t field,
		       struct quantity number)
{
	if (state->unknown & field)
		table_cell(table, column, "-");
	else
		table_cell(table, column, "%s%s", number.text,
			   state->not_reported & field ? "*" : "");
}

static void add_rank(struct table *table, size_t column,
		     const struct ssdpm_power_state *state, uint32_t field,
		     uint8_t rank)
{
	if (state->unknown & field)
		table_cell(table, column, "-");
	else
		table_cell(table, column, "%u", rank);
}

static void add_state(struct table *table, size_t number,
		      const struct ssdpm_power_state *s)
{
	table_cell(table, 0, "PS%zu", number);
	table_cell(table, 1, "%s",
		   s->flags & SSDPM_STATE_NON_OPERATIONAL ? "no" : "yes");
	add_number(table, 2, s, SSDPM_FIELD_MAX_POWER,
		   ssdpm__format_uw(s->max_power_uw));
	add_number(table, 3, s, SSDPM_FIELD_ACTIVE_POWER,
		   ssdpm__format_uw(s->active_power_uw));
	add_number(table, 4, s, SSDPM_FIELD_IDLE_POWER,
		   ssdpm__format_uw(s->idle_power_uw));
	add_number(table, 5, s, SSDPM_FIELD_ENTRY_LATENCY,
		   ssdpm__format_us(s->entry_latency_us));
	add_number(table, 6, s, SSDPM_FIELD_EXIT_LATENCY,
		   ssdpm__format_us(s->exit_latency_us));
	add_rank(table, 7, s, SSDPM_FIELD_READ_THROUGHPUT_RANK,
		 s->read_throughput_rank);
	add_rank(table, 8, s, SSDPM_FIELD_READ_LATENCY_RANK,
		 s->read_latency_rank);
	add_rank(table, 9, s, SSDPM_FIELD_WRITE_THROUGHPUT_RANK,
		 s->write_throughput_rank);
	add_rank(table, 10, s, SSDPM_FIELD_WRITE_LATENCY_RANK,
		 s->write_latency_rank);
	table_end_row(table);
}

static void print_heading(const struct drive *drive)
{
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->model);

	printf("%s: %s", drive->name,
	       info->product[0] ? info->product : "(no product name)");
	if (info->firmware[0])
		printf(", firmware %s", info->firmware);
	if (!(info->unknown & SSDPM_INFO_VENDOR_ID))
		printf(", vendor 0x%04x", info->vendor_id);
	if (info->unknown & SSDPM_INFO_APSTA)
		puts(", APST unknown");
	else
		printf(", APST %s\n", info->apsta ? "yes" : "no");
}

static void print_drive(const struct drive *drive, uint32_t quirks)
{
	static const char *const head[] = {
		"state", "operational", "max power", "active", "idle", "entry",
		"exit",	 "RRT",		"RRL",	     "RWT",    "RWL",
	};
	static struct table table;
	const struct ssdpm_power_state *states;
	bool zeros = false;
	size_t n;

	table = (struct table){
		.n_columns = sizeof(head) / sizeof(head[0]),
		.align = "<<>>>>>>>>>",
	};
	for (size_t i = 0; i < table.n_columns; i++)
		table_cell(&table, i, "%s", head[i]);
	table_end_row(&table);
	states = ssdpm_model_get_states(drive->model, &n);
	for (size_t i = 0; i < n; i++) {
		add_state(&table, i, &states[i]);
		zeros |= states[i].not_reported & ~states[i].unknown;
	}
	print_heading(drive);
	table_print(&table);
	if (zeros)
		puts("  * 0 means not reported; Linux computes with 0");
	if (quirks) {
		fputs("  quirks: ", stdout);
		print_quirks(stdout, quirks);
		putchar('\n');
	}
}

/*
 * The library's JSON knows nothing of quirks: put them, as a last key, before
 * the brace that closes each drive. drives holds how many they are.
 */
static bool add_quirks(FILE *out, const char *text, const struct drives *drives,
		       const struct quirks *quirks)
{
	const char *close = drives->n == 1 ? "\n}" : "\n  }";
	const char *indent = drives->n == 1 ? "  " : "    ";

	for (size_t i = 0; i < drives->n; i++) {
		struct json_writer writer = { 0 };
		const char *end = strstr(text, close);
		char *names;

		fwrite(text, 1, (size_t)(end - text), out);
		text = end + strlen(close);
		write_quirks(&writer, NULL, quirks[i].in_force);
		if (ssdpm__json_finish(&writer, &names, NULL))
			return false;
		if (quirks[i].in_force)
			fprintf(out, ",\n%s\"quirks\": %.*s", indent,
				(int)strcspn(names, "\n"), names);
		fputs(close, out);
		free(names);
	}
	fputs(text, out);
	return true;
}

static enum exit_status print_models(const struct common *common,
				     const struct drives *drives,
				     const struct quirks *quirks)
{
	struct ssdpm_model **models = calloc(drives->n, sizeof(*models));
	struct ssdpm_error error = { .message = "out of memory" };
	enum exit_status status = STATUS_FAILED;
	char *text = NULL, *whole = NULL;
	FILE *out = NULL;
	size_t size;
	bool added = false;

	for (size_t i = 0; models && i < drives->n; i++)
		models[i] = drives->drives[i].model;
	if (models &&
	    !ssdpm_model_list_to_json(models, drives->n, &text, &error))
		out = open_memstream(&whole, &size);
	if (out)
		added = add_quirks(out, text, drives, quirks);
	if (out && !fclose(out) && added)
		status = print_json(common, whole);
	else
		complain("%s", error.message);
	free(whole);
	free(text);
	free(models);
	return status;
}

static enum exit_status print_all(const struct common *common,
				  const struct drives *drives,
				  const struct quirks *quirks)
{
	if (common->form)
		return print_models(common, drives, quirks);
	for (size_t i = 0; i < drives->n; i++) {
		if (i)
			putchar('\n');
		print_drive(&drives->drives[i], quirks[i].in_force);
	}
	return STATUS_DONE;
}

static enum exit_status show(const struct common *common,
			     const struct quirk_options *quirk_options,
			     const struct drives *drives)
{
	struct quirks *quirks = calloc(drives->n, sizeof(*quirks));
	struct quirk_rules rules = { 0 };
	enum exit_status status = STATUS_FAILED;

	if (quirks)
		status = read_quirk_rules(quirk_options, &rules);
	else
		complain("out of memory");
	for (size_t i = 0; i < drives->n && !status; i++) {
		const struct drive *drive = &drives->drives[i];

		status = find_quirks(quirk_options, &rules, drive, &quirks[i]);
		if (!status && common->verbose) {
			complain_of_quirks(drive, &quirks[i], UINT32_MAX,
					   false);
			complain_of_quirks(drive, &quirks[i], UINT32_MAX, true);
		}
	}
	if (!status)
		status = print_all(common, drives, quirks);
	free(rules.text);
	free(quirks);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	enum exit_status status;
	struct drives drives;

	status = read_drives(common, operands, n_operands, &drives);
	if (!status)
		status = show(common, data, &drives);
	free_drives(&drives);
	return status;
}

const struct subcommand cmd_show = {
	.name = "show",
	.operands = "DRIVE...",
	.summary = "Print what a drive says of its power states.",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.examples =
		"  ssdpm show drive.bin\n"
		"  nvme id-ctrl --raw-binary /dev/nvme0 | ssdpm show -\n"
		"  ssdpm show --json drive.bin > drive.json\n"
		"  ssdpm show --value states_4_exit_latency_us drive.json\n",
	.set = set,
	.run = run,
	.settings = &the_options,
};
