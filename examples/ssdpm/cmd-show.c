/* SPDX-License-Identifier: MIT */
/* ssdpm show: what a drive says of its power states. */
#include "input.h"
#include "output.h"
#include "quirks.h"

#include "base/json.h"
#include "base/quantity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct settings {
	bool lint;
	struct quirk_options quirks;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "lint", 0, NULL, "say what is odd in it, and why that matters" },
	{ "quirks-file", 0, "FILE", "rules for drives, before those of Linux" },
};

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

/* The ranks, of which SATA knows nothing. */
static void add_ranks(struct table *table, const struct ssdpm_power_state *s)
{
	add_rank(table, 7, s, SSDPM_FIELD_READ_THROUGHPUT_RANK,
		 s->read_throughput_rank);
	add_rank(table, 8, s, SSDPM_FIELD_READ_LATENCY_RANK,
		 s->read_latency_rank);
	add_rank(table, 9, s, SSDPM_FIELD_WRITE_THROUGHPUT_RANK,
		 s->write_throughput_rank);
	add_rank(table, 10, s, SSDPM_FIELD_WRITE_LATENCY_RANK,
		 s->write_latency_rank);
}

static void add_state(struct table *table, size_t number,
		      const struct ssdpm_power_state *s, bool ranks)
{
	const char *link_state = ssdpm_link_state_to_string(s->link_state);

	table_cell(table, 0, "PS%zu%s%s", number, link_state ? " " : "",
		   link_state ? link_state : "");
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
	if (ranks)
		add_ranks(table, s);
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
	if (info->kind == SSDPM_KIND_SATA)
		printf(", SATA");
	else if (info->unknown & SSDPM_INFO_APSTA)
		printf(", APST unknown");
	else
		printf(", APST %s", info->apsta ? "yes" : "no");
	if (drive->seen)
		printf(", from the catalogue (%" PRIu64 " seen)", drive->seen);
	putchar('\n');
}

static const char *feature_word(const struct ssdpm_model_info *info,
				uint32_t feature)
{
	if (info->sata_supported_unknown & feature)
		return "unknown";
	if (!(info->sata_supported & feature))
		return "not supported";
	if (info->sata_enabled_unknown & feature)
		return "supported";
	return info->sata_enabled & feature ? "enabled" :
					      "supported, not enabled";
}

/* What the link and the drive can be told to do on their own. */
static void print_features(const struct ssdpm_model_info *info)
{
	printf("  HIPM %s; DIPM %s; DevSleep %s; APM %s",
	       feature_word(info, SSDPM_SATA_HIPM),
	       feature_word(info, SSDPM_SATA_DIPM),
	       feature_word(info, SSDPM_SATA_DEVSLEEP),
	       feature_word(info, SSDPM_SATA_APM));
	if (!(info->unknown & SSDPM_INFO_APM_LEVEL))
		printf(" (level %u)", info->apm_level);
	putchar('\n');
	if (!(info->unknown & SSDPM_INFO_SATA_WORDS_VALID) &&
	    !info->sata_words_valid)
		puts("  The drive says nothing of its link; Linux takes that "
		     "for not supported");
}

/* The findings of one drive, or a complaint. */
static enum exit_status lint(const struct drive *drive,
			     struct ssdpm_finding **ret_findings, size_t *ret_n)
{
	struct ssdpm_error error;

	if (!ssdpm_model_lint(drive->model, ret_findings, ret_n, &error))
		return STATUS_DONE;
	complain("%s: %s", drive->name, error.message);
	return STATUS_FAILED;
}

/* Longer than a cell of a table: the message is left as wide as it is. */
static enum exit_status print_findings(const struct drive *drive)
{
	struct ssdpm_finding *findings;
	enum exit_status status;
	size_t n, width = 0;

