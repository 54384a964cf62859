/* SPDX-License-Identifier: MIT */
/* ssdpm lpm: the link policies of SATA ports. */
#include "options/advised.h"
#include "text/device.h"
#include "text/output.h"
#include "text/remedy.h"
#include "work/work.h"

#include <stdlib.h>
#include <string.h>

struct settings {
	uint32_t lpms[SSDPM_MAX_LPMS];
	size_t n_lpms;
	bool dry_run;
};

static struct settings the_settings;

static const struct option_spec options[] = {
	{ "set", 0, "POLICY,...", "set the first of these that the port takes",
	  SETS_OWN },
	{ "dry-run", 'n', NULL, "with --set: show it, and write nothing",
	  SETS_FLAG(struct settings, dry_run) },
};

static enum exit_status set(void *data, struct common *common,
			    const struct option_spec *option,
			    const char *argument)
{
	struct settings *settings = data;

	(void)option;
	/* No ports; and all of them, or nothing. */
	common->list = "plans";
	common->each_alone = false;
	return parse_lpms(common, "set", argument, settings->lpms,
			  &settings->n_lpms);
}

/* A port, and why it is as it is. */
struct port {
	const struct drive *drive;
	struct insight insight;
};

struct ports {
	struct port *ports;
	size_t n;
};

static const char *policy_of_port(const struct ssdpm_device_facts *f)
{
	return f->known & SSDPM_FACT_LPM ? ssdpm_lpm_to_string(f->lpm) : NULL;
}

/* Of a port, its disk; an optical drive is none. */
static const char *disk_of_port(const struct ssdpm_device_facts *f)
{
	if (f->flags & SSDPM_DEVICE_OPTICAL)
		return "optical";
	return f->flags & SSDPM_DEVICE_EMPTY ? "-" : f->name;
}

/* The kernel's word; before 6.12.43 it had none. */
static const char *supported_word(const struct ssdpm_device_facts *f)
{
	return !(f->known & SSDPM_FACT_LPM_SUPPORTED) ? "-" :
	       f->lpm_supported			      ? "yes" :
							"no";
}

static void make_row(const void *data, size_t number, struct row *row)
{
	static const char *const head[] = { "host", "disk", "policy",
					    "supported", "reason" };
	const struct ports *ports = data;
	const struct ssdpm_device_facts *f;
	const struct ssdpm_diagnosis *reason;
	const char *policy;

	if (!number) {
		for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
			row_cell(row, i, "%s", head[i]);
		return;
	}
	f = ssdpm_device_get_facts(ports->ports[number - 1].drive->device);
	policy = policy_of_port(f);
	reason = main_reason(&ports->ports[number - 1].insight);
	if (f->ata_port)
		row_cell(row, 0, "host%u", f->host);
	else
		row_cell(row, 0, "-");
	row_cell(row, 1, "%s", disk_of_port(f));
	row_cell(row, 2, "%s",
		 policy		? policy :
		 f->lpm_word[0] ? f->lpm_word :
				  "-");
	row_cell(row, 3, "%s", supported_word(f));
	row_cell(row, 4, "%s", reason ? reason->message : "");
}

/* What to do about each reason, below the table: it is too long for a column.
 */
static void print_advice(const struct ports *ports)
{
	const char *before = "\n";

	for (size_t i = 0; i < ports->n; i++) {
		const struct drive *drive = ports->ports[i].drive;
		const struct ssdpm_diagnosis *reason =
			main_reason(&ports->ports[i].insight);
		char *advice = advice_text(drive, reason);

		if (!advice)
			continue;
		fputs(before, stdout);
		printf("  %s: %s\n", drive->name, advice);
		before = "";
		free(advice);
	}
}

static enum exit_status print_ports_json(const struct common *common,
					 const struct ports *ports)
{
	const struct ssdpm_object object = { .kind = SSDPM_OBJECT_LPM };
	struct items items = { 0 };
	struct ssdpm_error error;

	for (size_t i = 0; i < ports->n; i++) {
		char *text = NULL;
		int err = drive_json(object, ports->ports[i].drive,
				     &ports->ports[i].insight, &text, &error);

		add_item(&items, err, text, &error);
	}
	return print_items(common, &items);
}

static enum exit_status print_ports(const struct common *common,
				    const struct ports *ports)
{
	if (!ports->n && !common->quiet)
		remark("there is no SATA port");
	if (common->form)
		return print_ports_json(common, ports);
	if (ports->n)
		print_rows("<<<<<", make_row, ports, ports->n + 1);
	print_advice(ports);
	return ports->n ? print_link_owners(ports->ports[0].drive->live) :
			  STATUS_DONE;
}

