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

/* name: of the drive; NULL: all of them. */
static void draft(struct kept_lines *lines, const struct plan_options *options,
		  const char *name)
{
	if (options->profile)
		add(lines, "profile", "%s", options->profile);
	if (plan_has(options, "latency"))
		add_us(lines, "max_exit_latency", options->max_exit_latency_us);
	if (!name)
		add_parameters(lines, options);
	add_lpms(lines, options);
	if (options->nopp)
		add(lines, "nopp", options->nopp == SWITCH_ON ? "on" : "off");
}

static void draft_power_state(struct kept_lines *lines,
			      const struct plan_options *options,
			      const char *name)
{
	uint32_t state;

	if (!find_power_state(options, name, &state))
		return;
	add(lines, "power_state", "%u", state);
	if (options->workload_hint != SSDPM_WORKLOAD_HINT_KEEP)
		add(lines, "workload_hint", "%u", options->workload_hint);
}

/* The work on the lines of a drive, or of the machine if it is NULL. */
typedef enum exit_status (*lines_fn)(const struct work *work,
				     const struct drive *drive,
				     const struct kept_lines *lines,
				     uint32_t flags);

static enum exit_status keep_lines(const struct work *work,
				   const struct drive *drive,
				   const struct kept_lines *lines,
				   uint32_t flags)
{
	struct ssdpm_error error;

	if (!ssdpm_intent_keep(work->drives->lives[0]->machine,
			       drive ? drive->device : NULL, lines->text, flags,
			       &error))
		return STATUS_DONE;
	return complain_of_device(drive ? drive->name : NULL, &error);
}

/* A file is shown before it is written, as those of --persist are. */
static enum exit_status say_lines(const struct work *work,
				  const struct drive *drive,
				  const struct kept_lines *lines,
				  uint32_t flags)
{
	(void)work;
	remark("to be kept %s, for %s:\n%.*s",
	       flags & SSDPM_KEEP_UNTIL_REBOOT ? "until the next boot" :
						 "for good",
	       drive ? drive->name : "all drives", (int)lines->n - 1,
	       lines->text);
	return STATUS_DONE;
}

/* Settings without a drive are for all of them. */
static enum exit_status for_all_lines(const struct work *work, lines_fn go,
				      uint32_t flags)
{
	enum exit_status status = STATUS_DONE;
	struct kept_lines of_all = { .n = 0 };
	bool named = false, for_any;
	uint32_t state;

	for_any = find_power_state(work->options, "", &state);

	for (size_t i = 0; i < work->drives->n && !status; i++) {
		const struct drive *drive = &work->drives->drives[i];
		const char *name = ssdpm_device_get_facts(drive->device)->name;
		struct kept_lines lines = { .n = 0 };

		if (drive->named)
			draft(&lines, work->options, name);
		if (drive->named || !for_any)
			draft_power_state(&lines, work->options, name);
		named |= drive->named;
		if (lines.n)
			status = go(work, drive, &lines, flags);
	}
	if (!named) {
		draft(&of_all, work->options, NULL);
		draft_power_state(&of_all, work->options, "");
	}
	return status || !of_all.n ? status : go(work, NULL, &of_all, flags);
}

/* Each setting that files ask for and that is not in force. */
static void say_contradictions(const struct ssdpm_plan *plan,
			       const char *remedy)
{
	struct ssdpm_step step = { .size = sizeof(step) };

	for (size_t i = 0; !ssdpm_plan_get_step(plan, i, &step); i++)
		if (step.state == SSDPM_STEP_PLANNED && *step.before &&
		    *step.origin)
			remark("%s: the next boot sets %s to %s, because %s "
			       "decides%s",
			       step.device, plan_step_text(&step).text,
			       step.after, step.origin, remedy);
}

/* Other lines may go before those that were kept: the machine is read anew. */
enum exit_status say_what_decides(const struct work *work, const char *remedy)
{
	struct ssdpm_machine *machine = work->drives->lives[0]->machine;
	struct ssdpm_intent *intent;
	struct ssdpm_plan *plan;
	struct ssdpm_error error;
	int err = ssdpm_intent_read(machine, &intent, &error);

