/* SPDX-License-Identifier: MIT */
/* What would let a drive sleep more, in words. */
#include "options/numbers.h"
#include "text/output.h"
#include "watch/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define MOST_LINES 3

/* Each file system has its own word for the interval of its journal. */
static struct cell commit_text(const char *thread, const char *interval)
{
	static const struct {
		const char *prefix;
		const char *words;
	} words[] = {
		{ "jbd2/", "mount with commit=60" },
		{ "btrfs-transa", "mount with commit=60" },
		{ "xfsaild/", "fs.xfs.xfssyncd_centisecs=6000" },
		{ "txg_sync", "zfs_txg_timeout=60" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(thread, words[i].prefix, strlen(words[i].prefix)))
			return cell("%s: %s", thread, words[i].words);
	return cell("%s: write every %s", thread, interval);
}

/* The commands are of NVMe; smartd.conf(5): -n is for ATA alone. */
static struct cell admin_text(const char *name, const char *period)
{
	const char *than = *period ? " than " : "";

	if (strcmp(name, "smartd") != 0)
		return cell("%s: ask the drive less often than %s%s", name,
			    *period ? "every " : "now", period);
	return cell("%s: a longer --interval%s%s; its -n is for ATA", name,
		    than, period);
}

static struct cell help_text(const struct ssdpm_help *help, const char *name)
{
	const struct number interval = time_text(help->interval_ns);
	const struct number period = time_text(help->period_ns);

	switch (help->kind) {
	case SSDPM_HELP_INTERVAL:
		return cell("%s: every %s, not every %s", name, interval.text,
			    period.text);
	case SSDPM_HELP_BATCH:
		return cell("%s: write once in %s", name, interval.text);
	case SSDPM_HELP_WRITEBACK_INTERVAL:
		return cell("%s: vm.dirty_writeback_centisecs=6000", name);
	case SSDPM_HELP_LAPTOP_MODE:
		return cell("%s: vm.laptop_mode=5 (before Linux 7.0)", name);
	case SSDPM_HELP_COMMIT_INTERVAL:
		return commit_text(name, interval.text);
	case SSDPM_HELP_NOATIME:
		return cell("%s: mount with noatime", name);
	default:
		return admin_text(name, help->period_ns ? period.text : "");
	}
}

static int64_t saved_uw(const struct ssdpm_help *help)
{
	return power_uw((int64_t)help->saving_high_nj,
			help->until_ns - help->from_ns);
}

/* "8.04 mW", "up to 8.04 mW" */
static struct cell saves_text(const struct ssdpm_help *help)
{
	bool sure = help->saving_low_nj == help->saving_high_nj;

	return cell("%s%s", sure ? "" : "up to ",
		    power_text(saved_uw(help)).text);
}

/* Linux 7.0 has no laptop mode. Which one made a recording is unknown. */
static bool is_possible(const struct watch *watch,
			const struct ssdpm_help *help)
{
	struct utsname name;

	return help->kind != SSDPM_HELP_LAPTOP_MODE || watch->options->read ||
	       uname(&name) || atoi(name.release) < 7;
}

/* Whether there is one against the same cause before it, which saves more. */
static bool is_second(const struct watch *watch, const struct ssdpm_help *helps,
		      size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (helps[j].cause == helps[i].cause &&
		    is_possible(watch, &helps[j]))
			return true;
	return false;
}

static enum exit_status print_lines(const struct watch *watch, size_t drive,
				    const struct ssdpm_help *helps, size_t n)
{
	struct ssdpm_cause cause = { .size = sizeof(cause) };
	struct ssdpm_error error;
	struct table table = { .align = "><" };
	int n_lines = 0;

	for (size_t i = 0; i < n && n_lines < MOST_LINES; i++) {
		if (!is_possible(watch, &helps[i]) ||
		    is_second(watch, helps, i))
			continue;
		if (ssdpm_observation_get_cause(watch->observation, drive,
						helps[i].cause, &cause,
						&error)) {
			table_free(&table);
			return failure("%s", error.message);
		}
		table_row(&table, saves_text(&helps[i]).text,
			  help_text(&helps[i], cause.name).text);
		n_lines++;
	}
	if (n_lines)
		puts("What would help, each alone, simulated:");
	table_print(&table);
	return STATUS_DONE;
}

enum exit_status read_helps(const struct watch *watch, size_t drive,
			    struct helps *ret_helps)
{
	struct ssdpm_error error;

	*ret_helps = (struct helps){ 0 };
	if (ssdpm_observation_list_help(watch->observation, drive,
					&ret_helps->list, &ret_helps->n,
					&error))
		return failure("%s: %s", watch->watched[drive].drive->name,
			       error.message);
	return STATUS_DONE;
}

enum exit_status print_helps(const struct watch *watch, size_t drive,
			     const struct helps *helps)
{
	return helps->n ? print_lines(watch, drive, helps->list, helps->n) :
			  STATUS_DONE;
}

void price_admin(struct cause_rows *rows, const struct helps *helps)
{
	for (size_t i = 0; i < rows->n; i++)
		for (size_t j = 0; j < helps->n; j++) {
			const struct ssdpm_help *help = &helps->list[j];

			if (help->kind == SSDPM_HELP_ADMIN_INTERVAL &&
			    help->cause == rows->rows[i].index)
				rows->rows[i].admin_uw = saved_uw(help);
		}
}