	status = lint(drive, &findings, &n);
	if (status)
		return status;
	for (size_t i = 0; i < n; i++) {
		size_t length =
			strlen(ssdpm_finding_code_to_string(findings[i].code));

		width = length > width ? length : width;
	}
	putchar('\n');
	for (size_t i = 0; i < n; i++)
		printf("  %-*s  %s\n", (int)width,
		       ssdpm_finding_code_to_string(findings[i].code),
		       findings[i].message);
	if (!n)
		puts("  nothing is odd");
	free(findings);
	return STATUS_DONE;
}

/* What the dashes and zeros of the table stand for. */
static void print_notes(const struct ssdpm_model_info *info,
			const struct ssdpm_power_state *states, size_t n)
{
	bool smartctl = info->kind == SSDPM_KIND_NVME &&
			(info->format == SSDPM_FORMAT_SMARTCTL_TEXT ||
			 info->format == SSDPM_FORMAT_SMARTCTL_JSON);
	uint32_t unknown = 0, zeros = 0;

	for (size_t i = 0; i < n; i++) {
		unknown |= states[i].unknown;
		zeros |= states[i].not_reported & ~states[i].unknown;
	}
	if (zeros)
		puts("  * 0 means not reported; Linux computes with 0");
	if (smartctl &&
	    (unknown & (SSDPM_FIELD_ACTIVE_POWER | SSDPM_FIELD_IDLE_POWER)))
		puts("  idle and active power: not taken from smartctl, which "
		     "reads their scale from the wrong bits");
}

static void print_drive(const struct drive *drive, uint32_t quirks)
{
	static const char *const head[] = {
		"state", "operational", "max power", "active", "idle", "entry",
		"exit",	 "RRT",		"RRL",	     "RWT",    "RWL",
	};
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->model);
	bool sata = info->kind == SSDPM_KIND_SATA;
	static struct table table;
	const struct ssdpm_power_state *states;
	size_t n;

	table = (struct table){
		.n_columns = sata ? 7 : sizeof(head) / sizeof(head[0]),
		.align = "<<>>>>>>>>>",
	};
	for (size_t i = 0; i < table.n_columns; i++)
		table_cell(&table, i, "%s", head[i]);
	table_end_row(&table);
	states = ssdpm_model_get_states(drive->model, &n);
	for (size_t i = 0; i < n; i++)
		add_state(&table, i, &states[i], !sata);
	print_heading(drive);
	if (sata)
		print_features(info);
	table_print(&table);
	print_notes(info, states, n);
	if (quirks) {
		fputs("  quirks: ", stdout);
		print_quirks(stdout, quirks);
		putchar('\n');
	}
}