/* A port among those to be shown; what was named and is none is a fault. */
static enum exit_status add_port(const struct common *common,
				 const struct drive *drive, struct ports *ports)
{
	struct port port = { .drive = drive };
	enum exit_status status;

	if (ssdpm_device_get_facts(drive->device)->kind != SSDPM_KIND_SATA) {
		if (!drive->named)
			return STATUS_DONE;
		complain("%s: not behind a SATA port", drive->name);
		return STATUS_DEVICE_CANNOT;
	}
	status = look_into(common, drive, &port.insight);
	if (status)
		free_insight(&port.insight);
	else
		ports->ports[ports->n++] = port;
	return status;
}

/* n operands were given. */
static enum exit_status collect(const struct common *common,
				const struct drives *drives, size_t n,
				struct ports *ports)
{
	enum exit_status status = STATUS_DONE;

	n = n > drives->n ? n : drives->n;
	for (size_t i = 0; i < drives->n && !status; i++) {
		const struct drive *drive = &drives->drives[i];

		status = add_port(common, drive, ports);
		if (status && keep_failed_drive(common, drive->name, n, status))
			status = STATUS_DONE;
	}
	return status;
}

static enum exit_status show_ports(const struct common *common,
				   const struct drives *drives, size_t n)
{
	struct ports ports = {
		.ports = calloc(drives->n + 1, sizeof(*ports.ports)),
	};
	enum exit_status status = STATUS_FAILED;

	if (ports.ports)
		status = collect(common, drives, n, &ports);
	else
		complain("out of memory");
	if (!status)
		status = print_ports(common, &ports);
	for (size_t i = 0; i < ports.n; i++)
		free_insight(&ports.ports[i].insight);
	free(ports.ports);
	return status;
}

/* The ports that are to be set, read anew. */
struct reading {
	const struct settings *settings;
	char **operands;
	size_t n;
	struct drives drives;
};

static enum exit_status fill(struct work *work, void *data)
{
	struct reading *reading = data;
	const struct settings *settings = reading->settings;
	enum exit_status status;

	free_drives(&reading->drives);
	status = read_devices(work->common, reading->operands, reading->n,
			      &reading->drives);
	if (status)
		return status;
	work->drives = &reading->drives;
	for (size_t i = 0; i < work->drives->n && !status; i++)
		status = add_lpm(work->common, work->plan,
				 &work->drives->drives[i], settings->lpms,
				 settings->n_lpms);
	if (!status)
		status = read_plan(work->plan);
	if (!status)
		work->in_force = all_in_force(work->plan);
	return status;
}

static enum exit_status set_ports(const struct common *common,
				  const struct settings *settings,
				  const struct drives *found, char **operands,
				  size_t n)
{
	struct reading reading = { settings, operands, n, { 0 } };
	struct work work = {
		.common = common,
		.drives = found,
		.failures_only = common->quiet && !settings->dry_run,
	};
	enum exit_status status = new_plan(found, NULL, &work.plan), printed;

	if (!status && settings->dry_run) {
		status = fill(&work, &reading);
		if (!status)
			status = look_at_journal(&work);
		else
			work.plan = ssdpm_plan_free(work.plan);
	} else if (!status) {
		status = carry_out(&work, fill, &reading);
	}
	if (work.plan) {
		printed = print_work(&work);
		status = status ? status : printed;
	}
	free_work(&work);
	free_drives(&reading.drives);
	return status;
}

static enum exit_status run(const void *data, const struct common *common,
			    char **operands, size_t n_operands)
{
	const struct settings *settings = data;
	enum exit_status status;
	struct drives drives;

	if (settings->n_lpms && !n_operands)
		return usage_error(common,
				   "--set needs the names of ports; all of "
				   "them: ssdpm apply --lpm");
	if (settings->dry_run && !settings->n_lpms)
		return usage_error(common, "--dry-run without --set says "
					   "nothing");
	status = read_devices(common, operands, n_operands, &drives);
	if (!status && settings->n_lpms)
		status = set_ports(common, settings, &drives, operands,
				   n_operands);
	else if (!status)
		status = show_ports(common, &drives, n_operands);
	free_drives(&drives);
	return status;
}

static const struct option_group own = {
	OPTIONS(options),
	.set = set,
};

const struct subcommand cmd_lpm = {
	.name = "lpm",
	.operands = "[TARGET...]",
	.operands_optional = true,
	.takes_devices = true,
	.list = "ports",
	.each_alone = true,
	.summary = "Print the link policies of SATA ports, or set them.",
	.own = &own,
	.examples = "  ssdpm lpm\n"
		    "  ssdpm lpm --json\n",
	.run = run,
	.settings = &the_settings,
};
