/* SPDX-License-Identifier: MIT */
/* ssdpm apst: the APST table that an algorithm makes for a drive, and why. */
#include "input.h"
#include "output.h"
#include "quirks.h"

#include "base/json.h"
#include "base/quantity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct settings {
	struct ssdpm_apst_params params;
	struct quirk_options quirks;
	bool explain;
	const char *raw_path;
};

static struct settings the_settings;

/* What came out for one drive. */
struct answer {
	const struct drive *drive;
	bool apsta_assumed;
	struct quirks quirks;
	struct ssdpm_apst_params params; /* with the quirks that concern APST */
	struct ssdpm_apst table;
	uint8_t raw[SSDPM_APST_BYTES];
	struct ssdpm_apst_verdict verdicts[SSDPM_MAX_STATES];
	size_t n_states;
};

static const struct option_spec options[] = {
	{ "algorithm", 'a', "NAME",
	  "linux (5.14 and later, the default) or "
	  "linux-legacy" },
	{ "max-exit-latency", 'l', "TIME",
	  "latency limit, as in 25ms, or any "
	  "(default 100ms)" },
	{ "primary-timeout", 0, "TIME",
	  "idle time for fast states (default "
	  "100ms)" },
	{ "primary-tolerance", 0, "TIME",
	  "entry+exit of a fast state at most "
	  "(default 15ms)" },
	{ "secondary-timeout", 0, "TIME",
	  "idle time for slower states "
	  "(default 2s)" },
	{ "secondary-tolerance", 0, "TIME",
	  "entry+exit of a slower state at "
	  "most (default 100ms)" },
	{ "quirk", 0, "NAME",
	  "no-apst or no-deepest-ps, beside those that Linux has for the "
	  "drive; none: without those; may be repeated" },
	{ "quirks-file", 0, "FILE", "rules for drives, before those of Linux" },
	{ "explain", 'e', NULL, "say for each state why it is used or not" },
	{ "hex", 0, NULL, "print the 256 bytes as 512 hexadecimal digits" },
	{ "raw", 0, "FILE",
	  "write the 256 bytes to FILE as well; - prints "
	  "nothing else" },
};

/* A decimal number as it was written: "1.5" before its unit. */
struct decimal {
	const char *whole, *fraction, *unit;
	size_t n_whole, n_fraction;
};

static bool split_decimal(const char *text, struct decimal *d)
{
	d->whole = text;
	d->n_whole = strspn(text, "0123456789");
	d->unit = text + d->n_whole;
	d->fraction = d->unit;
	d->n_fraction = 0;
	if (*d->unit == '.') {
		d->fraction = d->unit + 1;
		d->n_fraction = strspn(d->fraction, "0123456789");
		d->unit = d->fraction + d->n_fraction;
		if (!d->n_fraction)
			return false;
	}
	return d->n_whole && *d->unit;
}

