/* SPDX-License-Identifier: MIT */
#include "text/apst-questions.h"

#include "text/device.h"
#include "text/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* -ERANGE: a timeout that was given, but for lower-envelope one that came out
 */
enum exit_status status_of(int err, uint32_t algorithm)
{
	if (err == -EOPNOTSUPP)
		return STATUS_DEVICE_CANNOT;
	if (err == -ERANGE && algorithm != SSDPM_APST_LOWER_ENVELOPE)
		return STATUS_USAGE;
	return STATUS_FAILED;
}

/* The power in PS0 that lower-envelope uses; 0: unknown. */
static uint32_t idle_power(const struct ssdpm_apst_params *params,
			   const struct drive *drive)
{
	const struct ssdpm_power_state *states =
		ssdpm_model_get_states(drive->model, NULL);

	return params->idle_power_uw ? params->idle_power_uw :
				       states[0].idle_power_uw;
}

static uint32_t transition_power(const struct ssdpm_apst_params *params,
				 const struct drive *drive)
{
	return params->transition_power_uw ? params->transition_power_uw :
					     idle_power(params, drive);
}

/* The library names the parameter; here it is an option. */
static enum exit_status complain_of(const struct ssdpm_apst_params *params,
				    const struct drive *drive,
				    const struct ssdpm_error *error)
{
	bool no_base = error->code == -ENODATA &&
		       params->algorithm == SSDPM_APST_LOWER_ENVELOPE &&
		       !params->idle_power_uw &&
		       (ssdpm_model_get_states(drive->model, NULL)->unknown &
			SSDPM_FIELD_IDLE_POWER);

	complain("%s: %s", drive->name,
		 no_base ? "the power in PS0 is unknown: give it with "
			   "--idle-power, as in 500mW" :
			   error->message);
	return status_of(error->code, params->algorithm);
}

/* The algorithms know these; other quirks are only shown. */

static enum exit_status apply_quirks(const struct apst_command *settings,
				     const struct quirk_rules *rules,
				     struct answer *answer)
{
	enum exit_status status;

	status = find_quirks(&settings->apst.quirks, rules, answer->drive,
			     &answer->quirks);
	answer->params = settings->apst.params;
	answer->params.quirks =
		apst_quirks(&answer->quirks, answer->params.algorithm);
	return status;
}

static void say_quirks(const struct common *common, const struct drive *drive,
		       const struct quirks *quirks, uint32_t algorithm)
{
	/* The quirks of Linux do not concern the table of Windows. */
	if (algorithm == SSDPM_APST_WINDOWS)
		return;
	if (!common->quiet)
		complain_of_quirks(drive, quirks, APST_QUIRKS, false);
	if (common->verbose)
		complain_of_quirks(drive, quirks, APST_QUIRKS, true);
}

static enum exit_status make(const struct common *common,
			     const struct apst_command *settings,
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
					 SSDPM_MAX_STATES, &error);
	if (!err)
		err = ssdpm_apst_encode(&answer->table, answer->raw, &error);
	if (err)
		return complain_of(params, drive, &error);
	if (answer->apsta_assumed && !common->quiet)
		remark("%s: APSTA is unknown; taken as 1 (APST supported)",
		       drive->name);
	say_quirks(common, drive, &answer->quirks, params->algorithm);
	return STATUS_DONE;
}

static void format_raw(const struct answer *answer,
		       char hex[2 * SSDPM_APST_BYTES + 1])
{
	for (size_t i = 0; i < SSDPM_APST_BYTES; i++)
		sprintf(hex + 2 * i, "%02x", answer->raw[i]);
}

static void add_answer(struct items *items, const struct answer *answer)
{
	const struct ssdpm_object object = {
		.size = sizeof(object),
		.kind = SSDPM_OBJECT_APST,
		.quirks = answer->quirks.in_force,
		.quirks_unknown = answer->quirks.unknown,
		.name = answer->drive->name,
		.model = answer->drive->model,
		.params = &answer->params,
	};

	add_object(items, &object);
}

static enum exit_status print_answers_json(const struct common *common,
					   const struct answer *answers,
					   size_t n)
{
	struct items items = { 0 };

	for (size_t i = 0; i < n; i++)
		add_answer(&items, &answers[i]);
	return print_items(common, &items);
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
		table_row(rows, states_text(i, last).text,
			  entry->idle_ms ?
				  ssdpm_us_to_text((uint64_t)entry->idle_ms *
						   1000)
					  .text :
				  "never (idle time 0)",
			  cell("PS%u", entry->target).text);
	}
}

