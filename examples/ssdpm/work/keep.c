/* SPDX-License-Identifier: MIT */
/* apply --keep: what was set, as lines of ssdpm.conf(5). */
#include "programs.h"

#include <inttypes.h>
#include <stdlib.h>

/* Longest: a profile, four parameters, all link policies, three of power. */
enum { LINES_BYTES = 640 };

struct kept_lines {
	char text[LINES_BYTES];
	size_t n;
};

static void add(struct kept_lines *lines, const char *key, const char *format,
		...) __attribute__((format(printf, 3, 4)));

static void add(struct kept_lines *lines, const char *key, const char *format,
		...)
{
	char value[256];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	lines->n += (size_t)snprintf(lines->text + lines->n,
				     sizeof(lines->text) - lines->n,
				     "%s = %s\n", key, value);
}

static void add_us(struct kept_lines *lines, const char *key, uint64_t us)
{
	if (us == SSDPM_LATENCY_ANY)
		add(lines, key, "any");
	else if (us % 1000)
		add(lines, key, "%" PRIu64 "us", us);
	else
		add(lines, key, "%" PRIu64 "ms", us / 1000);
}

static void add_parameters(struct kept_lines *lines,
			   const struct plan_options *options)
{
	static const struct {
		uint32_t parameter;
		const char *key;
		uint32_t unit_us;
	} keys[] = {
		{ SSDPM_NVME_CORE_APST_PRIMARY_TIMEOUT_MS, "primary_timeout",
		  1000 },
		{ SSDPM_NVME_CORE_APST_PRIMARY_LATENCY_TOL_US,
		  "primary_latency_tolerance", 1 },
		{ SSDPM_NVME_CORE_APST_SECONDARY_TIMEOUT_MS,
		  "secondary_timeout", 1000 },
		{ SSDPM_NVME_CORE_APST_SECONDARY_LATENCY_TOL_US,
		  "secondary_latency_tolerance", 1 },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (options->nvme_core_given >> keys[i].parameter & 1)
			add_us(lines, keys[i].key,
			       options->nvme_core[keys[i].parameter] *
				       keys[i].unit_us);
}

static void add_lpms(struct kept_lines *lines,
		     const struct plan_options *options)
{
	char words[SSDPM_MAX_LPMS * 24] = "";
	size_t n = 0;

	for (size_t i = 0; i < options->n_lpms; i++)
		n += (size_t)snprintf(words + n, sizeof(words) - n, "%s%s",
				      i ? " " : "",
				      ssdpm_lpm_to_string(options->lpms[i]));
	if (n)
		add(lines, "lpm", "%s", words);
}

/* drive: its name; NULL: all of them. */
static void draft(struct kept_lines *lines, const struct plan_options *options,
		  const char *drive)
{
	uint32_t state;

	if (options->profile)
		add(lines, "profile", "%s", options->profile);
	if (plan_has(options, "latency"))
		add_us(lines, "max_exit_latency", options->max_exit_latency_us);
	add_parameters(lines, options);
	add_lpms(lines, options);
	if (find_power_state(options, drive ? drive : "", &state)) {
		add(lines, "power_state", "%u", state);
		if (options->workload_hint != SSDPM_WORKLOAD_HINT_KEEP)
			add(lines, "workload_hint", "%u",
			    options->workload_hint);
	}
	if (options->nopp)
		add(lines, "nopp", options->nopp == NOPP_ON ? "on" : "off");
}

/* Keep the lines of a drive, or of the machine if no drive was named. */
static enum exit_status keep(const struct work *work, const struct drive *drive,
			     uint32_t flags)
{
	struct kept_lines lines = { .n = 0 };
	struct ssdpm_error error;

	draft(&lines, work->options,
	      drive ? ssdpm_device_get_facts(drive->device)->name : NULL);
	if (!lines.n || !ssdpm_intent_keep(work->drives->lives[0]->machine,
					   drive ? drive->device : NULL,
					   lines.text, flags, &error))
		return STATUS_DONE;
	return complain_of_device(drive ? drive->name : NULL, &error);
}

/* Other lines may go before those that were kept. */
static enum exit_status say_kept(const struct work *work, uint32_t flags)
{
	const struct plan_options options = { .config = true };
	struct ssdpm_plan *plan;
	enum exit_status status;

	if (work->common->quiet)
		return STATUS_DONE;
	remark("kept%s: ssdpm plan --config shows what is asked for",
	       flags ? " until the next boot" : "");
	status = make_plan(work->common, &options, &work->profile, work->drives,
			   &plan);
	if (status)
		return status;
	if (!all_in_force(plan))
		remark("not all of it is in force: another line decides");
	ssdpm_plan_free(plan);
	return STATUS_DONE;
}

static enum exit_status keep_all(const struct work *work, uint32_t flags)
{
	const bool by_name = work->options->power_states;
	enum exit_status status = STATUS_DONE;
	bool named = false;

	for (size_t i = 0; i < work->drives->n && !status; i++) {
		const struct drive *drive = &work->drives->drives[i];

		if (!drive->named && !by_name)
			continue;
		named = true;
		status = keep(work, drive, flags);
	}
	if (!named && !status)
		status = keep(work, NULL, flags);
	return status ? status : say_kept(work, flags);
}

/* Why can settings not be kept, of n operands? NULL: they can. */
static const char *find_obstacle(const struct plan_options *options, size_t n)
{
	if (options->config)
		return "--config sets what the files say already";
	if (options->table_name)
		return "--apst cannot last: each reset of a drive brings the "
		       "table of Linux back; --latency and --nvme-core last";
	if (options->profiles_path || options->power_source)
		return "--profiles and --source: write them into a file of "
		       "ssdpm.conf(5)";
	if (n && options->nvme_core_given)
		return "--nvme-core is for all drives: name no TARGET";
	return NULL;
}

enum exit_status check_keep(const struct common *common,
			    const struct plan_options *options, size_t n)
{
	const char *obstacle = find_obstacle(options, n);

	return obstacle ? usage_error(common, "--keep: %s", obstacle) :
			  STATUS_DONE;
}

/*
 * Where files ask for something, whoever sets that next would undo what is set
 * now: it goes beside them.
 */
static enum exit_status keep_until_reboot(const struct work *work, size_t n)
{
	const char *obstacle = find_obstacle(work->options, n);
	struct plan_options files = { .applied = true };
	enum exit_status status = STATUS_DONE;

	if (!work->options->config)
		status = find_intent(work->drives, &files);
	if (status || !files.config)
		return status;
	if (!obstacle)
		return keep_all(work, SSDPM_KEEP_UNTIL_REBOOT);
	remark("not kept, so that the next ssdpm apply --config may undo it: "
	       "%s",
	       obstacle);
	return STATUS_DONE;
}

enum exit_status keep_settings(const struct work *work, bool lasting, size_t n)
{
	return lasting ? keep_all(work, 0) : keep_until_reboot(work, n);
}