static void write_findings(struct json_writer *w,
			   const struct ssdpm_finding *findings, size_t n)
{
	ssdpm__json_begin(w, "diagnosis", '[');
	for (size_t i = 0; i < n; i++) {
		ssdpm__json_begin(w, NULL, '{');
		ssdpm__json_string(
			w, "code",
			ssdpm_finding_code_to_string(findings[i].code));
		if (findings[i].state == SSDPM_WHOLE_DRIVE)
			ssdpm__json_null(w, "state");
		else
			ssdpm__json_uint(w, "state", findings[i].state);
		ssdpm__json_string(w, "message", findings[i].message);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

static int write_lint(struct json_writer *w, const struct ssdpm_model *model,
		      struct ssdpm_error *reterr)
{
	struct ssdpm_finding *findings;
	size_t n;
	int err = ssdpm_model_lint(model, &findings, &n, reterr);

	if (err)
		return err;
	write_findings(w, findings, n);
	free(findings);
	return 0;
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
static int write_catalogue(struct json_writer *w, const struct drive *drive,
			   struct ssdpm_error *reterr)
{
	int err = 0;

	ssdpm__json_uint(w, "seen", drive->seen);
	ssdpm__json_begin(w, "alternatives", '[');
	for (size_t i = 0; i < drive->n_alternatives && !err; i++) {
		ssdpm__json_begin(w, NULL, '{');
		err = write_model(w, drive->alternatives[i].model, reterr);
		ssdpm__json_uint(w, "seen", drive->alternatives[i].seen);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
	return err;
}

static int write_drive(struct json_writer *w, const struct settings *settings,
		       const struct drive *drive, uint32_t quirks,
		       struct ssdpm_error *reterr)
{
	int err;

	ssdpm__json_begin(w, NULL, '{');
	err = write_model(w, drive->model, reterr);
	if (!err && drive->seen)
		err = write_catalogue(w, drive, reterr);
	if (quirks)
		write_quirks(w, "quirks", quirks);
	if (!err && settings->lint)
		err = write_lint(w, drive->model, reterr);
	ssdpm__json_end(w, '}');
	return err;
}

static enum exit_status print_models(const struct common *common,
				     const struct settings *settings,
				     const struct drives *drives,
				     const struct quirks *quirks)
{
	enum exit_status status = STATUS_FAILED;
	struct json_writer writer = { 0 };
	struct ssdpm_error error;
	char *text = NULL;
	int err = 0;

	if (drives->n != 1)
		ssdpm__json_begin(&writer, NULL, '[');
	for (size_t i = 0; i < drives->n && !err; i++)
		err = write_drive(&writer, settings, &drives->drives[i],
				  quirks[i].in_force, &error);
	if (drives->n != 1)
		ssdpm__json_end(&writer, ']');
	if (!ssdpm__json_finish(&writer, &text, &error) && !err)
		status = print_json(common, text);
	else
		complain("%s", error.message);
	free(text);
	return status;
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;

	(void)common;
	if (!strcmp(option->name, "lint"))
		settings->lint = true;
	else
		settings->quirks.path = argument;
	return STATUS_DONE;
}

static enum exit_status print_all(const struct common *common,
				  const struct settings *settings,
				  const struct drives *drives,
				  const struct quirks *quirks)
{
	enum exit_status status = STATUS_DONE;

	if (common->form)
		return print_models(common, settings, drives, quirks);
	for (size_t i = 0; i < drives->n && !status; i++) {
		if (i)
			putchar('\n');
		print_drive(&drives->drives[i], quirks[i].in_force);
		if (settings->lint)
			status = print_findings(&drives->drives[i]);
	}
	return status;
}

static enum exit_status show(const struct common *common,
			     const struct settings *settings,
			     const struct drives *drives)
{
	struct quirks *quirks = calloc(drives->n, sizeof(*quirks));
	struct quirk_rules rules = { 0 };
	enum exit_status status = STATUS_FAILED;

	if (quirks)
		status = read_quirk_rules(&settings->quirks, &rules);
	else
		complain("out of memory");
	for (size_t i = 0; i < drives->n && !status; i++) {
		const struct drive *drive = &drives->drives[i];

		status = find_quirks(&settings->quirks, &rules, drive,
				     &quirks[i]);
		if (!status && common->verbose) {
			complain_of_quirks(drive, &quirks[i], UINT32_MAX,
					   false);
			complain_of_quirks(drive, &quirks[i], UINT32_MAX, true);
		}
	}
	if (!status)
		status = print_all(common, settings, drives, quirks);
	free(rules.text);
	free(quirks);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	const struct settings *settings = data;
	enum exit_status status;
	struct drives drives;

	status = read_drives(common, operands, n_operands, &drives);
	if (!status)
		status = show(common, settings, &drives);
	free_drives(&drives);
	return status;
}

const struct subcommand cmd_show = {
	.name = "show",
	.operands = "DRIVE...",
	.takes_drives = true,
	.summary = "Print what a drive says of its power states.",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.examples = "  ssdpm show drive.bin\n"
		    "  nvme id-ctrl --raw-binary /dev/nvme0 | ssdpm show -\n"
		    "  ssdpm show --json drive.bin > drive.json\n"
		    "  ssdpm show --lint drive.json\n"
		    "  ssdpm show --value states_4_exit_latency_us drive.json\n"
		    "  ssdpm show -q \"WDC PC SN530\"\n",
	.set = set,
	.run = run,
	.settings = &the_settings,
};