static void print_table(const struct ssdpm_apst *table,
			const struct ssdpm_apst_params *params)
{
	struct table rows;

	table_begin(&rows, "<><", "from", "after idle", "to");
	add_entries(&rows, table);
	if (table_print(&rows))
		return;
	if (!table->sent)
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
	struct table rows = { .align = "<<<" };

	for (size_t i = 0; i < answer->n_states; i++) {
		const struct ssdpm_apst_verdict *v = &answer->verdicts[i];

		table_row(&rows, cell("PS%u", v->state).text,
			  ssdpm_verdict_to_string(v->verdict), v->reason);
	}
	putchar('\n');
	table_print(&rows);
}

/* "linux", "windows (balanced, ac)" */
static void print_algorithm(const struct ssdpm_apst_params *p,
			    const struct drive *drive)
{
	printf("%s", ssdpm_apst_algorithm_to_string(p->algorithm));
	if (p->algorithm == SSDPM_APST_WINDOWS)
		printf(" (%s, %s)", ssdpm_power_scheme_to_string(p->scheme),
		       ssdpm_power_source_to_string(p->power_source));
	else if (p->algorithm == SSDPM_APST_LOWER_ENVELOPE &&
		 idle_power(p, drive))
		printf(" (idle %s, transitions %s)",
		       ssdpm_uw_to_text(idle_power(p, drive)).text,
		       ssdpm_uw_to_text(transition_power(p, drive)).text);
}

static void print_answer(const struct answer *answer,
			 const struct apst_command *settings)
{
	const struct ssdpm_apst_params *p = &answer->params;
	const struct ssdpm_model_info *info =
		ssdpm_model_get_info(answer->drive->model);

	printf("%s: %s%s", answer->drive->name, info->product,
	       info->product[0] ? ", " : "");
	print_algorithm(p, answer->drive);
	printf(", latency limit %s\n", limit_text(p->max_exit_latency_us).text);
	print_table(&answer->table, p);
	if (settings->explain)
		print_verdicts(answer);
}

static void print_hex(const struct answer *answer)
{
	char hex[2 * SSDPM_APST_BYTES + 1];

	format_raw(answer, hex);
	puts(hex);
}

static enum exit_status print_answers(const struct common *common,
				      const struct apst_command *settings,
				      const struct answer *answers, size_t n)
{
	enum exit_status status = STATUS_DONE;
	const char *raw_path = settings->raw_path;

	if (raw_path && !strcmp(raw_path, "-")) {
		fwrite(answers[0].raw, 1, sizeof(answers[0].raw), stdout);
		return STATUS_DONE;
	}
	if (raw_path)
		status = save_file(raw_path, answers[0].raw,
				   sizeof(answers[0].raw));
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

enum exit_status answer_apst(const struct common *common,
			     const struct apst_command *settings,
			     const struct drives *drives)
{
	struct answer *answers = calloc(drives->n, sizeof(*answers));
	enum exit_status status = STATUS_DONE;
	struct quirk_rules rules = { 0 };
	size_t n = 0;

	if (!answers)
		return out_of_memory();
	status = read_quirk_rules(&settings->apst.quirks, &rules);
	if (status) {
		free(answers);
		return status;
	}
	for (size_t i = 0; i < drives->n; i++) {
		const struct drive *drive = &drives->drives[i];
		enum exit_status made =
			make(common, settings, &rules, drive, &answers[n]);

		if (!made)
			n++;
		else if (!keep_failed_drive(common, drive->name, drives->n,
					    made) &&
			 !status)
			status = made;
	}
	if (!status)
		status = print_answers(common, settings, answers, n);
	free(rules.text);
	free(answers);
	return status;
}

/* One of the questions about tables, under the quirks of each drive. */
enum exit_status ask_of_apst(const struct common *common,
			     const struct apst_command *settings,
			     const struct drives *drives)
{
	struct quirks *quirks = calloc(drives->n, sizeof(*quirks));
	struct quirk_rules rules = { 0 };
	enum exit_status status = STATUS_FAILED;

	if (quirks)
		status = read_quirk_rules(&settings->apst.quirks, &rules);
	else
		complain("out of memory");
	for (size_t i = 0; i < drives->n && !status; i++) {
		status = find_quirks(&settings->apst.quirks, &rules,
				     &drives->drives[i], &quirks[i]);
		if (!status)
			say_quirks(common, &drives->drives[i], &quirks[i],
				   settings->apst.params.algorithm);
	}
	if (!status)
		status =
			answer_question(common, &settings->question,
					&settings->apst.params, quirks, drives);
	free(rules.text);
	free(quirks);
	return status;
}
