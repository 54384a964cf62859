/* SPDX-License-Identifier: MIT */
#include "bisect/bisect-run.h"
#include "options/units.h"
#include "programs.h"
#include "survey/survey.h"

#include <string.h>

enum {
	START = 1 << 0,
	GOOD = 1 << 1,
	REPORT = 1 << 2,
	RUN = 1 << 3,
	STOP = 1 << 4
};

struct settings {
	uint64_t n_errors;
	uint64_t n_entries;
	uint32_t only;
	const char *log;
	bool forget;
	struct run_options run;
	uint64_t given;
};

static struct settings the_settings = {
	.run.settle_ns = UINT64_C(60000000000),
};

static const struct option_spec options[] = {
	{ "errors", 0, "N", "start: Set how many errors there were. Required.",
	  SETS_NUMBER(struct settings, n_errors, COUNT), .min = 1,
	  .modes = START },
	{ "entries", 0, "N",
	  "start, good: Set the entries into the deepest state; for a link "
	  "alone, idle times; for NCQ alone, I/Os.",
	  SETS_NUMBER(struct settings, n_entries, COUNT), .min = 1,
	  .max = UINT32_MAX, .modes = START | GOOD },
	{ "only", 0, "latency-limit|lpm|pcie-link|queue-depth",
	  "start: Search this kind of setting alone.",
	  SETS_WORD(struct settings, only, ssdpm_bisect_setting_to_string),
	  .modes = START, .rare = true },
	{ "log", 0, "FILE",
	  "report: Quote the signs of faults in this kernel log.",
	  SETS_TEXT(struct settings, log), .modes = REPORT },
	{ "forget", 0, NULL,
	  "stop: Leave values that cannot be restored as they are.",
	  SETS_FLAG(struct settings, forget), .modes = STOP, .rare = true },
	{ "provoke", 0, NULL,
	  "run: Read the drives so that they enter the state as often as they "
	  "can.",
	  SETS_FLAG(struct settings, run.provoke), .modes = RUN },
	{ "settle", 0, "TIME",
	  "run: Wait for late errors after a trial. Default: 60s.",
	  SETS_NUMBER(struct settings, run.settle_ns, TIME_NS),
	  .max = UINT64_C(3600000000000), .modes = RUN },
	{ "count-death", 0, NULL,
	  "run: Call a trial bad in which the machine died.",
	  SETS_FLAG(struct settings, run.count_death), .modes = RUN },
	{ "corrected", 0, NULL,
	  "run: Count errors of PCIe that the hardware corrected, too.",
	  SETS_FLAG(struct settings, run.corrected), .modes = RUN },
};

static const struct option_group own = {
	OPTIONS(options),
	KEEPS_GIVEN(struct settings, given),
};

static enum exit_status start(struct search *search, const struct settings *s,
			      char **operands, size_t n)
{
	const struct ssdpm_bisect_params params = {
		.size = sizeof(params),
		.n_errors = s->n_errors,
		.n_entries = s->n_entries,
	};
	struct drives drives = { 0 };
	struct ssdpm_error error;
	enum exit_status status;

	if (search->bisect)
		return failure("a search is there already: ssdpm bisect stop "
			       "ends it");
	if (ssdpm_bisect_new(&params, &search->bisect, &error))
		return failure("%s", error.message);
	status = check_record(search);
	if (!status)
		status = undo_killed_commit(search);
	/* The values of a killed one are not those of before. */
	if (!status)
		status = put_back_after_survey(search->common, search->live,
					       false);
	if (!status)
		status = read_devices(search->common, operands, n, &drives);
	if (!status)
		status = add_suspects(search, &drives);
	free_drives(&drives);
	if (status)
		return status;
	status = go_on(search);
	if (status && !put_back_search(search))
		remove_search(search);
	return status;
}

