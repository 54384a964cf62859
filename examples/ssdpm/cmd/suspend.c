/* SPDX-License-Identifier: MIT */
/* ssdpm suspend: evidence of deep sleep, before and after a suspend. */
#include "options/advised.h"
#include "options/units.h"
#include "programs.h"
#include "suspend/suspend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct suspend_options the_settings;

static const struct option_spec options[] = {
	{ "save", 0, "FILE",
	  "Keep the counters of now in a new file, for a later --since.",
	  SETS_TEXT(struct suspend_options, save) },
	{ "since", 0, "FILE",
	  "Compare with the counters in FILE. Default: those at boot.",
	  SETS_TEXT(struct suspend_options, since) },
	{ "until", 0, "FILE",
	  "Judge the counters in FILE. Default: those of now.",
	  SETS_TEXT(struct suspend_options, until) },
	{ "test", 0, "TIME",
	  "Suspend this machine now, for this time, as in 60s. From 10 s to "
	  "1 h.",
	  SETS_NUMBER(struct suspend_options, test_ns, TIME_NS),
	  .min = UINT64_C(10000000000), .max = UINT64_C(3600000000000),
	  .range = "from 10 s to 1 h" },
	{ "yes", 'y', NULL, "test: Do not ask.",
	  SETS_FLAG(struct suspend_options, yes) },
};

static const struct option_group own = {
	OPTIONS(options),
};

struct ssdpm_suspend_params suspend_params(const struct suspended *suspended)
{
	return (struct ssdpm_suspend_params){
		.size = sizeof(struct ssdpm_suspend_params),
		.facts = &suspended->facts,
		.before = suspended->before,
		.after = suspended->after,
		.drives = suspended->drives,
		.n_drives = suspended->n_drives,
	};
}

static enum exit_status check(const struct common *common,
			      const struct suspend_options *settings)
{
	if (settings->test_ns && (settings->save || settings->since))
		return usage_error(common, "--test conflicts with --%s",
				   settings->save ? "save" : "since");
	if (settings->until && (settings->test_ns || settings->save))
		return usage_error(common, "--until conflicts with --%s",
				   settings->save ? "save" : "test");
	if (settings->save && settings->since)
		return usage_error(common, "--save conflicts with --since");
	if (settings->yes && !settings->test_ns)
		return usage_error(common, "--yes requires --test");
	if (settings->save && common->form)
		return usage_error(common, "--save conflicts with --%s",
				   common->form_option);
	if (settings->test_ns && common->root)
		return usage_error(common, "--root conflicts with --test: "
					   "nothing suspends a capture");
	return STATUS_DONE;
}

/* A drive that does not answer has no diagnosis, and the others have. */
static enum exit_status look_at_drives(const struct common *common,
				       const struct drives *drives,
				       struct suspended *suspended,
				       enum exit_status *ret_unread)
{
	enum exit_status status;

	suspended->insights = calloc(drives->n + 1, sizeof(struct insight));
	suspended->drives =
		calloc(drives->n + 1, sizeof(struct ssdpm_suspend_drive));
	if (!suspended->insights || !suspended->drives)
		return out_of_memory();
	for (size_t i = 0; i < drives->n; i++) {
		const struct drive *drive = &drives->drives[i];
		struct insight *insight = &suspended->insights[i];

		suspended->n_drives++;
		suspended->drives[i].facts =
			ssdpm_device_get_facts(drive->device);
		status = look_into(common, drive, insight);
		if (status && !*ret_unread)
			*ret_unread = status;
		if (status)
			continue;
		suspended->drives[i].diagnoses = insight->diagnoses;
		suspended->drives[i].n_diagnoses = insight->n_diagnoses;
	}
	return STATUS_DONE;
}

static enum exit_status read_saved(const char *path,
				   struct ssdpm_suspend_reading **ret_reading)
{
	struct buffer buffer = { 0 };
	struct ssdpm_error error;
	const int err = read_operand(path, &buffer);
	enum exit_status status = STATUS_DONE;

