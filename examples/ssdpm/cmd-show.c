/* SPDX-License-Identifier: MIT */
/* ssdpm show: what a drive says of its power states. */
#include "input.h"
#include "output.h"

#include "base/json.h"
#include "base/quantity.h"

#include <inttypes.h>
#include <stdlib.h>

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
		printf(", APST unknown");
	else
		printf(", APST %s", info->apsta ? "yes" : "no");
	if (drive->seen)
		printf(", from the catalogue (%" PRIu64 " seen)", drive->seen);
	putchar('\n');
}

static void print_drive(const struct drive *drive)
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
}

static int write_model(struct json_writer *w, const struct ssdpm_model *model,
		       struct ssdpm_error *reterr)
{
	char *text;
	int err = ssdpm_model_to_json(model, &text, reterr);

	if (err)
		return err;
	ssdpm__json_members(w, text);
	free(text);
	return 0;
}

/* What comes from the catalogue has more keys than other drives. */
static int write_drive(struct json_writer *w, const struct drive *drive,
		       struct ssdpm_error *reterr)
{
	int err;

	ssdpm__json_begin(w, NULL, '{');
	err = write_model(w, drive->model, reterr);
	if (drive->seen) {
		ssdpm__json_uint(w, "seen", drive->seen);
		ssdpm__json_begin(w, "alternatives", '[');
	}
	for (size_t i = 0; i < drive->n_alternatives && !err; i++) {
		ssdpm__json_begin(w, NULL, '{');
		err = write_model(w, drive->alternatives[i].model, reterr);
		ssdpm__json_uint(w, "seen", drive->alternatives[i].seen);
		ssdpm__json_end(w, '}');
	}
	if (drive->seen)
		ssdpm__json_end(w, ']');
	ssdpm__json_end(w, '}');
	return err;
}

static enum exit_status print_models(const struct common *common,
				     const struct drives *drives)
{
	enum exit_status status = STATUS_FAILED;
	struct json_writer writer = { 0 };
	struct ssdpm_error error;
	char *text = NULL;
	int err = 0;

	if (drives->n != 1)
		ssdpm__json_begin(&writer, NULL, '[');
	for (size_t i = 0; i < drives->n && !err; i++)
		err = write_drive(&writer, &drives->drives[i], &error);
	if (drives->n != 1)
		ssdpm__json_end(&writer, ']');
	if (!ssdpm__json_finish(&writer, &text, &error) && !err)
		status = print_json(common, text);
	else
		complain("%s", error.message);
	free(text);
	return status;
}

static enum exit_status run(const void *settings, const struct common *common,
			    char **operands, size_t n_operands)
{
	enum exit_status status;
	struct drives drives;

	(void)settings;
	status = read_drives(common, operands, n_operands, &drives);
	if (!status && common->form) {
		status = print_models(common, &drives);
	} else if (!status) {
		for (size_t i = 0; i < drives.n; i++) {
			if (i)
				putchar('\n');
			print_drive(&drives.drives[i]);
		}
	}
	free_drives(&drives);
	return status;
}

const struct subcommand cmd_show = {
	.name = "show",
	.operands = "DRIVE...",
	.takes_drives = true,
	.summary = "Print what a drive says of its power states.",
	.examples = "  ssdpm show drive.bin\n"
		    "  nvme id-ctrl --raw-binary /dev/nvme0 | ssdpm show -\n"
		    "  ssdpm show --json drive.bin > drive.json\n"
		    "  ssdpm show --value states_4_exit_latency_us drive.json\n"
		    "  ssdpm show -q \"WDC PC SN530\"\n",
	.run = run,
};
