/* SPDX-License-Identifier: MIT */
/* ssdpm watch: who makes the drives work. */
#include "options/units.h"
#include "input/live.h"
#include "programs.h"
#include "watch/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct watch_options the_settings;

static const struct option_spec options[] = {
	{ "for", 0, "TIME",
	  "Watch for this time, as in 10min. Default: until Ctrl-C.",
	  SETS_NUMBER(struct watch_options, for_ns, TIME_NS), .min = 1,
	  .max = INT64_MAX / 4 },
	{ "once", 0, NULL, "Watch for 10 s, as --for 10s.",
	  SETS_FLAG(struct watch_options, once) },
	{ "interval", 0, "TIME",
	  "Set how often the screen is drawn and JSON printed. "
	  "Default: 1s.",
	  SETS_NUMBER(struct watch_options, interval_ns, TIME_NS),
	  .min = UINT64_C(200000000), .max = UINT64_C(86400000000000),
	  .range = "from 200ms to 24h" },
	{ "save", 0, "FILE",
	  "Keep the trace in a new file, which --trace and --read take.",
	  SETS_TEXT(struct watch_options, save) },
	{ "prometheus", 0, "FILE",
	  "Write metrics for node_exporter every 15 s; go on from the file.",
	  SETS_TEXT(struct watch_options, prometheus) },
	{ "read", 0, "FILE", "Read a recording instead of this machine.",
	  SETS_TEXT(struct watch_options, read) },
	{ "device", 0, "MAJOR,MINOR",
	  "read: Set the number of the drive in the recording, as in 259,0.",
	  SETS_TEXT(struct watch_options, device) },
};

static const struct option_group own = {
	OPTIONS(options),
};

/* The folder of a file, which need not be there yet; false: it has none. */
static bool find_folder(const char *path, struct stat *ret_folder)
{
	const char *slash = strrchr(path, '/');
	char *folder =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	const bool is_there = folder && !stat(folder, ret_folder);

	free(folder);
	return is_there;
}

static const char *name_in_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat first, second;

	if (!strcmp(a, b))
		return strcmp(a, "-") != 0;
	if (!stat(a, &first) && !stat(b, &second))
		return first.st_dev == second.st_dev &&
		       first.st_ino == second.st_ino;
	return !strcmp(name_in_folder(a), name_in_folder(b)) &&
	       find_folder(a, &first) && find_folder(b, &second) &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* One of these would overwrite another one. */
static enum exit_status check_files(const struct common *common,
				    const struct watch_options *settings)
{
	const struct {
		const char *option, *path;
	} files[] = {
		{ "save", settings->save },
		{ "read", settings->read },
		{ "prometheus", settings->prometheus },
		{ "html", settings->page.path },
	};
	const size_t n = sizeof(files) / sizeof(files[0]);

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (files[i].path && files[j].path &&
			    is_same_file(files[i].path, files[j].path))
				return usage_error(common,
						   "--%s and --%s name the "
						   "same file",
						   files[i].option,
						   files[j].option);
	return STATUS_DONE;
}

static enum exit_status check(const struct common *common,
			      const struct watch_options *settings, size_t n)
{
	if (settings->read && (settings->save || settings->for_ns))
		return usage_error(common, "--read conflicts with --%s",
				   settings->save ? "save" : "for");
	if (settings->read && settings->interval_ns)
		return usage_error(common, "--interval conflicts with --read");
	if (settings->once && (settings->read || settings->for_ns))
		return usage_error(common, "--once conflicts with --%s",
				   settings->read ? "read" : "for");
	if (settings->read && settings->prometheus)
		return usage_error(common,
				   "--read conflicts with --prometheus");
	if (settings->read && !settings->device)
		return usage_error(common, "--read requires --device");
	if (settings->read && n != 1)
		return usage_error(common, "--read requires one drive");
	if (!settings->read && settings->device)
		return usage_error(common, "--device requires --read");
	if (!settings->read && settings->named.option)
		return usage_error(common,
				   "--%s requires --read: a drive of this "
				   "machine is simulated as it is",
				   settings->named.option);
	if (!settings->read && common->root)
		return usage_error(common, "--root requires --read");
	enum exit_status status = check_files(common, settings);

	if (!status)
		status = check_named_policy(common, &settings->named, false);
	return status ? status : check_page(common, &settings->page);
}

static bool is_here(const struct drive *drive)
{
	return drive->device && !drive->live->root;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	const struct watch_options *settings = data;
	struct drives drives = { 0 };
	struct watch watch = { .common = common,
			       .options = settings,
			       .drives = &drives };
	enum exit_status status = check(common, settings, n_operands);

	if (!status)
		status = read_drives(common, operands, n_operands, &drives);
	for (size_t i = 0; i < drives.n && !status; i++)
		if (!settings->read && !is_here(&drives.drives[i]))
			status = usage_error(common,
					     "%s: no drive of this machine; "
					     "--read takes a recording of it",
					     drives.drives[i].name);
	if (!status)
		status = begin_watch(&watch);
	if (!status)
		status = settings->read ? watch_recording(&watch) :
					  watch_machine(&watch);
	if (!status)
		status = print_watch(&watch);
	if (!status && settings->page.path)
		status = write_watch_page(&watch);
	if (!status && watch.failed)
		status = STATUS_FAILED;
	end_watch(&watch);
	free_drives(&drives);
	return status;
}

static const struct group_use groups[] = {
	RARE_USE(&named_policy_group, &the_settings.named),
	USE(&page_option_group, &the_settings.page),
	RARE_USE(&color_option_group, &the_settings.color),
};

const struct subcommand cmd_watch = {
	.name = "watch",
	.operands = "[DRIVE...]",
	.operands_optional = true,
	.takes_drives = true,
	.list = "drives",
	.summary = "Show who wakes each drive and what that takes.",
	.own = &own,
	GROUPS(groups),
	.examples = "  ssdpm watch --for 10min\n"
		    "  ssdpm watch --for 10min --save trace.txt nvme0\n"
		    "  ssdpm watch --prometheus /run/ssdpm-watch/ssdpm.prom\n"
		    "  ssdpm watch --read trace.txt --device 259,0 SN530\n",
	.run = run,
	.settings = &the_settings,
};