static enum exit_status act(struct search *search, const struct settings *s,
			    char **operands, size_t n)
{
	const char *word = operands[0];
	const uint32_t verdict = ssdpm_bisect_verdict_from_string(word);

	if (!strcmp(word, "start"))
		return start(search, s, operands + 1, n - 1);
	if (!strcmp(word, "stop"))
		return stop_search(search);
	if (!search->bisect)
		return no_search(search);
	if (verdict)
		return judge_trial(search, verdict, s->n_entries);
	if (!strcmp(word, "run"))
		return run_search(search, &s->run);
	if (!strcmp(word, "set"))
		return set_again(search);
	if (!strcmp(word, "report"))
		return search->common->form ?
			       print_bisect_report_json(search) :
			       print_bisect_report(search, s->log);
	return print_search(search);
}

static uint32_t mode_of(const char *word)
{
	return !strcmp(word, "start")  ? START :
	       !strcmp(word, "good")   ? GOOD :
	       !strcmp(word, "report") ? REPORT :
	       !strcmp(word, "run")    ? RUN :
	       !strcmp(word, "stop")   ? STOP :
					 0;
}

static enum exit_status check(const struct common *common,
			      const struct settings *s, char **operands,
			      size_t n)
{
	const char *const word = n ? operands[0] : "status";
	const char *other = option_not_for(&own, s->given, mode_of(word));

	if (!list_has(cmd_bisect.words, word))
		return unknown_action(&cmd_bisect, word);
	if (other)
		return usage_error(common, "%s takes no --%s", word, other);
	if (common->form && s->log)
		return usage_error(common, "--log conflicts with --json, "
					   "--value and --shell");
	if (!strcmp(word, "run") && common->root)
		return usage_error(common, "--root conflicts with run: nothing "
					   "happens in a capture");
	if (strcmp(word, "start"))
		return n > 1 ? usage_error(common, "%s takes no TARGET", word) :
			       STATUS_DONE;
	if (!s->n_errors || !s->n_entries)
		return usage_error(common, "start requires --%s",
				   s->n_errors ? "entries" : "errors");
	return n < 2 ? usage_error(common, "start takes a TARGET") :
		       STATUS_DONE;
}

static enum search_use use_of(const char *word)
{
	if (!strcmp(word, "start"))
		return SEARCH_START;
	if (!strcmp(word, "stop"))
		return SEARCH_STOP;
	if (!strcmp(word, "status") || !strcmp(word, "report"))
		return SEARCH_LOOK;
	return SEARCH_CHANGE;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n)
{
	static char status_word[] = "status";
	static char *default_operands[] = { status_word };
	const struct settings *settings = data;
	enum exit_status status = check(common, settings, operands, n);
	struct search search;

	if (status)
		return status;
	if (!n) {
		operands = default_operands;
		n = 1;
	}
	status = open_search(common, use_of(operands[0]), &search);
	search.only = settings->only;
	search.forgets = settings->forget;
	if (!status)
		status = act(&search, settings, operands, n);
	close_search(&search);
	return status;
}

const struct subcommand cmd_bisect = {
	.name = "bisect",
	.operands = "ACTION [TARGET...]",
	.words = "start|run|set|good|bad|skip|status|report|stop",
	.operands_optional = true,
	.takes_devices = true,
	.list = "searches",
	.summary = "Find the setting that makes a drive fail.",
	.own = &own,
	.what_words_do =
		"  start                   Begin a search, and set the first "
		"trial.\n"
		"  run                     Run all trials by itself.\n"
		"  good, bad, skip         Judge the trial, and set the next "
		"one.\n"
		"  set                     Set the trial again, as after a "
		"boot.\n"
		"  status, report          Print the search, or a report of "
		"it.\n"
		"  stop                    End the search, and put all back.\n",
	.examples = "  ssdpm bisect start --errors 1 --entries 40 nvme0\n"
		    "  ssdpm bisect run --provoke\n"
		    "  ssdpm bisect good --entries 3160\n"
		    "  ssdpm bisect stop\n",
	.run = run,
	.settings = &the_settings,
};