/* The number times 10^digits, exactly, or false if it does not fit. */
static bool scale_decimal(const struct decimal *d, size_t digits,
			  uint64_t *ret_value)
{
	uint64_t value = 0;

	for (size_t i = 0; i < d->n_whole + digits; i++) {
		char digit = '0';

		if (i < d->n_whole)
			digit = d->whole[i];
		else if (i - d->n_whole < d->n_fraction)
			digit = d->fraction[i - d->n_whole];
		if (value > (UINT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (uint64_t)(digit - '0');
	}
	*ret_value = value;
	return true;
}

/* "25ms" in microseconds. */
static enum exit_status parse_time(const struct common *common,
				   const char *option, const char *text,
				   uint64_t *ret_us)
{
	struct decimal d;
	size_t digits;

	if (!split_decimal(text, &d))
		return usage_error(common,
				   "--%s %s: write a number with its unit, as "
				   "in 500us, 25ms or 2s",
				   option, text);
	if (!strcmp(d.unit, "us"))
		digits = 0;
	else if (!strcmp(d.unit, "ms"))
		digits = 3;
	else if (!strcmp(d.unit, "s"))
		digits = 6;
	else
		return usage_error(common, "--%s %s: the unit is us, ms or s",
				   option, text);
	if (d.n_fraction > digits)
		return usage_error(common, "--%s %s: finer than a microsecond",
				   option, text);
	if (!scale_decimal(&d, digits, ret_us))
		return usage_error(common, "--%s %s: too long", option, text);
	return STATUS_DONE;
}

static enum exit_status parse_idle_time(const struct common *common,
					const char *option, const char *text,
					uint64_t *ret_ms)
{
	enum exit_status status;
	uint64_t us;

	status = parse_time(common, option, text, &us);
	if (status)
		return status;
	if (us % 1000)
		return usage_error(common,
				   "--%s %s: APST counts whole milliseconds",
				   option, text);
	*ret_ms = us / 1000;
	return STATUS_DONE;
}

static enum exit_status parse_algorithm(const struct common *common,
					const char *text,
					uint32_t *ret_algorithm)
{
	for (uint32_t i = 1; ssdpm_apst_algorithm_to_string(i); i++)
		if (!strcmp(text, ssdpm_apst_algorithm_to_string(i))) {
			*ret_algorithm = i;
			return STATUS_DONE;
		}
	return usage_error(common, "--algorithm %s: linux or linux-legacy",
			   text);
}

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;
	struct ssdpm_apst_params *p = &settings->params;
	const char *name = option->name;

	if (!p->size)
		ssdpm_apst_params_init(p, sizeof(*p));
	if (!strcmp(name, "algorithm"))
		return parse_algorithm(common, argument, &p->algorithm);
	if (!strcmp(name, "max-exit-latency") && !strcmp(argument, "any")) {
		p->max_exit_latency_us = SSDPM_LATENCY_ANY;
		return STATUS_DONE;
	}
	if (!strcmp(name, "max-exit-latency"))
		return parse_time(common, name, argument,
				  &p->max_exit_latency_us);
	if (!strcmp(name, "primary-timeout"))
		return parse_idle_time(common, name, argument,
				       &p->primary_timeout_ms);
	if (!strcmp(name, "primary-tolerance"))
		return parse_time(common, name, argument,
				  &p->primary_latency_tolerance_us);
	if (!strcmp(name, "secondary-timeout"))
		return parse_idle_time(common, name, argument,
				       &p->secondary_timeout_ms);
	if (!strcmp(name, "secondary-tolerance"))
		return parse_time(common, name, argument,
				  &p->secondary_latency_tolerance_us);
	if (!strcmp(name, "quirk"))
		return parse_quirk(common, argument, &settings->quirks);
	if (!strcmp(name, "hex"))
		return choose_form(common, FORM_OWN, name);
	if (!strcmp(name, "quirks-file"))
		settings->quirks.path = argument;
	else if (!strcmp(name, "raw"))
		settings->raw_path = argument;
	else
		settings->explain = true;
	return STATUS_DONE;
}

static enum exit_status status_of(int err)
{
	switch (err) {
	case -ERANGE: /* a timeout */
		return STATUS_USAGE;
	case -EOPNOTSUPP:
		return STATUS_DEVICE_CANNOT;
	default:
		return STATUS_FAILED;
	}
}

/* The algorithms know these; other quirks are only shown. */
#define APST_QUIRKS (SSDPM_QUIRK_NO_APST | SSDPM_QUIRK_NO_DEEPEST_PS)

static enum exit_status apply_quirks(const struct settings *settings,
				     const struct quirk_rules *rules,
				     struct answer *answer)
{
	enum exit_status status;

	status = find_quirks(&settings->quirks, rules, answer->drive,
			     &answer->quirks);
	answer->params = settings->params;
	answer->params.quirks = answer->quirks.in_force & APST_QUIRKS;
	return status;
}

static void say_quirks(const struct common *common, const struct answer *answer)
{
	if (!common->quiet)
		complain_of_quirks(answer->drive, &answer->quirks, APST_QUIRKS,
				   false);
	if (common->verbose)
		complain_of_quirks(answer->drive, &answer->quirks, APST_QUIRKS,
				   true);
}

static enum exit_status make(const struct common *common,
			     const struct settings *settings,
			     const struct quirk_rules *rules,
			     const struct drive *drive, struct answer *answer)
{
	const struct ssdpm_apst_params *params = &answer->params;
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(drive->model);
	enum exit_status status;
	struct ssdpm_error error;
	int err;

	answer->drive = drive;
	status = apply_quirks(settings, rules, answer);
	if (status)
		return status;
	answer->apsta_assumed = info->unknown & SSDPM_INFO_APSTA;
	ssdpm_model_get_states(drive->model, &answer->n_states);
	err = ssdpm_apst_generate(drive->model, params, &answer->table, &error);
	if (!err)
		err = ssdpm_apst_explain(drive->model, params, answer->verdicts,
					 &error);
	if (!err)
		err = ssdpm_apst_encode(&answer->table, answer->raw, &error);
	if (err) {
		complain("%s: %s", drive->name, error.message);
		return status_of(err);
	}
	if (answer->apsta_assumed && !common->quiet)
		complain("%s: APSTA is unknown; taken as 1 (APST supported)",
			 drive->name);
	say_quirks(common, answer);
	return STATUS_DONE;
}

static bool is_set(const struct ssdpm_apst_entry *entry)
{
	return entry->target || entry->idle_ms;
}

static void write_entries(struct json_writer *w, const struct ssdpm_apst *table)
{
	ssdpm__json_begin(w, "entries", '[');
	for (uint32_t i = 0; i < SSDPM_MAX_STATES; i++) {
		if (!is_set(&table->entries[i]))
			continue;
		ssdpm__json_begin(w, NULL, '{');
		w->one_line = true;
		ssdpm__json_uint(w, "state", i);
		ssdpm__json_uint(w, "target", table->entries[i].target);
		ssdpm__json_uint(w, "idle_ms", table->entries[i].idle_ms);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

static void write_verdicts(struct json_writer *w, const struct answer *answer)
{
	ssdpm__json_begin(w, "verdicts", '[');
	for (size_t i = 0; i < answer->n_states; i++) {
		const struct ssdpm_apst_verdict *v = &answer->verdicts[i];

		ssdpm__json_begin(w, NULL, '{');
		w->one_line = true;
		ssdpm__json_uint(w, "state", v->state);
		ssdpm__json_string(w, "verdict",
				   ssdpm_verdict_to_string(v->verdict));
		ssdpm__json_string(w, "reason", v->reason);
		ssdpm__json_end(w, '}');
	}
	ssdpm__json_end(w, ']');
}

static void write_parameters(struct json_writer *w,
			     const struct ssdpm_apst_params *p)
{
	ssdpm__json_begin(w, "parameters", '{');
	if (p->max_exit_latency_us == SSDPM_LATENCY_ANY)
		ssdpm__json_string(w, "max_exit_latency_us", "any");
	else
		ssdpm__json_uint(w, "max_exit_latency_us",
				 p->max_exit_latency_us);
	ssdpm__json_uint(w, "primary_timeout_ms", p->primary_timeout_ms);
	ssdpm__json_uint(w, "primary_latency_tolerance_us",
			 p->primary_latency_tolerance_us);
	ssdpm__json_uint(w, "secondary_timeout_ms", p->secondary_timeout_ms);
	ssdpm__json_uint(w, "secondary_latency_tolerance_us",
			 p->secondary_latency_tolerance_us);
	write_quirks(w, "quirks", p->quirks);
	ssdpm__json_end(w, '}');
}

static void format_raw(const struct answer *answer,
		       char hex[2 * SSDPM_APST_BYTES + 1])
{
	for (size_t i = 0; i < SSDPM_APST_BYTES; i++)
		sprintf(hex + 2 * i, "%02x", answer->raw[i]);
}

static void write_answer(struct json_writer *w, const struct answer *answer)
{
	const struct ssdpm_apst_params *params = &answer->params;
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(answer->drive->model);
	char hex[2 * SSDPM_APST_BYTES + 1];

	format_raw(answer, hex);
	ssdpm__json_begin(w, NULL, '{');
	ssdpm__json_string(w, "schema", "ssdpm.apst/1");
	ssdpm__json_string(w, "drive", answer->drive->name);
	ssdpm__json_string(w, "product",
			   info->unknown & SSDPM_INFO_PRODUCT ? NULL :
								info->product);
	ssdpm__json_string(
		w, "firmware",
		info->unknown & SSDPM_INFO_FIRMWARE ? NULL : info->firmware);
	ssdpm__json_bool(w, "apsta_assumed", answer->apsta_assumed);
	ssdpm__json_string(w, "algorithm",
			   ssdpm_apst_algorithm_to_string(params->algorithm));
	write_parameters(w, params);
	write_quirks(w, "quirks", answer->quirks.in_force);
	write_quirks(w, "quirks_unknown", answer->quirks.unknown);
	ssdpm__json_bool(w, "sent", answer->table.sent);
	ssdpm__json_bool(w, "enabled", answer->table.enabled);
	write_entries(w, &answer->table);
	ssdpm__json_string(w, "raw", hex);
	write_verdicts(w, answer);
	ssdpm__json_end(w, '}');
}

static enum exit_status print_answers_json(const struct common *common,
					   const struct answer *answers,
					   size_t n)
{
	struct json_writer writer = { 0 };
	enum exit_status status;
	struct ssdpm_error error;
	char *text;

	if (n != 1)
		ssdpm__json_begin(&writer, NULL, '[');
	for (size_t i = 0; i < n; i++)
		write_answer(&writer, &answers[i]);
	if (n != 1)
		ssdpm__json_end(&writer, ']');
	if (ssdpm__json_finish(&writer, &text, &error)) {
		complain("%s", error.message);
		return STATUS_FAILED;
	}
	status = print_json(common, text);
	free(text);
	return status;
}

/* Neighbours with the same entry stand on one line: "PS0-PS2  100 ms  PS3". */
static void add_entries(struct table *rows, const struct ssdpm_apst *table)
{
	for (uint32_t i = 0, last; i < SSDPM_MAX_STATES; i = last + 1) {
		const struct ssdpm_apst_entry *entry = &table->entries[i];

		last = i;
		if (!is_set(entry))
			continue;
		while (last + 1 < SSDPM_MAX_STATES &&
		       !memcmp(entry + (last + 1 - i), entry, sizeof(*entry)))
			last++;
		if (last > i)
			table_cell(rows, 0, "PS%u-PS%u", i, last);
		else
			table_cell(rows, 0, "PS%u", i);
		table_cell(rows, 1, "%s",
			   entry->idle_ms ?
				   ssdpm__format_us((uint64_t)entry->idle_ms *
						    1000)
					   .text :
				   "never (idle time 0)");
		table_cell(rows, 2, "PS%u", entry->target);
		table_end_row(rows);
	}
}

static void print_table(const struct ssdpm_apst *table,
			const struct ssdpm_apst_params *params)
{
	static struct table rows;

	rows = (struct table){ .n_columns = 3, .align = "<><" };
	table_cell(&rows, 0, "from");
	table_cell(&rows, 1, "after idle");
	table_cell(&rows, 2, "to");
	table_end_row(&rows);
	add_entries(&rows, table);
	if (rows.n_rows > 1)
		table_print(&rows);
	else if (!table->sent)
		puts("  no table is sent: the drive has no APST (APSTA 0)");
	else if (!table->enabled)
		printf("  APST is switched off: %s\n",
		       params->quirks & SSDPM_QUIRK_NO_APST ?
			       "quirk no-apst" :
			       "the latency limit is 0");
	else
		puts("  APST is on, but the table is empty: the drive never "
		     "sleeps by itself");
}

static void print_verdicts(const struct answer *answer)
{
	static struct table rows;

	rows = (struct table){ .n_columns = 3, .align = "<<<" };
	for (size_t i = 0; i < answer->n_states; i++) {
		const struct ssdpm_apst_verdict *v = &answer->verdicts[i];

		table_cell(&rows, 0, "PS%u", v->state);
		table_cell(&rows, 1, "%s", ssdpm_verdict_to_string(v->verdict));
		table_cell(&rows, 2, "%s", v->reason);
		table_end_row(&rows);
	}
	putchar('\n');
	table_print(&rows);
}

static void print_answer(const struct answer *answer,
			 const struct settings *settings)
{
	const struct ssdpm_apst_params *p = &answer->params;
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(answer->drive->model);

	printf("%s: %s%s%s, latency limit %s\n", answer->drive->name,
	       info->product, info->product[0] ? ", " : "",
	       ssdpm_apst_algorithm_to_string(p->algorithm),
	       p->max_exit_latency_us == SSDPM_LATENCY_ANY ?
		       "any" :
		       ssdpm__format_us(p->max_exit_latency_us).text);
	print_table(&answer->table, p);
	if (settings->explain)
		print_verdicts(answer);
}

static enum exit_status write_raw(const char *path, const struct answer *answer)
{
	FILE *file = fopen(path, "we");
	bool failed;

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	failed = fwrite(answer->raw, 1, sizeof(answer->raw), file) !=
		 sizeof(answer->raw);
	if (fclose(file) || failed) {
		complain("%s: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	return STATUS_DONE;
}

static void print_hex(const struct answer *answer)
{
	char hex[2 * SSDPM_APST_BYTES + 1];

	format_raw(answer, hex);
	puts(hex);
}

static enum exit_status print_answers(const struct common *common,
				      const struct settings *settings,
				      const struct answer *answers, size_t n)
{
	enum exit_status status = STATUS_DONE;
	const char *raw_path = settings->raw_path;

	if (raw_path && !strcmp(raw_path, "-")) {
		fwrite(answers[0].raw, 1, sizeof(answers[0].raw), stdout);
		return STATUS_DONE;
	}
	if (raw_path)
		status = write_raw(raw_path, &answers[0]);
	if (status)
		return status;
	if (common->form && common->form != FORM_OWN)
		return print_answers_json(common, answers, n);
	for (size_t i = 0; i < n; i++) {
		if (common->form == FORM_OWN) {
			print_hex(&answers[i]);
			continue;
		}
		if (i)
			putchar('\n');
		print_answer(&answers[i], settings);
	}
	return STATUS_DONE;
}

static enum exit_status answer_all(const struct common *common,
				   const struct settings *settings,
				   const struct drives *drives)
{
	struct answer *answers = calloc(drives->n, sizeof(*answers));
	enum exit_status status = STATUS_DONE;
	struct quirk_rules rules = { 0 };

	if (!answers) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	status = read_quirk_rules(&settings->quirks, &rules);
	if (status) {
		free(answers);
		return status;
	}
	for (size_t i = 0; i < drives->n; i++) {
		enum exit_status made = make(common, settings, &rules,
					     &drives->drives[i], &answers[i]);

		if (!status)
			status = made;
	}
	if (!status)
		status = print_answers(common, settings, answers, drives->n);
	free(rules.text);
	free(answers);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	struct settings settings = *(const struct settings *)data;
	enum exit_status status;
	struct drives drives;

	if (!settings.params.size)
		ssdpm_apst_params_init(&settings.params,
				       sizeof(settings.params));
	if (settings.raw_path && !strcmp(settings.raw_path, "-") &&
	    common->form)
		return usage_error(common,
				   "--raw - and --%s exclude each other",
				   common->form_option);
	status = read_drives(common, operands, n_operands, &drives);
	if (!status && settings.raw_path && drives.n != 1)
		status = usage_error(common,
				     "--raw takes one drive, here are "
				     "%zu",
				     drives.n);
	if (!status)
		status = answer_all(common, &settings, &drives);
	free_drives(&drives);
	return status;
}

const struct subcommand cmd_apst = {
	.name = "apst",
	.operands = "DRIVE...",
	.summary = "Print the APST table that Linux makes for a drive.",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.examples = "  ssdpm apst drive.bin\n"
		    "  ssdpm apst --max-exit-latency 25ms --explain drive.bin\n"
		    "  ssdpm apst --algorithm linux-legacy --json drive.json\n"
		    "  ssdpm apst --value raw drive.json\n",
	.set = set,
	.run = run,
	.settings = &the_settings,
};
