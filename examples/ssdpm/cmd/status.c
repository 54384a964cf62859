/* SPDX-License-Identifier: MIT */
/*
 * ssdpm status, and ssdpm alone: each drive in one line, what one change would
 * bring, and what to do next. Nothing is sent to a drive.
 */
#include "options/advised.h"
#include "options/color.h"
#include "options/units.h"
#include "programs.h"
#include "survey/survey.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct settings {
	struct color_options color;
	uint32_t watch_s;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "watch", 0, "N", "Print it again every N seconds, or 5min.",
	  SETS_SMALL(struct settings, watch_s, SECONDS), .min = 1, .max = 86400,
	  .range = "from 1 s to 1 d" },
};

static const struct option_group own = {
	OPTIONS(options),
};

static enum exit_status print_notice(char *text, bool *ret_printed)
{
	if (!text)
		return out_of_memory();
	print_paragraph(text, 0, 2);
	putchar('\n');
	free(text);
	*ret_printed = true;
	return STATUS_DONE;
}

/* What waits to be undone, or to be set, goes before all else. */
static enum exit_status print_urgent(struct live *live, bool *ret_printed)
{
	enum exit_status status = read_journal(live, NULL, &live->journal);
	struct cell drives;

	if (!status && live->journal.stands)
		status = print_notice(describe_journal(live, &live->journal),
				      ret_printed);
	if (!status && survey_is_left(live))
		status = print_notice(describe_left_survey(live), ret_printed);
	if (!status && bisect_has_set(live, &drives))
		status = print_notice(describe_bisect(live, &drives),
				      ret_printed);
	return status;
}

/* How many settings that files ask for are not in force; what only a command
 * tells is not among them. */
int count_pending(const struct live *live, size_t *ret_n,
		  struct ssdpm_error *reterr)
{
	struct ssdpm_step step = { .size = sizeof(step) };
	struct ssdpm_intent *intent;
	struct ssdpm_plan *plan;
	int err;

	*ret_n = 0;
	err = ssdpm_intent_read(live->machine, &intent, reterr);
	if (err)
		return err;
	err = ssdpm_plan_new(live->machine, NULL, &plan, reterr);
	if (!err) {
		err = ssdpm_plan_add_intent(plan, NULL, NULL, intent, NULL,
					    reterr);
		for (size_t i = 0; !err && !ssdpm_plan_get_step(plan, i, &step);
		     i++)
			*ret_n += (SSDPM_STEPS_PENDING >> step.state & 1) &&
				  step.before[0];
		ssdpm_plan_free(plan);
	}
	ssdpm_intent_free(intent);
	return err;
}

static enum exit_status print_pending(const struct live *live,
				      bool *ret_printed)
{
	struct ssdpm_error error;
	size_t n;

	if (count_pending(live, &n, &error))
		return complain_of_device(NULL, &error);
	if (!n)
		return STATUS_DONE;
	return print_notice(
		advised_text(live->root,
			     cell("%zu setting%s of ssdpm.conf(5) %s not in "
				  "force: ssdpm check says which; ssdpm apply "
				  "--config sets %s",
				  n, n == 1 ? "" : "s", n == 1 ? "is" : "are",
				  n == 1 ? "it" : "them")
				     .text),
		ret_printed);
}

/* As --json complains of them: what a drive has told, and may not be read. */
static enum exit_status complain_of_all_dumps(const struct common *common,
					      struct live *live,
					      const struct outlooks *outlooks)
{
	enum exit_status status = STATUS_DONE, one;

	for (size_t i = 0; i < outlooks->n; i++) {
		const struct ssdpm_report_item *item = &outlooks->list[i].drive;
		const struct drive drive = { .name = (char *)item->name,
					     .device = item->device,
					     .live = live };

		if (item->error)
			continue;
		one = complain_of_dumps(common, &drive);
		status = status ? status : one;
	}
	return status;
}

static enum exit_status print_status(const struct common *common,
				     struct live *live, bool colored,
				     enum exit_status *ret_unread)
{
	struct outlooks outlooks = { 0 };
	enum exit_status status = STATUS_DONE, printed, unread;
	struct ssdpm_error error;
	bool urgent = false;

	if (read_outlooks(live, &outlooks, &error))
		return complain_of_device(common->root, &error);
	if (!common->quiet)
		status = print_urgent(live, &urgent);
	if (!status && !common->quiet)
		status = print_pending(live, &urgent);
	/* A fault in a file hides no drive. */
	printed = print_outlooks(live, &outlooks, colored, urgent);
	*ret_unread = complain_of_all_dumps(common, live, &outlooks);
	unread = complain_of_unread(common, live, &outlooks, NULL);
	if (!*ret_unread)
		*ret_unread = unread;
	free_outlooks(&outlooks);
	return status ? status : printed;
}

static enum exit_status print_once(const struct common *common, bool colored,
				   enum exit_status *ret_unread)
{
	enum exit_status status;
	struct live *live;

	status = open_live(common, common->root, &live);
	if (status)
		return status;
	status = print_status(common, live, colored, ret_unread);
	close_live(live);
	return status;
}

/*
 * Until it is interrupted, or nobody reads it any more. A drive that cannot be
 * read may be readable the next time.
 */
static enum exit_status watch(const struct common *common,
			      const struct settings *settings)
{
	enum exit_status status = STATUS_DONE, unread;

	while (!status) {
		/* The cursor goes home, and all below it is cleared. */
		if (is_smart_terminal())
			print_escape("\033[H\033[J");
		status = print_once(common, is_colored(&settings->color),
				    &unread);
		if (fflush(stdout))
			return STATUS_FAILED;
		if (!status)
			sleep(settings->watch_s);
	}
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	const struct settings *settings = data;
	enum exit_status status, unread = STATUS_DONE;

	if (n_operands)
		return usage_error(common,
				   "%s: unexpected operand; ssdpm show takes "
				   "a device",
				   operands[0]);
	if (common->form && settings->watch_s)
		return usage_error(common, "--watch prints for people alone");
	if (common->form)
		return print_status_items(common);
	if (settings->watch_s)
		return watch(common, settings);
	status = print_once(common, is_colored(&settings->color), &unread);
	return status ? status : unread;
}

static const struct group_use groups[] = {
	USE(&color_option_group, &the_settings.color),
};

const struct subcommand cmd_status = {
	.name = "status",
	.operands = "",
	.operands_optional = true,
	.energy_does_more = true,
	.own = &own,
	GROUPS(groups),
	.list = "drives",
	.each_alone = true,
	.summary = "Print the state of each drive and what to do next.",
	.examples = "  ssdpm\n"
		    "  ssdpm status --root laptop\n",
	.run = run,
	.settings = &the_settings,
};