	if (err)
		return complain_of_device(NULL, &error);
	err = ssdpm_plan_new(machine, NULL, &plan, &error);
	if (!err) {
		err = ssdpm_plan_add_intent(plan, NULL, NULL, intent, NULL,
					    &error);
		if (!err)
			say_contradictions(plan, remedy);
		ssdpm_plan_free(plan);
	}
	ssdpm_intent_free(intent);
	return err ? complain_of_device(NULL, &error) : STATUS_DONE;
}

/* What a profile sets that a section for some drives cannot ask for. */
static bool leaves_parameters(const struct work *work)
{
	const uint32_t of_drives =
		SSDPM_PROFILE_MAX_EXIT_LATENCY | SSDPM_PROFILE_LPM;

	for (size_t i = 0; i < work->drives->n; i++)
		if (work->drives->drives[i].named)
			return work->profile.now.set & ~of_drives;
	return false;
}

static enum exit_status keep(const struct work *work, uint32_t flags)
{
	enum exit_status status = for_all_lines(work, keep_lines, flags);

	if (status || flags & SSDPM_KEEP_CHECK || work->common->quiet)
		return status;
	if (flags)
		remark("kept until the next boot: see ssdpm plan --config");
	else
		remark("kept: %s; see ssdpm plan --config",
		       keeper_words(work->drives->lives[0]));
	if (leaves_parameters(work))
		remark("not kept: the parameters of nvme_core, which are for "
		       "all drives; without a TARGET they are");
	return say_what_decides(work, "");
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

	if (is_until_boot(options))
		obstacle = UNTIL_BOOT " last until the next boot";
	return obstacle ? usage_error(common, "--keep: %s", obstacle) :
			  STATUS_DONE;
}

/* No file asks for settings of this kind alone. */
static bool is_in_no_file(const struct plan_options *options)
{
	struct kept_lines lines = { .n = 0 };

	draft(&lines, options, NULL);
	return !lines.n && !options->table_name &&
	       !plan_has(options, "power-state") && is_until_boot(options);
}

/*
 * Where files ask for something, whoever sets that next would undo what is set
 * now: it goes beside them.
 */
static enum exit_status is_beside_files(const struct work *work, bool *ret)
{
	struct plan_options files = { .applied = true };
	enum exit_status status = STATUS_DONE;

	if (!work->options->config && !is_in_no_file(work->options))
		status = find_intent(work->drives, &files);
	*ret = files.config;
	return status;
}

/* flags: of ssdpm_intent_keep(). */
static enum exit_status keep_until_reboot(const struct work *work, size_t n,
					  uint32_t flags)
{
	const char *obstacle = find_obstacle(work->options, n);
	bool is_beside;
	enum exit_status status = is_beside_files(work, &is_beside);

	if (status || !is_beside)
		return status;
	if (!obstacle)
		return keep(work, flags | SSDPM_KEEP_UNTIL_REBOOT);
	if (!(flags & SSDPM_KEEP_CHECK))
		remark("not kept, so that the next ssdpm apply --config may "
		       "undo it: %s",
		       obstacle);
	return STATUS_DONE;
}

enum exit_status check_settings(const struct work *work, bool lasting, size_t n)
{
	return lasting ? keep(work, SSDPM_KEEP_CHECK) :
			 keep_until_reboot(work, n, SSDPM_KEEP_CHECK);
}

enum exit_status keep_settings(const struct work *work, bool lasting, size_t n)
{
	return lasting ? keep(work, 0) : keep_until_reboot(work, n, 0);
}

enum exit_status show_settings(const struct work *work, bool lasting, size_t n)
{
	bool is_beside = false;
	enum exit_status status = check_settings(work, lasting, n);

	if (!status && !lasting)
		status = is_beside_files(work, &is_beside);
	if (status || work->common->quiet || find_obstacle(work->options, n))
		return status;
	if (!lasting && !is_beside)
		return STATUS_DONE;
	return for_all_lines(work, say_lines,
			     lasting ? 0 : SSDPM_KEEP_UNTIL_REBOOT);
}