	if (err)
		status = status_of_file(err);
	else if (ssdpm_suspend_reading_from_text(buffer.data, buffer.size,
						 ret_reading, &error))
		status = error.line ? failure("%s:%u: %s", path, error.line,
					      error.message) :
				      failure("%s: %s", path, error.message);
	free(buffer.data);
	return status;
}

/* A reading of before a suspend cannot be made again. */
static enum exit_status save_new_file(const char *path, const char *text)
{
	if (!access(path, F_OK))
		return failure("%s: %s: --save takes a new file", path,
			       strerror(EEXIST));
	return save_file(path, text, strlen(text));
}

static enum exit_status say_how_to_compare(const struct suspended *suspended)
{
	char *call = NULL;
	size_t size;
	FILE *file = open_memstream(&call, &size);

	if (!file)
		return out_of_memory();
	fputs("ssdpm suspend", file);
	write_root(file, suspended->live->root);
	fputs(" --since", file);
	write_word(file, suspended->options->save);
	if (fclose(file)) {
		free(call);
		return out_of_memory();
	}
	remark("suspend the machine, and then: %s", call);
	free(call);
	return STATUS_DONE;
}

static enum exit_status save(const struct suspended *suspended)
{
	struct ssdpm_error error;
	enum exit_status status;
	char *text;

	if (ssdpm_suspend_reading_to_text(suspended->after, &text, &error))
		return complain_of_device(NULL, &error);
	status = save_new_file(suspended->options->save, text);
	free(text);
	if (!status && !suspended->common->quiet)
		status = say_how_to_compare(suspended);
	return status;
}

static enum exit_status look(struct suspended *suspended)
{
	const struct suspend_options *settings = suspended->options;
	enum exit_status status = STATUS_DONE;

	if (settings->test_ns)
		return test_suspend(suspended);
	if (!suspended->common->quiet)
		look_at_killed_test(suspended->live);
	if (settings->since)
		status = read_saved(settings->since, &suspended->before);
	if (!status && settings->until)
		return read_saved(settings->until, &suspended->after);
	return status ? status :
			read_counters(suspended->live, &suspended->after);
}

static void free_suspended(struct suspended *suspended)
{
	for (size_t i = 0; i < suspended->n_drives; i++)
		free_insight(&suspended->insights[i]);
	free(suspended->insights);
	free(suspended->drives);
	ssdpm_suspend_reading_free(suspended->before);
	ssdpm_suspend_reading_free(suspended->after);
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	struct suspended suspended = { .common = common, .options = data };
	enum exit_status status = check(common, data), unread = STATUS_DONE;
	struct drives drives = { 0 };
	struct live *live = NULL;

	if (!status && n_operands)
		status = usage_error(common, "%s: unexpected operand",
				     operands[0]);
	if (status)
		return status;
	status = read_devices(common, operands, 0, &drives);
	if (!status && drives.n_lives)
		suspended.live = drives.lives[0];
	else if (!status)
		status = open_live(common, common->root, &live);
	if (!status && live)
		suspended.live = live;
	if (!status) {
		suspended.facts = suspended.live->facts;
		status = look_at_drives(common, &drives, &suspended, &unread);
	}
	if (!status)
		status = look(&suspended);
	if (!status)
		status = suspended.options->save ? save(&suspended) :
						   print_suspended(&suspended);
	free_suspended(&suspended);
	if (live)
		close_live(live);
	free_drives(&drives);
	return status ? status : unread;
}

const struct subcommand cmd_suspend = {
	.name = "suspend",
	.operands = "",
	.operands_optional = true,
	.takes_devices = true,
	.list = "suspends",
	.summary = "Print whether the machine sleeps deeply, and what prevents "
		   "it.",
	.own = &own,
	.examples = "  ssdpm suspend\n"
		    "  ssdpm suspend -q --save before.txt\n"
		    "  ssdpm suspend --since before.txt\n",
	.run = run,
	.settings = &the_settings,
};
